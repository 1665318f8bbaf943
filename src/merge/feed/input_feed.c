/* input_feed.c: brings blocks of sorted inputs into a merge. */
#include "merge/feed/input_feed.h"

#include "base/assert.h"
#include "base/checked.h"
#include "element/key_scope.h"
#include "element/record/record_tags.h"
#include "element/tally/digest.h"
#include "input/file_reader.h"
#include "loop/buffers.h"
#include "merge/feed/frame_feed.h"
#include "merge/set_filter.h"
#include "plan/plan.h"

#include <string.h>

/* Files that are read at a time, if there are too many to be open all at once. With so many
 * transfers a disk reaches its limit (input/source.c); each needs two descriptors. */
#define BUSY_FILES_MAX GSI_CONSTANT(16u, 3u)

struct state {
    struct gsi_fed_run *run; /* first: gsi_fed_block */
    bool is_checked;
    struct gsi_filtered kept;
    uint64_t other_bytes; /* that filtering read */
};

GSI_HOLDER_STATE(state_of, struct state)

/* One run that is an input. */
struct input_run {
    struct gsi_file_reader reader; /* first: while a block is read, its holder is the reader */
    struct gsi_fed_run base;
    struct gsi_input_feed *feed;
    bool is_presorted;    /* its order was found while it was read for the first time */
    bool has_first;       /* its first key was known from the start */
    uint64_t frame_count; /* records: blocks that there are indexes for */
    uint64_t made_count;  /* with a filter: blocks that were made of what is kept */
    struct gsi_reorder filtered;
    struct gsi_buffer *open;    /* what is kept so far; NULL: nothing */
    uint64_t element_count;     /* fed */
    struct gsi_reorder checked; /* blocks whose predecessors are not checked yet */
    uint8_t last_key[16];       /* of what was fed; */
    const uint8_t *last_record; /* in a buffer that the merge keeps until more is fed */
    gsi_u128 last_place, span;  /* of the block fed last: where it ends, and how far it reaches */
};

struct gsi_input_feed {
    struct gsi_feed *shared;
    struct gsi_inputs *inputs;
    struct input_run *runs; /* table */
    uint32_t run_count;
    uint32_t begun_count; /* runs of which a key is known; forecasts need that of all of them */
    uint32_t busy_count;  /* files, not streams, that are being read */
};

/* The list of runs doubles when it grows, so this counts two entries per run. */
static_assert(2 * sizeof(struct gsi_run_entry) + sizeof(struct input_run) +
                      sizeof(struct gsi_merge_input) + sizeof(uint64_t) + GSI_DEVICE_INPUT_BYTES <=
                  GSI_PLAN_RUN_TABLE_BYTES,
              "the plan reserves this much for a run");

static struct input_run *run_of(const struct gsi_fed_run *base)
{
    return GSI_CONTAINER_OF((struct gsi_fed_run *)base, struct input_run, base);
}

static uint32_t index_shift(const struct input_run *run)
{
    const struct gsi_plan *plan = run->base.feed->loop->plan;
    return gsi_record_room_shift(plan->record_bytes, plan->frame_bytes);
}

uint64_t gsi_input_feed_frames(const struct gsi_plan *plan, const struct gsi_extent *extent)
{
    return extent->input->is_stream
               ? plan->stream_frames
               : gsi_ceil_div_u64(extent->bytes, gsi_plan_frame_capacity(plan, plan->frame_bytes));
}

/* ---- order ---- */

/* The first element that is below the one before it; UINT64_MAX: there is none in this block. */
static uint64_t find_disorder(const struct input_run *run, const struct gsi_buffer *block)
{
    const struct gsi_layout *layout = run->reader.inputs->loop->layout;
    const struct gsi_digest *digest = &block->digest;
    bool has_last = run->element_count > 0;
    if (has_last &&
        gsi_digest_compare_ends(layout, run->last_key, run->last_record, digest, block->data) > 0)
        return run->element_count;
    return digest->disorder_idx == UINT64_MAX ? UINT64_MAX
                                              : run->element_count + digest->disorder_idx;
}

/* Tags are made from the bytes after those that the first and the last record of every file share.
 * All records between them share these bytes, too (sorted_inputs.h). So a record that does not
 * share them sorts after the last one of its file. */
