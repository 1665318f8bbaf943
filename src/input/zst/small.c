/* small.c: a ring of frames: gathered, unpacked in any order, given out in order. */
#define ZSTD_STATIC_LINKING_ONLY /* contexts in given memory, and how much they need */
#include "input/zst/small.h"

#include <string.h>

static uint64_t context_bytes(void)
{
    return gsi_round_up_u64(ZSTD_estimateDCtxSize(), GSI_DIRECT_ALIGN);
}

uint64_t gsi_zst_piece_bytes(void)
{
    return context_bytes() + GSI_ZST_PIECE_CODED_BYTES + GSI_ZST_PIECE_BYTES;
}

enum gs_status gsi_zst_small_init(struct gsi_zst_small *pieces, struct gsi_loop *loop,
                                  struct gsi_zst_piece *list, uint32_t count, uint8_t *memory,
                                  void (*done)(void *context, const struct gsi_zst_piece *piece),
                                  void *context)
{
    *pieces = (struct gsi_zst_small){
        .loop = loop, .done = done, .context = context, .count = count, .list = list};
    for (uint32_t i = 0; i < count; i++, memory += gsi_zst_piece_bytes()) {
        struct gsi_zst_piece *piece = &list[i];
        piece->pieces = pieces;
        piece->context = ZSTD_initStaticDCtx(memory, ZSTD_estimateDCtxSize());
        piece->coded = memory + context_bytes();
        piece->plain = piece->coded + GSI_ZST_PIECE_CODED_BYTES;
        if (piece->context == NULL)
            return gsi_fail(loop->error, GS_E_MEMORY, 0, "memory: zstd takes more than it says");
    }
    return GS_OK;
}

struct gsi_zst_piece *gsi_zst_small_front(struct gsi_zst_small *pieces)
{
    return &pieces->list[pieces->fill_idx];
}

static void unpack_piece(struct gsi_task *task, uint32_t worker_idx)
{
    struct gsi_zst_piece *piece = GSI_CONTAINER_OF(task, struct gsi_zst_piece, task);
    (void)worker_idx;
    piece->result = ZSTD_decompressDCtx(piece->context, piece->plain, GSI_ZST_PIECE_BYTES,
                                        piece->coded, piece->coded_bytes);
}

static void piece_done(struct gsi_task *task)
{
    struct gsi_zst_piece *piece = GSI_CONTAINER_OF(task, struct gsi_zst_piece, task);
    piece->is_ready = true;
    piece->plain_bytes = piece->result;
    piece->pieces->done(piece->pieces->context, piece);
}

void gsi_zst_small_start(struct gsi_zst_small *pieces)
{
    struct gsi_zst_piece *piece = gsi_zst_small_front(pieces);
    piece->task = (struct gsi_task){.run = unpack_piece, .done = piece_done, .is_urgent = true};
    piece->given_bytes = 0;
    piece->is_ready = false;
    pieces->fill_idx = (pieces->fill_idx + 1) % pieces->count;
    pieces->used_count++;
    gsi_pool_submit(pieces->loop->pool, &piece->task);
}

bool gsi_zst_small_give(struct gsi_zst_small *pieces, struct gsi_io *request)
{
    struct gsi_zst_piece *piece = &pieces->list[pieces->give_idx];
    if (pieces->used_count == 0 || !piece->is_ready || request->moved == request->bytes)
        return false;
    uint64_t bytes =
        gsi_min_u64(request->bytes - request->moved, piece->plain_bytes - piece->given_bytes);
    memcpy((uint8_t *)request->data + request->moved, piece->plain + piece->given_bytes, bytes);
    request->moved += bytes;
    piece->given_bytes += bytes;
    if (piece->given_bytes == piece->plain_bytes) {
        pieces->give_idx = (pieces->give_idx + 1) % pieces->count;
        pieces->used_count--;
    }
    return true;
}

bool gsi_zst_small_is_idle(const struct gsi_zst_small *pieces)
{
    for (uint32_t i = 0; i < pieces->used_count; i++)
        if (!pieces->list[(pieces->give_idx + i) % pieces->count].is_ready)
            return false;
    return true;
}
