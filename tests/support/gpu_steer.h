// gpu_steer.h: lets tests control and observe the GPU that they run on, emulated or real.
//
// Tests control everything about the emulated GPU (emulated_cuda.h). For a real GPU, real_gpu.cc
// replaces calls of the runtime (gsort_steer_gpu in CMake). These calls fail on request, and their
// memory is counted. A real GPU has its own schedule, and tests cannot lose a GPU while work is
// queued.
#ifndef GPU_STEER_H
#define GPU_STEER_H

#include <cuda_runtime.h>

#ifdef GSORT_TEST_EMULATED_GPU
#include "emulated_cuda.h"

constexpr bool GPU_IS_EMULATED = true;

static inline void gpu_seed(uint64_t seed)
{
    emulated_cuda_seed(seed);
}

static inline void gpu_set_background(bool is_on)
{
    emulated_cuda_set_background(is_on);
}

static inline void gpu_fail_call(const char *name, uint64_t n, cudaError_t error)
{
    emulated_cuda_fail_call(name, n, error);
}

static inline bool gpu_fault_happened(void)
{
    return emulated_cuda_fault_happened();
}

static inline uint64_t gpu_live_objects(void)
{
    return emulated_cuda_live_objects();
}
#else
#include <stdint.h>

constexpr bool GPU_IS_EMULATED = false;

static inline void gpu_seed(uint64_t)
{
}

static inline void gpu_set_background(bool)
{
}

// real_gpu.cc, as emulated_cuda.h says.
void gpu_fail_call(const char *name, uint64_t n, cudaError_t error);
bool gpu_fault_happened(void);
uint64_t gpu_live_objects(void);
#endif

#endif
