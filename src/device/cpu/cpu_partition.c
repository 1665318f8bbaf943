/* cpu_partition.c: partitions block by block on several workers, and completes the rest on one
 * thread. */
#include "device/cpu/cpu_partition.h"

#include "base/assert.h"
#include "base/checked.h"

#include <string.h>

#define NONE UINT64_MAX

/* Blocks taken from the left, in the low half of `taken`, and from the right, in the high half. */
#define ONE_LEFT  ((uint64_t)1)
#define ONE_RIGHT ((uint64_t)1 << 32)

static uint64_t left_of(uint64_t taken)
{
    return taken % ONE_RIGHT;
}

static uint64_t right_of(uint64_t taken)
{
    return taken / ONE_RIGHT;
}

static uint8_t *left_block(const struct gsi_partition *partition, uint64_t idx)
{
    return partition->keys + idx * GSI_PARTITION_BLOCK_BYTES;
}

static uint8_t *right_block(const struct gsi_partition *partition, uint64_t idx)
{
    return partition->keys + partition->count * partition->key_bytes -
           (idx + 1) * GSI_PARTITION_BLOCK_BYTES;
}

void gsi_partition_begin(struct gsi_partition *partition, uint32_t key_bytes, void *keys,
                         uint64_t count, const void *pivot)
{
    partition->keys = keys;
    partition->count = count;
    partition->key_bytes = key_bytes;
    memcpy(partition->pivot, pivot, key_bytes);
    partition->block_count = count / (GSI_PARTITION_BLOCK_BYTES / key_bytes);
    GSI_ASSERT(partition->block_count < ONE_RIGHT);
    atomic_init(&partition->taken, 0);
    partition->prepare = NULL;
    partition->stop = NULL;
}

void gsi_partition_worker_begin(struct gsi_partition_worker *worker, void *prepare_context)
{
    worker->prepare_context = prepare_context;
    worker->left = worker->right = NONE;
    worker->deal = (struct gsi_deal){worker->low, worker->high + sizeof worker->high};
}

static size_t low_bytes(const struct gsi_partition_worker *worker)
{
    return (size_t)(worker->deal.low_end - worker->low);
}

static size_t high_bytes(const struct gsi_partition_worker *worker)
{
    return (size_t)(worker->high + sizeof worker->high - worker->deal.high);
}

/* Takes one more block from the left or the right; returns NONE if there are no more. */
static uint64_t claim_block(struct gsi_partition *partition, bool is_left)
{
    uint64_t taken = atomic_load_explicit(&partition->taken, memory_order_relaxed);
    if (partition->stop != NULL && atomic_load_explicit(partition->stop, memory_order_relaxed))
        return NONE;
    do {
        if (left_of(taken) + right_of(taken) == partition->block_count)
            return NONE;
    } while (!atomic_compare_exchange_weak_explicit(&partition->taken, &taken,
                                                    taken + (is_left ? ONE_LEFT : ONE_RIGHT),
                                                    memory_order_relaxed, memory_order_relaxed));
    return is_left ? left_of(taken) : right_of(taken);
}

static void deal(const struct gsi_partition *partition, struct gsi_partition_worker *worker,
                 uint8_t *keys, uint64_t n)
{
    if (partition->prepare != NULL)
        partition->prepare(worker->prepare_context, keys, n);
    gsi_deal_keys(partition->key_bytes, keys, n, partition->pivot, &worker->deal);
}

/* Copies a block of low keys into the worker's empty block of the left side, which it then has no
 * more. */
static void put_low_back(const struct gsi_partition *partition, struct gsi_partition_worker *worker)
{
    worker->deal.low_end -= GSI_PARTITION_BLOCK_BYTES;
    memcpy(left_block(partition, worker->left), worker->deal.low_end, GSI_PARTITION_BLOCK_BYTES);
    worker->left = NONE;
}

static void put_high_back(const struct gsi_partition *partition,
                          struct gsi_partition_worker *worker)
{
    memcpy(right_block(partition, worker->right), worker->deal.high, GSI_PARTITION_BLOCK_BYTES);
    worker->deal.high += GSI_PARTITION_BLOCK_BYTES;
    worker->right = NONE;
}

/* A worker with an empty block on one side holds a block of keys. So its next block is from the
 * other side. It then holds two blocks of keys: one buffer has a full block, and there is a place
 * for it. */
