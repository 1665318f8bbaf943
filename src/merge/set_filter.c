/* set_filter.c: compares a block of a merged file with the ranges of other files that have the same
 * keys. Equal keys are counted group by group; a group is all elements with one key. Rows are what
 * is compared: sort keys of numbers, or records. */
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

/* Scratch memory of a thread, in elements: two for searches, the first of the next block, and the
 * first of the group. */
#define SCRATCH_ELEMENTS 4

#define LINE 64 /* bytes of a cache line */

/* A thread's position in another file, and its buffer with a part of this file. */
struct cursor {
    const struct gsi_input *file;
    uint64_t count, end;                 /* elements of the file; end of the block's range */
    uint64_t buffer_first, buffer_count; /* elements in the buffer */
    uint8_t *buffer;                     /* rows; memory for one more is before it */
    size_t row;                          /* index in the buffer of the next row */
    uint64_t equal_count;                /* elements with the group's key */
};

/* A thread's state while it filters a block. */
struct gsi_set_work {
    _Alignas(LINE) struct gsi_set_filter *sets;
    struct gs_error *error;
    const struct gsi_input *file;             /* contains the block */
    struct cursor cursors[GSI_SET_FILES_MAX]; /* in the files that the block is compared with */
    size_t cursor_count;
    uint8_t *scratch;                      /* SCRATCH_ELEMENTS, then the buffers of cursors */
    uint64_t keys[2 * GSI_BLOCK_ELEMENTS]; /* sort keys of the block's next numbers */
    gsi_u128 key;                          /* of the group; numbers only */
    uint64_t group_idx;                    /* index in the group of the next element */
    uint64_t keep_from, keep_to;           /* indexes in the group of elements that stay */
    uint64_t read_bytes;
    size_t unsorted_file;                          /* number of the unsorted file, from 1 on */
    struct gsi_set_digest read[GSI_SET_FILES_MAX]; /* digests of what was read from copies */
    /* Elements that stay are moved from `from` to `to`, decision_capacity elements at a time. */
    uint8_t *from, *to;
    uint8_t decisions[GSI_BLOCK_ELEMENTS];
    size_t decision_count, decision_capacity; /* one decision per element */
    struct gsi_filtered *filtered;
};

static uint32_t element_bytes(const struct gsi_set_filter *sets)
{
    return sets->inputs->layout->element_bytes;
}

/* ---- begin and end ---- */

enum gs_status gsi_set_filter_copy_streams(struct gsi_set_filter *sets, struct gsi_inputs *inputs,
                                           const char *output, const char *temp_dir)
{
    struct gs_error *error = inputs->loop->error;
    if (inputs->count > GSI_SET_FILES_MAX)
        return gsi_fail(error, GS_E_USAGE, 0, "--merge=SET: takes at most %u files, not %zu",
                        GSI_SET_FILES_MAX, inputs->count);
    return gsi_set_streams_copy(inputs, output, temp_dir, sets->written);
}

void gsi_set_filter_attach(struct gsi_set_filter *sets, struct gsi_inputs *inputs,
                           enum gsi_set kind)
{
    sets->inputs = inputs;
    sets->kind = kind;
    pthread_mutex_init(&sets->lock, NULL);
    inputs->sets = sets;
    inputs->bytes -= gsi_set_filter_compared_bytes(sets);
}

uint64_t gsi_set_filter_compared_bytes(const struct gsi_set_filter *sets)
{
    uint64_t bytes = 0;
    const struct gsi_inputs *inputs = sets->inputs;
    if (inputs == NULL)
        return 0;
    for (size_t i = gsi_inputs_merged_count(inputs); i < inputs->count; i++)
        bytes += inputs->table[i].bytes;
    return bytes;
}

static uint64_t buffer_bytes(const struct gsi_set_filter *sets, uint64_t memory_bytes,
                             uint32_t thread_count)
{
    uint64_t bytes = memory_bytes / BUFFERS_PART / thread_count / sets->inputs->count;
    bytes = gsi_clamp_u64(bytes, BUFFERS_LEAST, BUFFERS_MOST);
    return gsi_max_u64(bytes, element_bytes(sets)) / element_bytes(sets) * element_bytes(sets);
}

/* Lays out the memory of all threads. Each thread has its state, scratch elements, and for each
 * file memory for one row and then a buffer. */
