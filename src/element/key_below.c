/* key_below.c: counts the keys of a block that are below a bound, without a branch, so that the
 * loop vectorises. Only if there are any does a second loop pick them, element by element. */
#include "element/compare.h"

#include "base/assert.h"
#include "element/record/integer_record.h"
#include "element/tally/digest.h"
#include "element/tally/tally_block.h"

#include <string.h>

/* Elements per block. If a thousand elements of many millions are wanted, nearly no block contains
 * one. A block that does is still a small part of the input. */
#define BLOCK GSI_CONSTANT(128u, 16u)

GSI_INLINE size_t block_end(size_t begin, size_t n)
{
    return n - begin < BLOCK ? n : begin + BLOCK;
}

/* ---- 4 and 8 bytes ---- */

GSI_INLINE size_t below(struct gsi_key_map map, const void *elements, size_t n, uint64_t bound,
                        void *keys, uint32_t bytes)
{
    size_t count = 0;
    for (size_t begin = 0, end; begin < n; begin = end) {
        uint32_t found = 0;
        end = block_end(begin, n);
        for (size_t i = begin; i < end; i++)
            found += gsi_block_key(map, gsi_block_load(elements, i, bytes), bytes) < bound;
        if (found == 0)
            continue;
        for (size_t i = begin; i < end; i++) {
            uint64_t key = gsi_block_key(map, gsi_block_load(elements, i, bytes), bytes);
            gsi_block_store(keys, count, bytes, key); /* count <= i: it may be the same memory */
            count += key < bound;
        }
    }
    return count;
}

GSI_SIMD_CLONES static size_t below_32(struct gsi_key_map map, const void *elements, size_t n,
                                       uint64_t bound, void *keys)
{
    return below(map, elements, n, bound, keys, 4);
}

GSI_SIMD_CLONES static size_t below_64(struct gsi_key_map map, const void *elements, size_t n,
                                       uint64_t bound, void *keys)
{
    return below(map, elements, n, bound, keys, 8);
}

/* ---- 16 bytes: words of 8, of which the second is the high one ---- */

GSI_SIMD_CLONES static size_t below_128(struct gsi_key_map map, const void *elements, size_t n,
                                        uint64_t bound_low, uint64_t bound_high, void *keys)
{
    const gsi_lane_u64 *words = elements;
    gsi_lane_u64 *out = keys;
    size_t count = 0;
    for (size_t begin = 0, end; begin < n; begin = end) {
        uint64_t found = 0;
        end = block_end(begin, n);
        for (size_t i = begin; i < end; i++)
            found += gsi_key_high(map, words[2 * i + 1]) <= bound_high;
        if (found == 0)
            continue;
        for (size_t i = begin; i < end; i++) {
            uint64_t low = gsi_key_low(map, words[2 * i]);
            uint64_t high = gsi_key_high(map, words[2 * i + 1]);
            out[2 * count] = low;
            out[2 * count + 1] = high;
            count += high < bound_high || (high == bound_high && low < bound_low);
        }
    }
    return count;
}

static size_t all_below(const struct gsi_layout *layout, const void *elements, size_t n,
                        const void *bound, void *keys)
{
    return GSI_BY_WIDTH(layout->key_bytes,
                        below_32(layout->map, elements, n, gsi_block_load(bound, 0, 4), keys),
                        below_64(layout->map, elements, n, gsi_block_load(bound, 0, 8), keys),
                        below_128(layout->map, elements, n, gsi_block_load(bound, 0, 8),
                                  gsi_block_load(bound, 1, 8), keys));
}

/* Converts records to integers block by block; the map of integers is that of unsigned numbers. */
static size_t integers_below(const struct gsi_layout *layout, const void *elements, size_t n,
                             const void *bound, void *keys)
{
    uint64_t integers[2 * GSI_BLOCK_ELEMENTS];
    const uint8_t *from = elements;
    uint8_t *to = keys;
    size_t count = 0;
    for (size_t step; n > 0; n -= step, from += step * layout->element_bytes) {
        step = gsi_block_elements(n);
        gsi_records_to_integers(layout->integer_map, from, step, 0, integers);
        count += all_below(layout, integers, step, bound, to + count * layout->key_bytes);
    }
    return count;
}

size_t gsi_keys_below(const struct gsi_layout *layout, const void *elements, size_t n,
                      const void *bound, void *keys)
{
    if (bound == NULL) {
        gsi_elements_to_keys(layout, elements, n, keys);
        return n;
    }
    return (layout->integer_map != NULL ? integers_below : all_below)(layout, elements, n, bound,
                                                                      keys);
}

/* ---- keys ---- */

/* Lomuto's partition without a branch: keys in [0, below) are below the bound, keys in [below, i)
 * are not. The next key is always swapped with the first of the latter. */
GSI_INLINE size_t partition(void *keys, size_t n, uint64_t bound, uint32_t bytes)
{
    size_t count = 0;
    for (size_t i = 0; i < n; i++) {
        uint64_t key = gsi_block_load(keys, i, bytes);
        gsi_block_store(keys, i, bytes, gsi_block_load(keys, count, bytes));
        gsi_block_store(keys, count, bytes, key);
        count += key < bound;
    }
    return count;
}

static size_t partition_128(gsi_u128 *keys, size_t n, gsi_u128 bound)
{
    size_t count = 0;
    for (size_t i = 0; i < n; i++) {
        gsi_u128 key = keys[i];
        keys[i] = keys[count];
        keys[count] = key;
        count += key < bound;
    }
    return count;
}

size_t gsi_keys_partition(uint32_t key_bytes, void *keys, size_t n, const void *bound)
{
    return GSI_BY_WIDTH(key_bytes, partition(keys, n, gsi_block_load(bound, 0, 4), 4),
                        partition(keys, n, gsi_block_load(bound, 0, 8), 8),
                        partition_128(keys, n, gsi_block_load_u128(bound, 0)));
}
