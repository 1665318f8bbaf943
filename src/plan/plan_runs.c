/* plan_runs.c: plans chunks and runs of a sort on the CPU. All runs stay in memory if they fit;
 * otherwise as few runs as possible are spilled. */
#include "base/assert.h"
#include "base/checked.h"
#include "plan/plan.h"
#include "plan/plan_parts.h"
#include "run/frame.h"

#define KIB ((uint64_t)1 << 10)
#define MIB ((uint64_t)1 << 20)

/* Chunks are small, because the output starts after the last chunk is sorted (64 MiB: about 50 ms).
 * But there are not too many chunks, because each cut of the merge costs about 0.5 us per run. */
#define CHUNK_MIN_BYTES  GSI_CONSTANT(256 * KIB, 32 * KIB)
#define CHUNK_MAX_BYTES  (64 * MIB)
#define RESIDENT_CHUNKS  GSI_CONSTANT(64, 256)
#define SPILL_CHUNKS_MIN 8

/* Chunks of a thread, about. With fewer, threads are idle until the last chunks are sorted. */
#define CHUNKS_A_THREAD 12
#define RUNS_PREFERRED  512

static uint64_t largest_chunk(uint64_t bytes)
{
    return gsi_max_u64(CHUNK_MAX_BYTES, bytes / RUNS_PREFERRED);
}

/* Computes the memory for `bytes` of elements in buffers of `chunk` bytes, of which the last is no
 * larger than necessary. Returns false on overflow. */
static bool compute_resident_bytes(const struct gsi_plan *plan, uint64_t bytes, uint64_t chunk,
                                   uint64_t *needed)
{
    uint64_t room = gsi_plan_chunk_capacity(plan, chunk), whole = bytes / room, rest = bytes % room;
    uint64_t rest_bytes = gsi_round_up_u64(rest, GSI_PLAN_UNIT);
    if (plan->record_bytes > 0 && rest > 0)
        rest_bytes =
            gsi_record_room_bytes(gsi_plan_chunk_record_bytes(plan), rest / plan->record_bytes);
    return gsi_mul_u64(whole, chunk, needed) && gsi_add_u64(*needed, rest_bytes, needed);
}

/* Returns the bytes of a chunk so that there are about `chunks` chunks. The number of records in a
 * chunk is the nearest power of two. If that gives a thread fewer than CHUNKS_A_THREAD, it is the
 * next lower power. */
static uint64_t choose_resident_chunk(const struct gsi_plan *plan, uint64_t bytes, uint64_t chunks)
{
    const uint32_t record = plan->record_bytes;
    uint64_t data =
        gsi_clamp_u64(gsi_ceil_div_u64(bytes, chunks), CHUNK_MIN_BYTES, largest_chunk(bytes));
    if (record == 0)
        return gsi_round_up_u64(data, GSI_PLAN_UNIT);
    uint64_t n = gsi_max_u64(1, data / record), power = (uint64_t)1 << (63 - __builtin_clzll(n));
    if ((double)n > 1.414 * (double)power &&
        bytes / (2 * power * record) >= CHUNKS_A_THREAD * (uint64_t)plan->thread_count)
        power *= 2;
    return gsi_record_room_bytes(gsi_plan_chunk_record_bytes(plan), power);
}

/* Returns true if all chunks fit in memory; then the plan is complete. */
static bool plan_resident(const struct gsi_plan_request *request, struct gsi_plan *plan,
                          uint64_t usable)
{
    uint64_t bytes = request->input_bytes;
    if (bytes == UINT64_MAX || request->spill_all)
        return false;
    plan->are_inline = request->are_inline;
    uint64_t chunks = gsi_max_u64(RESIDENT_CHUNKS, CHUNKS_A_THREAD * (uint64_t)plan->thread_count);
    uint64_t chunk = request->chunk_bytes == 0 ? choose_resident_chunk(plan, bytes, chunks)
                     : plan->record_bytes == 0
                         ? gsi_round_up_u64(request->chunk_bytes, GSI_PLAN_UNIT)
                         : gsi_plan_fit_buffer(plan, request->chunk_bytes);
    uint64_t count = gsi_ceil_div_u64(bytes, gsi_plan_chunk_capacity(plan, chunk));
    plan->frame_bytes = gsi_min_u64(plan->window_bytes, GSI_PLAN_FRAME_MAX_BYTES);
    uint64_t tables = count * (gsi_plan_buffer_table_bytes(plan) + GSI_PLAN_RUN_TABLE_BYTES);
    uint64_t data, needed;
    if (!compute_resident_bytes(plan, bytes, chunk, &data) ||
        !gsi_add_u64(data, tables + gsi_plan_window_region(plan), &needed) || needed > usable)
        return false;
    plan->chunk_bytes = chunk;
    plan->chunks_per_run = 1;
    plan->run_count = count;
    plan->arena_bytes = data + gsi_plan_window_region(plan);
    plan->fan_in = UINT32_MAX;
    return true;
}

