/* disorder.h: what a check found. */
#ifndef GSI_DISORDER_H
#define GSI_DISORDER_H

#include "base/options.h"

#ifdef __cplusplus
extern "C" {
#endif

/* gsi_disorder_tell: `error` becomes GS_E_DISORDER with a line that names the element of
 * report->disorder, what it follows, and its file. */
void gsi_disorder_tell(const struct gsi_options *options, const struct gs_report *report,
                       struct gs_error *error);

#ifdef __cplusplus
}
#endif
#endif
