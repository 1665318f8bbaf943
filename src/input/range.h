/* range.h: only a part of the inputs is read: elements (--range, and the slices of --part), or
 * bytes of a file (--region).
 *
 * A file's data begin later then and end sooner (base_off, bytes), and nothing that reads it knows.
 * A stream has no place to begin at. */
#ifndef GSI_RANGE_H
#define GSI_RANGE_H

#include "input/inputs.h"

/* --range: so many elements, from `first` on, of all `of`. */
struct gsi_range_report {
    bool is_given;
    uint64_t first, count, of;
};

/* gsi_range_region: makes what --region names all that there is of the input, a file that was
 * opened and not looked at.
 * fails GS_E_USAGE: it ends behind the file */
enum gs_status gsi_range_region(const struct gsi_inputs *inputs, struct gsi_input *input);

/* gsi_range_cut: makes elements `first` to `first + count - 1` of what is read of `input` all that
 * is. */
void gsi_range_cut(struct gsi_inputs *inputs, struct gsi_input *input, uint64_t first,
                   uint64_t count);

/* gsi_range_take: makes what --range names all that there is: `count` elements from `first` on;
 * UINT64_MAX: all from there on. The inputs were measured.
 * fails GS_E_USAGE: they have fewer elements */
enum gs_status gsi_range_take(struct gsi_inputs *inputs, uint64_t first, uint64_t count,
                              struct gsi_range_report *report);

#endif
