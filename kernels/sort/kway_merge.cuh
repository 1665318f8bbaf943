// kway_merge.cuh: a tile of a k-way merge: a reduce tree of two-way merges in shared memory.
//
//   cuts      [b0,e0) [b1,e1) [b2,e2) [b3,e3)    one slice a run, copied in by cp.async
//   level 0   [ 0 + 1 ]       [ 2 + 3 ]          every thread merges ITEMS keys of one pair
//   level 1   [      0 + 1 + 2 + 3      ]  ->    out, in whole 16-byte units
//
// Threads are dealt to the pairs of a level by ceil(keys / ITEMS). A level's outputs wait in
// registers until all have read its inputs, then replace them, packed from the tile's start; those
// of every second pair descending, as the next level wants them (merge_items.cuh).
#ifndef GSI_KWAY_MERGE_CUH
#define GSI_KWAY_MERGE_CUH

#include "kernels/common/launch.cuh"
#include "kernels/sort/merge_items.cuh"
#include "kernels/sort/merge_runs.cuh"

#include <cuda_pipeline.h>

template <int FAN_IN> struct gsi_merge_table { // of the level being merged, in shared memory
    uint32_t off[FAN_IN], count[FAN_IN];       // of each input, in keys
    uint32_t first_thread[FAN_IN / 2 + 1];     // of each pair
    uint32_t out_off[FAN_IN / 2], out_count[FAN_IN / 2];
};

// Threads whose outputs go past a merge's end read this far around the keys.
template <class Key> GSI_HOST_DEVICE __forceinline__ constexpr size_t gsi_merge_overrun_bytes()
{
    return (gsi_tile_policy<Key>::items * sizeof(Key) + 15) / 16 * 16;
}

// Shared memory that gsi_kway_merge needs: [overrun | slices, rounded out to 16-byte units |
// overrun | table].
template <class Key, int FAN_IN_LOG>
GSI_HOST_DEVICE __forceinline__ constexpr size_t gsi_merge_table_off()
{
    constexpr size_t tile = gsi_merge_tile<Key, FAN_IN_LOG>() * sizeof(Key);
    return tile + (2 << FAN_IN_LOG) * 16 + 2 * gsi_merge_overrun_bytes<Key>();
}

template <class Key, int FAN_IN_LOG>
GSI_HOST_DEVICE __forceinline__ constexpr size_t gsi_merge_shared_bytes()
{
    return gsi_merge_table_off<Key, FAN_IN_LOG>() + sizeof(gsi_merge_table<1 << FAN_IN_LOG>);
}

// Sum of x over the lanes below this one.
__device__ __forceinline__ uint32_t gsi_warp_sum_before(uint32_t x)
{
    uint32_t sum = x;
    for (uint32_t distance = 1; distance < 32; distance *= 2) {
        const uint32_t below = __shfl_up_sync(0xffffffffu, sum, distance);
        sum += threadIdx.x % 32 >= distance ? below : 0;
    }
    return sum - x;
}

// Lane p of warp 0 describes pair p of a level: its threads and its outputs.
template <class Key, int FAN_IN>
__device__ void gsi_plan_level(gsi_merge_table<FAN_IN> &table, uint32_t pair_count)
{
    constexpr uint32_t ITEMS = gsi_tile_policy<Key>::items;
    const uint32_t pair = threadIdx.x;
    const uint32_t n = pair < pair_count ? table.count[2 * pair] + table.count[2 * pair + 1] : 0;
    const uint32_t threads = (n + ITEMS - 1) / ITEMS;
    const uint32_t threads_before = gsi_warp_sum_before(threads);
    const uint32_t outputs_before = gsi_warp_sum_before(n);
    if (pair < pair_count) {
        table.first_thread[pair] = threads_before;
        table.out_off[pair] = outputs_before;
        table.out_count[pair] = n;
    }
    if (pair + 1 == pair_count)
        table.first_thread[pair_count] = threads_before + threads;
}

