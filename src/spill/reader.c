/* reader.c: brings frames from disk into a merge. */
#include "spill/reader.h"

#include "base/assert.h"
#include "base/report.h"
#include "element/key_scope.h"
#include "element/record/record_room.h"
#include "plan/plan.h"

#include <string.h>

/* With --resume what is read ahead is lost by a kill: so many frames beyond one of each run, so
 * that the disk is busy. */
#define KEPT_AHEAD GSI_CONSTANT(16u, 2u)

struct state {
    uint64_t order_idx; /* in the order of reading */
    uint32_t run_idx;   /* while the device has it */
    bool is_open;
    const char *damage; /* what is wrong with it; NULL: nothing */
};

GSI_HOLDER_STATE(state_of, struct state)

static_assert(sizeof(struct gsi_frame_ref) + sizeof(struct gsi_ordered_frame) <=
                  GSI_PLAN_FRAME_TABLE_BYTES,
              "the plan reckons with as much");

void gsi_spill_reader_clear(struct gsi_spill_reader *reader)
{
    if (reader->loop == NULL)
        return;
    struct gsi_ledger *ledger = &reader->loop->ledger;
    GSI_FREE(ledger, reader->runs, reader->run_count);
    GSI_FREE(ledger, reader->input_idx, reader->run_count);
    GSI_FREE(ledger, reader->shares, reader->run_count);
    GSI_FREE(ledger, reader->order, reader->frame_count);
    *reader = (struct gsi_spill_reader){0};
}

static enum gs_status init_shares(struct gsi_spill_reader *reader, const uint64_t *first_indexes)
{
    struct gsi_loop *loop = reader->loop;
    uint64_t reserved = gsi_plan_fed_frames(loop->plan, reader->run_count);
    reader->spare_count = reader->buffers->count > reserved ? reader->buffers->count - reserved : 0;
    reader->needed_run = reader->run_count;
    enum gs_status status = GSI_NEW(&loop->ledger, reader->shares, reader->run_count, loop->error);
    for (uint32_t i = 0; status == GS_OK && i < reader->run_count; i++)
        reader->shares[i].first_index = first_indexes[reader->input_idx[i]];
    return status;
}

enum gs_status gsi_spill_reader_init(struct gsi_spill_reader *reader, struct gsi_loop *loop,
                                     struct gsi_spill *spill, struct gsi_buffers *buffers,
                                     const struct gsi_spilled_run *const *runs,
                                     const uint32_t *input_idx, const uint64_t *first_indexes,
                                     uint32_t run_count)
{
    enum gs_status status = GS_OK;
    struct gsi_ledger *ledger = &loop->ledger;
    *reader = (struct gsi_spill_reader){
        .loop = loop, .spill = spill, .buffers = buffers, .run_count = run_count};
    gsi_buffer_list_init(&reader->reading);
    reader->most_held = UINT64_MAX;
    if (spill->keeps_frames)
        reader->most_held = run_count + gsi_plan_frames_beside(loop->plan) + KEPT_AHEAD;
    for (uint32_t i = 0; i < run_count; i++)
        reader->frame_count += runs[i]->frame_count;
    GSI_TRY_OR(GSI_NEW(ledger, reader->runs, run_count, loop->error), fail);
    memcpy(reader->runs, runs, run_count * sizeof *runs);
    GSI_TRY_OR(GSI_NEW(ledger, reader->input_idx, run_count, loop->error), fail);
    memcpy(reader->input_idx, input_idx, run_count * sizeof *input_idx);
    GSI_TRY_OR(GSI_NEW(ledger, reader->order, reader->frame_count, loop->error), fail);
    gsi_read_order_make(loop->layout, runs, run_count, reader->order);
    if (loop->layout->has_tags)
        GSI_TRY_OR(init_shares(reader, first_indexes), fail);
    gsi_disk_release_init(&reader->release, loop, &spill->store, spill->frame_bytes, reader->runs,
                          reader->order);
    return GS_OK;
fail:
    gsi_spill_reader_clear(reader);
    return status;
}

static const struct gsi_frame_ref *frame_of(const struct gsi_spill_reader *reader,
                                            uint64_t order_idx)
{
    const struct gsi_ordered_frame *at = &reader->order[order_idx];
    return &reader->runs[at->run_idx]->frames[at->frame_idx];
}

/* What stands for the records of a frame in the merge. */
static void make_tags(const struct gsi_spill_reader *reader, struct gsi_buffer *buffer,
                      uint32_t count)
{
    const struct gsi_layout *layout = reader->loop->layout;
    const struct gsi_plan *plan = reader->loop->plan;
    const struct gsi_ordered_frame *at = &reader->order[state_of(buffer)->order_idx];
    uint32_t shift = gsi_record_room_shift(plan->record_bytes, plan->frame_bytes);
    uint64_t index = reader->shares[at->run_idx].first_index + (at->frame_idx << shift);
    gsi_layout_tags(layout, buffer->data, count, gsi_key_scope_shared(layout->scope), index,
                    buffer->tags);
}

