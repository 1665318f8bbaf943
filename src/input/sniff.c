/* sniff.c: detects the format of an input with as few bytes as possible, because a stream may
 * deliver them slowly. */
#include "input/sniff.h"

#include "base/checked.h"
#include "base/choices.h"
#include "element/number_type.h"
#include "input/foreign.h"
#include "input/format/format.h"
#include "input/zst/zst.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The most bytes of empty zstd frames that are skipped to find the first frame with data. */
#define HEAD_MAX_BYTES ((size_t)1 << 20)

/* The most bytes that are inspected of the first frame with data: at least two blocks. */
#define FRAME_MAX_BYTES ((size_t)256 << 10)

/* The most decompressed bytes that are inspected. No header of a format that may be compressed is
 * longer. */
#define PLAIN_BYTES ((size_t)65536)

/* How many more bytes to read if the frames so far are shorter than a header. */
#define FURTHER_BYTES 4096u

/* Returns how many bytes of uncompressed data are needed to detect their format. */
static size_t wanted_plain(const uint8_t *plain, size_t bytes)
{
    size_t wanted = gsi_format_wanted(plain, bytes);
    return wanted > 0 ? wanted : gsi_foreign_wanted(plain, bytes);
}

/* Records a failure. Without memory, the format would not be recognised, and the input would be
 * sorted as numbers. */
static void fail_memory(struct gsi_sniff *sniff)
{
    gsi_fail(sniff->inputs->loop->error, GS_E_MEMORY, ENOMEM,
             "out of memory: cannot read the start of '%s'", sniff->input->name);
}

/* Returns how many bytes of a compressed input are needed. Its first frame with data begins at
 * `off`. Decompresses one block more at each call. */
static size_t wanted_compressed(struct gsi_sniff *sniff, size_t off,
                                const struct gsi_zst_frame *frame)
{
    const struct gsi_input *input = sniff->input;
    struct gsi_zst_walk walk = gsi_zst_walk_begin(frame);
    uint64_t whole = gsi_zst_walk_continue(&walk, input->head + off, input->head_bytes - off);
    uint64_t next = off + (whole > 0 ? whole : walk.next_off + GSI_ZST_BLOCK_HEADER_BYTES);
    if (sniff->plain == NULL)
        sniff->plain = malloc(PLAIN_BYTES);
    sniff->plain_bytes = sniff->plain == NULL ? SIZE_MAX
                                              : gsi_zst_peek(input->head, input->head_bytes,
                                                             sniff->plain, PLAIN_BYTES);
    if (sniff->plain_bytes == SIZE_MAX) {
        fail_memory(sniff);
        return 0;
    }
    if (wanted_plain(sniff->plain, sniff->plain_bytes) <= sniff->plain_bytes)
        return 0;
    return next > input->head_bytes ? next : input->head_bytes + FURTHER_BYTES;
}

/* Returns the length of an empty frame: a skippable one, or one with a single empty block. Returns
 * 0 if the frame has data, or if more bytes are needed to tell. */
static uint64_t bytes_without_data(const struct gsi_zst_frame *frame, const uint8_t *at,
                                   size_t bytes)
{
    if (frame->is_skippable)
        return frame->header_bytes + frame->content_bytes;
    struct gsi_zst_walk walk = gsi_zst_walk_begin(frame);
    uint64_t whole = gsi_zst_walk_continue(&walk, at, bytes);
    return walk.next_off == frame->header_bytes + GSI_ZST_BLOCK_HEADER_BYTES ? whole : 0;
}

/* Removes empty frames of a file from input->head if they fill it. */
static void skip_empty_frames(struct gsi_sniff *sniff)
{
    struct gsi_input *input = sniff->input;
    if (input->file_bytes == UINT64_MAX || sniff->passed_bytes + sniff->frame_off > input->bytes)
        return;
    sniff->passed_bytes += sniff->frame_off;
    sniff->frame_off = 0;
    input->head_bytes = 0;
}

/* Returns how many bytes input->head should have. If it has as many, the inspection can end. */
static size_t wanted_bytes(struct gsi_sniff *sniff)
{
    struct gsi_input *input = sniff->input;
    struct gsi_zst_frame frame;
    if (sniff->passed_bytes == 0 && !gsi_zst_begins(input->head, input->head_bytes))
        return wanted_plain(input->head, input->head_bytes);
    while (sniff->frame_off < input->head_bytes) {
        size_t off = (size_t)sniff->frame_off;
        uint64_t most = gsi_max_u64(HEAD_MAX_BYTES, off + FRAME_MAX_BYTES);
        int more = gsi_zst_frame_read(input->head + off, input->head_bytes - off, &frame);
        if (more != 0)
            return more > 0 ? gsi_min_u64(off + (size_t)more, most) : 0;
        sniff->has_frame |= !frame.is_skippable;
        input->window_bytes = frame.window_bytes;
        uint64_t passed = bytes_without_data(&frame, input->head + off, input->head_bytes - off);
        if (passed == 0)
            return gsi_min_u64(wanted_compressed(sniff, off, &frame), most);
        sniff->frame_off += passed;
    }
    skip_empty_frames(sniff);
    return gsi_min_u64(sniff->frame_off + 1, HEAD_MAX_BYTES);
}

/* Detects the format of uncompressed data, and refuses other programs' formats. With --header, the
 * header may be any bytes. */
static void detect_plain(struct gsi_sniff *sniff, const uint8_t *data, size_t bytes)
{
    const struct gsi_inputs_spec *spec = sniff->inputs->spec;
    struct gsi_beginning beginning = {data, bytes, sniff->is_at_end, spec->are_records};
    if (spec->header_bytes > 0 ||
        gsi_foreign_check(&beginning, sniff->input->name, sniff->inputs->loop->error) == GS_OK)
        gsi_format_detect(sniff->inputs, sniff->input, data, bytes);
}

