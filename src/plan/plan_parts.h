/* plan_parts.h: what the files of the plan share, file by file; nobody else includes it.
 *
 *     plan_make.c     which of the plans below a request gets
 *     plan_windows.c  threads and windows
 *     plan_frames.c   frames, and how many runs they feed at once
 *     plan_runs.c     chunks and runs of a sort in the arena
 *     plan_device.c   the same on a device with memory of its own
 *     plan_merge.c    inputs that are sorted already
 *     plan_top.c      --top in one pass
 *     plan_in_order.c one pass for what is nearly in order
 *     plan_predict.c  what all that will move
 *
 * `usable` is the memory that is left for the arena and its tables. */
#ifndef GSI_PLAN_PARTS_H
#define GSI_PLAN_PARTS_H

#include "base/checked.h"
#include "plan/plan.h"

/* Buffers are multiples of this, so that direct I/O can move them and any element fits evenly. */
#define GSI_PLAN_UNIT ((uint64_t)4096)

static inline uint64_t gsi_plan_round_unit(uint64_t bytes)
{
    return gsi_max_u64(GSI_PLAN_UNIT, gsi_round_down_u64(bytes, GSI_PLAN_UNIT));
}

/* ---- plan_windows.c ---- */

/* gsi_plan_windows: threads and windows, which every kind of job has; then *usable.
 * fails GS_E_USAGE */
enum gs_status gsi_plan_windows(const struct gsi_plan_request *request, struct gsi_plan *plan,
                                uint64_t *usable, struct gs_error *error);

/* gsi_plan_raise_window: makes windows no smaller than a frame of `least` bytes, unless their size
 * was asked for. */
void gsi_plan_raise_window(const struct gsi_plan_request *request, struct gsi_plan *plan,
                           uint64_t least);

/* gsi_plan_reading: plans buffers that are only read into, each a chunk and a window: enough to
 * keep all transfers in flight beside what the threads work on, if they fit in `bytes`. */
void gsi_plan_reading(const struct gsi_plan_request *request, struct gsi_plan *plan,
                      uint64_t bytes);

/* gsi_plan_buffer_tables: bytes of tables for a buffer and its place in a merge. */
uint64_t gsi_plan_buffer_tables(const struct gsi_plan *plan);

/* gsi_plan_sorting_bytes: the memory that is not for packing and unpacking. */
static inline uint64_t gsi_plan_sorting_bytes(const struct gsi_plan_request *request)
{
    return request->memory_bytes - gsi_min_u64(request->format_bytes, request->memory_bytes);
}

/* gsi_plan_too_small: the failure where memory is too little for any plan. How much would be enough
 * is found by trying (job/job_memory.h).
 * gsi_plan_fail_window: the failure where two windows of this size are too much. */
enum gs_status gsi_plan_too_small(const struct gsi_plan_request *request, struct gs_error *error);
enum gs_status gsi_plan_fail_window(uint64_t window_bytes, struct gs_error *error);

/* gsi_plan_with_tables: a plan that has room for its tables. These take memory away from the
 * buffers that they describe, so it is made again, with room for the tables of the one before,
 * until they fit.
 * in    make: makes a plan in which tables take `tables` bytes of `usable`
 *       table_bytes: what those of a plan take
 * fails GS_E_USAGE */
typedef enum gs_status gsi_plan_maker(const struct gsi_plan_request *request, struct gsi_plan *plan,
                                      uint64_t usable, uint64_t tables, struct gs_error *error);
typedef uint64_t gsi_plan_table_bytes(const struct gsi_plan_request *request,
                                      const struct gsi_plan *plan);
enum gs_status gsi_plan_with_tables(const struct gsi_plan_request *request, struct gsi_plan *plan,
                                    uint64_t usable, gsi_plan_maker *make,
                                    gsi_plan_table_bytes *table_bytes, struct gs_error *error);

/* ---- plan_frames.c ---- */

/* The part of memory that tables of frames may take. */
#define GSI_PLAN_FRAME_TABLE_PART 4

/* gsi_plan_fit_unit: the memory of a chunk or a frame; `bytes` at most, if that holds one record.
 * gsi_plan_least_unit: the smallest window, and the smallest frame. */
