/* part.h: of a merge only one of equal parts of its output (--part). The cuts at its two ends say which
 * elements of each input it takes; those are all that is read. */
#ifndef GSI_PART_H
#define GSI_PART_H

#include "input/inputs.h"

/* gsi_part_take: makes the part that --part names all that there is of the inputs. They were
 * measured, and cut by --range.
 * fails GS_E_USAGE: there is no such part;
 *       GS_E_INPUT, GS_E_IO, GS_E_MEMORY */
enum gs_status gsi_part_take(struct gsi_inputs *inputs, struct gs_report *report);

#endif
