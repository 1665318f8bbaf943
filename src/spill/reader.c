/* reader.c: frames on their way from disk into a merge. */
#include "spill/reader.h"

#include "element/key_scope.h"
#include "element/record/record_room.h"
#include "plan/plan.h"

#include <string.h>

/* Buffers that every run of records may have, whatever the others hold. */
#define OWN_BUFFERS 2u

/* With --resume what is read ahead is lost by a kill: so many frames beyond one of each run, so
 * that the disk is busy. */
#define KEPT_AHEAD 16u

void gsi_spill_reader_clear(struct gsi_spill_reader *feed)
{
    if (feed->loop == NULL)
        return;
    struct gsi_ledger *ledger = &feed->loop->ledger;
    GSI_FREE(ledger, feed->runs, feed->run_count);
    GSI_FREE(ledger, feed->input_idx, feed->run_count);
    GSI_FREE(ledger, feed->shares, feed->run_count);
    GSI_FREE(ledger, feed->order, feed->frame_count);
    *feed = (struct gsi_spill_reader){0};
}

static enum gs_status init_shares(struct gsi_spill_reader *feed, const uint64_t *first_indexes)
{
    struct gsi_loop *loop = feed->loop;
    const struct gs_plan *plan = loop->plan;
    uint64_t reserved = (uint64_t)OWN_BUFFERS * feed->run_count + gsi_plan_frames_beside(plan);
    feed->spare_count = feed->buffers->count > reserved ? feed->buffers->count - reserved : 0;
    feed->needed_run = feed->run_count;
    enum gs_status status = GSI_NEW(&loop->ledger, feed->shares, feed->run_count, loop->error);
    for (uint32_t i = 0; status == GS_OK && i < feed->run_count; i++)
        feed->shares[i].first_index = first_indexes[feed->input_idx[i]];
    return status;
}

enum gs_status gsi_spill_reader_init(struct gsi_spill_reader *feed, struct gsi_loop *loop,
                                     struct gsi_spill *spill, struct gsi_buffers *buffers,
                                     const struct gsi_spilled_run *const *runs,
                                     const uint32_t *input_idx, const uint64_t *first_indexes,
                                     uint32_t run_count)
{
    enum gs_status status = GS_OK;
    struct gsi_ledger *ledger = &loop->ledger;
    *feed = (struct gsi_spill_reader){
        .loop = loop, .spill = spill, .buffers = buffers, .run_count = run_count};
    feed->tail = &feed->head;
    feed->most_held = UINT64_MAX;
    if (spill->keeps_frames)
        feed->most_held = run_count + gsi_plan_frames_beside(loop->plan) + KEPT_AHEAD;
    for (uint32_t i = 0; i < run_count; i++)
        feed->frame_count += runs[i]->frame_count;
    GSI_TRY_OR(GSI_NEW(ledger, feed->runs, run_count, loop->error), fail);
    memcpy(feed->runs, runs, run_count * sizeof *runs);
    GSI_TRY_OR(GSI_NEW(ledger, feed->input_idx, run_count, loop->error), fail);
    memcpy(feed->input_idx, input_idx, run_count * sizeof *input_idx);
    GSI_TRY_OR(GSI_NEW(ledger, feed->order, feed->frame_count, loop->error), fail);
    gsi_read_order_make(loop->layout, runs, run_count, feed->order);
    if (loop->layout->record != NULL)
        GSI_TRY_OR(init_shares(feed, first_indexes), fail);
    gsi_disk_release_init(&feed->release, loop, &spill->store, spill->frame_bytes, feed->runs,
                          feed->order);
    return GS_OK;
fail:
    gsi_spill_reader_clear(feed);
    return status;
}

static const struct gsi_frame_ref *frame_of(const struct gsi_spill_reader *feed, uint64_t order_idx)
{
    const struct gsi_ordered_frame *at = &feed->order[order_idx];
    return &feed->runs[at->run_idx]->frames[at->frame_idx];
}

/* What stands for the records of a frame in the merge. */
static void make_tags(const struct gsi_spill_reader *feed, struct gsi_buffer *buffer,
                      uint32_t count)
{
    const struct gsi_layout *layout = feed->loop->layout;
    const struct gs_plan *plan = feed->loop->plan;
    const struct gsi_ordered_frame *at = &feed->order[buffer->state.frame.order_idx];
    uint32_t shift = gsi_record_room_shift(plan->record_bytes, plan->frame_bytes);
    uint64_t index = feed->shares[at->run_idx].first_index + (at->frame_idx << shift);
    gsi_record_tags(layout->record, buffer->data, count, gsi_key_scope_shared(layout->scope), index,
                    buffer->tags);
}

