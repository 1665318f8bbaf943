/* make_runs.c: read, sort, spill; all at once.
 *
 *   chunks free -> source -> chunk_put -> [sorted run] -> merger -> spill_writer -> disk
 *        ^                                    |                        (chunks free again)
 *        '---------- run_drop ----------------'
 *
 * Runs are spilled oldest first and one at a time, because a merge uses all threads. For an input
 * of known size, the plan says how many runs are spilled. For a stream, runs are spilled when free
 * chunks run low and, at its end, until there are buffers to merge what is spilled. An input that
 * --where or pre-aggregation makes shorter is treated as a stream, too, because its length is
 * unknown until it was read. No more of its runs are spilled than the plan has for the whole. A run
 * that an input contains leaves memory without being written (merge/presorted.h). */
#include "job/strategy/strategy.h"

#include "base/assert.h"
#include "base/checked.h"
#include "input/source.h"
#include "job/job_report.h"
#include "loop/run_list.h"
#include "merge/merger.h"
#include "merge/presorted.h"
#include "output/one_pass.h"
#include "plan/plan_rings.h"
#include "resume/resume.h"
#include "spill/spill.h"

/* Chunks that the source holds at a time: one being filled, and the next. */
#define SOURCE_CHUNKS 2u

/* With operators that leave elements out: one more for their tasks, and one that is filled up. */
#define FILTER_CHUNKS 2u

struct maker {
    struct gsi_job *job;
    struct gsi_loop *loop;
    struct gsi_buffers *chunks;
    struct gsi_resume *resume; /* NULL: no journal is kept */
    struct gsi_run_list *list;
    struct gsi_one_pass *one_pass;
    struct gsi_presorted *presorted;
    struct gsi_source source;
    struct gsi_buffers frames; /* over the window memory */
    struct gsi_merger merger;
    struct gsi_spill_writer writer;
    struct gsi_spilled_run spilling; /* what the writer adds to; the list's entries may move */
    struct gsi_link to_writer;
    uint32_t run_count;   /* sealed, or on record */
    uint32_t open_chunks; /* put since the last seal */
    uint64_t open_keys, sealed_keys;
    uint32_t uploading_count; /* chunks that a device with memory of its own is still reading */
    uint32_t chunks_per_run;
    uint32_t spilled_count; /* entries [0, spilled_count) are on disk, */
    uint32_t left_count;    /* and so many runs have left memory for that */
    bool is_spilling;       /* entry spilled_count is on its way */
};

/* ---- reading and sorting ---- */

/* A sealed run has to be in the list, so there is room in it first. */
static enum gs_status seal_run(struct maker *maker)
{
    struct gsi_device *device = maker->loop->device;
    struct gs_error *error = maker->loop->error;
    struct gsi_run_entry entry = {.key_count = maker->open_keys,
                                  .read_off =
                                      maker->sealed_keys * maker->loop->layout->element_bytes};
    GSI_TRY(gsi_run_list_reserve(maker->list, error));
    GSI_TRY(device->ops->chunk_seal(device, &entry.resident, error));
    GSI_TRY(gsi_run_list_append(maker->list, &entry, error));
    maker->run_count++;
    maker->open_chunks = 0;
    maker->sealed_keys += maker->open_keys;
    maker->open_keys = 0;
    gsi_resume_sealed(maker->resume);
    return GS_OK;
}

static void handle_event(void *context, const struct gsi_event *event)
{
    struct maker *maker = context;
    switch (event->kind) {
    case GSI_EVENT_BUFFER:
        maker->uploading_count -= maker->uploading_count > 0;
        gsi_buffers_return(maker->chunks, event->buffer);
        break;
    case GSI_EVENT_RUN:
        for (uint32_t i = maker->list->count; i-- > 0;)
            if (maker->list->entries[i].resident == event->run)
                maker->list->entries[i].is_sorted = true;
        break;
    case GSI_EVENT_WINDOW:
        if (gsi_one_pass_is_on(maker->one_pass))
            gsi_one_pass_accept(maker->one_pass, event->buffer);
        else
            gsi_merger_accept(&maker->merger, event->buffer);
        break;
    }
}

