/* shrink_operators.h: operators of the source's flow (loop/flow.h) that work on buffers in place,
 * before anything counts or sorts their elements.
 *
 *     filter          leaves out elements (element/filter/filter.h)
 *     pre-aggregate   adds records to others with the same keys (element/fold/pre_aggregate.h).
 *                     Each thread may hold a buffer until everything is read. */
#ifndef GSI_SHRINK_OPERATORS_H
#define GSI_SHRINK_OPERATORS_H

#include "input/inputs.h"
#include "loop/flow.h"

struct gsi_entry_maker;

struct gsi_filter_operator {
    struct gsi_inputs *inputs;
    const struct gsi_entry_maker *entries; /* gets the indexes of kept elements, unless NULL */
    struct gsi_filtered *kept;             /* of each batch */
};

/* gsi_filter_operator: returns the operator for inputs->filter. It counts in inputs->filtered. */
struct gsi_operator gsi_filter_operator(struct gsi_filter_operator *filter,
                                        struct gsi_inputs *inputs,
                                        const struct gsi_entry_maker *entries);

struct gsi_pre_aggregate_operator {
    struct gsi_pre_aggregate *pre_aggregate;
    bool *is_held; /* the buffer of each batch */
};

struct gsi_operator gsi_pre_aggregate_operator(struct gsi_pre_aggregate_operator *op,
                                               struct gsi_pre_aggregate *pre_aggregate);

/* No task may run. Zeroed operators hold nothing.
 * gsi_pre_aggregate_operator_is_holding: returns whether a thread holds a buffer.
 * gsi_pre_aggregate_operator_release: returns the next held buffer, for the flow; NULL: there is
 * none. From then on threads hold no others. */
bool gsi_pre_aggregate_operator_is_holding(const struct gsi_pre_aggregate_operator *op);
struct gsi_buffer *gsi_pre_aggregate_operator_release(struct gsi_pre_aggregate_operator *op);

#endif
