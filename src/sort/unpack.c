/* unpack.c: one state machine, `advance`, that every completion starts again: it reads ahead, cuts
 * frames out of what was read, and hands over what is unpacked, until nothing more can be done.
 * While a request waits, a transfer or a task is under way: it ends the request or advances. */
#define ZSTD_STATIC_LINKING_ONLY /* contexts in given memory, and how much they need */
#include "sort/unpack.h"

#include "base/checked.h"
#include "format/zst.h"
#include "sort/coded_reader.h"

#include <errno.h>
#include <string.h>
#include <zstd.h>

/* Small frames: what gsort writes (pack.c). */
#define PIECE_BYTES ((uint64_t)1 << 20)
#define CODED_BYTES gsi_round_up_u64(ZSTD_COMPRESSBOUND(PIECE_BYTES), ALIGNMENT)
#define ALIGNMENT   ((uint64_t)GSI_DIRECT_ALIGN)

/* A frame whose beginning, or all, is at `coded`. */
struct piece {
    struct gsi_task task;
    struct gsi_unpack *unpack;
    ZSTD_DCtx *context;
    uint8_t *coded, *plain;
    uint64_t coded_bytes, plain_bytes, given_bytes;
    uint64_t frame_off; /* in the file */
    size_t result;      /* of zstd */
    bool is_ready;
};

enum state {
    STATE_BETWEEN,
    STATE_HEADER,
    STATE_SKIP,   /* in a skippable frame */
    STATE_WALK,   /* in a small frame */
    STATE_SERIAL, /* in another one */
};

struct gsi_unpack {
    struct gsi_job *job;
    uint64_t memory_bytes, window_bytes;
    ZSTD_DCtx *serial;

    struct gsi_coded_reader reader;
    size_t input_idx; /* SIZE_MAX: none yet */

    enum state state;
    struct gsi_zst_walk walk;
    uint64_t wanted_bytes; /* of the frame at pieces[fill_idx]; STATE_SKIP: left to skip */
    struct gsi_task serial_task;
    bool is_serial_busy, is_serial_dry; /* dry: nothing comes out without more input */
    size_t serial_result;
    ZSTD_inBuffer serial_in;                /* of the reader */
    uint64_t serial_coded_off, serial_made; /* of the frame's beginning; of the request */

    struct gsi_io *request;
    uint32_t piece_count, fill_idx, give_idx, used_count;
    struct piece pieces[];
};

static uint64_t part(uint64_t bytes)
{
    return gsi_round_up_u64(bytes, ALIGNMENT);
}

static uint64_t struct_bytes(uint32_t piece_count)
{
    return part(sizeof(struct gsi_unpack) + piece_count * sizeof(struct piece));
}

static uint64_t piece_bytes(void)
{
    return part(ZSTD_estimateDCtxSize()) + CODED_BYTES + PIECE_BYTES;
}

uint64_t gsi_unpack_bytes(struct gsi_unpack_size size)
{
    return struct_bytes(size.piece_count) + part(ZSTD_estimateDStreamSize(size.window_bytes)) +
           GSI_CODED_BLOCK_COUNT * GSI_CODED_BLOCK_BYTES + size.piece_count * piece_bytes();
}

static void advance(void *context);

static uint8_t *take_part(uint8_t **memory, uint64_t bytes)
{
    uint8_t *taken = *memory;
    *memory += part(bytes);
    return taken;
}

enum gs_status gsi_unpack_open(struct gsi_unpack **out, struct gsi_job *job,
                               struct gsi_unpack_size size)
{
    void *memory;
    uint64_t bytes = gsi_unpack_bytes(size);
    uint64_t serial_bytes = ZSTD_estimateDStreamSize(size.window_bytes);
    *out = NULL;
    enum gs_status status =
        gsi_memory_map(&job->ledger, GS_MEMORY_CODEC, bytes, &memory, job->error);
    if (status != GS_OK)
        return status;
    uint8_t *at = memory;
    struct gsi_unpack *unpack = (struct gsi_unpack *)take_part(&at, struct_bytes(size.piece_count));
    unpack->job = job;
    unpack->memory_bytes = bytes;
    unpack->window_bytes = size.window_bytes;
    unpack->input_idx = SIZE_MAX;
    unpack->piece_count = size.piece_count;
    unpack->serial = ZSTD_initStaticDCtx(take_part(&at, serial_bytes), serial_bytes);
    bool is_good = unpack->serial != NULL;
    gsi_coded_reader_init(&unpack->reader, job,
                          take_part(&at, GSI_CODED_BLOCK_COUNT * GSI_CODED_BLOCK_BYTES), advance,
                          unpack);
    for (uint32_t i = 0; i < size.piece_count; i++) {
        struct piece *piece = &unpack->pieces[i];
        piece->unpack = unpack;
        piece->context =
            ZSTD_initStaticDCtx(take_part(&at, ZSTD_estimateDCtxSize()), ZSTD_estimateDCtxSize());
        piece->coded = take_part(&at, CODED_BYTES);
        piece->plain = take_part(&at, PIECE_BYTES);
        is_good = is_good && piece->context != NULL;
    }
    *out = unpack;
    return is_good ? GS_OK
                   : gsi_fail(job->error, GS_E_MEMORY, 0, "memory: zstd takes more than it says");
}

