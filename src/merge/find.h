/* find.h: reads only the elements of one value, or from one value to another, of sorted files
 * (--find). A few looks into each file find where they begin and end. With records, values are
 * those of the first key. */
#ifndef GSI_FIND_H
#define GSI_FIND_H

#include "input/inputs.h"

/* --find: where the elements begin in the first input, and how many are in all inputs. */
struct gsi_find_report {
    bool is_given;
    uint64_t first, count;
};

/* gsi_find_take: cuts the inputs to what `given`, the value of --find, names. They were measured,
 * and cut by --range.
 * fails GS_E_USAGE: it is no value or range;
 *       GS_E_INPUT: one is not sorted, as far as it was looked at; GS_E_IO, GS_E_MEMORY */
enum gs_status gsi_find_take(struct gsi_inputs *inputs, const char *given,
                             struct gsi_find_report *report);

/* gsi_find_verify: whether the first and the last element that came out, in order, are among those
 * that were looked for. Always, without --find, and where something else than elements is sorted.
 * fails GS_E_MEMORY */
enum gs_status gsi_find_verify(struct gsi_inputs *inputs, const char *given, const uint8_t *first,
                               const uint8_t *last, bool *is_within);

#endif
