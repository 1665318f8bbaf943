/* cpu_records.c: sorts and merges records on the CPU device.
 *
 * A piece's records stay where they were read; their tags, stored beside them, are sorted. A window
 * merges tags, compares records if tags tie, and gathers the records: so a record moves once.
 * Inline records (element/record/integer_record.h) are unpacked from their tags.
 *
 * Indexes of tags: piece number p has [p << s, (p + 1) << s), where a chunk holds 2^s records.
 * Indexes of fed runs are assigned by the feed, from 0 on. They never reach the indexes of later
 * resident pieces: a spilled run has as many chunks as it needs indexes for. An output that was
 * begun in one pass has records of pieces that are still in memory. Each of these pieces may end in
 * a frame that is not full. So pieces are then numbered from the number of buffers on. */
#include "device/cpu/cpu_device.h"
#include "element/tally/digest.h"

#include "base/assert.h"
#include "base/checked.h"
#include "base/simd.h"
#include "device/cpu/cpu_presorted.h"
#include "element/key_scope.h"
#include "element/record/integer_record.h"
#include "element/record/record_mix.h"
#include "element/record/record_tags.h"

#include <string.h>

/* Bytes of records that are copied before their digest is computed, so that they stay in the
 * first-level cache. */
#define GATHER_BYTES GSI_CONSTANT(16384u, 1024u)
/* AHEAD: how far ahead records are prefetched. 64 is the fastest for records of 40 bytes or more;
 * 96 saves up to 5 % for shorter ones (RESULTS.md, "Sizes chosen by measurement"). */
#define AHEAD      GSI_CONSTANT(64u, 4u)
#define LINE_BYTES 64u

static const struct gsi_layout *layout_of(const struct gsi_cpu_task *piece)
{
    return &piece->device->config.layout;
}

static size_t piece_records(const struct gsi_cpu_task *piece)
{
    return piece->buffer->bytes / layout_of(piece)->element_bytes;
}

/* The indexes of a piece's records have room in inline records. Unused room of a chunk takes no
 * indexes. */
static void assert_inline_indexes(const struct gsi_cpu_task *piece)
{
    const struct gsi_integer_map *inline_map = layout_of(piece)->integer_map;
    GSI_ASSERT(inline_map == NULL ||
               (piece->first_index + piece_records(piece)) >> inline_map->index_bits == 0);
}

void gsi_cpu_records_put(struct gsi_cpu_task *piece)
{
    struct gsi_cpu_device *device = piece->device;
    gsi_key_scope_begin(device->config.layout.scope, piece->buffer->data);
    piece->first_index = device->put_count++ << device->config.chunk_shift;
    assert_inline_indexes(piece);
}

void gsi_cpu_records_sort(struct gsi_cpu_task *piece, struct gsi_record_tally *tally, void *scratch)
{
    const struct gsi_layout *layout = layout_of(piece);
    const uint8_t *data = piece->buffer->data;
    gsi_u128 *tags = piece->buffer->tags;
    size_t n = piece_records(piece);
    uint32_t shift = piece->device->config.chunk_shift;
    struct gsi_record_table places = {.record = layout->record,
                                      .blocks = &data,
                                      .first_block = piece->first_index >> shift,
                                      .shift = shift};
    gsi_record_tally_add(tally, data, n);
    piece->choice = gsi_key_scope_scan(layout->scope, data, n);
    gsi_layout_tags(layout, data, n, piece->choice, piece->first_index, tags);
    piece->is_in_order = gsi_sort_keys(GSI_TAG_BYTES, tags, n, scratch);
    const uint32_t end = gsi_tag_choice_end(piece->choice);
    if (layout->form == GSI_FORM_INLINE || !gsi_ties_are_possible(layout->record, end))
        return;
    gsi_ties_sort(&places, tags, n, end);
    for (size_t i = 1; piece->is_in_order && i < n; i++)
        piece->is_in_order = gsi_tag_index(tags[i - 1]) < gsi_tag_index(tags[i]);
}

void gsi_cpu_records_tally(const struct gsi_layout *layout, struct gsi_buffer *buffer,
                           bool is_ordered, struct gsi_record_tally *tally)
{
    size_t n = buffer->bytes / layout->element_bytes;
    gsi_record_tally_add(tally, buffer->data, n);
    buffer->digest = GSI_DIGEST_EMPTY;
    if (is_ordered)
        gsi_record_digest_add(layout->record, &buffer->digest, buffer->data, n);
}

/* Inline tags contain the whole key. */
static bool is_tagged_as_wanted(const struct gsi_cpu_task *piece)
{
    return layout_of(piece)->form == GSI_FORM_INLINE ||
           memcmp(&piece->choice, &piece->device->wanted, sizeof piece->choice) == 0;
}

