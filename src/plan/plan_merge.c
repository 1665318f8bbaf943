/* plan_merge.c: plans a job whose inputs are already sorted. There are no chunks: the whole arena
 * except the windows consists of read buffers. If there are more inputs than the fan-in, some
 * inputs are merged with each other first, and the merged runs are spilled. The choice of these
 * inputs (merge_tree.h) minimises the bytes that move. */
#include "base/checked.h"
#include "base/memory.h"
#include "plan/plan.h"
#include "plan/plan_parts.h"
#include "run/store.h"

#include <string.h>

/* Maximum number of frames that are read ahead, besides two of each run. The I/O engine has no more
 * reads in flight, so more memory would not be used. */
#define AHEAD_FRAMES 64

/* If streams of records are merged, a 16th of memory is for tables that find records by their
 * indexes. The tables have at most STREAM_FRAMES_MAX frames, which limits the length of streams. */
#define STREAM_TABLE_PART 16
#define STREAM_FRAMES_MAX ((uint64_t)1 << 24)

static uint64_t stream_count(const struct gsi_plan_request *request)
{
    uint64_t count = 0;
    for (uint64_t i = 0; i < request->merge_count; i++)
        count += request->merge_bytes[i] == UINT64_MAX;
    return count;
}

/* Returns how many inputs one merge can read with `frames` buffers. */
static uint64_t most_inputs_at_once(const struct gsi_plan *plan, uint64_t frames)
{
    uint64_t others = gsi_plan_shared_frames(plan);
    return frames > others ? (frames - others) / gsi_plan_frames_per_run(plan) : 0;
}

/* Sets frame_bytes, and lowers the fan-in if memory is very small. A read is at most a third of an
 * input's share of memory. */
static enum gs_status choose_frame(const struct gsi_plan_request *request, struct gsi_plan *plan,
                                   uint64_t region, uint64_t least, struct gs_error *error)
{
    uint64_t inputs = gsi_clamp_u64(plan->run_count, 1, plan->fan_in), possible;
    uint64_t frame = gsi_plan_frame_of_share(request, plan, region / inputs / 3);
    for (;; frame /= 2) {
        plan->frame_bytes = gsi_plan_fit_buffer(plan, gsi_max_u64(frame, least));
        possible = plan->frame_bytes <= plan->window_bytes
                       ? most_inputs_at_once(plan, region / plan->frame_bytes)
                       : 0;
        if (inputs <= possible)
            return GS_OK;
        if (plan->frame_bytes <= least)
            break;
    }
    if (request->fan_in == 0 && possible >= 2) {
        plan->fan_in = (uint32_t)possible;
        return GS_OK;
    }
    return gsi_plan_too_many_runs(request, inputs, error);
}

/* Returns the bytes of all tables: indexes of spilled runs, tables that find records by their
 * indexes, and tables of buffers. */
static uint64_t table_bytes(const struct gsi_plan_request *request, const struct gsi_plan *plan)
{
    uint64_t buffers = plan->arena_bytes / plan->frame_bytes;
    uint64_t bytes =
        plan->run_count * GSI_PLAN_RUN_TABLE_BYTES + buffers * gsi_plan_buffer_table_bytes(plan);
    if (request->input_bytes != UINT64_MAX) {
        uint64_t frames = gsi_ceil_div_u64(request->input_bytes,
                                           gsi_plan_frame_capacity(plan, plan->frame_bytes)) +
                          plan->run_count;
        bytes += plan->run_count > plan->fan_in ? frames * GSI_PLAN_FRAME_TABLE_BYTES : 0;
        bytes += plan->record_bytes > 0 ? frames * sizeof(void *) : 0;
    } else if (plan->run_count > plan->fan_in) {
        bytes += request->memory_bytes / GSI_PLAN_FRAME_TABLE_PART; /* a guess */
    }
    if (plan->record_bytes > 0 && stream_count(request) > 0)
        bytes += request->memory_bytes / STREAM_TABLE_PART;
    return bytes;
}

/* Returns the bytes of the smallest frame: it contains one record. If runs are spilled, the tables
 * of all frames must also fit. */
static uint64_t smallest_frame(const struct gsi_plan_request *request, const struct gsi_plan *plan,
                               uint64_t usable)
{
    uint64_t least = gsi_plan_smallest_buffer(plan);
    return plan->run_count > gsi_plan_fan_in(request, usable, least)
               ? gsi_plan_smallest_frame(request, usable)
               : least;
}

/* Sets the sizes of frames and windows and the fan-in, if tables need `tables` bytes. */
static enum gs_status plan_frames_and_fan_in(const struct gsi_plan_request *request,
                                             struct gsi_plan *plan, uint64_t usable,
                                             uint64_t tables, struct gs_error *error)
{
    uint64_t least = smallest_frame(request, plan, usable);
    if (least == 0)
        return gsi_plan_too_small(request, error);
    gsi_plan_fit_window_to_frame(request, plan, least);
    uint64_t windows = gsi_plan_window_region(plan);
    if (usable < tables + windows + 2 * plan->window_bytes)
        return gsi_plan_too_small(request, error);
    uint64_t region = usable - tables - windows;
    plan->fan_in = gsi_plan_fan_in(request, region, least);
    GSI_TRY(choose_frame(request, plan, region, least, error));
    uint64_t inputs = gsi_min_u64(plan->run_count, plan->fan_in);
    uint64_t frames = gsi_plan_merge_frames(plan, inputs) + AHEAD_FRAMES;
    frames = gsi_min_u64(frames, region / plan->frame_bytes);
    plan->chunk_bytes = plan->frame_bytes;
    plan->arena_bytes = frames * plan->frame_bytes + windows;
    return GS_OK;
}

