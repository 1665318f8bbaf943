/* bench_cuda.h: declares what the benches of kernels share: errors of the CUDA runtime, the device,
 * and its events as a clock. */
#ifndef BENCH_CUDA_H
#define BENCH_CUDA_H

#include <cuda_runtime.h>

#ifdef __cplusplus
extern "C" {
#endif

#include "gsort-bench/bench.h"

/* bench_cuda_check: fails GS_E_DEVICE unless `code` is cudaSuccess; `what` begins the line. */
enum gs_status bench_cuda_check(cudaError_t code, const char *what, struct gs_error *error);

/* bench_cuda_find: returns the device that everything runs on. */
enum gs_status bench_cuda_find(struct cudaDeviceProp *device, struct gs_error *error);

/* bench_cuda_elapsed: returns the time between two events that have happened. */
enum gs_status bench_cuda_elapsed(cudaEvent_t begin, cudaEvent_t end, const char *what,
                                  uint64_t *ns, struct gs_error *error);

/* Return from the function if the call fails. */
#define STATUS_TRY(call)                       \
    do {                                       \
        const enum gs_status status_ = (call); \
        if (status_ != GS_OK)                  \
            return status_;                    \
    } while (0)
#define CUDA_TRY(what, call) STATUS_TRY(bench_cuda_check((call), (what), error))

#ifdef __cplusplus
}
#endif

#endif
