/* job_memory.h: the ceiling of a job's memory, what its options take of it, and how much memory
 * would be enough. */
#ifndef GSI_JOB_MEMORY_H
#define GSI_JOB_MEMORY_H

#include "job/job.h"

/* gsi_job_memory_begin: is called before all others here. Sets the ceiling. Takes from it the lists
 * of the options (names of inputs, keys, directories) and the table of `input_count` inputs,
 * job->inputs. Both are in job->given_bytes, for the plan.
 * fails GS_E_USAGE: they do not fit; GS_E_MEMORY */
enum gs_status gsi_job_memory_begin(struct gsi_job *job, size_t input_count);
void gsi_job_memory_end(struct gsi_job *job); /* inputs are closed; also after begin has failed */

/* gsi_job_memory_ceiling: returns how much the ledger allows until there is a plan. It is the
 * budget, or more if the budget is so small that the plan will refuse it and say what is enough. */
uint64_t gsi_job_memory_ceiling(const struct gsi_budget *budget);

/* gsi_job_memory_advise: `plan` has failed for want of memory. Makes the error name the option that
 * binds and an amount that is enough. The option is --chunk, --window or --batch-size where one of
 * these alone is in the way, else --memory. A MiB less of --memory is not enough.
 * in    plan: makes a plan out of a budget (job/planning/job_plan.h) */
typedef enum gs_status gsi_job_planner(const struct gsi_job *job, const struct gsi_budget *budget,
                                       struct gsi_job_plan *plan, struct gs_error *error);
void gsi_job_memory_advise(const struct gsi_job *job, gsi_job_planner *plan);

#endif
