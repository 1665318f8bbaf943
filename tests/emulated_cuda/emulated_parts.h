// emulated_parts.h: declares the functions and data that files of the emulation share.
//
// One lock, emulated_mutex, is held during every call of the runtime API, kernels and copies that
// the call executes included; only host functions run without it. All functions here want it held.
#ifndef EMULATED_PARTS_H
#define EMULATED_PARTS_H

#include "cuda_runtime.h"

#include <pthread.h>

constexpr unsigned char EMULATED_POISON = 0xA5;
constexpr unsigned EMULATED_MAX_THREADS = 1024; // of a block
constexpr int EMULATED_MAX_DEVICES = 8;
constexpr size_t EMULATED_SHARED_BYTES = 48 << 10;

extern pthread_mutex_t emulated_mutex;

// ---- emulated_cuda.cc ----

// A random choice below n.
uint64_t emulated_below(uint64_t n);

// emulated_enter: take the lock; what the call has to return without doing anything.
// emulated_leave: note the call's error for cudaGetLastError, drop the lock; what it returns.
cudaError_t emulated_enter(const char *name, bool is_release);
cudaError_t emulated_leave(cudaError_t error);

// A call of the API. emulated_release: a call that releases something. It does
// so even if it must fail, except inside a host function.
template <class Body> cudaError_t emulated_call(const char *name, Body body)
{
    const cudaError_t refusal = emulated_enter(name, false);
    return emulated_leave(refusal != cudaSuccess ? refusal : body());
}

template <class Body> cudaError_t emulated_release(const char *name, Body body)
{
    const cudaError_t refusal = emulated_enter(name, true);
    const cudaError_t error = refusal != cudaErrorNotPermitted ? body() : refusal;
    return emulated_leave(refusal != cudaSuccess ? refusal : error);
}

// emulated_begin_operation: returns whether a queued operation may be executed: the device is not
// lost, also not by this operation. The memory of the device, and of devices that it may read, is
// accessible until emulated_end_operation. Device -1: the memory of all.
bool emulated_begin_operation(int device);
void emulated_end_operation();
bool emulated_is_full(int device); // after a fault, of cudaMalloc say
bool emulated_is_lost();

// emulated_can_reach: returns whether kernels of a device may use the memory of another.
bool emulated_can_reach(int device, int other);

// The calling thread's device.
extern __thread int emulated_device;

// Set while a host function runs on this thread: it must not call the API.
extern __thread bool emulated_is_in_host_function;

// ---- emulated_memory.cc ----

// emulated_guard_memory: let device memory be accessed, that of a device and what it can reach, or
// of all (-1), or none.
void emulated_guard_memory(bool is_open, int device);
uint64_t emulated_memory_bytes(); // of a device
uint64_t emulated_block_count();
void emulated_drop_blocks();

// ---- emulated_stream.cc ----

// Execute all that is queued.
void emulated_drain();

// emulated_queue: queue work that was checked; blocking: and wait for it. A copy may use the memory
// of all devices, other work that of the stream's device, which has to be the calling thread's.
cudaError_t emulated_queue(cudaStream_t stream, bool is_blocking, bool is_copy,
                           std::function<void()> work);

// Destroy all streams and events; how many there are.
void emulated_destroy_streams();
uint64_t emulated_stream_count();

// After fork, in the child: its threads are gone.
void emulated_forget_threads();

// ---- emulated_block.cc ----

// emulated_run_grid: execute all blocks of a launch that was checked.
struct emulated_grid {
    const void *kernel; // for messages
    dim3 grid, block;
    size_t shared_bytes;
    std::function<void()> thread; // the kernel with its arguments
};

void emulated_run_grid(const emulated_grid &launch);

#endif
