// sort_kernels.cuh: launches the kernels that sort and merge, for one key width. Each width is a
// translation unit of its own (sort_kernels_4.cu, ..).
//
//   chunk sort   tiles -> runs of one tile -> passes of up to 16 runs each -> one run
//   merge        up to 16 arrays: one pass; more: groups of them into temp, then those
//
// Every pass is two launches. The first finds the begin of each output tile in each run (cut.cuh),
// the second merges the tiles (kway_merge.cuh). Merges of two are one launch with another
// gsi_merge_kernel (circular_merge.cuh).
#ifndef GSI_SORT_KERNELS_CUH
#define GSI_SORT_KERNELS_CUH

#include "kernels/sort/circular_merge.cuh"
#include "kernels/sort/cut_window.cuh"
#include "kernels/sort/gather.cuh"
#include "kernels/sort/kway_merge.cuh"
#include "kernels/sort/sort_kernels.h"
#include "kernels/sort/tile_sort.cuh"

#include <cstring>

template <class Int> constexpr Int gsi_ceil_div(Int a, Int b)
{
    return (a + b - 1) / b;
}

// The parts of a pass that depend on its fan-in.
template <class Key, int FAN_IN_LOG> struct gsi_pass {
    static constexpr uint32_t fan_in = 1u << FAN_IN_LOG;
    static constexpr uint32_t tile = gsi_merge_tile<Key, FAN_IN_LOG>();

    static cudaError_t prepare()
    {
        return cudaFuncSetAttribute(reinterpret_cast<const void *>(gsi_kway_merge<Key, FAN_IN_LOG>),
                                    cudaFuncAttributeMaxDynamicSharedMemorySize,
                                    gsi_merge_shared_bytes<Key, FAN_IN_LOG>());
    }

    static size_t scratch_bytes(uint64_t group_keys, uint64_t group_count)
    {
        return group_count * (gsi_ceil_div<uint64_t>(group_keys, tile) + 1) * fan_in *
               sizeof(uint64_t);
    }

    // sets runs.tiles_per_group, and group_count of even groups
    static cudaError_t run(gsi_merge_runs<Key> runs, uint64_t *cuts, cudaStream_t stream)
    {
        if (runs.key_count == 0)
            return cudaSuccess;
        static_assert(sizeof runs + sizeof cuts <= GSI_PARAMETER_BYTES);
        if (runs.base != nullptr)
            runs.group_count = gsi_ceil_div(runs.key_count, runs.group_keys);
        runs.tiles_per_group = gsi_ceil_div<uint64_t>(runs.group_keys, tile);
        constexpr uint32_t CUT_THREADS = 128;
        const uint64_t lanes = runs.group_count * (runs.tiles_per_group + 1) * fan_in;
        GSI_CUDA_TRY(
            gsi_launch(gsi_cut_tiles<Key, FAN_IN_LOG>,
                       dim3(static_cast<uint32_t>(gsi_ceil_div<uint64_t>(lanes, CUT_THREADS))),
                       dim3(CUT_THREADS), 0, stream, runs, cuts));
        return gsi_launch(gsi_kway_merge<Key, FAN_IN_LOG>,
                          dim3(static_cast<uint32_t>(runs.group_count * runs.tiles_per_group)),
                          dim3(gsi_merge_policy<Key, FAN_IN_LOG>::threads),
                          gsi_merge_shared_bytes<Key, FAN_IN_LOG>(), stream, runs, cuts);
    }
};

// Calls the member of gsi_pass for a fan-in known at run time.
#define GSI_OF_FAN_IN(fan_in_log, call)           \
    ((fan_in_log) <= 1   ? gsi_pass<Key, 1>::call \
     : (fan_in_log) == 2 ? gsi_pass<Key, 2>::call \
     : (fan_in_log) == 3 ? gsi_pass<Key, 3>::call \
                         : gsi_pass<Key, 4>::call)

// The kernels that merge two runs, by gsi_merge_kernel; nullptr: as a pass, by tiles.
template <class Key>
using gsi_pair_kernel = cudaError_t (*)(gsi_slice_of<Key> a, gsi_slice_of<Key> b, Key *out,
                                        const gsi_key_context<Key> &context, uint32_t blocks,
                                        cudaStream_t stream);
template <class Key>
constexpr gsi_pair_kernel<Key> gsi_pair_kernels[GSI_MERGE_KERNEL_COUNT] = {
    nullptr, gsi_circular_launch<Key>::run};

