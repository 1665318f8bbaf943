/* make_runs.c: read, sort, spill; all at once.
 *
 *   chunks free -> source -> chunk_put -> [sorted run] -> merger -> spill_writer -> disk
 *        ^                                    |                        (chunks free again)
 *        '---------- run_drop ----------------'
 *
 * Runs are spilled oldest first and one at a time (a merge uses all threads). A known input spills
 * the number of runs that the plan says. A stream spills when free chunks run low and, at its end,
 * until what is spilled can be fed. */
#include "job/make_runs.h"

#include "base/checked.h"
#include "input/source.h"
#include "merge/merger.h"
#include "plan/plan.h"
#include "resume/runs.h"
#include "spill/writer.h"

/* Chunks the source holds at a time: one being filled, one behind it. */
#define SOURCE_CHUNKS 2u

struct maker {
    struct gsi_job *job;
    struct gsi_run_list *list;
    struct gsi_source source;
    struct gsi_buffers frames; /* over the window memory */
    struct gsi_merger merger;
    struct gsi_spill_writer writer;
    struct gsi_spilled_run spilling; /* what the writer adds to; the list's entries may move */
    uint32_t open_chunks;            /* put since the last seal */
    uint64_t open_keys;
    uint32_t uploading_count; /* chunks that a device with memory of its own is still reading */
    uint32_t chunks_per_run;
    uint32_t spilled_count; /* entries [0, spilled_count) are on disk */
    bool is_spilling;       /* entry spilled_count is on its way */
};

/* A sealed run has to be in the list, so there is room in it first. */
static enum gs_status seal_run(struct maker *maker)
{
    struct gsi_job *job = maker->job;
    struct gsi_run_entry entry = {.key_count = maker->open_keys};
    GSI_TRY(gsi_run_list_reserve(maker->list, job->error));
    GSI_TRY(job->device->ops->chunk_seal(job->device, &entry.resident, job->error));
    GSI_TRY(gsi_run_list_append(maker->list, &entry, job->error));
    maker->open_chunks = 0;
    maker->open_keys = 0;
    if (job->resume != NULL)
        gsi_resume_runs_sealed(job->resume);
    return GS_OK;
}

static void take_event(struct maker *maker, const struct gsi_event *event)
{
    switch (event->kind) {
    case GSI_EVENT_BUFFER:
        maker->uploading_count -= maker->uploading_count > 0;
        gsi_buffers_give(&maker->job->chunks, event->buffer);
        break;
    case GSI_EVENT_RUN:
        for (uint32_t i = maker->list->count; i-- > 0;)
            if (maker->list->entries[i].resident == event->run)
                maker->list->entries[i].is_sorted = true;
        break;
    case GSI_EVENT_WINDOW:
        gsi_merger_take(&maker->merger, event->buffer);
        break;
    }
}

/* Chunks to the source. With --resume what is read ahead is lost by a kill: one at a time. */
static void give_chunks(struct maker *maker)
{
    struct gsi_job *job = maker->job;
    bool is_known = job->input_bytes != UINT64_MAX;
    uint32_t most = SOURCE_CHUNKS;
    if (job->resume != NULL)
        most = 1;
    else if (is_known)
        most = gsi_max_u32(most, job->report->plan.thread_count + 1);
    struct gsi_buffer *chunk;
    while (!maker->source.is_end && gsi_source_given(&maker->source) < most &&
           (chunk = gsi_buffers_take(&job->chunks)) != NULL)
        gsi_source_offer(&maker->source, chunk);
}

/* Runs in the device's own memory, with the one being put. */
static uint32_t resident_runs(const struct maker *maker)
{
    return maker->list->count - maker->spilled_count + (maker->open_chunks > 0);
}

/* Whether the device has room for the next chunk, if there is one: empty ones need none. What is
 * not on record yet is read again after a kill, so that is not much. */
static bool can_put(const struct maker *maker)
{
    const struct gsi_resume *resume = maker->job->resume;
    if (resume != NULL && maker->open_chunks == 0 && !gsi_resume_runs_can_seal(resume))
        return false;
    uint32_t most = maker->job->report->plan.device_runs;
    return most == 0 || maker->open_chunks > 0 || resident_runs(maker) < most ||
           !gsi_source_has_data(&maker->source);
}

/* The next chunk to be put; NULL: not yet. */
static struct gsi_buffer *next_chunk(struct maker *maker)
{
    struct gsi_resume *resume = maker->job->resume;
    return resume != NULL ? gsi_resume_runs_next(resume, &maker->source)
                          : gsi_source_next(&maker->source);
}

static bool is_all_put(const struct maker *maker)
{
    const struct gsi_resume *resume = maker->job->resume;
    return gsi_source_is_end(&maker->source) && (resume == NULL || gsi_resume_runs_is_idle(resume));
}

/* Chunks from the source to the device. */
static enum gs_status pump_source(struct maker *maker, bool *has_moved)
{
    struct gsi_job *job = maker->job;
    struct gsi_buffer *chunk;
    give_chunks(maker);
    *has_moved |= gsi_source_pump(&maker->source);
    while (can_put(maker) && (chunk = next_chunk(maker)) != NULL) {
        *has_moved = true;
        if (chunk->bytes == 0) {
            gsi_buffers_give(&job->chunks, chunk);
            continue;
        }
        maker->open_keys += chunk->bytes / job->layout.element_bytes;
        GSI_TRY(job->device->ops->chunk_put(job->device, chunk, job->error));
        maker->uploading_count += job->report->plan.device_runs > 0;
        if (++maker->open_chunks == maker->chunks_per_run)
            GSI_TRY(seal_run(maker));
    }
    if (is_all_put(maker) && maker->open_chunks > 0)
        GSI_TRY(seal_run(maker));
    return GS_OK;
}

