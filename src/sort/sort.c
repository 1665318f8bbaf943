/* sort.c: the sort: make runs, come down to the fan-in, merge to the output, verify.
 *
 *   make_runs -> [r r r r r r] -> intermediate merges, no more than needed -> [r r r] -> sink
 *                                           the seam: what comes out is verified ------^
 *                                           unique: only the first of equal keys goes on
 */
#include "base/checked.h"
#include "plan/merge_tree.h"
#include "sort/formats.h"
#include "sort/limit.h"
#include "sort/make_runs.h"
#include "sort/merger.h"
#include "sort/seam.h"
#include "sort/spill_writer.h"
#include "sort/unique.h"

struct output_merge {
    struct gsi_job *job;
    struct gsi_merger merger;
    struct gsi_buffers windows, feed;
    struct gsi_seam seam; /* imprint of what came out */
    struct gsi_unique unique;
    struct gsi_sink sink;
};

static void take_event(struct output_merge *merge, const struct gsi_event *event)
{
    if (event->kind == GSI_EVENT_WINDOW) {
        gsi_merger_take(&merge->merger, event->buffer);
    } else if (event->kind == GSI_EVENT_BUFFER) {
        gsi_feed_released(&merge->merger.feed, event->buffer);
        gsi_buffers_give(&merge->feed, event->buffer);
    }
}

/* Drive one merge until every window is delivered and *pending writes are done. */
static enum gs_status drive(struct output_merge *merge, const uint32_t *pending)
{
    enum gs_status status = GS_OK;
    struct gsi_job *job = merge->job;
    for (;;) {
        bool has_moved = false;
        struct gsi_event event;
        while (gsi_job_reap(job, &event)) {
            take_event(merge, &event);
            has_moved = true;
        }
        has_moved |= gsi_merger_pump(&merge->merger);
        has_moved |= gsi_unique_pump(&merge->unique);
        if (has_moved)
            continue;
        if (gsi_merger_is_done(&merge->merger) && gsi_unique_is_idle(&merge->unique) &&
            *pending == 0)
            return GS_OK;
        GSI_TRY(gsi_job_wait(job));
    }
fail:
    return status;
}

/* Buffers of a merge: windows of some shape; feed buffers only if a run is spilled. */
static enum gs_status make_buffers(struct output_merge *merge, struct gsi_buffer_shape shape,
                                   bool has_spilled)
{
    enum gs_status status = GS_OK;
    struct gsi_job *job = merge->job;
    GSI_TRY(gsi_buffers_init(&merge->windows, &job->ledger, job->arena + job->window_off,
                             job->arena_bytes - job->window_off, shape, false, job->error));
    if (has_spilled)
        GSI_TRY(gsi_buffers_carve(&merge->feed, &job->chunks, gsi_shape_frame(&job->report->plan),
                                  job->error));
fail:
    return status;
}

/* Merge `count` spilled runs from `first` on into one. */
static enum gs_status merge_group(struct gsi_job *job, struct output_merge *merge,
                                  struct gsi_run_list *list, uint32_t first, uint32_t count)
{
    enum gs_status status = GS_OK;
    struct gsi_spilled_run merged = {0};
    struct gsi_spill_writer writer;
    uint64_t key_count = 0;
    for (uint32_t i = first; i < first + count; i++)
        key_count += list->entries[i].key_count;
    GSI_TRY(gsi_spill_writer_init(&writer, job, &merge->windows, &merged, key_count));
    GSI_TRY(gsi_merger_begin(&merge->merger, job, &list->entries[first], count, false,
                             &merge->windows, &merge->feed, gsi_spill_writer_take, &writer));
    GSI_TRY(drive(merge, &writer.pending));
    gsi_merger_end(&merge->merger);
    gsi_run_list_replace(list, first, count, &merged);
    return GS_OK;
fail:
    gsi_job_drain(job);
    gsi_merger_end(&merge->merger);
    gsi_spilled_run_clear(&job->ledger, &merged);
    return status;
}

/* Where `pass` moves the fewest bytes. */
static enum gs_status find_span(struct gsi_job *job, const struct gsi_run_list *list,
                                const struct gsi_merge_pass *pass, uint32_t *first)
{
    void *memory;
    enum gs_status status =
        gsi_memory_alloc(&job->ledger, pass->run_count, sizeof(uint64_t), &memory, job->error);
    if (status != GS_OK)
        return status;
    uint64_t *run_bytes = memory;
    for (uint32_t i = 0; i < pass->run_count; i++)
        run_bytes[i] = list->entries[i].spilled.bytes;
    *first = (uint32_t)gsi_merge_pass_first(pass, run_bytes);
    gsi_memory_free(&job->ledger, memory, pass->run_count, sizeof(uint64_t));
    return GS_OK;
}

/* Intermediate merges, until no more spilled runs than the fan-in are left. Spilled runs are the
 * first of the list. */
static enum gs_status reduce_runs(struct gsi_job *job, struct output_merge *merge,
                                  struct gsi_run_list *list)
{
    enum gs_status status = GS_OK;
    uint32_t fan_in = job->report->plan.fan_in, first;
    gsi_job_phase(job, GS_PHASE_MERGE_RUNS, 0);
    for (uint32_t spilled; (spilled = gsi_run_list_fed(list)) > fan_in;) {
        struct gsi_merge_pass pass = gsi_merge_pass_make(spilled, fan_in);
        GSI_TRY(find_span(job, list, &pass, &first));
        GSI_TRY(merge_group(job, merge, list, first, (uint32_t)pass.first_group));
        for (uint32_t i = 1; i < pass.group_count; i++)
            GSI_TRY(merge_group(job, merge, list, first + i, fan_in));
        job->report->merge_passes++;
    }
fail:
    return status;
}

