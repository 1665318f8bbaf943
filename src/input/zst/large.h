/* large.h: unpacks a large zstd frame straight to where it is wanted, one task at a time.
 * frames_reader.c does this with every frame that is not small (small.h). */
#ifndef GSI_ZST_LARGE_H
#define GSI_ZST_LARGE_H

#include "loop/loop.h"

#include <zstd.h>

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
