/* key_below.h: selects elements below a bound, at the speed of memory. --top scans the whole input
 * with it. */
#ifndef GSI_KEY_BELOW_H
#define GSI_KEY_BELOW_H

#include "element/layout.h"

/* gsi_keys_below: writes the sort keys of the elements among `n` that are below `bound`, in input
 * order. Returns how many. If few are below, it costs little more than reading. Any thread.
 * in    bound: a sort key; NULL: all are below it
 * out   keys: may be the same memory as `elements` */
size_t gsi_keys_below(const struct gsi_layout *layout, const void *elements, size_t n,
                      const void *bound, void *keys);

/* gsi_keys_partition: moves the sort keys below `bound` before the others. Neither part is in
 * order. Returns how many are below it. */
size_t gsi_keys_partition(uint32_t key_bytes, void *keys, size_t n, const void *bound);

#endif
