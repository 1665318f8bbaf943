/* top_keeper.c: reads, finds candidates, joins and cuts them. */
#include "job/top_keeper.h"

#include "base/checked.h"
#include "base/report.h"
#include "plan/plan_room.h"

#include <string.h>

static enum gs_status make_pieces(struct gsi_top_keeper *keeper)
{
    const struct gsi_job *job = keeper->job;
    uint32_t bytes = job->loop.layout->element_bytes;
    uint8_t *bounds = keeper->memory + gsi_plan_top_bounds_off(job->loop.plan, bytes);
    enum gs_status status = GSI_NEW(&keeper->job->loop.ledger, keeper->pieces,
                                    job->arena.chunks.count, job->loop.error);
    if (status != GS_OK)
        return status;
    keeper->bound = bounds;
    keeper->next_bound = bounds + bytes;
    for (uint32_t i = 0; i < job->arena.chunks.count; i++)
        keeper->pieces[i] =
            (struct gsi_top_keeper_piece){.found = {.layout = job->loop.layout},
                                          .most = keeper->most,
                                          .bound = bounds + (size_t)(i + 2) * bytes};
    return GS_OK;
}

enum gs_status gsi_top_keeper_init(struct gsi_top_keeper *keeper, struct gsi_job *job)
{
    const struct gsi_plan *plan = job->loop.plan;
    void *memory;
    *keeper = (struct gsi_top_keeper){.job = job,
                                      .most = job->options->top_count,
                                      .room = plan->top_room,
                                      .kept = {.layout = job->loop.layout}};
    GSI_TRY(gsi_memory_map(&job->loop.ledger, GSI_MEMORY_DATA, plan->top_bytes, &memory,
                           job->loop.error));
    keeper->memory = memory;
    keeper->kept.data = memory;
    if (job->loop.layout->record != NULL)
        keeper->kept.tags =
            (gsi_u128 *)(void *)(keeper->memory +
                                 gsi_plan_top_tags_off(plan, job->loop.layout->element_bytes));
    GSI_TRY(make_pieces(keeper));
    return gsi_source_init(&keeper->source, &job->inputs);
}

void gsi_top_keeper_clear(struct gsi_top_keeper *keeper)
{
    if (keeper->job == NULL)
        return;
    struct gsi_ledger *ledger = &keeper->job->loop.ledger;
    gsi_source_clear(&keeper->source);
    GSI_FREE(ledger, keeper->pieces, keeper->job->arena.chunks.count);
    gsi_memory_unmap(ledger, GSI_MEMORY_DATA, keeper->memory, keeper->job->loop.plan->top_bytes);
    *keeper = (struct gsi_top_keeper){0};
}

/* ---- candidates of a buffer ---- */

static struct gsi_top_keeper_piece *piece_of(const struct gsi_top_keeper *keeper,
                                             const struct gsi_buffer *buffer)
{
    return &keeper->pieces[buffer - keeper->job->arena.chunks.all];
}

/* More than are wanted of all are cut here, on all threads, and not in the keeper, on one. */
static void find(struct gsi_task *task, uint32_t worker_idx)
{
    (void)worker_idx;
    struct gsi_buffer *buffer = gsi_buffer_of_task(task);
    struct gsi_top_keeper_piece *piece = piece_of(buffer->holder, buffer);
    struct gsi_candidates *found = &piece->found;
    found->data = buffer->data;
    found->tags = buffer->tags;
    found->count = 0;
    found->fingerprint = 0;
    if (piece->most == 0)
        return;
    gsi_candidates_find(found, buffer->bytes / found->layout->element_bytes,
                        piece->has_bound ? piece->bound : NULL);
    if (found->count > gsi_candidates_after_cut(piece->most))
        gsi_candidates_cut(found, piece->most, piece->bound);
}

static void find_done(struct gsi_task *task)
{
    struct gsi_buffer *buffer = gsi_buffer_of_task(task);
    struct gsi_top_keeper *keeper = buffer->holder;
    keeper->seen_count += buffer->bytes / keeper->job->loop.layout->element_bytes;
    gsi_reorder_add(&keeper->reorder, buffer);
}

/* A buffer that the device has counted. */
static void take_event(void *context, const struct gsi_event *event)
{
    struct gsi_top_keeper *keeper = context;
    struct gsi_buffer *buffer = event->buffer;
    struct gsi_top_keeper_piece *piece = piece_of(keeper, buffer);
    if ((piece->has_bound = keeper->has_bound))
        memcpy(piece->bound, keeper->bound, keeper->job->loop.layout->element_bytes);
    buffer->holder = keeper;
    buffer->task = (struct gsi_task){.run = find, .done = find_done};
    gsi_pool_submit(keeper->job->loop.pool, &buffer->task);
}

