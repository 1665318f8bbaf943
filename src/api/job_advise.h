/* job_advise.h: commands that do what a job could not. */
#ifndef GSI_JOB_ADVISE_H
#define GSI_JOB_ADVISE_H

#include "api/handle.h"

#include "job/job_report.h"

/* gsi_job_advise: a set operation found a file that is not sorted. Its error line gets the commands
 * that sort this file to a new one and do the job with that, by the options that were given:
 *
 *     'b.u64': not sorted: ...; sort it first: gsort b.u64 -o b.sorted.u64; then gsort
 *     --merge=semi a.u64 b.sorted.u64 -o out.u64
 *
 * The line stays as it is after other failures, if the input is no regular file, a file has the new
 * name already, or the commands would not fit. */
void gsi_job_advise(const struct gs_job *job, const struct gsi_options *options,
                    const struct gs_report *report, struct gs_error *error);

#endif
