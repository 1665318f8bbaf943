/* make_runs.h: the first phase: reads everything, sorts it chunk by chunk, and spills runs that
 * will not stay in memory. */
#ifndef GSI_MAKE_RUNS_H
#define GSI_MAKE_RUNS_H

#include "job/job.h"
#include "loop/run_list.h"

/* gsi_make_runs: appends the runs to `list`, which is empty. */
enum gs_status gsi_make_runs(struct gsi_job *job, struct gsi_run_list *list);

#endif
