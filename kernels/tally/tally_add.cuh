// tally_add.cuh: the kernel of the way in.
//
// Every thread keeps its counts in registers over all tiles of its block. Only at the end do
// threads join theirs, and thread 0 adds the block's to the accumulator's part of the same number,
// which is its own: there are no atomics, and none are needed for 128-bit extremes.
#ifndef GSI_TALLY_ADD_CUH
#define GSI_TALLY_ADD_CUH

#include "kernels/tally/tally_floats.cuh"

#include <type_traits>

// What a thread, a block or a block's share of all calls counted. Zeroed, it is an empty one: the
// minimum is kept inverted, as a maximum. Sums are of ascending keys; of long ones, by halves.
struct gsi_tally_part {
    gsi_u128 max, min_inverted;
    gsi_u128 fingerprint, sum[2];
    uint64_t count, nans, positive_infinities, negative_infinities, negative_zeros, unused;
};

struct gsi_cuda_tally {
    gsi_tally_part parts[GSI_TALLY_MOST_BLOCKS];
    // Floats only: two's complement of 128 bits each, low word first; see tally_floats.cuh.
    unsigned long long limbs[GSI_FLOAT_LIMBS][2];
};

GSI_HOST_DEVICE inline void gsi_part_join(gsi_tally_part &into, const gsi_tally_part &from)
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

// A thread's counts, in words no wider than needed for the 2^32 elements that it may see.
template <class Word> struct gsi_tally_scan {
    Word min, max;
    gsi_u128 fingerprint;
    typename std::conditional<sizeof(Word) == 4, uint64_t, gsi_u128>::type sum, sum_high;
    gsi_float_filter filter;
    uint32_t nans, positive_infinities, negative_infinities, negative_zeros;
};

template <class Word> __device__ __forceinline__ double gsi_double_of(Word bits)
{
    typename std::conditional<sizeof(Word) == 4, float, double>::type number;
    memcpy(&number, &bits, sizeof number);
    return static_cast<double>(number);
}

// Count one element, but for a float's maximum, sum and specials; returns its ascending key.
template <class Word, bool is_float, bool is_lean>
__device__ __forceinline__ Word gsi_scan_word(gsi_tally_scan<Word> &scan, const gsi_key_map &map,
                                              Word bits)
{
    const Word key = gsi_key_of(map, bits);
    if constexpr (!is_lean)
        scan.fingerprint += gsi_mix(bits);
    scan.min = key < scan.min ? key : scan.min; // NaNs are above all numbers
    if constexpr (is_float) {
        scan.negative_zeros += bits == static_cast<Word>(map.sign);
    } else {
        scan.max = key > scan.max ? key : scan.max;
        scan.sum += static_cast<uint64_t>(key);
        if constexpr (sizeof(Word) == 16)
            scan.sum_high += static_cast<uint64_t>(key >> 64);
    }
    return key;
}

// The rest of any float. Ascending keys go from -inf, 0, to +inf, nan_above.
template <class Word>
__device__ inline void gsi_scan_float(gsi_tally_scan<Word> &scan, const gsi_key_map &map, Word bits,
                                      gsi_float_limbs *limbs)
{
    const Word key = gsi_key_of(map, bits), nan_above = static_cast<Word>(map.nan_above);
    if (key > nan_above) {
        scan.nans++;
        return;
    }
    scan.max = key > scan.max ? key : scan.max;
    if (key == 0)
        scan.negative_infinities++;
    else if (key == nan_above)
        scan.positive_infinities++;
    else
        gsi_float_add(scan.filter, limbs, gsi_double_of(bits));
}

// The rest of all floats of a vector, if the filter takes them together; returns whether it did.
template <class Word>
__device__ __forceinline__ bool gsi_scan_floats(gsi_tally_scan<Word> &scan,
                                                const gsi_word_vector<Word> &bits,
                                                const gsi_word_vector<Word> &keys)
{
    gsi_float_filter filter = scan.filter;
    Word max = scan.max;
    bool is_exact = true;
    for (uint32_t i = 0; i < gsi_word_vector<Word>::count; i++) {
        const double x = gsi_double_of(bits.words[i]);
        // What was widened from 24 bits nearly always fits without the rest.
        is_exact &= sizeof(Word) == 4 ? gsi_exact_add(filter.sum, x) : gsi_filter_add(filter, x);
        max = keys.words[i] > max ? keys.words[i] : max;
    }
    scan.filter.sum = is_exact ? filter.sum : scan.filter.sum;
    scan.filter.rest = is_exact ? filter.rest : scan.filter.rest;
    scan.max = is_exact ? max : scan.max;
    return is_exact;
}

