/* first_n.h: lets the first elements of a merge's output pass, and then stops the merge. */
#ifndef GSI_FIRST_N_H
#define GSI_FIRST_N_H

#include "merge/merger.h"

struct gsi_first_n {
    struct gsi_merger *merger;
    uint64_t left_bytes; /* that may still pass */
};

/* gsi_first_n_begin: the merge has begun; if nothing may pass, that was all. */
void gsi_first_n_begin(const struct gsi_first_n *first_n);

/* gsi_first_n_link: a window of raw elements passes whole, shortened and with a new imprint, or not
 * at all; then it goes back to its set. */
struct gsi_link gsi_first_n_link(struct gsi_first_n *first_n);

#endif
