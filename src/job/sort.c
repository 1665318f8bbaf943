/* sort.c: the sort: make runs, come down to the fan-in, merge to the output, verify.
 *
 *   make_runs -> [r r r r r r] -> intermediate merges, no more than needed -> [r r r] -> sink
 *                                           the seam: what comes out is verified ------^
 *                                           unique: only the first of equal keys goes on
 *
 * Inputs that are sorted already are such runs as they are. */
#include "base/checked.h"
#include "input/header.h"
#include "job/make_runs.h"
#include "merge/merger.h"
#include "merge/sorted_inputs.h"
#include "output/first_n.h"
#include "output/read_back.h"
#include "output/stream_check.h"
#include "output/unique.h"
#include "plan/merge_tree.h"
#include "plan/plan.h"
#include "resume/output_marks.h"
#include "resume/runs.h"
#include "spill/writer.h"

struct output_merge {
    struct gsi_job *job;
    struct gsi_merger merger;
    struct gsi_buffers windows;
    struct gsi_buffers frames, pieces; /* to feed from: of spilled runs, and of sorted inputs */
    struct gsi_stream_check seam;      /* imprint of what came out */
    struct gsi_unique unique;
    struct gsi_sink sink;
    struct gsi_output_marks checkpoint; /* with --resume */
};

static void take_event(struct output_merge *merge, const struct gsi_event *event)
{
    if (event->kind == GSI_EVENT_WINDOW) {
        gsi_merger_take(&merge->merger, event->buffer);
    } else if (event->kind == GSI_EVENT_BUFFER) {
        gsi_merger_take_back(&merge->merger, event->buffer);
    }
}

/* Drive one merge until every window is delivered and *pending writes are done. */
static enum gs_status drive(struct output_merge *merge, const uint32_t *pending)
{
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
        has_moved |= gsi_output_marks_pump(&merge->checkpoint);
        if (gsi_unique_is_full(&merge->unique) && !merge->merger.is_ended)
            gsi_merger_stop(&merge->merger);
        if (has_moved)
            continue;
        if (gsi_merger_is_done(&merge->merger) && gsi_unique_is_idle(&merge->unique) &&
            *pending == 0)
            return GS_OK;
        GSI_TRY(gsi_job_wait(job));
    }
    return GS_OK;
}

/* Buffers of a merge: windows of some shape; feed buffers only if a run is spilled. */
static enum gs_status make_buffers(struct output_merge *merge, struct gsi_buffer_shape shape,
                                   bool has_spilled)
{
    struct gsi_job *job = merge->job;
    GSI_TRY(gsi_buffers_init(&merge->windows, &job->ledger, job->arena + job->window_off,
                             job->arena_bytes - job->window_off, shape, false, job->error));
    if (has_spilled)
        GSI_TRY(gsi_buffers_carve(&merge->frames, &job->chunks, gsi_shape_frame(&job->report->plan),
                                  job->error));
    return GS_OK;
}

/* Where inputs are merged, all memory but the windows is for feeding, anew for each merge: of both
 * kinds each run gets two buffers and each kind what a merge may need beside them (plan_merge.c);
 * what is left is shared by their numbers. */
static enum gs_status share_feed(struct output_merge *merge, const struct gsi_run_entry *entries,
                                 uint32_t count)
{
    struct gsi_job *job = merge->job;
    const struct gs_plan *plan = &job->report->plan;
    uint64_t unit = plan->frame_bytes, files = 0;
    for (uint32_t i = 0; i < count; i++)
        files += entries[i].file != NULL;
    uint64_t beside = gsi_plan_frames_beside(plan), spilled = count - files;
    uint64_t own_files = files > 0 ? 2 * files + beside : 0;
    uint64_t own_spilled = spilled > 0 ? 2 * spilled + beside : 0;
    uint64_t spare = job->window_off / unit - own_files - own_spilled;
    uint64_t bytes = (own_files + spare * files / gsi_max_u64(count, 1)) * unit;
    gsi_buffers_clear(&merge->pieces);
    gsi_buffers_clear(&merge->frames);
    GSI_TRY(gsi_buffers_init(&merge->pieces, &job->ledger, job->arena, bytes, gsi_shape_chunk(plan),
                             false, job->error));
    return gsi_buffers_init(&merge->frames, &job->ledger, job->arena + bytes,
                            job->window_off - bytes, gsi_shape_frame(plan), false, job->error);
}

/* Begin a merge of `count` runs from `first` on; the spec says where it goes. */
static enum gs_status begin_merge(struct output_merge *merge, const struct gsi_run_list *list,
                                  uint32_t first, uint32_t count, struct gsi_merger_spec spec)
{
    struct gsi_job *job = merge->job;
    spec.entries = count > 0 ? &list->entries[first] : NULL; /* an empty list has none */
    spec.count = count;
    spec.windows = &merge->windows;
    if (job->report->plan.is_merge) {
        GSI_TRY(share_feed(merge, spec.entries, count));
        spec.pieces = &merge->pieces;
    }
    spec.frames = merge->frames.count > 0 ? &merge->frames : NULL;
    return gsi_merger_begin(&merge->merger, job, &spec);
}

