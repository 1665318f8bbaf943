/* source_filter.c: full buffers lose what --where leaves out, and records that are folded into
 * others (element/fold/early_fold.h), on the job's threads, before anybody counts or sorts them.
 *
 *   full, in order -> task: keep in place -> in order again -> [open] + next: one, if both fit
 *
 * What is kept of a buffer waits in it (`open`) for what is kept of the next: so any two buffers
 * that follow each other are more than one full one, and there are no more of them than were read.
 * A buffer whose elements went into another comes back empty, as those at the end do. Where
 * everything is kept nothing is copied and nothing waits. What threads hold of an early fold joins
 * at the end.
 *
 * Which buffers become one is decided as they come; tasks copy, and a buffer goes on when all is in
 * it that belongs there. */
#include "input/source.h"

#include <string.h>

struct filtering {
    struct gsi_filtered kept;
    bool is_held;
    bool is_folded;         /* once more, with all that it has by now */
    uint32_t copying_count; /* buffers that are copied to it */
    struct gsi_buffer *to;  /* the one that it is copied to, */
    size_t off;             /* from there on; of one that is folded once more: what is left of it */
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
    *filtering_of(buffer) = (struct filtering){0};
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
            *filtering_of(buffer) = (struct filtering){0};
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

/* On a thread. */
static void fold_open(struct gsi_task *task, uint32_t worker_idx)
{
    (void)worker_idx;
    struct gsi_buffer *open = gsi_buffer_of_task(task);
    const struct gsi_source *source = open->holder;
    const uint32_t element = source->inputs->loop->layout->element_bytes;
    filtering_of(open)->off =
        gsi_early_fold_again(source->inputs->early, open->data, open->bytes / element) * element;
}

static void fold_open_done(struct gsi_task *task)
{
    struct gsi_buffer *open = gsi_buffer_of_task(task);
    struct gsi_source *source = open->holder;
    source->is_folding = false;
    source->is_fold_poor = filtering_of(open)->off > open->bytes - open->bytes / 4;
    filtering_of(open)->is_folded = true;
    open->bytes = filtering_of(open)->off;
}

/* Buffers that were put together have keys in common. It is worth while where that was so
 * before. */
static bool may_fold_open(const struct gsi_source *source)
{
    return source->inputs->early != NULL && !source->is_fold_poor &&
           !filtering_of(source->open)->is_folded;
}

/* Does nothing while it is copied to. */
static void start_fold(struct gsi_source *source)
{
    struct gsi_buffer *open = source->open;
    if (filtering_of(open)->copying_count > 0)
        return;
    source->is_folding = true;
    open->holder = source;
    open->task = (struct gsi_task){.run = fold_open, .done = fold_open_done, .is_urgent = true};
    gsi_pool_submit(source->inputs->loop->pool, &open->task);
}

/* On a thread. */
static void copy(struct gsi_task *task, uint32_t worker_idx)
{
    (void)worker_idx;
    struct gsi_buffer *buffer = gsi_buffer_of_task(task);
    const struct filtering *copied = filtering_of(buffer);
    memcpy(copied->to->data + copied->off, buffer->data, buffer->bytes);
}

static void copy_done(struct gsi_task *task)
{
    struct gsi_buffer *buffer = gsi_buffer_of_task(task);
    struct gsi_source *source = buffer->holder;
    filtering_of(filtering_of(buffer)->to)->copying_count--;
    buffer->bytes = 0;
    gsi_buffer_list_push(&source->emptied, buffer);
}

static void start_copy(struct gsi_source *source, struct gsi_buffer *buffer)
{
    struct gsi_buffer *open = source->open;
    filtering_of(buffer)->to = open;
    filtering_of(buffer)->off = open->bytes;
    open->bytes += buffer->bytes;
    filtering_of(open)->copying_count++;
    filtering_of(open)->is_folded = false;
    buffer->holder = source;
    buffer->task = (struct gsi_task){.run = copy, .done = copy_done, .is_urgent = true};
    gsi_pool_submit(source->inputs->loop->pool, &buffer->task);
}

/* False: not yet. */
static bool join(struct gsi_source *source, struct gsi_buffer *buffer)
{
    struct gsi_buffer *open = source->open;
    const bool is_full = buffer->bytes == buffer->capacity;
    const bool fits = open != NULL && open->bytes + buffer->bytes <= open->capacity;
    if (buffer->bytes == 0) {
        gsi_buffer_list_push(&source->emptied, buffer);
    } else if (open == NULL && is_full) {
        gsi_buffer_list_push(&source->joined, buffer);
    } else if (fits) {
        start_copy(source, buffer);
    } else if (open != NULL && may_fold_open(source)) {
        start_fold(source);
        return false;
    } else {
        if (open != NULL)
            gsi_buffer_list_push(&source->joined, open);
        source->open = buffer;
    }
    return true;
}

/* The next buffer that is to be joined; what threads held goes on like what was read. */
static struct gsi_buffer *next_filtered(struct gsi_source *source, bool is_last)
{
    struct gsi_early_batch batch;
    struct gsi_buffer *buffer = gsi_reorder_take(&source->filtered);
    if (buffer != NULL || !is_last || !has_held(source) ||
        !gsi_early_fold_release(source->inputs->early, &batch))
        return buffer;
    buffer = batch.owner;
    buffer->bytes = batch.count * source->inputs->loop->layout->element_bytes;
    return buffer;
}

/* Whether a buffer was joined, or the last one goes on. */
static bool join_next(struct gsi_source *source)
{
    const bool is_last = source->is_end && source->given.head == NULL &&
                         source->populating_count == 0 && source->filtering_count == 0 &&
                         source->filtered.waiting == NULL;
    if (source->is_folding)
        return false;
    if (source->joining == NULL)
        source->joining = next_filtered(source, is_last);
    if (source->joining != NULL) {
        if (!join(source, source->joining))
            return false;
        source->joining = NULL;
        return true;
    }
    if (!is_last || source->open == NULL)
        return false;
    gsi_buffer_list_push(&source->joined, source->open);
    source->open = NULL;
    return true;
}

struct gsi_buffer *gsi_source_filter_next(struct gsi_source *source)
{
    gsi_source_filter_start(source);
    while (join_next(source)) {
    }
    struct gsi_buffer *next = gsi_buffer_list_pop(&source->emptied);
    if (next == NULL && source->joined.head != NULL &&
        filtering_of(source->joined.head)->copying_count == 0)
        next = gsi_buffer_list_pop(&source->joined);
    source->held_count -= next != NULL;
    return next;
}

bool gsi_source_filter_has_data(const struct gsi_source *source)
{
    const struct gsi_early_fold *early = source->inputs->early;
    if (source->filtering_count > 0 || source->is_folding || source->open != NULL ||
        source->joining != NULL || source->joined.head != NULL ||
        (early != NULL && gsi_early_fold_is_holding(early)))
        return true;
    for (const struct gsi_buffer *buffer = source->filtered.waiting; buffer != NULL;
         buffer = buffer->next)
        if (buffer->bytes > 0) /* nobody makes room for one of which nothing was kept */
            return true;
    return false;
}
