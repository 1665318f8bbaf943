/* top.c: --top where the first elements fit into memory: one pass over the input keeps them; then
 * they are written.
 *
 *   scan of the inputs: device: tally -> find candidates, on a thread -> join
 *                                                                         |
 *                     candidates [ .. most .. | .. room ]  full: cut, on a thread -> a new bound
 *                         | at the end, in order
 *                         '-> filler of windows (output/delivery.h)
 *
 * The bound is chosen so that at least `most` of the elements joined so far are not above it. So an
 * element that is not below the bound cannot be among the first of all. The buffers that follow are
 * compared with the bound, and nearly all of them have nothing to join. */
#include "base/checked.h"
#include "device/candidates.h"
#include "element/record/record.h"
#include "element/record/record_tally.h"
#include "input/scan.h"
#include "job/job_report.h"
#include "job/strategy/strategy.h"
#include "output/delivery.h"
#include "output/verify.h"
#include "plan/plan.h"

#include <string.h>

struct top {
    struct gsi_job *job;
    struct gsi_delivery delivery;
    uint64_t most, room;
    struct gsi_candidates kept;
    uint8_t *memory;             /* of candidates and bounds */
    uint8_t *bound, *next_bound; /* the latter belongs to the task while it cuts */
    bool has_bound;
    uint8_t *buffer_bounds; /* a copy for each buffer: the bound may change while it is compared */
    struct gsi_task task;   /* a cut, or the sort at the end */
    bool is_busy;           /* the task runs, and `kept` belongs to it */
    uint64_t seen_count;    /* elements that were compared */
};

/* The candidates that a thread finds in one buffer. */
struct partial {
    struct gsi_candidates found;
    uint8_t *bound; /* memory for one element: the bound that it is compared with */
    bool has_bound;
};

static enum gs_status open_memory(struct top *top)
{
    struct gsi_job *job = top->job;
    const struct gsi_plan *plan = job->loop.plan;
    void *memory;
    top->most = job->options->top_count;
    top->room = plan->top_room;
    GSI_TRY(gsi_memory_map(&job->loop.ledger, GSI_MEMORY_DATA, plan->top_bytes, &memory,
                           job->loop.error));
    top->memory = memory;
    top->kept = (struct gsi_candidates){.layout = job->loop.layout, .data = memory};
    if (job->loop.layout->form != GSI_FORM_KEYS)
        top->kept.tags =
            (gsi_u128 *)(void *)(top->memory +
                                 gsi_plan_top_tags_off(plan, job->loop.layout->element_bytes));
    const uint32_t bytes = job->loop.layout->element_bytes;
    top->bound = top->memory + gsi_plan_top_bounds_off(plan, bytes);
    top->next_bound = top->bound + bytes;
    top->buffer_bounds = top->next_bound + bytes;
    return GS_OK;
}

/* ---- candidates of a buffer ---- */

static void copy_bound(void *context, struct gsi_buffer *buffer, void *partial)
{
    const struct top *top = context;
    struct partial *found = partial;
    const uint32_t bytes = top->job->loop.layout->element_bytes;
    found->bound = top->buffer_bounds + (size_t)(buffer - top->job->arena.chunks.all) * bytes;
    if ((found->has_bound = top->has_bound))
        memcpy(found->bound, top->bound, bytes);
}

/* A buffer may have more candidates than are wanted of all. They are cut here, on all threads, and
 * not in join, on one. */
static void find(void *context, struct gsi_buffer *buffer, void *partial, uint32_t worker_idx)
{
    (void)worker_idx;
    const struct top *top = context;
    struct partial *self = partial;
    struct gsi_candidates *found = &self->found;
    *found = (struct gsi_candidates){
        .layout = top->job->loop.layout, .data = buffer->data, .tags = buffer->tags};
    if (top->most == 0)
        return;
    gsi_candidates_find(found, buffer->bytes / found->layout->element_bytes,
                        self->has_bound ? self->bound : NULL);
    if (found->count > gsi_candidates_after_cut(top->most))
        gsi_candidates_cut(found, top->most, self->bound);
}

