/* plan_rings.h: how runs that a device keeps in host memory come back to it.
 *
 *     run on the host   [ piece ][ piece ][ piece ] ..
 *                            \        \
 *     on the device     [ piece ][ piece ][ .. ]       its ring: pieces in turn, as they are merged
 *
 * The rings take the slots that the last runs have left free, GSI_PLAN_CYCLE_RUNS of them, and with
 * numbers also the spare that sorts use. A merge of any data goes on if each ring holds a window
 * and two pieces: the run with the lowest bound has a full ring below that bound, but for the piece
 * that is being merged. */
#ifndef GSI_PLAN_RINGS_H
#define GSI_PLAN_RINGS_H

#include "plan/plan.h"
#include "plan/plan_room.h"

/* Slots of runs that are coming, or leaving for the host. */
#define GSI_PLAN_CYCLE_RUNS 2u

/* gsi_plan_member: the plan of one device, where several work as one: it has a part of each run. */
static inline struct gsi_plan gsi_plan_member(const struct gsi_plan *plan)
{
    struct gsi_plan member = *plan;
    uint64_t count = gsi_max_u64(1, plan->device_count);
    member.chunks_per_run = (uint32_t)gsi_max_u64(1, plan->chunks_per_run / count);
    member.device_run_bytes = plan->device_run_bytes / count;
    member.host_bytes = plan->host_bytes / count;
    return member;
}

/* gsi_plan_ring_piece_bytes: the data of a piece; of records, those of a frame. */
static inline uint64_t gsi_plan_ring_piece_bytes(const struct gsi_plan *plan)
{
    return plan->record_bytes == 0 ? plan->frame_bytes
                                   : gsi_plan_frame_room(plan, plan->frame_bytes);
}

/* gsi_plan_ring_pieces: how many pieces a ring has, if `runs` share `memories` of a run each.
 * gsi_plan_ring_least: with fewer pieces a merge might get stuck. The plan gives two more, so that
 * the link is busy, and that shorter pieces are enough, too. */
static inline uint64_t gsi_plan_ring_pieces(const struct gsi_plan *plan, uint64_t runs,
                                            uint64_t memories)
{
    uint64_t rings = gsi_max_u64(1, gsi_ceil_div_u64(runs, memories));
    return gsi_plan_run_room(plan) / rings / gsi_plan_ring_piece_bytes(plan);
}

static inline uint64_t gsi_plan_ring_least(const struct gsi_plan *plan)
{
    return gsi_ceil_div_u64(gsi_plan_window_room(plan, plan->window_bytes),
                            gsi_plan_ring_piece_bytes(plan)) +
           2;
}

/* gsi_plan_ring_memories: how many memories of a run are free, at least, once the last run is
 * there. */
static inline uint64_t gsi_plan_ring_memories(const struct gsi_plan *plan)
{
    return plan->record_bytes == 0 ? GSI_PLAN_CYCLE_RUNS + 1 : GSI_PLAN_CYCLE_RUNS;
}

/* gsi_plan_runs_kept: the most runs that wait for the last merge in a device with memory of its
 * own, in that and in host memory. */
static inline uint64_t gsi_plan_runs_kept(const struct gsi_plan *plan)
{
    return plan->host_runs == 0 ? plan->device_runs
                                : plan->device_runs - GSI_PLAN_CYCLE_RUNS + plan->host_runs;
}

#endif