void gsi_partition_run(struct gsi_partition *partition, struct gsi_partition_worker *worker)
{
    for (;;) {
        bool is_left = worker->left == NONE;
        uint64_t idx = claim_block(partition, is_left);
        if (idx == NONE)
            return;
        *(is_left ? &worker->left : &worker->right) = idx;
        deal(partition, worker, is_left ? left_block(partition, idx) : right_block(partition, idx),
             GSI_PARTITION_BLOCK_BYTES / partition->key_bytes);
        if (low_bytes(worker) >= GSI_PARTITION_BLOCK_BYTES && worker->left != NONE)
            put_low_back(partition, worker);
        if (high_bytes(worker) >= GSI_PARTITION_BLOCK_BYTES && worker->right != NONE)
            put_high_back(partition, worker);
    }
}

/* ---- the end ---- */

/* Returns the empty block that a worker has on a side. */
static uint64_t empty_block_of(const struct gsi_partition_worker *worker, bool is_left)
{
    return is_left ? worker->left : worker->right;
}

static bool is_empty(struct gsi_partition_worker *const *workers, uint32_t count, bool is_left,
                     uint64_t idx)
{
    for (uint32_t i = 0; i < count; i++)
        if (empty_block_of(workers[i], is_left) == idx)
            return true;
    return false;
}

/* Moves blocks so that those of the `taken` blocks of a side that are not empty are the outermost
 * ones. Returns their number. */
static uint64_t close_ranks(const struct gsi_partition *partition,
                            struct gsi_partition_worker *const *workers, uint32_t count,
                            bool is_left, uint64_t taken)
{
    uint64_t full = taken, next;
    for (uint32_t i = 0; i < count; i++)
        full -= empty_block_of(workers[i], is_left) != NONE;
    next = full;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t to = empty_block_of(workers[i], is_left);
        if (to == NONE || to >= full)
            continue;
        while (is_empty(workers, count, is_left, next))
            next++;
        memcpy(is_left ? left_block(partition, to) : right_block(partition, to),
               is_left ? left_block(partition, next) : right_block(partition, next),
               GSI_PARTITION_BLOCK_BYTES);
        next++;
    }
    return full;
}

static uint8_t *put_low(uint8_t *to, const struct gsi_partition_worker *worker)
{
    memcpy(to, worker->low, low_bytes(worker));
    return to + low_bytes(worker);
}

static uint8_t *put_high(uint8_t *to, const struct gsi_partition_worker *worker)
{
    memcpy(to, worker->deal.high, high_bytes(worker));
    return to + high_bytes(worker);
}

uint64_t gsi_partition_end(struct gsi_partition *partition,
                           struct gsi_partition_worker *const *workers, uint32_t count,
                           struct gsi_partition_worker *rest)
{
    uint64_t taken = atomic_load(&partition->taken);
    uint64_t left = left_of(taken), right = right_of(taken);
    GSI_ASSERT(left + right == partition->block_count);
    deal(partition, rest, left_block(partition, left),
         partition->count - (left + right) * (GSI_PARTITION_BLOCK_BYTES / partition->key_bytes));
    left = close_ranks(partition, workers, count, true, left);
    right = close_ranks(partition, workers, count, false, right);
    uint8_t *at = put_low(left_block(partition, left), rest);
    for (uint32_t i = 0; i < count; i++)
        at = put_low(at, workers[i]);
    uint64_t below = (uint64_t)(at - partition->keys) / partition->key_bytes;
    at = put_high(at, rest);
    for (uint32_t i = 0; i < count; i++)
        at = put_high(at, workers[i]);
    GSI_ASSERT(right == 0 || at == right_block(partition, right - 1));
    return below;
}

void gsi_partition_restore(struct gsi_partition *partition,
                           struct gsi_partition_worker *const *workers, uint32_t count,
                           uint64_t *begin, uint64_t *end)
{
    const uint64_t block_keys = GSI_PARTITION_BLOCK_BYTES / partition->key_bytes;
    uint64_t taken = atomic_load(&partition->taken);
    for (uint32_t i = 0; i < count; i++) {
        const struct gsi_partition_worker *worker = workers[i];
        if (worker->left != NONE)
            put_high(put_low(left_block(partition, worker->left), worker), worker);
        else if (worker->right != NONE)
            put_high(put_low(right_block(partition, worker->right), worker), worker);
    }
    *begin = left_of(taken) * block_keys;
    *end = partition->count - right_of(taken) * block_keys;
}
