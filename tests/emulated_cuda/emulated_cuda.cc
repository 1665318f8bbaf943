// emulated_cuda.cc: does what all calls of the runtime API have in common: makes calls fail that
// tests choose, switches devices, and queues launches.
#include "emulated_cuda.h"
#include "emulated_parts.h"

#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>

pthread_mutex_t emulated_mutex = PTHREAD_MUTEX_INITIALIZER;
__thread bool emulated_is_in_host_function;
__thread int emulated_device;

namespace
{

struct fault {
    std::string name;
    uint64_t calls_left, operations_left; // 0: none
    cudaError_t error, operation_error;
    bool has_happened;
};

int device_count_at_start()
{
    const char *text = getenv("EMULATED_CUDA_DEVICES");
    const int count = text != nullptr ? atoi(text) : 1;
    return count >= 0 && count <= EMULATED_MAX_DEVICES ? count : 1;
}

struct runtime {
    uint64_t random = 0x5eed5eed5eed5eed;
    int device_count = device_count_at_start();
    bool has_peers = true;
    int capability = 9;
    uint32_t peers[EMULATED_MAX_DEVICES] = {}; // whose memory each may use, as bits
    std::map<const void *, int> shared_limits;
    fault ordered = {};
    int full_device = -1;           // that had too little memory, by such a fault
    cudaError_t lost = cudaSuccess; // sticky
};

runtime &state = *new runtime; // never deleted: the background thread may outlive main
thread_local cudaError_t last_error;

int shared_limit(const void *kernel)
{
    auto it = state.shared_limits.find(kernel);
    return it != state.shared_limits.end() ? it->second : int(EMULATED_SHARED_BYTES);
}

bool is_shape(const dim3 &grid, const dim3 &block)
{
    return grid.x != 0 && grid.y != 0 && grid.z != 0 && block.x != 0 && block.y != 0 &&
           block.z != 0 && grid.x <= INT32_MAX && grid.y < 65536 && grid.z < 65536 &&
           block.x <= EMULATED_MAX_THREADS && block.y <= EMULATED_MAX_THREADS && block.z <= 64 &&
           (uint64_t)block.x * block.y * block.z <= EMULATED_MAX_THREADS;
}

cudaDeviceProp properties_of(int device)
{
    cudaDeviceProp p = {};
    snprintf(p.name, sizeof p.name, "Emulated GPU %d", device);
    p.totalGlobalMem = emulated_memory_bytes();
    p.sharedMemPerBlock = EMULATED_SHARED_BYTES;
    p.sharedMemPerBlockOptin = size_t(state.capability == 9 ? 227 : 99) << 10;
    p.sharedMemPerMultiprocessor = 228 << 10;
    p.reservedSharedMemPerBlock = 1 << 10;
    p.totalConstMem = 64 << 10;
    p.regsPerBlock = p.regsPerMultiprocessor = 65536;
    p.warpSize = 32;
    p.maxThreadsPerBlock = p.maxThreadsDim[0] = p.maxThreadsDim[1] = int(EMULATED_MAX_THREADS);
    p.maxThreadsDim[2] = 64;
    p.maxThreadsPerMultiProcessor = 2048;
    p.maxBlocksPerMultiProcessor = 32;
    p.maxGridSize[0] = INT32_MAX;
    p.maxGridSize[1] = p.maxGridSize[2] = 65535;
    p.major = state.capability;
    p.multiProcessorCount = 2;
    p.l2CacheSize = 1 << 20;
    p.memoryBusWidth = 512;
    p.asyncEngineCount = 2;
    p.canMapHostMemory = p.concurrentKernels = p.unifiedAddressing = 1;
    p.streamPrioritiesSupported = p.hostRegisterSupported = p.managedMemory = 1;
    p.canUseHostPointerForRegisteredMem = 1;
    p.pciBusID = 1 + device;
    return p;
}

// Locks survive a fork in the tests; the background thread does not.
void lock_for_fork()
{
    pthread_mutex_lock(&emulated_mutex);
}

void unlock_in_parent()
{
    pthread_mutex_unlock(&emulated_mutex);
}

void unlock_in_child()
{
    emulated_forget_threads();
    pthread_mutex_unlock(&emulated_mutex);
}

const int fork_handlers = pthread_atfork(lock_for_fork, unlock_in_parent, unlock_in_child);

} // namespace

