/* frames_reader.h: reads inputs of zstd frames as if they were plain streams.
 *
 *     file --engine--> blocks -+-> small frames, whole --pool, side by side--> slots -+-> request
 *                              |                                                       |
 *                              '-> large frames --pool, one task at a time-------------'
 *
 * Small frames declare at most GSI_ZST_SMALL_BYTES, as the frames of gsort's own output do. Several
 * of them are decompressed at the same time. Any other frame is decompressed straight into the
 * request's memory. All memory is allocated at open. Everything except decompression runs on the
 * job's loop. So failures and cancels work as for any transfer: gsi_loop_drain waits for all of it.
 */
#ifndef GSI_FRAMES_READER_H
#define GSI_FRAMES_READER_H

#include "io/file.h"
#include "loop/loop.h"

struct gsi_frames_reader;

/* The size of a reader: for frames with windows of at most `window_bytes`, and for `slot_count`
 * small frames at a time (at least 1).
 * gsi_frames_reader_make_plan: returns such a plan, with its bump allocator. */
struct gsi_frames_reader_plan {
    uint64_t window_bytes;
    uint32_t slot_count;
    struct gsi_bump bump;
};
struct gsi_frames_reader_plan gsi_frames_reader_make_plan(uint64_t window_bytes,
                                                          uint32_t slot_count);

/* gsi_frames_reader_open: opens a reader for one input after the other.
 * fails GS_E_MEMORY */
enum gs_status gsi_frames_reader_open(struct gsi_frames_reader **unpack, struct gsi_loop *loop,
                                      const struct gsi_frames_reader_plan *plan);
void gsi_frames_reader_close(
    struct gsi_frames_reader *unpack); /* also NULL; nothing may be in flight */

/* gsi_frames_reader_submit: works as gsi_loop_submit, for a read of the decompressed `input`. `io`
 * is returned full, or shorter at the end of the input. Submit one transfer at a time, and inputs
 * one after the other. Damaged data are recorded in loop->error (GS_E_INPUT). io->done may be
 * called before submit returns. */
void gsi_frames_reader_submit(struct gsi_frames_reader *unpack, struct gsi_input *input,
                              struct gsi_io *io);

/* gsi_frames_reader_is_idle: returns whether there is no request, and nothing is read or
 * decompressed ahead, so that it can be closed. NULL is idle. */
bool gsi_frames_reader_is_idle(const struct gsi_frames_reader *unpack);

#endif
