/* exact_sum.c: adds up significands in bins, and rounds once at the end.
 *
 * A bin, named by an element's sign and exponent fields, has three parts in the table:
 *
 *     low[bin][lane]   sums of significands modulo 2^64
 *     carries[bin]     how often these overflowed: at most once in 2^11 additions of 53 bits, so
 *                      that the branch is predicted
 *     offset[bin]      what to subtract from an element's bits to get its significand: the two
 *                      fields, less the implicit bit where there is one. Looking it up is 1.3 times
 *                      as fast as masking the element's bits.
 *
 * At the end each bin is shifted to its place in one fixed-point number, in units of the smallest
 * positive double:
 *
 *     bit 0            2^-1074
 *     bit e - 1        last bit of a significand with exponent field e >= 1 (field 0 counts as 1)
 *     bit 2045         the same for the largest finite exponent, e = 2046
 *     bit 2045 + 117   end of the largest sum of 2^64 such elements
 *
 * Source: R. Neal, "Fast exact summation using small and large superaccumulators", 2015; the bins
 * are its large superaccumulator with a carry word in place of its counters. */
#include "element/tally/exact_sum.h"

#include "base/simd.h"
#include "base/u128.h"
#include "element/tally/tally_block.h"

#include <stdbool.h>
#include <string.h>

static size_t bin_count(struct gsi_exact_format format)
{
    return (size_t)1 << (format.exponent_bits + 1);
}

static uint64_t *table_carries(const struct gsi_exact_sum *sum)
{
    return sum->table + bin_count(sum->format) * GSI_EXACT_LANES;
}

size_t gsi_exact_sum_words(struct gsi_exact_format format)
{
    return bin_count(format) * (GSI_EXACT_LANES + 2);
}

void gsi_exact_sum_clear(const struct gsi_exact_sum *sum)
{
    size_t bins = bin_count(sum->format), exponents = bins / 2;
    uint64_t *offsets = table_carries(sum) + bins;
    uint64_t implicit = (uint64_t)1 << sum->format.fraction_bits;
    memset(sum->table, 0, bins * (GSI_EXACT_LANES + 1) * sizeof *sum->table);
    for (size_t bin = 0; bin < bins; bin++)
        offsets[bin] = bin * implicit - (bin % exponents > 0 ? implicit : 0);
}

/* `format` is a constant where these are inlined. */
GSI_INLINE void add_one(uint64_t *table, struct gsi_exact_format format, uint64_t bits, size_t lane)
{
    uint64_t *carries = table + bin_count(format) * GSI_EXACT_LANES;
    const uint64_t *offsets = carries + bin_count(format);
    size_t bin = (size_t)(bits >> format.fraction_bits);
    uint64_t *low = &table[bin * GSI_EXACT_LANES + lane];
    bool is_carry = __builtin_add_overflow(*low, bits - offsets[bin], low);
    if (__builtin_expect(is_carry, 0))
        carries[bin]++;
}

GSI_INLINE void add_all(uint64_t *table, struct gsi_exact_format format, const void *elements,
                        size_t n)
{
    const uint32_t bytes = (format.fraction_bits + format.exponent_bits + 1) / 8;
    size_t i = 0;
    for (; i + GSI_EXACT_LANES <= n; i += GSI_EXACT_LANES)
        for (size_t lane = 0; lane < GSI_EXACT_LANES; lane++)
            add_one(table, format, gsi_block_load(elements, i + lane, bytes), lane);
    for (; i < n; i++)
        add_one(table, format, gsi_block_load(elements, i, bytes), 0);
}

void gsi_exact_sum_add(const struct gsi_exact_sum *sum, const void *elements, size_t n)
{
    if (sum->format.fraction_bits == GSI_EXACT_F32.fraction_bits)
        add_all(sum->table, GSI_EXACT_F32, elements, n);
    else
        add_all(sum->table, GSI_EXACT_F64, elements, n);
}

void gsi_exact_sum_merge(const struct gsi_exact_sum *into, const struct gsi_exact_sum *from)
{
    size_t bins = bin_count(into->format);
    uint64_t *into_carries = table_carries(into);
    const uint64_t *from_carries = table_carries(from);
    for (size_t i = 0; i < bins * GSI_EXACT_LANES; i++)
        into_carries[i / GSI_EXACT_LANES] +=
            __builtin_add_overflow(into->table[i], from->table[i], &into->table[i]);
    for (size_t bin = 0; bin < bins; bin++)
        into_carries[bin] += from_carries[bin];
}

static gsi_u128 bin_total(const struct gsi_exact_sum *sum, size_t bin)
{
    gsi_u128 total = (gsi_u128)table_carries(sum)[bin] << 64;
    for (size_t lane = 0; lane < GSI_EXACT_LANES; lane++)
        total += sum->table[bin * GSI_EXACT_LANES + lane];
    return total;
}