/* ---- prediction of the bytes that the merges read and write ---- */

/* The runs at one point of the predicted job: the bytes of their elements, and their bytes on disk.
 * The two numbers are equal exactly if the run is an input. */
struct runs {
    uint64_t *data, *on_disk;
    uint64_t count;
    uint64_t spilled;      /* bytes on disk of runs that are not inputs */
    uint64_t peak_spilled; /* the maximum of `spilled` so far */
    uint64_t peak_data;    /* bytes of elements in those spilled runs */
};

static void predict_group_merge(struct gsi_plan *plan, struct runs *runs, uint64_t first,
                                uint64_t count)
{
    uint64_t data = 0;
    for (uint64_t i = first; i < first + count; i++) {
        data += runs->data[i];
        plan->moves[GS_PHASE_MERGE_RUNS].bytes_read += runs->on_disk[i];
        if (runs->on_disk[i] != runs->data[i])
            runs->spilled -= runs->on_disk[i];
    }
    uint64_t on_disk = gsi_plan_disk_bytes(plan, data);
    plan->moves[GS_PHASE_MERGE_RUNS].bytes_written += on_disk;
    plan->spilled_runs++;
    plan->spilled_bytes += data;
    runs->spilled += on_disk;
    runs->data[first] = data;
    runs->on_disk[first] = on_disk;
    uint64_t following = runs->count - first - count;
    memmove(runs->data + first + 1, runs->data + first + count, following * sizeof *runs->data);
    memmove(runs->on_disk + first + 1, runs->on_disk + first + count,
            following * sizeof *runs->on_disk);
    runs->count -= count - 1;
}

static void update_peak(struct runs *runs)
{
    if (runs->spilled <= runs->peak_spilled)
        return;
    runs->peak_spilled = runs->spilled;
    runs->peak_data = 0;
    for (uint64_t i = 0; i < runs->count; i++)
        runs->peak_data += runs->on_disk[i] != runs->data[i] ? runs->data[i] : 0;
}

static void predict_all_merges(struct gsi_plan *plan, struct runs *runs)
{
    for (; runs->count > plan->fan_in; plan->merge_passes++) {
        struct gsi_merge_pass pass = gsi_merge_pass_make(runs->count, plan->fan_in);
        uint64_t first = gsi_merge_pass_first_run(&pass, runs->on_disk);
        predict_group_merge(plan, runs, first, pass.first_group);
        for (uint64_t i = 1; i < pass.group_count; i++)
            predict_group_merge(plan, runs, first + i, plan->fan_in);
        update_peak(runs);
    }
    for (uint64_t i = 0; i < runs->count; i++)
        plan->moves[GS_PHASE_WRITE].bytes_read += runs->on_disk[i];
}

/* Predicts the bytes that merges read and write, and the disk space. A merge of spilled runs
 * releases their disk while it writes. With streams, only the number of passes is known. */
static enum gs_status predict_moves(const struct gsi_plan_request *request, struct gsi_plan *plan,
                                    struct gs_error *error)
{
    uint64_t count = request->merge_count, input = request->input_bytes;
    bool is_stream = input == UINT64_MAX;
    struct runs runs = {.count = count};
    GSI_TRY(GSI_NEW(request->ledger, runs.data, 2 * count, error));
    runs.on_disk = runs.data + count;
    for (uint64_t i = 0; i < count && !is_stream; i++)
        runs.data[i] = runs.on_disk[i] = request->merge_bytes[i];
    predict_all_merges(plan, &runs);
    GSI_FREE(request->ledger, runs.data, 2 * count);
    plan->moves[GS_PHASE_WRITE].bytes_written = plan->output_bytes;
    plan->space_bytes = is_stream ? 0 : plan->output_bytes;
    if (is_stream) {
        memset(plan->moves, 0, sizeof plan->moves);
        plan->spilled_bytes = 0;
        plan->disk_step_bytes = gsi_plan_disk_step(plan, plan->memory_bytes);
    }
    gsi_plan_sum_moves(plan);
    if (is_stream || plan->merge_passes == 0)
        return GS_OK;
    uint64_t written = plan->write_bytes - plan->output_bytes;
    uint64_t late = gsi_plan_merged_disk_bytes(written) + 2 * plan->frame_bytes;
    uint64_t ahead = GSI_SPILL_FRAMES_AHEAD * plan->frame_bytes;
    plan->disk_step_bytes = gsi_plan_disk_step(plan, input);
    plan->temp_bytes = runs.peak_spilled + ahead + (plan->merge_passes > 1 ? late : 0);
    plan->space_bytes = gsi_max_u64(input, plan->output_bytes) + runs.peak_spilled -
                        runs.peak_data + late + gsi_max_u64(plan->disk_step_bytes, ahead);
    return GS_OK;
}

/* ---- the plan ---- */

enum gs_status gsi_plan_merge(const struct gsi_plan_request *request, struct gsi_plan *plan,
                              uint64_t usable, struct gs_error *error)
{
    plan->is_merge = true;
    plan->is_filtered = request->is_filtered;
    plan->chunks_per_run = 1;
    plan->run_count = request->merge_count;
    GSI_TRY(gsi_plan_make_with_tables(request, plan, usable, plan_frames_and_fan_in, table_bytes,
                                      error));
    if (plan->record_bytes > 0 && stream_count(request) > 0)
        plan->stream_frames =
            gsi_min_u64(request->memory_bytes / STREAM_TABLE_PART / sizeof(void *),
                        STREAM_FRAMES_MAX) /
            stream_count(request);
    return predict_moves(request, plan, error);
}
