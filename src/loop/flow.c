/* flow.c: implements flows: divides windows into batches, joins batches, and copies entries into
 * blocks. */
#include "loop/flow.h"

#include "base/checked.h"

#include <string.h>

/* State of a window, staging buffer or block while the flow holds it. */
struct hold_state {
    uint32_t task_count; /* tasks that read or write the buffer */
    bool is_finished;    /* no more tasks will use the buffer */
    bool is_joined;      /* a block: another window was copied to it since the last rework */
};
GSI_HOLDER_STATE(state_of, struct hold_state)

static uint64_t in_bytes(const struct gsi_flow *flow)
{
    return gsi_operators_in_bytes(&flow->operators);
}

static uint64_t out_bytes(const struct gsi_flow *flow)
{
    return gsi_operators_out_bytes(&flow->operators);
}

static uint32_t staging_idx(const struct gsi_flow *flow, const struct gsi_buffer *staging)
{
    return (uint32_t)(staging - flow->staging->all);
}

/* Returns the most entries of a batch: a staging buffer fits these and one entry ahead of them. */
static uint64_t batch_max(const struct gsi_flow *flow)
{
    return flow->staging == NULL ? UINT64_MAX : flow->staging->unit_bytes / out_bytes(flow) - 1;
}

static bool is_staging(const struct gsi_flow *flow, const struct gsi_buffer *buffer)
{
    return flow->staging != NULL && gsi_buffers_has(flow->staging, buffer);
}

/* Returns a staging buffer to its set, and passes windows on in order, if no task uses them. */
static void return_unused(struct gsi_flow *flow, struct gsi_buffer *buffer)
{
    if (is_staging(flow, buffer) && state_of(buffer)->is_finished &&
        state_of(buffer)->task_count == 0)
        gsi_buffers_return(flow->staging, buffer);
    while ((buffer = flow->in_use.head) != NULL && state_of(buffer)->task_count == 0) {
        gsi_buffer_list_pop(&flow->in_use);
        if (gsi_operators_only_shrink(&flow->operators)) {
            buffer->bytes = 0;
            flow->receiver.accept(flow->receiver.context, buffer);
        } else if (flow->next != NULL)
            gsi_flow_accept(flow->next, buffer);
        else
            gsi_buffers_return(flow->windows, buffer);
    }
}

static void finish_reading(struct gsi_flow *flow, struct gsi_buffer *buffer)
{
    state_of(buffer)->is_finished = true;
    if (!is_staging(flow, buffer))
        gsi_buffer_list_push(&flow->in_use, buffer);
    return_unused(flow, buffer);
}

static struct gsi_buffer *pop_staging(struct gsi_flow *flow)
{
    struct gsi_buffer *staging = gsi_buffers_pop(flow->staging);
    if (staging != NULL)
        *state_of(staging) = (struct hold_state){0};
    return staging;
}

/* Copies the entries of a staging buffer next. */
static void set_copying(struct gsi_flow *flow, struct gsi_buffer *staging, uint8_t *data,
                        uint64_t count)
{
    staging->data = data;
    staging->bytes = count * out_bytes(flow);
    flow->copying = staging;
    flow->copied_off = 0;
}

/* Returns where a GSI_MAKE operator writes an entry ahead of those in a staging buffer. */
static uint8_t *entry_ahead_of(const struct gsi_flow *flow, const struct gsi_buffer *staging)
{
    return gsi_operators_entry_ahead(&flow->operators, staging_idx(flow, staging), staging->memory);
}

static void run_entry_ahead(const struct gsi_flow *flow, const struct gsi_buffer *staging)
{
    gsi_operators_run_ahead(&flow->operators, entry_ahead_of(flow, staging), flow->batches.count,
                            staging->memory);
}

/* ---- tasks ---- */

/* Returns the next task of a ring; NULL: all are in use. */
static struct gsi_flow_task *free_task(struct gsi_flow_queue *queue)
{
    return queue->begun - queue->ended < queue->count ? &queue->tasks[queue->begun % queue->count]
                                                      : NULL;
}

/* Returns the oldest task of a ring if it is done; otherwise NULL. */
static struct gsi_flow_task *first_done_task(struct gsi_flow_queue *queue)
{
    struct gsi_flow_task *task =
        queue->ended < queue->begun ? &queue->tasks[queue->ended % queue->count] : NULL;
    return task != NULL && task->is_done ? task : NULL;
}

