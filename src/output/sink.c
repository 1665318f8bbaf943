/* sink.c: computes where windows are in the output, and transfers them. */
#include "output/sink.h"

#include "base/checked.h"
#include "input/format/format.h"
#include "io/array.h"
#include "output/byte_order.h"
#include "output/zst_pack.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

/* The place of a window that is written. */
struct place {
    uint64_t idx; /* in the order of the output */
    uint8_t *to;  /* in memory */
};

GSI_HOLDER_STATE(place_of, struct place)

uint64_t gsi_sink_data_off(const struct gsi_target *target)
{
    return target->output.base_off + target->inputs->header.bytes;
}

/* A stream is written in order, its header first. */
static bool is_stream(const struct gsi_sink *sink)
{
    return sink->target->output.kind == GSI_OUTPUT_STREAM;
}

/* Begins to write `bytes` at `off` of the output. */
static void write_at(struct gsi_sink *sink, struct gsi_io *io, void *data, uint64_t bytes,
                     uint64_t off, bool is_direct, void (*done)(struct gsi_io *io))
{
    const struct gsi_output *output = &sink->target->output;
    *io = (struct gsi_io){.op = GSI_IO_WRITE,
                          .fd = is_direct ? output->direct_fd : output->fd,
                          .data = data,
                          .bytes = bytes,
                          .off = is_stream(sink) ? GSI_IO_STREAM : off,
                          .is_copy = !is_direct && !is_stream(sink),
                          .done = done};
    sink->pending++;
    gsi_loop_submit(sink->target->loop, io);
}

/* Returns whether a transfer went well. */
static bool end_write(struct gsi_sink *sink, struct gsi_io *io)
{
    sink->pending--;
    return gsi_loop_io_done(sink->target->loop, io, sink->target->output.name);
}

/* Returns a window to its set after it was written, or its rest was kept. */
static void give_window(struct gsi_sink *sink, struct gsi_buffer *window)
{
    gsi_loop_phase_counts(sink->target->loop)->bytes_written += window->bytes;
    gsi_buffers_return(sink->windows, window);
}

static void start_stream_head(struct gsi_sink *sink);

static void write_done(struct gsi_io *io)
{
    struct gsi_buffer *window = gsi_buffer_of_io(io);
    struct gsi_sink *sink = window->holder;
    sink->marked_pending -= place_of(window)->idx < sink->marked;
    if (!end_write(sink, io))
        return;
    give_window(sink, window);
    start_stream_head(sink);
}

static void header_done(struct gsi_io *io)
{
    struct gsi_sink *sink = GSI_CONTAINER_OF(io, struct gsi_sink, header_io);
    if (!end_write(sink, io))
        return;
    gsi_loop_phase_counts(sink->target->loop)->bytes_written += io->bytes;
    start_stream_head(sink);
}

/* Writes the header. A stream's windows wait for it as for each other. A file's header is written
 * last, because it may contain the number of elements. */
static void write_header(struct gsi_sink *sink)
{
    const struct gsi_target *target = sink->target;
    const struct gsi_header *header = &target->inputs->header;
    bool is_shared = target->output.kind == GSI_OUTPUT_SHARED;
    if (target->pack == NULL && header->bytes > 0)
        write_at(sink, &sink->header_io, header->data, header->bytes,
                 is_shared ? target->output.base_off : 0, false, header_done);
}

/* Returns the bytes of whole pages that end in this window. Its data begin as far into a page as
 * they will in the file, and the rest of the last window fits before them. */
static uint64_t take_pages(struct gsi_sink *sink, uint8_t *page, uint64_t bytes)
{
    uint64_t whole = gsi_round_down_u64(bytes, GSI_DIRECT_ALIGN);
    memcpy(page, sink->rest, sink->rest_bytes);
    sink->rest_bytes = (uint32_t)(bytes - whole);
    memcpy(sink->rest, page + whole, sink->rest_bytes);
    return whole;
}

/* Direct if aligned; the tail of the last window is padded and cut off again by the commit. */
static void write_window(struct gsi_sink *sink, struct gsi_buffer *window)
{
    const struct gsi_output *output = &sink->target->output;
    uint64_t lead = sink->rest_bytes, bytes = lead + window->bytes;
    uint64_t off = output->base_off + gsi_sink_file_bytes(sink) - lead;
    uint8_t *data = window->data - lead;
    if (sink->is_paged)
        bytes = take_pages(sink, data, bytes);
    uint64_t rounded = gsi_round_up_u64(bytes, GSI_DIRECT_ALIGN);
    bool is_direct = output->direct_fd >= 0 && sink->target->pack == NULL &&
                     off % GSI_DIRECT_ALIGN == 0 && (uintptr_t)data % GSI_DIRECT_ALIGN == 0 &&
                     (rounded == bytes || output->kind == GSI_OUTPUT_ATOMIC) &&
                     rounded <= window->capacity + lead;
    if (is_direct)
        memset(data + bytes, 0, rounded - bytes);
    window->holder = sink;
    place_of(window)->idx = sink->started++;
    if (bytes == 0)
        give_window(sink, window);
    else
        write_at(sink, &window->io, data, is_direct ? rounded : bytes, off, is_direct, write_done);
}