void gsi_unpack_close(struct gsi_unpack *unpack)
{
    if (unpack != NULL)
        gsi_memory_unmap(&unpack->job->ledger, GS_MEMORY_CODEC, unpack, unpack->memory_bytes);
}

/* The failure is recorded; the request goes back as soon as nothing writes to its memory. */
static void give_up(struct gsi_unpack *unpack)
{
    struct gsi_io *request = unpack->request;
    if (request == NULL || unpack->is_serial_busy)
        return;
    unpack->request = NULL;
    request->sys_errno = ECANCELED;
    request->done(request);
}

static void fail_damaged(struct gsi_unpack *unpack, uint64_t frame_off, const char *what)
{
    gsi_fail(unpack->job->error, GS_E_INPUT, 0,
             "'%s': the zstd frame at byte %llu is damaged (%s)%s", unpack->reader.input->name,
             (unsigned long long)frame_off, what,
             frame_off == 0 ? "; if it is none, --raw sorts the file as it is" : "");
}

static void fail_cut(struct gsi_unpack *unpack, uint64_t frame_off)
{
    gsi_fail(unpack->job->error, GS_E_INPUT, 0,
             "'%s': ends in the middle of the zstd frame that begins at byte %llu",
             unpack->reader.input->name, (unsigned long long)frame_off);
}

/* Bytes of the frame until there are wanted_bytes of it; whether there are. */
static bool gather(struct gsi_unpack *unpack, struct piece *piece)
{
    const uint8_t *data;
    uint64_t bytes;
    while (piece->coded_bytes < unpack->wanted_bytes &&
           (data = gsi_coded_reader_front(&unpack->reader, &bytes)) != NULL) {
        bytes = gsi_min_u64(bytes, unpack->wanted_bytes - piece->coded_bytes);
        memcpy(piece->coded + piece->coded_bytes, data, bytes);
        piece->coded_bytes += bytes;
        gsi_coded_reader_take(&unpack->reader, bytes);
    }
    return piece->coded_bytes == unpack->wanted_bytes;
}

/* ---- small frames ---- */

static void unpack_piece(struct gsi_task *task, uint32_t worker_idx)
{
    struct piece *piece = (struct piece *)task;
    (void)worker_idx;
    piece->result = ZSTD_decompressDCtx(piece->context, piece->plain, PIECE_BYTES, piece->coded,
                                        piece->coded_bytes);
}

static void piece_done(struct gsi_task *task)
{
    struct piece *piece = (struct piece *)task;
    piece->is_ready = true;
    piece->plain_bytes = piece->result;
    if (ZSTD_isError(piece->result))
        fail_damaged(piece->unpack, piece->frame_off, ZSTD_getErrorName(piece->result));
    advance(piece->unpack);
}

static void start_piece(struct gsi_unpack *unpack, struct piece *piece)
{
    piece->task = (struct gsi_task){.run = unpack_piece, .done = piece_done, .is_urgent = true};
    piece->given_bytes = 0;
    piece->is_ready = false;
    unpack->fill_idx = (unpack->fill_idx + 1) % unpack->piece_count;
    unpack->used_count++;
    unpack->state = STATE_BETWEEN;
    gsi_pool_submit(unpack->job->pool, &piece->task);
}

/* What is ready goes out, in order. */
static bool deliver(struct gsi_unpack *unpack)
{
    struct gsi_io *request = unpack->request;
    struct piece *piece = &unpack->pieces[unpack->give_idx];
    if (unpack->used_count == 0 || !piece->is_ready || request->moved == request->bytes)
        return false;
    uint64_t bytes =
        gsi_min_u64(request->bytes - request->moved, piece->plain_bytes - piece->given_bytes);
    memcpy((uint8_t *)request->data + request->moved, piece->plain + piece->given_bytes, bytes);
    request->moved += bytes;
    piece->given_bytes += bytes;
    if (piece->given_bytes == piece->plain_bytes) {
        unpack->give_idx = (unpack->give_idx + 1) % unpack->piece_count;
        unpack->used_count--;
    }
    return true;
}

/* ---- other frames ---- */