/* ---- candidates of all ---- */

static struct top *top_of(struct gsi_task *task)
{
    return GSI_CONTAINER_OF(task, struct top, task);
}

static void cut(struct gsi_task *task, uint32_t worker_idx)
{
    (void)worker_idx;
    struct top *top = top_of(task);
    gsi_candidates_cut(&top->kept, top->most, top->next_bound);
}

static void cut_done(struct gsi_task *task)
{
    struct top *top = top_of(task);
    memcpy(top->bound, top->next_bound, top->job->loop.layout->element_bytes);
    top->is_busy = false;
    top->has_bound = true;
}

static void start_cut(struct top *top)
{
    top->is_busy = true;
    top->task = (struct gsi_task){.run = cut, .done = cut_done, .is_urgent = true};
    gsi_pool_submit(top->job->loop.pool, &top->task);
}

/* Cuts for a first bound as early as possible, and then only when memory is full, because each cut
 * sorts. */
static bool must_cut(const struct top *top, uint64_t coming)
{
    uint64_t count = top->kept.count;
    return count + coming > top->room || (!top->has_bound && top->most > 0 && count >= top->most);
}

/* Joins candidates in the order of the input. */
static bool join(void *context, struct gsi_buffer *buffer, void *partial)
{
    struct top *top = context;
    const struct gsi_candidates *found = &((const struct partial *)partial)->found;
    if (!top->is_busy && must_cut(top, found->count))
        start_cut(top);
    if (top->is_busy)
        return false;
    gsi_candidates_join(&top->kept, found);
    top->seen_count += buffer->bytes / top->job->loop.layout->element_bytes;
    return true;
}

static bool is_idle(const void *context)
{
    const struct top *top = context;
    return !top->is_busy;
}

static void put_in_order(struct gsi_task *task, uint32_t worker_idx)
{
    (void)worker_idx;
    struct top *top = top_of(task);
    gsi_candidates_sort_first(&top->kept, top->most);
}

static void put_in_order_done(struct gsi_task *task)
{
    top_of(task)->is_busy = false;
}

/* Everything was joined: sorts the candidates and keeps the first ones. */
static enum gs_status finish(struct top *top)
{
    const struct gsi_stage sorting = {.context = top, .is_done = is_idle};
    top->is_busy = true;
    top->task = (struct gsi_task){.run = put_in_order, .done = put_in_order_done};
    gsi_pool_submit(top->job->loop.pool, &top->task);
    return gsi_loop_run(&top->job->loop, &sorting, 1);
}

/* Reads everything. Then top->kept is what the output will be, in order. */
static enum gs_status keep_first(struct top *top)
{
    struct gsi_job *job = top->job;
    const struct gsi_scan scan = {.context = top,
                                  .device = GSI_SCAN_COUNTS,
                                  .partial_bytes = sizeof(struct partial),
                                  .begin = copy_bound,
                                  .run = find,
                                  .join = join};
    GSI_TRY(gsi_scan_run(&scan, &job->inputs, &job->arena.chunks));
    return finish(top);
}

/* ---- the output ---- */

static void fill(void *context, struct gsi_buffer *window, uint64_t first, uint32_t worker_idx)
{
    (void)worker_idx;
    const struct top *top = context;
    gsi_candidates_fill(&top->kept, first, window);
}

/* Checks that the first number is the least or greatest of the tally, unless NaNs precede it. */
static bool begins_right(const struct gsi_layout *layout, const struct gsi_tally_report *tally,
                         const struct gsi_digest *digest)
{
    uint8_t key[16];
    if (!gsi_layout_is_native(layout) || digest->count == 0 || !tally->has_extremes ||
        (gsi_layout_nans_lead(layout) && tally->nan_count > 0))
        return true;
    gsi_element_to_key(layout, layout->is_reversed ? tally->max : tally->min, key);
    return gsi_key_compare(layout, digest->first_key, key) == 0;
}

/* The keeper has seen everything, its elements were written, and the first of them is the one that
 * the tally expects. */
