/* unpack.h: decompresses frames of zstd, for frames_reader.c.
 *
 *     small frames   a ring of slots; each frame is gathered in a slot and decompressed by a
 *                    task of its own; results are copied out in the order of the file
 *     large frames   one task at a time decompresses straight into the request's memory */
#ifndef GSI_ZST_UNPACK_H
#define GSI_ZST_UNPACK_H

#include "base/assert.h"
#include "base/checked.h"
#include "io/file.h"
#include "loop/loop.h"

#include <zstd.h>

/* ---- small frames ---- */

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
    uint64_t coded_bytes, plain_bytes, copied_bytes;
    uint64_t frame_off; /* in the file */
    size_t result;      /* zstd's */
    bool is_ready;
};

/* A ring of small frames. */
struct gsi_zst_small {
    struct gsi_loop *loop;
    void (*done)(void *context, const struct gsi_zst_slot *slot);
    void *context;
    uint32_t count, fill_idx, copy_idx, used_count; /* used: from start until all is given out */
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

/* gsi_zst_small_copy: adds what comes next to what the request has, if it is ready. Returns whether
 * it was. */
bool gsi_zst_small_copy(struct gsi_zst_small *slots, struct gsi_io *request);

/* gsi_zst_small_is_idle: no frame is being unpacked. */
bool gsi_zst_small_is_idle(const struct gsi_zst_small *slots);

/* ---- large frames ---- */

struct gsi_zst_large {
    struct gsi_task task;
    struct gsi_loop *loop;
    void (*done)(void *context);
    void *context;
    ZSTD_DCtx *zstd;
    bool is_busy;              /* a task is under way */
    bool is_dry;               /* nothing comes out without more input */
    size_t result;             /* zstd's; this and what follows are of the last task */
    ZSTD_inBuffer begun, next; /* the frame's beginning; what lies behind it in the file */
    uint64_t made_bytes;
    const struct gsi_io *request;
};

/* gsi_zst_large_bytes: the memory for frames that look back at most `window_bytes`. */
uint64_t gsi_zst_large_bytes(uint64_t window_bytes);

/* gsi_zst_large_init: `done` will be called on the job's loop.
 * in    memory: gsi_zst_large_bytes, aligned to GSI_DIRECT_ALIGN; borrowed
 * fails GS_E_MEMORY: zstd takes more than it says */
enum gs_status gsi_zst_large_init(struct gsi_zst_large *stream, struct gsi_loop *loop,
                                  uint64_t window_bytes, uint8_t *memory,
                                  void (*done)(void *context), void *context);

/* gsi_zst_large_begin: begins a frame, of which `bytes` have been read to `data`. They are borrowed
 * until the frame's end. */
void gsi_zst_large_begin(struct gsi_zst_large *stream, const uint8_t *data, uint64_t bytes);

/* gsi_zst_large_run: goes on with the frame: unpacks what is left of its beginning, then `data`
 * (NULL: no more is there yet), until the request is full. When it is done, `made_bytes` came out
 * and next.pos bytes of `data` are used up; `result` is 0 at the end of the frame, or zstd's error.
 */
void gsi_zst_large_run(struct gsi_zst_large *stream, const uint8_t *data, uint64_t bytes,
                       const struct gsi_io *request);

#endif