static void lay_out(struct gsi_set_filter *sets, uint64_t memory_bytes, uint32_t thread_count,
                    struct gsi_bump *bump)
{
    const uint64_t element = element_bytes(sets);
    sets->buffer_bytes = buffer_bytes(sets, memory_bytes, thread_count);
    const uint64_t buffers = sets->inputs->count * (element + sets->buffer_bytes);
    GSI_BUMP_ALLOC(bump, sets->works, thread_count);
    for (uint32_t i = 0; i < thread_count; i++) {
        uint8_t *elements =
            gsi_bump_alloc_rounded(bump, SCRATCH_ELEMENTS * element + buffers, LINE);
        if (sets->works != NULL)
            sets->works[i].scratch = elements;
    }
}

struct gsi_bump gsi_set_filter_plan(const struct gsi_set_filter *sets, uint64_t memory_bytes,
                                    uint32_t thread_count)
{
    struct gsi_bump bump = {0};
    if (sets == NULL)
        return bump;
    struct gsi_set_filter planned = {.inputs = sets->inputs};
    lay_out(&planned, memory_bytes, thread_count, &bump);
    return bump;
}

void gsi_set_filter_close(struct gsi_set_filter *sets)
{
    if (sets->inputs == NULL)
        return;
    gsi_bump_close(&sets->bump, &sets->inputs->loop->ledger, GSI_MEMORY_TABLES);
    pthread_mutex_destroy(&sets->lock);
    *sets = (struct gsi_set_filter){0};
}

/* ---- copies of streams ---- */

static size_t file_idx(const struct gsi_set_filter *sets, const struct gsi_input *file)
{
    return (size_t)(file - sets->inputs->table);
}

/* Returns whether a file is the copy of a stream, and contains all its bytes. */
static bool is_stream_copy(const struct gsi_set_filter *sets, const struct gsi_input *file)
{
    return file->bytes > 0 && file->bytes == sets->written[file_idx(sets, file)].bytes;
}

/* Adds elements that were read, from element `first` on, to the digest of the file, if it is a
 * copy. */
static void add_to_digest(struct gsi_set_work *work, const struct gsi_input *file, uint64_t first,
                          const uint8_t *elements, uint64_t n)
{
    const uint64_t bytes = element_bytes(work->sets);
    if (is_stream_copy(work->sets, file))
        gsi_set_digest_add(&work->read[file_idx(work->sets, file)], first * bytes, elements,
                           n * bytes);
}

static void join_digests(struct gsi_set_filter *sets, const struct gsi_set_work *work)
{
    pthread_mutex_lock(&sets->lock);
    for (size_t i = 0; i < sets->inputs->count; i++) {
        sets->read[i].sum += work->read[i].sum;
        sets->read[i].bytes += work->read[i].bytes;
    }
    pthread_mutex_unlock(&sets->lock);
}

/* Returns whether blocks of file `merged` are compared with file `i`. */
static bool is_compared(const struct gsi_set_filter *sets, size_t merged, size_t i)
{
    return i != merged && (sets->kind != GSI_SET_UNION || i < merged);
}

/* Returns how often file `i` is read: once if it is merged, and once for each merged file that is
 * compared with it. If the first file is empty, check_other_files reads the others. */
static uint64_t count_passes(const struct gsi_set_filter *sets, size_t i)
{
    const struct gsi_inputs *inputs = sets->inputs;
    uint64_t passes = 0;
    for (size_t merged = 0; merged < gsi_inputs_merged_count(inputs); merged++)
        if (inputs->table[merged].bytes > 0 || inputs->spec->merges_first)
            passes += merged == i || is_compared(sets, merged, i);
    return passes;
}

enum gs_status gsi_set_filter_verify(const struct gsi_set_filter *sets)
{
    if (sets == NULL)
        return GS_OK;
    for (size_t i = 0; i < sets->inputs->count; i++) {
        const struct gsi_input *file = &sets->inputs->table[i];
        const uint64_t passes = count_passes(sets, i);
        if (is_stream_copy(sets, file) && (sets->read[i].bytes != passes * sets->written[i].bytes ||
                                           sets->read[i].sum != passes * sets->written[i].sum))
            return gsi_fail(sets->inputs->loop->error, GS_E_CORRUPT, 0,
                            "'%s': the temporary copy of this stream was not read as it was "
                            "written; check the disk and the memory",
                            file->name);
    }
    return GS_OK;
}

/* ---- elements of files ---- */

