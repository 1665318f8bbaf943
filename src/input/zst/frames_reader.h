/* frames_reader.h: inputs that are zstd frames, read as if they were plain streams.
 *
 *     file --engine--> blocks -+-> small frames, whole --pool, beside each other--> pieces -+-> request
 *                              |                                                            |
 *                              '-> large frames --pool, one task at a time------------------'
 *
 * A frame that says that it holds GSI_ZST_PIECE_BYTES at most (as gsort's own output does) is
 * unpacked by itself, several at a time; another one straight to where it is wanted. All memory is
 * taken at open. Everything runs on the job's loop but the unpacking, so failure and cancel are
 * those of any transfer: gsi_job_drain waits for all of it. */
#ifndef GSI_FRAMES_READER_H
#define GSI_FRAMES_READER_H

#include "loop/loop.h"

/* What unpacking takes: for frames that look back `window_bytes`, `piece_count` small ones at a
 * time (1 at least). */
struct gsi_frames_reader_size {
    uint64_t window_bytes;
    uint32_t piece_count;
};
uint64_t gsi_frames_reader_bytes(struct gsi_frames_reader_size size);

/* fails GS_E_MEMORY */
enum gs_status gsi_frames_reader_open(struct gsi_frames_reader **unpack, struct gsi_job *job,
                                      struct gsi_frames_reader_size size);
void gsi_frames_reader_close(
    struct gsi_frames_reader *unpack); /* also NULL; nothing may be in flight */

/* gsi_frames_reader_submit: as gsi_job_submit of a read of the stream that job->inputs[input_idx] is when
 * unpacked: `io` comes back full, or shorter at the end of the input. One at a time; inputs one
 * after the other. What is wrong with the data is recorded in job->error (GS_E_INPUT). io->done may
 * be called before submit returns. */
void gsi_frames_reader_submit(struct gsi_frames_reader *unpack, size_t input_idx,
                              struct gsi_io *io);

/* gsi_frames_reader_rewind: everything asked for has come, and job->inputs will be others. NULL is fine.
 */
void gsi_frames_reader_rewind(struct gsi_frames_reader *unpack);

#endif
