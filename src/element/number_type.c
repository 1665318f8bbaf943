/* number_type.c: the table of numbers, and floats of 16 bits. */
#include "element/number_type.h"

#include "element/number_rows.h"

#include <math.h>
#include <string.h>

#define NUMBER(name, bytes, part, counted_as) \
    {name, bytes, GSI_PART_##part, counted_as, GSI_UNIT_NONE},
#define ELEMENT(name, bytes, kind, part) NUMBER(name, bytes, part, name)
#define BYTE(name, part, counted_as)     NUMBER(name, 1, part, counted_as)
#define WORD(unit)                       "time64[" #unit "]"
#define TIME(unit)                       {WORD(unit), 8, GSI_PART_TIME, "i64", GSI_UNIT_##unit},
#define NAME(name, ...)                  " " name

static const struct gsi_number_type numbers[] = {
    GSI_NUMBER_ROWS(ELEMENT, NUMBER, BYTE, TIME, GSI_NO_ROW, GSI_NO_ROW)};

const char *const gsi_number_names =
    &GSI_NUMBER_ROWS(NAME, NAME, NAME, GSI_NO_ROW, GSI_NO_ROW, GSI_NO_ROW)[1];

const struct gsi_number_type *gsi_number_type_find(const char *name, size_t length,
                                                   bool *is_big_endian)
{
    *is_big_endian = length > 2 && memcmp(name + length - 2, "be", 2) == 0;
    length -= *is_big_endian ? 2 : 0;
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        if (strlen(numbers[i].name) == length && memcmp(name, numbers[i].name, length) == 0)
            return &numbers[i];
    return NULL;
}

/* ---- floats of 16 bits ---- */

#define F16_DIGITS      11 /* of the significand, with the leading one */
#define BF16_DIGITS     8
#define F16_LEAST_BITS  -24 /* the exponent of the least number */
#define BF16_LEAST_BITS -133

/* The nearest number of so many digits that is a multiple of 2^least; exact but for the rounding,
 * which rint does to even, whatever the size. */
static double round_to(double x, int digits, int least)
{
    int exponent;
    frexp(x, &exponent);
    int unit = exponent - digits > least ? exponent - digits : least;
    return ldexp(rint(ldexp(x, -unit)), unit);
}

/* What a float of 4 bytes holds exactly, as its bits. */
static uint32_t bits_of(double x)
{
    float single = (float)x;
    uint32_t bits;
    memcpy(&bits, &single, sizeof bits);
    return bits;
}

uint16_t gsi_bf16_of_f64(double x)
{
    if (isnan(x))
        return 0x7fc0;
    if (isinf(x))
        return x < 0 ? 0xff80 : 0x7f80;
    return (uint16_t)(bits_of(round_to(x, BF16_DIGITS, BF16_LEAST_BITS)) >> 16);
}

uint16_t gsi_f16_of_f64(double x)
{
    uint16_t sign = signbit(x) ? 0x8000 : 0;
    if (isnan(x))
        return 0x7e00;
    double near = fabs(isinf(x) ? x : round_to(x, F16_DIGITS, F16_LEAST_BITS));
    if (near > 65504)
        return sign | 0x7c00;
    if (near < 0x1p-14)
        return sign | (uint16_t)ldexp(near, -F16_LEAST_BITS);
    return sign | (uint16_t)((bits_of(near) >> 13) - ((127 - 15) << 10));
}
