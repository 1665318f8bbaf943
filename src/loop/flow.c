/* flow.c: cuts windows into batches, joins them, and copies their entries into blocks. */
#include "loop/flow.h"

#include "base/checked.h"

#include <string.h>

/* The state of a window, a room or a block while the flow holds it. */
struct held {
    uint32_t under_way; /* tasks that read it or write into it */
    bool is_left;       /* no more tasks will begin */
    bool is_joined;     /* a block: of several windows, since it was last worked on */
};
GSI_HOLDER_STATE(held_of, struct held)

static uint64_t in_bytes(const struct gsi_flow *flow)
{
    return gsi_operators_in_bytes(&flow->operators);
}

static uint64_t out_bytes(const struct gsi_flow *flow)
{
    return gsi_operators_out_bytes(&flow->operators);
}

static uint32_t idx_of(const struct gsi_flow *flow, const struct gsi_buffer *room)
{
    return (uint32_t)(room - flow->rooms->all);
}

/* Entries that a batch has at most: there is room for one more ahead of them. */
static uint64_t batch_most(const struct gsi_flow *flow)
{
    return flow->rooms == NULL ? UINT64_MAX : flow->rooms->unit_bytes / out_bytes(flow) - 1;
}

static bool is_room(const struct gsi_flow *flow, const struct gsi_buffer *buffer)
{
    return flow->rooms != NULL && gsi_buffers_has(flow->rooms, buffer);
}

/* Returns a room to its set, or passes windows on in order, if no task needs them any more. */
static void release(struct gsi_flow *flow, struct gsi_buffer *buffer)
{
    if (is_room(flow, buffer) && held_of(buffer)->is_left && held_of(buffer)->under_way == 0)
        gsi_buffers_return(flow->rooms, buffer);
    while ((buffer = flow->left.head) != NULL && held_of(buffer)->under_way == 0) {
        gsi_buffer_list_pop(&flow->left);
        if (gsi_operators_only_shrink(&flow->operators)) {
            buffer->bytes = 0;
            flow->receiver.accept(flow->receiver.context, buffer);
        } else if (flow->next != NULL)
            gsi_flow_accept(flow->next, buffer);
        else
            gsi_buffers_return(flow->windows, buffer);
    }
}

static void leave(struct gsi_flow *flow, struct gsi_buffer *buffer)
{
    held_of(buffer)->is_left = true;
    if (!is_room(flow, buffer))
        gsi_buffer_list_push(&flow->left, buffer);
    release(flow, buffer);
}

static struct gsi_buffer *take_room(struct gsi_flow *flow)
{
    struct gsi_buffer *room = gsi_buffers_pop(flow->rooms);
    if (room != NULL)
        *held_of(room) = (struct held){0};
    return room;
}

/* The entries in a room are copied next. */
static void hold_room(struct gsi_flow *flow, struct gsi_buffer *room, uint8_t *data, uint64_t count)
{
    room->data = data;
    room->bytes = count * out_bytes(flow);
    flow->room = room;
    flow->room_off = 0;
}

/* The operator that makes puts an entry ahead of those in a room. */
static uint8_t *ahead_of(const struct gsi_flow *flow, const struct gsi_buffer *room)
{
    return gsi_operators_ahead(&flow->operators, idx_of(flow, room), room->memory);
}

static void pass_ahead(const struct gsi_flow *flow, const struct gsi_buffer *room)
{
    gsi_operators_pass_ahead(&flow->operators, ahead_of(flow, room), flow->batches.count,
                             room->memory);
}

/* ---- tasks ---- */

/* NULL: as many are under way as may be. */
static struct gsi_flow_task *next_task(struct gsi_flow_queue *queue)
{
    return queue->begun - queue->ended < queue->count ? &queue->tasks[queue->begun % queue->count]
                                                      : NULL;
}

/* The first one, if it is done. */
static struct gsi_flow_task *done_task(struct gsi_flow_queue *queue)
{
    struct gsi_flow_task *task =
        queue->ended < queue->begun ? &queue->tasks[queue->ended % queue->count] : NULL;
    return task != NULL && task->is_done ? task : NULL;
}

/* On a thread. */
static void run(struct gsi_task *task, uint32_t worker_idx)
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

static void end_rework(struct gsi_flow *flow, const struct gsi_flow_task *task)
{
    flow->block->bytes = task->made * in_bytes(flow);
    flow->is_reworking = false;
    flow->is_rework_poor = flow->block->bytes > task->bytes - task->bytes / 4;
}

