/* zst_pack.c: a ring of slots: filled in order, packed in any order, written in order. */
#define ZSTD_STATIC_LINKING_ONLY /* contexts in given memory, and how much they need */
#include "output/zst_pack.h"

#include "base/checked.h"
#include "base/report.h"
#include "input/header.h"

#include <string.h>
#include <zstd.h>

/* Larger frames are not packed better: 64 MiB of sorted u64 in frames of 128 KiB, 1 MiB and 64 MiB
 * are 1.0586, 1.0587 and 1.0587 times smaller, of sorted zipf u32 8.18, 8.19 and 8.19 (level 1). */
#define FRAME_BYTES ((uint64_t)1 << 20)
#define CODED_BYTES ZSTD_COMPRESSBOUND(FRAME_BYTES)
#define ALIGNMENT   64u

struct slot {
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
    uint64_t written_bytes;
    struct gsi_buffer_list waiting; /* windows; of the first one, window_off bytes are copied */
    uint64_t window_off;
    bool is_write_busy; /* of a stream */
    uint32_t level, slot_count, fill_idx, write_idx;
    struct slot slots[];
};

/* The ring with its slots is at the beginning. */
static struct gsi_zst_pack *lay_out(uint32_t level, uint32_t slot_count, struct gsi_shelf *shelf)
{
    ZSTD_compressionParameters parameters = ZSTD_getCParams((int)level, FRAME_BYTES, 0);
    const uint64_t bytes =
        gsi_round_up_u64(ZSTD_estimateCCtxSize_usingCParams(parameters), ALIGNMENT);
    struct gsi_zst_pack *pack =
        gsi_shelf_place_whole(shelf, sizeof *pack + slot_count * sizeof(struct slot), ALIGNMENT);
    for (uint32_t i = 0; i < slot_count; i++) {
        void *context = gsi_shelf_place_whole(shelf, bytes, ALIGNMENT);
        uint8_t *plain = gsi_shelf_place_whole(shelf, FRAME_BYTES, ALIGNMENT);
        uint8_t *coded = gsi_shelf_place_whole(shelf, CODED_BYTES, ALIGNMENT);
        if (pack != NULL)
            pack->slots[i] = (struct slot){.pack = pack,
                                           .context = ZSTD_initStaticCCtx(context, bytes),
                                           .plain = plain,
                                           .coded = coded};
    }
    return pack;
}

uint64_t gsi_zst_pack_plan(uint32_t level, uint32_t slot_count)
{
    struct gsi_shelf shelf = {0};
    lay_out(level, slot_count, &shelf);
    return shelf.bytes;
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
                                 uint32_t slot_count)
{
    struct gsi_shelf shelf = {0};
    bool is_good = true;
    *out = NULL;
    lay_out(level, slot_count, &shelf);
    GSI_TRY(gsi_shelf_open(&shelf, &loop->ledger, GSI_MEMORY_CODEC, loop->error));
    struct gsi_zst_pack *pack = lay_out(level, slot_count, &shelf);
    pack->loop = loop;
    pack->output = output;
    pack->level = level;
    pack->slot_count = slot_count;
    gsi_buffer_list_init(&pack->waiting);
    for (uint32_t i = 0; i < slot_count; i++)
        is_good = is_good && set_up(pack->slots[i].context, level);
    *out = pack;
    return is_good
               ? GS_OK
               : gsi_fail(loop->error, GS_E_MEMORY, 0, "memory: zstd needs more than it predicted");
}

void gsi_zst_pack_close(struct gsi_zst_pack *pack)
{
    if (pack == NULL)
        return;
    struct gsi_shelf shelf = {0};
    lay_out(pack->level, pack->slot_count, &shelf);
    shelf.base = (uint8_t *)pack;
    gsi_shelf_close(&shelf, &pack->loop->ledger, GSI_MEMORY_CODEC);
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
        struct slot *slot = &pack->slots[pack->write_idx];
        if (!slot->is_packed || pack->is_write_busy || gsi_loop_has_failed(pack->loop))
            return;
        slot->is_packed = false;
        pack->is_write_busy = is_stream;
        pack->write_idx = (pack->write_idx + 1) % pack->slot_count;
        slot->io = (struct gsi_io){.op = GSI_IO_WRITE,
                                   .fd = output->fd,
                                   .data = slot->coded,
                                   .bytes = slot->coded_bytes,
                                   .off = is_stream ? GSI_IO_STREAM
                                                    : output->base_off + pack->written_bytes,
                                   .is_copy = !is_stream,
                                   .done = write_done};
        pack->written_bytes += slot->coded_bytes;
        gsi_loop_submit(pack->loop, &slot->io);
    }
}

