/* planes.c: computes differences and byte planes, for one block of keys at a time, so that the
 * differences stay in the L1 cache. Loops are simple, so that the compiler vectorises them. Only
 * the running sum in join is sequential. */
#include "run/planes.h"

#include "base/assert.h"
#include "base/checked.h"
#include "base/simd.h"
#include "base/u128.h"
#include "element/layout.h"
#include "element/record/record.h"
#include "element/width.h"

#include <string.h>

#define BLOCK GSI_CONSTANT(512u, 64u) /* keys */

typedef gsi_u128 __attribute__((may_alias)) lane_u128;

struct gsi_planes gsi_planes_of_bits(uint32_t key_bytes, const uint8_t differences[16])
{
    uint32_t first = 0, end = key_bytes;
    while (end > 0 && differences[end - 1] == 0)
        end--;
    while (first < end && differences[first] == 0)
        first++;
    return (struct gsi_planes){(uint8_t)first, (uint8_t)(end - first)};
}

GSI_SIMD_CLONES static uint32_t difference_bits_4(const gsi_lane_u32 *keys, size_t n)
{
    uint32_t bits = 0;
    for (size_t i = 1; i < n; i++)
        bits |= keys[i] - keys[i - 1];
    return bits;
}

GSI_SIMD_CLONES static uint64_t difference_bits_8(const gsi_lane_u64 *keys, size_t n)
{
    uint64_t bits = 0;
    for (size_t i = 1; i < n; i++)
        bits |= keys[i] - keys[i - 1];
    return bits;
}

static gsi_u128 difference_bits_16(const lane_u128 *keys, size_t n)
{
    gsi_u128 bits = 0;
    for (size_t i = 1; i < n; i++)
        bits |= keys[i] - keys[i - 1];
    return bits;
}

struct gsi_planes gsi_planes_of(uint32_t key_bytes, const void *keys, size_t n)
{
    gsi_u128 bits = GSI_BY_WIDTH(key_bytes, difference_bits_4(keys, n), difference_bits_8(keys, n),
                                 difference_bits_16(keys, n));
    uint8_t bytes[16];
    for (uint32_t b = 0; b < 16; b++)
        bytes[b] = (uint8_t)(bits >> 8 * b);
    return gsi_planes_of_bits(key_bytes, bytes);
}

/* Splits m words into planes. The lowest byte of a word is byte `skipped` of a difference. */
GSI_INLINE void split_words(const uint64_t *from, size_t m, size_t stride, struct gsi_planes which,
                            uint32_t skipped, uint8_t *planes)
{
    uint32_t end = which.first + which.count;
    for (uint32_t b = gsi_max_u32(which.first, skipped); b < end && b < skipped + 8; b++)
        for (size_t i = 0; i < m; i++)
            planes[(b - which.first) * stride + i] = (uint8_t)(from[i] >> 8 * (b - skipped));
}

GSI_SIMD_CLONES static void split_4(const gsi_lane_u32 *keys, size_t n, struct gsi_planes which,
                                    uint8_t *planes)
{
    uint32_t difference[BLOCK], previous = n > 0 ? keys[0] : 0;
    for (size_t at = 0; at < n; at += BLOCK) {
        size_t m = gsi_min_u64(BLOCK, n - at);
        difference[0] = keys[at] - previous;
        for (size_t i = 1; i < m; i++)
            difference[i] = keys[at + i] - keys[at + i - 1];
        previous = keys[at + m - 1];
        for (uint32_t p = 0; p < which.count; p++)
            for (size_t i = 0; i < m; i++)
                planes[p * n + at + i] = (uint8_t)(difference[i] >> 8 * (which.first + p));
    }
}

GSI_SIMD_CLONES static void split_8(const gsi_lane_u64 *keys, size_t n, struct gsi_planes which,
                                    uint8_t *planes)
{
    uint64_t difference[BLOCK], previous = n > 0 ? keys[0] : 0;
    for (size_t at = 0; at < n; at += BLOCK) {
        size_t m = gsi_min_u64(BLOCK, n - at);
        difference[0] = keys[at] - previous;
        for (size_t i = 1; i < m; i++)
            difference[i] = keys[at + i] - keys[at + i - 1];
        previous = keys[at + m - 1];
        split_words(difference, m, n, which, 0, planes + at);
    }
}

