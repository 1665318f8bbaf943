/* merger.c: pulls and feeds. */
#include "merge/merger.h"

#include "element/record/record_room.h"

/* Records: indexes of those that are fed, in tie order; where each run's begin. Returns how many
 * there are. */
static uint64_t number_records(const struct gsi_job *job, const struct gsi_merger_spec *spec,
                               uint64_t *first_indexes)
{
    const struct gs_plan *plan = &job->report->plan;
    uint64_t frames = 0;
    uint32_t shift = gsi_record_room_shift(plan->record_bytes, plan->frame_bytes);
    for (uint32_t i = 0; i < spec->count && job->layout.record != NULL; i++) {
        const struct gsi_run_entry *entry = &spec->entries[i];
        first_indexes[i] = frames << shift;
        if (entry->file != NULL)
            frames += gsi_sorted_reader_frames(job, entry->file);
        else if (entry->resident == NULL)
            frames += entry->spilled.frame_count;
    }
    return frames << shift;
}

/* The data of a window of records lie as far into a page as they will in the output. */
static void place_records(const struct gsi_merger *merger, struct gsi_buffer *window)
{
    if (window->tags != NULL && merger->to_elements)
        window->data = window->memory + merger->pulled_bytes % GSI_DIRECT_ALIGN;
}

static enum gs_status begin_feed(struct gsi_merger *merger, const struct gsi_merger_spec *spec,
                                 const uint64_t *first_indexes)
{
    enum gs_status status = GS_OK;
    struct gsi_job *job = merger->job;
    uint32_t count = spec->count, spilled = 0;
    const struct gsi_spilled_run **runs = NULL;
    uint32_t *input_idx = NULL;
    GSI_TRY_OR(GSI_NEW(&job->ledger, runs, count, job->error), done);
    GSI_TRY_OR(GSI_NEW(&job->ledger, input_idx, count, job->error), done);
    for (uint32_t i = 0; i < count; i++) {
        if (!gsi_run_is_spilled(&spec->entries[i]))
            continue;
        runs[spilled] = &spec->entries[i].spilled;
        input_idx[spilled++] = i;
    }
    GSI_TRY_OR(gsi_spill_reader_init(&merger->feed, job, spec->frames, runs, input_idx,
                                     first_indexes, spilled),
               done);
    merger->feed.merge = merger->merge;
done:
    GSI_FREE(&job->ledger, runs, count);
    GSI_FREE(&job->ledger, input_idx, count);
    return status;
}

static enum gs_status begin_merge(struct gsi_merger *merger, const struct gsi_merger_spec *spec,
                                  uint64_t fed_records)
{
    enum gs_status status = GS_OK;
    struct gsi_job *job = merger->job;
    struct gsi_merge_input *inputs;
    GSI_TRY(GSI_NEW(&job->ledger, inputs, spec->count, job->error));
    for (uint32_t i = 0; i < spec->count; i++) {
        const struct gsi_run_entry *entry = &spec->entries[i];
        inputs[i].run = entry->resident;
        if (gsi_run_is_spilled(entry) && job->layout.record == NULL)
            inputs[i].bound = entry->spilled.frames[0].first_key;
    }
    struct gsi_merge_spec merge = {.inputs = inputs,
                                   .input_count = spec->count,
                                   .fed_records = fed_records,
                                   .to_elements = spec->to_elements,
                                   .to_packed = !spec->to_elements && job->choice.is_coding};
    if (spec->checkpoint != NULL)
        merge.taken = spec->checkpoint->taken;
    merge.fed_buffers = (spec->frames != NULL ? spec->frames->count : 0) +
                        (spec->pieces != NULL ? spec->pieces->count : 0);
    status = job->device->ops->merge_begin(job->device, &merge, &merger->merge, job->error);
    GSI_FREE(&job->ledger, inputs, spec->count);
    return status;
}

