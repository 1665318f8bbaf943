// device_test.h: contains shared code of tests of kernels on the emulated GPU or a real one.
#ifndef DEVICE_TEST_H
#define DEVICE_TEST_H

#include "support/support.h"

#include "kernels/common/bulk_copy.cuh"

#include <cuda_runtime.h>

#define check_cuda(call)                                                  \
    do {                                                                  \
        const cudaError_t error_ = (call);                                \
        if (error_ != cudaSuccess)                                        \
            test_fail("%s: CUDA: %s", #call, cudaGetErrorString(error_)); \
    } while (0)

// Returns whether kernels copy in bulk here.
static inline bool has_bulk_copies()
{
#ifdef GSORT_TEST_EMULATED_GPU
    return GSI_HAS_BULK_COPY;
#else
    int major;
    check_cuda(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0));
    return major >= GSI_BULK_COPY_MAJOR;
#endif
}

// In main: whether there is a GPU; if not, the program says so and ends with NOT_RUN. The emulated
// one is always there, and one that is there works, or the tests fail.
static inline bool has_device()
{
    int count = 0;
    const cudaError_t code = cudaGetDeviceCount(&count);
    if (code != cudaErrorNoDevice && code != cudaErrorInsufficientDriver && count > 0)
        return true;
    puts("skipped: no GPU");
    return false;
}
#ifdef GSORT_TEST_EMULATED_GPU
constexpr int NOT_RUN = 1;
#else
constexpr int NOT_RUN = 77;
#endif

#endif
