/* set_filter.c: compares a block of a merged file with the ranges of other files that have the same
 * keys. Equal keys are counted group by group; a group is all elements with one key. */
#include "merge/set_filter.h"

#include "base/assert.h"
#include "base/checked.h"
#include "base/list.h"
#include "element/compare.h"
#include "element/filter/filter.h"
#include "element/tally/digest.h"
#include "element/tally/tally_block.h"
#include "loop/loop.h"

#include <string.h>

/* Buffers of all threads and files together use a 32nd of memory. */
#define BUFFERS_PART  32
#define BUFFERS_LEAST GSI_CONSTANT((uint64_t)4 << 10, (uint64_t)64)
#define BUFFERS_MOST  GSI_CONSTANT((uint64_t)256 << 10, (uint64_t)256)

#define LINE 64 /* bytes of a cache line */

/* A thread's state while it filters a block. */
struct gsi_set_work {
    _Alignas(LINE) struct gsi_set_ranges ranges;
    uint8_t *memory;                       /* an element of the group; then for the ranges */
    uint64_t keys[2 * GSI_BLOCK_ELEMENTS]; /* sort keys of the block's next numbers */
    gsi_u128 key;                          /* of the group; numbers only */
    uint64_t group_idx;                    /* index in the group of the next element */
    uint64_t keep_from, keep_to;           /* indexes in the group of elements that stay */
    /* Elements that stay are moved from `from` to `to`, decision_capacity elements at a time. */
    uint8_t *from, *to;
    uint8_t decisions[GSI_BLOCK_ELEMENTS];
    size_t decision_count, decision_capacity; /* one decision per element */
    struct gsi_filtered *filtered;
};

static uint32_t element_bytes(const struct gsi_set_filter *sets)
{
    return sets->files.inputs->layout->element_bytes;
}

static const struct gsi_layout *layout_of(const struct gsi_set_work *work)
{
    return work->ranges.files->inputs->layout;
}

/* ---- begin and end ---- */

enum gs_status gsi_set_filter_copy_streams(struct gsi_set_filter *sets, struct gsi_inputs *inputs,
                                           const char *output, const char *temp_dir)
{
    struct gs_error *error = inputs->loop->error;
    if (inputs->count > GSI_SET_FILES_MAX)
        return gsi_fail(error, GS_E_USAGE, 0, "--merge=SET: takes at most %u files, not %zu",
                        GSI_SET_FILES_MAX, inputs->count);
    return gsi_set_streams_copy(inputs, output, temp_dir, sets->files.written);
}

void gsi_set_filter_attach(struct gsi_set_filter *sets, struct gsi_inputs *inputs,
                           enum gsi_set kind)
{
    sets->files.inputs = inputs;
    sets->files.kind = kind;
    pthread_mutex_init(&sets->lock, NULL);
    inputs->sets = sets;
    inputs->bytes -= gsi_set_filter_compared_bytes(sets);
}

uint64_t gsi_set_filter_compared_bytes(const struct gsi_set_filter *sets)
{
    uint64_t bytes = 0;
    const struct gsi_inputs *inputs = sets->files.inputs;
    if (inputs == NULL)
        return 0;
    for (size_t i = gsi_inputs_merged_count(inputs); i < inputs->count; i++)
        bytes += inputs->table[i].bytes;
    return bytes;
}

static uint64_t buffer_bytes(const struct gsi_set_filter *sets, uint64_t memory_bytes,
                             uint32_t thread_count)
{
    uint64_t bytes = memory_bytes / BUFFERS_PART / thread_count / sets->files.inputs->count;
    bytes = gsi_clamp_u64(bytes, BUFFERS_LEAST, BUFFERS_MOST);
    return gsi_max_u64(bytes, element_bytes(sets)) / element_bytes(sets) * element_bytes(sets);
}

/* Lays out the memory of all threads. Each thread has its state, an element and its ranges. */
static void lay_out(struct gsi_set_filter *sets, uint64_t memory_bytes, uint32_t thread_count,
                    struct gsi_bump *bump)
{
    const uint64_t element = element_bytes(sets);
    sets->files.buffer_bytes = buffer_bytes(sets, memory_bytes, thread_count);
    const uint64_t ranges = gsi_set_ranges_bytes(&sets->files);
    GSI_BUMP_ALLOC(bump, sets->works, thread_count);
    for (uint32_t i = 0; i < thread_count; i++) {
        uint8_t *memory = gsi_bump_alloc_rounded(bump, element + ranges, LINE);
        if (sets->works != NULL)
            sets->works[i].memory = memory;
    }
}

