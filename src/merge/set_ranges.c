/* set_ranges.c: finds the ranges of other files, reads them, and checks their order. */
#include "merge/set_ranges.h"

#include "base/checked.h"
#include "element/compare.h"
#include "element/key_order.h"
#include "element/tally/digest.h"
#include "loop/loop.h"

#include <string.h>

/* Elements in memory of a thread: two for searches, and the first of the next block. */
#define SCRATCH_ELEMENTS ((uint64_t)3)

static uint32_t element_bytes(const struct gsi_set_files *files)
{
    return files->inputs->layout->element_bytes;
}

/* ---- memory ---- */

/* Returns the bytes for a file: one row, and then a buffer. */
static uint64_t file_bytes(const struct gsi_set_files *files)
{
    return element_bytes(files) + files->buffer_bytes;
}

uint64_t gsi_set_ranges_bytes(const struct gsi_set_files *files)
{
    return SCRATCH_ELEMENTS * element_bytes(files) + files->inputs->count * file_bytes(files);
}

static size_t file_idx(const struct gsi_set_files *files, const struct gsi_input *file)
{
    return (size_t)(file - files->inputs->table);
}

bool gsi_set_is_compared(const struct gsi_set_files *files, size_t merged, size_t i)
{
    return i != merged && (files->kind != GSI_SET_UNION || i < merged);
}

void gsi_set_ranges_begin(struct gsi_set_ranges *ranges, const struct gsi_set_files *files,
                          const struct gsi_input *file, uint8_t *memory, struct gs_error *error)
{
    const uint32_t bytes = element_bytes(files);
    const struct gsi_input *table = files->inputs->table;
    uint8_t *buffers = memory + SCRATCH_ELEMENTS * bytes;
    *ranges =
        (struct gsi_set_ranges){.files = files, .error = error, .file = file, .scratch = memory};
    for (size_t i = 0; i < files->inputs->count; i++)
        if (gsi_set_is_compared(files, file_idx(files, file), i))
            ranges->cursors[ranges->count++] =
                (struct gsi_set_cursor){.file = &table[i],
                                        .count = table[i].bytes / bytes,
                                        .buffer = buffers + i * file_bytes(files) + bytes};
}

/* ---- copies of streams ---- */

bool gsi_set_is_copy(const struct gsi_set_files *files, const struct gsi_input *file)
{
    return file->bytes > 0 && file->bytes == files->written[file_idx(files, file)].bytes;
}

/* Adds elements that were read, from element `first` on, to the digest of the file, if it is a
 * copy. */
static void add_to_digest(struct gsi_set_ranges *ranges, const struct gsi_input *file,
                          uint64_t first, const uint8_t *elements, uint64_t n)
{
    const uint64_t bytes = element_bytes(ranges->files);
    if (gsi_set_is_copy(ranges->files, file))
        gsi_set_digest_add(&ranges->read[file_idx(ranges->files, file)], first * bytes, elements,
                           n * bytes);
}

/* ---- elements of files ---- */

static enum gs_status read_elements(struct gsi_set_ranges *ranges, const struct gsi_input *file,
                                    uint64_t idx, uint64_t count, uint8_t *to)
{
    uint64_t bytes = element_bytes(ranges->files);
    ranges->read_bytes += count * bytes;
    return gsi_input_read(file, to, count * bytes, idx * bytes, ranges->error);
}

static int compare_elements(const struct gsi_set_ranges *ranges, const void *a, const void *b)
{
    return gsi_compare(ranges->files->inputs->layout, a, b);
}

enum gs_status gsi_set_ranges_fail_order(struct gsi_set_ranges *ranges,
                                         const struct gsi_input *file, uint64_t idx)
{
    ranges->unsorted_file = file_idx(ranges->files, file) + 1;
    return gsi_fail(
        ranges->error, GS_E_INPUT, 0,
        "'%s': is not sorted: element %llu is less than its predecessor; sort the file first",
        file->name, (unsigned long long)idx);
}

