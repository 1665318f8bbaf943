/* job_space.h: the file systems that a job writes to, and room there for output and spilled
 * runs. */
#ifndef GSI_JOB_SPACE_H
#define GSI_JOB_SPACE_H

#include "job/job.h"

/* gsi_job_explain_space: fills the report's spaces, which say where room is short. Opens nothing.
 * fails GS_E_IO: a directory is not there */
enum gs_status gsi_job_explain_space(struct gsi_job *job);

/* gsi_job_check_temp_dirs: checks that the directories can be used, whether anything is spilled or
 * not. So a mistake shows now, and not when the data have grown.
 * fails GS_E_IO */
enum gs_status gsi_job_check_temp_dirs(const struct gsi_job *job);

/* gsi_job_take_space: output and plan are made. If runs will be spilled, it opens the store and
 * checks that there is room for it and the output. Otherwise it reserves the output's disk.
 * fails GS_E_SPACE, GS_E_IO */
enum gs_status gsi_job_take_space(struct gsi_job *job);

#endif
