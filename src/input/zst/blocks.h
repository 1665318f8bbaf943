/* blocks.h: reads a compressed input in blocks, ahead of the decompression, for frames_reader.c.
 * The blocks are a ring of buffers. */
#ifndef GSI_ZST_BLOCKS_H
#define GSI_ZST_BLOCKS_H

#include "base/assert.h"
#include "io/file.h"
#include "loop/loop.h"

/* Four transfers in progress suffice for a disk's full speed, because the data are compressed. */
#define GSI_ZST_BLOCK_BYTES GSI_CONSTANT((uint64_t)256 << 10, (uint64_t)16 << 10)
#define GSI_ZST_BLOCK_COUNT 4u

struct gsi_zst_block {
    struct gsi_io io;
    struct gsi_zst_blocks *reader;
    uint8_t *data;
    uint64_t wanted, bytes, used; /* bytes that were requested, read, and consumed */
    bool is_full;                 /* it was read */
};

struct gsi_zst_blocks {
    struct gsi_loop *loop;
    struct gsi_input *input;
    uint64_t requested_bytes, used_bytes; /* bytes of the input that were requested, and consumed */
    bool is_all_requested;                /* the whole input was requested */
    uint64_t read_idx, front_idx;         /* numbers of the next block to read, and to consume */
    void (*moved)(void *context);         /* called when a block was read, or the job has failed */
    void *context;
    struct gsi_zst_block blocks[GSI_ZST_BLOCK_COUNT];
};

/* gsi_zst_blocks_init: initialises a reader, which calls `moved` on the owner's thread.
 * in    memory: for all blocks, aligned to GSI_DIRECT_ALIGN; borrowed */
void gsi_zst_blocks_init(struct gsi_zst_blocks *reader, struct gsi_loop *loop, uint8_t *memory,
                         void (*moved)(void *context), void *context);

/* gsi_zst_blocks_begin: starts to read another input; no transfer may be in progress. */
void gsi_zst_blocks_begin(struct gsi_zst_blocks *reader, struct gsi_input *input);

/* gsi_zst_blocks_pump: starts all transfers that are possible now. Returns whether it started
 * any. */
bool gsi_zst_blocks_pump(struct gsi_zst_blocks *reader);

/* gsi_zst_blocks_front: returns the next bytes of the input that are in one block, and sets *bytes;
 * NULL: not read yet, or the end.
 * gsi_zst_blocks_consume: consumes the first `bytes` of these. */
const uint8_t *gsi_zst_blocks_front(struct gsi_zst_blocks *reader, uint64_t *bytes);
void gsi_zst_blocks_consume(struct gsi_zst_blocks *reader, uint64_t bytes);

/* gsi_zst_blocks_is_end: returns whether the whole input was read and consumed. */
bool gsi_zst_blocks_is_end(struct gsi_zst_blocks *reader);

/* gsi_zst_blocks_is_idle: returns whether no block is being read. */
bool gsi_zst_blocks_is_idle(const struct gsi_zst_blocks *reader);

#endif
