/* zst_pack.c: frames are filled in order, compressed in any order, and passed on in order. */
#define ZSTD_STATIC_LINKING_ONLY /* contexts in given memory, and how much they need */
#include "output/zst_pack.h"

#include "base/assert.h"
#include "base/checked.h"
#include "base/memory.h"
#include "loop/buffers.h"

#include <string.h>
#include <zstd.h>

/* Larger frames are not compressed better. Frames of 128 KiB, 1 MiB and 64 MiB compress equally
 * well: sorted u64 by 1.059, sorted zipf u32 by 8.2 (level 1). */
#define FRAME_BYTES ((uint64_t)1 << 20)
#define CODED_BYTES ZSTD_COMPRESSBOUND(FRAME_BYTES)
#define ALIGNMENT   64u

_Static_assert(GSI_HEADER_BYTES_MAX <= FRAME_BYTES, "a header fits into the first frame");

/* A frame's buffer has room for its data, and after that for what zstd makes of them. */
#define BUFFER_BYTES gsi_round_up_u64(FRAME_BYTES + CODED_BYTES, ALIGNMENT)

GSI_HOLDER_STATE(coded_bytes_of, size_t) /* or zstd's error */

struct gsi_zst_pack {
    struct gsi_loop *loop;
    const char *name;
    struct gsi_buffer *first; /* the first frame, which holds the header; NULL: it was lent */
    struct gsi_link next;
    struct gsi_bump bump;
    uint64_t begun;             /* frames that were filled */
    struct gsi_reorder ordered; /* of these, the ones that were compressed */
    struct gsi_buffers frames;
    struct gsi_flow flow;
    ZSTD_CCtx *contexts[]; /* of each frame */
};

/* The structure is at the beginning. */
static struct gsi_zst_pack *lay_out(uint32_t level, uint32_t frame_count, struct gsi_bump *bump)
{
    const struct gsi_buffer_shape shape = {.unit_bytes = BUFFER_BYTES};
    ZSTD_compressionParameters parameters = ZSTD_getCParams((int)level, FRAME_BYTES, 0);
    const uint64_t bytes =
        gsi_round_up_u64(ZSTD_estimateCCtxSize_usingCParams(parameters), ALIGNMENT);
    struct gsi_zst_pack *pack =
        gsi_bump_alloc_rounded(bump, sizeof *pack + frame_count * sizeof(ZSTD_CCtx *), ALIGNMENT);
    struct gsi_buffers frames;
    struct gsi_flow flow = {0};
    gsi_buffers_lay_out(&frames, NULL, frame_count, shape, bump);
    gsi_flow_alloc(&flow, 0, GSI_FLOW_COPIES, bump);
    for (uint32_t i = 0; i < frame_count; i++) {
        void *context = gsi_bump_alloc_rounded(bump, bytes, ALIGNMENT);
        if (pack != NULL)
            pack->contexts[i] = ZSTD_initStaticCCtx(context, bytes);
    }
    if (pack == NULL)
        return NULL;
    pack->frames = frames;
    pack->flow = flow;
    return pack;
}

struct gsi_bump gsi_zst_pack_plan(uint32_t level, uint32_t frame_count)
{
    struct gsi_bump bump = {0};
    lay_out(level, frame_count, &bump);
    return bump;
}

/* A context in given memory has no default parameters before it is reset. */
static bool set_up(ZSTD_CCtx *context, uint32_t level)
{
    return context != NULL &&
           !ZSTD_isError(ZSTD_CCtx_reset(context, ZSTD_reset_session_and_parameters)) &&
           !ZSTD_isError(ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, (int)level)) &&
           !ZSTD_isError(ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1));
}

enum gs_status gsi_zst_pack_open(struct gsi_zst_pack **out, struct gsi_loop *loop, const char *name,
                                 uint32_t level, uint32_t frame_count,
                                 const struct gsi_bump *planned)
{
    struct gsi_bump bump = *planned;
    bool is_good = true;
    *out = NULL;
    GSI_TRY(gsi_bump_open(&bump, &loop->ledger, GSI_MEMORY_CODEC, loop->error));
    struct gsi_zst_pack *pack = lay_out(level, frame_count, &bump);
    pack->loop = loop;
    pack->bump = bump;
    pack->name = name;
    for (uint32_t i = 0; i < frame_count; i++)
        is_good = is_good && set_up(pack->contexts[i], level);
    *out = pack;
    return is_good
               ? GS_OK
               : gsi_fail(loop->error, GS_E_MEMORY, 0, "memory: zstd needs more than it predicted");
}

