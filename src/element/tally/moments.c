/* moments.c: adds up squares, and computes with long integers at the end. */
#include "element/tally/moments.h"

#include "element/tally/tally_block.h"

#include <math.h>
#include <string.h>

/* Neighbouring elements go to different lanes of a bin, as in an exact sum. */
#define LANES 4

/* A bin for floats with one exponent: the sums of the squares of their significands, low word
 * first, and how often these overflowed 128 bits. A square has 106 bits, so that is rare. */
struct bin {
    uint64_t sums[LANES][2];
    uint64_t carries;
};

/* The sum of squares of integers, in 192 bits. */
#define INTEGER_WORDS 3

/* Sizes of long integers. The unit of a sum of squares of floats is 2^-UNIT, the square of an exact
 * sum's unit. */
#define LIMBS (2 * GSI_EXACT_LIMBS + 4)
#define UNIT  2148

static bool is_float(const struct gsi_layout *layout)
{
    return layout->type->kind == GSI_KEY_FLOAT;
}

static struct gsi_exact_format format_of(const struct gsi_layout *layout)
{
    return layout->element_bytes == 4 ? GSI_EXACT_F32 : GSI_EXACT_F64;
}

static size_t bin_count(struct gsi_exact_format format)
{
    return (size_t)1 << format.exponent_bits;
}

static size_t bin_words(const struct gsi_layout *layout)
{
    return bin_count(format_of(layout)) * sizeof(struct bin) / sizeof(uint64_t);
}

/* For floats, a long integer follows the bins. */
size_t gsi_moments_words(const struct gsi_layout *layout)
{
    return is_float(layout) ? bin_words(layout) + LIMBS : INTEGER_WORDS;
}

void gsi_moments_clear(const struct gsi_layout *layout, uint64_t *moments)
{
    memset(moments, 0, gsi_moments_words(layout) * sizeof *moments);
}

/* ---- squares ---- */

struct square_sum {
    gsi_u128 sum;
    uint64_t carries;
};

GSI_INLINE void add_square(struct square_sum *to, uint64_t x, uint64_t sign, uint32_t bytes)
{
    if ((x & sign) != 0) /* the magnitude of a negative number */
        x = bytes == 4 ? (uint32_t)-x : -x;
    to->carries += __builtin_add_overflow(to->sum, (gsi_u128)x * x, &to->sum);
}

/* Two sums, so that an addition does not wait for the carry of the one before it. */
GSI_INLINE void add_integers(const struct gsi_layout *layout, uint64_t *moments,
                             const void *elements, size_t n, uint32_t bytes)
{
    const uint64_t sign = layout->map.sign;
    struct square_sum a = {(gsi_u128)moments[1] << 64 | moments[0], moments[2]}, b = {0};
    size_t i = 0;
    for (; i + 2 <= n; i += 2) {
        add_square(&a, gsi_block_load(elements, i, bytes), sign, bytes);
        add_square(&b, gsi_block_load(elements, i + 1, bytes), sign, bytes);
    }
    if (i < n)
        add_square(&a, gsi_block_load(elements, i, bytes), sign, bytes);
    a.carries += b.carries + __builtin_add_overflow(a.sum, b.sum, &a.sum);
    moments[0] = (uint64_t)a.sum;
    moments[1] = (uint64_t)(a.sum >> 64);
    moments[2] = a.carries;
}

/* `format` is a constant where these are inlined. */
GSI_INLINE void add_float(struct bin *bins, struct gsi_exact_format format, uint64_t bits,
                          size_t lane)
{
    const uint64_t implicit = (uint64_t)1 << format.fraction_bits;
    size_t exponent = (bits >> format.fraction_bits) & (bin_count(format) - 1);
    uint64_t significand = (bits & (implicit - 1)) | (exponent > 0 ? implicit : 0);
    uint64_t *words = bins[exponent].sums[lane];
    if (2 * (format.fraction_bits + 1) <= 64) { /* a square has one word */
        if (__builtin_expect(__builtin_add_overflow(words[0], significand * significand, words), 0))
            words[1]++;
        return;
    }
    gsi_u128 sum = (gsi_u128)words[1] << 64 | words[0];
    bool is_carry = __builtin_add_overflow(sum, (gsi_u128)significand * significand, &sum);
    words[0] = (uint64_t)sum;
    words[1] = (uint64_t)(sum >> 64);
    if (__builtin_expect(is_carry, 0))
        bins[exponent].carries++;
}

GSI_INLINE void add_floats(uint64_t *moments, struct gsi_exact_format format, const void *elements,
                           size_t n)
{
    const uint32_t bytes = (format.fraction_bits + format.exponent_bits + 1) / 8;
    struct bin *bins = (struct bin *)(void *)moments;
    size_t i = 0;
    for (; i + LANES <= n; i += LANES)
        for (size_t lane = 0; lane < LANES; lane++)
            add_float(bins, format, gsi_block_load(elements, i + lane, bytes), lane);
    for (; i < n; i++)
        add_float(bins, format, gsi_block_load(elements, i, bytes), 0);
}

