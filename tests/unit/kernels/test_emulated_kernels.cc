// test_emulated_kernels.cc: checks that the emulated GPU computes what CUDA defines, and that a
// missing barrier is noticed with some seed. For aborts see test_emulated_aborts.cc, for the
// runtime API test_emulated_cuda.cc. Run: build/dev/tests/test_emulated_kernels
#include "emulated_cuda.h"

#include "kernels/common/bulk_copy.cuh"
#include "kernels/common/launch.cuh"
#include <cuda_pipeline.h>
#include <cuda_runtime.h>

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

// One block, to its end.
template <class... Parameters, class... Arguments>
static void run_block(void (*kernel)(Parameters...), unsigned threads, size_t shared_bytes,
                      Arguments... arguments)
{
    assert_ok(gsi_launch(kernel, 1, threads, shared_bytes, nullptr, arguments...));
    assert_ok(cudaDeviceSynchronize());
}

// ---- barriers ----

template <bool has_barriers>
__global__ static void sum_block(const unsigned *values, unsigned count, unsigned *sum)
{
    GSI_DYNAMIC_SHARED(unsigned, parts);
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    parts[threadIdx.x] = i < count ? values[i] : 0;
    if (has_barriers)
        __syncthreads();
    for (unsigned step = blockDim.x / 2; step > 0; step /= 2) {
        if (threadIdx.x < step)
            parts[threadIdx.x] += parts[threadIdx.x + step];
        if (has_barriers)
            __syncthreads();
    }
    if (threadIdx.x == 0)
        atomicAdd(sum, parts[0]);
}

template <bool has_barriers> static unsigned count_wrong_sums(void)
{
    const unsigned count = 1000, threads = 256;
    unsigned *values = make_cells(count), *sum = make_cells(1), want = 0, wrong_count = 0;
    for (unsigned i = 0; i < count; i++)
        want += values[i] = i * i;
    for (unsigned seed = 0; seed < SEEDS; seed++) {
        emulated_cuda_seed(seed);
        *sum = 0;
        assert_ok(gsi_launch(sum_block<has_barriers>, (count + threads - 1) / threads, threads,
                             threads * sizeof *sum, nullptr, values, count, sum));
        assert_ok(cudaDeviceSynchronize());
        wrong_count += *sum != want;
    }
    assert_ok(cudaFreeHost(values));
    assert_ok(cudaFreeHost(sum));
    return wrong_count;
}

static void test_barrier__missing__shows_for_some_seed(void **)
{
    assert_int_equal(count_wrong_sums<true>(), 0);
    assert_int_not_equal(count_wrong_sums<false>(), 0);
}

__global__ static void vote(unsigned *cells)
{
    const unsigned i = threadIdx.x;
    if (i >= 50)
        return; // who has exited does not count
    const int some = __syncthreads_or(i == 7), none = __syncthreads_or(0);
    const int all = __syncthreads_and(1), not_all = __syncthreads_and(i != 7);
    const int odd = __syncthreads_count(int(i & 1));
    if (i == 49)
        return;
    __syncthreads();
    atomicAdd(cells, unsigned(some != 0 && none == 0 && all != 0 && not_all == 0 && odd == 25));
}

static void test_barrier__votes__count_live_threads(void **)
{
    unsigned *cells = make_cells(1);
    run_block(vote, 70, 0, cells);
    assert_int_equal(*cells, 49);
    assert_ok(cudaFreeHost(cells));
}

// ---- warps ----

template <class T> __global__ static void scan_warp(T *values, int width)
{
    const int lane = int(threadIdx.x) % width;
    T sum = values[threadIdx.x];
    for (int step = 1; step < width; step *= 2) {
        const T other = __shfl_up_sync(0xffffffff, sum, unsigned(step), width);
        if (lane >= step)
            sum += other;
    }
    values[threadIdx.x] = sum;
}

