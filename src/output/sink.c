/* sink.c: positions and transfers of output windows. */
#include "output/sink.h"

#include "base/checked.h"
#include "output/zst_pack.h"
#include "resume/resume.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

uint64_t gsi_sink_data_off(const struct gsi_job *job)
{
    return job->output.base_off + job->header_bytes;
}

static void header_done(struct gsi_io *io);

static bool is_in_order(const struct gsi_sink *sink)
{
    return sink->job->pack != NULL || sink->job->output.kind == GSI_OUTPUT_STREAM;
}

/* What stands before the data. A stream's windows wait for it as for each other; into a file it is
 * written last, for it may say how many elements there are. */
static void write_header(struct gsi_sink *sink)
{
    struct gsi_job *job = sink->job;
    bool is_stream = job->output.kind == GSI_OUTPUT_STREAM;
    if (job->pack != NULL)
        gsi_zst_pack_put(job->pack, job->header, job->header_bytes);
    if (job->pack != NULL || job->header_bytes == 0)
        return;
    sink->header_io = (struct gsi_io){.op = GSI_IO_WRITE,
                                      .fd = job->output.fd,
                                      .data = job->header,
                                      .bytes = job->header_bytes,
                                      .off = is_stream ? GSI_IO_STREAM : job->output.base_off,
                                      .is_copy = !is_stream,
                                      .done = header_done};
    sink->pending++;
    gsi_job_submit(job, &sink->header_io);
}

void gsi_sink_init(struct gsi_sink *sink, struct gsi_job *job, struct gsi_buffers *windows,
                   uint64_t total_bytes)
{
    const struct gsi_output *output = &job->output;
    *sink = (struct gsi_sink){.job = job, .windows = windows};
    sink->total_bytes = gsi_min_u64(total_bytes, INT64_MAX - job->header_bytes);
    sink->tail = &sink->head;
    sink->is_paged = job->pack == NULL && job->layout.align_bytes == 1 && !job->options->unique &&
                     output->direct_fd >= 0 && gsi_sink_data_off(job) % GSI_DIRECT_ALIGN == 0;
    if (job->pack != NULL)
        gsi_zst_pack_begin(job->pack, windows, &sink->pending);
    if (is_in_order(sink))
        write_header(sink);
}

static void start_stream_head(struct gsi_sink *sink)
{
    struct gsi_buffer *window = sink->head;
    if (window == NULL)
        return;
    if ((sink->head = window->next) == NULL)
        sink->tail = &sink->head;
    sink->pending++;
    gsi_job_submit(sink->job, &window->io);
}

static void header_done(struct gsi_io *io)
{
    struct gsi_sink *sink = GSI_CONTAINER_OF(io, struct gsi_sink, header_io);
    bool is_good = gsi_job_io_done(sink->job, io, sink->job->output.name);
    sink->pending--;
    if (!is_good)
        return;
    sink->job->report->phases[sink->job->phase].bytes_written += io->bytes;
    if (sink->job->output.kind == GSI_OUTPUT_STREAM)
        start_stream_head(sink);
}

/* A window that is written, or kept to be, goes back. */
static void give_window(struct gsi_sink *sink, struct gsi_buffer *window)
{
    sink->job->report->phases[sink->job->phase].bytes_written += window->bytes;
    gsi_buffers_give(sink->windows, window);
}

static void write_done(struct gsi_io *io)
{
    struct gsi_buffer *window = gsi_buffer_of_io(io);
    struct gsi_sink *sink = window->holder;
    struct gsi_job *job = sink->job;
    bool is_good = gsi_job_io_done(job, io, job->output.name);
    sink->pending--;
    sink->marked_pending -= window->state.written.idx < sink->marked;
    if (!is_good)
        return;
    give_window(sink, window);
    if (job->output.kind == GSI_OUTPUT_STREAM)
        start_stream_head(sink);
}

