/* plan_make.c: chunk, runs, frames, windows and passes for a given size and memory. */
#include "plan/plan_parts.h"

#include "base/checked.h"
#include "plan/plan_room.h"

#include <string.h>

#define KIB ((uint64_t)1 << 10)
#define MIB ((uint64_t)1 << 20)

#define UNIT GSI_PLAN_UNIT

/* Chunks: small enough that sorting the last one delays the output little (64 MiB: about 50 ms),
 * large enough that a merge of all of them stays cheap: a cut costs about 0.5 us a run (gsort-bench
 * merge). */
#define CHUNK_MIN_BYTES  (256 * KIB)
#define CHUNK_MAX_BYTES  (64 * MIB)
#define RESIDENT_CHUNKS  64
#define SPILL_CHUNKS_MIN 8
#define RUNS_PREFERRED   512

/* Frames and windows: 1 to 4 MiB reach a disk's limit at depth 8 (gsort-bench disk). */
#define FRAME_MIN_BYTES  (64 * KIB)
#define FRAME_MAX_BYTES  (1 * MIB)
#define WINDOW_MIN_BYTES (64 * KIB)
#define WINDOW_MAX_BYTES (2 * MIB)
#define WINDOWS_IN_WRITE 8

/* To a GPU and back: 16 MiB keep the link busy (0.3 ms at 55 GB/s), and it needs no thread each. */
#define DEVICE_WINDOW_MAX_BYTES (16 * MIB)
#define DEVICE_WINDOW_PART      128

/* A run's share of memory, a third of which is one read: below about 1 MiB small reads take a disk
 * with seeks longer than another pass, which reads and writes everything once more. With less than
 * 64 MiB it is a 64th of the memory instead: with fewer runs at once there would soon be two more
 * passes, and a disk without seeks reads 64 KiB nearly as fast, many of them at a time. */
#define SHARE_MIN_BYTES (128 * KIB)
#define SHARE_MAX_BYTES (1 * MIB)

/* Tables: bytes a buffer takes, and in a merge for each window. */
#define BUFFER_TABLE_BYTES 448
#define SLICE_TABLE_BYTES  48

static uint64_t round_unit(uint64_t bytes)
{
    return gsi_max_u64(UNIT, gsi_round_down_u64(bytes, UNIT));
}

uint64_t gsi_plan_fit_unit(const struct gs_plan *plan, uint64_t bytes)
{
    uint32_t record = plan->record_bytes;
    return record == 0 ? round_unit(bytes)
                       : gsi_record_room_bytes(record, gsi_record_room_power(record, bytes));
}

uint64_t gsi_plan_least_unit(const struct gs_plan *plan)
{
    return plan->record_bytes == 0 ? UNIT : gsi_record_room_bytes(plan->record_bytes, 1);
}

static uint64_t window_region(const struct gs_plan *plan)
{
    return plan->window_count * plan->window_bytes;
}

static uint64_t largest_chunk(uint64_t bytes)
{
    return gsi_max_u64(CHUNK_MAX_BYTES, bytes / RUNS_PREFERRED);
}

uint64_t gsi_plan_frames_beside(const struct gs_plan *plan)
{
    uint64_t room = gsi_plan_frame_room(plan, plan->frame_bytes);
    if (plan->is_merge && plan->record_bytes == 0 && plan->frame_bytes > UNIT)
        room = plan->frame_bytes - UNIT; /* of an input behind a header (input/file_reader.c) */
    return gsi_ceil_div_u64(gsi_plan_window_room(plan, plan->window_bytes), room) + 2;
}

/* Of every run two frames may be there and of no use: what the last window left of one, and one
 * that begins behind the bound (or is short, because it is the last). The others must fill a
 * window, or the merge would wait for ever; two more keep reads in flight. */
static uint64_t fed_runs(const struct gs_plan *plan, uint64_t chunks)
{
    uint64_t frames = chunks * (plan->chunk_bytes / plan->frame_bytes);
    uint64_t others = gsi_plan_frames_beside(plan);
    return frames > others ? (frames - others) / 2 : 0;
}

bool gsi_plan_feed_is_enough(const struct gs_plan *plan, uint64_t chunks, uint64_t spilled)
{
    return spilled <= fed_runs(plan, chunks);
}

