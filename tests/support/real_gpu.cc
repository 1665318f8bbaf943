// real_gpu.cc: wraps the CUDA runtime's calls (ld --wrap), so that tests on a real GPU can make one
// fail, and see what was not freed.
#include "support/gpu_steer.h"

#include <atomic>
#include <mutex>
#include <string>

static std::mutex lock;
static std::string failing; // a call's name; "*": any that releases nothing
static uint64_t calls_left; // until it fails; 0: no fault is set
static cudaError_t failure;
static bool has_failed;
static std::atomic<int64_t> live_objects;

void gpu_fail_call(const char *name, uint64_t n, cudaError_t error)
{
    const std::lock_guard<std::mutex> hold(lock);
    failing = name;
    calls_left = n;
    failure = error;
    has_failed = false;
}

bool gpu_fault_happened(void)
{
    const std::lock_guard<std::mutex> hold(lock);
    return has_failed;
}

uint64_t gpu_live_objects(void)
{
    return static_cast<uint64_t>(live_objects.load());
}

// The error that this call has to return instead of doing anything.
static cudaError_t enter(const char *name)
{
    const std::lock_guard<std::mutex> hold(lock);
    if (calls_left == 0 || (failing != "*" && failing != name) || --calls_left > 0)
        return cudaSuccess;
    has_failed = true;
    return failure;
}

// objects: how many more there are, if it succeeds.
#define WRAP(name, parameters, arguments, objects)   \
    extern "C" cudaError_t __real_##name parameters; \
    extern "C" cudaError_t __wrap_##name parameters  \
    {                                                \
        cudaError_t error = enter(#name);            \
        if (error == cudaSuccess)                    \
            error = __real_##name arguments;         \
        if (error == cudaSuccess)                    \
            live_objects += objects;                 \
        return error;                                \
    }

// These do what they do, and are never named.
#define WRAP_RELEASE(name, type)                     \
    extern "C" cudaError_t __real_##name(type what); \
    extern "C" cudaError_t __wrap_##name(type what)  \
    {                                                \
        live_objects -= what != nullptr;             \
        return __real_##name(what);                  \
    }

WRAP(cudaMalloc, (void **memory, size_t bytes), (memory, bytes), 1)
WRAP(cudaMallocHost, (void **memory, size_t bytes), (memory, bytes), 1)
WRAP(cudaHostRegister, (void *memory, size_t bytes, unsigned flags), (memory, bytes, flags), 1)
WRAP(cudaStreamCreateWithFlags, (cudaStream_t * stream, unsigned flags), (stream, flags), 1)
WRAP(cudaEventCreateWithFlags, (cudaEvent_t * event, unsigned flags), (event, flags), 1)
WRAP(cudaGetDeviceCount, (int *count), (count), 0)
WRAP(cudaGetDeviceProperties, (cudaDeviceProp * properties, int index), (properties, index), 0)
WRAP(cudaDeviceGetAttribute, (int *value, cudaDeviceAttr attribute, int index),
     (value, attribute, index), 0)
WRAP(cudaGetDevice, (int *index), (index), 0)
WRAP(cudaSetDevice, (int index), (index), 0)
WRAP(cudaMemGetInfo, (size_t * free, size_t *total), (free, total), 0)
WRAP(cudaFuncSetAttribute, (const void *function, cudaFuncAttribute attribute, int value),
     (function, attribute, value), 0)
WRAP(cudaLaunchKernelExC,
     (const cudaLaunchConfig_t *config, const void *function, void **arguments),
     (config, function, arguments), 0)
WRAP(cudaMemcpyAsync,
     (void *to, const void *from, size_t bytes, cudaMemcpyKind kind, cudaStream_t stream),
     (to, from, bytes, kind, stream), 0)
WRAP(cudaMemsetAsync, (void *memory, int value, size_t bytes, cudaStream_t stream),
     (memory, value, bytes, stream), 0)
WRAP(cudaEventRecord, (cudaEvent_t event, cudaStream_t stream), (event, stream), 0)
WRAP(cudaEventSynchronize, (cudaEvent_t event), (event), 0)
WRAP(cudaStreamSynchronize, (cudaStream_t stream), (stream), 0)
WRAP(cudaStreamWaitEvent, (cudaStream_t stream, cudaEvent_t event, unsigned flags),
     (stream, event, flags), 0)
WRAP_RELEASE(cudaFree, void *)
WRAP_RELEASE(cudaFreeHost, void *)
WRAP_RELEASE(cudaHostUnregister, void *)
WRAP_RELEASE(cudaStreamDestroy, cudaStream_t)
WRAP_RELEASE(cudaEventDestroy, cudaEvent_t)
