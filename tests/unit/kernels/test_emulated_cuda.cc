// test_emulated_cuda.cc: tests the runtime API of the emulated GPU: launches, lazy streams, memory,
// and failures on request. For kernels see test_emulated_kernels.cc. Run:
// build/dev/tests/test_emulated_cuda
#include "emulated_cuda.h"

#include "kernels/common/launch.cuh"
#include <cuda_runtime.h>

#include <pthread.h>
#include <semaphore.h>

#include <csetjmp>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>

#include "support/support.h"

#define SEEDS        40
#define assert_ok(x) assert_int_equal(x, cudaSuccess)

// Zeroed memory that host and kernels share.
static unsigned *make_cells(size_t count)
{
    unsigned *cells;
    assert_ok(cudaMallocHost(&cells, count * sizeof *cells));
    memset(cells, 0, count * sizeof *cells);
    return cells;
}

// ---- launches ----

__global__ static void nothing()
{
}

__global__ static void use_shared(unsigned)
{
    GSI_DYNAMIC_SHARED(unsigned char, bytes);
    bytes[0] = 1;
}

static void test_launch__that_the_device_cannot_do__is_refused(void **)
{
    static const struct row {
        const char *name;
        dim3 grid, block;
        size_t shared_bytes;
        cudaError_t want;
    } rows[] = {
        {"fits", 3, 1024, 48 << 10, cudaSuccess},
        {"empty grid", 0, 32, 16, cudaErrorInvalidConfiguration},
        {"empty block", 1, dim3(4, 0), 16, cudaErrorInvalidConfiguration},
        {"block", 1, 1025, 16, cudaErrorInvalidConfiguration},
        {"product", 1, dim3(64, 32), 16, cudaErrorInvalidConfiguration},
        {"grid.y", dim3(1, 65536), 1, 16, cudaErrorInvalidConfiguration},
        {"shared", 1, 32, (48 << 10) + 1, cudaErrorInvalidValue},
    };
    for (const row &r : rows) {
        const cudaError_t got = gsi_launch(use_shared, r.grid, r.block, r.shared_bytes, nullptr, 0);
        if (got != r.want)
            test_fail("%s: got %s, want %s", r.name, cudaGetErrorName(got),
                      cudaGetErrorName(r.want));
        assert_int_equal(cudaPeekAtLastError(), r.want);
        assert_int_equal(cudaGetLastError(), r.want);
        assert_ok(cudaGetLastError());
    }
    const cudaFuncAttribute attribute = cudaFuncAttributeMaxDynamicSharedMemorySize;
    int blocks = -1;
    assert_ok(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, use_shared, 512, 49153));
    assert_int_equal(blocks, 0);
    assert_int_equal(cudaFuncSetAttribute(use_shared, attribute, (227 << 10) + 1),
                     cudaErrorInvalidValue);
    assert_ok(cudaFuncSetAttribute(use_shared, attribute, 227 << 10));
    assert_ok(gsi_launch(use_shared, 1, 32, 227 << 10, nullptr, 0));
    assert_ok(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, use_shared, 512, 100 << 10));
    assert_int_equal(blocks, 2);
    assert_ok(cudaDeviceSynchronize());
}

// ---- streams ----

__global__ static void add_one(unsigned *cells, unsigned count)
{
    for (unsigned i = threadIdx.x; i < count; i += blockDim.x)
        cells[i]++;
}

enum order { UNORDERED, BY_EVENT, BY_DEFAULT_STREAM };

