/* plan_parts.h: declares what the files of the plan share, file by file; no other code includes it.
 *
 *     plan_make.c     chooses between the plans below
 *     plan_windows.c  threads and windows
 *     plan_frames.c   frames, and how many runs they feed at once
 *     plan_runs.c     chunks and runs of a sort in the arena; one pass for nearly sorted input
 *     plan_device.c   the same on a device with its own memory
 *     plan_merge.c    inputs that are already sorted
 *     plan_top.c      --top in one pass
 *     plan_predict.c  the bytes that all this will move
 *
 * `usable` is the memory that remains for the arena and its tables. */
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

/* gsi_plan_windows: plans threads and windows, which every kind of job has, and sets *usable.
 * fails GS_E_USAGE */
enum gs_status gsi_plan_windows(const struct gsi_plan_request *request, struct gsi_plan *plan,
                                uint64_t *usable, struct gs_error *error);

/* gsi_plan_raise_window: raises windows to at least a frame of `least` bytes, unless the user set
 * their size. */
void gsi_plan_raise_window(const struct gsi_plan_request *request, struct gsi_plan *plan,
                           uint64_t least);

/* gsi_plan_reading: plans buffers that are only read into; each is both a chunk and a window. If
 * they fit in `bytes`, they are enough to keep all transfers in flight besides those that the
 * threads work on. */
void gsi_plan_reading(const struct gsi_plan_request *request, struct gsi_plan *plan,
                      uint64_t bytes);

/* gsi_plan_buffer_tables: returns the bytes of tables for a buffer and its place in a merge. */
uint64_t gsi_plan_buffer_tables(const struct gsi_plan *plan);

/* gsi_plan_sorting_bytes: returns the memory, bytes, without the share for compression and
 * decompression. */
static inline uint64_t gsi_plan_sorting_bytes(const struct gsi_plan_request *request)
{
    return request->memory_bytes - gsi_min_u64(request->format_bytes, request->memory_bytes);
}

/* gsi_plan_too_small: fails because memory is too little for any plan. Trials find out how much
 * would be enough (job/steps.h).
 * gsi_plan_fail_window: fails because two windows of this size are too much. */
enum gs_status gsi_plan_too_small(const struct gsi_plan_request *request, struct gs_error *error);
enum gs_status gsi_plan_fail_window(uint64_t window_bytes, struct gs_error *error);

/* gsi_plan_with_tables: makes a plan that has room for its tables. The tables use memory of the
 * buffers that they describe. So the plan is made again, with room for the previous plan's tables,
 * until they fit.
 * in    make: makes a plan in which tables use `tables` bytes of `usable`
 *       table_bytes: returns the bytes that a plan's tables need
 * fails GS_E_USAGE */
typedef enum gs_status gsi_plan_maker(const struct gsi_plan_request *request, struct gsi_plan *plan,
                                      uint64_t usable, uint64_t tables, struct gs_error *error);
typedef uint64_t gsi_plan_table_bytes(const struct gsi_plan_request *request,
                                      const struct gsi_plan *plan);
enum gs_status gsi_plan_with_tables(const struct gsi_plan_request *request, struct gsi_plan *plan,
                                    uint64_t usable, gsi_plan_maker *make,
                                    gsi_plan_table_bytes *table_bytes, struct gs_error *error);

/* ---- plan_frames.c ---- */

/* The part of memory that tables of frames may use. */
#define GSI_PLAN_FRAME_TABLE_PART 4

/* gsi_plan_fit_unit: returns the memory of a chunk or a frame; at most `bytes`, if that holds one
 * record.
 * gsi_plan_least_unit: returns the size of the smallest window, and of the smallest frame. */
uint64_t gsi_plan_fit_unit(const struct gsi_plan *plan, uint64_t bytes);
uint64_t gsi_plan_least_unit(const struct gsi_plan *plan);

/* gsi_plan_run_share: returns a run's share of `region` bytes, if its frames need at least `least`
 * bytes.
 * gsi_plan_fan_in: returns how many runs `region` is enough for. */
