/* tally_block.h: loads, maps and adds the elements of a block, for tally.c and digest.c, which
 * inline these functions into their clones.
 *
 * A block is small enough to stay in the first-level cache while several loops pass over it. Sums
 * of the 32-bit halves of its elements fit into a word. `bytes` is a constant where these functions
 * are called, so the compiler removes every branch on it. Elements are little-endian in memory, as
 * in files. */
#ifndef GSI_TALLY_BLOCK_H
#define GSI_TALLY_BLOCK_H

#include "base/assert.h"
#include "base/checked.h"
#include "base/simd.h"
#include "base/u128.h"
#include "element/layout.h"
#include "element/width.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "elements are little-endian");

/* 8 KiB of f64: the fastest overall of 512 to 8192 elements, all within 20 % of each other. */
#define GSI_BLOCK_ELEMENTS GSI_CONSTANT(1024, 64)
_Static_assert(GSI_BLOCK_ELEMENTS <= 1 << 10, "the low halves of a block add up to less than 2^42");

/* Returns the size of the next block, if `left` elements are left. */
GSI_INLINE size_t gsi_block_elements(size_t left)
{
    return left < GSI_BLOCK_ELEMENTS ? left : GSI_BLOCK_ELEMENTS;
}

/* The records of the next block: 16 KiB, but at most GSI_BLOCK_RECORDS. */
#define GSI_BLOCK_RECORDS 256u
static inline size_t gsi_block_records(uint32_t record_bytes, size_t left)
{
    return gsi_min_u64(left, gsi_clamp_u64(16384u / record_bytes, 1, GSI_BLOCK_RECORDS));
}

GSI_INLINE uint64_t gsi_block_load(const void *elements, size_t i, uint32_t bytes)
{
    return GSI_BY_WORD(bytes, ((const gsi_lane_u32 *)elements)[i],
                       ((const gsi_lane_u64 *)elements)[i]);
}

GSI_INLINE void gsi_block_store(void *elements, size_t i, uint32_t bytes, uint64_t x)
{
    GSI_BY_WORD(bytes, (void)(((gsi_lane_u32 *)elements)[i] = (uint32_t)x),
                (void)(((gsi_lane_u64 *)elements)[i] = x));
}

GSI_INLINE gsi_u128 gsi_block_load_u128(const void *elements, size_t i)
{
    const gsi_lane_u64 *halves = elements;
    return (gsi_u128)halves[2 * i + 1] << 64 | halves[2 * i];
}

GSI_INLINE uint64_t gsi_block_key(struct gsi_key_map map, uint64_t bits, uint32_t bytes)
{
    return GSI_BY_WORD(bytes, gsi_key_of_u32(map, (uint32_t)bits), gsi_key_of_u64(map, bits));
}

GSI_INLINE uint64_t gsi_block_bits(struct gsi_key_map map, uint64_t key, uint32_t bytes)
{
    return GSI_BY_WORD(bytes, gsi_bits_of_u32(map, (uint32_t)key), gsi_bits_of_u64(map, key));
}

/* Maps 16-byte elements to keys, or back, in place or elsewhere. */
static inline void gsi_block_map_128(struct gsi_key_map map, const void *from, size_t n, void *to)
{
    const gsi_lane_u64 *words = (const gsi_lane_u64 *)from;
    gsi_lane_u64 *out = (gsi_lane_u64 *)to;
    for (size_t i = 0; i < n; i++) {
        out[2 * i] = gsi_key_low(map, words[2 * i]);
        out[2 * i + 1] = gsi_key_high(map, words[2 * i + 1]);
    }
}

/* Adds at most GSI_BLOCK_ELEMENTS words: `wrapped` modulo 2^64, and their high halves. Both give
 * the sum of the low halves, which is less than 2^42. */
struct gsi_block_sum {
    uint64_t wrapped, high_halves;
};

GSI_INLINE void gsi_block_sum_add(struct gsi_block_sum *sum, uint64_t x)
{
    sum->wrapped += x;
    sum->high_halves += x >> 32;
}

GSI_INLINE gsi_u128 gsi_block_sum_total(struct gsi_block_sum sum)
{
    uint64_t low_halves = sum.wrapped - (sum.high_halves << 32);
    return ((gsi_u128)sum.high_halves << 32) + low_halves;
}

/* Returns whether elements and sort keys are the same bits. */
GSI_INLINE bool gsi_block_map_is_identity(struct gsi_key_map map)
{
    return (map.flip | map.sign | map.shift | map.invert) == 0;
}

#endif
