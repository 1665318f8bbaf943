/* run.h: a job, by options as they are inside. */
#ifndef GSI_RUN_H
#define GSI_RUN_H

#include "io/array.h"
#include "option/option.h"
#include "option/options.h"

#ifdef __cplusplus
extern "C" {
#endif

/* gsi_job_run: does options->action from start to end. `error` is begun with zeros; `report`,
 * which is zeroed, is filled as far as the job ran. The line for GS_E_DISORDER is made by
 * gsi_disorder_tell (report/number.h).
 * in    is_given: whether each option was given; NULL: those that are not 0 were */
enum gs_status gsi_job_run(const struct gsi_options *options, const bool is_given[GSI_OPT_COUNT],
                           struct gs_report *report, struct gs_error *error);

/* gsi_job_run_array: as gsi_job_run, but the only input is the array; the options name it. A sort
 * also writes to the array.
 * out   array->is_written: whether elements may be lost if the sort fails */
enum gs_status gsi_job_run_array(const struct gsi_options *options, struct gsi_array *array,
                                 struct gs_report *report, struct gs_error *error);

#ifdef __cplusplus
}
#endif
#endif