static bool is_in_scope(const struct gsi_layout *layout, const uint8_t *element)
{
    uint32_t shared = gsi_key_scope_shared(layout->scope);
    return gsi_record_shared(layout->record, layout->scope->first, element, 0, shared) == shared;
}

/* Returns whether elements are left out. The output of one pass was filtered before. */
static bool is_filtered(const struct gsi_file_reader *reader)
{
    return gsi_inputs_filter(reader->inputs) && !reader->input->is_temporary;
}

static bool check_block(const struct input_run *run, const struct gsi_buffer *block)
{
    struct gsi_loop *loop = run->reader.inputs->loop;
    const struct gsi_layout *layout = loop->layout;
    const char *name = run->reader.input->name;
    uint64_t disorder = find_disorder(run, block);
    uint64_t last = run->element_count + block->bytes / layout->element_bytes - 1;
    bool has_filter = is_filtered(&run->reader);
    const char *of = has_filter ? " of the kept ones" : "";
    uint64_t passed_bytes = run->reader.input->passed_bytes + run->reader.off;
    uint64_t passed = has_filter ? 0 : passed_bytes / layout->element_bytes;
    if (disorder != UINT64_MAX && run->reader.input->is_temporary)
        gsi_fail(loop->error, GS_E_CORRUPT, 0,
                 "'%s': its elements are no longer sorted when they are read again; check the disk "
                 "and the memory",
                 name);
    else if (disorder != UINT64_MAX && run->is_presorted)
        gsi_fail(loop->error, GS_E_INPUT, 0,
                 "'%s': changed while it was sorted: element %llu is now less than its "
                 "predecessor; do not change the inputs while they are sorted",
                 name, (unsigned long long)(passed + disorder));
    else if (disorder != UINT64_MAX)
        gsi_fail(loop->error, GS_E_INPUT, 0,
                 "'%s': is not sorted: element %llu%s is less than its predecessor; sort the file, "
                 "or leave --merge out",
                 name, (unsigned long long)(passed + disorder), of);
    else if (layout->scope != NULL &&
             !is_in_scope(layout, block->data + block->bytes - layout->element_bytes))
        gsi_fail(loop->error, GS_E_INPUT, 0,
                 "'%s': is not sorted: its last element is less than element %llu%s; sort the "
                 "file, or leave --merge out",
                 name, (unsigned long long)(passed + last), of);
    return !gsi_loop_has_failed(loop);
}

/* ---- feeding ---- */

/* Keeps what the next block is compared with, and what forecasts are made from. */
static void remember_block(struct input_run *run, const struct gsi_buffer *block)
{
    const struct gsi_layout *layout = run->reader.inputs->loop->layout;
    const struct gsi_digest *digest = &block->digest;
    uint64_t n = block->bytes / layout->element_bytes;
    gsi_u128 first;
    if (block->tags != NULL) {
        run->last_record = block->data + block->bytes - layout->element_bytes;
        first = gsi_feed_place_of_record(layout, block->data);
        run->last_place = gsi_feed_place_of_record(layout, run->last_record);
    } else {
        first = gsi_feed_place_of_key(layout, digest->first_key);
        run->last_place = gsi_feed_place_of_key(layout, digest->last_key);
        memcpy(run->last_key, digest->last_key, sizeof run->last_key);
    }
    run->span = run->last_place - first;
    run->element_count += n;
}

/* Feeds the next block, if it is in order. An empty one ends a stream. */
static void feed_block(struct input_run *run, struct gsi_buffer *block)
{
    if (block->bytes > 0) {
        if (!check_block(run, block))
            return;
        remember_block(run, block);
    }
    bool is_last = run->base.is_end && run->base.coming_count == 1;
    run->feed->begun_count += run->base.fed_count == 0 && !run->has_first;
    gsi_fed_run_feed(&run->base, block, is_last ? NULL : run->last_key);
}

/* A block is in memory, and known to be in order or not. Threads may be done with a later one
 * first. */
static void feed_in_order(struct input_run *run, struct gsi_buffer *block)
{
    state_of(block)->is_checked = true;
    gsi_reorder_add(&run->checked, block);
    while (!gsi_loop_has_failed(run->reader.inputs->loop) &&
           (block = gsi_reorder_pop(&run->checked)) != NULL)
        feed_block(run, block);
}

