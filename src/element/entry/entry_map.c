/* entry_map.c: makes entries of elements, and writes the wanted bytes of entries. */
#include "element/entry/entry_map.h"

#include "base/checked.h"
#include "element/entry/shuffle.h"
#include "element/entry/strided.h"
#include "element/record/integer_record.h"
#include "element/tally/digest.h"

#include <stdlib.h>
#include <string.h>

/* ---- keys and positions ---- */

enum gs_status gsi_entry_positions(struct gsi_entry_map *entry_map, const struct gsi_layout *input,
                                   uint64_t most, bool has_groups, uint32_t index_bytes,
                                   struct gs_error *error)
{
    uint32_t key = input->record->key_bytes;
    uint64_t bits = 8 * (uint64_t)key + gsi_max_u32(1, gsi_index_bits(most));
    *entry_map = (struct gsi_entry_map){
        .kind = GSI_ENTRY_NUMBER, .input = *input, .output_bytes = index_bytes, .key_bytes = key};
    if (!has_groups && bits <= 128) {
        entry_map->entry_bytes = bits <= 64 ? 8 : 16;
        entry_map->position_bits =
            (uint32_t)gsi_min_u64(64, 8 * (uint64_t)(entry_map->entry_bytes - key));
        return GS_OK;
    }
    entry_map->kind = GSI_ENTRY_KEY;
    entry_map->entry_bytes = key + (uint32_t)sizeof(uint64_t);
    if (entry_map->entry_bytes <= GSI_RECORD_BYTES_MAX)
        return GS_OK;
    return gsi_fail(error, GS_E_USAGE, 0,
                    "--argsort: keys of %u bytes are too long, the limit is %u bytes; give fewer "
                    "or shorter keys with --key",
                    key, GSI_RECORD_BYTES_MAX - (uint32_t)sizeof(uint64_t));
}

bool gsi_entry_positions_fit(uint64_t count, uint32_t index_bytes)
{
    return index_bytes == 8 || count <= (uint64_t)UINT32_MAX + 1;
}

/* Returns the normalised key of a record, at most 15 bytes, as a number. */
static gsi_u128 key_of_record(const struct gsi_record *record, const uint8_t *element)
{
    gsi_u128 key = 0;
    for (uint32_t i = 0; i < record->part_count; i++) {
        const struct gsi_key_part *part = &record->parts[i];
        if (part->is_number) {
            key = key << 8 * part->bytes | gsi_key_part_bits(part, element);
            continue;
        }
        for (uint32_t k = 0; k < part->bytes; k++)
            key = key << 8 | (uint8_t)(element[part->off + k] ^ part->map.invert);
    }
    return key;
}

static void store_u128(uint8_t *to, gsi_u128 value, uint32_t bytes)
{
    memcpy(to, &value, bytes); /* little endian */
}

/* Makes entries of 8 or 16 bytes: a number of 4 or 8 bytes in the high bits, its position below. */
GSI_INLINE void make_word_entries(const struct gsi_entry_map *entry_map, const uint8_t *elements,
                                  size_t n, uint64_t first, const uint32_t *places, uint8_t *to,
                                  uint32_t width, uint32_t entry_bytes)
{
    const struct gsi_key_map map = entry_map->input.map;
    const uint32_t shift = entry_map->position_bits;
    for (size_t i = 0; i < n; i++) {
        uint64_t bits = 0, position = first + (places != NULL ? places[i] : i);
        memcpy(&bits, elements + i * width, width);
        uint64_t key = width == 4 ? gsi_key_of_u32(map, (uint32_t)bits) : gsi_key_of_u64(map, bits);
        if (entry_bytes == 8) {
            uint64_t both = key << (shift & 63) | position;
            memcpy(to + i * 8, &both, 8);
        } else {
            store_u128(to + i * 16, (gsi_u128)key << shift | position, 16);
        }
    }
}

static void make_number_entries(const struct gsi_entry_map *entry_map, const uint8_t *elements,
                                size_t n, uint64_t first, const uint32_t *places, uint8_t *to)
{
    const uint32_t width = entry_map->input.element_bytes, entry_bytes = entry_map->entry_bytes;
    if (width == 8 && entry_bytes == 16)
        make_word_entries(entry_map, elements, n, first, places, to, 8, 16);
    else if (width == 4 && entry_bytes == 8)
        make_word_entries(entry_map, elements, n, first, places, to, 4, 8);
    else
        make_word_entries(entry_map, elements, n, first, places, to, 4, 16);
}

static void make_record_entry(const struct gsi_entry_map *entry_map, const uint8_t *element,
                              uint64_t position, uint8_t *to)
{
    gsi_u128 key = key_of_record(entry_map->input.record, element);
    store_u128(to, key << entry_map->position_bits | position, entry_map->entry_bytes);
}

static void make_key_entry(const struct gsi_entry_map *entry_map, const uint8_t *element,
                           uint64_t position, uint8_t *to)
{
    gsi_record_key(entry_map->input.record, element, 0, entry_map->key_bytes, to);
    memcpy(to + entry_map->key_bytes, &position, sizeof position);
}