static enum gs_status verify(struct top *top)
{
    struct gsi_job *job = top->job;
    struct gsi_delivery *delivery = &top->delivery;
    struct gsi_tally_report *tally = &job->report->tally;
    const struct gsi_digest *digest = &delivery->check.digest;
    const struct gsi_verification verification = {.delivery = delivery,
                                                  .tally = tally,
                                                  .fields = job->report->field_tallies,
                                                  .most_count = top->most,
                                                  .cause = ""};
    GSI_TRY(job->loop.device->ops->tally(job->loop.device, tally, job->loop.error));
    if (digest->count == gsi_min_u64(tally->count, top->most) && top->seen_count == tally->count &&
        gsi_fingerprint(digest->fingerprint) == top->kept.fingerprint &&
        begins_right(job->loop.layout, tally, digest))
        return gsi_verify(&verification);
    return gsi_fail(job->loop.error, GS_E_VERIFY, 0,
                    "'%s': the output is not the first part of the sorted input (%llu of %llu "
                    "elements); %s; check the memory of this machine",
                    job->target.output.name, (unsigned long long)digest->count,
                    (unsigned long long)tally->count, gsi_target_describe_left(&job->target));
}

static enum gs_status keep_and_write(struct top *top)
{
    struct gsi_job *job = top->job;
    struct gsi_filler filler = {.context = top, .fill = fill};
    GSI_TRY(gsi_delivery_open(&top->delivery, &job->target, gsi_job_delivery_report(job), true));
    gsi_loop_begin_phase(&job->loop, GS_PHASE_READ, job->inputs.bytes);
    GSI_TRY(open_memory(top));
    GSI_TRY(keep_first(top));
    filler.count = top->kept.count;
    GSI_TRY(gsi_delivery_run_filler(&top->delivery, &job->arena, &filler));
    GSI_TRY(verify(top));
    gsi_delivery_tell_ends(&top->delivery);
    return gsi_job_commit(job, &top->delivery, NULL);
}

enum gs_status gsi_top(struct gsi_job *job)
{
    struct top top = {.job = job};
    enum gs_status status = keep_and_write(&top);
    if (status != GS_OK)
        gsi_loop_drain(&job->loop);
    gsi_memory_unmap(&job->loop.ledger, GSI_MEMORY_DATA, top.memory, job->loop.plan->top_bytes);
    gsi_delivery_clear(&top.delivery);
    return status;
}

/* ---- NaNs ---- */

/* Returns the tally of the first key; NULL: nothing was. */
static const struct gsi_tally_report *tally_of_order(const struct gsi_job *job)
{
    const struct gsi_layout *layout = job->inputs.layout;
    const struct gsi_record *record = layout->record;
    for (uint32_t i = 0; record->key_count > 0 && i < record->field_count; i++)
        if (gsi_field_is_same(&record->fields[i], &record->keys[0]))
            return gsi_record_tally_of(layout, &record->fields[i], &job->report->tally,
                                       job->report->field_tallies);
    return NULL;
}

void gsi_top_note(const struct gsi_job *job)
{
    const struct gsi_options *options = job->options;
    const struct gsi_layout *layout = job->inputs.layout;
    const struct gsi_tally_report *tally = tally_of_order(job);
    bool has_key = layout->number == NULL;
    if (!options->has_top || options->top_count == 0 || tally == NULL || tally->nan_count == 0 ||
        options->nan_place != GSI_NAN_WITH_ORDER || !gsi_layout_nans_lead(layout))
        return;
    const struct gsi_field *key = &layout->record->keys[0];
    const char *nan = key->number->part == GSI_PART_TIME ? "NaT" : "nan";
    const char *text = has_key ? key->text : "", *end = strrchr(text, ':');
    bool is_descending, has_end = end != NULL && gsi_order_word(end, &is_descending);
    gsi_note(&options->listener,
             "--top: the output starts with %s, which sorts first in descending order; --where "
             "'%.*s!=%s' drops it, --nan=last puts it last",
             nan, (int)(has_end ? (size_t)(end - text) : strlen(text)), text, nan);
}