/* Joins batches of a map, which were made in their places. */
static void end_copies(struct gsi_flow *flow)
{
    const struct gsi_flow_task *task;
    while ((task = done_task(&flow->copies)) != NULL) {
        flow->copies.ended++;
        if (task->is_rework)
            end_rework(flow, task);
        if (task->batch.count == 0 || gsi_loop_has_failed(flow->loop))
            continue;
        (void)gsi_operators_join(&flow->operators, &task->batch, task->first);
        flow->count += task->made;
    }
}

static void run_done(struct gsi_task *task)
{
    struct gsi_flow_task *own = GSI_CONTAINER_OF(task, struct gsi_flow_task, task);
    own->is_done = true;
    held_of(own->from)->under_way--;
    held_of(own->into)->under_way--;
    release(own->flow, own->from);
    end_copies(own->flow);
}

static void submit(struct gsi_flow *flow, struct gsi_flow_queue *queue, struct gsi_flow_task *task)
{
    queue->begun++;
    held_of(task->from)->under_way++;
    held_of(task->into)->under_way++;
    task->task = (struct gsi_task){.run = run, .done = run_done, .is_urgent = true};
    gsi_pool_submit(flow->loop->pool, &task->task);
}

/* ---- batches ---- */

static uint64_t window_left(const struct gsi_flow *flow)
{
    return (flow->window->bytes - flow->window_off) / in_bytes(flow);
}

/* The next `count` entries of the window. */
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

static bool make_next(struct gsi_flow *flow)
{
    struct gsi_flow_task *task = next_task(&flow->batches);
    struct gsi_buffer *room;
    if (task == NULL || (room = take_room(flow)) == NULL)
        return false;
    begin_batch(flow, task, idx_of(flow, room), gsi_min_u64(batch_most(flow), window_left(flow)));
    task->into = room;
    task->out = room->memory + out_bytes(flow);
    submit(flow, &flow->batches, task);
    return true;
}

/* Joins the next batch that was made, as far as it is wanted. */
static bool join_next(struct gsi_flow *flow)
{
    const struct gsi_flow_task *task = flow->operators.is_map ? NULL : done_task(&flow->batches);
    if (task == NULL || flow->room != NULL)
        return false;
    const struct gsi_operator *maker = &flow->operators.all[flow->operators.maker];
    struct gsi_buffer *room = task->into;
    uint64_t left = flow->most - flow->count, ahead = 0, made = 0;
    flow->batches.ended++;
    if (!flow->is_enough) {
        made = task->made;
        ahead = maker->join(maker->context, &task->batch, ahead_of(flow, room));
        if (ahead > 0)
            pass_ahead(flow, room);
        if (ahead + made > left) {
            made = left - ahead;
            gsi_operators_observe_again(&flow->operators, &task->batch, task->out, made);
        }
        (void)gsi_operators_join(&flow->operators, &task->batch, 0);
    }
    flow->count += ahead + made;
    flow->is_enough = flow->count == flow->most;
    hold_room(flow, room, task->out - ahead * out_bytes(flow), ahead + made);
    return true;
}

/* ---- blocks ---- */

static bool has_block(struct gsi_flow *flow)
{
    if (flow->block != NULL)
        return true;
    flow->block = flow->receiver.blocks != NULL
                      ? gsi_buffers_pop(flow->receiver.blocks)
                      : flow->receiver.block(flow->receiver.context, flow->full_bytes);
    if (flow->block != NULL)
        *held_of(flow->block) = (struct held){0};
    return flow->block != NULL;
}

/* The task writes the next bytes of the block. */
static void add_to_block(struct gsi_flow *flow, struct gsi_flow_task *task, uint64_t bytes)
{
    task->into = flow->block;
    task->out = flow->block->data + flow->block->bytes;
    flow->block->bytes += bytes;
    submit(flow, &flow->copies, task);
}

/* Makes an entry that is larger than the rest of the block, to be copied. */
static bool map_across(struct gsi_flow *flow, struct gsi_flow_task *task)
{
    struct gsi_buffer *room = take_room(flow);
    if (room == NULL)
        return false;
    flow->copies.begun++;
    begin_batch(flow, task, (uint32_t)(task - flow->copies.tasks), 1);
    task->made = gsi_operators_run(&flow->operators, &task->batch, task->first, room->memory);
    task->is_done = true;
    hold_room(flow, room, room->memory, 1);
    end_copies(flow);
    return true;
}