enum gs_status gsi_plan_too_small(const struct gsi_plan_request *request, struct gs_error *error)
{
    return gsi_fail(error, GS_E_USAGE, 0, "--memory: %llu bytes are too few to sort in",
                    (unsigned long long)request->memory_bytes);
}

/* Memory that is not for packing and unpacking. */
static uint64_t sorting_bytes(const struct gsi_plan_request *request)
{
    return request->memory_bytes - gsi_min_u64(request->format_bytes, request->memory_bytes);
}

/* As many as were asked for, if `bytes` are enough for them and the process. */
static uint64_t fitting_threads(const struct gsi_plan_request *request, uint64_t bytes)
{
    uint64_t left = bytes - gsi_min_u64(bytes, GSI_PLAN_PROCESS_BYTES);
    return gsi_clamp_u64(left / gsi_max_u64(1, request->thread_bytes), 1, request->thread_count);
}

static enum gs_status fail_window(uint64_t window_bytes, struct gs_error *error)
{
    return gsi_fail(error, GS_E_USAGE, 0,
                    "--window: two windows of %llu bytes do not fit into half of --memory",
                    (unsigned long long)window_bytes);
}

/* Threads and windows: what every kind of job has. */
static enum gs_status plan_common(const struct gsi_plan_request *request, struct gs_plan *plan,
                                  uint64_t *usable, struct gs_error *error)
{
    uint64_t memory = sorting_bytes(request);
    uint64_t threads = fitting_threads(request, memory / 2);
    uint64_t taken = threads * request->thread_bytes;
    if (memory < taken + GSI_PLAN_LEAST_BYTES)
        return gsi_plan_too_small(request, error);
    *usable = memory - GSI_PLAN_PROCESS_BYTES - taken;
    plan->thread_count = (uint32_t)threads;
    bool has_device = request->device_bytes > 0;
    uint64_t most_window = has_device ? gsi_clamp_u64(request->device_bytes / DEVICE_WINDOW_PART,
                                                      WINDOW_MIN_BYTES, DEVICE_WINDOW_MAX_BYTES)
                                      : WINDOW_MAX_BYTES;
    plan->window_bytes =
        round_unit(request->window_bytes > 0
                       ? request->window_bytes
                       : gsi_max_u64(gsi_clamp_u64(*usable / 64, WINDOW_MIN_BYTES, most_window),
                                     gsi_plan_least_unit(plan)));
    if (plan->window_bytes > GSI_FRAME_BYTES_MAX) /* a frame may be as large */
        return gsi_fail(error, GS_E_USAGE, 0, "--window: %llu bytes are more than %llu",
                        (unsigned long long)plan->window_bytes,
                        (unsigned long long)GSI_FRAME_BYTES_MAX);
    if (plan->window_bytes < gsi_plan_least_unit(plan))
        return gsi_fail(error, GS_E_USAGE, 0, "--window: a record needs at least %llu",
                        (unsigned long long)gsi_plan_least_unit(plan));
    uint64_t fitting = *usable / 4 / plan->window_bytes;
    plan->window_count = (uint32_t)gsi_clamp_u64(
        fitting, 2, has_device ? WINDOWS_IN_WRITE : threads + WINDOWS_IN_WRITE);
    return window_region(plan) > *usable / 2 ? fail_window(plan->window_bytes, error) : GS_OK;
}

void gsi_plan_raise_window(const struct gsi_plan_request *request, struct gs_plan *plan,
                           uint64_t least)
{
    if (request->window_bytes > 0 || plan->window_bytes >= least)
        return;
    uint64_t bytes = window_region(plan);
    plan->window_bytes = least;
    plan->window_count = (uint32_t)gsi_max_u64(2, bytes / least);
}

uint64_t gsi_plan_buffer_tables(const struct gs_plan *plan)
{
    uint64_t windows = plan->window_count;
    if (plan->frame_bytes > 0) /* runs are spilled through windows of one frame */
        windows = gsi_max_u64(windows, window_region(plan) / plan->frame_bytes);
    return BUFFER_TABLE_BYTES + (windows + 2) * SLICE_TABLE_BYTES;
}

/* Memory of `bytes` of data in chunks, the last one no larger than it must be; false: no number is
 * that large. */