static inline uint32_t gsi_ceil_log2(uint64_t n)
{
    uint32_t log = 0;
    while ((uint64_t(1) << log) < n)
        log++;
    return log;
}

// Sorts `runs` runs in the fewest passes, with fan-ins as even as possible: calls pass(log2 of
// fan-in, run length) in order until it fails.
template <class Key, class Pass> static cudaError_t gsi_for_each_pass(uint64_t n, Pass pass)
{
    uint64_t run_keys = gsi_sort_tile<Key>();
    while (run_keys < n) {
        const uint32_t levels = gsi_ceil_log2(gsi_ceil_div(n, run_keys));
        const uint32_t passes = gsi_ceil_div<uint32_t>(levels, GSI_FAN_IN_LOG);
        const uint32_t log = gsi_ceil_div(levels, passes);
        GSI_CUDA_TRY(pass(log, run_keys));
        run_keys <<= log;
    }
    return cudaSuccess;
}

template <class Key> static cudaError_t gsi_prepare()
{
    GSI_CUDA_TRY(cudaFuncSetAttribute(reinterpret_cast<const void *>(gsi_tile_sort<Key>),
                                      cudaFuncAttributeMaxDynamicSharedMemorySize,
                                      gsi_sort_tile<Key>() * sizeof(Key)));
    GSI_CUDA_TRY(gsi_circular_launch<Key>::prepare());
    GSI_CUDA_TRY((gsi_pass<Key, 1>::prepare()));
    GSI_CUDA_TRY((gsi_pass<Key, 2>::prepare()));
    GSI_CUDA_TRY((gsi_pass<Key, 3>::prepare()));
    return gsi_pass<Key, 4>::prepare();
}

// Returns the scratch bytes for exactly n keys.
template <class Key> static size_t gsi_sort_scratch_bytes(uint64_t n)
{
    size_t most = 0;
    gsi_for_each_pass<Key>(n, [&](uint32_t log, uint64_t run_keys) {
        const uint64_t group_keys = run_keys << log;
        const size_t bytes = GSI_OF_FAN_IN(
            log, scratch_bytes(group_keys < n ? group_keys : n, gsi_ceil_div(n, group_keys)));
        most = bytes > most ? bytes : most;
        return cudaSuccess;
    });
    return most;
}

// Returns the scratch bytes for up to n keys. Fewer keys may be sorted in fewer passes with more
// runs each, which need more scratch. For a given sequence of passes, most keys need most scratch.
template <class Key> static size_t gsi_chunk_scratch_bytes(uint64_t n)
{
    size_t most = gsi_sort_scratch_bytes<Key>(n);
    for (uint64_t fewer = gsi_sort_tile<Key>(); fewer < n; fewer *= 2) {
        const size_t bytes = gsi_sort_scratch_bytes<Key>(fewer);
        most = bytes > most ? bytes : most;
    }
    return most;
}

// A sort of n keys.
template <class Key> struct gsi_chunk {
    Key *keys, *spare;
    uint64_t n;
    uint64_t *scratch;
    const gsi_cuda_record_table *places;
    gsi_key_turn turn;
    cudaStream_t stream;

    static uint32_t pass_count(uint64_t n)
    {
        uint32_t count = 0;
        gsi_for_each_pass<Key>(n, [&](uint32_t, uint64_t) {
            count++;
            return cudaSuccess;
        });
        return count;
    }

    cudaError_t sort_tiles(Key *to, bool is_last) const
    {
        gsi_key_turn tile_turn = turn;
        tile_turn.to_bits = turn.to_bits && is_last;
        const uint64_t tiles = gsi_ceil_div<uint64_t>(n, gsi_sort_tile<Key>());
        return gsi_launch(gsi_tile_sort<Key>, dim3(static_cast<uint32_t>(tiles)),
                          dim3(gsi_tile_policy<Key>::threads), gsi_sort_tile<Key>() * sizeof(Key),
                          stream, keys, to, n, gsi_key_context<Key>::make(places), tile_turn);
    }

    // Writes the sorted tiles to `from`, then passes alternate between the two memories. *sorted:
    // where the last pass wrote.
    cudaError_t sort(Key *from, Key **sorted) const
    {
        Key *to = from == keys ? spare : keys;
        uint32_t left = pass_count(n);
        GSI_CUDA_TRY(sort_tiles(from, left == 0));
        const cudaError_t error = gsi_for_each_pass<Key>(n, [&](uint32_t log, uint64_t run_keys) {
            gsi_merge_runs<Key> runs = {};
            runs.base = from;
            runs.key_count = n;
            runs.run_keys = run_keys;
            runs.group_keys = run_keys << log < n ? run_keys << log : n;
            runs.out = to;
            runs.context = gsi_key_context<Key>::make(places);
            if (--left == 0)
                runs.turn = turn;
            GSI_CUDA_TRY(GSI_OF_FAN_IN(log, run(runs, scratch, stream)));
            Key *const swapped = from;
            from = to;
            to = swapped;
            return cudaSuccess;
        });
        *sorted = from;
        return error;
    }
};

