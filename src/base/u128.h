/* u128.h: defines names for 128-bit integers, and two computations with them. */
#ifndef GSI_U128_H
#define GSI_U128_H

#include <stdint.h>

__extension__ typedef unsigned __int128 gsi_u128;
__extension__ typedef __int128 gsi_i128;

/* gsi_part_begin: divides `all` elements into `n` nearly equal parts, and returns the first element
 * of part `i`. Part `n` begins at `all`. */
static inline uint64_t gsi_part_begin(uint64_t all, uint64_t i, uint64_t n)
{
    return (uint64_t)((gsi_u128)all * i / n);
}

/* gsi_divide_to_even: returns number / divisor, rounded to the nearest integer. A half is rounded
 * to the even neighbour.
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