/* Of a merge that goes on the first frame of a run may be in the output already, in part. */
static uint32_t leave_out_merged(const struct gsi_spill_reader *feed, struct gsi_buffer *buffer,
                                 uint32_t count)
{
    const struct gsi_ordered_frame *at = &feed->order[buffer->state.frame.order_idx];
    uint32_t merged = at->frame_idx == 0 ? feed->runs[at->run_idx]->merged_count : 0;
    size_t key_bytes = feed->loop->layout->key_bytes;
    count -= merged;
    if (merged > 0)
        memmove(buffer->data, buffer->data + merged * key_bytes, count * key_bytes);
    buffer->bytes = count * key_bytes;
    return count;
}

static void open_frame(struct gsi_task *task, uint32_t worker_idx)
{
    struct gsi_buffer *buffer = gsi_buffer_of_task(task);
    const struct gsi_spill_reader *feed = buffer->holder;
    const struct gsi_frame_ref *ref = frame_of(feed, buffer->state.frame.order_idx);
    buffer->packed.is_packed = feed->loop->device->ops->takes_packed && buffer->tags == NULL;
    size_t capacity = buffer->capacity + GSI_FRAME_HEADER_BYTES;
    if (buffer->tags != NULL)
        capacity = (size_t)((uint8_t *)buffer->tags - buffer->memory);
    enum gs_status status =
        gsi_frame_open(feed->loop->layout, buffer->data - GSI_FRAME_HEADER_BYTES, capacity, ref,
                       gsi_codec_coder(&feed->spill->codec, worker_idx), &buffer->packed,
                       &buffer->state.frame.damage);
    if (status != GS_OK)
        return;
    uint32_t count = leave_out_merged(feed, buffer, ref->count);
    if (buffer->tags != NULL)
        make_tags(feed, buffer, count);
}

static void open_done(struct gsi_task *task)
{
    struct gsi_buffer *buffer = gsi_buffer_of_task(task);
    const struct gsi_spill_reader *feed = buffer->holder;
    const struct gsi_frame_ref *ref = frame_of(feed, buffer->state.frame.order_idx);
    buffer->state.frame.is_open = true;
    if (buffer->state.frame.damage != NULL)
        gsi_fail(feed->loop->error, GS_E_CORRUPT, 0,
                 "temporary file in '%s': %s, at byte %llu; check the disk and the memory",
                 gsi_spill_where(&feed->spill->store, ref), buffer->state.frame.damage,
                 (unsigned long long)ref->off);
}

static void read_done(struct gsi_io *io)
{
    struct gsi_buffer *buffer = gsi_buffer_of_io(io);
    const struct gsi_spill_reader *feed = buffer->holder;
    struct gsi_loop *loop = feed->loop;
    const struct gsi_frame_ref *ref = frame_of(feed, buffer->state.frame.order_idx);
    if (!gsi_spill_io_done(loop, feed->spill, io, ref))
        return;
    if (io->moved < io->bytes) {
        gsi_fail(loop->error, GS_E_CORRUPT, 0,
                 "temporary file in '%s': ends early, at byte %llu; check the disk",
                 gsi_spill_where(&feed->spill->store, ref),
                 (unsigned long long)(io->off + io->moved));
        return;
    }
    if (!gsi_spill_is_in_memory(&feed->spill->store, ref))
        gsi_loop_now(loop)->bytes_read += io->bytes;
    gsi_spill_uncache(io);
    buffer->task = (struct gsi_task){.run = open_frame, .done = open_done, .is_urgent = true};
    gsi_pool_submit(loop->pool, &buffer->task);
}

static void start_read(struct gsi_spill_reader *feed, struct gsi_buffer *buffer)
{
    const struct gsi_frame_ref *ref = frame_of(feed, feed->next_frame);
    const struct gsi_spill_store *store = &feed->spill->store;
    buffer->holder = feed;
    if (feed->shares != NULL) {
        struct gsi_spill_reader_share *share = &feed->shares[feed->order[feed->next_frame].run_idx];
        share->coming_count++;
        feed->extra_count += ++share->held_count > OWN_BUFFERS;
    }
    buffer->state.frame.is_open = false;
    buffer->state.frame.damage = NULL;
    buffer->state.frame.order_idx = feed->next_frame++;
    buffer->next = NULL;
    *feed->tail = buffer;
    feed->tail = &buffer->next;
    buffer->io = (struct gsi_io){.op = GSI_IO_READ,
                                 .fd = store->files[ref->file_idx].fd,
                                 .data = buffer->data - GSI_FRAME_HEADER_BYTES,
                                 .bytes = ref->bytes,
                                 .off = ref->off,
                                 .is_copy = !gsi_spill_directory_of(store, ref)->is_direct,
                                 .done = read_done};
    gsi_loop_submit(feed->loop, &buffer->io);
}