template <class T> static void check_scan(int width)
{
    const int count = 96;
    T *values, sum = 0;
    assert_ok(cudaMallocHost(&values, count * sizeof *values));
    for (int i = 0; i < count; i++)
        values[i] = T(i + 1) * T(0x10001);
    run_block(scan_warp<T>, count, 0, values, width);
    for (int i = 0; i < count; i++) {
        sum = i % width == 0 ? T(0) : sum;
        sum = T(sum + T(i + 1) * T(0x10001));
        assert_true(values[i] == sum);
    }
    assert_ok(cudaFreeHost(values));
}

static void test_shuffle__scan__has_right_sums(void **)
{
    for (int width = 1; width <= 32; width *= 2) {
        check_scan<unsigned short>(width);
        check_scan<unsigned>(width);
        check_scan<unsigned long long>(width);
        check_scan<double>(width);
    }
}

// cells[lane + 32 * k]: what lane reads by shuffle k.
__global__ static void shuffle_all(unsigned *cells)
{
    const unsigned lane = threadIdx.x;
    cells[lane] = __shfl_sync(0xffffffff, lane, 37);
    cells[lane + 32] = __shfl_sync(0xffffffff, lane, 3, 8);
    cells[lane + 64] = __shfl_up_sync(0xffffffff, lane, 3, 16);
    cells[lane + 96] = __shfl_down_sync(0xffffffff, lane, 3, 16);
    cells[lane + 128] = __shfl_xor_sync(0xffffffff, lane, 5);
    cells[lane + 160] = __shfl_xor_sync(0xffffffff, lane, 9, 8);
    if (lane >= 24) // a part of the warp; the others continue
        cells[lane + 192] = __shfl_down_sync(0xff000000, lane, 1, 8);
}

static void test_shuffle__lane_out_of_range__is_as_in_cuda(void **)
{
    unsigned *cells = make_cells(224);
    run_block(shuffle_all, 32, 0, cells);
    for (unsigned lane = 0; lane < 32; lane++) {
        assert_int_equal(cells[lane], 5);
        assert_int_equal(cells[lane + 32], lane / 8 * 8 + 3);
        assert_int_equal(cells[lane + 64], lane % 16 < 3 ? lane : lane - 3);
        assert_int_equal(cells[lane + 96], lane % 16 >= 13 ? lane : lane + 3);
        assert_int_equal(cells[lane + 128], lane ^ 5);
        // later segments are out of range, earlier ones are not
        assert_int_equal(cells[lane + 160], (lane ^ 9) / 8 > lane / 8 ? lane : lane ^ 9);
        assert_int_equal(cells[lane + 192], lane < 24 ? 0 : lane < 31 ? lane + 1 : lane);
    }
    assert_ok(cudaFreeHost(cells));
}

// Each half of a warp works alone, without the odd lanes of the upper half.
__global__ static void collect(unsigned *cells)
{
    const unsigned lane = threadIdx.x % 32, low = lane < 16, own = 0x1000 + lane;
    const unsigned mask = low ? 0x0000ffff : 0x55550000;
    if (!low && lane % 2 == 1)
        return;
    bool is_right = __ballot_sync(mask, lane % 4 == 0) == (mask & 0x11111111);
    is_right &= __any_sync(mask, lane == 3) == int(low);
    is_right &= __all_sync(mask, lane % 2 == 0) == int(!low);
    is_right &= __match_any_sync(mask, lane / 4) == (mask & 0xfu << lane / 4 * 4);
    is_right &= __match_any_sync(mask, 1ull << 40) == mask;
    is_right &= __reduce_add_sync(mask, own) == (low ? 16 * 0x1000 + 120u : 8 * 0x1000 + 184u);
    is_right &= __reduce_add_sync(mask, -1) == (low ? -16 : -8);
    is_right &= __reduce_min_sync(mask, own) == (low ? 0x1000u : 0x1010u);
    is_right &= __reduce_max_sync(mask, own) == (low ? 0x100fu : 0x101eu);
    is_right &= __reduce_min_sync(mask, int(lane) - 20) == (low ? -20 : -4);
    is_right &= __reduce_max_sync(mask, -int(lane)) == (low ? 0 : -16);
    is_right &= __reduce_and_sync(mask, own) == (low ? 0x1000u : 0x1010u);
    is_right &= __reduce_or_sync(mask, own) == (low ? 0x100fu : 0x101eu);
    is_right &= __reduce_xor_sync(mask, 1u << lane) == mask;
    atomicAdd(cells, unsigned(is_right));
}

