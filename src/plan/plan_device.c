/* plan_device.c: makes the plan for a device with its own memory.
 *
 *     host    [ chunk buffer ] .. [ window ] ..            one ring to the device, and one back
 *             [ run ][ run ] ..                            runs that do not fit on the device
 *     device  [ run ][ run ] .. [ spare ] [ scratch ] [ windows ] [ mirror of the chunk buffers ]
 *
 * Runs fill the device first, then the rest of host memory, then the disk. In host memory they are
 * stored as they are, pinned, to be copied at the speed of the link (plan_rings.h). On disk they
 * are frames, which threads compress and check. The mirror is for frames: without them there is
 * none.
 *
 * A sort moves data back and forth between a run and the spare. So each run is a small part of the
 * memory. */
#include "base/checked.h"
#include "device/device.h"
#include "plan/plan.h"
#include "plan/plan_parts.h"
#include "plan/plan_rings.h"
#include "run/frame.h"

#define MIB ((uint64_t)1 << 20)

/* Counters, tables, and the rounding of allocations. */
#define FIXED_BYTES (8 * MIB)

/* Windows on the device, including one for trees; each has room for aligned groups. One more is for
 * runs stored in parts, and one for compressed frames, four of a quarter each. */
#define WINDOW_COPIES     6
#define WINDOW_ROOM_BYTES ((uint64_t)16 << 10)

/* Sizes of a transferred chunk: long enough to keep the link busy, with several in flight. */
#define CHUNK_MIN_BYTES ((uint64_t)256 << 10)
#define CHUNK_MAX_BYTES (32 * MIB)
#define CHUNKS_IN_RING  12

/* Runs of a resident job, or parts of them on several devices: as many as are merged in one pass.
 * The last one is sorted when nothing is left to copy. So more and shorter runs would be better
 * only if merging them cost nothing. */
#define RESIDENT_RUNS      16
#define RESIDENT_RUN_BYTES (64 * MIB)

/* For a job that spills: one run arrives, one is sorted, one is written out, the others wait. */
#define SPILL_RUNS 6

/* For a job that keeps runs on the host: enough runs that little memory is idle. There are fewer
 * and longer ones if the rings could not serve so many. */
#define HELD_RUNS       16
#define HELD_RUNS_LEAST (GSI_PLAN_CYCLE_RUNS + 2) /* one stays, plus the spare */

/* Requesting a shorter window would take longer than copying it. */
#define HELD_WINDOW_MIN_BYTES MIB

/* Most runs on the host, or parts of them on several devices. Together with all others there are no
 * more than a cut has threads. */
#define HOST_RUNS_MAX 512
#define CUT_RUNS_MAX  1024

/* Most spilled runs merged at once; the cut has a thread for each of 1024 runs, including those
 * that are not on disk. */
#define FAN_IN_MAX       128
#define FRAMES_A_WINDOW  4
#define MIRROR_MAX_BYTES (4096 * MIB)
#define MIRROR_PART      4

/* Returns the smallest frame, so that a window holds at most FRAMES_A_WINDOW frames. Frames of
 * records double in size. */
static uint64_t least_frame(const struct gsi_plan *plan)
{
    uint32_t record = plan->record_bytes;
    uint64_t frame = gsi_plan_fit_unit(plan, plan->window_bytes / FRAMES_A_WINDOW);
    if (record == 0 || frame * FRAMES_A_WINDOW >= plan->window_bytes)
        return frame;
    return gsi_record_room_bytes(record, 2 * gsi_record_room_power(record, frame));
}

/* Returns the bytes of the table of record places: one pointer per frame's content, over a range of
 * indexes in which runs leave gaps. */
static uint64_t places_bytes(const struct gsi_plan_request *request, const struct gsi_plan *plan)
{
    if (plan->record_bytes == 0 || request->input_bytes == UINT64_MAX)
        return 0;
    uint64_t room = gsi_plan_frame_room(plan, least_frame(plan));
    return gsi_ceil_div_u64(request->input_bytes, room) * GSI_DEVICE_BLOCKS_A_FRAME *
           sizeof(void *);
}

