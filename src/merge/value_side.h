/* value_side.h: tells which elements of an order precede a value; records are compared by the first
 * key. The side is a condition of --where, so values are parsed and compared as they are there. */
#ifndef GSI_VALUE_SIDE_H
#define GSI_VALUE_SIDE_H

#include "input/inputs.h"

/* A condition that holds for all elements before a place, and for none after it. Without a
 * condition it holds for none, or for all if is_inverted. */
struct gsi_side {
    struct gsi_filter filter;
    bool is_inverted;
};

/* gsi_side_open: makes the condition that an element is `op` `value`. It does not change
 * is_inverted.
 * gsi_side_open_before: makes the condition that an element sorts before those that equal `value`,
 * or, with is_behind, not after them. NaNs sort before or after all numbers.
 * in    option, given: the option and its argument, for messages; borrowed until gsi_side_close
 * fails GS_E_USAGE: that is no value of this type; GS_E_MEMORY */
enum gs_status gsi_side_open(struct gsi_side *side, const struct gsi_inputs *inputs,
                             const char *option, const char *given, const char *op,
                             const char *value);
enum gs_status gsi_side_open_before(struct gsi_side *side, const struct gsi_inputs *inputs,
                                    const char *option, const char *given, const char *value,
                                    bool is_behind);
void gsi_side_close(struct gsi_side *side); /* also zeroed ones */

/* gsi_side_has: returns whether the condition holds for an element.
 * in    copy: room for an element */
bool gsi_side_has(const struct gsi_side *side, const uint8_t *element, uint8_t *copy);

/* gsi_side_is_wider: returns whether `side` holds for more values than `other`. Both are of
 * gsi_side_open_before. */
bool gsi_side_is_wider(const struct gsi_side *side, const struct gsi_side *other);

#endif
