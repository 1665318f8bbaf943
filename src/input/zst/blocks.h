/* blocks.h: the bytes of a packed input in order, read ahead in blocks: what frames_reader.c takes
 * frames out of. */
#ifndef GSI_CODED_READER_H
#define GSI_CODED_READER_H

#include "loop/loop.h"

#define GSI_CODED_BLOCK_BYTES ((uint64_t)256 << 10) /* as many in flight as there are reach the */
#define GSI_CODED_BLOCK_COUNT 4u                    /* limit of a disk, packed as the data are */

struct gsi_coded_block {
    struct gsi_io io;
    struct gsi_coded_reader *reader;
    uint8_t *data;
    uint64_t wanted, bytes, taken; /* of the file */
    bool is_full;                  /* read, and not all taken */
};

struct gsi_coded_reader {
    struct gsi_job *job;
    struct gsi_input *input;
    uint64_t requested_bytes, taken_bytes; /* of the input */
    bool is_read;                          /* everything is requested */
    uint64_t read_idx, take_idx;           /* of blocks, counted through */
    void (*moved)(void *context);          /* a block came, or the job has failed */
    void *context;
    struct gsi_coded_block blocks[GSI_CODED_BLOCK_COUNT];
};

/* gsi_coded_reader_init: `memory` for all blocks, aligned to GSI_DIRECT_ALIGN; borrowed. `moved` is
 * called on the job's loop. */
void gsi_coded_reader_init(struct gsi_coded_reader *reader, struct gsi_job *job, uint8_t *memory,
                           void (*moved)(void *context), void *context);

/* gsi_coded_reader_begin: from an input's beginning on; nothing is in flight. */
void gsi_coded_reader_begin(struct gsi_coded_reader *reader, struct gsi_input *input);

/* gsi_coded_reader_pump: request what can be requested; whether anything was. */
bool gsi_coded_reader_pump(struct gsi_coded_reader *reader);

/* gsi_coded_reader_front: the bytes that come next, of one block; NULL: not there yet, or none.
 * gsi_coded_reader_take: so many of them are done with. */
const uint8_t *gsi_coded_reader_front(struct gsi_coded_reader *reader, uint64_t *bytes);
void gsi_coded_reader_take(struct gsi_coded_reader *reader, uint64_t bytes);

/* gsi_coded_reader_is_end: everything was read and taken. */
bool gsi_coded_reader_is_end(struct gsi_coded_reader *reader);

#endif
