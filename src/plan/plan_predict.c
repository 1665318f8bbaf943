/* plan_predict.c: what the planned job will move and how much disk it will take.
 *
 * Exact for raw frames, as all runs but the last are equally long; from the third level of a merge
 * tree on up to the padding of a frame a run more. Coded frames take less.
 *
 * In a merge a frame's disk is given back once it is in memory, and what is written was read
 * before: so the sum of frames and output does not grow, but for what is late in being given back
 * (up to two steps) and what is taken ahead of the output or the frames that are written (one
 * step). */
#include "base/checked.h"
#include "plan/plan_parts.h"
#include "run/frame.h"

/* A step: a small part of the input, so that steps add little to the space; then as large as
 * possible, because each one holds up the transfers on its file (feed.c). */
#define DISK_STEP_PART      64
#define DISK_STEP_MAX_BYTES ((uint64_t)256 << 20)

/* Bytes on disk of a run with `bytes` of keys, as frames. */
static uint64_t disk_bytes(const struct gs_plan *plan, uint64_t bytes)
{
    uint64_t payload = plan->frame_bytes - GSI_FRAME_HEADER_BYTES;
    uint64_t rest = bytes % payload;
    return bytes / payload * plan->frame_bytes +
           (rest > 0 ? gsi_round_up_u64(rest + GSI_FRAME_HEADER_BYTES, GSI_FRAME_ALIGN) : 0);
}

/* The span of a first pass holds the last run, which may be short. */
uint64_t gsi_plan_pass_bytes(const struct gs_plan *plan, const struct gsi_merge_pass *pass)
{
    uint64_t others = plan->spilled_runs - pass->span;
    return pass->run_count < plan->spilled_runs
               ? plan->spilled_bytes
               : plan->spilled_bytes - others * plan->chunk_bytes * plan->chunks_per_run;
}

/* Runs, all of `each` bytes but for the last one, and their bytes on disk. */
struct runs {
    uint64_t count, each, last, on_disk;
};

/* The first pass: of equal runs, the last of them among those that are merged. */
static void first_pass(struct gs_plan *plan, struct runs *runs)
{
    struct gsi_merge_pass pass = gsi_merge_pass_make(runs->count, plan->fan_in);
    uint64_t short_by = runs->each - runs->last, others = pass.group_count - 1;
    uint64_t read = (pass.span - 1) * disk_bytes(plan, runs->each) + disk_bytes(plan, runs->last);
    uint64_t first = pass.first_group * runs->each, full = plan->fan_in * runs->each;
    uint64_t written = others == 0
                           ? disk_bytes(plan, first - short_by)
                           : disk_bytes(plan, first) + (others - 1) * disk_bytes(plan, full) +
                                 disk_bytes(plan, full - short_by);
    plan->read_bytes += read;
    plan->write_bytes += written;
    runs->on_disk = runs->on_disk - read + written;
    runs->count = gsi_merge_pass_left(&pass);
}

/* A pass that merges everything. */
static void full_pass(struct gs_plan *plan, struct runs *runs)
{
    runs->count /= plan->fan_in;
    plan->read_bytes += runs->on_disk;
    runs->on_disk =
        runs->count * disk_bytes(plan, gsi_ceil_div_u64(plan->spilled_bytes, runs->count));
    plan->write_bytes += runs->on_disk;
}

void gsi_plan_predict(const struct gsi_plan_request *request, struct gs_plan *plan)
{
    uint64_t input = request->input_bytes;
    if (input == UINT64_MAX)
        return;
    plan->read_bytes = input;
    plan->write_bytes = request->is_reduction ? 0 : input;
    plan->space_bytes = plan->write_bytes;
    if (plan->spilled_runs == 0)
        return;
    uint64_t run_bytes = plan->chunk_bytes * plan->chunks_per_run;
    struct runs runs = {.count = plan->spilled_runs,
                        .each = run_bytes,
                        .last = plan->spilled_bytes - (plan->spilled_runs - 1) * run_bytes};
    runs.on_disk = (runs.count - 1) * disk_bytes(plan, runs.each) + disk_bytes(plan, runs.last);
    plan->write_bytes += runs.on_disk;
    uint64_t most = runs.on_disk;
    for (; runs.count > plan->fan_in; plan->merge_passes++) {
        if (plan->merge_passes == 0)
            first_pass(plan, &runs);
        else
            full_pass(plan, &runs);
        most = gsi_max_u64(most, runs.on_disk);
    }
    plan->read_bytes += runs.on_disk;
    uint64_t step = gsi_clamp_u64(input / DISK_STEP_PART, plan->frame_bytes, DISK_STEP_MAX_BYTES);
    plan->disk_step_bytes = gsi_round_up_u64(step, GSI_FRAME_ALIGN);
    plan->temp_bytes = most + (plan->merge_passes > 0 ? 3 : 1) * plan->disk_step_bytes;
    plan->space_bytes = input - plan->spilled_bytes + most + 3 * plan->disk_step_bytes;
}