static uint64_t fixed_bytes(const struct gsi_plan_request *request, const struct gsi_plan *plan)
{
    return FIXED_BYTES + request->device_fixed_bytes + places_bytes(request, plan) +
           WINDOW_COPIES * (plan->window_bytes + WINDOW_ROOM_BYTES);
}

static uint64_t device_count(const struct gsi_plan_request *request)
{
    return gsi_max_u32(1, request->device_count);
}

/* Returns the bytes on each device for its part of `runs` runs, the spare and scratch. */
static uint64_t runs_bytes(const struct gsi_plan_request *request, uint64_t runs, uint64_t run)
{
    uint64_t part = gsi_ceil_div_u64(run, device_count(request));
    return (runs + 1) * part + part / gsi_max_u64(1, request->device_scratch_part);
}

static uint64_t chunk_bytes(const struct gsi_plan_request *request, const struct gsi_plan *plan,
                            uint64_t region)
{
    uint64_t bytes = request->chunk_bytes, input = request->input_bytes;
    if (bytes == 0)
        bytes = gsi_clamp_u64(region / CHUNKS_IN_RING, CHUNK_MIN_BYTES, CHUNK_MAX_BYTES);
    if (plan->record_bytes > 0) {
        while (bytes > CHUNK_MIN_BYTES && gsi_plan_chunk_room(plan, bytes / 2) >= input)
            bytes /= 2;
        return gsi_plan_fit_unit(plan, bytes);
    }
    if (input != UINT64_MAX)
        bytes = gsi_min_u64(bytes, gsi_max_u64(1, input));
    return gsi_round_up_u64(bytes, GSI_PLAN_UNIT * gsi_max_u64(1, request->put_parts));
}

static void set_runs(const struct gsi_plan_request *request, struct gsi_plan *plan, uint64_t chunks,
                     uint64_t runs)
{
    plan->chunks_per_run = (uint32_t)chunks;
    plan->device_run_bytes = chunks * plan->chunk_bytes;
    plan->device_runs = (uint32_t)runs;
    plan->device_count = device_count(request);
    if (request->input_bytes != UINT64_MAX)
        plan->run_count = gsi_ceil_div_u64(request->input_bytes, gsi_plan_run_room(plan));
}

static void finish(const struct gsi_plan_request *request, struct gsi_plan *plan, uint64_t ring)
{
    plan->arena_bytes = ring * plan->chunk_bytes + gsi_plan_window_region(plan);
    plan->device_bytes = fixed_bytes(request, plan) + plan->device_mirror_bytes +
                         runs_bytes(request, plan->device_runs, plan->device_run_bytes);
}

/* Plans for runs of `run` bytes or slightly more. Returns true if everything fits on the device;
 * then the plan is complete. */
static bool plan_resident_runs(const struct gsi_plan_request *request, struct gsi_plan *plan,
                               uint64_t ring, uint64_t run)
{
    uint64_t bytes = request->input_bytes, count = device_count(request);
    uint64_t room = gsi_plan_chunk_room(plan, plan->chunk_bytes);
    uint64_t chunks = gsi_round_up_u64(gsi_max_u64(1, gsi_ceil_div_u64(run, room)), count);
    uint64_t runs = gsi_max_u64(1, gsi_ceil_div_u64(bytes, chunks * room));
    if (bytes / count > request->device_bytes ||
        fixed_bytes(request, plan) + runs_bytes(request, runs, chunks * plan->chunk_bytes) >
            request->device_bytes)
        return false;
    set_runs(request, plan, chunks, runs);
    plan->frame_bytes = gsi_plan_fit_unit(plan, plan->window_bytes / FRAMES_A_WINDOW);
    plan->fan_in = UINT32_MAX;
    finish(request, plan, gsi_min_u64(ring, gsi_ceil_div_u64(bytes, room)));
    return true;
}

