/* top.c: --top where the first elements fit into memory: one pass over the input keeps them; then
 * they are written.
 *
 *   keeper -> [ candidates, in order ] -> windows, on threads -+-> sink             as they are
 *                                                              '-> blocks -> sink   what is written
 *                                                                  (unique.h)       of them
 */
#include "base/report.h"
#include "input/carried.h"
#include "input/header.h"
#include "job/top_keeper.h"
#include "output/read_back.h"
#include "output/sink.h"
#include "output/stream_check.h"
#include "output/unique.h"
#include "output/verify_read.h"

#include "base/checked.h"

struct top {
    struct gsi_job *job;
    struct gsi_top_keeper keeper;
    struct gsi_buffers windows;
    struct gsi_stream_check check; /* imprint of what comes out */
    struct gsi_carried carried;
    struct gsi_unique unique;
    bool has_blocks;
    struct gsi_sink sink;
    uint64_t started, filled_count; /* elements; windows begun */
    struct gsi_reorder reorder;
};

/* The window's first element, while it is being filled. */
static uint64_t first_of(const struct top *top, const struct gsi_buffer *window)
{
    uint64_t per_window = window->capacity / top->job->loop.layout->element_bytes;
    return window->turn_idx * per_window;
}

static void fill(struct gsi_task *task, uint32_t worker_idx)
{
    (void)worker_idx;
    struct gsi_buffer *window = gsi_buffer_of_task(task);
    const struct top *top = window->holder;
    gsi_candidates_copy(&top->keeper.kept, first_of(top, window), window);
}

static void fill_done(struct gsi_task *task)
{
    struct gsi_buffer *window = gsi_buffer_of_task(task);
    struct top *top = window->holder;
    gsi_reorder_add(&top->reorder, window);
    while ((window = gsi_reorder_take(&top->reorder)) != NULL) {
        gsi_stream_check_join(&top->check, window);
        top->job->loop.done_bytes += window->bytes;
        if (top->has_blocks)
            gsi_unique_take(&top->unique, window);
        else
            gsi_sink_take(&top->sink, window);
    }
}

/* Begin to fill windows that are free; whether any was. */
static bool fill_windows(void *context)
{
    struct top *top = context;
    struct gsi_job *job = top->job;
    struct gsi_buffer *window;
    bool has_moved = false;
    while (top->started < top->keeper.kept.count &&
           (window = gsi_buffers_take(&top->windows)) != NULL) {
        uint64_t off = top->started * job->loop.layout->element_bytes;
        if (window->tags != NULL) /* records lie as far into a page as they will in the output */
            window->data = window->memory + off % GSI_DIRECT_ALIGN;
        window->turn_idx = top->filled_count++;
        window->holder = top;
        window->task = (struct gsi_task){.run = fill, .done = fill_done};
        top->started += window->capacity / job->loop.layout->element_bytes;
        gsi_pool_submit(job->loop.pool, &window->task);
        has_moved = true;
    }
    return has_moved;
}

static bool are_filled(const void *context)
{
    const struct top *top = context;
    return top->started >= top->keeper.kept.count && top->reorder.next == top->filled_count;
}

/* Until every window was handed over and written. */
static enum gs_status run_output(struct top *top)
{
    const struct gsi_stage stages[] = {
        {.context = top, .pump = fill_windows, .is_done = are_filled},
        gsi_unique_stage(&top->unique),
        gsi_sink_stage(&top->sink)};
    return gsi_loop_run(&top->job->loop, stages, sizeof stages / sizeof stages[0]);
}

/* Chunk buffers are windows now. */
static enum gs_status write_output(struct top *top)
{
    struct gsi_job *job = top->job;
    uint64_t bytes = gsi_target_wanted_bytes(&job->target);
    gsi_loop_phase(&job->loop, GS_PHASE_WRITE, bytes);
    GSI_TRY(gsi_buffers_init(&top->windows, &job->loop.ledger, job->arena.memory, job->arena.bytes,
                             gsi_shape_window(job->loop.plan), false, job->loop.error));
    GSI_TRY(gsi_header_head(&job->inputs, bytes / job->loop.layout->element_bytes));
    GSI_TRY(
        gsi_stream_check_init(&top->check, job->loop.layout, &job->loop.ledger, job->loop.error));
    gsi_unique_begin(&top->unique, NULL, &top->windows, gsi_sink_link(&top->sink));
    gsi_sink_init(&top->sink, &job->target, top->has_blocks ? &top->unique.blocks : &top->windows,
                  gsi_unique_output_bytes(&job->target, bytes));
    GSI_TRY(run_output(top));
    gsi_unique_finish(&top->unique);
    GSI_TRY(run_output(top));
    gsi_sink_finish(&top->sink);
    return run_output(top);
}

