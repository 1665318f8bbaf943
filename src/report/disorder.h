/* disorder.h: what a check found. */
#ifndef GSI_DISORDER_H
#define GSI_DISORDER_H

#include "gsort.h"

#ifdef __cplusplus
extern "C" {
#endif

/* gsi_disorder_tell: `error` becomes GS_E_DISORDER with a line that names the element of
 * report->disorder, what it follows, and its file, which is one of `inputs`, or "-" without any.
 * in    is_unique: equal keys are disorder */
void gsi_disorder_tell(const char *const *inputs, size_t input_count, bool is_unique,
                       const struct gs_report *report, struct gs_error *error);

#ifdef __cplusplus
}
#endif
#endif