static void shift_tags(struct gsi_task *task, uint32_t worker_idx)
{
    (void)worker_idx;
    struct gsi_cpu_task *piece = GSI_CONTAINER_OF(task, struct gsi_cpu_task, task);
    const struct gsi_layout *layout = layout_of(piece);
    gsi_u128 *tags = piece->buffer->tags;
    const size_t n = piece_records(piece);
    if (!is_tagged_as_wanted(piece))
        gsi_record_tags_shift(layout->record, layout->scope->first, piece->choice,
                              piece->device->wanted, tags, n);
    const struct gsi_integer_map *inline_map = layout->integer_map;
    const gsi_u128 raise_by =
        (gsi_u128)piece->raise_chunks
        << (piece->device->config.chunk_shift + (inline_map != NULL ? inline_map->index_shift : 0));
    for (size_t i = 0; raise_by > 0 && i < n; i++)
        tags[i] += raise_by;
    piece->choice = piece->device->wanted;
}

static void shift_done(struct gsi_task *task)
{
    (GSI_CONTAINER_OF(task, struct gsi_cpu_task, task))->device->shifting_count--;
}

/* Enters a resident piece into the table. */
static void add_piece(struct gsi_cpu_records *records, struct gsi_cpu_task *piece)
{
    struct gsi_record_table *places = &records->places;
    uint64_t block = (piece->first_index >> places->shift) - places->first_block;
    GSI_ASSERT(block < records->block_count);
    uint64_t step = (uint64_t)places->record->bytes << places->shift;
    for (uint64_t off = 0; off < piece->buffer->bytes; off += step)
        places->blocks[block++] = piece->buffer->data + off;
}

/* Returns the lowest index of resident records; UINT64_MAX: there are none. */
static uint64_t lowest_index(const struct gsi_merge_spec *spec)
{
    uint64_t lowest = UINT64_MAX;
    for (uint32_t i = 0; i < spec->input_count; i++) {
        const struct gsi_run *run = spec->inputs[i].run;
        for (const struct gsi_cpu_task *p = run != NULL ? run->pieces.head : NULL; p != NULL;
             p = p->next)
            lowest = gsi_min_u64(lowest, p->first_index);
    }
    return lowest;
}

/* Shifts the tags of resident pieces to the wanted choice. Raises their indexes above those of fed
 * records, which precede them in the input. A piece with an element that is far too early has lower
 * ones: it stays in memory while a one-pass merge writes later pieces.
 * out   first, end: the first index of the merge's records, and the index after the last */
static void move_pieces(struct gsi_cpu_device *device, const struct gsi_merge_spec *spec,
                        uint64_t *first, uint64_t *end)
{
    const uint32_t shift = device->config.chunk_shift;
    const uint64_t lowest = lowest_index(spec);
    uint64_t raise_chunks = 0;
    if (lowest < spec->fed_records)
        raise_chunks = gsi_ceil_div_u64(spec->fed_records - lowest, (uint64_t)1 << shift);
    device->put_count += raise_chunks;
    *first = spec->fed_records > 0 ? 0 : lowest;
    *end = spec->fed_records;
    for (uint32_t i = 0; i < spec->input_count; i++) {
        const struct gsi_run *run = spec->inputs[i].run;
        for (struct gsi_cpu_task *p = run != NULL ? run->pieces.head : NULL; p != NULL;
             p = p->next) {
            p->first_index += raise_chunks << shift;
            assert_inline_indexes(p);
            *end = gsi_max_u64(*end, p->first_index + ((uint64_t)1 << shift));
            p->raise_chunks = (uint32_t)raise_chunks;
            if (is_tagged_as_wanted(p) && raise_chunks == 0)
                continue;
            p->task = (struct gsi_task){.run = shift_tags, .done = shift_done, .is_urgent = true};
            device->shifting_count++;
            gsi_pool_submit(device->config.pool, &p->task);
        }
    }
    *first = gsi_min_u64(*first, *end);
}

enum gs_status gsi_cpu_records_begin(struct gsi_cpu_device *device,
                                     const struct gsi_merge_spec *spec,
                                     struct gsi_cpu_records *records, struct gs_error *error)
{
    const struct gsi_layout *layout = &device->config.layout;
    uint64_t first, end;
    records->places.record = layout->record;
    records->inline_map = layout->integer_map;
    GSI_ASSERT(device->shifting_count == 0);
    device->wanted = gsi_key_scope_choice(layout->scope);
    records->end = gsi_tag_choice_end(device->wanted);
    move_pieces(device, spec, &first, &end);
    if (records->inline_map != NULL)
        return GS_OK;
    records->places.shift =
        spec->fed_records > 0 ? device->config.frame_shift : device->config.chunk_shift;
    records->places.first_block = first >> records->places.shift;
    records->block_count = (end - first) >> records->places.shift;
    records->fed_count = spec->fed_records >> records->places.shift;
    enum gs_status status =
        GSI_NEW(device->config.ledger, records->places.blocks, records->block_count, error);
    if (status != GS_OK)
        return status;
    for (uint32_t i = 0; i < spec->input_count; i++) {
        struct gsi_run *run = spec->inputs[i].run;
        for (struct gsi_cpu_task *p = run != NULL ? run->pieces.head : NULL; p != NULL; p = p->next)
            add_piece(records, p);
    }
    return GS_OK;
}

