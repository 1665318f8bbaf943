/* plan_parts.h: what the parts of the plan share; nobody else includes it. */
#ifndef GSI_PLAN_PARTS_H
#define GSI_PLAN_PARTS_H

#include "plan/plan.h"

/* Buffers are multiples of this, so that direct I/O can move them and any element fits evenly. */
#define GSI_PLAN_UNIT ((uint64_t)4096)

/* gsi_plan_frames: the frame, and with very little memory a smaller fan-in, for a merge that is fed
 * from `chunks` chunk buffers. `least` bytes a frame at least. fails GS_E_USAGE */
enum gs_status gsi_plan_frames(const struct gsi_plan_request *request, struct gs_plan *plan,
                               uint64_t chunks, uint64_t least, struct gs_error *error);

/* gsi_plan_smallest_frame: whose tables stay within their part of `usable` memory; 0: even the
 * largest is too small. */
uint64_t gsi_plan_smallest_frame(const struct gsi_plan_request *request, uint64_t usable);

/* gsi_plan_too_small: the failure that says how much memory is needed. */
enum gs_status gsi_plan_too_small(const struct gsi_plan_request *request, struct gs_error *error);

/* plan_predict.c: bytes moved and disk space, of everything else that was planned. */
void gsi_plan_predict(const struct gsi_plan_request *request, struct gs_plan *plan);

/* plan_top.c: --top in one pass: buffers to read into, and candidates. false: they do not fit, or
 * it is not to be done so; the plan is as it was.  gsi_plan_top_is_little: whether it wants a small
 * part of the input; also of a stream. */
bool gsi_plan_top(const struct gsi_plan_request *request, struct gs_plan *plan, uint64_t usable);
bool gsi_plan_top_is_little(const struct gsi_plan_request *request);

/* plan_device.c: chunk, runs and frames for a device with memory of its own. */
enum gs_status gsi_plan_device(const struct gsi_plan_request *request, struct gs_plan *plan,
                               uint64_t usable, struct gs_error *error);

#endif
