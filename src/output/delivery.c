/* delivery.c: begins, flushes and places an output, and lets tasks fill windows. */
#include "output/delivery.h"

#include "base/checked.h"
#include "input/format/format.h"
#include "input/header.h"
#include "loop/buffers.h"
#include "output/read_back.h"

#include <string.h>

/* ---- begin ---- */

enum gs_status gsi_delivery_open(struct gsi_delivery *delivery, struct gsi_target *target,
                                 struct gsi_delivery_report report, bool is_checked)
{
    struct gsi_loop *loop = target->loop;
    *delivery = (struct gsi_delivery){.target = target,
                                      .report = report,
                                      .has_blocks = gsi_target_has_blocks(target),
                                      .is_split = target->spec->is_split,
                                      .is_checked = is_checked};
    target->inputs->payload_tally = &delivery->payload_tally;
    GSI_TRY(gsi_write_flow_open(&delivery->write_flow, target));
    GSI_TRY(gsi_split_open(&delivery->split, target));
    GSI_TRY(gsi_columns_open(&delivery->columns, target));
    if (target->inputs->device_tally != NULL) {
        gsi_payload_tally_open_device(&delivery->payload_tally, target->inputs->entry_map,
                                      target->inputs->device_tally,
                                      target->inputs->spec->first_position);
        return GS_OK;
    }
    return gsi_payload_tally_open(&delivery->payload_tally, target->inputs->entry_map,
                                  loop->plan->thread_count, &target->inputs->plan->payload_tally,
                                  &loop->ledger, loop->error);
}

void gsi_delivery_clear(struct gsi_delivery *delivery)
{
    if (delivery->target == NULL)
        return;
    delivery->target->inputs->payload_tally = NULL;
    gsi_payload_tally_close(&delivery->payload_tally);
    gsi_stream_check_clear(&delivery->check);
    gsi_columns_close(&delivery->columns);
    gsi_split_close(&delivery->split);
    gsi_write_flow_close(&delivery->write_flow);
    gsi_buffers_clear(&delivery->windows);
}

static bool pass_to_sink(void *context, struct gsi_buffer *window)
{
    struct gsi_delivery *delivery = context;
    gsi_sink_accept(&delivery->sink, window); /* whose data stay until the next event */
    if (delivery->mark_blocks.accept != NULL)
        delivery->mark_blocks.accept(delivery->mark_blocks.context, window);
    return false;
}

static bool pass_to_marks(void *context, struct gsi_buffer *window)
{
    struct gsi_delivery *delivery = context;
    if (delivery->marks.accept_window != NULL)
        delivery->marks.accept_window(delivery->marks.context, window);
    return true;
}

static bool pump_sink(void *context)
{
    struct gsi_delivery *delivery = context;
    return gsi_sink_pump(&delivery->sink);
}

static bool is_sink_idle(const void *context)
{
    const struct gsi_delivery *delivery = context;
    return gsi_sink_is_idle(&delivery->sink);
}

static void end_sink(void *context)
{
    struct gsi_delivery *delivery = context;
    gsi_sink_finish(&delivery->sink);
}

/* Begins to write up to `bytes` of buffers, which go back to `from`, into one file or several. */
static enum gs_status begin_files(struct gsi_delivery *delivery, struct gsi_buffers *from,
                                  uint64_t bytes)
{
    struct gsi_target *target = delivery->target;
    struct gsi_stage *stage = &delivery->stages[delivery->stage_count++];
    if (target->inputs->values != NULL) {
        *stage = gsi_columns_stage(&delivery->columns);
        gsi_columns_begin(&delivery->columns, from, bytes);
        return GS_OK;
    }
    if (delivery->is_split) {
        *stage = gsi_split_stage(&delivery->split);
        return gsi_split_begin(&delivery->split, from, gsi_write_flow_written_bytes(target), bytes);
    }
    *stage = (struct gsi_stage){.context = delivery,
                                .pump = pump_sink,
                                .is_done = is_sink_idle,
                                .accept_window = pass_to_sink,
                                .end = end_sink};
    gsi_sink_init(&delivery->sink, target, from, bytes);
    return GS_OK;
}

static struct gsi_link link_of(const struct gsi_stage *stage)
{
    return (struct gsi_link){.context = stage->context, .accept = stage->accept_window};
}