/* Runs a task, on any thread. */
static void run_task(struct gsi_task *task, uint32_t worker_idx)
{
    struct gsi_flow_task *own = GSI_CONTAINER_OF(task, struct gsi_flow_task, task);
    const struct gsi_flow *flow = own->flow;
    own->batch.worker_idx = worker_idx;
    if (own->is_rework) {
        const struct gsi_operator *op = &flow->operators.all[flow->operators.shrinkers - 1];
        own->made = op->rework(op->context, own->out, own->bytes / in_bytes(flow));
    } else if (own->batch.count > 0)
        own->made = gsi_operators_run(&flow->operators, &own->batch, own->first, own->out);
    else
        memcpy(own->out, own->from->data + own->from_off, own->bytes);
}

static void finish_rework(struct gsi_flow *flow, const struct gsi_flow_task *task)
{
    flow->block->bytes = task->made * in_bytes(flow);
    flow->is_reworking = false;
    flow->is_rework_poor = flow->block->bytes > task->bytes - task->bytes / 4;
}

/* Ends finished tasks of `copies`, and joins batches that were written directly into blocks. */
static void finish_copies(struct gsi_flow *flow)
{
    const struct gsi_flow_task *task;
    while ((task = first_done_task(&flow->copies)) != NULL) {
        flow->copies.ended++;
        if (task->is_rework)
            finish_rework(flow, task);
        if (task->batch.count == 0 || gsi_loop_has_failed(flow->loop))
            continue;
        (void)gsi_operators_join(&flow->operators, &task->batch, task->first);
        flow->count += task->made;
    }
}

static void task_done(struct gsi_task *task)
{
    struct gsi_flow_task *own = GSI_CONTAINER_OF(task, struct gsi_flow_task, task);
    own->is_done = true;
    state_of(own->from)->task_count--;
    state_of(own->into)->task_count--;
    return_unused(own->flow, own->from);
    finish_copies(own->flow);
}

static void submit_task(struct gsi_flow *flow, struct gsi_flow_queue *queue,
                        struct gsi_flow_task *task)
{
    queue->begun++;
    state_of(task->from)->task_count++;
    state_of(task->into)->task_count++;
    task->task = (struct gsi_task){.run = run_task, .done = task_done, .is_urgent = true};
    gsi_pool_submit(flow->loop->pool, &task->task);
}

/* ---- batches ---- */

static uint64_t entries_left(const struct gsi_flow *flow)
{
    return (flow->window->bytes - flow->window_off) / in_bytes(flow);
}

/* Begins a batch of the next `count` elements of the window. */
static void begin_batch(struct gsi_flow *flow, struct gsi_flow_task *task, uint32_t idx,
                        uint64_t count)
{
    struct gsi_buffer *window = flow->window;
    *task = (struct gsi_flow_task){.flow = flow,
                                   .from = window,
                                   .first = flow->operators.shrinkers,
                                   .batch = {.idx = idx,
                                             .window = window,
                                             .entries = window->data + flow->window_off,
                                             .count = count}};
    flow->window_off += count * in_bytes(flow);
    gsi_operators_begin(&flow->operators, &task->batch, flow->operators.shrinkers);
}

static bool start_make(struct gsi_flow *flow)
{
    struct gsi_flow_task *task = free_task(&flow->batches);
    struct gsi_buffer *staging;
    if (task == NULL || (staging = pop_staging(flow)) == NULL)
        return false;
    begin_batch(flow, task, staging_idx(flow, staging),
                gsi_min_u64(batch_max(flow), entries_left(flow)));
    task->into = staging;
    task->out = staging->memory + out_bytes(flow);
    submit_task(flow, &flow->batches, task);
    return true;
}

/* Joins the next finished batch, up to the limit of entries, and copies its entries next. */
static bool join_next_made(struct gsi_flow *flow)
{
    const struct gsi_flow_task *task =
        flow->operators.is_map ? NULL : first_done_task(&flow->batches);
    if (task == NULL || flow->copying != NULL)
        return false;
    const struct gsi_operator *maker = &flow->operators.all[flow->operators.maker];
    struct gsi_buffer *staging = task->into;
    uint64_t left = flow->most - flow->count, ahead = 0, made = 0;
    flow->batches.ended++;
    if (!flow->is_enough) {
        made = task->made;
        ahead = maker->join(maker->context, &task->batch, entry_ahead_of(flow, staging));
        if (ahead > 0)
            run_entry_ahead(flow, staging);
        if (ahead + made > left) {
            made = left - ahead;
            gsi_operators_observe_again(&flow->operators, &task->batch, task->out, made);
        }
        (void)gsi_operators_join(&flow->operators, &task->batch, 0);
    }
    flow->count += ahead + made;
    flow->is_enough = flow->count == flow->most;
    set_copying(flow, staging, task->out - ahead * out_bytes(flow), ahead + made);
    return true;
}