void gsi_cpu_records_end(struct gsi_cpu_device *device, struct gsi_cpu_records *records)
{
    GSI_FREE(device->config.ledger, records->places.blocks, records->block_count);
}

const gsi_u128 *gsi_cpu_records_feed(struct gsi_cpu_records *records,
                                     const struct gsi_buffer *buffer)
{
    struct gsi_record_table *places = &records->places;
    if (records->inline_map == NULL) {
        uint64_t block = (gsi_tag_index(buffer->tags[0]) >> places->shift) - places->first_block;
        GSI_ASSERT(block < records->fed_count);
        places->blocks[block] = buffer->data;
    }
    return buffer->tags + buffer->bytes / places->record->bytes - 1;
}

GSI_INLINE void prefetch(const uint8_t *element, uint32_t bytes)
{
    for (uint32_t at = 0; at < bytes && at < 4 * LINE_BYTES; at += LINE_BYTES)
        __builtin_prefetch(element + at);
    __builtin_prefetch(element + bytes - 1);
}

/* `bytes` is a constant at every call. */
GSI_INLINE void gather_wide(const struct gsi_record_table *places, const gsi_u128 *tags, size_t n,
                            size_t behind, uint32_t bytes, uint8_t *to)
{
    for (size_t i = 0; i < n; i++, to += bytes) {
        if (i + AHEAD < n + behind)
            prefetch(gsi_record_at(places, tags[i + AHEAD]), bytes);
        memcpy(to, gsi_record_at(places, tags[i]), bytes);
    }
}

#define GATHER_CASE(bytes)                                 \
    case bytes:                                            \
        gather_wide(places, tags, n, behind, (bytes), to); \
        break;

/* Copies the records of `n` tags; the next `behind` tags also belong to the window, and their
 * records are prefetched. Short records are not worth a call each. */
static void gather(const struct gsi_record_table *places, const gsi_u128 *tags, size_t n,
                   size_t behind, uint8_t *to)
{
    switch (places->record->bytes) {
        GATHER_CASE(16)
        GATHER_CASE(20)
        GATHER_CASE(24)
        GATHER_CASE(32)
        GATHER_CASE(40)
        GATHER_CASE(48)
        GATHER_CASE(64)
    default:
        gather_wide(places, tags, n, behind, places->record->bytes, to);
    }
}

static void no_tile(void *context, void *keys, size_t n)
{
    (void)context, (void)keys, (void)n;
}

/* Unpacks the inline records of `n` tags. The order of the tags shows whether the records are in
 * order. */
static void unpack(const struct gsi_cpu_records *records, const gsi_u128 *tags, size_t n,
                   struct gsi_digest *digest, uint8_t *to)
{
    const uint32_t bytes = records->places.record->bytes;
    const size_t before =
        digest != NULL && digest->count > 0; /* the previous tag is checked, too */
    gsi_integers_to_records(records->inline_map, tags, n, to);
    if (digest == NULL)
        return;
    if (gsi_keys_drops(GSI_TAG_BYTES, tags - before, n + before) > 0) {
        gsi_record_digest_add(records->places.record, digest, to, n);
        return;
    }
    gsi_fingerprint_add(digest->fingerprint, gsi_mix_records(to, n, bytes));
    digest->count += n;
}

void gsi_cpu_records_window(const struct gsi_cpu_records *records, struct gsi_merge_work *work,
                            struct gsi_buffer *window, bool to_elements)
{
    const struct gsi_record_table *places = &records->places;
    uint32_t bytes = places->record->bytes;
    size_t n = window->bytes / bytes;
    gsi_u128 *tags = window->tags;
    uint8_t *to = window->data;
    gsi_merge_tiles(GSI_TAG_BYTES, work, tags, no_tile, NULL);
    if (records->inline_map == NULL && gsi_ties_are_possible(places->record, records->end))
        gsi_ties_sort(places, tags, n, records->end);
    for (size_t step; n > 0; n -= step, tags += step, to += step * bytes) {
        step = gsi_min_u64(n, gsi_max_u64(1, GATHER_BYTES / bytes));
        if (records->inline_map != NULL) {
            unpack(records, tags, step, to_elements ? &window->digest : NULL, to);
            continue;
        }
        gather(places, tags, step, n - step, to);
        if (to_elements)
            gsi_record_digest_add(places->record, &window->digest, to, step);
    }
}
