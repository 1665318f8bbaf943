/* plan_rings.h: computes the rings through which runs kept in host memory return to the device.
 *
 *     run on the host   [ piece ][ piece ][ piece ] ..
 *                            \        \
 *     on the device     [ piece ][ piece ][ .. ]       its ring: pieces in turn, as they are merged
 *
 * The rings use the slots that the last runs have left free, GSI_PLAN_CYCLE_RUNS of them, and with
 * numbers also the spare that sorts use. A merge of any data can continue if each ring holds a
 * window and two pieces. The run with the lowest bound then has a full ring below that bound,
 * except for the piece that is being merged. */
#ifndef GSI_PLAN_RINGS_H
#define GSI_PLAN_RINGS_H

#include "plan/plan.h"

/* Slots of runs that are arriving, or leaving for the host. */
#define GSI_PLAN_CYCLE_RUNS 2u

/* gsi_plan_member: returns the plan of one of several devices that work as one: it has a part of
 * each run. */
static inline struct gsi_plan gsi_plan_member(const struct gsi_plan *plan)
{
    struct gsi_plan member = *plan;
    uint64_t count = gsi_max_u64(1, plan->device_count);
    member.chunks_per_run = (uint32_t)gsi_max_u64(1, plan->chunks_per_run / count);
    member.device_run_bytes = plan->device_run_bytes / count;
    member.host_bytes = plan->host_bytes / count;
    return member;
}

/* gsi_plan_ring_piece_bytes: returns the data bytes of a piece; for records, those of a frame. */
static inline uint64_t gsi_plan_ring_piece_bytes(const struct gsi_plan *plan)
{
    return plan->record_bytes == 0 ? plan->frame_bytes
                                   : gsi_plan_frame_room(plan, plan->frame_bytes);
}

/* gsi_plan_ring_pieces: returns how many pieces a ring has, if `runs` share `memories`, each the
 * memory of a run.
 * gsi_plan_ring_least: returns the least number of pieces: with fewer a merge might get stuck. The
 * plan provides two more, to keep the link busy and to allow for shorter pieces. */
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

/* gsi_plan_ring_memories: returns how many runs' memories are free, at least, after the last run
 * has arrived. */
static inline uint64_t gsi_plan_ring_memories(const struct gsi_plan *plan)
{
    return plan->record_bytes == 0 ? GSI_PLAN_CYCLE_RUNS + 1 : GSI_PLAN_CYCLE_RUNS;
}

/* gsi_plan_runs_kept: returns the most runs that can wait for the last merge in the device's own
 * memory and in host memory. */
static inline uint64_t gsi_plan_runs_kept(const struct gsi_plan *plan)
{
    return plan->host_runs == 0 ? plan->device_runs
                                : plan->device_runs - GSI_PLAN_CYCLE_RUNS + plan->host_runs;
}

#endif
