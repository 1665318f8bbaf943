/* key_order.h: the order of elements, as a bijection from their bits to unsigned sort keys.
 *
 * Everything below this file compares unsigned integers; this file says which. Host and device
 * share it.
 *
 * | type     | order, ascending                                        | sort key of the bits b   |
 * |----------|---------------------------------------------------------|--------------------------|
 * | unsigned | 0 .. max                                                | b                        |
 * | signed   | min .. -1, 0 .. max                                     | b ^ sign                 |
 * | float    | -inf .. -0, +0 .. +inf, +NaN by payload from the least |                          |
 * |          | on, -NaN by payload from the greatest on                | total(b) - negative NaNs |
 * | reversed | the exact reverse of the above (NaN first)              | ~key                     |
 * | moved    | the same, with all NaNs at the other end                | ~key - NaNs, key + NaNs  |
 *
 * total(b) is the IEEE 754-2019 totalOrder predicate as an integer (section 5.10): b ^ sign for
 * clear signs, ~b for set ones. It puts the negative NaNs below -inf. Subtracting their number,
 * modulo 2^bits, rotates them to the top, because users want every NaN last and x86 makes negative
 * ones. -0 sorts before +0. The map loses no bits. To put NaNs at the other end, the map rotates by
 * the number of all NaNs, and their order among themselves stays. This is one more subtraction,
 * which only changes `shift`: ~(b - s) - n is ~(b - (s - n)).
 *
 * One formula with per-type constants serves every type, so that it vectorises:
 *     key  = (((b ^ ((b >>arithmetic>> top) & flip)) ^ sign) - shift) ^ invert
 *     b    = inverse of the same steps
 * with flip = all bits below the sign for floats, 0 otherwise.
 */
#ifndef GSI_KEY_ORDER_H
#define GSI_KEY_ORDER_H

#include "base/choices.h"
#include "base/simd.h"

#include <stdbool.h>
#include <stdint.h>

/* Constants of one type and direction; 4-byte types use the low halves. 16-byte elements are
 * integers: `invert` applies to both words, `sign` to the high one. */
struct gsi_key_map {
    uint64_t flip, sign, shift, invert;
    uint64_t nan_above; /* a float is NaN if its ascending key, (key ^ invert), is above this */
};

/* GSI_KEY_MAP_FLOAT: initialises the ascending map of a float type, given the bits of its sign and
 * of +inf. `shift` is the number of negative NaNs. */
#define GSI_KEY_MAP_FLOAT(sign_bit, infinity)                       \
    {                                                               \
        (sign_bit) - 1, (sign_bit), (sign_bit)-1 - (infinity), 0,   \
            ((infinity) ^ (sign_bit)) - ((sign_bit)-1 - (infinity)) \
    }
#define GSI_KEY_MAP_F32 GSI_KEY_MAP_FLOAT(UINT64_C(0x80000000), UINT64_C(0x7f800000))
#define GSI_KEY_MAP_F64 \
    GSI_KEY_MAP_FLOAT(UINT64_C(0x8000000000000000), UINT64_C(0x7ff0000000000000))

/* gsi_key_map_place_nans: moves NaNs (NaT) to the wanted end. The map must have them after the
 * largest number; a map of a type without NaNs stays as it is.
 * gsi_key_map_ascending: returns a map of the same numbers in which values ascend and NaNs are
 * last. A negative `shift` tells that NaNs were moved: half of all NaNs of a float type are
 * negative, so the shift was s - 2s. */
GSI_HOST_DEVICE static inline void gsi_key_map_place_nans(struct gsi_key_map *map,
                                                          enum gsi_nan_place place)
{
    const bool is_falling = map->invert != 0;
    const bool is_float = map->flip != 0; /* if not, it maps times, and NaT is the only one */
    if (place != GSI_NAN_WITH_ORDER && is_falling != (place == GSI_NAN_FIRST))
        map->shift -= is_float ? 2 * map->shift : map->shift;
}

GSI_HOST_DEVICE static inline struct gsi_key_map gsi_key_map_ascending(struct gsi_key_map map)
{
    map.invert = 0;
    map.shift = (int64_t)map.shift < 0 ? -map.shift : map.shift;
    return map;
}

GSI_HOST_DEVICE static inline uint32_t gsi_key_of_u32(struct gsi_key_map m, uint32_t b)
{
    uint32_t negative = (uint32_t)((int32_t)b >> 31);
    return ((b ^ (negative & (uint32_t)m.flip) ^ (uint32_t)m.sign) - (uint32_t)m.shift) ^
           (uint32_t)m.invert;
}

GSI_HOST_DEVICE static inline uint32_t gsi_bits_of_u32(struct gsi_key_map m, uint32_t key)
{
    uint32_t b = ((key ^ (uint32_t)m.invert) + (uint32_t)m.shift) ^ (uint32_t)m.sign;
    uint32_t negative = (uint32_t)((int32_t)b >> 31);
    return b ^ (negative & (uint32_t)m.flip);
}

GSI_HOST_DEVICE static inline uint64_t gsi_key_of_u64(struct gsi_key_map m, uint64_t b)
{
    uint64_t negative = (uint64_t)((int64_t)b >> 63);
    return ((b ^ (negative & m.flip) ^ m.sign) - m.shift) ^ m.invert;
}

GSI_HOST_DEVICE static inline uint64_t gsi_bits_of_u64(struct gsi_key_map m, uint64_t key)
{
    uint64_t b = ((key ^ m.invert) + m.shift) ^ m.sign;
    uint64_t negative = (uint64_t)((int64_t)b >> 63);
    return b ^ (negative & m.flip);
}

/* gsi_key_low, gsi_key_high: map a word of a 16-byte element to a word of its key, and back. */
GSI_HOST_DEVICE static inline uint64_t gsi_key_low(struct gsi_key_map m, uint64_t word)
{
    return word ^ m.invert;
}

GSI_HOST_DEVICE static inline uint64_t gsi_key_high(struct gsi_key_map m, uint64_t word)
{
    return word ^ m.sign ^ m.invert;
}

/* gsi_mix_u64: mixes 64 bits for fingerprints with splitmix64's finaliser (Steele, Lea and Flood,
 * "Fast splittable pseudorandom number generators", OOPSLA 2014, section 3, variant 13 of
 * Stafford). A bijection; zero does not map to zero. */
#define GSI_MIX_ADDEND   UINT64_C(0x9e3779b97f4a7c15)
#define GSI_MIX_FACTOR_1 UINT64_C(0xbf58476d1ce4e5b9)
#define GSI_MIX_FACTOR_2 UINT64_C(0x94d049bb133111eb)

GSI_HOST_DEVICE static inline uint64_t gsi_mix_u64(uint64_t x)
{
    x += GSI_MIX_ADDEND;
    x = (x ^ (x >> 30)) * GSI_MIX_FACTOR_1;
    x = (x ^ (x >> 27)) * GSI_MIX_FACTOR_2;
    return x ^ (x >> 31);
}

GSI_HOST_DEVICE static inline uint64_t gsi_mix_u128(uint64_t low, uint64_t high)
{
    return gsi_mix_u64(gsi_mix_u64(low) + high);
}

#endif
