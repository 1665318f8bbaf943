/* value_side.h: tests whether an element sorts before a value, or not after it. Records are
 * compared by the first key. The test is a condition of --where, which parses and compares the
 * value. */
#ifndef GSI_VALUE_SIDE_H
#define GSI_VALUE_SIDE_H

#include "input/inputs.h"

/* The elements on one side of a value: all that sort before some point of the order. `filter` is
 * true for them, or false if is_inverted. If the filter has no condition, the side contains no
 * element, or all if is_inverted. */
struct gsi_side {
    struct gsi_filter filter;
    bool is_inverted;
};

/* gsi_side_open: sets the condition "element `op` `value`". The caller sets is_inverted.
 * gsi_side_open_before: sets the condition that an element sorts before all elements equal to
 * `value`. With includes_equal, it is also true for these equal elements. NaNs sort before or after
 * all numbers.
 * in    option, given: the option and its argument, for messages; borrowed until gsi_side_close
 * fails GS_E_USAGE: `value` is not a value of the key's type; GS_E_MEMORY */
enum gs_status gsi_side_open(struct gsi_side *side, const struct gsi_inputs *inputs,
                             const char *option, const char *given, const char *op,
                             const char *value);
enum gs_status gsi_side_open_before(struct gsi_side *side, const struct gsi_inputs *inputs,
                                    const char *option, const char *given, const char *value,
                                    bool includes_equal);
void gsi_side_close(struct gsi_side *side); /* also zeroed ones */

/* gsi_side_contains: returns whether an element is on the side.
 * in    copy: memory for one element, which is overwritten */
bool gsi_side_contains(const struct gsi_side *side, const uint8_t *element, uint8_t *copy);

/* gsi_side_has_more_values: returns whether `side` contains more values than `other`. Both were set
 * by gsi_side_open_before. */
bool gsi_side_has_more_values(const struct gsi_side *side, const struct gsi_side *other);

#endif
