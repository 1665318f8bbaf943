/* entry_maker.c: makes entries from elements in staging buffers, with their positions and
 * values. */
#include "input/payload/entry_maker.h"

#include "base/checked.h"
#include "element/record/record_tags.h"
#include "input/payload/payload_tally.h"
#include "io/array.h"
#include "plan/plan.h"

/* At most so many transfers are in progress, and each has a staging buffer of its size. All of them
 * have at most a 32nd of the memory. */
#define STAGED_COUNT     GSI_PLAN_READS_MIN
#define STAGED_DIVISOR   512
#define STAGED_MIN_BYTES ((uint64_t)16 << 10)
#define STAGED_MAX_BYTES ((uint64_t)2 << 20)

/* ---- memory ---- */

static uint64_t staged_bytes(const struct gsi_entry_map *entry_map, uint64_t memory_bytes)
{
    uint64_t bytes =
        gsi_clamp_u64(memory_bytes / STAGED_DIVISOR, STAGED_MIN_BYTES, STAGED_MAX_BYTES);
    uint64_t least = gsi_record_room_bytes(entry_map->input.element_bytes, 1);
    return gsi_round_up_u64(gsi_max_u64(bytes, least), GSI_DIRECT_ALIGN);
}

static uint64_t indexes_each(const struct gsi_inputs *inputs, uint64_t staged)
{
    bool are_wanted = gsi_entry_has_positions(inputs->entry_map) || inputs->values != NULL;
    return inputs->filter != NULL && are_wanted ? staged / inputs->entry_map->input.element_bytes
                                                : 0;
}

/* If the input is an array, the staging buffers use its memory (reader.c). */
void gsi_entry_maker_lay_out(struct gsi_entry_maker *maker, const struct gsi_inputs *inputs,
                             uint64_t memory_bytes, uint32_t batches, struct gsi_bump *bump)
{
    const struct gsi_layout *layout = &inputs->entry_map->input;
    const uint64_t staged = staged_bytes(inputs->entry_map, memory_bytes);
    const struct gsi_buffer_shape shape = {
        .unit_bytes = staged,
        .record_bytes = gsi_layout_is_native(layout) ? 0 : layout->element_bytes,
        .most_records = UINT64_MAX};
    *maker =
        (struct gsi_entry_maker){.inputs = inputs, .indexes_each = indexes_each(inputs, staged)};
    uint8_t *lent = inputs->is_lent ? (uint8_t *)inputs->table[0].array->from : NULL;
    gsi_buffers_lay_out(&maker->staging, lent, STAGED_COUNT, shape, bump);
    GSI_BUMP_ALLOC(bump, maker->indexes, STAGED_COUNT * maker->indexes_each);
    GSI_BUMP_ALLOC(bump, maker->ranks, inputs->entry_map->is_shuffled ? batches : 0);
    GSI_BUMP_ALLOC(bump, maker->values, inputs->values != NULL ? batches : 0);
    gsi_value_readers_lay_out(&maker->readers, inputs->values, memory_bytes, bump);
}

/* ---- entries ---- */

uint32_t *gsi_entry_maker_indexes(const struct gsi_entry_maker *maker,
                                  const struct gsi_buffer *staged)
{
    uint64_t idx = (uint64_t)(staged - maker->staging.all);
    return maker->indexes_each > 0 ? maker->indexes + idx * maker->indexes_each : NULL;
}

bool gsi_entry_maker_skip_to(struct gsi_entry_maker *maker, uint64_t position)
{
    while (!gsi_value_readers_skip_to(&maker->readers, position))
        if (!gsi_value_readers_pump(&maker->readers))
            return false;
    return true;
}