// Queues a copy, a launch and a copy back, each on its own stream. Returns how often the result is
// wrong.
static unsigned count_wrong_orders(order how)
{
    const unsigned count = 100, bytes = count * sizeof(unsigned);
    const unsigned flags = how == BY_DEFAULT_STREAM ? cudaStreamDefault : cudaStreamNonBlocking;
    unsigned *host = make_cells(count), *device, wrong_count = 0;
    cudaStream_t in, out, run = nullptr;
    cudaEvent_t event;
    assert_ok(cudaMalloc(&device, bytes));
    assert_ok(cudaStreamCreateWithFlags(&in, flags));
    assert_ok(cudaStreamCreateWithPriority(&out, flags, 0));
    if (how != BY_DEFAULT_STREAM)
        assert_ok(cudaStreamCreateWithFlags(&run, flags));
    assert_ok(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
    for (unsigned seed = 0; seed < SEEDS; seed++) {
        emulated_cuda_seed(seed);
        for (unsigned i = 0; i < count; i++)
            host[i] = seed + i;
        assert_ok(cudaMemcpyAsync(device, host, bytes, cudaMemcpyHostToDevice, in));
        if (how == BY_EVENT) {
            assert_ok(cudaEventRecord(event, in));
            assert_ok(cudaStreamWaitEvent(run, event));
        }
        assert_ok(gsi_launch(add_one, 1, 32, 0, run, device, count));
        if (how == BY_EVENT) {
            assert_ok(cudaEventRecord(event, run)); // the waits before hold the first record
            assert_ok(cudaStreamWaitEvent(out, event));
        }
        assert_ok(cudaMemcpyAsync(host, device, bytes, cudaMemcpyDeviceToHost, out));
        assert_ok(cudaStreamSynchronize(out));
        for (unsigned i = 0; i < count; i++)
            if (host[i] != seed + i + 1) {
                wrong_count++;
                break;
            }
        assert_ok(cudaDeviceSynchronize());
    }
    assert_ok(cudaDeviceReset());
    return wrong_count;
}

static void test_streams__without_an_event__race_for_some_seed(void **)
{
    assert_int_equal(count_wrong_orders(BY_EVENT), 0);
    assert_int_equal(count_wrong_orders(BY_DEFAULT_STREAM), 0);
    assert_int_not_equal(count_wrong_orders(UNORDERED), 0);
    emulated_cuda_set_background(false);
    assert_int_equal(count_wrong_orders(BY_EVENT), 0);
    assert_int_not_equal(count_wrong_orders(UNORDERED), 0);
    emulated_cuda_set_background(true);
}

static void test_queries__without_background__make_progress(void **)
{
    unsigned *cells = make_cells(4);
    cudaStream_t stream;
    cudaEvent_t first, last;
    float milliseconds = -1;
    emulated_cuda_set_background(false);
    assert_ok(cudaStreamCreate(&stream));
    assert_ok(cudaEventCreate(&first));
    assert_ok(cudaEventCreate(&last));
    assert_ok(cudaEventQuery(first)); // never recorded
    assert_ok(cudaEventRecord(first, stream));
    assert_ok(gsi_launch(add_one, 1, 2, 0, stream, cells, 4));
    assert_ok(cudaEventRecord(last, stream));
    assert_int_equal(cudaEventElapsedTime(&milliseconds, first, last), cudaErrorNotReady);
    assert_int_equal(*(volatile unsigned *)cells, 0);
    cudaError_t error;
    while ((error = cudaEventQuery(last)) == cudaErrorNotReady)
        ;
    assert_ok(error);
    while ((error = cudaStreamQuery(stream)) == cudaErrorNotReady)
        ;
    assert_ok(error);
    assert_int_equal(cells[3], 1);
    assert_ok(cudaEventElapsedTime(&milliseconds, first, last));
    assert_true(milliseconds >= 0);
    assert_ok(gsi_launch(add_one, 1, 2, 0, stream, cells, 4));
    assert_ok(cudaStreamDestroy(stream)); // what is queued is done still
    assert_int_equal(cudaStreamQuery(stream), cudaErrorInvalidResourceHandle);
    assert_ok(cudaDeviceSynchronize());
    assert_int_equal(cells[3], 2);
    assert_ok(cudaEventDestroy(first));
    assert_ok(cudaEventDestroy(last));
    assert_int_equal(cudaEventDestroy(last), cudaErrorInvalidResourceHandle);
    emulated_cuda_set_background(true);
    assert_ok(cudaFreeHost(cells));
}

struct note {
    sem_t happened;
    pthread_t thread;
    const unsigned *cells;
    unsigned seen;
    cudaError_t error;
};

static void take_note(void *context)
{
    note *n = static_cast<note *>(context);
    n->thread = pthread_self();
    n->seen = n->cells[0];
    n->error = cudaDeviceSynchronize();
    sem_post(&n->happened);
}

static void test_host_function__nobody_calls_the_api__runs_in_its_turn(void **)
{
    note n = {};
    cudaStream_t stream;
    unsigned *cells = make_cells(1);
    n.cells = cells;
    assert_int_equal(sem_init(&n.happened, 0, 0), 0);
    assert_ok(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    for (unsigned round = 0; round < 10; round++) {
        assert_ok(gsi_launch(add_one, 1, 1, 0, stream, cells, 1));
        assert_ok(cudaLaunchHostFunc(stream, take_note, &n));
        assert_ok(gsi_launch(add_one, 1, 1, 0, stream, cells, 1));
        while (sem_wait(&n.happened) != 0)
            ;
        assert_int_equal(n.seen, 2 * round + 1);
        assert_int_equal(n.error, cudaErrorNotPermitted);
        assert_false(pthread_equal(n.thread, pthread_self()));
        assert_ok(cudaStreamSynchronize(stream));
    }
    assert_ok(cudaLaunchHostFunc(stream, take_note, &n));
    assert_ok(cudaStreamSynchronize(stream)); // waits for the function, too
    assert_int_equal(sem_trywait(&n.happened), 0);
    assert_ok(cudaDeviceReset());
}

static void *count_on_own_stream(void *wrong_count)
{
    unsigned *cells;
    cudaStream_t stream;
    cudaMallocHost(&cells, 64 * sizeof *cells);
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    for (unsigned round = 0; round < 30; round++) {
        cudaMemsetAsync(cells, 0, 64 * sizeof *cells, stream);
        for (unsigned i = 0; i < 3; i++)
            gsi_launch(add_one, 1, 32, 0, stream, cells, 64);
        cudaStreamSynchronize(stream);
        for (unsigned i = 0; i < 64; i++)
            *static_cast<unsigned *>(wrong_count) += cells[i] != 3;
    }
    cudaStreamDestroy(stream);
    cudaFreeHost(cells);
    return nullptr;
}

static void test_threads__of_the_host__work_side_by_side(void **)
{
    pthread_t threads[4];
    unsigned wrong_counts[4] = {};
    for (int i = 0; i < 4; i++)
        assert_int_equal(
            pthread_create(&threads[i], nullptr, count_on_own_stream, &wrong_counts[i]), 0);
    for (int i = 0; i < 4; i++) {
        pthread_join(threads[i], nullptr);
        assert_int_equal(wrong_counts[i], 0);
    }
    assert_int_equal(emulated_cuda_live_objects(), 0);
}

// ---- memory ----

static void test_copy__of_memory_that_is_not_pinned__is_synchronous(void **)
{
    unsigned plain[64], registered[64], *pinned = make_cells(64), *device;
    cudaStream_t stream;
    emulated_cuda_set_background(false);
    assert_ok(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    assert_ok(cudaMalloc(&device, sizeof plain));
    assert_ok(cudaHostRegister(registered, sizeof registered, cudaHostRegisterDefault));
    assert_int_equal(cudaHostRegister(registered + 9, 4, 0), cudaErrorHostMemoryAlreadyRegistered);
    memset(plain, 1, sizeof plain);
    memset(registered, 2, sizeof registered);
    assert_ok(cudaMemcpyAsync(device, plain, sizeof plain, cudaMemcpyHostToDevice, stream));
    memset(plain, 0, sizeof plain); // was read already
    assert_ok(cudaMemcpyAsync(pinned, device, sizeof plain, cudaMemcpyDeviceToHost, stream));
    assert_ok(cudaMemcpyAsync(registered, device, sizeof plain, cudaMemcpyDefault, stream));
    assert_int_equal(((volatile unsigned *)pinned)[63], 0); // not yet
    assert_int_equal(((volatile unsigned *)registered)[63], 0x02020202);
    assert_ok(cudaMemcpyAsync(plain, device, sizeof plain, cudaMemcpyDeviceToHost, stream));
    assert_int_equal(plain[63], 0x01010101);
    assert_int_equal(pinned[63], 0x01010101); // came before
    assert_int_equal(registered[63], 0x01010101);
    emulated_cuda_set_background(true);
    assert_ok(cudaHostUnregister(registered));
    assert_int_equal(cudaHostUnregister(registered), cudaErrorHostMemoryNotRegistered);
    assert_ok(cudaDeviceReset());
}

static void test_copy__with_wrong_ends__is_refused(void **)
{
    unsigned plain[16] = {}, *device;
    assert_ok(cudaMalloc(&device, sizeof plain));
    assert_int_equal(cudaMemcpy(plain, plain, 4, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
    assert_int_equal(cudaMemcpy(device, plain, 4, cudaMemcpyDeviceToHost), cudaErrorInvalidValue);
    assert_int_equal(cudaMemcpy(device + 1, plain, sizeof plain, cudaMemcpyHostToDevice),
                     cudaErrorInvalidValue);
    assert_int_equal(cudaMemset(device, 0, sizeof plain + 1), cudaErrorInvalidValue);
    assert_int_equal(cudaMemcpyAsync(device, plain, 4, cudaMemcpyHostToDevice,
                                     reinterpret_cast<cudaStream_t>(plain)),
                     cudaErrorInvalidResourceHandle);
    assert_ok(cudaFree(device));
    assert_int_equal(cudaFree(device), cudaErrorInvalidValue);
    assert_int_equal(cudaFreeHost(plain), cudaErrorInvalidValue);
}

static void test_memory__limit__makes_allocation_fail(void **)
{
    size_t free_bytes, total_bytes;
    unsigned *a, *b, got;
    cudaDeviceProp properties;
    emulated_cuda_set_memory(1 << 20);
    assert_ok(cudaGetDeviceProperties(&properties, 0));
    assert_int_equal(properties.totalGlobalMem, 1 << 20);
    assert_ok(cudaMalloc(&a, 600 << 10));
    assert_int_equal(reinterpret_cast<uintptr_t>(a) % 256, 0);
    assert_int_equal(cudaMalloc(&b, 600 << 10), cudaErrorMemoryAllocation);
    assert_int_equal(cudaGetLastError(), cudaErrorMemoryAllocation);
    assert_ok(cudaMemGetInfo(&free_bytes, &total_bytes));
    assert_int_equal(free_bytes, 424 << 10);
    assert_int_equal(total_bytes, 1 << 20);
    assert_ok(cudaMalloc(&b, 424 << 10));
    assert_int_equal(emulated_cuda_live_bytes(), 1 << 20);
    assert_int_equal(emulated_cuda_live_objects(), 2);
    assert_ok(cudaMemcpy(&got, b, sizeof got, cudaMemcpyDeviceToHost));
    assert_int_equal(got, 0xa5a5a5a5);
    assert_ok(cudaFree(a));
    assert_ok(cudaFree(b));
    assert_ok(cudaFree(nullptr));
    assert_int_equal(emulated_cuda_live_objects(), 0);
    emulated_cuda_set_memory(1 << 30);
}

// ---- faults ----

static void test_fault__of_the_nth_call__comes_once(void **)
{
    unsigned *cells;
    emulated_cuda_fail_call("cudaMalloc", 2, cudaErrorMemoryAllocation);
    assert_ok(cudaMalloc(&cells, 4));
    assert_ok(cudaFree(cells));
    assert_false(emulated_cuda_fault_happened());
    assert_int_equal(cudaMalloc(&cells, 4), cudaErrorMemoryAllocation);
    assert_true(emulated_cuda_fault_happened());
    assert_ok(cudaMalloc(&cells, 4));
    emulated_cuda_fail_call("*", 2, cudaErrorUnknown);
    assert_ok(cudaDeviceSynchronize());
    assert_ok(cudaFree(cells)); // is not counted
    assert_int_equal(gsi_launch(nothing, 1, 1, 0, nullptr), cudaErrorUnknown);
    assert_ok(cudaMalloc(&cells, 4));
    emulated_cuda_fail_call("cudaFree", 1, cudaErrorLaunchFailure);
    assert_int_equal(cudaFree(cells), cudaErrorLaunchFailure);
    assert_int_equal(emulated_cuda_live_objects(), 0);
    assert_int_equal(cudaGetLastError(), cudaErrorLaunchFailure);
}

static void test_fault__of_an_operation__loses_the_device(void **)
{
    note n = {};
    unsigned *cells = make_cells(1);
    n.cells = cells;
    emulated_cuda_fail_operation(3, cudaErrorIllegalAddress);
    for (unsigned i = 0; i < 4; i++)
        assert_in_range(gsi_launch(add_one, 1, 1, 0, nullptr, cells, 1), 0, 999);
    cudaLaunchHostFunc(nullptr, take_note, &n);
    assert_int_equal(cudaStreamSynchronize(nullptr), cudaErrorIllegalAddress);
    assert_true(emulated_cuda_fault_happened());
    assert_int_equal(*cells, 2);
    assert_int_equal(cudaGetLastError(), cudaErrorIllegalAddress);
    assert_int_equal(cudaGetLastError(), cudaErrorIllegalAddress);
    assert_int_equal(cudaFreeHost(cells), cudaErrorIllegalAddress);
    assert_int_equal(emulated_cuda_live_objects(), 0);
    assert_true(n.seen == 0 && n.error == cudaSuccess); // was not called
    assert_ok(cudaDeviceReset());
    assert_ok(cudaDeviceSynchronize());
    assert_ok(cudaGetLastError());
}

static void test_devices__none__every_call_says_so(void **)
{
    int count = 7, device;
    void *pointer;
    cudaDeviceProp properties;
    emulated_cuda_set_device_count(0);
    assert_int_equal(cudaGetDeviceCount(&count), cudaErrorNoDevice);
    assert_int_equal(count, 0);
    assert_int_equal(cudaMallocHost(&pointer, 1), cudaErrorNoDevice);
    emulated_cuda_set_device_count(2);
    assert_ok(cudaGetDeviceCount(&count));
    assert_int_equal(count, 2);
    assert_int_equal(cudaSetDevice(2), cudaErrorInvalidDevice);
    assert_ok(cudaSetDevice(1));
    assert_ok(cudaGetDevice(&device));
    assert_int_equal(device, 1);
    assert_ok(cudaGetDeviceProperties(&properties, 1));
    assert_string_equal(properties.name, "Emulated GPU 1");
    assert_int_equal(properties.major, 9);
    assert_ok(cudaSetDevice(0));
    emulated_cuda_set_device_count(1);
    assert_string_equal(cudaGetErrorName(cudaErrorNoDevice), "cudaErrorNoDevice");
    assert_string_equal(cudaGetErrorString(cudaSuccess), "no error");
    cudaGetLastError();
}

static void test_devices__several__have_streams_and_memory_of_their_own(void **)
{
    int is_possible = 0;
    unsigned *here, *there;
    cudaStream_t stream;
    cudaEvent_t event;
    emulated_cuda_set_device_count(2);
    assert_ok(cudaMalloc(&here, 64));
    assert_ok(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    assert_ok(cudaSetDevice(1));
    assert_ok(cudaMalloc(&there, 64));
    assert_ok(cudaEventCreate(&event));
    assert_int_equal(cudaEventRecord(event, stream), cudaErrorInvalidResourceHandle);
    assert_int_equal(cudaMemsetAsync(there, 0, 64, stream), cudaErrorInvalidResourceHandle);
    assert_int_equal(cudaMemset(here, 0, 64), cudaErrorInvalidValue); // not reached yet
    assert_ok(cudaMemset(there, 7, 64));
    assert_ok(cudaDeviceSynchronize());
    assert_int_equal(cudaMemcpyPeerAsync(here, 1, there, 0, 64, stream), cudaErrorInvalidValue);
    assert_ok(cudaMemcpyPeerAsync(here, 0, there, 1, 64, stream));
    assert_ok(cudaStreamSynchronize(stream));
    unsigned got = 0;
    assert_ok(cudaMemcpy(&got, here, sizeof got, cudaMemcpyDeviceToHost));
    assert_int_equal(got, 0x07070707);
    emulated_cuda_set_peers(false);
    assert_ok(cudaDeviceCanAccessPeer(&is_possible, 0, 1));
    assert_int_equal(is_possible, 0);
    assert_int_equal(cudaDeviceEnablePeerAccess(0, 0), cudaErrorPeerAccessUnsupported);
    emulated_cuda_set_peers(true);
    assert_ok(cudaDeviceEnablePeerAccess(0, 0));
    assert_int_equal(cudaDeviceEnablePeerAccess(0, 0), cudaErrorPeerAccessAlreadyEnabled);
    assert_ok(cudaMemset(here, 0, 64));
    assert_ok(cudaDeviceSynchronize()); // it is the peer's memory only as long as access is enabled
    emulated_cuda_set_peers(true);
    assert_ok(cudaEventDestroy(event));
    assert_ok(cudaStreamDestroy(stream));
    assert_ok(cudaFree(there));
    assert_ok(cudaFree(here));
    assert_ok(cudaSetDevice(0));
    emulated_cuda_set_device_count(1);
    cudaGetLastError();
}

int main(void)
{
    const CMUnitTest tests[] = {
        cmocka_unit_test(test_launch__that_the_device_cannot_do__is_refused),
        cmocka_unit_test(test_streams__without_an_event__race_for_some_seed),
        cmocka_unit_test(test_queries__without_background__make_progress),
        cmocka_unit_test(test_host_function__nobody_calls_the_api__runs_in_its_turn),
        cmocka_unit_test(test_threads__of_the_host__work_side_by_side),
        cmocka_unit_test(test_copy__of_memory_that_is_not_pinned__is_synchronous),
        cmocka_unit_test(test_copy__with_wrong_ends__is_refused),
        cmocka_unit_test(test_memory__limit__makes_allocation_fail),
        cmocka_unit_test(test_fault__of_the_nth_call__comes_once),
        cmocka_unit_test(test_fault__of_an_operation__loses_the_device),
        cmocka_unit_test(test_devices__none__every_call_says_so),
        cmocka_unit_test(test_devices__several__have_streams_and_memory_of_their_own),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