/* Sets the size of chunk buffers of a job that spills, and returns how many fit in `region`
 * bytes. */
static uint64_t choose_chunk_bytes(const struct gsi_plan_request *request, struct gsi_plan *plan,
                                   uint64_t region, uint64_t least_bytes)
{
    uint64_t least = gsi_max_u64(SPILL_CHUNKS_MIN, 2 * (uint64_t)plan->thread_count + 4);
    uint64_t chosen = gsi_clamp_u64(region / least, least_bytes, largest_chunk(region));
    plan->chunk_bytes =
        gsi_plan_fit_buffer(plan, request->chunk_bytes > 0 ? request->chunk_bytes : chosen);
    return region / plan->chunk_bytes;
}

/* Sets chunks_per_run to the least number with which one merge can read all runs; but to one chunk
 * if the user set the size of chunks. */
static void choose_chunks_per_run(const struct gsi_plan_request *request, struct gsi_plan *plan,
                                  uint64_t chunks)
{
    uint64_t bytes = request->input_bytes;
    uint64_t most = request->chunk_bytes > 0 ? 1 : gsi_max_u64(1, chunks / 2);
    plan->chunks_per_run = 1;
    if (bytes == UINT64_MAX)
        return;
    uint64_t needed = gsi_ceil_div_u64(bytes, gsi_plan_chunk_capacity(plan, plan->chunk_bytes));
    uint64_t per_run = gsi_ceil_div_u64(needed, gsi_min_u64(plan->fan_in, RUNS_PREFERRED));
    plan->chunks_per_run = (uint32_t)gsi_clamp_u64(per_run, 1, most);
    plan->run_count = gsi_ceil_div_u64(needed, plan->chunks_per_run);
}

/* Returns the least number of runs to spill. All other runs, and the feed buffers of the spilled
 * runs, must fit into `chunks` chunk buffers. The feed buffers of a run need `share` bytes. */
static uint64_t fewest_spilled(const struct gsi_plan *plan, uint64_t chunks, uint64_t share)
{
    uint64_t per_run = plan->chunks_per_run;
    for (uint64_t spilled = 1; spilled < plan->run_count && spilled <= plan->fan_in; spilled++) {
        uint64_t feed = gsi_max_u64(spilled * share, 4 * plan->window_bytes);
        uint64_t feed_chunks = gsi_ceil_div_u64(feed, plan->chunk_bytes);
        if ((plan->run_count - spilled) * per_run + feed_chunks <= chunks)
            return spilled;
    }
    return plan->run_count;
}

