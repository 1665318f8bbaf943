// tally_mix.cuh: computes the fingerprint on a GPU: exactly the sum of gsi_mix_u64 or gsi_mix_u128
// over all elements, in words of 32 bits.
//
// A GPU multiplies two such words to 64 bits as fast as it adds or shifts two words, and in other
// units that work in parallel. The mix in the host's form is mostly additions and shifts of 64
// bits. These are two or three instructions of 32 bits each, and a sum of 128 bits takes four more
// per element. Here a thread sums low and high words separately, two elements at a time.
#ifndef GSI_TALLY_MIX_CUH
#define GSI_TALLY_MIX_CUH

#include "base/u128.h"
#include "element/key_order.h"

#include <cuda_runtime.h>

// Sums of the words of the mixes of fewer than 2^32 elements.
struct gsi_mix_sum {
    uint64_t low, high;
};

// A mix, or an intermediate value of one.
struct gsi_mix_words {
    uint32_t low, high;
};

// x ^ x >> SHIFT
template <uint32_t SHIFT> __device__ __forceinline__ gsi_mix_words gsi_fold(gsi_mix_words x)
{
    return {x.low ^ __funnelshift_r(x.low, x.high, SHIFT), x.high ^ x.high >> SHIFT};
}

__device__ __forceinline__ gsi_mix_words gsi_multiply(gsi_mix_words x, uint64_t factor)
{
    const uint32_t factor_low = static_cast<uint32_t>(factor);
    const uint64_t product = static_cast<uint64_t>(x.low) * factor_low;
    return {static_cast<uint32_t>(product), static_cast<uint32_t>(product >> 32) +
                                                x.low * static_cast<uint32_t>(factor >> 32) +
                                                x.high * factor_low};
}

// The rest of gsi_mix_u64 after its first product.
__device__ __forceinline__ gsi_mix_words gsi_mix_end(gsi_mix_words x)
{
    return gsi_fold<31>(gsi_multiply(gsi_fold<27>(x), GSI_MIX_FACTOR_2));
}

// For a word extended by zeros, the high word of the sum is the addend's high word H, or H + 1. H
// ends in the bits 01. The shift by 30 flips the second of these bits, which turns H into H + 2 and
// H + 1 into H - 1. So the term that enters the product is linear in the sum's high word.
__device__ __forceinline__ gsi_mix_words gsi_mix_of(uint32_t x)
{
    constexpr uint32_t high = static_cast<uint32_t>(GSI_MIX_ADDEND >> 32);
    constexpr uint32_t factor_low = static_cast<uint32_t>(GSI_MIX_FACTOR_1);
    constexpr uint32_t factor_high = static_cast<uint32_t>(GSI_MIX_FACTOR_1 >> 32);
    constexpr uint64_t constant = static_cast<uint64_t>((4 * high + 2) * factor_low) << 32;
    static_assert(high % 4 == 1 && high >> 30 == 2, "the second of the last two bits is flipped");
    const uint64_t sum = x + GSI_MIX_ADDEND;
    const uint32_t sum_low = static_cast<uint32_t>(sum),
                   sum_high = static_cast<uint32_t>(sum >> 32);
    const uint32_t low = sum_low ^ __funnelshift_l(sum_low, sum_high, 2);
    const uint64_t product = static_cast<uint64_t>(low) * factor_low + constant;
    return gsi_mix_end({static_cast<uint32_t>(product), static_cast<uint32_t>(product >> 32) +
                                                            low * factor_high +
                                                            sum_high * (0u - 3 * factor_low)});
}

__device__ __forceinline__ gsi_mix_words gsi_mix_of(uint64_t x)
{
    const uint64_t sum = x + GSI_MIX_ADDEND;
    const gsi_mix_words words = {static_cast<uint32_t>(sum), static_cast<uint32_t>(sum >> 32)};
    return gsi_mix_end(gsi_multiply(gsi_fold<30>(words), GSI_MIX_FACTOR_1));
}

__device__ __forceinline__ gsi_mix_words gsi_mix_of(gsi_u128 x)
{
    const gsi_mix_words low = gsi_mix_of(static_cast<uint64_t>(x));
    return gsi_mix_of((static_cast<uint64_t>(low.high) << 32 | low.low) +
                      static_cast<uint64_t>(x >> 64));
}

template <class Word> __device__ __forceinline__ void gsi_mix_add(gsi_mix_sum &sum, Word bits)
{
    const gsi_mix_words mix = gsi_mix_of(bits);
    sum.low += mix.low;
    sum.high += mix.high;
}

__device__ __forceinline__ gsi_u128 gsi_mix_total(const gsi_mix_sum &sum)
{
    return sum.low + (static_cast<gsi_u128>(sum.high) << 32);
}

#endif
