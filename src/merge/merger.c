/* merger.c: begins a merge on the device, and feeds and pulls it until its end. */
#include "merge/merger.h"

#include "base/assert.h"
#include "element/key_scope.h"
#include "merge/feed/input_feed.h"
#include "plan/plan.h"

/* For records: sets first_indexes[i] to the index of the first record of run i. Each fed frame has
 * a range of indexes, in the order of equal keys. Returns the number of indexes. */
static uint64_t compute_first_indexes(const struct gsi_loop *loop,
                                      const struct gsi_merger_spec *spec, uint64_t *first_indexes)
{
    const struct gsi_plan *plan = loop->plan;
    uint64_t frames = 0;
    uint32_t shift = gsi_plan_frame_shift(plan);
    for (uint32_t i = 0; i < spec->count && loop->layout->form != GSI_FORM_KEYS; i++) {
        const struct gsi_run_entry *entry = &spec->entries[i];
        first_indexes[i] = frames << shift;
        if (entry->is_extent)
            frames += gsi_input_feed_max_blocks(plan, &entry->extent);
        else if (entry->resident == NULL)
            frames += entry->spilled.frame_count;
    }
    return frames << shift;
}

/* Sets where the data of a window begin. If the output is in memory, this is the window's address
 * there. Data of records have the same offset in a page as in the output file. */
static void set_window_data(const struct gsi_merger *merger, struct gsi_buffer *window)
{
    if (merger->pulled_bytes + window->capacity <= merger->place.bytes)
        window->data = merger->place.data + merger->pulled_bytes;
    else if (merger->place.data != NULL)
        window->data = window->memory;
    else if (window->tags != NULL && merger->to_elements)
        window->data = window->page + merger->pulled_bytes % GSI_DIRECT_ALIGN;
}

static enum gs_status begin_merge(struct gsi_merger *merger, const struct gsi_merger_spec *spec,
                                  uint64_t fed_records)
{
    enum gs_status status = GS_OK;
    struct gsi_loop *loop = merger->loop;
    struct gsi_merge_input *inputs;
    uint32_t written;
    GSI_TRY(GSI_NEW(&loop->ledger, inputs, spec->count, loop->error));
    for (uint32_t i = 0; i < spec->count; i++) {
        const struct gsi_run_entry *entry = &spec->entries[i];
        inputs[i].run = entry->resident;
        if (entry->has_first)
            inputs[i].bound = entry->first_key;
        else if (gsi_run_is_spilled(entry) && loop->layout->form == GSI_FORM_KEYS)
            inputs[i].bound = entry->spilled.frames[gsi_run_first_frame(entry, &written)].first_key;
        /* A file that is read again may have changed. The check of its order only shows that its
         * keys share the leading bytes. */
        if (entry->is_extent && loop->layout->scope != NULL)
            gsi_key_scope_lower(loop->layout->scope, gsi_key_scope_shared(loop->layout->scope));
    }
    struct gsi_merge_spec merge = {.inputs = inputs,
                                   .input_count = spec->count,
                                   .fed_records = fed_records,
                                   .to_elements = spec->to_elements,
                                   .taken = spec->taken,
                                   .to_packed = !spec->to_elements &&
                                                merger->spill->choice.is_coding &&
                                                gsi_codec_has_planes(&merger->spill->codec)};
    merge.fed_buffers = spec->blocks != NULL ? spec->blocks->count : 0;
    status = loop->device->ops->merge_begin(loop->device, &merge, &merger->merge, loop->error);
    GSI_FREE(&loop->ledger, inputs, spec->count);
    return status;
}

