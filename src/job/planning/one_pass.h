/* one_pass.h: which jobs may write nearly sorted input while they read it (output/in_order.h). */
#ifndef GSI_ONE_PASS_H
#define GSI_ONE_PASS_H

#include "job/job.h"

/* gsi_job_why_not_one_pass: why a job is not done in one pass, whatever the order; NULL: it may
 * be. */
const char *gsi_job_why_not_one_pass(const struct gsi_job *job);

#endif
