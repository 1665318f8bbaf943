/* plan_top.c: plans --top in one pass, and decides whether that is possible.
 *
 *     arena  [ buffer ][ buffer ] ..       read into, compared in; at the end windows
 *     beside [ candidates .. ][ tags, of records ][ bounds ]
 *
 * There is room for twice as many candidates as a cut leaves. Then each candidate passes at most
 * two cuts, on average, and the elements found in a buffer fit after the remaining ones. If not so
 * many fit, everything is sorted. If most of the input would be candidates and all of it fits,
 * sorting it in all threads is faster. */
#include "base/checked.h"
#include "device/candidates.h"
#include "plan/plan.h"
#include "plan/plan_parts.h"

/* Fewer candidates than this are cut too often: computing a bound moves a task to another thread
 * and back. */
#define LEAST_BYTES ((uint64_t)64 << 10)

/* More than this part of the input counts as much. */
#define MUCH_PART 8

/* With --unique only one of equal keys counts, so equal keys must be together first. */
static bool is_possible(const struct gsi_plan_request *request)
{
    return request->has_top && !request->spill_all && !request->is_unique;
}

bool gsi_plan_top_is_little(const struct gsi_plan_request *request)
{
    return is_possible(request) && gsi_mul_max_u64(request->top_count, request->element_bytes) <=
                                       request->input_bytes / MUCH_PART;
}

/* Computes the number of candidates for the wanted elements; returns false on overflow. */
static bool room_of(const struct gsi_plan_request *request, uint64_t *room)
{
    uint64_t bytes = request->element_bytes;
    uint64_t all = request->input_bytes / bytes; /* for a stream: more than there can be */
    uint64_t most = gsi_min_u64(request->top_count, all);
    uint64_t least = gsi_max_u64(1, LEAST_BYTES / bytes);
    return gsi_mul_u64(2, gsi_candidates_after_cut(most), room) &&
           (*room = gsi_max_u64(*room, least)) > 0;
}

bool gsi_plan_top(const struct gsi_plan_request *request, struct gsi_plan *plan, uint64_t usable)
{
    uint32_t bytes = request->element_bytes;
    uint32_t tag_bytes = plan->record_bytes > 0 ? GSI_TAG_BYTES : 0;
    struct gsi_plan top = *plan;
    uint64_t data;
    if (!is_possible(request) || !room_of(request, &top.top_room) ||
        !gsi_mul_u64(top.top_room, bytes + tag_bytes, &data) || data > usable)
        return false;
    gsi_plan_reading(request, &top, (usable - data) / 2);
    top.top_bytes = gsi_round_up_u64(gsi_plan_top_bounds_off(&top, bytes) +
                                         (top.window_count + 2) * (uint64_t)bytes,
                                     GSI_PLAN_UNIT);
    if (top.top_bytes + top.arena_bytes > usable)
        return false;
    *plan = top;
    return true;
}