/* Merge `count` runs from `first` on into one that is spilled. */
static enum gs_status merge_group(struct gsi_job *job, struct output_merge *merge,
                                  struct gsi_run_list *list, uint32_t first, uint32_t count)
{
    enum gs_status status = GS_OK;
    struct gsi_spilled_run merged = {0};
    struct gsi_spill_writer writer;
    GSI_TRY_OR(gsi_spill_writer_init(&writer, job, &merge->windows, &merged,
                                     gsi_run_list_keys(list, first, count)),
               fail);
    GSI_TRY_OR(
        begin_merge(merge, list, first, count,
                    (struct gsi_merger_spec){.deliver = gsi_spill_writer_take, .context = &writer}),
        fail);
    GSI_TRY_OR(drive(merge, &writer.pending), fail);
    gsi_merger_end(&merge->merger);
    if (job->report->plan.is_merge)
        gsi_job_note_spilled(job, &merged);
    if (job->resume != NULL)
        GSI_TRY_OR(gsi_resume_runs_merged(job, list, first, count, &merged), fail);
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
    uint64_t *run_bytes;
    GSI_TRY(GSI_NEW(&job->ledger, run_bytes, pass->run_count, job->error));
    for (uint32_t i = 0; i < pass->run_count; i++) {
        const struct gsi_run_entry *entry = &list->entries[i];
        bool is_known = entry->file != NULL && entry->key_count != UINT64_MAX;
        run_bytes[i] =
            is_known ? entry->key_count * job->layout.element_bytes : entry->spilled.bytes;
    }
    *first = (uint32_t)gsi_merge_pass_first(pass, run_bytes);
    GSI_FREE(&job->ledger, run_bytes, pass->run_count);
    return GS_OK;
}

/* Intermediate merges, until no more runs that are fed than the fan-in are left. These are the
 * first of the list. */
static enum gs_status reduce_runs(struct gsi_job *job, struct output_merge *merge,
                                  struct gsi_run_list *list)
{
    uint32_t fan_in = job->report->plan.fan_in, first;
    gsi_job_phase(job, GS_PHASE_MERGE_RUNS, 0);
    for (uint32_t fed; (fed = gsi_run_list_fed(list)) > fan_in;) {
        struct gsi_merge_pass pass = gsi_merge_pass_make(fed, fan_in);
        GSI_TRY(find_span(job, list, &pass, &first));
        GSI_TRY(merge_group(job, merge, list, first, (uint32_t)pass.first_group));
        for (uint32_t i = 1; i < pass.group_count; i++)
            GSI_TRY(merge_group(job, merge, list, first + i, fan_in));
        gsi_run_list_prune(list);
        job->report->merge_passes++;
    }
    return GS_OK;
}

/* The next window of the output: what is verified is what the merge made, whatever becomes of it.
 */
static void deliver(void *context, struct gsi_buffer *window)
{
    struct output_merge *merge = context;
    const uint8_t *data = window->data; /* which stay there until the next event */
    uint64_t bytes = window->bytes;
    gsi_stream_check_join(&merge->seam, window);
    merge->job->phase_done_bytes += bytes;
    if (merge->job->options->unique)
        gsi_unique_take(&merge->unique, window);
    else
        gsi_sink_take(&merge->sink, window);
    gsi_output_marks_delivered(&merge->checkpoint, data, bytes);
}

/* All windows are delivered: what the stages behind the merge still hold. */
static enum gs_status finish_output(struct gsi_job *job, struct output_merge *merge)
{
    if (job->options->unique) {
        gsi_unique_finish(&merge->unique);
        GSI_TRY(drive(merge, &merge->sink.pending));
        job->report->unique_count = merge->unique.count;
        GSI_TRY(gsi_header_head(job, merge->unique.count));
    }
    gsi_sink_finish(&merge->sink);
    return drive(merge, &merge->sink.pending);
}