GSI_SIMD_CLONES static void split_16(const lane_u128 *keys, size_t n, struct gsi_planes which,
                                     uint8_t *planes)
{
    uint64_t low[BLOCK], high[BLOCK];
    gsi_u128 previous = n > 0 ? keys[0] : 0;
    for (size_t at = 0; at < n; at += BLOCK) {
        size_t m = gsi_min_u64(BLOCK, n - at);
        for (size_t i = 0; i < m; i++) {
            gsi_u128 difference = keys[at + i] - previous;
            previous = keys[at + i];
            low[i] = (uint64_t)difference;
            high[i] = (uint64_t)(difference >> 64);
        }
        split_words(low, m, n, which, 0, planes + at);
        split_words(high, m, n, which, 8, planes + at);
    }
}

/* Pointers into each plane at the same index; to zeros for planes that are not stored. */
struct plane_pointers {
    const uint8_t *plane[16];
};

static const uint8_t zeros[BLOCK];

GSI_INLINE struct plane_pointers planes_at(const uint8_t *planes, size_t n, struct gsi_planes which,
                                           size_t at)
{
    struct plane_pointers block;
    for (uint32_t b = 0; b < 16; b++)
        block.plane[b] = b >= which.first && b < (uint32_t)which.first + which.count
                             ? planes + (b - which.first) * n + at
                             : zeros;
    return block;
}

GSI_INLINE void join_u32(const uint8_t *const *p, size_t m, uint32_t *to)
{
    const uint8_t *p0 = p[0], *p1 = p[1], *p2 = p[2], *p3 = p[3];
    for (size_t i = 0; i < m; i++)
        to[i] =
            (uint32_t)p0[i] | (uint32_t)p1[i] << 8 | (uint32_t)p2[i] << 16 | (uint32_t)p3[i] << 24;
}

GSI_INLINE void join_u64(const uint8_t *const *p, size_t m, uint64_t *to)
{
    uint32_t low[BLOCK], high[BLOCK];
    join_u32(p, m, low);
    join_u32(p + 4, m, high);
    for (size_t i = 0; i < m; i++)
        to[i] = (uint64_t)high[i] << 32 | low[i];
}

GSI_SIMD_CLONES static void join_4(const uint8_t *planes, size_t n, struct gsi_planes which,
                                   uint32_t key, gsi_lane_u32 *keys)
{
    uint32_t difference[BLOCK];
    for (size_t at = 0; at < n; at += BLOCK) {
        size_t m = gsi_min_u64(BLOCK, n - at);
        struct plane_pointers block = planes_at(planes, n, which, at);
        join_u32(block.plane, m, difference);
        for (size_t i = 0; i < m; i++)
            keys[at + i] = key += difference[i];
    }
}

GSI_SIMD_CLONES static void join_8(const uint8_t *planes, size_t n, struct gsi_planes which,
                                   uint64_t key, gsi_lane_u64 *keys)
{
    uint64_t difference[BLOCK];
    for (size_t at = 0; at < n; at += BLOCK) {
        size_t m = gsi_min_u64(BLOCK, n - at);
        struct plane_pointers block = planes_at(planes, n, which, at);
        join_u64(block.plane, m, difference);
        for (size_t i = 0; i < m; i++)
            keys[at + i] = key += difference[i];
    }
}

GSI_SIMD_CLONES static void join_16(const uint8_t *planes, size_t n, struct gsi_planes which,
                                    gsi_u128 key, lane_u128 *keys)
{
    uint64_t low[BLOCK], high[BLOCK];
    for (size_t at = 0; at < n; at += BLOCK) {
        size_t m = gsi_min_u64(BLOCK, n - at);
        struct plane_pointers block = planes_at(planes, n, which, at);
        join_u64(block.plane, m, low);
        join_u64(block.plane + 8, m, high);
        for (size_t i = 0; i < m; i++)
            keys[at + i] = key += (gsi_u128)high[i] << 64 | low[i];
    }
}

void gsi_planes_split(uint32_t key_bytes, const void *keys, size_t n, struct gsi_planes which,
                      uint8_t *planes)
{
    GSI_BY_WIDTH(key_bytes, split_4(keys, n, which, planes), split_8(keys, n, which, planes),
                 split_16(keys, n, which, planes));
}

