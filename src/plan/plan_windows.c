/* plan_windows.c: plans threads and windows, which every kind of job has, and the tables of
 * buffers. */
#include "base/assert.h"
#include "base/checked.h"
#include "device/device.h"
#include "plan/plan.h"
#include "plan/plan_parts.h"
#include "run/frame.h"

#define KIB ((uint64_t)1 << 10)
#define MIB ((uint64_t)1 << 20)

/* Windows: 1 to 4 MiB reach a disk's limit at depth 8 (gsort-bench disk). */
#define WINDOW_MIN_BYTES GSI_CONSTANT(64 * KIB, 16 * KIB)
#define WINDOW_MAX_BYTES GSI_CONSTANT(2 * MIB, 64 * KIB)
#define WRITES_IN_FLIGHT 8

/* If the user set the size of chunks, a window has at most WINDOW_CHUNKS times that size. A frame
 * is no larger than a chunk, and tables of every buffer have a row for each frame of the windows.
 * So windows with many small frames would need large tables. */
#define WINDOW_CHUNKS 4

/* Largest window of a GPU: 16 MiB keep the link busy (0.3 ms at 55 GB/s). */
#define DEVICE_WINDOW_MAX_BYTES (16 * MIB)
#define DEVICE_WINDOW_PART      128

/* Bytes of tables per buffer, without the tables of a merge that have a row per window. */
#define BUFFER_TABLE_BYTES 576

static_assert(sizeof(struct gsi_buffer) + GSI_DEVICE_BUFFER_BYTES <= BUFFER_TABLE_BYTES,
              "the plan counts enough bytes for the tables of a buffer");

/* Maximum number of attempts to make a plan whose tables fit. */
#define TABLE_ROUNDS 16

/* Returns the most windows of a job. They are written in order. A finished window waits for all
 * earlier ones, while its thread needs another one; so each of many threads has two. */
static uint64_t most_windows(uint64_t threads, bool has_device)
{
    return has_device ? WRITES_IN_FLIGHT : threads + gsi_max_u64(WRITES_IN_FLIGHT, threads);
}

/* Returns the requested number of threads, or fewer if `bytes` of memory are too few for so
 * many. */
static uint64_t fitting_threads(const struct gsi_plan_request *request, uint64_t bytes)
{
    uint64_t left = bytes - gsi_min_u64(bytes, GSI_PLAN_PROCESS_BYTES);
    return gsi_clamp_u64(left / gsi_max_u64(1, request->thread_bytes), 1, request->thread_count);
}

enum gs_status gsi_plan_too_small(const struct gsi_plan_request *request, struct gs_error *error)
{
    return gsi_fail(error, GS_E_USAGE, 0, "--memory: %llu bytes are too few to sort with",
                    (unsigned long long)request->memory_bytes);
}

enum gs_status gsi_plan_make_with_tables(const struct gsi_plan_request *request,
                                         struct gsi_plan *plan, uint64_t usable,
                                         gsi_plan_maker *make, gsi_plan_table_bytes *table_bytes,
                                         struct gs_error *error)
{
    struct gsi_plan common = *plan;
    uint64_t tables = 0, needed = 0;
    for (int i = 0; i < TABLE_ROUNDS; i++) {
        *plan = common;
        enum gs_status status = make(request, plan, usable, tables, error);
        if (status != GS_OK || (needed = table_bytes(request, plan)) <= tables)
            return status;
        tables = needed;
    }
    return gsi_plan_too_small(request, error);
}

enum gs_status gsi_plan_fail_window(uint64_t window_bytes, struct gs_error *error)
{
    return gsi_fail(error, GS_E_USAGE, 0,
                    "--window: two windows of %llu bytes do not fit into half of --memory",
                    (unsigned long long)window_bytes);
}

enum gs_status gsi_plan_windows(const struct gsi_plan_request *request, struct gsi_plan *plan,
                                uint64_t *usable, struct gs_error *error)
{
    uint64_t memory = gsi_plan_sorting_bytes(request);
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
    if (request->chunk_bytes > 0 && !has_device)
        most_window = gsi_clamp_u64(
            most_window, WINDOW_MIN_BYTES,
            gsi_max_u64(WINDOW_MIN_BYTES, gsi_mul_max_u64(WINDOW_CHUNKS, request->chunk_bytes)));
    plan->window_bytes = gsi_plan_round_unit(
        request->window_bytes > 0
            ? request->window_bytes
            : gsi_max_u64(gsi_clamp_u64(*usable / 64, WINDOW_MIN_BYTES, most_window),
                          gsi_plan_smallest_buffer(plan)));
    if (plan->window_bytes > GSI_FRAME_BYTES_MAX) /* a frame may be as large as a window */
        return gsi_fail(error, GS_E_USAGE, 0, "--window: %llu bytes exceed the limit of %llu",
                        (unsigned long long)plan->window_bytes,
                        (unsigned long long)GSI_FRAME_BYTES_MAX);
    if (plan->window_bytes < gsi_plan_smallest_buffer(plan))
        return gsi_fail(error, GS_E_USAGE, 0,
                        "--window: records of this size need at least %llu bytes",
                        (unsigned long long)gsi_plan_smallest_buffer(plan));
    uint64_t fitting = *usable / 4 / plan->window_bytes;
    plan->window_count = (uint32_t)gsi_clamp_u64(fitting, 2, most_windows(threads, has_device));
    return gsi_plan_window_region(plan) > *usable / 2
               ? gsi_plan_fail_window(plan->window_bytes, error)
               : GS_OK;
}

void gsi_plan_fit_window_to_frame(const struct gsi_plan_request *request, struct gsi_plan *plan,
                                  uint64_t least)
{
    if (request->window_bytes > 0 || plan->window_bytes >= least)
        return;
    uint64_t bytes = gsi_plan_window_region(plan);
    plan->window_bytes = least;
    plan->window_count = (uint32_t)gsi_max_u64(2, bytes / least);
}

uint64_t gsi_plan_buffer_table_bytes(const struct gsi_plan *plan)
{
    return BUFFER_TABLE_BYTES + (gsi_plan_most_windows(plan) + 2) * GSI_DEVICE_SLICE_BYTES;
}

void gsi_plan_read_buffers(const struct gsi_plan_request *request, struct gsi_plan *plan,
                           uint64_t bytes)
{
    uint64_t most = plan->thread_count + WRITES_IN_FLIGHT + gsi_plan_reads(plan->thread_count);
    uint64_t count = gsi_min_u64(bytes / plan->window_bytes, most);
    bool has_device = request->device_bytes > 0; /* a device's windows are larger than a transfer */
    if (!has_device && count > plan->window_count)
        plan->window_count = (uint32_t)count;
    plan->chunk_bytes = plan->window_bytes;
    plan->arena_bytes = gsi_plan_window_region(plan);
    plan->device_mirror_bytes = has_device ? plan->arena_bytes : 0;
}
