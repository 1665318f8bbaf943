/* buffer.h: a piece of the arena on its way through the pipeline. Exactly one stage, or the device,
 * holds it, and keeps beside it what it knows about it. */
#ifndef GSI_BUFFER_H
#define GSI_BUFFER_H

#include "base/list.h"
#include "base/pool.h"
#include "element/record/record_tags.h"
#include "element/tally/imprint.h"
#include "io/engine.h"
#include "run/planes.h"

#include <assert.h>
#include <stdalign.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Most that a holder keeps of a buffer: what became of its elements in a filter, and a few
 * numbers. */
#define GSI_HOLDER_STATE_BYTES 80

struct gsi_device;

struct gsi_buffer {
    uint8_t *data;   /* elements or keys begin here; also outside of `memory` (io/array.h) */
    size_t capacity; /* bytes that fit at data; a multiple of the element */
    uint8_t *memory; /* all of it: data is in there */
    size_t memory_bytes;
    gsi_u128 *tags;                /* of records, as many as fit; NULL: numbers */
    size_t bytes;                  /* of elements in it */
    struct gsi_imprint imprint;    /* windows of raw elements; reduce with order */
    struct gsi_packed_keys packed; /* windows and fed buffers of keys: how they lie at data */
    bool is_populated;             /* its pages are there; stays set */
    uint32_t device_uses;          /* the device's: merges that it was fed to; else 0 */
    /* The holder's, for whatever it does with the buffer: */
    struct gsi_io io;     /* a transfer */
    struct gsi_task task; /* work on a thread */
    void *holder;
    struct gsi_buffer *next;
    uint64_t turn_idx;         /* place in the order in which it is wanted (loop/reorder.h) */
    struct gsi_device *device; /* the device's: that reduces it */
    alignas(16) uint8_t state[GSI_HOLDER_STATE_BYTES]; /* GSI_HOLDER_STATE */
};

/* GSI_HOLDER_STATE: makes `name`, which gives what the holder of a buffer knows about it, of a type
 * of its own. It is what the last holder left: who takes a buffer sets all that it reads. */
#define GSI_HOLDER_STATE(name, type)                                             \
    static_assert(sizeof(type) <= GSI_HOLDER_STATE_BYTES && alignof(type) <= 16, \
                  "what a holder knows about a buffer has to fit");              \
    static inline type *name(struct gsi_buffer *buffer)                          \
    {                                                                            \
        return (type *)(void *)buffer->state;                                    \
    }

/* The buffer that a transfer or a task is part of. */
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
