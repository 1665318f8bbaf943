/* find.h: reads only the elements of one value, or from one value to another, of sorted files
 * (--find). A search reads a few blocks of each file to find where they begin and end. With
 * records, values are those of the first key. */
#ifndef GSI_FIND_H
#define GSI_FIND_H

#include "input/inputs.h"

/* --find: where the elements begin in the first input, and how many are in all inputs. */
struct gsi_find_report {
    bool is_given;
    uint64_t first, count;
};

/* gsi_find_apply: cuts the inputs to what `given`, the value of --find, names. They were measured,
 * and cut by --range.
 * fails GS_E_USAGE: `given` is neither a value nor a range; GS_E_INPUT: an input is not
 *       sorted, as far as it was read; GS_E_IO, GS_E_MEMORY */
enum gs_status gsi_find_apply(struct gsi_inputs *inputs, const char *given,
                              struct gsi_find_report *report);

/* gsi_find_verify: checks that the first and the last element of the output are in the range that
 * --find names. Sets *is_within, also to true without --find, and if entries are sorted instead of
 * elements.
 * fails GS_E_MEMORY */
enum gs_status gsi_find_verify(struct gsi_inputs *inputs, const char *given, const uint8_t *first,
                               const uint8_t *last, bool *is_within);

#endif