struct gsi_bump gsi_set_filter_plan(const struct gsi_set_filter *sets, uint64_t memory_bytes,
                                    uint32_t thread_count)
{
    struct gsi_bump bump = {0};
    if (sets == NULL)
        return bump;
    struct gsi_set_filter planned = {.files.inputs = sets->files.inputs};
    lay_out(&planned, memory_bytes, thread_count, &bump);
    return bump;
}

void gsi_set_filter_close(struct gsi_set_filter *sets)
{
    if (sets->files.inputs == NULL)
        return;
    gsi_bump_close(&sets->bump, &sets->files.inputs->loop->ledger, GSI_MEMORY_TABLES);
    pthread_mutex_destroy(&sets->lock);
    *sets = (struct gsi_set_filter){0};
}

/* ---- copies of streams ---- */

/* Returns how often file `i` is read: once if it is merged, and once for each merged file that is
 * compared with it. If the first file is empty, check_other_files reads the others. */
static uint64_t count_passes(const struct gsi_set_filter *sets, size_t i)
{
    const struct gsi_inputs *inputs = sets->files.inputs;
    uint64_t passes = 0;
    for (size_t merged = 0; merged < gsi_inputs_merged_count(inputs); merged++)
        if (inputs->table[merged].bytes > 0 || inputs->spec->merges_first)
            passes += merged == i || gsi_set_is_compared(&sets->files, merged, i);
    return passes;
}

enum gs_status gsi_set_filter_verify(const struct gsi_set_filter *sets)
{
    if (sets == NULL)
        return GS_OK;
    for (size_t i = 0; i < sets->files.inputs->count; i++) {
        const struct gsi_input *file = &sets->files.inputs->table[i];
        const uint64_t passes = count_passes(sets, i);
        if (gsi_set_is_copy(&sets->files, file) &&
            (sets->read[i].bytes != passes * sets->files.written[i].bytes ||
             sets->read[i].sum != passes * sets->files.written[i].sum))
            return gsi_fail(sets->files.inputs->loop->error, GS_E_CORRUPT, 0,
                            "'%s': the temporary copy of this stream was not read as it was "
                            "written; check the disk and the memory",
                            file->name);
    }
    return GS_OK;
}

/* ---- a block ---- */

/* Compares row i with the group's key. Here and below `bytes` is a constant: the bytes of a key; 0:
 * rows are records. */
GSI_INLINE int compare_row(const struct gsi_set_work *work, const void *rows, size_t i,
                           uint32_t bytes)
{
    if (bytes == 0) {
        const size_t element = layout_of(work)->element_bytes;
        return gsi_compare(layout_of(work), (const uint8_t *)rows + i * element, work->memory);
    }
    gsi_u128 key = bytes == 16 ? gsi_block_load_u128(rows, i) : gsi_block_load(rows, i, bytes);
    return (key > work->key) - (key < work->key);
}

/* Counts elements of another file with the group's key, and moves the cursor after them. */
GSI_INLINE enum gs_status count_equal(struct gsi_set_work *work, struct gsi_set_cursor *cursor,
                                      uint32_t bytes)
{
    cursor->equal_count = 0;
    for (;;) {
        int order = -1;
        for (; cursor->row < cursor->buffer_count; cursor->row++) {
            order = compare_row(work, cursor->buffer, cursor->row, bytes);
            if (order > 0)
                return GS_OK;
            cursor->equal_count += order == 0;
        }
        if (cursor->buffer_first + cursor->buffer_count == cursor->count)
            return GS_OK;
        GSI_TRY(gsi_set_ranges_load(&work->ranges, cursor));
    }
}

/* Decides which elements of a group stay: those with index keep_from to keep_to - 1 in the group,
 * counted within their file. */
static void decide_group(struct gsi_set_work *work)
{
    uint64_t all = 0, most = 0, fewest = UINT64_MAX;
    for (size_t i = 0; i < work->ranges.count; i++) {
        uint64_t equal = work->ranges.cursors[i].equal_count;
        all += equal;
        most = gsi_max_u64(most, equal);
        fewest = gsi_min_u64(fewest, equal);
    }
    work->keep_from = 0;
    work->keep_to = UINT64_MAX;
    switch (work->ranges.files->kind) {
    case GSI_SET_UNION:
        work->keep_from = most;
        break;
    case GSI_SET_INTERSECT:
        work->keep_to = fewest;
        break;
    case GSI_SET_EXCEPT:
        work->keep_from = all;
        break;
    case GSI_SET_SEMI:
        work->keep_to = all > 0 ? UINT64_MAX : 0;
        break;
    default:
        work->keep_to = all > 0 ? 0 : UINT64_MAX;
    }
}

