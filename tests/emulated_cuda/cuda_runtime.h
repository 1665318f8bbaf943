// cuda_runtime.h: replaces the toolkit's header when kernels are compiled for the host. It has the
// part of the runtime API that gsort uses, with the toolkit's names and values.
//
// The file that includes it is compiled as ordinary C++17 (g++ -x c++). Structs have the members
// that are in use, not the toolkit's layout. emulated_cuda.h has the calls by which tests steer it.
#ifndef CUDA_RUNTIME_H
#define CUDA_RUNTIME_H

#include "emulated_bulk.h"
#include "emulated_device.h"

#include <functional>
#include <utility>

#define CUDART_VERSION 13000

#define EMULATED_ERRORS(X)                                                                       \
    X(cudaSuccess, 0, "no error")                                                                \
    X(cudaErrorInvalidValue, 1, "invalid argument")                                              \
    X(cudaErrorMemoryAllocation, 2, "out of memory")                                             \
    X(cudaErrorInitializationError, 3, "initialization error")                                   \
    X(cudaErrorCudartUnloading, 4, "driver shutting down")                                       \
    X(cudaErrorInvalidConfiguration, 9, "invalid configuration argument")                        \
    X(cudaErrorInvalidHostPointer, 16, "invalid host pointer")                                   \
    X(cudaErrorInvalidDevicePointer, 17, "invalid device pointer")                               \
    X(cudaErrorInvalidMemcpyDirection, 21, "invalid copy direction for memcpy")                  \
    X(cudaErrorInsufficientDriver, 35,                                                           \
      "CUDA driver version is insufficient for CUDA runtime version")                            \
    X(cudaErrorDevicesUnavailable, 46, "CUDA-capable device(s) is/are busy or unavailable")      \
    X(cudaErrorInvalidDeviceFunction, 98, "invalid device function")                             \
    X(cudaErrorNoDevice, 100, "no CUDA-capable device is detected")                              \
    X(cudaErrorInvalidDevice, 101, "invalid device ordinal")                                     \
    X(cudaErrorNoKernelImageForDevice, 209,                                                      \
      "no kernel image is available for execution on the device")                                \
    X(cudaErrorECCUncorrectable, 214, "uncorrectable ECC error encountered")                     \
    X(cudaErrorUnsupportedPtxVersion, 222,                                                       \
      "the provided PTX was compiled with an unsupported toolchain.")                            \
    X(cudaErrorPeerAccessUnsupported, 217, "peer access is not supported between these devices") \
    X(cudaErrorOperatingSystem, 304, "OS call failed or operation not supported on this OS")     \
    X(cudaErrorInvalidResourceHandle, 400, "invalid resource handle")                            \
    X(cudaErrorNotReady, 600, "device not ready")                                                \
    X(cudaErrorIllegalAddress, 700, "an illegal memory access was encountered")                  \
    X(cudaErrorLaunchOutOfResources, 701, "too many resources requested for launch")             \
    X(cudaErrorLaunchTimeout, 702, "the launch timed out and was terminated")                    \
    X(cudaErrorPeerAccessAlreadyEnabled, 704, "peer access is already enabled")                  \
    X(cudaErrorContextIsDestroyed, 709, "context is destroyed")                                  \
    X(cudaErrorAssert, 710, "device-side assert triggered")                                      \
    X(cudaErrorHostMemoryAlreadyRegistered, 712,                                                 \
      "part or all of the requested memory range is already mapped")                             \
    X(cudaErrorHostMemoryNotRegistered, 713,                                                     \
      "pointer does not correspond to a registered memory region")                               \
    X(cudaErrorMisalignedAddress, 716, "misaligned address")                                     \
    X(cudaErrorLaunchFailure, 719, "unspecified launch failure")                                 \
    X(cudaErrorNotPermitted, 800, "operation not permitted")                                     \
    X(cudaErrorNotSupported, 801, "operation not supported")                                     \
    X(cudaErrorSystemNotReady, 802, "system not yet initialized")                                \
    X(cudaErrorSystemDriverMismatch, 803,                                                        \
      "system has unsupported display driver / cuda driver combination")                         \
    X(cudaErrorUnknown, 999, "unknown error")

enum cudaError {
#define EMULATED_ERROR(name, value, text) name = value,
    EMULATED_ERRORS(EMULATED_ERROR)
#undef EMULATED_ERROR
};
typedef cudaError cudaError_t;

enum cudaMemcpyKind {
    cudaMemcpyHostToHost,
    cudaMemcpyHostToDevice,
    cudaMemcpyDeviceToHost,
    cudaMemcpyDeviceToDevice,
    cudaMemcpyDefault
};

