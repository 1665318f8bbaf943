// merge_path.cuh: computes co-ranks (merge path) for merges inside one tile; for host and device,
// so that it is unit tested without a GPU. Source: O. Green, R. McColl and D. Bader, "GPU merge
// path", ICS 2012, section 3.
#ifndef GSI_MERGE_PATH_CUH
#define GSI_MERGE_PATH_CUH

#include "base/simd.h"

#include <cmath>
#include <cstdint>
#include <cuda_runtime.h>

// gsi_search_near: returns the first index in [low, high) for which is_below(index) does not hold,
// or high. Few steps if it is near `guess`: the search begins there, and then tries `deviation`
// beside it.
#pragma nv_exec_check_disable // is_below may be a host function
template <class Index, class IsBelow>
GSI_HOST_DEVICE __forceinline__ Index gsi_search_near(Index low, Index high, Index guess,
                                                      Index deviation, IsBelow is_below)
{
    Index middle = guess;
    for (uint32_t step = 0; low < high; step++) {
        if (step > 1 || middle < low || middle >= high)
            middle = low + (high - low) / 2;
        const bool is_before = is_below(middle);
        low = is_before ? middle + 1 : low;
        high = is_before ? high : middle;
        middle = is_before ? guess + deviation : guess - deviation;
    }
    return low;
}

// gsi_merge_path: returns how many of the first `diagonal` outputs are from a; of equal keys, those
// of a are first. `a_at(i)` and `b_at(i)` return key i; both arrays are sorted. Few steps if they
// are evenly mixed.
// limit  diagonal <= a_count + b_count, which fits Index; Index is unsigned
#pragma nv_exec_check_disable // a_at and b_at may be host functions
template <class Index, class AtA, class AtB>
GSI_HOST_DEVICE __forceinline__ Index gsi_merge_path(AtA a_at, Index a_count, AtB b_at,
                                                     Index b_count, Index diagonal)
{
    const float all = static_cast<float>(a_count + b_count) + 1;
    const float share = static_cast<float>(diagonal) / all;
    return gsi_search_near<Index>(diagonal > b_count ? diagonal - b_count : 0,
                                  diagonal < a_count ? diagonal : a_count,
                                  static_cast<Index>(share * static_cast<float>(a_count)),
                                  static_cast<Index>(sqrtf(all) / 4) + 1,
                                  [&](Index i) { return !(b_at(diagonal - 1 - i) < a_at(i)); });
}

#endif
