/* argsort.c: the order of an array, as places. Each element goes into the sort as a pair with its place,
 * and only the place comes out:
 *
 *     4 bytes, below 2^32 of them    sort key << 32 | place    sorted as u64
 *     4 or 8 bytes                   sort key << 64 | place    sorted as u128
 *     16 bytes, records              element, place            sorted as records, which is stable
 *
 * The sort key has the wanted order in it (key_order.h), so pairs are always sorted upwards, and equal
 * elements by their places. */
#include "base/assert.h"
#include "base/checked.h"
#include "base/sized.h"
#include "element/layout.h"
#include "element/record/record.h"
#include "embed/refuse.h"

#include <stdio.h>
#include <stdlib.h>

struct argsort {
    const uint8_t *data;
    uint64_t count, read, written; /* elements */
    uint32_t element_bytes, pair_bytes;
    struct gsi_key_map map; /* of numbers of 4 or 8 bytes */
    bool is_record;
    uint64_t *positions;
    uint8_t *staged; /* a pair that straddles two buffers, on its way in */
    uint32_t staged_off, staged_bytes;
};

/* ---- pairs ---- */

static void make_pairs(const struct argsort *sort, const uint8_t *data, uint64_t place, uint64_t n,
                       uint8_t *pairs)
{
    uint32_t width = sort->element_bytes;
    for (uint64_t i = 0; i < n; i++, data += width, pairs += sort->pair_bytes) {
        uint64_t words[2] = {place + i, 0};
        if (sort->is_record) {
            memcpy(pairs, data, width);
            memcpy(pairs + width, words, sizeof *words);
            continue;
        }
        uint32_t low;
        if (width == 4) {
            memcpy(&low, data, sizeof low);
            words[1] = gsi_key_of_u32(sort->map, low);
        } else {
            memcpy(&words[1], data, sizeof words[1]);
            words[1] = gsi_key_of_u64(sort->map, words[1]);
        }
        if (sort->pair_bytes == sizeof *words)
            words[0] |= words[1] << 32;
        memcpy(pairs, words, sort->pair_bytes);
    }
}

static uint64_t place_of(const struct argsort *sort, const uint8_t *pair)
{
    uint64_t place;
    memcpy(&place, pair + (sort->is_record ? sort->element_bytes : 0), sizeof place);
    return sort->pair_bytes == sizeof place ? place & UINT32_MAX : place;
}

/* ---- callbacks ---- */

/* Whole pairs go where they are wanted; those that may straddle the end of it are staged. */
static int64_t read_pairs(void *context, void *data, size_t bytes, struct gs_error *error)
{
    struct argsort *sort = context;
    (void)error;
    uint64_t left = sort->count - sort->read, direct = gsi_min_u64(left, bytes / sort->pair_bytes);
    if (sort->staged_off == sort->staged_bytes && direct > 0) {
        make_pairs(sort, sort->data + sort->read * sort->element_bytes, sort->read, direct, data);
        sort->read += direct;
        return (int64_t)(direct * sort->pair_bytes);
    }
    if (sort->staged_off == sort->staged_bytes && left > 0) {
        make_pairs(sort, sort->data + sort->read * sort->element_bytes, sort->read, 1,
                   sort->staged);
        sort->read++;
        sort->staged_off = 0;
        sort->staged_bytes = sort->pair_bytes;
    }
    size_t piece = gsi_min_u64(bytes, sort->staged_bytes - sort->staged_off);
    memcpy(data, sort->staged + sort->staged_off, piece);
    sort->staged_off += (uint32_t)piece;
    return (int64_t)piece;
}

static bool write_places(void *context, const void *data, size_t bytes, struct gs_error *error)
{
    struct argsort *sort = context;
    const uint8_t *pairs = data;
    (void)error;
    GSI_ASSERT(sort->read == sort->count && bytes % sort->pair_bytes == 0);
    for (size_t off = 0; off < bytes; off += sort->pair_bytes)
        sort->positions[sort->written++] = place_of(sort, pairs + off);
    return true;
}

/* ---- the job ---- */