/* Whether the next frame may be read because the prediction says so. */
static bool is_allowed(const struct gsi_spill_reader *feed)
{
    bool is_starved = feed->is_starved && feed->head == NULL;
    if (feed->buffers->count - feed->buffers->free_count >= feed->most_held && !is_starved)
        return false;
    return feed->shares == NULL || feed->extra_count < feed->spare_count ||
           feed->shares[feed->order[feed->next_frame].run_idx].held_count < OWN_BUFFERS;
}

/* The needed run's next frame becomes the next one of all. */
static void advance_needed(struct gsi_spill_reader *feed)
{
    struct gsi_ordered_frame *next = &feed->order[feed->next_frame], *at = next;
    while (at->run_idx != feed->needed_run)
        at++;
    struct gsi_ordered_frame needed = *at;
    memmove(next + 1, next, (size_t)(at - next) * sizeof *next);
    *next = needed;
    feed->needed_run = feed->run_count;
}

static bool start_reads(struct gsi_spill_reader *feed)
{
    bool has_moved = false;
    struct gsi_buffer *buffer;
    while (!feed->is_stopped && feed->next_frame < feed->frame_count) {
        bool is_needed = feed->shares != NULL && feed->needed_run < feed->run_count;
        if ((!is_needed && !is_allowed(feed)) || (buffer = gsi_buffers_take(feed->buffers)) == NULL)
            break;
        if (is_needed)
            advance_needed(feed);
        feed->is_starved = false;
        start_read(feed, buffer);
        has_moved = true;
    }
    return has_moved;
}

void gsi_spill_reader_stop(struct gsi_spill_reader *feed)
{
    if (feed->loop == NULL)
        return;
    feed->is_stopped = true;
    gsi_disk_release_end(&feed->release);
}

/* The oldest frame, if it is there; NULL: not yet. */
static struct gsi_buffer *take_ready(struct gsi_spill_reader *feed)
{
    struct gsi_buffer *buffer = feed->head;
    if (buffer == NULL || !buffer->state.frame.is_open)
        return NULL;
    if ((feed->head = buffer->next) == NULL)
        feed->tail = &feed->head;
    return buffer;
}

bool gsi_spill_reader_pump(struct gsi_spill_reader *feed)
{
    bool has_moved = start_reads(feed);
    struct gsi_buffer *buffer;
    while (feed->is_stopped && (buffer = take_ready(feed)) != NULL) {
        gsi_buffers_give(feed->buffers, buffer);
        has_moved = true;
    }
    while (!gsi_disk_release_is_full(&feed->release) && (buffer = take_ready(feed)) != NULL) {
        const struct gsi_ordered_frame *at = &feed->order[buffer->state.frame.order_idx];
        const struct gsi_spilled_run *run = feed->runs[at->run_idx];
        bool is_last = at->frame_idx + 1 == run->frame_count;
        if (feed->shares != NULL) {
            feed->shares[at->run_idx].coming_count--;
            buffer->state.frame.run_idx =
                at->run_idx; /* for when it is released: `order` is not ours then */
        }
        feed->loop->device->ops->merge_feed(feed->merge, feed->input_idx[at->run_idx], buffer,
                                            is_last ? NULL
                                                    : run->frames[at->frame_idx + 1].first_key);
        bool is_all = ++feed->fed_count == feed->frame_count;
        if (!feed->spill->keeps_frames) /* else they may be needed again */
            gsi_disk_release_add(&feed->release, is_all);
        has_moved = true;
    }
    return has_moved;
}

bool gsi_spill_reader_need(struct gsi_spill_reader *feed, uint32_t input_idx)
{
    if (feed->shares == NULL) {
        bool was_starved = feed->is_starved;
        feed->is_starved = feed->next_frame < feed->frame_count;
        return feed->is_starved && !was_starved && feed->most_held < UINT64_MAX;
    }
    for (uint32_t i = 0; i < feed->run_count; i++)
        if (feed->input_idx[i] == input_idx && feed->shares[i].coming_count == 0) {
            feed->needed_run = i;
            return true;
        }
    return false;
}

void gsi_spill_reader_released(struct gsi_spill_reader *feed, const struct gsi_buffer *buffer)
{
    if (feed->shares != NULL)
        feed->extra_count -= feed->shares[buffer->state.frame.run_idx].held_count-- > OWN_BUFFERS;
}
