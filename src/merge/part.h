/* part.h: makes only one of N equal parts of a merge's output (--part). Restricts each input to the
 * elements that belong to the part. */
#ifndef GSI_PART_H
#define GSI_PART_H

#include "input/inputs.h"

/* The report of --part: part `number` of `count` begins at element `first` of the `of` elements of
 * the whole output. */
struct gsi_part_report {
    uint32_t number, count; /* count 0: there is no --part */
    uint64_t first, of;
};

/* gsi_part_apply: restricts the inputs to part `number` of `count`; 0 of 0: does nothing. The sizes
 * of the inputs are known, and --range was applied before.
 * fails GS_E_USAGE: `number` is not from 1 to `count`; GS_E_INPUT, GS_E_IO, GS_E_MEMORY */
enum gs_status gsi_part_apply(struct gsi_inputs *inputs, uint32_t number, uint32_t count,
                              struct gsi_part_report *report);

#endif
