/* shrink_operators.c: implements the operators that filter and pre-aggregate elements in place. */
#include "input/shrink_operators.h"

#include "input/payload/entry_maker.h"

/* ---- filter ---- */

static uint64_t run_filter(void *context, const struct gsi_batch *batch, const uint8_t *in,
                           uint64_t n, uint8_t *out)
{
    struct gsi_filter_operator *filter = context;
    uint32_t *indexes =
        filter->entries != NULL ? gsi_entry_maker_indexes(filter->entries, batch->window) : NULL;
    (void)in;
    filter->kept[batch->idx] = (struct gsi_filtered){0};
    return gsi_filter_apply(filter->inputs->filter, out, n, indexes, &filter->kept[batch->idx]);
}

static uint64_t join_filter(void *context, const struct gsi_batch *batch, uint8_t *ahead)
{
    struct gsi_filter_operator *filter = context;
    (void)ahead;
    gsi_filtered_add(&filter->inputs->filtered, &filter->kept[batch->idx]);
    return 0;
}

struct gsi_operator gsi_filter_operator(struct gsi_filter_operator *filter,
                                        struct gsi_inputs *inputs,
                                        const struct gsi_entry_maker *entries)
{
    const uint32_t element = inputs->layout->element_bytes;
    filter->inputs = inputs;
    filter->entries = entries;
    return (struct gsi_operator){.context = filter,
                                 .kind = GSI_SHRINK,
                                 .in_bytes = element,
                                 .out_bytes = element,
                                 .run = run_filter,
                                 .join = join_filter};
}

/* ---- pre-aggregation ---- */

static uint64_t run_pre_aggregate(void *context, const struct gsi_batch *batch, const uint8_t *in,
                                  uint64_t n, uint8_t *out)
{
    struct gsi_pre_aggregate_operator *op = context;
    const uint64_t room = batch->window->capacity / op->pre_aggregate->layout->element_bytes;
    struct gsi_pre_aggregate_batch records = {
        .owner = batch->window, .records = out, .count = n, .room = room};
    (void)in;
    op->is_held[batch->idx] =
        !gsi_pre_aggregate_pop(op->pre_aggregate, batch->worker_idx, &records);
    return records.count;
}

static uint64_t join_pre_aggregate(void *context, const struct gsi_batch *batch, uint8_t *ahead)
{
    const struct gsi_pre_aggregate_operator *op = context;
    (void)ahead;
    return op->is_held[batch->idx];
}

/* Aggregates a buffer again that was joined from several ones, which may have keys in common. */
static uint64_t rework_pre_aggregate(void *context, uint8_t *entries, uint64_t n)
{
    const struct gsi_pre_aggregate_operator *op = context;
    return gsi_pre_aggregate_again(op->pre_aggregate, entries, n);
}

struct gsi_operator gsi_pre_aggregate_operator(struct gsi_pre_aggregate_operator *op,
                                               struct gsi_pre_aggregate *pre_aggregate)
{
    op->pre_aggregate = pre_aggregate;
    return (struct gsi_operator){.context = op,
                                 .kind = GSI_SHRINK,
                                 .in_bytes = pre_aggregate->layout->element_bytes,
                                 .out_bytes = pre_aggregate->layout->element_bytes,
                                 .run = run_pre_aggregate,
                                 .join = join_pre_aggregate,
                                 .rework = rework_pre_aggregate};
}

bool gsi_pre_aggregate_operator_is_holding(const struct gsi_pre_aggregate_operator *op)
{
    return op->pre_aggregate != NULL && gsi_pre_aggregate_is_holding(op->pre_aggregate);
}

struct gsi_buffer *gsi_pre_aggregate_operator_release(struct gsi_pre_aggregate_operator *op)
{
    struct gsi_pre_aggregate_batch held;
    if (op->pre_aggregate == NULL || !gsi_pre_aggregate_release(op->pre_aggregate, &held))
        return NULL;
    struct gsi_buffer *buffer = held.owner;
    buffer->bytes = held.count * op->pre_aggregate->layout->element_bytes;
    return buffer;
}
