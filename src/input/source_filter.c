/* source_filter.c: full buffers lose what --where leaves out, and records that are folded into
 * others (element/fold/early_fold.h), on the job's threads, before anybody counts or sorts them.
 *
 *   full, in order -> task: keep in place -> in order again -> [open] + next: one, if both fit
 *
 * What is kept of a buffer waits in it (`open`) for what is kept of the next: so any two buffers
 * that follow each other are more than one full one, and there are no more of them than were read.
 * A buffer whose elements went into another comes back empty, as those at the end do. Where
 * everything is kept nothing is copied and nothing waits. What threads hold of an early fold joins
 * at the end. */
#include "input/source.h"

#include <string.h>

struct filtering {
    struct gsi_filtered kept;
    bool is_held;
};

GSI_HOLDER_STATE(filtering_of, struct filtering)

static bool has_held(const struct gsi_source *source)
{
    return source->inputs->early != NULL && gsi_early_fold_held(source->inputs->early) > 0;
}

static void keep(struct gsi_task *task, uint32_t worker_idx)
{
    (void)worker_idx;
    struct gsi_buffer *buffer = gsi_buffer_of_task(task);
    const struct gsi_source *source = buffer->holder;
    const struct gsi_filter *filter = source->inputs->filter;
    uint32_t element = source->inputs->loop->layout->element_bytes;
    struct gsi_early_fold *early = source->inputs->early;
    struct gsi_early_batch batch = {.owner = buffer,
                                    .records = buffer->data,
                                    .count = buffer->bytes / element,
                                    .room = buffer->capacity / element};
    filtering_of(buffer)->kept = (struct gsi_filtered){0};
    filtering_of(buffer)->is_held = false;
    if (filter != NULL)
        batch.count =
            gsi_filter_apply(filter, batch.records, batch.count, NULL, &filtering_of(buffer)->kept);
    if (has_held(source))
        filtering_of(buffer)->is_held = !gsi_early_fold_take(early, worker_idx, &batch);
    else if (early != NULL)
        batch.count = gsi_early_fold_read(early, worker_idx, batch.records, batch.count);
    buffer->bytes = element * batch.count;
}

/* In the order of reading, or where that does not matter, of coming here. */
static void go_on(struct gsi_source *source, struct gsi_buffer *buffer)
{
    if (has_held(source))
        buffer->turn_idx = source->started_count++;
    gsi_reorder_add(&source->filtered, buffer);
}

static void keep_done(struct gsi_task *task)
{
    struct gsi_buffer *buffer = gsi_buffer_of_task(task);
    struct gsi_source *source = buffer->holder;
    source->filtering_count--;
    gsi_filtered_add(&source->inputs->filtered, &filtering_of(buffer)->kept);
    if (!filtering_of(buffer)->is_held)
        go_on(source, buffer);
}

bool gsi_source_filter_start(struct gsi_source *source)
{
    struct gsi_buffer *buffer;
    bool has_moved = false;
    while ((buffer = gsi_source_next_read(source)) != NULL) {
        has_moved = true;
        source->held_count++;
        if (!has_held(source))
            buffer->turn_idx = source->started_count++;
        if (buffer->bytes == 0) {
            go_on(source, buffer);
            continue;
        }
        source->filtering_count++;
        buffer->holder = source;
        buffer->task = (struct gsi_task){.run = keep, .done = keep_done, .is_urgent = true};
        gsi_pool_submit(source->inputs->loop->pool, &buffer->task);
    }
    return has_moved;
}

/* Buffers that were put together have keys in common. It is worth while where that was so
 * before. */
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

/* What threads held goes on like what was read. */
static struct gsi_buffer *join_held(struct gsi_source *source)
{
    struct gsi_early_batch batch;
    struct gsi_buffer *next = NULL;
    while (next == NULL && has_held(source) &&
           gsi_early_fold_release(source->inputs->early, &batch)) {
        struct gsi_buffer *buffer = batch.owner;
        buffer->bytes = batch.count * source->inputs->loop->layout->element_bytes;
        next = join(source, buffer);
    }
    return next;
}

struct gsi_buffer *gsi_source_filter_next(struct gsi_source *source)
{
    struct gsi_buffer *buffer, *next = NULL;
    gsi_source_filter_start(source);
    while (next == NULL && (buffer = gsi_reorder_take(&source->filtered)) != NULL)
        next = join(source, buffer);
    bool is_last = source->is_end && source->given.head == NULL && source->populating_count == 0 &&
                   source->filtering_count == 0 && source->filtered.waiting == NULL;
    if (next == NULL && is_last)
        next = join_held(source);
    if (next == NULL && is_last) {
        next = source->open;
        source->open = NULL;
    }
    source->held_count -= next != NULL;
    return next;
}
