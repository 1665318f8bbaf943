// tally_add.cuh: counts elements on input: the kernel.
//
// Every thread keeps its counts in registers over all tiles of its block. Only at the end the
// threads of a block join their counts. Then thread 0 adds the block's counts to the accumulator's
// part with the block's number. No other block uses that part, so there are no atomics; 128-bit
// extremes would have none.
#ifndef GSI_TALLY_ADD_CUH
#define GSI_TALLY_ADD_CUH

#include "element/number_type.h"
#include "kernels/tally/tally_floats.cuh"
#include "kernels/tally/tally_mix.cuh"

#include <type_traits>

// Counts of a thread, of a block, or of a block's share of all calls. Zeroed, it is empty: the
// minimum is kept inverted, as a maximum. Sums are of ascending keys; sums of 16-byte keys are kept
// by halves.
struct gsi_tally_partial {
    gsi_u128 max, min_inverted;
    gsi_u128 fingerprint, sum[2];
    uint64_t count, nans, positive_infinities, negative_infinities, negative_zeros, unused;
};

struct gsi_cuda_tally {
    gsi_tally_partial parts[GSI_TALLY_MOST_BLOCKS];
    // State of the running pass: groups taken beyond each block's first one, and finished blocks.
    // Zero between passes.
    unsigned long long taken_groups, done_blocks;
    // Floats only; low words first; see tally_floats.cuh.
    unsigned long long limbs[GSI_FLOAT_LIMBS][2];
};

GSI_HOST_DEVICE inline void gsi_part_join(gsi_tally_partial &into, const gsi_tally_partial &from)
{
    into.max = from.max > into.max ? from.max : into.max;
    into.min_inverted =
        from.min_inverted > into.min_inverted ? from.min_inverted : into.min_inverted;
    into.fingerprint += from.fingerprint;
    into.sum[0] += from.sum[0];
    into.sum[1] += from.sum[1];
    into.count += from.count;
    into.nans += from.nans;
    into.positive_infinities += from.positive_infinities;
    into.negative_infinities += from.negative_infinities;
    into.negative_zeros += from.negative_zeros;
}

// A thread's counts, in words just wide enough for the 2^32 elements that it may count. For
// integers they are of ascending keys.
template <class Word, bool is_signed> struct gsi_integer_scan {
    Word min, max;
    uint32_t high_min, high_max;     // 8-byte keys: high words of the warp's extremes
    uint64_t sums[sizeof(Word) / 4]; // sums of the keys' 32-bit words
};

// Floats. min > max: there are no numbers yet except zeros.
template <class Word> struct gsi_float_scan {
    gsi_number<Word> min, max; // of numbers and infinities; zeros have any sign
    Word min_aside, max_aside; // keys of zeros; min_aside also of NaNs, the least one
    gsi_float_filter filter;
    uint32_t nans, positive_infinities, negative_infinities, negative_zeros;
};

template <class Word, gsi_key_kind KIND> struct gsi_tally_scan {
    typename std::conditional<KIND == GSI_KEY_FLOAT, gsi_float_scan<Word>,
                              gsi_integer_scan<Word, KIND == GSI_KEY_SIGNED>>::type values;
    gsi_mix_sum mixes;
};

template <class Word, bool is_signed>
__device__ void gsi_scan_clear(gsi_integer_scan<Word, is_signed> &scan)
{
    scan = {};
    scan.min = static_cast<Word>(~Word(0));
    scan.high_min = UINT32_MAX;
}

template <class Word> __device__ void gsi_scan_clear(gsi_float_scan<Word> &scan)
{
    scan = {};
    scan.min = static_cast<gsi_number<Word>>(__int_as_float(0x7f800000)); // infinity
    scan.max = -scan.min;
    scan.min_aside = static_cast<Word>(~Word(0));
}

template <class Word, bool is_signed> __device__ __forceinline__ Word gsi_integer_key(Word bits)
{
    return is_signed ? bits ^ Word(1) << (8 * sizeof(Word) - 1) : bits;
}

template <class Word, bool is_signed, uint32_t N>
__device__ __forceinline__ void gsi_scan_extremes(gsi_integer_scan<Word, is_signed> &scan,
                                                  const Word (&words)[N])
{
#pragma unroll
    for (uint32_t i = 0; i < N; i++) {
        const Word key = gsi_integer_key<Word, is_signed>(words[i]);
        scan.min = key < scan.min ? key : scan.min;
        scan.max = key > scan.max ? key : scan.max;
    }
}

