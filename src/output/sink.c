/* sink.c: where windows go in the output, and their transfers. */
#include "output/sink.h"

#include "base/checked.h"
#include "input/format/format.h"
#include "io/array.h"
#include "output/byte_order.h"
#include "output/zst_pack.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

/* Of a window that is written. */
struct place {
    uint64_t idx; /* in the order of the output */
    uint8_t *to;  /* in an array */
};

GSI_HOLDER_STATE(place_of, struct place)

uint64_t gsi_sink_data_off(const struct gsi_target *target)
{
    return target->output.base_off + target->inputs->header.bytes;
}

static void header_done(struct gsi_io *io);

static bool is_in_order(const struct gsi_sink *sink)
{
    return sink->target->pack != NULL || sink->target->output.kind == GSI_OUTPUT_STREAM;
}

/* What stands before the data. A stream's windows wait for it as for each other; into a file it is
 * written last, for it may say how many elements there are. */
static void write_header(struct gsi_sink *sink)
{
    struct gsi_target *target = sink->target;
    bool is_stream = target->output.kind == GSI_OUTPUT_STREAM;
    bool is_shared = target->output.kind == GSI_OUTPUT_SHARED;
    if (target->pack != NULL)
        gsi_zst_pack_put(target->pack, target->inputs->header.data, target->inputs->header.bytes);
    if (target->pack != NULL || target->inputs->header.bytes == 0)
        return;
    sink->header_io = (struct gsi_io){.op = GSI_IO_WRITE,
                                      .fd = target->output.fd,
                                      .data = target->inputs->header.data,
                                      .bytes = target->inputs->header.bytes,
                                      .off = is_stream   ? GSI_IO_STREAM
                                             : is_shared ? target->output.base_off
                                                         : 0,
                                      .is_copy = !is_stream,
                                      .done = header_done};
    sink->pending++;
    gsi_loop_submit(target->loop, &sink->header_io);
}

void gsi_sink_init(struct gsi_sink *sink, struct gsi_target *target, struct gsi_buffers *windows,
                   uint64_t total_bytes)
{
    const struct gsi_output *output = &target->output;
    *sink = (struct gsi_sink){.target = target, .windows = windows};
    sink->total_bytes = gsi_min_u64(total_bytes, INT64_MAX - target->inputs->header.bytes);
    gsi_buffer_list_init(&sink->waiting);
    gsi_format_begin(target->inputs);
    sink->is_paged = target->pack == NULL && target->loop->layout->align_bytes == 1 &&
                     !gsi_target_has_blocks(target) && !target->spec->is_split &&
                     output->direct_fd >= 0 && gsi_sink_data_off(target) % GSI_DIRECT_ALIGN == 0;
    if (target->pack != NULL)
        gsi_zst_pack_begin(target->pack, windows, &sink->pending);
    if (is_in_order(sink))
        write_header(sink);
}

static void start_stream_head(struct gsi_sink *sink)
{
    struct gsi_buffer *window = gsi_buffer_list_pop(&sink->waiting);
    if (window == NULL)
        return;
    sink->pending++;
    gsi_loop_submit(sink->target->loop, &window->io);
}

static void header_done(struct gsi_io *io)
{
    struct gsi_sink *sink = GSI_CONTAINER_OF(io, struct gsi_sink, header_io);
    bool is_good = gsi_loop_io_done(sink->target->loop, io, sink->target->output.name);
    sink->pending--;
    if (!is_good)
        return;
    gsi_loop_now(sink->target->loop)->bytes_written += io->bytes;
    if (sink->target->output.kind == GSI_OUTPUT_STREAM)
        start_stream_head(sink);
}

/* A window that is written, or kept to be, goes back. */
static void give_window(struct gsi_sink *sink, struct gsi_buffer *window)
{
    gsi_loop_now(sink->target->loop)->bytes_written += window->bytes;
    gsi_buffers_give(sink->windows, window);
}

static void write_done(struct gsi_io *io)
{
    struct gsi_buffer *window = gsi_buffer_of_io(io);
    struct gsi_sink *sink = window->holder;
    struct gsi_target *target = sink->target;
    bool is_good = gsi_loop_io_done(target->loop, io, target->output.name);
    sink->pending--;
    sink->marked_pending -= place_of(window)->idx < sink->marked;
    if (!is_good)
        return;
    give_window(sink, window);
    if (target->output.kind == GSI_OUTPUT_STREAM)
        start_stream_head(sink);
}

