// sort_network.cuh: sorts a thread's keys in its registers by Batcher's odd-even merge sort, for
// any number of keys. It is unrolled at compile time so that every index is a constant. Source: K.
// Batcher, "Sorting networks and their applications", AFIPS 1968; Knuth, TAOCP vol. 3, section
// 5.2.2, algorithm M.
#ifndef GSI_SORT_NETWORK_CUH
#define GSI_SORT_NETWORK_CUH

#include "base/simd.h"

#include <cuda_runtime.h>

#include <utility>

// The comparators of a network for COUNT keys, in order.
template <int COUNT> struct gsi_network {
    struct list {
        int count;
        short low[COUNT * 12], high[COUNT * 12];
    };

    static constexpr list make()
    {
        list all = {};
        for (int p = 1; p < COUNT; p *= 2)
            for (int k = p; k >= 1; k /= 2)
                for (int j = k % p; j + k < COUNT; j += 2 * k)
                    for (int i = j; i < j + k && i + k < COUNT; i++)
                        if (i / (2 * p) == (i + k) / (2 * p)) {
                            all.low[all.count] = static_cast<short>(i);
                            all.high[all.count] = static_cast<short>(i + k);
                            all.count++;
                        }
        return all;
    }

    static constexpr list comparators = make();
};

template <int LOW, int HIGH, class Key>
GSI_HOST_DEVICE __forceinline__ void gsi_network_compare(Key *keys)
{
    const Key a = keys[LOW], b = keys[HIGH];
    const bool is_swapped = b < a;
    keys[LOW] = is_swapped ? b : a;
    keys[HIGH] = is_swapped ? a : b;
}

template <class Key, int COUNT, int... I>
GSI_HOST_DEVICE __forceinline__ void gsi_network_run(Key *keys, std::integer_sequence<int, I...>)
{
    (gsi_network_compare<gsi_network<COUNT>::comparators.low[I],
                         gsi_network<COUNT>::comparators.high[I]>(keys),
     ...);
}

// gsi_network_sort: sorts keys[COUNT] in ascending order. It is not stable, which is invisible with
// equal sort keys.
template <class Key, int COUNT>
GSI_HOST_DEVICE __forceinline__ void gsi_network_sort(Key (&keys)[COUNT])
{
    gsi_network_run<Key, COUNT>(
        keys, std::make_integer_sequence<int, gsi_network<COUNT>::comparators.count>());
}

#endif
