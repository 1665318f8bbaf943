// kway_merge.cuh: merges a tile of k runs by a tree of two-way merges in shared memory.
//
//   cuts      [b0,e0) [b1,e1) [b2,e2) [b3,e3)    one slice a run, copied in
//   level 0   [ 0 + 1 ]       [ 2 + 3 ]          every thread merges ITEMS keys of one pair
//   level 1   [      0 + 1 + 2 + 3      ]  ->    out, in whole 16-byte units
//
// Threads are assigned to the pairs of a level by ceil(keys / ITEMS). A level's outputs wait in
// registers until all threads have read its inputs, then replace them. Inputs are padded
// (merge_items.cuh): the last thread of a pair fills up its slots, and padding follows them.
#ifndef GSI_KWAY_MERGE_CUH
#define GSI_KWAY_MERGE_CUH

#include "kernels/common/bulk_copy.cuh"
#include "kernels/common/launch.cuh"
#include "kernels/sort/merge_items.cuh"
#include "kernels/sort/merge_runs.cuh"

#include <cuda_pipeline.h>

template <int FAN_IN> struct gsi_merge_table { // for the level being merged, in shared memory
    gsi_bulk_barrier loaded;
    uint32_t off[FAN_IN], count[FAN_IN];   // of each input, in keys
    uint32_t first_thread[FAN_IN / 2 + 1]; // of each pair
    uint32_t out_off[FAN_IN / 2], out_count[FAN_IN / 2];
};

template <class Key> GSI_HOST_DEVICE __forceinline__ constexpr uint32_t gsi_unit_keys()
{
    return 16 / sizeof(Key);
}

// Returns the keys of padding after an array: as many as use all banks equally. So neighbouring
// threads have no bank conflict even if a pair ends between them.
template <class Key, int FAN_IN_LOG>
GSI_HOST_DEVICE __forceinline__ constexpr uint32_t gsi_merge_padding()
{
    constexpr uint32_t banks = 128 / sizeof(Key);
    return (gsi_merge_policy<Key, FAN_IN_LOG>::items + banks - 1) / banks * banks;
}

// Shared memory of gsi_kway_merge: [keys | table]. Slices are rounded out to whole units.
template <class Key, int FAN_IN_LOG>
GSI_HOST_DEVICE __forceinline__ constexpr size_t gsi_merge_table_off()
{
    using policy = gsi_merge_policy<Key, FAN_IN_LOG>;
    constexpr size_t fan_in = 1 << FAN_IN_LOG, unit = gsi_unit_keys<Key>();
    constexpr size_t in = gsi_merge_tile<Key, FAN_IN_LOG>() +
                          fan_in * (gsi_merge_padding<Key, FAN_IN_LOG>() + 2 * unit);
    constexpr size_t out =
        policy::threads * policy::items + fan_in / 2 * gsi_merge_padding<Key, FAN_IN_LOG>();
    return ((in > out ? in : out) * sizeof(Key) + 15) / 16 * 16;
}

template <class Key, int FAN_IN_LOG>
GSI_HOST_DEVICE __forceinline__ constexpr size_t gsi_merge_shared_bytes()
{
    return gsi_merge_table_off<Key, FAN_IN_LOG>() + sizeof(gsi_merge_table<1 << FAN_IN_LOG>);
}

// Returns the sum of x over the lower lanes (a prefix sum).
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
template <class Key, int FAN_IN_LOG>
__device__ void gsi_plan_level(gsi_merge_table<1 << FAN_IN_LOG> &table, uint32_t pair_count)
{
    constexpr uint32_t ITEMS = gsi_merge_policy<Key, FAN_IN_LOG>::items;
    const uint32_t pair = threadIdx.x;
    const uint32_t n = pair < pair_count ? table.count[2 * pair] + table.count[2 * pair + 1] : 0;
    const uint32_t threads = (n + ITEMS - 1) / ITEMS;
    const uint32_t threads_before = gsi_warp_sum_before(threads);
    if (pair < pair_count) {
        table.first_thread[pair] = threads_before;
        table.out_off[pair] = threads_before * ITEMS + pair * gsi_merge_padding<Key, FAN_IN_LOG>();
        table.out_count[pair] = n;
    }
    if (pair + 1 == pair_count)
        table.first_thread[pair_count] = threads_before + threads;
}

