/* float_text.h: floats of every type as decimal text, and back. Always with a decimal point,
 * whatever the locale. */
#ifndef GSI_FLOAT_TEXT_H
#define GSI_FLOAT_TEXT_H

#include "element/number_type.h"

#include <stdbool.h>

#define GSI_FLOAT_TEXT_BYTES 48

/* gsi_float_text: writes the shortest text that reads back as x, a number of this type, in the
 * notation of Python's repr but without ".0": 0.0001, 1000, 1e+16. Every NaN is "nan".
 * in    part: one of the kinds of floats */
void gsi_float_text(char text[GSI_FLOAT_TEXT_BYTES], double x, enum gsi_part_kind part);

/* gsi_float_parse: reads a number as strtod does in the locale "C".
 * out   end: after it; value: the nearest number of this type, rounded once; infinite beyond it
 * Returns false: there is no memory. */
bool gsi_float_parse(const char *text, char **end, enum gsi_part_kind part, double *value);

#endif