static bool resident_bytes(const struct gs_plan *plan, uint64_t bytes, uint64_t chunk,
                           uint64_t *needed)
{
    uint64_t room = gsi_plan_chunk_room(plan, chunk), whole = bytes / room, rest = bytes % room;
    uint64_t rest_bytes = gsi_round_up_u64(rest, UNIT);
    if (plan->record_bytes > 0 && rest > 0)
        rest_bytes = gsi_record_room_bytes(plan->record_bytes, rest / plan->record_bytes);
    return gsi_mul_u64(whole, chunk, needed) && gsi_add_u64(*needed, rest_bytes, needed);
}

/* Everything fits: true, and the plan is done. */
static bool plan_resident(const struct gsi_plan_request *request, struct gs_plan *plan,
                          uint64_t usable)
{
    uint64_t bytes = request->input_bytes;
    if (bytes == UINT64_MAX || request->spill_all)
        return false;
    uint64_t chunks = gsi_max_u64(RESIDENT_CHUNKS, 4 * (uint64_t)plan->thread_count);
    uint64_t chunk =
        request->chunk_bytes > 0
            ? request->chunk_bytes
            : gsi_clamp_u64(gsi_ceil_div_u64(bytes, chunks), CHUNK_MIN_BYTES, largest_chunk(bytes));
    chunk =
        plan->record_bytes == 0 ? gsi_round_up_u64(chunk, UNIT) : gsi_plan_fit_unit(plan, chunk);
    uint64_t count = gsi_ceil_div_u64(bytes, gsi_plan_chunk_room(plan, chunk));
    uint64_t tables = count * gsi_plan_buffer_tables(plan);
    uint64_t data, needed;
    if (!resident_bytes(plan, bytes, chunk, &data) ||
        !gsi_add_u64(data, tables + window_region(plan), &needed) || needed > usable)
        return false;
    plan->chunk_bytes = chunk;
    plan->chunks_per_run = 1;
    plan->run_count = count;
    plan->arena_bytes = data + window_region(plan);
    plan->frame_bytes = gsi_min_u64(plan->window_bytes, FRAME_MAX_BYTES);
    plan->fan_in = UINT32_MAX;
    return true;
}

/* Chunk buffers for a job that spills: size and how many there are in `region` bytes. */
static uint64_t plan_chunks(const struct gsi_plan_request *request, struct gs_plan *plan,
                            uint64_t region, uint64_t least_bytes)
{
    uint64_t least = gsi_max_u64(SPILL_CHUNKS_MIN, 2 * (uint64_t)plan->thread_count + 4);
    uint64_t chosen = gsi_clamp_u64(region / least, least_bytes, largest_chunk(region));
    plan->chunk_bytes =
        gsi_plan_fit_unit(plan, request->chunk_bytes > 0 ? request->chunk_bytes : chosen);
    return region / plan->chunk_bytes;
}

/* Fewest chunks a run that bring the number of runs down to what is merged well at once; one, where
 * the chunk was asked for. */
static void plan_runs(const struct gsi_plan_request *request, struct gs_plan *plan, uint64_t chunks)
{
    uint64_t bytes = request->input_bytes;
    uint64_t most = request->chunk_bytes > 0 ? 1 : gsi_max_u64(1, chunks / 2);
    plan->chunks_per_run = 1;
    if (bytes == UINT64_MAX)
        return;
    uint64_t pieces = gsi_ceil_div_u64(bytes, gsi_plan_chunk_room(plan, plan->chunk_bytes));
    uint64_t needed = gsi_ceil_div_u64(pieces, gsi_min_u64(plan->fan_in, RUNS_PREFERRED));
    plan->chunks_per_run = (uint32_t)gsi_clamp_u64(needed, 1, most);
    plan->run_count = gsi_ceil_div_u64(pieces, plan->chunks_per_run);
}

static uint64_t share_bytes(uint64_t region, uint64_t least)
{
    return gsi_max_u64(gsi_clamp_u64(region / 64, SHARE_MIN_BYTES, SHARE_MAX_BYTES), 3 * least);
}

