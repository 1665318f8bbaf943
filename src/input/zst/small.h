/* small.h: unpacks small zstd frames. Each is gathered into a slot of memory and unpacked by a
 * task of its own; frames are given out in the order in which they came. frames_reader.c does this
 * with most frames. */
#ifndef GSI_ZST_SMALL_H
#define GSI_ZST_SMALL_H

#include "base/assert.h"
#include "base/checked.h"
#include "io/file.h"
#include "loop/loop.h"

#include <zstd.h>

/* The most that a small frame holds, which is what gsort's own hold (zst_pack.c); and the most that
 * it takes when packed. */
#define GSI_ZST_SMALL_BYTES GSI_CONSTANT((uint64_t)1 << 20, (uint64_t)64 << 10)
#define GSI_ZST_SMALL_CODED_BYTES \
    gsi_round_up_u64(ZSTD_COMPRESSBOUND(GSI_ZST_SMALL_BYTES), (uint64_t)GSI_DIRECT_ALIGN)

/* A small frame, whose beginning, or all of it, is at `coded`. */
struct gsi_zst_slot {
    struct gsi_task task;
    struct gsi_zst_small *slots;
    ZSTD_DCtx *context;
    uint8_t *coded, *plain;
    uint64_t coded_bytes, plain_bytes, given_bytes;
    uint64_t frame_off; /* in the file */
    size_t result;      /* zstd's */
    bool is_ready;
};

/* A ring of small frames. */
struct gsi_zst_small {
    struct gsi_loop *loop;
    void (*done)(void *context, const struct gsi_zst_slot *slot);
    void *context;
    uint32_t count, fill_idx, give_idx, used_count; /* used: from start until all is given out */
    struct gsi_zst_slot *list;
};

/* gsi_zst_small_lay_out: places the memory of `count` slots, and describes them in the list in the
 * second run; the list is NULL in the first one. */
void gsi_zst_small_lay_out(struct gsi_zst_slot *list, uint32_t count, struct gsi_shelf *shelf);

/* gsi_zst_small_init: `done` will be called on the job's loop when a frame is unpacked, well or
 * not: slot->result is zstd's.
 * in    list: `count` of them, laid out; borrowed
 * fails GS_E_MEMORY: zstd takes more than it says */
enum gs_status gsi_zst_small_init(struct gsi_zst_small *slots, struct gsi_loop *loop,
                                  struct gsi_zst_slot *list, uint32_t count,
                                  void (*done)(void *context, const struct gsi_zst_slot *slot),
                                  void *context);

/* gsi_zst_small_front: the slot to gather a frame in; it is free unless all are in use.
 * gsi_zst_small_start: that slot has a whole frame: its task begins. */
struct gsi_zst_slot *gsi_zst_small_front(struct gsi_zst_small *slots);
void gsi_zst_small_start(struct gsi_zst_small *slots);

/* gsi_zst_small_give: adds what comes next to what the request has, if it is ready. Returns whether
 * it was. */
bool gsi_zst_small_give(struct gsi_zst_small *slots, struct gsi_io *request);

/* gsi_zst_small_is_idle: no frame is being unpacked. */
bool gsi_zst_small_is_idle(const struct gsi_zst_small *slots);

#endif
