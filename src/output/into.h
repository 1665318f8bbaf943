/* into.h: writes a part of the whole order (merge/part.h) to its offset in a file that has room for
 * all parts (--into).
 *
 *     FILE   [ header | part 1 | part 2 | .. | part N ]   each by its own process, in any order */
#ifndef GSI_INTO_H
#define GSI_INTO_H

#include "merge/part.h"
#include "output/target.h"

/* With into: where in the file the part begins; how long that is, with its header. */
struct gsi_into_report {
    bool is_given;
    uint64_t off, file_bytes;
};

/* gsi_into_apply: computes the place of this job's output in the file of --into. The inputs are
 * measured, and cut to the part.
 * fails GS_E_MEMORY */
enum gs_status gsi_into_apply(struct gsi_target *target, const struct gsi_part_report *part,
                              struct gsi_into_report *report);

/* gsi_into_open: opens the output there.
 * fails GS_E_USAGE: it has another length, is no regular file or an input; GS_E_SPACE, GS_E_IO */
enum gs_status gsi_into_open(struct gsi_target *target, const struct gsi_into_report *report);

/* gsi_into_tell: adds to a failure that the part may not be whole. */
void gsi_into_tell(const struct gsi_target *target, const struct gsi_part_report *part);

#endif
