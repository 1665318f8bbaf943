/* plan_parts.h: declares functions that the files of the plan share. No other code includes it.
 *
 *     plan_make.c     chooses between the plans below
 *     plan_windows.c  threads and windows
 *     plan_frames.c   frames, and how many runs they feed at once
 *     plan_runs.c     chunks and runs of a sort in the arena; one pass for nearly sorted input
 *     plan_device.c   the same on a device with its own memory
 *     plan_merge.c    inputs that are already sorted
 *     plan_top.c      --top in one pass
 *     plan_predict.c  predicts the bytes that the job reads and writes
 *
 * `usable` is the memory for the arena and its tables, in bytes. */
#ifndef GSI_PLAN_PARTS_H
#define GSI_PLAN_PARTS_H

#include "base/checked.h"
#include "plan/plan.h"

/* Sizes of buffers are multiples of this, so that direct I/O can transfer them, and numbers of any
 * width fill them. */
#define GSI_PLAN_UNIT ((uint64_t)4096)

static inline uint64_t gsi_plan_round_unit(uint64_t bytes)
{
    return gsi_max_u64(GSI_PLAN_UNIT, gsi_round_down_u64(bytes, GSI_PLAN_UNIT));
}

/* ---- plan_windows.c ---- */

/* gsi_plan_windows: plans threads and windows, which every job has, and sets *usable.
 * fails GS_E_USAGE */
enum gs_status gsi_plan_windows(const struct gsi_plan_request *request, struct gsi_plan *plan,
                                uint64_t *usable, struct gs_error *error);

/* gsi_plan_fit_window_to_frame: raises window_bytes to `least`, the bytes of a frame, unless the
 * user set the size of windows. */
void gsi_plan_fit_window_to_frame(const struct gsi_plan_request *request, struct gsi_plan *plan,
                                  uint64_t least);

/* gsi_plan_read_buffers: plans the buffers of a job that sorts nothing while it reads; each is both
 * a chunk and a window. There is one buffer per thread and per transfer in flight, or fewer if
 * `bytes` are too few. */
void gsi_plan_read_buffers(const struct gsi_plan_request *request, struct gsi_plan *plan,
                           uint64_t bytes);

/* gsi_plan_buffer_table_bytes: returns the bytes that one buffer needs in tables, including the
 * tables of a merge. */
uint64_t gsi_plan_buffer_table_bytes(const struct gsi_plan *plan);

/* gsi_plan_sorting_bytes: returns memory_bytes minus the memory for formats and compression. */
static inline uint64_t gsi_plan_sorting_bytes(const struct gsi_plan_request *request)
{
    return request->memory_bytes - gsi_min_u64(request->format_bytes, request->memory_bytes);
}

/* gsi_plan_too_small: fails because memory is too little for any plan.
 * gsi_plan_fail_window: fails because two windows of this size do not fit in half of the memory. */
enum gs_status gsi_plan_too_small(const struct gsi_plan_request *request, struct gs_error *error);
enum gs_status gsi_plan_fail_window(uint64_t window_bytes, struct gs_error *error);

/* gsi_plan_make_with_tables: makes a plan whose tables fit in memory. Tables and the buffers that
 * they describe share one memory. So the function makes a plan, computes its tables, and makes the
 * plan again with less memory, until both fit.
 * in    make: makes a plan in which tables use `tables` bytes of `usable`
 *       table_bytes: returns the bytes that a plan's tables need
 * fails GS_E_USAGE */
typedef enum gs_status gsi_plan_maker(const struct gsi_plan_request *request, struct gsi_plan *plan,
                                      uint64_t usable, uint64_t tables, struct gs_error *error);
typedef uint64_t gsi_plan_table_bytes(const struct gsi_plan_request *request,
                                      const struct gsi_plan *plan);
enum gs_status gsi_plan_make_with_tables(const struct gsi_plan_request *request,
                                         struct gsi_plan *plan, uint64_t usable,
                                         gsi_plan_maker *make, gsi_plan_table_bytes *table_bytes,
                                         struct gs_error *error);

/* ---- plan_frames.c ---- */

/* Tables of frames may use this part of the memory: a quarter. */
#define GSI_PLAN_FRAME_TABLE_PART 4

/* gsi_plan_fit_buffer: returns the largest possible size of a chunk or a frame up to `bytes`, but
 * at least one record or GSI_PLAN_UNIT.
 * gsi_plan_smallest_buffer: returns the smallest possible size of a window or a frame. */
