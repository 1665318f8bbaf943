/* plan_top.c: plans --top in one pass, and decides whether that is possible.
 *
 *     arena [ buffer ][ buffer ] .. for reads and comparisons, then for windows
 *     beside [ candidates .. ][ tags, of records ][ bounds ]
 *
 * Memory holds twice as many candidates as remain after a cut, which removes all above a new bound.
 * With this memory, a candidate passes at most two cuts on average. Everything is sorted instead if
 * so many candidates do not fit. If most elements are candidates and all fit in memory, a sort is
 * faster, because all threads work. */
#include "base/checked.h"
#include "device/candidates.h"
#include "plan/plan.h"
#include "plan/plan_parts.h"

/* Least memory for candidates: with less memory, cuts are too frequent. Each cut moves a task to
 * another thread and back. */
#define CANDIDATES_MIN_BYTES ((uint64_t)64 << 10)

/* --top is small if it wants at most an eighth of the input. */
#define SMALL_TOP_PART 8

/* With --unique, --top counts each key once, so equal keys must be adjacent first. So everything is
 * sorted. */
static bool can_use_candidates(const struct gsi_plan_request *request)
{
    return request->has_top && !request->spill_all && !request->is_unique;
}

bool gsi_plan_is_small_top(const struct gsi_plan_request *request)
{
    return can_use_candidates(request) &&
           gsi_mul_max_u64(request->top_count, request->element_bytes) <=
               request->input_bytes / SMALL_TOP_PART;
}

/* Computes for how many candidates there must be memory. Returns false on overflow. */
static bool candidate_count(const struct gsi_plan_request *request, uint64_t *count)
{
    uint64_t bytes = request->element_bytes;
    uint64_t all = request->input_bytes / bytes; /* for a stream: more than there can be */
    uint64_t most = gsi_min_u64(request->top_count, all);
    uint64_t least = gsi_max_u64(1, CANDIDATES_MIN_BYTES / bytes);
    return gsi_mul_u64(2, gsi_candidates_after_cut(most), count) &&
           (*count = gsi_max_u64(*count, least)) > 0;
}

bool gsi_plan_top(const struct gsi_plan_request *request, struct gsi_plan *plan, uint64_t usable)
{
    uint32_t bytes = request->element_bytes;
    uint32_t tag_bytes = plan->record_bytes > 0 ? GSI_TAG_BYTES : 0;
    struct gsi_plan top = *plan;
    uint64_t data;
    if (!can_use_candidates(request) || !candidate_count(request, &top.top_room) ||
        !gsi_mul_u64(top.top_room, bytes + tag_bytes, &data) || data > usable)
        return false;
    gsi_plan_read_buffers(request, &top, (usable - data) / 2);
    top.top_bytes = gsi_round_up_u64(gsi_plan_top_bounds_off(&top, bytes) +
                                         (top.window_count + 2) * (uint64_t)bytes,
                                     GSI_PLAN_UNIT);
    if (top.top_bytes + top.arena_bytes > usable)
        return false;
    *plan = top;
    return true;
}
