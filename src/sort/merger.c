/* merger.c: pulls and feeds. */
#include "sort/merger.h"

#include "format/record_room.h"

/* Records: indexes that the feed gives to those of spilled runs. */
static uint64_t fed_records(const struct gsi_job *job, const struct gsi_run_entry *entries,
                            uint32_t count)
{
    uint64_t frames = 0;
    for (uint32_t i = 0; i < count && job->layout.record != NULL; i++)
        frames += entries[i].resident == NULL ? entries[i].spilled.frame_count : 0;
    return frames << gsi_record_room_shift(job->layout.element_bytes,
                                           job->report->plan.frame_bytes);
}

/* The data of a window of records lie as far into a page as they will in the output. */
static void place_records(const struct gsi_merger *merger, struct gsi_buffer *window)
{
    if (window->tags != NULL && merger->to_elements)
        window->data = window->memory + merger->pulled_bytes % GSI_DIRECT_ALIGN;
}

static enum gs_status begin_feed(struct gsi_merger *merger, const struct gsi_run_entry *entries,
                                 uint32_t count, struct gsi_buffers *feed_buffers)
{
    enum gs_status status = GS_OK;
    struct gsi_job *job = merger->job;
    void *runs = NULL, *input_idx = NULL;
    uint32_t spilled = 0;
    GSI_TRY(gsi_memory_alloc(&job->ledger, count, sizeof(void *), &runs, job->error));
    GSI_TRY(gsi_memory_alloc(&job->ledger, count, sizeof(uint32_t), &input_idx, job->error));
    for (uint32_t i = 0; i < count; i++) {
        if (entries[i].resident != NULL)
            continue;
        ((const struct gsi_spilled_run **)runs)[spilled] = &entries[i].spilled;
        ((uint32_t *)input_idx)[spilled++] = i;
    }
    GSI_TRY(gsi_feed_init(&merger->feed, job, feed_buffers, runs, input_idx, spilled));
fail:
    gsi_memory_free(&job->ledger, runs, count, sizeof(void *));
    gsi_memory_free(&job->ledger, input_idx, count, sizeof(uint32_t));
    return status;
}

enum gs_status gsi_merger_begin(struct gsi_merger *merger, struct gsi_job *job,
                                const struct gsi_run_entry *entries, uint32_t count,
                                bool to_elements, struct gsi_buffers *windows,
                                struct gsi_buffers *feed_buffers,
                                void (*deliver)(void *context, struct gsi_buffer *window),
                                void *context)
{
    enum gs_status status = GS_OK;
    void *inputs = NULL;
    *merger = (struct gsi_merger){.job = job,
                                  .windows = windows,
                                  .deliver = deliver,
                                  .context = context,
                                  .to_elements = to_elements,
                                  .starved_at = UINT64_MAX};
    GSI_TRY(
        gsi_memory_alloc(&job->ledger, count, sizeof(struct gsi_merge_input), &inputs, job->error));
    for (uint32_t i = 0; i < count; i++) {
        const struct gsi_run_entry *entry = &entries[i];
        ((struct gsi_merge_input *)inputs)[i] =
            (struct gsi_merge_input){.run = entry->resident,
                                     .bound = entry->resident == NULL && job->layout.record == NULL
                                                  ? entry->spilled.frames[0].first_key
                                                  : NULL};
    }
    struct gsi_merge_spec spec = {.inputs = inputs,
                                  .input_count = count,
                                  .fed_buffers = feed_buffers != NULL ? feed_buffers->count : 0,
                                  .fed_records = fed_records(job, entries, count),
                                  .to_elements = to_elements,
                                  .to_packed = !to_elements && job->choice.is_coding};
    GSI_TRY(job->device->ops->merge_begin(job->device, &spec, &merger->merge, job->error));
    if (feed_buffers != NULL)
        GSI_TRY(begin_feed(merger, entries, count, feed_buffers));
    merger->feed.merge = merger->merge;
    gsi_memory_free(&job->ledger, inputs, count, sizeof(struct gsi_merge_input));
    return GS_OK;
fail:
    gsi_memory_free(&job->ledger, inputs, count, sizeof(struct gsi_merge_input));
    gsi_merger_end(merger);
    return status;
}

void gsi_merger_end(struct gsi_merger *merger)
{
    if (merger->merge != NULL)
        merger->job->device->ops->merge_end(merger->merge);
    gsi_feed_clear(&merger->feed);
    *merger = (struct gsi_merger){0};
}

bool gsi_merger_pump(struct gsi_merger *merger)
{
    const struct gsi_device_ops *ops = merger->job->device->ops;
    bool has_moved = merger->feed.job != NULL && gsi_feed_pump(&merger->feed);
    struct gsi_buffer *window;
    /* Without a frame more than when it last starved, the merge would only starve again. */
    while (!merger->is_ended && merger->starved_at != merger->feed.fed_count &&
           (window = gsi_buffers_take(merger->windows)) != NULL) {
        uint32_t needed_idx;
        place_records(merger, window);
        enum gsi_pull pull = ops->merge_pull(merger->merge, window, &needed_idx);
        if (pull == GSI_PULL_OK) {
            merger->pulled_count++;
            merger->pulled_bytes += window->bytes;
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
            merger->starved_at = merger->feed.fed_count;
            has_moved |= window->tags != NULL && gsi_feed_need(&merger->feed, needed_idx);
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
    gsi_feed_stop(&merger->feed);
}

bool gsi_merger_is_done(const struct gsi_merger *merger)
{
    return merger->is_ended && merger->delivered_count == merger->pulled_count &&
           gsi_feed_is_idle(&merger->feed);
}