uint64_t gsi_plan_run_share(uint64_t region, uint64_t least);
uint32_t gsi_plan_fan_in(const struct gsi_plan_request *request, uint64_t region, uint64_t least);

/* gsi_plan_fewer_at_once: returns a fan-in of at most plan->fan_in that allows longer frames if
 * memory is small. It needs no more passes, and what its passes move costs less than short reads
 * would. */
uint32_t gsi_plan_fewer_at_once(const struct gsi_plan_request *request, const struct gsi_plan *plan,
                                uint64_t region);

/* gsi_plan_smallest_frame: returns the smallest frame whose tables stay within their part of the
 * `usable` memory; 0: even the largest frame needs larger tables.
 * gsi_plan_frame_of_share: returns the frame for runs whose share of memory allows `bytes`. */
uint64_t gsi_plan_smallest_frame(const struct gsi_plan_request *request, uint64_t usable);
uint64_t gsi_plan_frame_of_share(const struct gsi_plan_request *request,
                                 const struct gsi_plan *plan, uint64_t bytes);

/* gsi_plan_frames: chooses the frame, at least `least` bytes, for a merge that is fed from `chunks`
 * chunk buffers; with very little memory also a smaller fan-in.
 * fails GS_E_USAGE */
enum gs_status gsi_plan_frames(const struct gsi_plan_request *request, struct gsi_plan *plan,
                               uint64_t chunks, uint64_t least, struct gs_error *error);

/* gsi_plan_too_many_runs: fails because memory is too little to merge `runs` at once. */
enum gs_status gsi_plan_too_many_runs(const struct gsi_plan_request *request, uint64_t runs,
                                      struct gs_error *error);

/* ---- plan_runs.c, plan_device.c, plan_merge.c, plan_top.c: one of these makes the plan ---- */

/* gsi_plan_runs: plans chunk, runs and frames of a sort in the arena.
 * gsi_plan_device: plans the same for a device with its own memory.
 * gsi_plan_merge: plans frames and fan-in for inputs that are already sorted, and predicts the
 * moved bytes. */
enum gs_status gsi_plan_runs(const struct gsi_plan_request *request, struct gsi_plan *plan,
                             uint64_t usable, struct gs_error *error);
enum gs_status gsi_plan_device(const struct gsi_plan_request *request, struct gsi_plan *plan,
                               uint64_t usable, struct gs_error *error);
enum gs_status gsi_plan_merge(const struct gsi_plan_request *request, struct gsi_plan *plan,
                              uint64_t usable, struct gs_error *error);

/* gsi_plan_top: plans --top in one pass: buffers to read into, and candidates. Returns false,
 * with the plan unchanged, if they do not fit, or if --top must be done in another way.
 * gsi_plan_top_is_little: returns whether --top wants a small part of the input; also for a
 * stream. */
bool gsi_plan_top(const struct gsi_plan_request *request, struct gsi_plan *plan, uint64_t usable);
bool gsi_plan_top_is_little(const struct gsi_plan_request *request);

/* gsi_plan_one_pass: sets late_bytes of an otherwise complete plan of the arena. */
void gsi_plan_one_pass(const struct gsi_plan_request *request, struct gsi_plan *plan);

/* ---- plan_predict.c ---- */

/* gsi_plan_predict: adds the predicted moves and disk space. gsi_plan_merge does that itself. */
void gsi_plan_predict(const struct gsi_plan_request *request, struct gsi_plan *plan);

/* gsi_plan_add_moves: sets read_bytes and write_bytes to the sums over all phases. */
void gsi_plan_add_moves(struct gsi_plan *plan);

/* gsi_plan_disk_bytes: returns the disk that a run with `bytes` of keys uses as frames.
 * gsi_plan_disk_step: returns how far in advance the disk of an output of `bytes` is allocated. */
uint64_t gsi_plan_disk_bytes(const struct gsi_plan *plan, uint64_t bytes);
uint64_t gsi_plan_disk_step(const struct gsi_plan *plan, uint64_t bytes);

#endif
