/* bracket.h: finds elements of given ranks in unsorted data, in little memory: it keeps the keys in
 * a few brackets and only counts all others.
 *
 *     keys   .. below .. | low | .. inside, kept .. | high | .. above ..
 *
 * The counts of one pass determine the rank of each key in a bracket. Keys that equal a border are
 * counted and not kept. So a very frequent value, which is then the border of a bracket, needs no
 * memory. If the keys inside do not fit, every second key is kept, then every fourth, and so on. A
 * narrower bracket for the next pass is computed from these keys.
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

/* Counts of keys by place. Counts of several ranges of keys can be added. */
struct gsi_bracket_counts {
    uint64_t below, at_low, inside, at_high; /* at_high: 0 if that is low, too */
};

/* gsi_brackets_scan: converts `n` raw numbers to keys at `keys`, which may be the same memory, and
 * moves the keys inside a bracket to the front. Returns how many these are, and adds to
 * counts[count]. Brackets may overlap. `layout` is ascending. */
size_t gsi_brackets_scan(const struct gsi_layout *layout, const void *numbers, void *keys, size_t n,
                         const struct gsi_bracket *brackets, struct gsi_bracket_counts *counts,
                         size_t count);

/* Keys inside a bracket: every stride-th of the keys that were added. */
struct gsi_bracket_list {
    uint8_t *keys; /* borrowed */
    uint32_t key_bytes;
    size_t room, count;
    uint64_t stride, skipped;
};

/* gsi_bracket_list_add: adds the keys among `n` that are inside the bracket.
 * gsi_bracket_key: returns key number i of a table of keys. */
void gsi_bracket_list_add(struct gsi_bracket_list *list, const struct gsi_bracket *bracket,
                          const void *keys, size_t n);
gsi_u128 gsi_bracket_key(const void *keys, uint32_t key_bytes, size_t i);

#endif
