/* buffers.h: a region of the arena cut into buffers of one size, with a list of the free ones. */
#ifndef GSI_BUFFERS_H
#define GSI_BUFFERS_H

#include "device/device.h"

struct gsi_buffers {
    struct gsi_ledger *ledger;
    struct gsi_buffer *all, *free;
    uint32_t count, free_count;
    size_t unit_bytes; /* of memory a buffer */
};

/* gsi_buffers_init: `bytes` of memory, in pieces of `unit_bytes` (the last one may be smaller if
 * `has_rest`), whose data begin `data_off` bytes in. The memory is borrowed until clear. */
enum gs_status gsi_buffers_init(struct gsi_buffers *buffers, struct gsi_ledger *ledger,
                                uint8_t *memory, uint64_t bytes, size_t unit_bytes, size_t data_off,
                                bool has_rest, struct gs_error *error);

/* gsi_buffers_carve: the same over the free buffers of another set, which are taken out of it for
 * good. */
enum gs_status gsi_buffers_carve(struct gsi_buffers *buffers, struct gsi_buffers *from,
                                 size_t unit_bytes, size_t data_off, struct gs_error *error);
void gsi_buffers_clear(struct gsi_buffers *buffers); /* also zeroed ones */

/* NULL: none is free. */
struct gsi_buffer *gsi_buffers_take(struct gsi_buffers *buffers);
void gsi_buffers_give(struct gsi_buffers *buffers, struct gsi_buffer *buffer);

#endif