static enum gs_status read_elements(struct gsi_set_work *work, const struct gsi_input *file,
                                    uint64_t idx, uint64_t count, uint8_t *to)
{
    uint64_t bytes = element_bytes(work->sets);
    work->read_bytes += count * bytes;
    return gsi_input_read(file, to, count * bytes, idx * bytes, work->error);
}

static int compare_elements(const struct gsi_set_work *work, const void *a, const void *b)
{
    return gsi_compare(work->sets->inputs->layout, a, b);
}

static enum gs_status fail_order(struct gsi_set_work *work, const struct gsi_input *file,
                                 uint64_t idx)
{
    work->unsorted_file = file_idx(work->sets, file) + 1;
    return gsi_fail(
        work->error, GS_E_INPUT, 0,
        "'%s': is not sorted: element %llu is less than its predecessor; sort the file first",
        file->name, (unsigned long long)idx);
}

/* Finds the first element of a file that is not less than `key`. */
static enum gs_status find_first_not_below(struct gsi_set_work *work, const struct gsi_input *file,
                                           const uint8_t *key, uint64_t *idx)
{
    uint8_t *probe = work->scratch;
    uint64_t low = 0, high = file->bytes / element_bytes(work->sets);
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        GSI_TRY(read_elements(work, file, middle, 1, probe));
        if (compare_elements(work, probe, key) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    *idx = low;
    return GS_OK;
}

/* Returns the index of the first row that is less than the row before it; n: there is none. */
static size_t find_descent(const struct gsi_layout *layout, const uint8_t *rows, size_t n)
{
    const uint32_t bytes = layout->element_bytes;
    if (gsi_layout_is_native(layout) && gsi_keys_drops(layout->key_bytes, rows, n) == 0)
        return n;
    for (size_t i = 1; i < n; i++) {
        const uint8_t *row = rows + i * bytes;
        int order = gsi_layout_is_native(layout) ? gsi_key_compare(layout, row - bytes, row)
                                                 : gsi_compare(layout, row - bytes, row);
        if (order > 0)
            return i;
    }
    return n;
}

/* Reads the next rows of another file into its buffer, and checks their order. The last row of the
 * previous buffer is kept before them. */
static enum gs_status load_buffer(struct gsi_set_work *work, struct cursor *cursor)
{
    const struct gsi_layout *layout = work->sets->inputs->layout;
    const uint32_t bytes = layout->element_bytes;
    const size_t before = cursor->buffer_count > 0; /* rows kept before the buffer */
    const uint64_t next = cursor->buffer_first + cursor->buffer_count;
    const uint64_t n = gsi_min_u64(work->sets->buffer_bytes / bytes, cursor->count - next);
    if (gsi_cancel_is_set(work->sets->inputs->loop->cancel))
        return gsi_fail(work->error, GS_E_CANCELED, 0, "canceled");
    if (before > 0)
        memcpy(cursor->buffer - bytes, cursor->buffer + (cursor->buffer_count - 1) * bytes, bytes);
    GSI_TRY(read_elements(work, cursor->file, next, n, cursor->buffer));
    if (next < cursor->end)
        add_to_digest(work, cursor->file, next, cursor->buffer, gsi_min_u64(n, cursor->end - next));
    if (gsi_layout_is_native(layout))
        gsi_elements_to_keys(layout, cursor->buffer, n, cursor->buffer);
    size_t drop = find_descent(layout, cursor->buffer - before * bytes, n + before);
    if (drop < n + before)
        return fail_order(work, cursor->file, next - before + drop);
    cursor->buffer_first = next;
    cursor->buffer_count = n;
    cursor->row = 0;
    return GS_OK;
}

/* ---- a block ---- */

/* Moves the cursor to the first element of its file that is not less than `key`, the first of the
 * block. Checks the order of this element and the one before it. */
static enum gs_status seek_cursor(struct gsi_set_work *work, struct cursor *cursor, uint64_t first,
                                  const uint8_t *key)
{
    uint8_t *two = work->scratch;
    uint64_t begin = 0;
    if (first > 0)
        GSI_TRY(find_first_not_below(work, cursor->file, key, &begin));
    cursor->buffer_first = begin;
    if (begin == 0 || begin == cursor->count)
        return GS_OK;
    GSI_TRY(read_elements(work, cursor->file, begin - 1, 2, two));
    return compare_elements(work, two + element_bytes(work->sets), two) < 0
               ? fail_order(work, cursor->file, begin)
               : GS_OK;
}

/* Compares row i with the group's key. Here and below `bytes` is a constant: the bytes of a key; 0:
 * rows are records. */
GSI_INLINE int compare_row(const struct gsi_set_work *work, const void *rows, size_t i,
                           uint32_t bytes)
{
    if (bytes == 0) {
        const size_t element = element_bytes(work->sets);
        return compare_elements(work, (const uint8_t *)rows + i * element,
                                work->scratch + 3 * element);
    }
    gsi_u128 key = bytes == 16 ? gsi_block_load_u128(rows, i) : gsi_block_load(rows, i, bytes);
    return (key > work->key) - (key < work->key);
}

/* Counts elements of another file with the group's key, and moves the cursor after them. */
GSI_INLINE enum gs_status count_equal(struct gsi_set_work *work, struct cursor *cursor,
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
        GSI_TRY(load_buffer(work, cursor));
    }
}