// The same for 8-byte keys, by a whole warp. Both extremes take eight instructions per key, the
// extremes of the high words take one. For most tiles the high words show that no thread's extremes
// change.
template <bool is_signed, uint32_t N>
__device__ __forceinline__ void
gsi_scan_extremes_of_warp(gsi_integer_scan<uint64_t, is_signed> &scan, const uint64_t (&words)[N])
{
    uint32_t low = UINT32_MAX, high = 0;
#pragma unroll
    for (uint32_t i = 0; i < N; i++) {
        const uint32_t key =
            static_cast<uint32_t>(gsi_integer_key<uint64_t, is_signed>(words[i]) >> 32);
        low = key < low ? key : low;
        high = key > high ? key : high;
    }
    if (!__any_sync(0xffffffff, low <= scan.high_min || high >= scan.high_max))
        return;
    gsi_scan_extremes(scan, words);
    scan.high_min = __reduce_min_sync(0xffffffff, static_cast<uint32_t>(scan.min >> 32));
    scan.high_max = __reduce_max_sync(0xffffffff, static_cast<uint32_t>(scan.max >> 32));
}

// Counts a float. Returns false if gsi_scan_aside has to count the rest: `filter` is not exact any
// more, or the float is a zero.
template <class Word>
__device__ __forceinline__ bool gsi_scan_number(gsi_float_scan<Word> &scan,
                                                gsi_float_filter &filter, Word bits)
{
    const gsi_number<Word> x = gsi_number_of(bits);
    const double wide = static_cast<double>(x);
    scan.min = gsi_lower(x, scan.min);
    scan.max = gsi_higher(x, scan.max);
    // A number widened from 24 bits nearly always fits into the sum alone.
    const bool is_exact =
        sizeof(Word) == 4 ? gsi_exact_add(filter.sum, wide) : gsi_filter_add(filter, wide);
    return is_exact & (x != 0);
}

// Ascending keys are ordered from -inf through 0 and +inf to nan_above.
template <class Word>
__device__ inline void gsi_scan_aside(gsi_float_scan<Word> &scan, gsi_key_map map, Word bits,
                                      gsi_float_limbs *limbs)
{
    map = gsi_key_map_ascending(map);
    const Word key = gsi_key_of(map, bits), nan_above = static_cast<Word>(map.nan_above);
    const bool is_nan = key > nan_above, is_zero = gsi_number_of(bits) == 0;
    if (is_nan || is_zero)
        scan.min_aside = key < scan.min_aside ? key : scan.min_aside;
    if (is_zero)
        scan.max_aside = key > scan.max_aside ? key : scan.max_aside;
    if (is_nan)
        scan.nans++;
    else if (is_zero)
        scan.negative_zeros += bits == static_cast<Word>(map.sign);
    else if (key == 0)
        scan.negative_infinities++;
    else if (key == nan_above)
        scan.positive_infinities++;
    else
        gsi_float_add(scan.filter, limbs, static_cast<double>(gsi_number_of(bits)));
}

// Counts some elements. again(i) reads words[i] once more, because registers cannot be indexed.
template <class Word, bool is_signed, uint32_t N, class Again>
__device__ __forceinline__ void gsi_scan_values(gsi_integer_scan<Word, is_signed> &scan,
                                                const gsi_key_map &, const Word (&words)[N], Again,
                                                gsi_float_limbs *)
{
    if constexpr (sizeof(Word) == 8 && N > 1) // of a tile, by all threads
        gsi_scan_extremes_of_warp(scan, words);
    else
        gsi_scan_extremes(scan, words);
#pragma unroll
    for (uint32_t i = 0; i < N; i++) {
        const Word key = gsi_integer_key<Word, is_signed>(words[i]);
        for (uint32_t w = 0; w < sizeof(Word) / 4; w++)
            scan.sums[w] += static_cast<uint32_t>(key >> 32 * w);
    }
}

