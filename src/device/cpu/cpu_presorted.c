/* cpu_presorted.c: checks block by block whether keys ascend or descend, and sorts them otherwise.
 *
 * Keys may be out of place by a few positions, as times are that several sources wrote. Such keys
 * are sorted by steps of odd-even transposition (Knuth, TAOCP 3, 5.3.4), each of which moves a key
 * by one position. A block passes through all steps while it is in the nearest cache. Each step
 * ends one position before the previous step, so that the keys that it compares are present:
 *
 *     step 0  0-1 2-3 4-5 6-7 | 8-9 ..
 *     step 1   1-2 3-4 5-6 | 7-8 ..
 *     step 2  0-1 2-3 4-5 | 6-7 8-9 .. */
#include "device/cpu/cpu_presorted.h"

#include "base/assert.h"
#include "base/checked.h"
#include "base/simd.h"
#include "base/u128.h"
#include "device/cpu/cpu_leaf_sort.h"
#include "device/cpu/cpu_wide_sort.h"
#include "element/tally/digest.h"
#include "element/width.h"

#include <stdbool.h>
#include <string.h>

/* Keys per block: for random keys only the first block is read. */
#define BLOCK GSI_CONSTANT(1024, 64)

/* STEPS_MOST: most transposition steps. The first TRIED_KEYS keys show how many steps are enough;
 * they are checked after every STEPS_TRIED steps. With fewer than LATE_LEAST keys the trial costs
 * too much. */
#define STEPS_MOST  16
#define STEPS_TRIED 4
#define TRIED_KEYS  128
#define LATE_LEAST  GSI_CONSTANT(8192, 64)

#define REVERSE(name, T)                                 \
    static void name(T *keys, size_t n)                  \
    {                                                    \
        for (size_t i = 0, k = n - 1; i < k; i++, k--) { \
            T key = keys[i];                             \
            keys[i] = keys[k];                           \
            keys[k] = key;                               \
        }                                                \
    }
REVERSE(reverse_32, uint32_t)
REVERSE(reverse_64, uint64_t)
REVERSE(reverse_128, gsi_u128)

/* One step: compares and exchanges the keys at begin, begin + 2, .. < end, each with the key after
 * it. */
#define TRANSPOSE(name, T)                                                \
    GSI_SIMD_CLONES static void name(void *all, size_t begin, size_t end) \
    {                                                                     \
        T *keys = all;                                                    \
        for (size_t i = begin; i < end; i += 2) {                         \
            T a = keys[i], b = keys[i + 1];                               \
            keys[i] = a < b ? a : b;                                      \
            keys[i + 1] = a < b ? b : a;                                  \
        }                                                                 \
    }
TRANSPOSE(transpose_32, gsi_lane_u32)
TRANSPOSE(transpose_64, gsi_lane_u64)

static void transpose(uint32_t key_bytes, void *keys, size_t begin, size_t end)
{
    if (key_bytes == 4)
        transpose_32(keys, begin, end);
    else
        transpose_64(keys, begin, end);
}

/* Returns how many steps sort the first keys, or 0 if STEPS_MOST are not enough. */
static uint32_t steps_for(uint32_t key_bytes, const void *keys)
{
    uint64_t tried[TRIED_KEYS];
    memcpy(tried, keys, (size_t)TRIED_KEYS * key_bytes);
    for (uint32_t step = 0; step < STEPS_MOST; step++) {
        transpose(key_bytes, tried, step % 2, TRIED_KEYS - 1);
        if ((step + 1) % STEPS_TRIED == 0 && gsi_keys_drops(key_bytes, tried, TRIED_KEYS) == 0)
            return step + 1;
    }
    return 0;
}

/* Returns whether the steps sorted all keys. Stops at the first block that is not sorted. */
static bool even_out(uint32_t key_bytes, void *keys, size_t n)
{
    const uint32_t steps = key_bytes < 16 && n >= LATE_LEAST ? steps_for(key_bytes, keys) : 0;
    size_t in_order = 1; /* keys */
    for (size_t block = 0; steps > 0 && in_order < n; block += BLOCK) {
        for (uint32_t step = 0; step < steps; step++) {
            size_t begin = block == 0 ? step % 2 : block - step;
            transpose(key_bytes, keys, begin, gsi_min_u64(block + BLOCK - step, n - 1));
        }
        /* The last step's pairs are complete, and the keys before them do not change any more. */
        size_t end = gsi_min_u64(block + BLOCK - steps, n);
        const uint8_t *from = (const uint8_t *)keys + (in_order - 1) * key_bytes;
        if (gsi_keys_drops(key_bytes, from, end - in_order + 1) != 0)
            return false;
        in_order = end;
    }
    return steps > 0;
}

bool gsi_sort_keys(uint32_t key_bytes, void *keys, size_t n, void *scratch)
{
    const uint8_t *at = keys;
    bool rises = true, falls = true;
    /* Neighbouring blocks have one key in common. */
    for (size_t begin = 0; begin + 1 < n && (rises || falls); begin += BLOCK - 1) {
        size_t count = gsi_min_u64(BLOCK, n - begin);
        uint64_t drops = gsi_keys_drops(key_bytes, at + begin * key_bytes, count);
        rises = rises && drops == 0;
        falls = falls && drops == count - 1;
    }
    if (rises)
        return true;
    if (falls)
        GSI_BY_WIDTH(key_bytes, reverse_32(keys, n), reverse_64(keys, n), reverse_128(keys, n));
    else if (even_out(key_bytes, keys, n))
        return false;
    else if (key_bytes == 16 && scratch != NULL)
        gsi_wide_sort(keys, n, scratch);
    else
        gsi_leaf_sort(key_bytes, keys, n);
    return false;
}