/* Of a merge that goes on the first frame of a run may be in the output already, in part. */
static uint32_t leave_out_merged(const struct gsi_spill_reader *reader, struct gsi_buffer *buffer,
                                 uint32_t count)
{
    const struct gsi_ordered_frame *at = &reader->order[state_of(buffer)->order_idx];
    uint32_t merged = at->frame_idx == 0 ? reader->runs[at->run_idx]->merged_count : 0;
    size_t key_bytes = reader->loop->layout->key_bytes;
    count -= merged;
    if (merged > 0)
        memmove(buffer->data, buffer->data + merged * key_bytes, count * key_bytes);
    buffer->bytes = count * key_bytes;
    return count;
}

static void open_frame(struct gsi_task *task, uint32_t worker_idx)
{
    struct gsi_buffer *buffer = gsi_buffer_of_task(task);
    const struct gsi_spill_reader *reader = buffer->holder;
    const struct gsi_frame_ref *ref = frame_of(reader, state_of(buffer)->order_idx);
    buffer->packed.is_packed = reader->loop->device->ops->takes_packed && buffer->tags == NULL;
    size_t capacity = buffer->capacity + GSI_FRAME_HEADER_BYTES;
    if (buffer->tags != NULL)
        capacity = (size_t)((uint8_t *)buffer->tags - buffer->memory);
    enum gs_status status =
        gsi_frame_open(reader->loop->layout, buffer->data - GSI_FRAME_HEADER_BYTES, capacity, ref,
                       gsi_codec_coder(&reader->spill->codec, worker_idx), &buffer->packed,
                       &state_of(buffer)->damage);
    if (status != GS_OK)
        return;
    uint32_t count = leave_out_merged(reader, buffer, ref->count);
    if (buffer->tags != NULL)
        make_tags(reader, buffer, count);
}

static void open_done(struct gsi_task *task)
{
    struct gsi_buffer *buffer = gsi_buffer_of_task(task);
    const struct gsi_spill_reader *reader = buffer->holder;
    const struct gsi_frame_ref *ref = frame_of(reader, state_of(buffer)->order_idx);
    state_of(buffer)->is_open = true;
    if (state_of(buffer)->damage != NULL)
        gsi_fail(reader->loop->error, GS_E_CORRUPT, 0,
                 "temporary file in '%s': %s, at byte %llu; check the disk and the memory",
                 gsi_spill_where(&reader->spill->store, ref), state_of(buffer)->damage,
                 (unsigned long long)ref->off);
}

static void read_done(struct gsi_io *io)
{
    struct gsi_buffer *buffer = gsi_buffer_of_io(io);
    const struct gsi_spill_reader *reader = buffer->holder;
    struct gsi_loop *loop = reader->loop;
    const struct gsi_frame_ref *ref = frame_of(reader, state_of(buffer)->order_idx);
    if (!gsi_spill_io_done(loop, reader->spill, io, ref))
        return;
    if (io->moved < io->bytes) {
        gsi_fail(loop->error, GS_E_CORRUPT, 0,
                 "temporary file in '%s': is truncated at byte %llu; check the disk",
                 gsi_spill_where(&reader->spill->store, ref),
                 (unsigned long long)(io->off + io->moved));
        return;
    }
    gsi_loop_now(loop)->bytes_read += io->bytes;
    gsi_spill_uncache(io);
    buffer->task = (struct gsi_task){.run = open_frame, .done = open_done, .is_urgent = true};
    gsi_pool_submit(loop->pool, &buffer->task);
}

static void start_read(struct gsi_spill_reader *reader, struct gsi_buffer *buffer)
{
    const struct gsi_frame_ref *ref = frame_of(reader, reader->next_frame);
    const struct gsi_spill_store *store = &reader->spill->store;
    buffer->holder = reader;
    if (reader->shares != NULL) {
        struct gsi_spill_reader_share *share =
            &reader->shares[reader->order[reader->next_frame].run_idx];
        share->coming_count++;
        reader->extra_count += ++share->held_count > GSI_PLAN_OWN_FRAMES;
    }
    state_of(buffer)->is_open = false;
    state_of(buffer)->damage = NULL;
    state_of(buffer)->order_idx = reader->next_frame++;
    gsi_buffer_list_push(&reader->reading, buffer);
    buffer->io = (struct gsi_io){.op = GSI_IO_READ,
                                 .fd = store->files[ref->file_idx].fd,
                                 .data = buffer->data - GSI_FRAME_HEADER_BYTES,
                                 .bytes = ref->bytes,
                                 .off = ref->off,
                                 .is_copy = !gsi_spill_directory_of(store, ref)->is_direct,
                                 .done = read_done};
    gsi_loop_submit(reader->loop, &buffer->io);
}

