/* first_n.h: lets the first elements of a merge's output pass, and then stops the merge. */
#ifndef GSI_FIRST_N_H
#define GSI_FIRST_N_H

#include "merge/merger.h"

struct gsi_first_n {
    struct gsi_merger *merger;
    uint64_t left_bytes; /* that may still pass */
    void (*deliver)(void *context, struct gsi_buffer *window);
    void *context;
};

/* gsi_first_n_make: `bytes` of elements pass, to `deliver`. Everything is borrowed. */
struct gsi_first_n gsi_first_n_make(struct gsi_merger *merger, uint64_t bytes,
                                    void (*deliver)(void *context, struct gsi_buffer *window),
                                    void *context);

/* gsi_first_n_begin: the merge has begun; if nothing may pass, that was all. */
void gsi_first_n_begin(struct gsi_first_n *limit);

/* gsi_first_n_take: what the merger delivers to (context: the limit): a window of raw elements passes
 * whole, shortened and with a new imprint, or not at all; then it goes back to its set. */
void gsi_first_n_take(void *context, struct gsi_buffer *window);

#endif
