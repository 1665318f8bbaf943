/* picker.h: stands before the blocks of unique, and makes of each window what is written of it, on
 * all threads: windows are looked at side by side.
 *
 *     windows, in order --a task each--> what is written, at the front of the window --in order-->
 *
 * That needs no more of other windows than the elements beside their ends. So it is done where one
 * element of a group is written as it is, and where something of a fixed size is written of each
 * element; not with counts and folds, and not with --top, which wants to stop at an element. */
#ifndef GSI_PICKER_H
#define GSI_PICKER_H

#include "element/groups.h"
#include "loop/reorder.h"
#include "output/target.h"

struct gsi_picker {
    struct gsi_target *target;
    struct gsi_groups *groups;     /* borrowed; NULL: all elements are written */
    const struct gsi_carry *carry; /* what makes of an element what is written; NULL: it is */
    bool is_imprinted;             /* what is written gets an imprint */
    bool has_repeats;  /* imprints of windows count elements that are not the first of a group */
    bool needs_behind; /* a window waits for the one behind it */
    struct gsi_buffer *held; /* which that is */
    struct gsi_reorder done;
    uint64_t begun_count; /* windows that got a task, or will */
    uint32_t working_count;
    gsi_u128 position_sum; /* of all windows that were taken out */
};

/* gsi_picker_may: whether a job can have one. */
bool gsi_picker_may(const struct gsi_target *target, const struct gsi_groups *groups,
                    const struct gsi_carry *carry);

/* gsi_picker_take: the next window, in order, which is not empty.
 * gsi_picker_end: no more windows come.
 * gsi_picker_give: the next window that is done, in order, with as many bytes as are written, which
 * may be none; NULL: not yet. If asked for, its imprint is of what is written.
 * gsi_picker_is_idle: all windows that can be done are, and were given. */
void gsi_picker_take(struct gsi_picker *picker, struct gsi_buffer *window);
void gsi_picker_end(struct gsi_picker *picker);
struct gsi_buffer *gsi_picker_give(struct gsi_picker *picker);
bool gsi_picker_is_idle(const struct gsi_picker *picker);

#endif
