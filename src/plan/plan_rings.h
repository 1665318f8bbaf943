/* plan_rings.h: computes the sizes of ring buffers on the device, through which a merge reads runs
 * from host memory.
 *
 *     run on the host   [ piece ][ piece ][ piece ] ..
 *                            \        \
 *     on the device     [ piece ][ piece ][ .. ]       its ring; new pieces replace merged ones
 *
 * The device's memory is divided into slots for one run each. After the last run has left,
 * GSI_PLAN_TRANSFER_SLOTS slots are free and contain the rings. With numbers, rings also use the
 * spare slot of sorts. A merge cannot get stuck if each ring contains a window and two pieces. */
#ifndef GSI_PLAN_RINGS_H
#define GSI_PLAN_RINGS_H

#include "plan/plan.h"

/* Number of slots for runs that are being copied to the device or from it to the host. */
#define GSI_PLAN_TRANSFER_SLOTS 2u

/* gsi_plan_for_one_device: returns the plan for each of plan->device_count devices that work as
 * one. Each device has an equal part of each run. */
static inline struct gsi_plan gsi_plan_for_one_device(const struct gsi_plan *plan)
{
    struct gsi_plan member = *plan;
    uint64_t count = gsi_max_u64(1, plan->device_count);
    member.chunks_per_run = (uint32_t)gsi_max_u64(1, plan->chunks_per_run / count);
    member.device_run_bytes = plan->device_run_bytes / count;
    member.host_bytes = plan->host_bytes / count;
    return member;
}

/* gsi_plan_ring_piece_bytes: returns the bytes of elements in a piece, which has the size of a
 * frame. */
static inline uint64_t gsi_plan_ring_piece_bytes(const struct gsi_plan *plan)
{
    return plan->record_bytes == 0 ? plan->frame_bytes
                                   : gsi_plan_frame_capacity(plan, plan->frame_bytes);
}

/* gsi_plan_ring_pieces: returns how many pieces a ring has, if the rings of `runs` runs share
 * `memories` slots.
 * gsi_plan_least_ring_pieces: returns the number of pieces below which a merge might get stuck. The
 * plan provides two more, to keep the link busy, and because some pieces may be shorter. */
static inline uint64_t gsi_plan_ring_pieces(const struct gsi_plan *plan, uint64_t runs,
                                            uint64_t memories)
{
    uint64_t rings = gsi_max_u64(1, gsi_ceil_div_u64(runs, memories));
    return gsi_plan_run_capacity(plan) / rings / gsi_plan_ring_piece_bytes(plan);
}

static inline uint64_t gsi_plan_least_ring_pieces(const struct gsi_plan *plan)
{
    return gsi_ceil_div_u64(gsi_plan_window_capacity(plan, plan->window_bytes),
                            gsi_plan_ring_piece_bytes(plan)) +
           2;
}

/* gsi_plan_free_run_slots: returns how many slots are free for rings after the last run was
 * read. */
static inline uint64_t gsi_plan_free_run_slots(const struct gsi_plan *plan)
{
    return plan->record_bytes == 0 ? GSI_PLAN_TRANSFER_SLOTS + 1 : GSI_PLAN_TRANSFER_SLOTS;
}

/* gsi_plan_most_kept_runs: returns how many runs the device's memory and host memory can keep for
 * the last merge. */
static inline uint64_t gsi_plan_most_kept_runs(const struct gsi_plan *plan)
{
    return plan->host_runs == 0 ? plan->device_runs
                                : plan->device_runs - GSI_PLAN_TRANSFER_SLOTS + plan->host_runs;
}

#endif
