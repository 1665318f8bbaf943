/* frames_reader.h: reads compressed inputs (lists of zstd frames) as if they were uncompressed
 * streams.
 *
 *     file --engine--> blocks -+-> small frames, whole --pool, side by side--> slots -+-> request
 *                              |                                                       |
 *                              '-> large frames --pool, one task at a time-------------'
 *
 * Small frames have at most GSI_ZST_SMALL_BYTES of data, according to their headers. gsort writes
 * such frames. Several small frames are decompressed at the same time, each in a slot. A large
 * frame is decompressed by one task, directly into the memory of the request. Tasks only
 * decompress; all other work runs on the loop's thread. So gsi_loop_drain also waits for the frames
 * reader. */
#ifndef GSI_FRAMES_READER_H
#define GSI_FRAMES_READER_H

#include "io/file.h"
#include "loop/loop.h"

struct gsi_frames_reader;

/* The memory of a frames reader. It handles large frames with windows of at most `window_bytes`,
 * and `slot_count` (at least 1) small frames at the same time.
 * gsi_frames_reader_make_plan: returns such a plan, with its bump allocator. */
struct gsi_frames_reader_plan {
    uint64_t window_bytes;
    uint32_t slot_count;
    struct gsi_bump bump;
};
struct gsi_frames_reader_plan gsi_frames_reader_make_plan(uint64_t window_bytes,
                                                          uint32_t slot_count);

/* gsi_frames_reader_open: allocates a frames reader, which reads one input after the other.
 * fails GS_E_MEMORY */
enum gs_status gsi_frames_reader_open(struct gsi_frames_reader **unpack, struct gsi_loop *loop,
                                      const struct gsi_frames_reader_plan *plan);
void gsi_frames_reader_close(struct gsi_frames_reader *unpack); /* accepts NULL; it must be idle */

/* gsi_frames_reader_submit: starts to read decompressed data of `input`, as gsi_loop_submit does.
 * At the end of the input, fewer bytes than requested are read. Submit one transfer at a time, and
 * inputs one after the other. If data are damaged, GS_E_INPUT is recorded in loop->error. io->done
 * may be called before this function returns. */
void gsi_frames_reader_submit(struct gsi_frames_reader *unpack, struct gsi_input *input,
                              struct gsi_io *io);

/* gsi_frames_reader_is_idle: returns whether no transfer or task is in progress, so that the reader
 * can be closed. Accepts NULL. */
bool gsi_frames_reader_is_idle(const struct gsi_frames_reader *unpack);

#endif
