/* frames_reader.c: implements the frames reader by one state machine, `advance`. It requests
 * blocks, finds frames in them, starts tasks that decompress them, and copies the results to the
 * request. When no more work is possible, a transfer or a task is running, whose end calls
 * `advance` again. */
#include "input/zst/frames_reader.h"

#include "base/checked.h"
#include "base/memory.h"
#include "input/zst/blocks.h"
#include "input/zst/unpack.h"
#include "input/zst/zst.h"

#include <errno.h>
#include <string.h>

enum state {
    STATE_BETWEEN,
    STATE_HEADER,
    STATE_SKIP,   /* within a skippable frame */
    STATE_WALK,   /* within a small frame */
    STATE_STREAM, /* within a large frame */
};

struct gsi_frames_reader {
    struct gsi_loop *loop;
    struct gsi_frames_reader_plan plan; /* its bump allocator is open */
    struct gsi_zst_blocks blocks;

    enum state state;
    struct gsi_zst_walk walk;
    uint64_t wanted_bytes; /* bytes that are needed of the current frame; STATE_SKIP: bytes still to
                            * skip */

    struct gsi_io *request;
    struct gsi_zst_large stream;
    struct gsi_zst_small slots;
    struct gsi_zst_slot slot_list[];
};

static void advance(void *context);
static void slot_done(void *context, const struct gsi_zst_slot *slot);
static void stream_done(void *context);

/* Allocates all memory, beginning with the reader and its slots. */
static struct gsi_frames_reader *lay_out(const struct gsi_frames_reader_plan *plan,
                                         uint8_t **stream, uint8_t **blocks, struct gsi_bump *bump)
{
    struct gsi_frames_reader *unpack = gsi_bump_alloc_rounded(
        bump, sizeof *unpack + plan->slot_count * sizeof(struct gsi_zst_slot), GSI_DIRECT_ALIGN);
    *stream =
        gsi_bump_alloc_rounded(bump, gsi_zst_large_bytes(plan->window_bytes), GSI_DIRECT_ALIGN);
    *blocks = gsi_bump_alloc(bump, GSI_ZST_BLOCK_COUNT, GSI_ZST_BLOCK_BYTES, GSI_DIRECT_ALIGN);
    gsi_zst_small_lay_out(unpack != NULL ? unpack->slot_list : NULL, plan->slot_count, bump);
    return unpack;
}

struct gsi_frames_reader_plan gsi_frames_reader_make_plan(uint64_t window_bytes,
                                                          uint32_t slot_count)
{
    uint8_t *stream, *blocks;
    struct gsi_frames_reader_plan plan = {.window_bytes = window_bytes, .slot_count = slot_count};
    lay_out(&plan, &stream, &blocks, &plan.bump);
    return plan;
}

enum gs_status gsi_frames_reader_open(struct gsi_frames_reader **out, struct gsi_loop *loop,
                                      const struct gsi_frames_reader_plan *plan)
{
    uint8_t *stream, *blocks;
    struct gsi_bump bump = plan->bump;
    *out = NULL;
    GSI_TRY(gsi_bump_open(&bump, &loop->ledger, GSI_MEMORY_CODEC, loop->error));
    struct gsi_frames_reader *unpack = lay_out(plan, &stream, &blocks, &bump);
    unpack->loop = loop;
    unpack->plan = *plan;
    unpack->plan.bump = bump;
    *out = unpack;
    gsi_zst_blocks_init(&unpack->blocks, loop, blocks, advance, unpack);
    GSI_TRY(
        gsi_zst_large_init(&unpack->stream, loop, plan->window_bytes, stream, stream_done, unpack));
    return gsi_zst_small_init(&unpack->slots, loop, unpack->slot_list, plan->slot_count, slot_done,
                              unpack);
}

void gsi_frames_reader_close(struct gsi_frames_reader *unpack)
{
    if (unpack == NULL)
        return;
    struct gsi_bump bump = unpack->plan.bump;
    gsi_bump_close(&bump, &unpack->loop->ledger, GSI_MEMORY_CODEC);
}

/* Ends the request with ECANCELED after a failure, unless a task still writes to its memory. */
static void fail_request(struct gsi_frames_reader *unpack)
{
    struct gsi_io *request = unpack->request;
    if (request == NULL || unpack->stream.is_busy)
        return;
    unpack->request = NULL;
    request->sys_errno = ECANCELED;
    request->done(request);
}

static void fail_damaged(struct gsi_frames_reader *unpack, uint64_t frame_off, const char *what)
{
    gsi_fail(unpack->loop->error, GS_E_INPUT, 0,
             "'%s': the zstd frame at byte %llu is damaged (%s)%s", unpack->blocks.input->name,
             (unsigned long long)frame_off, what,
             frame_off == 0 ? "; if the file is not compressed, --raw sorts it as it is" : "");
}

static void fail_cut(struct gsi_frames_reader *unpack, uint64_t frame_off)
{
    gsi_fail(unpack->loop->error, GS_E_INPUT, 0,
             "'%s': is truncated within the zstd frame that begins at byte %llu",
             unpack->blocks.input->name, (unsigned long long)frame_off);
}

