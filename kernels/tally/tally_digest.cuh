// tally_digest.cuh: checks and fingerprints keys on output: the kernel.
//
// Each block processes one contiguous range of tiles and writes a digest of it. The host joins
// the digests in order and compares the ends of neighbours. Within a range, keys are compared
// before any neighbour may have been converted to an element. For this a block reads a tile into
// registers, copies the last key of each vector to shared memory, and stores after the barrier.
// Thread 0 keeps the key before the tile in a register. The two keys at a disorder are read once,
// at the end.
#ifndef GSI_TALLY_DIGEST_CUH
#define GSI_TALLY_DIGEST_CUH

#include "kernels/tally/tally_words.cuh"

// Digest of one block's range, like struct gsi_digest.
struct gsi_block_digest {
    gsi_u128 first_key, last_key, before_key, after_key;
    gsi_u128 fingerprint;
    uint64_t count, disorder_idx;
    uint64_t repeat_count, unused;
};

struct gsi_cuda_digest {
    uint64_t piece_count, unused;
    gsi_block_digest pieces[GSI_TALLY_MOST_BLOCKS];
};

// Joined results of threads. Zeroed, it is empty: the position is kept inverted, so the lowest one
// wins.
struct gsi_digest_partial {
    gsi_u128 fingerprint;
    uint64_t disorder_inverted, repeat_count;
};

__device__ inline void gsi_part_join(gsi_digest_partial &into, const gsi_digest_partial &from)
{
    into.fingerprint += from.fingerprint;
    into.repeat_count += from.repeat_count;
    if (from.disorder_inverted > into.disorder_inverted)
        into.disorder_inverted = from.disorder_inverted;
}

// The same for one thread, so far.
struct gsi_digest_scan {
    gsi_mix_sum mixes;
    uint64_t disorder_inverted;
    uint32_t repeat_count; // fewer than 2^32: a thread's range has fewer words
};

template <class Word>
__device__ __forceinline__ void gsi_digest_compare(gsi_digest_scan &scan, Word before, Word key,
                                                   uint64_t position)
{
    scan.repeat_count += key == before;
    if (key < before && ~position > scan.disorder_inverted)
        scan.disorder_inverted = ~position;
}

// Processes a whole tile. carry: in thread 0, the key before the tile; thread 0 returns the tile's
// last key. edges: shared by the block; not the array of the previous call, which other threads may
// still be reading.
template <class Word>
__device__ __forceinline__ Word gsi_digest_tile(gsi_digest_scan &scan, const gsi_tally_job &job,
                                                const gsi_tile &tile, Word carry, Word *edges)
{
    constexpr uint32_t count = gsi_word_vector<Word>::count;
    gsi_word_vector<Word> *const vectors = gsi_tile_vectors<Word>(job, tile);
    gsi_word_vector<Word> rows[GSI_TALLY_ROWS];
    for (uint32_t row = 0; row < GSI_TALLY_ROWS; row++)
        rows[row] = vectors[row * GSI_TALLY_THREADS];
    for (uint32_t row = 0; row < GSI_TALLY_ROWS; row++)
        edges[row * GSI_TALLY_THREADS + threadIdx.x] = rows[row].words[count - 1];
    __syncthreads();
    for (uint32_t row = 0; row < GSI_TALLY_ROWS; row++) {
        const uint32_t vector = row * GSI_TALLY_THREADS + threadIdx.x;
        Word before = vector > 0 ? edges[vector - 1] : carry;
        for (uint32_t i = 0; i < count; i++) {
            const Word key = rows[row].words[i], bits = gsi_bits_of(job.map, key);
            gsi_digest_compare(scan, before, key, tile.from + vector * count + i);
            gsi_mix_add(scan.mixes, bits);
            rows[row].words[i] = bits;
            before = key;
        }
        if (job.is_stored)
            vectors[row * GSI_TALLY_THREADS] = rows[row];
    }
    return edges[GSI_TALLY_ROWS * GSI_TALLY_THREADS - 1];
}

