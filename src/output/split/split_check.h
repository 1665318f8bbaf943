/* split_check.h: what --split and --split-at ask for. */
#ifndef GSI_SPLIT_CHECK_H
#define GSI_SPLIT_CHECK_H

#include "merge/value_side.h"
#include "output/target.h"

struct gsi_split_report {
    uint32_t count;                 /* of files; 0: one */
    uint64_t counts[GSI_SPLIT_MAX]; /* elements in each */
};

/* gsi_split_check: checks the pattern and values, and tells the report. Inputs are measured.
 * fails GS_E_USAGE: the pattern or a value is wrong; GS_E_MEMORY */
enum gs_status gsi_split_check(const struct gsi_target *target, struct gsi_split_report *report);

/* gsi_split_cuts_open: makes the conditions of --split-at that decide where each file except the
 * last ends. Close them after a failure, too.
 * fails GS_E_USAGE: a value cannot be parsed, or does not sort after the previous one;
 *       GS_E_MEMORY */
enum gs_status gsi_split_cuts_open(const struct gsi_target *target, struct gsi_side **cuts);
void gsi_split_cuts_close(const struct gsi_target *target, struct gsi_side *cuts);

/* gsi_split_open_files: opens the files, and says in target->output where they are.
 * gsi_split_commit_files: everything is written: puts the files in their places.
 * in    count, wanted: elements that the files have, and that they should have
 * fails GS_E_VERIFY: these differ; GS_E_IO, GS_E_SPACE */
enum gs_status gsi_split_open_files(struct gsi_target *target);
enum gs_status gsi_split_commit_files(struct gsi_target *target, uint64_t count, uint64_t wanted);

#endif
