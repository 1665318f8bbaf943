/* size.c: parsing of sizes and counts. */
#include "option/option_parse.h"

#include "base/text.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Multiplier of a unit, 0 if it is none. A bare number is bytes; case does not matter. */
static long double unit_of(const char *unit, long double step, bool is_bytes)
{
    static const char letters[] = "KMGTPE";
    if (*unit == '\0' || (is_bytes && strcasecmp(unit, "B") == 0))
        return 1;
    const char *letter = strchr(letters, toupper((unsigned char)*unit));
    if (letter == NULL)
        return 0;
    bool has_bytes = strcasecmp(unit + 1, "B") == 0 || strcasecmp(unit + 1, "iB") == 0;
    if (unit[1] != '\0' && !(is_bytes && has_bytes))
        return 0;
    long double multiplier = step;
    for (const char *l = letters; l < letter; l++)
        multiplier *= step;
    return multiplier;
}

/* The number that a text begins with; strtold also takes signs, blanks, hexadecimal and "inf". */
static bool take_number(const char *text, long double *number, char **end)
{
    if (!isdigit((unsigned char)text[0]) || strpbrk(text, "xX") != NULL)
        return false;
    errno = 0;
    return gsi_parse_long_double(text, end, number) && errno == 0;
}

static bool fits(long double number)
{
    return number < 18446744073709551616.0L;
}

/* Parses a size in bytes, which may have a fraction and a unit, or be a percentage of `whole`. */
static bool take_size(const char *text, uint64_t whole, long double *bytes)
{
    char *end;
    if (!take_number(text, bytes, &end))
        return false;
    long double multiplier = unit_of(end, 1024, true);
    if (strcmp(end, "%") == 0 && whole > 0)
        multiplier = (long double)whole / 100;
    *bytes *= multiplier;
    return multiplier != 0 && fits(*bytes);
}

bool gs_size_parse(const char *text, uint64_t whole, uint64_t *bytes)
{
    long double number;
    bool is_size = take_size(text, whole, &number);
    if (is_size)
        *bytes = (uint64_t)number;
    return is_size;
}

bool gsi_byte_count_parse(const char *text, uint64_t *bytes)
{
    long double number;
    bool is_place = take_size(text, 0, &number) && number == (long double)(uint64_t)number;
    if (is_place)
        *bytes = (uint64_t)number;
    return is_place;
}

bool gs_count_parse(const char *text, uint64_t *count)
{
    char *end;
    long double number;
    if (!take_number(text, &number, &end))
        return false;
    long double multiplier = unit_of(end, 1000, false);
    number *= multiplier;
    if (multiplier == 0 || !fits(number) || number != (long double)(uint64_t)number)
        return false;
    *count = (uint64_t)number;
    return true;
}
