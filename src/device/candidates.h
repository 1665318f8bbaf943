/* candidates.h: keeps elements that may be among the first of all, in one block of memory: numbers
 * as sort keys, records as they are.
 *
 *     find    raw elements   7 3 9 1 8 2, bound 8  ->  candidates 7 3 1 2     in place
 *     join    after others   5 6 | 7 3 1 2
 *     cut     first 4        1 2 3 5, bound 5: later elements not below it are not among the first
 *     sort, copy             .. into windows
 *
 * As long as pieces are joined in the order of the input, candidates with equal keys keep that
 * order. So a later record that equals the bound is not among the first either.
 *
 * `fingerprint` (as in tally.h) is the fingerprint of everything found, minus everything cut off.
 * It is updated as elements are added and removed, not computed from the elements present. So it
 * shows whether any element was lost. */
#ifndef GSI_CANDIDATES_H
#define GSI_CANDIDATES_H

#include "base/checked.h"
#include "device/device.h"

struct gsi_candidates {
    const struct gsi_layout *layout;
    uint8_t *data;  /* aligned as sort keys are; for records, at least as raw elements */
    gsi_u128 *tags; /* of records: room for as many; only meaningful after a sort */
    uint64_t count;
    gsi_u128 fingerprint;
};

/* gsi_candidates_find: keeps those of `n` raw elements at data that are below `bound`. The bound is
 * a sort key or a record; NULL keeps all elements. Sets `count` and `fingerprint`. */
void gsi_candidates_find(struct gsi_candidates *candidates, uint64_t n, const void *bound);

/* gsi_candidates_join: appends a piece; the caller has checked that there is room. */
void gsi_candidates_join(struct gsi_candidates *candidates, const struct gsi_candidates *piece);

/* gsi_candidates_cut: keeps the first `most` elements in the sort order, 0 < most <= count. It may
 * keep a few more numbers, at most gsi_candidates_after_cut(most).
 * out   bound, of element_bytes: a later element that is not below it is not among the first; it
 *       must not overlap the candidates */
void gsi_candidates_cut(struct gsi_candidates *candidates, uint64_t most, uint8_t *bound);

static inline uint64_t gsi_candidates_after_cut(uint64_t most)
{
    return gsi_add_max_u64(most, most / 4);
}

/* gsi_candidates_sort_first: sorts the candidates, for fill, and keeps at most `most` of them.
 * gsi_candidates_fill: copies as many as fit, from `first` on, into a window: as raw elements, with
 * their digest. */
void gsi_candidates_sort_first(struct gsi_candidates *candidates, uint64_t most);
void gsi_candidates_fill(const struct gsi_candidates *candidates, uint64_t first,
                         struct gsi_buffer *window);

#endif
