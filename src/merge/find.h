/* find.h: in sorted files only the elements of one value, or from one to another, are read (--find).
 * Where they begin and end in each file is found with a few looks. Of records it is about the first
 * key. */
#ifndef GSI_FIND_H
#define GSI_FIND_H

#include "input/inputs.h"

/* gsi_find_take: makes what --find names all that there is of the inputs. They were measured, and cut
 * by --range.
 * fails GS_E_USAGE: it is no value or range;
 *       GS_E_INPUT: one is not sorted, as far as it was looked at; GS_E_IO, GS_E_MEMORY */
enum gs_status gsi_find_take(struct gsi_inputs *inputs, struct gs_report *report);

/* gsi_find_verify: whether the first and the last element of what came out, in order, are such as were
 * looked for; so they are without --find, and where something else than elements is sorted.
 * fails GS_E_MEMORY */
enum gs_status gsi_find_verify(struct gsi_inputs *inputs, const uint8_t *first, const uint8_t *last,
                               bool *is_within);

#endif
