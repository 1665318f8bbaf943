/* buffer.h: defines the buffer: a part of the arena that moves through the pipeline. Exactly one
 * stage, or the device, holds a buffer. The holder keeps its own state about the buffer in it. */
#ifndef GSI_BUFFER_H
#define GSI_BUFFER_H

#include "base/list.h"
#include "base/pool.h"
#include "element/record/record_tags.h"
#include "element/tally/digest.h"
#include "io/engine.h"
#include "run/planes.h"

#include <assert.h>
#include <stdalign.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Most bytes that a holder keeps in a buffer: what happened to its elements in a filter, and a few
 * numbers. */
#define GSI_HOLDER_STATE_BYTES 80

struct gsi_device;

struct gsi_buffer {
    uint8_t *data;   /* elements or keys begin here; may be outside `memory` (io/array.h) */
    size_t capacity; /* bytes that fit at data; a multiple of the element size */
    uint8_t *page;   /* in memory; records may begin anywhere in this page */
    uint8_t *memory; /* the whole buffer; contains data */
    size_t memory_bytes;
    gsi_u128 *tags;                /* of records, one per record that fits; NULL: numbers */
    size_t bytes;                  /* of elements now in it */
    struct gsi_digest digest;      /* windows of raw elements; reduce with order */
    struct gsi_packed_keys packed; /* windows and fed buffers of keys: their layout at data */
    bool is_populated;             /* its pages are mapped in; never reset */
    uint32_t device_uses;          /* owned by the device: merges that it was fed to; else 0 */
    /* Owned by the holder, for whatever it does with the buffer: */
    struct gsi_io io;     /* a transfer */
    struct gsi_task task; /* work on a thread */
    void *holder;
    struct gsi_buffer *next;
    uint64_t turn_idx;         /* position in the order in which it is wanted (loop/buffers.h) */
    struct gsi_device *device; /* owned by the device: the device that reduces it */
    alignas(16) uint8_t state[GSI_HOLDER_STATE_BYTES]; /* GSI_HOLDER_STATE */
};

/* GSI_HOLDER_STATE: defines the function `name`, which returns the holder's state of a buffer as a
 * `type` of the holder's own. The state contains what the last holder left: a new holder sets
 * everything that it reads. */
#define GSI_HOLDER_STATE(name, type)                                             \
    static_assert(sizeof(type) <= GSI_HOLDER_STATE_BYTES && alignof(type) <= 16, \
                  "what a holder knows about a buffer has to fit");              \
    static inline type *name(struct gsi_buffer *buffer)                          \
    {                                                                            \
        return (type *)(void *)buffer->state;                                    \
    }

/* Returns the buffer that contains this transfer or this task. */
static inline struct gsi_buffer *gsi_buffer_of_io(struct gsi_io *io)
{
    return GSI_CONTAINER_OF(io, struct gsi_buffer, io);
}

static inline struct gsi_buffer *gsi_buffer_of_task(struct gsi_task *task)
{
    return GSI_CONTAINER_OF(task, struct gsi_buffer, task);
}

GSI_LIST(gsi_buffer_list, struct gsi_buffer)

#ifdef __cplusplus
}
#endif
#endif
