/* key_below.h: which elements come before a bound, at the speed of memory. --top passes over the
 * whole input with it. */
#ifndef GSI_KEY_BELOW_H
#define GSI_KEY_BELOW_H

#include "element/layout.h"

/* gsi_keys_below: writes the sort keys of those numbers, of `n`, that are below `bound`, in the
 * order of the numbers. Returns how many.
 * in    bound: a sort key; NULL: all are below it
 * out   keys: may be the same memory as `elements`
 * owns  nothing; any thread. If few are below, it costs little more than reading. */
size_t gsi_keys_below(const struct gsi_layout *layout, const void *elements, size_t n,
                      const void *bound, void *keys);

/* gsi_keys_partition: moves those of `n` sort keys that are below `bound` before the others, each
 * part in no order. Returns how many are below it. */
size_t gsi_keys_partition(uint32_t key_bytes, void *keys, size_t n, const void *bound);

#endif
