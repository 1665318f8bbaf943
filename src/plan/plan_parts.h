/* plan_parts.h: what the parts of the plan share; nobody else includes it. */
#ifndef GSI_PLAN_PARTS_H
#define GSI_PLAN_PARTS_H

#include "plan/plan.h"

/* Buffers are multiples of this, so that direct I/O can move them and any element fits evenly. */
#define GSI_PLAN_UNIT ((uint64_t)4096)

/* gsi_plan_frames: the frame, and with very little memory a smaller fan-in, for a merge that is fed
 * from `chunks` chunk buffers. `least` bytes a frame at least.
 * fails GS_E_USAGE */
enum gs_status gsi_plan_frames(const struct gsi_plan_request *request, struct gs_plan *plan,
                               uint64_t chunks, uint64_t least, struct gs_error *error);

/* gsi_plan_smallest_frame: whose tables stay within their part of `usable` memory; 0: even the
 * largest is too small. */
uint64_t gsi_plan_smallest_frame(const struct gsi_plan_request *request, uint64_t usable);

/* gsi_plan_too_small: the failure where there is too little memory for any of it. How much would be
 * enough is found by trying (job/job_memory.h). */
enum gs_status gsi_plan_too_small(const struct gsi_plan_request *request, struct gs_error *error);

/* gsi_plan_least_unit: the smallest window, and frame. */
uint64_t gsi_plan_least_unit(const struct gs_plan *plan);

/* gsi_plan_too_many_runs: the failure where memory is too little to merge `runs` at once. */
enum gs_status gsi_plan_too_many_runs(const struct gsi_plan_request *request, uint64_t runs,
                                      struct gs_error *error);

/* gsi_plan_fan_in: how many runs `region` bytes are enough for, whose frames take `least` at least.
 * gsi_plan_frame_wanted: the frame for runs whose share of memory allows `bytes`.
 * gsi_plan_fit_unit: memory of a chunk or a frame, `bytes` at most if that holds one record at all.
 * gsi_plan_raise_window: no smaller than a frame of `least`, unless it was asked for. */
uint32_t gsi_plan_fan_in(const struct gsi_plan_request *request, uint64_t region, uint64_t least);
uint64_t gsi_plan_frame_wanted(const struct gsi_plan_request *request, const struct gs_plan *plan,
                               uint64_t bytes);
uint64_t gsi_plan_fit_unit(const struct gs_plan *plan, uint64_t bytes);
void gsi_plan_raise_window(const struct gsi_plan_request *request, struct gs_plan *plan,
                           uint64_t least);

/* Tables: bytes a frame takes in the indexes of runs and in the prediction order, and the part of
 * memory they may take.  gsi_plan_buffer_tables: bytes of a buffer and its place in a merge. */
#define GSI_PLAN_FRAME_TABLE_BYTES 64
#define GSI_PLAN_FRAME_TABLE_PART  4
uint64_t gsi_plan_buffer_tables(const struct gs_plan *plan);

/* Tables take memory from the buffers that they are tables of: so often a plan is made again, with
 * the tables of the one before, until it has no more than that. */
#define GSI_PLAN_TABLE_ROUNDS 16

/* plan_merge.c: frames and fan-in for inputs that are sorted, and what will be moved. */
enum gs_status gsi_plan_merge(const struct gsi_plan_request *request, struct gs_plan *plan,
                              uint64_t usable, struct gs_error *error);

/* gsi_plan_disk_bytes: of a run with `bytes` of keys, as frames.  gsi_plan_disk_step: how far ahead
 * of an output of `bytes` its disk is taken. */
uint64_t gsi_plan_disk_bytes(const struct gs_plan *plan, uint64_t bytes);
uint64_t gsi_plan_disk_step(const struct gs_plan *plan, uint64_t bytes);

/* plan_predict.c: bytes moved and disk space, of everything else that was planned. */
void gsi_plan_predict(const struct gsi_plan_request *request, struct gs_plan *plan);

/* gsi_plan_reading: of buffers that are only read into, as many as keep all transfers in flight
 * beside what the threads work on, if they fit in `bytes`; no fewer than there are. Each is a
 * chunk, and a window. */
void gsi_plan_reading(const struct gsi_plan_request *request, struct gs_plan *plan, uint64_t bytes);

/* plan_top.c: --top in one pass: buffers to read into, and candidates. false: they do not fit, or
 * it is not to be done so; the plan is as it was.  gsi_plan_top_is_little: whether it wants a small
 * part of the input; also of a stream. */
bool gsi_plan_top(const struct gsi_plan_request *request, struct gs_plan *plan, uint64_t usable);
bool gsi_plan_top_is_little(const struct gsi_plan_request *request);

/* plan_device.c: chunk, runs and frames for a device with memory of its own. */
enum gs_status gsi_plan_device(const struct gsi_plan_request *request, struct gs_plan *plan,
                               uint64_t usable, struct gs_error *error);

#endif