static enum gs_status begin(struct gsi_delivery *delivery, uint64_t bytes, bool may_restart)
{
    struct gsi_target *target = delivery->target;
    struct gsi_loop *loop = target->loop;
    struct gsi_write_flow *write_flow = &delivery->write_flow;
    const uint64_t written = gsi_write_flow_output_bytes(target, bytes);
    gsi_stream_check_clear(&delivery->check);
    delivery->link_count = delivery->stage_count = 0;
    if (delivery->is_checked) {
        GSI_TRY(gsi_stream_check_init(&delivery->check, loop->layout, &loop->ledger, loop->error));
        delivery->links[delivery->link_count++] = gsi_stream_check_link(&delivery->check);
    }
    delivery->links[delivery->link_count++] =
        (struct gsi_link){.context = delivery, .accept = pass_to_marks};
    if (gsi_ranks_wanted(target->spec->statistics))
        delivery->links[delivery->link_count++] = gsi_ranks_link(&delivery->ranks);
    if (delivery->has_blocks)
        delivery->stages[delivery->stage_count++] = gsi_write_flow_stage(write_flow);
    GSI_TRY(begin_files(delivery, delivery->has_blocks ? &write_flow->blocks : &delivery->windows,
                        written));
    delivery->links[delivery->link_count++] = link_of(&delivery->stages[0]);
    if (delivery->has_blocks)
        gsi_write_flow_begin(write_flow, &delivery->windows, link_of(&delivery->stages[1]),
                             may_restart || target->spec->is_read_back, delivery->is_checked);
    return GS_OK;
}

enum gs_status gsi_delivery_start(struct gsi_delivery *delivery)
{
    const struct gsi_target *target = delivery->target;
    struct gsi_loop *loop = target->loop;
    uint64_t bytes = gsi_target_wanted_bytes(target);
    gsi_loop_begin_phase(loop, GS_PHASE_WRITE, bytes);
    bool is_part = target->output.kind == GSI_OUTPUT_PART;
    uint64_t file_bytes = is_part ? target->whole_bytes : bytes;
    GSI_TRY(gsi_header_make(target->inputs, file_bytes / loop->layout->element_bytes));
    gsi_ranks_begin(&delivery->ranks, target->spec->statistics, loop->layout,
                    delivery->report.tally, delivery->report.field_tallies,
                    delivery->report.order_statistics);
    if (delivery->check.digest.count == 0)
        return begin(delivery, bytes, false);
    delivery->sink.total_bytes = bytes;
    return GS_OK;
}

enum gs_status gsi_delivery_start_early(struct gsi_delivery *delivery, uint64_t bytes)
{
    const struct gsi_target *target = delivery->target;
    if (bytes != UINT64_MAX)
        GSI_TRY(gsi_header_make(target->inputs, bytes / target->loop->layout->element_bytes));
    return begin(delivery, bytes, true);
}

/* Elements that the write flow left out are not merged again. */
enum gs_status gsi_delivery_restart(struct gsi_delivery *delivery, struct gsi_digest *dropped)
{
    struct gsi_write_flow *write_flow = &delivery->write_flow;
    struct gsi_digest *digest = &delivery->check.digest;
    if (delivery->has_blocks) {
        *dropped = *digest;
        dropped->count -= write_flow->flow.count;
        gsi_fingerprint_add(dropped->fingerprint,
                            -gsi_fingerprint(write_flow->digest.digest.fingerprint));
        GSI_TRY(gsi_write_flow_restart(write_flow, digest->count));
    }
    *digest = GSI_DIGEST_EMPTY;
    delivery->is_ended = false;
    delivery->ended_count = 0;
    return GS_OK;
}

/* ---- windows ---- */

void gsi_delivery_accept(struct gsi_delivery *delivery, struct gsi_buffer *window)
{
    gsi_links_accept(delivery->links, delivery->link_count, window);
}

static bool take(void *context, struct gsi_buffer *window)
{
    gsi_delivery_accept(context, window);
    return false;
}

struct gsi_link gsi_delivery_link(struct gsi_delivery *delivery)
{
    return (struct gsi_link){.context = delivery, .accept = take};
}

void gsi_delivery_end(struct gsi_delivery *delivery)
{
    delivery->is_ended = true;
}

static bool is_idle(const struct gsi_delivery *delivery)
{
    bool is_idle = true;
    for (uint32_t i = 0; i < delivery->stage_count; i++)
        is_idle = is_idle && delivery->stages[i].is_done(delivery->stages[i].context);
    return is_idle;
}

