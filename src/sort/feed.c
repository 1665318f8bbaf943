/* feed.c: frames on their way from disk into a merge. */
#include "sort/feed.h"

#include <string.h>

void gsi_feed_clear(struct gsi_feed *feed)
{
    if (feed->job == NULL)
        return;
    struct gsi_ledger *ledger = &feed->job->ledger;
    gsi_memory_free(ledger, feed->runs, feed->run_count, sizeof *feed->runs);
    gsi_memory_free(ledger, feed->input_idx, feed->run_count, sizeof *feed->input_idx);
    gsi_memory_free(ledger, feed->order, feed->frame_count, sizeof *feed->order);
    *feed = (struct gsi_feed){0};
}

enum gs_status gsi_feed_init(struct gsi_feed *feed, struct gsi_job *job,
                             struct gsi_buffers *buffers, const struct gsi_spilled_run *const *runs,
                             const uint32_t *input_idx, uint32_t run_count)
{
    enum gs_status status = GS_OK;
    struct gsi_ledger *ledger = &job->ledger;
    void *memory;
    *feed = (struct gsi_feed){.job = job, .buffers = buffers, .run_count = run_count};
    feed->tail = &feed->head;
    for (uint32_t i = 0; i < run_count; i++)
        feed->frame_count += runs[i]->frame_count;
    GSI_TRY(gsi_memory_alloc(ledger, run_count, sizeof *feed->runs, &memory, job->error));
    feed->runs = memory;
    memcpy(memory, runs, run_count * sizeof *runs);
    GSI_TRY(gsi_memory_alloc(ledger, run_count, sizeof *feed->input_idx, &memory, job->error));
    feed->input_idx = memory;
    memcpy(memory, input_idx, run_count * sizeof *input_idx);
    GSI_TRY(gsi_memory_alloc(ledger, feed->frame_count, sizeof *feed->order, &memory, job->error));
    feed->order = memory;
    gsi_predict(&job->layout, runs, run_count, feed->order);
    gsi_release_init(&feed->release, job, feed->runs, feed->order);
    return GS_OK;
fail:
    gsi_feed_clear(feed);
    return status;
}

static const struct gsi_frame_ref *frame_of(const struct gsi_feed *feed, uint64_t order_idx)
{
    const struct gsi_predicted *at = &feed->order[order_idx];
    return &feed->runs[at->run_idx]->frames[at->frame_idx];
}

static void open_frame(struct gsi_task *task, uint32_t worker_idx)
{
    struct gsi_buffer *buffer = gsi_buffer_of_task(task);
    const struct gsi_feed *feed = buffer->holder;
    const struct gsi_frame_ref *ref = frame_of(feed, buffer->sequence);
    buffer->bytes = (size_t)ref->count * feed->job->layout.key_bytes;
    buffer->packed.is_packed = feed->job->device->ops->takes_packed;
    gsi_frame_open(&feed->job->layout, buffer->data - GSI_FRAME_HEADER_BYTES,
                   buffer->capacity + GSI_FRAME_HEADER_BYTES, ref,
                   gsi_codec_coder(&feed->job->codec, worker_idx), &buffer->packed,
                   &buffer->damage);
}

static void open_done(struct gsi_task *task)
{
    struct gsi_buffer *buffer = gsi_buffer_of_task(task);
    const struct gsi_feed *feed = buffer->holder;
    const struct gsi_frame_ref *ref = frame_of(feed, buffer->sequence);
    buffer->is_ready = true;
    if (buffer->damage != NULL)
        gsi_fail(feed->job->error, GS_E_CORRUPT, 0,
                 "temporary file in '%s': %s, at byte %llu; check the disk and the memory",
                 gsi_spill_is_in_memory(&feed->job->store, ref)
                     ? "memory"
                     : gsi_spill_directory_of(&feed->job->store, ref)->path,
                 buffer->damage, (unsigned long long)ref->off);
}

static void read_done(struct gsi_io *io)
{
    struct gsi_buffer *buffer = gsi_buffer_of_io(io);
    const struct gsi_feed *feed = buffer->holder;
    struct gsi_job *job = feed->job;
    if (!gsi_job_io_done(job, io, "temporary file"))
        return;
    if (io->moved < io->bytes) {
        gsi_fail(job->error, GS_E_CORRUPT, 0, "temporary file: ends early, at byte %llu",
                 (unsigned long long)(io->off + io->moved));
        return;
    }
    const struct gsi_frame_ref *ref = frame_of(feed, buffer->sequence);
    if (!gsi_spill_is_in_memory(&job->store, ref))
        job->report->phases[job->phase].bytes_read += io->bytes;
    gsi_spill_uncache(io);
    buffer->task = (struct gsi_task){.run = open_frame, .done = open_done, .is_urgent = true};
    gsi_pool_submit(job->pool, &buffer->task);
}

static void start_read(struct gsi_feed *feed, struct gsi_buffer *buffer)
{
    const struct gsi_frame_ref *ref = frame_of(feed, feed->next_frame);
    const struct gsi_spill_store *store = &feed->job->store;
    buffer->holder = feed;
    buffer->sequence = feed->next_frame++;
    buffer->next = NULL;
    *feed->tail = buffer;
    feed->tail = &buffer->next;
    buffer->io = (struct gsi_io){.op = GSI_IO_READ,
                                 .fd = store->files[ref->file_idx].fd,
                                 .data = buffer->data - GSI_FRAME_HEADER_BYTES,
                                 .bytes = ref->bytes,
                                 .off = ref->off,
                                 .is_copy = !gsi_spill_directory_of(store, ref)->is_direct,
                                 .done = read_done};
    gsi_job_submit(feed->job, &buffer->io);
}

bool gsi_feed_pump(struct gsi_feed *feed)
{
    bool has_moved = false;
    struct gsi_buffer *buffer;
    while (feed->next_frame < feed->frame_count &&
           (buffer = gsi_buffers_take(feed->buffers)) != NULL) {
        start_read(feed, buffer);
        has_moved = true;
    }
    while (feed->head != NULL && feed->head->is_ready && !gsi_release_is_full(&feed->release)) {
        buffer = feed->head;
        if ((feed->head = buffer->next) == NULL)
            feed->tail = &feed->head;
        const struct gsi_predicted *at = &feed->order[buffer->sequence];
        const struct gsi_spilled_run *run = feed->runs[at->run_idx];
        bool is_last = at->frame_idx + 1 == run->frame_count;
        feed->job->device->ops->merge_feed(feed->merge, feed->input_idx[at->run_idx], buffer,
                                           is_last ? NULL
                                                   : run->frames[at->frame_idx + 1].first_key);
        gsi_release_add(&feed->release, ++feed->fed_count == feed->frame_count);
        has_moved = true;
    }
    return has_moved;
}
