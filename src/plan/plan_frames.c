/* plan_frames.c: computes the size of frames, and the fan-in, the number of runs that one merge
 * reads. A frame is the unit of spilled runs and of reads. */
#include "base/assert.h"
#include "base/checked.h"
#include "plan/merge_tree.h"
#include "plan/plan.h"
#include "plan/plan_parts.h"

#define KIB ((uint64_t)1 << 10)
#define MIB ((uint64_t)1 << 20)

#define FRAME_MIN_BYTES GSI_CONSTANT(64 * KIB, 16 * KIB)

/* A run's share of memory; one read is a third of it. With a share below about 1 MiB, seeks of a
 * disk cost more time than another pass, which reads and writes everything. With less than 64 MiB
 * of memory, the share is a 64th of it, because a lower fan-in could need two more passes. A disk
 * without seeks reads 64 KiB nearly as fast, if many reads are in flight. */
#define SHARE_MIN_BYTES (128 * KIB)
#define SHARE_MAX_BYTES (1 * MIB)

/* A run's share with reads of 128 KiB. gsi_plan_lower_fan_in uses it if there are intermediate
 * merges anyway. */
#define SHARE_OF_PASSES_BYTES (384 * KIB)

uint64_t gsi_plan_fit_buffer(const struct gsi_plan *plan, uint64_t bytes)
{
    const uint32_t beside = gsi_plan_chunk_record_bytes(plan);
    return plan->record_bytes == 0
               ? gsi_plan_round_unit(bytes)
               : gsi_record_room_bytes(beside, gsi_record_room_power(beside, bytes));
}

uint64_t gsi_plan_smallest_buffer(const struct gsi_plan *plan)
{
    return plan->record_bytes == 0 ? GSI_PLAN_UNIT : gsi_record_room_bytes(plan->record_bytes, 1);
}

uint64_t gsi_plan_shared_frames(const struct gsi_plan *plan)
{
    uint64_t room = gsi_plan_frame_capacity(plan, plan->frame_bytes);
    /* Blocks of an input with a header may be one page shorter (input/file_reader.c). */
    if (plan->is_merge && plan->record_bytes == 0 && plan->frame_bytes > GSI_PLAN_UNIT)
        room = plan->frame_bytes - GSI_PLAN_UNIT;
    return gsi_ceil_div_u64(gsi_plan_window_capacity(plan, plan->window_bytes), room) + 2;
}

/* The next window may be unable to use two frames of each run. One frame contains the few elements
 * that the last window left. The other frame begins above the bound of the merge, or is the run's
 * last and short. The merge is stuck unless all other frames fill a window; two more keep reads in
 * flight. */
uint64_t gsi_plan_runs_at_once(const struct gsi_plan *plan, uint64_t chunks)
{
    uint64_t frames = chunks * (plan->chunk_bytes / plan->frame_bytes);
    uint64_t others = gsi_plan_shared_frames(plan);
    return frames > others ? (frames - others) / gsi_plan_frames_per_run(plan) : 0;
}

uint64_t gsi_plan_run_share(uint64_t region, uint64_t least)
{
    return gsi_max_u64(gsi_clamp_u64(region / 64, SHARE_MIN_BYTES, SHARE_MAX_BYTES), 3 * least);
}

uint32_t gsi_plan_fan_in(const struct gsi_plan_request *request, uint64_t region, uint64_t least)
{
    uint64_t most = gsi_clamp_u64(region / gsi_plan_run_share(region, least), 2, GSI_FAN_IN_MAX);
    return (uint32_t)(request->fan_in > 0 ? gsi_min_u64(request->fan_in, most) : most);
}

/* Returns how many of `runs` equally long runs the passes before the last merge read. */
static uint64_t runs_in_passes(uint64_t runs, uint64_t fan_in, uint32_t *passes)
{
    uint64_t span = 0, all = runs;
    for (*passes = 0; runs > fan_in; (*passes)++) {
        struct gsi_merge_pass pass = gsi_merge_pass_make(runs, fan_in);
        /* Every pass except the first one reads all runs. */
        span += *passes == 0 ? pass.span : all;
        runs = gsi_merge_pass_runs_after(&pass);
    }
    return span;
}