void gsi_exact_fixed_add(uint64_t limbs[GSI_EXACT_LIMBS], gsi_u128 value, size_t place,
                         bool is_negative)
{
    size_t in_limb = place % 64;
    gsi_u128 low = value << in_limb;
    uint64_t top = in_limb == 0 ? 0 : (uint64_t)(value >> 64 >> (64 - in_limb));
    uint64_t words[3] = {(uint64_t)low, (uint64_t)(low >> 64), top};
    uint64_t flip = is_negative ? UINT64_MAX : 0; /* -x is ~x + 1 */
    bool carry = is_negative;
    for (size_t i = place / 64, word = 0; i < GSI_EXACT_LIMBS; i++, word++) {
        if (word >= 3 && carry == is_negative) /* ~0 and a carry, or 0 and none: no change */
            return;
        uint64_t addend = (word < 3 ? words[word] : 0) ^ flip;
        gsi_u128 s = (gsi_u128)limbs[i] + addend + carry;
        limbs[i] = (uint64_t)s;
        carry = (bool)(s >> 64);
    }
}

/* -x is ~x + 1 */
void gsi_exact_fixed_join(uint64_t into[GSI_EXACT_LIMBS], const uint64_t from[GSI_EXACT_LIMBS],
                          bool is_negative)
{
    const uint64_t flip = is_negative ? UINT64_MAX : 0;
    bool carry = is_negative;
    for (size_t i = 0; i < GSI_EXACT_LIMBS; i++) {
        gsi_u128 s = (gsi_u128)into[i] + (from[i] ^ flip) + carry;
        into[i] = (uint64_t)s;
        carry = (bool)(s >> 64);
    }
}

/* Returns bits [off, off + 64) of a fixed-point number. */
static uint64_t fixed_bits(const uint64_t limbs[GSI_EXACT_LIMBS], size_t off)
{
    size_t limb = off / 64, in_limb = off % 64;
    uint64_t bits = limbs[limb] >> in_limb;
    if (in_limb > 0 && limb + 1 < GSI_EXACT_LIMBS)
        bits |= limbs[limb + 1] << (64 - in_limb);
    return bits;
}

/* Returns whether any of the lowest `end` bits is set. */
static bool fixed_any_below(const uint64_t limbs[GSI_EXACT_LIMBS], size_t end)
{
    uint64_t any = 0;
    for (size_t i = 0; i < end / 64; i++)
        any |= limbs[i];
    if (end % 64 > 0)
        any |= limbs[end / 64] << (64 - end % 64);
    return any != 0;
}

bool gsi_exact_fixed_magnitude(uint64_t limbs[GSI_EXACT_LIMBS])
{
    bool is_negative = limbs[GSI_EXACT_LIMBS - 1] >> 63;
    if (is_negative) {
        uint64_t magnitude[GSI_EXACT_LIMBS] = {0};
        gsi_exact_fixed_join(magnitude, limbs, true);
        memcpy(limbs, magnitude, sizeof magnitude);
    }
    return is_negative;
}

/* The unit is the smallest positive number, so a result that is no longer than a significand is
 * exact. A significand m whose last bit is at place p gives the bits (p << fraction_bits) + m. The
 * implicit bit of m adds 1 to the exponent, and so does rounding up to the next power of two. */
uint64_t gsi_exact_fixed_round(struct gsi_exact_format format,
                               const uint64_t limbs[GSI_EXACT_LIMBS])
{
    const size_t significand_bits = format.fraction_bits + 1;
    const uint64_t infinity = (((uint64_t)1 << format.exponent_bits) - 1) << format.fraction_bits;
    size_t length = GSI_EXACT_LIMBS;
    while (length > 0 && limbs[length - 1] == 0)
        length--;
    if (length == 0)
        return 0;
    size_t bit_length = length * 64 - (size_t)__builtin_clzll(limbs[length - 1]);
    if (bit_length <= format.unit_off + significand_bits)
        return fixed_bits(limbs, format.unit_off);
    size_t place = bit_length - significand_bits;
    uint64_t significand = fixed_bits(limbs, place) & (((uint64_t)1 << significand_bits) - 1);
    bool is_half = fixed_bits(limbs, place - 1) & 1;
    if (is_half && ((significand & 1) || fixed_any_below(limbs, place - 1)))
        significand++;
    uint64_t bits = ((uint64_t)(place - format.unit_off) << format.fraction_bits) + significand;
    return bits < infinity ? bits : infinity;
}

void gsi_exact_sum_add_to(const struct gsi_exact_sum *sum, uint64_t limbs[GSI_EXACT_LIMBS])
{
    size_t exponents = bin_count(sum->format) / 2;
    for (size_t bin = 0; bin < 2 * exponents; bin++) {
        size_t exponent = bin % exponents;
        gsi_u128 total = bin_total(sum, bin);
        if (total == 0 || exponent == exponents - 1) /* the last are infinities and NaNs */
            continue;
        size_t place = sum->format.unit_off + (exponent > 0 ? exponent - 1 : 0);
        gsi_exact_fixed_add(limbs, total, place, bin >= exponents);
    }
}

double gsi_exact_fixed_f64(const uint64_t limbs[GSI_EXACT_LIMBS])
{
    uint64_t magnitude[GSI_EXACT_LIMBS];
    memcpy(magnitude, limbs, sizeof magnitude);
    const bool is_negative = gsi_exact_fixed_magnitude(magnitude);
    uint64_t bits = gsi_exact_fixed_round(GSI_EXACT_F64, magnitude) | (uint64_t)is_negative << 63;
    double rounded;
    memcpy(&rounded, &bits, sizeof rounded);
    return rounded;
}