/* The next window of the output: what is verified is what the merge made, whatever becomes of it.
 */
static void deliver(void *context, struct gsi_buffer *window)
{
    struct output_merge *merge = context;
    gsi_seam_join(&merge->seam, window);
    merge->job->phase_done_bytes += window->bytes;
    if (merge->job->options->unique)
        gsi_unique_take(&merge->unique, window);
    else
        gsi_sink_take(&merge->sink, window);
}

/* All windows are delivered: what the stages behind the merge still hold. */
static enum gs_status finish_output(struct gsi_job *job, struct output_merge *merge)
{
    enum gs_status status = GS_OK;
    if (job->options->unique) {
        gsi_unique_finish(&merge->unique);
        GSI_TRY(drive(merge, &merge->sink.pending));
        job->report->unique_count = merge->unique.groups.count;
        GSI_TRY(gsi_formats_head(job, merge->unique.groups.count));
    }
    gsi_sink_finish(&merge->sink);
    GSI_TRY(drive(merge, &merge->sink.pending));
fail:
    return status;
}

static enum gs_status merge_to_output(struct gsi_job *job, struct output_merge *merge,
                                      struct gsi_run_list *list)
{
    enum gs_status status = GS_OK;
    uint64_t bytes = gsi_job_output_bytes(job);
    struct gsi_limit limit = gsi_limit_make(&merge->merger, bytes, deliver, merge);
    gsi_job_phase(job, GS_PHASE_WRITE, bytes);
    gsi_spill_trim(&job->store);
    GSI_TRY(gsi_formats_head(job, bytes / job->layout.element_bytes));
    GSI_TRY(gsi_seam_init(&merge->seam, &job->layout, &job->ledger, job->error));
    gsi_unique_begin(&merge->unique, &merge->windows, &merge->sink);
    gsi_sink_init(&merge->sink, job, job->options->unique ? &merge->unique.blocks : &merge->windows,
                  gsi_unique_output_bytes(job, bytes));
    GSI_TRY(gsi_merger_begin(&merge->merger, job, list->entries, list->count, true, &merge->windows,
                             gsi_run_list_fed(list) > 0 ? &merge->feed : NULL, gsi_limit_take,
                             &limit));
    gsi_limit_begin(&limit);
    GSI_TRY(drive(merge, &merge->sink.pending));
    GSI_TRY(finish_output(job, merge));
    gsi_merger_end(&merge->merger);
    return GS_OK;
fail:
    gsi_job_drain(job);
    gsi_merger_end(&merge->merger);
    return status;
}

/* What went in has come out, in order: count and fingerprint of all elements agree. Of the first of
 * them only the count can. */
static enum gs_status verify(struct gsi_job *job, const struct gsi_seam *seam)
{
    struct gs_tally *tally = &job->report->tally;
    const struct gsi_imprint *imprint = &seam->imprint;
    enum gs_status status = job->device->ops->tally(job->device, tally, job->error);
    if (status != GS_OK)
        return status;
    uint64_t most = gsi_job_most_bytes(job) / job->layout.element_bytes;
    if (imprint->disorder_idx != UINT64_MAX)
        return gsi_fail(job->error, GS_E_VERIFY, 0,
                        "'%s': element %llu came out below the one before it; nothing was "
                        "written there: check the memory of this machine",
                        job->output.name, (unsigned long long)imprint->disorder_idx);
    bool is_same = imprint->count == tally->count &&
                   imprint->fingerprint[0] == tally->fingerprint[0] &&
                   imprint->fingerprint[1] == tally->fingerprint[1];
    if (tally->count > most ? imprint->count != most : !is_same)
        return gsi_fail(job->error, GS_E_VERIFY, 0,
                        "'%s': what came out is not what was read (%llu of %llu elements, "
                        "fingerprints differ); nothing was written there: check the memory of "
                        "this machine",
                        job->output.name, (unsigned long long)imprint->count,
                        (unsigned long long)tally->count);
    return GS_OK;
}

static void drop_resident(struct gsi_job *job, struct gsi_run_list *list)
{
    for (uint32_t i = 0; i < list->count; i++)
        if (list->entries[i].resident != NULL)
            job->device->ops->run_drop(job->device, list->entries[i].resident);
}

enum gs_status gsi_sort(struct gsi_job *job)
{
    enum gs_status status = GS_OK;
    const struct gs_plan *plan = &job->report->plan;
    struct gsi_run_list list = {0};
    struct output_merge merge = {.job = job};
    GSI_TRY(gsi_unique_open(&merge.unique, job));
    GSI_TRY(gsi_make_runs(job, &list));
    if (gsi_run_list_fed(&list) > plan->fan_in) {
        GSI_TRY(make_buffers(&merge, gsi_shape_frame(plan), true));
        GSI_TRY(reduce_runs(job, &merge, &list));
        gsi_buffers_clear(&merge.windows);
        GSI_TRY(make_buffers(&merge, gsi_shape_window(plan), false));
    } else {
        GSI_TRY(make_buffers(&merge, gsi_shape_window(plan), gsi_run_list_fed(&list) > 0));
    }
    GSI_TRY(merge_to_output(job, &merge, &list));
    GSI_TRY(verify(job, &merge.seam));
    job->report->output_bytes = merge.sink.bytes;
    job->report->output_file_bytes = gsi_sink_file_bytes(&merge.sink);
    GSI_TRY(gsi_output_commit(&job->output, job->report->output_file_bytes, job->error));
fail:
    drop_resident(job, &list);
    gsi_run_list_clear(&list);
    gsi_seam_clear(&merge.seam);
    gsi_unique_close(&merge.unique);
    gsi_buffers_clear(&merge.windows);
    gsi_buffers_clear(&merge.feed);
    return status;
}
