/* embed.h: jobs on data in the program's memory, by options as they are inside. gs_job makes these
 * (api/handle.h). */
#ifndef GSI_EMBED_H
#define GSI_EMBED_H

#include "io/array.h"
#include "option/option.h"

#ifdef __cplusplus
extern "C" {
#endif

/* gsi_array_run: does options->action on an array; where array->to is elsewhere, positions go
 * there.
 * in    error: begun with zeros
 *       options: the array becomes their input
 *       is_given: as of gsi_run
 * out   array->is_written, report, error: also after a failure */
enum gs_status gsi_array_run(struct gsi_array *array, struct gsi_options *options,
                             const bool is_given[GSI_OPT_COUNT], struct gs_report *report,
                             struct gs_error *error);

/* gsi_sorter_open: as gs_sorter_open.
 * gsi_sorter_told: the sorter's report; NULL: the sort is not finished, or `error` says what is
 * wrong. It stays until the sorter is closed. */
enum gs_status gsi_sorter_open(const struct gsi_options *options,
                               const bool is_given[GSI_OPT_COUNT], gs_sorter **sorter,
                               struct gs_error *error);
const struct gs_report *gsi_sorter_told(gs_sorter *sorter, struct gs_error *error);

#ifdef __cplusplus
}
#endif
#endif