// A whole tile. Vectors that the filter refuses are marked, and read again after the others: out of
// the unrolled loop, they cost it nothing.
template <class Word, bool is_float, bool is_lean>
__device__ __forceinline__ void gsi_scan_tile(gsi_tally_scan<Word> &scan, const gsi_tally_job &job,
                                              const gsi_key_map &map, const gsi_tile &tile,
                                              gsi_float_limbs *limbs)
{
    gsi_word_vector<Word> *const vectors = gsi_tile_vectors<Word>(job, tile);
    gsi_word_vector<Word> rows[GSI_TALLY_ROWS];
    uint32_t refused = 0;
    for (uint32_t row = 0; row < GSI_TALLY_ROWS; row++)
        rows[row] = vectors[row * GSI_TALLY_THREADS];
    for (uint32_t row = 0; row < GSI_TALLY_ROWS; row++) {
        const gsi_word_vector<Word> bits = rows[row];
        for (Word &word : rows[row].words)
            word = gsi_scan_word<Word, is_float, is_lean>(scan, map, word);
        if constexpr (is_float)
            refused |= gsi_scan_floats(scan, bits, rows[row]) ? 0 : 1u << row;
        for (Word &word : rows[row].words)
            word ^= gsi_invert_of<Word>(job.map);
    }
    for (; is_float && refused != 0; refused &= refused - 1) {
        const uint32_t row = static_cast<uint32_t>(__ffs(static_cast<int>(refused))) - 1;
        for (uint32_t i = 0; i < gsi_word_vector<Word>::count; i++)
            gsi_scan_float(scan, map, vectors[row * GSI_TALLY_THREADS].words[i], limbs);
    }
    for (uint32_t row = 0; !is_lean && job.is_stored && row < GSI_TALLY_ROWS; row++)
        vectors[row * GSI_TALLY_THREADS] = rows[row];
}

template <class Word, bool is_float, bool is_lean>
__device__ __forceinline__ void gsi_scan_words(gsi_tally_scan<Word> &scan, const gsi_tally_job &job,
                                               const gsi_key_map &map, const gsi_tile &tile,
                                               gsi_float_limbs *limbs)
{
    Word *const words = static_cast<Word *>(job.base);
    for (uint64_t i = tile.from + threadIdx.x; i < tile.to; i += GSI_TALLY_THREADS) {
        const Word bits = words[i];
        const Word key = gsi_scan_word<Word, is_float, is_lean>(scan, map, bits);
        if (is_float)
            gsi_scan_float(scan, map, bits, limbs);
        if (!is_lean && job.is_stored)
            words[i] = key ^ gsi_invert_of<Word>(job.map);
    }
}

template <class Word> __device__ gsi_tally_part gsi_scan_part(const gsi_tally_scan<Word> &scan)
{
    gsi_tally_part part = {};
    part.max = scan.max;
    part.min_inverted = ~static_cast<gsi_u128>(scan.min);
    part.fingerprint = scan.fingerprint;
    part.sum[0] = scan.sum;
    part.sum[1] = scan.sum_high;
    part.nans = scan.nans;
    part.positive_infinities = scan.positive_infinities;
    part.negative_infinities = scan.negative_infinities;
    part.negative_zeros = scan.negative_zeros;
    return part;
}

// Blocks add their limbs in any order; each word that wraps carries once, whoever sees it.
__device__ __forceinline__ void gsi_tally_add_limbs(gsi_cuda_tally *tally,
                                                    const gsi_float_limbs *of_warps)
{
    for (uint32_t i = threadIdx.x; i < GSI_FLOAT_LIMBS; i += GSI_TALLY_THREADS) {
        const gsi_u128 total = gsi_limb_total(of_warps, i);
        const unsigned long long low = static_cast<unsigned long long>(total);
        unsigned long long high = static_cast<unsigned long long>(total >> 64);
        if (low != 0)
            high += atomicAdd(&tally->limbs[i][0], low) + low < low ? 1 : 0;
        if (high != 0)
            atomicAdd(&tally->limbs[i][1], high);
    }
}

// Grid: up to GSI_TALLY_MOST_BLOCKS; no dynamic shared memory.
template <class Word, bool is_float, bool is_lean>
__global__ void __launch_bounds__(GSI_TALLY_THREADS, GSI_TALLY_BLOCKS_PER_SM)
    gsi_tally_add_kernel(gsi_tally_job job, gsi_cuda_tally *tally)
{
    __shared__ gsi_float_limbs of_warps[is_float ? GSI_TALLY_WARPS : 1];
    gsi_float_limbs *const limbs = &of_warps[is_float ? threadIdx.x / 32 : 0];
    gsi_key_map map = job.map;
    map.invert = 0;
    if (!is_float)
        map.flip = map.shift = 0; // known to be, but not to the compiler
    if (is_float) {
        for (uint32_t i = threadIdx.x % 32; i < GSI_FLOAT_LIMBS; i += 32)
            limbs->low[i] = limbs->high[i] = 0;
        __syncwarp();
    }
    gsi_tally_scan<Word> scan = {};
    scan.min = static_cast<Word>(~Word(0));

    const uint64_t tiles = (job.end + gsi_tile_words<Word> - 1) / gsi_tile_words<Word>;
    for (uint64_t tile_idx = blockIdx.x; tile_idx < tiles; tile_idx += gridDim.x) {
        const gsi_tile tile = gsi_tile_at<Word>(job, tile_idx);
        if (tile.is_whole)
            gsi_scan_tile<Word, is_float, is_lean>(scan, job, map, tile, limbs);
        else
            gsi_scan_words<Word, is_float, is_lean>(scan, job, map, tile, limbs);
    }

    if (is_float) {
        __syncwarp();
        gsi_filters_flush(scan.filter, limbs);
    }
    // The join's barrier is also between the flushes and the reading of all warps' limbs.
    const gsi_tally_part part = gsi_block_join(gsi_scan_part(scan));
    if (is_float)
        gsi_tally_add_limbs(tally, of_warps);
    if (threadIdx.x == 0) {
        gsi_part_join(tally->parts[blockIdx.x], part);
        tally->parts[blockIdx.x].count += blockIdx.x == 0 ? job.end - job.begin : 0;
    }
}

#endif