/* Copies bytes of the current frame into the slot until it has wanted_bytes. Returns whether it
 * has. */
static bool gather_bytes(struct gsi_frames_reader *unpack, struct gsi_zst_slot *slot)
{
    const uint8_t *data;
    uint64_t bytes;
    while (slot->coded_bytes < unpack->wanted_bytes &&
           (data = gsi_zst_blocks_front(&unpack->blocks, &bytes)) != NULL) {
        bytes = gsi_min_u64(bytes, unpack->wanted_bytes - slot->coded_bytes);
        memcpy(slot->coded + slot->coded_bytes, data, bytes);
        slot->coded_bytes += bytes;
        gsi_zst_blocks_consume(&unpack->blocks, bytes);
    }
    return slot->coded_bytes == unpack->wanted_bytes;
}

/* ---- what is unpacked ---- */

static void slot_done(void *context, const struct gsi_zst_slot *slot)
{
    struct gsi_frames_reader *unpack = context;
    if (ZSTD_isError(slot->result))
        fail_damaged(unpack, slot->frame_off, ZSTD_getErrorName(slot->result));
    advance(unpack);
}

static void begin_stream(struct gsi_frames_reader *unpack, const struct gsi_zst_slot *begun)
{
    gsi_zst_large_begin(&unpack->stream, begun->coded, begun->coded_bytes);
    unpack->state = STATE_STREAM;
}

/* Starts a task that decompresses more of a large frame, after the data of all earlier frames were
 * copied. Returns false. */
static bool run_stream(struct gsi_frames_reader *unpack, const struct gsi_zst_slot *begun)
{
    struct gsi_zst_large *stream = &unpack->stream;
    if (unpack->slots.used_count > 0 || unpack->request->moved == unpack->request->bytes)
        return false;
    uint64_t bytes = 0;
    const uint8_t *data = gsi_zst_blocks_front(&unpack->blocks, &bytes);
    bool has_more = data != NULL || stream->begun.pos < stream->begun.size;
    if (stream->needs_input && !has_more) {
        if (gsi_zst_blocks_is_end(&unpack->blocks))
            fail_cut(unpack, begun->frame_off);
        return false;
    }
    gsi_zst_large_run(stream, data, bytes, unpack->request);
    return false;
}

static void stream_done(void *context)
{
    struct gsi_frames_reader *unpack = context;
    struct gsi_zst_large *stream = &unpack->stream;
    if (stream->next.pos > 0)
        gsi_zst_blocks_consume(&unpack->blocks, stream->next.pos);
    unpack->request->moved += stream->made_bytes;
    if (ZSTD_isError(stream->result))
        fail_damaged(unpack, gsi_zst_small_front(&unpack->slots)->frame_off,
                     ZSTD_getErrorName(stream->result));
    else if (stream->result == 0)
        unpack->state = STATE_BETWEEN;
    advance(unpack);
}

/* ---- frames ---- */

static void start_frame(struct gsi_frames_reader *unpack, const struct gsi_zst_frame *frame,
                        const struct gsi_zst_slot *slot)
{
    if (frame->is_skippable) {
        unpack->state = STATE_SKIP;
        unpack->wanted_bytes = frame->content_bytes;
    } else if (frame->dictionary_id != 0) {
        gsi_fail(unpack->loop->error, GS_E_INPUT, 0,
                 "'%s': was compressed with dictionary %u; decompress it first with zstd -D",
                 unpack->blocks.input->name, frame->dictionary_id);
    } else if (frame->content_bytes <= GSI_ZST_SMALL_BYTES) {
        unpack->state = STATE_WALK;
        unpack->walk = gsi_zst_walk_begin(frame);
    } else if (frame->window_bytes > unpack->plan.window_bytes) {
        gsi_fail(unpack->loop->error, GS_E_INPUT, 0,
                 "'%s': the zstd frame at byte %llu needs a window of %llu bytes, but %llu were "
                 "planned; decompress it first with zstd -d --long=31",
                 unpack->blocks.input->name, (unsigned long long)slot->frame_off,
                 (unsigned long long)frame->window_bytes,
                 (unsigned long long)unpack->plan.window_bytes);
    } else {
        begin_stream(unpack, slot);
    }
}

/* Begins the next frame if some of its bytes were read and a slot is free. */
static bool begin_frame(struct gsi_frames_reader *unpack, struct gsi_zst_slot *slot)
{
    uint64_t bytes;
    if (unpack->slots.used_count == unpack->slots.count ||
        gsi_zst_blocks_front(&unpack->blocks, &bytes) == NULL)
        return false;
    slot->coded_bytes = 0;
    slot->frame_off = unpack->blocks.used_bytes;
    unpack->state = STATE_HEADER;
    return true;
}