static void move_kept_elements(struct gsi_set_work *work)
{
    const struct gsi_layout *layout = layout_of(work);
    size_t bytes = layout->element_bytes;
    size_t kept = gsi_filter_move(layout, work->to, work->from, work->decision_count,
                                  work->decisions, work->filtered);
    work->from += work->decision_count * bytes;
    work->to += kept * bytes;
    work->decision_count = 0;
}

/* Appends the same decision for `n` elements. */
static void append_decisions(struct gsi_set_work *work, bool is_kept, size_t n)
{
    for (size_t step; n > 0; n -= step) {
        step = gsi_min_u64(n, work->decision_capacity - work->decision_count);
        memset(work->decisions + work->decision_count, is_kept, step);
        work->decision_count += step;
        if (work->decision_count == work->decision_capacity)
            move_kept_elements(work);
    }
}

/* Begins the group of row i: counts its key in other files, and decides which elements stay. */
GSI_INLINE enum gs_status begin_group(struct gsi_set_work *work, const uint8_t *rows, size_t i,
                                      uint32_t bytes)
{
    const size_t element = layout_of(work)->element_bytes;
    if (bytes == 0) /* copied, because kept elements may overwrite the row */
        memcpy(work->memory, rows + i * element, element);
    else
        work->key = bytes == 16 ? gsi_block_load_u128(rows, i) : gsi_block_load(rows, i, bytes);
    for (size_t k = 0; k < work->ranges.count; k++)
        GSI_TRY(count_equal(work, &work->ranges.cursors[k], bytes));
    decide_group(work);
    return GS_OK;
}

/* Skips rows from i on that are groups of one element, without an equal one in the only other file.
 * The next row is compared with the other file's next one without a branch that depends on which is
 * less. Returns the index after the skipped rows. */
GSI_INLINE size_t skip_unequal(struct gsi_set_work *work, const uint8_t *rows, size_t i, size_t n,
                               uint32_t bytes)
{
    struct gsi_set_cursor *other = &work->ranges.cursors[0];
    const size_t begin = i, other_end = other->buffer_count;
    size_t other_row = other->row;
    uint64_t before = (uint64_t)work->key;
    while (i < n && other_row < other_end) {
        const uint64_t key = gsi_block_load(rows, i, bytes);
        const uint64_t other_key = gsi_block_load(other->buffer, other_row, bytes);
        if (key == other_key || key <= before)
            break;
        const bool is_less = other_key < key;
        other_row += is_less;
        i += !is_less;
        before = is_less ? before : key;
    }
    other->row = other_row;
    if (i == begin)
        return i;
    work->key = before;
    work->group_idx = 1;
    other->equal_count = 0;
    decide_group(work);
    append_decisions(work, work->keep_from == 0 && work->keep_to > 0, i - begin);
    return i;
}

/* Filters n rows of the block; row 0 is element `first` of the file. */
GSI_INLINE enum gs_status filter_rows(struct gsi_set_work *work, const uint8_t *rows,
                                      uint64_t first, size_t n, bool is_block_start, uint32_t bytes)
{
    const bool may_skip = work->ranges.count == 1 && (bytes == 4 || bytes == 8);
    for (size_t i = 0; i < n; i++) {
        bool is_first = is_block_start && i == 0;
        if (may_skip && !is_first && (i = skip_unequal(work, rows, i, n, bytes)) == n)
            break;
        int order = is_first ? 0 : compare_row(work, rows, i, bytes);
        if (order < 0)
            return gsi_set_ranges_fail_order(&work->ranges, work->ranges.file, first + i);
        if (order > 0)
            work->group_idx = 0;
        if (order > 0 || is_first)
            GSI_TRY(begin_group(work, rows, i, bytes));
        append_decisions(work,
                         work->group_idx >= work->keep_from && work->group_idx < work->keep_to, 1);
        work->group_idx++;
    }
    return GS_OK;
}

static enum gs_status filter_elements(struct gsi_set_work *work, const uint8_t *elements,
                                      uint64_t first, size_t n, bool is_block_start)
{
    const struct gsi_layout *layout = layout_of(work);
    const uint8_t *keys = (const uint8_t *)work->keys;
    if (!gsi_layout_is_native(layout))
        return filter_rows(work, elements, first, n, is_block_start, 0);
    gsi_elements_to_keys(layout, elements, n, work->keys);
    return GSI_BY_WIDTH(layout->key_bytes, filter_rows(work, keys, first, n, is_block_start, 4),
                        filter_rows(work, keys, first, n, is_block_start, 8),
                        filter_rows(work, keys, first, n, is_block_start, 16));
}

