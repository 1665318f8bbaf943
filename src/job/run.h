/* run.h: a job, by options as they are inside. */
#ifndef GSI_RUN_H
#define GSI_RUN_H

#include "base/options.h"
#include "io/array.h"
#include "option/option.h"

#ifdef __cplusplus
extern "C" {
#endif

/* gsi_run: does options->action from start to end. `error` is begun with zeros; `report` is filled as
 * far as the job came. Of GS_E_DISORDER it is gsi_disorder_tell that makes the line (report/disorder.h).
 * in    is_given: of each option whether it was; NULL: what is not 0 was */
enum gs_status gsi_run(const struct gsi_options *options, const bool is_given[GSI_OPT_COUNT],
                       struct gs_report *report, struct gs_error *error);

/* gsi_run_array: as gsi_run, of options whose only input is the array's name. A sort writes to the
 * array, too.
 * out   array->is_written: whether elements of it may be lost, where it fails */
enum gs_status gsi_run_array(const struct gsi_options *options, struct gsi_array *array,
                             struct gs_report *report, struct gs_error *error);

/* gsi_run_unverified: as gsi_run, but plain sorts of numbers on the CPU do without fingerprints,
 * checks of order, and checksums of frames. To measure what these cost; for gsort-bench and tests. */
enum gs_status gsi_run_unverified(const struct gsi_options *options, struct gs_report *report,
                                  struct gs_error *error);

#ifdef __cplusplus
}
#endif
#endif
