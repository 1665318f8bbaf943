/* frames_reader.h: inputs that are zstd frames, read as if they were plain streams.
 *
 *     file --engine--> blocks -+-> small frames, whole --pool, side by side--> slots -+-> request
 *                              |                                                       |
 *                              '-> large frames --pool, one task at a time-------------'
 *
 * Small frames say that they hold at most GSI_ZST_SMALL_BYTES, as those of gsort's own output do.
 * Several of them are unpacked at the same time. Any other frame is unpacked straight to where it
 * is wanted. All memory is taken at open. Everything but the unpacking runs on the job's loop, so
 * failing and cancelling work as for any transfer: gsi_loop_drain waits for all of it. */
#ifndef GSI_FRAMES_READER_H
#define GSI_FRAMES_READER_H

#include "io/file.h"
#include "loop/loop.h"

struct gsi_frames_reader;

/* How large a reader is: for frames that look back at most `window_bytes`, and for `slot_count`
 * small frames at a time (at least 1).
 * gsi_frames_reader_make_plan: with the shelf for that. */
struct gsi_frames_reader_plan {
    uint64_t window_bytes;
    uint32_t slot_count;
    struct gsi_shelf shelf;
};
struct gsi_frames_reader_plan gsi_frames_reader_make_plan(uint64_t window_bytes,
                                                          uint32_t slot_count);

/* gsi_frames_reader_open: opens a reader, for one input after the other.
 * fails GS_E_MEMORY */
enum gs_status gsi_frames_reader_open(struct gsi_frames_reader **unpack, struct gsi_loop *loop,
                                      const struct gsi_frames_reader_plan *plan);
void gsi_frames_reader_close(
    struct gsi_frames_reader *unpack); /* also NULL; nothing may be in flight */

/* gsi_frames_reader_submit: as gsi_loop_submit, for a read of the stream that `input` unpacks to.
 * `io` comes back full, or shorter at the end of the input. One transfer at a time; inputs one
 * after the other. A failure of the data is recorded in loop->error (GS_E_INPUT). io->done may be
 * called before submit returns. */
void gsi_frames_reader_submit(struct gsi_frames_reader *unpack, struct gsi_input *input,
                              struct gsi_io *io);

/* gsi_frames_reader_is_idle: nothing is asked for, and nothing that was read or unpacked ahead is
 * still in flight, so that it can be closed. NULL is fine. */
bool gsi_frames_reader_is_idle(const struct gsi_frames_reader *unpack);

#endif
