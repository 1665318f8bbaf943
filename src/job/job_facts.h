/* job_facts.h: tells what is found out of inputs and output to what knows which options go with it
 * (option/together.h). */
#ifndef GSI_JOB_FACTS_H
#define GSI_JOB_FACTS_H

#include "job/job.h"

/* gsi_facts_begin: before all others: what the options alone say.
 * gsi_facts_tell_inputs: of inputs that were looked at.
 * gsi_facts_tell_length: of inputs that were measured.
 * gsi_facts_tell_output: of the output: its name, and, when it is open, what it is.
 * fails GS_E_USAGE: an option that was given does not go with it */
enum gs_status gsi_facts_begin(struct gsi_job *job);
enum gs_status gsi_facts_tell_inputs(const struct gsi_job *job);
enum gs_status gsi_facts_tell_length(const struct gsi_job *job);
enum gs_status gsi_facts_tell_output(const struct gsi_job *job);

#endif
