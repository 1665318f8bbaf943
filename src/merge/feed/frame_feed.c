/* frame_feed.c: reads frames from disk and feeds a merge with them. */
#include "merge/feed/frame_feed.h"

#include "base/assert.h"
#include "element/key_scope.h"
#include "element/record/record_tags.h"
#include "plan/plan.h"
#include "spill/spill.h"

#include <string.h>

/* One spilled run. */
struct frame_run {
    struct gsi_fed_run base;
    struct gsi_frame_feed *feed;
    const struct gsi_spilled_run *spilled; /* borrowed */
    uint64_t first_frame;                  /* index of the first frame that is fed */
    uint32_t skipped_keys; /* keys at the beginning of first_frame that are not fed */
    uint32_t heap_idx;
};

struct gsi_frame_feed {
    struct gsi_feed *shared;
    struct gsi_spill *spill;
    struct frame_run *runs;
    struct frame_run **heap; /* heap[0]: the run whose next frame is read next */
    uint32_t run_count;
    struct gsi_buffer_list
        reading;          /* frames that were read or are being read, in the order of reading */
    uint64_t unfed_count; /* frames that are not fed yet */
    struct gsi_disk_release release;
};

struct state {
    struct gsi_fed_run *run; /* first: gsi_fed_block */
    bool is_checked;
    const char *damage; /* what is wrong with the frame; NULL: nothing */
};

GSI_HOLDER_STATE(state_of, struct state)

static_assert(sizeof(struct gsi_frame_ref) + sizeof(struct gsi_frame_ref *) <=
                  GSI_PLAN_FRAME_TABLE_BYTES,
              "the plan reserves this much for a frame");

static struct frame_run *run_of(struct gsi_buffer *buffer)
{
    return GSI_CONTAINER_OF(state_of(buffer)->run, struct frame_run, base);
}

static const struct gsi_frame_ref *frame_of(struct gsi_buffer *buffer)
{
    return &run_of(buffer)->spilled->frames[buffer->turn_idx];
}

/* ---- the order of reading ---- */

gsi_u128 gsi_feed_number_of_key(const struct gsi_layout *layout, const void *key)
{
    gsi_u128 number = 0;
    memcpy(&number, key, layout->key_bytes);
    return number;
}

static gsi_u128 from_big_endian(const uint8_t bytes[16])
{
    gsi_u128 number = 0;
    for (int i = 0; i < 16; i++)
        number = number << 8 | bytes[i];
    return number;
}

gsi_u128 gsi_feed_number_of_record(const struct gsi_layout *layout, const void *record)
{
    uint8_t key[16];
    gsi_record_key(layout->record, record, gsi_key_scope_shared(layout->scope), sizeof key, key);
    return from_big_endian(key);
}

/* Returns 16 bytes of a frame's first normalised key, from byte `at` <= ref->key_off on. `ref` has
 * 16 bytes of it from byte key_off on; all records share the bytes before key_off. */
static gsi_u128 first_key_bytes(const struct gsi_layout *layout, const struct gsi_frame_ref *ref,
                                uint32_t at)
{
    uint8_t key[16];
    uint32_t shared = ref->key_off - at < 16 ? ref->key_off - at : 16;
    gsi_record_key(layout->record, layout->scope->first, at, shared, key);
    memcpy(key + shared, ref->first_key, 16 - shared);
    return from_big_endian(key);
}

static int compare_first(const struct gsi_layout *layout, const struct gsi_frame_ref *x,
                         const struct gsi_frame_ref *y)
{
    if (layout->form == GSI_FORM_KEYS)
        return gsi_key_compare(layout, x->first_key, y->first_key);
    uint32_t at = x->key_off < y->key_off ? x->key_off : y->key_off;
    gsi_u128 a = first_key_bytes(layout, x, at), b = first_key_bytes(layout, y, at);
    return (a > b) - (a < b);
}

static const struct gsi_frame_ref *next_frame(const struct frame_run *run)
{
    return &run->spilled->frames[run->base.started_count];
}

