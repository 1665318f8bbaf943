/* header.c: from names and first bytes to the packing and unpacking of a job. */
#include "input/header.h"

#include "base/checked.h"
#include "element/key_type.h"
#include "input/npy/npy_input.h"
#include "input/sniff.h"
#include "input/zst/frames_reader.h"
#include "output/zst_pack.h"

#include <stdlib.h>
#include <string.h>

/* What zstd(1) makes at levels up to 19, without --long, looks back this far at most. That, or this
 * part of memory, is planned for whatever the first frame says: others may follow. */
#define WINDOW_BYTES ((uint64_t)8 << 20)
#define WINDOW_PART  8

/* Pieces beside each other take this part of memory at most, but for the first. */
#define PIECES_PART 8

static void sniff_done(struct gsi_sniff *sniff)
{
    (void)sniff;
}

/* Bytes of an input's header, as they come: what --header copies. */
static void keep_bytes(struct gsi_job *job, const struct gsi_input *input, const uint8_t *data,
                       uint64_t bytes)
{
    if (input != job->inputs || job->options->header_bytes == 0)
        return;
    memcpy(job->header + job->header_bytes, data, bytes);
    job->header_bytes += bytes;
}

struct header_read {
    struct gsi_io io;
    struct gsi_job *job;
    struct gsi_input *input;
    bool is_done;
};

static void header_done(struct gsi_io *io)
{
    struct header_read *read = GSI_CONTAINER_OF(io, struct header_read, io);
    read->is_done = true;
    if (gsi_job_io_done(read->job, io, read->input->name)) {
        read->job->header_bytes += io->moved;
        read->input->skip_bytes -= io->moved;
    }
}

/* A merge writes the header before it has read anything else: that of a stream is waited for. If it
 * ends in there, whoever reads on finds out. */
static enum gs_status wait_for_header(struct gsi_job *job, struct gsi_input *input)
{
    enum gs_status status = GS_OK;
    struct header_read read = {.job = job, .input = input};
    uint64_t known = gsi_min_u64(input->head_bytes - input->head_off, input->skip_bytes);
    if (known > 0)
        keep_bytes(job, input, input->head + input->head_off, known);
    input->head_off += known;
    input->skip_bytes -= known;
    if (input->skip_bytes == 0)
        return GS_OK;
    read.io = (struct gsi_io){.op = GSI_IO_READ,
                              .fd = input->fd,
                              .data = job->header + job->header_bytes,
                              .bytes = input->skip_bytes,
                              .off = GSI_IO_STREAM,
                              .done = header_done};
    gsi_job_submit(job, &read.io);
    while (status == GS_OK && !read.is_done)
        status = gsi_job_wait(job);
    if (status != GS_OK)
        gsi_job_drain(job);
    return status;
}

static enum gs_status look(struct gsi_job *job, struct gsi_input *input)
{
    struct gsi_sniff sniff;
    enum gs_status status = GS_OK;
    enum gs_action action = job->options->action;
    bool takes_nothing = action == GS_ACTION_EXPLAIN || action == GS_ACTION_LOOK; /* from streams */
    input->is_sniffed = job->options->raw || (input->is_stream && takes_nothing);
    if (input->is_sniffed)
        return gsi_header_settle(job, input);
    if (input->is_stream && job->has_stream && !job->options->merge)
        return GS_OK;
    job->has_stream |= input->is_stream;
    gsi_sniff_start(&sniff, job, input, sniff_done);
    while (status == GS_OK && !input->is_sniffed)
        status = gsi_job_wait(job);
    if (status != GS_OK)
        gsi_job_drain(job);
    return status == GS_OK ? gsi_header_settle(job, input) : status;
}

enum gs_status gsi_header_look(struct gsi_job *job, struct gsi_input *input)
{
    enum gs_status status = look(job, input);
    const struct gs_options *options = job->options;
    bool is_wanted = options->merge && options->action == GS_ACTION_SORT &&
                     options->header_bytes > 0 && input == job->inputs && input->is_stream &&
                     input->coding == GSI_CODING_NONE;
    return status == GS_OK && is_wanted ? wait_for_header(job, input) : status;
}

enum gs_status gsi_header_settle(struct gsi_job *job, struct gsi_input *input)
{
    enum gs_status status = job->error->status;
    uint64_t header = job->options->header_bytes;
    if (status != GS_OK || header == 0)
        return status;
    /* Of a file the header is there to be read; a stream's comes with its data. */
    if (!input->is_stream && input == job->inputs && header <= input->bytes) {
        GSI_TRY(gsi_input_read(input, job->header, header, 0, job->error));
        job->header_bytes = header;
    }
    GSI_TRY(gsi_input_skip(input, header, job->error));
    return status;
}

