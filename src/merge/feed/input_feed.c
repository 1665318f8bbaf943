/* input_feed.c: reads blocks of sorted inputs, filters and checks them, and feeds a merge with
 * them. */
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

/* Maximum number of files that are read at a time, if there are too many to be open at once. So
 * many reads in flight reach a disk's limit (input/source.c). Each file needs two descriptors. */
#define FILES_IN_READ_MAX GSI_CONSTANT(16u, 3u)

struct state {
    struct gsi_fed_run *run; /* first: gsi_fed_block */
    bool is_checked;
    struct gsi_filtered kept;
    uint64_t other_bytes; /* bytes of other files that a set operation read */
};

GSI_HOLDER_STATE(state_of, struct state)

/* One run that is an input. */
struct input_run {
    struct gsi_file_reader
        reader; /* first member: while a block is read, its holder is the reader */
    struct gsi_fed_run base;
    struct gsi_input_feed *feed;
    bool is_presorted;       /* a sort found this range in order when it read it first */
    bool has_first;          /* the run's first key is known before any read */
    uint64_t frame_count;    /* records: number of blocks that have indexes */
    uint64_t gathered_count; /* with a filter: gathered blocks so far */
    struct gsi_reorder filtered;
    struct gsi_buffer *gathering; /* the block that gathers kept elements; NULL: there is none */
    uint64_t element_count;       /* elements that were fed */
    struct gsi_reorder checked;   /* checked blocks whose predecessors are not checked yet */
    uint8_t last_key[16];         /* the last key that was fed */
    const uint8_t *last_record;   /* the last record that was fed, in a buffer of the merge */
    gsi_u128 last_number, span;   /* of the last fed block: its last key; last minus first key */
};

struct gsi_input_feed {
    struct gsi_feed *shared;
    struct gsi_inputs *inputs;
    struct input_run *runs; /* table */
    uint32_t run_count;
    uint32_t runs_with_key; /* runs of which a key is known; forecasts need a key of all runs */
    uint32_t files_in_read; /* files that are being read, without streams */
};

/* Two entries per run are counted, because the list of runs doubles when it grows. */
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
    return gsi_plan_frame_shift(run->base.feed->loop->plan);
}

uint64_t gsi_input_feed_max_blocks(const struct gsi_plan *plan, const struct gsi_extent *extent)
{
    return extent->input->is_stream
               ? plan->stream_frames
               : gsi_ceil_div_u64(extent->bytes, gsi_plan_frame_capacity(plan, plan->frame_bytes));
}

/* ---- order ---- */

/* Returns the index in the run of the first element of the block that is less than its predecessor;
 * UINT64_MAX: there is none. */
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

/* Returns whether a record begins with the leading key bytes that the first and last records of all
 * files share (sorted_inputs.h). In a sorted file all records do. A record that does not sorts
 * after the last record of its file. */
static bool shares_prefix(const struct gsi_layout *layout, const uint8_t *element)
{
    uint32_t shared = gsi_key_scope_shared(layout->scope);
    return gsi_record_shared(layout->record, layout->scope->first, element, 0, shared) == shared;
}

/* Returns whether the feed must filter the input. The temporary output of one pass was filtered
 * before. */
static bool is_filtered(const struct gsi_file_reader *reader)
{
    return gsi_inputs_are_filtered(reader->inputs) && !reader->input->is_temporary;
}

/* Fails if a block is not sorted, or not sorted with its predecessor. Returns whether it is. */
static bool check_block_order(const struct input_run *run, const struct gsi_buffer *block)
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
             !shares_prefix(layout, block->data + block->bytes - layout->element_bytes))
        gsi_fail(loop->error, GS_E_INPUT, 0,
                 "'%s': is not sorted: its last element is less than element %llu%s; sort the "
                 "file, or leave --merge out",
                 name, (unsigned long long)(passed + last), of);
    return !gsi_loop_has_failed(loop);
}

/* ---- feeding ---- */

/* Stores the last key of a block, with which the next block is compared, and the numbers for
 * forecasts. */
static void store_last_key(struct input_run *run, const struct gsi_buffer *block)
{
    const struct gsi_layout *layout = run->reader.inputs->loop->layout;
    const struct gsi_digest *digest = &block->digest;
    uint64_t n = block->bytes / layout->element_bytes;
    gsi_u128 first;
    if (block->tags != NULL) {
        run->last_record = block->data + block->bytes - layout->element_bytes;
        first = gsi_feed_number_of_record(layout, block->data);
        run->last_number = gsi_feed_number_of_record(layout, run->last_record);
    } else {
        first = gsi_feed_number_of_key(layout, digest->first_key);
        run->last_number = gsi_feed_number_of_key(layout, digest->last_key);
        memcpy(run->last_key, digest->last_key, sizeof run->last_key);
    }
    run->span = run->last_number - first;
    run->element_count += n;
}

