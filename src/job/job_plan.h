/* job_plan.h: makes a plan (plan/plan.h) from options and inputs: which device, how much of its
 * memory, which codec. Nothing is opened. */
#ifndef GSI_JOB_PLAN_H
#define GSI_JOB_PLAN_H

#include "job/job.h"

/* gsi_job_has_sort: whether elements are sorted, or would be; else they are only read. */
bool gsi_job_has_sort(const struct gsi_job *job);

/* gsi_job_plan: chooses job->device, makes job->report->plan, and fills in what the report says
 * about both.
 * gsi_job_make_plan: makes the plan for the device that was chosen.
 * fails GS_E_USAGE: nothing can be planned (the error says what would do); GS_E_DEVICE */
enum gs_status gsi_job_plan(struct gsi_job *job);
enum gs_status gsi_job_make_plan(struct gsi_job *job);

/* gsi_job_use_less_device: the device could not be opened, because of `status`: plans without one
 * of several devices, then with half of the memory, at last with the CPU. The report says so.
 * Returns whether there was anything left to try. */
bool gsi_job_use_less_device(struct gsi_job *job, enum gs_status status);

#endif
