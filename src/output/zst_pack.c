/* zst_pack.c: a ring of pieces: filled in order, packed in any order, written in order. */
#define ZSTD_STATIC_LINKING_ONLY /* contexts in given memory, and how much they need */
#include "output/zst_pack.h"

#include "base/checked.h"
#include "base/report.h"
#include "input/header.h"

#include <string.h>
#include <zstd.h>

/* Larger frames are not packed better: 64 MiB of sorted u64 in frames of 128 KiB, 1 MiB and 64 MiB
 * are 1.0586, 1.0587 and 1.0587 times smaller, of sorted zipf u32 8.18, 8.19 and 8.19 (level 1). */
#define PIECE_BYTES ((uint64_t)1 << 20)
#define CODED_BYTES ZSTD_COMPRESSBOUND(PIECE_BYTES)
#define ALIGNMENT   64u

struct piece {
    struct gsi_task task;
    struct gsi_io io;
    struct gsi_zst_pack *pack;
    ZSTD_CCtx *context;
    uint8_t *plain, *coded;
    uint64_t bytes;
    size_t coded_bytes; /* or zstd's error */
    bool is_submitted;  /* until it is written */
    bool is_packed;     /* and waits to be written */
};

struct gsi_zst_pack {
    struct gsi_loop *loop;
    const struct gsi_output *output;
    struct gsi_buffers *windows;
    uint32_t *pending;
    uint64_t memory_bytes, written_bytes;
    struct gsi_buffer_list waiting; /* windows; of the first one, window_off bytes are copied */
    uint64_t window_off;
    bool is_write_busy; /* of a stream */
    uint32_t piece_count, fill_idx, write_idx;
    struct piece pieces[];
};

static uint64_t part(uint64_t bytes)
{
    return gsi_round_up_u64(bytes, ALIGNMENT);
}

static uint64_t context_bytes(uint32_t level)
{
    ZSTD_compressionParameters parameters = ZSTD_getCParams((int)level, PIECE_BYTES, 0);
    return part(ZSTD_estimateCCtxSize_usingCParams(parameters));
}

uint64_t gsi_zst_pack_bytes(uint32_t level, uint32_t piece_count)
{
    return part(sizeof(struct gsi_zst_pack) + piece_count * sizeof(struct piece)) +
           piece_count * (context_bytes(level) + part(PIECE_BYTES) + part(CODED_BYTES));
}

/* A context in given memory has no default parameters before it is reset. */
static bool set_up(ZSTD_CCtx *context, uint32_t level)
{
    return context != NULL &&
           !ZSTD_isError(ZSTD_CCtx_reset(context, ZSTD_reset_session_and_parameters)) &&
           !ZSTD_isError(ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, (int)level)) &&
           !ZSTD_isError(ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1));
}

enum gs_status gsi_zst_pack_open(struct gsi_zst_pack **out, struct gsi_loop *loop,
                                 const struct gsi_output *output, uint32_t level,
                                 uint32_t piece_count)
{
    void *memory;
    uint64_t bytes = gsi_zst_pack_bytes(level, piece_count);
    bool is_good = true;
    *out = NULL;
    enum gs_status status =
        gsi_memory_map(&loop->ledger, GSI_MEMORY_CODEC, bytes, &memory, loop->error);
    if (status != GS_OK)
        return status;
    struct gsi_zst_pack *pack = memory;
    pack->loop = loop;
    pack->output = output;
    pack->memory_bytes = bytes;
    pack->piece_count = piece_count;
    gsi_buffer_list_init(&pack->waiting);
    uint8_t *at = (uint8_t *)memory + part(sizeof *pack + piece_count * sizeof(struct piece));
    for (uint32_t i = 0; i < piece_count; i++) {
        struct piece *piece = &pack->pieces[i];
        piece->pack = pack;
        piece->context = ZSTD_initStaticCCtx(at, context_bytes(level));
        piece->plain = at + context_bytes(level);
        piece->coded = piece->plain + part(PIECE_BYTES);
        at = piece->coded + part(CODED_BYTES);
        is_good = is_good && set_up(piece->context, level);
    }
    *out = pack;
    return is_good ? GS_OK
                   : gsi_fail(loop->error, GS_E_MEMORY, 0, "memory: zstd takes more than it says");
}

void gsi_zst_pack_close(struct gsi_zst_pack *pack)
{
    if (pack != NULL)
        gsi_memory_unmap(&pack->loop->ledger, GSI_MEMORY_CODEC, pack, pack->memory_bytes);
}

void gsi_zst_pack_begin(struct gsi_zst_pack *pack, struct gsi_buffers *windows, uint32_t *pending)
{
    pack->windows = windows;
    pack->pending = pending;
}

static void fill(struct gsi_zst_pack *pack);

static void write_done(struct gsi_io *io);

