/* planes.c: differences and byte planes, a block at a time, so that the differences stay in the
 * nearest cache. Loops are plain, for the compiler to vectorise; only the running sum of join is
 * one step after another. */
#include "run/planes.h"

#include "base/checked.h"
#include "base/simd.h"
#include "base/u128.h"

#define BLOCK 512u /* keys */

typedef gsi_u128 __attribute__((may_alias)) lane_u128;

GSI_INLINE void split_u32(const uint32_t *from, size_t m, size_t stride, uint8_t *planes)
{
    for (size_t b = 0; b < 4; b++)
        for (size_t i = 0; i < m; i++)
            planes[b * stride + i] = (uint8_t)(from[i] >> 8 * b);
}

GSI_INLINE void split_u64(const uint64_t *from, size_t m, size_t stride, uint8_t *planes)
{
    for (size_t b = 0; b < 8; b++)
        for (size_t i = 0; i < m; i++)
            planes[b * stride + i] = (uint8_t)(from[i] >> 8 * b);
}

GSI_INLINE void join_u32(const uint8_t *planes, size_t m, size_t stride, uint32_t *to)
{
    const uint8_t *p0 = planes, *p1 = p0 + stride, *p2 = p1 + stride, *p3 = p2 + stride;
    for (size_t i = 0; i < m; i++)
        to[i] =
            (uint32_t)p0[i] | (uint32_t)p1[i] << 8 | (uint32_t)p2[i] << 16 | (uint32_t)p3[i] << 24;
}

GSI_INLINE void join_u64(const uint8_t *planes, size_t m, size_t stride, uint64_t *to)
{
    uint32_t low[BLOCK], high[BLOCK];
    join_u32(planes, m, stride, low);
    join_u32(planes + 4 * stride, m, stride, high);
    for (size_t i = 0; i < m; i++)
        to[i] = (uint64_t)high[i] << 32 | low[i];
}

GSI_SIMD_CLONES static void split_4(const gsi_lane_u32 *keys, size_t n, uint8_t *planes)
{
    uint32_t difference[BLOCK], before = 0;
    for (size_t at = 0; at < n; at += BLOCK) {
        size_t m = gsi_min_u64(BLOCK, n - at);
        difference[0] = keys[at] - before;
        for (size_t i = 1; i < m; i++)
            difference[i] = keys[at + i] - keys[at + i - 1];
        before = keys[at + m - 1];
        split_u32(difference, m, n, planes + at);
    }
}

GSI_SIMD_CLONES static void split_8(const gsi_lane_u64 *keys, size_t n, uint8_t *planes)
{
    uint64_t difference[BLOCK], before = 0;
    for (size_t at = 0; at < n; at += BLOCK) {
        size_t m = gsi_min_u64(BLOCK, n - at);
        difference[0] = keys[at] - before;
        for (size_t i = 1; i < m; i++)
            difference[i] = keys[at + i] - keys[at + i - 1];
        before = keys[at + m - 1];
        split_u64(difference, m, n, planes + at);
    }
}

GSI_SIMD_CLONES static void split_16(const lane_u128 *keys, size_t n, uint8_t *planes)
{
    uint64_t low[BLOCK], high[BLOCK];
    gsi_u128 before = 0;
    for (size_t at = 0; at < n; at += BLOCK) {
        size_t m = gsi_min_u64(BLOCK, n - at);
        for (size_t i = 0; i < m; i++) {
            gsi_u128 difference = keys[at + i] - before;
            before = keys[at + i];
            low[i] = (uint64_t)difference;
            high[i] = (uint64_t)(difference >> 64);
        }
        split_u64(low, m, n, planes + at);
        split_u64(high, m, n, planes + at + 8 * n);
    }
}

GSI_SIMD_CLONES static void join_4(const uint8_t *planes, size_t n, gsi_lane_u32 *keys)
{
    uint32_t difference[BLOCK], key = 0;
    for (size_t at = 0; at < n; at += BLOCK) {
        size_t m = gsi_min_u64(BLOCK, n - at);
        join_u32(planes + at, m, n, difference);
        for (size_t i = 0; i < m; i++)
            keys[at + i] = key += difference[i];
    }
}

GSI_SIMD_CLONES static void join_8(const uint8_t *planes, size_t n, gsi_lane_u64 *keys)
{
    uint64_t difference[BLOCK], key = 0;
    for (size_t at = 0; at < n; at += BLOCK) {
        size_t m = gsi_min_u64(BLOCK, n - at);
        join_u64(planes + at, m, n, difference);
        for (size_t i = 0; i < m; i++)
            keys[at + i] = key += difference[i];
    }
}

GSI_SIMD_CLONES static void join_16(const uint8_t *planes, size_t n, lane_u128 *keys)
{
    uint64_t low[BLOCK], high[BLOCK];
    gsi_u128 key = 0;
    for (size_t at = 0; at < n; at += BLOCK) {
        size_t m = gsi_min_u64(BLOCK, n - at);
        join_u64(planes + at, m, n, low);
        join_u64(planes + at + 8 * n, m, n, high);
        for (size_t i = 0; i < m; i++)
            keys[at + i] = key += (gsi_u128)high[i] << 64 | low[i];
    }
}

void gsi_planes_split(uint32_t key_bytes, const void *keys, size_t n, uint8_t *planes)
{
    if (key_bytes == 4)
        split_4(keys, n, planes);
    else if (key_bytes == 8)
        split_8(keys, n, planes);
    else
        split_16(keys, n, planes);
}

void gsi_planes_join(uint32_t key_bytes, const uint8_t *planes, size_t n, void *keys)
{
    if (key_bytes == 4)
        join_4(planes, n, keys);
    else if (key_bytes == 8)
        join_8(planes, n, keys);
    else
        join_16(planes, n, keys);
}
