// tally_squares.cuh: sums the squares of the numbers that a tally counts, without any rounding
// (--variance).
//
// A number is an integer of up to 64 bits, the magnitude or the significand, times 2^place. So a
// square has 128 bits times 2^(2 place). Each thread has a sum of 256 bits in registers, in
// multiples of 2^(2 base). It adds squares of numbers whose exponents are from base to base + 31.
// Nearly all squares are in this range, because base is a little below the place of the first
// number. A number of another place moves the sum to the limbs of the warp (tally_limbs.cuh) and
// begins a new sum.
//
//     limb i: multiples of 2^(32 i), of floats of 2^(32 i - 2148)
//     256 bits, shifted by up to 30, touch nine limbs, each with less than 2^32
#ifndef GSI_TALLY_SQUARES_CUH
#define GSI_TALLY_SQUARES_CUH

#include "element/number_type.h"
#include "kernels/tally/tally_floats.cuh"

// The largest double's place is 2045: its square's lowest bit is bit 4090, of limb 127.
constexpr uint32_t GSI_SQUARE_LIMBS = 2 * 2045 / 32 + 9;

// Places that a sum accepts, and how many of them are below the place of its first number.
constexpr uint32_t GSI_SQUARE_PLACES = 32, GSI_SQUARE_PLACES_BELOW = 24;

// Low words first, as in gsi_cuda_tally.
struct gsi_cuda_squares {
    unsigned long long limbs[GSI_SQUARE_LIMBS][2];
};

struct gsi_placed_number {
    uint64_t magnitude;
    uint32_t place;
};

struct gsi_square_sum {
    gsi_u128 low, high;
    uint32_t base;
};

// Returns a number as magnitude times 2^place, without its sign. Returns 0 for NaNs and infinities.
template <class Word, gsi_key_kind KIND>
__device__ __forceinline__ gsi_placed_number gsi_place_number(Word bits)
{
    if constexpr (KIND == GSI_KEY_FLOAT) {
        const double wide = static_cast<double>(gsi_number_of(bits));
        uint64_t x;
        memcpy(&x, &wide, sizeof x);
        const uint32_t exponent = static_cast<uint32_t>(x >> 52) & 0x7ff;
        const uint64_t implicit = static_cast<uint64_t>(exponent > 0) << 52;
        return {exponent == 0x7ff ? 0 : (x & 0xfffffffffffff) | implicit,
                exponent > 0 ? exponent - 1 : 0};
    } else {
        const bool is_negative = KIND == GSI_KEY_SIGNED && bits >> (8 * sizeof(Word) - 1) != 0;
        return {is_negative ? static_cast<Word>(-bits) : bits, 0};
    }
}

// Adds the thread's sum to its warp's limbs.
__device__ inline void gsi_squares_flush(gsi_square_sum &sum, gsi_limbs<GSI_SQUARE_LIMBS> *limbs)
{
    const uint32_t first = 2 * sum.base / 32, shift = 2 * sum.base % 32;
    uint32_t above = 0; // shifted out of the word below
    for (uint32_t i = 0; i < 9; i++) {
        const gsi_u128 half = i < 4 ? sum.low : sum.high;
        const uint32_t word = i < 8 ? static_cast<uint32_t>(half >> 32 * (i % 4)) : 0;
        const uint64_t shifted = static_cast<uint64_t>(word) << shift | above;
        above = static_cast<uint32_t>(shifted >> 32);
        if (static_cast<uint32_t>(shifted) != 0)
            gsi_limb_add(limbs, first + i, static_cast<uint32_t>(shifted));
    }
    sum = {};
}

__device__ __forceinline__ void gsi_square_add(gsi_square_sum &sum, gsi_placed_number number,
                                               gsi_limbs<GSI_SQUARE_LIMBS> *limbs)
{
    if (number.magnitude == 0)
        return;
    if (number.place - sum.base >= GSI_SQUARE_PLACES) { // true below base, too
        gsi_squares_flush(sum, limbs);
        sum.base =
            number.place > GSI_SQUARE_PLACES_BELOW ? number.place - GSI_SQUARE_PLACES_BELOW : 0;
    }
    const uint32_t shift = 2 * (number.place - sum.base);
    const gsi_u128 square = static_cast<gsi_u128>(number.magnitude) * number.magnitude;
    const gsi_u128 low = sum.low + (square << shift);
    // Shifts in two steps, because a shift by 128 is undefined.
    sum.high += (square >> 64 >> (63 - shift) >> 1) + (low < sum.low ? 1 : 0);
    sum.low = low;
}

// Grid: any; no dynamic shared memory.
template <class Word, gsi_key_kind KIND>
__global__ void __launch_bounds__(GSI_TALLY_THREADS, GSI_TALLY_BLOCKS_PER_SM)
    gsi_tally_squares_kernel(gsi_tally_job job, gsi_cuda_squares *squares)
{
    __shared__ gsi_limbs<GSI_SQUARE_LIMBS> of_warps[GSI_TALLY_WARPS];
    gsi_limbs<GSI_SQUARE_LIMBS> *const limbs = &of_warps[threadIdx.x / 32];
    const Word *const words = static_cast<const Word *>(job.base);
    const uint64_t end = job.kept != nullptr ? job.begin + *job.kept : job.end;
    const uint64_t step = static_cast<uint64_t>(gridDim.x) * GSI_TALLY_THREADS;
    gsi_square_sum sum = {};
    gsi_limbs_clear(limbs);
    for (uint64_t i =
             job.begin + static_cast<uint64_t>(blockIdx.x) * GSI_TALLY_THREADS + threadIdx.x;
         i < end; i += step)
        gsi_square_add(sum, gsi_place_number<Word, KIND>(words[i]), limbs);
    gsi_squares_flush(sum, limbs);
    __syncthreads();
    gsi_limbs_join(squares->limbs, of_warps);
}

#endif