/* Decides which elements of a group stay: those with index keep_from to keep_to - 1 in the group,
 * counted within their file. */
static void decide_group(struct gsi_set_work *work)
{
    uint64_t all = 0, most = 0, fewest = UINT64_MAX;
    for (size_t i = 0; i < work->cursor_count; i++) {
        uint64_t equal = work->cursors[i].equal_count;
        all += equal;
        most = gsi_max_u64(most, equal);
        fewest = gsi_min_u64(fewest, equal);
    }
    work->keep_from = 0;
    work->keep_to = UINT64_MAX;
    switch (work->sets->kind) {
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
    const struct gsi_layout *layout = work->sets->inputs->layout;
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

/* Returns how many elements of the block's file before the block have the same key as its first
 * element, `key`. */
static enum gs_status count_equal_before(struct gsi_set_work *work, uint64_t first,
                                         const uint8_t *key, uint64_t *count)
{
    uint8_t *before = work->scratch;
    uint64_t begin;
    *count = 0;
    if (first == 0)
        return GS_OK;
    GSI_TRY(read_elements(work, work->file, first - 1, 1, before));
    int order = compare_elements(work, before, key);
    if (order > 0)
        return fail_order(work, work->file, first);
    if (order < 0)
        return GS_OK;
    GSI_TRY(find_first_not_below(work, work->file, key, &begin));
    *count = first - begin;
    return GS_OK;
}

/* Sets the end of the block's range in each other file. The range ends before the first element
 * that is not less than the first element of the next block. */
static enum gs_status find_range_ends(struct gsi_set_work *work, uint64_t end)
{
    uint8_t *next = work->scratch + 2 * (size_t)element_bytes(work->sets);
    bool is_last = end == work->file->bytes / element_bytes(work->sets);
    if (!is_last)
        GSI_TRY(read_elements(work, work->file, end, 1, next));
    for (size_t i = 0; i < work->cursor_count; i++) {
        struct cursor *cursor = &work->cursors[i];
        cursor->end = cursor->count;
        if (!is_last)
            GSI_TRY(find_first_not_below(work, cursor->file, next, &cursor->end));
    }
    return GS_OK;
}

/* Reads the rows of all ranges that were not read for comparisons, to check order and digests. */
static enum gs_status read_rest_of_ranges(struct gsi_set_work *work)
{
    for (size_t i = 0; i < work->cursor_count; i++) {
        struct cursor *cursor = &work->cursors[i];
        while (cursor->buffer_first + cursor->buffer_count < cursor->end)
            GSI_TRY(load_buffer(work, cursor));
    }
    join_digests(work->sets, work);
    return GS_OK;
}

/* Begins the group of row i: counts its key in other files, and decides which elements stay. */
GSI_INLINE enum gs_status begin_group(struct gsi_set_work *work, const uint8_t *rows, size_t i,
                                      uint32_t bytes)
{
    const size_t element = element_bytes(work->sets);
    if (bytes == 0) /* copied, because kept elements may overwrite the row */
        memcpy(work->scratch + 3 * element, rows + i * element, element);
    else
        work->key = bytes == 16 ? gsi_block_load_u128(rows, i) : gsi_block_load(rows, i, bytes);
    for (size_t k = 0; k < work->cursor_count; k++)
        GSI_TRY(count_equal(work, &work->cursors[k], bytes));
    decide_group(work);
    return GS_OK;
}

/* Skips rows from i on that are groups of one element, without an equal one in the only other file.
 * The next row is compared with the other file's next one without a branch that depends on which is
 * less. Returns the index after the skipped rows. */
GSI_INLINE size_t skip_unequal(struct gsi_set_work *work, const uint8_t *rows, size_t i, size_t n,
                               uint32_t bytes)
{
    struct cursor *other = &work->cursors[0];
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
    const bool may_skip = work->cursor_count == 1 && (bytes == 4 || bytes == 8);
    for (size_t i = 0; i < n; i++) {
        bool is_first = is_block_start && i == 0;
        if (may_skip && !is_first && (i = skip_unequal(work, rows, i, n, bytes)) == n)
            break;
        int order = is_first ? 0 : compare_row(work, rows, i, bytes);
        if (order < 0)
            return fail_order(work, work->file, first + i);
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
    const struct gsi_layout *layout = work->sets->inputs->layout;
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
    add_to_digest(work, work->file, first, elements, n);
    for (size_t i = 0; i < work->cursor_count; i++)
        GSI_TRY(seek_cursor(work, &work->cursors[i], first, elements));
    GSI_TRY(find_range_ends(work, first + n));
    GSI_TRY(count_equal_before(work, first, elements, &work->group_idx));
    for (size_t done = 0, step; done < n; done += step) {
        step = gsi_block_elements(n - done);
        GSI_TRY(filter_elements(work, elements + done * element_bytes(work->sets), first + done,
                                step, done == 0));
    }
    move_kept_elements(work);
    return read_rest_of_ranges(work);
}

static struct gsi_set_work *begin_work(struct gsi_set_filter *sets, uint32_t worker_idx,
                                       const struct gsi_input *input)
{
    struct gsi_set_work *work = &sets->works[worker_idx];
    const uint64_t element = element_bytes(sets), bytes_per_file = element + sets->buffer_bytes;
    uint8_t *buffers = work->scratch + SCRATCH_ELEMENTS * element;
    *work = (struct gsi_set_work){.sets = sets, .file = input, .scratch = work->scratch};
    work->decision_capacity = gsi_filter_block(sets->inputs->layout);
    const struct gsi_input *table = sets->inputs->table;
    for (size_t i = 0; i < sets->inputs->count; i++)
        if (is_compared(sets, file_idx(sets, input), i))
            work->cursors[work->cursor_count++] =
                (struct cursor){.file = &table[i],
                                .count = table[i].bytes / element_bytes(sets),
                                .buffer = buffers + i * bytes_per_file + element};
    return work;
}

/* Stores the failure of a task, if no other failed before. */
static void store_failure(struct gsi_set_filter *sets, const struct gsi_set_work *work)
{
    pthread_mutex_lock(&sets->lock);
    if (sets->error.status == GS_OK) {
        sets->error = *work->error;
        sets->unsorted_file = work->unsorted_file;
    }
    pthread_mutex_unlock(&sets->lock);
}

size_t gsi_set_filter_apply(struct gsi_set_filter *sets, uint32_t worker_idx,
                            const struct gsi_input *input, uint64_t first, uint8_t *elements,
                            size_t n, struct gsi_filtered *filtered, uint64_t *read_bytes)
{
    struct gs_error error = {0};
    struct gsi_set_work *work = begin_work(sets, worker_idx, input);
    *read_bytes = 0;
    if (n == 0)
        return 0;
    work->error = &error;
    work->from = work->to = elements;
    work->filtered = filtered;
    if (filter_block(work, first, elements, n) != GS_OK) {
        store_failure(sets, work);
        return 0;
    }
    *read_bytes = work->read_bytes;
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
    struct gsi_set_work *work = begin_work(sets, worker_idx, sets->inputs->table);
    work->error = &error;
    if (find_range_ends(work, 0) != GS_OK || read_rest_of_ranges(work) != GS_OK)
        store_failure(sets, work);
    sets->others_bytes = work->read_bytes;
}

static void other_files_done(struct gsi_task *task)
{
    GSI_CONTAINER_OF(task, struct gsi_set_filter, task)->are_others_read = true;
}

static enum gs_status check_other_files(struct gsi_set_filter *sets)
{
    struct gsi_loop *loop = sets->inputs->loop;
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
    struct gsi_loop *loop = sets->inputs->loop;
    sets->bump = sets->inputs->plan->sets;
    GSI_TRY(gsi_bump_open(&sets->bump, &loop->ledger, GSI_MEMORY_TABLES, loop->error));
    lay_out(sets, memory_bytes, thread_count, &sets->bump);
    bool is_first_empty = sets->inputs->spec->merges_first && sets->inputs->table[0].bytes == 0;
    return is_first_empty ? check_other_files(sets) : GS_OK;
}
