/* quantile.c: fractions as integers, ranks by integer division. */
#include "element/quantile/quantile.h"

#include <stdlib.h>
#include <string.h>

/* n < 2^64 times a numerator of 10^18 stays below 2^128. */
#define DIGITS_MAX 18

/* Refuses a text, and says how a percentile (95, p95, 95%) is written. */
static enum gs_status refuse(const char *text, struct gs_error *error)
{
    const char *number = text + (text[0] == 'p' || text[0] == 'P');
    size_t digits = strspn(number, "0123456789");
    const char *fraction = number + digits + (number[digits] == '.');
    size_t behind = strspn(fraction, "0123456789");
    const char *end = fraction + behind;
    unsigned long whole = digits > 0 && digits <= 3 ? strtoul(number, NULL, 10) : 100;
    bool is_named = number > text || *end == '%';
    if (whole < 100 && (is_named || whole > 0) && end[*end == '%'] == '\0')
        return gsi_fail(
            error, GS_E_USAGE, 0,
            "--quantiles: '%s' is not between 0 and 1; for percentile %.*s use 0.%02lu%.*s", text,
            (int)(end - number), number, whole, (int)behind, fraction);
    return gsi_fail(
        error, GS_E_USAGE, 0,
        "--quantiles: '%s' is neither median nor a decimal between 0 and 1 with at most %d digits",
        text, DIGITS_MAX);
}

enum gs_status gsi_quantile_parse(const char *text, struct gsi_quantile *quantile,
                                  struct gs_error *error)
{
    struct gsi_quantile found = {0, 1};
    const char *at = text;
    int digits = 0, behind = 0;
    if (strcmp(text, "median") == 0) {
        *quantile = (struct gsi_quantile){1, 2};
        return GS_OK;
    }
    for (bool has_point = false; *at != '\0' && behind <= DIGITS_MAX; at++) {
        if (*at == '.' && !has_point) {
            has_point = true;
            continue;
        }
        if (*at < '0' || *at > '9' || found.numerator > found.denominator)
            break;
        found.numerator = 10 * found.numerator + (uint64_t)(*at - '0');
        found.denominator *= has_point ? 10 : 1;
        behind += has_point;
        digits++;
    }
    if (*at != '\0' || digits == 0 || behind > DIGITS_MAX || found.numerator > found.denominator)
        return refuse(text, error);
    *quantile = found;
    return GS_OK;
}

uint64_t gsi_quantile_nearest(struct gsi_quantile quantile, uint64_t n)
{
    gsi_u128 product = (gsi_u128)n * quantile.numerator;
    uint64_t rank = (uint64_t)((product + quantile.denominator - 1) / quantile.denominator);
    return rank > 0 ? rank - 1 : 0;
}

uint64_t gsi_quantile_between(struct gsi_quantile quantile, uint64_t n, double *part)
{
    gsi_u128 product = (gsi_u128)(n - 1) * quantile.numerator;
    *part = (double)(uint64_t)(product % quantile.denominator) / (double)quantile.denominator;
    return (uint64_t)(product / quantile.denominator);
}

#define VALUE_OF(name, T)                         \
    static double name(const uint8_t element[16]) \
    {                                             \
        T value;                                  \
        memcpy(&value, element, sizeof value);    \
        return (double)value;                     \
    }
VALUE_OF(value_u32, uint32_t)
VALUE_OF(value_i32, int32_t)
VALUE_OF(value_f32, float)
VALUE_OF(value_u64, uint64_t)
VALUE_OF(value_i64, int64_t)
VALUE_OF(value_f64, double)
VALUE_OF(value_u128, gsi_u128)
VALUE_OF(value_i128, gsi_i128)

double gsi_value_of(const struct gsi_key_type *type, const uint8_t element[16])
{
    if (type->bytes == 16)
        return type->kind == GSI_KEY_SIGNED ? value_i128(element) : value_u128(element);
    switch (type->kind) {
    case GSI_KEY_SIGNED:
        return type->bytes == 4 ? value_i32(element) : value_i64(element);
    case GSI_KEY_FLOAT:
        return type->bytes == 4 ? value_f32(element) : value_f64(element);
    default:
        return type->bytes == 4 ? value_u32(element) : value_u64(element);
    }
}

double gsi_quantile_mix(const struct gsi_key_type *type, const uint8_t low[16],
                        const uint8_t high[16], double part)
{
    double a = gsi_value_of(type, low), b = gsi_value_of(type, high);
    if (part == 0 || a == b) /* also where both are infinite */
        return a;
    return part < 0.5 ? a + (b - a) * part : b - (b - a) * (1 - part);
}

int64_t gsi_quantile_time(struct gsi_quantile quantile, uint64_t n, const uint8_t low[16],
                          const uint8_t high[16])
{
    gsi_u128 product = (gsi_u128)(n - 1) * quantile.numerator;
    gsi_i128 part = (gsi_i128)(product % quantile.denominator), whole = quantile.denominator;
    int64_t a, b;
    memcpy(&a, low, sizeof a);
    memcpy(&b, high, sizeof b);
    return (int64_t)gsi_divide_to_even(a * whole + ((gsi_i128)b - a) * part, whole);
}