/* What the elements are, as gs_run finds it. */
static enum gs_status look(const struct gs_options *options, uint64_t bytes,
                           struct gs_report *report, struct gs_error *error)
{
    struct gs_options all = *options;
    all.action = GS_ACTION_LOOK;
    all.note = NULL;
    all.writer = NULL;
    GSI_TRY(gs_run(&all, report, error));
    uint32_t width = report->element_bytes;
    if (bytes % width != 0)
        return gsi_fail(error, GS_E_INPUT, 0, "'array': %llu bytes are no whole elements of %u",
                        (unsigned long long)bytes, width);
    if (options->record_bytes > GSI_RECORD_BYTES_MAX - sizeof(uint64_t))
        return gsi_fail(error, GS_E_USAGE, 0, "--record: gs_argsort_array takes %u bytes at most",
                        GSI_RECORD_BYTES_MAX - (uint32_t)sizeof(uint64_t));
    return GS_OK;
}

#define KEY_TEXT_BYTES 16

/* How pairs are sorted. `key` becomes the text of a key that was not given. */
static void choose_pairs(struct argsort *sort, const struct gs_report *look,
                         struct gs_options *options, const char **key, char text[KEY_TEXT_BYTES])
{
    uint32_t width = look->element_bytes;
    const struct gsi_key_type *type = gsi_key_type_find(look->type);
    sort->is_record = type == NULL || width == 16;
    sort->pair_bytes = width + (uint32_t)sizeof(uint64_t);
    if (!sort->is_record) {
        bool is_short = width == 4 && sort->count <= (uint64_t)UINT32_MAX + 1;
        struct gsi_layout layout = gsi_layout_make(type, options->reverse);
        sort->map = layout.map;
        sort->pair_bytes = is_short ? 8 : 16;
        options->type = is_short ? "u64" : "u128";
        options->reverse = false;
        return;
    }
    bool is_number = options->record_bytes == 0;
    if (is_number || options->key_count == 0) {
        if (is_number)
            snprintf(text, KEY_TEXT_BYTES, "0:%s", look->type);
        else
            snprintf(text, KEY_TEXT_BYTES, "0:b%u", width);
        *key = text;
        options->keys = key;
        options->key_count = 1;
    }
    options->type = NULL;
    options->record_bytes = sort->pair_bytes;
}

static enum gs_status run(struct argsort *sort, const struct gs_options *given, uint64_t bytes,
                          struct gs_report *report, struct gs_error *error)
{
    static const char *const names[] = {"array"};
    struct gs_reader reader = {.read = read_pairs, .context = sort};
    const struct gs_writer writer = {.write = write_places, .context = sort};
    const char *key;
    char text[KEY_TEXT_BYTES];
    struct gs_options options = *given;
    GSI_TRY(gsi_embed_refuse(&options, GSI_EMBED_SORT, error));
    options.inputs = names;
    options.input_count = 1;
    options.readers = &reader;
    options.writer = &writer;
    options.raw = true;
    GSI_TRY(look(&options, bytes, report, error));
    sort->element_bytes = report->element_bytes;
    sort->count = bytes / sort->element_bytes;
    choose_pairs(sort, report, &options, &key, text);
    reader.bytes = sort->count * sort->pair_bytes;
    sort->staged = malloc(sort->pair_bytes);
    if (sort->staged == NULL)
        return gsi_fail(error, GS_E_MEMORY, 0, "memory: cannot allocate an element");
    enum gs_status status = gs_run(&options, report, error);
    free(sort->staged);
    return status;
}

enum gs_status gs_argsort_array_sized(const void *data, uint64_t bytes,
                                      const struct gs_options *options, size_t options_bytes,
                                      uint64_t *positions, struct gs_report *report,
                                      size_t report_bytes, struct gs_error *error)
{
    struct argsort sort = {.data = data, .positions = positions};
    struct gs_options all;
    struct gs_report whole = {0};
    struct gs_error first;
    if (error == NULL)
        error = &first;
    memset(error, 0, sizeof *error);
    if (!gsi_sized_take(&all, sizeof all, options, options_bytes))
        return gs_run_sized(options, options_bytes, report, report_bytes, error);
    enum gs_status status = run(&sort, &all, bytes, &whole, error);
    whole.is_placed = sort.written > 0;
    if (report != NULL)
        gsi_sized_give(report, report_bytes, &whole, sizeof whole);
    return status;
}