/* Chunks to the source. */
static void give_chunks(struct maker *maker)
{
    bool is_known = maker->job->inputs.bytes != UINT64_MAX;
    uint32_t most = SOURCE_CHUNKS;
    if (maker->resume != NULL)
        most = 1; /* a kill loses what is read ahead */
    else if (is_known)
        most = gsi_max_u32(most, maker->loop->plan->thread_count + 1);
    const struct gsi_pre_aggregate *pre_aggregate = maker->job->inputs.pre_aggregate;
    most += gsi_inputs_may_shrink(&maker->job->inputs) ? FILTER_CHUNKS : 0;
    most += pre_aggregate != NULL ? gsi_pre_aggregate_held(pre_aggregate) : 0;
    struct gsi_buffer *chunk;
    while (!maker->source.is_end && gsi_source_offered_count(&maker->source) < most &&
           (chunk = gsi_buffers_pop(maker->chunks)) != NULL)
        gsi_source_offer(&maker->source, chunk);
}

/* Runs that the device keeps, with the one being put. */
static uint32_t resident_runs(const struct maker *maker)
{
    return maker->list->count - maker->spilled_count + (maker->open_chunks > 0);
}

/* Returns whether the device has room for the next chunk, if there is one. Empty chunks need
 * none. */
static bool can_put(const struct maker *maker)
{
    if (maker->open_chunks == 0 && !gsi_resume_can_seal(maker->resume))
        return false;
    uint64_t most = gsi_plan_most_kept_runs(maker->loop->plan);
    return most == 0 || maker->open_chunks > 0 || resident_runs(maker) < most ||
           !gsi_source_has_data(&maker->source);
}

static bool is_all_put(const struct maker *maker)
{
    return gsi_source_is_end(&maker->source) && !gsi_resume_is_counting(maker->resume);
}

/* One pass frees the chunks of a whole run at once, so its runs have one chunk. */
static uint32_t chunks_a_run(const struct maker *maker)
{
    return maker->one_pass->state == GSI_ONE_PASS_WRITING ? 1 : maker->chunks_per_run;
}

/* Chunks from the source to the device. */
static enum gs_status put_chunks(struct maker *maker, bool *has_moved)
{
    struct gsi_device *device = maker->loop->device;
    struct gsi_buffer *chunk;
    while (can_put(maker) &&
           (chunk = gsi_resume_pop_counted(maker->resume, &maker->source)) != NULL) {
        *has_moved = true;
        if (chunk->bytes == 0) {
            gsi_buffers_return(maker->chunks, chunk);
            continue;
        }
        maker->open_keys += chunk->bytes / gsi_inputs_device_bytes(&maker->job->inputs);
        GSI_TRY(device->ops->chunk_put(device, chunk, maker->loop->error));
        maker->uploading_count += maker->loop->plan->device_runs > 0;
        if (++maker->open_chunks >= chunks_a_run(maker))
            GSI_TRY(seal_run(maker));
    }
    if (is_all_put(maker) && maker->open_chunks > 0)
        GSI_TRY(seal_run(maker));
    return GS_OK;
}

static bool pump_source(void *context)
{
    struct maker *maker = context;
    give_chunks(maker);
    bool has_moved = gsi_source_pump(&maker->source);
    (void)put_chunks(maker, &has_moved); /* the loop finds its failure */
    return has_moved;
}

static bool is_read(const void *context)
{
    const struct maker *maker = context;
    return is_all_put(maker) && maker->uploading_count == 0;
}

/* ---- spilling ---- */

/* Free chunks, and those that are being read into. */
static uint64_t free_chunks(const struct maker *maker)
{
    return maker->chunks->free_count + gsi_source_offered_count(&maker->source);
}