static void test_collectives__part_of_a_warp__are_right(void **)
{
    unsigned *cells = make_cells(1);
    for (unsigned seed = 0; seed < SEEDS; seed++) {
        emulated_cuda_seed(seed);
        run_block(collect, 128, 0, cells);
        assert_int_equal(*cells, (seed + 1) * 4 * 24);
    }
    assert_ok(cudaFreeHost(cells));
}

template <bool has_sync> __global__ static void rotate_warp(unsigned *cells)
{
    GSI_DYNAMIC_SHARED(unsigned, slots);
    slots[threadIdx.x] = threadIdx.x;
    if (has_sync)
        __syncwarp();
    cells[threadIdx.x] = slots[threadIdx.x ^ 1];
}

template <bool has_sync> static unsigned count_wrong_rotations(void)
{
    unsigned *cells = make_cells(64), wrong_count = 0;
    for (unsigned seed = 0; seed < SEEDS; seed++) {
        emulated_cuda_seed(seed);
        run_block(rotate_warp<has_sync>, 64, 64 * sizeof *cells, cells);
        unsigned is_wrong = 0;
        for (unsigned i = 0; i < 64; i++)
            is_wrong |= cells[i] != (i ^ 1);
        wrong_count += is_wrong;
    }
    assert_ok(cudaFreeHost(cells));
    return wrong_count;
}

static void test_syncwarp__missing__shows_for_some_seed(void **)
{
    assert_int_equal(count_wrong_rotations<true>(), 0);
    assert_int_not_equal(count_wrong_rotations<false>(), 0);
}

// ---- shared memory and asynchronous copies ----

__global__ static void read_fresh_shared(unsigned *cells)
{
    GSI_DYNAMIC_SHARED(unsigned, slots);
    __shared__ unsigned sum;
    if (threadIdx.x == 0)
        sum = 0;
    __syncthreads();
    atomicAdd(&sum, unsigned(slots[threadIdx.x] == 0xa5a5a5a5));
    __syncthreads();
    slots[threadIdx.x] = 0; // for the next block to see, if it could
    if (threadIdx.x == 0)
        cells[blockIdx.x] = sum;
}

static void test_shared__fresh_block__holds_poison(void **)
{
    unsigned *cells = make_cells(5);
    assert_ok(gsi_launch(read_fresh_shared, 5, 48, 48 * sizeof *cells, nullptr, cells));
    assert_ok(cudaDeviceSynchronize());
    for (unsigned i = 0; i < 5; i++)
        assert_int_equal(cells[i], 48);
    assert_ok(cudaFreeHost(cells));
}

// Two batches of one copy each; which of them is there before the wait and after each.
__global__ static void copy_async(const uint4 *from, unsigned *cells)
{
    GSI_DYNAMIC_SHARED(uint4, slots);
    slots[0] = slots[1] = make_uint4(7, 7, 7, 7);
    __pipeline_memcpy_async(&slots[0], &from[0], 16);
    __pipeline_commit();
    __pipeline_memcpy_async(&slots[1], &from[1], 16, 4);
    __pipeline_commit();
    __pipeline_wait_prior(2);
    cells[0] = slots[0].x;
    __pipeline_wait_prior(1);
    cells[1] = slots[0].x;
    cells[2] = slots[1].y;
    __pipeline_wait_prior(0);
    cells[3] = slots[1].z;
    cells[4] = slots[1].w;
    __pipeline_memcpy_async(&slots[0].y, &from[1].x, 4);
    __pipeline_wait_prior(0); // not committed: not waited for
    cells[5] = slots[0].y;
}

