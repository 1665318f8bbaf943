/* copier.c: a task a part. Everything but the tasks runs on the owner's thread. */
#include "output/unique/copier.h"

#include <string.h>

struct copied {
    uint32_t under_way; /* parts */
    bool is_leaving;
};
GSI_HOLDER_STATE(copied_of, struct copied)

void gsi_copier_begin(struct gsi_copier *copier, struct gsi_pool *pool, struct gsi_buffers *pieces)
{
    *copier = (struct gsi_copier){.pool = pool, .pieces = pieces};
    for (uint32_t i = 0; i < GSI_COPIER_PARTS; i++) {
        copier->parts[i].next_free = copier->free;
        copier->free = &copier->parts[i];
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

static void give_if_copied(struct gsi_copier *copier, struct gsi_buffer *piece)
{
    if (!copied_of(piece)->is_leaving || !gsi_copier_is_copied(piece))
        return;
    copier->leaving_count--;
    gsi_buffers_give(copier->pieces, piece);
}

/* On a thread. */
static void copy(struct gsi_task *task, uint32_t worker_idx)
{
    (void)worker_idx;
    const struct gsi_copier_part *part = GSI_CONTAINER_OF(task, struct gsi_copier_part, task);
    memcpy(part->to, part->from, part->bytes);
}

static void copy_done(struct gsi_task *task)
{
    struct gsi_copier_part *part = GSI_CONTAINER_OF(task, struct gsi_copier_part, task);
    struct gsi_copier *copier = part->copier;
    copied_of(part->block)->under_way--;
    copied_of(part->piece)->under_way--;
    give_if_copied(copier, part->piece);
    part->next_free = copier->free;
    copier->free = part;
}

bool gsi_copier_copy(struct gsi_copier *copier, struct gsi_buffer *piece, size_t off,
                     struct gsi_buffer *block, size_t bytes)
{
    struct gsi_copier_part *part = copier->free;
    if (part == NULL)
        return false;
    copier->free = part->next_free;
    *part = (struct gsi_copier_part){.task = {.run = copy, .done = copy_done, .is_urgent = true},
                                     .copier = copier,
                                     .piece = piece,
                                     .block = block,
                                     .from = piece->data + off,
                                     .to = block->data + block->bytes,
                                     .bytes = bytes};
    block->bytes += bytes;
    copied_of(piece)->under_way++;
    copied_of(block)->under_way++;
    gsi_pool_submit(copier->pool, &part->task);
    return true;
}

void gsi_copier_leave(struct gsi_copier *copier, struct gsi_buffer *piece)
{
    copied_of(piece)->is_leaving = true;
    copier->leaving_count++;
    give_if_copied(copier, piece);
}