enum cudaMemoryType {
    cudaMemoryTypeUnregistered,
    cudaMemoryTypeHost,
    cudaMemoryTypeDevice,
    cudaMemoryTypeManaged
};

enum cudaFuncAttribute {
    cudaFuncAttributeMaxDynamicSharedMemorySize = 8,
    cudaFuncAttributePreferredSharedMemoryCarveout = 9
};

enum cudaDeviceAttr {
    cudaDevAttrMaxThreadsPerBlock = 1,
    cudaDevAttrMaxSharedMemoryPerBlock = 8,
    cudaDevAttrWarpSize = 10,
    cudaDevAttrMultiProcessorCount = 16,
    cudaDevAttrMaxThreadsPerMultiProcessor = 39,
    cudaDevAttrL2CacheSize = 38,
    cudaDevAttrAsyncEngineCount = 40,
    cudaDevAttrComputeCapabilityMajor = 75,
    cudaDevAttrComputeCapabilityMinor = 76,
    cudaDevAttrMaxSharedMemoryPerMultiprocessor = 81,
    cudaDevAttrMaxSharedMemoryPerBlockOptin = 97,
    cudaDevAttrHostRegisterSupported = 99
};

constexpr unsigned cudaHostAllocDefault = 0, cudaHostAllocPortable = 1, cudaHostAllocMapped = 2,
                   cudaHostAllocWriteCombined = 4;
constexpr unsigned cudaHostRegisterDefault = 0, cudaHostRegisterPortable = 1,
                   cudaHostRegisterMapped = 2, cudaHostRegisterReadOnly = 8;
constexpr unsigned cudaStreamDefault = 0, cudaStreamNonBlocking = 1;
constexpr unsigned cudaEventDefault = 0, cudaEventBlockingSync = 1, cudaEventDisableTiming = 2;
constexpr unsigned cudaDeviceScheduleAuto = 0, cudaDeviceScheduleSpin = 1,
                   cudaDeviceScheduleYield = 2, cudaDeviceScheduleBlockingSync = 4;

typedef struct emulated_stream *cudaStream_t;
typedef struct emulated_event *cudaEvent_t;
typedef void (*cudaHostFn_t)(void *context);

struct cudaDeviceProp {
    char name[256];
    size_t totalGlobalMem, sharedMemPerBlock, sharedMemPerBlockOptin, sharedMemPerMultiprocessor,
        reservedSharedMemPerBlock, totalConstMem;
    int regsPerBlock, regsPerMultiprocessor, warpSize, maxThreadsPerBlock;
    int maxThreadsPerMultiProcessor, maxBlocksPerMultiProcessor, maxThreadsDim[3], maxGridSize[3];
    int major, minor, multiProcessorCount, l2CacheSize, memoryBusWidth, asyncEngineCount;
    int integrated, canMapHostMemory, concurrentKernels, ECCEnabled, unifiedAddressing;
    int streamPrioritiesSupported, hostRegisterSupported, canUseHostPointerForRegisteredMem;
    int pageableMemoryAccess, managedMemory;
    int pciBusID, pciDeviceID, pciDomainID;
};

struct cudaFuncAttributes {
    size_t sharedSizeBytes, constSizeBytes, localSizeBytes;
    int maxThreadsPerBlock, numRegs, ptxVersion, binaryVersion, maxDynamicSharedSizeBytes;
};

struct cudaPointerAttributes {
    cudaMemoryType type;
    int device;
    void *devicePointer, *hostPointer;
};

struct cudaLaunchAttribute {
    int id;
};

struct cudaLaunchConfig_t {
    dim3 gridDim, blockDim;
    size_t dynamicSmemBytes;
    cudaStream_t stream;
    cudaLaunchAttribute *attrs; // ignored
    unsigned numAttrs;
};

const char *cudaGetErrorName(cudaError_t error);
const char *cudaGetErrorString(cudaError_t error);
cudaError_t cudaGetLastError();
cudaError_t cudaPeekAtLastError();

cudaError_t cudaGetDeviceCount(int *count);
cudaError_t cudaSetDevice(int device);
cudaError_t cudaGetDevice(int *device);
cudaError_t cudaSetDeviceFlags(unsigned flags);
cudaError_t cudaGetDeviceProperties(cudaDeviceProp *properties, int device);
cudaError_t cudaDeviceGetAttribute(int *value, cudaDeviceAttr attribute, int device);
cudaError_t cudaDeviceGetPCIBusId(char *text, int bytes, int device);
cudaError_t cudaDriverGetVersion(int *version);
cudaError_t cudaRuntimeGetVersion(int *version);
cudaError_t cudaDeviceCanAccessPeer(int *is_possible, int device, int peer);
cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned flags);
cudaError_t cudaDeviceSynchronize();
cudaError_t cudaDeviceReset();