uint64_t gsi_plan_fit_unit(const struct gsi_plan *plan, uint64_t bytes);
uint64_t gsi_plan_least_unit(const struct gsi_plan *plan);

/* gsi_plan_share: a run's share of `region` bytes, whose frames take `least` bytes at least.
 * gsi_plan_fan_in: how many runs `region` is enough for. */
uint64_t gsi_plan_share(uint64_t region, uint64_t least);
uint32_t gsi_plan_fan_in(const struct gsi_plan_request *request, uint64_t region, uint64_t least);

/* gsi_plan_fewer_at_once: a fan-in that needs no more passes than plan->fan_in does for the spilled
 * runs of the plan, but longer frames where memory is small. */
uint32_t gsi_plan_fewer_at_once(const struct gsi_plan_request *request, const struct gsi_plan *plan,
                                uint64_t region);

/* gsi_plan_smallest_frame: the smallest frame whose tables stay within their part of the `usable`
 * memory; 0: even those of the largest frame do not.
 * gsi_plan_frame_wanted: the frame for runs whose share of memory allows `bytes`. */
uint64_t gsi_plan_smallest_frame(const struct gsi_plan_request *request, uint64_t usable);
uint64_t gsi_plan_frame_wanted(const struct gsi_plan_request *request, const struct gsi_plan *plan,
                               uint64_t bytes);

/* gsi_plan_frames: the frame, of `least` bytes at least, for a merge that is fed from `chunks`
 * chunk buffers; with very little memory also a smaller fan-in.
 * fails GS_E_USAGE */
enum gs_status gsi_plan_frames(const struct gsi_plan_request *request, struct gsi_plan *plan,
                               uint64_t chunks, uint64_t least, struct gs_error *error);

/* gsi_plan_too_many_runs: the failure where memory is too little to merge `runs` at once. */
enum gs_status gsi_plan_too_many_runs(const struct gsi_plan_request *request, uint64_t runs,
                                      struct gs_error *error);

/* ---- plan_runs.c, plan_device.c, plan_merge.c, plan_top.c: one of these makes the plan ---- */

/* gsi_plan_runs: chunk, runs and frames of a sort in the arena.
 * gsi_plan_device: the same for a device with memory of its own.
 * gsi_plan_merge: frames and fan-in for inputs that are sorted already, and what will be moved. */
enum gs_status gsi_plan_runs(const struct gsi_plan_request *request, struct gsi_plan *plan,
                             uint64_t usable, struct gs_error *error);
enum gs_status gsi_plan_device(const struct gsi_plan_request *request, struct gsi_plan *plan,
                               uint64_t usable, struct gs_error *error);
enum gs_status gsi_plan_merge(const struct gsi_plan_request *request, struct gsi_plan *plan,
                              uint64_t usable, struct gs_error *error);

/* gsi_plan_top: plans --top in one pass: buffers to read into, and candidates. Returns false, with
 * the plan as it was, if they do not fit, or if --top is done in another way.
 * gsi_plan_top_is_little: whether --top wants a small part of the input; also of a stream. */
bool gsi_plan_top(const struct gsi_plan_request *request, struct gsi_plan *plan, uint64_t usable);
bool gsi_plan_top_is_little(const struct gsi_plan_request *request);

/* ---- plan_predict.c ---- */

/* gsi_plan_predict: adds the bytes that will be moved and the disk space. gsi_plan_merge does that
 * itself. */
void gsi_plan_predict(const struct gsi_plan_request *request, struct gsi_plan *plan);

/* gsi_plan_add_moves: read_bytes and write_bytes, by the moves of all phases. */
void gsi_plan_add_moves(struct gsi_plan *plan);

/* gsi_plan_disk_bytes: the disk that a run with `bytes` of keys takes as frames.
 * gsi_plan_disk_step: how far ahead of an output of `bytes` its disk is taken. */
uint64_t gsi_plan_disk_bytes(const struct gsi_plan *plan, uint64_t bytes);
uint64_t gsi_plan_disk_step(const struct gsi_plan *plan, uint64_t bytes);

/* ---- plan_in_order.c ---- */

/* gsi_plan_in_order: sets late_bytes of a plan of the arena that is made otherwise. */
void gsi_plan_in_order(const struct gsi_plan_request *request, struct gsi_plan *plan);

#endif
