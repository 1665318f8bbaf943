// cut_window.cuh: finds the begin of each window of a merge in each of its runs, which may be in
// parts.
//
// One thread block per window, one thread per run. A fed run has as many parts as it has frames;
// the cut sees one array.
#ifndef GSI_CUT_WINDOW_CUH
#define GSI_CUT_WINDOW_CUH

#include "kernels/sort/chain.h"
#include "kernels/sort/cut.cuh"

#include <cstring>

// Limit of runs: the threads of a block.
#define GSI_CUT_CHAINS 1024

template <class Key> struct gsi_chain_of {
    const gsi_part *parts;
    uint32_t part_count;
    uint64_t count; // number of keys

    __device__ Key at(uint64_t i) const
    {
        uint32_t low = 0, high = part_count; // the part's index is in [low, high)
        while (high - low > 1) {
            const uint32_t middle = low + (high - low) / 2;
            if (parts[middle].begin <= i)
                low = middle;
            else
                high = middle;
        }
        return static_cast<const Key *>(parts[low].keys)[i - parts[low].begin];
    }
};

template <class Key>
__global__ void __launch_bounds__(GSI_CUT_CHAINS)
    gsi_cut_window(const gsi_chain *chains, uint32_t count, const gsi_part *parts, bool has_bound,
                   Key bound, uint32_t bound_arrays, uint64_t window_keys, uint64_t *cuts,
                   uint64_t *totals, gsi_key_context<Key> context)
{
    context.begin();
    GSI_DYNAMIC_SHARED(typename gsi_block_team<Key>::entry, scratch);
    const gsi_block_team<Key> team = {scratch};
    const uint32_t i = threadIdx.x;
    gsi_chain_of<Key> chain = {nullptr, 0, 0};
    if (i < count)
        chain = {parts + chains[i].first, chains[i].count, chains[i].key_count};
    if (has_bound) {
        uint64_t low = 0, high = chain.count;
        while (low < high) {
            const uint64_t middle = low + (high - low) / 2;
            const Key key = chain.at(middle);
            if (key < bound || (key == bound && i < bound_arrays))
                low = middle + 1;
            else
                high = middle;
        }
        chain.count = low;
    }
    const uint64_t total = team.sum(chain.count);
    const uint64_t end = (blockIdx.x + uint64_t(1)) * window_keys;
    const uint64_t wanted = end < total ? end : total;
    const uint64_t cut = gsi_cut<Key>(team, chain, i, count, wanted, total);
    if (i < count)
        cuts[static_cast<uint64_t>(blockIdx.x) * count + i] = cut;
    if (i == 0)
        totals[blockIdx.x] = total;
}

template <class Key>
static cudaError_t gsi_cut_windows(const gsi_chain *chains, uint32_t count, const gsi_part *parts,
                                   const void *bound, uint32_t bound_arrays, uint64_t window_keys,
                                   uint32_t window_count, uint64_t *cuts, uint64_t *totals,
                                   const gsi_cuda_record_table *places, cudaStream_t stream)
{
    Key bound_key = 0;
    if (bound != nullptr)
        memcpy(&bound_key, bound, sizeof bound_key);
    const uint32_t threads = (count + 31) / 32 * 32;
    return gsi_launch(gsi_cut_window<Key>, dim3(window_count), dim3(threads),
                      threads / 32 * sizeof(typename gsi_block_team<Key>::entry), stream, chains,
                      count, parts, bound != nullptr, bound_key, bound_arrays, window_keys, cuts,
                      totals, gsi_key_context<Key>::make(places));
}

static __global__ void gsi_copy_words_kernel(uint64_t *to, const uint64_t *from, uint64_t words)
{
    const uint64_t step = static_cast<uint64_t>(gridDim.x) * blockDim.x;
    for (uint64_t i = static_cast<uint64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < words;
         i += step)
        to[i] = from[i];
}

static cudaError_t gsi_copy_words(void *to, const void *from, uint64_t words, cudaStream_t stream)
{
    constexpr uint64_t threads = 256, most_blocks = 64;
    const uint64_t blocks = (words + threads - 1) / threads;
    if (words == 0)
        return cudaSuccess;
    return gsi_launch(gsi_copy_words_kernel,
                      dim3(static_cast<uint32_t>(blocks < most_blocks ? blocks : most_blocks)),
                      dim3(static_cast<uint32_t>(threads)), 0, stream, static_cast<uint64_t *>(to),
                      static_cast<const uint64_t *>(from), words);
}

#endif