// ---- parts ----

uint64_t emulated_below(uint64_t n)
{
    state.random ^= state.random >> 12;
    state.random ^= state.random << 25;
    state.random ^= state.random >> 27;
    return (state.random * 0x2545f4914f6cdd1du >> 16) % n;
}

cudaError_t emulated_enter(const char *name, bool is_release)
{
    pthread_mutex_lock(&emulated_mutex);
    if (emulated_is_in_host_function)
        return cudaErrorNotPermitted;
    if (state.device_count == 0)
        return cudaErrorNoDevice;
    fault &f = state.ordered;
    const bool is_named = f.name == name || (f.name == "*" && !is_release);
    if (state.lost == cudaSuccess && is_named && f.calls_left > 0 && --f.calls_left == 0) {
        f.has_happened = true;
        if (f.error == cudaErrorMemoryAllocation)
            state.full_device = emulated_device;
        return f.error;
    }
    return state.lost;
}

cudaError_t emulated_leave(cudaError_t error)
{
    if (error == cudaSuccess)
        error = state.lost;
    if (error != cudaSuccess)
        last_error = error;
    pthread_mutex_unlock(&emulated_mutex);
    return error;
}

bool emulated_can_reach(int device, int other)
{
    return device == other || (state.peers[device] >> other & 1) != 0;
}

bool emulated_begin_operation(int device)
{
    fault &f = state.ordered;
    if (state.lost == cudaSuccess && f.operations_left > 0 && --f.operations_left == 0) {
        f.has_happened = true;
        state.lost = f.operation_error;
    }
    if (state.lost != cudaSuccess)
        return false;
    emulated_guard_memory(true, device);
    return true;
}

void emulated_end_operation()
{
    emulated_guard_memory(false, -1);
}

bool emulated_is_full(int device)
{
    return state.full_device == device;
}

bool emulated_is_lost()
{
    return state.lost != cudaSuccess;
}

// ---- tests' control ----

void emulated_cuda_seed(uint64_t seed)
{
    pthread_mutex_lock(&emulated_mutex);
    state.random = (seed ^ 0x5eed) * 0x9e3779b97f4a7c15u | 1;
    for (int i = 0; i < 8; i++)
        emulated_below(1);
    pthread_mutex_unlock(&emulated_mutex);
}

void emulated_cuda_set_device_count(int count)
{
    pthread_mutex_lock(&emulated_mutex);
    state.device_count = count < EMULATED_MAX_DEVICES ? count : EMULATED_MAX_DEVICES;
    pthread_mutex_unlock(&emulated_mutex);
}

void emulated_cuda_set_capability(int major)
{
    pthread_mutex_lock(&emulated_mutex);
    state.capability = major;
    pthread_mutex_unlock(&emulated_mutex);
}

void emulated_cuda_set_peers(bool has_peers)
{
    pthread_mutex_lock(&emulated_mutex);
    state.has_peers = has_peers;
    memset(state.peers, 0, sizeof state.peers);
    pthread_mutex_unlock(&emulated_mutex);
}

void emulated_cuda_fail_call(const char *name, uint64_t n, int error)
{
    pthread_mutex_lock(&emulated_mutex);
    state.ordered.name = name;
    state.ordered.calls_left = n;
    state.full_device = -1;
    state.ordered.error = cudaError_t(error);
    state.ordered.has_happened = false;
    pthread_mutex_unlock(&emulated_mutex);
}

void emulated_cuda_fail_operation(uint64_t n, int error)
{
    pthread_mutex_lock(&emulated_mutex);
    state.ordered.operations_left = n;
    state.ordered.operation_error = cudaError_t(error);
    state.ordered.has_happened = false;
    pthread_mutex_unlock(&emulated_mutex);
}

bool emulated_cuda_fault_happened(void)
{
    pthread_mutex_lock(&emulated_mutex);
    const bool has_happened = state.ordered.has_happened;
    pthread_mutex_unlock(&emulated_mutex);
    return has_happened;
}

uint64_t emulated_cuda_live_objects(void)
{
    pthread_mutex_lock(&emulated_mutex);
    const uint64_t count = emulated_block_count() + emulated_stream_count();
    pthread_mutex_unlock(&emulated_mutex);
    return count;
}