/* Input: the rest of what was gathered of the frame, then the bytes that come next. */
static void unpack_serial(struct gsi_task *task, uint32_t worker_idx)
{
    struct gsi_unpack *unpack =
        (struct gsi_unpack *)((uint8_t *)task - offsetof(struct gsi_unpack, serial_task));
    const struct piece *piece = &unpack->pieces[unpack->fill_idx];
    const struct gsi_io *request = unpack->request;
    ZSTD_inBuffer begun = {piece->coded, piece->coded_bytes, unpack->serial_coded_off};
    ZSTD_outBuffer out = {request->data, request->bytes, request->moved};
    size_t result, before;
    (void)worker_idx;
    do {
        ZSTD_inBuffer *from = begun.pos < begun.size ? &begun : &unpack->serial_in;
        before = begun.pos + unpack->serial_in.pos + out.pos;
        result = ZSTD_decompressStream(unpack->serial, &out, from);
    } while (result > 0 && !ZSTD_isError(result) &&
             begun.pos + unpack->serial_in.pos + out.pos > before);
    unpack->serial_result = result;
    unpack->serial_coded_off = begun.pos;
    unpack->serial_made = out.pos - request->moved;
    unpack->is_serial_dry = out.pos < out.size;
}

static void serial_done(struct gsi_task *task)
{
    struct gsi_unpack *unpack =
        (struct gsi_unpack *)((uint8_t *)task - offsetof(struct gsi_unpack, serial_task));
    const struct piece *piece = &unpack->pieces[unpack->fill_idx];
    unpack->is_serial_busy = false;
    if (unpack->serial_in.pos > 0)
        gsi_coded_reader_take(&unpack->reader, unpack->serial_in.pos);
    unpack->request->moved += unpack->serial_made;
    if (ZSTD_isError(unpack->serial_result))
        fail_damaged(unpack, piece->frame_off, ZSTD_getErrorName(unpack->serial_result));
    else if (unpack->serial_result == 0)
        unpack->state = STATE_BETWEEN;
    advance(unpack);
}

static void begin_serial(struct gsi_unpack *unpack)
{
    ZSTD_DCtx_reset(unpack->serial, ZSTD_reset_session_only);
    ZSTD_DCtx_setParameter(unpack->serial, ZSTD_d_windowLogMax, ZSTD_WINDOWLOG_MAX);
    unpack->serial_coded_off = 0;
    unpack->is_serial_dry = false;
    unpack->state = STATE_SERIAL;
}

/* After all that came before it. */
static bool run_serial(struct gsi_unpack *unpack)
{
    const struct piece *piece = &unpack->pieces[unpack->fill_idx];
    if (unpack->used_count > 0 || unpack->request->moved == unpack->request->bytes)
        return false;
    uint64_t bytes = 0;
    const uint8_t *data = gsi_coded_reader_front(&unpack->reader, &bytes);
    bool has_more = data != NULL || unpack->serial_coded_off < piece->coded_bytes;
    if (unpack->is_serial_dry && !has_more) {
        if (gsi_coded_reader_is_end(&unpack->reader))
            fail_cut(unpack, piece->frame_off);
        return false;
    }
    unpack->serial_in = (ZSTD_inBuffer){data, data != NULL ? bytes : 0, 0};
    unpack->is_serial_busy = true;
    unpack->serial_task =
        (struct gsi_task){.run = unpack_serial, .done = serial_done, .is_urgent = true};
    gsi_pool_submit(unpack->job->pool, &unpack->serial_task);
    return false;
}

/* ---- frames ---- */

static void take_frame(struct gsi_unpack *unpack, const struct gsi_zst_frame *frame,
                       const struct piece *piece)
{
    if (frame->is_skippable) {
        unpack->state = STATE_SKIP;
        unpack->wanted_bytes = frame->content_bytes;
    } else if (frame->dictionary_id != 0) {
        gsi_fail(unpack->job->error, GS_E_INPUT, 0,
                 "'%s': was packed with dictionary %u; unpack it by zstd -D first",
                 unpack->reader.input->name, frame->dictionary_id);
    } else if (frame->content_bytes <= PIECE_BYTES) {
        unpack->state = STATE_WALK;
        unpack->walk = gsi_zst_walk_begin(frame);
    } else if (frame->window_bytes > unpack->window_bytes) {
        gsi_fail(unpack->job->error, GS_E_INPUT, 0,
                 "'%s': the zstd frame at byte %llu needs a window of %llu bytes, %llu were "
                 "planned for; unpack it by zstd -d --long=31 first",
                 unpack->reader.input->name, (unsigned long long)piece->frame_off,
                 (unsigned long long)frame->window_bytes, (unsigned long long)unpack->window_bytes);
    } else {
        begin_serial(unpack);
    }
}

