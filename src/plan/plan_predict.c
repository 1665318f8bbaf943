/* plan_predict.c: predicts how many bytes the planned job will move and how much disk it will use.
 *
 * The prediction is exact for raw frames, as all runs except the last are equally long. From the
 * third level of a merge tree on, it may err by the padding of one frame per run. Coded frames need
 * less.
 *
 * In a merge a frame's disk is released once the frame is in memory, and written data were read
 * before. So the sum of frames and output does not grow, with three exceptions. Disk may be
 * released late, or allocated in advance of the output, and the output may be larger than the
 * input. A merge that ends early (--top) moves less. */
#include "base/checked.h"
#include "plan/plan.h"
#include "plan/plan_parts.h"
#include "run/store.h"

/* The disk of the output is allocated in steps. Each delays the writes to the file, so they are
 * large, but a small part of the whole. */
#define DISK_STEP_PART      128
#define DISK_STEP_MAX_BYTES ((uint64_t)256 << 20)

uint64_t gsi_plan_disk_bytes(const struct gsi_plan *plan, uint64_t bytes)
{
    uint64_t payload = gsi_plan_frame_room(plan, plan->frame_bytes);
    uint64_t frame = gsi_round_up_u64(payload + GSI_FRAME_HEADER_BYTES, GSI_FRAME_ALIGN);
    uint64_t rest = bytes % payload;
    return bytes / payload * frame +
           (rest > 0 ? gsi_round_up_u64(rest + GSI_FRAME_HEADER_BYTES, GSI_FRAME_ALIGN) : 0);
}

/* Returns the bytes that a pass moves. The span of a first pass contains the last run, which may be
 * short. If inputs are merged, every other pass moves everything. */
uint64_t gsi_plan_pass_bytes(const struct gsi_plan *plan, const struct gsi_merge_pass *pass)
{
    if (plan->is_merge)
        return pass->run_count < plan->run_count
                   ? plan->input_bytes
                   : plan->spilled_bytes - (plan->merge_passes - 1) * plan->input_bytes;
    uint64_t others = plan->spilled_runs - pass->span;
    return pass->run_count < plan->spilled_runs
               ? plan->spilled_bytes
               : plan->spilled_bytes - others * gsi_plan_run_room(plan);
}

/* A number of runs, all of `each` bytes except the last one, and their bytes on disk. */
struct runs {
    uint64_t count, each, last, on_disk;
};

/* Predicts the first pass over equal runs; the last run, which may be short, is among those that
 * are merged. */
static void first_pass(struct gsi_plan *plan, struct runs *runs)
{
    struct gsi_merge_pass pass = gsi_merge_pass_make(runs->count, plan->fan_in);
    uint64_t short_by = runs->each - runs->last, others = pass.group_count - 1;
    uint64_t read = (pass.span - 1) * gsi_plan_disk_bytes(plan, runs->each) +
                    gsi_plan_disk_bytes(plan, runs->last);
    uint64_t first = pass.first_group * runs->each, full = plan->fan_in * runs->each;
    uint64_t written = others == 0 ? gsi_plan_disk_bytes(plan, first - short_by)
                                   : gsi_plan_disk_bytes(plan, first) +
                                         (others - 1) * gsi_plan_disk_bytes(plan, full) +
                                         gsi_plan_disk_bytes(plan, full - short_by);
    plan->moves[GS_PHASE_MERGE_RUNS].bytes_read += read;
    plan->moves[GS_PHASE_MERGE_RUNS].bytes_written += written;
    runs->on_disk = runs->on_disk - read + written;
    runs->count = gsi_merge_pass_left(&pass);
}

/* Adds the transfers of a pass that merges all runs. */
static void full_pass(struct gsi_plan *plan, struct runs *runs)
{
    runs->count /= plan->fan_in;
    plan->moves[GS_PHASE_MERGE_RUNS].bytes_read += runs->on_disk;
    runs->on_disk =
        runs->count * gsi_plan_disk_bytes(plan, gsi_ceil_div_u64(plan->spilled_bytes, runs->count));
    plan->moves[GS_PHASE_MERGE_RUNS].bytes_written += runs->on_disk;
}

