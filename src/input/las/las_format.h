/* las_format.h: the calls of LAS. */
#ifndef GSI_LAS_FORMAT_H
#define GSI_LAS_FORMAT_H

#include "input/format/format.h"

extern const struct gsi_format gsi_las_format;

#endif