/* What is packed goes out in order: to its offset at once, or into a stream one after the other. */
static void write_ready(struct gsi_zst_pack *pack)
{
    const struct gsi_output *output = pack->output;
    bool is_stream = output->kind == GSI_OUTPUT_STREAM;
    for (;;) {
        struct piece *piece = &pack->pieces[pack->write_idx];
        if (!piece->is_packed || pack->is_write_busy || gsi_loop_has_failed(pack->loop))
            return;
        piece->is_packed = false;
        pack->is_write_busy = is_stream;
        pack->write_idx = (pack->write_idx + 1) % pack->piece_count;
        piece->io = (struct gsi_io){.op = GSI_IO_WRITE,
                                    .fd = output->fd,
                                    .data = piece->coded,
                                    .bytes = piece->coded_bytes,
                                    .off = is_stream ? GSI_IO_STREAM
                                                     : output->base_off + pack->written_bytes,
                                    .is_copy = !is_stream,
                                    .done = write_done};
        pack->written_bytes += piece->coded_bytes;
        gsi_loop_submit(pack->loop, &piece->io);
    }
}

/* Pieces are filled again in order, though a later one may have been written before. */
static void write_done(struct gsi_io *io)
{
    struct piece *piece = GSI_CONTAINER_OF(io, struct piece, io);
    struct gsi_zst_pack *pack = piece->pack;
    struct gsi_loop *loop = pack->loop;
    bool is_good = gsi_loop_io_done(loop, io, pack->output->name);
    (*pack->pending)--;
    if (!is_good)
        return;
    gsi_loop_now(loop)->bytes_written += io->bytes;
    piece->bytes = 0;
    piece->is_submitted = false;
    pack->is_write_busy = false;
    write_ready(pack);
    fill(pack);
}

static void pack_piece(struct gsi_task *task, uint32_t worker_idx)
{
    struct piece *piece = GSI_CONTAINER_OF(task, struct piece, task);
    (void)worker_idx;
    piece->coded_bytes =
        ZSTD_compress2(piece->context, piece->coded, CODED_BYTES, piece->plain, piece->bytes);
}

static void pack_done(struct gsi_task *task)
{
    struct piece *piece = GSI_CONTAINER_OF(task, struct piece, task);
    struct gsi_zst_pack *pack = piece->pack;
    piece->is_packed = true;
    if (ZSTD_isError(piece->coded_bytes))
        gsi_fail(pack->loop->error, GS_E_MEMORY, 0, "'%s': zstd cannot pack it: %s",
                 pack->output->name, ZSTD_getErrorName(piece->coded_bytes));
    write_ready(pack);
}

static void submit(struct gsi_zst_pack *pack)
{
    struct piece *piece = &pack->pieces[pack->fill_idx];
    pack->fill_idx = (pack->fill_idx + 1) % pack->piece_count;
    piece->is_submitted = true;
    (*pack->pending)++;
    piece->task = (struct gsi_task){.run = pack_piece, .done = pack_done, .is_urgent = true};
    gsi_pool_submit(pack->loop->pool, &piece->task);
}

/* Bytes of waiting windows into pieces, as long as there are both. */
static void fill(struct gsi_zst_pack *pack)
{
    while (pack->waiting.head != NULL && !pack->pieces[pack->fill_idx].is_submitted) {
        struct gsi_buffer *window = pack->waiting.head;
        struct piece *piece = &pack->pieces[pack->fill_idx];
        uint64_t bytes = gsi_min_u64(PIECE_BYTES - piece->bytes, window->bytes - pack->window_off);
        memcpy(piece->plain + piece->bytes, window->data + pack->window_off, bytes);
        piece->bytes += bytes;
        pack->window_off += bytes;
        if (piece->bytes == PIECE_BYTES)
            submit(pack);
        if (pack->window_off < window->bytes)
            continue;
        gsi_buffers_give(pack->windows, gsi_buffer_list_pop(&pack->waiting));
        pack->window_off = 0;
        (*pack->pending)--;
    }
}

_Static_assert(GSI_HEADER_BYTES_MAX <= PIECE_BYTES, "a header fits into the first piece");

void gsi_zst_pack_put(struct gsi_zst_pack *pack, const uint8_t *data, uint64_t bytes)
{
    struct piece *piece = &pack->pieces[pack->fill_idx];
    if (bytes > 0)
        memcpy(piece->plain, data, bytes);
    piece->bytes = bytes;
    if (piece->bytes == PIECE_BYTES)
        submit(pack);
}

void gsi_zst_pack_take(struct gsi_zst_pack *pack, struct gsi_buffer *window)
{
    (*pack->pending)++;
    gsi_buffer_list_push(&pack->waiting, window);
    fill(pack);
}

/* An empty output is one empty frame: zstd takes nothing at all for a damaged file. */
void gsi_zst_pack_end(struct gsi_zst_pack *pack)
{
    if (pack->pieces[pack->fill_idx].bytes > 0 || pack->written_bytes == 0)
        submit(pack);
}

uint64_t gsi_zst_pack_written(const struct gsi_zst_pack *pack)
{
    return pack->written_bytes;
}
