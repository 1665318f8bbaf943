/* plan_room.h: computes how many data bytes a buffer holds. Numbers fill it. Records leave room for
 * tags, and chunks and frames hold a power of two of them. */
#ifndef GSI_PLAN_ROOM_H
#define GSI_PLAN_ROOM_H

#include "element/record/record_room.h"
#include "plan/plan.h"
#include "run/frame.h"

/* Return the data bytes that fit in a chunk, a frame and a window of that many bytes. */
static inline uint64_t gsi_plan_chunk_room(const struct gsi_plan *plan, uint64_t chunk_bytes)
{
    uint32_t record = plan->record_bytes;
    return record == 0 ? chunk_bytes : gsi_record_room_power(record, chunk_bytes) * record;
}

static inline uint64_t gsi_plan_frame_room(const struct gsi_plan *plan, uint64_t frame_bytes)
{
    uint32_t record = plan->record_bytes;
    return record == 0 ? frame_bytes - GSI_FRAME_HEADER_BYTES
                       : gsi_record_room_power(record, frame_bytes) * record;
}

/* Returns the data bytes of a run, except the last. */
static inline uint64_t gsi_plan_run_room(const struct gsi_plan *plan)
{
    return gsi_plan_chunk_room(plan, plan->chunk_bytes) * plan->chunks_per_run;
}

static inline uint64_t gsi_plan_window_room(const struct gsi_plan *plan, uint64_t window_bytes)
{
    uint32_t record = plan->record_bytes;
    return record == 0 ? window_bytes : gsi_record_room(record, window_bytes) * record;
}

/* Candidates of --top are stored at the beginning of their memory; then their tags, if they are
 * records; then two bounds, and one for each buffer. */
static inline uint64_t gsi_plan_top_tags_off(const struct gsi_plan *plan, uint32_t element_bytes)
{
    return gsi_round_up_u64(plan->top_room * element_bytes, 64);
}

static inline uint64_t gsi_plan_top_bounds_off(const struct gsi_plan *plan, uint32_t element_bytes)
{
    uint64_t tags_off = gsi_plan_top_tags_off(plan, element_bytes);
    return plan->record_bytes == 0 ? tags_off : tags_off + plan->top_room * GSI_TAG_BYTES;
}

#endif
