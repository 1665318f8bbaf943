// co_rank.cuh: computes co-ranks (which inputs the first k outputs of a merge are from) and merges
// sequentially.
//
// Both work on arrays or on rings of a circular buffer. They are for host and device, so that they
// are unit tested without a GPU. Source: C. Siebert and J. L. Traeff, "Efficient MPI implementation
// of a parallel, stable merge algorithm", EuroMPI 2012, section 3 (co-ranking). Here it is a
// bisection on one condition.
#ifndef GSI_CO_RANK_CUH
#define GSI_CO_RANK_CUH

#include "base/simd.h"

#include <cuda_runtime.h>

#include <cstdint>

// A key with a payload that does not affect the order: shows which of equal keys was first.
struct alignas(8) gsi_pair {
    uint32_t payload, key;
};

template <class T> GSI_HOST_DEVICE inline bool gsi_less(T a, T b)
{
    return a < b;
}

GSI_HOST_DEVICE inline bool gsi_less(gsi_pair a, gsi_pair b)
{
    return a.key < b.key;
}

// A circular buffer of `size` slots; item i is in slot start + i, and wraps to slot 0 at the end.
//
//   slot   0      start         size
//          [ 3 4 5 | . . | 0 1 2 ]        i < size, start < size < 2^31
template <class T> struct gsi_ring {
    T *slots;
    uint32_t start, size;

    GSI_HOST_DEVICE T &operator[](uint32_t i) const
    {
        const uint32_t slot = start + i;
        return slots[slot < size ? slot : slot - size];
    }
};

template <class T> GSI_HOST_DEVICE inline gsi_ring<T> gsi_skip(gsi_ring<T> ring, uint32_t i)
{
    const uint32_t slot = ring.start + i;
    return {ring.slots, slot < ring.size ? slot : slot - ring.size, ring.size};
}

template <class T> GSI_HOST_DEVICE inline T *gsi_skip(T *array, uint64_t i)
{
    return array + i;
}

// gsi_co_rank: returns how many of the first k outputs are from a; the other ones are from b. Equal
// keys of a are first. Array is a pointer or a ring, Index its unsigned index type.
// limit  k <= m + n, a sum that Index holds
//
// The result is the least i with a[i] > b[k - i - 1]. From i on, a follows b's first k - i.
// Below the result the condition fails, above it holds, so a bisection finds it. The index k - i
// never leaves b, because low starts at k - n.
template <class Index, class Array>
GSI_HOST_DEVICE Index gsi_co_rank(Index k, Array a, Index m, Array b, Index n)
{
    Index low = k > n ? k - n : 0, high = k < m ? k : m;
    while (low < high) {
        const Index i = low + (high - low) / 2;
        if (gsi_less(b[k - i - 1], a[i]))
            high = i;
        else
            low = i + 1;
    }
    return low;
}

// gsi_merge_sequential: merges a[0 .. m) and b[0 .. n) into out, equal keys of a first.
template <class Index, class Array, class T>
GSI_HOST_DEVICE void gsi_merge_sequential(Array a, Index m, Array b, Index n, T *out)
{
    Index i = 0, j = 0;
    while (i < m && j < n)
        *out++ = gsi_less(b[j], a[i]) ? b[j++] : a[i++];
    while (i < m)
        *out++ = a[i++];
    while (j < n)
        *out++ = b[j++];
}

// gsi_merge_part: writes outputs [first, end) of the merge of a and b to out[0 .. end - first).
template <class Index, class Array, class T>
GSI_HOST_DEVICE void gsi_merge_part(Array a, Index m, Array b, Index n, Index first, Index end,
                                    T *out)
{
    const Index i = gsi_co_rank(first, a, m, b, n), i_end = gsi_co_rank(end, a, m, b, n);
    const Index j = first - i, j_end = end - i_end;
    gsi_merge_sequential(gsi_skip(a, i), i_end - i, gsi_skip(b, j), j_end - j, out);
}

#endif
