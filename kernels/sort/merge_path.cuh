// merge_path.cuh: computes co-ranks (merge path) for merges inside one tile; for host and device,
// so that it is unit tested without a GPU. Source: O. Green, R. McColl and D. Bader, "GPU merge
// path", ICS 2012, section 3.
#ifndef GSI_MERGE_PATH_CUH
#define GSI_MERGE_PATH_CUH

#include "base/simd.h"

#include <cstdint>
#include <cuda_runtime.h>

// gsi_merge_path: returns how many of the first `diagonal` outputs are from a; of equal keys, those
// of a are first. `a_at(i)` and `b_at(i)` return key i; both arrays are sorted.
// limit  diagonal <= a_count + b_count, which fits Index; Index is unsigned
#pragma nv_exec_check_disable // a_at and b_at may be host functions
template <class Index, class AtA, class AtB>
GSI_HOST_DEVICE __forceinline__ Index gsi_merge_path(AtA a_at, Index a_count, AtB b_at,
                                                     Index b_count, Index diagonal)
{
    Index low = diagonal > b_count ? diagonal - b_count : 0;
    Index high = diagonal < a_count ? diagonal : a_count;
    while (low < high) {
        const Index middle = low + (high - low) / 2;
        if (b_at(diagonal - 1 - middle) < a_at(middle))
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

#endif