void gsi_moments_add(const struct gsi_layout *layout, uint64_t *moments, const void *elements,
                     size_t n)
{
    if (!is_float(layout) && layout->element_bytes == 4)
        add_integers(layout, moments, elements, n, 4);
    else if (!is_float(layout))
        add_integers(layout, moments, elements, n, 8);
    else if (layout->element_bytes == 4)
        add_floats(moments, GSI_EXACT_F32, elements, n);
    else
        add_floats(moments, GSI_EXACT_F64, elements, n);
}

/* Adds `from`, which has no more words, to `into`. */
static void add_words(uint64_t *into, size_t into_count, const uint64_t *from, size_t count)
{
    bool carry = false;
    for (size_t i = 0; i < into_count; i++) {
        gsi_u128 sum = (gsi_u128)into[i] + (i < count ? from[i] : 0) + carry;
        into[i] = (uint64_t)sum;
        carry = (bool)(sum >> 64);
    }
}

void gsi_moments_merge(const struct gsi_layout *layout, uint64_t *into, const uint64_t *from)
{
    if (!is_float(layout)) {
        add_words(into, INTEGER_WORDS, from, INTEGER_WORDS);
        return;
    }
    add_words(into + bin_words(layout), LIMBS, from + bin_words(layout), LIMBS);
    struct bin *bins = (struct bin *)(void *)into;
    const struct bin *others = (const struct bin *)(const void *)from;
    for (size_t i = 0; i < bin_count(format_of(layout)); i++) {
        for (size_t lane = 0; lane < LANES; lane++) {
            uint64_t sum[3] = {0};
            add_words(sum, 3, bins[i].sums[lane], 2);
            add_words(sum, 3, others[i].sums[lane], 2);
            memcpy(bins[i].sums[lane], sum, sizeof bins[i].sums[lane]);
            bins[i].carries += sum[2];
        }
        bins[i].carries += others[i].carries;
    }
}

void gsi_moments_add_limbs(const struct gsi_layout *layout, uint64_t *moments,
                           const gsi_u128 *limbs, size_t limb_count)
{
    uint64_t *const to = is_float(layout) ? moments + bin_words(layout) : moments;
    const size_t count = is_float(layout) ? LIMBS : INTEGER_WORDS;
    for (size_t i = 0; i < limb_count && i / 2 < count; i++) {
        const uint32_t shift = 32 * (i % 2);
        const gsi_u128 shifted = limbs[i] << shift;
        const uint64_t words[] = {(uint64_t)shifted, (uint64_t)(shifted >> 64),
                                  shift > 0 ? (uint64_t)(limbs[i] >> 96) : 0};
        if (limbs[i] != 0) /* it fits, as the whole does */
            add_words(to + i / 2, count - i / 2, words, 3);
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

/* Returns whether there is a remainder. */
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

/* Rounds word * 2^exponent, whose highest bit is 1, once to `bits` < 53 bits, to nearest even. */
static double round_subnormal(uint64_t word, bool is_more, int bits, int exponent)
{
    if (bits < 0)
        return 0;
    uint64_t kept = bits > 0 ? word >> (64 - bits) : 0, rest = word << bits;
    uint64_t half = (uint64_t)1 << 63;
    kept += rest > half || (rest == half && (is_more || (kept & 1) != 0));
    return ldexp((double)kept, exponent + 64 - bits);
}

/* Rounds x * 2^exponent, which is a little more with is_more. */
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

/* Long integers divided by n, twice for a variance. Two more limbs keep the digits after the
 * point. */
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

/* The bin of exponent e has the squares of multiples of 2^(max(e, 1) - 1) times the format's
 * smallest positive number; that of infinities and NaNs is not read. */
static void sum_squares(const struct gsi_layout *layout, const uint64_t *moments,
                        uint64_t squares[LIMBS])
{
    const struct gsi_exact_format format = format_of(layout);
    const struct bin *bins = (const struct bin *)(const void *)moments;
    if (!is_float(layout)) {
        memcpy(squares, moments, INTEGER_WORDS * sizeof *moments);
        return;
    }
    memcpy(squares, moments + bin_words(layout), LIMBS * sizeof *moments);
    for (size_t e = 0; e + 1 < bin_count(format); e++) {
        uint64_t total[3] = {0, 0, bins[e].carries};
        for (size_t lane = 0; lane < LANES; lane++)
            add_words(total, 3, bins[e].sums[lane], 2);
        if ((total[0] | total[1] | total[2]) != 0)
            add_shifted(squares, total, 3, 2 * (int)(format.unit_off + (e > 0 ? e : 1) - 1));
    }
}

void gsi_moments_finish(const struct gsi_layout *layout, const uint64_t *moments, uint64_t n,
                        const uint64_t sum[GSI_EXACT_LIMBS], double *mean, double *variance)
{
    uint64_t magnitude[GSI_EXACT_LIMBS], whole[LIMBS] = {0}, squares[LIMBS] = {0};
    memcpy(magnitude, sum, sizeof magnitude);
    const bool is_negative = gsi_exact_fixed_magnitude(magnitude);
    add_shifted(whole, magnitude, GSI_EXACT_LIMBS, 0);
    *mean = quotient(whole, n, 1, is_float(layout) ? -1074 : 0);
    *mean = is_negative ? -*mean : *mean;
    sum_squares(layout, moments, squares);
    multiply(squares, n);
    subtract_square(squares, magnitude);
    *variance = quotient(squares, n, 2, is_float(layout) ? -UNIT : 0);
}
