/* choose.h: finds out what the elements of a job are, from options, .npy headers and names. */
#ifndef GSI_CHOOSE_H
#define GSI_CHOOSE_H

#include "element/key_scope.h"
#include "element/record/record_word.h"
#include "input/inputs.h"
#include "input/values/values.h"

/* How elements are sorted. */
struct gsi_chosen {
    struct gsi_layout layout;
    struct gsi_record record;   /* with --record; layout points to it */
    struct gsi_key_scope scope; /* what the keys of records share; layout points to it */
    /* Of records that are words, or ride in tags; layout points to it. */
    struct gsi_record_word word;
    struct gsi_filter filter; /* with --where; inputs point to it */
    struct gsi_fold fold;     /* with --sum, --min or --max; inputs point to it */
    /* With --argsort, --out or --values (choose_carry.h): how elements are read; the above is of
     * what is carried of them then, but for the filter. */
    struct gsi_carry carry;   /* inputs point to it */
    struct gsi_values values; /* with --values; inputs point to it */
    struct gsi_layout input_layout;
    struct gsi_record input_record;
};

/* gsi_choose_elements: fills *chosen and what the report says about elements. The inputs have been
 * looked at.
 * in    paths: of all inputs
 * fails GS_E_USAGE: an option is wrong; or options, names and .npy headers contradict each other;
 *       GS_E_INPUT: a .npy header names a type that is not sorted */
enum gs_status gsi_choose_elements(struct gsi_inputs *inputs, struct gs_report *report,
                                   struct gsi_chosen *chosen, const char *const *paths);

/* gsi_choose_note: once nothing can be refused any more: notes what was assumed of the elements, if
 * there are any (a plan says so itself). */
void gsi_choose_note(const struct gsi_inputs *inputs, const struct gs_report *report);

#endif