/* Begins to write the next window of a stream, after everything before it was written. */
static void start_stream_head(struct gsi_sink *sink)
{
    while (sink->pending == 0 && sink->waiting.head != NULL)
        write_window(sink, gsi_buffer_list_pop(&sink->waiting));
}

/* Accepts the next window, or compressed frame. */
static bool put(void *context, struct gsi_buffer *window)
{
    struct gsi_sink *sink = context;
    const uint64_t bytes = window->bytes;
    if (is_stream(sink)) {
        gsi_buffer_list_push(&sink->waiting, window);
        start_stream_head(sink);
    } else {
        write_window(sink, window);
    }
    *(sink->target->pack != NULL ? &sink->packed_bytes : &sink->bytes) += bytes;
    return false;
}

/* ---- begin and end ---- */

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
        sink->windows = gsi_zst_pack_begin(target->pack, &target->inputs->header, windows,
                                           (struct gsi_link){.context = sink, .accept = put});
    if (is_stream(sink))
        write_header(sink);
}

static void last_page_done(struct gsi_io *io)
{
    (void)end_write(GSI_CONTAINER_OF(io, struct gsi_sink, rest_io), io);
}

void gsi_sink_finish(struct gsi_sink *sink)
{
    if (sink->target->pack != NULL)
        gsi_zst_pack_end(sink->target->pack);
    if (!is_stream(sink))
        write_header(sink);
    if (sink->rest_bytes > 0)
        write_at(sink, &sink->rest_io, sink->rest, sink->rest_bytes,
                 gsi_sink_data_off(sink->target) + sink->bytes - sink->rest_bytes, false,
                 last_page_done);
}

bool gsi_sink_pump(struct gsi_sink *sink)
{
    return sink->target->pack != NULL && gsi_zst_pack_pump(sink->target->pack);
}

bool gsi_sink_is_idle(const struct gsi_sink *sink)
{
    return sink->pending == 0 &&
           (sink->target->pack == NULL || gsi_zst_pack_is_idle(sink->target->pack));
}

/* ---- outputs in memory ---- */

/* Returns the memory for the elements of the output: of an array, or of a mapped file. NULL: it is
 * written by transfers. */
static struct gsi_output_memory memory_of(const struct gsi_target *target)
{
    const struct gsi_memory_file *file = &target->memory_file;
    const uint64_t header = target->inputs->header.bytes;
    if (target->output.array != NULL)
        return (struct gsi_output_memory){.data = target->output.array->to, .bytes = UINT64_MAX};
    if (file->map == NULL || file->bytes < header)
        return (struct gsi_output_memory){0};
    return (struct gsi_output_memory){.data = file->map + header, .bytes = file->bytes - header};
}

static void end_window(struct gsi_sink *sink, struct gsi_buffer *window, uint8_t *to)
{
    if (sink->target->memory_file.map != NULL)
        gsi_memory_file_put(to, window->bytes);
    give_window(sink, window);
}

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
    end_window(sink, window, place_of(window)->to);
}

static void accept_in_memory(struct gsi_sink *sink, struct gsi_buffer *window, uint8_t *to)
{
    sink->bytes += window->bytes;
    if (window->data == to) {
        end_window(sink, window, to);
        return;
    }
    if (sink->target->output.array != NULL)
        sink->target->output.array->is_written = true;
    place_of(window)->to = to;
    window->holder = sink;
    window->task = (struct gsi_task){.run = copy, .done = copy_done, .is_urgent = true};
    sink->pending++;
    gsi_pool_submit(sink->target->loop->pool, &window->task);
}

struct gsi_output_memory gsi_sink_place(const struct gsi_target *target, uint64_t bytes)
{
    const struct gsi_loop *loop = target->loop;
    const struct gsi_device_ops *ops = loop->device->ops;
    const struct gsi_output_memory place = memory_of(target);
    if (place.data == NULL || bytes == 0 || gsi_target_has_blocks(target) ||
        (uintptr_t)place.data % loop->layout->align_bytes != 0 ||
        (ops->reaches != NULL && !ops->reaches(loop->device, place.data, bytes)))
        return (struct gsi_output_memory){0};
    if (target->output.array != NULL)
        target->output.array->is_written = true;
    return place;
}

/* ---- any output ---- */

void gsi_sink_accept(struct gsi_sink *sink, struct gsi_buffer *window)
{
    gsi_byte_order_turn(sink->target->spec->byte_order, gsi_target_layout(sink->target),
                        window->data, window->bytes);
    gsi_format_tally(sink->target->inputs, window->data, window->bytes);
    const struct gsi_output_memory place = memory_of(sink->target);
    if (place.data != NULL && sink->bytes + window->bytes <= place.bytes) {
        accept_in_memory(sink, window, place.data + sink->bytes);
        return;
    }
    if (sink->target->pack != NULL) {
        sink->bytes += window->bytes;
        gsi_zst_pack_accept(sink->target->pack, window);
        return;
    }
    uint64_t header = sink->target->inputs->header.bytes;
    gsi_output_extend(&sink->target->output, header + sink->bytes + window->bytes,
                      sink->target->loop->plan->disk_step_bytes, header + sink->total_bytes);
    put(sink, window);
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
    return sink->target->pack != NULL ? sink->packed_bytes
                                      : sink->target->inputs->header.bytes + sink->bytes;
}