template <class Key>
static cudaError_t gsi_chunk_sort(void *keys, void *spare, uint64_t n, void *scratch,
                                  const gsi_cuda_record_table *places, cudaStream_t stream,
                                  void **sorted)
{
    const gsi_chunk<Key> chunk = {static_cast<Key *>(keys),
                                  static_cast<Key *>(spare),
                                  n,
                                  static_cast<uint64_t *>(scratch),
                                  places,
                                  {},
                                  stream};
    Key *last = chunk.keys;
    const cudaError_t error = n > 0 ? chunk.sort(chunk.keys, &last) : cudaSuccess;
    *sorted = last;
    return error;
}

// If the number of passes is odd, the first one reads sorted tiles from the spare.
template <class Key>
static cudaError_t gsi_sort_in_place(void *keys, void *spare, uint64_t n, void *scratch,
                                     const gsi_key_turn *turn, const gsi_cuda_record_table *places,
                                     cudaStream_t stream)
{
    gsi_chunk<Key> chunk = {static_cast<Key *>(keys),
                            static_cast<Key *>(spare),
                            n,
                            static_cast<uint64_t *>(scratch),
                            places,
                            {},
                            stream};
    if (turn != nullptr)
        chunk.turn = *turn;
    Key *sorted;
    return n == 0 ? cudaSuccess
                  : chunk.sort(chunk.pass_count(n) % 2 == 0 ? chunk.keys : chunk.spare, &sorted);
}

// A level of a tree of merges: `count` arrays in `groups` groups of up to GSI_FAN_IN, as even as
// possible. Each group is merged into one of `merged`, which may overlap the begin of `slices`. The
// outputs of a group begin at a sector.
template <class Key> struct gsi_merge_level_of {
    const gsi_slice *slices;
    uint32_t count, groups;
    Key *out;
    gsi_slice *merged;
    gsi_pair_merges *pairs; // as in gsi_sort_kernels::merge

    uint32_t first(uint32_t group) const
    {
        return static_cast<uint32_t>(uint64_t(count) * group / groups);
    }

    void list(gsi_merge_runs<Key> *runs, uint32_t group, uint64_t at) const
    {
        gsi_listed_group<Key> *listed = &runs->listed[runs->group_count++];
        listed->at = at;
        for (uint32_t i = first(group); i < first(group + 1); i++) {
            listed->run[i - first(group)] = {static_cast<const Key *>(slices[i].keys),
                                             slices[i].count};
            listed->key_count += slices[i].count;
        }
        runs->key_count += listed->key_count;
        runs->group_keys =
            listed->key_count > runs->group_keys ? listed->key_count : runs->group_keys;
    }

    cudaError_t run(const gsi_merge_runs<Key> &runs, uint32_t log, void *scratch,
                    cudaStream_t stream) const
    {
        const gsi_pair_kernel<Key> kernel =
            gsi_pair_kernels<Key>[pairs != nullptr ? pairs->kernel : GSI_MERGE_TILED];
        if (log > 1 || kernel == nullptr)
            return GSI_OF_FAN_IN(log, run(runs, static_cast<uint64_t *>(scratch), stream));
        for (uint64_t g = 0; g < runs.group_count; g++, pairs->count++) {
            const gsi_listed_group<Key> &group = runs.listed[g];
            GSI_CUDA_TRY(
                kernel(group.run[0], group.run[1], runs.out + group.at, runs.context, 0, stream));
        }
        return cudaSuccess;
    }

    cudaError_t merge(void *scratch, const gsi_cuda_record_table *places, cudaStream_t stream) const
    {
        constexpr uint32_t SECTOR_KEYS = 32 / sizeof(Key);
        const uint32_t log = gsi_ceil_log2(gsi_ceil_div(count, groups));
        uint64_t at = 0;
        for (uint32_t g = 0; g < groups;) {
            gsi_merge_runs<Key> runs = {};
            runs.out = out;
            runs.context = gsi_key_context<Key>::make(places);
            const uint32_t begin = g;
            for (; g < groups && g - begin < GSI_GROUPS_LISTED; g++) {
                list(&runs, g, at);
                at += gsi_ceil_div(runs.listed[g - begin].key_count, uint64_t(SECTOR_KEYS)) *
                      SECTOR_KEYS;
            }
            GSI_CUDA_TRY(run(runs, log, scratch, stream));
            for (uint32_t i = begin; i < g; i++)
                merged[i] = {out + runs.listed[i - begin].at, runs.listed[i - begin].key_count};
        }
        return cudaSuccess;
    }
};

