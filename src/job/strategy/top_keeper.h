/* top_keeper.h: reads everything once and keeps the first elements in order.
 *
 *   scan of the inputs: device: tally -> find candidates, on a thread -> join
 *                                                                         |
 *                     candidates [ .. most .. | .. room ]  full: cut, on a thread -> a new bound
 *
 * The bound is chosen so that at least `most` of the elements joined so far are not above it. So an
 * element that is not below the bound cannot be among the first of all. The buffers that follow are
 * compared with the bound, and nearly all of them have nothing to join. */
#ifndef GSI_TOP_KEEPER_H
#define GSI_TOP_KEEPER_H

#include "device/candidates.h"
#include "job/job.h"

struct gsi_top_keeper {
    struct gsi_job *job;
    uint64_t most, room;
    struct gsi_candidates kept;
    uint8_t *memory;             /* of candidates and bounds */
    uint8_t *bound, *next_bound; /* the latter belongs to the task while it cuts */
    bool has_bound;
    uint8_t *buffer_bounds; /* a copy for each buffer: the bound may change while it is compared */
    struct gsi_task task;   /* a cut, or the sort at the end */
    bool is_busy;           /* the task runs, and `kept` belongs to it */
    uint64_t seen_count;    /* elements that were compared */
};

/* gsi_top_keeper_init: makes a keeper for what the plan says about --top.
 * fails GS_E_MEMORY */
enum gs_status gsi_top_keeper_init(struct gsi_top_keeper *keeper, struct gsi_job *job);
void gsi_top_keeper_clear(
    struct gsi_top_keeper *keeper); /* also zeroed ones; nothing may be in flight */

/* gsi_top_keeper_run: reads everything. Then keeper->kept is what the output will be, in order. */
enum gs_status gsi_top_keeper_run(struct gsi_top_keeper *keeper);

#endif