// A run's slice of a tile, held by the lane with the run's number: source, whole units to copy, and
// destination.
template <class Key> struct gsi_merge_slice {
    const Key *from;
    uint32_t units, first_unit;
};

// One warp computes the layout of the tile's slices; warp 0 writes the table for all warps.
template <class Key, int FAN_IN_LOG>
__device__ gsi_merge_slice<Key> gsi_place_slices(const gsi_merge_runs<Key> &runs,
                                                 const uint64_t *cuts,
                                                 gsi_merge_table<1 << FAN_IN_LOG> &table)
{
    constexpr uint32_t FAN_IN = 1u << FAN_IN_LOG, UNIT = gsi_unit_keys<Key>();
    constexpr uint32_t PADDING_UNITS = gsi_merge_padding<Key, FAN_IN_LOG>() / UNIT;
    const uint64_t group = blockIdx.x / runs.tiles_per_group;
    const uint64_t boundary = blockIdx.x + group;
    const uint32_t lane = threadIdx.x % 32;
    gsi_merge_slice<Key> slice = {};
    uint32_t skip = 0, count = 0;
    if (lane < FAN_IN) {
        const uint64_t begin = cuts[boundary * FAN_IN + lane];
        count = static_cast<uint32_t>(cuts[(boundary + 1) * FAN_IN + lane] - begin);
        const Key *first = gsi_merge_run(runs, FAN_IN, group, lane).keys + begin;
        if (count > 0)
            skip = static_cast<uint32_t>(reinterpret_cast<uintptr_t>(first) % 16 / sizeof(Key));
        slice.from = first - skip;
        slice.units = (skip + count + UNIT - 1) / UNIT;
    }
    slice.first_unit = gsi_warp_sum_before(slice.units + PADDING_UNITS);
    if (threadIdx.x < FAN_IN) {
        table.off[lane] = slice.first_unit * UNIT + skip;
        table.count[lane] = count;
    }
    return slice;
}

// The thread block copies the tile's slices to shared memory and plans the first level.
template <class Key, int FAN_IN_LOG>
__device__ void gsi_load_slices(const gsi_merge_runs<Key> &runs, const uint64_t *cuts,
                                gsi_merge_table<1 << FAN_IN_LOG> &table, Key *keys)
{
    constexpr uint32_t FAN_IN = 1u << FAN_IN_LOG, UNIT = gsi_unit_keys<Key>();
    const uint32_t lane = threadIdx.x % 32, warp = threadIdx.x / 32;
#if GSI_HAS_BULK_COPY
    if (warp == 0) { // lane r copies run r's slice
        const gsi_merge_slice<Key> slice = gsi_place_slices<Key, FAN_IN_LOG>(runs, cuts, table);
        const uint32_t units = __reduce_add_sync(0xffffffffu, slice.units);
        if (lane == 0)
            gsi_bulk_begin(&table.loaded, units * 16);
        __syncwarp();
        if (slice.units > 0)
            gsi_bulk_load(keys + slice.first_unit * UNIT, slice.from, slice.units * 16,
                          &table.loaded);
        gsi_plan_level<Key, FAN_IN_LOG>(table, FAN_IN / 2);
    }
    __syncthreads();
    gsi_bulk_wait(&table.loaded);
#else
    constexpr uint32_t WARPS = gsi_merge_policy<Key, FAN_IN_LOG>::threads / 32;
    // Every warp computes the layout itself, so no barrier is needed before the copies.
    const gsi_merge_slice<Key> slice = gsi_place_slices<Key, FAN_IN_LOG>(runs, cuts, table);
    for (uint32_t r = 0; r < FAN_IN; r++) {
        const uint32_t units = __shfl_sync(0xffffffffu, slice.units, r);
        const uint32_t to = __shfl_sync(0xffffffffu, slice.first_unit, r);
        const uint64_t address =
            __shfl_sync(0xffffffffu, reinterpret_cast<unsigned long long>(slice.from), r);
        const Key *from = reinterpret_cast<const Key *>(address);
        for (uint32_t i = (warp + WARPS - r % WARPS) % WARPS * 32 + lane; i < units;
             i += WARPS * 32)
            __pipeline_memcpy_async(keys + (to + i) * UNIT, from + i * UNIT, 16);
    }
    __pipeline_commit();
    if (warp == 0) { // while the copies run
        __syncwarp();
        gsi_plan_level<Key, FAN_IN_LOG>(table, FAN_IN / 2);
    }
    __pipeline_wait_prior(0);
    __syncthreads();
#endif
}

