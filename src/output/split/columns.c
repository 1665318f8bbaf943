/* columns.c: copies parts of joined records into the blocks of their files. */
#include "output/split/columns.h"

#include "base/checked.h"
#include "base/memory.h"
#include "element/entry/strided.h"
#include "input/values/values.h"

#include <string.h>

/* Blocks of a file, most of which are being written. A batch fills a part of a block. */
#define BLOCKS     6u
#define BATCH_PART 4u

static uint32_t count_of(const struct gsi_target *target)
{
    return target->inputs->values->count + 1;
}

static void lay_out(struct gsi_columns *columns, const struct gsi_target *target,
                    uint64_t block_bytes, struct gsi_bump *bump)
{
    const uint32_t count = count_of(target);
    const uint64_t least = 2 * (uint64_t)target->loop->layout->element_bytes;
    const struct gsi_buffer_shape block = {.unit_bytes = block_bytes};
    const struct gsi_buffer_shape room = {
        .unit_bytes =
            gsi_round_up_u64(gsi_max_u64(block_bytes / BATCH_PART, least), GSI_DIRECT_ALIGN)};
    GSI_BUMP_ALLOC(bump, columns->table, count);
    for (uint32_t i = 0; i < count; i++) {
        struct gsi_column planned = {0},
                          *column = columns->table != NULL ? &columns->table[i] : &planned;
        gsi_buffers_lay_out(&column->blocks, NULL, BLOCKS, block, bump);
        gsi_buffers_lay_out(&column->staging, NULL, 1, room, bump);
        gsi_flow_alloc(&column->flow, 1, GSI_FLOW_COPIES, bump);
    }
}

void gsi_columns_plan(const struct gsi_target *target, const struct gsi_budget *budget,
                      struct gsi_output_plan *plan)
{
    struct gsi_columns planned = {0};
    plan->split_block_bytes =
        gsi_block_bytes(budget->memory_bytes / count_of(target) * 2, budget->window_bytes);
    lay_out(&planned, target, plan->split_block_bytes, &plan->split);
}

/* ---- files ---- */

/* Values first, for the keys take their place last. */
enum gs_status gsi_columns_open_files(struct gsi_target *target)
{
    const struct gsi_values *values = target->inputs->values;
    struct gs_error *error = target->loop->error;
    const char *keys = target->spec->name;
    GSI_TRY(gsi_split_files_room(&target->files, count_of(target), error));
    for (uint32_t i = 0; i <= values->count; i++)
        GSI_TRY(gsi_split_files_add(&target->files,
                                    i < values->count ? values->table[i].output : keys,
                                    "--values needs such files for keys and values", error));
    uint32_t twice = gsi_split_files_twice(&target->files, false);
    if (twice < target->files.count)
        return gsi_fail(error, GS_E_USAGE, 0,
                        "--values: '%s' is named as output twice; give each its own name",
                        target->files.table[twice].path);
    GSI_TRY(gsi_output_locate(keys, &target->output, error));
    target->is_open = true;
    return GS_OK;
}

/* ---- memory ---- */

static void describe(struct gsi_columns *columns, uint32_t i)
{
    struct gsi_target *target = columns->target;
    const struct gsi_values *values = target->inputs->values;
    struct gsi_column *column = &columns->table[i];
    column->at = *target;
    column->at.output = target->files.table[i].output;
    column->off = gsi_entry_element_off(target->inputs->entry_map);
    column->bytes = target->inputs->layout->element_bytes;
    if (i == values->count)
        return;
    column->off += values->table[i].off;
    column->bytes = values->table[i].bytes;
    column->inputs =
        (struct gsi_inputs){.loop = target->loop, .spec = target->inputs->spec, .count = 0};
    column->at.inputs = &column->inputs;
}

enum gs_status gsi_columns_open(struct gsi_columns *columns, struct gsi_target *target)
{
    struct gsi_loop *loop = target->loop;
    const uint64_t block_bytes = target->plan->split_block_bytes;
    *columns = (struct gsi_columns){.target = target};
    if (target->inputs->values == NULL)
        return GS_OK;
    columns->bump = target->plan->split;
    GSI_TRY(gsi_bump_open(&columns->bump, &loop->ledger, GSI_MEMORY_DATA, loop->error));
    lay_out(columns, target, block_bytes, &columns->bump);
    columns->count = count_of(target);
    for (uint32_t i = 0; i < columns->count; i++)
        describe(columns, i);
    return GS_OK;
}

