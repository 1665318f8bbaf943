/* part.h: makes only one of equal parts of a merge's output (--part). The cuts at the two ends of
 * the part say which elements of each input it takes; only these are read. */
#ifndef GSI_PART_H
#define GSI_PART_H

#include "input/inputs.h"

/* gsi_part_take: cuts the inputs to the part that --part names. They were measured, and cut by
 * --range.
 * fails GS_E_USAGE: there is no such part;
 *       GS_E_INPUT, GS_E_IO, GS_E_MEMORY */
enum gs_status gsi_part_take(struct gsi_inputs *inputs, struct gs_report *report);

#endif