uint32_t gsi_plan_fan_in(const struct gsi_plan_request *request, uint64_t region, uint64_t least)
{
    uint64_t most = gsi_clamp_u64(region / share_bytes(region, least), 2, 1 << 20);
    return (uint32_t)(request->fan_in > 0 ? gsi_min_u64(request->fan_in, most) : most);
}

/* Fewest runs to spill, so that the others and what feeds the spilled ones fit into `chunks`
 * buffers. */
static uint64_t fewest_spilled(const struct gs_plan *plan, uint64_t chunks, uint64_t share)
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

/* Smallest frame whose tables stay within their part of memory. 0: even the largest is too small.
 */
uint64_t gsi_plan_smallest_frame(const struct gsi_plan_request *request, uint64_t usable)
{
    uint32_t record = request->record_bytes;
    uint64_t least = record == 0 ? UNIT : gsi_record_room_bytes(record, 1);
    if (request->input_bytes == UINT64_MAX)
        return least;
    uint64_t frames = usable / GSI_PLAN_FRAME_TABLE_PART / GSI_PLAN_FRAME_TABLE_BYTES;
    uint64_t bytes = gsi_ceil_div_u64(request->input_bytes, frames), frame;
    if (record == 0) {
        frame = gsi_max_u64(UNIT, gsi_round_up_u64(bytes, UNIT));
    } else {
        uint64_t n = 1;
        while (n * record < bytes)
            n *= 2;
        frame = gsi_record_room_bytes(record, n);
    }
    return frame <= FRAME_MAX_BYTES ? frame : 0;
}

uint64_t gsi_plan_frame_wanted(const struct gsi_plan_request *request, const struct gs_plan *plan,
                               uint64_t bytes)
{
    uint64_t frame = gsi_clamp_u64(bytes, FRAME_MIN_BYTES, FRAME_MAX_BYTES);
    return request->window_bytes > 0 ? plan->window_bytes : gsi_min_u64(frame, plan->window_bytes);
}

enum gs_status gsi_plan_too_many_runs(const struct gsi_plan_request *request, uint64_t runs,
                                      struct gs_error *error)
{
    return gsi_fail(error, GS_E_USAGE, 0,
                    "--memory: %llu bytes are too few to merge %llu runs at once with this "
                    "--batch-size and --window",
                    (unsigned long long)request->memory_bytes, (unsigned long long)runs);
}

/* The frame: a third of a run's share; two frames a run may be of no use at a time, the others are
 * read ahead. A chunk buffer is carved into whole frames, so the frame is an even part of it. */
enum gs_status gsi_plan_frames(const struct gsi_plan_request *request, struct gs_plan *plan,
                               uint64_t chunks, uint64_t least, struct gs_error *error)
{
    uint64_t inputs = gsi_clamp_u64(plan->spilled_runs, 1, plan->fan_in);
    uint64_t most = gsi_min_u64(plan->window_bytes, plan->chunk_bytes);
    uint64_t frame =
        gsi_clamp_u64(chunks * plan->chunk_bytes / inputs / 3, FRAME_MIN_BYTES, FRAME_MAX_BYTES);
    frame = gsi_max_u64(request->window_bytes > 0 ? most : gsi_min_u64(frame, most), least);
    for (;; frame /= 2) {
        uint64_t parts = gsi_ceil_div_u64(plan->chunk_bytes, gsi_max_u64(frame, least));
        plan->frame_bytes = gsi_plan_fit_unit(plan, plan->chunk_bytes / parts);
        if (plan->frame_bytes < least || plan->frame_bytes > most)
            plan->frame_bytes = least;
        if (gsi_plan_feed_is_enough(plan, chunks, inputs) && plan->frame_bytes <= most)
            return GS_OK;
        if (plan->frame_bytes <= least)
            break;
    }
    /* Little memory for very much input: fewer runs at once, and more passes. */
    uint64_t possible = plan->frame_bytes <= most ? fed_runs(plan, chunks) : 0;
    bool is_stream = request->input_bytes == UINT64_MAX;
    if (request->fan_in == 0 && possible >= 2 &&
        (is_stream || plan->spilled_runs == plan->run_count)) {
        plan->fan_in = (uint32_t)gsi_min_u64(plan->fan_in, possible);
        plan->spilled_runs = is_stream ? plan->fan_in : plan->run_count;
        return GS_OK;
    }
    return gsi_plan_too_many_runs(request, inputs, error);
}