/* Pieces are returned in order. Only whole blocks are given back, so one that two blocks share goes
 * with the later one. */
static void release_disk(const struct gsi_file_reader *reader, const struct gsi_buffer *block)
{
    const struct gsi_input *input = reader->input;
    uint64_t begin = input->base_off + reader->off + block->turn_idx * reader->block_bytes;
    uint64_t end = gsi_round_down_u64(begin + block->bytes, GSI_DIRECT_ALIGN);
    begin = gsi_round_down_u64(begin, GSI_DIRECT_ALIGN);
    if (end > begin)
        gsi_file_release(input->fd, begin, end - begin);
}

static void release_block(struct input_run *run, struct gsi_buffer *block)
{
    if (run->reader.input->is_temporary)
        release_disk(&run->reader, block);
    gsi_fed_run_release(&run->base, block);
}

static void take_back(struct gsi_fed_run *base, struct gsi_buffer *block)
{
    struct input_run *run = run_of(base);
    if (state_of(block)->is_checked)
        release_block(run, block);
    else
        feed_in_order(run, block);
}

/* ---- reading ---- */

static void make_tags(struct gsi_task *task, uint32_t worker_idx)
{
    (void)worker_idx;
    struct gsi_buffer *block = gsi_buffer_of_task(task);
    const struct input_run *run = block->holder;
    const struct gsi_layout *layout = run->reader.inputs->loop->layout;
    gsi_layout_tags(layout, block->data, block->bytes / layout->element_bytes,
                    gsi_key_scope_shared(layout->scope),
                    run->base.first_index + (block->turn_idx << index_shift(run)), block->tags);
}

static void tags_done(struct gsi_task *task)
{
    struct gsi_buffer *block = gsi_buffer_of_task(task);
    const struct input_run *run = block->holder;
    struct gsi_device *device = run->reader.inputs->loop->device;
    device->ops->reduce(device, block, true);
}

/* Checks a block: its order and tally on the device, or for records on a thread, with their
 * tags. */
static void check(struct input_run *run, struct gsi_buffer *block)
{
    struct gsi_file_reader *reader = &run->reader;
    struct gsi_loop *loop = reader->inputs->loop;
    if (block->bytes == 0) {
        feed_in_order(run, block);
    } else if (block->tags == NULL) {
        loop->device->ops->reduce(loop->device, block, true);
    } else if (block->turn_idx == run->frame_count) {
        gsi_fail(loop->error, GS_E_MEMORY, 0,
                 "'%s': this stream of records is too long for --memory (%llu bytes can be "
                 "merged); raise --memory, or %s",
                 reader->input->name, (unsigned long long)(run->frame_count * reader->block_bytes),
                 reader->unpack != NULL ? "decompress it first" : "merge from a file");
    } else {
        block->task = (struct gsi_task){.run = make_tags, .done = tags_done};
        gsi_pool_submit(loop->pool, &block->task);
    }
}

/* ---- filtering ---- */

static void keep(struct gsi_task *task, uint32_t worker_idx)
{
    struct gsi_buffer *block = gsi_buffer_of_task(task);
    const struct input_run *run = block->holder;
    const struct gsi_inputs *inputs = run->reader.inputs;
    const uint32_t element = inputs->layout->element_bytes;
    struct gsi_filtered *kept = &state_of(block)->kept;
    size_t n = block->bytes / element;
    uint64_t first = block->turn_idx * (run->reader.block_bytes / element);
    if (inputs->filter != NULL)
        n = gsi_filter_apply(inputs->filter, block->data, n, NULL, kept);
    if (inputs->sets != NULL)
        n = gsi_set_filter_apply(inputs->sets, worker_idx, run->reader.input, first, block->data, n,
                                 kept, &state_of(block)->other_bytes);
    block->bytes = element * n;
}

/* Ends the open block, to which nothing more can be added. */
static void close_open(struct input_run *run)
{
    struct gsi_buffer *block = run->open;
    run->open = NULL;
    gsi_fed_run_set_open(&run->base, false);
    block->turn_idx = run->made_count++;
    check(run, block);
}

static void open_block(struct input_run *run, struct gsi_buffer *block)
{
    run->open = block;
    gsi_fed_run_set_open(&run->base, true);
}

