/* plan_in_order.c: plans one pass for nearly sorted input (output/in_order.h): computes how much is
 * held back. */
#include "base/checked.h"
#include "plan/plan.h"
#include "plan/plan_parts.h"
#include "plan/plan_room.h"

uint64_t gsi_plan_low_chunks(const struct gsi_plan *plan, uint64_t chunks)
{
    return gsi_max_u64((uint64_t)plan->thread_count + 2, chunks / 4);
}

/* Sets late_bytes. Chunks that are partly written stay until they are written completely, so a
 * third of the chunks is left for them. */
void gsi_plan_in_order(const struct gsi_plan_request *request, struct gsi_plan *plan)
{
    uint64_t region = plan->arena_bytes - gsi_plan_window_region(plan);
    uint64_t chunks = region / gsi_max_u64(plan->chunk_bytes, 1);
    uint64_t low = gsi_plan_low_chunks(plan, chunks);
    if (!request->may_write_early || plan->spilled_runs == 0 || chunks <= low + 2)
        return;
    uint64_t held = (chunks - low) * 2 / 3 * gsi_plan_chunk_room(plan, plan->chunk_bytes);
    if (held >= 2 * plan->window_bytes)
        plan->late_bytes = held;
}
