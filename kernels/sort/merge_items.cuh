// merge_items.cuh: merges one thread's share of a tile: ITEMS keys of two sorted arrays in shared
// memory, in registers.
//
// Padded arrays: each array is followed by ITEMS keys that no key exceeds. After a merge has used
// up one array, it compares with the array's padding, so the inner loop tests no bounds. If padding
// ties with keys, it is invisible which one is taken.
//
//     a[0] <= a[1] <= .. | ~0 ~0 ..    b[0] <= b[1] <= .. | ~0 ~0 ..
//      ->                               ->
//
// Facing arrays: the second one is in descending order, directly after the first,
//
//     a[0] <= a[1] <= .. | b[last] >= .. >= b[0]
//      ->                                   <-
//
// so that a merge that has used up the first array meets the second one's largest key, and the
// other way round. Comparing with that key decides nothing wrongly. Facing arrays need no padding,
// but a few instructions more.
#ifndef GSI_MERGE_ITEMS_CUH
#define GSI_MERGE_ITEMS_CUH

#include "base/u128.h"
#include "kernels/sort/key_turn.cuh"
#include "kernels/sort/merge_path.cuh"

// gsi_merge_step: copies the smaller of x and y to `out` (x if they are equal) and the other one to
// y. If y was the smaller, sets `at` to `other_at` and returns -1, otherwise returns 1. It makes
// one comparison. For keys wider than a register, compilers make one each for minimum, maximum and
// position.
template <class Key>
__device__ __forceinline__ int gsi_merge_step(Key x, Key &y, Key &out, uint32_t &at,
                                              uint32_t other_at)
{
    const bool is_y = y < x;
    out = is_y ? y : x;
    y = is_y ? x : y;
    at = is_y ? other_at : at;
    return is_y ? -1 : 1;
}

#ifdef __CUDA_ARCH__
template <>
__device__ __forceinline__ int gsi_merge_step(uint64_t x, uint64_t &y, uint64_t &out, uint32_t &at,
                                              uint32_t other_at)
{
    const uint32_t x_low = static_cast<uint32_t>(x), x_high = static_cast<uint32_t>(x >> 32);
    const uint32_t y_low = static_cast<uint32_t>(y), y_high = static_cast<uint32_t>(y >> 32);
    uint32_t out_low, out_high, left_low, left_high;
    int sign;
    asm("{\n\t"
        ".reg .pred is_y;\n\t"
        "setp.lt.u64 is_y, %8, %7;\n\t"
        "selp.b32 %0, %11, %9, is_y;\n\t"
        "selp.b32 %1, %12, %10, is_y;\n\t"
        "selp.b32 %2, %9, %11, is_y;\n\t"
        "selp.b32 %3, %10, %12, is_y;\n\t"
        "selp.b32 %4, %13, %6, is_y;\n\t"
        "selp.b32 %5, -1, 1, is_y;\n\t"
        "}"
        : "=&r"(out_low), "=&r"(out_high), "=&r"(left_low), "=&r"(left_high), "=&r"(at), "=&r"(sign)
        : "r"(at), "l"(x), "l"(y), "r"(x_low), "r"(x_high), "r"(y_low), "r"(y_high), "r"(other_at));
    out = static_cast<uint64_t>(out_high) << 32 | out_low;
    y = static_cast<uint64_t>(left_high) << 32 | left_low;
    return sign;
}

template <>
__device__ __forceinline__ int gsi_merge_step(gsi_u128 x, gsi_u128 &y, gsi_u128 &out, uint32_t &at,
                                              uint32_t other_at)
{
    const uint64_t x_low = static_cast<uint64_t>(x), x_high = static_cast<uint64_t>(x >> 64);
    const uint64_t y_low = static_cast<uint64_t>(y), y_high = static_cast<uint64_t>(y >> 64);
    uint64_t out_low, out_high, left_low, left_high;
    int sign;
    asm("{\n\t"
        ".reg .pred is_y;\n\t"
        "setp.lt.u64 is_y, %9, %7;\n\t"
        "setp.eq.and.u64 is_y, %10, %8, is_y;\n\t"
        "setp.lt.or.u64 is_y, %10, %8, is_y;\n\t"
        "selp.b64 %0, %9, %7, is_y;\n\t"
        "selp.b64 %1, %10, %8, is_y;\n\t"
        "selp.b64 %2, %7, %9, is_y;\n\t"
        "selp.b64 %3, %8, %10, is_y;\n\t"
        "selp.b32 %4, %11, %6, is_y;\n\t"
        "selp.b32 %5, -1, 1, is_y;\n\t"
        "}"
        : "=&l"(out_low), "=&l"(out_high), "=&l"(left_low), "=&l"(left_high), "=&r"(at), "=&r"(sign)
        : "r"(at), "l"(x_low), "l"(x_high), "l"(y_low), "l"(y_high), "r"(other_at));
    out = static_cast<gsi_u128>(out_high) << 64 | out_low;
    y = static_cast<gsi_u128>(left_high) << 64 | left_low;
    return sign;
}
#endif