/* The number of elements or groups is known: the report gets it, and the header, which is written
 * last. */
static enum gs_status close_header(struct gsi_delivery *delivery)
{
    const struct gsi_target *target = delivery->target;
    bool is_changed = target->loop->plan->is_merge && gsi_inputs_are_filtered(target->inputs);
    uint64_t count = delivery->sink.bytes / target->loop->layout->element_bytes;
    if (delivery->has_blocks) {
        count = delivery->write_flow.flow.count;
        delivery->report.groups->written_count = count;
        delivery->report.groups->count = delivery->write_flow.group.groups.count;
    }
    is_changed |= gsi_format_needs_tally(target->inputs);
    return delivery->has_blocks || (is_changed && !delivery->is_split)
               ? gsi_header_make(target->inputs, count)
               : GS_OK;
}

/* Ends one stage after the other, after the last window. */
static bool end_next(struct gsi_delivery *delivery)
{
    if (!delivery->is_ended || delivery->ended_count == delivery->stage_count || !is_idle(delivery))
        return false;
    const struct gsi_stage *stage = &delivery->stages[delivery->ended_count++];
    if (delivery->ended_count == delivery->stage_count && close_header(delivery) != GS_OK)
        return false;
    stage->end(stage->context);
    return true;
}

static bool pump(void *context)
{
    struct gsi_delivery *delivery = context;
    const struct gsi_stage *marks = &delivery->marks;
    bool has_moved = marks->pump != NULL && marks->pump(marks->context);
    for (uint32_t i = 0; i < delivery->stage_count; i++)
        has_moved |= delivery->stages[i].pump(delivery->stages[i].context);
    return end_next(delivery) || has_moved;
}

static bool is_done(const void *context)
{
    const struct gsi_delivery *delivery = context;
    const struct gsi_stage *marks = &delivery->marks;
    return is_idle(delivery) && (marks->is_done == NULL || marks->is_done(marks->context)) &&
           delivery->is_ended == (delivery->ended_count == delivery->stage_count);
}

struct gsi_stage gsi_delivery_stage(struct gsi_delivery *delivery)
{
    return (struct gsi_stage){.context = delivery, .pump = pump, .is_done = is_done};
}

enum gs_status gsi_delivery_run(struct gsi_delivery *delivery, struct gsi_stage producer)
{
    struct gsi_loop *loop = delivery->target->loop;
    const struct gsi_stage stages[] = {producer, gsi_delivery_stage(delivery)};
    GSI_TRY(gsi_loop_run(loop, stages, 2));
    gsi_delivery_end(delivery);
    return gsi_loop_run(loop, stages, 2);
}

/* ---- windows that tasks fill ---- */

struct filling {
    struct gsi_delivery *delivery;
    const struct gsi_filler *filler;
    uint64_t first;                       /* element that is filled */
    uint64_t started_count, window_count; /* elements; windows begun */
    struct gsi_reorder reorder;
};

static void fill(struct gsi_task *task, uint32_t worker_idx)
{
    struct gsi_buffer *window = gsi_buffer_of_task(task);
    const struct filling *filling = window->holder;
    const struct gsi_filler *filler = filling->filler;
    uint32_t bytes = filling->delivery->target->loop->layout->element_bytes;
    filler->fill(filler->context, window,
                 filling->first + window->turn_idx * (window->capacity / bytes), worker_idx);
}

static void fill_done(struct gsi_task *task)
{
    struct gsi_buffer *window = gsi_buffer_of_task(task);
    struct filling *filling = window->holder;
    gsi_reorder_add(&filling->reorder, window);
    while ((window = gsi_reorder_pop(&filling->reorder)) != NULL) {
        filling->delivery->target->loop->done_bytes += window->bytes;
        if (filling->filler->accept != NULL)
            filling->filler->accept(filling->filler->context, window);
        gsi_delivery_accept(filling->delivery, window);
    }
}

