/* job_space.h: where a job writes: room for its output and for spilled runs. */
#ifndef GSI_JOB_SPACE_H
#define GSI_JOB_SPACE_H

#include "job/job.h"

/* gsi_job_explain_space: fill the report's spaces; opens nothing.
 * fails GS_E_IO: a directory is not there; not if room is short, which the report says */
enum gs_status gsi_job_explain_space(struct gsi_job *job);

/* gsi_job_take_space: output and plan are made: reserve the output's disk, or, if runs will be
 * spilled, open the store and see that there is room for both.
 * fails GS_E_SPACE, GS_E_IO */
enum gs_status gsi_job_take_space(struct gsi_job *job);

#endif
