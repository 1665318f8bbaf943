/* large.h: a large zstd frame, unpacked straight to where it is wanted, one task at a time.
 * What frames_reader.c does with frames that are no small ones (small.h). */
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
    size_t result;             /* of zstd, as those below of the task that is done */
    ZSTD_inBuffer begun, next; /* the frame's beginning; what lies behind it in the file */
    uint64_t made_bytes;
    const struct gsi_io *request;
};

/* gsi_zst_large_bytes: memory for frames that look back `window_bytes`. */
uint64_t gsi_zst_large_bytes(uint64_t window_bytes);

/* gsi_zst_large_init: `memory` of that many bytes, aligned to GSI_DIRECT_ALIGN; borrowed. `done`
 * is called on the job's loop.
 * fails GS_E_MEMORY if zstd takes more than it says */
enum gs_status gsi_zst_large_init(struct gsi_zst_large *stream, struct gsi_loop *loop,
                                  uint64_t window_bytes, uint8_t *memory,
                                  void (*done)(void *context), void *context);

/* gsi_zst_large_begin: a frame, of which `bytes` have been read to `data`; borrowed until its end.
 */
void gsi_zst_large_begin(struct gsi_zst_large *stream, const uint8_t *data, uint64_t bytes);

/* gsi_zst_large_run: on with the frame: what is left of its beginning, then `data` (NULL: no more
 * is there yet), to where the request ends. When it is done, `made_bytes` came out, next.pos of
 * `data` are used up, and result is 0 at the end of the frame, or zstd's error. */
void gsi_zst_large_run(struct gsi_zst_large *stream, const uint8_t *data, uint64_t bytes,
                       const struct gsi_io *request);

#endif
