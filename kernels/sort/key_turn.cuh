// key_turn.cuh: converts numbers, as they are in memory, to keys and back during a sort. The first
// kernel converts the keys that it reads, the last one the keys that it writes. A zeroed turn
// converts nothing.
#ifndef GSI_KEY_TURN_CUH
#define GSI_KEY_TURN_CUH

#include "kernels/common/key_map.cuh"

#include <cuda_runtime.h>

struct gsi_key_turn {
    gsi_key_map map;    // for the width of the keys
    bool is_big_endian; // byte order of the numbers
    bool to_keys, to_bits;
};

GSI_HOST_DEVICE __forceinline__ uint32_t gsi_swap_bytes(uint32_t x)
{
    return x << 24 | (x & 0xff00) << 8 | (x >> 8 & 0xff00) | x >> 24;
}

GSI_HOST_DEVICE __forceinline__ uint64_t gsi_swap_bytes(uint64_t x)
{
    return static_cast<uint64_t>(gsi_swap_bytes(static_cast<uint32_t>(x))) << 32 |
           gsi_swap_bytes(static_cast<uint32_t>(x >> 32));
}

GSI_HOST_DEVICE __forceinline__ gsi_u128 gsi_swap_bytes(gsi_u128 x)
{
    return static_cast<gsi_u128>(gsi_swap_bytes(static_cast<uint64_t>(x))) << 64 |
           gsi_swap_bytes(static_cast<uint64_t>(x >> 64));
}

// Converts a number, as it is in memory, to a key, and back.
template <class Key>
GSI_HOST_DEVICE __forceinline__ Key gsi_key_of_number(const gsi_key_turn &turn, Key number)
{
    return gsi_key_of(turn.map, turn.is_big_endian ? gsi_swap_bytes(number) : number);
}

template <class Key>
GSI_HOST_DEVICE __forceinline__ Key gsi_number_of_key(const gsi_key_turn &turn, Key key)
{
    const Key bits = gsi_bits_of(turn.map, key);
    return turn.is_big_endian ? gsi_swap_bytes(bits) : bits;
}

#endif