/* Finds the first element of a file that is not less than `key`. */
static enum gs_status find_first_not_below(struct gsi_set_ranges *ranges,
                                           const struct gsi_input *file, const uint8_t *key,
                                           uint64_t *idx)
{
    uint8_t *probe = ranges->scratch;
    uint64_t low = 0, high = file->bytes / element_bytes(ranges->files);
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        GSI_TRY(read_elements(ranges, file, middle, 1, probe));
        if (compare_elements(ranges, probe, key) < 0)
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

/* The last row of the previous buffer is kept before the new ones. */
enum gs_status gsi_set_ranges_load(struct gsi_set_ranges *ranges, struct gsi_set_cursor *cursor)
{
    const struct gsi_layout *layout = ranges->files->inputs->layout;
    const uint32_t bytes = layout->element_bytes;
    const size_t before = cursor->buffer_count > 0; /* rows kept before the buffer */
    const uint64_t next = cursor->buffer_first + cursor->buffer_count;
    const uint64_t n = gsi_min_u64(ranges->files->buffer_bytes / bytes, cursor->count - next);
    if (gsi_cancel_is_set(ranges->files->inputs->loop->cancel))
        return gsi_fail(ranges->error, GS_E_CANCELED, 0, "canceled");
    if (before > 0)
        memcpy(cursor->buffer - bytes, cursor->buffer + (cursor->buffer_count - 1) * bytes, bytes);
    GSI_TRY(read_elements(ranges, cursor->file, next, n, cursor->buffer));
    if (next < cursor->end)
        add_to_digest(ranges, cursor->file, next, cursor->buffer,
                      gsi_min_u64(n, cursor->end - next));
    if (gsi_layout_is_native(layout))
        gsi_elements_to_keys(layout, cursor->buffer, n, cursor->buffer);
    size_t drop = find_descent(layout, cursor->buffer - before * bytes, n + before);
    if (drop < n + before)
        return gsi_set_ranges_fail_order(ranges, cursor->file, next - before + drop);
    cursor->buffer_first = next;
    cursor->buffer_count = n;
    cursor->row = 0;
    return GS_OK;
}

/* ---- ranges ---- */

/* Moves the cursor to the first element of its file that is not less than `key`, the first of the
 * block. Checks the order of this element and the one before it. */
static enum gs_status seek_cursor(struct gsi_set_ranges *ranges, struct gsi_set_cursor *cursor,
                                  uint64_t first, const uint8_t *key)
{
    uint8_t *two = ranges->scratch;
    uint64_t begin = 0;
    if (first > 0)
        GSI_TRY(find_first_not_below(ranges, cursor->file, key, &begin));
    cursor->buffer_first = begin;
    if (begin == 0 || begin == cursor->count)
        return GS_OK;
    GSI_TRY(read_elements(ranges, cursor->file, begin - 1, 2, two));
    return compare_elements(ranges, two + element_bytes(ranges->files), two) < 0
               ? gsi_set_ranges_fail_order(ranges, cursor->file, begin)
               : GS_OK;
}

/* Returns how many elements of the block's file before the block have the same key as its first
 * element, `key`. */
static enum gs_status count_equal_before(struct gsi_set_ranges *ranges, uint64_t first,
                                         const uint8_t *key, uint64_t *count)
{
    uint8_t *before = ranges->scratch;
    uint64_t begin;
    *count = 0;
    if (first == 0)
        return GS_OK;
    GSI_TRY(read_elements(ranges, ranges->file, first - 1, 1, before));
    int order = compare_elements(ranges, before, key);
    if (order > 0)
        return gsi_set_ranges_fail_order(ranges, ranges->file, first);
    if (order < 0)
        return GS_OK;
    GSI_TRY(find_first_not_below(ranges, ranges->file, key, &begin));
    *count = first - begin;
    return GS_OK;
}

/* Sets the end of the block's range in each other file. The range ends before the first element
 * that is not less than the first element of the next block. */
static enum gs_status find_range_ends(struct gsi_set_ranges *ranges, uint64_t end)
{
    uint8_t *next = ranges->scratch + 2 * (size_t)element_bytes(ranges->files);
    bool is_last = end == ranges->file->bytes / element_bytes(ranges->files);
    if (!is_last)
        GSI_TRY(read_elements(ranges, ranges->file, end, 1, next));
    for (size_t i = 0; i < ranges->count; i++) {
        struct gsi_set_cursor *cursor = &ranges->cursors[i];
        cursor->end = cursor->count;
        if (!is_last)
            GSI_TRY(find_first_not_below(ranges, cursor->file, next, &cursor->end));
    }
    return GS_OK;
}

enum gs_status gsi_set_ranges_read_rest(struct gsi_set_ranges *ranges)
{
    for (size_t i = 0; i < ranges->count; i++) {
        struct gsi_set_cursor *cursor = &ranges->cursors[i];
        while (cursor->buffer_first + cursor->buffer_count < cursor->end)
            GSI_TRY(gsi_set_ranges_load(ranges, cursor));
    }
    return GS_OK;
}

enum gs_status gsi_set_ranges_seek(struct gsi_set_ranges *ranges, uint64_t first,
                                   const uint8_t *elements, size_t n, uint64_t *equal_before)
{
    add_to_digest(ranges, ranges->file, first, elements, n);
    for (size_t i = 0; i < ranges->count; i++)
        GSI_TRY(seek_cursor(ranges, &ranges->cursors[i], first, elements));
    GSI_TRY(find_range_ends(ranges, first + n));
    return count_equal_before(ranges, first, elements, equal_before);
}

enum gs_status gsi_set_ranges_all(struct gsi_set_ranges *ranges)
{
    GSI_TRY(find_range_ends(ranges, 0));
    return gsi_set_ranges_read_rest(ranges);
}