/* Feeds the next block, if it is in order. An empty block is the end of a stream. */
static void feed_block(struct input_run *run, struct gsi_buffer *block)
{
    if (block->bytes > 0) {
        if (!check_block_order(run, block))
            return;
        store_last_key(run, block);
    }
    bool is_last = run->base.is_all_started && run->base.pending_count == 1;
    run->feed->runs_with_key += run->base.fed_count == 0 && !run->has_first;
    gsi_fed_run_feed_block(&run->base, block, is_last ? NULL : run->last_key);
}

/* Accepts a block that was checked, and feeds all blocks whose predecessors were checked, too.
 * Threads may check blocks out of order. */
static void feed_in_order(struct input_run *run, struct gsi_buffer *block)
{
    state_of(block)->is_checked = true;
    gsi_reorder_add(&run->checked, block);
    while (!gsi_loop_has_failed(run->reader.inputs->loop) &&
           (block = gsi_reorder_pop(&run->checked)) != NULL)
        feed_block(run, block);
}

/* Releases the disk of a block of a temporary file. Only whole disk blocks can be released. A disk
 * block that two blocks share is released with the later one, as the device returns blocks in
 * order. */
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
    gsi_fed_run_release_buffer(&run->base, block);
}

static void return_block(struct gsi_fed_run *base, struct gsi_buffer *block)
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
                    gsi_key_scope_choice(layout->scope),
                    run->base.first_index + (block->turn_idx << index_shift(run)), block->tags);
}

static void tags_done(struct gsi_task *task)
{
    struct gsi_buffer *block = gsi_buffer_of_task(task);
    const struct input_run *run = block->holder;
    struct gsi_device *device = run->reader.inputs->loop->device;
    device->ops->reduce(device, block, true);
}

/* Starts to check a block: the device computes its tally and order. For records, a thread makes
 * tags first. */
static void start_check(struct input_run *run, struct gsi_buffer *block)
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

/* A task: removes elements that do not pass the filter or the set operation from a block. */
static void filter_block(struct gsi_task *task, uint32_t worker_idx)
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

/* Ends the gathering block, which is full or the last one, and starts to check it. */
static void finish_gathering(struct input_run *run)
{
    struct gsi_buffer *block = run->gathering;
    run->gathering = NULL;
    gsi_fed_run_set_gathering(&run->base, false);
    block->turn_idx = run->gathered_count++;
    start_check(run, block);
}

static void start_gathering(struct input_run *run, struct gsi_buffer *block)
{
    run->gathering = block;
    gsi_fed_run_set_gathering(&run->base, true);
}

/* Moves the kept elements of a block to the gathering block. If not all fit, the block with the
 * others is the next gathering block. */
static void gather_block(struct input_run *run, struct gsi_buffer *block)
{
    const uint64_t full = run->reader.block_bytes;
    if (run->gathering == NULL) {
        start_gathering(run, block);
    } else {
        struct gsi_buffer *gathering = run->gathering;
        uint64_t moved = gsi_min_u64(block->bytes, full - gathering->bytes);
        memcpy(gathering->data + gathering->bytes, block->data, moved);
        gathering->bytes += moved;
        block->bytes -= moved;
        if (block->bytes == 0) {
            release_block(run, block);
            gsi_fed_run_block_absorbed(&run->base);
        } else {
            memmove(block->data, block->data + moved, block->bytes);
            finish_gathering(run);
            start_gathering(run, block);
        }
    }
    bool is_last = run->base.is_all_started && run->filtered.next == run->base.started_count;
    if (is_last || run->gathering->bytes == full)
        finish_gathering(run);
}

static void filter_done(struct gsi_task *task)
{
    struct gsi_buffer *block = gsi_buffer_of_task(task);
    struct input_run *run = block->holder;
    struct gsi_inputs *inputs = run->reader.inputs;
    gsi_filtered_add(&inputs->filtered, &state_of(block)->kept);
    gsi_loop_phase_counts(inputs->loop)->bytes_read += state_of(block)->other_bytes;
    if (inputs->sets != NULL && gsi_set_filter_check(inputs->sets, inputs->loop->error) != GS_OK)
        return;
    gsi_reorder_add(&run->filtered, block);
    while (!gsi_loop_has_failed(run->reader.inputs->loop) &&
           (block = gsi_reorder_pop(&run->filtered)) != NULL)
        gather_block(run, block);
}