static enum gs_status plan_spilled(const struct gsi_plan_request *request, struct gsi_plan *plan,
                                   uint64_t usable, uint64_t tables, struct gs_error *error)
{
    if (usable < tables + gsi_plan_window_region(plan) + 2 * plan->window_bytes)
        return gsi_plan_too_small(request, error);
    uint64_t region = usable - tables - gsi_plan_window_region(plan);
    uint64_t least_frame = gsi_plan_smallest_frame(request, usable);
    if (least_frame == 0)
        return gsi_fail(
            error, GS_E_USAGE, 0, "--memory: %llu bytes are too few for %llu bytes of input",
            (unsigned long long)request->memory_bytes, (unsigned long long)request->input_bytes);
    gsi_plan_fit_window_to_frame(request, plan, least_frame);
    uint64_t chunks = choose_chunk_bytes(request, plan, region, least_frame);
    if (chunks < 3 || plan->chunk_bytes < least_frame)
        return request->chunk_bytes > 0
                   ? gsi_fail(error, GS_E_USAGE, 0,
                              "--chunk: must be at least %llu bytes, and three chunks must fit "
                              "into what --memory leaves for them, %llu bytes",
                              (unsigned long long)least_frame, (unsigned long long)region)
                   : gsi_plan_too_small(request, error);
    plan->arena_bytes = chunks * plan->chunk_bytes + gsi_plan_window_region(plan);
    plan->fan_in = gsi_plan_fan_in(request, region, least_frame);
    choose_chunks_per_run(request, plan, chunks);
    uint64_t feed_chunks = chunks;
    if (request->input_bytes != UINT64_MAX) {
        plan->spilled_runs =
            request->spill_all
                ? plan->run_count
                : fewest_spilled(plan, chunks, gsi_plan_run_share(region, least_frame));
        plan->spilled_bytes =
            gsi_min_u64(request->input_bytes, plan->spilled_runs * plan->chunks_per_run *
                                                  gsi_plan_chunk_capacity(plan, plan->chunk_bytes));
        plan->fan_in = gsi_plan_lower_fan_in(request, plan, region);
        feed_chunks -= (plan->run_count - plan->spilled_runs) * plan->chunks_per_run;
    } else {
        plan->spilled_runs = plan->fan_in; /* a stream may have that many */
    }
    return gsi_plan_frames(request, plan, feed_chunks, least_frame, error);
}

static uint64_t table_bytes(const struct gsi_plan_request *request, const struct gsi_plan *plan)
{
    uint64_t frames =
        gsi_plan_sorting_bytes(request) / 8 / GSI_PLAN_FRAME_TABLE_BYTES; /* for a stream: a
                                                                           * guess */
    if (request->input_bytes != UINT64_MAX)
        frames = gsi_ceil_div_u64(plan->spilled_bytes,
                                  gsi_plan_frame_capacity(plan, plan->frame_bytes)) +
                 plan->spilled_runs;
    uint64_t buffers =
        plan->arena_bytes / plan->frame_bytes + plan->arena_bytes / plan->chunk_bytes;
    uint64_t blocks = 0; /* entries of the table that finds records by their indexes */
    if (plan->record_bytes > 0 && request->input_bytes != UINT64_MAX)
        blocks = gsi_ceil_div_u64(request->input_bytes,
                                  gsi_plan_frame_capacity(plan, plan->frame_bytes));
    return frames * GSI_PLAN_FRAME_TABLE_BYTES + blocks * sizeof(void *) +
           buffers * gsi_plan_buffer_table_bytes(plan);
}

static bool has_same_sizes(const struct gsi_plan *plan, const struct gsi_plan_fixed *fixed)
{
    return plan->chunk_bytes == fixed->chunk_bytes && plan->frame_bytes == fixed->frame_bytes &&
           plan->window_bytes == fixed->window_bytes &&
           plan->chunks_per_run == fixed->chunks_per_run && plan->fan_in == fixed->fan_in;
}

/* Returns whether sizes read from a journal are possible sizes; a damaged journal may contain any
 * numbers. */
static bool are_sizes_valid(const struct gsi_plan_fixed *fixed, const struct gsi_plan *plan)
{
    return fixed->chunk_bytes <= GSI_PLAN_MOST_BYTES && fixed->frame_bytes <= fixed->chunk_bytes &&
           fixed->window_bytes <= GSI_FRAME_BYTES_MAX &&
           fixed->frame_bytes <= fixed->window_bytes && fixed->frame_bytes > 0 &&
           gsi_plan_fit_buffer(plan, fixed->chunk_bytes) == fixed->chunk_bytes &&
           gsi_plan_fit_buffer(plan, fixed->frame_bytes) == fixed->frame_bytes &&
           gsi_plan_round_unit(fixed->window_bytes) == fixed->window_bytes &&
           fixed->chunks_per_run > 0 && fixed->fan_in >= 2 && fixed->fan_in <= GSI_FAN_IN_MAX;
}