// If any element has to be set aside, the filter's additions are discarded and all elements are
// counted again.
template <class Word, uint32_t N, class Again>
__device__ __forceinline__ void gsi_scan_values(gsi_float_scan<Word> &scan, const gsi_key_map &map,
                                                const Word (&words)[N], Again again,
                                                gsi_float_limbs *limbs)
{
    gsi_float_filter filter = scan.filter;
    bool is_whole = true;
#pragma unroll
    for (uint32_t i = 0; i < N; i++)
        is_whole &= gsi_scan_number(scan, filter, words[i]);
    scan.filter.sum = is_whole ? filter.sum : scan.filter.sum;
    scan.filter.rest = is_whole ? filter.rest : scan.filter.rest;
    if (!is_whole)
#pragma unroll 1
        for (uint32_t i = 0; i < N; i++)
            gsi_scan_aside(scan, map, again(i), limbs);
}

template <class Word, gsi_key_kind KIND, bool is_lean, uint32_t N, class Again>
__device__ __forceinline__ void gsi_scan_some(gsi_tally_scan<Word, KIND> &scan,
                                              const gsi_key_map &map, const Word (&words)[N],
                                              Again again, gsi_float_limbs *limbs)
{
#pragma unroll
    for (uint32_t i = 0; i < N; i++)
        if (!is_lean)
            gsi_mix_add(scan.mixes, words[i]);
    gsi_scan_values(scan.values, map, words, again, limbs);
}

template <class Word, gsi_key_kind KIND, bool is_lean>
__device__ __forceinline__ void gsi_scan_tile(gsi_tally_scan<Word, KIND> &scan,
                                              const gsi_tally_job &job, const gsi_tile &tile,
                                              gsi_float_limbs *limbs)
{
    constexpr uint32_t count = gsi_word_vector<Word>::count;
    gsi_word_vector<Word> *const vectors = gsi_tile_vectors<Word>(job, tile);
    gsi_word_vector<Word> rows[GSI_TALLY_ROWS];
    Word words[GSI_TALLY_ROWS * count];
    for (uint32_t row = 0; row < GSI_TALLY_ROWS; row++)
        rows[row] = vectors[row * GSI_TALLY_THREADS];
    memcpy(words, rows, sizeof words);
    const auto again = [=](uint32_t i) {
        return vectors[i / count * GSI_TALLY_THREADS].words[i % count];
    };
    gsi_scan_some<Word, KIND, is_lean>(scan, job.map, words, again, limbs);
    for (uint32_t row = 0; !is_lean && job.is_stored && row < GSI_TALLY_ROWS; row++) {
        for (Word &word : rows[row].words)
            word = gsi_key_of(job.map, word);
        vectors[row * GSI_TALLY_THREADS] = rows[row];
    }
}

// The same for a tile that is not full.
template <class Word, gsi_key_kind KIND, bool is_lean>
__device__ __forceinline__ void gsi_scan_words(gsi_tally_scan<Word, KIND> &scan,
                                               const gsi_tally_job &job, const gsi_tile &tile,
                                               gsi_float_limbs *limbs)
{
    Word *const words = static_cast<Word *>(job.base);
    for (uint64_t i = tile.from + threadIdx.x; i < tile.to; i += GSI_TALLY_THREADS) {
        const Word one[1] = {words[i]};
        const auto again = [=](uint32_t) { return words[i]; };
        gsi_scan_some<Word, KIND, is_lean>(scan, job.map, one, again, limbs);
        if (!is_lean && job.is_stored)
            words[i] = gsi_key_of(job.map, one[0]);
    }
}

template <class Word, bool is_signed>
__device__ void gsi_scan_part(gsi_tally_partial &part,
                              const gsi_integer_scan<Word, is_signed> &scan, const gsi_key_map &)
{
    part.max = scan.max;
    part.min_inverted = ~static_cast<gsi_u128>(scan.min);
    for (uint32_t i = 0; i < sizeof(Word) / 4; i++)
        part.sum[i / 2] += static_cast<gsi_u128>(scan.sums[i]) << (32 * (i % 2));
}

template <class Word> __device__ Word gsi_number_key(gsi_key_map map, gsi_number<Word> x)
{
    Word bits;
    memcpy(&bits, &x, sizeof bits);
    return gsi_key_of(gsi_key_map_ascending(map), bits);
}