/* Direct if aligned; the tail of the last window is padded and cut off again by the commit. */
static void prepare(struct gsi_sink *sink, struct gsi_buffer *window)
{
    const struct gsi_output *output = &sink->job->output;
    uint64_t off = gsi_sink_data_off(sink->job) + sink->bytes;
    uint64_t rounded = gsi_round_up_u64(window->bytes, GSI_DIRECT_ALIGN);
    bool is_direct = output->direct_fd >= 0 && off % GSI_DIRECT_ALIGN == 0 &&
                     (uintptr_t)window->data % GSI_DIRECT_ALIGN == 0 &&
                     (rounded == window->bytes || output->kind == GSI_OUTPUT_ATOMIC) &&
                     rounded <= window->capacity;
    if (is_direct)
        memset(window->data + window->bytes, 0, rounded - window->bytes);
    window->holder = sink;
    window->state.written.idx = sink->started++;
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
    window->state.written.idx = sink->started++;
    window->io = (struct gsi_io){.op = GSI_IO_WRITE,
                                 .fd = sink->job->output.direct_fd,
                                 .data = page,
                                 .bytes = whole,
                                 .off = gsi_sink_data_off(sink->job) + sink->bytes - lead,
                                 .done = write_done};
    sink->bytes += window->bytes;
    if (whole == 0) {
        give_window(sink, window);
        return;
    }
    sink->pending++;
    gsi_job_submit(sink->job, &window->io);
}

static void rest_done(struct gsi_io *io)
{
    struct gsi_sink *sink = GSI_CONTAINER_OF(io, struct gsi_sink, rest_io);
    gsi_job_io_done(sink->job, io, sink->job->output.name);
    sink->pending--;
}

void gsi_sink_finish(struct gsi_sink *sink)
{
    if (sink->job->pack != NULL)
        gsi_zst_pack_end(sink->job->pack);
    if (!is_in_order(sink))
        write_header(sink);
    if (sink->rest_bytes == 0)
        return;
    const struct gsi_output *output = &sink->job->output;
    sink->rest_io =
        (struct gsi_io){.op = GSI_IO_WRITE,
                        .fd = output->fd,
                        .data = sink->rest,
                        .bytes = sink->rest_bytes,
                        .off = gsi_sink_data_off(sink->job) + sink->bytes - sink->rest_bytes,
                        .is_copy = true,
                        .done = rest_done};
    sink->pending++;
    gsi_job_submit(sink->job, &sink->rest_io);
}

void gsi_sink_take(struct gsi_sink *sink, struct gsi_buffer *window)
{
    if (sink->job->pack != NULL) {
        sink->bytes += window->bytes;
        gsi_zst_pack_take(sink->job->pack, window);
        return;
    }
    uint64_t header = sink->job->header_bytes;
    gsi_output_extend(&sink->job->output, header + sink->bytes + window->bytes,
                      sink->job->report->plan.disk_step_bytes, header + sink->total_bytes);
    if (sink->is_paged) {
        take_pages(sink, window);
        return;
    }
    prepare(sink, window);
    sink->bytes += window->bytes;
    if (sink->job->output.kind != GSI_OUTPUT_STREAM) {
        sink->pending++;
        gsi_job_submit(sink->job, &window->io);
        return;
    }
    window->next = NULL;
    *sink->tail = window;
    sink->tail = &window->next;
    if (sink->pending == 0)
        start_stream_head(sink);
}

enum gs_status gsi_sink_restore(struct gsi_sink *sink, uint64_t bytes, const void *rest,
                                uint32_t rest_bytes)
{
    struct gsi_job *job = sink->job;
    struct gsi_output *output = &job->output;
    struct stat info;
    uint64_t end = gsi_sink_data_off(job) + bytes;
    if (fstat(output->fd, &info) != 0)
        return gsi_fail(job->error, GS_E_IO, errno, "'%s': cannot ask for its size", output->name);
    if ((uint64_t)info.st_size < end - rest_bytes)
        return gsi_resume_fail_wrong(job->resume);
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
                        : gsi_fail(job->error, gsi_status_of_errno(refusal), refusal,
                                   "'%s': cannot write at byte %llu", output->name,
                                   (unsigned long long)(end - rest_bytes));
}

void gsi_sink_mark(struct gsi_sink *sink)
{
    sink->marked = sink->started;
    sink->marked_pending = sink->pending;
}

bool gsi_sink_is_settled(const struct gsi_sink *sink)
{
    return sink->marked_pending == 0;
}

uint64_t gsi_sink_file_bytes(const struct gsi_sink *sink)
{
    return sink->job->pack != NULL ? gsi_zst_pack_written(sink->job->pack)
                                   : sink->job->header_bytes + sink->bytes;
}
