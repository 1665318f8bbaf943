/* bracket.h: finds elements of given ranks among many in no order, in little memory: keys in a few
 * brackets are kept, all others are only counted.
 *
 *     keys   .. below .. | low | .. inside, kept .. | high | .. above ..
 *
 * With the counts of one pass the rank of each key in a bracket is known. Keys that equal a border
 * are counted and not kept: so a value that is there very often, which is then the border of some
 * bracket, takes no memory. What is inside and does not fit is thinned out: every second key stays,
 * then every fourth, ..; from these a narrower bracket is made for the next pass.
 *
 * Keys are ascending ones (key_order.h) of 4, 8 or 16 bytes. Pure; a list belongs to one thread. */
#ifndef GSI_BRACKET_H
#define GSI_BRACKET_H

#include "base/u128.h"
#include "element/layout.h"

#include <stddef.h>

struct gsi_bracket {
    gsi_u128 low, high;
};

/* What lies where; sums of several counts are those of all their keys. */
struct gsi_bracket_counts {
    uint64_t below, at_low, inside, at_high; /* at_high: 0 if that is low, too */
};

/* gsi_brackets_scan: turns `n` raw numbers of `layout`, an ascending one, into keys at `keys`
 * (which may be where they are), and moves those that are inside a bracket to the front. Returns
 * how many these are. Brackets may overlap; adds to counts[count]. */
size_t gsi_brackets_scan(const struct gsi_layout *layout, const void *numbers, void *keys, size_t n,
                         const struct gsi_bracket *brackets, struct gsi_bracket_counts *counts,
                         size_t count);

/* Keys inside a bracket: every stride-th of those that came. */
struct gsi_bracket_list {
    uint8_t *keys; /* borrowed */
    uint32_t key_bytes;
    size_t room, count;
    uint64_t stride, skipped;
};

/* gsi_bracket_list_add: adds those of `n` keys that are inside.
 * gsi_bracket_key: key number i of a table of keys. */
void gsi_bracket_list_add(struct gsi_bracket_list *list, const struct gsi_bracket *bracket,
                          const void *keys, size_t n);
gsi_u128 gsi_bracket_key(const void *keys, uint32_t key_bytes, size_t i);

#endif
