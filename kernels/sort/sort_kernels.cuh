// sort_kernels.cuh: launches of the kernels that sort and merge, for one key width; each width is a
// translation unit of its own (sort_kernels_4.cu, ..).
//
//   chunk sort   tiles -> runs of one tile -> passes of up to 16 runs each -> one run
//   merge        up to 16 arrays: one pass; more: groups of them into temp, then those
//
// Every pass is two launches: where each output tile begins in each run (cut.cuh), then the tiles
// (kway_merge.cuh).
#ifndef GSI_SORT_KERNELS_CUH
#define GSI_SORT_KERNELS_CUH

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

// Everything about one pass that depends on its fan-in.
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

    // runs.tiles_per_group is filled in here.
    static cudaError_t run(gsi_merge_runs<Key> runs, uint64_t *cuts, cudaStream_t stream)
    {
        if (runs.key_count == 0)
            return cudaSuccess;
        const uint64_t group_count = gsi_ceil_div(runs.key_count, runs.group_keys);
        runs.tiles_per_group = gsi_ceil_div<uint64_t>(runs.group_keys, tile);
        constexpr uint32_t CUT_THREADS = 128;
        const uint64_t lanes = group_count * (runs.tiles_per_group + 1) * fan_in;
        GSI_CUDA_TRY(
            gsi_launch(gsi_cut_tiles<Key, FAN_IN_LOG>,
                       dim3(static_cast<uint32_t>(gsi_ceil_div<uint64_t>(lanes, CUT_THREADS))),
                       dim3(CUT_THREADS), 0, stream, runs, group_count, cuts));
        return gsi_launch(gsi_kway_merge<Key, FAN_IN_LOG>,
                          dim3(static_cast<uint32_t>(group_count * runs.tiles_per_group)),
                          dim3(gsi_merge_policy<Key, FAN_IN_LOG>::threads),
                          gsi_merge_shared_bytes<Key, FAN_IN_LOG>(), stream, runs, cuts);
    }
};

// The member of gsi_pass for a fan-in known at run time.
#define GSI_OF_FAN_IN(fan_in_log, call)           \
    ((fan_in_log) <= 1   ? gsi_pass<Key, 1>::call \
     : (fan_in_log) == 2 ? gsi_pass<Key, 2>::call \
     : (fan_in_log) == 3 ? gsi_pass<Key, 3>::call \
                         : gsi_pass<Key, 4>::call)

static inline uint32_t gsi_ceil_log2(uint64_t n)
{
    uint32_t log = 0;
    while ((uint64_t(1) << log) < n)
        log++;
    return log;
}

// Fewest passes for `runs` runs, with fan-ins as even as can be: calls pass(log2 of fan-in, run
// length) in order until it fails.
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
    GSI_CUDA_TRY((gsi_pass<Key, 1>::prepare()));
    GSI_CUDA_TRY((gsi_pass<Key, 2>::prepare()));
    GSI_CUDA_TRY((gsi_pass<Key, 3>::prepare()));
    return gsi_pass<Key, 4>::prepare();
}

// Of exactly n keys.
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

// Fewer keys may be sorted in fewer passes of more runs each, which take more: of all that are
// sorted in the same passes, most keys take most.
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
    const gsi_cuda_places *places;
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

    // The tiles are written to `from`, then passes go to and fro; *sorted: where the last one went.
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
                                  const gsi_cuda_places *places, cudaStream_t stream, void **sorted)
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

// Of an odd number of passes the first reads what the tiles put into the spare.
template <class Key>
static cudaError_t gsi_sort_in_place(void *keys, void *spare, uint64_t n, void *scratch,
                                     const gsi_key_turn *turn, const gsi_cuda_places *places,
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

// Up to GSI_FAN_IN arrays into one.
template <class Key>
static cudaError_t gsi_merge_group(const gsi_slice *slices, uint32_t count, void *out,
                                   void *scratch, const gsi_cuda_places *places,
                                   cudaStream_t stream, uint64_t *key_count)
{
    gsi_merge_runs<Key> runs = {};
    for (uint32_t i = 0; i < count; i++) {
        runs.listed[i] = {static_cast<const Key *>(slices[i].keys), slices[i].count};
        runs.key_count += slices[i].count;
    }
    runs.group_keys = runs.key_count;
    runs.out = static_cast<Key *>(out);
    runs.context = gsi_key_context<Key>::make(places);
    *key_count = runs.key_count;
    if (count == 1)
        return cudaMemcpyAsync(out, slices[0].keys, runs.key_count * sizeof(Key),
                               cudaMemcpyDeviceToDevice, stream);
    const uint32_t log = gsi_ceil_log2(count);
    return GSI_OF_FAN_IN(log, run(runs, static_cast<uint64_t *>(scratch), stream));
}

template <class Key> static size_t gsi_merge_scratch_bytes(uint64_t n, uint32_t count)
{
    const uint32_t log = gsi_ceil_log2(count);
    if (log <= GSI_FAN_IN_LOG)
        return GSI_OF_FAN_IN(log, scratch_bytes(n, 1));
    // Groups follow each other in the same scratch, none larger than all keys in one.
    size_t most = 0;
    for (uint32_t any = 1; any <= GSI_FAN_IN_LOG; any++) {
        const size_t bytes = GSI_OF_FAN_IN(any, scratch_bytes(n, 1));
        most = bytes > most ? bytes : most;
    }
    return most;
}

template <class Key>
static cudaError_t gsi_merge(const gsi_slice *slices, uint32_t count, void *out, void *temp,
                             void *scratch, const gsi_cuda_places *places, cudaStream_t stream)
{
    uint64_t key_count;
    if (count <= GSI_FAN_IN)
        return count == 0
                   ? cudaSuccess
                   : gsi_merge_group<Key>(slices, count, out, scratch, places, stream, &key_count);
    // A tree: the levels change between temp and out, and the last one ends in out. Fan-ins are as
    // even as can be, for that merges fastest; but where the launches would take longer than their
    // merges, as in a window of a job, there are as few groups as can be. Groups begin with a
    // sector; no level has more than an eighth of the arrays in groups, so that room for a key an
    // array is enough.
    constexpr uint32_t MOST = 1024, SECTOR_KEYS = 32 / sizeof(Key);
    gsi_slice level[MOST];
    if (count > MOST)
        return cudaErrorInvalidValue;
    uint64_t all = 0;
    for (uint32_t i = 0; i < count; i++)
        all += slices[i].count;
    const bool is_short = all * sizeof(Key) < GSI_EVEN_TREE_BYTES;
    uint32_t levels = gsi_ceil_div<uint32_t>(gsi_ceil_log2(count), GSI_FAN_IN_LOG);
    for (; count > 1; slices = level, levels--) {
        Key *to = static_cast<Key *>(levels % 2 != 0 ? out : temp);
        const uint32_t fan_in =
            is_short ? GSI_FAN_IN : 1u << gsi_ceil_div(gsi_ceil_log2(count), levels);
        const uint32_t groups = gsi_ceil_div(count, fan_in);
        for (uint32_t g = 0, first = 0; g < groups; g++) {
            const uint32_t end = static_cast<uint32_t>(uint64_t(count) * (g + 1) / groups);
            GSI_CUDA_TRY(gsi_merge_group<Key>(slices + first, end - first, to, scratch, places,
                                              stream, &key_count));
            level[g] = {to, key_count};
            to += gsi_ceil_div<uint64_t>(key_count, SECTOR_KEYS) * SECTOR_KEYS;
            first = end;
        }
        count = groups;
    }
    return cudaSuccess;
}

// gsi_sort_kernels_of: the table of one key.
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