// A minimum or maximum of zero is one of the keys that were set aside.
template <class Word>
__device__ void gsi_scan_part(gsi_tally_partial &part, const gsi_float_scan<Word> &scan,
                              const gsi_key_map &map)
{
    Word min = scan.min_aside, max = scan.max_aside;
    if (scan.min <= scan.max && scan.min != 0) {
        const Word key = gsi_number_key<Word>(map, scan.min);
        min = key < min ? key : min;
    }
    if (scan.min <= scan.max && scan.max != 0) {
        const Word key = gsi_number_key<Word>(map, scan.max);
        max = key > max ? key : max;
    }
    part.max = max;
    part.min_inverted = ~static_cast<gsi_u128>(min);
    part.nans = scan.nans;
    part.positive_infinities = scan.positive_infinities;
    part.negative_infinities = scan.negative_infinities;
    part.negative_zeros = scan.negative_zeros;
}

// Counts all tiles of this block.
template <class Word, gsi_key_kind KIND, bool is_lean>
__device__ __forceinline__ void gsi_scan_groups(gsi_tally_scan<Word, KIND> &scan,
                                                const gsi_tally_job &job, gsi_cuda_tally *tally,
                                                gsi_float_limbs *limbs)
{
    __shared__ uint64_t next[2]; // used alternately: one is read while the other is written
    const uint64_t tiles = (job.end + gsi_tile_words<Word> - 1) / gsi_tile_words<Word>;
    uint64_t first = static_cast<uint64_t>(blockIdx.x) * GSI_TALLY_GROUP_TILES;
    for (uint32_t turn = 0; first < tiles; turn ^= 1) {
        unsigned long long taken = 0;
        if (threadIdx.x == 0) // returns while the group is counted
            taken = gridDim.x + atomicAdd(&tally->taken_groups, 1ull);
        for (uint64_t i = first; i < first + GSI_TALLY_GROUP_TILES && i < tiles; i++) {
            const gsi_tile tile = gsi_tile_at<Word>(job, i);
            if (tile.is_whole)
                gsi_scan_tile<Word, KIND, is_lean>(scan, job, tile, limbs);
            else
                gsi_scan_words<Word, KIND, is_lean>(scan, job, tile, limbs);
        }
        if (threadIdx.x == 0)
            next[turn] = taken * GSI_TALLY_GROUP_TILES;
        __syncthreads();
        first = next[turn];
    }
    if (threadIdx.x == 0 && atomicAdd(&tally->done_blocks, 1ull) == gridDim.x - 1)
        tally->taken_groups = tally->done_blocks = 0;
}

// Grid: up to GSI_TALLY_MOST_BLOCKS; no dynamic shared memory.
template <class Word, gsi_key_kind KIND, bool is_lean>
__global__ void __launch_bounds__(GSI_TALLY_THREADS, GSI_TALLY_BLOCKS_PER_SM)
    gsi_tally_add_kernel(gsi_tally_job job, gsi_cuda_tally *tally)
{
    constexpr bool is_float = KIND == GSI_KEY_FLOAT;
    if (is_lean && job.kept != nullptr)
        job.end = job.begin + *job.kept;
    __shared__ gsi_float_limbs of_warps[is_float ? GSI_TALLY_WARPS : 1];
    gsi_float_limbs *const limbs = &of_warps[is_float ? threadIdx.x / 32 : 0];
    if (is_float)
        gsi_limbs_clear(limbs);
    gsi_tally_scan<Word, KIND> scan;
    scan.mixes = {};
    gsi_scan_clear(scan.values);
    gsi_scan_groups<Word, KIND, is_lean>(scan, job, tally, limbs);

    gsi_tally_partial part = {};
    gsi_scan_part(part, scan.values, job.map);
    part.fingerprint = gsi_mix_total(scan.mixes);
    if constexpr (is_float) {
        __syncwarp();
        gsi_filters_flush(scan.values.filter, limbs);
    }
    // The join's barrier also separates the flushes from the reads of all warps' limbs.
    part = gsi_block_join(part);
    if (is_float)
        gsi_limbs_join(tally->limbs, of_warps);
    if (threadIdx.x == 0) {
        gsi_part_join(tally->parts[blockIdx.x], part);
        tally->parts[blockIdx.x].count += blockIdx.x == 0 ? job.end - job.begin : 0;
    }
}

#endif
