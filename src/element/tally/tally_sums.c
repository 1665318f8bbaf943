/* tally_sums.c: joins and reports tallies, and counts sorted elements: integers block by block,
 * floats by ranges with the same sign and exponent. */
#include "element/tally/tally_sums.h"

#include "element/tally/digest.h"
#include "element/tally/tally_block.h"

#include <string.h>

static bool is_float(const struct gsi_layout *layout)
{
    return layout->type->kind == GSI_KEY_FLOAT;
}

void gsi_tally_sums_clear(struct gsi_tally_sums *sums)
{
    memset(sums, 0, sizeof *sums);
    sums->min = ~(gsi_u128)0;
}

void gsi_tally_sums_join(struct gsi_tally_sums *into, const struct gsi_tally_sums *from)
{
    GSI_ASSERT(into->is_negative == 0);
    into->count += from->count;
    into->nans += from->nans;
    into->positive_infinities += from->positive_infinities;
    into->negative_infinities += from->negative_infinities;
    into->negative_zeros += from->negative_zeros;
    into->fingerprint += from->fingerprint;
    into->sum[0] += from->sum[0];
    into->sum[1] += from->sum[1];
    if (from->min < into->min)
        into->min = from->min;
    if (from->max > into->max)
        into->max = from->max;
    gsi_exact_fixed_join(into->limbs, from->limbs, from->is_negative != 0);
}

/* ---- extremes ---- */

static void add_extreme(const struct gsi_layout *layout, struct gsi_tally_sums *tally,
                        const void *element)
{
    struct gsi_layout ascending = *layout;
    gsi_u128 key = 0;
    ascending.map = gsi_key_map_ascending(layout->map);
    gsi_element_to_key(&ascending, element, &key);
    if (key < tally->min)
        tally->min = key;
    if (key > tally->max)
        tally->max = key;
}

static void add_extremes(const struct gsi_layout *layout, struct gsi_tally_sums *tally,
                         const uint8_t *elements, size_t n)
{
    add_extreme(layout, tally, elements);
    add_extreme(layout, tally, elements + (n - 1) * layout->element_bytes);
}

/* ---- integers ---- */

/* Sums are local variables until the end, because loads of elements might alias the sums. */

GSI_SIMD_CLONES static void sum_ints_32(struct gsi_key_map map, const gsi_lane_u32 *elements,
                                        size_t n, struct gsi_block_sum *sum)
{
    struct gsi_block_sum keys = {0};
    for (size_t i = 0; i < n; i++)
        gsi_block_sum_add(&keys, gsi_key_of_u32(map, elements[i]));
    *sum = keys;
}

GSI_SIMD_CLONES static void sum_ints_64(struct gsi_key_map map, const gsi_lane_u64 *elements,
                                        size_t n, struct gsi_block_sum *sum)
{
    struct gsi_block_sum keys = {0};
    for (size_t i = 0; i < n; i++)
        gsi_block_sum_add(&keys, gsi_key_of_u64(map, elements[i]));
    *sum = keys;
}

GSI_SIMD_CLONES static void sum_ints_128(struct gsi_key_map map, const gsi_lane_u64 *words,
                                         size_t n, struct gsi_block_sum *low,
                                         struct gsi_block_sum *high)
{
    struct gsi_block_sum lows = {0}, highs = {0};
    for (size_t i = 0; i < n; i++) {
        gsi_block_sum_add(&lows, gsi_key_low(map, words[2 * i]));
        gsi_block_sum_add(&highs, gsi_key_high(map, words[2 * i + 1]));
    }
    *low = lows;
    *high = highs;
}

static void add_ints(const struct gsi_layout *layout, struct gsi_tally_sums *tally,
                     const void *elements, size_t n)
{
    struct gsi_key_map map = gsi_key_map_ascending(layout->map);
    struct gsi_block_sum low = {0}, high = {0};
    GSI_BY_WIDTH(layout->element_bytes, sum_ints_32(map, elements, n, &low),
                 sum_ints_64(map, elements, n, &low), sum_ints_128(map, elements, n, &low, &high));
    tally->sum[0] += gsi_block_sum_total(low);
    tally->sum[1] += gsi_block_sum_total(high);
    add_extremes(layout, tally, elements, n);
}

