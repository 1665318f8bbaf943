/* job_plan.h: makes a plan (plan/plan.h) from options and inputs, for one device. */
#ifndef GSI_JOB_PLAN_H
#define GSI_JOB_PLAN_H

#include "job/job.h"

/* gsi_job_has_sort: whether elements are sorted, or would be; else they are only read. */
bool gsi_job_has_sort(const struct gsi_job *job);

/* gsi_job_sorted_bytes: what is sorted of the inputs; UINT64_MAX: not known, or no number is that
 * large.
 * gsi_job_keeps_top: whether the first elements are kept in one pass, which only reads the
 * others. */
uint64_t gsi_job_sorted_bytes(const struct gsi_job *job);
bool gsi_job_keeps_top(const struct gsi_job *job);

/* gsi_job_make_plan: makes a plan for job->device out of a budget. It changes nothing but *plan.
 * fails GS_E_USAGE: nothing can be planned; the error says what would do
 * gsi_job_adopt_plan: the job follows this plan from now on. */
enum gs_status gsi_job_make_plan(const struct gsi_job *job, const struct gsi_budget *budget,
                                 struct gsi_job_plan *plan, struct gs_error *error);
void gsi_job_adopt_plan(struct gsi_job *job, const struct gsi_job_plan *plan);

#endif
