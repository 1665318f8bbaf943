/* emulated_cuda.h: lets tests control and observe the emulated GPU (C and C++).
 *
 * tests/emulated_cuda compiles .cu files for the host and runs them. So a machine without a GPU
 * executes kernels and the host code around them under the sanitizers. It is hostile where CUDA
 * leaves freedom. Threads run in random order between barriers, and blocks in random order. Streams
 * execute late and in any order that events allow, and fresh memory contains 0xA5. All choices
 * follow from one seed; with the background off and calls from one thread, a run repeats exactly.
 *
 *     emulated_cuda.cc    the runtime API: what all calls share, faults, devices, launches
 *     emulated_memory.cc  device and pinned memory, copies
 *     emulated_stream.cc  streams, events, host functions: the queues and who drains them
 *     emulated_block.cc   a launch: blocks, threads, barriers
 *     emulated_warp.cc    warp collectives, asynchronous copies to shared memory
 *     emulated_bulk.cc    the same by an engine (kernels/common/bulk_copy.cuh)
 *     emulated_fiber.cc   the stacks that threads run on
 *     emulated_device.h   the language: what kernels include through cuda_runtime.h
 *
 * A kernel may be unable to continue, because some threads never reach a barrier, or lanes of one
 * warp are in different collectives. Then it is reported on stderr with its places, and the process
 * aborts. All calls from any thread. */
#ifndef EMULATED_CUDA_H
#define EMULATED_CUDA_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* emulated_cuda_seed: sets the seed of all random choices from now on. */
void emulated_cuda_seed(uint64_t seed);

/* emulated_cuda_set_memory: sets the bytes of each device; allocations stay. 1 GiB at start. */
void emulated_cuda_set_memory(uint64_t bytes);

/* emulated_cuda_set_device_count: sets the number of devices, at most 8. At start it is 1, or the
 * value of the environment variable EMULATED_CUDA_DEVICES. 0: every call fails with NoDevice. Each
 * device has its own memory. If a kernel uses memory of another one without peer access, the
 * address sanitizer reports it. A launch or an event on a stream of another one fails. */
void emulated_cuda_set_device_count(int count);

/* emulated_cuda_set_peers: sets whether devices can get access to each other's memory (at start:
 * yes). Access that they have is withdrawn. */
void emulated_cuda_set_peers(bool has_peers);

/* emulated_cuda_set_capability: sets the major compute capability of all devices. 9 at start;
 * others have the least shared memory that GPUs have. Results of kernels do not depend on it. */
void emulated_cuda_set_capability(int major);

/* emulated_cuda_set_background: sets whether queued work runs without a call of the API (at start:
 * yes). Host functions that have begun always run to their end. */
void emulated_cuda_set_background(bool is_on);

/* emulated_cuda_fail_call: makes the n-th call (from 1) of API function `name` from now on return
 * `error` (a cudaError_t) and do nothing. After a MemoryAllocation error the device reports no free
 * memory. "*" means any function except those that release something. These can be named, and do
 * release. One fault at a time; n = 0: none. */
void emulated_cuda_fail_call(const char *name, uint64_t n, int error);

/* emulated_cuda_fail_operation: loses the device at the n-th queued operation (from 1: launch,
 * copy, set) that is executed from now on. It and all later ones do nothing, and host functions are
 * dropped. Every call returns `error` until cudaDeviceReset. n = 0: none. */
void emulated_cuda_fail_operation(uint64_t n, int error);

/* emulated_cuda_fault_happened: returns whether the fault of the last fail_* has happened. */
bool emulated_cuda_fault_happened(void);

/* The allocations: bytes of device memory; streams, events, device and pinned host blocks. */
uint64_t emulated_cuda_live_bytes(void);
uint64_t emulated_cuda_live_objects(void);

/* emulated_cuda_crossed_bytes: returns the bytes that were copied from the host to devices so far,
 * and back.
 */
void emulated_cuda_crossed_bytes(uint64_t *in_bytes, uint64_t *out_bytes);

#ifdef __cplusplus
}
#endif
#endif
