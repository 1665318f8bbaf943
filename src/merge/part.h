/* part.h: makes only one of equal parts of a merge's output (--part). The cuts at the two ends of
 * the part say which elements of each input it takes; only these are read. */
#ifndef GSI_PART_H
#define GSI_PART_H

#include "input/inputs.h"

/* --part: where it begins in the whole order, of so many elements. */
struct gsi_part_report {
    uint32_t number, count; /* count 0: all */
    uint64_t first, of;
};

/* gsi_part_apply: cuts the inputs to part `number` of `count`; 0 of 0: all. They were measured, and
 * cut by --range.
 * fails GS_E_USAGE: there is no such part;
 *       GS_E_INPUT, GS_E_IO, GS_E_MEMORY */
enum gs_status gsi_part_apply(struct gsi_inputs *inputs, uint32_t number, uint32_t count,
                              struct gsi_part_report *report);

#endif