uint64_t gsi_plan_disk_step(const struct gsi_plan *plan, uint64_t bytes)
{
    return gsi_round_up_u64(
        gsi_clamp_u64(bytes / DISK_STEP_PART, plan->frame_bytes, DISK_STEP_MAX_BYTES),
        GSI_FRAME_ALIGN);
}

void gsi_plan_add_moves(struct gsi_plan *plan)
{
    plan->read_bytes = plan->write_bytes = 0;
    for (int i = 0; i < GS_PHASE_COUNT; i++) {
        plan->read_bytes += plan->moves[i].bytes_read;
        plan->write_bytes += plan->moves[i].bytes_written;
    }
}

/* Predicts a job with `input` bytes of which some runs are spilled. */
static void predict_spilled(const struct gsi_plan_request *request, struct gsi_plan *plan)
{
    const uint64_t input = request->input_bytes;
    uint64_t run_bytes = gsi_plan_run_room(plan);
    struct runs runs = {.count = plan->spilled_runs,
                        .each = run_bytes,
                        .last = plan->spilled_bytes - (plan->spilled_runs - 1) * run_bytes};
    runs.on_disk = (runs.count - 1) * gsi_plan_disk_bytes(plan, runs.each) +
                   gsi_plan_disk_bytes(plan, runs.last);
    plan->moves[GS_PHASE_READ].bytes_written = runs.on_disk;
    uint64_t most = runs.on_disk;
    for (; runs.count > plan->fan_in; plan->merge_passes++) {
        if (plan->merge_passes == 0)
            first_pass(plan, &runs);
        else
            full_pass(plan, &runs);
        most = gsi_max_u64(most, runs.on_disk);
    }
    plan->moves[GS_PHASE_WRITE].bytes_read = runs.on_disk;
    plan->disk_step_bytes = gsi_plan_disk_step(plan, input);
    uint64_t late = gsi_plan_late_bytes(runs.on_disk) + 2 * plan->frame_bytes;
    /* The first runs fill their allocated disk exactly, except for their last frames. */
    uint64_t ahead = (plan->merge_passes > 0 ? GSI_SPILL_FRAMES_AHEAD : 1) * plan->frame_bytes;
    plan->temp_bytes = most + ahead + (plan->merge_passes > 0 ? late : 0);
    /* The output of resident runs, and anything that the output adds, does not replace frames. */
    uint64_t spilled = plan->spilled_bytes;
    uint64_t resident = plan->output_bytes > input
                            ? plan->output_bytes - spilled
                            : gsi_min_u64(input - spilled, plan->output_bytes);
    plan->space_bytes = resident + most + late + gsi_max_u64(plan->disk_step_bytes, ahead);
    if (!request->keeps_runs)
        return;
    /* While runs are merged into one, they and the new run exist at the same time. */
    plan->temp_bytes = most + ahead + (plan->merge_passes > 0 ? most : 0);
    plan->space_bytes = plan->temp_bytes + plan->output_bytes + plan->disk_step_bytes;
}

void gsi_plan_predict(const struct gsi_plan_request *request, struct gsi_plan *plan)
{
    uint64_t input = request->input_bytes;
    if (input == UINT64_MAX) { /* the spilled data will be more than the memory */
        plan->disk_step_bytes = gsi_plan_disk_step(plan, plan->memory_bytes);
        return;
    }
    plan->moves[GS_PHASE_READ].bytes_read = request->read_bytes > 0 ? request->read_bytes : input;
    plan->moves[GS_PHASE_WRITE].bytes_written = plan->output_bytes;
    plan->space_bytes = plan->output_bytes;
    if (plan->spilled_runs > 0)
        predict_spilled(request, plan);
    gsi_plan_add_moves(plan);
}
