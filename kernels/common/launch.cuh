// launch.cuh: the two things that kernels and their hosts write differently here than in a CUDA
// textbook, so that the same files also compile for the host and run in the tests' emulation
// (tests/emulated_cuda): dynamic shared memory and the launch.
#ifndef GSI_LAUNCH_CUH
#define GSI_LAUNCH_CUH

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

// GSI_DYNAMIC_SHARED(type, name): `type *name` is the block's dynamic shared memory, 128-byte
// aligned. The emulation brings its own definition.
#ifndef GSI_DYNAMIC_SHARED
#define GSI_DYNAMIC_SHARED(type, name)                                   \
    extern __shared__ __align__(128) unsigned char gsi_dynamic_shared[]; \
    type *const name = reinterpret_cast<type *>(gsi_dynamic_shared)
#endif

// GSI_OUT_OF_LINE: a function that is called, not inlined. The emulation brings its own definition.
#ifndef GSI_OUT_OF_LINE
#define GSI_OUT_OF_LINE __noinline__
#endif

// GSI_CUDA_TRY: leave the function with the call's error, if it has one.
#define GSI_CUDA_TRY(call)                                   \
    do {                                                     \
        if (const cudaError_t try_error = (call); try_error) \
            return try_error;                                \
    } while (0)

// gsi_launch: kernel<<<grid, block, shared_bytes, stream>>>(args...) as a call. Returns the
// launch's own error; those of the kernel come with the stream's next synchronisation.
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
