/* groups.h: the first element of each group of equal keys in a sorted stream and, if asked for, how
 * many elements the group has. The stream comes in pieces; a group may go on in the next one.
 *
 *     pieces        a a a b c c | c c c d
 *     out           a b c       | d
 *     with counts   a3 b1       | c5, and d1 at the end     (a count is a u64, little endian)
 */
#ifndef GSI_GROUPS_H
#define GSI_GROUPS_H

#include "base/memory.h"
#include "element/layout.h"

struct gsi_groups {
    const struct gsi_layout *layout; /* borrowed */
    struct gsi_ledger *ledger;
    bool has_counts;
    uint64_t count;      /* of groups so far */
    uint64_t last_count; /* of elements in the last one so far */
    uint8_t *last;       /* its first element */
};

enum gs_status gsi_groups_init(struct gsi_groups *groups, const struct gsi_layout *layout,
                               bool has_counts, struct gsi_ledger *ledger, struct gs_error *error);
void gsi_groups_clear(struct gsi_groups *groups); /* also zeroed ones */

/* gsi_groups_entry_bytes: what a group takes in the output. */
uint64_t gsi_groups_entry_bytes(uint32_t element_bytes, bool has_counts);

/* gsi_groups_add: the next `n` raw elements of the stream. Returns the bytes put at `out`, which
 * has room for `n` entries and lies elsewhere. */
size_t gsi_groups_add(struct gsi_groups *groups, const void *elements, size_t n, uint8_t *out);

/* gsi_groups_end: nothing follows; puts what was held back, an entry at most. Returns its bytes. */
size_t gsi_groups_end(struct gsi_groups *groups, uint8_t *out);

#endif