static bool read_header(struct gsi_frames_reader *unpack, struct gsi_zst_slot *slot)
{
    struct gsi_zst_frame frame;
    int wanted = gsi_zst_frame_read(slot->coded, slot->coded_bytes, &frame);
    if (wanted < 0)
        fail_damaged(unpack, slot->frame_off, "it has no zstd header");
    else if (wanted == 0)
        start_frame(unpack, &frame, slot);
    else {
        unpack->wanted_bytes = (uint64_t)wanted;
        if (!gather_bytes(unpack, slot) && gsi_zst_blocks_is_end(&unpack->blocks))
            fail_cut(unpack, slot->frame_off);
        return slot->coded_bytes == unpack->wanted_bytes;
    }
    return true;
}

static bool walk_frame(struct gsi_frames_reader *unpack, struct gsi_zst_slot *slot)
{
    uint64_t whole = gsi_zst_walk_continue(&unpack->walk, slot->coded, slot->coded_bytes);
    if (whole > 0 && slot->coded_bytes == whole) {
        unpack->state = STATE_BETWEEN;
        gsi_zst_small_start(&unpack->slots);
        return true;
    }
    unpack->wanted_bytes = whole > 0 ? whole : unpack->walk.next_off + GSI_ZST_BLOCK_HEADER_BYTES;
    if (unpack->wanted_bytes >
        GSI_ZST_SMALL_CODED_BYTES) { /* compression made it longer, which is unusual: handle it as a
                                      * large frame */
        begin_stream(unpack, slot);
        return true;
    }
    bool is_there = gather_bytes(unpack, slot);
    if (!is_there && gsi_zst_blocks_is_end(&unpack->blocks))
        fail_cut(unpack, slot->frame_off);
    return is_there;
}

static bool skip_bytes(struct gsi_frames_reader *unpack, const struct gsi_zst_slot *slot)
{
    uint64_t bytes;
    if (unpack->wanted_bytes == 0) {
        unpack->state = STATE_BETWEEN;
        return true;
    }
    if (gsi_zst_blocks_front(&unpack->blocks, &bytes) == NULL) {
        if (gsi_zst_blocks_is_end(&unpack->blocks))
            fail_cut(unpack, slot->frame_off);
        return false;
    }
    bytes = gsi_min_u64(unpack->wanted_bytes, bytes);
    gsi_zst_blocks_consume(&unpack->blocks, bytes);
    unpack->wanted_bytes -= bytes;
    return true;
}

/* Continues with the current frame. Returns false if it must wait for a transfer or a task. */
static bool continue_frame(struct gsi_frames_reader *unpack)
{
    struct gsi_zst_slot *slot = gsi_zst_small_front(&unpack->slots);
    if (unpack->stream.is_busy)
        return false;
    switch (unpack->state) {
    case STATE_BETWEEN:
        return begin_frame(unpack, slot);
    case STATE_HEADER:
        return read_header(unpack, slot);
    case STATE_SKIP:
        return skip_bytes(unpack, slot);
    case STATE_WALK:
        return walk_frame(unpack, slot);
    default:
        return run_stream(unpack, slot);
    }
}

static bool is_finished(struct gsi_frames_reader *unpack)
{
    return unpack->request->moved == unpack->request->bytes ||
           (unpack->state == STATE_BETWEEN && unpack->slots.used_count == 0 &&
            gsi_zst_blocks_is_end(&unpack->blocks));
}

static void advance(void *context)
{
    struct gsi_frames_reader *unpack = context;
    bool has_moved = true;
    while (unpack->request != NULL && !unpack->stream.is_busy && has_moved &&
           unpack->loop->error->status == GS_OK) {
        const uint64_t used_bytes = unpack->blocks.used_bytes;
        has_moved = gsi_zst_blocks_pump(&unpack->blocks);
        has_moved |= gsi_zst_small_copy(&unpack->slots, unpack->request);
        has_moved |= continue_frame(unpack);
        /* If bytes were consumed, a block may be free for another read. */
        has_moved |= unpack->blocks.used_bytes != used_bytes;
    }
    if (unpack->loop->error->status != GS_OK)
        fail_request(unpack);
    if (unpack->request == NULL || unpack->stream.is_busy || !is_finished(unpack))
        return;
    struct gsi_io *request = unpack->request;
    unpack->request = NULL;
    request->done(request);
}

static void begin_input(struct gsi_frames_reader *unpack, struct gsi_input *input)
{
    gsi_zst_blocks_begin(&unpack->blocks, input);
    unpack->state = STATE_BETWEEN;
}

void gsi_frames_reader_submit(struct gsi_frames_reader *unpack, struct gsi_input *input,
                              struct gsi_io *io)
{
    unpack->loop->io_pending++;
    if (unpack->blocks.input != input)
        begin_input(unpack, input);
    io->moved = 0;
    io->sys_errno = 0;
    unpack->request = io;
    advance(unpack);
}

bool gsi_frames_reader_is_idle(const struct gsi_frames_reader *unpack)
{
    return unpack == NULL ||
           (unpack->request == NULL && !unpack->stream.is_busy &&
            gsi_zst_blocks_is_idle(&unpack->blocks) && gsi_zst_small_is_idle(&unpack->slots));
}