/* ---- blocks ---- */

static bool ensure_block(struct gsi_flow *flow)
{
    if (flow->block != NULL)
        return true;
    flow->block = flow->receiver.blocks != NULL
                      ? gsi_buffers_pop(flow->receiver.blocks)
                      : flow->receiver.block(flow->receiver.context, flow->full_bytes);
    if (flow->block != NULL)
        *state_of(flow->block) = (struct hold_state){0};
    return flow->block != NULL;
}

/* Submits a task that writes the next `bytes` of the block. */
static void submit_into_block(struct gsi_flow *flow, struct gsi_flow_task *task, uint64_t bytes)
{
    task->into = flow->block;
    task->out = flow->block->data + flow->block->bytes;
    flow->block->bytes += bytes;
    submit_task(flow, &flow->copies, task);
}

/* Makes an entry that crosses the end of the block, in a staging buffer. */
static bool map_split_entry(struct gsi_flow *flow, struct gsi_flow_task *task)
{
    struct gsi_buffer *staging = pop_staging(flow);
    if (staging == NULL)
        return false;
    flow->copies.begun++;
    begin_batch(flow, task, (uint32_t)(task - flow->copies.tasks), 1);
    task->made = gsi_operators_run(&flow->operators, &task->batch, task->first, staging->memory);
    task->is_done = true;
    set_copying(flow, staging, staging->memory, 1);
    finish_copies(flow);
    return true;
}

/* Starts a batch that writes its entries directly into the block. */
static bool start_map(struct gsi_flow *flow)
{
    struct gsi_flow_task *task = free_task(&flow->copies);
    if (task == NULL || flow->copying != NULL || !ensure_block(flow))
        return false;
    uint64_t fits = (flow->block->capacity - flow->block->bytes) / out_bytes(flow);
    uint64_t count = gsi_min_u64(gsi_min_u64(batch_max(flow), entries_left(flow)),
                                 gsi_min_u64(gsi_max_u64(fits, 1), flow->most - flow->begun_count));
    count = gsi_operators_count_ready(&flow->operators, flow->operators.shrinkers, flow->window,
                                      flow->window_off / in_bytes(flow), count);
    if (count == 0 || (fits == 0 && !map_split_entry(flow, task)))
        return false;
    if (fits > 0) {
        begin_batch(flow, task, (uint32_t)(task - flow->copies.tasks), count);
        submit_into_block(flow, task, count * out_bytes(flow));
    }
    flow->begun_count += fits > 0 ? count : 1;
    flow->is_enough = flow->begun_count == flow->most;
    return true;
}

/* Ends the block. It waits in the list `full` until tasks have written all its bytes. */
static bool queue_block(struct gsi_flow *flow)
{
    if (flow->block == NULL)
        return false;
    flow->full_bytes += flow->block->bytes;
    gsi_buffer_list_push(&flow->full, flow->block);
    flow->block = NULL;
    return true;
}

/* Starts to copy as many bytes as fit into the block. */
static bool start_copy(struct gsi_flow *flow)
{
    struct gsi_buffer *staging = flow->copying;
    struct gsi_flow_task *task = free_task(&flow->copies);
    const struct gsi_receiver *receiver = &flow->receiver;
    if (staging == NULL || task == NULL || flow->copied_off == staging->bytes)
        return false;
    uint64_t bytes = staging->bytes - flow->copied_off;
    if (receiver->bytes_before_cut != NULL)
        bytes = receiver->bytes_before_cut(receiver->context, staging, flow->copied_off);
    flow->is_cut = bytes == 0;
    if (flow->is_cut)
        return queue_block(flow);
    if (!ensure_block(flow))
        return false;
    bytes = gsi_min_u64(bytes, flow->block->capacity - flow->block->bytes);
    *task = (struct gsi_flow_task){
        .flow = flow, .from = staging, .from_off = flow->copied_off, .bytes = bytes};
    submit_into_block(flow, task, bytes);
    flow->copied_off += bytes;
    return true;
}

static bool finish_copying(struct gsi_flow *flow)
{
    struct gsi_buffer *staging = flow->copying;
    if (staging == NULL || flow->copied_off < staging->bytes)
        return false;
    flow->copying = NULL;
    finish_reading(flow, staging);
    return true;
}

