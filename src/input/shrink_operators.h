/* shrink_operators.h: declares operators (loop/flow.h) that remove elements from buffers in place,
 * before elements are counted or sorted.
 *
 *     filter          drops elements that --where does not keep (element/filter/filter.h)
 *     pre-aggregate   adds records to others with the same keys (element/fold/pre_aggregate.h).
 *                     Each thread may hold a buffer until everything is read. */
#ifndef GSI_SHRINK_OPERATORS_H
#define GSI_SHRINK_OPERATORS_H

#include "input/inputs.h"
#include "loop/flow.h"

struct gsi_entry_maker;

struct gsi_filter_operator {
    struct gsi_inputs *inputs;
    const struct gsi_entry_maker *entries; /* gets the indexes of kept elements; may be NULL */
    struct gsi_filtered *kept;             /* of each batch */
};

/* gsi_filter_operator: returns the operator for inputs->filter. It adds its counts to
 * inputs->filtered. */
struct gsi_operator gsi_filter_operator(struct gsi_filter_operator *filter,
                                        struct gsi_inputs *inputs,
                                        const struct gsi_entry_maker *entries);

struct gsi_pre_aggregate_operator {
    struct gsi_pre_aggregate *pre_aggregate;
    bool *is_held; /* whether a thread holds the buffer of each batch */
};

struct gsi_operator gsi_pre_aggregate_operator(struct gsi_pre_aggregate_operator *op,
                                               struct gsi_pre_aggregate *pre_aggregate);

/* No task may run during these calls. They accept zeroed operators.
 * gsi_pre_aggregate_operator_is_holding: returns whether a thread holds a buffer.
 * gsi_pre_aggregate_operator_release: returns the next held buffer, for gsi_flow_return; NULL:
 * there is none. Afterwards threads hold no new buffers. */
bool gsi_pre_aggregate_operator_is_holding(const struct gsi_pre_aggregate_operator *op);
struct gsi_buffer *gsi_pre_aggregate_operator_release(struct gsi_pre_aggregate_operator *op);

#endif