// ---- errors and devices ----

const char *cudaGetErrorName(cudaError_t error)
{
    switch (error) {
#define EMULATED_ERROR(name, value, text) \
    case name:                            \
        return #name;
        EMULATED_ERRORS(EMULATED_ERROR)
#undef EMULATED_ERROR
    }
    return "unrecognized error code";
}

const char *cudaGetErrorString(cudaError_t error)
{
    switch (error) {
#define EMULATED_ERROR(name, value, text) \
    case name:                            \
        return text;
        EMULATED_ERRORS(EMULATED_ERROR)
#undef EMULATED_ERROR
    }
    return "unrecognized error code";
}

cudaError_t cudaPeekAtLastError()
{
    pthread_mutex_lock(&emulated_mutex);
    const cudaError_t lost = state.lost;
    pthread_mutex_unlock(&emulated_mutex);
    return lost != cudaSuccess ? lost : last_error;
}

cudaError_t cudaGetLastError()
{
    const cudaError_t error = cudaPeekAtLastError();
    last_error = cudaSuccess;
    return error;
}

cudaError_t cudaGetDeviceCount(int *count)
{
    *count = 0;
    return emulated_call(__func__, [&] {
        *count = state.device_count;
        return cudaSuccess;
    });
}

cudaError_t cudaSetDevice(int device)
{
    return emulated_call(__func__, [&] {
        if (device < 0 || device >= state.device_count)
            return cudaErrorInvalidDevice;
        emulated_device = device;
        return cudaSuccess;
    });
}

cudaError_t cudaGetDevice(int *device)
{
    return emulated_call(__func__, [&] {
        *device = emulated_device;
        return cudaSuccess;
    });
}

cudaError_t cudaDeviceCanAccessPeer(int *is_possible, int device, int peer)
{
    return emulated_call(__func__, [&] {
        if (device < 0 || device >= state.device_count || peer < 0 || peer >= state.device_count)
            return cudaErrorInvalidDevice;
        *is_possible = device != peer && state.has_peers;
        return cudaSuccess;
    });
}

cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned)
{
    return emulated_call(__func__, [&] {
        if (peer < 0 || peer >= state.device_count || peer == emulated_device)
            return cudaErrorInvalidDevice;
        if (!state.has_peers)
            return cudaErrorPeerAccessUnsupported;
        if (emulated_can_reach(emulated_device, peer))
            return cudaErrorPeerAccessAlreadyEnabled;
        state.peers[emulated_device] |= 1u << peer;
        return cudaSuccess;
    });
}

cudaError_t cudaSetDeviceFlags(unsigned)
{
    return emulated_call(__func__, [] { return cudaSuccess; });
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp *properties, int device)
{
    return emulated_call(__func__, [&] {
        if (device < 0 || device >= state.device_count)
            return cudaErrorInvalidDevice;
        *properties = properties_of(device);
        return cudaSuccess;
    });
}

cudaError_t cudaDeviceGetAttribute(int *value, cudaDeviceAttr attribute, int device)
{
    return emulated_call(__func__, [&] {
        if (device < 0 || device >= state.device_count)
            return cudaErrorInvalidDevice;
        const cudaDeviceProp p = properties_of(device);
        switch (attribute) {
        case cudaDevAttrMaxThreadsPerBlock:
            *value = p.maxThreadsPerBlock;
            return cudaSuccess;
        case cudaDevAttrMaxSharedMemoryPerBlock:
            *value = int(p.sharedMemPerBlock);
            return cudaSuccess;
        case cudaDevAttrWarpSize:
            *value = p.warpSize;
            return cudaSuccess;
        case cudaDevAttrMultiProcessorCount:
            *value = p.multiProcessorCount;
            return cudaSuccess;
        case cudaDevAttrL2CacheSize:
            *value = p.l2CacheSize;
            return cudaSuccess;
        case cudaDevAttrMaxThreadsPerMultiProcessor:
            *value = p.maxThreadsPerMultiProcessor;
            return cudaSuccess;
        case cudaDevAttrAsyncEngineCount:
            *value = p.asyncEngineCount;
            return cudaSuccess;
        case cudaDevAttrComputeCapabilityMajor:
            *value = p.major;
            return cudaSuccess;
        case cudaDevAttrComputeCapabilityMinor:
            *value = p.minor;
            return cudaSuccess;
        case cudaDevAttrMaxSharedMemoryPerMultiprocessor:
            *value = int(p.sharedMemPerMultiprocessor);
            return cudaSuccess;
        case cudaDevAttrMaxSharedMemoryPerBlockOptin:
            *value = int(p.sharedMemPerBlockOptin);
            return cudaSuccess;
        case cudaDevAttrHostRegisterSupported:
            *value = p.hostRegisterSupported;
            return cudaSuccess;
        }
        return cudaErrorInvalidValue;
    });
}