/* A frame begins where there are bytes, and a piece for it. */
static bool begin_frame(struct gsi_unpack *unpack, struct piece *piece)
{
    uint64_t bytes;
    if (unpack->used_count == unpack->piece_count ||
        gsi_coded_reader_front(&unpack->reader, &bytes) == NULL)
        return false;
    piece->coded_bytes = 0;
    piece->frame_off = unpack->reader.taken_bytes;
    unpack->state = STATE_HEADER;
    return true;
}

static bool read_header(struct gsi_unpack *unpack, struct piece *piece)
{
    struct gsi_zst_frame frame;
    int wanted = gsi_zst_frame_read(piece->coded, piece->coded_bytes, &frame);
    if (wanted < 0)
        fail_damaged(unpack, piece->frame_off, "it has no zstd header");
    else if (wanted == 0)
        take_frame(unpack, &frame, piece);
    else {
        unpack->wanted_bytes = (uint64_t)wanted;
        if (!gather(unpack, piece) && gsi_coded_reader_is_end(&unpack->reader))
            fail_cut(unpack, piece->frame_off);
        return piece->coded_bytes == unpack->wanted_bytes;
    }
    return true;
}

static bool walk_frame(struct gsi_unpack *unpack, struct piece *piece)
{
    uint64_t whole = gsi_zst_walk_on(&unpack->walk, piece->coded, piece->coded_bytes);
    if (whole > 0 && piece->coded_bytes == whole) {
        start_piece(unpack, piece);
        return true;
    }
    unpack->wanted_bytes = whole > 0 ? whole : unpack->walk.next_off + 3;
    if (unpack->wanted_bytes > CODED_BYTES) { /* longer than what is in it: nobody writes these */
        begin_serial(unpack);
        return true;
    }
    bool is_there = gather(unpack, piece);
    if (!is_there && gsi_coded_reader_is_end(&unpack->reader))
        fail_cut(unpack, piece->frame_off);
    return is_there;
}

static bool skip(struct gsi_unpack *unpack, const struct piece *piece)
{
    uint64_t bytes;
    if (unpack->wanted_bytes == 0) {
        unpack->state = STATE_BETWEEN;
        return true;
    }
    if (gsi_coded_reader_front(&unpack->reader, &bytes) == NULL) {
        if (gsi_coded_reader_is_end(&unpack->reader))
            fail_cut(unpack, piece->frame_off);
        return false;
    }
    bytes = gsi_min_u64(unpack->wanted_bytes, bytes);
    gsi_coded_reader_take(&unpack->reader, bytes);
    unpack->wanted_bytes -= bytes;
    return true;
}

/* One step through the frames; false: not before something else happens. */
static bool parse(struct gsi_unpack *unpack)
{
    struct piece *piece = &unpack->pieces[unpack->fill_idx];
    if (unpack->is_serial_busy)
        return false;
    switch (unpack->state) {
    case STATE_BETWEEN:
        return begin_frame(unpack, piece);
    case STATE_HEADER:
        return read_header(unpack, piece);
    case STATE_SKIP:
        return skip(unpack, piece);
    case STATE_WALK:
        return walk_frame(unpack, piece);
    default:
        return run_serial(unpack);
    }
}

static bool is_finished(struct gsi_unpack *unpack)
{
    return unpack->request->moved == unpack->request->bytes ||
           (unpack->state == STATE_BETWEEN && unpack->used_count == 0 &&
            gsi_coded_reader_is_end(&unpack->reader));
}

static void advance(void *context)
{
    struct gsi_unpack *unpack = context;
    bool has_moved = true;
    while (unpack->request != NULL && !unpack->is_serial_busy && has_moved &&
           unpack->job->error->status == GS_OK) {
        has_moved = gsi_coded_reader_pump(&unpack->reader);
        has_moved |= deliver(unpack);
        has_moved |= parse(unpack);
    }
    if (unpack->job->error->status != GS_OK)
        give_up(unpack);
    if (unpack->request == NULL || unpack->is_serial_busy || !is_finished(unpack))
        return;
    struct gsi_io *request = unpack->request;
    unpack->request = NULL;
    request->done(request);
}

static void begin(struct gsi_unpack *unpack, size_t input_idx)
{
    unpack->input_idx = input_idx;
    gsi_coded_reader_begin(&unpack->reader, &unpack->job->inputs[input_idx]);
    unpack->state = STATE_BETWEEN;
}

void gsi_unpack_submit(struct gsi_unpack *unpack, size_t input_idx, struct gsi_io *io)
{
    unpack->job->io_pending++;
    if (unpack->input_idx != input_idx)
        begin(unpack, input_idx);
    io->moved = 0;
    io->sys_errno = 0;
    unpack->request = io;
    advance(unpack);
}

void gsi_unpack_rewind(struct gsi_unpack *unpack)
{
    if (unpack != NULL)
        unpack->input_idx = SIZE_MAX;
}
