/* size.c: parsing of sizes. */
#include "plan/size.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Multiplier of a unit, 0 if it is none. A bare number is bytes. */
static long double unit_of(const char *unit)
{
    static const char letters[] = "KMGTPE";
    if (*unit == '\0' || strcmp(unit, "B") == 0)
        return 1;
    const char *letter = strchr(letters, toupper((unsigned char)*unit));
    if (letter == NULL)
        return 0;
    if (unit[1] != '\0' && strcmp(unit + 1, "B") != 0 && strcmp(unit + 1, "iB") != 0)
        return 0;
    long double multiplier = 1024;
    for (const char *l = letters; l < letter; l++)
        multiplier *= 1024;
    return multiplier;
}

bool gsi_size_parse(const char *text, uint64_t whole, uint64_t *bytes)
{
    /* strtold also takes signs, blanks, hexadecimal, "inf" and powers of ten. */
    if (!isdigit((unsigned char)text[0]) || strpbrk(text, "xX") != NULL)
        return false;
    char *end;
    errno = 0;
    long double number = strtold(text, &end);
    if (errno != 0 || memchr(text, 'e', (size_t)(end - text)) != NULL ||
        memchr(text, 'E', (size_t)(end - text)) != NULL)
        return false;
    long double multiplier = unit_of(end);
    if (strcmp(end, "%") == 0 && whole > 0)
        multiplier = (long double)whole / 100;
    if (multiplier == 0)
        return false;
    number *= multiplier;
    if (number >= 18446744073709551616.0L)
        return false;
    *bytes = (uint64_t)number;
    return true;
}