/* Slots are filled again in order, though a later one may have been written before. */
static void write_done(struct gsi_io *io)
{
    struct slot *slot = GSI_CONTAINER_OF(io, struct slot, io);
    struct gsi_zst_pack *pack = slot->pack;
    struct gsi_loop *loop = pack->loop;
    bool is_good = gsi_loop_io_done(loop, io, pack->output->name);
    (*pack->pending)--;
    if (!is_good)
        return;
    gsi_loop_now(loop)->bytes_written += io->bytes;
    slot->bytes = 0;
    slot->is_submitted = false;
    pack->is_write_busy = false;
    write_ready(pack);
    fill(pack);
}

static void pack_slot(struct gsi_task *task, uint32_t worker_idx)
{
    struct slot *slot = GSI_CONTAINER_OF(task, struct slot, task);
    (void)worker_idx;
    slot->coded_bytes =
        ZSTD_compress2(slot->context, slot->coded, CODED_BYTES, slot->plain, slot->bytes);
}

static void pack_done(struct gsi_task *task)
{
    struct slot *slot = GSI_CONTAINER_OF(task, struct slot, task);
    struct gsi_zst_pack *pack = slot->pack;
    slot->is_packed = true;
    if (ZSTD_isError(slot->coded_bytes))
        gsi_fail(pack->loop->error, GS_E_MEMORY, 0, "'%s': zstd cannot compress it: %s",
                 pack->output->name, ZSTD_getErrorName(slot->coded_bytes));
    write_ready(pack);
}

static void submit(struct gsi_zst_pack *pack)
{
    struct slot *slot = &pack->slots[pack->fill_idx];
    pack->fill_idx = (pack->fill_idx + 1) % pack->slot_count;
    slot->is_submitted = true;
    (*pack->pending)++;
    slot->task = (struct gsi_task){.run = pack_slot, .done = pack_done, .is_urgent = true};
    gsi_pool_submit(pack->loop->pool, &slot->task);
}

/* Bytes of waiting windows into slots, as long as there are both. */
static void fill(struct gsi_zst_pack *pack)
{
    while (pack->waiting.head != NULL && !pack->slots[pack->fill_idx].is_submitted) {
        struct gsi_buffer *window = pack->waiting.head;
        struct slot *slot = &pack->slots[pack->fill_idx];
        uint64_t bytes = gsi_min_u64(FRAME_BYTES - slot->bytes, window->bytes - pack->window_off);
        memcpy(slot->plain + slot->bytes, window->data + pack->window_off, bytes);
        slot->bytes += bytes;
        pack->window_off += bytes;
        if (slot->bytes == FRAME_BYTES)
            submit(pack);
        if (pack->window_off < window->bytes)
            continue;
        gsi_buffers_give(pack->windows, gsi_buffer_list_pop(&pack->waiting));
        pack->window_off = 0;
        (*pack->pending)--;
    }
}

_Static_assert(GSI_HEADER_BYTES_MAX <= FRAME_BYTES, "a header fits into the first slot");

void gsi_zst_pack_put(struct gsi_zst_pack *pack, const uint8_t *data, uint64_t bytes)
{
    struct slot *slot = &pack->slots[pack->fill_idx];
    if (bytes > 0)
        memcpy(slot->plain, data, bytes);
    slot->bytes = bytes;
    if (slot->bytes == FRAME_BYTES)
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
    if (pack->slots[pack->fill_idx].bytes > 0 || pack->written_bytes == 0)
        submit(pack);
}

uint64_t gsi_zst_pack_written(const struct gsi_zst_pack *pack)
{
    return pack->written_bytes;
}
