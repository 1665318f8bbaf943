/* print_input.h: a file's bytes in order, unpacked if they are packed. */
#ifndef GSORT_PRINT_INPUT_H
#define GSORT_PRINT_INPUT_H

#include "gsort.h"

#include <stdatomic.h>
#include <zstd.h>

struct print_input {
    const char *name; /* for messages */
    int fd;
    bool has_size; /* a seekable, uncompressed file */
    bool is_pipe;  /* or a socket, or a terminal */
    bool holds;    /* what is read is held, to be read once more */
    uint8_t *held;
    size_t held_bytes, held_at;
    atomic_bool is_stopped;
    ZSTD_DCtx *unpacker; /* NULL: not packed */
    uint8_t *coded;      /* packed bytes, read and not yet unpacked */
    size_t coded_bytes, coded_at;
    bool is_in_frame; /* a frame is incomplete */
};

/* print_input_open: "-" is standard input. Waits for the writer of a FIFO. Close also after a
 * failure.
 * fails GS_E_INPUT: cannot be opened */
enum gs_status print_input_open(const char *path, struct print_input *input,
                                struct gs_error *error);
void print_input_close(struct print_input *input);

/* print_input_give: sets the inputs of `job`. The first one, a stream, is read here when the job
 * reads it, beginning with the bytes that were held.
 * in    holds: what the job reads is held: it only looks at the beginning
 * fails GS_E_MEMORY */
enum gs_status print_input_give(struct print_input *input, bool holds, gs_job *job,
                                const char *const *inputs, size_t count, struct gs_error *error);

/* print_input_begin: reads from byte `off` on: of the file, of its unpacked bytes, or of the bytes
 * that a stream is going to give.
 * fails GS_E_IO, GS_E_INPUT: it ends before, GS_E_MEMORY */
enum gs_status print_input_begin(struct print_input *input, bool is_packed, uint64_t off,
                                 struct gs_error *error);

/* print_input_seek: continues at byte `off` of the file, if has_size. */
enum gs_status print_input_seek(struct print_input *input, uint64_t off, struct gs_error *error);

/* print_input_read: reads the next `bytes`; *got is less only at the end of the file.
 * fails GS_E_IO, GS_E_INPUT: packed data that are damaged or cut short */
enum gs_status print_input_read(struct print_input *input, uint8_t *data, size_t bytes, size_t *got,
                                struct gs_error *error);

#endif
