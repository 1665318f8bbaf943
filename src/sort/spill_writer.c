/* spill_writer.c: frames on their way to disk. */
#include "sort/spill_writer.h"

#include "base/checked.h"

#include <string.h>

enum gs_status gsi_spill_writer_init(struct gsi_spill_writer *writer, struct gsi_job *job,
                                     struct gsi_buffers *windows, struct gsi_spilled_run *run,
                                     uint64_t key_count)
{
    uint64_t per_frame = (windows->unit_bytes - GSI_FRAME_HEADER_BYTES) / job->layout.key_bytes;
    *writer = (struct gsi_spill_writer){.job = job, .windows = windows, .run = run};
    writer->tail = &writer->head;
    return gsi_spilled_run_reserve(&job->ledger, run, gsi_ceil_div_u64(key_count, per_frame),
                                   job->error);
}

static void seal(struct gsi_task *task, uint32_t worker_idx)
{
    (void)worker_idx;
    struct gsi_buffer *window = gsi_buffer_of_task(task);
    const struct gsi_spill_writer *writer = window->holder;
    const struct gsi_layout *layout = &writer->job->layout;
    window->sequence = gsi_frame_seal(layout, window->data - GSI_FRAME_HEADER_BYTES,
                                      (uint32_t)(window->bytes / layout->key_bytes));
}

static void write_done(struct gsi_io *io)
{
    struct gsi_buffer *window = gsi_buffer_of_io(io);
    struct gsi_spill_writer *writer = window->holder;
    struct gsi_job *job = writer->job;
    bool is_good = gsi_job_io_done(job, io, "temporary file");
    writer->pending--;
    if (!is_good)
        return;
    job->report->phases[job->phase].bytes_written += io->bytes;
    gsi_buffers_give(writer->windows, window);
}

static void place_and_write(struct gsi_spill_writer *writer, struct gsi_buffer *window)
{
    struct gsi_job *job = writer->job;
    uint32_t key_bytes = job->layout.key_bytes;
    struct gsi_frame_ref ref = {.bytes = (uint32_t)window->sequence,
                                .count = (uint32_t)(window->bytes / key_bytes)};
    memcpy(ref.first_key, window->data, key_bytes);
    gsi_spill_place(&job->store, ref.bytes, &ref.file_idx, &ref.off);
    const struct gsi_spill_file *file = &job->store.files[ref.file_idx];
    window->io = (struct gsi_io){.op = GSI_IO_WRITE,
                                 .fd = file->fd,
                                 .data = window->data - GSI_FRAME_HEADER_BYTES,
                                 .bytes = ref.bytes,
                                 .off = ref.off,
                                 .is_copy = !file->is_direct,
                                 .done = write_done};
    gsi_spilled_run_append(writer->run, &ref);
    gsi_job_submit(job, &window->io);
}

/* Threads may finish out of order; the frames of a run lie in key order all the same. */
static void seal_done(struct gsi_task *task)
{
    struct gsi_buffer *sealed = gsi_buffer_of_task(task);
    struct gsi_spill_writer *writer = sealed->holder;
    sealed->is_ready = true;
    while (writer->head != NULL && writer->head->is_ready && writer->job->error->status == GS_OK) {
        struct gsi_buffer *window = writer->head;
        if ((writer->head = window->next) == NULL)
            writer->tail = &writer->head;
        place_and_write(writer, window);
    }
}

void gsi_spill_writer_take(void *context, struct gsi_buffer *window)
{
    struct gsi_spill_writer *writer = context;
    window->holder = writer;
    window->is_ready = false;
    window->next = NULL;
    *writer->tail = window;
    writer->tail = &window->next;
    writer->pending++;
    window->task = (struct gsi_task){.run = seal, .done = seal_done, .is_urgent = true};
    gsi_pool_submit(writer->job->pool, &window->task);
}
