/* set_filter.c: a piece and its ranges in the other files, group by group. What is compared is a row: of
 * a number its sort key, which is made of whole blocks, of a record the record. */
#include "merge/set_filter.h"

#include "base/checked.h"
#include "element/compare.h"
#include "element/filter/filter.h"
#include "element/tally/imprint.h"
#include "element/tally/tally_block.h"
#include "merge/set_streams.h"

#include <string.h>

/* Blocks of all threads and files together take this part of memory. */
#define BLOCKS_PART  32
#define BLOCKS_LEAST ((uint64_t)4 << 10)
#define BLOCKS_MOST  ((uint64_t)256 << 10)

/* Elements that a thread has room for: two that are looked at in a file, the first of the next piece,
 * and the first of the group. */
#define ELEMENTS 4

/* Where a thread is in another file. */
struct cursor {
    const struct gsi_input *file;
    uint64_t count;                    /* elements */
    uint64_t block_first, block_count; /* of the block that is in memory, in order */
    uint8_t *block;                    /* its rows; room for one is before them */
    size_t at;                         /* the next one in there */
    uint64_t equal;                    /* elements with the key of the group */
};

/* A piece that is being filtered. */
struct pass {
    struct gsi_set_filter *sets;
    struct gs_error *error;
    const struct gsi_input *file;             /* of the piece */
    struct cursor cursors[GSI_SET_FILES_MAX]; /* those it is compared with */
    size_t cursor_count;
    uint8_t *element;                      /* room for ELEMENTS */
    uint64_t keys[2 * GSI_BLOCK_ELEMENTS]; /* of the piece's next numbers */
    gsi_u128 key;                          /* of the group */
    uint64_t of_group, stay_from, stay_to; /* its elements so far, and which of them stay */
    uint64_t read_bytes;
    /* What stays. */
    uint8_t *from, *to;
    uint8_t keep[GSI_BLOCK_ELEMENTS];
    size_t keep_count;
    struct gsi_filtered *filtered;
};

#define PASS_BYTES gsi_round_up_u64(sizeof(struct pass), 64)

static uint32_t element_bytes(const struct gsi_set_filter *sets)
{
    return sets->inputs->layout->element_bytes;
}

/* ---- begin and end ---- */

enum gs_status gsi_set_filter_begin(struct gsi_inputs *inputs)
{
    struct gs_error *error = inputs->loop->error;
    const struct gsi_options *options = inputs->options;
    if (options->merge_set == GSI_SET_NONE)
        return GS_OK;
    if (inputs->count > GSI_SET_FILES_MAX)
        return gsi_fail(error, GS_E_USAGE, 0, "--merge=SET: takes %u files at most, not %zu",
                        GSI_SET_FILES_MAX, inputs->count);
    return gsi_set_streams_copy(inputs);
}

void gsi_set_filter_take(struct gsi_set_filter *sets, struct gsi_inputs *inputs)
{
    const struct gsi_options *options = inputs->options;
    if (options->merge_set == GSI_SET_NONE)
        return;
    *sets = (struct gsi_set_filter){.inputs = inputs,
                                    .kind = options->merge_set,
                                    .files = inputs->table,
                                    .count = inputs->count};
    pthread_mutex_init(&sets->lock, NULL);
    inputs->sets = sets;
    if (options->unique && sets->kind == GSI_SET_EXCEPT)
        sets->kind = GSI_SET_ANTI;
    for (size_t i = 1; sets->kind != GSI_SET_UNION && i < sets->count; i++)
        inputs->bytes -= inputs->table[i].bytes;
    inputs->count = sets->kind == GSI_SET_UNION ? sets->count : 1;
}

uint64_t gsi_set_filter_looked_at(const struct gsi_set_filter *sets)
{
    uint64_t bytes = 0;
    for (size_t i = sets->count > 0 ? sets->inputs->count : 0; i < sets->count; i++)
        bytes += sets->files[i].bytes;
    return bytes;
}

