// launch.cuh: wraps dynamic shared memory and kernel launches. Kernels and hosts use these wrappers
// instead of the CUDA textbook's forms. So the same files also compile for the host and run in the
// tests' emulation (tests/emulated_cuda).
#ifndef GSI_LAUNCH_CUH
#define GSI_LAUNCH_CUH

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

// GSI_DYNAMIC_SHARED(type, name): defines `type *name` as the block's dynamic shared memory,
// aligned to 128 bytes. The emulation has its own definition.
#ifndef GSI_DYNAMIC_SHARED
#define GSI_DYNAMIC_SHARED(type, name)                                   \
    extern __shared__ __align__(128) unsigned char gsi_dynamic_shared[]; \
    type *const name = reinterpret_cast<type *>(gsi_dynamic_shared)
#endif

// GSI_OUT_OF_LINE: marks a function that is not inlined. The emulation has its own definition.
#ifndef GSI_OUT_OF_LINE
#define GSI_OUT_OF_LINE __noinline__
#endif

// GSI_CUDA_TRY: returns the call's error from the calling function, if there is one.
#define GSI_CUDA_TRY(call)                                   \
    do {                                                     \
        if (const cudaError_t try_error = (call); try_error) \
            return try_error;                                \
    } while (0)

// gsi_launch: kernel<<<grid, block, shared_bytes, stream>>>(args...) as a call. Returns the error
// of the launch; errors of the kernel are reported by the next synchronisation of the stream.
template <class... Parameters, class... Arguments>
cudaError_t gsi_launch(void (*kernel)(Parameters...), dim3 grid, dim3 block, size_t shared_bytes,
                       cudaStream_t stream, Arguments... arguments)
{
    cudaLaunchConfig_t config = {};
    config.gridDim = grid;
    config.blockDim = block;
    config.dynamicSmemBytes = shared_bytes;
    config.stream = stream;
    return cudaLaunchKernelEx(&config, kernel, static_cast<Parameters>(arguments)...);
}

#endif
