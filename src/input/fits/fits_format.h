/* fits_format.h: the calls of FITS. */
#ifndef GSI_FITS_FORMAT_H
#define GSI_FITS_FORMAT_H

#include "input/format/format.h"

extern const struct gsi_format gsi_fits_format;

#endif
