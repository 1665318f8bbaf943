/* large.c: zstd's streaming interface as a task. */
#define ZSTD_STATIC_LINKING_ONLY /* contexts in given memory, and how much they need */
#include "input/zst/large.h"

uint64_t gsi_zst_large_bytes(uint64_t window_bytes)
{
    return ZSTD_estimateDStreamSize(window_bytes);
}

enum gs_status gsi_zst_large_init(struct gsi_zst_large *stream, struct gsi_loop *loop,
                                  uint64_t window_bytes, uint8_t *memory,
                                  void (*done)(void *context), void *context)
{
    *stream = (struct gsi_zst_large){.loop = loop, .done = done, .context = context};
    stream->zstd = ZSTD_initStaticDCtx(memory, gsi_zst_large_bytes(window_bytes));
    return stream->zstd != NULL
               ? GS_OK
               : gsi_fail(loop->error, GS_E_MEMORY, 0, "memory: zstd needs more than it predicted");
}

void gsi_zst_large_begin(struct gsi_zst_large *stream, const uint8_t *data, uint64_t bytes)
{
    ZSTD_DCtx_reset(stream->zstd, ZSTD_reset_session_only);
    ZSTD_DCtx_setParameter(stream->zstd, ZSTD_d_windowLogMax, ZSTD_WINDOWLOG_MAX);
    stream->begun = (ZSTD_inBuffer){data, bytes, 0};
    stream->is_dry = false;
}

static void unpack_on(struct gsi_task *task, uint32_t worker_idx)
{
    struct gsi_zst_large *stream = GSI_CONTAINER_OF(task, struct gsi_zst_large, task);
    ZSTD_inBuffer *begun = &stream->begun, *next = &stream->next;
    const struct gsi_io *request = stream->request;
    ZSTD_outBuffer out = {request->data, request->bytes, request->moved};
    size_t before;
    (void)worker_idx;
    do {
        before = begun->pos + next->pos + out.pos;
        stream->result =
            ZSTD_decompressStream(stream->zstd, &out, begun->pos < begun->size ? begun : next);
    } while (stream->result > 0 && !ZSTD_isError(stream->result) &&
             begun->pos + next->pos + out.pos > before);
    stream->made_bytes = out.pos - request->moved;
    stream->is_dry = out.pos < out.size;
}

static void unpack_done(struct gsi_task *task)
{
    struct gsi_zst_large *stream = GSI_CONTAINER_OF(task, struct gsi_zst_large, task);
    stream->is_busy = false;
    stream->done(stream->context);
}

void gsi_zst_large_run(struct gsi_zst_large *stream, const uint8_t *data, uint64_t bytes,
                       const struct gsi_io *request)
{
    stream->next = (ZSTD_inBuffer){data, data != NULL ? bytes : 0, 0};
    stream->request = request;
    stream->is_busy = true;
    stream->task = (struct gsi_task){.run = unpack_on, .done = unpack_done, .is_urgent = true};
    gsi_pool_submit(stream->loop->pool, &stream->task);
}
