/* planning.h: chooses the device, and makes a plan (plan/plan.h) for it from options and inputs.
 * Opens nothing. */
#ifndef GSI_PLANNING_H
#define GSI_PLANNING_H

#include "job/job.h"

/* ---- job_device.c: the device, and how much of its memory is used ---- */

/* gsi_job_plan: chooses job->device, makes and adopts a plan for it, and fills in what the report
 * says about both.
 * fails GS_E_USAGE: nothing can be planned (the error says what would do), or this build has no
 *       such device; GS_E_DEVICE: the one that was asked for is not there */
enum gs_status gsi_job_plan(struct gsi_job *job);

/* gsi_job_use_less_device: the device could not be opened, because of `status`. Plans without one
 * of several devices, then with half of the memory, finally with the CPU. The report says so.
 * Returns whether there was anything left to try. */
bool gsi_job_use_less_device(struct gsi_job *job, enum gs_status status);

/* gsi_job_replan: makes and adopts a plan for job->device.
 * fails GS_E_USAGE */
enum gs_status gsi_job_replan(struct gsi_job *job);

/* ---- job_plan.c: a plan for one device ---- */

/* gsi_job_has_sort: whether elements are sorted, or would be; else they are only read. */
bool gsi_job_has_sort(const struct gsi_job *job);

/* gsi_job_sort_input_bytes: returns the bytes that are sorted if no element is left out: those of
 * the inputs, or of the entries made of them. UINT64_MAX: not known, or no number is that large.
 * gsi_job_keeps_top: returns whether the first elements are kept in one pass, which only reads the
 * others. */
uint64_t gsi_job_sort_input_bytes(const struct gsi_job *job);
bool gsi_job_keeps_top(const struct gsi_job *job);

/* gsi_job_make_plan: makes a plan for job->device out of a budget. It changes nothing but *plan.
 * fails GS_E_USAGE: nothing can be planned; the error says what would do
 * gsi_job_adopt_plan: the job follows this plan from now on. */
enum gs_status gsi_job_make_plan(const struct gsi_job *job, const struct gsi_budget *budget,
                                 struct gsi_job_plan *plan, struct gs_error *error);
void gsi_job_adopt_plan(struct gsi_job *job, const struct gsi_job_plan *plan);

#endif
