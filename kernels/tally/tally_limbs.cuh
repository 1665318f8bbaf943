// tally_limbs.cuh: adds to long fixed-point numbers: one per warp in shared memory, and one of all
// blocks in device memory.
//
//     limb i: multiples of 2^(32 i), two's complement; 64 bits in shared, 128 in device memory
//
// Each addend of a limb has 32 bits, so that a limb holds 2^31 addends before it has to be carried.
#ifndef GSI_TALLY_LIMBS_CUH
#define GSI_TALLY_LIMBS_CUH

#include "kernels/tally/tally_words.cuh"

// Two arrays of halves: the GPU has no 64-bit addition in shared memory, but 32-bit ones.
template <uint32_t N> struct gsi_limbs {
    uint32_t low[N], high[N];
};

// Called by a whole warp.
template <uint32_t N> __device__ __forceinline__ void gsi_limbs_clear(gsi_limbs<N> *limbs)
{
    for (uint32_t i = threadIdx.x % 32; i < N; i += 32)
        limbs->low[i] = limbs->high[i] = 0;
    __syncwarp();
}

template <uint32_t N>
__device__ __forceinline__ void gsi_limb_add(gsi_limbs<N> *limbs, uint32_t i, int64_t x)
{
    const uint32_t low = static_cast<uint32_t>(x);
    const uint32_t old = atomicAdd(&limbs->low[i], low);
    const uint32_t high = static_cast<uint32_t>(x >> 32) + (old + low < old ? 1 : 0);
    if (high != 0)
        atomicAdd(&limbs->high[i], high);
}

// Returns the sum of one limb over all warps.
template <uint32_t N>
__device__ __forceinline__ gsi_u128 gsi_limb_total(const gsi_limbs<N> *of_warps, uint32_t i)
{
    gsi_u128 total = 0;
    for (uint32_t warp = 0; warp < GSI_TALLY_WARPS; warp++) {
        const uint64_t high = of_warps[warp].high[i];
        total += static_cast<gsi_u128>(static_cast<int64_t>(high << 32 | of_warps[warp].low[i]));
    }
    return total;
}

// Adds the limbs of a block to `into`, in any order of blocks. Each word that wraps carries once,
// by the thread that observes it. `into` has low words first.
template <uint32_t N>
__device__ __forceinline__ void gsi_limbs_join(unsigned long long (*into)[2],
                                               const gsi_limbs<N> *of_warps)
{
    for (uint32_t i = threadIdx.x; i < N; i += GSI_TALLY_THREADS) {
        const gsi_u128 total = gsi_limb_total(of_warps, i);
        const unsigned long long low = static_cast<unsigned long long>(total);
        unsigned long long high = static_cast<unsigned long long>(total >> 64);
        if (low != 0)
            high += atomicAdd(&into[i][0], low) + low < low ? 1 : 0;
        if (high != 0)
            atomicAdd(&into[i][1], high);
    }
}

#endif
