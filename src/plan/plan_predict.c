/* plan_predict.c: predicts how many bytes the planned job will move and how much disk it will use.
 *
 * The prediction is exact for frames without compression, because all runs except the last are
 * equally long. After the first two merge passes, it may err by the padding of one frame per run.
 * Compressed frames need less disk.
 *
 * A merge releases the disk of a frame after it has read the frame, and before it writes the
 * frame's elements. So the disk for frames and output together does not grow, with three
 * exceptions. Disk may be released later, the output's disk is allocated in advance, and the output
 * may be larger than the input. A merge that ends early (--top) reads and writes less. */
#include "base/checked.h"
#include "plan/plan.h"
#include "plan/plan_parts.h"
#include "run/store.h"

/* The disk of the output is allocated in steps. Each step delays writes to the file, so steps are
 * large; but each is a small part of the output. */
#define DISK_STEP_PART      128
#define DISK_STEP_MAX_BYTES ((uint64_t)256 << 20)

uint64_t gsi_plan_disk_bytes(const struct gsi_plan *plan, uint64_t bytes)
{
    uint64_t payload = gsi_plan_frame_capacity(plan, plan->frame_bytes);
    uint64_t frame = gsi_round_up_u64(payload + GSI_FRAME_HEADER_BYTES, GSI_FRAME_ALIGN);
    uint64_t rest = bytes % payload;
    return bytes / payload * frame +
           (rest > 0 ? gsi_round_up_u64(rest + GSI_FRAME_HEADER_BYTES, GSI_FRAME_ALIGN) : 0);
}

/* A first pass includes the last run, which may be short. If sorted inputs are merged, every later
 * pass reads all data. */
uint64_t gsi_plan_pass_bytes(const struct gsi_plan *plan, const struct gsi_merge_pass *pass)
{
    if (plan->is_merge)
        return pass->run_count < plan->run_count
                   ? plan->input_bytes
                   : plan->spilled_bytes - (plan->merge_passes - 1) * plan->input_bytes;
    uint64_t others = plan->spilled_runs - pass->span;
    return pass->run_count < plan->spilled_runs
               ? plan->spilled_bytes
               : plan->spilled_bytes - others * gsi_plan_run_capacity(plan);
}

/* `count` runs: all have `each` bytes of elements except the last one, which has `last`. Together
 * they use `on_disk` bytes of disk. */
struct runs {
    uint64_t count, each, last, on_disk;
};

/* Predicts the first pass over equally long runs. The pass merges the last run, which may be
 * shorter, with others. */
static void predict_first_pass(struct gsi_plan *plan, struct runs *runs)
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
    runs->count = gsi_merge_pass_runs_after(&pass);
}

/* Adds the transfers of a pass that merges all runs. */
static void predict_full_pass(struct gsi_plan *plan, struct runs *runs)
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

void gsi_plan_sum_moves(struct gsi_plan *plan)
{
    plan->read_bytes = plan->write_bytes = 0;
    for (int i = 0; i < GS_PHASE_COUNT; i++) {
        plan->read_bytes += plan->moves[i].bytes_read;
        plan->write_bytes += plan->moves[i].bytes_written;
    }
}

/* Predicts a sort of which some or all runs are spilled. */
static void predict_spilled(const struct gsi_plan_request *request, struct gsi_plan *plan)
{
    const uint64_t input = request->input_bytes;
    uint64_t run_bytes = gsi_plan_run_capacity(plan);
    struct runs runs = {.count = plan->spilled_runs,
                        .each = run_bytes,
                        .last = plan->spilled_bytes - (plan->spilled_runs - 1) * run_bytes};
    runs.on_disk = (runs.count - 1) * gsi_plan_disk_bytes(plan, runs.each) +
                   gsi_plan_disk_bytes(plan, runs.last);
    plan->moves[GS_PHASE_READ].bytes_written = runs.on_disk;
    uint64_t most = runs.on_disk;
    for (; runs.count > plan->fan_in; plan->merge_passes++) {
        if (plan->merge_passes == 0)
            predict_first_pass(plan, &runs);
        else
            predict_full_pass(plan, &runs);
        most = gsi_max_u64(most, runs.on_disk);
    }
    plan->moves[GS_PHASE_WRITE].bytes_read = runs.on_disk;
    plan->disk_step_bytes = gsi_plan_disk_step(plan, input);
    uint64_t late = gsi_plan_merged_disk_bytes(runs.on_disk) + 2 * plan->frame_bytes;
    /* Runs made of chunks have a known length, so they use their allocated disk except for part of
     * a frame. */
    uint64_t ahead = (plan->merge_passes > 0 ? GSI_SPILL_FRAMES_AHEAD : 1) * plan->frame_bytes;
    plan->temp_bytes = most + ahead + (plan->merge_passes > 0 ? late : 0);
    /* Output from resident runs, and bytes that the output adds, need disk that no merged frames
     * released. */
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
    if (input == UINT64_MAX) { /* a stream is spilled only if it is longer than the memory */
        plan->disk_step_bytes = gsi_plan_disk_step(plan, plan->memory_bytes);
        return;
    }
    plan->moves[GS_PHASE_READ].bytes_read = request->read_bytes > 0 ? request->read_bytes : input;
    plan->moves[GS_PHASE_WRITE].bytes_written = plan->output_bytes;
    plan->space_bytes = plan->output_bytes;
    if (plan->spilled_runs > 0)
        predict_spilled(request, plan);
    gsi_plan_sum_moves(plan);
}
