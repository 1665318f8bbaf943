/* frames_reader.h: inputs that are zstd frames, read as if they were plain streams.
 *
 *     file --engine--> blocks -+-> small frames, whole --pool, beside each other--> pieces -+-> request
 *                              |                                                            |
 *                              '-> large frames --pool, one task at a time------------------'
 *
 * A frame that says that it holds GSI_ZST_PIECE_BYTES at most (as gsort's own output does) is
 * unpacked by itself, several at a time; another one straight to where it is wanted. All memory is
 * taken at open. Everything runs on the job's loop but the unpacking, so failure and cancel are
 * those of any transfer: gsi_loop_drain waits for all of it. */
#ifndef GSI_FRAMES_READER_H
#define GSI_FRAMES_READER_H

#include "io/file.h"
#include "loop/loop.h"

struct gsi_frames_reader;

/* What unpacking takes: for frames that look back `window_bytes`, `piece_count` small ones at a
 * time (1 at least). */
struct gsi_frames_reader_size {
    uint64_t window_bytes;
    uint32_t piece_count;
};
uint64_t gsi_frames_reader_bytes(struct gsi_frames_reader_size size);

/* fails GS_E_MEMORY */
enum gs_status gsi_frames_reader_open(struct gsi_frames_reader **unpack, struct gsi_loop *loop,
                                      struct gsi_frames_reader_size size);
void gsi_frames_reader_close(
    struct gsi_frames_reader *unpack); /* also NULL; nothing may be in flight */

/* gsi_frames_reader_submit: as gsi_loop_submit of a read of the stream that `input` is when
 * unpacked: `io` comes back full, or shorter at the end of the input. One at a time; inputs one
 * after the other. What is wrong with the data is recorded in loop->error (GS_E_INPUT). io->done
 * may be called before submit returns. */
void gsi_frames_reader_submit(struct gsi_frames_reader *unpack, struct gsi_input *input,
                              struct gsi_io *io);

#endif