static void make_field_entry(const struct gsi_entry_map *entry_map, const uint8_t *element,
                             uint8_t *to)
{
    for (uint32_t i = 0; i < entry_map->in_count; i++)
        memcpy(to + entry_map->in[i].to, element + entry_map->in[i].from, entry_map->in[i].bytes);
}

void gsi_entry_joined(struct gsi_entry_map *entry_map, const struct gsi_layout *input,
                      uint32_t value_bytes)
{
    uint32_t bytes = input->element_bytes + value_bytes;
    *entry_map = (struct gsi_entry_map){
        .kind = GSI_ENTRY_JOINED, .input = *input, .entry_bytes = bytes, .output_bytes = bytes};
}

/* ---- random keys ---- */

#define KEYS 64u

void gsi_entry_shuffle(struct gsi_entry_map *entry_map, uint64_t seed)
{
    entry_map->is_shuffled = true;
    entry_map->seed = seed;
    if (gsi_entry_has_positions(entry_map)) {
        entry_map->kind = GSI_ENTRY_NUMBER;
        entry_map->entry_bytes = 2 * (uint32_t)sizeof seed;
        entry_map->position_bits = 64;
        return;
    }
    entry_map->entry_bytes += (uint32_t)sizeof seed;
    entry_map->output_bytes += entry_map->kind == GSI_ENTRY_JOINED ? (uint32_t)sizeof seed : 0;
}

static void make_shuffled_entries(const struct gsi_entry_map *entry_map, const uint64_t *keys,
                                  const uint8_t *elements, size_t n, uint64_t first,
                                  const uint32_t *places, uint8_t *to)
{
    const uint32_t width = entry_map->input.element_bytes, entry_bytes = entry_map->entry_bytes;
    if (entry_map->kind == GSI_ENTRY_NUMBER) {
        for (size_t i = 0; i < n; i++) {
            uint64_t position = first + (places != NULL ? places[i] : i);
            store_u128(to + i * entry_bytes, (gsi_u128)keys[i] << 64 | position, entry_bytes);
        }
        return;
    }
    gsi_copy_strided(to, entry_bytes, (const uint8_t *)keys, sizeof *keys, n, sizeof *keys);
    if (entry_map->kind == GSI_ENTRY_JOINED)
        gsi_copy_strided(to + sizeof *keys, entry_bytes, elements, width, n, width);
    for (uint32_t i = 0; i < entry_map->in_count; i++)
        gsi_copy_strided(to + entry_map->in[i].to, entry_bytes, elements + entry_map->in[i].from,
                         width, n, entry_map->in[i].bytes);
}

void gsi_entry_make(const struct gsi_entry_map *entry_map, const uint8_t *elements, size_t n,
                    uint64_t first, const uint32_t *places, uint64_t rank, uint8_t *to)
{
    const uint32_t width = entry_map->input.element_bytes;
    for (size_t i = 0; entry_map->is_shuffled && i < n; i += KEYS) {
        uint64_t keys[KEYS];
        const size_t m = gsi_min_u64(KEYS, n - i);
        gsi_shuffle_keys(entry_map->seed, rank + i, m, keys);
        make_shuffled_entries(entry_map, keys, elements + i * width, m,
                              first + (places == NULL ? i : 0), places != NULL ? places + i : NULL,
                              to + i * entry_map->entry_bytes);
    }
    if (entry_map->is_shuffled)
        return;
    if (entry_map->kind == GSI_ENTRY_NUMBER && gsi_layout_is_native(&entry_map->input)) {
        make_number_entries(entry_map, elements, n, first, places, to);
        return;
    }
    for (size_t i = 0; i < n; i++, elements += width, to += entry_map->entry_bytes) {
        uint64_t position = first + (places != NULL ? places[i] : i);
        if (entry_map->kind == GSI_ENTRY_JOINED)
            memcpy(to, elements, width);
        else if (entry_map->kind == GSI_ENTRY_FIELDS)
            make_field_entry(entry_map, elements, to);
        else if (entry_map->kind == GSI_ENTRY_NUMBER)
            make_record_entry(entry_map, elements, position, to);
        else
            make_key_entry(entry_map, elements, position, to);
    }
}

/* Writes the positions in entries of 16, 8 or 4 bytes that are nothing but a number. */
GSI_INLINE gsi_u128 put_words(const struct gsi_entry_map *entry_map, const uint8_t *entries,
                              size_t n, uint8_t *to, uint32_t width, uint32_t written)
{
    const uint64_t mask =
        entry_map->position_bits < 64 ? ((uint64_t)1 << entry_map->position_bits) - 1 : UINT64_MAX;
    gsi_u128 sum = 0;
    for (size_t i = 0; i < n; i++) {
        uint64_t position = 0;
        memcpy(&position, entries + i * width, width < sizeof position ? width : sizeof position);
        position &= mask;
        memcpy(to + i * written, &position, written);
        sum += position;
    }
    return sum;
}