/* Makes a plan with the sizes in the journal. Only the numbers of chunks and windows are chosen. */
static enum gs_status plan_with_fixed_sizes(const struct gsi_plan_request *request,
                                            struct gsi_plan *plan, uint64_t usable, uint64_t tables,
                                            struct gs_error *error)
{
    const struct gsi_plan_fixed *fixed = &request->fixed;
    uint64_t windows = gsi_clamp_u64(usable / 4 / fixed->window_bytes, 2, plan->window_count);
    plan->window_bytes = fixed->window_bytes;
    plan->window_count = (uint32_t)windows;
    uint64_t taken = tables + gsi_plan_window_region(plan);
    uint64_t chunks = (usable - gsi_min_u64(taken, usable)) / fixed->chunk_bytes;
    plan->chunk_bytes = fixed->chunk_bytes;
    plan->frame_bytes = fixed->frame_bytes;
    plan->chunks_per_run = fixed->chunks_per_run;
    plan->fan_in = fixed->fan_in;
    plan->arena_bytes = chunks * plan->chunk_bytes + gsi_plan_window_region(plan);
    plan->spilled_bytes = request->input_bytes;
    uint64_t run =
        gsi_mul_max_u64(plan->chunks_per_run, gsi_plan_chunk_capacity(plan, plan->chunk_bytes));
    uint64_t rest = request->input_bytes - gsi_min_u64(fixed->run_bytes, request->input_bytes);
    plan->run_count = gsi_ceil_div_u64(request->input_bytes, run);
    plan->spilled_runs = plan->run_count;
    uint64_t runs = gsi_add_max_u64(fixed->run_count, gsi_ceil_div_u64(rest, run));
    uint64_t fed = gsi_clamp_u64(gsi_max_u64(runs, plan->run_count), 1, plan->fan_in);
    if (chunks < 3)
        return gsi_plan_too_small(request, error);
    return fed <= gsi_plan_runs_at_once(plan, chunks) ? GS_OK
                                                      : gsi_plan_too_many_runs(request, fed, error);
}

/* Plans the rest of an interrupted sort, whose spilled runs exist. An ordinary plan usually has the
 * sizes that the journal contains. If it has other sizes, the plan is made with the journal's
 * sizes. */
static enum gs_status plan_resumed(const struct gsi_plan_request *request, struct gsi_plan *plan,
                                   uint64_t usable, struct gs_error *error)
{
    struct gsi_plan common = *plan;
    struct gs_error unheard = {0};
    if (gsi_plan_make_with_tables(request, plan, usable, plan_spilled, table_bytes, &unheard) ==
            GS_OK &&
        has_same_sizes(plan, &request->fixed))
        return GS_OK;
    *plan = common;
    if (request->input_bytes == UINT64_MAX || !are_sizes_valid(&request->fixed, plan))
        return gsi_fail(error, GS_E_USAGE, 0,
                        "--resume: the sizes in the journal do not suit this input; remove the "
                        "directory to start again");
    return gsi_plan_make_with_tables(request, plan, usable, plan_with_fixed_sizes, table_bytes,
                                     error);
}

enum gs_status gsi_plan_runs(const struct gsi_plan_request *request, struct gsi_plan *plan,
                             uint64_t usable, struct gs_error *error)
{
    if (request->has_fixed)
        return plan_resumed(request, plan, usable, error);
    struct gsi_plan resident = *plan;
    if (!plan_resident(request, &resident, usable))
        return gsi_plan_make_with_tables(request, plan, usable, plan_spilled, table_bytes, error);
    *plan = resident;
    return GS_OK;
}

/* ---- one pass for input that is nearly in order (output/one_pass.h) ---- */

uint64_t gsi_plan_min_free_chunks(const struct gsi_plan *plan, uint64_t chunks)
{
    return gsi_max_u64((uint64_t)plan->thread_count + 2, chunks / 4);
}

/* A chunk buffer is free only after all its elements were written. So one pass holds back at most
 * two thirds of the chunks, and the rest are for partly written chunks. */
void gsi_plan_one_pass(const struct gsi_plan_request *request, struct gsi_plan *plan)
{
    uint64_t region = plan->arena_bytes - gsi_plan_window_region(plan);
    uint64_t chunks = region / gsi_max_u64(plan->chunk_bytes, 1);
    uint64_t low = gsi_plan_min_free_chunks(plan, chunks);
    if (!request->may_write_early || plan->spilled_runs == 0 || chunks <= low + 2)
        return;
    uint64_t held = (chunks - low) * 2 / 3 * gsi_plan_chunk_capacity(plan, plan->chunk_bytes);
    if (held >= 2 * plan->window_bytes)
        plan->late_bytes = held;
}
