// device_test.h: what tests of kernels share that run over the emulated GPU or a real one.
#ifndef DEVICE_TEST_H
#define DEVICE_TEST_H

extern "C" {
#include "support/support.h"
}

#include <cuda_runtime.h>

#define check_cuda(call)                                                  \
    do {                                                                  \
        const cudaError_t error_ = (call);                                \
        if (error_ != cudaSuccess)                                        \
            test_fail("%s: CUDA: %s", #call, cudaGetErrorString(error_)); \
    } while (0)

// In main: where there is no GPU the program says so and is skipped.
static inline bool has_device()
{
    int count;
    if (cudaGetDeviceCount(&count) == cudaSuccess && count > 0)
        return true;
    fputs("no CUDA device: not run\n", stderr);
    return false;
}
constexpr int NOT_RUN = 77;

#endif
