// tile_policy.cuh: sets the sizes of a tile by key width and fan-in. A policy changes speed, never
// results.
//
// A block of THREADS threads holds one tile in shared memory, and each thread holds ITEMS of its
// keys in registers. ITEMS is odd, so that threads writing at that stride use different banks.
// `blocks` such blocks fit into the registers and the shared memory of an SM of the H100 class. One
// of them fits into the shared memory of any GPU.
//
// Measured alternatives: tools/gsort-bench/RESULTS.md, "Sizes chosen by measurement".
#ifndef GSI_TILE_POLICY_CUH
#define GSI_TILE_POLICY_CUH

#include "base/simd.h"
#include "base/u128.h"

#include <cuda_runtime.h>

struct gsi_tied_tag; // kernels/record/tied_tag.cuh

// Limit of the runs that one pass merges.
#define GSI_FAN_IN_LOG 4
#define GSI_FAN_IN     (1 << GSI_FAN_IN_LOG)

// Trees of merges of at least so many bytes have even fan-ins. Windows of the host have smaller
// trees, which are faster with few large groups (tools/gsort-bench/RESULTS.md, "Sizes chosen by
// measurement").
#define GSI_EVEN_TREE_BYTES (UINT64_C(128) << 20)

#ifdef GSI_TILE_ITEMS_FORCED // tests: tiles so small that every edge case occurs
template <class Key> struct gsi_tile_policy {
    static constexpr int threads = 64, items = GSI_TILE_ITEMS_FORCED, blocks = 1;
};
#else
template <class Key> struct gsi_tile_policy;
template <> struct gsi_tile_policy<uint32_t> {
    static constexpr int threads = 256, items = 47, blocks = 4;
};
template <> struct gsi_tile_policy<uint64_t> {
    static constexpr int threads = 256, items = 23, blocks = 4;
};
template <> struct gsi_tile_policy<gsi_u128> {
    static constexpr int threads = 256, items = 23, blocks = 2;
};
// A comparison may read the records, and a network of 11 keys has a third of the comparators of one
// of 23.
template <> struct gsi_tile_policy<gsi_tied_tag> {
    static constexpr int threads = 256, items = 11, blocks = 3;
};
#endif

// Tiles of merges, by fan-in; by default the tile of a sort. A larger tile means fewer boundaries
// to cut. A smaller block means that fewer threads wait at a barrier. More items mean fewer
// searches, which limit merges of 8 and 16: they and the merge share the shared memory.
template <class Key, int FAN_IN_LOG> struct gsi_merge_policy : gsi_tile_policy<Key> {
};
#ifndef GSI_TILE_ITEMS_FORCED
template <> struct gsi_merge_policy<uint32_t, 1> {
    static constexpr int threads = 512, items = 47, blocks = 2;
};
template <> struct gsi_merge_policy<uint64_t, 1> {
    static constexpr int threads = 512, items = 23, blocks = 2;
};
template <> struct gsi_merge_policy<uint64_t, 2> {
    static constexpr int threads = 160, items = 39, blocks = 4;
};
template <> struct gsi_merge_policy<uint64_t, 3> {
    static constexpr int threads = 160, items = 39, blocks = 4;
};
template <> struct gsi_merge_policy<uint64_t, 4> {
    static constexpr int threads = 160, items = 39, blocks = 4;
};
template <> struct gsi_merge_policy<gsi_u128, 1> {
    static constexpr int threads = 192, items = 17, blocks = 3;
};
template <> struct gsi_merge_policy<gsi_u128, 2> {
    static constexpr int threads = 128, items = 23, blocks = 4;
};
template <> struct gsi_merge_policy<gsi_u128, 3> {
    static constexpr int threads = 128, items = 23, blocks = 4;
};
#endif

// Returns the keys that one block sorts.
template <class Key> GSI_HOST_DEVICE __forceinline__ constexpr uint32_t gsi_sort_tile()
{
    return gsi_tile_policy<Key>::threads * gsi_tile_policy<Key>::items;
}

// Returns the keys that one block merges from 2^fan_in_log runs, in whole units of 16 bytes. Each
// pair of a level may leave one thread partly filled.
template <class Key, int FAN_IN_LOG>
GSI_HOST_DEVICE __forceinline__ constexpr uint32_t gsi_merge_tile()
{
    using policy = gsi_merge_policy<Key, FAN_IN_LOG>;
    constexpr uint32_t unit = 16 / sizeof(Key);
    constexpr uint32_t threads = policy::threads - (1 << FAN_IN_LOG) / 2;
    return threads * policy::items / unit * unit;
}

#endif
