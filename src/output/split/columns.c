/* columns.c: parts of joined records into the blocks of their files. The window and all blocks that
 * are filled belong to the task while is_busy. */
#include "output/split/columns.h"

#include "base/checked.h"
#include "base/report.h"
#include "base/simd.h"
#include "input/values/values.h"
#include "output/split/split_check.h"

#include <string.h>

/* Blocks of a file: two are filled, the others are being written. */
#define BLOCKS 6u

static uint32_t count_of(const struct gsi_target *target)
{
    return target->inputs->values->count + 1;
}

static void lay_out(struct gsi_columns *columns, uint32_t count, uint64_t block_bytes,
                    struct gsi_shelf *shelf)
{
    const struct gsi_buffer_shape shape = {.unit_bytes = block_bytes};
    const uint64_t bytes = BLOCKS * block_bytes; /* of one file */
    uint8_t *memory = gsi_shelf_place(shelf, count, bytes, GSI_DIRECT_ALIGN);
    GSI_PLACE(shelf, columns->table, count);
    for (uint32_t i = 0; i < count; i++) {
        struct gsi_buffers blocks;
        gsi_buffers_lay_out(&blocks, memory == NULL ? NULL : memory + i * bytes, BLOCKS, shape,
                            shelf);
        if (columns->table != NULL)
            columns->table[i].blocks = blocks;
    }
}

uint64_t gsi_columns_plan(const struct gsi_target *target, const struct gsi_budget *budget,
                          struct gsi_output_plan *plan)
{
    struct gsi_columns planned = {0};
    struct gsi_shelf shelf = {0};
    plan->split_block_bytes =
        gsi_block_bytes(budget->memory_bytes / count_of(target) * 2, budget->window_bytes);
    lay_out(&planned, count_of(target), plan->split_block_bytes, &shelf);
    return shelf.bytes;
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
    column->bytes = target->inputs->layout->element_bytes;
    if (i == values->count)
        return;
    column->off = values->table[i].off;
    column->bytes = values->table[i].bytes;
    column->inputs =
        (struct gsi_inputs){.loop = target->loop, .spec = target->inputs->spec, .count = 0};
    column->at.inputs = &column->inputs;
}

enum gs_status gsi_columns_open(struct gsi_columns *columns, struct gsi_target *target)
{
    struct gsi_loop *loop = target->loop;
    const uint64_t block_bytes = target->plan->split_block_bytes;
    *columns = (struct gsi_columns){.target = target, .record_bytes = loop->layout->element_bytes};
    if (target->inputs->values == NULL)
        return GS_OK;
    gsi_buffer_list_init(&columns->waiting);
    lay_out(columns, count_of(target), block_bytes, &columns->shelf);
    GSI_TRY(gsi_shelf_open(&columns->shelf, &loop->ledger, GSI_MEMORY_DATA, loop->error));
    lay_out(columns, count_of(target), block_bytes, &columns->shelf);
    columns->count = count_of(target);
    for (uint32_t i = 0; i < columns->count; i++)
        describe(columns, i);
    return GS_OK;
}

void gsi_columns_close(struct gsi_columns *columns)
{
    if (columns->target == NULL)
        return;
    gsi_shelf_close(&columns->shelf, &columns->target->loop->ledger, GSI_MEMORY_DATA);
    *columns = (struct gsi_columns){0};
}

void gsi_columns_begin(struct gsi_columns *columns, struct gsi_buffers *windows, uint64_t bytes)
{
    uint64_t count = bytes / columns->record_bytes;
    columns->windows = windows;
    for (uint32_t i = 0; i < columns->count; i++) {
        struct gsi_column *column = &columns->table[i];
        gsi_sink_init(&column->sink, &column->at, &column->blocks,
                      gsi_mul_max_u64(count, column->bytes));
    }
}

/* ---- copies ---- */

/* Bytes that there is room for. */
static uint64_t room_of(const struct gsi_column *column)
{
    return column->block->capacity - column->block->bytes + column->next->capacity;
}

/* Of a record that the block has no room for, as much as it has. */
static void put_across(struct gsi_column *column, const uint8_t *from)
{
    struct gsi_buffer *block = column->block, *next = column->next;
    uint64_t here = gsi_min_u64(column->bytes, block->capacity - block->bytes);
    memcpy(block->data + block->bytes, from, here);
    memcpy(next->data + next->bytes, from + here, column->bytes - here);
    block->bytes += here;
    next->bytes += column->bytes - here;
}

/* A constant width makes the copy short. */
GSI_INLINE void put_whole(uint8_t *to, const uint8_t *from, uint64_t n, uint64_t step,
                          uint32_t width)
{
    for (uint64_t i = 0; i < n; i++)
        memcpy(to + i * width, from + i * step, width);
}

/* What fits into one block as it is; returns how many. */
static uint64_t put_block(const struct gsi_column *column, struct gsi_buffer *block,
                          const uint8_t *from, uint64_t n, uint64_t step)
{
    uint8_t *to = block->data + block->bytes;
    n = gsi_min_u64(n, (block->capacity - block->bytes) / column->bytes);
    if (column->bytes == 4)
        put_whole(to, from, n, step, 4);
    else if (column->bytes == 8)
        put_whole(to, from, n, step, 8);
    else
        put_whole(to, from, n, step, column->bytes);
    block->bytes += n * column->bytes;
    return n;
}

