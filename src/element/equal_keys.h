/* equal_keys.h: elements of a stream whose key is that of the one before them. Of numbers equal
 * keys are equal bits, of raw elements as of sort keys, for the map between them is a bijection.
 * Pure; any thread. */
#ifndef GSI_EQUAL_KEYS_H
#define GSI_EQUAL_KEYS_H

#include "element/layout.h"

/* gsi_equal_keys_count: of `n` elements that lie one after the other, those whose key is that of
 * the one before them; the first one is compared with nothing. */
uint64_t gsi_equal_keys_count(const struct gsi_layout *layout, const void *elements, size_t n);

/* gsi_equal_keys_first: the first such element; n: there is none. */
size_t gsi_equal_keys_first(const struct gsi_layout *layout, const void *elements, size_t n);

#endif
