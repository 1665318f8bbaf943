/* cpu_partition.h: splits keys in place into those below a pivot and all others, by one thread or
 * by several at once, which share only a counter.
 *
 *     [ left blocks: low keys | not taken yet | right blocks: high keys ]
 *
 * A worker takes a block from either end and deals its keys to two buffers of its own: low keys and
 * high keys. As soon as a buffer has a full block, the worker copies the block back. Low keys are
 * copied into a block that it took from the left, high keys into one from the right. It takes its
 * next block from the side on which it has no empty block. So each worker holds at most one block
 * of keys, and one block is empty for it. When all blocks are taken, few of them are in the wrong
 * place, and these are moved. The other keys, in buffers of workers and between the last blocks,
 * are written to the middle, between the low and the high keys.
 *
 * This is Tsigas and Zhang's parallel partition ("A Simple, Fast Parallel Implementation of
 * Quicksort and its Performance Evaluation on SUN Enterprise 10000", 2003). It uses buffers as in
 * IPS4o (M. Axtmann et al., "In-place Parallel Super Scalar Samplesort", 2017) instead of swaps. */
#ifndef GSI_CPU_PARTITION_H
#define GSI_CPU_PARTITION_H

#include "base/assert.h"
#include "base/u128.h"
#include "device/cpu/cpu_partition_simd.h"

#include <stdatomic.h>
#include <stdbool.h>

/* Bytes of keys per block. The first-level cache holds the block and two buffers of up to two
 * blocks. */
#define GSI_PARTITION_BLOCK_BYTES GSI_CONSTANT(8192, 1024)

/* gsi_partition_begin makes one; `prepare`, `stop` and their arguments are set after that call. */
struct gsi_partition {
    uint8_t *keys;
    uint64_t count;
    uint32_t key_bytes;
    uint8_t pivot[16];
    uint64_t block_count;
    _Atomic uint64_t
        taken; /* taken blocks: from the left in the low half, from the right in the high half */
    /* Prepares each key once, before it is compared, on the worker's thread. NULL: nothing to
     * do. */
    void (*prepare)(void *context, void *keys, size_t n);
    const atomic_bool *stop; /* true: workers take no more blocks; NULL: they never stop early */
};

/* The keys that a worker holds; begun with gsi_partition_worker_begin for each split. */
struct gsi_partition_worker {
    void *prepare_context;
    uint64_t left, right; /* the empty block, counted from that end; UINT64_MAX: none */
    struct gsi_deal deal; /* low keys from `low` on, high keys up to the end of `high` */
    _Alignas(64) uint8_t low[2 * GSI_PARTITION_BLOCK_BYTES + GSI_DEAL_SLACK_BYTES];
    _Alignas(64) uint8_t high[2 * GSI_PARTITION_BLOCK_BYTES + GSI_DEAL_SLACK_BYTES];
};

/* gsi_partition_begin: begins a split. The keys, aligned to their size, are borrowed until the end.
 * gsi_partition_run: takes blocks until there are none; any number of workers at once, one thread
 * each.
 * gsi_partition_end: after all workers have ended: returns how many keys are below the pivot; these
 * are at the front.
 * in    rest: a worker that took no blocks; it deals the keys that belong to no block */
void gsi_partition_begin(struct gsi_partition *partition, uint32_t key_bytes, void *keys,
                         uint64_t count, const void *pivot);
void gsi_partition_worker_begin(struct gsi_partition_worker *worker, void *prepare_context);
void gsi_partition_run(struct gsi_partition *partition, struct gsi_partition_worker *worker);
uint64_t gsi_partition_end(struct gsi_partition *partition,
                           struct gsi_partition_worker *const *workers, uint32_t count,
                           struct gsi_partition_worker *rest);

/* gsi_partition_restore: replaces the end, after a stop: copies all keys back to `keys`, in some
 * order.
 * out   begin, end: the range of keys that were not prepared */
void gsi_partition_restore(struct gsi_partition *partition,
                           struct gsi_partition_worker *const *workers, uint32_t count,
                           uint64_t *begin, uint64_t *end);

#endif
