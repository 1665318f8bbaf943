/* job_report.h: fills in the numbers of a report. */
#ifndef GSI_JOB_REPORT_H
#define GSI_JOB_REPORT_H

#include "job/job.h"

/* gsi_job_report: fills job->report. The job is over, well or not, and everything is still open. */
void gsi_job_report(struct gsi_job *job);

#endif
