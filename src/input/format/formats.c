/* formats.c: the table of formats. */
#include "input/fits/fits_format.h"
#include "input/format/format.h"
#include "input/las/las_format.h"
#include "input/npy/npy_format.h"

const struct gsi_format *const gsi_formats[] = {&gsi_npy_format, &gsi_las_format, &gsi_fits_format,
                                                NULL};
