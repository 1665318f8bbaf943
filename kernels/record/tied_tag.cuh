// tied_tag.cuh: compares tags of records (element/record/record_tags.h) in the order of whole keys.
// If ten bytes are equal, the records decide, then the index. To sorts and merges these tags are
// one more kind of key.
//
// `<` needs the locations of records. A kernel stores them in the block's shared memory when it
// begins, so that code that compares keys need not pass them on.
//
// Kernels also compare values that are no tags: the key that pads a tile, and any bytes around the
// slices that they merge. These comparisons need only one property: the padding key is the largest.
// An index that belongs to no record is compared as a number.
#ifndef GSI_TIED_TAG_CUH
#define GSI_TIED_TAG_CUH

#include "kernels/record/key_context.cuh"
#include "kernels/record/record_keys.cuh"
#include "kernels/sort/tile_policy.cuh"

__device__ inline gsi_cuda_record_table &gsi_block_places()
{
    __shared__ gsi_cuda_record_table places;
    return places;
}

// This is rare, and therefore not inlined into the frequent path.
GSI_OUT_OF_LINE __device__ static bool gsi_tie_is_below(gsi_u128 a, gsi_u128 b)
{
    const gsi_cuda_record_table &places = gsi_block_places();
    const uint8_t *const x = gsi_cuda_record_at(places, a), *const y =
                                                                gsi_cuda_record_at(places, b);
    if (x != nullptr && y != nullptr && x != y) {
        const gsi_record *const record = places.record;
        const int order =
            gsi_compare_keys(record, x, y, places.at + GSI_TAG_KEY_BYTES, record->key_bytes).order;
        if (order != 0)
            return order < 0;
    }
    return a < b;
}

struct gsi_tied_tag {
    gsi_u128 bits;

    gsi_tied_tag() = default;

    GSI_HOST_DEVICE __forceinline__ gsi_tied_tag(gsi_u128 all_bits) : bits(all_bits)
    {
    }

    GSI_HOST_DEVICE __forceinline__ gsi_tied_tag operator~() const
    {
        return ~bits;
    }
};

__device__ __forceinline__ bool operator<(gsi_tied_tag a, gsi_tied_tag b)
{
    return a.bits >> GSI_TAG_INDEX_BITS == b.bits >> GSI_TAG_INDEX_BITS
               ? gsi_tie_is_below(a.bits, b.bits)
               : a.bits < b.bits;
}

__device__ __forceinline__ bool operator>=(gsi_tied_tag a, gsi_tied_tag b)
{
    return !(a < b);
}

// An index belongs to exactly one record.
__device__ __forceinline__ bool operator==(gsi_tied_tag a, gsi_tied_tag b)
{
    return a.bits == b.bits;
}

__device__ __forceinline__ gsi_tied_tag gsi_shuffle_xor(uint32_t mask, gsi_tied_tag tag,
                                                        uint32_t distance)
{
    const int lanes = static_cast<int>(distance);
    const uint64_t low = __shfl_xor_sync(mask, static_cast<uint64_t>(tag.bits), lanes);
    const uint64_t high = __shfl_xor_sync(mask, static_cast<uint64_t>(tag.bits >> 64), lanes);
    return static_cast<gsi_u128>(high) << 64 | low;
}

template <> struct gsi_key_context<gsi_tied_tag> {
    static constexpr bool is_bitwise = false;
    gsi_cuda_record_table places;

    static gsi_key_context make(const gsi_cuda_record_table *places)
    {
        return {*places};
    }

    __device__ void begin() const
    {
        if (threadIdx.x == 0) {
            gsi_block_places() = places;
            gsi_block_places().at = gsi_places_at(places);
        }
        __syncthreads();
    }
};

#endif
