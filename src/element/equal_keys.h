/* equal_keys.h: elements of a stream whose key equals that of the element before them. For numbers,
 * equal keys are equal bits, both of raw elements and of sort keys, because the map between them is
 * a bijection. Pure; any thread. */
#ifndef GSI_EQUAL_KEYS_H
#define GSI_EQUAL_KEYS_H

#include "element/layout.h"

/* gsi_equal_keys_count: counts such elements among `n` that lie one after the other. The first is
 * compared with nothing. */
uint64_t gsi_equal_keys_count(const struct gsi_layout *layout, const void *elements, size_t n);

/* gsi_equal_keys_first: the index of the first such element; n: there is none. */
size_t gsi_equal_keys_first(const struct gsi_layout *layout, const void *elements, size_t n);

#endif