static uint64_t block_bytes(const struct gsi_set_filter *sets, uint64_t memory_bytes,
                            uint32_t thread_count)
{
    uint64_t bytes = memory_bytes / BLOCKS_PART / thread_count / sets->count;
    bytes = gsi_clamp_u64(bytes, BLOCKS_LEAST, BLOCKS_MOST);
    return gsi_max_u64(bytes, element_bytes(sets)) / element_bytes(sets) * element_bytes(sets);
}

/* Of a thread: a block a file, and elements that are compared. */
static uint64_t worker_bytes(const struct gsi_set_filter *sets, uint64_t block)
{
    uint64_t element = element_bytes(sets);
    return gsi_round_up_u64(PASS_BYTES + sets->count * (element + block) + ELEMENTS * element, 64);
}

uint64_t gsi_set_filter_bytes(const struct gsi_set_filter *sets, uint64_t memory_bytes,
                              uint32_t thread_count)
{
    if (sets == NULL)
        return 0;
    return thread_count * worker_bytes(sets, block_bytes(sets, memory_bytes, thread_count));
}

enum gs_status gsi_set_filter_open(struct gsi_set_filter *sets, uint64_t memory_bytes,
                                   uint32_t thread_count)
{
    struct gsi_loop *loop = sets->inputs->loop;
    sets->block_bytes = block_bytes(sets, memory_bytes, thread_count);
    sets->memory_bytes = thread_count * worker_bytes(sets, sets->block_bytes);
    return GSI_NEW(&loop->ledger, sets->memory, sets->memory_bytes, loop->error);
}

void gsi_set_filter_close(struct gsi_set_filter *sets)
{
    if (sets->inputs == NULL)
        return;
    if (sets->memory != NULL)
        GSI_FREE(&sets->inputs->loop->ledger, sets->memory, sets->memory_bytes);
    for (size_t i = sets->inputs->count; i < sets->count; i++)
        gsi_input_close(&sets->files[i]);
    pthread_mutex_destroy(&sets->lock);
    *sets = (struct gsi_set_filter){0};
}

/* ---- elements of files ---- */

static enum gs_status read_elements(struct pass *pass, const struct gsi_input *file, uint64_t idx,
                                    uint64_t count, uint8_t *to)
{
    uint64_t bytes = element_bytes(pass->sets);
    pass->read_bytes += count * bytes;
    return gsi_input_read(file, to, count * bytes, idx * bytes, pass->error);
}

static int compare(const struct pass *pass, const void *a, const void *b)
{
    return gsi_compare(pass->sets->inputs->layout, a, b);
}

static enum gs_status fail_order(struct pass *pass, const struct gsi_input *file, uint64_t idx)
{
    return gsi_fail(pass->error, GS_E_INPUT, 0,
                    "'%s': not sorted: element %llu is below the one before it; sort it first",
                    file->name, (unsigned long long)idx);
}