static enum gs_status plan_spilled(const struct gsi_plan_request *request, struct gs_plan *plan,
                                   uint64_t usable, uint64_t tables, struct gs_error *error)
{
    if (usable < tables + window_region(plan) + 2 * plan->window_bytes)
        return gsi_plan_too_small(request, error);
    uint64_t region = usable - tables - window_region(plan);
    uint64_t least_frame = gsi_plan_smallest_frame(request, usable);
    if (least_frame == 0)
        return gsi_fail(
            error, GS_E_USAGE, 0, "--memory: %llu bytes are too few for %llu bytes of input",
            (unsigned long long)request->memory_bytes, (unsigned long long)request->input_bytes);
    gsi_plan_raise_window(request, plan, least_frame);
    uint64_t chunks = plan_chunks(request, plan, region, least_frame);
    if (chunks < 3 || plan->chunk_bytes < least_frame)
        return request->chunk_bytes > 0
                   ? gsi_fail(error, GS_E_USAGE, 0,
                              "--chunk: must be at least %llu, and three must fit into what "
                              "--memory leaves for them (%llu)",
                              (unsigned long long)least_frame, (unsigned long long)region)
                   : gsi_plan_too_small(request, error);
    plan->arena_bytes = chunks * plan->chunk_bytes + window_region(plan);
    plan->fan_in = gsi_plan_fan_in(request, region, least_frame);
    plan_runs(request, plan, chunks);
    uint64_t feed_chunks = chunks;
    if (request->input_bytes != UINT64_MAX) {
        plan->spilled_runs = request->spill_all
                                 ? plan->run_count
                                 : fewest_spilled(plan, chunks, share_bytes(region, least_frame));
        plan->spilled_bytes =
            gsi_min_u64(request->input_bytes, plan->spilled_runs * plan->chunks_per_run *
                                                  gsi_plan_chunk_room(plan, plan->chunk_bytes));
        feed_chunks -= (plan->run_count - plan->spilled_runs) * plan->chunks_per_run;
    } else {
        plan->spilled_runs = plan->fan_in; /* be ready for as many */
    }
    return gsi_plan_frames(request, plan, feed_chunks, least_frame, error);
}

static uint64_t table_bytes(const struct gsi_plan_request *request, const struct gs_plan *plan)
{
    uint64_t frames =
        sorting_bytes(request) / 8 / GSI_PLAN_FRAME_TABLE_BYTES; /* of a stream: a guess */
    if (request->input_bytes != UINT64_MAX)
        frames =
            gsi_ceil_div_u64(plan->spilled_bytes, gsi_plan_frame_room(plan, plan->frame_bytes)) +
            plan->spilled_runs;
    uint64_t buffers =
        plan->arena_bytes / plan->frame_bytes + plan->arena_bytes / plan->chunk_bytes;
    uint64_t blocks = 0; /* of places of records: those of resident runs, too */
    if (plan->record_bytes > 0 && request->input_bytes != UINT64_MAX)
        blocks =
            gsi_ceil_div_u64(request->input_bytes, gsi_plan_frame_room(plan, plan->frame_bytes));
    return frames * GSI_PLAN_FRAME_TABLE_BYTES + blocks * sizeof(void *) +
           buffers * gsi_plan_buffer_tables(plan);
}

/* With tables that it has room for. */
static enum gs_status plan_with_tables(const struct gsi_plan_request *request, struct gs_plan *plan,
                                       uint64_t usable, struct gs_error *error)
{
    struct gs_plan common = *plan;
    uint64_t tables = 0, needed = 0;
    for (int i = 0; i < GSI_PLAN_TABLE_ROUNDS; i++) {
        *plan = common;
        enum gs_status status = plan_spilled(request, plan, usable, tables, error);
        if (status != GS_OK || (needed = table_bytes(request, plan)) <= tables)
            return status;
        tables = needed;
    }
    return gsi_plan_too_small(request, error);
}

