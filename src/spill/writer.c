/* writer.c: makes frames of windows, writes them to disk, and counts written runs. To seal a frame
 * is to write its header and checksums, and to compress it if the codec choice says so. */
#include "spill/spill.h"

#include "base/checked.h"
#include "base/clock.h"

/* Initial capacity for the frames of a run of unknown length; it doubles. */
#define UNKNOWN_FRAMES 64u

enum gs_status gsi_spill_writer_init(struct gsi_spill_writer *writer, struct gsi_loop *loop,
                                     struct gsi_spill *spill, struct gsi_buffers *windows,
                                     struct gsi_spilled_run *run, uint64_t key_count)
{
    uint64_t per_frame = windows->all[0].capacity / loop->layout->key_bytes;
    *writer =
        (struct gsi_spill_writer){.loop = loop, .spill = spill, .windows = windows, .run = run};
    gsi_buffer_list_init(&writer->sealing);
    gsi_codec_choice_begin_run(&spill->choice);
    uint64_t frames =
        key_count == UINT64_MAX ? UNKNOWN_FRAMES : gsi_ceil_div_u64(key_count, per_frame);
    return gsi_spilled_run_alloc(&loop->ledger, run, frames, loop->error);
}

struct seal {
    uint64_t frame_idx; /* index in its run; set after sealing */
    uint64_t code_ns;   /* duration of sealing */
    bool is_coded, is_sealed;
};

GSI_HOLDER_STATE(seal_of, struct seal)

static void seal_frame(struct gsi_task *task, uint32_t worker_idx)
{
    struct gsi_buffer *window = gsi_buffer_of_task(task);
    const struct gsi_spill_writer *writer = window->holder;
    const struct gsi_layout *layout = writer->loop->layout;
    struct gsi_coder *coder =
        seal_of(window)->is_coded ? gsi_codec_coder(&writer->spill->codec, worker_idx) : NULL;
    uint64_t begin_ns = gsi_clock_ns();
    gsi_frame_seal(layout, window->data - GSI_FRAME_HEADER_BYTES,
                   (uint32_t)(window->bytes / layout->key_bytes), coder, &window->packed);
    seal_of(window)->code_ns = gsi_clock_ns() - begin_ns;
}

static void write_done(struct gsi_io *io);

/* Allocates disk for the frame and starts to write it. If all disks are full, the job fails. */
static void allocate_and_write(struct gsi_spill_writer *writer, struct gsi_buffer *window,
                               struct gsi_frame_ref *ref)
{
    struct gsi_spill_store *store = &writer->spill->store;
    const struct gsi_spilled_run *run = writer->run;
    if (gsi_spill_allocate_frame(store, (uint64_t)(ref - run->frames), run->frame_capacity, ref,
                                 writer->loop->error) != GS_OK)
        return;
    window->io = (struct gsi_io){.op = GSI_IO_WRITE,
                                 .fd = store->files[ref->file_idx].fd,
                                 .data = window->data - GSI_FRAME_HEADER_BYTES,
                                 .bytes = ref->bytes,
                                 .off = ref->off,
                                 .is_copy = !gsi_spill_directory_of(store, ref)->is_direct,
                                 .done = write_done};
    gsi_loop_submit(writer->loop, &window->io);
}

static void write_done(struct gsi_io *io)
{
    struct gsi_buffer *window = gsi_buffer_of_io(io);
    struct gsi_spill_writer *writer = window->holder;
    struct gsi_loop *loop = writer->loop;
    struct gsi_spill *spill = writer->spill;
    struct gsi_frame_ref *ref = &writer->run->frames[seal_of(window)->frame_idx];
    /* If the file system cannot allocate disk in advance, a write may fail because the disk is
     * full. Then the frame is written to another directory. */
    if (gsi_status_of_errno(io->sys_errno) == GS_E_SPACE && !gsi_loop_has_failed(loop)) {
        gsi_loop_count_io_end(loop, io);
        gsi_spill_frame_refused(&spill->store, ref);
        allocate_and_write(writer, window, ref);
        return;
    }
    bool is_good = gsi_spill_io_done(loop, spill, io, ref);
    writer->pending--;
    if (!is_good)
        return;
    gsi_spill_frame_written(&spill->store, ref);
    if (!seal_of(window)->is_coded)
        gsi_codec_choice_write_ends(&spill->choice, io->bytes, gsi_clock_ns());
    gsi_loop_phase_counts(loop)->bytes_written += io->bytes;
    gsi_spill_drop_cache(io);
    gsi_buffers_return(writer->windows, window);
}

/* Adds a sealed window to the run as its next frame. */
static void add_frame(struct gsi_spill_writer *writer, struct gsi_buffer *window)
{
    struct gsi_loop *loop = writer->loop;
    struct gsi_codec_choice *choice = &writer->spill->choice;
    struct gsi_spilled_run *run = writer->run;
    struct gsi_frame_ref ref = gsi_frame_ref_of(window->data - GSI_FRAME_HEADER_BYTES);
    if (run->frame_count == run->frame_capacity &&
        gsi_spilled_run_grow(&loop->ledger, run, loop->error) != GS_OK)
        return;
    gsi_spilled_run_append(run, &ref);
    if (seal_of(window)->is_coded)
        gsi_codec_choice_frame_coded(choice, window->bytes, ref.bytes, seal_of(window)->code_ns);
    else
        gsi_codec_choice_write_begins(choice, gsi_clock_ns());
    seal_of(window)->frame_idx = run->frame_count - 1;
    allocate_and_write(writer, window, &run->frames[run->frame_count - 1]);
}

/* Threads may seal windows out of order, but frames are added to the run in key order. So each call
 * adds all sealed windows at the head of the list. */
static void seal_frame_done(struct gsi_task *task)
{
    struct gsi_buffer *sealed = gsi_buffer_of_task(task);
    struct gsi_spill_writer *writer = sealed->holder;
    seal_of(sealed)->is_sealed = true;
    while (writer->sealing.head != NULL && seal_of(writer->sealing.head)->is_sealed &&
           writer->loop->error->status == GS_OK)
        add_frame(writer, gsi_buffer_list_pop(&writer->sealing));
}

bool gsi_spill_writer_accept(void *context, struct gsi_buffer *window)
{
    struct gsi_spill_writer *writer = context;
    window->holder = writer;
    seal_of(window)->is_sealed = false;
    /* A window that a device has split into planes must be compressed, even if gsort has since
     * decided against compression. */
    bool is_coded = gsi_codec_choice_next_frame(&writer->spill->choice);
    seal_of(window)->is_coded = is_coded || window->packed.is_packed;
    gsi_buffer_list_push(&writer->sealing, window);
    writer->pending++;
    window->task = (struct gsi_task){.run = seal_frame, .done = seal_frame_done, .is_urgent = true};
    gsi_pool_submit(writer->loop->pool, &window->task);
    return false;
}

void gsi_spill_count_run(struct gsi_spill *spill, const struct gsi_spilled_run *run,
                         uint32_t key_bytes)
{
    spill->run_count++;
    spill->coded_run_count += spill->choice.is_coding;
    spill->key_bytes += run->key_count * key_bytes;
    spill->frame_bytes += run->bytes;
}
