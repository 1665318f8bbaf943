/* moments.c: squares into sums, and the arithmetic of long integers at the end. */
#include "element/tally/moments.h"

#include "element/tally/tally_block.h"

#include <math.h>
#include <string.h>

/* Squares of numbers in between are exact as two binary64; others are scaled first. The lowest part
 * of a square, 2^-104 of it at least, has to be 2^-1074 or more. */
#define SMALL 0x1p-480
#define LARGE 0x1p500
#define SCALE 600

enum part { PLAIN, LARGE_PART, SMALL_PART, PARTS };

/* Integers: the sum of squares in 192 bits. */
#define INTEGER_WORDS 3

/* Long integers; the unit of a sum of squares of floats is 2^-UNIT, its square root's is that of an
 * exact sum. */
#define LIMBS (2 * GSI_EXACT_LIMBS + 4)
#define UNIT  2148

static bool is_float(const struct gsi_layout *layout)
{
    return layout->type->kind == GSI_KEY_FLOAT;
}

/* Squares of binary32 need no scaling. */
static size_t part_count(const struct gsi_layout *layout)
{
    return layout->element_bytes == 4 ? 1 : PARTS;
}

size_t gsi_moments_words(const struct gsi_layout *layout)
{
    return is_float(layout) ? part_count(layout) * gsi_exact_sum_words(GSI_EXACT_F64)
                            : INTEGER_WORDS;
}

static struct gsi_exact_sum part_of(const uint64_t *moments, size_t part)
{
    return (struct gsi_exact_sum){GSI_EXACT_F64,
                                  (uint64_t *)moments + part * gsi_exact_sum_words(GSI_EXACT_F64)};
}

void gsi_moments_clear(const struct gsi_layout *layout, uint64_t *moments)
{
    memset(moments, 0, gsi_moments_words(layout) * sizeof *moments);
    for (size_t i = 0; is_float(layout) && i < part_count(layout); i++) {
        struct gsi_exact_sum part = part_of(moments, i);
        gsi_exact_sum_clear(&part);
    }
}

/* ---- squares ---- */

static void add_integers(const struct gsi_layout *layout, uint64_t *moments, const void *elements,
                         size_t n)
{
    const uint32_t bytes = layout->element_bytes;
    const uint64_t sign = layout->map.sign;
    gsi_u128 sum = (gsi_u128)moments[1] << 64 | moments[0];
    for (size_t i = 0; i < n; i++) {
        uint64_t x = gsi_block_load(elements, i, bytes);
        if ((x & sign) != 0) /* the magnitude of a negative number */
            x = bytes == 4 ? (uint32_t)-x : -x;
        gsi_u128 square = (gsi_u128)x * x;
        moments[2] += __builtin_add_overflow(sum, square, &sum);
    }
    moments[0] = (uint64_t)sum;
    moments[1] = (uint64_t)(sum >> 64);
}

GSI_SIMD_CLONES static void square_singles(const float *from, double *to, size_t n)
{
    for (size_t i = 0; i < n; i++)
        to[i] = (double)from[i] * (double)from[i];
}

/* Infinities and NaNs are in no range, and so are 0 here. */
static size_t square_doubles(const double *from, double *high, double *low, size_t n)
{
    size_t odd = 0;
    for (size_t i = 0; i < n; i++) {
        double size = fabs(from[i]);
        bool is_plain = size >= SMALL && size <= LARGE;
        double x = is_plain ? size : 0;
        high[i] = x * x;
        low[i] = __builtin_fma(x, x, -high[i]);
        odd += !is_plain;
    }
    return odd;
}

static void add_odd(uint64_t *moments, const double *from, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        double size = fabs(from[i]);
        if (!(size < SMALL || size > LARGE) || size == 0 || isinf(size))
            continue;
        double x = ldexp(size, size > LARGE ? -SCALE : SCALE), squares[2] = {x * x};
        squares[1] = __builtin_fma(x, x, -squares[0]);
        struct gsi_exact_sum part = part_of(moments, size > LARGE ? LARGE_PART : SMALL_PART);
        gsi_exact_sum_add(&part, squares, 2);
    }
}

