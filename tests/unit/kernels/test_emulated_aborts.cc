// test_emulated_aborts.cc: checks kernels that can never continue, or access memory that they must
// not. They end the process with a message that says where. Each case is a forked child. This
// process makes no other thread, because sanitizers do not promise that forking works with threads.
// Run: build/dev/tests/test_emulated_aborts
#include "emulated_sanitizers.h"

#include "kernels/common/bulk_copy.cuh"
#include "kernels/common/launch.cuh"
#include <cuda_pipeline.h>
#include <cuda_runtime.h>

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csetjmp>
#include <csignal>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>

#include "support/support.h"

__global__ static void barrier_in_branch()
{
    if (threadIdx.x < 40)
        __syncthreads();
    else
        __syncthreads();
}

__global__ static void barrier_that_some_pass_by()
{
    if (threadIdx.x % 32 == 0)
        __syncthreads();
    __syncwarp();
}

__global__ static void collective_of_an_exited_lane()
{
    if (threadIdx.x == 5)
        return;
    __shfl_sync(0xffffffff, 1, 0);
}

__global__ static void collective_beyond_the_block()
{
    __ballot_sync(0xffffffff, 1);
}

__global__ static void shuffle_from_outside_the_mask()
{
    if (threadIdx.x < 4)
        __shfl_sync(0xf, 1, 9);
}

__global__ static void collective_without_itself()
{
    __any_sync(0xfe, 1);
}

__global__ static void overlapping_masks()
{
    if (threadIdx.x < 16)
        __syncwarp(0x0001ffff);
    else
        __syncwarp(0xffff0000);
}

__global__ static void different_collectives()
{
    if (threadIdx.x < 16)
        __any_sync(0xffffffff, 1);
    else
        __all_sync(0xffffffff, 1);
}

__global__ static void unaligned_async_copy()
{
    GSI_DYNAMIC_SHARED(unsigned char, bytes);
    __pipeline_memcpy_async(bytes + 8, bytes + 20, 16);
}

__global__ static void unaligned_bulk_copy()
{
    GSI_DYNAMIC_SHARED(unsigned char, bytes);
    __shared__ gsi_bulk_barrier barrier;
    gsi_bulk_begin(&barrier, 24);
    gsi_bulk_load(bytes + 16, bytes + 48, 24, &barrier);
}

__global__ static void bulk_copy_of_too_little()
{
    GSI_DYNAMIC_SHARED(unsigned char, bytes);
    __shared__ gsi_bulk_barrier barrier;
    gsi_bulk_begin(&barrier, 48);
    gsi_bulk_load(bytes, bytes + 32, 32, &barrier);
    gsi_bulk_wait(&barrier);
}

__global__ static void two_turns_at_once()
{
    GSI_DYNAMIC_SHARED(unsigned char, bytes);
    __shared__ gsi_bulk_barrier barrier;
    gsi_bulk_init(&barrier);
    gsi_bulk_expect(&barrier, 0);
    gsi_bulk_wait_turn(&barrier, 0);
    gsi_bulk_expect(&barrier, 16);
    gsi_bulk_load(bytes, bytes + 32, 16, &barrier);
    gsi_bulk_expect(&barrier, 16);
}

__global__ static void nothing()
{
}

template <void (*kernel)(), unsigned threads> static void launch(void)
{
    gsi_launch(kernel, 1, threads, 64, nullptr);
    cudaDeviceSynchronize();
}

// Runs `body` in a process. Returns its signal (negative) or status; `text` gets its stderr.
static int fork_status(void (*body)(void), char *text, size_t text_bytes)
{
    int ends[2], status;
    assert_int_equal(pipe(ends), 0);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        const rlimit no_core = {0, 0};
        setrlimit(RLIMIT_CORE, &no_core);
        dup2(ends[1], STDERR_FILENO);
        body();
        _exit(0);
    }
    close(ends[1]);
    size_t got = 0;
    ssize_t n;
    char rest[4096]; // what does not fit
    while ((n = got < text_bytes - 1 ? read(ends[0], text + got, text_bytes - 1 - got)
                                     : read(ends[0], rest, sizeof rest)) > 0)
        got += got < text_bytes - 1 ? size_t(n) : 0;
    text[got] = '\0';
    close(ends[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

static void test_block__what_can_never_go_on__aborts_with_its_place(void **)
{
    static const struct row {
        const char *name;
        void (*body)(void);
        const char *want[3];
    } rows[] = {
        {"branch",
         launch<barrier_in_branch, 64>,
         {"different barriers", "__syncthreads", "thread"}},
        {"passed by",
         launch<barrier_that_some_pass_by, 64>,
         {"deadlock", "__syncthreads", "__syncwarp"}},
        {"exited",
         launch<collective_of_an_exited_lane, 32>,
         {"(5, 0, 0) has exited", "__shfl_sync", "collective_of_an_exited_lane"}},
        {"beyond", launch<collective_beyond_the_block, 20>, {"never was", "__ballot_sync", ""}},
        {"outside", launch<shuffle_from_outside_the_mask, 32>, {"not in the mask", "shfl", ""}},
        {"itself",
         launch<collective_without_itself, 1>,
         {"does not name the caller", "__any_sync", ""}},
        {"overlap", launch<overlapping_masks, 32>, {"different collectives", "__syncwarp", "0x"}},
        {"different", launch<different_collectives, 32>, {"different", "__any_sync", "__all_sync"}},
        {"unaligned", launch<unaligned_async_copy, 1>, {"aligned", "__pipeline_memcpy_async", ""}},
        {"unaligned bulk", launch<unaligned_bulk_copy, 1>, {"aligned", "gsi_bulk_load", ""}},
        {"too little", launch<bulk_copy_of_too_little, 1>, {"other bytes", "gsi_bulk_wait", ""}},
        {"two turns", launch<two_turns_at_once, 1>, {"under way", "gsi_bulk_expect", ""}},
    };
    char text[8192];
    for (const row &r : rows) {
        const int status = fork_status(r.body, text, sizeof text);
        for (const char *want : r.want)
            if (status != -SIGABRT || strstr(text, want) == nullptr ||
                strstr(text, "test_emulated_aborts.cc") == nullptr)
                test_fail("%s: status %d, want '%s' in:\n%s", r.name, status, want, text);
    }
    assert_int_equal(fork_status(launch<nothing, 32>, text, sizeof text), 0);
}

// Only in the address sanitizer's build.
#if defined(__SANITIZE_ADDRESS__)
__global__ static void past_shared_memory()
{
    GSI_DYNAMIC_SHARED(unsigned char, bytes);
    bytes[64] = 1;
}

static void touch_device_memory(void)
{
    unsigned *cell;
    cudaMalloc(&cell, sizeof *cell);
    *cell = 1;
}

static void test_address_sanitizer__sees_device_and_shared_memory(void **)
{
    char text[8192];
    assert_int_not_equal(fork_status(launch<past_shared_memory, 1>, text, sizeof text), 0);
    assert_non_null(strstr(text, "heap-buffer-overflow"));
    assert_int_not_equal(fork_status(touch_device_memory, text, sizeof text), 0);
    assert_non_null(strstr(text, "use-after-poison"));
}
#endif

int main(void)
{
    const CMUnitTest tests[] = {
        cmocka_unit_test(test_block__what_can_never_go_on__aborts_with_its_place),
#if defined(__SANITIZE_ADDRESS__)
        cmocka_unit_test(test_address_sanitizer__sees_device_and_shared_memory),
#endif
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
