/* plain_real.h: parses numbers of files and options with a decimal point, whatever the program's
 * locale is. */
#ifndef GSI_PLAIN_REAL_H
#define GSI_PLAIN_REAL_H

#include <stdbool.h>

/* gsi_plain_real, gsi_plain_long_real: read a number as strtod and strtold do in the locale "C".
 * out   end: the end of the number; value: the number; only if they return true
 * Return false if there is no memory. Any thread. */
bool gsi_plain_real(const char *text, char **end, double *value);
bool gsi_plain_long_real(const char *text, char **end, long double *value);

#endif