/* Begins to fill windows that are free; whether any was. */
static bool fill_windows(void *context)
{
    struct filling *filling = context;
    const struct gsi_loop *loop = filling->delivery->target->loop;
    uint32_t bytes = loop->layout->element_bytes;
    struct gsi_buffer *window;
    bool has_moved = false;
    while (filling->started_count < filling->filler->count &&
           (window = gsi_buffers_pop(&filling->delivery->windows)) != NULL) {
        if (window->tags != NULL) /* records begin as far into a page as they will in the output */
            window->data = window->page + filling->started_count * bytes % GSI_DIRECT_ALIGN;
        window->turn_idx = filling->window_count++;
        window->holder = filling;
        window->task = (struct gsi_task){.run = fill, .done = fill_done};
        filling->started_count += window->capacity / bytes;
        gsi_pool_submit(loop->pool, &window->task);
        has_moved = true;
    }
    return has_moved;
}

static bool are_filled(const void *context)
{
    const struct filling *filling = context;
    return filling->started_count >= filling->filler->count &&
           filling->reorder.next == filling->window_count;
}

enum gs_status gsi_delivery_run_filler(struct gsi_delivery *delivery, const struct gsi_arena *arena,
                                       const struct gsi_filler *filler)
{
    struct gsi_loop *loop = delivery->target->loop;
    struct filling filling = {.delivery = delivery, .filler = filler};
    GSI_TRY(gsi_buffers_init(&delivery->windows, &loop->ledger, arena->memory, arena->bytes,
                             gsi_shape_window(loop->plan), false, loop->error));
    GSI_TRY(gsi_delivery_start(delivery));
    if (filler->begin != NULL)
        GSI_TRY(filler->begin(filler->context, &filling.first));
    filling.started_count = filling.first;
    enum gs_status status = gsi_delivery_run(
        delivery,
        (struct gsi_stage){.context = &filling, .pump = fill_windows, .is_done = are_filled});
    if (status != GS_OK) /* tasks have `filling` */
        gsi_loop_drain(loop);
    return status;
}

/* ---- the end ---- */

/* All elements are written, so none of them can overwrite it. */
static enum gs_status write_trailer(struct gsi_delivery *delivery)
{
    struct gsi_target *target = delivery->target;
    uint64_t bytes = gsi_trailer_bytes(target->inputs);
    if (bytes == 0)
        return GS_OK;
    target->file_bytes += bytes;
    return gsi_trailer_write(target->inputs, &target->output,
                             gsi_sink_data_off(target) + delivery->sink.bytes);
}

/* With --group, leaves only the keys of the group in the report. Records may be folded as they are
 * read, and then their other keys are lost. */
static void cut_ends(const struct gsi_delivery *delivery)
{
    const uint32_t bytes = delivery->target->spec->group_key_bytes;
    if (bytes > 0)
        delivery->report.ends->key_bytes = gsi_min_u32(delivery->report.ends->key_bytes, bytes);
}

void gsi_delivery_tell_ends(const struct gsi_delivery *delivery)
{
    const struct gsi_entry_map *entry_map = delivery->target->inputs->entry_map;
    bool is_shuffled = entry_map != NULL && entry_map->is_shuffled;
    bool has_all = !delivery->has_blocks || delivery->target->spec->has_groups;
    if (!has_all || is_shuffled || gsi_write_flow_is_full(&delivery->write_flow))
        return;
    gsi_stream_check_ends(&delivery->check, delivery->report.ends);
    cut_ends(delivery);
}

enum gs_status gsi_delivery_finish(struct gsi_delivery *delivery, const struct gsi_digest *written)
{
    struct gsi_target *target = delivery->target;
    if (written == NULL)
        written =
            delivery->has_blocks ? &delivery->write_flow.digest.digest : &delivery->check.digest;
    gsi_ranks_end(&delivery->ranks);
    target->bytes = delivery->sink.bytes;
    if (!delivery->is_split)
        target->file_bytes = gsi_sink_file_bytes(&delivery->sink);
    GSI_TRY(gsi_memory_file_end(&target->memory_file));
    GSI_TRY(write_trailer(delivery));
    return gsi_read_back(target, &delivery->windows, written);
}

enum gs_status gsi_delivery_commit(struct gsi_delivery *delivery)
{
    struct gsi_target *target = delivery->target;
    const uint64_t count =
        delivery->has_blocks ? delivery->write_flow.flow.count : delivery->check.digest.count;
    if (target->inputs->values != NULL)
        return gsi_columns_commit(&delivery->columns, count);
    if (delivery->is_split)
        return gsi_split_commit(&delivery->split, count, delivery->report.split);
    return gsi_output_commit(&target->output, target->file_bytes, target->loop->error);
}
