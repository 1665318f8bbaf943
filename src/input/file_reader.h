/* file_reader.h: reads one input block by block, on request. It reads a file at several offsets at
 * a time, and directly if the alignment of its data allows that. It reads a stream one block after
 * the other.
 *
 *     file    [ header | piece 0 | piece 1 | .. ]      pages around a piece are read with it:
 *     buffer           [ .. | piece 1 | .. ]           its data begin as far into a page as there
 */
#ifndef GSI_FILE_READER_H
#define GSI_FILE_READER_H

#include "input/inputs.h"
#include "loop/run_list.h"

struct gsi_file_reader {
    struct gsi_inputs *inputs;
    struct gsi_input *input;
    uint64_t off, bytes;      /* the part of its data that is read */
    uint64_t block_bytes;     /* of every block but the last */
    uint64_t requested_bytes; /* of data */
    uint32_t reading_count;   /* blocks that are being read */
    bool is_direct;
    struct gsi_frames_reader
        *unpack; /* of a compressed input; borrowed; NULL: it is not compressed */
    /* No further block may be started. For a stream this is known only after its last block was
     * read, which may be empty. */
    bool is_end;
    /* A block was read: block->bytes at block->data. Not called after the job has failed. */
    void (*done)(struct gsi_file_reader *reader, struct gsi_buffer *block);
};

/* gsi_file_reader_init: initialises a reader of an extent, whose input is open, or closed for now
 * (io/file.h). Buffers have the shape of a frame (gsi_shape_frame). */
void gsi_file_reader_init(struct gsi_file_reader *reader, struct gsi_inputs *inputs,
                          const struct gsi_extent *extent,
                          void (*done)(struct gsi_file_reader *reader, struct gsi_buffer *block));

/* gsi_file_reader_start: starts to read the next block into `buffer`; the reader is its holder
 * until then. It must not be called at the end; for a stream, only one block at a time. Failures
 * are recorded in inputs->loop->error. */
void gsi_file_reader_start(struct gsi_file_reader *reader, struct gsi_buffer *buffer);

/* gsi_file_reader_is_direct: returns whether a reader of `input` would read directly. */
bool gsi_file_reader_is_direct(const struct gsi_layout *layout, const struct gsi_input *input);

#endif