enum gs_status gsi_merger_begin(struct gsi_merger *merger, struct gsi_loop *loop,
                                const struct gsi_merger_spec *spec)
{
    enum gs_status status = GS_OK;
    uint64_t *first_indexes = NULL;
    *merger = (struct gsi_merger){.loop = loop,
                                  .spill = spec->spill,
                                  .inputs = spec->inputs,
                                  .windows = spec->windows,
                                  .links = spec->links,
                                  .link_count = spec->link_count,
                                  .to_elements = spec->to_elements,
                                  .place = spec->place,
                                  .cut = spec->cut,
                                  .pulled_bytes = spec->made_bytes,
                                  .left_bytes = spec->most_bytes,
                                  .starved_at = UINT64_MAX};
    GSI_TRY_OR(GSI_NEW(&loop->ledger, first_indexes, spec->count, loop->error), done);
    GSI_TRY_OR(begin_merge(merger, spec, compute_first_indexes(loop, spec, first_indexes)), done);
    if (spec->blocks != NULL)
        GSI_TRY_OR(gsi_feeder_begin(&merger->feeder, merger->spill, merger->inputs, spec->blocks,
                                    spec->entries, spec->count, first_indexes),
                   done);
    merger->feeder.feed.merge = merger->merge;
done:
    GSI_FREE(&loop->ledger, first_indexes, spec->count);
    if (status != GS_OK)
        gsi_merger_end(merger);
    return status;
}

void gsi_merger_end(struct gsi_merger *merger)
{
    if (merger->merge != NULL)
        merger->loop->device->ops->merge_end(merger->merge);
    gsi_feeder_clear(&merger->feeder);
    *merger = (struct gsi_merger){0};
}

bool gsi_merger_pump(struct gsi_merger *merger)
{
    const struct gsi_device_ops *ops = merger->loop->device->ops;
    bool has_progress = gsi_feeder_pump(&merger->feeder);
    struct gsi_buffer *window;
    /* If no block was fed since the merge needed another, it still needs one. */
    while (!merger->is_ended && merger->starved_at != merger->feeder.feed.fed_count &&
           (window = gsi_buffers_pop(merger->windows)) != NULL) {
        uint32_t needed_idx;
        set_window_data(merger, window);
        enum gsi_pull pull = window->capacity <= merger->left_bytes
                                 ? ops->merge_pull(merger->merge, window, &needed_idx)
                                 : GSI_PULL_END;
        if (pull == GSI_PULL_OK) {
            merger->pulled_count++;
            merger->pulled_bytes += window->bytes;
            merger->left_bytes -= window->bytes;
            if (merger->cut.accept != NULL)
                merger->cut.accept(merger->cut.context, window);
            merger->starved_at = UINT64_MAX;
            has_progress = true;
            continue;
        }
        gsi_buffers_return(merger->windows, window);
        if (pull == GSI_PULL_LATER)
            break;
        if (pull == GSI_PULL_END) {
            merger->is_ended = has_progress = true;
        } else {
            merger->starved_at = merger->feeder.feed.fed_count;
            has_progress |= gsi_feeder_await_input(&merger->feeder, needed_idx);
        }
    }
    return has_progress;
}

void gsi_merger_accept(struct gsi_merger *merger, struct gsi_buffer *window)
{
    merger->delivered_count++;
    gsi_links_accept(merger->links, merger->link_count, window);
}

void gsi_merger_stop(struct gsi_merger *merger)
{
    merger->is_ended = true;
    gsi_feeder_stop(&merger->feeder);
}

bool gsi_merger_is_done(const struct gsi_merger *merger)
{
    return merger->is_ended && merger->delivered_count == merger->pulled_count &&
           gsi_feeder_is_idle(&merger->feeder);
}

static void handle_event(void *context, const struct gsi_event *event)
{
    if (event->kind == GSI_EVENT_WINDOW)
        gsi_merger_accept(context, event->buffer);
    else if (event->kind == GSI_EVENT_BUFFER)
        gsi_feeder_return_buffer(event->buffer);
}

static bool pump(void *context)
{
    return gsi_merger_pump(context);
}

static bool is_done(const void *context)
{
    return gsi_merger_is_done(context);
}

struct gsi_stage gsi_merger_stage(struct gsi_merger *merger)
{
    return (struct gsi_stage){
        .context = merger, .accept = handle_event, .pump = pump, .is_done = is_done};
}