/* The first element that is not below `key`. */
static enum gs_status find(struct pass *pass, const struct gsi_input *file, const uint8_t *key,
                           uint64_t *idx)
{
    uint8_t *probe = pass->element;
    uint64_t low = 0, high = file->bytes / element_bytes(pass->sets);
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        GSI_TRY(read_elements(pass, file, middle, 1, probe));
        if (compare(pass, probe, key) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    *idx = low;
    return GS_OK;
}

/* The first of `n` rows that is below the one before it; n: there is none. */
static size_t find_drop(const struct gsi_layout *layout, const uint8_t *rows, size_t n)
{
    const uint32_t bytes = layout->element_bytes;
    if (layout->record == NULL && gsi_keys_drops(layout->key_bytes, rows, n) == 0)
        return n;
    for (size_t i = 1; i < n; i++) {
        const uint8_t *row = rows + i * bytes;
        int order = layout->record != NULL ? gsi_compare(layout, row - bytes, row)
                                           : gsi_key_compare(layout, row - bytes, row);
        if (order > 0)
            return i;
    }
    return n;
}

/* Rows of the next block of another file, which is not at its end. */
static enum gs_status load_block(struct pass *pass, struct cursor *cursor)
{
    const struct gsi_layout *layout = pass->sets->inputs->layout;
    const uint32_t bytes = layout->element_bytes;
    const size_t before = cursor->block_count > 0; /* a row that is looked at, too */
    const uint64_t next = cursor->block_first + cursor->block_count;
    const uint64_t n = gsi_min_u64(pass->sets->block_bytes / bytes, cursor->count - next);
    if (before > 0)
        memcpy(cursor->block - bytes, cursor->block + (cursor->block_count - 1) * bytes, bytes);
    GSI_TRY(read_elements(pass, cursor->file, next, n, cursor->block));
    if (layout->record == NULL)
        gsi_elements_to_keys(layout, cursor->block, n, cursor->block);
    size_t drop = find_drop(layout, cursor->block - before * bytes, n + before);
    if (drop < n + before)
        return fail_order(pass, cursor->file, next - before + drop);
    cursor->block_first = next;
    cursor->block_count = n;
    cursor->at = 0;
    return GS_OK;
}

/* ---- a piece ---- */

/* To the first element of another file that is not below the piece; it must be in order there, too. */
static enum gs_status place_cursor(struct pass *pass, struct cursor *cursor, uint64_t first,
                                   const uint8_t *key)
{
    uint8_t *two = pass->element;
    uint64_t begin = 0;
    if (first > 0)
        GSI_TRY(find(pass, cursor->file, key, &begin));
    cursor->block_first = begin;
    if (begin == 0 || begin == cursor->count)
        return GS_OK;
    GSI_TRY(read_elements(pass, cursor->file, begin - 1, 2, two));
    return compare(pass, two + element_bytes(pass->sets), two) < 0
               ? fail_order(pass, cursor->file, begin)
               : GS_OK;
}

/* Row i beside the group. In what follows `bytes` is a constant: of a key; 0: rows are records. */
GSI_INLINE int compare_row(const struct pass *pass, const void *rows, size_t i, uint32_t bytes)
{
    if (bytes == 0) {
        const size_t element = element_bytes(pass->sets);
        return compare(pass, (const uint8_t *)rows + i * element, pass->element + 3 * element);
    }
    gsi_u128 key = bytes == 16 ? gsi_block_load_u128(rows, i) : gsi_block_load(rows, i, bytes);
    return (key > pass->key) - (key < pass->key);
}

/* Counts elements with the key of the group in another file, and goes behind them. */
GSI_INLINE enum gs_status count_equal(struct pass *pass, struct cursor *cursor, uint32_t bytes)
{
    cursor->equal = 0;
    for (;;) {
        int order = -1;
        for (; cursor->at < cursor->block_count; cursor->at++) {
            order = compare_row(pass, cursor->block, cursor->at, bytes);
            if (order > 0)
                return GS_OK;
            cursor->equal += order == 0;
        }
        if (cursor->block_first + cursor->block_count == cursor->count)
            return GS_OK;
        GSI_TRY(load_block(pass, cursor));
    }
}

/* From which element of a group to which one they stay, counted in their file. */
static void decide(struct pass *pass)
{
    uint64_t all = 0, most = 0, fewest = UINT64_MAX;
    for (size_t i = 0; i < pass->cursor_count; i++) {
        uint64_t equal = pass->cursors[i].equal;
        all += equal;
        most = gsi_max_u64(most, equal);
        fewest = gsi_min_u64(fewest, equal);
    }
    pass->stay_from = 0;
    pass->stay_to = UINT64_MAX;
    switch (pass->sets->kind) {
    case GSI_SET_UNION:
        pass->stay_from = most;
        break;
    case GSI_SET_INTERSECT:
        pass->stay_to = fewest;
        break;
    case GSI_SET_EXCEPT:
        pass->stay_from = all;
        break;
    case GSI_SET_SEMI:
        pass->stay_to = all > 0 ? UINT64_MAX : 0;
        break;
    default:
        pass->stay_to = all > 0 ? 0 : UINT64_MAX;
    }
}

static void move_kept(struct pass *pass)
{
    const struct gsi_layout *layout = pass->sets->inputs->layout;
    size_t bytes = layout->element_bytes;
    size_t kept =
        gsi_filter_move(layout, pass->to, pass->from, pass->keep_count, pass->keep, pass->filtered);
    pass->from += pass->keep_count * bytes;
    pass->to += kept * bytes;
    pass->keep_count = 0;
}

static void decide_element(struct pass *pass, bool is_kept)
{
    pass->keep[pass->keep_count++] = is_kept;
    if (pass->keep_count == gsi_filter_block(pass->sets->inputs->layout))
        move_kept(pass);
}

/* How many elements of the piece's own file have its first key and lie before it. */
static enum gs_status count_before(struct pass *pass, uint64_t first, const uint8_t *key,
                                   uint64_t *count)
{
    uint8_t *before = pass->element;
    uint64_t begin;
    *count = 0;
    if (first == 0)
        return GS_OK;
    GSI_TRY(read_elements(pass, pass->file, first - 1, 1, before));
    int order = compare(pass, before, key);
    if (order > 0)
        return fail_order(pass, pass->file, first);
    if (order < 0)
        return GS_OK;
    GSI_TRY(find(pass, pass->file, key, &begin));
    *count = first - begin;
    return GS_OK;
}

/* The rest of other files' ranges: up to where those of the next piece begin. */
static enum gs_status finish_ranges(struct pass *pass, uint64_t behind)
{
    uint8_t *next = pass->element + 2 * (size_t)element_bytes(pass->sets);
    bool is_last = behind == pass->file->bytes / element_bytes(pass->sets);
    if (!is_last)
        GSI_TRY(read_elements(pass, pass->file, behind, 1, next));
    for (size_t i = 0; i < pass->cursor_count; i++) {
        struct cursor *cursor = &pass->cursors[i];
        uint64_t end = cursor->count;
        if (!is_last)
            GSI_TRY(find(pass, cursor->file, next, &end));
        while (cursor->block_first + cursor->block_count < end)
            GSI_TRY(load_block(pass, cursor));
    }
    return GS_OK;
}

/* Row i of the piece begins a group. */
GSI_INLINE enum gs_status begin_group(struct pass *pass, const uint8_t *rows, size_t i,
                                      uint32_t bytes)
{
    const size_t element = element_bytes(pass->sets);
    if (bytes == 0) /* what stays may be moved there */
        memcpy(pass->element + 3 * element, rows + i * element, element);
    else
        pass->key = bytes == 16 ? gsi_block_load_u128(rows, i) : gsi_block_load(rows, i, bytes);
    for (size_t k = 0; k < pass->cursor_count; k++)
        GSI_TRY(count_equal(pass, &pass->cursors[k], bytes));
    decide(pass);
    return GS_OK;
}

/* The next n elements of the piece, which begin with element `first` of the file and row 0. */
GSI_INLINE enum gs_status filter_rows(struct pass *pass, const uint8_t *rows, uint64_t first,
                                      size_t n, bool is_begin, uint32_t bytes)
{
    for (size_t i = 0; i < n; i++) {
        bool is_first = is_begin && i == 0;
        int order = is_first ? 0 : compare_row(pass, rows, i, bytes);
        if (order < 0)
            return fail_order(pass, pass->file, first + i);
        if (order > 0)
            pass->of_group = 0;
        if (order > 0 || is_first)
            GSI_TRY(begin_group(pass, rows, i, bytes));
        decide_element(pass, pass->of_group >= pass->stay_from && pass->of_group < pass->stay_to);
        pass->of_group++;
    }
    return GS_OK;
}

static enum gs_status filter_some(struct pass *pass, const uint8_t *elements, uint64_t first,
                                  size_t n, bool is_begin)
{
    const struct gsi_layout *layout = pass->sets->inputs->layout;
    const uint8_t *keys = (const uint8_t *)pass->keys;
    if (layout->record != NULL)
        return filter_rows(pass, elements, first, n, is_begin, 0);
    gsi_elements_to_keys(layout, elements, n, pass->keys);
    return GSI_BY_WIDTH(layout->key_bytes, filter_rows(pass, keys, first, n, is_begin, 4),
                        filter_rows(pass, keys, first, n, is_begin, 8),
                        filter_rows(pass, keys, first, n, is_begin, 16));
}

static enum gs_status filter_piece(struct pass *pass, uint64_t first, const uint8_t *elements,
                                   size_t n)
{
    for (size_t i = 0; i < pass->cursor_count; i++)
        GSI_TRY(place_cursor(pass, &pass->cursors[i], first, elements));
    GSI_TRY(count_before(pass, first, elements, &pass->of_group));
    for (size_t done = 0, step; done < n; done += step) {
        step = gsi_block_elements(n - done);
        GSI_TRY(filter_some(pass, elements + done * element_bytes(pass->sets), first + done, step,
                            done == 0));
    }
    move_kept(pass);
    return finish_ranges(pass, first + n);
}

/* The thread's pass, at the beginning of its memory; blocks and elements follow. */
static struct pass *begin_pass(struct gsi_set_filter *sets, uint32_t worker_idx,
                               const struct gsi_input *input)
{
    uint8_t *memory = sets->memory + worker_idx * worker_bytes(sets, sets->block_bytes);
    struct pass *pass = (struct pass *)(void *)memory;
    const uint64_t element = element_bytes(sets), each = element + sets->block_bytes;
    uint8_t *blocks = memory + PASS_BYTES;
    *pass = (struct pass){.sets = sets, .file = input, .element = blocks + sets->count * each};
    size_t begin = sets->kind == GSI_SET_UNION ? 0 : 1;
    size_t end = sets->kind == GSI_SET_UNION ? (size_t)(input - sets->files) : sets->count;
    for (size_t i = begin; i < end; i++)
        pass->cursors[pass->cursor_count++] =
            (struct cursor){.file = &sets->files[i],
                            .count = sets->files[i].bytes / element_bytes(sets),
                            .block = blocks + i * each + element};
    return pass;
}

size_t gsi_set_filter_apply(struct gsi_set_filter *sets, uint32_t worker_idx,
                            const struct gsi_input *input, uint64_t first, uint8_t *elements,
                            size_t n, struct gsi_filtered *filtered, uint64_t *read_bytes)
{
    struct gs_error error = {0};
    struct pass *pass = begin_pass(sets, worker_idx, input);
    *read_bytes = 0;
    if (n == 0)
        return 0;
    pass->error = &error;
    pass->from = pass->to = elements;
    pass->filtered = filtered;
    if (filter_piece(pass, first, elements, n) != GS_OK) {
        pthread_mutex_lock(&sets->lock);
        if (sets->error.status == GS_OK)
            sets->error = error;
        pthread_mutex_unlock(&sets->lock);
        return 0;
    }
    *read_bytes = pass->read_bytes;
    return (size_t)(pass->to - elements) / element_bytes(sets);
}

enum gs_status gsi_set_filter_check(struct gsi_set_filter *sets, struct gs_error *error)
{
    pthread_mutex_lock(&sets->lock);
    if (sets->error.status != GS_OK && error->status == GS_OK)
        *error = sets->error;
    pthread_mutex_unlock(&sets->lock);
    return error->status;
}