uint32_t gsi_plan_lower_fan_in(const struct gsi_plan_request *request, const struct gsi_plan *plan,
                               uint64_t region)
{
    uint64_t runs = plan->spilled_runs;
    uint64_t fewer = gsi_max_u64(2, region / SHARE_OF_PASSES_BYTES);
    uint32_t passes, most_passes;
    if (request->fan_in > 0 || runs <= plan->fan_in)
        return plan->fan_in;
    /* On a disk with a limit of transfers per second, reads of 64 KiB take twice as long as reads
     * of 128 KiB. If passes merge p of n runs, all merges read n + p runs and write p. So q runs
     * with long reads cost as much as p with short reads: 2 (n + p) + p = (n + q) + q. */
    uint64_t most = (runs + 3 * runs_in_passes(runs, plan->fan_in, &most_passes)) / 2;
    while (fewer < plan->fan_in &&
           (runs_in_passes(runs, fewer, &passes) > most || passes > most_passes))
        fewer++;
    return (uint32_t)gsi_min_u64(fewer, plan->fan_in);
}

uint64_t gsi_plan_smallest_frame(const struct gsi_plan_request *request, uint64_t usable)
{
    uint32_t record = request->record_bytes;
    uint64_t least = record == 0 ? GSI_PLAN_UNIT : gsi_record_room_bytes(record, 1);
    if (request->input_bytes == UINT64_MAX)
        return least;
    uint64_t frames = usable / GSI_PLAN_FRAME_TABLE_PART / GSI_PLAN_FRAME_TABLE_BYTES;
    uint64_t bytes = gsi_ceil_div_u64(request->input_bytes, frames), frame;
    if (record == 0) {
        frame = gsi_max_u64(GSI_PLAN_UNIT, gsi_round_up_u64(bytes, GSI_PLAN_UNIT));
    } else {
        uint64_t n = 1;
        while (n * record < bytes)
            n *= 2;
        frame = gsi_record_room_bytes(record, n);
    }
    return frame <= GSI_PLAN_FRAME_MAX_BYTES ? frame : 0;
}

uint64_t gsi_plan_frame_of_share(const struct gsi_plan_request *request,
                                 const struct gsi_plan *plan, uint64_t bytes)
{
    uint64_t frame = gsi_clamp_u64(bytes, FRAME_MIN_BYTES, GSI_PLAN_FRAME_MAX_BYTES);
    return request->window_bytes > 0 ? plan->window_bytes : gsi_min_u64(frame, plan->window_bytes);
}

enum gs_status gsi_plan_too_many_runs(const struct gsi_plan_request *request, uint64_t runs,
                                      struct gs_error *error)
{
    if (runs <= 1)
        return gsi_fail(error, GS_E_USAGE, 0, "--memory: %llu bytes are too few for this --window",
                        (unsigned long long)request->memory_bytes);
    return gsi_fail(error, GS_E_USAGE, 0,
                    "--memory: %llu bytes are too few to merge %llu runs at once with this "
                    "--batch-size and --window",
                    (unsigned long long)request->memory_bytes, (unsigned long long)runs);
}

/* A frame is a third of a run's share: two frames contain the next elements, and the third is read
 * ahead. Each chunk buffer is divided into a whole number of frames. */
enum gs_status gsi_plan_frames(const struct gsi_plan_request *request, struct gsi_plan *plan,
                               uint64_t chunks, uint64_t least, struct gs_error *error)
{
    uint64_t inputs = gsi_clamp_u64(plan->spilled_runs, 1, plan->fan_in);
    uint64_t most = gsi_min_u64(plan->window_bytes, plan->chunk_bytes);
    uint64_t frame = gsi_clamp_u64(chunks * plan->chunk_bytes / inputs / 3, FRAME_MIN_BYTES,
                                   GSI_PLAN_FRAME_MAX_BYTES);
    frame = gsi_max_u64(request->window_bytes > 0 ? most : gsi_min_u64(frame, most), least);
    for (uint64_t parts = gsi_ceil_div_u64(plan->chunk_bytes, frame);; parts++) {
        plan->frame_bytes = gsi_plan_fit_buffer(plan, plan->chunk_bytes / parts);
        if (plan->frame_bytes < least || plan->frame_bytes > most)
            plan->frame_bytes = least;
        if (inputs <= gsi_plan_runs_at_once(plan, chunks) && plan->frame_bytes <= most)
            return GS_OK;
        if (plan->frame_bytes <= least)
            break;
    }
    /* With little memory for a large input, merge fewer runs at once, in more passes. */
    uint64_t possible = plan->frame_bytes <= most ? gsi_plan_runs_at_once(plan, chunks) : 0;
    bool is_stream = request->input_bytes == UINT64_MAX;
    if (request->fan_in == 0 && possible >= 2 &&
        (is_stream || plan->spilled_runs == plan->run_count)) {
        plan->fan_in = (uint32_t)gsi_min_u64(plan->fan_in, possible);
        plan->spilled_runs = is_stream ? plan->fan_in : plan->run_count;
        return GS_OK;
    }
    return gsi_plan_too_many_runs(request, inputs, error);
}