/* Whether the next frame may be read because the prediction says so. */
static bool is_allowed(const struct gsi_spill_reader *reader)
{
    bool is_starved = reader->is_starved && reader->reading.head == NULL;
    if (reader->buffers->count - reader->buffers->free_count >= reader->most_held && !is_starved)
        return false;
    return reader->shares == NULL || reader->extra_count < reader->spare_count ||
           reader->shares[reader->order[reader->next_frame].run_idx].held_count <
               GSI_PLAN_OWN_FRAMES;
}

/* The needed run's next frame becomes the next one of all. */
static void advance_needed(struct gsi_spill_reader *reader)
{
    struct gsi_ordered_frame *next = &reader->order[reader->next_frame], *at = next;
    while (at->run_idx != reader->needed_run)
        at++;
    struct gsi_ordered_frame needed = *at;
    memmove(next + 1, next, (size_t)(at - next) * sizeof *next);
    *next = needed;
    reader->needed_run = reader->run_count;
}

static bool start_reads(struct gsi_spill_reader *reader)
{
    bool has_moved = false;
    struct gsi_buffer *buffer;
    while (!reader->is_stopped && reader->next_frame < reader->frame_count) {
        bool is_needed = reader->shares != NULL && reader->needed_run < reader->run_count;
        if ((!is_needed && !is_allowed(reader)) ||
            (buffer = gsi_buffers_take(reader->buffers)) == NULL)
            break;
        if (is_needed)
            advance_needed(reader);
        reader->is_starved = false;
        start_read(reader, buffer);
        has_moved = true;
    }
    return has_moved;
}

void gsi_spill_reader_stop(struct gsi_spill_reader *reader)
{
    if (reader->loop == NULL)
        return;
    reader->is_stopped = true;
    gsi_disk_release_end(&reader->release);
}

/* The oldest frame, if it is there; NULL: not yet. */
static struct gsi_buffer *take_ready(struct gsi_spill_reader *reader)
{
    const struct gsi_buffer_list *reading = &reader->reading;
    bool is_ready = reading->head != NULL && state_of(reading->head)->is_open;
    return is_ready ? gsi_buffer_list_pop(&reader->reading) : NULL;
}

bool gsi_spill_reader_pump(struct gsi_spill_reader *reader)
{
    bool has_moved = start_reads(reader);
    struct gsi_buffer *buffer;
    while (reader->is_stopped && (buffer = take_ready(reader)) != NULL) {
        gsi_buffers_give(reader->buffers, buffer);
        has_moved = true;
    }
    while (!gsi_disk_release_is_full(&reader->release) && (buffer = take_ready(reader)) != NULL) {
        const struct gsi_ordered_frame *at = &reader->order[state_of(buffer)->order_idx];
        const struct gsi_spilled_run *run = reader->runs[at->run_idx];
        bool is_last = at->frame_idx + 1 == run->frame_count;
        if (reader->shares != NULL) {
            reader->shares[at->run_idx].coming_count--;
            state_of(buffer)->run_idx =
                at->run_idx; /* for when it is released: `order` is not ours then */
        }
        reader->loop->device->ops->merge_feed(reader->merge, reader->input_idx[at->run_idx], buffer,
                                              is_last ? NULL
                                                      : run->frames[at->frame_idx + 1].first_key);
        bool is_all = ++reader->fed_count == reader->frame_count;
        if (!reader->spill->keeps_frames) /* else they may be needed again */
            gsi_disk_release_add(&reader->release, is_all);
        has_moved = true;
    }
    return has_moved;
}

bool gsi_spill_reader_need(struct gsi_spill_reader *reader, uint32_t input_idx)
{
    if (reader->shares == NULL) {
        bool was_starved = reader->is_starved;
        reader->is_starved = reader->next_frame < reader->frame_count;
        return reader->is_starved && !was_starved && reader->most_held < UINT64_MAX;
    }
    for (uint32_t i = 0; i < reader->run_count; i++)
        if (reader->input_idx[i] == input_idx && reader->shares[i].coming_count == 0) {
            reader->needed_run = i;
            return true;
        }
    return false;
}

void gsi_spill_reader_released(struct gsi_spill_reader *reader, struct gsi_buffer *buffer)
{
    if (reader->shares != NULL)
        reader->extra_count -=
            reader->shares[state_of(buffer)->run_idx].held_count-- > GSI_PLAN_OWN_FRAMES;
}