void gsi_moments_add(const struct gsi_layout *layout, uint64_t *moments, const void *elements,
                     size_t n)
{
    double numbers[GSI_BLOCK_ELEMENTS], high[GSI_BLOCK_ELEMENTS], low[GSI_BLOCK_ELEMENTS];
    struct gsi_exact_sum plain = part_of(moments, PLAIN);
    if (!is_float(layout)) {
        add_integers(layout, moments, elements, n);
        return;
    }
    if (layout->element_bytes == 4) {
        square_singles((const float *)(const void *)memcpy(low, elements, 4 * n), high, n);
        gsi_exact_sum_add(&plain, high, n);
        return;
    }
    memcpy(numbers, elements, 8 * n); /* elsewhere their type is another */
    size_t odd = square_doubles(numbers, high, low, n);
    gsi_exact_sum_add(&plain, high, n);
    gsi_exact_sum_add(&plain, low, n);
    if (odd > 0)
        add_odd(moments, numbers, n);
}

void gsi_moments_merge(const struct gsi_layout *layout, uint64_t *into, const uint64_t *from)
{
    for (size_t i = 0; is_float(layout) && i < part_count(layout); i++) {
        struct gsi_exact_sum a = part_of(into, i), b = part_of(from, i);
        gsi_exact_sum_merge(&a, &b);
    }
    bool carry = false;
    for (size_t i = 0; !is_float(layout) && i < INTEGER_WORDS; i++) {
        gsi_u128 sum = (gsi_u128)into[i] + from[i] + carry;
        into[i] = (uint64_t)sum;
        carry = (bool)(sum >> 64);
    }
}

/* ---- long integers ---- */

/* to += from << shift; shift may be negative where no bit is lost. */
static void add_shifted(uint64_t to[LIMBS], const uint64_t *from, size_t count, int shift)
{
    bool carry = false;
    for (int i = 0; i < LIMBS; i++) {
        uint64_t word = 0;
        for (int bit = 64 * i - shift, k = 0; k < 2; k++) { /* bits [bit, bit + 64) of `from` */
            int limb = (bit >= 0 ? bit / 64 : -((63 - bit) / 64)) + k, off = bit - 64 * (limb - k);
            if (limb < 0 || limb >= (int)count)
                continue;
            if (k == 0)
                word |= from[limb] >> off;
            else if (off > 0)
                word |= from[limb] << (64 - off);
        }
        gsi_u128 sum = (gsi_u128)to[i] + word + carry;
        to[i] = (uint64_t)sum;
        carry = (bool)(sum >> 64);
    }
}

static void multiply(uint64_t x[LIMBS], uint64_t by)
{
    uint64_t carry = 0;
    for (size_t i = 0; i < LIMBS; i++) {
        gsi_u128 product = (gsi_u128)x[i] * by + carry;
        x[i] = (uint64_t)product;
        carry = (uint64_t)(product >> 64);
    }
}

/* x -= s * s */
static void subtract_square(uint64_t x[LIMBS], const uint64_t s[GSI_EXACT_LIMBS])
{
    uint64_t square[LIMBS] = {0};
    for (size_t i = 0; i < GSI_EXACT_LIMBS; i++) {
        uint64_t carry = 0;
        for (size_t k = 0; k < GSI_EXACT_LIMBS; k++) {
            gsi_u128 sum = (gsi_u128)s[i] * s[k] + square[i + k] + carry;
            square[i + k] = (uint64_t)sum;
            carry = (uint64_t)(sum >> 64);
        }
        square[i + GSI_EXACT_LIMBS] = carry;
    }
    bool borrow = false;
    for (size_t i = 0; i < LIMBS; i++) {
        gsi_u128 taken = (gsi_u128)square[i] + borrow;
        borrow = x[i] < taken;
        x[i] -= (uint64_t)taken;
    }
}

/* Returns whether something is left over. */
static bool divide(uint64_t x[LIMBS], uint64_t by)
{
    uint64_t rest = 0;
    for (size_t i = LIMBS; i-- > 0;) {
        gsi_u128 part = (gsi_u128)rest << 64 | x[i];
        x[i] = (uint64_t)(part / by);
        rest = (uint64_t)(part % by);
    }
    return rest != 0;
}