template <class Key>
__device__ __forceinline__ Key gsi_key_at(const Key *keys, uint32_t offset_bytes)
{
    return *reinterpret_cast<const Key *>(reinterpret_cast<const char *>(keys) + offset_bytes);
}

// Merges the next ITEMS outputs of padded arrays, from the byte offsets a and b on.
//
// Only one of the two positions is kept: the position of x, minus the keys that every iteration
// adds to both positions together. Both together advance by one key per iteration, so the other
// position follows from their sum.
template <class Key, int ITEMS>
__device__ __forceinline__ void gsi_merge_padded(const Key *keys, uint32_t a, uint32_t b,
                                                 Key (&out)[ITEMS])
{
    constexpr uint32_t KEY_BYTES = sizeof(Key);
    const uint32_t sum = a + b;
    uint32_t at = a;
    Key x = gsi_key_at(keys, a), y = gsi_key_at(keys, b);
#pragma unroll
    for (uint32_t i = 0; i < ITEMS; i++) {
        gsi_merge_step(x, y, out[i], at, sum - at - i * KEY_BYTES);
        if (i + 1 < ITEMS)
            x = gsi_key_at(keys, at + (i + 1) * KEY_BYTES);
    }
}

// Merges outputs [diagonal, diagonal + ITEMS) of facing arrays: keys[0 .. a_count) and keys[a_count
// .. count), diagonal + ITEMS <= count.
//
// The two positions are kept as the position of x and the distance from it to the other one. x
// moves by `step`. When the two swap roles, the signs change.
template <class Key, int ITEMS>
__device__ __forceinline__ void gsi_merge_facing(const Key *keys, uint32_t a_count, uint32_t count,
                                                 uint32_t diagonal, Key (&out)[ITEMS])
{
    const uint32_t last = count - 1;
    const uint32_t a = gsi_merge_path<uint32_t>([=](uint32_t i) { return keys[i]; }, a_count,
                                                [=](uint32_t i) { return keys[last - i]; },
                                                count - a_count, diagonal);
    const uint32_t b = last - (diagonal - a);
    uint32_t at = a * sizeof(Key), step = sizeof(Key), way = (b - a) * sizeof(Key);
    Key x = keys[a], y = keys[static_cast<int>(b)];
#pragma unroll
    for (int i = 0; i < ITEMS; i++) {
        uint32_t move = step;
        way -= step;
        const uint32_t sign = static_cast<uint32_t>(gsi_merge_step(x, y, out[i], move, way));
        if (i + 1 < ITEMS) {
            at += move;
            step *= sign;
            way *= sign;
            x = gsi_key_at(keys, at);
        }
    }
}

// Writes the items to first[0], first[1], .. or, descending, to first[0], first[-1], ..
template <class Key, int ITEMS>
__device__ __forceinline__ void gsi_store_items(Key *first, bool is_descending,
                                                const Key (&items)[ITEMS])
{
    if (is_descending) {
#pragma unroll
        for (int i = 0; i < ITEMS; i++)
            first[-i] = items[i];
    } else {
#pragma unroll
        for (int i = 0; i < ITEMS; i++)
            first[i] = items[i];
    }
}

// Converts the keys in a thread's registers. Tags are made where they are needed, so they are not
// converted.
template <class Key, int ITEMS>
__device__ __forceinline__ void gsi_turn_to_bits(const gsi_key_turn &turn, Key (&keys)[ITEMS])
{
    if (!turn.to_bits)
        return;
#pragma unroll
    for (int i = 0; i < ITEMS; i++)
        keys[i] = gsi_number_of_key(turn, keys[i]);
}

struct gsi_tied_tag; // kernels/record/tied_tag.cuh

template <int ITEMS>
__device__ __forceinline__ void gsi_turn_to_bits(const gsi_key_turn &, gsi_tied_tag (&)[ITEMS])
{
}

#endif
