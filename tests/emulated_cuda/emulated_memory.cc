// emulated_memory.cc: emulates device memory, pinned host memory, and copies between them.
//
// A block of device memory is an allocation of its own, so that AddressSanitizer knows its ends,
// and begins as 0xA5. Large blocks are private maps of one file that holds 0xA5: only the pages
// that are used take time and memory. Outside operations blocks of up to guarded_bytes are
// poisoned: host code that reads or writes them is reported. Pinned blocks are kept to tell which
// copies are asynchronous.
#include "emulated_cuda.h"
#include "emulated_parts.h"
#include "emulated_sanitizers.h"

#include <algorithm>
#include <cstdlib>
#include <map>

#include <sys/mman.h>
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(address, bytes)   ((void)(address), (void)(bytes))
#define ASAN_UNPOISON_MEMORY_REGION(address, bytes) ((void)(address), (void)(bytes))
#endif

namespace
{

constexpr size_t guarded_bytes = 1 << 20; // a multiple would take longer than small operations

constexpr size_t mapped_bytes = 1 << 18;  // blocks of at least so many are maps
constexpr size_t poison_bytes = 4u << 20; // length of the file
constexpr size_t page_bytes = 4096;

enum block_kind { ON_DEVICE, PINNED, REGISTERED };

struct block {
    size_t bytes;
    block_kind kind;
    int device;
};

struct memory {
    uint64_t limit_bytes = 1u << 30, used_bytes[EMULATED_MAX_DEVICES] = {};
    std::map<uintptr_t, block> blocks; // by first byte
    uint64_t in_bytes = 0, out_bytes = 0;
};

memory &state = *new memory; // never deleted: the background thread may outlive main

// The block that holds all of the range; end() if none does.
std::map<uintptr_t, block>::iterator find_block(const void *pointer, size_t bytes)
{
    const uintptr_t first = reinterpret_cast<uintptr_t>(pointer);
    auto it = state.blocks.upper_bound(first);
    if (it == state.blocks.begin())
        return state.blocks.end();
    --it;
    const uintptr_t off = first - it->first;
    return off < it->second.bytes && bytes <= it->second.bytes - off ? it : state.blocks.end();
}

bool is_on_device(const void *pointer, size_t bytes)
{
    auto it = find_block(pointer, bytes);
    return it != state.blocks.end() && it->second.kind == ON_DEVICE;
}

bool is_pinned(const void *pointer, size_t bytes)
{
    auto it = find_block(pointer, bytes);
    return it != state.blocks.end() && it->second.kind != ON_DEVICE;
}

void guard(uintptr_t first, const block &b, bool is_open)
{
    if (b.kind != ON_DEVICE || b.bytes > guarded_bytes)
        return;
    if (is_open)
        ASAN_UNPOISON_MEMORY_REGION(reinterpret_cast<void *>(first), b.bytes);
    else
        ASAN_POISON_MEMORY_REGION(reinterpret_cast<void *>(first), b.bytes);
}

uint64_t free_bytes_of(int device)
{
    const uint64_t used_bytes = state.used_bytes[device];
    return used_bytes < state.limit_bytes ? state.limit_bytes - used_bytes : 0;
}

// Opened before tests count descriptors. -1: there is none.
const int poison_fd = [] {
    static uint8_t bytes[poison_bytes];
    memset(bytes, EMULATED_POISON, sizeof bytes);
    const int fd = memfd_create("emulated_poison", MFD_CLOEXEC);
    if (fd >= 0 && write(fd, bytes, sizeof bytes) == (ssize_t)sizeof bytes)
        return fd;
    return -1;
}();

size_t pages_of(size_t bytes)
{
    return (bytes + page_bytes - 1) / page_bytes * page_bytes;
}

// Maps the file of poison between two pages that cannot be accessed; NULL: there is no memory.
void *map_block(size_t bytes)
{
    const size_t room_bytes = pages_of(bytes);
    void *all = mmap(nullptr, room_bytes + 2 * page_bytes, PROT_NONE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (all == MAP_FAILED)
        return nullptr;
    uint8_t *memory = static_cast<uint8_t *>(all) + page_bytes;
    for (size_t off = 0, part; off < room_bytes; off += part) {
        part = std::min(poison_bytes, room_bytes - off);
        if (mmap(memory + off, part, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED, poison_fd,
                 0) == MAP_FAILED) {
            munmap(all, room_bytes + 2 * page_bytes);
            return nullptr;
        }
    }
    ASAN_POISON_MEMORY_REGION(memory + bytes, room_bytes - bytes);
    return memory;
}

void unmap_block(void *pointer, size_t bytes)
{
    uint8_t *memory = static_cast<uint8_t *>(pointer);
    ASAN_UNPOISON_MEMORY_REGION(memory + bytes, pages_of(bytes) - bytes);
    munmap(memory - page_bytes, pages_of(bytes) + 2 * page_bytes);
}

bool is_mapped(size_t bytes)
{
    return poison_fd >= 0 && bytes >= mapped_bytes;
}

void *take_memory(size_t bytes)
{
    void *memory;
    if (is_mapped(bytes))
        return map_block(bytes);
    if (posix_memalign(&memory, 256, bytes) != 0)
        return nullptr;
    return memset(memory, EMULATED_POISON, bytes);
}

void give_memory(void *memory, size_t bytes)
{
    if (is_mapped(bytes))
        unmap_block(memory, bytes);
    else
        free(memory);
}

cudaError_t make_block(void **pointer, size_t bytes, block_kind kind)
{
    *pointer = nullptr;
    if (bytes == 0)
        return cudaSuccess;
    if (kind == ON_DEVICE && bytes > free_bytes_of(emulated_device))
        return cudaErrorMemoryAllocation;
    void *memory = take_memory(bytes);
    if (memory == nullptr)
        return cudaErrorMemoryAllocation;
    const uintptr_t first = reinterpret_cast<uintptr_t>(memory);
    const block made = {bytes, kind, emulated_device};
    state.blocks[first] = made;
    if (kind == ON_DEVICE)
        state.used_bytes[emulated_device] += bytes;
    guard(first, made, false);
    *pointer = memory;
    return cudaSuccess;
}

void drop_block(std::map<uintptr_t, block>::iterator it)
{
    if (it->second.kind == ON_DEVICE)
        state.used_bytes[it->second.device] -= it->second.bytes;
    guard(it->first, it->second, true);
    if (it->second.kind != REGISTERED)
        give_memory(reinterpret_cast<void *>(it->first), it->second.bytes);
    state.blocks.erase(it);
}

// Like the device's, this waits for all that is queued.
cudaError_t free_block(void *pointer, block_kind kind, cudaError_t not_found)
{
    if (pointer == nullptr)
        return cudaSuccess;
    emulated_drain();
    auto it = state.blocks.find(reinterpret_cast<uintptr_t>(pointer));
    if (it == state.blocks.end() || it->second.kind != kind)
        return not_found;
    drop_block(it);
    return cudaSuccess;
}

cudaError_t copy(void *to, const void *from, size_t bytes, cudaMemcpyKind kind, cudaStream_t stream,
                 bool is_blocking)
{
    if (bytes == 0)
        return cudaSuccess;
    if (kind < cudaMemcpyHostToHost || kind > cudaMemcpyDefault)
        return cudaErrorInvalidMemcpyDirection;
    const bool to_device =
        kind == cudaMemcpyDefault ? is_on_device(to, 1) : (kind & cudaMemcpyHostToDevice) != 0;
    const bool from_device =
        kind == cudaMemcpyDefault ? is_on_device(from, 1) : (kind & cudaMemcpyDeviceToHost) != 0;
    if (to_device ? !is_on_device(to, bytes) : is_on_device(to, 1))
        return cudaErrorInvalidValue;
    if (from_device ? !is_on_device(from, bytes) : is_on_device(from, 1))
        return cudaErrorInvalidValue;
    if ((!to_device && !is_pinned(to, bytes)) || (!from_device && !is_pinned(from, bytes)))
        is_blocking = true;
    state.in_bytes += to_device && !from_device ? bytes : 0;
    state.out_bytes += from_device && !to_device ? bytes : 0;
    return emulated_queue(stream, is_blocking, true, [=] { memcpy(to, from, bytes); });
}

cudaError_t set(void *to, int value, size_t bytes, cudaStream_t stream)
{
    if (bytes == 0)
        return cudaSuccess;
    auto it = find_block(to, bytes);
    if (it == state.blocks.end() ||
        (it->second.kind == ON_DEVICE && !emulated_can_reach(emulated_device, it->second.device)))
        return cudaErrorInvalidValue;
    return emulated_queue(stream, false, false, [=] { memset(to, value, bytes); });
}

} // namespace

// ---- parts and tests' control ----

void emulated_guard_memory(bool is_open, int device)
{
    for (const auto &entry : state.blocks)
        if (device < 0 || emulated_can_reach(device, entry.second.device))
            guard(entry.first, entry.second, is_open);
}

uint64_t emulated_memory_bytes()
{
    return state.limit_bytes;
}

uint64_t emulated_block_count()
{
    return state.blocks.size();
}

void emulated_drop_blocks()
{
    while (!state.blocks.empty())
        drop_block(state.blocks.begin());
}

void emulated_cuda_set_memory(uint64_t bytes)
{
    pthread_mutex_lock(&emulated_mutex);
    state.limit_bytes = bytes;
    pthread_mutex_unlock(&emulated_mutex);
}

uint64_t emulated_cuda_live_bytes(void)
{
    pthread_mutex_lock(&emulated_mutex);
    uint64_t bytes = 0;
    for (uint64_t used_bytes : state.used_bytes)
        bytes += used_bytes;
    pthread_mutex_unlock(&emulated_mutex);
    return bytes;
}

void emulated_cuda_crossed_bytes(uint64_t *in_bytes, uint64_t *out_bytes)
{
    pthread_mutex_lock(&emulated_mutex);
    *in_bytes = state.in_bytes;
    *out_bytes = state.out_bytes;
    pthread_mutex_unlock(&emulated_mutex);
}

// ---- the API ----

cudaError_t cudaMemGetInfo(size_t *free_bytes, size_t *total_bytes)
{
    return emulated_call(__func__, [&] {
        *total_bytes = state.limit_bytes;
        *free_bytes = emulated_is_full(emulated_device) ? 0 : free_bytes_of(emulated_device);
        return cudaSuccess;
    });
}

cudaError_t cudaMalloc(void **pointer, size_t bytes)
{
    return emulated_call(__func__, [&] { return make_block(pointer, bytes, ON_DEVICE); });
}

cudaError_t cudaFree(void *pointer)
{
    return emulated_release(__func__,
                            [&] { return free_block(pointer, ON_DEVICE, cudaErrorInvalidValue); });
}

// Memory of the pool is available at once, but only its stream may use it yet. It is freed when the
// stream reaches that point.
cudaError_t cudaMallocAsync(void **pointer, size_t bytes, cudaStream_t)
{
    return emulated_call(__func__, [&] { return make_block(pointer, bytes, ON_DEVICE); });
}

cudaError_t cudaFreeAsync(void *pointer, cudaStream_t stream)
{
    return emulated_release(__func__, [&] {
        auto it = state.blocks.find(reinterpret_cast<uintptr_t>(pointer));
        if (it == state.blocks.end() || it->second.kind != ON_DEVICE)
            return cudaErrorInvalidValue;
        const uintptr_t first = it->first;
        return emulated_queue(stream, false, false, [first] {
            auto found = state.blocks.find(first);
            if (found != state.blocks.end())
                drop_block(found);
        });
    });
}

cudaError_t cudaMallocHost(void **pointer, size_t bytes)
{
    return emulated_call(__func__, [&] { return make_block(pointer, bytes, PINNED); });
}

cudaError_t cudaHostAlloc(void **pointer, size_t bytes, unsigned)
{
    return emulated_call(__func__, [&] { return make_block(pointer, bytes, PINNED); });
}

cudaError_t cudaFreeHost(void *pointer)
{
    return emulated_release(__func__,
                            [&] { return free_block(pointer, PINNED, cudaErrorInvalidValue); });
}

cudaError_t cudaHostRegister(void *pointer, size_t bytes, unsigned)
{
    return emulated_call(__func__, [&] {
        if (pointer == nullptr || bytes == 0)
            return cudaErrorInvalidValue;
        const uintptr_t first = reinterpret_cast<uintptr_t>(pointer);
        auto next = state.blocks.upper_bound(first);
        if ((next != state.blocks.end() && next->first - first < bytes) ||
            find_block(pointer, 1) != state.blocks.end())
            return cudaErrorHostMemoryAlreadyRegistered;
        state.blocks[first] = {bytes, REGISTERED, emulated_device};
        return cudaSuccess;
    });
}

cudaError_t cudaHostUnregister(void *pointer)
{
    return emulated_release(__func__, [&] {
        return free_block(pointer, REGISTERED, cudaErrorHostMemoryNotRegistered);
    });
}

cudaError_t cudaHostGetDevicePointer(void **device, void *host, unsigned)
{
    return emulated_call(__func__, [&] {
        if (!is_pinned(host, 1))
            return cudaErrorInvalidValue;
        *device = host;
        return cudaSuccess;
    });
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes *attributes, const void *pointer)
{
    return emulated_call(__func__, [&] {
        auto it = find_block(pointer, 1);
        void *same = const_cast<void *>(pointer);
        if (it == state.blocks.end())
            *attributes = {cudaMemoryTypeUnregistered, -2, nullptr, same};
        else if (it->second.kind == ON_DEVICE)
            *attributes = {cudaMemoryTypeDevice, it->second.device, same, nullptr};
        else
            *attributes = {cudaMemoryTypeHost, it->second.device, same, same};
        return cudaSuccess;
    });
}

cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, cudaMemcpyKind kind)
{
    return emulated_call(__func__, [&] { return copy(to, from, bytes, kind, nullptr, true); });
}

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream)
{
    return emulated_call(__func__, [&] { return copy(to, from, bytes, kind, stream, false); });
}

cudaError_t cudaMemcpyPeerAsync(void *to, int to_device, const void *from, int from_device,
                                size_t bytes, cudaStream_t stream)
{
    return emulated_call(__func__, [&] {
        auto target = find_block(to, bytes), source = find_block(from, bytes);
        if (bytes > 0 &&
            (target == state.blocks.end() || source == state.blocks.end() ||
             target->second.device != to_device || source->second.device != from_device))
            return cudaErrorInvalidValue;
        return copy(to, from, bytes, cudaMemcpyDeviceToDevice, stream, false);
    });
}

cudaError_t cudaMemset(void *to, int value, size_t bytes)
{
    return emulated_call(__func__, [&] { return set(to, value, bytes, nullptr); });
}

cudaError_t cudaMemsetAsync(void *to, int value, size_t bytes, cudaStream_t stream)
{
    return emulated_call(__func__, [&] { return set(to, value, bytes, stream); });
}
