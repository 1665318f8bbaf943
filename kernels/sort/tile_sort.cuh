// tile_sort.cuh: sorts the tiles of a chunk, the first pass of a chunk sort: one tile per thread
// block, in shared memory.
//
//   registers: network   shared memory: levels 1 .. log2(threads)
//   t0 [sorted]   \  level 1   [0 .. 2E)   \ level 2
//   t1 [sorted]   /            ascending     > ...                -> tile, ascending
//   t2 [sorted]   \            [2E .. 4E)   /
//   t3 [sorted]   /            descending
//
// The second one of two neighbours that are merged next is in descending order (merge_items.cuh).
#ifndef GSI_TILE_SORT_CUH
#define GSI_TILE_SORT_CUH

#include "kernels/record/key_context.cuh"
#include "kernels/sort/key_turn.cuh"
#include "kernels/sort/merge_items.cuh"
#include "kernels/sort/sort_network.cuh"
#include "kernels/sort/tile_policy.cuh"

template <class Key>
__global__ void __launch_bounds__(gsi_tile_policy<Key>::threads, gsi_tile_policy<Key>::blocks)
    gsi_tile_sort(const Key *in, Key *out, uint64_t n, gsi_key_context<Key> context,
                  gsi_key_turn turn)
{
    context.begin();
    constexpr int ITEMS = gsi_tile_policy<Key>::items, THREADS = gsi_tile_policy<Key>::threads;
    constexpr uint32_t TILE = gsi_sort_tile<Key>();
    GSI_DYNAMIC_SHARED(Key, tile);
    const uint32_t thread = threadIdx.x;
    const uint64_t first = static_cast<uint64_t>(blockIdx.x) * TILE;
    const uint32_t count = n - first < TILE ? static_cast<uint32_t>(n - first) : TILE;
    Key keys[ITEMS];
#pragma unroll
    for (int i = 0; i < ITEMS; i++) { // any assignment of keys to threads works
        const uint32_t at = i * THREADS + thread;
        keys[i] = at < count ? in[first + at] : ~Key(0); // padding ~0 sorts last and is dropped
        if constexpr (gsi_key_context<Key>::is_bitwise)
            if (turn.to_keys && at < count)
                keys[i] = gsi_key_of_number(turn, keys[i]);
    }
    gsi_network_sort(keys);

    // A group of threads holds `group_keys` sorted keys; this thread holds those from `part` on.
    uint32_t group = thread, group_keys = ITEMS, part = 0;
#pragma unroll 1
    for (uint32_t group_threads = 1;; group_threads *= 2) {
        const bool is_descending = group % 2 != 0;
        if (group_threads == THREADS)
            gsi_turn_to_bits(turn, keys);
        Key *const slots = tile + group * group_keys;
        gsi_store_items(slots + (is_descending ? group_keys - 1 - part : part), is_descending,
                        keys);
        if (group_threads == THREADS)
            break;
        const bool is_in_warp = group_threads < 32; // the two groups merged next, too
        is_in_warp ? __syncwarp() : __syncthreads();
        group /= 2;
        part = thread * ITEMS - group * 2 * group_keys;
        gsi_merge_facing(tile + group * 2 * group_keys, group_keys, 2 * group_keys, part, keys);
        group_keys *= 2;
        is_in_warp ? __syncwarp() : __syncthreads(); // all inputs are read
    }
    __syncthreads();
    constexpr uint32_t UNIT = 16 / sizeof(Key);
    if (count == TILE && TILE % UNIT == 0 && reinterpret_cast<uintptr_t>(out) % 16 == 0) {
        uint4 *to = reinterpret_cast<uint4 *>(out + first);
        const uint4 *from = reinterpret_cast<const uint4 *>(tile);
        for (uint32_t i = thread; i < TILE / UNIT; i += THREADS)
            to[i] = from[i];
    } else {
        for (uint32_t i = thread; i < count; i += THREADS)
            out[first + i] = tile[i];
    }
}

#endif
