/* top_keeper.c: finds candidates, joins and cuts them. */
#include "job/strategy/top_keeper.h"

#include "base/checked.h"
#include "input/scan.h"
#include "job/job_report.h"
#include "plan/plan.h"

#include <string.h>

/* The candidates that a thread finds in one buffer. */
struct partial {
    struct gsi_candidates found;
    uint8_t *bound; /* memory for one element: the bound that it is compared with */
    bool has_bound;
};

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
    if (job->loop.layout->form != GSI_FORM_KEYS)
        keeper->kept.tags =
            (gsi_u128 *)(void *)(keeper->memory +
                                 gsi_plan_top_tags_off(plan, job->loop.layout->element_bytes));
    const uint32_t bytes = job->loop.layout->element_bytes;
    keeper->bound = keeper->memory + gsi_plan_top_bounds_off(plan, bytes);
    keeper->next_bound = keeper->bound + bytes;
    keeper->buffer_bounds = keeper->next_bound + bytes;
    return GS_OK;
}

void gsi_top_keeper_clear(struct gsi_top_keeper *keeper)
{
    if (keeper->job == NULL)
        return;
    struct gsi_ledger *ledger = &keeper->job->loop.ledger;
    gsi_memory_unmap(ledger, GSI_MEMORY_DATA, keeper->memory, keeper->job->loop.plan->top_bytes);
    *keeper = (struct gsi_top_keeper){0};
}

/* ---- candidates of a buffer ---- */

static void copy_bound(void *context, struct gsi_buffer *buffer, void *partial)
{
    const struct gsi_top_keeper *keeper = context;
    struct partial *found = partial;
    const uint32_t bytes = keeper->job->loop.layout->element_bytes;
    found->bound = keeper->buffer_bounds + (size_t)(buffer - keeper->job->arena.chunks.all) * bytes;
    if ((found->has_bound = keeper->has_bound))
        memcpy(found->bound, keeper->bound, bytes);
}

/* If a buffer has more candidates than are wanted of all, they are cut here, on all threads,
 * instead of in the keeper, on one. */
static void find(void *context, struct gsi_buffer *buffer, void *partial, uint32_t worker_idx)
{
    (void)worker_idx;
    const struct gsi_top_keeper *keeper = context;
    struct partial *self = partial;
    struct gsi_candidates *found = &self->found;
    *found = (struct gsi_candidates){
        .layout = keeper->job->loop.layout, .data = buffer->data, .tags = buffer->tags};
    if (keeper->most == 0)
        return;
    gsi_candidates_find(found, buffer->bytes / found->layout->element_bytes,
                        self->has_bound ? self->bound : NULL);
    if (found->count > gsi_candidates_after_cut(keeper->most))
        gsi_candidates_cut(found, keeper->most, self->bound);
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

/* Cuts for a first bound as early as possible, and then only when memory is full, because each cut
 * sorts. */
static bool must_cut(const struct gsi_top_keeper *keeper, uint64_t coming)
{
    uint64_t count = keeper->kept.count;
    return count + coming > keeper->room ||
           (!keeper->has_bound && keeper->most > 0 && count >= keeper->most);
}

/* Joins candidates in the order of the input. */
static bool join(void *context, struct gsi_buffer *buffer, void *partial)
{
    struct gsi_top_keeper *keeper = context;
    const struct gsi_candidates *found = &((const struct partial *)partial)->found;
    if (!keeper->is_busy && must_cut(keeper, found->count))
        start_cut(keeper);
    if (keeper->is_busy)
        return false;
    gsi_candidates_join(&keeper->kept, found);
    keeper->seen_count += buffer->bytes / keeper->job->loop.layout->element_bytes;
    return true;
}

static bool is_idle(const void *context)
{
    const struct gsi_top_keeper *keeper = context;
    return !keeper->is_busy;
}

static void put_in_order(struct gsi_task *task, uint32_t worker_idx)
{
    (void)worker_idx;
    struct gsi_top_keeper *keeper = keeper_of(task);
    gsi_candidates_sort_first(&keeper->kept, keeper->most);
}

static void put_in_order_done(struct gsi_task *task)
{
    keeper_of(task)->is_busy = false;
}

/* Everything was joined: sorts the candidates and keeps the first ones. */
static enum gs_status finish(struct gsi_top_keeper *keeper)
{
    const struct gsi_stage sorting = {.context = keeper, .is_done = is_idle};
    keeper->is_busy = true;
    keeper->task = (struct gsi_task){.run = put_in_order, .done = put_in_order_done};
    gsi_pool_submit(keeper->job->loop.pool, &keeper->task);
    return gsi_loop_run(&keeper->job->loop, &sorting, 1);
}

enum gs_status gsi_top_keeper_run(struct gsi_top_keeper *keeper)
{
    struct gsi_job *job = keeper->job;
    const struct gsi_scan scan = {.context = keeper,
                                  .device = GSI_SCAN_COUNTS,
                                  .partial_bytes = sizeof(struct partial),
                                  .begin = copy_bound,
                                  .run = find,
                                  .join = join};
    GSI_TRY(gsi_scan_run(&scan, &job->inputs, &job->arena.chunks));
    return finish(keeper);
}