/* Returns whether the inspected part of a stream has only empty frames. */
static bool is_hidden(const struct gsi_sniff *sniff)
{
    const struct gsi_input *input = sniff->input;
    bool is_file = input->file_bytes != UINT64_MAX;
    return !is_file && !sniff->is_at_end && sniff->plain_bytes == 0 &&
           sniff->frame_off >= HEAD_MAX_BYTES;
}

static void set_coding(struct gsi_sniff *sniff)
{
    struct gsi_input *input = sniff->input;
    bool is_file = input->file_bytes != UINT64_MAX;
    input->is_sniffed = true;
    bool is_compressed = sniff->passed_bytes > 0 || gsi_zst_begins(input->head, input->head_bytes);
    if (is_compressed && is_hidden(sniff)) {
        gsi_fail(sniff->inputs->loop->error, GS_E_INPUT, 0,
                 "'%s': begins with more than 1 MiB of empty zstd frames; decompress it first with "
                 "zstd -d",
                 input->name);
    } else if (is_compressed && !sniff->has_frame && !gsi_name_is_zst(input->path)) {
        gsi_fail(
            sniff->inputs->loop->error, GS_E_INPUT, 0,
            "'%s': contains only skippable zstd frames, and no data; --raw sorts the file as it is",
            input->name);
    } else if (is_compressed) {
        input->coding = GSI_CODING_ZSTD;
        input->is_stream = true;
        input->bytes = UINT64_MAX;
        detect_plain(sniff, sniff->plain, sniff->plain_bytes);
    } else if (gsi_name_is_zst(input->path)) {
        gsi_fail(sniff->inputs->loop->error, GS_E_INPUT, 0,
                 "'%s': its name ends in .zst, but it does not begin with a zstd frame; --raw "
                 "sorts the file as it is",
                 input->name);
    } else {
        detect_plain(sniff, input->head, input->head_bytes);
    }
    if (is_file) { /* a file is read again from its beginning */
        free(input->head);
        input->head = NULL;
        input->head_bytes = 0;
    }
}

static void finish_sniff(struct gsi_sniff *sniff)
{
    if (sniff->inputs->loop->error->status == GS_OK)
        set_coding(sniff);
    free(sniff->plain);
    sniff->done(sniff);
}

/* Enlarges input->head at least twofold, because a stream of small frames is read a few bytes at a
 * time. */
static bool grow_head(struct gsi_sniff *sniff, size_t bytes)
{
    if (bytes <= sniff->head_capacity)
        return true;
    size_t room = gsi_max_u64(bytes, 2 * sniff->head_capacity);
    uint8_t *grown = realloc(sniff->input->head, room);
    if (grown == NULL) {
        fail_memory(sniff);
        return false;
    }
    sniff->input->head = grown;
    sniff->head_capacity = room;
    return true;
}

static void continue_sniff(struct gsi_sniff *sniff);

static void read_done(struct gsi_io *io)
{
    struct gsi_sniff *sniff = GSI_CONTAINER_OF(io, struct gsi_sniff, io);
    if (!gsi_loop_io_done(sniff->inputs->loop, io, sniff->input->name)) {
        finish_sniff(sniff);
        return;
    }
    sniff->input->head_bytes += io->moved;
    sniff->is_at_end = io->moved < io->bytes;
    continue_sniff(sniff);
}

static bool read_file(struct gsi_sniff *sniff, size_t wanted)
{
    struct gsi_input *input = sniff->input;
    ssize_t moved;
    do {
        moved = pread(input->fd, input->head + input->head_bytes, wanted - input->head_bytes,
                      (off_t)(input->base_off + sniff->passed_bytes + input->head_bytes));
    } while (moved < 0 && errno == EINTR);
    if (moved < 0) {
        gsi_fail(sniff->inputs->loop->error, gsi_status_of_errno(errno), errno, "'%s': cannot read",
                 input->name);
        return false;
    }
    if (moved == 0 && sniff->passed_bytes + input->head_bytes < input->bytes) {
        gsi_fail(sniff->inputs->loop->error, GS_E_INPUT, 0,
                 "'%s': the file shrank while it was read", input->name);
        return false;
    }
    input->head_bytes += (size_t)moved;
    sniff->is_at_end = moved == 0;
    return true;
}

static void continue_sniff(struct gsi_sniff *sniff)
{
    struct gsi_input *input = sniff->input;
    for (size_t wanted; (wanted = wanted_bytes(sniff)) > input->head_bytes && !sniff->is_at_end;) {
        if (!grow_head(sniff, wanted))
            break;
        if (input->file_bytes == UINT64_MAX) {
            sniff->io = (struct gsi_io){.op = GSI_IO_READ,
                                        .fd = input->fd,
                                        .data = input->head + input->head_bytes,
                                        .bytes = wanted - input->head_bytes,
                                        .off = GSI_IO_STREAM,
                                        .done = read_done};
            gsi_loop_submit(sniff->inputs->loop, &sniff->io);
            return;
        }
        if (!read_file(sniff, wanted))
            break;
    }
    finish_sniff(sniff);
}

void gsi_sniff_start(struct gsi_sniff *sniff, struct gsi_inputs *inputs, struct gsi_input *input,
                     void (*done)(struct gsi_sniff *sniff))
{
    *sniff = (struct gsi_sniff){.inputs = inputs, .input = input, .done = done};
    continue_sniff(sniff);
}