/* Direct if aligned; the tail of the last window is padded and cut off again by the commit. */
static void prepare(struct gsi_sink *sink, struct gsi_buffer *window)
{
    const struct gsi_output *output = &sink->target->output;
    uint64_t off = gsi_sink_data_off(sink->target) + sink->bytes;
    uint64_t rounded = gsi_round_up_u64(window->bytes, GSI_DIRECT_ALIGN);
    bool is_direct = output->direct_fd >= 0 && off % GSI_DIRECT_ALIGN == 0 &&
                     (uintptr_t)window->data % GSI_DIRECT_ALIGN == 0 &&
                     (rounded == window->bytes || output->kind == GSI_OUTPUT_ATOMIC) &&
                     rounded <= window->capacity;
    if (is_direct)
        memset(window->data + window->bytes, 0, rounded - window->bytes);
    window->holder = sink;
    place_of(window)->idx = sink->started++;
    window->io = (struct gsi_io){.op = GSI_IO_WRITE,
                                 .fd = is_direct ? output->direct_fd : output->fd,
                                 .data = window->data,
                                 .bytes = is_direct ? rounded : window->bytes,
                                 .off = output->kind == GSI_OUTPUT_STREAM ? GSI_IO_STREAM : off,
                                 .is_copy = !is_direct && output->kind != GSI_OUTPUT_STREAM,
                                 .done = write_done};
}

/* The whole pages that end in this window; its data lie as far into a page as they will in the
 * file, with room before them for what the last window left. */
static void take_pages(struct gsi_sink *sink, struct gsi_buffer *window)
{
    uint64_t lead = sink->rest_bytes, all = lead + window->bytes;
    uint64_t whole = gsi_round_down_u64(all, GSI_DIRECT_ALIGN);
    uint8_t *page = window->data - lead;
    memcpy(page, sink->rest, lead);
    sink->rest_bytes = (uint32_t)(all - whole);
    memcpy(sink->rest, page + whole, sink->rest_bytes);
    window->holder = sink;
    place_of(window)->idx = sink->started++;
    window->io = (struct gsi_io){.op = GSI_IO_WRITE,
                                 .fd = sink->target->output.direct_fd,
                                 .data = page,
                                 .bytes = whole,
                                 .off = gsi_sink_data_off(sink->target) + sink->bytes - lead,
                                 .done = write_done};
    sink->bytes += window->bytes;
    if (whole == 0) {
        give_window(sink, window);
        return;
    }
    sink->pending++;
    gsi_loop_submit(sink->target->loop, &window->io);
}

static void rest_done(struct gsi_io *io)
{
    struct gsi_sink *sink = GSI_CONTAINER_OF(io, struct gsi_sink, rest_io);
    gsi_loop_io_done(sink->target->loop, io, sink->target->output.name);
    sink->pending--;
}

void gsi_sink_finish(struct gsi_sink *sink)
{
    if (sink->target->pack != NULL)
        gsi_zst_pack_end(sink->target->pack);
    if (!is_in_order(sink))
        write_header(sink);
    if (sink->rest_bytes == 0)
        return;
    const struct gsi_output *output = &sink->target->output;
    sink->rest_io =
        (struct gsi_io){.op = GSI_IO_WRITE,
                        .fd = output->fd,
                        .data = sink->rest,
                        .bytes = sink->rest_bytes,
                        .off = gsi_sink_data_off(sink->target) + sink->bytes - sink->rest_bytes,
                        .is_copy = true,
                        .done = rest_done};
    sink->pending++;
    gsi_loop_submit(sink->target->loop, &sink->rest_io);
}

/* ---- arrays ---- */

/* Threads copy windows that were not made in their places. */
static void copy(struct gsi_task *task, uint32_t worker_idx)
{
    (void)worker_idx;
    struct gsi_buffer *window = gsi_buffer_of_task(task);
    memcpy(place_of(window)->to, window->data, window->bytes);
}

static void copy_done(struct gsi_task *task)
{
    struct gsi_buffer *window = gsi_buffer_of_task(task);
    struct gsi_sink *sink = window->holder;
    sink->pending--;
    give_window(sink, window);
}

