/* file_reader.h: reads one input piece by piece, for as long as pieces are wanted. A file is read
 * at several places at a time, past the page cache where the alignment of its data allows that. A
 * stream is read one piece after the other.
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
    uint64_t off, bytes;      /* of its data: where the reader begins, and how much it reads */
    uint64_t block_bytes;     /* of every piece but the last */
    uint64_t requested_bytes; /* of data */
    uint32_t reading_count;   /* pieces on their way */
    bool is_direct;
    struct gsi_frames_reader *unpack; /* of a packed input; borrowed; NULL: it is plain */
    /* No other piece is to be started. For a stream this is known only once its last piece is
     * there, which may be empty. */
    bool is_end;
    /* A piece is there, at piece->data; piece->bytes long. Not called once the job has failed. */
    void (*done)(struct gsi_file_reader *reader, struct gsi_buffer *piece);
};

/* gsi_file_reader_init: the extent's input is open, or closed for now (io/file.h). It is read into
 * buffers with the shape of a frame (gsi_shape_frame). */
void gsi_file_reader_init(struct gsi_file_reader *reader, struct gsi_inputs *inputs,
                          const struct gsi_extent *extent,
                          void (*done)(struct gsi_file_reader *reader, struct gsi_buffer *piece));

/* gsi_file_reader_start: starts to read the next piece into `buffer`, whose holder is the reader
 * until it is done. Not to be called at the end; for a stream, only one piece at a time. Failures
 * are recorded in inputs->loop->error. */
void gsi_file_reader_start(struct gsi_file_reader *reader, struct gsi_buffer *buffer);

/* gsi_file_reader_is_direct: whether a reader of `input` would read past the page cache. */
bool gsi_file_reader_is_direct(const struct gsi_layout *layout, const struct gsi_input *input);

#endif