/* ---- candidates of all ---- */

static struct gsi_top_keeper *keeper_of(struct gsi_task *task)
{
    return GSI_CONTAINER_OF(task, struct gsi_top_keeper, task);
}

static void cut(struct gsi_task *task, uint32_t worker_idx)
{
    (void)worker_idx;
    struct gsi_top_keeper *keeper = keeper_of(task);
    gsi_candidates_cut(&keeper->kept, keeper->most, keeper->next_bound);
}

static void cut_done(struct gsi_task *task)
{
    struct gsi_top_keeper *keeper = keeper_of(task);
    memcpy(keeper->bound, keeper->next_bound, keeper->job->loop.layout->element_bytes);
    keeper->is_busy = false;
    keeper->has_bound = true;
}

static void start_cut(struct gsi_top_keeper *keeper)
{
    keeper->is_busy = true;
    keeper->task = (struct gsi_task){.run = cut, .done = cut_done, .is_urgent = true};
    gsi_pool_submit(keeper->job->loop.pool, &keeper->task);
}

/* The first bound comes as soon as there can be one, others when memory is full: each costs a sort.
 */
static bool must_cut(const struct gsi_top_keeper *keeper, uint64_t coming)
{
    uint64_t count = keeper->kept.count;
    return count + coming > keeper->room ||
           (!keeper->has_bound && keeper->most > 0 && count >= keeper->most);
}

/* Join what was found, in the order of the input; whether anything moved. */
static bool pump_joins(void *context)
{
    struct gsi_top_keeper *keeper = context;
    bool has_moved = false;
    while (!keeper->is_busy) {
        struct gsi_buffer *buffer = keeper->joining;
        if (buffer == NULL && (buffer = gsi_reorder_take(&keeper->reorder)) == NULL)
            break;
        const struct gsi_candidates *found = &piece_of(keeper, buffer)->found;
        has_moved = true;
        if (must_cut(keeper, found->count)) {
            keeper->joining = buffer;
            start_cut(keeper);
            break;
        }
        gsi_candidates_join(&keeper->kept, found);
        gsi_buffers_give(&keeper->job->arena.chunks, buffer);
        keeper->joining = NULL;
        keeper->joined_count++;
    }
    return has_moved;
}

static bool pump_source(void *context)
{
    struct gsi_top_keeper *keeper = context;
    struct gsi_job *job = keeper->job;
    struct gsi_buffer *buffer;
    bool has_moved = gsi_source_refill(&keeper->source, &job->arena.chunks);
    while ((buffer = gsi_source_next_filled(&keeper->source, &job->arena.chunks)) != NULL) {
        has_moved = true;
        buffer->turn_idx = keeper->sent_count++;
        job->loop.device->ops->reduce(job->loop.device, buffer, false);
    }
    return has_moved;
}

static bool is_done(const void *context)
{
    const struct gsi_top_keeper *keeper = context;
    return gsi_source_is_end(&keeper->source) && keeper->joined_count == keeper->sent_count &&
           !keeper->is_busy;
}

static void put_in_order(struct gsi_task *task, uint32_t worker_idx)
{
    (void)worker_idx;
    struct gsi_top_keeper *keeper = keeper_of(task);
    gsi_candidates_sort(&keeper->kept, keeper->most);
}

static void put_in_order_done(struct gsi_task *task)
{
    keeper_of(task)->is_busy = false;
}

/* Everything was joined: the candidates become what was wanted. */
static enum gs_status finish(struct gsi_top_keeper *keeper)
{
    const struct gsi_stage sorting = {.context = keeper, .is_done = is_done};
    keeper->is_busy = true;
    keeper->task = (struct gsi_task){.run = put_in_order, .done = put_in_order_done};
    gsi_pool_submit(keeper->job->loop.pool, &keeper->task);
    return gsi_loop_run(&keeper->job->loop, &sorting, 1);
}

enum gs_status gsi_top_keeper_run(struct gsi_top_keeper *keeper)
{
    const struct gsi_stage stages[] = {
        {.context = keeper, .take = take_event, .pump = pump_source, .is_done = is_done},
        {.context = keeper, .pump = pump_joins}};
    GSI_TRY(gsi_loop_run(&keeper->job->loop, stages, 2));
    return finish(keeper);
}