// The same for a tile that is not full: one loop checks the order, another one does the rest.
template <class Word>
__device__ __forceinline__ Word gsi_digest_words(gsi_digest_scan &scan, const gsi_tally_job &job,
                                                 const gsi_tile &tile, Word carry)
{
    Word *const words = static_cast<Word *>(job.base);
    const uint64_t from = tile.from + threadIdx.x;
    for (uint64_t i = from; i < tile.to; i += GSI_TALLY_THREADS)
        gsi_digest_compare(scan, i > tile.from ? words[i - 1] : carry, words[i], i);
    const Word last = words[tile.to - 1];
    __syncthreads();
    for (uint64_t i = from; i < tile.to; i += GSI_TALLY_THREADS) {
        const Word bits = gsi_bits_of(job.map, words[i]);
        gsi_mix_add(scan.mixes, bits);
        if (job.is_stored)
            words[i] = bits;
    }
    return last;
}

// Returns the key at a position whose word may have been converted to an element.
template <class Word> __device__ Word gsi_digest_key(const gsi_tally_job &job, uint64_t position)
{
    const Word word = static_cast<const Word *>(job.base)[position];
    return job.is_stored ? gsi_key_of(job.map, word) : word;
}

// Grid: up to GSI_TALLY_MOST_BLOCKS, no more than there are tiles; no dynamic shared memory.
template <class Word>
__global__ void __launch_bounds__(GSI_TALLY_THREADS, GSI_TALLY_BLOCKS_PER_SM)
    gsi_digest_kernel(gsi_tally_job job, gsi_cuda_digest *digest)
{
    __shared__ Word edges[2][GSI_TALLY_ROWS * GSI_TALLY_THREADS];
    const uint64_t tiles = (job.end + gsi_tile_words<Word> - 1) / gsi_tile_words<Word>;
    const uint64_t tile_begin = tiles * blockIdx.x / gridDim.x;
    const uint64_t tile_end = tiles * (blockIdx.x + 1) / gridDim.x;
    const uint64_t begin = gsi_tile_at<Word>(job, tile_begin).from;
    const uint64_t end = gsi_tile_at<Word>(job, tile_end - 1).to;
    const Word first = static_cast<const Word *>(job.base)[begin]; // thread 0: before any store
    Word carry = 0; // the first key is not below it, and equal only if it is 0
    gsi_digest_scan scan = {};
    for (uint64_t tile_idx = tile_begin; tile_idx < tile_end; tile_idx++) {
        const gsi_tile tile = gsi_tile_at<Word>(job, tile_idx);
        carry = tile.is_whole ? gsi_digest_tile(scan, job, tile, carry, edges[tile_idx % 2])
                              : gsi_digest_words(scan, job, tile, carry);
    }

    gsi_digest_partial part = {};
    part.fingerprint = gsi_mix_total(scan.mixes);
    part.disorder_inverted = scan.disorder_inverted;
    part.repeat_count = scan.repeat_count;
    part = gsi_block_join(part); // its barrier makes all stores visible to thread 0
    if (threadIdx.x > 0)
        return;
    gsi_block_digest piece = {};
    piece.first_key = first;
    piece.last_key = carry;
    piece.fingerprint = part.fingerprint;
    piece.count = end - begin;
    piece.repeat_count = part.repeat_count - (first == 0);
    piece.disorder_idx = UINT64_MAX;
    if (part.disorder_inverted > 0) {
        const uint64_t position = ~part.disorder_inverted;
        piece.disorder_idx = position - begin;
        piece.before_key = gsi_digest_key<Word>(job, position - 1);
        piece.after_key = gsi_digest_key<Word>(job, position);
    }
    digest->pieces[blockIdx.x] = piece;
    if (blockIdx.x == 0)
        digest->piece_count = gridDim.x;
}

#endif
