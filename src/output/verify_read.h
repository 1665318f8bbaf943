/* verify_read.h: checks what was counted as it was read, where that is not what is sorted. */
#ifndef GSI_VERIFY_READ_H
#define GSI_VERIFY_READ_H

#include "input/carried.h"
#include "output/unique.h"

/* gsi_verify_early: of what was folded as it was read, the report tells what it was before. All of
 * it was counted then, and is sorted or folded.
 * gsi_verify_carried: of positions, and of a part of records, the report tells what they are of. All
 * of that was counted as it was read, and each position that went into the sort has come out of it.
 * in    report->tally: of what was sorted
 * fails GS_E_VERIFY */
enum gs_status gsi_verify_early(const struct gsi_target *target, struct gsi_early_fold *early,
                                struct gs_report *report);
enum gs_status gsi_verify_carried(const struct gsi_target *target, struct gsi_carried *carried,
                                  const struct gsi_unique *unique, struct gs_report *report);

#endif
