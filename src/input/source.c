/* source.c: connects a reader with a flow of operators, and decides when each gets free buffers. */
#include "input/source.h"

#include "base/checked.h"
#include "plan/plan.h"

static bool has_flow(const struct gsi_source *source)
{
    return source->flow.operators.count > 0;
}

/* ---- open and close ---- */

/* Allocates the flow's tasks, and the results of its operators for each batch. */
static void lay_out_flow(struct gsi_source *source, const struct gsi_inputs *inputs,
                         uint32_t thread_count, struct gsi_bump *bump)
{
    const uint32_t batches = gsi_flow_batches(thread_count);
    gsi_flow_alloc(&source->flow, batches, batches, bump);
    GSI_BUMP_ALLOC(bump, source->filter.kept, inputs->filter != NULL ? batches : 0);
    GSI_BUMP_ALLOC(bump, source->pre_aggregate.is_held,
                   inputs->pre_aggregate != NULL ? batches : 0);
}

static void lay_out(struct gsi_source *source, const struct gsi_inputs *inputs,
                    uint64_t memory_bytes, uint32_t thread_count, struct gsi_bump *bump)
{
    gsi_reader_lay_out(&source->reader, gsi_plan_reads(thread_count), bump);
    if (source->has_payload)
        gsi_entry_maker_lay_out(&source->entries, inputs, memory_bytes,
                                gsi_flow_batches(thread_count), bump);
    if (source->has_payload || gsi_inputs_may_shrink(inputs))
        lay_out_flow(source, inputs, thread_count, bump);
}

struct gsi_bump gsi_source_plan(const struct gsi_inputs *inputs, uint64_t memory_bytes,
                                uint32_t thread_count)
{
    struct gsi_bump bump = {0};
    struct gsi_source source = {.has_payload = true};
    if (inputs->entry_map != NULL && !inputs->spec->is_merge)
        lay_out(&source, inputs, memory_bytes, thread_count, &bump);
    return bump;
}

static struct gsi_buffer *lend_buffer(void *context, uint64_t off)
{
    struct gsi_source *source = context;
    (void)off;
    return gsi_buffer_list_pop(&source->given);
}

static void accept_block(void *context, struct gsi_buffer *buffer)
{
    struct gsi_source *source = context;
    gsi_buffer_list_push(&source->finished, buffer);
}

static void begin_flow(struct gsi_source *source)
{
    struct gsi_inputs *inputs = source->inputs;
    struct gsi_flow *flow = &source->flow;
    flow->loop = inputs->loop;
    flow->most = UINT64_MAX;
    flow->receiver =
        (struct gsi_receiver){.context = source, .block = lend_buffer, .accept = accept_block};
    if (inputs->filter != NULL)
        flow->operators.all[flow->operators.count++] = gsi_filter_operator(
            &source->filter, inputs, source->has_payload ? &source->entries : NULL);
    if (inputs->pre_aggregate != NULL)
        flow->operators.all[flow->operators.count++] =
            gsi_pre_aggregate_operator(&source->pre_aggregate, inputs->pre_aggregate);
    if (source->has_payload) {
        flow->windows = &source->entries.staging;
        flow->operators.all[flow->operators.count++] = gsi_entry_maker_operator(&source->entries);
    }
    if (has_flow(source))
        gsi_flow_begin(flow);
}

static enum gsi_memory_part memory_part(const struct gsi_source *source)
{
    return source->has_payload ? GSI_MEMORY_DATA : GSI_MEMORY_TABLES;
}

enum gs_status gsi_source_init(struct gsi_source *source, struct gsi_inputs *inputs)
{
    struct gsi_loop *loop = inputs->loop;
    struct gsi_bump bump = {0};
    *source = (struct gsi_source){.inputs = inputs};
    gsi_buffer_list_init(&source->given);
    gsi_buffer_list_init(&source->finished);
    source->has_payload = inputs->entry_map != NULL && inputs->plan->payload.used > 0;
    const uint64_t memory = loop->plan->memory_bytes;
    const uint32_t threads = loop->plan->thread_count;
    if (source->has_payload)
        bump = inputs->plan->payload;
    else
        lay_out(source, inputs, memory, threads, &bump);
    GSI_TRY(gsi_bump_open(&bump, &loop->ledger, memory_part(source), loop->error));
    lay_out(source, inputs, memory, threads, &bump);
    source->reader.inputs = inputs;
    if (source->has_payload) {
        source->read_count = inputs->spec->first_position;
        gsi_value_readers_begin(&source->entries.readers, inputs, source->read_count);
    }
    source->bump = bump;
    begin_flow(source);
    return GS_OK;
}