/* Returns true if everything fits on the device; then the plan is complete. More and shorter runs
 * leave more room: merging them twice there is faster than moving some of them to the host and
 * back. */
static bool plan_resident(const struct gsi_plan_request *request, struct gsi_plan *plan,
                          uint64_t ring)
{
    uint64_t bytes = request->input_bytes;
    if (bytes == UINT64_MAX || request->spill_all || request->device_is_apart)
        return false;
    if (request->chunk_bytes > 0)
        return plan_resident_runs(request, plan, ring,
                                  gsi_ceil_div_u64(bytes, GSI_DEVICE_RUNS_MAX));
    uint64_t most_runs = gsi_max_u64(2, RESIDENT_RUNS / device_count(request));
    uint64_t least = gsi_min_u64(bytes, RESIDENT_RUN_BYTES);
    bool is_done = plan_resident_runs(request, plan, ring,
                                      gsi_max_u64(gsi_ceil_div_u64(bytes, most_runs), least));
    while (!is_done && (most_runs *= 2) <= GSI_DEVICE_RUNS_MAX)
        is_done = plan_resident_runs(request, plan, ring, gsi_ceil_div_u64(bytes, most_runs));
    return is_done;
}

static enum gs_status device_too_small(const struct gsi_plan_request *request,
                                       struct gs_error *error)
{
    return gsi_fail(
        error, GS_E_MEMORY, 0,
        "--device-memory: %llu bytes are too few to sort with; raise it, or use --device cpu",
        (unsigned long long)request->device_bytes);
}

/* Returns how many run slots fit into `left` bytes, leaving room in a cut for runs on disk. */
static uint64_t fitting_runs(const struct gsi_plan_request *request, uint64_t run, uint64_t left)
{
    uint64_t runs = 2, most = (CUT_RUNS_MAX - FAN_IN_MAX) / device_count(request);
    while (runs < gsi_min_u64(most, GSI_DEVICE_RUNS_MAX) &&
           runs_bytes(request, runs + 1, run) <= left)
        runs++;
    return runs;
}

/* Returns the host memory for `runs` runs; 0: `bytes` are too few, or the rings would be too small.
 * Each of several devices has rings for the parts of all runs. */
static uint64_t host_bytes(const struct gsi_plan_request *request, const struct gsi_plan *plan,
                           uint64_t runs, uint64_t bytes)
{
    struct gsi_plan member = gsi_plan_member(plan);
    uint64_t count = gsi_max_u64(1, plan->device_count), parts = runs * count;
    uint64_t part = gsi_round_up_u64(gsi_plan_run_room(&member), GSI_PLAN_UNIT);
    bool is_fit = runs > 0 && parts <= HOST_RUNS_MAX &&
                  plan->device_runs + request->device_is_apart > GSI_PLAN_CYCLE_RUNS &&
                  parts + plan->device_runs * count <= CUT_RUNS_MAX &&
                  gsi_plan_ring_pieces(&member, parts, gsi_plan_ring_memories(plan)) >=
                      gsi_plan_ring_least(plan) + 2;
    return is_fit && parts <= bytes / part ? parts * part : 0;
}

/* Returns true if everything fits on the device and in host memory, besides `ring` chunks; then the
 * plan is complete. */
static bool plan_held(const struct gsi_plan_request *request, struct gsi_plan *plan,
                      uint64_t region, uint64_t ring)
{
    uint64_t fixed = fixed_bytes(request, plan), room = plan->chunk_bytes;
    uint64_t count = device_count(request);
    if (request->input_bytes == UINT64_MAX || request->spill_all || request->device_bytes < fixed ||
        (count > 1 && plan->record_bytes > 0)) /* tags of the parts of records are not shared */
        return false;
    uint64_t left = request->device_bytes - fixed;
    plan->frame_bytes = least_frame(plan);
    for (uint64_t parts = HELD_RUNS; parts >= HELD_RUNS_LEAST; parts--) {
        uint64_t chunks = count * (request->chunk_bytes > 0 ? 1 : left / parts / room);
        if (chunks == 0 || runs_bytes(request, 2, chunks * room) > left)
            continue;
        set_runs(request, plan, chunks,
                 request->device_is_apart ? GSI_PLAN_CYCLE_RUNS
                                          : fitting_runs(request, chunks * room, left));
        uint64_t kept = plan->device_runs - gsi_min_u64(GSI_PLAN_CYCLE_RUNS, plan->device_runs);
        if (plan->run_count <= kept)
            continue;
        plan->host_bytes = host_bytes(request, plan, plan->run_count - kept, region - ring * room);
        if (plan->host_bytes == 0)
            continue;
        plan->host_runs = (uint32_t)(plan->run_count - kept);
        plan->fan_in = UINT32_MAX;
        finish(request, plan, ring);
        return true;
    }
    plan->host_runs = 0;
    return false;
}