/* Moves the kept elements of a block to the open one. If there is no room for all of them, the
 * block is the next open one. */
static void join_block(struct input_run *run, struct gsi_buffer *block)
{
    const uint64_t full = run->reader.block_bytes;
    if (run->open == NULL) {
        open_block(run, block);
    } else {
        struct gsi_buffer *open = run->open;
        uint64_t moved = gsi_min_u64(block->bytes, full - open->bytes);
        memcpy(open->data + open->bytes, block->data, moved);
        open->bytes += moved;
        block->bytes -= moved;
        if (block->bytes == 0) {
            release_block(run, block);
            gsi_fed_run_joined(&run->base);
        } else {
            memmove(block->data, block->data + moved, block->bytes);
            close_open(run);
            open_block(run, block);
        }
    }
    bool is_last = run->base.is_end && run->filtered.next == run->base.started_count;
    if (is_last || run->open->bytes == full)
        close_open(run);
}

static void keep_done(struct gsi_task *task)
{
    struct gsi_buffer *block = gsi_buffer_of_task(task);
    struct input_run *run = block->holder;
    struct gsi_inputs *inputs = run->reader.inputs;
    gsi_filtered_add(&inputs->filtered, &state_of(block)->kept);
    gsi_loop_now(inputs->loop)->bytes_read += state_of(block)->other_bytes;
    if (inputs->sets != NULL && gsi_set_filter_check(inputs->sets, inputs->loop->error) != GS_OK)
        return;
    gsi_reorder_add(&run->filtered, block);
    while (!gsi_loop_has_failed(run->reader.inputs->loop) &&
           (block = gsi_reorder_pop(&run->filtered)) != NULL)
        join_block(run, block);
}

static void block_read(struct gsi_file_reader *reader, struct gsi_buffer *block)
{
    struct input_run *run = GSI_CONTAINER_OF(reader, struct input_run, reader);
    run->feed->busy_count -= !reader->input->is_stream && reader->reading_count == 0;
    run->base.is_end = reader->is_end;
    if (!is_filtered(reader)) {
        check(run, block);
        return;
    }
    state_of(block)->kept = (struct gsi_filtered){0};
    state_of(block)->other_bytes = 0;
    block->task = (struct gsi_task){.run = keep, .done = keep_done, .is_urgent = true};
    gsi_pool_submit(reader->inputs->loop->pool, &block->task);
}

static bool can_start(const struct gsi_fed_run *base)
{
    const struct input_run *run = run_of(base);
    const struct gsi_file_reader *reader = &run->reader;
    if (reader->is_end || (reader->input->is_stream && reader->reading_count > 0))
        return false;
    return reader->input->is_stream || reader->reading_count > 0 || !reader->inputs->are_many ||
           run->feed->busy_count < BUSY_FILES_MAX;
}

static void start_block(struct gsi_fed_run *base, struct gsi_buffer *block)
{
    struct input_run *run = run_of(base);
    state_of(block)->is_checked = false;
    run->feed->busy_count += !run->reader.input->is_stream && run->reader.reading_count == 0;
    gsi_file_reader_start(&run->reader, block);
    base->is_end = run->reader.is_end;
}

static const struct gsi_fed_run_ops input_run_ops = {
    .can_start = can_start, .start = start_block, .take_back = take_back};

/* ---- which input ---- */

/* Returns where the blocks of a run that were started will end. */
static gsi_u128 forecast(const struct input_run *run)
{
    gsi_u128 reach, place;
    if (__builtin_mul_overflow(run->span, (gsi_u128)run->base.coming_count, &reach) ||
        __builtin_add_overflow(run->last_place, reach, &place))
        return ~(gsi_u128)0;
    return place;
}

/* How many of its reserved buffers a run holds. A run whose first key is known needs none before
 * the merge gets there. */
static uint64_t own_count(const struct input_run *run)
{
    bool can_wait = run->has_first && run->base.started_count == 0;
    uint64_t most = run->feed->shared->own_count;
    return can_wait ? most : gsi_min_u64(run->base.held_count, most);
}

/* Runs that hold fewer buffers than are reserved for them go first, the one with the fewest; then
 * the lowest forecast. */