/* Of numbers the first one is the least of all, or the greatest, as the tally says, unless NaNs are
 * before it. */
static bool begins_right(const struct gsi_layout *layout, const struct gsi_tally_report *tally,
                         const struct gsi_imprint *imprint)
{
    uint8_t key[16];
    if (layout->record != NULL || imprint->count == 0 || !tally->has_extremes ||
        (layout->is_reversed && tally->nan_count > 0))
        return true;
    gsi_element_to_key(layout, layout->is_reversed ? tally->max : tally->min, key);
    return gsi_key_compare(layout, imprint->first_key, key) == 0;
}

/* What came out is in order, as many as there should be, nothing else than what was found less what
 * was cut off (if nothing was: everything that the tally saw), and begins with what the tally says
 * comes first. */
static enum gs_status verify(struct top *top)
{
    struct gsi_job *job = top->job;
    struct gsi_tally_report *tally = &job->report->tally;
    const struct gsi_imprint *imprint = &top->check.imprint;
    enum gs_status status = job->loop.device->ops->tally(job->loop.device, tally, job->loop.error);
    if (status != GS_OK)
        return status;
    bool is_carried = top->carried.carry != NULL;
    if (!is_carried)
        GSI_TRY(gsi_inputs_verify(&job->inputs, tally));
    gsi_u128 got = gsi_fingerprint(imprint->fingerprint);
    gsi_u128 all = gsi_fingerprint(tally->fingerprint);
    uint64_t wanted = gsi_min_u64(tally->count, top->keeper.most);
    bool is_written = !top->has_blocks || top->unique.count == wanted;
    if (imprint->disorder_idx == UINT64_MAX && imprint->count == wanted && is_written &&
        top->keeper.seen_count == tally->count && got == top->keeper.kept.fingerprint &&
        (wanted < tally->count || got == all) && begins_right(job->loop.layout, tally, imprint))
        return is_carried
                   ? gsi_verify_carried(&job->target, &top->carried, &top->unique, job->report)
                   : GS_OK;
    return gsi_fail(
        job->loop.error, GS_E_VERIFY, 0,
        "'%s': what came out is not the first of what was read (%llu of %llu elements); "
        "%s: check the memory of this machine",
        job->target.output.name, (unsigned long long)imprint->count,
        (unsigned long long)tally->count, gsi_target_left(&job->target));
}

enum gs_status gsi_top(struct gsi_job *job)
{
    enum gs_status status = GS_OK;
    struct top top = {.job = job, .has_blocks = gsi_target_has_blocks(&job->target)};
    GSI_TRY_OR(gsi_unique_open(&top.unique, &job->target), done);
    job->inputs.carried = &top.carried;
    GSI_TRY_OR(gsi_carried_open(&top.carried, job->inputs.carry, job->thread_count,
                                &job->loop.ledger, job->loop.error),
               done);
    gsi_loop_phase(&job->loop, GS_PHASE_READ, job->inputs.bytes);
    GSI_TRY_OR(gsi_top_keeper_init(&top.keeper, job), done);
    GSI_TRY_OR(gsi_top_keeper_run(&top.keeper), done);
    GSI_TRY_OR(write_output(&top), done);
    GSI_TRY_OR(verify(&top), done);
    job->target.bytes = top.sink.bytes;
    job->target.file_bytes = gsi_sink_file_bytes(&top.sink);
    GSI_TRY_OR(gsi_read_back(&job->target, &top.windows, &top.check.imprint), done);
    GSI_TRY_OR(gsi_output_commit(&job->target.output, job->target.file_bytes, job->loop.error),
               done);
done:
    if (status != GS_OK)
        gsi_loop_drain(&job->loop);
    gsi_top_keeper_clear(&top.keeper);
    gsi_unique_close(&top.unique);
    job->inputs.carried = NULL;
    gsi_carried_close(&top.carried);
    gsi_stream_check_clear(&top.check);
    gsi_buffers_clear(&top.windows);
    return status;
}
