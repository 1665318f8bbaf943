/* copier.h: stands behind the pieces: what is written of them is copied into blocks on all threads,
 * for where it belongs is known as soon as those before it were given.
 *
 *     what is written of pieces, in order --a task a part--> blocks, full but for the last
 */
#ifndef GSI_COPIER_H
#define GSI_COPIER_H

#include "base/assert.h"
#include "loop/buffers.h"

/* As many parts keep the threads of most machines busy. */
#define GSI_COPIER_PARTS GSI_CONSTANT(32u, 5u)

struct gsi_copier;

struct gsi_copier_part {
    struct gsi_task task;
    struct gsi_copier *copier;
    struct gsi_buffer *piece, *block;
    const uint8_t *from;
    uint8_t *to;
    size_t bytes;
    struct gsi_copier_part *next_free;
};

struct gsi_copier {
    struct gsi_pool *pool;
    struct gsi_buffers *pieces; /* where these go when they were copied */
    struct gsi_copier_part parts[GSI_COPIER_PARTS];
    struct gsi_copier_part *free;
    uint32_t leaving_count; /* pieces that are not copied yet */
};

/* gsi_copier_begin: nothing is copied; pieces go back to `pieces`. */
void gsi_copier_begin(struct gsi_copier *copier, struct gsi_pool *pool, struct gsi_buffers *pieces);

/* gsi_copier_enter: a piece or a block, before something of it is copied.
 * gsi_copier_copy: begins to copy `bytes` at byte `off` of a piece to the end of a block. False:
 * the threads have enough to do.
 * gsi_copier_is_copied: whether nothing is on its way from or to a buffer.
 * gsi_copier_leave: nothing more of a piece will be copied; it goes back when all is. */
void gsi_copier_enter(struct gsi_buffer *buffer);
bool gsi_copier_copy(struct gsi_copier *copier, struct gsi_buffer *piece, size_t off,
                     struct gsi_buffer *block, size_t bytes);
bool gsi_copier_is_copied(struct gsi_buffer *buffer);
void gsi_copier_leave(struct gsi_copier *copier, struct gsi_buffer *piece);

#endif
