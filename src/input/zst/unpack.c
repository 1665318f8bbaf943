/* unpack.c: decompresses zstd frames by tasks. */
#define ZSTD_STATIC_LINKING_ONLY /* for contexts in memory that we allocate */
#include "input/zst/unpack.h"

#include <string.h>

/* ---- small frames ---- */

void gsi_zst_small_lay_out(struct gsi_zst_slot *list, uint32_t count, struct gsi_bump *bump)
{
    const size_t context_bytes = ZSTD_estimateDCtxSize();
    for (uint32_t i = 0; i < count; i++) {
        void *context = gsi_bump_alloc_rounded(bump, context_bytes, GSI_DIRECT_ALIGN);
        uint8_t *coded = gsi_bump_alloc(bump, GSI_ZST_SMALL_CODED_BYTES, 1, GSI_DIRECT_ALIGN);
        uint8_t *plain = gsi_bump_alloc(bump, GSI_ZST_SMALL_BYTES, 1, GSI_DIRECT_ALIGN);
        if (list != NULL)
            list[i] = (struct gsi_zst_slot){.context = ZSTD_initStaticDCtx(context, context_bytes),
                                            .coded = coded,
                                            .plain = plain};
    }
}

enum gs_status gsi_zst_small_init(struct gsi_zst_small *slots, struct gsi_loop *loop,
                                  struct gsi_zst_slot *list, uint32_t count,
                                  void (*done)(void *context, const struct gsi_zst_slot *slot),
                                  void *context)
{
    *slots = (struct gsi_zst_small){
        .loop = loop, .done = done, .context = context, .count = count, .list = list};
    for (uint32_t i = 0; i < count; i++) {
        list[i].slots = slots;
        if (list[i].context == NULL)
            return gsi_fail(loop->error, GS_E_MEMORY, 0,
                            "memory: zstd needs more than it predicted");
    }
    return GS_OK;
}

struct gsi_zst_slot *gsi_zst_small_front(struct gsi_zst_small *slots)
{
    return &slots->list[slots->fill_idx];
}

static void unpack_slot(struct gsi_task *task, uint32_t worker_idx)
{
    struct gsi_zst_slot *slot = GSI_CONTAINER_OF(task, struct gsi_zst_slot, task);
    (void)worker_idx;
    slot->result = ZSTD_decompressDCtx(slot->context, slot->plain, GSI_ZST_SMALL_BYTES, slot->coded,
                                       slot->coded_bytes);
}

static void slot_done(struct gsi_task *task)
{
    struct gsi_zst_slot *slot = GSI_CONTAINER_OF(task, struct gsi_zst_slot, task);
    slot->is_ready = true;
    slot->plain_bytes = slot->result;
    slot->slots->done(slot->slots->context, slot);
}

void gsi_zst_small_start(struct gsi_zst_small *slots)
{
    struct gsi_zst_slot *slot = gsi_zst_small_front(slots);
    slot->task = (struct gsi_task){.run = unpack_slot, .done = slot_done, .is_urgent = true};
    slot->copied_bytes = 0;
    slot->is_ready = false;
    slots->fill_idx = (slots->fill_idx + 1) % slots->count;
    slots->used_count++;
    gsi_pool_submit(slots->loop->pool, &slot->task);
}

bool gsi_zst_small_copy(struct gsi_zst_small *slots, struct gsi_io *request)
{
    struct gsi_zst_slot *slot = &slots->list[slots->copy_idx];
    if (slots->used_count == 0 || !slot->is_ready || request->moved == request->bytes)
        return false;
    uint64_t bytes =
        gsi_min_u64(request->bytes - request->moved, slot->plain_bytes - slot->copied_bytes);
    memcpy((uint8_t *)request->data + request->moved, slot->plain + slot->copied_bytes, bytes);
    request->moved += bytes;
    slot->copied_bytes += bytes;
    if (slot->copied_bytes == slot->plain_bytes) {
        slots->copy_idx = (slots->copy_idx + 1) % slots->count;
        slots->used_count--;
    }
    return true;
}

bool gsi_zst_small_is_idle(const struct gsi_zst_small *slots)
{
    for (uint32_t i = 0; i < slots->used_count; i++)
        if (!slots->list[(slots->copy_idx + i) % slots->count].is_ready)
            return false;
    return true;
}

/* ---- large frames ---- */

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
    stream->needs_input = false;
}

static void unpack_more(struct gsi_task *task, uint32_t worker_idx)
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
    stream->needs_input = out.pos < out.size;
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
    stream->task = (struct gsi_task){.run = unpack_more, .done = unpack_done, .is_urgent = true};
    gsi_pool_submit(stream->loop->pool, &stream->task);
}
