/* gen_math.h: computes log, exp and sine with the same bits on every machine.
 *
 * Data sets are identified by their checksums, so the generator cannot use the C library's
 * functions. Their last bits differ between versions, and between processors with and without fused
 * multiply-add. The functions here use only +, -, * and / of doubles, which IEEE 754 rounds in one
 * way (the build sets -ffp-contract=off). They have no branches, so they vectorise. Relative errors
 * are below 1e-9, too small for any statistic over 2^40 elements. */
#ifndef GEN_MATH_H
#define GEN_MATH_H

#include "gen_simd.h"

#include <stdint.h>
#include <string.h>

#define GEN_LN2 0x1.62e42fefa39efp-1

GEN_INLINE uint64_t gen_bits_of(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

GEN_INLINE uint32_t gen_bits_of_float(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

GEN_INLINE double gen_double_of(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* gen_mix: splitmix64's finaliser (Steele, Lea and Flood, "Fast splittable pseudorandom number
 * generators", OOPSLA 2014, section 3, variant 13 of Stafford). */
GEN_INLINE uint64_t gen_mix(uint64_t x)
{
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

/* Converts a whole number below 2^52 to a double, by the mantissa of 2^52. A cast of a uint64_t
 * does not vectorise before AVX-512. */
GEN_INLINE double gen_double_of_u52(uint64_t x)
{
    return gen_double_of(x | 0x4330000000000000u) - 0x1p52;
}

/* gen_log: returns the natural logarithm of a positive normal number. Let x = m * 2^e with m in
 * [sqrt(1/2), sqrt(2)). Then log m = 2 artanh((m - 1) / (m + 1)), by its series. The first term
 * left out is s^14 / 15 < 2e-12 for |s| < 0.172. */
GEN_INLINE double gen_log(double x)
{
    const uint64_t root_half = 0x3fe6a09e667f3bcdu, one = 0x3ff0000000000000u;
    uint64_t scale = (gen_bits_of(x) - root_half + one) & 0xfff0000000000000u; /* 2^e */
    double e = gen_double_of_u52(scale >> 52) - 1023;
    double m = gen_double_of(gen_bits_of(x) - scale + one);
    double s = (m - 1) / (m + 1), z = s * s;
    double p = 1.0 / 11 + z * (1.0 / 13);
    p = 1.0 / 9 + z * p;
    p = 1.0 / 7 + z * p;
    p = 1.0 / 5 + z * p;
    p = 1.0 / 3 + z * p;
    return e * GEN_LN2 + 2 * s * (1 + z * p);
}

/* gen_exp: returns e to the power of x, for |x| < 700. Let x = k ln 2 + r with |r| <= ln 2 / 2; e^r
 * is computed by its series. The first term left out is r^11 / 11! < 3e-13. Adding 1.5 * 2^52
 * leaves the rounded k in the low bits of the mantissa. */
GEN_INLINE double gen_exp(double x)
{
    const double round = 0x1.8p52;
    double shifted = x * (1 / GEN_LN2) + round;
    double r = x - (shifted - round) * GEN_LN2;
    double p = 1.0 / 362880 + r * (1.0 / 3628800);
    p = 1.0 / 40320 + r * p;
    p = 1.0 / 5040 + r * p;
    p = 1.0 / 720 + r * p;
    p = 1.0 / 120 + r * p;
    p = 1.0 / 24 + r * p;
    p = 1.0 / 6 + r * p;
    p = 1.0 / 2 + r * p;
    p = 1 + r * p;
    p = 1 + r * p;
    return gen_double_of(gen_bits_of(p) + (gen_bits_of(shifted) << 52));
}

/* gen_sin_quarter: returns sin(t * pi / 2) for |t| <= 1, by its series. The first term left out is
 * (pi / 2)^15 / 15! < 7e-10. */
GEN_INLINE double gen_sin_quarter(double t)
{
    const double half_pi = 0x1.921fb54442d18p+0;
    double a = t * half_pi, z = a * a;
    double p = -1.0 / 39916800 + z * (1.0 / 6227020800);
    p = 1.0 / 362880 + z * p;
    p = -1.0 / 5040 + z * p;
    p = 1.0 / 120 + z * p;
    p = -1.0 / 6 + z * p;
    return a + a * (z * p);
}

#endif