/* Returns whether all entries of all windows are assigned to blocks. */
static bool are_all_assigned(const struct gsi_flow *flow)
{
    return flow->window == NULL && flow->waiting.head == NULL &&
           flow->batches.ended == flow->batches.begun && flow->copying == NULL;
}

/* Returns whether the block is full. Without staging buffers, no entry crosses its end. */
static bool is_block_full(const struct gsi_flow *flow)
{
    const uint64_t left = flow->block->capacity - flow->block->bytes;
    return left == 0 ||
           (flow->operators.count > 0 && flow->staging == NULL && left < out_bytes(flow));
}

/* Returns whether `rework` may remove elements: the block was filled from several windows. */
static bool may_rework(const struct gsi_flow *flow)
{
    return gsi_operators_only_shrink(&flow->operators) &&
           flow->operators.all[flow->operators.shrinkers - 1].rework != NULL &&
           !flow->is_rework_poor && state_of(flow->block)->is_joined;
}

static bool close_full_block(struct gsi_flow *flow)
{
    bool is_last = flow->is_ended && are_all_assigned(flow);
    bool is_done = flow->block != NULL && is_block_full(flow) && !may_rework(flow);
    return (is_done || is_last) && !flow->is_reworking && queue_block(flow);
}

static bool deliver_block(struct gsi_flow *flow)
{
    struct gsi_buffer *block = flow->full.head;
    if (block == NULL || state_of(block)->task_count > 0)
        return false;
    gsi_buffer_list_pop(&flow->full);
    flow->receiver.accept(flow->receiver.context, block);
    return true;
}

/* ---- windows that shrink ---- */

static bool start_shrink(struct gsi_flow *flow)
{
    struct gsi_flow_task *task = free_task(&flow->batches);
    struct gsi_buffer *window = flow->waiting.head;
    if (flow->operators.shrinkers == 0 || task == NULL || window == NULL)
        return false;
    gsi_buffer_list_pop(&flow->waiting);
    *task = (struct gsi_flow_task){.flow = flow,
                                   .from = window,
                                   .into = window,
                                   .out = window->data,
                                   .batch = {.idx = (uint32_t)(task - flow->batches.tasks),
                                             .window = window,
                                             .entries = window->data,
                                             .count = window->bytes / in_bytes(flow)}};
    gsi_operators_begin(&flow->operators, &task->batch, 0);
    submit_task(flow, &flow->batches, task);
    return true;
}

/* Ends the oldest batch. Its window, which may have fewer elements now, is next, unless an operator
 * holds it. */
static bool finish_shrink(struct gsi_flow *flow)
{
    const struct gsi_flow_task *task = first_done_task(&flow->batches);
    if (task == NULL)
        return false;
    flow->batches.ended++;
    task->from->bytes = task->made * in_bytes(flow);
    flow->window = gsi_operators_join(&flow->operators, &task->batch, 0) ? NULL : task->from;
    flow->window_off = 0;
    return true;
}

/* Starts `rework` on the block, or ends the block. */
static bool rework_or_queue_block(struct gsi_flow *flow)
{
    struct gsi_flow_task *task = free_task(&flow->copies);
    struct gsi_buffer *block = flow->block;
    if (!may_rework(flow))
        return queue_block(flow);
    if (task == NULL || state_of(block)->task_count > 0)
        return false;
    *task = (struct gsi_flow_task){.flow = flow,
                                   .from = block,
                                   .into = block,
                                   .out = block->data,
                                   .bytes = block->bytes,
                                   .is_rework = true};
    flow->is_reworking = true;
    state_of(block)->is_joined = false;
    submit_task(flow, &flow->copies, task);
    return true;
}

/* Copies the window to the end of the block if it fits. Otherwise ends the block; the window is the
 * next block. */
static bool append_window(struct gsi_flow *flow)
{
    struct gsi_buffer *window = flow->window, *block = flow->block;
    struct gsi_flow_task *task = free_task(&flow->copies);
    if (flow->is_reworking)
        return false;
    if (block != NULL && window->bytes > block->capacity - block->bytes)
        return rework_or_queue_block(flow);
    if (block != NULL && task == NULL)
        return false;
    flow->window = NULL;
    if (block == NULL) {
        flow->block = window;
        return true;
    }
    *task = (struct gsi_flow_task){.flow = flow, .from = window, .bytes = window->bytes};
    submit_into_block(flow, task, window->bytes);
    state_of(block)->is_joined = true;
    finish_reading(flow, window);
    return true;
}

/* ---- windows ---- */

