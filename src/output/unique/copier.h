/* copier.h: stands behind the picker: what is written of windows is copied into blocks on all
 * threads, for where it belongs is known as soon as windows before it were looked at.
 *
 *     windows, in order --a task a piece--> blocks, full but for the last
 */
#ifndef GSI_COPIER_H
#define GSI_COPIER_H

#include "loop/buffers.h"

/* As many pieces keep the threads of most machines busy. */
#define GSI_COPIER_PIECES 32u

struct gsi_copier;

struct gsi_copier_piece {
    struct gsi_task task;
    struct gsi_copier *copier;
    struct gsi_buffer *window, *block;
    const uint8_t *from;
    uint8_t *to;
    size_t bytes;
    struct gsi_copier_piece *next_free;
};

struct gsi_copier {
    struct gsi_pool *pool;
    struct gsi_buffers *windows; /* where windows go when they were copied */
    struct gsi_copier_piece pieces[GSI_COPIER_PIECES];
    struct gsi_copier_piece *free;
    uint32_t leaving_count; /* windows that are not copied yet */
};

/* gsi_copier_begin: nothing is copied; windows go back to `windows`. */
void gsi_copier_begin(struct gsi_copier *copier, struct gsi_pool *pool,
                      struct gsi_buffers *windows);

/* gsi_copier_enter: a window or a block, before something of it is copied.
 * gsi_copier_copy: begins to copy `bytes` at byte `off` of a window to the end of a block. False:
 * the threads have enough to do.
 * gsi_copier_is_copied: whether nothing is on its way from or to a buffer.
 * gsi_copier_leave: nothing more of a window will be copied; it goes back when all is. */
void gsi_copier_enter(struct gsi_buffer *buffer);
bool gsi_copier_copy(struct gsi_copier *copier, struct gsi_buffer *window, size_t off,
                     struct gsi_buffer *block, size_t bytes);
bool gsi_copier_is_copied(struct gsi_buffer *buffer);
void gsi_copier_leave(struct gsi_copier *copier, struct gsi_buffer *window);

#endif