/* Returns whether the next chunk, or at the end the merge, needs the memory of a run. */
static bool needs_memory(const struct maker *maker)
{
    const struct gsi_plan *plan = maker->loop->plan;
    if (gsi_source_is_end(&maker->source))
        return maker->spilled_count > gsi_plan_runs_at_once(plan, maker->chunks->free_count);
    if (plan->device_runs > 0)
        return resident_runs(maker) >= gsi_plan_most_kept_runs(plan);
    return free_chunks(maker) < gsi_plan_min_free_chunks(plan, maker->chunks->count);
}

/* Returns whether the oldest resident run has to go to disk. */
static bool must_spill(const struct maker *maker)
{
    const struct gsi_job *job = maker->job;
    const struct gsi_plan *plan = maker->loop->plan;
    if (maker->spilled_count == maker->list->count || gsi_one_pass_is_on(maker->one_pass))
        return false;
    if (job->options->spill_all || job->spill.keeps_frames)
        return true;
    if (plan->input_bytes == UINT64_MAX || maker->one_pass->has_written) /* the plan is a guess */
        return needs_memory(maker);
    return maker->left_count < plan->spilled_runs &&
           (!gsi_inputs_may_shrink(&job->inputs) || needs_memory(maker));
}

/* Drops the oldest resident run if it is a presorted range. Returns whether it did. */
static bool leave_in_input(struct maker *maker)
{
    uint32_t parts = maker->presorted->count;
    bool has_left = gsi_presorted_replace_run(maker->presorted, maker->list, maker->spilled_count);
    maker->spilled_count += maker->presorted->count - parts;
    maker->left_count += has_left;
    return has_left;
}

static enum gs_status begin_spilling(struct maker *maker)
{
    struct gsi_job *job = maker->job;
    const struct gsi_run_entry *entry = &maker->list->entries[maker->spilled_count];
    GSI_TRY(gsi_spill_writer_init(&maker->writer, maker->loop, &job->spill, &maker->frames,
                                  &maker->spilling, entry->key_count));
    maker->to_writer =
        (struct gsi_link){.context = &maker->writer, .accept = gsi_spill_writer_accept};
    const struct gsi_merger_spec spec = {.spill = &job->spill,
                                         .most_bytes = UINT64_MAX,
                                         .inputs = &job->inputs,
                                         .entries = entry,
                                         .count = 1,
                                         .windows = &maker->frames,
                                         .links = &maker->to_writer,
                                         .link_count = 1};
    GSI_TRY(gsi_merger_begin(&maker->merger, maker->loop, &spec));
    maker->is_spilling = true;
    return GS_OK;
}

/* The run's entry is that of a spilled one from now on. */
static void end_spilling(struct maker *maker)
{
    struct gsi_device *device = maker->loop->device;
    struct gsi_run_entry *entry = &maker->list->entries[maker->spilled_count++];
    gsi_merger_end(&maker->merger);
    device->ops->run_drop(device, entry->resident);
    *entry = (struct gsi_run_entry){.key_count = entry->key_count, .spilled = maker->spilling};
    maker->left_count++;
    maker->spilling = (struct gsi_spilled_run){0};
    maker->is_spilling = false;
    gsi_spill_count_run(&maker->job->spill, &entry->spilled, maker->loop->layout->key_bytes);
    gsi_resume_append_run(maker->resume, &entry->spilled);
}

/* Makes the runs of a long stream longer, so that their number stays below the fan-in. */
static void lengthen_runs(struct maker *maker)
{
    const struct gsi_plan *plan = maker->loop->plan;
    if (plan->input_bytes == UINT64_MAX && plan->device_runs == 0 &&
        maker->job->options->chunk_bytes == 0 && maker->spilled_count > plan->fan_in / 2)
        maker->chunks_per_run = (uint32_t)gsi_max_u64(1, maker->chunks->count / 4);
}