/* Returns whether the merge knows no key of the run: it has records, and no frame was read. */
static bool is_first_key_unknown(const struct frame_run *run)
{
    return run->base.started_count == run->first_frame &&
           run->base.feed->loop->layout->form != GSI_FORM_KEYS;
}

static bool precedes(const struct frame_run *a, const struct frame_run *b)
{
    if (a->base.is_all_started || b->base.is_all_started)
        return !a->base.is_all_started;
    if (is_first_key_unknown(a) != is_first_key_unknown(b))
        return is_first_key_unknown(a);
    int by_key = compare_first(a->base.feed->loop->layout, next_frame(a), next_frame(b));
    return by_key != 0 ? by_key < 0 : a->base.input_idx < b->base.input_idx;
}

static void sift_down(struct gsi_frame_feed *feed, uint32_t node)
{
    struct frame_run *run = feed->heap[node];
    for (uint32_t child; (child = 2 * node + 1) < feed->run_count; node = child) {
        if (child + 1 < feed->run_count && precedes(feed->heap[child + 1], feed->heap[child]))
            child++;
        if (!precedes(feed->heap[child], run))
            break;
        feed->heap[node] = feed->heap[child];
        feed->heap[node]->heap_idx = node;
    }
    feed->heap[node] = run;
    run->heap_idx = node;
}

struct gsi_fed_run *gsi_frame_feed_next(const struct gsi_frame_feed *feed)
{
    struct frame_run *run = feed->heap[0];
    return !run->base.is_all_started && gsi_fed_run_may_use_buffer(&run->base) ? &run->base : NULL;
}

gsi_u128 gsi_frame_feed_forecast(const struct gsi_fed_run *base)
{
    const struct frame_run *run = GSI_CONTAINER_OF(base, struct frame_run, base);
    const struct gsi_layout *layout = base->feed->loop->layout;
    if (is_first_key_unknown(run))
        return 0;
    return layout->form != GSI_FORM_KEYS
               ? first_key_bytes(layout, next_frame(run), gsi_key_scope_shared(layout->scope))
               : gsi_feed_number_of_key(layout, next_frame(run)->first_key);
}

/* ---- reading ---- */

/* Makes the tags of the records in a frame; the merge compares tags. */
static void make_tags(struct gsi_buffer *buffer, uint32_t count)
{
    const struct frame_run *run = run_of(buffer);
    const struct gsi_loop *loop = run->base.feed->loop;
    uint32_t shift = gsi_plan_frame_shift(loop->plan);
    uint64_t index = run->base.first_index + (buffer->turn_idx << shift);
    gsi_layout_tags(loop->layout, buffer->data, count, gsi_key_scope_choice(loop->layout->scope),
                    index, buffer->tags);
}

static void open_frame(struct gsi_task *task, uint32_t worker_idx)
{
    struct gsi_buffer *buffer = gsi_buffer_of_task(task);
    const struct frame_run *run = run_of(buffer);
    const struct gsi_frame_feed *feed = run->feed;
    const struct gsi_loop *loop = feed->shared->loop;
    const struct gsi_frame_ref *ref = frame_of(buffer);
    const uint32_t off = buffer->turn_idx == run->first_frame ? run->skipped_keys : 0;
    buffer->packed.is_packed = loop->device->ops->takes_packed && buffer->tags == NULL && off == 0;
    size_t capacity = buffer->memory_bytes;
    if (buffer->tags != NULL)
        capacity = (size_t)((uint8_t *)buffer->tags - buffer->memory);
    enum gs_status status = gsi_frame_open(loop->layout, buffer->memory, capacity, ref,
                                           gsi_codec_coder(&feed->spill->codec, worker_idx),
                                           &buffer->packed, &state_of(buffer)->damage);
    if (status != GS_OK)
        return;
    buffer->bytes = (uint64_t)(ref->count - off) * loop->layout->key_bytes;
    if (off > 0)
        memmove(buffer->data, buffer->data + (size_t)off * loop->layout->key_bytes, buffer->bytes);
    if (buffer->tags != NULL)
        make_tags(buffer, ref->count - off);
}

