/* integer_record.c: makes the maps of integer and inline records, and maps the numbers in them that
 * vectors of bytes cannot map. */
#include "element/record/integer_record.h"

#include "base/assert.h"
#include "base/checked.h"
#include "base/simd.h"
#include "element/record/record_tags.h"

#include <string.h>

#define NOTHING 0x80u /* an index of a byte that is zero */

/* The most bits of an inline record's index. */
#define INDEX_BITS GSI_CONSTANT(GSI_TAG_INDEX_BITS, 16u)

_Static_assert(GSI_INTEGER_PARTS_MAX >= sizeof(((struct gsi_integer_map *)NULL)->from) / 2,
               "an integer contains no more floats than parts");

/* Integers whose numbers are mapped while they are in the first-level cache. */
#define BLOCK GSI_CONSTANT(512u, 32u)

/* ---- maps ---- */

/* Adds the number whose lowest byte is byte `low` of the integer. Returns false if the number is in
 * both halves. */
static bool add_mapped(struct gsi_integer_map *map, const struct gsi_key_part *part, uint32_t low)
{
    struct gsi_integer_part *mapped = &map->parts[map->part_count++];
    if (low / 8 != (low + part->bytes - 1) / 8)
        return false;
    mapped->half = low / 8;
    mapped->shift = 8 * (low % 8);
    mapped->bits = 8 * part->bytes;
    mapped->map = part->map;
    return true;
}

/* Adds the bytes of a key part, the most significant byte at byte `at` of the integer. */
static bool add_part(struct gsi_integer_map *map, const struct gsi_key_part *part, uint32_t at,
                     bool *is_covered)
{
    const struct gsi_key_map *key_map = &part->map;
    bool is_mapped = key_map->flip != 0 || key_map->shift != 0; /* others need flips only */
    bool is_low_first = part->is_number && !part->is_big_endian;
    for (uint32_t i = 0; i < part->bytes; i++) {
        uint32_t off = part->off + (is_low_first ? part->bytes - 1 - i : i);
        uint64_t flips = key_map->sign ^ key_map->invert;
        if (part->is_number)
            flips >>= 56 - 8 * i;
        if (is_covered[off])
            return false;
        is_covered[off] = true;
        map->from[at - i] = (uint8_t)off;
        map->to[off] = (uint8_t)(at - i);
        map->flip[at - i] = is_mapped ? 0 : (uint8_t)flips;
    }
    return !is_mapped || add_mapped(map, part, at + 1 - part->bytes);
}

/* Adds the keys, from the most significant byte of the integer on. */
static bool add_keys(struct gsi_integer_map *map, const struct gsi_record *record, bool *is_covered)
{
    for (uint32_t i = 0; i < record->part_count; i++) {
        const struct gsi_key_part *part = &record->parts[i];
        if (!add_part(map, part, map->key_bytes - 1 - part->at, is_covered))
            return false;
    }
    return true;
}

static void begin(struct gsi_integer_map *map, const struct gsi_record *record, uint32_t key_bytes)
{
    *map = (struct gsi_integer_map){.element_bytes = record->bytes, .key_bytes = key_bytes};
    memset(map->from, NOTHING, sizeof map->from);
    memset(map->to, NOTHING, sizeof map->to);
}

bool gsi_integer_map_make(const struct gsi_record *record, struct gsi_integer_map *map)
{
    bool is_covered[16] = {false};
    uint32_t bytes = record->bytes;
    if ((bytes != 4 && bytes != 8 && bytes != 16) || record->key_bytes != bytes)
        return false;
    begin(map, record, bytes);
    if (!add_keys(map, record, is_covered))
        return false;
    for (uint32_t i = bytes; i < 16; i++) {
        map->from[i] = (uint8_t)(map->from[i - bytes] + bytes);
        map->to[i] = (uint8_t)(map->to[i - bytes] + bytes);
        map->flip[i] = map->flip[i - bytes];
    }
    return true;
}

