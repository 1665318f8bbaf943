/* job_report.h: the numbers of a report. */
#ifndef GSI_JOB_REPORT_H
#define GSI_JOB_REPORT_H

#include "job/job.h"

/* gsi_job_report: the job is over, well or not, and everything is still open: fill job->report. */
void gsi_job_report(struct gsi_job *job);

#endif
