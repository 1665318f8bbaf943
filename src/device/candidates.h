/* candidates.h: elements that may be among the first of all, kept in one piece of memory: numbers
 * as sort keys, records as they are.
 *
 *     find    raw elements   7 3 9 1 8 2, bound 8  ->  candidates 7 3 1 2     in place
 *     join    behind others  5 6 | 7 3 1 2
 *     cut     first 4        1 2 3 5, bound 5: what is not below it later on is none of the first
 *     sort, copy             .. into windows
 *
 * As long as pieces are joined in the order of the input, candidates with equal keys stand in that
 * order. So a record that equals the bound and comes later is none of the first either.
 *
 * `fingerprint` (as in tally.h) is that of everything found, less what was cut off. It is kept up
 * as elements come and go, not computed from what is there; so it tells whether any was lost. */
#ifndef GSI_CANDIDATES_H
#define GSI_CANDIDATES_H

#include "base/checked.h"
#include "device/device.h"

struct gsi_candidates {
    const struct gsi_layout *layout;
    uint8_t *data;  /* aligned as sort keys are; at least as raw elements, of records */
    gsi_u128 *tags; /* of records: room for as many; what is in there has a meaning after a sort */
    uint64_t count;
    gsi_u128 fingerprint;
};

/* gsi_candidates_find: keeps those of `n` raw elements at data that are below `bound` (a sort key,
 * or a record; NULL: all are). */
void gsi_candidates_find(struct gsi_candidates *candidates, uint64_t n, const void *bound);

/* gsi_candidates_join: append a piece; there is room. */
void gsi_candidates_join(struct gsi_candidates *candidates, const struct gsi_candidates *piece);

/* gsi_candidates_cut: keep the first `most` in order, 0 < most <= count, and of numbers perhaps a
 * few more, gsi_candidates_after_cut(most) at most.
 * out   bound, of element_bytes: what is not below it, and comes later, is none of the first; may
 *       not lie among the candidates */
void gsi_candidates_cut(struct gsi_candidates *candidates, uint64_t most, uint8_t *bound);

static inline uint64_t gsi_candidates_after_cut(uint64_t most)
{
    return gsi_add_max_u64(most, most / 4);
}

/* gsi_candidates_sort: puts them in order, for copy, and keeps `most` at most.
 * gsi_candidates_copy: copies as many as fit, from `first` on, into a window: as raw elements, with
 * their imprint. */
void gsi_candidates_sort(struct gsi_candidates *candidates, uint64_t most);
void gsi_candidates_copy(const struct gsi_candidates *candidates, uint64_t first,
                         struct gsi_buffer *window);

#endif