void gsi_columns_close(struct gsi_columns *columns)
{
    if (columns->target == NULL)
        return;
    gsi_bump_close(&columns->bump, &columns->target->loop->ledger, GSI_MEMORY_DATA);
    *columns = (struct gsi_columns){0};
}

/* ---- flows ---- */

/* The operator of a column: makes its part of each record. */
static uint64_t run(void *context, const struct gsi_batch *batch, const uint8_t *in, uint64_t n,
                    uint8_t *out)
{
    const struct gsi_column *column = context;
    const uint64_t step = column->flow.operators.all[0].in_bytes;
    (void)batch;
    gsi_copy_strided(out, column->bytes, in + column->off, step, n, column->bytes);
    return n;
}

static void take_block(void *context, struct gsi_buffer *block)
{
    struct gsi_column *column = context;
    gsi_sink_accept(&column->sink, block);
}

void gsi_columns_begin(struct gsi_columns *columns, struct gsi_buffers *windows, uint64_t bytes)
{
    const struct gsi_target *target = columns->target;
    const uint64_t record_bytes = target->loop->layout->element_bytes;
    for (uint32_t i = 0; i < columns->count; i++) {
        struct gsi_column *column = &columns->table[i];
        column->flow = (struct gsi_flow){
            .loop = target->loop,
            .batches = column->flow.batches,
            .copies = column->flow.copies,
            .operators = {.all = {{.context = column,
                                   .kind = GSI_MAP,
                                   .in_bytes = record_bytes,
                                   .out_bytes = column->bytes,
                                   .run = run}},
                          .count = 1},
            .receiver = {.context = column, .blocks = &column->blocks, .accept = take_block},
            .windows = windows,
            .next = i + 1 < columns->count ? &column[1].flow : NULL,
            .staging = &column->staging,
            .most = UINT64_MAX};
        gsi_flow_begin(&column->flow);
        gsi_sink_init(&column->sink, &column->at, &column->blocks,
                      gsi_mul_max_u64(bytes / record_bytes, column->bytes));
    }
}

/* ---- as a stage ---- */

static bool take(void *context, struct gsi_buffer *window)
{
    struct gsi_columns *columns = context;
    gsi_flow_accept(&columns->table[0].flow, window);
    return false;
}

static bool pump(void *context)
{
    struct gsi_columns *columns = context;
    bool has_moved = false;
    for (uint32_t i = 0; i < columns->count; i++)
        has_moved |= gsi_flow_pump(&columns->table[i].flow);
    return has_moved;
}

static bool is_idle(const void *context)
{
    const struct gsi_columns *columns = context;
    bool is_idle = true;
    for (uint32_t i = 0; i < columns->count; i++)
        is_idle = is_idle && gsi_flow_is_idle(&columns->table[i].flow) &&
                  gsi_sink_is_idle(&columns->table[i].sink);
    return is_idle;
}

/* An idle flow has at most one block, which its sink gets at once. */
static void end(void *context)
{
    struct gsi_columns *columns = context;
    for (uint32_t i = 0; i < columns->count; i++) {
        struct gsi_column *column = &columns->table[i];
        gsi_flow_end(&column->flow);
        gsi_flow_pump(&column->flow);
        GSI_ASSERT(gsi_flow_is_idle(&column->flow));
        gsi_sink_finish(&column->sink);
    }
}

struct gsi_stage gsi_columns_stage(struct gsi_columns *columns)
{
    return (struct gsi_stage){
        .context = columns, .pump = pump, .is_done = is_idle, .accept_window = take, .end = end};
}

enum gs_status gsi_columns_commit(struct gsi_columns *columns, uint64_t count)
{
    struct gsi_target *target = columns->target;
    bool are_whole = true;
    target->bytes = count * target->loop->layout->element_bytes;
    for (uint32_t i = 0; i < columns->count; i++) {
        const struct gsi_column *column = &columns->table[i];
        struct gsi_split_file *file = &target->files.table[i];
        file->count = column->sink.bytes / column->bytes;
        file->file_bytes = gsi_sink_file_bytes(&column->sink);
        file->output.allocated = column->at.output.allocated;
        are_whole = are_whole && column->sink.bytes == count * column->bytes;
    }
    return gsi_target_commit_files(target, are_whole ? columns->table[0].flow.count : UINT64_MAX,
                                   count);
}
