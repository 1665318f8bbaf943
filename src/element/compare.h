/* compare.h: the order of two raw elements. */
#ifndef GSI_COMPARE_H
#define GSI_COMPARE_H

#include "element/layout.h"

/* gsi_compare: negative: `a` comes first; 0: their keys are equal; positive: `b` does. Elements may
 * lie at any address. Pure; any thread. */
int gsi_compare(const struct gsi_layout *layout, const void *a, const void *b);

#endif