static enum gs_status merge_to_output(struct gsi_job *job, struct output_merge *merge,
                                      struct gsi_run_list *list)
{
    enum gs_status status = GS_OK;
    uint64_t bytes = gsi_job_output_bytes(job);
    /* Without --top no limit: what is more than was expected has to be found. */
    uint64_t merged = job->options->unique ? UINT64_MAX : gsi_job_most_bytes(job);
    struct gsi_first_n limit = gsi_first_n_make(&merge->merger, merged, deliver, merge);
    gsi_job_phase(job, GS_PHASE_WRITE, bytes);
    gsi_spill_trim(&job->store);
    GSI_TRY_OR(gsi_header_head(job, bytes / job->layout.element_bytes), fail);
    GSI_TRY_OR(gsi_stream_check_init(&merge->seam, &job->layout, &job->ledger, job->error), fail);
    gsi_unique_begin(&merge->unique, &merge->windows, &merge->sink);
    gsi_sink_init(&merge->sink, job, job->options->unique ? &merge->unique.blocks : &merge->windows,
                  gsi_unique_output_bytes(job, bytes));
    GSI_TRY_OR(gsi_output_marks_begin(&merge->checkpoint, job, list, &merge->sink, &merge->seam),
               fail);
    GSI_TRY_OR(begin_merge(merge, list, 0, list->count,
                           (struct gsi_merger_spec){.to_elements = true,
                                                    .checkpoint = &merge->checkpoint,
                                                    .deliver = gsi_first_n_take,
                                                    .context = &limit}),
               fail);
    gsi_first_n_begin(&limit);
    GSI_TRY_OR(drive(merge, &merge->sink.pending), fail);
    GSI_TRY_OR(finish_output(job, merge), fail);
    if (job->resume != NULL)
        GSI_TRY_OR(gsi_resume_wait(job), fail);
    gsi_merger_end(&merge->merger);
    return GS_OK;
fail:
    gsi_job_drain(job);
    gsi_merger_end(&merge->merger);
    return status;
}

/* What went in has come out, in order: count and fingerprint of all elements agree. Of the first of
 * them only the count can, and not even that of the first ones that differ. */
static enum gs_status verify(struct gsi_job *job, const struct output_merge *merge)
{
    struct gs_tally *tally = &job->report->tally;
    const struct gsi_imprint *imprint = &merge->seam.imprint;
    bool is_cut = gsi_unique_is_full(&merge->unique);
    enum gs_status status = GS_OK;
    if (job->resume != NULL)
        *tally = gsi_resume_runs_tally(job->resume);
    else
        status = job->device->ops->tally(job->device, tally, job->error);
    if (status != GS_OK)
        return status;
    uint64_t most = job->options->unique ? UINT64_MAX : gsi_job_most_bytes(job);
    most /= job->layout.element_bytes;
    if (imprint->disorder_idx != UINT64_MAX)
        return gsi_fail(job->error, GS_E_VERIFY, 0,
                        "'%s': element %llu came out below the one before it; nothing was "
                        "written there: check the memory of this machine",
                        job->output.name, (unsigned long long)imprint->disorder_idx);
    bool is_same = imprint->count == tally->count &&
                   imprint->fingerprint[0] == tally->fingerprint[0] &&
                   imprint->fingerprint[1] == tally->fingerprint[1];
    if (!is_cut && (tally->count > most ? imprint->count != most : !is_same))
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
    GSI_TRY_OR(gsi_unique_open(&merge.unique, job), done);
    GSI_TRY_OR(plan->is_merge ? gsi_sorted_inputs_list(job, &list) : gsi_make_runs(job, &list),
               done);
    bool is_carved = gsi_run_list_fed(&list) > 0 && !plan->is_merge;
    if (gsi_run_list_fed(&list) > plan->fan_in) {
        GSI_TRY_OR(make_buffers(&merge, gsi_shape_frame(plan), is_carved), done);
        GSI_TRY_OR(reduce_runs(job, &merge, &list), done);
        gsi_buffers_clear(&merge.windows);
        GSI_TRY_OR(make_buffers(&merge, gsi_shape_window(plan), false), done);
    } else {
        GSI_TRY_OR(make_buffers(&merge, gsi_shape_window(plan), is_carved), done);
    }
    GSI_TRY_OR(merge_to_output(job, &merge, &list), done);
    GSI_TRY_OR(verify(job, &merge), done);
    job->report->output_bytes = merge.sink.bytes;
    job->report->output_file_bytes = gsi_sink_file_bytes(&merge.sink);
    GSI_TRY_OR(gsi_read_back(job, &merge.windows,
                             job->options->unique ? &merge.unique.imprint : &merge.seam.imprint),
               done);
    GSI_TRY_OR(gsi_resume_record_done(job), done);
    GSI_TRY_OR(gsi_output_commit(&job->output, job->report->output_file_bytes, job->error), done);
    GSI_TRY_OR(gsi_resume_end(job), done);
done:
    drop_resident(job, &list);
    gsi_run_list_clear(&list);
    gsi_output_marks_clear(&merge.checkpoint);
    gsi_stream_check_clear(&merge.seam);
    gsi_unique_close(&merge.unique);
    gsi_buffers_clear(&merge.windows);
    gsi_buffers_clear(&merge.frames);
    gsi_buffers_clear(&merge.pieces);
    return status;
}
