/* job_files.h: opens the inputs and the output of a job. */
#ifndef GSI_JOB_FILES_H
#define GSI_JOB_FILES_H

#include "job/job.h"

/* gsi_job_open_inputs: opens all inputs (files, readers of the program, or its array) and reads
 * their headers.
 * gsi_job_open_output: opens the output, or all of them.
 * fails GS_E_USAGE: standard input is given twice, or the output would overwrite an input;
 *       GS_E_IO */
enum gs_status gsi_job_open_inputs(struct gsi_job *job, const char *const *paths, size_t count);
enum gs_status gsi_job_open_output(struct gsi_job *job);

#endif