/* Of --top much is kept in memory only where the input is not. */
static enum gs_status plan_sort(const struct gsi_plan_request *request, struct gs_plan *plan,
                                uint64_t usable, struct gs_error *error)
{
    struct gs_plan common = *plan;
    if (request->device_bytes > 0) {
        GSI_TRY(gsi_plan_device(request, plan, usable, error));
    } else if (!plan_resident(request, plan, usable)) {
        GSI_TRY(plan_with_tables(request, plan, usable, error));
    }
    if (plan->spilled_runs > 0 && gsi_plan_top(request, &common, usable))
        *plan = common;
    return GS_OK;
}

void gsi_plan_reading(const struct gsi_plan_request *request, struct gs_plan *plan, uint64_t bytes)
{
    uint64_t most = plan->thread_count + WINDOWS_IN_WRITE + GSI_PLAN_READS;
    uint64_t count = gsi_min_u64(bytes / plan->window_bytes, most);
    bool has_device = request->device_bytes > 0; /* its windows are larger than a transfer */
    if (!has_device && count > plan->window_count)
        plan->window_count = (uint32_t)count;
    plan->chunk_bytes = plan->window_bytes;
    plan->arena_bytes = window_region(plan);
    plan->device_mirror_bytes = has_device ? plan->arena_bytes : 0;
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

/* The request, without numbers that sums and products could overflow with. */
static enum gs_status bound_request(const struct gsi_plan_request *request,
                                    struct gsi_plan_request *bounded, struct gs_error *error)
{
    uint64_t most = GSI_PLAN_MOST_BYTES, input = request->input_bytes;
    if (input != UINT64_MAX && input > most && !request->is_reduction)
        return gsi_fail(error, GS_E_INPUT, 0,
                        "the input is %llu bytes; at most %llu (1 EiB) are sorted at once",
                        (unsigned long long)input, (unsigned long long)most);
    if (request->window_bytes > most)
        return fail_window(request->window_bytes, error);
    *bounded = *request;
    bounded->memory_bytes = gsi_min_u64(request->memory_bytes, most);
    bounded->chunk_bytes = gsi_min_u64(request->chunk_bytes, most);
    bounded->device_bytes = gsi_min_u64(request->device_bytes, most);
    return GS_OK;
}

/* Runs, and buffers of the arena, are counted in 32 bits. */
static enum gs_status check_counts(const struct gs_plan *plan, struct gs_error *error)
{
    uint64_t buffers = plan->arena_bytes / gsi_min_u64(plan->chunk_bytes, plan->window_bytes);
    if (plan->frame_bytes > 0)
        buffers = gsi_max_u64(buffers, plan->arena_bytes / plan->frame_bytes);
    if (plan->run_count > UINT32_MAX)
        return gsi_fail(error, GS_E_USAGE, 0,
                        "%llu runs are more than %u; raise --chunk, or give fewer inputs at a time",
                        (unsigned long long)plan->run_count, UINT32_MAX);
    if (buffers > UINT32_MAX)
        return gsi_fail(error, GS_E_USAGE, 0,
                        "%llu buffers are more than %u; raise --chunk or --window, or lower "
                        "--memory",
                        (unsigned long long)buffers, UINT32_MAX);
    return GS_OK;
}

static enum gs_status make_bounded(const struct gsi_plan_request *request, struct gs_plan *plan,
                                   struct gs_error *error)
{
    uint64_t usable = 0;
    memset(plan, 0, sizeof *plan);
    plan->input_bytes = request->input_bytes;
    plan->output_bytes = output_bytes(request);
    plan->memory_bytes = request->memory_bytes;
    plan->record_bytes = request->record_bytes;
    GSI_TRY(plan_common(request, plan, &usable, error));
    if (request->is_reduction) {
        gsi_plan_reading(request, plan, usable / 2);
    } else if (request->is_merge) {
        GSI_TRY(gsi_plan_merge(request, plan, usable, error));
    } else if (!gsi_plan_top_is_little(request) || !gsi_plan_top(request, plan, usable)) {
        GSI_TRY(plan_sort(request, plan, usable, error));
    }
    if (!request->is_merge)
        gsi_plan_predict(request, plan);
    return check_counts(plan, error);
}

enum gs_status gsi_plan_make(const struct gsi_plan_request *request, struct gs_plan *plan,
                             struct gs_error *error)
{
    struct gsi_plan_request bounded;
    enum gs_status status = bound_request(request, &bounded, error);
    return status == GS_OK ? make_bounded(&bounded, plan, error) : status;
}
