/* source_filter.c: full buffers lose what --where leaves out, and records that are folded into others
 * (element/fold/early_fold.h), on the job's threads, before anybody counts or sorts them.
 *
 *   full, in order -> task: keep in place -> in order again -> [open] + next: one, if both fit
 *
 * What is kept of a buffer waits in it (`open`) for what is kept of the next: so any two buffers that
 * follow each other are more than one full one, and there are no more of them than were read. A
 * buffer whose elements went into another comes back empty, as those at the end do. Where everything
 * is kept nothing is copied and nothing waits. */
#include "input/source.h"

#include <string.h>

static void keep(struct gsi_task *task, uint32_t worker_idx)
{
    (void)worker_idx;
    struct gsi_buffer *buffer = gsi_buffer_of_task(task);
    const struct gsi_source *source = buffer->holder;
    const struct gsi_filter *filter = source->inputs->filter;
    uint32_t element = source->inputs->loop->layout->element_bytes;
    size_t n = buffer->bytes / element;
    buffer->state.kept = (struct gsi_filtered){0};
    if (filter != NULL)
        n = gsi_filter_apply(filter, buffer->data, n, NULL, &buffer->state.kept);
    if (source->inputs->early != NULL)
        n = gsi_early_fold_read(source->inputs->early, worker_idx, buffer->data, n);
    buffer->bytes = element * n;
}

static void keep_done(struct gsi_task *task)
{
    struct gsi_buffer *buffer = gsi_buffer_of_task(task);
    struct gsi_source *source = buffer->holder;
    source->filtering_count--;
    gsi_filtered_add(&source->inputs->filtered, &buffer->state.kept);
    gsi_reorder_add(&source->filtered, buffer);
}

bool gsi_source_filter_start(struct gsi_source *source)
{
    struct gsi_buffer *buffer;
    bool has_moved = false;
    while ((buffer = gsi_source_next_read(source)) != NULL) {
        has_moved = true;
        source->held_count++;
        buffer->turn_idx = source->started_count++;
        if (buffer->bytes == 0) {
            gsi_reorder_add(&source->filtered, buffer);
            continue;
        }
        source->filtering_count++;
        buffer->holder = source;
        buffer->task = (struct gsi_task){.run = keep, .done = keep_done, .is_urgent = true};
        gsi_pool_submit(source->inputs->loop->pool, &buffer->task);
    }
    return has_moved;
}

/* Buffers that were put together have keys in common. It is worth while where that was so before. */
static void fold_open(struct gsi_source *source)
{
    struct gsi_buffer *open = source->open;
    uint32_t element = source->inputs->loop->layout->element_bytes;
    size_t n = open->bytes / element;
    if (source->inputs->early == NULL || source->is_fold_poor)
        return;
    size_t kept = gsi_early_fold_again(source->inputs->early, open->data, n);
    source->is_fold_poor = kept > n - n / 4;
    open->bytes = kept * element;
}

/* What goes on once `buffer` is there; NULL: nothing yet. */
static struct gsi_buffer *join(struct gsi_source *source, struct gsi_buffer *buffer)
{
    struct gsi_buffer *open = source->open;
    bool is_full = buffer->bytes == buffer->capacity;
    if (buffer->bytes == 0 || (open == NULL && is_full))
        return buffer;
    if (open != NULL && open->bytes + buffer->bytes > open->capacity)
        fold_open(source);
    if (open != NULL && open->bytes + buffer->bytes <= open->capacity) {
        memcpy(open->data + open->bytes, buffer->data, buffer->bytes);
        open->bytes += buffer->bytes;
        buffer->bytes = 0;
        return buffer;
    }
    source->open = buffer;
    return open;
}

struct gsi_buffer *gsi_source_filter_next(struct gsi_source *source)
{
    struct gsi_buffer *buffer, *next = NULL;
    gsi_source_filter_start(source);
    while (next == NULL && (buffer = gsi_reorder_take(&source->filtered)) != NULL)
        next = join(source, buffer);
    bool is_last = source->is_end && source->head == NULL && source->populating_count == 0 &&
                   source->filtering_count == 0 && source->filtered.waiting == NULL;
    if (next == NULL && is_last) {
        next = source->open;
        source->open = NULL;
    }
    source->held_count -= next != NULL;
    return next;
}