static void open_frame_done(struct gsi_task *task)
{
    struct gsi_buffer *buffer = gsi_buffer_of_task(task);
    const struct gsi_frame_feed *feed = run_of(buffer)->feed;
    const struct gsi_frame_ref *ref = frame_of(buffer);
    state_of(buffer)->is_checked = true;
    if (state_of(buffer)->damage != NULL)
        gsi_fail(feed->shared->loop->error, GS_E_CORRUPT, 0,
                 "temporary file in '%s': %s, at byte %llu; check the disk and the memory",
                 gsi_spill_directory_path(&feed->spill->store, ref), state_of(buffer)->damage,
                 (unsigned long long)ref->off);
}

static void read_done(struct gsi_io *io)
{
    struct gsi_buffer *buffer = gsi_buffer_of_io(io);
    const struct gsi_frame_feed *feed = run_of(buffer)->feed;
    struct gsi_loop *loop = feed->shared->loop;
    const struct gsi_frame_ref *ref = frame_of(buffer);
    if (!gsi_spill_io_done(loop, feed->spill, io, ref))
        return;
    if (io->moved < io->bytes) {
        gsi_fail(loop->error, GS_E_CORRUPT, 0,
                 "temporary file in '%s': is truncated at byte %llu; check the disk",
                 gsi_spill_directory_path(&feed->spill->store, ref),
                 (unsigned long long)(io->off + io->moved));
        return;
    }
    gsi_loop_phase_counts(loop)->bytes_read += io->bytes;
    gsi_spill_drop_cache(io);
    buffer->task = (struct gsi_task){.run = open_frame, .done = open_frame_done, .is_urgent = true};
    gsi_pool_submit(loop->pool, &buffer->task);
}

static void start_frame(struct gsi_fed_run *base, struct gsi_buffer *buffer)
{
    struct frame_run *run = GSI_CONTAINER_OF(base, struct frame_run, base);
    struct gsi_frame_feed *feed = run->feed;
    const struct gsi_frame_ref *ref = frame_of(buffer);
    const struct gsi_spill_store *store = &feed->spill->store;
    run->base.is_all_started = run->base.started_count == run->spilled->frame_count;
    sift_down(feed, run->heap_idx);
    state_of(buffer)->is_checked = false;
    state_of(buffer)->damage = NULL;
    buffer->data = buffer->memory + GSI_FRAME_HEADER_BYTES;
    gsi_buffer_list_push(&feed->reading, buffer);
    buffer->io = (struct gsi_io){.op = GSI_IO_READ,
                                 .fd = store->files[ref->file_idx].fd,
                                 .data = buffer->memory,
                                 .bytes = ref->bytes,
                                 .off = ref->off,
                                 .is_copy = !gsi_spill_directory_of(store, ref)->is_direct,
                                 .done = read_done};
    gsi_loop_submit(feed->shared->loop, &buffer->io);
}

static bool can_start(const struct gsi_fed_run *run)
{
    return !run->is_all_started;
}

static const struct gsi_fed_run_ops frame_run_ops = {
    .can_start = can_start, .start_read = start_frame, .return_block = gsi_fed_run_release_buffer};

/* ---- feeding ---- */

/* Removes the first frame from the list `reading`, if it was read and checked; NULL: it was not. */
static struct gsi_buffer *pop_checked(struct gsi_frame_feed *feed)
{
    const struct gsi_buffer_list *reading = &feed->reading;
    bool is_ready = reading->head != NULL && state_of(reading->head)->is_checked;
    return is_ready ? gsi_buffer_list_pop(&feed->reading) : NULL;
}

static void feed_frame(struct gsi_frame_feed *feed, struct gsi_buffer *buffer)
{
    const struct frame_run *run = run_of(buffer);
    const struct gsi_frame_ref *ref = frame_of(buffer);
    bool is_last = buffer->turn_idx + 1 == run->spilled->frame_count;
    gsi_fed_run_feed_block(state_of(buffer)->run, buffer, is_last ? NULL : ref[1].first_key);
    feed->unfed_count--;
    if (!feed->spill->keeps_frames)
        gsi_disk_release_add(&feed->release, ref, feed->unfed_count == 0);
}