bool gsi_inline_map_make(const struct gsi_record *record, struct gsi_integer_map *map)
{
    bool is_covered[GSI_INLINE_BYTES_MAX] = {false};
    uint32_t at = 0;
    if (record->bytes > GSI_INLINE_BYTES_MAX || record->key_bytes > record->bytes)
        return false;
    begin(map, record, 16);
    if (!add_keys(map, record, is_covered))
        return false;
    for (uint32_t off = record->bytes; off-- > 0;) {
        if (is_covered[off])
            continue;
        map->from[at] = (uint8_t)off;
        map->to[off] = (uint8_t)at++;
    }
    map->index_shift = 8 * at;
    map->index_bits = gsi_min_u32(INDEX_BITS, 8 * (16 - record->bytes));
    return true;
}

/* ---- numbers in integers ---- */

GSI_INLINE void map_all_64(struct gsi_integer_part part, gsi_lane_u64 *halves, size_t n,
                           size_t step, bool is_back)
{
    for (size_t i = 0; i < n; i++)
        halves[i * step] = gsi_integer_part_map(&part, halves[i * step], is_back);
}

GSI_INLINE void map_all_32(struct gsi_integer_part part, gsi_lane_u32 *integers, size_t n,
                           bool is_back)
{
    for (size_t i = 0; i < n; i++)
        integers[i] = (uint32_t)gsi_integer_part_map(&part, integers[i], is_back);
}

GSI_SIMD_CLONES static void map_parts(struct gsi_integer_part part, uint32_t key_bytes,
                                      void *integers, size_t n)
{
    if (key_bytes == 4)
        map_all_32(part, integers, n, false);
    else if (key_bytes == 8)
        map_all_64(part, integers, n, 1, false);
    else
        map_all_64(part, (gsi_lane_u64 *)integers + part.half, n, 2, false);
}

GSI_SIMD_CLONES static void unmap_parts(struct gsi_integer_part part, uint32_t key_bytes,
                                        void *integers, size_t n)
{
    if (key_bytes == 4)
        map_all_32(part, integers, n, true);
    else if (key_bytes == 8)
        map_all_64(part, integers, n, 1, true);
    else
        map_all_64(part, (gsi_lane_u64 *)integers + part.half, n, 2, true);
}

static void add_indexes(const struct gsi_integer_map *map, uint64_t index, void *integers, size_t n)
{
    gsi_lane_u64 *halves = integers;
    const uint32_t shift = map->index_shift;
    for (size_t i = 0; i < n; i++) {
        gsi_u128 low = (gsi_u128)(index + i) << shift;
        halves[2 * i] |= (uint64_t)low;
        halves[2 * i + 1] |= (uint64_t)(low >> 64);
    }
}

void gsi_records_to_integers(const struct gsi_integer_map *map, const void *elements, size_t n,
                             uint64_t index, void *integers)
{
    const uint8_t *from = elements;
    uint8_t *to = integers;
    for (size_t step; n > 0; n -= step, index += step) {
        step = gsi_min_u64(n, BLOCK);
        gsi_integers_shuffle_in(map, from, step, to);
        for (uint32_t i = 0; i < map->part_count; i++)
            map_parts(map->parts[i], map->key_bytes, to, step);
        if (map->index_bits > 0)
            add_indexes(map, index, to, step);
        from += step * map->element_bytes;
        to += step * map->key_bytes;
    }
}

/* Maps the numbers in a copy, because the integers stay as they are. */
static void unmap_block(const struct gsi_integer_map *map, const void *integers, size_t n,
                        void *elements)
{
    uint64_t mapped[2 * BLOCK];
    memcpy(mapped, integers, n * map->key_bytes);
    for (uint32_t i = 0; i < map->part_count; i++)
        unmap_parts(map->parts[i], map->key_bytes, mapped, n);
    gsi_integers_shuffle_out(map, mapped, n, elements);
}

void gsi_integers_to_records(const struct gsi_integer_map *map, const void *integers, size_t n,
                             void *elements)
{
    const uint8_t *from = integers;
    uint8_t *to = elements;
    if (map->part_count == 0) {
        gsi_integers_shuffle_out(map, from, n, to);
        return;
    }
    for (size_t step; n > 0; n -= step) {
        step = gsi_min_u64(n, BLOCK);
        unmap_block(map, from, step, to);
        from += step * map->key_bytes;
        to += step * map->element_bytes;
    }
}