gsi_u128 gsi_entry_write(const struct gsi_entry_map *entry_map, const uint8_t *entries, size_t n,
                         uint64_t stride, uint8_t *to)
{
    const uint64_t behind = stride - entry_map->entry_bytes;
    gsi_u128 sum = 0;
    if (entry_map->kind == GSI_ENTRY_NUMBER && entry_map->entry_bytes == 16 &&
        entry_map->output_bytes == 8)
        return put_words(entry_map, entries, n, to, 16, 8);
    if (entry_map->kind == GSI_ENTRY_NUMBER && entry_map->entry_bytes == 16)
        return put_words(entry_map, entries, n, to, 16, 4);
    if (entry_map->kind == GSI_ENTRY_NUMBER)
        return entry_map->output_bytes == 8 ? put_words(entry_map, entries, n, to, 8, 8)
                                            : put_words(entry_map, entries, n, to, 8, 4);
    if (!gsi_entry_has_positions(entry_map) && entry_map->out_count == 1 && behind == 0) {
        gsi_copy_strided(to, entry_map->output_bytes, entries + entry_map->out[0].from, stride, n,
                         entry_map->output_bytes);
        return 0;
    }
    for (size_t i = 0; i < n; i++, entries += stride, to += entry_map->output_bytes + behind) {
        if (gsi_entry_has_positions(entry_map)) {
            uint64_t position;
            memcpy(&position, entries + entry_map->key_bytes, sizeof position);
            memcpy(to, &position, entry_map->output_bytes);
            sum += position;
        }
        for (uint32_t k = 0; k < entry_map->out_count; k++)
            memcpy(to + entry_map->out[k].to, entries + entry_map->out[k].from,
                   entry_map->out[k].bytes);
        if (behind > 0)
            memcpy(to + entry_map->output_bytes, entries + entry_map->entry_bytes, behind);
    }
    return sum;
}

gsi_u128 gsi_entry_write_positions(const struct gsi_entry_map *entry_map, const uint8_t *positions,
                                   size_t n, uint8_t *to)
{
    return entry_map->output_bytes == 8 ? put_words(entry_map, positions, n, to, 8, 8)
                                        : put_words(entry_map, positions, n, to, 4, 4);
}

bool gsi_entry_suits_device(const struct gsi_entry_map *entry_map)
{
    struct gsi_integer_map unused;
    return entry_map->kind == GSI_ENTRY_NUMBER && !entry_map->is_shuffled &&
           gsi_integer_map_make(entry_map->input.record, &unused);
}

/* ---- fields ---- */

void gsi_entry_fields(struct gsi_entry_map *entry_map, const struct gsi_layout *input)
{
    *entry_map = (struct gsi_entry_map){.kind = GSI_ENTRY_FIELDS, .input = *input};
}

void gsi_entry_need(struct gsi_entry_map *entry_map, uint32_t off, uint32_t bytes)
{
    entry_map->needed[entry_map->needed_count++] =
        (struct gsi_entry_range){.from = off, .bytes = bytes};
}

void gsi_entry_write_field(struct gsi_entry_map *entry_map, uint32_t off, uint32_t bytes)
{
    entry_map->out[entry_map->out_count++] =
        (struct gsi_entry_range){.from = off, .to = entry_map->output_bytes, .bytes = bytes};
    entry_map->output_bytes += bytes;
    gsi_entry_need(entry_map, off, bytes);
}

static int by_place(const void *a, const void *b)
{
    const struct gsi_entry_range *x = a, *y = b;
    return x->from < y->from ? -1 : x->from > y->from;
}

uint32_t gsi_entry_offset_of(const struct gsi_entry_map *entry_map, uint32_t off)
{
    uint32_t i = 0;
    while (entry_map->in[i].from + entry_map->in[i].bytes <= off)
        i++;
    return entry_map->in[i].to + off - entry_map->in[i].from;
}

void gsi_entry_lay_out(struct gsi_entry_map *entry_map, bool is_whole)
{
    if (is_whole)
        gsi_entry_need(entry_map, 0, entry_map->input.element_bytes);
    entry_map->is_whole = entry_map->is_shuffled && entry_map->out_count == 1 &&
                          entry_map->output_bytes == entry_map->input.element_bytes;
    qsort(entry_map->needed, entry_map->needed_count, sizeof *entry_map->needed, by_place);
    for (uint32_t i = 0; i < entry_map->needed_count; i++) {
        const struct gsi_entry_range *next = &entry_map->needed[i];
        struct gsi_entry_range *last =
            &entry_map->in[entry_map->in_count - (entry_map->in_count > 0)];
        uint32_t end = next->from + next->bytes;
        if (entry_map->in_count > 0 && next->from <= last->from + last->bytes)
            last->bytes = (uint32_t)gsi_max_u64(last->bytes, end - last->from);
        else
            entry_map->in[entry_map->in_count++] = *next;
    }
    for (uint32_t i = 0; i < entry_map->in_count; i++) {
        entry_map->in[i].to = entry_map->entry_bytes;
        entry_map->entry_bytes += entry_map->in[i].bytes;
    }
    for (uint32_t i = 0; i < entry_map->out_count; i++)
        entry_map->out[i].from = gsi_entry_offset_of(entry_map, entry_map->out[i].from);
}
