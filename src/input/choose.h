/* choose.h: what the elements of a job are: from options, .npy headers and names. */
#ifndef GSI_CHOOSE_H
#define GSI_CHOOSE_H

#include "element/key_scope.h"
#include "input/inputs.h"

/* How elements are sorted. */
struct gsi_chosen {
    struct gsi_layout layout;
    struct gsi_record record;   /* with --record; */
    struct gsi_key_scope scope; /* what their keys share; layout points to both */
};

/* gsi_choose_elements: fill *chosen and what the report says about it. The inputs have been looked
 * at.
 * in    paths: of all inputs
 * fails GS_E_USAGE: options are wrong, or contradict each other or a .npy header, or names do;
 *       GS_E_INPUT: such a header names a type that is not sorted */
enum gs_status gsi_choose_elements(struct gsi_inputs *inputs, struct gs_report *report,
                                   struct gsi_chosen *chosen, const char *const *paths);

/* gsi_choose_note: all that can be refused was: if there is anything to sort, tell what was
 * assumed of it (a plan says so itself). */
void gsi_choose_note(const struct gsi_inputs *inputs, const struct gs_report *report);

#endif