uint64_t gsi_plan_fit_buffer(const struct gsi_plan *plan, uint64_t bytes);
uint64_t gsi_plan_smallest_buffer(const struct gsi_plan *plan);

/* gsi_plan_run_share: returns the part of `region` bytes that one run of a merge gets. This share
 * is enough for three frames of `least` bytes.
 * gsi_plan_fan_in: returns how many runs can be merged at once with `region` bytes of buffers. */
uint64_t gsi_plan_run_share(uint64_t region, uint64_t least);
uint32_t gsi_plan_fan_in(const struct gsi_plan_request *request, uint64_t region, uint64_t least);

/* gsi_plan_lower_fan_in: returns plan->fan_in, or a lower fan-in whose longer frames save more time
 * than its merges cost. The lower fan-in never needs more passes. */
uint32_t gsi_plan_lower_fan_in(const struct gsi_plan_request *request, const struct gsi_plan *plan,
                               uint64_t region);

/* gsi_plan_smallest_frame: returns the smallest frame for which tables of frames need at most their
 * part of `usable`; 0: even the largest frame needs larger tables.
 * gsi_plan_frame_of_share: returns the size of a frame: `bytes`, within the limits of frames and
 * windows. */
uint64_t gsi_plan_smallest_frame(const struct gsi_plan_request *request, uint64_t usable);
uint64_t gsi_plan_frame_of_share(const struct gsi_plan_request *request,
                                 const struct gsi_plan *plan, uint64_t bytes);

/* gsi_plan_frames: sets frame_bytes, at least `least`, for a merge whose feed buffers are parts of
 * `chunks` chunk buffers. With very little memory it also lowers fan_in.
 * fails GS_E_USAGE */
enum gs_status gsi_plan_frames(const struct gsi_plan_request *request, struct gsi_plan *plan,
                               uint64_t chunks, uint64_t least, struct gs_error *error);

/* gsi_plan_too_many_runs: fails because memory is too little to merge `runs` at once. */
enum gs_status gsi_plan_too_many_runs(const struct gsi_plan_request *request, uint64_t runs,
                                      struct gs_error *error);

/* ---- plan_runs.c, plan_device.c, plan_merge.c, plan_top.c: one of them completes a plan ---- */

/* gsi_plan_runs: plans chunks, runs and frames of a sort on the CPU.
 * gsi_plan_device: plans chunks, runs and frames of a sort on a device with its own memory.
 * gsi_plan_merge: plans frames and fan-in for inputs that are already sorted, and predicts the
 * bytes that the job reads and writes. */
enum gs_status gsi_plan_runs(const struct gsi_plan_request *request, struct gsi_plan *plan,
                             uint64_t usable, struct gs_error *error);
enum gs_status gsi_plan_device(const struct gsi_plan_request *request, struct gsi_plan *plan,
                               uint64_t usable, struct gs_error *error);
enum gs_status gsi_plan_merge(const struct gsi_plan_request *request, struct gsi_plan *plan,
                              uint64_t usable, struct gs_error *error);

/* gsi_plan_top: plans read buffers and candidates for --top in one pass. Returns false, with the
 * plan unchanged, if they do not fit in memory, or if this --top needs a sort.
 * gsi_plan_is_small_top: returns whether --top wants only a small part of the input. For a stream
 * it is true if --top can be done in one pass. */
bool gsi_plan_top(const struct gsi_plan_request *request, struct gsi_plan *plan, uint64_t usable);
bool gsi_plan_is_small_top(const struct gsi_plan_request *request);

/* gsi_plan_one_pass: sets late_bytes of a plan by gsi_plan_runs, which is complete otherwise. */
void gsi_plan_one_pass(const struct gsi_plan_request *request, struct gsi_plan *plan);

/* ---- plan_predict.c ---- */

/* gsi_plan_predict: sets the predicted bytes that a sort reads and writes, and its disk space. */
void gsi_plan_predict(const struct gsi_plan_request *request, struct gsi_plan *plan);

/* gsi_plan_sum_moves: sets read_bytes and write_bytes of the plan to the sums of moves over all
 * phases. */
void gsi_plan_sum_moves(struct gsi_plan *plan);

/* gsi_plan_disk_bytes: returns the bytes on disk of a run with `bytes` of elements, in raw frames.
 * gsi_plan_disk_step: returns how many bytes of disk are allocated at a time for an output of
 * `bytes`. */
uint64_t gsi_plan_disk_bytes(const struct gsi_plan *plan, uint64_t bytes);
uint64_t gsi_plan_disk_step(const struct gsi_plan *plan, uint64_t bytes);

#endif
