/* text.c: parses numbers by strtod_l in the locale "C". */
#include "base/text.h"

#include <locale.h>
#include <stdlib.h>

bool gsi_parse_double(const char *text, char **end, double *value)
{
    locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (plain == (locale_t)0)
        return false;
    *value = strtod_l(text, end, plain);
    freelocale(plain);
    return true;
}

bool gsi_parse_long_double(const char *text, char **end, long double *value)
{
    locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (plain == (locale_t)0)
        return false;
    *value = strtold_l(text, end, plain);
    freelocale(plain);
    return true;
}
