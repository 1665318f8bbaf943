/* bench_cuda.c: wraps the CUDA runtime for the benches of kernels. */
#include "bench_cuda.h"

enum gs_status bench_cuda_check(cudaError_t code, const char *what, struct gs_error *error)
{
    const char *hint = code == cudaErrorMemoryAllocation ? "; a smaller --size takes less" : "";
    if (code == cudaSuccess)
        return GS_OK;
    return gsi_fail(error, GS_E_DEVICE, 0, "%s: %s%s", what, cudaGetErrorString(code), hint);
}

enum gs_status bench_cuda_find(struct cudaDeviceProp *device, struct gs_error *error)
{
    int count;
    CUDA_TRY("no CUDA device", cudaGetDeviceCount(&count));
    CUDA_TRY("CUDA device", cudaGetDeviceProperties(device, 0));
    return GS_OK;
}

enum gs_status bench_cuda_elapsed(cudaEvent_t begin, cudaEvent_t end, const char *what,
                                  uint64_t *ns, struct gs_error *error)
{
    float milliseconds = 0;
    CUDA_TRY(what, cudaEventElapsedTime(&milliseconds, begin, end));
    *ns = (uint64_t)((double)milliseconds * 1e6);
    return GS_OK;
}
