/* find.h: restricts sorted input files to elements with one value, or from one value to another
 * (--find). A binary search in each file finds the range of these elements. For records, the value
 * is that of the first key. */
#ifndef GSI_FIND_H
#define GSI_FIND_H

#include "input/inputs.h"

/* The report of --find: the index of the first found element in the first input, and the number of
 * found elements in all inputs. */
struct gsi_find_report {
    bool is_given;
    uint64_t first, count;
};

/* gsi_find_apply: restricts the inputs to the elements that `given`, the argument of --find, names.
 * The sizes of the inputs are known, and --range was applied before.
 * fails GS_E_USAGE: `given` is neither a value nor a range; GS_E_INPUT: the blocks that were read
 *       are not sorted; GS_E_IO, GS_E_MEMORY */
enum gs_status gsi_find_apply(struct gsi_inputs *inputs, const char *given,
                              struct gsi_find_report *report);

/* gsi_find_verify: sets *is_within to whether the first and the last element of the output are in
 * the range of --find. Without --find, or if entries are sorted, *is_within is true.
 * fails GS_E_MEMORY */
enum gs_status gsi_find_verify(struct gsi_inputs *inputs, const char *given, const uint8_t *first,
                               const uint8_t *last, bool *is_within);

#endif
