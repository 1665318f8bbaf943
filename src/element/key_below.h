/* key_below.h: which elements come before a bound, at the speed of memory: what --top passes over
 * everything with. */
#ifndef GSI_KEY_BELOW_H
#define GSI_KEY_BELOW_H

#include "element/layout.h"

/* gsi_keys_below: the sort keys of those of `n` numbers that are below `bound`, in the order of the
 * numbers.
 * in    bound: a sort key; NULL: all are below it
 * out   keys: may be the same memory as `elements`; returns how many
 * owns  nothing; any thread. Few are taken to be below: then it costs little more than reading. */
size_t gsi_keys_below(const struct gsi_layout *layout, const void *elements, size_t n,
                      const void *bound, void *keys);

/* gsi_keys_partition: `n` sort keys of `key_bytes`, those below `bound` before the others, in no
 * order. Returns how many are below it. */
size_t gsi_keys_partition(uint32_t key_bytes, void *keys, size_t n, const void *bound);

#endif