/* Makes the next entries of the window in their places. */
static bool map_next(struct gsi_flow *flow)
{
    struct gsi_flow_task *task = next_task(&flow->copies);
    if (task == NULL || flow->room != NULL || !has_block(flow))
        return false;
    uint64_t fits = (flow->block->capacity - flow->block->bytes) / out_bytes(flow);
    uint64_t count = gsi_min_u64(gsi_min_u64(batch_most(flow), window_left(flow)),
                                 gsi_min_u64(gsi_max_u64(fits, 1), flow->most - flow->begun_count));
    count = gsi_operators_ready(&flow->operators, flow->operators.shrinkers, flow->window,
                                flow->window_off / in_bytes(flow), count);
    if (count == 0 || (fits == 0 && !map_across(flow, task)))
        return false;
    if (fits > 0) {
        begin_batch(flow, task, (uint32_t)(task - flow->copies.tasks), count);
        add_to_block(flow, task, count * out_bytes(flow));
    }
    flow->begun_count += fits > 0 ? count : 1;
    flow->is_enough = flow->begun_count == flow->most;
    return true;
}

/* No more bytes follow in the block. It waits until all its bytes are copied. */
static bool end_block(struct gsi_flow *flow)
{
    if (flow->block == NULL)
        return false;
    flow->full_bytes += flow->block->bytes;
    gsi_buffer_list_push(&flow->full, flow->block);
    flow->block = NULL;
    return true;
}

/* Copies what fits of a room to the end of the block. */
static bool copy_next(struct gsi_flow *flow)
{
    struct gsi_buffer *room = flow->room;
    struct gsi_flow_task *task = next_task(&flow->copies);
    const struct gsi_receiver *receiver = &flow->receiver;
    if (room == NULL || task == NULL || flow->room_off == room->bytes)
        return false;
    uint64_t bytes = room->bytes - flow->room_off;
    if (receiver->belonging != NULL)
        bytes = receiver->belonging(receiver->context, room, flow->room_off);
    flow->is_cut = bytes == 0;
    if (flow->is_cut)
        return end_block(flow);
    if (!has_block(flow))
        return false;
    bytes = gsi_min_u64(bytes, flow->block->capacity - flow->block->bytes);
    *task = (struct gsi_flow_task){
        .flow = flow, .from = room, .from_off = flow->room_off, .bytes = bytes};
    add_to_block(flow, task, bytes);
    flow->room_off += bytes;
    return true;
}

static bool leave_room(struct gsi_flow *flow)
{
    struct gsi_buffer *room = flow->room;
    if (room == NULL || flow->room_off < room->bytes)
        return false;
    flow->room = NULL;
    leave(flow, room);
    return true;
}

/* Returns whether all entries of all windows have their place in a block. */
static bool is_placed(const struct gsi_flow *flow)
{
    return flow->window == NULL && flow->waiting.head == NULL &&
           flow->batches.ended == flow->batches.begun && flow->room == NULL;
}

/* Returns whether nothing more fits in the block. Without rooms, entries are not cut. */
static bool is_full(const struct gsi_flow *flow)
{
    const uint64_t left = flow->block->capacity - flow->block->bytes;
    return left == 0 ||
           (flow->operators.count > 0 && flow->rooms == NULL && left < out_bytes(flow));
}

/* Returns whether the block has parts that may have something in common. */
static bool may_rework(const struct gsi_flow *flow)
{
    return gsi_operators_only_shrink(&flow->operators) &&
           flow->operators.all[flow->operators.shrinkers - 1].rework != NULL &&
           !flow->is_rework_poor && held_of(flow->block)->is_joined;
}

static bool close_block(struct gsi_flow *flow)
{
    bool is_last = flow->is_ended && is_placed(flow);
    bool is_done = flow->block != NULL && is_full(flow) && !may_rework(flow);
    return (is_done || is_last) && !flow->is_reworking && end_block(flow);
}

static bool hand_block_on(struct gsi_flow *flow)
{
    struct gsi_buffer *block = flow->full.head;
    if (block == NULL || held_of(block)->under_way > 0)
        return false;
    gsi_buffer_list_pop(&flow->full);
    flow->receiver.accept(flow->receiver.context, block);
    return true;
}

/* ---- windows that shrink ---- */

static bool shrink_next(struct gsi_flow *flow)
{
    struct gsi_flow_task *task = next_task(&flow->batches);
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
    submit(flow, &flow->batches, task);
    return true;
}

/* The next window, with what is left of it, unless an operator holds it. */
static bool read_shrunk(struct gsi_flow *flow)
{
    const struct gsi_flow_task *task = done_task(&flow->batches);
    if (task == NULL)
        return false;
    flow->batches.ended++;
    task->from->bytes = task->made * in_bytes(flow);
    flow->window = gsi_operators_join(&flow->operators, &task->batch, 0) ? NULL : task->from;
    flow->window_off = 0;
    return true;
}