static void take_array(struct gsi_sink *sink, struct gsi_buffer *window)
{
    struct gsi_array *array = sink->target->output.array;
    uint8_t *to = array->to + sink->bytes;
    sink->bytes += window->bytes;
    if (window->data == to) {
        give_window(sink, window);
        return;
    }
    array->is_written = true;
    place_of(window)->to = to;
    window->holder = sink;
    window->task = (struct gsi_task){.run = copy, .done = copy_done, .is_urgent = true};
    sink->pending++;
    gsi_pool_submit(sink->target->loop->pool, &window->task);
}

uint8_t *gsi_sink_place(const struct gsi_target *target, uint64_t bytes)
{
    const struct gsi_loop *loop = target->loop;
    const struct gsi_device_ops *ops = loop->device->ops;
    struct gsi_array *array = target->output.array;
    if (array == NULL || bytes == 0 || gsi_target_has_blocks(target) ||
        (uintptr_t)array->to % loop->layout->align_bytes != 0 ||
        (ops->reaches != NULL && !ops->reaches(loop->device, array->to, bytes)))
        return NULL;
    array->is_written = true;
    return array->to;
}

/* ---- any output ---- */

void gsi_sink_take(struct gsi_sink *sink, struct gsi_buffer *window)
{
    gsi_byte_order_turn(sink->target->spec->byte_order, sink->target->loop->layout, window->data,
                        window->bytes);
    gsi_format_tally(sink->target->inputs, window->data, window->bytes);
    if (sink->target->output.array != NULL) {
        take_array(sink, window);
        return;
    }
    if (sink->target->pack != NULL) {
        sink->bytes += window->bytes;
        gsi_zst_pack_take(sink->target->pack, window);
        return;
    }
    uint64_t header = sink->target->inputs->header.bytes;
    gsi_output_extend(&sink->target->output, header + sink->bytes + window->bytes,
                      sink->target->loop->plan->disk_step_bytes, header + sink->total_bytes);
    if (sink->is_paged) {
        take_pages(sink, window);
        return;
    }
    prepare(sink, window);
    sink->bytes += window->bytes;
    if (sink->target->output.kind != GSI_OUTPUT_STREAM) {
        sink->pending++;
        gsi_loop_submit(sink->target->loop, &window->io);
        return;
    }
    gsi_buffer_list_push(&sink->waiting, window);
    if (sink->pending == 0)
        start_stream_head(sink);
}

enum gs_status gsi_sink_restore(struct gsi_sink *sink, uint64_t bytes, const void *rest,
                                uint32_t rest_bytes, bool *is_there)
{
    struct gsi_target *target = sink->target;
    struct gsi_output *output = &target->output;
    struct stat info;
    uint64_t end = gsi_sink_data_off(target) + bytes;
    if (fstat(output->fd, &info) != 0)
        return gsi_fail(target->loop->error, GS_E_IO, errno, "'%s': cannot read its size",
                        output->name);
    *is_there = (uint64_t)info.st_size >= end - rest_bytes;
    if (!*is_there)
        return GS_OK;
    sink->bytes = bytes;
    output->allocated = end - output->base_off;
    sink->is_paged = sink->is_paged && end % GSI_DIRECT_ALIGN == rest_bytes;
    if (sink->is_paged) {
        memcpy(sink->rest, rest, rest_bytes);
        sink->rest_bytes = rest_bytes;
        return GS_OK;
    }
    int refusal = gsi_file_write(output->fd, rest, rest_bytes, end - rest_bytes);
    return refusal == 0 ? GS_OK
                        : gsi_fail(target->loop->error, gsi_status_of_errno(refusal), refusal,
                                   "'%s': cannot write at byte %llu", output->name,
                                   (unsigned long long)(end - rest_bytes));
}

void gsi_sink_mark(struct gsi_sink *sink)
{
    sink->marked = sink->started;
    sink->marked_pending = sink->pending;
}

bool gsi_sink_mark_is_written(const struct gsi_sink *sink)
{
    return sink->marked_pending == 0;
}

uint64_t gsi_sink_file_bytes(const struct gsi_sink *sink)
{
    return sink->target->pack != NULL ? gsi_zst_pack_written(sink->target->pack)
                                      : sink->target->inputs->header.bytes + sink->bytes;
}

static bool take(void *context, struct gsi_buffer *window)
{
    gsi_sink_take(context, window);
    return true;
}

struct gsi_link gsi_sink_link(struct gsi_sink *sink)
{
    return (struct gsi_link){.context = sink, .take = take};
}
