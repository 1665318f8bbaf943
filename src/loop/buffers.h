/* buffers.h: divides a region of a job's memory into buffers of one size, and lists the free
 * buffers. */
#ifndef GSI_BUFFERS_H
#define GSI_BUFFERS_H

#include "device/buffer.h"
#include "device/device.h"
#include "plan/plan.h"

/* How the memory of a buffer is used. A buffer of records has their tags at its end, and unused
 * bytes around them (element/record/record_tags.h). Inline records are read into the end of the
 * memory of their tags. Tags are made one after the other, and overwrite only records that have
 * their tags already:
 *
 *     [ ..        | 0 | 1 | 2 | 3 | .. ]       records, as they were read
 *     [ tag 0 | tag 1 | . | 2 | 3 | .. ]
 *     [ tag 0 | tag 1 | tag 2 | tag 3 .. ]
 */
struct gsi_buffer_shape {
    size_t unit_bytes;     /* memory of one buffer; a multiple of GSI_DIRECT_ALIGN */
    size_t data_off;       /* offset of the data in the memory */
    uint32_t record_bytes; /* 0: numbers, without tags */
    bool are_inline;       /* tags replace the records */
    uint64_t most_records;
};

/* gsi_shape_chunk, gsi_shape_frame, gsi_shape_window: return the shapes of buffers for the plan's
 * chunks, frames and windows. A frame's buffer also fits a block of a sorted input. */
struct gsi_buffer_shape gsi_shape_chunk(const struct gsi_plan *plan);
struct gsi_buffer_shape gsi_shape_frame(const struct gsi_plan *plan);
struct gsi_buffer_shape gsi_shape_window(const struct gsi_plan *plan);

/* Memory of the output file or array. The merge writes windows into it one after the other, as long
 * as they fit. NULL and 0: windows have buffers of their own. */
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

/* gsi_buffers_init: divides `bytes` of memory into buffers of one shape. With `has_rest`, the
 * remaining bytes are a last, smaller buffer. gsi_buffers_clear does not free the memory. */
enum gs_status gsi_buffers_init(struct gsi_buffers *buffers, struct gsi_ledger *ledger,
                                uint8_t *memory, uint64_t bytes, struct gsi_buffer_shape shape,
                                bool has_rest, struct gs_error *error);

/* gsi_buffers_lay_out: allocates `count` buffers from a bump allocator. Their memory is `borrowed`,
 * or allocated too if that is NULL. Do not call gsi_buffers_clear for them. */
void gsi_buffers_lay_out(struct gsi_buffers *buffers, uint8_t *borrowed, uint32_t count,
                         struct gsi_buffer_shape shape, struct gsi_bump *bump);

/* gsi_buffers_carve: removes all free buffers from the set `from`, and divides each into buffers of
 * one shape. */
enum gs_status gsi_buffers_carve(struct gsi_buffers *buffers, struct gsi_buffers *from,
                                 struct gsi_buffer_shape shape, struct gs_error *error);
void gsi_buffers_clear(struct gsi_buffers *buffers); /* accepts a zeroed set */

/* gsi_buffers_pop: removes a free buffer from the set and returns it; NULL: none is free.
 * gsi_buffers_return: adds a buffer to the free buffers of its set. */
struct gsi_buffer *gsi_buffers_pop(struct gsi_buffers *buffers);
void gsi_buffers_return(struct gsi_buffers *buffers, struct gsi_buffer *buffer);

/* gsi_buffers_has: returns whether a buffer belongs to this set. */
static inline bool gsi_buffers_has(const struct gsi_buffers *buffers,
                                   const struct gsi_buffer *buffer)
{
    return buffer >= buffers->all && buffer < buffers->all + buffers->count;
}

/* The memory of a job for elements: chunk buffers, then memory for windows from window_off on. */
struct gsi_arena {
    uint8_t *memory;
    uint64_t bytes, window_off;
    struct gsi_buffers chunks;
};

/* gsi_arena_windows: divides the memory for windows into buffers of one shape. */
enum gs_status gsi_arena_windows(const struct gsi_arena *arena, struct gsi_buffers *windows,
                                 struct gsi_ledger *ledger, struct gsi_buffer_shape shape,
                                 struct gs_error *error);

/* ---- reordering: buffers are added in any order, and returned in the order of their turn_idx
 * ---- */

struct gsi_reorder {
    struct gsi_buffer *waiting; /* added and not returned yet, in no order */
    uint64_t next;              /* turn_idx of the next buffer */
};

static inline void gsi_reorder_add(struct gsi_reorder *reorder, struct gsi_buffer *buffer)
{
    buffer->next = reorder->waiting;
    reorder->waiting = buffer;
}

/* gsi_reorder_pop: removes and returns the next buffer; NULL: it was not added yet. */
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
