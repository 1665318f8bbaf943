/* checked.h: provides arithmetic on sizes from external data. gsi_add_u64 and gsi_mul_u64 return
 * false on overflow; then the result is undefined. The compiler warns if a call ignores the return
 * value. gsi_add_max_u64 and gsi_mul_max_u64 return UINT64_MAX on overflow instead. */
#ifndef GSI_CHECKED_H
#define GSI_CHECKED_H

#include <stdbool.h>
#include <stdint.h>

#define GSI_MUST_CHECK __attribute__((warn_unused_result))

GSI_MUST_CHECK static inline bool gsi_add_u64(uint64_t a, uint64_t b, uint64_t *sum)
{
    return !__builtin_add_overflow(a, b, sum);
}

GSI_MUST_CHECK static inline bool gsi_mul_u64(uint64_t a, uint64_t b, uint64_t *product)
{
    return !__builtin_mul_overflow(a, b, product);
}

/* These functions return the sum and the product; UINT64_MAX if it does not fit in 64 bits. */
static inline uint64_t gsi_add_max_u64(uint64_t a, uint64_t b)
{
    uint64_t sum;
    return gsi_add_u64(a, b, &sum) ? sum : UINT64_MAX;
}

static inline uint64_t gsi_mul_max_u64(uint64_t a, uint64_t b)
{
    uint64_t product;
    return gsi_mul_u64(a, b, &product) ? product : UINT64_MAX;
}

static inline uint64_t gsi_min_u64(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static inline uint32_t gsi_min_u32(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static inline uint32_t gsi_max_u32(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

static inline uint64_t gsi_max_u64(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static inline uint64_t gsi_clamp_u64(uint64_t x, uint64_t low, uint64_t high)
{
    return gsi_max_u64(low, gsi_min_u64(x, high));
}

/* Returns x / unit, rounded up. `unit` must be above 0. Rounding up to a multiple of `unit`
 * overflows if x is above UINT64_MAX - unit. */
static inline uint64_t gsi_ceil_div_u64(uint64_t x, uint64_t unit)
{
    return x / unit + (x % unit != 0);
}

static inline uint64_t gsi_round_up_u64(uint64_t x, uint64_t unit)
{
    return gsi_ceil_div_u64(x, unit) * unit;
}

static inline uint64_t gsi_round_down_u64(uint64_t x, uint64_t unit)
{
    return x / unit * unit;
}

/* Returns how many bits hold any index of `count` elements: 3 for 5 to 8, 0 for one and none. */
static inline uint32_t gsi_index_bits(uint64_t count)
{
    return count > 1 ? 64 - (uint32_t)__builtin_clzll(count - 1) : 0;
}

#endif
