/* buffers.h: a region of the arena cut into buffers of one size, with a list of the free ones. */
#ifndef GSI_BUFFERS_H
#define GSI_BUFFERS_H

#include "device/buffer.h"
#include "device/device.h"
#include "plan/plan.h"

/* The form of a buffer. A buffer of records has their tags at its end, and spare room around them
 * (element/record/record_tags.h). */
struct gsi_buffer_shape {
    size_t unit_bytes;     /* memory of one buffer; a multiple of GSI_DIRECT_ALIGN */
    size_t data_off;       /* where its data begin */
    uint32_t record_bytes; /* 0: numbers, which fill the buffer */
    uint64_t most_records;
};

/* gsi_shape_chunk, gsi_shape_frame, gsi_shape_window: the shapes of the plan's chunks, frames and
 * windows. A buffer for a frame also holds a block of a sorted input. */
struct gsi_buffer_shape gsi_shape_chunk(const struct gsi_plan *plan);
struct gsi_buffer_shape gsi_shape_frame(const struct gsi_plan *plan);
struct gsi_buffer_shape gsi_shape_window(const struct gsi_plan *plan);

/* Memory of the output, in which windows are made one after the other, as long as they fit. NULL
 * and 0: windows are made in their own memory. */
struct gsi_output_memory {
    uint8_t *data;
    uint64_t bytes;
};

struct gsi_buffers {
    struct gsi_ledger *ledger;
    struct gsi_buffer *all, *free;
    uint32_t count, free_count;
    size_t unit_bytes; /* memory of one buffer */
};

/* gsi_buffers_init: cuts `bytes` of memory into buffers of one shape. With `has_rest`, the rest is
 * a last, smaller buffer. The memory is borrowed until clear. */
enum gs_status gsi_buffers_init(struct gsi_buffers *buffers, struct gsi_ledger *ledger,
                                uint8_t *memory, uint64_t bytes, struct gsi_buffer_shape shape,
                                bool has_rest, struct gs_error *error);

/* gsi_buffers_lay_out: allocates `count` buffers from a bump allocator, and their memory, unless it
 * is borrowed. They are not cleared. */
void gsi_buffers_lay_out(struct gsi_buffers *buffers, uint8_t *borrowed, uint32_t count,
                         struct gsi_buffer_shape shape, struct gsi_bump *bump);

/* gsi_buffers_carve: cuts each free buffer of another set into buffers of one shape. The other set
 * loses its free buffers for good. */
enum gs_status gsi_buffers_carve(struct gsi_buffers *buffers, struct gsi_buffers *from,
                                 struct gsi_buffer_shape shape, struct gs_error *error);
void gsi_buffers_clear(struct gsi_buffers *buffers); /* also zeroed ones */

/* gsi_buffers_pop: a free buffer; NULL: none is free.
 * gsi_buffers_return: a buffer is free again. */
struct gsi_buffer *gsi_buffers_pop(struct gsi_buffers *buffers);
void gsi_buffers_return(struct gsi_buffers *buffers, struct gsi_buffer *buffer);

/* gsi_buffers_has: whether a buffer belongs to this set. */
static inline bool gsi_buffers_has(const struct gsi_buffers *buffers,
                                   const struct gsi_buffer *buffer)
{
    return buffer >= buffers->all && buffer < buffers->all + buffers->count;
}

/* The memory of a job: chunk buffers, then window memory. */
struct gsi_arena {
    uint8_t *memory;
    uint64_t bytes, window_off;
    struct gsi_buffers chunks;
};

/* gsi_arena_windows: cuts the window memory into buffers of one shape. */
enum gs_status gsi_arena_windows(const struct gsi_arena *arena, struct gsi_buffers *windows,
                                 struct gsi_ledger *ledger, struct gsi_buffer_shape shape,
                                 struct gs_error *error);

/* ---- buffers that are added in any order and returned in the order of turn_idx ---- */

struct gsi_reorder {
    struct gsi_buffer *waiting; /* in no order; a few at most */
    uint64_t next;              /* turn_idx of the next buffer */
};

static inline void gsi_reorder_add(struct gsi_reorder *reorder, struct gsi_buffer *buffer)
{
    buffer->next = reorder->waiting;
    reorder->waiting = buffer;
}

/* gsi_reorder_pop: removes and returns the next buffer; NULL: it is not there yet. */
static inline struct gsi_buffer *gsi_reorder_pop(struct gsi_reorder *reorder)
{
    struct gsi_buffer **link = &reorder->waiting, *buffer;
    while ((buffer = *link) != NULL && buffer->turn_idx != reorder->next)
        link = &buffer->next;
    if (buffer == NULL)
        return NULL;
    *link = buffer->next;
    reorder->next++;
    return buffer;
}

#endif