/* ---- floats ---- */

/* Sums of a block of floats with one sign and exponent. A fraction is less than 2^53; `zeros`
 * counts the fractions that are 0. */
GSI_INLINE void sum_fractions(const void *elements, size_t n, uint32_t bytes, uint64_t mask,
                              uint64_t *sum, uint64_t *zeros)
{
    uint64_t all = 0, none = 0;
    for (size_t i = 0; i < n; i++) {
        uint64_t fraction = gsi_block_load(elements, i, bytes) & mask;
        all += fraction;
        none += fraction == 0;
    }
    *sum = all;
    *zeros = none;
}

GSI_SIMD_CLONES static void sum_fractions_32(const void *elements, size_t n, uint64_t *sum,
                                             uint64_t *zeros)
{
    sum_fractions(elements, n, 4, ((uint64_t)1 << 23) - 1, sum, zeros);
}

GSI_SIMD_CLONES static void sum_fractions_64(const void *elements, size_t n, uint64_t *sum,
                                             uint64_t *zeros)
{
    sum_fractions(elements, n, 8, ((uint64_t)1 << 52) - 1, sum, zeros);
}

/* Returns sign and exponent. */
static uint64_t top_of(const struct gsi_exact_format *format, const void *elements, size_t i,
                       uint32_t bytes)
{
    return gsi_block_load(elements, i, bytes) >> format->fraction_bits;
}

/* Returns whether NaNs and infinities have this sign and exponent. */
static bool is_special(const struct gsi_exact_format *format, uint64_t top)
{
    const uint64_t last = ((uint64_t)1 << format->exponent_bits) - 1;
    return (top & last) == last;
}

/* Returns how many of `n` > 0 sorted floats have the sign and exponent of the first one, without a
 * gap. -inf and negative NaNs have the same, but are at different ends. */
