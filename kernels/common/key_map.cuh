// key_map.cuh: maps bits to sort keys and back (element/key_order.h), for words of each width.
#ifndef GSI_KEY_MAP_CUH
#define GSI_KEY_MAP_CUH

#include "base/simd.h"
#include "base/u128.h"
#include "element/key_order.h"

#include <cuda_runtime.h>

GSI_HOST_DEVICE __forceinline__ uint32_t gsi_key_of(const gsi_key_map &map, uint32_t bits)
{
    return gsi_key_of_u32(map, bits);
}

GSI_HOST_DEVICE __forceinline__ uint64_t gsi_key_of(const gsi_key_map &map, uint64_t bits)
{
    return gsi_key_of_u64(map, bits);
}

GSI_HOST_DEVICE __forceinline__ gsi_u128 gsi_key_of(const gsi_key_map &map, gsi_u128 bits)
{
    return static_cast<gsi_u128>(gsi_key_high(map, static_cast<uint64_t>(bits >> 64))) << 64 |
           gsi_key_low(map, static_cast<uint64_t>(bits));
}

GSI_HOST_DEVICE __forceinline__ uint32_t gsi_bits_of(const gsi_key_map &map, uint32_t key)
{
    return gsi_bits_of_u32(map, key);
}

GSI_HOST_DEVICE __forceinline__ uint64_t gsi_bits_of(const gsi_key_map &map, uint64_t key)
{
    return gsi_bits_of_u64(map, key);
}

GSI_HOST_DEVICE __forceinline__ gsi_u128 gsi_bits_of(const gsi_key_map &map, gsi_u128 key)
{
    return gsi_key_of(map, key); // flipping bits is its own inverse
}

#endif
