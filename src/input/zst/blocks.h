/* blocks.h: reads the bytes of a compressed input ahead, in blocks and in order, for
 * frames_reader.c. */
#ifndef GSI_ZST_BLOCKS_H
#define GSI_ZST_BLOCKS_H

#include "base/assert.h"
#include "io/file.h"
#include "loop/loop.h"

/* Four in flight reach a disk's limit, because the data are compressed. */
#define GSI_ZST_BLOCK_BYTES GSI_CONSTANT((uint64_t)256 << 10, (uint64_t)16 << 10)
#define GSI_ZST_BLOCK_COUNT 4u

struct gsi_zst_block {
    struct gsi_io io;
    struct gsi_zst_blocks *reader;
    uint8_t *data;
    uint64_t wanted, bytes, used; /* bytes of the file: requested, read, consumed */
    bool is_full;                 /* read, and not completely consumed */
};

struct gsi_zst_blocks {
    struct gsi_loop *loop;
    struct gsi_input *input;
    uint64_t requested_bytes, used_bytes; /* of the input */
    bool is_all_requested;                /* everything was requested */
    uint64_t read_idx, front_idx; /* numbers of blocks, counted from the input's beginning */
    void (*moved)(void *context); /* a block was read, or the job has failed */
    void *context;
    struct gsi_zst_block blocks[GSI_ZST_BLOCK_COUNT];
};

/* gsi_zst_blocks_init: initialises the reader, which will call `moved` on the job's loop.
 * in    memory: for all blocks, aligned to GSI_DIRECT_ALIGN; borrowed */
void gsi_zst_blocks_init(struct gsi_zst_blocks *reader, struct gsi_loop *loop, uint8_t *memory,
                         void (*moved)(void *context), void *context);

/* gsi_zst_blocks_begin: starts at the beginning of an input; nothing is in flight. */
void gsi_zst_blocks_begin(struct gsi_zst_blocks *reader, struct gsi_input *input);

/* gsi_zst_blocks_pump: requests everything that can be requested. Returns whether it requested
 * anything. */
bool gsi_zst_blocks_pump(struct gsi_zst_blocks *reader);

/* gsi_zst_blocks_front: returns the next bytes, all in one block; NULL: not read yet, or none.
 * gsi_zst_blocks_consume: releases `bytes` of them. */
const uint8_t *gsi_zst_blocks_front(struct gsi_zst_blocks *reader, uint64_t *bytes);
void gsi_zst_blocks_consume(struct gsi_zst_blocks *reader, uint64_t bytes);

/* gsi_zst_blocks_is_end: returns whether everything was read and consumed. */
bool gsi_zst_blocks_is_end(struct gsi_zst_blocks *reader);

/* gsi_zst_blocks_is_idle: returns whether no block is being read. */
bool gsi_zst_blocks_is_idle(const struct gsi_zst_blocks *reader);

#endif
