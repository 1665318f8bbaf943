/* float_text.c: writes floats as the shortest text that reads back, and reads such texts.
 *
 * A text is rounded once to the type that it is for. For example, 1.00048828125000001 is more than
 * half way from 1 to the next f16. The nearest f64 is exactly half way and would be rounded to 1.
 * So types narrower than f64 are rounded from an f64 with an odd last bit wherever it is not exact.
 * This is correct if the wider type has two digits more (Boldo and Melquiond, "Emulation of FMA and
 * correctly rounded sums", 2008, section 3.1). */
#include "element/number_type.h"

#include "base/text.h"

#include <fenv.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DIGITS_MAX     17 /* reads back as the same f64 */
#define PLAIN_LEAST    -4 /* exponents of the numbers in plain notation: 0.0001 */
#define PLAIN_GREATEST 15 /* 9999999999999998 */

static double round_to_single(double x)
{
    return (double)(float)x;
}

static double single_of_bits(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return (double)x;
}

/* As gsi_parse_double, but if no double is equal to the number: the neighbour whose last bit is
 * set. */
static bool parse_odd(const char *text, char **end, double *value)
{
    double below = 0, above = 0;
    uint64_t bits;
    int before = fegetround();
    fesetround(FE_DOWNWARD);
    bool is_read = gsi_parse_double(text, end, &below);
    fesetround(FE_UPWARD);
    is_read = is_read && gsi_parse_double(text, end, &above);
    fesetround(before);
    if (!is_read)
        return false;
    memcpy(&bits, &below, sizeof bits);
    *value = (bits & 1) != 0 || below == above ? below : above;
    return true;
}

bool gsi_float_parse(const char *text, char **end, enum gsi_part_kind part, double *value)
{
    double odd;
    if (part == GSI_PART_F64)
        return gsi_parse_double(text, end, value);
    if (!parse_odd(text, end, &odd))
        return false;
    if (part == GSI_PART_F16)
        *value = single_of_bits(gsi_f32_of_f16(gsi_f16_of_f64(odd)));
    else if (part == GSI_PART_BF16)
        *value = single_of_bits((uint32_t)gsi_bf16_of_f64(odd) << 16);
    else
        *value = round_to_single(odd);
    return true;
}

/* From "-1.2500e+03" of any locale: "-1250". */
static void set_notation(char text[GSI_FLOAT_TEXT_BYTES], const char *scaled)
{
    char digits[DIGITS_MAX + 1] = "";
    int count = 0, exponent = (int)strtol(strchr(scaled, 'e') + 1, NULL, 10);
    for (const char *at = scaled; *at != 'e'; at++)
        if (*at >= '0' && *at <= '9' && count < DIGITS_MAX)
            digits[count++] = *at;
    while (count > 1 && digits[count - 1] == '0')
        count--;
    digits[count] = '\0';
    const char *sign = *scaled == '-' ? "-" : "", *point = count > 1 ? "." : "";
    const char *zeros = "0000000000000000";
    if (exponent < PLAIN_LEAST || exponent > PLAIN_GREATEST)
        snprintf(text, GSI_FLOAT_TEXT_BYTES, "%s%c%s%se%+03d", sign, digits[0], point, digits + 1,
                 exponent);
    else if (exponent < 0)
        snprintf(text, GSI_FLOAT_TEXT_BYTES, "%s0.%.*s%s", sign, -exponent - 1, zeros, digits);
    else if (exponent >= count - 1)
        snprintf(text, GSI_FLOAT_TEXT_BYTES, "%s%s%.*s", sign, digits, exponent - count + 1, zeros);
    else
        snprintf(text, GSI_FLOAT_TEXT_BYTES, "%s%.*s.%s", sign, exponent + 1, digits,
                 digits + exponent + 1);
}

/* The next number of so many digits, away from zero. Above a power of two, numbers are half as
 * dense as below it, so it may read back as one where the nearest does not. */
static void next_text(char text[GSI_FLOAT_TEXT_BYTES], const char *scaled, int precision)
{
    char next[2 * GSI_FLOAT_TEXT_BYTES];
    long double value = strtold(scaled, NULL);
    long double unit =
        powl(10, (long double)(strtol(strchr(scaled, 'e') + 1, NULL, 10) - precision + 1));
    snprintf(next, sizeof next, "%.*Le", precision - 1, value + copysignl(unit, value));
    set_notation(text, next);
}

static bool reads_back(const char *text, double x, enum gsi_part_kind part)
{
    char *end;
    double value;
    return gsi_float_parse(text, &end, part, &value) && value == x;
}

void gsi_float_text(char text[GSI_FLOAT_TEXT_BYTES], double x, enum gsi_part_kind part)
{
    int exponent;
    if (!isfinite(x)) {
        snprintf(text, GSI_FLOAT_TEXT_BYTES, "%s", isnan(x) ? "nan" : x < 0 ? "-inf" : "inf");
        return;
    }
    bool is_found = false, is_power = fabs(frexp(x, &exponent)) == 0.5;
    for (int precision = 1; precision <= DIGITS_MAX && !is_found; precision++) {
        char scaled[2 * GSI_FLOAT_TEXT_BYTES];
        snprintf(scaled, sizeof scaled, "%.*e", precision - 1, x);
        set_notation(text, scaled);
        is_found = reads_back(text, x, part);
        if (!is_found && is_power) {
            next_text(text, scaled, precision);
            is_found = reads_back(text, x, part);
        }
    }
}