uint64_t gsi_header_strip(struct gsi_job *job, struct gsi_input *input, uint8_t *data,
                          uint64_t bytes)
{
    uint64_t skipped = gsi_min_u64(bytes, input->skip_bytes);
    if (skipped == 0)
        return bytes;
    keep_bytes(job, input, data, skipped);
    input->skip_bytes -= skipped;
    memmove(data, data + skipped, bytes - skipped);
    return bytes - skipped;
}

uint64_t gsi_header_head_bytes(struct gsi_input *input, uint8_t *to, uint64_t room)
{
    uint64_t bytes = gsi_min_u64(input->head_bytes - input->head_off, room);
    memcpy(to, input->head + input->head_off, bytes);
    input->head_off += bytes;
    return bytes;
}

enum gs_status gsi_header_end(struct gsi_job *job, const struct gsi_input *input, uint64_t bytes)
{
    if (input->skip_bytes > 0)
        return gsi_fail(job->error, GS_E_INPUT, 0, "'%s': ends in its header, %llu bytes too early",
                        input->name, (unsigned long long)input->skip_bytes);
    return gsi_job_check_whole(job, input, bytes);
}

enum gs_status gsi_header_begin(struct gsi_job *job)
{
    uint64_t bytes = job->options->header_bytes;
    if (bytes > GSI_ZST_PACK_HEADER_MAX)
        return gsi_fail(job->error, GS_E_USAGE, 0, "--header: %llu bytes are more than %llu",
                        (unsigned long long)bytes, (unsigned long long)GSI_ZST_PACK_HEADER_MAX);
    if (bytes > 0 && gsi_npy_input_is_output(job))
        return gsi_fail(job->error, GS_E_USAGE, 0,
                        "--header: the output '%s' is named .npy, and so has a header of its own",
                        job->options->output);
    if (bytes == 0)
        return GS_OK;
    return GSI_NEW(NULL, job->header, bytes, job->error);
}

static uint32_t output_level(const struct gs_options *options)
{
    if (options->action != GS_ACTION_SORT && options->action != GS_ACTION_EXPLAIN)
        return 0;
    if (options->output_zstd_level > 0)
        return options->output_zstd_level;
    return !options->raw && options->output != NULL && gsi_name_is_zst(options->output) ? 1 : 0;
}

static uint32_t fitting(uint64_t piece_bytes, uint64_t bytes, uint32_t thread_count)
{
    return (uint32_t)gsi_clamp_u64(bytes / piece_bytes, 1, (uint64_t)thread_count + 2);
}

uint64_t gsi_header_plan(struct gsi_job *job, uint64_t memory_bytes, uint32_t thread_count)
{
    bool has_coded = false;
    uint64_t window = 0, bytes = 0;
    for (size_t i = 0; i < job->input_count; i++) {
        const struct gsi_input *input = &job->inputs[i];
        has_coded |= input->coding != GSI_CODING_NONE || !input->is_sniffed;
        window = gsi_max_u64(window, input->window_bytes);
    }
    job->unpack_pieces = 0;
    job->pack_level = output_level(job->options);
    has_coded |= job->pack_level > 0 && job->options->verify_read;
    if (has_coded) {
        struct gsi_frames_reader_size one = {0, 1}, two = {0, 2};
        window = gsi_max_u64(window, gsi_min_u64(WINDOW_BYTES, memory_bytes / WINDOW_PART));
        job->unpack_window_bytes = window;
        job->unpack_pieces = fitting(gsi_frames_reader_bytes(two) - gsi_frames_reader_bytes(one),
                                     memory_bytes / PIECES_PART, thread_count);
        bytes +=
            gsi_frames_reader_bytes((struct gsi_frames_reader_size){window, job->unpack_pieces});
    }
    if (job->pack_level > 0) {
        job->pack_pieces =
            fitting(gsi_zst_pack_bytes(job->pack_level, 2) - gsi_zst_pack_bytes(job->pack_level, 1),
                    memory_bytes / PIECES_PART, thread_count);
        bytes += gsi_zst_pack_bytes(job->pack_level, job->pack_pieces);
    }
    return bytes + job->options->header_bytes;
}

enum gs_status gsi_header_open(struct gsi_job *job)
{
    struct gsi_frames_reader_size size = {job->unpack_window_bytes, job->unpack_pieces};
    if (size.piece_count > 0)
        GSI_TRY(gsi_frames_reader_open(&job->unpack, job, size));
    if (job->pack_level > 0)
        GSI_TRY(gsi_zst_pack_open(&job->pack, job, job->pack_level, job->pack_pieces));
    return GS_OK;
}

void gsi_header_close(struct gsi_job *job)
{
    gsi_frames_reader_close(job->unpack);
    gsi_zst_pack_close(job->pack);
    free(job->header);
    free(job->npy);
}

enum gs_status gsi_header_head(struct gsi_job *job, uint64_t count)
{
    return gsi_npy_input_is_output(job) ? gsi_npy_input_put(job, count) : GS_OK;
}