// Warp 0 lays the tile's slices out and plans the first level; every warp copies its share of them
// in.
template <class Key, int FAN_IN_LOG>
__device__ void gsi_load_slices(const gsi_merge_runs<Key> &runs, const uint64_t *cuts,
                                gsi_merge_table<1 << FAN_IN_LOG> &table, Key *keys)
{
    constexpr uint32_t FAN_IN = 1u << FAN_IN_LOG, UNIT = 16 / sizeof(Key);
    constexpr uint32_t WARPS = gsi_tile_policy<Key>::threads / 32;
    const uint64_t group = blockIdx.x / runs.tiles_per_group;
    const uint64_t boundary = blockIdx.x + group;
    const uint32_t lane = threadIdx.x % 32, warp = threadIdx.x / 32;

    // Every warp computes the layout for itself, lane r for run r: no barrier before the copies.
    const Key *from = nullptr;
    uint32_t units = 0, skip = 0, count = 0;
    if (lane < FAN_IN) {
        const uint64_t begin = cuts[boundary * FAN_IN + lane];
        count = static_cast<uint32_t>(cuts[(boundary + 1) * FAN_IN + lane] - begin);
        const Key *first = gsi_merge_run(runs, FAN_IN, group, lane).keys + begin;
        skip = static_cast<uint32_t>(reinterpret_cast<uintptr_t>(first) % 16 / sizeof(Key));
        from = first - skip;
        units = count == 0 ? 0 : (skip + count + UNIT - 1) / UNIT;
    }
    const uint32_t first_unit = gsi_warp_sum_before(units);
    if (warp == 0 && lane < FAN_IN) {
        table.off[lane] = first_unit * UNIT + skip;
        table.count[lane] = count;
    }
    for (uint32_t r = 0; r < FAN_IN; r++) {
        const uint32_t run_units = __shfl_sync(0xffffffffu, units, r);
        const uint32_t to = __shfl_sync(0xffffffffu, first_unit, r);
        const uint64_t address =
            __shfl_sync(0xffffffffu, reinterpret_cast<unsigned long long>(from), r);
        const Key *run_keys = reinterpret_cast<const Key *>(address);
        for (uint32_t i = (warp + WARPS - r % WARPS) % WARPS * 32 + lane; i < run_units;
             i += WARPS * 32)
            __pipeline_memcpy_async(keys + (to + i) * UNIT, run_keys + i * UNIT, 16);
    }
    __pipeline_commit();
    if (warp == 0) { // while the copies are on their way
        __syncwarp();
        gsi_plan_level<Key, FAN_IN>(table, FAN_IN / 2);
    }
    __pipeline_wait_prior(0);
}

template <class Key, int FAN_IN_LOG>
__global__ void __launch_bounds__(gsi_tile_policy<Key>::threads, gsi_tile_policy<Key>::blocks)
    gsi_kway_merge(gsi_merge_runs<Key> runs, const uint64_t *cuts)
{
    constexpr int ITEMS = gsi_tile_policy<Key>::items, THREADS = gsi_tile_policy<Key>::threads;
    constexpr uint32_t FAN_IN = 1u << FAN_IN_LOG, TILE = gsi_merge_tile<Key, FAN_IN_LOG>();
    GSI_DYNAMIC_SHARED(unsigned char, shared);
    Key *const keys = reinterpret_cast<Key *>(shared + gsi_merge_overrun_bytes<Key>());
    gsi_merge_table<FAN_IN> &table = *reinterpret_cast<gsi_merge_table<FAN_IN> *>(
        shared + gsi_merge_table_off<Key, FAN_IN_LOG>());
    const uint32_t thread = threadIdx.x;
    const uint64_t group = blockIdx.x / runs.tiles_per_group;
    const uint64_t first = blockIdx.x % runs.tiles_per_group * TILE; // of the group's outputs
    const uint64_t outputs = gsi_merge_group_keys(runs, group);
    if (first >= outputs)
        return;
    runs.context.begin();
    gsi_load_slices<Key, FAN_IN_LOG>(runs, cuts, table, keys);
#pragma unroll 1
    for (int level = 0; level < FAN_IN_LOG; level++) {
        const uint32_t pair_count = FAN_IN >> (level + 1);
        __syncthreads(); // the level's keys and plan are there
        uint32_t pair = 0;
        for (uint32_t p = 1; p < pair_count; p++)
            pair += thread >= table.first_thread[p];
        const uint32_t a = table.off[2 * pair], b = table.off[2 * pair + 1];
        const uint32_t a_count = table.count[2 * pair], n = table.out_count[pair];
        const uint32_t out_off = table.out_off[pair];
        const uint32_t diagonal = (thread - table.first_thread[pair]) * ITEMS;
        const bool has_work = thread < table.first_thread[pair_count] && diagonal < n;
        Key out[ITEMS];
        if (has_work) {
            if (level == 0)
                gsi_merge_bounded(keys, a, a + a_count, b, b + n - a_count, diagonal, out);
            else
                gsi_merge_facing(keys + a, a_count, n, diagonal, out);
        }
        __syncthreads(); // all inputs of the level, and its plan, are read
        if (has_work) {
            const bool is_descending = pair % 2 != 0;
            const uint32_t left = n - diagonal;
            const uint32_t slot = is_descending ? left - 1 : diagonal;
            gsi_store_items(keys + out_off + slot, is_descending, left < ITEMS ? left : ITEMS, out);
        }
        if (thread < 32 && pair_count > 1) { // the outputs are the next level's inputs
            if (thread < pair_count) {
                table.off[thread] = table.out_off[thread];
                table.count[thread] = table.out_count[thread];
            }
            __syncwarp();
            gsi_plan_level<Key, FAN_IN>(table, pair_count / 2);
        }
    }
    __syncthreads();
    constexpr uint32_t UNIT = 16 / sizeof(Key);
    const uint32_t count = outputs - first < TILE ? static_cast<uint32_t>(outputs - first) : TILE;
    Key *out = runs.out + group * runs.group_keys + first;
    const uint32_t unit_count = reinterpret_cast<uintptr_t>(out) % 16 == 0 ? count / UNIT : 0;
    uint4 *units = reinterpret_cast<uint4 *>(out);
    for (uint32_t i = thread; i < unit_count; i += THREADS)
        units[i] = reinterpret_cast<const uint4 *>(keys)[i];
    for (uint32_t i = unit_count * UNIT + thread; i < count; i += THREADS)
        out[i] = keys[i];
}

#endif