static bool comes_before(const struct input_run *a, const struct input_run *b)
{
    uint64_t a_own = own_count(a), b_own = own_count(b);
    return a_own != b_own ? a_own < b_own : forecast(a) < forecast(b);
}

gsi_u128 gsi_input_feed_forecast(const struct gsi_fed_run *run)
{
    return own_count(run_of(run)) < run->feed->own_count ? 0 : forecast(run_of(run));
}

/* Spare buffers are for runs whose forecast is known, once the keys of all runs are. If there is
 * nothing but one input, any block of it is the next one; and with a filter it may take many of
 * them until the first is fed. */
struct gsi_fed_run *gsi_input_feed_next(const struct gsi_input_feed *feed)
{
    struct input_run *best = NULL;
    bool is_alone = feed->shared->run_count == 1;
    for (uint32_t i = 0; i < feed->run_count; i++) {
        struct input_run *run = &feed->runs[i];
        bool has_forecast = run->base.fed_count > 0 && feed->begun_count == feed->run_count;
        if (gsi_fed_run_may_start(&run->base) &&
            (is_alone || has_forecast || !gsi_fed_run_has_own(&run->base)) &&
            can_start(&run->base) && (best == NULL || comes_before(run, best)))
            best = run;
    }
    return best != NULL ? &best->base : NULL;
}

/* ---- begin and end ---- */

void gsi_input_feed_close(struct gsi_input_feed *feed)
{
    if (feed == NULL)
        return;
    struct gsi_ledger *ledger = &feed->shared->loop->ledger;
    for (uint32_t i = 0; feed->runs != NULL && i < feed->run_count; i++)
        gsi_frames_reader_close(feed->runs[i].reader.unpack);
    GSI_FREE(ledger, feed->runs, feed->run_count);
    GSI_FREE(ledger, feed, 1);
}

static enum gs_status open_run(struct gsi_input_feed *feed, struct input_run *run,
                               const struct gsi_run_entry *entry)
{
    enum gs_status status = GS_OK;
    struct gsi_inputs *inputs = feed->inputs;
    run->feed = feed;
    run->frame_count = gsi_input_feed_frames(inputs->loop->plan, &entry->extent);
    run->is_presorted = entry->is_presorted;
    run->has_first = entry->has_first;
    if (run->has_first)
        run->last_place = gsi_feed_place_of_key(inputs->loop->layout, entry->first_key);
    feed->begun_count += run->has_first;
    gsi_file_reader_init(&run->reader, inputs, &entry->extent, block_read);
    run->base.is_end = run->reader.is_end;
    if (entry->extent.input->coding != GSI_CODING_NONE)
        status = gsi_frames_reader_open(&run->reader.unpack, inputs->loop, &inputs->plan->unpack);
    return status;
}

enum gs_status gsi_input_feed_open(struct gsi_input_feed **out, struct gsi_feed *shared,
                                   struct gsi_inputs *inputs, const struct gsi_feed_entries *table,
                                   struct gsi_fed_run **runs)
{
    struct gsi_loop *loop = shared->loop;
    struct gsi_input_feed *feed;
    uint32_t added = 0;
    GSI_TRY(GSI_NEW(&loop->ledger, *out, 1, loop->error));
    feed = *out;
    *feed = (struct gsi_input_feed){.shared = shared, .inputs = inputs};
    for (uint32_t i = 0; i < table->count; i++)
        feed->run_count += table->entries[i].is_extent;
    GSI_TRY(GSI_NEW(&loop->ledger, feed->runs, feed->run_count, loop->error));
    for (uint32_t i = 0; i < table->count; i++) {
        if (!table->entries[i].is_extent)
            continue;
        struct input_run *run = &feed->runs[added++];
        run->base = (struct gsi_fed_run){.ops = &input_run_ops,
                                         .feed = shared,
                                         .input_idx = i,
                                         .first_index = table->first_indexes[i]};
        runs[i] = &run->base;
        GSI_TRY(open_run(feed, run, &table->entries[i]));
    }
    return GS_OK;
}

bool gsi_input_feed_is_idle(const struct gsi_input_feed *feed)
{
    for (uint32_t i = 0; feed != NULL && i < feed->run_count; i++)
        if (!gsi_frames_reader_is_idle(feed->runs[i].reader.unpack))
            return false;
    return true;
}