/* Tries the same with less memory for chunks in transfer, and with shorter windows, whose rings are
 * shorter. Leaves the plan unchanged if nothing fits. */
static bool plan_held_somehow(const struct gsi_plan_request *request, struct gsi_plan *plan,
                              uint64_t region, uint64_t ring)
{
    uint64_t least = gsi_max_u64(HELD_WINDOW_MIN_BYTES, gsi_plan_least_unit(plan));
    uint64_t window = plan->window_bytes;
    do {
        for (uint64_t chunks = gsi_min_u64(ring, CHUNKS_IN_RING); chunks >= 3; chunks /= 2) {
            struct gsi_plan held = *plan;
            held.window_bytes = window;
            if (plan_held(request, &held, region, chunks)) {
                *plan = held;
                return true;
            }
        }
        window = gsi_plan_round_unit(window / 2);
    } while (request->window_bytes == 0 && window >= least);
    return false;
}

/* Returns the chunks per run that allow SPILL_RUNS runs; fewer runs rather than none. 0: not even
 * two runs fit. */
static uint64_t spill_chunks(const struct gsi_plan_request *request, const struct gsi_plan *plan,
                             uint64_t left)
{
    uint64_t count = device_count(request);
    if (runs_bytes(request, 2, count * plan->chunk_bytes) > left)
        return 0;
    uint64_t chunks = gsi_max_u64(1, left / (SPILL_RUNS + 2) / plan->chunk_bytes);
    return count * (request->chunk_bytes > 0 ? 1 : chunks);
}

/* Returns the longest frame that gsi_plan_frames may choose. */
static uint64_t most_frame(const struct gsi_plan_request *request, const struct gsi_plan *plan)
{
    uint64_t most = gsi_min_u64(plan->window_bytes, plan->chunk_bytes);
    if (request->window_bytes == 0)
        most = gsi_min_u64(most, GSI_PLAN_FRAME_MAX_BYTES);
    return gsi_max_u64(least_frame(plan), gsi_plan_fit_unit(plan, most));
}

/* Uses the memory that the ring leaves for as many host runs as fit and can have rings. */
static void plan_host(const struct gsi_plan_request *request, struct gsi_plan *plan, uint64_t bytes)
{
    if (request->spill_all || device_count(request) > 1)
        return;
    uint64_t runs = gsi_min_u64(bytes / gsi_plan_run_room(plan), HOST_RUNS_MAX);
    while (runs > 0 && (plan->host_bytes = host_bytes(request, plan, runs, bytes)) == 0)
        runs--;
    plan->host_runs = (uint32_t)runs;
}

/* Computes how many runs go to disk. One run's memory stays free for the next run to arrive. */
static void set_spilled(const struct gsi_plan_request *request, struct gsi_plan *plan)
{
    if (request->input_bytes == UINT64_MAX) {
        plan->spilled_runs = plan->fan_in; /* be ready for that many */
        return;
    }
    uint64_t kept = gsi_plan_runs_kept(plan) - (plan->host_runs == 0);
    kept = gsi_min_u64(kept, gsi_max_u64(1, plan->run_count) - 1);
    plan->spilled_runs = request->spill_all ? plan->run_count : plan->run_count - kept;
    plan->spilled_bytes =
        gsi_min_u64(request->input_bytes, plan->spilled_runs * gsi_plan_run_room(plan));
}

