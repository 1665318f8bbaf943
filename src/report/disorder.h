/* disorder.h: what a check found. */
#ifndef GSI_DISORDER_H
#define GSI_DISORDER_H

#include "gsort.h"

/* gsi_disorder_tell: `error` becomes GS_E_DISORDER with a line that names the element, what it
 * follows, and `file`, which is that of report->disorder. */
void gsi_disorder_tell(const struct gs_report *report, const char *file, bool is_unique,
                       struct gs_error *error);

#endif
