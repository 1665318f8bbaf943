// merge_items.cuh: what one thread of a block merges: ITEMS keys of two sorted arrays in shared
// memory, from registers to registers.
//
// Facing arrays: the second lies in descending order right behind the first,
//
//     a[0] <= a[1] <= .. | b[last] >= .. >= b[0]
//      ->                                   <-
//
// so that a merge that has used up the first meets the second's largest key, and the other way
// round: comparing with it decides nothing wrongly, and the inner loop tests no bounds.
#ifndef GSI_MERGE_ITEMS_CUH
#define GSI_MERGE_ITEMS_CUH

#include "kernels/sort/merge_path.cuh"

// Outputs [diagonal, diagonal + ITEMS) of facing arrays: keys[0 .. a_count) and keys[a_count ..
// count). Outputs past the end are of no use; for them up to ITEMS keys before the first array's
// and behind the second's end are read.
template <class Key, int ITEMS>
__device__ __forceinline__ void gsi_merge_facing(const Key *keys, uint32_t a_count, uint32_t count,
                                                 uint32_t diagonal, Key (&out)[ITEMS])
{
    const uint32_t last = count - 1;
    // Places are 32-bit indices: pointers would take twice the registers.
    uint32_t a = gsi_merge_path<uint32_t>([=](uint32_t i) { return keys[i]; }, a_count,
                                          [=](uint32_t i) { return keys[last - i]; },
                                          count - a_count, diagonal);
    uint32_t b = last - (diagonal - a);
    Key a_key = keys[a], b_key = keys[static_cast<int>(b)];
#pragma unroll
    for (int i = 0; i < ITEMS; i++) {
        const bool is_b = b_key < a_key;
        out[i] = is_b ? b_key : a_key;
        if (i + 1 == ITEMS)
            break;
        a += !is_b;
        b -= is_b;
        const Key next = keys[static_cast<int>(is_b ? b : a)];
        b_key = is_b ? next : b_key;
        a_key = is_b ? a_key : next;
    }
}

// The same of ascending arrays keys[a .. a_end) and keys[b .. b_end); reads up to ITEMS keys behind
// each.
template <class Key, int ITEMS>
__device__ __forceinline__ void gsi_merge_bounded(const Key *keys, uint32_t a, uint32_t a_end,
                                                  uint32_t b, uint32_t b_end, uint32_t diagonal,
                                                  Key (&out)[ITEMS])
{
    const uint32_t taken =
        gsi_merge_path<uint32_t>([=](uint32_t i) { return keys[a + i]; }, a_end - a,
                                 [=](uint32_t i) { return keys[b + i]; }, b_end - b, diagonal);
    a += taken;
    b += diagonal - taken;
    Key a_key = keys[a], b_key = keys[b];
#pragma unroll
    for (int i = 0; i < ITEMS; i++) {
        const bool is_b = b < b_end && (a >= a_end || b_key < a_key);
        out[i] = is_b ? b_key : a_key;
        if (i + 1 == ITEMS)
            break;
        a += !is_b;
        b += is_b;
        const Key next = keys[is_b ? b : a];
        b_key = is_b ? next : b_key;
        a_key = is_b ? a_key : next;
    }
}

// The first `count` items to first[0], first[1], .. or, descending, first[0], first[-1], ..
template <class Key, int ITEMS>
__device__ __forceinline__ void gsi_store_items(Key *first, bool is_descending, uint32_t count,
                                                const Key (&items)[ITEMS])
{
    if (count < ITEMS) {
#pragma unroll
        for (int i = 0; i < ITEMS; i++)
            if (i < static_cast<int>(count))
                first[is_descending ? -i : i] = items[i];
    } else if (is_descending) {
#pragma unroll
        for (int i = 0; i < ITEMS; i++)
            first[-i] = items[i];
    } else {
#pragma unroll
        for (int i = 0; i < ITEMS; i++)
            first[i] = items[i];
    }
}

#endif