cudaError_t cudaMemGetInfo(size_t *free_bytes, size_t *total_bytes);
cudaError_t cudaMalloc(void **pointer, size_t bytes);
cudaError_t cudaFree(void *pointer);
cudaError_t cudaMallocAsync(void **pointer, size_t bytes, cudaStream_t stream);
cudaError_t cudaFreeAsync(void *pointer, cudaStream_t stream);
cudaError_t cudaMallocHost(void **pointer, size_t bytes);
cudaError_t cudaHostAlloc(void **pointer, size_t bytes, unsigned flags);
cudaError_t cudaFreeHost(void *pointer);
cudaError_t cudaHostRegister(void *pointer, size_t bytes, unsigned flags);
cudaError_t cudaHostUnregister(void *pointer);
cudaError_t cudaHostGetDevicePointer(void **device, void *host, unsigned flags);
cudaError_t cudaPointerGetAttributes(cudaPointerAttributes *attributes, const void *pointer);
cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, cudaMemcpyKind kind);
cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream = nullptr);
cudaError_t cudaMemcpyPeerAsync(void *to, int to_device, const void *from, int from_device,
                                size_t bytes, cudaStream_t stream = nullptr);
cudaError_t cudaMemset(void *to, int value, size_t bytes);
cudaError_t cudaMemsetAsync(void *to, int value, size_t bytes, cudaStream_t stream = nullptr);

cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest);
cudaError_t cudaStreamCreate(cudaStream_t *stream);
cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags);
cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned flags, int priority);
cudaError_t cudaStreamDestroy(cudaStream_t stream);
cudaError_t cudaStreamSynchronize(cudaStream_t stream);
cudaError_t cudaStreamQuery(cudaStream_t stream);
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags = 0);
cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void *context);

cudaError_t cudaEventCreate(cudaEvent_t *event);
cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags);
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream = nullptr);
cudaError_t cudaEventQuery(cudaEvent_t event);
cudaError_t cudaEventSynchronize(cudaEvent_t event);
cudaError_t cudaEventDestroy(cudaEvent_t event);
cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t start, cudaEvent_t end);

cudaError_t cudaFuncSetAttribute(const void *kernel, cudaFuncAttribute attribute, int value);
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *attributes, const void *kernel);
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *kernel,
                                                          int threads, size_t shared_bytes);

// A launch but for its parameters: `thread` calls the kernel with them.
cudaError_t emulated_launch(const cudaLaunchConfig_t *config, const void *kernel,
                            std::function<void()> thread);

template <class T> cudaError_t cudaMalloc(T **pointer, size_t bytes)
{
    void *block = nullptr;
    const cudaError_t error = cudaMalloc(&block, bytes);
    *pointer = static_cast<T *>(block);
    return error;
}

template <class T> cudaError_t cudaHostAlloc(T **pointer, size_t bytes, unsigned flags)
{
    void *block = nullptr;
    const cudaError_t error = cudaHostAlloc(&block, bytes, flags);
    *pointer = static_cast<T *>(block);
    return error;
}

template <class T> cudaError_t cudaMallocHost(T **pointer, size_t bytes, unsigned flags = 0)
{
    return cudaHostAlloc(pointer, bytes, flags);
}

// Arguments are converted to the kernel's parameters and copied now, as by a real launch.
template <class... Parameters, class... Arguments>
cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t *config, void (*kernel)(Parameters...),
                               Arguments &&...arguments)
{
    static_assert((std::is_trivially_copyable<Parameters>::value && ...), "bytes are copied");
    static_assert((sizeof(Parameters) + ... + 0) <= 4096, "parameters are too large");
    return emulated_launch(config, reinterpret_cast<const void *>(kernel),
                           std::bind(kernel, static_cast<Parameters>(arguments)...));
}

template <class T>
cudaError_t cudaFuncSetAttribute(T *kernel, cudaFuncAttribute attribute, int value)
{
    return cudaFuncSetAttribute(reinterpret_cast<const void *>(kernel), attribute, value);
}

template <class T> cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *attributes, T *kernel)
{
    return cudaFuncGetAttributes(attributes, reinterpret_cast<const void *>(kernel));
}

template <class T>
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, T *kernel, int threads,
                                                          size_t shared_bytes)
{
    return cudaOccupancyMaxActiveBlocksPerMultiprocessor(
        blocks, reinterpret_cast<const void *>(kernel), threads, shared_bytes);
}

#endif