void gsi_source_clear(struct gsi_source *source)
{
    if (source->inputs != NULL)
        gsi_bump_close(&source->bump, &source->inputs->loop->ledger, memory_part(source));
    *source = (struct gsi_source){0};
}

/* ---- offered buffers ---- */

static void add_buffer(struct gsi_source *source, struct gsi_buffer *buffer)
{
    if (!source->has_payload) {
        gsi_reader_add(&source->reader, buffer);
        return;
    }
    buffer->bytes = 0;
    if (buffer->tags != NULL)
        buffer->data = buffer->page;
    gsi_buffer_list_push(&source->given, buffer);
}

static void populate(struct gsi_task *task, uint32_t worker_idx)
{
    (void)worker_idx;
    struct gsi_buffer *buffer = gsi_buffer_of_task(task);
    gsi_memory_touch(buffer->memory, buffer->memory_bytes);
}

static void populate_done(struct gsi_task *task)
{
    struct gsi_buffer *buffer = gsi_buffer_of_task(task);
    struct gsi_source *source = buffer->holder;
    buffer->is_populated = true;
    source->populating_count--;
    add_buffer(source, buffer);
}

/* Returns whether a buffer need not be populated first. With payload, tasks write to it, and
 * borrowed memory is not written at all. A stream may end soon, so its buffers are not populated in
 * advance. */
static bool is_present(const struct gsi_source *source, const struct gsi_buffer *buffer)
{
    return source->has_payload || source->inputs->is_lent || buffer->is_populated ||
           source->inputs->bytes == UINT64_MAX;
}

void gsi_source_offer(struct gsi_source *source, struct gsi_buffer *buffer)
{
    source->offered_count++;
    if (is_present(source, buffer)) {
        add_buffer(source, buffer);
        return;
    }
    buffer->holder = source;
    buffer->task = (struct gsi_task){.run = populate, .done = populate_done, .is_urgent = true};
    source->populating_count++;
    gsi_pool_submit(source->inputs->loop->pool, &buffer->task);
}

uint32_t gsi_source_offered_count(const struct gsi_source *source)
{
    return source->offered_count;
}

/* Returns the input that is being read, or the last one. */
static const struct gsi_input *current_input(const struct gsi_source *source)
{
    const struct gsi_inputs *inputs = source->inputs;
    return &inputs->table[gsi_min_u64(source->reader.input_idx, inputs->count - 1)];
}

/* Returns whether to populate another buffer. At most one per thread is populated at the same time,
 * and no more than the rest of the last input fills. */
static bool may_populate(const struct gsi_source *source, const struct gsi_buffers *buffers)
{
    const struct gsi_inputs *inputs = source->inputs;
    const struct gsi_reader *reader = &source->reader;
    uint64_t coming = (uint64_t)source->populating_count * buffers->unit_bytes;
    bool is_last = reader->input_idx + 1 >= inputs->count;
    return source->populating_count < inputs->loop->plan->thread_count &&
           (!is_last || source->populating_count == 0 ||
            coming < current_input(source)->bytes - reader->input_off);
}

/* Returns whether enough buffers are in use for an input in the page cache: those of transfers, and
 * two per thread. If little is read ahead, data are still in the processor's cache when a thread
 * uses them. */
static bool is_read_far_ahead(const struct gsi_source *source, const struct gsi_buffers *buffers)
{
    uint32_t threads = source->inputs->loop->plan->thread_count;
    uint32_t most = gsi_plan_reads(threads) / GSI_READER_COPY_PART + 2 * threads;
    return !current_input(source)->is_direct && buffers->count - buffers->free_count >= most;
}

/* Returns whether a transfer, or a task that makes entries, could begin with another free
 * buffer. */
static bool wants_buffer(const struct gsi_source *source, const struct gsi_buffers *buffers)
{
    const struct gsi_reader *reader = &source->reader;
    bool has_use = source->has_payload ? source->given.head == NULL
                                       : !reader->is_stream_busy && reader->filling == NULL &&
                                             reader->free_slots != NULL;
    return !source->is_end && has_use && buffers->free != NULL &&
           !is_read_far_ahead(source, buffers) &&
           (is_present(source, buffers->free) || may_populate(source, buffers));
}

