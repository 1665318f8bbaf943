/* blocks.h: the bytes of a packed input in order, read ahead in blocks: what frames_reader.c takes
 * frames out of. */
#ifndef GSI_ZST_BLOCKS_H
#define GSI_ZST_BLOCKS_H

#include "io/file.h"
#include "loop/loop.h"

#define GSI_ZST_BLOCK_BYTES ((uint64_t)256 << 10) /* as many in flight as there are reach the */
#define GSI_ZST_BLOCK_COUNT 4u                    /* limit of a disk, packed as the data are */

struct gsi_zst_block {
    struct gsi_io io;
    struct gsi_zst_blocks *reader;
    uint8_t *data;
    uint64_t wanted, bytes, taken; /* of the file */
    bool is_full;                  /* read, and not all taken */
};

struct gsi_zst_blocks {
    struct gsi_loop *loop;
    struct gsi_input *input;
    uint64_t requested_bytes, taken_bytes; /* of the input */
    bool is_read;                          /* everything is requested */
    uint64_t read_idx, take_idx;           /* of blocks, counted through */
    void (*moved)(void *context);          /* a block came, or the job has failed */
    void *context;
    struct gsi_zst_block blocks[GSI_ZST_BLOCK_COUNT];
};

/* gsi_zst_blocks_init: `memory` for all blocks, aligned to GSI_DIRECT_ALIGN; borrowed. `moved` is
 * called on the job's loop. */
void gsi_zst_blocks_init(struct gsi_zst_blocks *reader, struct gsi_loop *loop, uint8_t *memory,
                         void (*moved)(void *context), void *context);

/* gsi_zst_blocks_begin: from an input's beginning on; nothing is in flight. */
void gsi_zst_blocks_begin(struct gsi_zst_blocks *reader, struct gsi_input *input);

/* gsi_zst_blocks_pump: request what can be requested; whether anything was. */
bool gsi_zst_blocks_pump(struct gsi_zst_blocks *reader);

/* gsi_zst_blocks_front: the bytes that come next, of one block; NULL: not there yet, or none.
 * gsi_zst_blocks_take: so many of them are done with. */
const uint8_t *gsi_zst_blocks_front(struct gsi_zst_blocks *reader, uint64_t *bytes);
void gsi_zst_blocks_take(struct gsi_zst_blocks *reader, uint64_t bytes);

/* gsi_zst_blocks_is_end: everything was read and taken. */
bool gsi_zst_blocks_is_end(struct gsi_zst_blocks *reader);

#endif