/* Works on the block once more, or ends it. */
static bool leave_block(struct gsi_flow *flow)
{
    struct gsi_flow_task *task = next_task(&flow->copies);
    struct gsi_buffer *block = flow->block;
    if (!may_rework(flow))
        return end_block(flow);
    if (task == NULL || held_of(block)->under_way > 0)
        return false;
    *task = (struct gsi_flow_task){.flow = flow,
                                   .from = block,
                                   .into = block,
                                   .out = block->data,
                                   .bytes = block->bytes,
                                   .is_rework = true};
    flow->is_reworking = true;
    held_of(block)->is_joined = false;
    submit(flow, &flow->copies, task);
    return true;
}

/* Copies the window to the end of the block, if it fits there. Otherwise it is the block. */
static bool join_window(struct gsi_flow *flow)
{
    struct gsi_buffer *window = flow->window, *block = flow->block;
    struct gsi_flow_task *task = next_task(&flow->copies);
    if (flow->is_reworking)
        return false;
    if (block != NULL && window->bytes > block->capacity - block->bytes)
        return leave_block(flow);
    if (block != NULL && task == NULL)
        return false;
    flow->window = NULL;
    if (block == NULL) {
        flow->block = window;
        return true;
    }
    *task = (struct gsi_flow_task){.flow = flow, .from = window, .bytes = window->bytes};
    add_to_block(flow, task, window->bytes);
    held_of(block)->is_joined = true;
    leave(flow, window);
    return true;
}

/* ---- windows ---- */

static bool leave_window(struct gsi_flow *flow)
{
    struct gsi_buffer *window = flow->window;
    if (window == NULL || (flow->window_off < window->bytes && !flow->is_enough))
        return false;
    flow->window = NULL;
    leave(flow, window);
    return true;
}

/* Without operators a window is copied as a room is. */
static bool read_plain(struct gsi_flow *flow)
{
    if (flow->room != NULL)
        return false;
    flow->room = gsi_buffer_list_pop(&flow->waiting);
    flow->room_off = 0;
    return flow->room != NULL;
}

static bool read_window(struct gsi_flow *flow)
{
    if (flow->operators.count == 0)
        return read_plain(flow);
    if (flow->window != NULL && gsi_operators_only_shrink(&flow->operators))
        return join_window(flow);
    if (flow->window != NULL)
        return flow->operators.is_map ? map_next(flow) : make_next(flow);
    if (flow->operators.shrinkers > 0)
        return read_shrunk(flow);
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
    gsi_operators_sort(&flow->operators);
    flow->count = flow->begun_count = flow->full_bytes = 0;
    flow->is_enough = flow->most == 0;
    flow->is_ended = flow->is_cut = flow->is_reworking = flow->is_rework_poor = false;
    flow->batches.begun = flow->batches.ended = flow->copies.begun = flow->copies.ended = 0;
    gsi_buffer_list_init(&flow->waiting);
    gsi_buffer_list_init(&flow->left);
    gsi_buffer_list_init(&flow->full);
    GSI_ASSERT(flow->operators.count == 0 ||
               (flow->receiver.belonging == NULL && batch_most(flow) > 0 &&
                (flow->rooms == NULL ? flow->operators.is_map
                                     : flow->rooms->count <= flow->batches.count)));
}

void gsi_flow_accept(struct gsi_flow *flow, struct gsi_buffer *window)
{
    GSI_ASSERT(!flow->is_ended &&
               (flow->operators.count == 0 || window->bytes % in_bytes(flow) == 0));
    *held_of(window) = (struct held){0};
    gsi_buffer_list_push(&flow->waiting, window);
}

void gsi_flow_return(struct gsi_flow *flow, struct gsi_buffer *window)
{
    GSI_ASSERT(gsi_flow_is_idle(flow) && !flow->is_ended);
    *held_of(window) = (struct held){0};
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
    struct gsi_buffer *room = take_room(flow);
    uint64_t count = maker->flush(maker->context, ahead_of(flow, room));
    if (count > 0)
        pass_ahead(flow, room);
    flow->count += count;
    flow->is_enough = flow->count == flow->most;
    hold_room(flow, room, room->memory, count);
}

bool gsi_flow_pump(struct gsi_flow *flow)
{
    bool has_moved = false;
    while (!gsi_loop_has_failed(flow->loop) &&
           (close_block(flow) || hand_block_on(flow) || leave_room(flow) || join_next(flow) ||
            copy_next(flow) || leave_window(flow) || read_window(flow) || shrink_next(flow)))
        has_moved = true;
    return has_moved;
}

bool gsi_flow_is_idle(const struct gsi_flow *flow)
{
    return is_placed(flow) && flow->copies.ended == flow->copies.begun && flow->full.head == NULL &&
           !(flow->is_ended && flow->block != NULL);
}

bool gsi_flow_is_cut(const struct gsi_flow *flow)
{
    return flow->is_cut && flow->block == NULL && flow->full.head == NULL;
}
