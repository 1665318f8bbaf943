/* plain_real.h: numbers that files and options have with a decimal point, whatever the locale of
 * the program that uses the library. */
#ifndef GSI_PLAIN_REAL_H
#define GSI_PLAIN_REAL_H

#include <stdbool.h>

/* gsi_plain_real, gsi_plain_long_real: read a number as strtod and strtold do in the locale "C".
 * out   end: behind it; value: unless false is returned
 * Returns false: there is no memory. Any thread. */
bool gsi_plain_real(const char *text, char **end, double *value);
bool gsi_plain_long_real(const char *text, char **end, long double *value);

#endif