// Writes padding keys after the end of each slice. They overwrite surplus keys, which were copied
// because copies are whole units.
template <class Key, int FAN_IN_LOG>
__device__ void gsi_pad_slices(const gsi_merge_table<1 << FAN_IN_LOG> &table, Key *keys)
{
    using policy = gsi_merge_policy<Key, FAN_IN_LOG>;
    for (uint32_t r = threadIdx.x / 32; r < 1u << FAN_IN_LOG; r += policy::threads / 32)
        for (uint32_t i = threadIdx.x % 32; i < policy::items; i += 32)
            keys[table.off[r] + table.count[r] + i] = ~Key(0);
}

// The thread block merges the level's pairs; their outputs are the inputs of the next level.
template <class Key, int FAN_IN_LOG>
__device__ __forceinline__ void gsi_merge_level(gsi_merge_table<1 << FAN_IN_LOG> &table, Key *keys,
                                                uint32_t pair_count, const gsi_key_turn &turn)
{
    using policy = gsi_merge_policy<Key, FAN_IN_LOG>;
    constexpr uint32_t ITEMS = policy::items, WARPS = policy::threads / 32;
    constexpr uint32_t PADDING = gsi_merge_padding<Key, FAN_IN_LOG>();
    constexpr uint32_t WARP_PAIRS = ((1 << FAN_IN_LOG) / 2 + WARPS - 1) / WARPS;
    const uint32_t thread = threadIdx.x, lane = thread % 32, warp = thread / 32;
    __syncthreads(); // waits for the level's keys and plan
    uint32_t pair = 0;
    for (uint32_t p = 1; p < pair_count; p++)
        pair += thread >= table.first_thread[p];
    const uint32_t a = table.off[2 * pair], b = table.off[2 * pair + 1];
    const uint32_t a_count = table.count[2 * pair], n = table.out_count[pair];
    const uint32_t diagonal = (thread - table.first_thread[pair]) * ITEMS;
    const uint32_t slot = table.out_off[pair] + diagonal;
    const bool has_work = thread < table.first_thread[pair_count] && diagonal < n;
    uint32_t padding[WARP_PAIRS]; // begin of the padding, for the pairs that this warp pads
#pragma unroll
    for (uint32_t i = 0; i < WARP_PAIRS; i++) {
        const uint32_t p = warp + i * WARPS;
        padding[i] = p < pair_count ? table.first_thread[p + 1] * ITEMS + p * PADDING : 0;
    }
    Key out[ITEMS];
    if (has_work) {
        const uint32_t taken = gsi_merge_path<uint32_t>(
            [=](uint32_t i) { return keys[a + i]; }, a_count,
            [=](uint32_t i) { return keys[b + i]; }, n - a_count, diagonal);
        constexpr uint32_t KEY_BYTES = sizeof(Key);
        gsi_merge_padded(keys, (a + taken) * KEY_BYTES, (b + diagonal - taken) * KEY_BYTES, out);
    }
    __syncthreads(); // all have read the level's inputs and its plan
    if (pair_count == 1)
        gsi_turn_to_bits(turn, out);
    if (has_work)
        gsi_store_items(keys + slot, false, out);
    if (pair_count == 1)
        return;
#pragma unroll
    for (uint32_t i = 0; i < WARP_PAIRS; i++)
        for (uint32_t k = lane; k < ITEMS && warp + i * WARPS < pair_count; k += 32)
            keys[padding[i] + k] = ~Key(0);
    if (warp > 0)
        return;
    if (thread < pair_count) {
        table.off[thread] = table.out_off[thread];
        table.count[thread] = table.out_count[thread];
    }
    __syncwarp();
    gsi_plan_level<Key, FAN_IN_LOG>(table, pair_count / 2);
}