static enum gs_status filter_block(struct gsi_set_work *work, uint64_t first,
                                   const uint8_t *elements, size_t n)
{
    GSI_TRY(gsi_set_ranges_seek(&work->ranges, first, elements, n, &work->group_idx));
    for (size_t done = 0, step; done < n; done += step) {
        step = gsi_block_elements(n - done);
        GSI_TRY(filter_elements(work, elements + done * layout_of(work)->element_bytes,
                                first + done, step, done == 0));
    }
    move_kept_elements(work);
    return gsi_set_ranges_read_rest(&work->ranges);
}

static struct gsi_set_work *begin_work(struct gsi_set_filter *sets, uint32_t worker_idx,
                                       const struct gsi_input *file, struct gs_error *error)
{
    struct gsi_set_work *work = &sets->works[worker_idx];
    *work = (struct gsi_set_work){.memory = work->memory};
    work->decision_capacity = gsi_filter_block(sets->files.inputs->layout);
    gsi_set_ranges_begin(&work->ranges, &sets->files, file, work->memory + element_bytes(sets),
                         error);
    return work;
}

/* Adds the digests of what a task read, and stores its failure if no other failed before. */
static void end_work(struct gsi_set_filter *sets, const struct gsi_set_work *work)
{
    pthread_mutex_lock(&sets->lock);
    for (size_t i = 0; i < sets->files.inputs->count; i++) {
        sets->read[i].sum += work->ranges.read[i].sum;
        sets->read[i].bytes += work->ranges.read[i].bytes;
    }
    if (sets->error.status == GS_OK) {
        sets->error = *work->ranges.error;
        sets->unsorted_file = work->ranges.unsorted_file;
    }
    pthread_mutex_unlock(&sets->lock);
}

size_t gsi_set_filter_apply(struct gsi_set_filter *sets, uint32_t worker_idx,
                            const struct gsi_input *input, uint64_t first, uint8_t *elements,
                            size_t n, struct gsi_filtered *filtered, uint64_t *read_bytes)
{
    struct gs_error error = {0};
    struct gsi_set_work *work = begin_work(sets, worker_idx, input, &error);
    *read_bytes = 0;
    if (n == 0)
        return 0;
    work->from = work->to = elements;
    work->filtered = filtered;
    enum gs_status status = filter_block(work, first, elements, n);
    end_work(sets, work);
    if (status != GS_OK)
        return 0;
    *read_bytes = work->ranges.read_bytes;
    return (size_t)(work->to - elements) / element_bytes(sets);
}

enum gs_status gsi_set_filter_check(struct gsi_set_filter *sets, struct gs_error *error)
{
    pthread_mutex_lock(&sets->lock);
    if (sets->error.status != GS_OK && error->status == GS_OK)
        *error = sets->error;
    pthread_mutex_unlock(&sets->lock);
    return error->status;
}

/* ---- an empty first file ---- */

/* A task: reads the other files and checks their order. */
static void read_other_files(struct gsi_task *task, uint32_t worker_idx)
{
    struct gsi_set_filter *sets = GSI_CONTAINER_OF(task, struct gsi_set_filter, task);
    struct gs_error error = {0};
    struct gsi_set_work *work = begin_work(sets, worker_idx, sets->files.inputs->table, &error);
    (void)gsi_set_ranges_all(&work->ranges);
    end_work(sets, work);
    sets->others_bytes = work->ranges.read_bytes;
}

static void other_files_done(struct gsi_task *task)
{
    GSI_CONTAINER_OF(task, struct gsi_set_filter, task)->are_others_read = true;
}

static enum gs_status check_other_files(struct gsi_set_filter *sets)
{
    struct gsi_loop *loop = sets->files.inputs->loop;
    sets->task = (struct gsi_task){.run = read_other_files, .done = other_files_done};
    gsi_pool_submit(loop->pool, &sets->task);
    enum gs_status status = gsi_loop_wait_until(loop, &sets->are_others_read);
    if (status != GS_OK)
        gsi_loop_drain(loop);
    gsi_loop_phase_counts(loop)->bytes_read += sets->others_bytes;
    return gsi_set_filter_check(sets, loop->error);
}

enum gs_status gsi_set_filter_open(struct gsi_set_filter *sets, uint64_t memory_bytes,
                                   uint32_t thread_count)
{
    struct gsi_loop *loop = sets->files.inputs->loop;
    sets->bump = sets->files.inputs->plan->sets;
    GSI_TRY(gsi_bump_open(&sets->bump, &loop->ledger, GSI_MEMORY_TABLES, loop->error));
    lay_out(sets, memory_bytes, thread_count, &sets->bump);
    bool is_first_empty =
        sets->files.inputs->spec->merges_first && sets->files.inputs->table[0].bytes == 0;
    return is_first_empty ? check_other_files(sets) : GS_OK;
}