/* Begin, drive or finish spilling the oldest resident run. */
static bool pump_spill(void *context)
{
    struct maker *maker = context;
    if (gsi_one_pass_is_on(maker->one_pass)) {
        bool has_moved = gsi_one_pass_pump(maker->one_pass, free_chunks(maker), is_read(maker));
        if (!gsi_one_pass_is_on(maker->one_pass))
            maker->spilled_count = gsi_run_list_fed_count(maker->list);
        return has_moved;
    }
    if (!maker->is_spilling) {
        if (!must_spill(maker) || !maker->list->entries[maker->spilled_count].is_sorted)
            return false;
        if (leave_in_input(maker))
            return true;
        if (gsi_loop_has_failed(maker->loop) || begin_spilling(maker) != GS_OK)
            return false;
    }
    bool has_moved = gsi_merger_pump(&maker->merger);
    if (gsi_merger_is_done(&maker->merger) && maker->writer.pending == 0 &&
        gsi_resume_is_idle(maker->resume)) {
        end_spilling(maker);
        lengthen_runs(maker);
        has_moved = true;
    }
    return has_moved;
}

static bool is_spilling_done(const void *context)
{
    const struct maker *maker = context;
    if (maker->is_spilling || must_spill(maker) ||
        (gsi_one_pass_is_on(maker->one_pass) && !gsi_one_pass_is_done(maker->one_pass)))
        return false;
    for (uint32_t i = 0; i < maker->list->count; i++)
        if (maker->list->entries[i].resident != NULL && !maker->list->entries[i].is_sorted)
            return false;
    return true;
}

static enum gs_status make_all(struct maker *maker)
{
    const struct gsi_stage stages[] = {
        {.context = maker, .accept = handle_event, .pump = pump_source, .is_done = is_read},
        {.context = maker, .pump = pump_spill, .is_done = is_spilling_done}};
    struct gsi_pre_aggregate *pre_aggregate = maker->job->inputs.pre_aggregate;
    if (pre_aggregate != NULL)
        gsi_pre_aggregate_begin(pre_aggregate, maker->chunks->count);
    GSI_TRY(gsi_source_init(&maker->source, &maker->job->inputs));
    GSI_TRY(gsi_arena_windows(&maker->job->arena, &maker->frames, &maker->loop->ledger,
                              gsi_shape_frame(maker->loop->plan), maker->loop->error));
    GSI_TRY(gsi_resume_restore_runs(maker->resume, maker->list));
    maker->spilled_count = maker->left_count = maker->run_count = maker->list->count;
    gsi_source_skip(&maker->source, gsi_resume_snapshot(maker->resume)->data_bytes);
    GSI_TRY(gsi_loop_run(maker->loop, stages, 2));
    return gsi_resume_wait(maker->resume);
}

enum gs_status gsi_make_runs(struct gsi_job *job, struct gsi_run_list *list,
                             struct gsi_one_pass *one_pass, struct gsi_presorted *presorted)
{
    struct gsi_loop *loop = &job->loop;
    struct maker maker = {.job = job,
                          .loop = loop,
                          .chunks = &job->arena.chunks,
                          .resume = job->resume,
                          .list = list,
                          .one_pass = one_pass,
                          .presorted = presorted,
                          .chunks_per_run = loop->plan->chunks_per_run};
    list->ledger = &loop->ledger;
    gsi_loop_begin_phase(loop, GS_PHASE_READ,
                         gsi_add_max_u64(job->inputs.bytes, gsi_values_bytes(&job->chosen.values)));
    enum gs_status status = make_all(&maker);
    job->run_count = maker.run_count;
    job->report->one_pass.written_bytes = one_pass->written_bytes;
    job->report->one_pass.is_whole = gsi_one_pass_is_whole(one_pass);
    job->report->presorted.count = presorted->count;
    job->report->presorted.bytes = presorted->bytes;
    if (status != GS_OK)
        gsi_loop_drain(loop);
    gsi_merger_end(&maker.merger);
    gsi_spilled_run_clear(&loop->ledger, &maker.spilling);
    gsi_buffers_clear(&maker.frames);
    gsi_source_clear(&maker.source);
    return status;
}
