/* job_device.h: which device sorts, how much of its memory, and the plan for that. Nothing is
 * opened. */
#ifndef GSI_JOB_DEVICE_H
#define GSI_JOB_DEVICE_H

#include "job/job.h"

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

#endif