template <class Key> static size_t gsi_merge_scratch_bytes(uint64_t n, uint32_t count)
{
    const uint32_t log = gsi_ceil_log2(count);
    if (log <= GSI_FAN_IN_LOG)
        return GSI_OF_FAN_IN(log, scratch_bytes(n, 1));
    // One group may have all keys, and each group has room for that many.
    const uint32_t all = gsi_ceil_div<uint32_t>(count, 2);
    const uint32_t groups = all < GSI_GROUPS_LISTED ? all : GSI_GROUPS_LISTED;
    size_t most = 0;
    for (uint32_t any = 1; any <= GSI_FAN_IN_LOG; any++) {
        const size_t bytes = GSI_OF_FAN_IN(any, scratch_bytes(n, groups));
        most = bytes > most ? bytes : most;
    }
    return most;
}

template <class Key>
static cudaError_t gsi_merge(const gsi_slice *slices, uint32_t count, void *out, void *temp,
                             void *scratch, const gsi_cuda_record_table *places,
                             gsi_pair_merges *pairs, cudaStream_t stream)
{
    // A tree of merges: levels alternate between temp and out, and the last one writes to out.
    // Fan-ins are as even as possible, because such merges are fastest. If the launches would take
    // longer than their merges, as in a window of a job, there are as few groups as possible. No
    // level has more groups than an eighth of the arrays, so that room for one key per array is
    // enough.
    constexpr uint32_t MOST = GSI_CUT_CHAINS;
    gsi_slice level[MOST];
    if (count > MOST)
        return cudaErrorInvalidValue;
    if (count == 1)
        return cudaMemcpyAsync(out, slices[0].keys, slices[0].count * sizeof(Key),
                               cudaMemcpyDeviceToDevice, stream);
    uint64_t all = 0;
    for (uint32_t i = 0; i < count; i++)
        all += slices[i].count;
    const bool is_short = all * sizeof(Key) < GSI_EVEN_TREE_BYTES;
    uint32_t levels = gsi_ceil_div<uint32_t>(gsi_ceil_log2(count), GSI_FAN_IN_LOG);
    for (; count > 1; slices = level, levels--) {
        Key *const to = static_cast<Key *>(levels % 2 != 0 ? out : temp);
        const uint32_t fan_in =
            is_short ? GSI_FAN_IN : 1u << gsi_ceil_div(gsi_ceil_log2(count), levels);
        const uint32_t groups = gsi_ceil_div(count, fan_in);
        const gsi_merge_level_of<Key> now = {slices, count, groups, to, level, pairs};
        GSI_CUDA_TRY(now.merge(scratch, places, stream));
        count = groups;
    }
    return cudaSuccess;
}

// gsi_sort_kernels_of: returns the table of one key type.
template <class Key> constexpr gsi_sort_kernels gsi_sort_kernels_of()
{
    gsi_sort_kernels kernels = {};
    kernels.key_bytes = sizeof(Key);
    kernels.prepare = gsi_prepare<Key>;
    kernels.chunk_scratch_bytes = gsi_chunk_scratch_bytes<Key>;
    kernels.chunk_sort = gsi_chunk_sort<Key>;
    kernels.sort_in_place = gsi_sort_in_place<Key>;
    kernels.merge_scratch_bytes = gsi_merge_scratch_bytes<Key>;
    kernels.merge = gsi_merge<Key>;
    kernels.cut_windows = gsi_cut_windows<Key>;
    kernels.copy_words = gsi_copy_words;
    kernels.gather = gsi_gather<Key>;
    return kernels;
}

#endif
