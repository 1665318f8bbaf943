/* make_runs.h: the first phase: reads everything, sorts it chunk by chunk, and spills runs that
 * will not stay in memory. */
#ifndef GSI_MAKE_RUNS_H
#define GSI_MAKE_RUNS_H

#include "job/job.h"
#include "job/job_report.h"
#include "loop/run_list.h"
#include "merge/presorted.h"
#include "output/one_pass.h"

/* gsi_make_runs: appends the runs to `list`, which is empty. With `one_pass`, the beginning of the
 * output may be written, too. Then the runs of the list follow it; or the pass has ended, and the
 * written elements are the first run. With `presorted`, runs that the inputs contain in order stay
 * there. */
enum gs_status gsi_make_runs(struct gsi_job *job, struct gsi_run_list *list,
                             struct gsi_one_pass *one_pass, struct gsi_presorted *presorted);

#endif