static void block_read(struct gsi_file_reader *reader, struct gsi_buffer *block)
{
    struct input_run *run = GSI_CONTAINER_OF(reader, struct input_run, reader);
    run->feed->files_in_read -= !reader->input->is_stream && reader->reading_count == 0;
    run->base.is_all_started = reader->is_end;
    if (!is_filtered(reader)) {
        start_check(run, block);
        return;
    }
    state_of(block)->kept = (struct gsi_filtered){0};
    state_of(block)->other_bytes = 0;
    block->task = (struct gsi_task){.run = filter_block, .done = filter_done, .is_urgent = true};
    gsi_pool_submit(reader->inputs->loop->pool, &block->task);
}

static bool can_start(const struct gsi_fed_run *base)
{
    const struct input_run *run = run_of(base);
    const struct gsi_file_reader *reader = &run->reader;
    if (reader->is_end || (reader->input->is_stream && reader->reading_count > 0))
        return false;
    return reader->input->is_stream || reader->reading_count > 0 || !reader->inputs->are_many ||
           run->feed->files_in_read < FILES_IN_READ_MAX;
}

static void start_block(struct gsi_fed_run *base, struct gsi_buffer *block)
{
    struct input_run *run = run_of(base);
    state_of(block)->is_checked = false;
    run->feed->files_in_read += !run->reader.input->is_stream && run->reader.reading_count == 0;
    gsi_file_reader_start(&run->reader, block);
    base->is_all_started = run->reader.is_end;
}

static const struct gsi_fed_run_ops input_run_ops = {
    .can_start = can_start, .start_read = start_block, .return_block = return_block};

/* ---- the choice of the input that is read next ---- */

/* Returns the forecast last key of a run's pending blocks as a number. */
static gsi_u128 forecast_last_key(const struct input_run *run)
{
    gsi_u128 reach, number;
    if (__builtin_mul_overflow(run->span, (gsi_u128)run->base.pending_count, &reach) ||
        __builtin_add_overflow(run->last_number, reach, &number))
        return ~(gsi_u128)0;
    return number;
}

/* Returns how many of its reserved buffers a run uses. If the first key of a run is known and no
 * block was read, it returns all, so that other runs are read first. */
static uint64_t reserved_in_use(const struct input_run *run)
{
    bool can_wait = run->has_first && run->base.started_count == 0;
    uint64_t most = run->feed->shared->reserved_per_run;
    return can_wait ? most : gsi_min_u64(run->base.buffer_count, most);
}

/* Runs that use the fewest of their reserved buffers are read first; of these, the run with the
 * lowest forecast. */
static bool precedes(const struct input_run *a, const struct input_run *b)
{
    uint64_t a_own = reserved_in_use(a), b_own = reserved_in_use(b);
    return a_own != b_own ? a_own < b_own : forecast_last_key(a) < forecast_last_key(b);
}

gsi_u128 gsi_input_feed_forecast(const struct gsi_fed_run *run)
{
    return reserved_in_use(run_of(run)) < run->feed->reserved_per_run
               ? 0
               : forecast_last_key(run_of(run));
}

/* A run may use buffers that are not reserved only if it has a forecast, and a key of every run is
 * known. If the merge has only one run, it may use all buffers; with a filter, many blocks may be
 * read before the first one is fed. */
struct gsi_fed_run *gsi_input_feed_next(const struct gsi_input_feed *feed)
{
    struct input_run *best = NULL;
    bool is_only_run = feed->shared->run_count == 1;
    for (uint32_t i = 0; i < feed->run_count; i++) {
        struct input_run *run = &feed->runs[i];
        bool has_forecast = run->base.fed_count > 0 && feed->runs_with_key == feed->run_count;
        if (gsi_fed_run_may_use_buffer(&run->base) &&
            (is_only_run || has_forecast || !gsi_fed_run_has_all_reserved(&run->base)) &&
            can_start(&run->base) && (best == NULL || precedes(run, best)))
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
    run->frame_count = gsi_input_feed_max_blocks(inputs->loop->plan, &entry->extent);
    run->is_presorted = entry->is_presorted;
    run->has_first = entry->has_first;
    if (run->has_first)
        run->last_number = gsi_feed_number_of_key(inputs->loop->layout, entry->first_key);
    feed->runs_with_key += run->has_first;
    gsi_file_reader_init(&run->reader, inputs, &entry->extent, block_read);
    run->base.is_all_started = run->reader.is_end;
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