static size_t run_length(const struct gsi_exact_format *format, const void *elements, size_t n,
                         uint32_t bytes)
{
    uint64_t top = top_of(format, elements, 0, bytes);
    size_t low = 1, high = n; /* before low they do, from high on they do not */
    if (is_special(format, top)) {
        while (low < n && top_of(format, elements, low, bytes) == top)
            low++;
        return low;
    }
    if (top_of(format, elements, n - 1, bytes) == top)
        return n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (top_of(format, elements, middle, bytes) == top)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Adds the neighbours in a block that have the same sign and exponent. */
static void add_run(const struct gsi_layout *layout, const struct gsi_exact_format *format,
                    struct gsi_tally_sums *tally, const uint8_t *elements, size_t n)
{
    const uint64_t last = ((uint64_t)1 << format->exponent_bits) - 1;
    uint64_t top = top_of(format, elements, 0, layout->element_bytes), exponent = top & last;
    uint64_t sum, zeros;
    bool is_negative = top != exponent;
    GSI_BY_WORD(layout->element_bytes, sum_fractions_32(elements, n, &sum, &zeros),
                sum_fractions_64(elements, n, &sum, &zeros));
    if (is_special(format, top)) {
        tally->nans += n - zeros;
        *(is_negative ? &tally->negative_infinities : &tally->positive_infinities) += zeros;
        /* Infinities are at one end of the run, and NaNs are no extremes. */
        for (size_t i = 0; zeros > 0 && i<n; i += n> 1 ? n - 1 : 1)
            if ((gsi_block_load(elements, i, layout->element_bytes) &
                 (((uint64_t)1 << format->fraction_bits) - 1)) == 0)
                add_extreme(layout, tally, elements + i * layout->element_bytes);
        return;
    }
    if (exponent == 0 && is_negative)
        tally->negative_zeros += zeros;
    if (exponent > 0)
        sum +=
            (uint64_t)n << format->fraction_bits; /* less than 2^64, as n is no more than a block */
    gsi_exact_fixed_add(tally->limbs, sum, format->unit_off + (exponent > 0 ? exponent - 1 : 0),
                        is_negative);
    add_extremes(layout, tally, elements, n);
}

static void add_floats(const struct gsi_layout *layout, struct gsi_tally_sums *tally,
                       const uint8_t *elements, size_t n)
{
    const struct gsi_exact_format format =
        layout->element_bytes == 4 ? GSI_EXACT_F32 : GSI_EXACT_F64;
    for (size_t length; n > 0; n -= length, elements += length * layout->element_bytes) {
        length = run_length(&format, elements, n, layout->element_bytes);
        add_run(layout, &format, tally, elements, length);
    }
}

/* ---- elements of all types ---- */

_Static_assert(GSI_BLOCK_ELEMENTS <= 1024, "significands of a block make less than 2^64");

void gsi_tally_sums_add_sorted(const struct gsi_layout *layout, struct gsi_tally_sums *tally,
                               const void *elements, size_t n)
{
    const uint8_t *at = elements;
    tally->count += n;
    for (size_t step; n > 0; n -= step, at += step * layout->element_bytes) {
        step = gsi_block_elements(n);
        if (is_float(layout))
            add_floats(layout, tally, at, step);
        else
            add_ints(layout, tally, at, step);
    }
}

/* ---- the report ---- */

/* words = sum[0] + (sum[1] << 64) - count * bias, modulo 2^256; a signed type's bias is its sign
 * bit. */
static void finish_integer_sum(const struct gsi_layout *layout, const struct gsi_tally_sums *sums,
                               uint64_t words[4])
{
    gsi_u128 middle = (sums->sum[0] >> 64) + (uint64_t)sums->sum[1];
    gsi_u128 upper = (sums->sum[1] >> 64) + (middle >> 64);
    gsi_u128 lower = middle << 64 | (uint64_t)sums->sum[0];
    gsi_u128 excess = (gsi_u128)sums->count * layout->map.sign;
    bool is_wide = layout->element_bytes == 16; /* the sign is the high word's */
    gsi_u128 low_excess = is_wide ? excess << 64 : excess;
    upper -= (is_wide ? excess >> 64 : 0) + (lower < low_excess);
    lower -= low_excess;
    words[0] = (uint64_t)lower;
    words[1] = (uint64_t)(lower >> 64);
    words[2] = (uint64_t)upper;
    words[3] = (uint64_t)(upper >> 64);
}

static double finish_float_sum(const struct gsi_tally_sums *sums)
{
    uint64_t numbers = sums->count - sums->nans;
    bool has_only_nans = sums->count > 0 && numbers == 0;
    if (has_only_nans || (sums->positive_infinities > 0 && sums->negative_infinities > 0))
        return __builtin_nan("");
    if (sums->positive_infinities > 0)
        return __builtin_inf();
    if (sums->negative_infinities > 0)
        return -__builtin_inf();
    if (numbers > 0 && sums->negative_zeros == numbers)
        return -0.0;
    const double sum = gsi_exact_fixed_f64(sums->limbs);
    return sums->is_negative != 0 ? -sum : sum;
}

struct gsi_tally_report gsi_tally_sums_report(const struct gsi_layout *layout,
                                              const struct gsi_tally_sums *sums)
{
    struct gsi_tally_report result = {
        .count = sums->count,
        .nan_count = sums->nans,
        .positive_infinity_count = sums->positive_infinities,
        .negative_infinity_count = sums->negative_infinities,
        .negative_zero_count = sums->negative_zeros,
        .has_extremes = sums->count > sums->nans,
        .fingerprint = {(uint64_t)sums->fingerprint, (uint64_t)(sums->fingerprint >> 64)},
    };
    if (is_float(layout))
        result.sum_float = finish_float_sum(sums);
    else
        finish_integer_sum(layout, sums, result.sum);
    if (result.has_extremes) {
        struct gsi_layout ascending = *layout;
        ascending.map = gsi_key_map_ascending(layout->map);
        gsi_key_to_element(&ascending, &sums->min, result.min);
        gsi_key_to_element(&ascending, &sums->max, result.max);
    }
    return result;
}
