/* plain_real.c: strtod, by a locale of its own. */
#include "base/plain_real.h"

#include <fenv.h>
#include <locale.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

bool gsi_plain_real(const char *text, char **end, double *value)
{
    locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (plain == (locale_t)0)
        return false;
    *value = strtod_l(text, end, plain);
    freelocale(plain);
    return true;
}

bool gsi_plain_long_real(const char *text, char **end, long double *value)
{
    locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (plain == (locale_t)0)
        return false;
    *value = strtold_l(text, end, plain);
    freelocale(plain);
    return true;
}

bool gsi_plain_odd_real(const char *text, char **end, double *value)
{
    double below = 0, above = 0;
    uint64_t bits;
    int before = fegetround();
    fesetround(FE_DOWNWARD);
    bool is_read = gsi_plain_real(text, end, &below);
    fesetround(FE_UPWARD);
    is_read = is_read && gsi_plain_real(text, end, &above);
    fesetround(before);
    if (!is_read)
        return false;
    memcpy(&bits, &below, sizeof bits);
    *value = (bits & 1) != 0 || below == above ? below : above;
    return true;
}
