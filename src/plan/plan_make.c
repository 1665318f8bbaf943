/* plan_make.c: chooses which kind of plan a request gets, and limits the request's numbers so that
 * no sum or product overflows. */
#include "base/checked.h"
#include "plan/plan.h"
#include "plan/plan_parts.h"

#include <string.h>

/* Plans a sort. For a large --top, everything is sorted if it fits in memory; otherwise candidates
 * are kept (gsi_plan_top). */
static enum gs_status plan_sort(const struct gsi_plan_request *request, struct gsi_plan *plan,
                                uint64_t usable, struct gs_error *error)
{
    struct gsi_plan common = *plan;
    GSI_TRY(request->device_bytes > 0 ? gsi_plan_device(request, plan, usable, error)
                                      : gsi_plan_runs(request, plan, usable, error));
    if (request->device_bytes == 0)
        gsi_plan_one_pass(request, plan);
    if (plan->spilled_runs > 0 && gsi_plan_top(request, &common, usable))
        *plan = common;
    return GS_OK;
}

static uint64_t output_bytes(const struct gsi_plan_request *request)
{
    if (request->is_reduction)
        return 0;
    if (request->input_bytes == UINT64_MAX)
        return UINT64_MAX;
    uint64_t all = request->input_bytes + request->added_bytes;
    return request->has_top ? gsi_min_u64(all, request->top_bytes) : all;
}

/* Copies the request, and lowers numbers whose sums and products could overflow. */
static enum gs_status limit_request(const struct gsi_plan_request *request,
                                    struct gsi_plan_request *limited, struct gs_error *error)
{
    uint64_t most = GSI_PLAN_MOST_BYTES, input = request->input_bytes;
    if (input != UINT64_MAX && input > most && !request->is_reduction)
        return gsi_fail(error, GS_E_INPUT, 0,
                        "the input has %llu bytes; gsort sorts at most %llu (1 EiB) at once",
                        (unsigned long long)input, (unsigned long long)most);
    if (request->window_bytes > most)
        return gsi_plan_fail_window(request->window_bytes, error);
    *limited = *request;
    limited->memory_bytes = gsi_min_u64(request->memory_bytes, most);
    limited->chunk_bytes = gsi_min_u64(request->chunk_bytes, most);
    limited->device_bytes = gsi_min_u64(request->device_bytes, most);
    return GS_OK;
}

/* Fails if there are more runs, or buffers of the arena, than a 32-bit number can count. */
static enum gs_status check_counts(const struct gsi_plan *plan, struct gs_error *error)
{
    uint64_t buffers = plan->arena_bytes / gsi_min_u64(plan->chunk_bytes, plan->window_bytes);
    if (plan->frame_bytes > 0)
        buffers = gsi_max_u64(buffers, plan->arena_bytes / plan->frame_bytes);
    if (plan->run_count > UINT32_MAX)
        return gsi_fail(
            error, GS_E_USAGE, 0,
            "%llu runs exceed the limit of %u; raise --chunk, or give fewer inputs at a time",
            (unsigned long long)plan->run_count, UINT32_MAX);
    if (buffers > UINT32_MAX)
        return gsi_fail(
            error, GS_E_USAGE, 0,
            "%llu buffers exceed the limit of %u; raise --chunk or --window, or lower --memory",
            (unsigned long long)buffers, UINT32_MAX);
    return GS_OK;
}

static enum gs_status make_limited_plan(const struct gsi_plan_request *request,
                                        struct gsi_plan *plan, struct gs_error *error)
{
    uint64_t usable = 0;
    memset(plan, 0, sizeof *plan);
    plan->input_bytes = request->input_bytes;
    plan->output_bytes = output_bytes(request);
    plan->memory_bytes = request->memory_bytes;
    plan->record_bytes = request->record_bytes;
    plan->merge_kernel = request->device_bytes > 0 ? request->merge_kernel : GSI_MERGE_TILED;
    GSI_TRY(gsi_plan_windows(request, plan, &usable, error));
    plan->is_counted = request->is_counted;
    if (request->is_reduction || request->is_counted || request->is_permuted) {
        gsi_plan_read_buffers(request, plan, usable / 2);
    } else if (request->is_merge) {
        GSI_TRY(gsi_plan_merge(request, plan, usable, error));
    } else if (!gsi_plan_is_small_top(request) || !gsi_plan_top(request, plan, usable)) {
        GSI_TRY(plan_sort(request, plan, usable, error));
    }
    if (!request->is_merge)
        gsi_plan_predict(request, plan);
    return check_counts(plan, error);
}

enum gs_status gsi_plan_make(const struct gsi_plan_request *request, struct gsi_plan *plan,
                             struct gs_error *error)
{
    struct gsi_plan_request limited, fewer;
    GSI_TRY(limit_request(request, &limited, error));
    struct gs_error ignored = {0};
    if (make_limited_plan(&limited, plan, &ignored) == GS_OK)
        return GS_OK;
    /* Fewer threads need fewer windows and tables, and so less memory. */
    fewer = limited;
    for (fewer.thread_count = plan->thread_count / 2; fewer.thread_count > 0;
         fewer.thread_count /= 2)
        if (make_limited_plan(&fewer, plan, &ignored) == GS_OK)
            return GS_OK;
    return make_limited_plan(&limited, plan, error);
}
