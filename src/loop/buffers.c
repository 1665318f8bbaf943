/* buffers.c: divides memory into buffers, and keeps lists of free buffers. */
#include "loop/buffers.h"

#include "base/assert.h"
#include "io/file.h"
#include "plan/plan.h"

struct gsi_buffer_shape gsi_shape_chunk(const struct gsi_plan *plan)
{
    return (struct gsi_buffer_shape){.unit_bytes = plan->chunk_bytes,
                                     .record_bytes = plan->record_bytes,
                                     .are_inline = plan->are_inline,
                                     .most_records = (uint64_t)1 << gsi_plan_chunk_shift(plan)};
}

struct gsi_buffer_shape gsi_shape_frame(const struct gsi_plan *plan)
{
    return (struct gsi_buffer_shape){.unit_bytes = plan->frame_bytes,
                                     .data_off = GSI_FRAME_HEADER_BYTES,
                                     .record_bytes = plan->record_bytes,
                                     .most_records = (uint64_t)1 << gsi_plan_frame_shift(plan)};
}

struct gsi_buffer_shape gsi_shape_window(const struct gsi_plan *plan)
{
    return (struct gsi_buffer_shape){.unit_bytes = plan->window_bytes,
                                     .record_bytes = plan->record_bytes,
                                     .most_records = UINT64_MAX};
}

/* Places records and their tags. Each inline record begins after the end of its tag, so a tag
 * overwrites only earlier records. */
static void place_records(struct gsi_buffer *buffer, struct gsi_buffer_shape shape)
{
    const uint32_t beside = shape.are_inline ? 0 : shape.record_bytes;
    const uint64_t bytes = buffer->memory_bytes;
    const uint64_t n = gsi_min_u64(gsi_record_room(beside, bytes), shape.most_records);
    uint64_t tags_off = gsi_round_down_u64(bytes - n * GSI_TAG_BYTES, 64), records_off = 0;
    if (shape.are_inline) {
        GSI_ASSERT(shape.record_bytes <= GSI_TAG_BYTES && bytes % GSI_RECORD_PAGE_BYTES == 0);
        tags_off = 0;
        records_off = gsi_round_up_u64(n * (GSI_TAG_BYTES - shape.record_bytes) + GSI_TAG_BYTES,
                                       GSI_RECORD_PAGE_BYTES);
    }
    buffer->page = buffer->memory + records_off;
    buffer->data = buffer->page + shape.data_off;
    buffer->capacity = n * shape.record_bytes;
    buffer->tags = (gsi_u128 *)(void *)(buffer->memory + tags_off);
}

static void add_buffer(struct gsi_buffers *buffers, uint8_t *memory, size_t bytes,
                       struct gsi_buffer_shape shape)
{
    struct gsi_buffer *buffer = &buffers->all[buffers->count++];
    buffer->memory = buffer->page = memory;
    buffer->memory_bytes = bytes;
    buffer->data = memory + shape.data_off;
    buffer->capacity = bytes - shape.data_off;
    if (shape.record_bytes > 0)
        place_records(buffer, shape);
}

/* Adds all buffers to the free list in the order of their addresses. So a small job uses few
 * pages. */
static void return_all(struct gsi_buffers *buffers)
{
    for (uint32_t i = buffers->count; i-- > 0;)
        gsi_buffers_return(buffers, &buffers->all[i]);
}

static enum gs_status alloc_buffers(struct gsi_buffers *buffers, struct gsi_ledger *ledger,
                                    size_t unit_bytes, uint64_t count, struct gs_error *error)
{
    *buffers = (struct gsi_buffers){.ledger = ledger, .unit_bytes = unit_bytes};
    if (count > UINT32_MAX)
        return gsi_fail(error, GS_E_MEMORY, 0, "memory: too many buffers; raise --chunk");
    enum gs_status status = GSI_NEW(ledger, buffers->all, count, error);
    return status;
}

enum gs_status gsi_buffers_init(struct gsi_buffers *buffers, struct gsi_ledger *ledger,
                                uint8_t *memory, uint64_t bytes, struct gsi_buffer_shape shape,
                                bool has_rest, struct gs_error *error)
{
    size_t unit_bytes = shape.unit_bytes;
    uint64_t whole = bytes / unit_bytes, rest = has_rest ? bytes % unit_bytes : 0;
    enum gs_status status = alloc_buffers(buffers, ledger, unit_bytes, whole + (rest > 0), error);
    if (status != GS_OK)
        return status;
    for (uint64_t i = 0; i < whole; i++)
        add_buffer(buffers, memory + i * unit_bytes, unit_bytes, shape);
    if (rest > 0)
        add_buffer(buffers, memory + whole * unit_bytes, rest, shape);
    return_all(buffers);
    return GS_OK;
}

void gsi_buffers_lay_out(struct gsi_buffers *buffers, uint8_t *borrowed, uint32_t count,
                         struct gsi_buffer_shape shape, struct gsi_bump *bump)
{
    uint8_t *memory = borrowed != NULL
                          ? borrowed
                          : gsi_bump_alloc(bump, count, shape.unit_bytes, GSI_DIRECT_ALIGN);
    *buffers = (struct gsi_buffers){.unit_bytes = shape.unit_bytes};
    GSI_BUMP_ALLOC(bump, buffers->all, count);
    for (uint32_t i = 0; buffers->all != NULL && i < count; i++)
        add_buffer(buffers, memory + i * shape.unit_bytes, shape.unit_bytes, shape);
    return_all(buffers);
}

enum gs_status gsi_buffers_carve(struct gsi_buffers *buffers, struct gsi_buffers *from,
                                 struct gsi_buffer_shape shape, struct gs_error *error)
{
    size_t unit_bytes = shape.unit_bytes;
    uint64_t per_buffer = from->unit_bytes / unit_bytes;
    enum gs_status status =
        alloc_buffers(buffers, from->ledger, unit_bytes, from->free_count * per_buffer, error);
    if (status != GS_OK)
        return status;
    for (struct gsi_buffer *whole; (whole = gsi_buffers_pop(from)) != NULL;)
        for (uint64_t i = 0; i < per_buffer; i++)
            add_buffer(buffers, whole->memory + i * unit_bytes, unit_bytes, shape);
    return_all(buffers);
    return GS_OK;
}

void gsi_buffers_clear(struct gsi_buffers *buffers)
{
    GSI_FREE(buffers->ledger, buffers->all, buffers->count);
    *buffers = (struct gsi_buffers){0};
}

struct gsi_buffer *gsi_buffers_pop(struct gsi_buffers *buffers)
{
    struct gsi_buffer *buffer = buffers->free;
    if (buffer == NULL)
        return NULL;
    buffers->free = buffer->next;
    buffers->free_count--;
    buffer->next = NULL;
    buffer->bytes = 0;
    return buffer;
}

void gsi_buffers_return(struct gsi_buffers *buffers, struct gsi_buffer *buffer)
{
    GSI_ASSERT(buffer != NULL);
    buffer->next = buffers->free;
    buffers->free = buffer;
    buffers->free_count++;
}

enum gs_status gsi_arena_windows(const struct gsi_arena *arena, struct gsi_buffers *windows,
                                 struct gsi_ledger *ledger, struct gsi_buffer_shape shape,
                                 struct gs_error *error)
{
    return gsi_buffers_init(windows, ledger, arena->memory + arena->window_off,
                            arena->bytes - arena->window_off, shape, false, error);
}