static void test_async_copy__before_its_wait__is_not_there(void **)
{
    unsigned *cells = make_cells(6);
    uint4 *from;
    assert_ok(cudaMallocHost(&from, 2 * sizeof *from));
    from[0] = make_uint4(10, 11, 12, 13);
    from[1] = make_uint4(20, 21, 22, 23);
    run_block(copy_async, 1, 2 * sizeof *from, from, cells);
    const unsigned want[6] = {0xa5a5a5a5, 10, 0xa5a5a5a5, 22, 0, 0xa5a5a5a5};
    for (unsigned i = 0; i < 6; i++)
        assert_int_equal(cells[i], want[i]);
    assert_ok(cudaFreeHost(from));
    assert_ok(cudaFreeHost(cells));
}

// Two loads of a barrier, and the first slot stored again; what is there before the waits and
// after.
__global__ static void copy_in_bulk(const uint4 *from, uint4 *to, unsigned *cells)
{
    GSI_DYNAMIC_SHARED(uint4, slots);
    __shared__ gsi_bulk_barrier barrier;
    if (threadIdx.x == 0) {
        gsi_bulk_begin(&barrier, 32);
        gsi_bulk_load(&slots[0], &from[1], 16, &barrier);
        gsi_bulk_load(&slots[1], &from[0], 16, &barrier);
        cells[0] = slots[0].x;
    }
    __syncthreads();
    gsi_bulk_wait(&barrier);
    cells[1 + threadIdx.x] = slots[threadIdx.x].y;
    gsi_bulk_publish();
    __syncthreads();
    if (threadIdx.x == 0) {
        gsi_bulk_store(to, &slots[0], 16);
        cells[3] = to->x;
        gsi_bulk_store_wait();
        cells[4] = to->x;
    }
}

static void test_bulk_copy__before_its_wait__is_not_there(void **)
{
    unsigned *cells = make_cells(5);
    uint4 *from;
    assert_ok(cudaMallocHost(&from, 3 * sizeof *from));
    from[0] = make_uint4(10, 11, 12, 13);
    from[1] = make_uint4(20, 21, 22, 23);
    from[2] = make_uint4(30, 31, 32, 33);
    run_block(copy_in_bulk, 2, 2 * sizeof *from, from, from + 2, cells);
    const unsigned want[5] = {0xa5a5a5a5, 21, 11, 30, 20};
    for (unsigned i = 0; i < 5; i++)
        assert_int_equal(cells[i], want[i]);
    assert_ok(cudaFreeHost(from));
    assert_ok(cudaFreeHost(cells));
}

// ---- the rest of the language ----

__global__ static void compute(unsigned *right_count, unsigned *cells, unsigned long long *wide,
                               float *real)
{
    const unsigned i = threadIdx.x;
    bool is_right = __popc(0xf0u) == 4 && __popcll(~0ull) == 64 && __clz(0) == 32;
    is_right &= __clz(1) == 31 && __clzll(0) == 64 && __clzll(1) == 63 && __ffs(0) == 0;
    is_right &= __ffs(8) == 4 && __ffsll(1ll << 40) == 41 && __brev(1) == 0x80000000;
    is_right &= __brev(0x12345678) == 0x1e6a2c48 && __brevll(1) == 1ull << 63;
    is_right &= __umulhi(1u << 31, 6) == 3 && __umul64hi(1ull << 63, 6) == 3;
    is_right &= __funnelshift_l(0x80000000, 1, 1) == 3 && __funnelshift_r(2, 1, 1) == 0x80000001;
    is_right &= __byte_perm(0x33221100, 0x77665544, 0x7250) == 0x77225500;
    is_right &= __float_as_uint(1.0f) == 0x3f800000 && __ldg(&cells[9]) == 0;
    is_right &= min(3, 4u) == 3 && max(-1.5, 2) == 2 && max(7ull, 9u) == 9 && warpSize == 32;
    atomicAdd(right_count, unsigned(is_right));
    atomicAdd(&cells[0], i);
    atomicMin(&cells[1], 100 - i);
    atomicMax(&cells[2], i);
    atomicOr(&cells[3], 1u << i);
    atomicAnd(&cells[4], ~(1u << i));
    if (atomicCAS(&cells[5], 0u, 1u) == 0)
        atomicExch(&cells[6], 5u);
    atomicAdd(&wide[0], 1ull << 40);
    atomicMax(&wide[1], (unsigned long long)i << 40);
    atomicAdd(real, 0.5f);
}

