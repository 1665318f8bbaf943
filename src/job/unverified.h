/* unverified.h: a sort without what verifies it, to measure what that costs; for gsort-bench and tests. */
#ifndef GSI_UNVERIFIED_H
#define GSI_UNVERIFIED_H

#include "gsort.h"

/* gsi_run_unverified: as gs_run, but plain sorts of numbers on the CPU do without fingerprints,
 * checks of order, and checksums of frames. */
enum gs_status gsi_run_unverified(const struct gs_options *options, struct gs_report *report,
                                  struct gs_error *error);

#endif