cudaError_t cudaDeviceGetPCIBusId(char *text, int bytes, int device)
{
    return emulated_call(__func__, [&] {
        if (device < 0 || device >= state.device_count)
            return cudaErrorInvalidDevice;
        const int length = snprintf(text, size_t(bytes), "0000:%02x:00.0", 1 + device);
        return length < bytes ? cudaSuccess : cudaErrorInvalidValue;
    });
}

cudaError_t cudaDriverGetVersion(int *version)
{
    *version = CUDART_VERSION;
    return cudaSuccess;
}

cudaError_t cudaRuntimeGetVersion(int *version)
{
    *version = CUDART_VERSION;
    return cudaSuccess;
}

cudaError_t cudaDeviceReset()
{
    const cudaError_t refusal = emulated_enter(__func__, true);
    if (refusal != cudaSuccess && refusal != state.lost)
        return emulated_leave(refusal);
    emulated_drain();
    emulated_destroy_streams();
    emulated_drop_blocks();
    memset(state.peers, 0, sizeof state.peers);
    state.lost = last_error = cudaSuccess;
    return emulated_leave(cudaSuccess);
}

// ---- kernels ----

cudaError_t emulated_launch(const cudaLaunchConfig_t *config, const void *kernel,
                            std::function<void()> thread)
{
    return emulated_call("cudaLaunchKernelEx", [&] {
        if (kernel == nullptr)
            return cudaErrorInvalidDeviceFunction;
        if (!is_shape(config->gridDim, config->blockDim))
            return cudaErrorInvalidConfiguration;
        if (config->dynamicSmemBytes > size_t(shared_limit(kernel)))
            return cudaErrorInvalidValue;
        emulated_grid grid = {kernel, config->gridDim, config->blockDim, config->dynamicSmemBytes,
                              std::move(thread)};
        return emulated_queue(config->stream, false, false, [grid] { emulated_run_grid(grid); });
    });
}

cudaError_t cudaFuncSetAttribute(const void *kernel, cudaFuncAttribute attribute, int value)
{
    return emulated_call(__func__, [&] {
        if (attribute == cudaFuncAttributePreferredSharedMemoryCarveout)
            return cudaSuccess;
        if (attribute != cudaFuncAttributeMaxDynamicSharedMemorySize || value < 0 ||
            value > int(properties_of(emulated_device).sharedMemPerBlockOptin))
            return cudaErrorInvalidValue;
        state.shared_limits[kernel] = value;
        return cudaSuccess;
    });
}

cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *attributes, const void *kernel)
{
    return emulated_call(__func__, [&] {
        *attributes = {};
        attributes->maxThreadsPerBlock = int(EMULATED_MAX_THREADS);
        attributes->numRegs = 32;
        attributes->ptxVersion = attributes->binaryVersion = 90;
        attributes->maxDynamicSharedSizeBytes = shared_limit(kernel);
        return cudaSuccess;
    });
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *kernel,
                                                          int threads, size_t shared_bytes)
{
    return emulated_call(__func__, [&] {
        if (threads <= 0 || threads > int(EMULATED_MAX_THREADS))
            return cudaErrorInvalidValue;
        const size_t by_memory = (228 << 10) / (shared_bytes + (1 << 10));
        const size_t by_threads = 2048 / size_t(threads);
        *blocks = shared_bytes > size_t(shared_limit(kernel))
                      ? 0
                      : int(min(min(by_memory, by_threads), size_t(32)));
        return cudaSuccess;
    });
}
