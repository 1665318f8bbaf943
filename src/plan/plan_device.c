/* plan_device.c: makes the plan for a device with its own memory.
 *
 *     host    [ chunk buffer ] .. [ window ] ..            chunks go to the device, windows return
 *             [ run ][ run ] ..                            runs that do not fit on the device
 *     device  [ run ][ run ] .. [ spare ] [ scratch ] [ windows ] [ mirror of the chunk buffers ]
 *
 * Runs fill the device first, then the rest of host memory, then the disk. Runs in host memory are
 * pinned and not compressed, so the link copies them at full speed (plan_rings.h). Runs on disk are
 * frames, which threads compress and check. The mirror contains frames during a merge; a job
 * without spilled runs has no mirror.
 *
 * To sort a run, the device moves data back and forth between the run and the spare, which is as
 * long as a run. So each run is a small part of the memory. */
#include "base/checked.h"
#include "device/device.h"
#include "plan/plan.h"
#include "plan/plan_parts.h"
#include "plan/plan_rings.h"
#include "run/frame.h"

#define MIB ((uint64_t)1 << 20)

/* Memory for counters, tables, and the rounding of allocations. */
#define FIXED_BYTES (8 * MIB)

/* Number of windows in the device's memory: four for merges, one for runs stored in parts, and one
 * for compressed frames. WINDOW_ROOM_BYTES more in each window aligns groups of elements. */
#define WINDOW_COPIES     6
#define WINDOW_ROOM_BYTES ((uint64_t)16 << 10)

/* Sizes of a chunk: long enough that a few transfers in flight keep the link busy. */
#define CHUNK_MIN_BYTES ((uint64_t)256 << 10)
#define CHUNK_MAX_BYTES (32 * MIB)
#define CHUNKS_IN_RING  12

/* Number of runs of a resident job, times the number of devices: as many as one pass merges. The
 * last run is sorted after all copies, so shorter runs would end reading earlier. But more runs
 * need a second merge pass. */
#define RESIDENT_RUNS      16
#define RESIDENT_RUN_BYTES (64 * MIB)

/* Run slots of a job that spills. One run is copied to the device, one is sorted, one is written to
 * disk, and the others wait. */
#define SPILL_RUNS 6

/* Run slots, with the spare, of a job that keeps runs in host memory: enough that little memory is
 * unused. There are fewer and longer slots if the rings would be too small for so many runs. */
#define RUN_SLOTS     16
#define RUN_SLOTS_MIN (GSI_PLAN_TRANSFER_SLOTS + 2) /* one run that stays, and the spare */

/* The smallest window: starting the transfer of a shorter window takes longer than the transfer. */
#define HOST_RUNS_WINDOW_MIN_BYTES MIB

/* Maximum number of runs in host memory, and of all runs, both times the number of devices. The
 * GPU's cut has one thread for each run. */
#define HOST_RUNS_MAX 512
#define CUT_RUNS_MAX  1024

/* Maximum number of spilled runs in one merge; CUT_RUNS_MAX includes them. */
#define FAN_IN_MAX       128
#define FRAMES_A_WINDOW  4
#define MIRROR_MAX_BYTES (4096 * MIB)
#define MIRROR_PART      4

/* Returns the smallest frame size for which a window has at most FRAMES_A_WINDOW frames. Possible
 * frames of records differ by a factor of two. */
static uint64_t smallest_frame(const struct gsi_plan *plan)
{
    uint32_t record = plan->record_bytes;
    uint64_t frame = gsi_plan_fit_buffer(plan, plan->window_bytes / FRAMES_A_WINDOW);
    if (record == 0 || frame * FRAMES_A_WINDOW >= plan->window_bytes)
        return frame;
    return gsi_record_room_bytes(record, 2 * gsi_record_room_power(record, frame));
}

/* Returns the bytes of the table that finds records by their indexes. The table has one pointer per
 * frame, and some more, because there are gaps between the indexes of runs. */
static uint64_t record_table_bytes(const struct gsi_plan_request *request,
                                   const struct gsi_plan *plan)
{
    if (plan->record_bytes == 0 || request->input_bytes == UINT64_MAX)
        return 0;
    uint64_t room = gsi_plan_frame_capacity(plan, smallest_frame(plan));
    return gsi_ceil_div_u64(request->input_bytes, room) * GSI_DEVICE_BLOCKS_A_FRAME *
           sizeof(void *);
}

static uint64_t fixed_device_bytes(const struct gsi_plan_request *request,
                                   const struct gsi_plan *plan)
{
    return FIXED_BYTES + request->device_fixed_bytes + record_table_bytes(request, plan) +
           WINDOW_COPIES * (plan->window_bytes + WINDOW_ROOM_BYTES);
}

