/* u128.h: names the 128-bit integers, for which ISO C has no names. */
#ifndef GSI_U128_H
#define GSI_U128_H

#include <stdint.h>

__extension__ typedef unsigned __int128 gsi_u128;
__extension__ typedef __int128 gsi_i128;

/* gsi_part_begin: returns where part i of n equal parts of `all` begins, i from 0 on; for i = n,
 * the end. */
static inline uint64_t gsi_part_begin(uint64_t all, uint64_t i, uint64_t n)
{
    return (uint64_t)((gsi_u128)all * i / n);
}

/* gsi_divide_to_even: returns number / divisor, rounded to the nearest integer, halves to the even
 * one.
 * in    divisor: above 0, below 2^126 */
static inline gsi_i128 gsi_divide_to_even(gsi_i128 number, gsi_i128 divisor)
{
    gsi_i128 floor = number / divisor, rest = number % divisor;
    if (rest < 0) {
        floor--;
        rest += divisor;
    }
    return floor + (2 * rest > divisor || (2 * rest == divisor && floor % 2 != 0));
}

#endif
