/* read_back.c: the output as the only input of a source.
 *
 * It runs on the job's threads, whatever device sorted: what a device did wrong twice would not be
 * found by it. */
#include "output/read_back.h"

#include "base/checked.h"
#include "element/element_ops.h"
#include "input/source.h"
#include "input/zst/frames_reader.h"
#include "loop/reorder.h"
#include "output/stream_check.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The first one is empty: the header of the job's first input is kept, this one's is known. */
#define INPUT_COUNT 2

struct read_back {
    struct gsi_job *job;
    struct gsi_buffers *windows;
    struct gsi_input inputs[INPUT_COUNT];
    struct gsi_source source;
    struct gsi_stream_check seam;
    struct gsi_reorder turns;
    uint64_t sent_count;
};

enum gs_status gsi_read_back_check(const struct gsi_job *job)
{
    const struct gs_options *options = job->options;
    if (!options->verify_read)
        return GS_OK;
    if (options->unique_counts)
        return gsi_fail(job->error, GS_E_USAGE, 0,
                        "--verify=read: the counts that --count writes are no elements; leave one "
                        "of them out");
    if (job->has_output && job->output.kind != GSI_OUTPUT_ATOMIC)
        return gsi_fail(job->error, GS_E_USAGE, 0,
                        "--verify=read: '%s' cannot be read back; write to a file by --output",
                        job->output.name);
    return GS_OK;
}

void gsi_read_back_plan(const struct gs_options *options, struct gs_plan *plan)
{
    if (options->verify_read && plan->input_bytes != UINT64_MAX)
        plan->read_bytes += plan->output_bytes;
}

static enum gs_status fail_different(const struct gsi_job *job, const char *what)
{
    return gsi_fail(job->error, GS_E_VERIFY, 0,
                    "'%s': %s was read back from the disk otherwise than it was written; nothing "
                    "is left of it: check the disk and the memory of this machine",
                    job->output.name, what);
}

static void imprint_window(struct gsi_task *task, uint32_t worker_idx)
{
    (void)worker_idx;
    struct gsi_buffer *window = gsi_buffer_of_task(task);
    const struct read_back *back = window->holder;
    const struct gsi_layout *layout = &back->job->layout;
    size_t n = window->bytes / layout->element_bytes;
    window->imprint = GSI_IMPRINT_EMPTY;
    layout->ops->imprint(layout, &window->imprint, window->data, n);
}

static void imprint_done(struct gsi_task *task)
{
    struct gsi_buffer *window = gsi_buffer_of_task(task);
    struct read_back *back = window->holder;
    gsi_reorder_add(&back->turns, window);
    while ((window = gsi_reorder_take(&back->turns)) != NULL) {
        gsi_stream_check_join(&back->seam, window);
        gsi_buffers_give(back->windows, window);
    }
}

static bool pump(struct read_back *back)
{
    struct gsi_buffer *window;
    bool has_moved = gsi_source_refill(&back->source, back->windows);
    while ((window = gsi_source_next_filled(&back->source, back->windows)) != NULL) {
        has_moved = true;
        window->turn_idx = back->sent_count++;
        window->holder = back;
        window->task = (struct gsi_task){.run = imprint_window, .done = imprint_done};
        gsi_pool_submit(back->job->pool, &window->task);
    }
    return has_moved;
}

static enum gs_status drive(struct read_back *back)
{
    for (;;) {
        if (pump(back))
            continue;
        if (gsi_source_is_end(&back->source) && back->turns.next == back->sent_count)
            return GS_OK;
        GSI_TRY(gsi_job_wait(back->job));
    }
    return GS_OK;
}

/* Packed, the header is part of what each frame's checksum is of. */
static enum gs_status check_header(const struct read_back *back)
{
    const struct gsi_job *job = back->job;
    const struct gsi_input *input = &back->inputs[1];
    uint8_t part[4096];
    for (uint64_t off = 0, bytes; job->pack == NULL && off < job->header_bytes; off += bytes) {
        bytes = gsi_min_u64(sizeof part, job->header_bytes - off);
        int64_t moved = gsi_file_read(input->fd, part, bytes, off);
        if (moved < 0)
            return gsi_fail(job->error, gsi_status_of_errno(errno), errno,
                            "'%s': cannot be read back", job->output.name);
        if ((uint64_t)moved < bytes || memcmp(part, job->header + off, bytes) != 0)
            return fail_different(job, "its header");
    }
    return GS_OK;
}

/* The file as an input, packed or not. */
static enum gs_status open_file(struct read_back *back)
{
    const struct gsi_job *job = back->job;
    struct gsi_input *input = &back->inputs[1];
    uint64_t header = job->header_bytes, all = job->report->output_file_bytes;
    enum gs_status status =
        job->pack != NULL
            ? gsi_output_reread(&job->output, 0, all, input, job->error)
            : gsi_output_reread(&job->output, header, all - header, input, job->error);
    if (job->pack != NULL) {
        input->coding = GSI_CODING_ZSTD;
        input->is_stream = true;
        input->bytes = UINT64_MAX;
        input->skip_bytes = header;
    }
    return status;
}

/* The source and what unpacks for it read job->inputs. */
static enum gs_status read_all(struct read_back *back)
{
    struct gsi_job *job = back->job;
    struct gsi_input *inputs = job->inputs;
    size_t input_count = job->input_count;
    bool rests_inputs = job->rests_inputs;
    job->inputs = back->inputs;
    job->input_count = INPUT_COUNT;
    job->rests_inputs = false;
    gsi_frames_reader_rewind(job->unpack);
    enum gs_status status = gsi_source_init(&back->source, job);
    if (status == GS_OK)
        status = drive(back);
    if (status != GS_OK)
        gsi_job_drain(job);
    gsi_source_clear(&back->source);
    job->inputs = inputs;
    job->input_count = input_count;
    job->rests_inputs = rests_inputs;
    return status;
}

/* A file that cannot be read as one of the kind is no wrong input: gsort wrote it. */
static enum gs_status as_verified(struct gsi_job *job, enum gs_status status)
{
    if (status != GS_E_INPUT)
        return status;
    memset(job->error, 0, sizeof *job->error);
    return fail_different(job, "what is packed there");
}

enum gs_status gsi_read_back(struct gsi_job *job, struct gsi_buffers *windows,
                             const struct gsi_imprint *wanted)
{
    enum gs_status status = GS_OK;
    if (!job->options->verify_read)
        return GS_OK;
    struct read_back back = {.job = job, .windows = windows};
    back.inputs[0] = (struct gsi_input){.fd = -1, .direct_fd = -1, .is_sniffed = true};
    gsi_job_phase(job, GS_PHASE_READ_BACK, job->report->output_file_bytes);
    GSI_TRY_OR(gsi_stream_check_init(&back.seam, &job->layout, &job->ledger, job->error), done);
    GSI_TRY_OR(open_file(&back), done);
    GSI_TRY_OR(check_header(&back), done);
    GSI_TRY_OR(as_verified(job, read_all(&back)), done);
    const struct gsi_imprint *got = &back.seam.imprint;
    if (got->count != wanted->count || got->disorder_idx != UINT64_MAX ||
        memcmp(got->fingerprint, wanted->fingerprint, sizeof got->fingerprint) != 0)
        GSI_TRY_OR(fail_different(job, "what is there"), done);
done:
    gsi_input_close(&back.inputs[1]);
    gsi_stream_check_clear(&back.seam);
    return status;
}
