/* unpack.h: decompresses frames of zstd, for frames_reader.c.
 *
 *     small frames   a ring of slots; each frame is copied to a slot and decompressed by its own
 *     task; results are copied to the request in the order of the file
 *     large frames   one task at a time decompresses straight into the request's memory */
#ifndef GSI_ZST_UNPACK_H
#define GSI_ZST_UNPACK_H

#include "base/assert.h"
#include "base/checked.h"
#include "io/file.h"
#include "loop/loop.h"

#include <zstd.h>

/* ---- small frames ---- */

/* The largest decompressed and the largest compressed size of a small frame. Frames that gsort
 * writes are small (zst_pack.c). */
#define GSI_ZST_SMALL_BYTES GSI_CONSTANT((uint64_t)1 << 20, (uint64_t)64 << 10)
#define GSI_ZST_SMALL_CODED_BYTES \
    gsi_round_up_u64(ZSTD_COMPRESSBOUND(GSI_ZST_SMALL_BYTES), (uint64_t)GSI_DIRECT_ALIGN)

/* A slot for a small frame: compressed bytes at `coded`, decompressed ones at `plain`. */
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
    uint32_t count, fill_idx, copy_idx, used_count; /* used_count: slots that were started and not
                                                     * completely copied */
    struct gsi_zst_slot *list;
};

/* gsi_zst_small_lay_out: allocates the memory of `count` slots, and initialises them unless `list`
 * is NULL (first run of the bump allocator). */
void gsi_zst_small_lay_out(struct gsi_zst_slot *list, uint32_t count, struct gsi_bump *bump);

/* gsi_zst_small_init: initialises the ring, which calls `done` on the loop's thread after each
 * frame.
 * in    list: `count` slots of gsi_zst_small_lay_out; borrowed
 * fails GS_E_MEMORY: zstd needs more memory than it predicted */
enum gs_status gsi_zst_small_init(struct gsi_zst_small *slots, struct gsi_loop *loop,
                                  struct gsi_zst_slot *list, uint32_t count,
                                  void (*done)(void *context, const struct gsi_zst_slot *slot),
                                  void *context);

/* gsi_zst_small_front: returns the slot for the next frame. It is free unless all slots are used.
 * gsi_zst_small_start: starts the task that decompresses this slot, which has a whole frame. */
struct gsi_zst_slot *gsi_zst_small_front(struct gsi_zst_small *slots);
void gsi_zst_small_start(struct gsi_zst_small *slots);

/* gsi_zst_small_copy: copies the next decompressed bytes to the request, if they are ready. Returns
 * whether it copied any. */
bool gsi_zst_small_copy(struct gsi_zst_small *slots, struct gsi_io *request);

/* gsi_zst_small_is_idle: returns whether no frame is being decompressed. */
bool gsi_zst_small_is_idle(const struct gsi_zst_small *slots);

/* ---- large frames ---- */

struct gsi_zst_large {
    struct gsi_task task;
    struct gsi_loop *loop;
    void (*done)(void *context);
    void *context;
    ZSTD_DCtx *zstd;
    bool is_busy;              /* a task is running */
    bool needs_input;          /* zstd needs more input */
    size_t result;             /* zstd's result or error code of the last task */
    ZSTD_inBuffer begun, next; /* the frame's first bytes, and its next bytes */
    uint64_t made_bytes;
    const struct gsi_io *request;
};

/* gsi_zst_large_bytes: returns the memory for frames with windows of at most `window_bytes`. */
uint64_t gsi_zst_large_bytes(uint64_t window_bytes);

/* gsi_zst_large_init: initialises the decompression of large frames, which calls `done` on the
 * loop's thread after each task.
 * in    memory: gsi_zst_large_bytes, aligned to GSI_DIRECT_ALIGN; borrowed
 * fails GS_E_MEMORY: zstd needs more memory than it predicted */
enum gs_status gsi_zst_large_init(struct gsi_zst_large *stream, struct gsi_loop *loop,
                                  uint64_t window_bytes, uint8_t *memory,
                                  void (*done)(void *context), void *context);

/* gsi_zst_large_begin: begins a frame. `data` are its first `bytes`, which must stay until the
 * frame ends. */
void gsi_zst_large_begin(struct gsi_zst_large *stream, const uint8_t *data, uint64_t bytes);

/* gsi_zst_large_run: starts a task that decompresses more of the frame into the request: the rest
 * of its first bytes, then `data` (NULL: not read yet). When `done` is called, made_bytes were
 * decompressed, and next.pos bytes of `data` consumed. `result` is 0 at the end of the frame, or
 * zstd's error. */
void gsi_zst_large_run(struct gsi_zst_large *stream, const uint8_t *data, uint64_t bytes,
                       const struct gsi_io *request);

#endif