static uint64_t device_count(const struct gsi_plan_request *request)
{
    return gsi_max_u32(1, request->device_count);
}

/* Returns the bytes on each device for its part of `runs` runs of `run` bytes, the spare and
 * scratch. */
static uint64_t device_bytes_for_runs(const struct gsi_plan_request *request, uint64_t runs,
                                      uint64_t run)
{
    uint64_t part = gsi_ceil_div_u64(run, device_count(request));
    return (runs + 1) * part + part / gsi_max_u64(1, request->device_scratch_part);
}

static uint64_t choose_chunk_bytes(const struct gsi_plan_request *request,
                                   const struct gsi_plan *plan, uint64_t region)
{
    uint64_t bytes = request->chunk_bytes, input = request->input_bytes;
    if (bytes == 0)
        bytes = gsi_clamp_u64(region / CHUNKS_IN_RING, CHUNK_MIN_BYTES, CHUNK_MAX_BYTES);
    if (plan->record_bytes > 0) {
        while (bytes > CHUNK_MIN_BYTES && gsi_plan_chunk_capacity(plan, bytes / 2) >= input)
            bytes /= 2;
        return gsi_plan_fit_buffer(plan, bytes);
    }
    if (input != UINT64_MAX)
        bytes = gsi_min_u64(bytes, gsi_max_u64(1, input));
    return gsi_round_up_u64(bytes, GSI_PLAN_UNIT * gsi_max_u64(1, request->elements_per_entry));
}

static void set_run_sizes(const struct gsi_plan_request *request, struct gsi_plan *plan,
                          uint64_t chunks, uint64_t runs)
{
    plan->chunks_per_run = (uint32_t)chunks;
    plan->device_run_bytes = chunks * plan->chunk_bytes;
    plan->device_runs = (uint32_t)runs;
    plan->device_count = device_count(request);
    if (request->input_bytes != UINT64_MAX)
        plan->run_count = gsi_ceil_div_u64(request->input_bytes, gsi_plan_run_capacity(plan));
}

static void set_memory_bytes(const struct gsi_plan_request *request, struct gsi_plan *plan,
                             uint64_t ring)
{
    plan->arena_bytes = ring * plan->chunk_bytes + gsi_plan_window_region(plan);
    plan->device_bytes = fixed_device_bytes(request, plan) + plan->device_mirror_bytes +
                         device_bytes_for_runs(request, plan->device_runs, plan->device_run_bytes);
}

/* Plans a job with runs of at least `run` bytes. Returns true if all runs fit on the device; then
 * the plan is complete. */
static bool plan_resident_runs(const struct gsi_plan_request *request, struct gsi_plan *plan,
                               uint64_t ring, uint64_t run)
{
    uint64_t bytes = request->input_bytes, count = device_count(request);
    uint64_t room = gsi_plan_chunk_capacity(plan, plan->chunk_bytes);
    uint64_t chunks = gsi_round_up_u64(gsi_max_u64(1, gsi_ceil_div_u64(run, room)), count);
    uint64_t runs = gsi_max_u64(1, gsi_ceil_div_u64(bytes, chunks * room));
    if (bytes / count > request->device_bytes ||
        fixed_device_bytes(request, plan) +
                device_bytes_for_runs(request, runs, chunks * plan->chunk_bytes) >
            request->device_bytes)
        return false;
    set_run_sizes(request, plan, chunks, runs);
    plan->frame_bytes = gsi_plan_fit_buffer(plan, plan->window_bytes / FRAMES_A_WINDOW);
    plan->fan_in = UINT32_MAX;
    set_memory_bytes(request, plan, gsi_min_u64(ring, gsi_ceil_div_u64(bytes, room)));
    return true;
}

/* Returns true if all runs fit on the device; then the plan is complete. If they do not fit, it
 * tries shorter runs, which need a smaller spare. Two merge passes on the device are faster than
 * copying some runs to the host and back. */
