// tally_words.cuh: reads elements from device memory for the passes over elements, and joins the
// results of a block's threads. Elements and keys are words: unsigned integers of 4, 8 or 16 bytes.
//
//     base, 16-byte aligned         tile 0              tile 1              tile 2
//     |                             |...................|...................|.........
//     positions:            0 ..    begin <= elements < end
//
// A tile is GSI_TALLY_ROWS rows of one vector of 16 bytes per thread. Tiles that are full of
// elements are read by vectors, all rows in flight at once. Others, at most the first and the last
// one, are read word by word.
#ifndef GSI_TALLY_WORDS_CUH
#define GSI_TALLY_WORDS_CUH

#include "kernels/common/key_map.cuh"
#include "kernels/tally/tally_mix.cuh"

#include <cuda_runtime.h>

#include <cstring>

constexpr uint32_t GSI_TALLY_THREADS = 256, GSI_TALLY_WARPS = GSI_TALLY_THREADS / 32;
// Rows and blocks, chosen by measurement. 4 x 3, 4 x 5 and 2 x 6 are at most 3 % faster in any
// pass. 2 x 6 halves the speed of passes over floats, because 40 registers are too few for them.
constexpr uint32_t GSI_TALLY_ROWS = 4, GSI_TALLY_BLOCKS_PER_SM = 4;
constexpr uint32_t GSI_TALLY_TILE_BYTES = GSI_TALLY_THREADS * GSI_TALLY_ROWS * 16;
constexpr uint32_t GSI_TALLY_MOST_BLOCKS = 1024; // each one has a part of the result
// Tiles that a block takes at a time. Measured as above, 8 is as good; 1 costs 2 to 4 %.
#ifdef GSI_TALLY_GROUP_FORCED
constexpr uint32_t GSI_TALLY_GROUP_TILES = GSI_TALLY_GROUP_FORCED;
#else
constexpr uint32_t GSI_TALLY_GROUP_TILES = 4;
#endif

// The parameters of one pass for its kernel.
struct gsi_tally_job {
    gsi_key_map map;
    void *base;
    uint64_t begin, end;            // positions
    bool is_stored;                 // mapped words are written back
    const unsigned long long *kept; // number of elements if only the GPU knows it; or nullptr
};

template <class Word> struct __align__(16) gsi_word_vector
{
    static constexpr uint32_t count = 16 / sizeof(Word);
    Word words[count];
};

template <class Word> constexpr uint32_t gsi_tile_words = GSI_TALLY_TILE_BYTES / sizeof(Word);

// The positions of a tile's elements.
struct gsi_tile {
    uint64_t from, to;
    bool is_whole;
};

template <class Word>
__device__ __forceinline__ gsi_tile gsi_tile_at(const gsi_tally_job &job, uint64_t tile_idx)
{
    const uint64_t from = tile_idx * gsi_tile_words<Word>, to = from + gsi_tile_words<Word>;
    return {from < job.begin ? job.begin : from, to > job.end ? job.end : to,
            from >= job.begin && to <= job.end};
}

// Returns this thread's vectors of a whole tile.
template <class Word>
__device__ __forceinline__ gsi_word_vector<Word> *gsi_tile_vectors(const gsi_tally_job &job,
                                                                   const gsi_tile &tile)
{
    return reinterpret_cast<gsi_word_vector<Word> *>(static_cast<Word *>(job.base) + tile.from) +
           threadIdx.x;
}

// Returns lane i + distance's value in lane i, for any struct of 64-bit words.
template <class Part> __device__ Part gsi_shuffle_down(const Part &part, uint32_t distance)
{
    static_assert(sizeof(Part) % 8 == 0, "whole words are shuffled");
    uint64_t words[sizeof(Part) / 8];
    Part other;
    memcpy(words, &part, sizeof part);
    for (uint64_t &word : words)
        word = __shfl_down_sync(0xffffffff, word, distance);
    memcpy(&other, words, sizeof other);
    return other;
}

// Returns the block's parts joined by gsi_part_join, in thread 0. A zeroed part is empty.
template <class Part> __device__ Part gsi_block_join(Part part)
{
    __shared__ Part of_warp[GSI_TALLY_WARPS];
    const uint32_t lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    for (uint32_t distance = 16; distance > 0; distance /= 2)
        gsi_part_join(part, gsi_shuffle_down(part, distance));
    if (lane == 0)
        of_warp[warp] = part;
    __syncthreads();
    for (uint32_t i = 1; threadIdx.x == 0 && i < GSI_TALLY_WARPS; i++)
        gsi_part_join(part, of_warp[i]);
    return part;
}

#endif
