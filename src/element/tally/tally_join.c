/* tally_join.c: counts, sums and fingerprints add up; of extremes the outermost stay. */
#include "element/tally/tally_join.h"

#include "base/checked.h"
#include "base/u128.h"

#include <math.h>
#include <string.h>

void gsi_print_join(uint64_t into[2], const uint64_t from[2])
{
    uint64_t low = into[0] + from[0];
    into[1] += from[1] + (low < from[0]);
    into[0] = low;
}

/* A value as an unsigned number in the order of its type; -0 is below 0. */
static gsi_u128 order_of(const struct gsi_field_report *field, const uint8_t value[16])
{
    uint32_t bits = 8 * gsi_min_u32(gsi_max_u32(field->element_bytes, 1), field->is_float ? 8 : 16);
    gsi_u128 number = 0, sign = (gsi_u128)1 << (bits - 1);
    memcpy(&number, value, bits / 8);
    if (field->is_float && (number & sign) != 0)
        return ~number & (sign | (sign - 1));
    return field->is_float || field->is_signed ? number ^ sign : number;
}

static void join_extremes(const struct gsi_field_report *field, struct gsi_tally_report *into,
                          const struct gsi_tally_report *from)
{
    bool is_first = from->has_extremes && !into->has_extremes;
    bool is_both = from->has_extremes && into->has_extremes;
    if (is_first || (is_both && order_of(field, from->min) < order_of(field, into->min)))
        memcpy(into->min, from->min, sizeof into->min);
    if (is_first || (is_both && order_of(field, from->max) > order_of(field, into->max)))
        memcpy(into->max, from->max, sizeof into->max);
    into->has_extremes = into->has_extremes || from->has_extremes;
}

static void join_integers(uint64_t into[4], const uint64_t from[4])
{
    gsi_u128 carry = 0;
    for (int i = 0; i < 4; i++, carry >>= 64) {
        carry += (gsi_u128)into[i] + from[i];
        into[i] = (uint64_t)carry;
    }
}

/* Returns whether the sum is NaN only because there are no numbers, not because of infinities. */
static bool has_only_nans(const struct gsi_tally_report *tally)
{
    return tally->count > 0 && tally->nan_count == tally->count;
}

/* limbs += x, which is finite. */
static void add_f64(uint64_t limbs[GSI_EXACT_LIMBS], double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    uint64_t fraction = bits & (((uint64_t)1 << 52) - 1), exponent = bits >> 52 & 0x7ff;
    uint64_t implicit = exponent > 0 ? (uint64_t)1 << 52 : 0;
    gsi_exact_fixed_add(limbs, fraction | implicit, exponent > 0 ? exponent - 1 : 0, bits >> 63);
}

void gsi_joined_sum_add(struct gsi_joined_sum *sum, const struct gsi_tally_report *tally)
{
    double x = tally->sum_float;
    if (has_only_nans(tally))
        return;
    if (isfinite(x))
        add_f64(sum->limbs, x);
    else
        sum->beyond += x;
}

static double round_f64(const uint64_t limbs[GSI_EXACT_LIMBS])
{
    uint64_t magnitude[GSI_EXACT_LIMBS];
    memcpy(magnitude, limbs, sizeof magnitude);
    bool is_negative = gsi_exact_fixed_magnitude(magnitude);
    return gsi_exact_signed_f64(magnitude, is_negative);
}

/* A sum of zero is -0 only if all elements were, as in a tally. */
static double round_sum(const struct gsi_joined_sum *sum, const struct gsi_tally_report *tally)
{
    uint64_t numbers = tally->count - tally->nan_count;
    if (has_only_nans(tally))
        return __builtin_nan("");
    if (sum->beyond != 0) /* or NaN */
        return sum->beyond;
    bool is_negative_zero = numbers > 0 && tally->negative_zero_count == numbers;
    return is_negative_zero ? -0.0 : round_f64(sum->limbs);
}

bool gsi_tally_join(const struct gsi_field_report *field, struct gsi_tally_report *into,
                    const struct gsi_tally_report *from, struct gsi_joined_sum *sum)
{
    if (!gsi_add_u64(into->count, from->count, &into->count))
        return false;
    into->nan_count += from->nan_count;
    into->positive_infinity_count += from->positive_infinity_count;
    into->negative_infinity_count += from->negative_infinity_count;
    into->negative_zero_count += from->negative_zero_count;
    into->has_moments = false;
    gsi_print_join(into->fingerprint, from->fingerprint);
    join_extremes(field, into, from);
    if (field->is_float) {
        gsi_joined_sum_add(sum, from);
        into->sum_float = round_sum(sum, into);
    } else {
        join_integers(into->sum, from->sum);
    }
    return true;
}
