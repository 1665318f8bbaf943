/* settings.h: the settings of a sort as text, for the journal of --resume. A sort that goes on has
 * to have the same settings. */
#ifndef GSI_SETTINGS_H
#define GSI_SETTINGS_H

#include "job/job.h"

/* gsi_spec_settings: writes names and values of settings to *text, each with a NUL after it: what
 * decides about the output, and what was asked about the plan.
 * out   text: from malloc, also after a failure; NULL: none
 * fails GS_E_MEMORY */
enum gs_status gsi_spec_settings(const struct gsi_job *job, char **text, size_t *bytes);

#endif