/* Whether the oldest resident run has to go to disk. */
static bool must_spill(const struct maker *maker)
{
    const struct gsi_job *job = maker->job;
    const struct gs_plan *plan = &job->report->plan;
    if (maker->spilled_count == maker->list->count)
        return false;
    if (job->options->spill_all || job->resume != NULL)
        return true;
    if (plan->input_bytes != UINT64_MAX)
        return maker->spilled_count < plan->spilled_runs;
    if (!gsi_source_is_end(&maker->source) && plan->device_runs > 0)
        return resident_runs(maker) >= plan->device_runs;
    if (!gsi_source_is_end(&maker->source))
        return job->chunks.free_count + gsi_source_given(&maker->source) <
               gsi_max_u64(plan->thread_count + 2, job->chunks.count / 4);
    return maker->spilled_count > 0 &&
           !gsi_plan_feed_is_enough(plan, job->chunks.free_count, maker->spilled_count);
}

/* Begin, drive or finish spilling the oldest resident run. */
static enum gs_status pump_spill(struct maker *maker, bool *has_moved)
{
    struct gsi_job *job = maker->job;
    if (!maker->is_spilling) {
        if (!must_spill(maker) || !maker->list->entries[maker->spilled_count].is_sorted)
            return GS_OK;
        struct gsi_run_entry *entry = &maker->list->entries[maker->spilled_count];
        GSI_TRY(gsi_spill_writer_init(&maker->writer, job, &maker->frames, &maker->spilling,
                                      entry->key_count));
        const struct gsi_merger_spec spec = {.entries = entry,
                                             .count = 1,
                                             .windows = &maker->frames,
                                             .deliver = gsi_spill_writer_take,
                                             .context = &maker->writer};
        GSI_TRY(gsi_merger_begin(&maker->merger, job, &spec));
        maker->is_spilling = true;
    }
    *has_moved |= gsi_merger_pump(&maker->merger);
    bool is_recording = job->resume != NULL && job->resume->is_recording;
    if (gsi_merger_is_done(&maker->merger) && maker->writer.pending == 0 && !is_recording) {
        struct gsi_run_entry *entry = &maker->list->entries[maker->spilled_count++];
        gsi_merger_end(&maker->merger);
        job->device->ops->run_drop(job->device, entry->resident);
        *entry = (struct gsi_run_entry){.key_count = entry->key_count, .spilled = maker->spilling};
        maker->spilling = (struct gsi_spilled_run){0};
        maker->is_spilling = false;
        gsi_job_note_spilled(job, &entry->spilled);
        if (job->resume != NULL)
            gsi_resume_runs_note(job->resume, &entry->spilled);
        *has_moved = true;
    }
    return GS_OK;
}

static bool all_sorted(const struct gsi_run_list *list)
{
    for (uint32_t i = 0; i < list->count; i++)
        if (list->entries[i].resident != NULL && !list->entries[i].is_sorted)
            return false;
    return true;
}

/* A stream so long that runs of one chunk would pass the fan-in goes on with longer ones. */
static void lengthen_runs(struct maker *maker)
{
    const struct gs_plan *plan = &maker->job->report->plan;
    if (plan->input_bytes == UINT64_MAX && plan->device_runs == 0 &&
        maker->job->options->chunk_bytes == 0 && maker->spilled_count > plan->fan_in / 2)
        maker->chunks_per_run = (uint32_t)gsi_max_u64(1, maker->job->chunks.count / 4);
}

static enum gs_status make_all(struct maker *maker)
{
    struct gsi_job *job = maker->job;
    for (;;) {
        bool has_moved = false;
        struct gsi_event event;
        while (gsi_job_reap(job, &event)) {
            take_event(maker, &event);
            has_moved = true;
        }
        GSI_TRY(pump_source(maker, &has_moved));
        GSI_TRY(pump_spill(maker, &has_moved));
        lengthen_runs(maker);
        if (has_moved)
            continue;
        if (is_all_put(maker) && maker->uploading_count == 0 && !maker->is_spilling &&
            !must_spill(maker) && all_sorted(maker->list))
            return job->resume != NULL ? gsi_resume_wait(job) : GS_OK;
        GSI_TRY(gsi_job_wait(job));
    }
    return GS_OK;
}

enum gs_status gsi_make_runs(struct gsi_job *job, struct gsi_run_list *list)
{
    enum gs_status status = GS_OK;
    const struct gs_plan *plan = &job->report->plan;
    struct maker maker = {.job = job, .list = list, .chunks_per_run = plan->chunks_per_run};
    list->ledger = &job->ledger;
    gsi_job_phase(job, GS_PHASE_READ, job->input_bytes);
    GSI_TRY_OR(gsi_source_init(&maker.source, job), done);
    GSI_TRY_OR(gsi_buffers_init(&maker.frames, &job->ledger, job->arena + job->window_off,
                                job->arena_bytes - job->window_off, gsi_shape_frame(plan), false,
                                job->error),
               done);
    if (job->resume != NULL) {
        GSI_TRY_OR(gsi_resume_runs_restore(job, list), done);
        maker.spilled_count = list->count;
        gsi_source_skip(&maker.source, job->resume->data_bytes);
    }
    GSI_TRY_OR(make_all(&maker), done);
    job->report->run_count = list->count;
done:
    if (status != GS_OK)
        gsi_job_drain(job);
    gsi_merger_end(&maker.merger);
    gsi_spilled_run_clear(&job->ledger, &maker.spilling);
    gsi_buffers_clear(&maker.frames);
    gsi_source_clear(&maker.source);
    return status;
}
