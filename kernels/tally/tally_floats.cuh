// tally_floats.cuh: sums doubles without any rounding, by the threads of a block.
//
// A filter of two doubles in the thread's registers accepts nearly every number. Its sum is exact
// for two reasons. The error of each addition is known (Knuth, "The Art of Computer Programming" 2,
// section 4.2.2, theorem B). A number that does not fit is refused. Refused numbers, and the
// filters in the end, are added to a fixed-point number in shared memory, one per warp:
//
//     limb i, 64 bits, two's complement: multiples of 2^(32 i - 1074)
//     a significand of 53 bits, shifted by up to 31, touches three limbs, each with less than 2^32
//
// so that a limb holds the sum of 2^31 numbers. Sources: Neal, "Fast exact summation using small
// and large superaccumulators", 2015, section 2; Collange, Defour, Graillat and Iakymchuk,
// "Numerical reproducibility for the parallel reduction on multi- and many-core architectures",
// 2015.
#ifndef GSI_TALLY_FLOATS_CUH
#define GSI_TALLY_FLOATS_CUH

#include "kernels/tally/tally_limbs.cuh"

#include <cmath>
#include <type_traits>

// The largest double's lowest bit is bit 2045: limbs 63 to 65.
constexpr uint32_t GSI_FLOAT_LIMBS = 66;

typedef gsi_limbs<GSI_FLOAT_LIMBS> gsi_float_limbs;

struct gsi_float_filter {
    double sum, rest;
};

// The float type with as many bits as Word.
template <class Word>
using gsi_number = typename std::conditional<sizeof(Word) == 4, float, double>::type;

template <class Word> __device__ __forceinline__ gsi_number<Word> gsi_number_of(Word bits)
{
    gsi_number<Word> x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

// Return the lower or the higher one of x, which may be NaN, and y; y if x is NaN; any of two
// zeros.
template <class Number> __device__ __forceinline__ Number gsi_lower(Number x, Number y)
{
#ifdef __CUDA_ARCH__
    if constexpr (sizeof(Number) == 4)
        return fminf(x, y); // one instruction; doubles have none
#endif
    return x < y ? x : y;
}

template <class Number> __device__ __forceinline__ Number gsi_higher(Number x, Number y)
{
#ifdef __CUDA_ARCH__
    if constexpr (sizeof(Number) == 4)
        return fmaxf(x, y);
#endif
    return x > y ? x : y;
}

// Adds any finite x.
__device__ inline void gsi_limbs_add(gsi_float_limbs *limbs, double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    const uint32_t exponent = static_cast<uint32_t>(bits >> 52) & 0x7ff;
    const uint64_t implicit = static_cast<uint64_t>(exponent > 0) << 52;
    const uint64_t significand = (bits & 0xfffffffffffff) | implicit;
    const uint32_t place = exponent > 0 ? exponent - 1 : 0;
    const gsi_u128 shifted = static_cast<gsi_u128>(significand) << place % 32;
    for (uint32_t i = 0; i < 3; i++) {
        const int64_t piece = static_cast<uint32_t>(shifted >> (32 * i));
        if (piece != 0)
            gsi_limb_add(limbs, place / 32 + i, bits >> 63 ? -piece : piece);
    }
}

// Adds x to sum; returns whether the addition was exact. Infinities, NaNs and overflows result in
// NaNs and return false.
__device__ __forceinline__ bool gsi_exact_add(double &sum, double x)
{
    const double before = sum, after = before + x, step = after - before;
    sum = after;
    return step == x && after - step == before;
}

// Adds x; returns whether the filter's value is still exact.
__device__ __forceinline__ bool gsi_filter_add(gsi_float_filter &filter, double x)
{
    const double before = filter.sum, after = before + x, step = after - before;
    filter.sum = after;
    return gsi_exact_add(filter.rest, (before - (after - step)) + (x - step));
}

// Adds any finite x to the filter or, if it does not fit, to the limbs.
__device__ inline void gsi_float_add(gsi_float_filter &filter, gsi_float_limbs *limbs, double x)
{
    gsi_float_filter next = filter;
    if (gsi_filter_add(next, x))
        filter = next;
    else
        gsi_limbs_add(limbs, x);
}

// Adds the filters of a warp to its limbs. Most fit into one filter, so they are joined in one
// first.
__device__ inline void gsi_filters_flush(gsi_float_filter filter, gsi_float_limbs *limbs)
{
    const uint32_t lane = threadIdx.x % 32;
    for (uint32_t distance = 16; distance > 0; distance /= 2) {
        const gsi_float_filter other = gsi_shuffle_down(filter, distance);
        if (lane < distance) {
            gsi_float_add(filter, limbs, other.sum);
            gsi_float_add(filter, limbs, other.rest);
        }
    }
    if (lane == 0) {
        gsi_limbs_add(limbs, filter.sum);
        gsi_limbs_add(limbs, filter.rest);
    }
}

#endif
