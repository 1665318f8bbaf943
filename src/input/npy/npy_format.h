/* npy_format.h: the calls of .npy. With --count the elements written are structures that end with a
 * field "count"; elements that were no structures become the field "value" of one. */
#ifndef GSI_NPY_FORMAT_H
#define GSI_NPY_FORMAT_H

#include "input/format/format.h"

extern const struct gsi_format gsi_npy_format;

#endif
