/* first_n.h: lets the first elements of a merge's output pass, then stops the merge. */
#ifndef GSI_FIRST_N_H
#define GSI_FIRST_N_H

#include "merge/merger.h"

struct gsi_first_n {
    struct gsi_merger *merger;
    uint64_t left_bytes; /* that may still pass */
};

/* gsi_first_n_link: a link for windows of raw elements. A window passes whole, or shortened, with a
 * new imprint, or not at all; then it goes back to its set. */
struct gsi_link gsi_first_n_link(struct gsi_first_n *first_n);

#endif