static void put(struct gsi_column *column, const uint8_t *record, uint64_t n, uint64_t step)
{
    const uint8_t *from = record + column->off;
    uint64_t done = put_block(column, column->block, from, n, step);
    if (done < n && column->next->bytes == 0 && column->block->bytes < column->block->capacity)
        put_across(column, from + done++ * step);
    put_block(column, column->next, from + done * step, n - done, step);
}

static void copy(struct gsi_task *task, uint32_t worker_idx)
{
    (void)worker_idx;
    struct gsi_columns *columns = GSI_CONTAINER_OF(task, struct gsi_columns, task);
    for (uint32_t i = 0; i < columns->count; i++)
        put(&columns->table[i], columns->window->data + columns->window_off, columns->copying,
            columns->record_bytes);
}

static void hand_block_on(struct gsi_column *column)
{
    if (column->block != NULL && column->block->bytes > 0)
        gsi_sink_take(&column->sink, column->block);
    else if (column->block != NULL)
        gsi_buffers_give(&column->blocks, column->block);
    column->block = column->next;
    column->next = NULL;
}

static void copy_done(struct gsi_task *task)
{
    struct gsi_columns *columns = GSI_CONTAINER_OF(task, struct gsi_columns, task);
    columns->is_busy = false;
    columns->copied += columns->copying;
    columns->window_off += columns->copying * columns->record_bytes;
    for (uint32_t i = 0; i < columns->count; i++) {
        struct gsi_column *column = &columns->table[i];
        if (column->block->bytes == column->block->capacity)
            hand_block_on(column);
    }
    if (columns->window_off < columns->window->bytes)
        return;
    gsi_buffers_give(columns->windows, columns->window);
    columns->window = NULL;
}

/* Two blocks for each column; false: none is free. */
static bool take_blocks(struct gsi_columns *columns)
{
    for (uint32_t i = 0; i < columns->count; i++) {
        struct gsi_column *column = &columns->table[i];
        if (column->block == NULL)
            column->block = gsi_buffers_take(&column->blocks);
        if (column->block != NULL && column->next == NULL)
            column->next = gsi_buffers_take(&column->blocks);
        if (column->next == NULL)
            return false;
    }
    return true;
}

/* The next records of the window, as many as there is room for. */
static bool start_copy(struct gsi_columns *columns)
{
    if (columns->window == NULL) {
        columns->window = gsi_buffer_list_pop(&columns->waiting);
        columns->window_off = 0;
    }
    if (columns->window == NULL || !take_blocks(columns))
        return false;
    columns->copying = (columns->window->bytes - columns->window_off) / columns->record_bytes;
    for (uint32_t i = 0; i < columns->count; i++)
        columns->copying =
            gsi_min_u64(columns->copying, room_of(&columns->table[i]) / columns->table[i].bytes);
    columns->is_busy = true;
    columns->task = (struct gsi_task){.run = copy, .done = copy_done, .is_urgent = true};
    gsi_pool_submit(columns->target->loop->pool, &columns->task);
    return true;
}

/* ---- as a stage ---- */

static bool take(void *context, struct gsi_buffer *window)
{
    struct gsi_columns *columns = context;
    gsi_buffer_list_push(&columns->waiting, window);
    return false;
}

struct gsi_link gsi_columns_link(struct gsi_columns *columns)
{
    return (struct gsi_link){.context = columns, .take = take};
}

static bool has_windows(const struct gsi_columns *columns)
{
    return columns->window != NULL || columns->waiting.head != NULL;
}

static bool pump(void *context)
{
    struct gsi_columns *columns = context;
    return !columns->is_busy && !gsi_loop_has_failed(columns->target->loop) && start_copy(columns);
}

static bool is_idle(const void *context)
{
    const struct gsi_columns *columns = context;
    bool is_idle = !columns->is_busy && !has_windows(columns);
    for (uint32_t i = 0; i < columns->count; i++)
        is_idle = is_idle && gsi_sink_is_idle(&columns->table[i].sink);
    return is_idle;
}

/* All was copied: what is left in blocks, and the ends of the files. */
static void end(void *context)
{
    struct gsi_columns *columns = context;
    for (uint32_t i = 0; i < columns->count; i++) {
        struct gsi_column *column = &columns->table[i];
        hand_block_on(column);
        hand_block_on(column);
        gsi_sink_finish(&column->sink);
    }
}

struct gsi_stage gsi_columns_stage(struct gsi_columns *columns)
{
    return (struct gsi_stage){.context = columns, .pump = pump, .is_done = is_idle, .end = end};
}

enum gs_status gsi_columns_place(struct gsi_columns *columns, uint64_t count)
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
        are_whole = are_whole && column->sink.bytes == columns->copied * column->bytes;
    }
    return gsi_split_place_files(target, are_whole ? columns->copied : UINT64_MAX, count);
}