/* word * 2^exponent, whose highest bit is 1, to `bits` < 53 bits: to nearest even, once. */
static double round_subnormal(uint64_t word, bool is_more, int bits, int exponent)
{
    if (bits < 0)
        return 0;
    uint64_t kept = bits > 0 ? word >> (64 - bits) : 0, rest = word << bits;
    uint64_t half = (uint64_t)1 << 63;
    kept += rest > half || (rest == half && (is_more || (kept & 1) != 0));
    return ldexp((double)kept, exponent + 64 - bits);
}

/* x * 2^exponent, a little more if is_more. */
static double round_long(const uint64_t x[LIMBS], bool is_more, int exponent)
{
    int top = LIMBS - 1;
    while (top > 0 && x[top] == 0)
        top--;
    if (x[top] == 0)
        return 0;
    int zeros = __builtin_clzll(x[top]);
    uint64_t word = x[top] << zeros;
    uint64_t below = top > 0 ? x[top - 1] : 0;
    if (zeros > 0)
        word |= below >> (64 - zeros);
    is_more |= zeros > 0 ? (below << zeros) != 0 : below != 0;
    for (int i = 0; i < top - 1; i++)
        is_more |= x[i] != 0;
    exponent += 64 * top - zeros;
    int bits = exponent + 63 + 1075; /* that the significand has, where it is not normal */
    if (bits >= 53)
        return ldexp((double)(word | is_more), exponent);
    return round_subnormal(word, is_more, bits, exponent);
}

/* Long integers divided by n, twice for a variance: two limbs more keep what is behind the point. */
#define BEHIND 128

static double quotient(uint64_t x[LIMBS], uint64_t n, int times, int exponent)
{
    uint64_t shifted[LIMBS] = {0};
    bool is_more = false;
    add_shifted(shifted, x, LIMBS, BEHIND);
    for (int i = 0; i < times; i++)
        is_more |= divide(shifted, n);
    return round_long(shifted, is_more, exponent - BEHIND);
}

static void sum_squares(const struct gsi_layout *layout, const uint64_t *moments,
                        uint64_t squares[LIMBS])
{
    static const int shifts[PARTS] = {UNIT - 1074, UNIT - 1074 + 2 * SCALE,
                                      UNIT - 1074 - 2 * SCALE};
    if (!is_float(layout))
        memcpy(squares, moments, INTEGER_WORDS * sizeof *moments);
    for (size_t i = 0; is_float(layout) && i < part_count(layout); i++) {
        uint64_t limbs[GSI_EXACT_LIMBS];
        struct gsi_exact_sum part = part_of(moments, i);
        gsi_exact_sum_fixed(&part, limbs);
        add_shifted(squares, limbs, GSI_EXACT_LIMBS, shifts[i]);
    }
}

void gsi_moments_finish(const struct gsi_layout *layout, const uint64_t *moments, uint64_t n,
                        const uint64_t sum[4], const struct gsi_exact_sum *exact, double *mean,
                        double *variance)
{
    uint64_t magnitude[GSI_EXACT_LIMBS] = {0}, whole[LIMBS] = {0}, squares[LIMBS] = {0};
    bool is_negative = false;
    if (exact != NULL) {
        is_negative = gsi_exact_sum_fixed(exact, magnitude);
    } else {
        is_negative = sum[3] >> 63;
        bool carry = is_negative; /* -x is ~x + 1 */
        for (size_t i = 0; i < 4; i++) {
            magnitude[i] = (is_negative ? ~sum[i] : sum[i]) + carry;
            carry = carry && magnitude[i] == 0;
        }
    }
    add_shifted(whole, magnitude, GSI_EXACT_LIMBS, 0);
    *mean = quotient(whole, n, 1, exact != NULL ? -1074 : 0);
    *mean = is_negative ? -*mean : *mean;
    sum_squares(layout, moments, squares);
    multiply(squares, n);
    subtract_square(squares, magnitude);
    *variance = quotient(squares, n, 2, exact != NULL ? -UNIT : 0);
}
