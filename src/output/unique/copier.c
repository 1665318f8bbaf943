/* copier.c: a task a piece. Everything but the tasks runs on the owner's thread. */
#include "output/unique/copier.h"

#include <string.h>

struct copied {
    uint32_t under_way; /* pieces */
    bool is_leaving;
};
GSI_HOLDER_STATE(copied_of, struct copied)

void gsi_copier_begin(struct gsi_copier *copier, struct gsi_pool *pool, struct gsi_buffers *windows)
{
    *copier = (struct gsi_copier){.pool = pool, .windows = windows};
    for (uint32_t i = 0; i < GSI_COPIER_PIECES; i++) {
        copier->pieces[i].next_free = copier->free;
        copier->free = &copier->pieces[i];
    }
}

void gsi_copier_enter(struct gsi_buffer *buffer)
{
    *copied_of(buffer) = (struct copied){0};
}

bool gsi_copier_is_copied(struct gsi_buffer *buffer)
{
    return copied_of(buffer)->under_way == 0;
}

static void give_if_copied(struct gsi_copier *copier, struct gsi_buffer *window)
{
    if (!copied_of(window)->is_leaving || !gsi_copier_is_copied(window))
        return;
    copier->leaving_count--;
    gsi_buffers_give(copier->windows, window);
}

/* On a thread. */
static void copy(struct gsi_task *task, uint32_t worker_idx)
{
    (void)worker_idx;
    const struct gsi_copier_piece *piece = GSI_CONTAINER_OF(task, struct gsi_copier_piece, task);
    memcpy(piece->to, piece->from, piece->bytes);
}

static void copy_done(struct gsi_task *task)
{
    struct gsi_copier_piece *piece = GSI_CONTAINER_OF(task, struct gsi_copier_piece, task);
    struct gsi_copier *copier = piece->copier;
    copied_of(piece->block)->under_way--;
    copied_of(piece->window)->under_way--;
    give_if_copied(copier, piece->window);
    piece->next_free = copier->free;
    copier->free = piece;
}

bool gsi_copier_copy(struct gsi_copier *copier, struct gsi_buffer *window, size_t off,
                     struct gsi_buffer *block, size_t bytes)
{
    struct gsi_copier_piece *piece = copier->free;
    if (piece == NULL)
        return false;
    copier->free = piece->next_free;
    *piece = (struct gsi_copier_piece){.task = {.run = copy, .done = copy_done, .is_urgent = true},
                                       .copier = copier,
                                       .window = window,
                                       .block = block,
                                       .from = window->data + off,
                                       .to = block->data + block->bytes,
                                       .bytes = bytes};
    block->bytes += bytes;
    copied_of(window)->under_way++;
    copied_of(block)->under_way++;
    gsi_pool_submit(copier->pool, &piece->task);
    return true;
}

void gsi_copier_leave(struct gsi_copier *copier, struct gsi_buffer *window)
{
    copied_of(window)->is_leaving = true;
    copier->leaving_count++;
    give_if_copied(copier, window);
}