static enum gs_status plan_spilled(const struct gsi_plan_request *request, struct gsi_plan *plan,
                                   uint64_t region, struct gs_error *error)
{
    uint64_t fixed = fixed_bytes(request, plan);
    if (request->device_bytes < fixed + 3 * plan->chunk_bytes)
        return device_too_small(request, error);
    uint64_t mirror = gsi_min_u64(gsi_min_u64(region, MIRROR_MAX_BYTES),
                                  (request->device_bytes - fixed) / MIRROR_PART);
    uint64_t ring = mirror / plan->chunk_bytes;
    plan->device_mirror_bytes = ring * plan->chunk_bytes;
    uint64_t left = request->device_bytes - fixed - plan->device_mirror_bytes;
    uint64_t chunks = spill_chunks(request, plan, left);
    if (ring < 3 || chunks == 0)
        return device_too_small(request, error);
    uint64_t least = gsi_plan_smallest_frame(request, region), frame = least_frame(plan);
    if (least == 0 || least > frame) /* the tables for so many frames do not fit */
        return device_too_small(request, error);
    set_runs(request, plan, chunks, fitting_runs(request, chunks * plan->chunk_bytes, left));
    plan->frame_bytes = most_frame(request, plan); /* pieces will be no longer */
    plan_host(request, plan, region - ring * plan->chunk_bytes);
    plan->fan_in =
        (uint32_t)gsi_clamp_u64(request->fan_in, request->fan_in > 0 ? 2 : FAN_IN_MAX, FAN_IN_MAX);
    set_spilled(request, plan);
    struct gs_error unheard = {0};
    enum gs_status status = gsi_plan_frames(request, plan, ring, frame,
                                            request->input_bytes != UINT64_MAX ? &unheard : error);
    if (status != GS_OK && request->input_bytes != UINT64_MAX) {
        /* too many runs to feed at once: all are spilled, some more than once */
        plan->spilled_runs = plan->run_count;
        plan->spilled_bytes = request->input_bytes;
        plan->host_runs = 0;
        plan->host_bytes = 0;
        status = gsi_plan_frames(request, plan, ring, frame, error);
    }
    finish(request, plan, ring);
    return status;
}

enum gs_status gsi_plan_device(const struct gsi_plan_request *request, struct gsi_plan *plan,
                               uint64_t usable, struct gs_error *error)
{
    uint64_t windows = gsi_plan_window_region(plan);
    if (usable < windows + 3 * GSI_PLAN_UNIT)
        return gsi_plan_too_small(request, error);
    uint64_t count = device_count(request);
    uint64_t region = (usable - windows) / (7 + count) * 7; /* the rest is for the tables of each
                                                             * device */
    plan->chunk_bytes =
        chunk_bytes(request, plan, gsi_min_u64(region, request->device_bytes / MIRROR_PART));
    if (request->window_bytes == 0) /* a frame is within one chunk */
        plan->window_bytes = gsi_min_u64(plan->window_bytes, FRAMES_A_WINDOW * plan->chunk_bytes);
    uint64_t ring = region / plan->chunk_bytes;
    if (ring < 3)
        return gsi_fail(error, GS_E_USAGE, 0,
                        "--chunk: three chunks of %llu bytes do not fit into what --memory leaves "
                        "for them, %llu bytes",
                        (unsigned long long)plan->chunk_bytes, (unsigned long long)region);
    if (plan_resident(request, plan, gsi_min_u64(ring, CHUNKS_IN_RING)))
        return GS_OK;
    if (plan_held_somehow(request, plan, region, ring))
        return GS_OK;
    if (!request->device_is_apart)
        return plan_spilled(request, plan, region, error);
    return gsi_fail(error, GS_E_MEMORY, 0,
                    "--device: these GPUs cannot read each other's memory, and the data do not fit "
                    "into --memory; name only one GPU");
}