static void test_language__functions_and_atomics__are_right(void **)
{
    unsigned *cells = make_cells(10), *right_count = make_cells(1);
    unsigned long long *wide;
    float *real;
    assert_ok(cudaMallocHost(&wide, 2 * sizeof *wide));
    assert_ok(cudaMallocHost(&real, sizeof *real));
    wide[0] = wide[1] = 0;
    *real = 0;
    cells[1] = cells[4] = ~0u;
    run_block(compute, 32, 0, right_count, cells, wide, real);
    const unsigned want[10] = {496, 69, 31, ~0u, 0, 1, 5, 0, 0, 0};
    for (unsigned i = 0; i < 10; i++)
        assert_int_equal(cells[i], want[i]);
    assert_int_equal(*right_count, 32);
    assert_true(wide[0] == 32ull << 40 && wide[1] == 31ull << 40 && *real == 16.0f);
    assert_ok(cudaDeviceReset());
}

__global__ static void note_place(unsigned *cells, unsigned *next)
{
    const unsigned block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
    const unsigned thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    cells[block * 24 + thread] = atomicAdd(next, 1u);
}

// Records the order in which 2 x 3 x 2 blocks of 4 x 3 x 2 threads run.
static void run_places(uint64_t seed, unsigned *order)
{
    unsigned *cells = make_cells(288), *next = make_cells(1);
    emulated_cuda_seed(seed);
    assert_ok(gsi_launch(note_place, dim3(2, 3, 2), dim3(4, 3, 2), 0, nullptr, cells, next));
    assert_ok(cudaDeviceSynchronize());
    memcpy(order, cells, 288 * sizeof *cells);
    assert_ok(cudaFreeHost(cells));
    assert_ok(cudaFreeHost(next));
}

static void test_order__of_blocks_and_threads__follows_the_seed(void **)
{
    unsigned first[288], again[288], other[288];
    bool is_seen[288] = {};
    emulated_cuda_set_background(false);
    run_places(1, first);
    run_places(1, again);
    run_places(2, other);
    emulated_cuda_set_background(true);
    for (unsigned place : first)
        is_seen[place] = true;
    for (bool is : is_seen)
        assert_true(is);
    assert_memory_equal(first, again, sizeof first);
    assert_memory_not_equal(first, other, sizeof first);
}

int main(void)
{
    const CMUnitTest tests[] = {
        cmocka_unit_test(test_barrier__missing__shows_for_some_seed),
        cmocka_unit_test(test_barrier__votes__count_live_threads),
        cmocka_unit_test(test_shuffle__scan__has_right_sums),
        cmocka_unit_test(test_shuffle__lane_out_of_range__is_as_in_cuda),
        cmocka_unit_test(test_collectives__part_of_a_warp__are_right),
        cmocka_unit_test(test_syncwarp__missing__shows_for_some_seed),
        cmocka_unit_test(test_shared__fresh_block__holds_poison),
        cmocka_unit_test(test_async_copy__before_its_wait__is_not_there),
        cmocka_unit_test(test_bulk_copy__before_its_wait__is_not_there),
        cmocka_unit_test(test_language__functions_and_atomics__are_right),
        cmocka_unit_test(test_order__of_blocks_and_threads__follows_the_seed),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