bool gsi_source_refill(struct gsi_source *source, struct gsi_buffers *buffers)
{
    bool has_moved = gsi_source_pump(source);
    while (wants_buffer(source, buffers)) {
        gsi_source_offer(source, gsi_buffers_pop(buffers));
        has_moved |= gsi_source_pump(source);
    }
    return has_moved;
}

/* ---- buffers that were read ---- */

/* Passes buffers that the reader has filled to the flow. */
static bool pass_full_buffers(struct gsi_source *source)
{
    struct gsi_buffer *buffer;
    bool has_moved = false;
    while ((buffer = gsi_reader_next(&source->reader)) != NULL) {
        has_moved = true;
        if (buffer->bytes > 0) {
            buffer->turn_idx = source->read_count;
            source->read_count += buffer->bytes / source->inputs->layout->element_bytes;
            gsi_flow_accept(&source->flow, buffer);
        } else if (source->has_payload)
            gsi_buffers_return(&source->entries.staging, buffer);
        else
            gsi_buffer_list_push(&source->finished, buffer);
    }
    if (source->has_payload && has_moved)
        gsi_entry_maker_check(&source->entries, source->read_count);
    return has_moved;
}

/* Ends the flow after the last buffer. First passes the buffers that pre-aggregation holds to it,
 * one per call. */
static bool end_flow(struct gsi_source *source)
{
    struct gsi_flow *flow = &source->flow;
    const struct gsi_reader *reader = &source->reader;
    struct gsi_buffer *held;
    if (flow->is_ended || !reader->is_end || reader->given.head != NULL ||
        !gsi_flow_is_idle(flow) || gsi_loop_has_failed(flow->loop) ||
        !gsi_entry_maker_skip_to(&source->entries, source->read_count))
        return false;
    if ((held = gsi_pre_aggregate_operator_release(&source->pre_aggregate)) != NULL)
        gsi_flow_return(flow, held);
    else
        gsi_flow_end(flow);
    gsi_flow_pump(flow);
    return true;
}

bool gsi_source_pump(struct gsi_source *source)
{
    struct gsi_reader *reader = &source->reader;
    struct gsi_buffer *staged;
    while (!reader->is_end && (staged = gsi_buffers_pop(&source->entries.staging)) != NULL)
        gsi_reader_add(reader, staged);
    bool has_moved = gsi_reader_pump(reader);
    has_moved |= gsi_value_readers_pump(&source->entries.readers);
    if (has_flow(source)) {
        has_moved |= pass_full_buffers(source);
        has_moved |= gsi_flow_pump(&source->flow);
        has_moved |= end_flow(source);
    }
    source->is_end = source->has_payload ? source->flow.is_ended : reader->is_end;
    return has_moved;
}

struct gsi_buffer *gsi_source_next(struct gsi_source *source)
{
    struct gsi_buffer *buffer = has_flow(source) ? gsi_buffer_list_pop(&source->finished)
                                                 : gsi_reader_next(&source->reader);
    if (buffer == NULL && source->has_payload && source->is_end)
        buffer = gsi_buffer_list_pop(&source->given);
    source->offered_count -= buffer != NULL;
    return buffer;
}

struct gsi_buffer *gsi_source_next_filled(struct gsi_source *source, struct gsi_buffers *buffers)
{
    struct gsi_buffer *buffer;
    while ((buffer = gsi_source_next(source)) != NULL && buffer->bytes == 0) {
        gsi_buffers_return(buffers, buffer);
        gsi_source_refill(source, buffers); /* the reader may need this buffer */
    }
    return buffer;
}

void gsi_source_skip(struct gsi_source *source, uint64_t bytes)
{
    const uint64_t count = bytes / source->inputs->layout->element_bytes;
    gsi_reader_skip(&source->reader, bytes);
    if (source->has_payload) {
        source->read_count += count;
        source->entries.kept_count += count;
    }
}

bool gsi_source_has_data(const struct gsi_source *source)
{
    const struct gsi_flow *flow = &source->flow;
    if (source->finished.head != NULL)
        return source->finished.head->bytes > 0;
    if (source->has_payload)
        return !source->is_end;
    return gsi_reader_has_data(&source->reader) ||
           (has_flow(source) && (!gsi_flow_is_idle(flow) || flow->block != NULL ||
                                 gsi_pre_aggregate_operator_is_holding(&source->pre_aggregate)));
}

bool gsi_source_is_end(const struct gsi_source *source)
{
    return source->is_end && source->offered_count == 0;
}