bool gsi_frame_feed_pump(struct gsi_frame_feed *feed)
{
    bool has_progress = false;
    struct gsi_buffer *buffer;
    while (feed->shared->is_stopped && (buffer = pop_checked(feed)) != NULL) {
        gsi_fed_run_block_absorbed(state_of(buffer)->run);
        gsi_fed_run_release_buffer(state_of(buffer)->run, buffer);
        has_progress = true;
    }
    while (!gsi_disk_release_is_full(&feed->release) && (buffer = pop_checked(feed)) != NULL) {
        feed_frame(feed, buffer);
        has_progress = true;
    }
    return has_progress;
}

void gsi_frame_feed_stop(struct gsi_frame_feed *feed)
{
    gsi_disk_release_flush(&feed->release);
}

bool gsi_frame_feed_is_idle(const struct gsi_frame_feed *feed)
{
    return feed == NULL || gsi_disk_release_is_idle(&feed->release);
}

/* ---- begin and end ---- */

void gsi_frame_feed_close(struct gsi_frame_feed *feed)
{
    if (feed == NULL)
        return;
    struct gsi_ledger *ledger = &feed->shared->loop->ledger;
    gsi_disk_release_close(&feed->release);
    GSI_FREE(ledger, feed->runs, feed->run_count);
    GSI_FREE(ledger, feed->heap, feed->run_count);
    GSI_FREE(ledger, feed, 1);
}

static void add_runs(struct gsi_frame_feed *feed, const struct gsi_feed_entries *table,
                     struct gsi_fed_run **runs)
{
    bool has_tags = feed->shared->loop->layout->form != GSI_FORM_KEYS;
    uint32_t added = 0;
    for (uint32_t i = 0; i < table->count; i++) {
        const struct gsi_run_entry *entry = &table->entries[i];
        if (!gsi_run_is_spilled(entry))
            continue;
        struct frame_run *run = &feed->runs[added];
        *run = (struct frame_run){.base = {.ops = &frame_run_ops,
                                           .feed = feed->shared,
                                           .input_idx = i,
                                           .is_all_started = entry->spilled.frame_count == 0,
                                           .first_index = has_tags ? table->first_indexes[i] : 0},
                                  .feed = feed,
                                  .spilled = &entry->spilled};
        run->first_frame = run->base.started_count = gsi_run_first_frame(entry, &run->skipped_keys);
        feed->unfed_count += entry->spilled.frame_count - run->first_frame;
        feed->heap[added++] = run;
        runs[i] = &run->base;
    }
}

enum gs_status gsi_frame_feed_open(struct gsi_frame_feed **out, struct gsi_feed *shared,
                                   struct gsi_spill *spill, const struct gsi_feed_entries *table,
                                   struct gsi_fed_run **runs)
{
    struct gsi_loop *loop = shared->loop;
    struct gsi_frame_feed *feed;
    GSI_TRY(GSI_NEW(&loop->ledger, *out, 1, loop->error));
    feed = *out;
    *feed = (struct gsi_frame_feed){.shared = shared, .spill = spill};
    gsi_buffer_list_init(&feed->reading);
    for (uint32_t i = 0; i < table->count; i++)
        feed->run_count += gsi_run_is_spilled(&table->entries[i]);
    GSI_TRY(GSI_NEW(&loop->ledger, feed->runs, feed->run_count, loop->error));
    GSI_TRY(GSI_NEW(&loop->ledger, feed->heap, feed->run_count, loop->error));
    add_runs(feed, table, runs);
    for (uint32_t node = feed->run_count; node-- > 0;)
        sift_down(feed, node);
    return gsi_disk_release_open(&feed->release, loop, &spill->store, spill->frame_bytes,
                                 spill->keeps_frames ? 0 : feed->unfed_count);
}