// The thread block writes the tile, in whole units where those of the output are whole.
template <class Key> __device__ void gsi_store_tile(const Key *keys, Key *out, uint32_t count)
{
    constexpr uint32_t UNIT = gsi_unit_keys<Key>();
    const uint32_t units = reinterpret_cast<uintptr_t>(out) % 16 == 0 ? count / UNIT : 0;
#if GSI_HAS_BULK_COPY
    if (threadIdx.x == 0 && units > 0)
        gsi_bulk_store(out, keys, units * 16);
#else
    for (uint32_t i = threadIdx.x; i < units; i += blockDim.x)
        reinterpret_cast<uint4 *>(out)[i] = reinterpret_cast<const uint4 *>(keys)[i];
#endif
    for (uint32_t i = units * UNIT + threadIdx.x; i < count; i += blockDim.x)
        out[i] = keys[i];
#if GSI_HAS_BULK_COPY
    if (threadIdx.x == 0)
        gsi_bulk_store_wait();
#endif
}

template <class Key, int FAN_IN_LOG>
__global__ void __launch_bounds__(gsi_merge_policy<Key, FAN_IN_LOG>::threads,
                                  gsi_merge_policy<Key, FAN_IN_LOG>::blocks)
    gsi_kway_merge(gsi_merge_runs<Key> runs, const uint64_t *cuts)
{
    constexpr uint32_t FAN_IN = 1u << FAN_IN_LOG, TILE = gsi_merge_tile<Key, FAN_IN_LOG>();
    GSI_DYNAMIC_SHARED(unsigned char, shared);
    Key *const keys = reinterpret_cast<Key *>(shared);
    gsi_merge_table<FAN_IN> &table = *reinterpret_cast<gsi_merge_table<FAN_IN> *>(
        shared + gsi_merge_table_off<Key, FAN_IN_LOG>());
    const uint64_t group = blockIdx.x / runs.tiles_per_group;
    const uint64_t first = blockIdx.x % runs.tiles_per_group * TILE; // within the group's outputs
    const uint64_t outputs = gsi_merge_group_keys(runs, group);
    if (first >= outputs)
        return;
    runs.context.begin();
    gsi_load_slices<Key, FAN_IN_LOG>(runs, cuts, table, keys);
    gsi_pad_slices<Key, FAN_IN_LOG>(table, keys);
#pragma unroll 1
    for (uint32_t pair_count = FAN_IN / 2; pair_count > 0; pair_count /= 2)
        gsi_merge_level<Key, FAN_IN_LOG>(table, keys, pair_count, runs.turn);
#if GSI_HAS_BULK_COPY
    gsi_bulk_publish();
#endif
    __syncthreads();
    const uint32_t count = outputs - first < TILE ? static_cast<uint32_t>(outputs - first) : TILE;
    gsi_store_tile(keys, runs.out + gsi_merge_group_at(runs, group) + first, count);
}

#endif
