/* formats.c: the table of formats. */
#include "input/format/format.h"
#include "input/npy/npy_format.h"

const struct gsi_format *const gsi_formats[] = {&gsi_npy_format, NULL};
