// watched.cuh: checks the range of every access of published kernels with faults. Such a kernel
// must not crash the test, so reads and writes out of range are reported instead of done.
#ifndef GSI_WATCHED_CUH
#define GSI_WATCHED_CUH

#include <cuda_runtime.h>

#include <cstdint>

// Events of a kernel besides its output; in device memory, 0 at first.
struct gsi_fate {
    uint32_t left_range, is_endless;
};

// Reading an item out of range returns T{}.
template <class T> struct gsi_watched {
    T *items;
    int count;
    gsi_fate *fate;

    __device__ bool has(int i) const
    {
        if (i >= 0 && i < count)
            return true;
        atomicExch(&fate->left_range, 1u);
        return false;
    }
    __device__ T get(int i) const
    {
        return has(i) ? items[i] : T{};
    }
    __device__ void set(int i, T x) const
    {
        if (has(i))
            items[i] = x;
    }
};

#endif
