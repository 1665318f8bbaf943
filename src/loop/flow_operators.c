/* flow_operators.c: runs the operators of a flow in order, on one range of entries after the
 * other. */
#include "loop/flow_operators.h"

#include "base/assert.h"
#include "base/checked.h"

void gsi_operators_classify(struct gsi_operators *operators)
{
    operators->maker = UINT32_MAX;
    operators->shrinkers = 0;
    for (uint32_t i = 0; i < operators->count; i++) {
        const enum gsi_operator_kind kind = operators->all[i].kind;
        GSI_ASSERT(kind != GSI_SHRINK || operators->shrinkers == i);
        operators->shrinkers += kind == GSI_SHRINK;
        if (kind == GSI_MAKE)
            operators->maker = i;
        if (kind != GSI_OBSERVE)
            operators->last = i;
    }
    operators->is_map = operators->maker == UINT32_MAX;
    GSI_ASSERT(operators->count == 0 || (operators->all[operators->last].kind != GSI_OBSERVE &&
                                         (operators->shrinkers == 0 || operators->is_map)));
}

static uint32_t kind_end(const struct gsi_operators *operators, uint32_t first)
{
    return first < operators->shrinkers ? operators->shrinkers : operators->count;
}

uint64_t gsi_operators_count_ready(const struct gsi_operators *operators, uint32_t first,
                                   const struct gsi_buffer *window, uint64_t at, uint64_t n)
{
    for (uint32_t i = first; i < kind_end(operators, first) && n > 0; i++)
        if (operators->all[i].ready != NULL)
            n = operators->all[i].ready(operators->all[i].context, window, at, n);
    return n;
}

void gsi_operators_begin(const struct gsi_operators *operators, const struct gsi_batch *batch,
                         uint32_t first)
{
    for (uint32_t i = first; i < kind_end(operators, first); i++)
        if (operators->all[i].begin != NULL)
            operators->all[i].begin(operators->all[i].context, batch);
}

/* Runs the operators from `first` on over a range of entries. Returns how many entries they wrote
 * to `out`. */
static uint64_t run_range(const struct gsi_operators *operators, const struct gsi_batch *batch,
                          uint32_t first, const uint8_t *in, uint64_t n, uint8_t *scratch,
                          uint8_t *out)
{
    for (uint32_t i = first; i < kind_end(operators, first); i++) {
        const struct gsi_operator *op = &operators->all[i];
        uint8_t *to = i == operators->last ? out : scratch;
        uint64_t made = op->run(op->context, batch, in, n, op->kind == GSI_OBSERVE ? NULL : to);
        if (op->kind == GSI_OBSERVE)
            continue;
        GSI_ASSERT(op->kind == GSI_MAP ? made == n : made <= n);
        in = to;
        n = made;
    }
    return n;
}

/* If two operators make entries, a range is as long as the scratch memory allows; otherwise it is
 * the whole batch. */
uint64_t gsi_operators_run(const struct gsi_operators *operators, const struct gsi_batch *batch,
                           uint32_t first, uint8_t *out)
{
    const uint64_t in_bytes = gsi_operators_in_bytes(operators);
    const bool has_scratch = operators->maker < operators->last;
    uint8_t *scratch = gsi_operators_entry_ahead(operators, batch->idx, out);
    uint64_t made = 0, range_max = batch->count;
    if (has_scratch)
        range_max = operators->scratch_bytes / operators->all[operators->maker].out_bytes;
    for (uint64_t at = 0, n; at < batch->count; at += n) {
        n = gsi_min_u64(range_max, batch->count - at);
        made += run_range(operators, batch, first, batch->entries + at * in_bytes, n, scratch,
                          out + made * gsi_operators_out_bytes(operators));
    }
    return made;
}

bool gsi_operators_join(const struct gsi_operators *operators, const struct gsi_batch *batch,
                        uint32_t first)
{
    uint64_t held = 0;
    for (uint32_t i = first; i < kind_end(operators, first); i++)
        if (operators->all[i].join != NULL && i != operators->maker)
            held = operators->all[i].join(operators->all[i].context, batch, NULL);
    return first < operators->shrinkers && held > 0;
}

uint8_t *gsi_operators_entry_ahead(const struct gsi_operators *operators, uint32_t idx,
                                   uint8_t *out)
{
    return operators->maker < operators->last ? operators->scratch + idx * operators->scratch_bytes
                                              : out;
}

void gsi_operators_run_ahead(const struct gsi_operators *operators, const uint8_t *ahead,
                             uint32_t batches, uint8_t *out)
{
    const struct gsi_batch batch = {.idx = batches};
    const uint32_t first = operators->maker + 1;
    gsi_operators_begin(operators, &batch, first);
    (void)run_range(operators, &batch, first, ahead, 1, NULL, out);
    (void)gsi_operators_join(operators, &batch, first);
}

void gsi_operators_observe_again(const struct gsi_operators *operators,
                                 const struct gsi_batch *batch, const uint8_t *entries,
                                 uint64_t count)
{
    const uint32_t first = operators->last + 1;
    gsi_operators_begin(operators, batch, first);
    if (count > 0)
        (void)run_range(operators, batch, first, entries, count, NULL, NULL);
}