void gsi_planes_join(uint32_t key_bytes, const uint8_t *planes, size_t n, struct gsi_planes which,
                     const uint8_t *first_key, void *keys)
{
    gsi_u128 first = 0;
    memcpy(&first, first_key, key_bytes); /* little endian, as everywhere */
    GSI_BY_WIDTH(key_bytes, join_4(planes, n, which, (uint32_t)first, keys),
                 join_8(planes, n, which, (uint64_t)first, keys),
                 join_16(planes, n, which, first, keys));
}

/* ---- records: they are split in blocks that fit in the caches ---- */

#define RECORD_BLOCK GSI_CONSTANT(256u, 32u) /* records */

struct gsi_record_planes gsi_record_planes_of(const struct gsi_layout *layout)
{
    const struct gsi_record *record = layout->record;
    struct gsi_record_planes which = {.record_bytes = layout->key_bytes};
    if (gsi_layout_is_native(layout) || record->key_count == 0 || record->keys[0].number == NULL)
        return which;
    which.key_off = record->keys[0].off;
    which.key_bytes = record->keys[0].bytes;
    which.is_big_endian = record->keys[0].is_big_endian;
    return which;
}

static bool is_difference_byte(const struct gsi_record_planes *which, uint32_t byte)
{
    return byte - which->key_off < which->key_bytes;
}

/* Returns the offset in a record of byte `b` of the first key; byte 0 is the lowest. */
static uint32_t key_byte_idx(const struct gsi_record_planes *which, uint32_t b)
{
    return which->key_off + (which->is_big_endian ? which->key_bytes - 1 - b : b);
}

/* Subtracts from one byte of each of m records the same byte of the previous record. `previous`:
 * that byte before the first record; borrow[m]: borrows of the next lower byte, replaced by those
 * of this byte. */
static void subtract_previous(const uint8_t *from, size_t step, size_t m, uint32_t previous,
                              uint8_t *borrow, uint8_t *to)
{
    for (size_t i = 0; i < m; i++) {
        uint32_t byte = from[i * step], less = previous + borrow[i];
        to[i] = (uint8_t)(byte - less);
        borrow[i] = byte < less;
        previous = byte;
    }
}

static void add_previous(const uint8_t *from, size_t step, size_t m, uint32_t previous,
                         uint8_t *carry, uint8_t *to)
{
    for (size_t i = 0; i < m; i++) {
        uint32_t sum = previous + from[i] + carry[i];
        carry[i] = (uint8_t)(sum >> 8);
        previous = sum & 0xff;
        to[i * step] = (uint8_t)previous;
    }
}

void gsi_record_planes_split(const struct gsi_record_planes *which, const uint8_t *records,
                             size_t n, uint8_t *planes)
{
    const size_t step = which->record_bytes;
    for (size_t at = 0; at < n; at += RECORD_BLOCK) {
        const uint8_t *from = records + at * step;
        size_t m = gsi_min_u64(RECORD_BLOCK, n - at);
        uint8_t borrow[RECORD_BLOCK] = {0};
        for (uint32_t j = 0; j < step; j++)
            for (size_t i = 0; i < m && !is_difference_byte(which, j); i++)
                planes[j * n + at + i] = from[i * step + j];
        for (uint32_t b = 0; b < which->key_bytes; b++) {
            uint32_t j = key_byte_idx(which, b);
            subtract_previous(from + j, step, m, at > 0 ? from[j - step] : 0, borrow,
                              planes + j * n + at);
        }
    }
}

void gsi_record_planes_join(const struct gsi_record_planes *which, const uint8_t *planes, size_t n,
                            uint8_t *records)
{
    const size_t step = which->record_bytes;
    for (size_t at = 0; at < n; at += RECORD_BLOCK) {
        uint8_t *to = records + at * step;
        size_t m = gsi_min_u64(RECORD_BLOCK, n - at);
        uint8_t carry[RECORD_BLOCK] = {0};
        for (uint32_t j = 0; j < step; j++)
            for (size_t i = 0; i < m && !is_difference_byte(which, j); i++)
                to[i * step + j] = planes[j * n + at + i];
        for (uint32_t b = 0; b < which->key_bytes; b++) {
            uint32_t j = key_byte_idx(which, b);
            add_previous(planes + j * n + at, step, m, at > 0 ? to[j - step] : 0, carry, to + j);
        }
    }
}
