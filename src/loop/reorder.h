/* reorder.h: accepts buffers in any order, and returns them in the order of turn_idx. */
#ifndef GSI_REORDER_H
#define GSI_REORDER_H

#include "device/buffer.h"

struct gsi_reorder {
    struct gsi_buffer *waiting; /* in no order; a few at most */
    uint64_t next;              /* turn_idx of the next buffer */
};

static inline void gsi_reorder_add(struct gsi_reorder *reorder, struct gsi_buffer *buffer)
{
    buffer->next = reorder->waiting;
    reorder->waiting = buffer;
}

/* gsi_reorder_take: removes and returns the next buffer; NULL: it is not there yet. */
static inline struct gsi_buffer *gsi_reorder_take(struct gsi_reorder *reorder)
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