static bool finish_window(struct gsi_flow *flow)
{
    struct gsi_buffer *window = flow->window;
    if (window == NULL || (flow->window_off < window->bytes && !flow->is_enough))
        return false;
    flow->window = NULL;
    finish_reading(flow, window);
    return true;
}

/* Without operators, copies the next window. */
static bool copy_next_window(struct gsi_flow *flow)
{
    if (flow->copying != NULL)
        return false;
    flow->copying = gsi_buffer_list_pop(&flow->waiting);
    flow->copied_off = 0;
    return flow->copying != NULL;
}

static bool start_next(struct gsi_flow *flow)
{
    if (flow->operators.count == 0)
        return copy_next_window(flow);
    if (flow->window != NULL && gsi_operators_only_shrink(&flow->operators))
        return append_window(flow);
    if (flow->window != NULL)
        return flow->operators.is_map ? start_map(flow) : start_make(flow);
    if (flow->operators.shrinkers > 0)
        return finish_shrink(flow);
    flow->window = gsi_buffer_list_pop(&flow->waiting);
    flow->window_off = 0;
    return flow->window != NULL;
}

/* ---- the flow ---- */

void gsi_flow_alloc(struct gsi_flow *flow, uint32_t batches, uint32_t copies, struct gsi_bump *bump)
{
    flow->batches.count = batches;
    flow->copies.count = copies;
    GSI_BUMP_ALLOC(bump, flow->batches.tasks, batches);
    GSI_BUMP_ALLOC(bump, flow->copies.tasks, copies);
}

void gsi_flow_begin(struct gsi_flow *flow)
{
    gsi_operators_classify(&flow->operators);
    flow->count = flow->begun_count = flow->full_bytes = 0;
    flow->is_enough = flow->most == 0;
    flow->is_ended = flow->is_cut = flow->is_reworking = flow->is_rework_poor = false;
    flow->batches.begun = flow->batches.ended = flow->copies.begun = flow->copies.ended = 0;
    gsi_buffer_list_init(&flow->waiting);
    gsi_buffer_list_init(&flow->in_use);
    gsi_buffer_list_init(&flow->full);
    GSI_ASSERT(flow->operators.count == 0 ||
               (flow->receiver.bytes_before_cut == NULL && batch_max(flow) > 0 &&
                (flow->staging == NULL ? flow->operators.is_map
                                       : flow->staging->count <= flow->batches.count)));
}

void gsi_flow_accept(struct gsi_flow *flow, struct gsi_buffer *window)
{
    GSI_ASSERT(!flow->is_ended &&
               (flow->operators.count == 0 || window->bytes % in_bytes(flow) == 0));
    *state_of(window) = (struct hold_state){0};
    gsi_buffer_list_push(&flow->waiting, window);
}

void gsi_flow_return(struct gsi_flow *flow, struct gsi_buffer *window)
{
    GSI_ASSERT(gsi_flow_is_idle(flow) && !flow->is_ended);
    *state_of(window) = (struct hold_state){0};
    flow->window = window;
    flow->window_off = 0;
}

void gsi_flow_end(struct gsi_flow *flow)
{
    GSI_ASSERT(gsi_flow_is_idle(flow));
    flow->is_ended = true;
    if (flow->operators.is_map || flow->is_enough)
        return;
    const struct gsi_operator *maker = &flow->operators.all[flow->operators.maker];
    struct gsi_buffer *staging = pop_staging(flow);
    uint64_t count = maker->flush(maker->context, entry_ahead_of(flow, staging));
    if (count > 0)
        run_entry_ahead(flow, staging);
    flow->count += count;
    flow->is_enough = flow->count == flow->most;
    set_copying(flow, staging, staging->memory, count);
}

bool gsi_flow_pump(struct gsi_flow *flow)
{
    bool has_moved = false;
    while (!gsi_loop_has_failed(flow->loop) &&
           (close_full_block(flow) || deliver_block(flow) || finish_copying(flow) ||
            join_next_made(flow) || start_copy(flow) || finish_window(flow) || start_next(flow) ||
            start_shrink(flow)))
        has_moved = true;
    return has_moved;
}

bool gsi_flow_is_idle(const struct gsi_flow *flow)
{
    return are_all_assigned(flow) && flow->copies.ended == flow->copies.begun &&
           flow->full.head == NULL && !(flow->is_ended && flow->block != NULL);
}

bool gsi_flow_is_cut(const struct gsi_flow *flow)
{
    return flow->is_cut && flow->block == NULL && flow->full.head == NULL;
}
