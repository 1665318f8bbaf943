/* job_conflicts.h: finds properties of the inputs and of the output, and refuses options that
 * conflict with them (option/conflicts.h). */
#ifndef GSI_JOB_CONFLICTS_H
#define GSI_JOB_CONFLICTS_H

#include "job/job.h"

/* gsi_job_conflicts_begin: checks the options alone; before all others.
 * gsi_job_conflicts_check_inputs: checks them against inputs that are open.
 * gsi_job_conflicts_check_length: checks them against inputs that were measured.
 * gsi_job_conflicts_check_output: checks them against the output's name, and if it is open, its
 *   kind.
 * fails GS_E_USAGE */
enum gs_status gsi_job_conflicts_begin(struct gsi_job *job);
enum gs_status gsi_job_conflicts_check_inputs(const struct gsi_job *job);
enum gs_status gsi_job_conflicts_check_length(const struct gsi_job *job);
enum gs_status gsi_job_conflicts_check_output(const struct gsi_job *job);

#endif