/* Returns for how many of the next `n` elements the values have been read. */
static uint64_t count_ready(void *context, const struct gsi_buffer *window, uint64_t first,
                            uint64_t n)
{
    struct gsi_entry_maker *maker = context;
    const uint32_t *indexes = gsi_entry_maker_indexes(maker, window);
    uint64_t idx = indexes != NULL ? indexes[first] : first, ready, count = 0;
    if (!gsi_entry_maker_skip_to(maker, window->turn_idx + idx))
        return 0;
    while ((ready = gsi_value_readers_ready_count(&maker->readers)) == 0)
        if (!gsi_value_readers_pump(&maker->readers))
            return 0;
    if (indexes == NULL)
        return gsi_min_u64(n, ready);
    while (count < n && indexes[first + count] - idx < ready)
        count++;
    return count;
}

/* Pops the values of a batch, and of dropped elements between its elements. */
static void pop_values(struct gsi_entry_maker *maker, const struct gsi_batch *batch)
{
    const uint32_t *indexes = gsi_entry_maker_indexes(maker, batch->window);
    uint64_t first = (uint64_t)(batch->entries - batch->window->data) /
                     maker->inputs->entry_map->input.element_bytes;
    uint64_t values = batch->count;
    if (indexes != NULL)
        values = (uint64_t)indexes[first + batch->count - 1] - indexes[first] + 1;
    gsi_value_readers_pop(&maker->readers, values, maker->values[batch->idx]);
}

static void begin_entries(void *context, const struct gsi_batch *batch)
{
    struct gsi_entry_maker *maker = context;
    if (maker->inputs->entry_map->is_shuffled)
        maker->ranks[batch->idx] = maker->kept_count;
    maker->kept_count += batch->count;
    if (maker->readers.count > 0)
        pop_values(maker, batch);
}

static uint64_t run_entries(void *context, const struct gsi_batch *batch, const uint8_t *in,
                            uint64_t n, uint8_t *out)
{
    const struct gsi_entry_maker *maker = context;
    const struct gsi_entry_map *entry_map = maker->inputs->entry_map;
    const uint32_t *indexes = gsi_entry_maker_indexes(maker, batch->window);
    uint64_t idx = (uint64_t)(in - batch->window->data) / entry_map->input.element_bytes;
    uint64_t first = batch->window->turn_idx + (indexes == NULL ? idx : 0);
    indexes = indexes != NULL ? indexes + idx : NULL;
    gsi_payload_tally_add(maker->inputs->payload_tally, batch->worker_idx, in, n, first, indexes);
    uint64_t rank = (uint64_t)(in - batch->entries) / entry_map->input.element_bytes;
    rank += entry_map->is_shuffled ? maker->ranks[batch->idx] : 0;
    gsi_entry_make(entry_map, in, n, first, indexes, rank, out);
    if (maker->readers.count > 0)
        gsi_value_readers_copy(&maker->readers, maker->values[batch->idx], n, indexes,
                               out + gsi_entry_element_off(entry_map), entry_map->entry_bytes);
    return n;
}

static uint64_t join_entries(void *context, const struct gsi_batch *batch, uint8_t *ahead)
{
    struct gsi_entry_maker *maker = context;
    (void)ahead;
    gsi_value_readers_release(&maker->readers, maker->values[batch->idx]);
    return 0;
}

struct gsi_operator gsi_entry_maker_operator(struct gsi_entry_maker *maker)
{
    const bool has_values = maker->readers.count > 0;
    const bool has_begin = has_values || maker->inputs->entry_map->is_shuffled;
    return (struct gsi_operator){.context = maker,
                                 .kind = GSI_MAP,
                                 .in_bytes = maker->inputs->entry_map->input.element_bytes,
                                 .out_bytes = maker->inputs->entry_map->entry_bytes,
                                 .ready = has_values ? count_ready : NULL,
                                 .begin = has_begin ? begin_entries : NULL,
                                 .run = run_entries,
                                 .join = has_values ? join_entries : NULL};
}

void gsi_entry_maker_check(const struct gsi_entry_maker *maker, uint64_t count)
{
    const struct gsi_entry_map *entry_map = maker->inputs->entry_map;
    if (gsi_entry_has_positions(entry_map) &&
        !gsi_entry_positions_fit(count, entry_map->output_bytes))
        gsi_fail(maker->inputs->loop->error, GS_E_INPUT, 0,
                 "--index u32: there are more than 4294967296 elements; use --index u64");
}