void gsi_zst_pack_close(struct gsi_zst_pack *pack)
{
    if (pack == NULL)
        return;
    struct gsi_bump bump = pack->bump;
    gsi_bump_close(&bump, &pack->loop->ledger, GSI_MEMORY_CODEC);
}

/* ---- frames ---- */

/* A free frame that begins with `bytes` bytes; NULL: none is free. */
static struct gsi_buffer *pop_frame(struct gsi_zst_pack *pack, const void *lead, uint64_t bytes)
{
    struct gsi_buffer *frame = gsi_buffers_pop(&pack->frames);
    if (frame == NULL)
        return NULL;
    if (bytes > 0)
        memcpy(frame->memory, lead, bytes);
    frame->data = frame->memory + bytes;
    frame->capacity = FRAME_BYTES - bytes;
    frame->bytes = 0;
    return frame;
}

static struct gsi_buffer *lend_frame(void *context, uint64_t off)
{
    struct gsi_zst_pack *pack = context;
    struct gsi_buffer *first = pack->first;
    (void)off;
    pack->first = NULL;
    return first != NULL ? first : pop_frame(pack, NULL, 0);
}

static void compress(struct gsi_task *task, uint32_t worker_idx)
{
    struct gsi_buffer *frame = gsi_buffer_of_task(task);
    struct gsi_zst_pack *pack = frame->holder;
    (void)worker_idx;
    *coded_bytes_of(frame) =
        ZSTD_compress2(pack->contexts[frame - pack->frames.all], frame->memory + FRAME_BYTES,
                       CODED_BYTES, frame->memory, frame->bytes);
}

static void compress_done(struct gsi_task *task)
{
    struct gsi_buffer *frame = gsi_buffer_of_task(task);
    struct gsi_zst_pack *pack = frame->holder;
    if (ZSTD_isError(*coded_bytes_of(frame)))
        gsi_fail(pack->loop->error, GS_E_MEMORY, 0, "'%s': zstd cannot compress it: %s", pack->name,
                 ZSTD_getErrorName(*coded_bytes_of(frame)));
    frame->data = frame->memory + FRAME_BYTES;
    frame->bytes = *coded_bytes_of(frame);
    gsi_reorder_add(&pack->ordered, frame);
    while (!gsi_loop_has_failed(pack->loop) && (frame = gsi_reorder_pop(&pack->ordered)) != NULL)
        pack->next.accept(pack->next.context, frame);
}

static void compress_frame(void *context, struct gsi_buffer *frame)
{
    struct gsi_zst_pack *pack = context;
    frame->bytes += (uint64_t)(frame->data - frame->memory);
    frame->holder = pack;
    frame->turn_idx = pack->begun++;
    frame->task = (struct gsi_task){.run = compress, .done = compress_done, .is_urgent = true};
    gsi_pool_submit(pack->loop->pool, &frame->task);
}

/* ---- windows ---- */

struct gsi_buffers *gsi_zst_pack_begin(struct gsi_zst_pack *pack, const struct gsi_header *header,
                                       struct gsi_buffers *windows, struct gsi_link next)
{
    pack->first = pop_frame(pack, header->data, header->bytes);
    GSI_ASSERT(pack->first != NULL);
    pack->next = next;
    pack->flow = (struct gsi_flow){
        .loop = pack->loop,
        .copies = pack->flow.copies,
        .receiver = {.context = pack, .block = lend_frame, .accept = compress_frame},
        .windows = windows,
        .most = UINT64_MAX};
    gsi_flow_begin(&pack->flow);
    return &pack->frames;
}

void gsi_zst_pack_accept(struct gsi_zst_pack *pack, struct gsi_buffer *window)
{
    gsi_flow_accept(&pack->flow, window);
}

/* A header without data, or nothing at all, is a frame, too: zstd takes an empty file for a damaged
 * one. */
void gsi_zst_pack_end(struct gsi_zst_pack *pack)
{
    gsi_flow_end(&pack->flow);
    if (pack->first != NULL)
        compress_frame(pack, lend_frame(pack, 0));
}

bool gsi_zst_pack_pump(struct gsi_zst_pack *pack)
{
    return gsi_flow_pump(&pack->flow);
}

bool gsi_zst_pack_is_idle(const struct gsi_zst_pack *pack)
{
    return gsi_flow_is_idle(&pack->flow) && pack->ordered.next == pack->begun;
}