enum gs_status gsi_merger_begin(struct gsi_merger *merger, struct gsi_job *job,
                                const struct gsi_merger_spec *spec)
{
    enum gs_status status = GS_OK;
    uint64_t *first_indexes = NULL;
    *merger = (struct gsi_merger){.job = job,
                                  .windows = spec->windows,
                                  .deliver = spec->deliver,
                                  .context = spec->context,
                                  .to_elements = spec->to_elements,
                                  .checkpoint = spec->checkpoint,
                                  .starved_at = UINT64_MAX};
    if (spec->checkpoint != NULL)
        merger->pulled_bytes = spec->checkpoint->pulled_bytes;
    GSI_TRY_OR(GSI_NEW(&job->ledger, first_indexes, spec->count, job->error), done);
    GSI_TRY_OR(begin_merge(merger, spec, number_records(job, spec, first_indexes)), done);
    if (spec->frames != NULL)
        GSI_TRY_OR(begin_feed(merger, spec, first_indexes), done);
    if (spec->pieces != NULL)
        GSI_TRY_OR(gsi_sorted_reader_init(&merger->files, job, spec->pieces, spec->entries,
                                          first_indexes, spec->count),
                   done);
    merger->files.merge = merger->merge;
done:
    GSI_FREE(&job->ledger, first_indexes, spec->count);
    if (status != GS_OK)
        gsi_merger_end(merger);
    return status;
}

void gsi_merger_end(struct gsi_merger *merger)
{
    if (merger->merge != NULL)
        merger->job->device->ops->merge_end(merger->merge);
    gsi_spill_reader_clear(&merger->feed);
    gsi_sorted_reader_clear(&merger->files);
    *merger = (struct gsi_merger){0};
}

static uint64_t fed_count(const struct gsi_merger *merger)
{
    return merger->feed.fed_count + merger->files.fed_count;
}

/* The merge needs more of an input. Numbers of spilled runs come in the order of need anyway. */
static bool need(struct gsi_merger *merger, uint32_t input_idx)
{
    if (merger->feed.job != NULL && gsi_spill_reader_need(&merger->feed, input_idx))
        return true;
    return gsi_sorted_reader_need(&merger->files, input_idx);
}

static bool pump_feeds(struct gsi_merger *merger)
{
    bool has_moved = merger->feed.job != NULL && gsi_spill_reader_pump(&merger->feed);
    if (merger->files.job != NULL)
        has_moved |= gsi_sorted_reader_pump(&merger->files);
    return has_moved;
}

bool gsi_merger_pump(struct gsi_merger *merger)
{
    const struct gsi_device_ops *ops = merger->job->device->ops;
    bool has_moved = pump_feeds(merger);
    struct gsi_buffer *window;
    /* Without a piece more than when it last starved, the merge would only starve again. */
    while (!merger->is_ended && merger->starved_at != fed_count(merger) &&
           (window = gsi_buffers_take(merger->windows)) != NULL) {
        uint32_t needed_idx;
        place_records(merger, window);
        enum gsi_pull pull = ops->merge_pull(merger->merge, window, &needed_idx);
        if (pull == GSI_PULL_OK) {
            merger->pulled_count++;
            merger->pulled_bytes += window->bytes;
            if (merger->checkpoint != NULL)
                gsi_output_marks_pulled(merger->checkpoint, window->bytes);
            merger->starved_at = UINT64_MAX;
            has_moved = true;
            continue;
        }
        gsi_buffers_give(merger->windows, window);
        if (pull == GSI_PULL_LATER)
            break;
        if (pull == GSI_PULL_END) {
            merger->is_ended = has_moved = true;
        } else {
            merger->starved_at = fed_count(merger);
            has_moved |= need(merger, needed_idx);
        }
    }
    return has_moved;
}

void gsi_merger_take(struct gsi_merger *merger, struct gsi_buffer *window)
{
    merger->delivered_count++;
    merger->deliver(merger->context, window);
}

void gsi_merger_stop(struct gsi_merger *merger)
{
    merger->is_ended = true;
    gsi_spill_reader_stop(&merger->feed);
    gsi_sorted_reader_stop(&merger->files);
}

void gsi_merger_take_back(struct gsi_merger *merger, struct gsi_buffer *buffer)
{
    if (merger->files.job != NULL && gsi_buffers_has(merger->files.buffers, buffer)) {
        gsi_sorted_reader_take(&merger->files, buffer);
        return;
    }
    gsi_spill_reader_released(&merger->feed, buffer);
    gsi_buffers_give(merger->feed.buffers, buffer);
}

bool gsi_merger_is_done(const struct gsi_merger *merger)
{
    return merger->is_ended && merger->delivered_count == merger->pulled_count &&
           gsi_spill_reader_is_idle(&merger->feed) && gsi_sorted_reader_is_idle(&merger->files);
}
