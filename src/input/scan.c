/* scan.c: reads all inputs once: a source fills buffers, and the device or tasks process each. */
#include "input/scan.h"

#include "loop/buffers.h"

struct scan {
    const struct gsi_scan *user;
    struct gsi_loop *loop;
    struct gsi_buffers *buffers;
    uint8_t *partials; /* one per buffer; NULL: none */
    struct gsi_source source;
    struct gsi_buffer_list for_digest; /* the task is done; the device computes the digest next */
    uint64_t sent_count;
    struct gsi_reorder reorder;
    struct gsi_buffer *joining; /* the buffer that is joined next; NULL: it is not ready yet */
};

static void *partial_of(const struct scan *scan, const struct gsi_buffer *buffer)
{
    size_t i = (size_t)(buffer - scan->buffers->all);
    return scan->partials != NULL ? scan->partials + i * scan->user->partial_bytes : NULL;
}

static void run_task(struct gsi_task *task, uint32_t worker_idx)
{
    struct gsi_buffer *buffer = gsi_buffer_of_task(task);
    const struct scan *scan = buffer->holder;
    scan->user->run(scan->user->context, buffer, partial_of(scan, buffer), worker_idx);
}

/* Handles a buffer after its task: gives it to the device, or lets it be joined. */
static void forward_done(struct scan *scan, struct gsi_buffer *buffer)
{
    if (scan->user->device == GSI_SCAN_DIGESTS)
        gsi_buffer_list_push(&scan->for_digest, buffer);
    else
        gsi_reorder_add(&scan->reorder, buffer);
}

static void run_done(struct gsi_task *task)
{
    struct gsi_buffer *buffer = gsi_buffer_of_task(task);
    forward_done(buffer->holder, buffer);
}

static void start_task(struct scan *scan, struct gsi_buffer *buffer)
{
    if (scan->user->begin != NULL)
        scan->user->begin(scan->user->context, buffer, partial_of(scan, buffer));
    if (scan->user->run == NULL) {
        forward_done(scan, buffer);
        return;
    }
    buffer->holder = scan;
    buffer->task = (struct gsi_task){.run = run_task, .done = run_done};
    gsi_pool_submit(scan->loop->pool, &buffer->task);
}

/* Accepts a buffer that the device has counted. */
static void accept_event(void *context, const struct gsi_event *event)
{
    struct scan *scan = context;
    if (scan->user->device == GSI_SCAN_COUNTS)
        start_task(scan, event->buffer);
    else
        gsi_reorder_add(&scan->reorder, event->buffer);
}

static bool join_next(struct scan *scan)
{
    const struct gsi_scan *user = scan->user;
    if (scan->joining == NULL)
        scan->joining = gsi_reorder_pop(&scan->reorder);
    if (scan->joining == NULL || gsi_loop_has_failed(scan->loop) ||
        (user->join != NULL &&
         !user->join(user->context, scan->joining, partial_of(scan, scan->joining))))
        return false;
    gsi_buffers_return(scan->buffers, scan->joining);
    scan->joining = NULL;
    return true;
}

static bool pump(void *context)
{
    struct scan *scan = context;
    struct gsi_device *device = scan->loop->device;
    struct gsi_buffer *buffer;
    bool has_moved = false;
    while (join_next(scan))
        has_moved = true;
    if (gsi_loop_has_failed(scan->loop))
        return false;
    has_moved |= gsi_source_refill(&scan->source, scan->buffers);
    while ((buffer = gsi_source_next_filled(&scan->source, scan->buffers)) != NULL) {
        has_moved = true;
        buffer->turn_idx = scan->sent_count++;
        if (scan->user->place != NULL)
            scan->user->place(scan->user->context, buffer, partial_of(scan, buffer));
        if (scan->user->device == GSI_SCAN_COUNTS)
            device->ops->reduce(device, buffer, false);
        else
            start_task(scan, buffer);
    }
    while ((buffer = gsi_buffer_list_pop(&scan->for_digest)) != NULL) {
        has_moved = true;
        device->ops->reduce(device, buffer, true);
    }
    return has_moved;
}

static bool is_done(const void *context)
{
    const struct scan *scan = context;
    return gsi_source_is_end(&scan->source) && scan->joining == NULL &&
           scan->reorder.next == scan->sent_count;
}

enum gs_status gsi_scan_run(const struct gsi_scan *user, struct gsi_inputs *inputs,
                            struct gsi_buffers *buffers)
{
    struct scan scan = {.user = user, .loop = inputs->loop, .buffers = buffers};
    const struct gsi_stage stage = {.context = &scan,
                                    .accept =
                                        user->device == GSI_SCAN_NO_DEVICE ? NULL : accept_event,
                                    .pump = pump,
                                    .is_done = is_done};
    struct gsi_ledger *ledger = &scan.loop->ledger;
    const size_t partial_bytes = user->partial_bytes * buffers->count;
    gsi_buffer_list_init(&scan.for_digest);
    if (partial_bytes > 0)
        GSI_TRY(GSI_NEW(ledger, scan.partials, partial_bytes, scan.loop->error));
    enum gs_status status = gsi_source_init(&scan.source, inputs);
    if (status == GS_OK)
        status = gsi_loop_run(scan.loop, &stage, 1);
    if (status != GS_OK)
        gsi_loop_drain(scan.loop);
    gsi_source_clear(&scan.source);
    GSI_FREE(ledger, scan.partials, partial_bytes);
    return status;
}