static bool plan_resident(const struct gsi_plan_request *request, struct gsi_plan *plan,
                          uint64_t ring)
{
    uint64_t bytes = request->input_bytes;
    if (bytes == UINT64_MAX || request->spill_all || request->lacks_peer_access)
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

static enum gs_status fail_device_too_small(const struct gsi_plan_request *request,
                                            struct gs_error *error)
{
    return gsi_fail(
        error, GS_E_MEMORY, 0,
        "--device-memory: %llu bytes are too few to sort with; raise it, or use --device cpu",
        (unsigned long long)request->device_bytes);
}

/* Returns how many slots for runs of `run` bytes fit into `left` bytes; at least 2. A cut can still
 * include FAN_IN_MAX runs on disk. */
static uint64_t fitting_run_slots(const struct gsi_plan_request *request, uint64_t run,
                                  uint64_t left)
{
    uint64_t runs = 2, most = (CUT_RUNS_MAX - FAN_IN_MAX) / device_count(request);
    while (runs < gsi_min_u64(most, GSI_DEVICE_RUNS_MAX) &&
           device_bytes_for_runs(request, runs + 1, run) <= left)
        runs++;
    return runs;
}

/* Returns the host memory for `runs` runs; 0: this needs more than `bytes`, or the rings would be
 * too small. Each device has rings for its parts of all runs. */
static uint64_t host_bytes_for_runs(const struct gsi_plan_request *request,
                                    const struct gsi_plan *plan, uint64_t runs, uint64_t bytes)
{
    struct gsi_plan member = gsi_plan_for_one_device(plan);
    uint64_t count = gsi_max_u64(1, plan->device_count), parts = runs * count;
    uint64_t part = gsi_round_up_u64(gsi_plan_run_capacity(&member), GSI_PLAN_UNIT);
    bool is_fit = runs > 0 && parts <= HOST_RUNS_MAX &&
                  plan->device_runs + request->lacks_peer_access > GSI_PLAN_TRANSFER_SLOTS &&
                  parts + plan->device_runs * count <= CUT_RUNS_MAX &&
                  gsi_plan_ring_pieces(&member, parts, gsi_plan_free_run_slots(plan)) >=
                      gsi_plan_least_ring_pieces(plan) + 2;
    return is_fit && parts <= bytes / part ? parts * part : 0;
}

/* Plans a job with `ring` chunk buffers and no spilled runs. Returns true if all runs fit on the
 * device and in host memory; then the plan is complete. */
static bool plan_host_runs(const struct gsi_plan_request *request, struct gsi_plan *plan,
                           uint64_t region, uint64_t ring)
{
    uint64_t fixed = fixed_device_bytes(request, plan), room = plan->chunk_bytes;
    uint64_t count = device_count(request);
    if (request->input_bytes == UINT64_MAX || request->spill_all || request->device_bytes < fixed ||
        (count > 1 && plan->record_bytes > 0)) /* devices do not exchange tags */
        return false;
    uint64_t left = request->device_bytes - fixed;
    plan->frame_bytes = smallest_frame(plan);
    for (uint64_t parts = RUN_SLOTS; parts >= RUN_SLOTS_MIN; parts--) {
        uint64_t chunks = count * (request->chunk_bytes > 0 ? 1 : left / parts / room);
        if (chunks == 0 || device_bytes_for_runs(request, 2, chunks * room) > left)
            continue;
        set_run_sizes(request, plan, chunks,
                      request->lacks_peer_access ? GSI_PLAN_TRANSFER_SLOTS
                                                 : fitting_run_slots(request, chunks * room, left));
        uint64_t kept = plan->device_runs - gsi_min_u64(GSI_PLAN_TRANSFER_SLOTS, plan->device_runs);
        if (plan->run_count <= kept)
            continue;
        plan->host_bytes =
            host_bytes_for_runs(request, plan, plan->run_count - kept, region - ring * room);
        if (plan->host_bytes == 0)
            continue;
        plan->host_runs = (uint32_t)(plan->run_count - kept);
        plan->fan_in = UINT32_MAX;
        set_memory_bytes(request, plan, ring);
        return true;
    }
    plan->host_runs = 0;
    return false;
}

/* Calls plan_host_runs with fewer and fewer chunk buffers, and then with shorter windows, which
 * need shorter rings. Returns false, with the plan unchanged, if no plan fits. */
static bool try_plan_host_runs(const struct gsi_plan_request *request, struct gsi_plan *plan,
                               uint64_t region, uint64_t ring)
{
    uint64_t least = gsi_max_u64(HOST_RUNS_WINDOW_MIN_BYTES, gsi_plan_smallest_buffer(plan));
    uint64_t window = plan->window_bytes;
    do {
        for (uint64_t chunks = gsi_min_u64(ring, CHUNKS_IN_RING); chunks >= 3; chunks /= 2) {
            struct gsi_plan smaller = *plan;
            smaller.window_bytes = window;
            if (plan_host_runs(request, &smaller, region, chunks)) {
                *plan = smaller;
                return true;
            }
        }
        window = gsi_plan_round_unit(window / 2);
    } while (request->window_bytes == 0 && window >= least);
    return false;
}

/* Returns the chunks per run with which SPILL_RUNS runs fit into `left` bytes; at least 1. 0: not
 * even two runs of one chunk fit. */
static uint64_t chunks_per_spilled_run(const struct gsi_plan_request *request,
                                       const struct gsi_plan *plan, uint64_t left)
{
    uint64_t count = device_count(request);
    if (device_bytes_for_runs(request, 2, count * plan->chunk_bytes) > left)
        return 0;
    uint64_t chunks = gsi_max_u64(1, left / (SPILL_RUNS + 2) / plan->chunk_bytes);
    return count * (request->chunk_bytes > 0 ? 1 : chunks);
}

/* Returns the size of the largest frame that gsi_plan_frames may choose. */
static uint64_t largest_frame(const struct gsi_plan_request *request, const struct gsi_plan *plan)
{
    uint64_t most = gsi_min_u64(plan->window_bytes, plan->chunk_bytes);
    if (request->window_bytes == 0)
        most = gsi_min_u64(most, GSI_PLAN_FRAME_MAX_BYTES);
    return gsi_max_u64(smallest_frame(plan), gsi_plan_fit_buffer(plan, most));
}

/* Sets host_runs and host_bytes to the most runs that fit into `bytes` of host memory and can have
 * rings. */
static void add_host_runs(const struct gsi_plan_request *request, struct gsi_plan *plan,
                          uint64_t bytes)
{
    if (request->spill_all || device_count(request) > 1)
        return;
    uint64_t runs = gsi_min_u64(bytes / gsi_plan_run_capacity(plan), HOST_RUNS_MAX);
    while (runs > 0 && (plan->host_bytes = host_bytes_for_runs(request, plan, runs, bytes)) == 0)
        runs--;
    plan->host_runs = (uint32_t)runs;
}

/* Computes how many runs are spilled. One slot stays free for the next run. */
static void set_spilled_runs(const struct gsi_plan_request *request, struct gsi_plan *plan)
{
    if (request->input_bytes == UINT64_MAX) {
        plan->spilled_runs = plan->fan_in; /* a stream may have that many */
        return;
    }
    uint64_t kept = gsi_plan_most_kept_runs(plan) - (plan->host_runs == 0);
    kept = gsi_min_u64(kept, gsi_max_u64(1, plan->run_count) - 1);
    plan->spilled_runs = request->spill_all ? plan->run_count : plan->run_count - kept;
    plan->spilled_bytes =
        gsi_min_u64(request->input_bytes, plan->spilled_runs * gsi_plan_run_capacity(plan));
}

static enum gs_status plan_spilled(const struct gsi_plan_request *request, struct gsi_plan *plan,
                                   uint64_t region, struct gs_error *error)
{
    uint64_t fixed = fixed_device_bytes(request, plan);
    if (request->device_bytes < fixed + 3 * plan->chunk_bytes)
        return fail_device_too_small(request, error);
    uint64_t mirror = gsi_min_u64(gsi_min_u64(region, MIRROR_MAX_BYTES),
                                  (request->device_bytes - fixed) / MIRROR_PART);
    uint64_t ring = mirror / plan->chunk_bytes;
    plan->device_mirror_bytes = ring * plan->chunk_bytes;
    uint64_t left = request->device_bytes - fixed - plan->device_mirror_bytes;
    uint64_t chunks = chunks_per_spilled_run(request, plan, left);
    if (ring < 3 || chunks == 0)
        return fail_device_too_small(request, error);
    uint64_t least = gsi_plan_smallest_frame(request, region), frame = smallest_frame(plan);
    if (least == 0 || least > frame) /* tables of so many frames need too much memory */
        return fail_device_too_small(request, error);
    set_run_sizes(request, plan, chunks,
                  fitting_run_slots(request, chunks * plan->chunk_bytes, left));
    plan->frame_bytes = largest_frame(request, plan); /* pieces are at most this long */
    add_host_runs(request, plan, region - ring * plan->chunk_bytes);
    plan->fan_in =
        (uint32_t)gsi_clamp_u64(request->fan_in, request->fan_in > 0 ? 2 : FAN_IN_MAX, FAN_IN_MAX);
    set_spilled_runs(request, plan);
    struct gs_error unheard = {0};
    enum gs_status status = gsi_plan_frames(request, plan, ring, frame,
                                            request->input_bytes != UINT64_MAX ? &unheard : error);
    if (status != GS_OK && request->input_bytes != UINT64_MAX) {
        /* too many runs for one merge: all are spilled, and some are merged and spilled again */
        plan->spilled_runs = plan->run_count;
        plan->spilled_bytes = request->input_bytes;
        plan->host_runs = 0;
        plan->host_bytes = 0;
        status = gsi_plan_frames(request, plan, ring, frame, error);
    }
    set_memory_bytes(request, plan, ring);
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
        choose_chunk_bytes(request, plan, gsi_min_u64(region, request->device_bytes / MIRROR_PART));
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
    if (try_plan_host_runs(request, plan, region, ring))
        return GS_OK;
    if (!request->lacks_peer_access)
        return plan_spilled(request, plan, region, error);
    return gsi_fail(error, GS_E_MEMORY, 0,
                    "--device: these GPUs cannot read each other's memory, and the data do not fit "
                    "into --memory; name only one GPU");
}
