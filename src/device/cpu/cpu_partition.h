/* cpu_partition.h: keys in their place split into those below a pivot and all others, by one thread
 * or by several at once, which share nothing but a counter.
 *
 *     [ left blocks: low keys | not taken yet | right blocks: high keys ]
 *
 * A worker takes a block from either end, deals its keys to two ends of its own, and puts a block
 * of them back as soon as one is full: low ones into a block that it took from the left, high ones
 * into one from the right. It takes the next block where it has none to put into. So each worker
 * holds one block of keys at most, and one block is empty for it. When all blocks are taken, few
 * are in the wrong place: those are moved, and what workers hold, with the keys between the last
 * blocks, goes between. That is Tsigas and Zhang's parallel partition ("A Simple, Fast Parallel
 * Implementation of Quicksort and its Performance Evaluation on SUN Enterprise 10000", 2003) with
 * ends of IPS4o's (M. Axtmann et al., "In-place Parallel Super Scalar Samplesort", 2017) in place
 * of swaps. */
#ifndef GSI_CPU_PARTITION_H
#define GSI_CPU_PARTITION_H

#include "base/assert.h"
#include "base/u128.h"
#include "device/cpu/cpu_partition_simd.h"

#include <stdatomic.h>
#include <stdbool.h>

/* Of keys. In the first-level cache lie the block and two ends of up to two blocks. */
#define GSI_PARTITION_BLOCK_BYTES GSI_CONSTANT(8192, 1024)

/* gsi_partition_begin makes one; `prepare`, `stop` and what they need are set behind that. */
struct gsi_partition {
    uint8_t *keys;
    uint64_t count;
    uint32_t key_bytes;
    uint8_t pivot[16];
    uint64_t block_count;
    _Atomic uint64_t
        taken; /* blocks: from the left in the low half, from the right in the high one */
    /* Each key is prepared once, before it is looked at: on the worker's thread. NULL: nothing to
     * do */
    void (*prepare)(void *context, void *keys, size_t n);
    const atomic_bool *stop; /* workers take no more; NULL: nobody stops them */
};

/* What a worker holds; begun with gsi_partition_worker_begin for each split. */
struct gsi_partition_worker {
    void *prepare_context;
    uint64_t left, right; /* the empty block, counted from that end; UINT64_MAX: there is none */
    struct gsi_deal deal; /* low keys from `low` on, high keys up to the end of `high` */
    _Alignas(64) uint8_t low[2 * GSI_PARTITION_BLOCK_BYTES + GSI_DEAL_SLACK_BYTES];
    _Alignas(64) uint8_t high[2 * GSI_PARTITION_BLOCK_BYTES + GSI_DEAL_SLACK_BYTES];
};

/* gsi_partition_begin: keys, aligned to their size, are borrowed until the end.
 * gsi_partition_work: takes blocks until there are none; any number of workers at once, a thread
 * each.
 * gsi_partition_end: after all workers have ended: returns how many keys are below the pivot; these
 * are in front.
 * in    rest: a worker that took no part, for what no block has */
void gsi_partition_begin(struct gsi_partition *partition, uint32_t key_bytes, void *keys,
                         uint64_t count, const void *pivot);
void gsi_partition_worker_begin(struct gsi_partition_worker *worker, void *prepare_context);
void gsi_partition_work(struct gsi_partition *partition, struct gsi_partition_worker *worker);
uint64_t gsi_partition_end(struct gsi_partition *partition,
                           struct gsi_partition_worker *const *workers, uint32_t count,
                           struct gsi_partition_worker *rest);

/* gsi_partition_give_up: in place of the end, after a stop: all keys are among `keys` again, in
 * some order.
 * out   begin, end: of keys that were not prepared */
void gsi_partition_give_up(struct gsi_partition *partition,
                           struct gsi_partition_worker *const *workers, uint32_t count,
                           uint64_t *begin, uint64_t *end);

#endif
