// tile_policy.cuh: sets the sizes of a tile by key width and fan-in. A policy changes speed, never
// results.
//
// A block of THREADS threads holds one tile in shared memory, and each thread holds ITEMS of its
// keys in registers. ITEMS is odd, so that threads writing at that stride use different banks.
// `blocks` such blocks fit into the registers and the shared memory of an SM of the H100 class.
//
// Sorts of 2^28 random keys in ms (H200, driver 580.159.04, 2026-11-21), by threads x items /
// blocks:
//     4 bytes    256x23/4 10.1  256x35/4 8.5  256x47/4 7.4  256x53/4 7.3..7.5  512x23/3 9.1
//     8 bytes    256x15/5 17.6  256x19/4 16.1  256x23/4 14.5  256x31/2 17.4  128x23/8 16.1
//     16 bytes   256x9/5 36.1  256x11/4 34.4  256x15/3 33.3  256x21/2 33.1  256x23/2 31.4
#ifndef GSI_TILE_POLICY_CUH
#define GSI_TILE_POLICY_CUH

#include "base/simd.h"
#include "base/u128.h"

#include <cuda_runtime.h>

struct gsi_tied_tag; // kernels/record/tied_tag.cuh

// Limit of the runs that one pass merges.
#define GSI_FAN_IN_LOG 4
#define GSI_FAN_IN     (1 << GSI_FAN_IN_LOG)

// Trees of merges of at least so many bytes have even fan-ins. 57 runs of 32 GiB were merged from
// the host in windows of 16 MiB: 0.84 s with groups of 15, 1.36 s with groups of 8 (H200, driver
// 580.159.04, 2026-11-22). 64 runs of 2 GiB in device memory are merged faster by 8 and 8.
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
// to cut. A smaller block means that fewer threads wait at a barrier.
//
// Merges of 1 GiB in ms, cuts + tiles; a copy takes 0.51 (H200, driver 580.159.04, 2026-11-22), by
// threads x items / blocks:
//     2 runs    4 bytes   256x47/4 0.034+0.535  512x47/2 0.023+0.533  128x47/8 0.052+0.536
//               16 bytes  256x23/2 0.024+0.561  256x13/3 0.032+0.548  256x15/3 0.030+0.555
//     4 runs    4 bytes   256x47/4 0.056+0.540  128x47/8 0.076+0.531  128x63/6 0.064+0.543
//               8 bytes   256x23/4 0.060+0.561  128x23/8 0.088+0.546  128x31/6 0.073+0.560
//               16 bytes  256x23/2 0.051+0.597  128x23/4 0.069+0.537  128x29/3 0.061+0.557
//     8 runs    4 bytes   256x47/4 0.102+0.714  128x47/8 0.172+0.693  256x45/4 0.110+0.727
//               8 bytes   256x23/4 0.114+0.722  128x23/8 0.197+0.703  256x27/3 0.104+0.745
//               16 bytes  256x23/2 0.095+0.788  128x23/4 0.153+0.679  128x29/3 0.123+0.726
//     16 runs   4 bytes   256x47/4 0.179+0.917  512x47/2 0.105+0.982
//               8 bytes   256x23/4 0.207+0.943  512x23/2 0.115+1.014
//               16 bytes  256x23/2 0.197+0.979  512x23/1 0.115+1.181
template <class Key, int FAN_IN_LOG> struct gsi_merge_policy : gsi_tile_policy<Key> {
};
#ifndef GSI_TILE_ITEMS_FORCED
template <> struct gsi_merge_policy<uint32_t, 1> {
    static constexpr int threads = 512, items = 47, blocks = 2;
};
template <> struct gsi_merge_policy<uint64_t, 1> {
    static constexpr int threads = 512, items = 23, blocks = 2;
};
template <> struct gsi_merge_policy<uint64_t, 4> {
    static constexpr int threads = 512, items = 23, blocks = 2;
};
template <> struct gsi_merge_policy<gsi_u128, 1> {
    static constexpr int threads = 256, items = 13, blocks = 3;
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
