/* file_reader.h: reads one input in blocks, each when the owner requests it. Several blocks of a
 * file may be read at the same time, by direct I/O if their alignment allows that. Blocks of a
 * stream are read one after the other.
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
    uint64_t off, bytes;      /* the part of the input's data to read */
    uint64_t block_bytes;     /* size of all blocks except the last */
    uint64_t requested_bytes; /* bytes of data requested so far */
    uint32_t reading_count;   /* blocks that are being read */
    bool is_direct;
    struct gsi_frames_reader
        *unpack; /* decompresses the input; borrowed; NULL: it is not compressed */
    /* All blocks were requested. The end of a stream is known only after its last block was read,
     * which may be empty. */
    bool is_end;
    /* Is called when a block was read: block->bytes at block->data. Not called after the job has
     * failed. */
    void (*done)(struct gsi_file_reader *reader, struct gsi_buffer *block);
};

/* gsi_file_reader_init: initialises a reader of a part of an input. The input may be closed by
 * gsi_input_close_for_now. Buffers have the shape of a frame (gsi_shape_frame). */
void gsi_file_reader_init(struct gsi_file_reader *reader, struct gsi_inputs *inputs,
                          const struct gsi_extent *extent,
                          void (*done)(struct gsi_file_reader *reader, struct gsi_buffer *block));

/* gsi_file_reader_start: starts to read the next block into `buffer`, which belongs to the reader
 * until `done`. Do not call it if is_end; for a stream, request one block at a time. Failures are
 * recorded in inputs->loop->error. */
void gsi_file_reader_start(struct gsi_file_reader *reader, struct gsi_buffer *buffer);

/* gsi_file_reader_is_direct: returns whether a reader of `input` would use direct I/O. */
bool gsi_file_reader_is_direct(const struct gsi_layout *layout, const struct gsi_input *input);

#endif
