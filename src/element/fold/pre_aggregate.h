/* pre_aggregate.h: folds records while they are read, before they are sorted. So few distinct keys
 * are few records from then on.
 *
 *     buffer  a1 b2 a3 c1 b5  =>  a4 b7 c1          in place; a table finds the record with the key
 *
 * A record that cannot be folded stays, and is folded at the end (fold.h). There are two such
 * records: its sum does not fit in the field, although a later record may make it fit again; or the
 * table has no room for its key. The record that represents a group is the one that --keep selects,
 * and stays where the first one was. So pre-aggregation never changes the output.
 *
 * If records are nothing but keys and folded integers, no order tells equal ones apart. Then a
 * thread holds the first records that it read, and folds the records of all other buffers into
 * them. Its records are passed on at the end.
 *
 *     thread 0   holds a1 b2 c4    <-  buffer b5 a1 a1 d7      =>  a3 b7 c4 d7, and an empty buffer
 *
 * Everything is tallied before it is folded. At the end, sums, minima and maxima over the groups
 * are compared with that tally, and the tally of the sort with the records that were passed on. So
 * no loss can hide. */
#ifndef GSI_PRE_AGGREGATE_H
#define GSI_PRE_AGGREGATE_H

#include "element/fold/fold.h"
#include "element/layout.h"
#include "element/tally/tally_sums.h"

struct gsi_pre_aggregate_worker; /* what one thread works with */

struct gsi_pre_aggregate {
    const struct gsi_fold *fold;
    const struct gsi_layout *layout;
    struct gsi_ledger *ledger;
    struct gsi_shelf shelf;
    struct gsi_record *group; /* whose keys make a group */
    bool has_order, keeps_last;
    bool may_hold, holds;
    uint32_t slot_count; /* of a table */
    uint32_t worker_count;
    struct gsi_pre_aggregate_worker *workers; /* the last one is of what is folded again */
};

/* gsi_pre_aggregate_plan: its shelf, out of `memory_bytes` in all. */
struct gsi_shelf gsi_pre_aggregate_plan(const struct gsi_layout *layout, uint64_t memory_bytes,
                                        uint32_t thread_count);
/* gsi_pre_aggregate_open: takes the memory that was planned for the same memory and threads.
 * in    key_count, keep: as of groups (groups.h)
 * fails GS_E_MEMORY */
enum gs_status gsi_pre_aggregate_open(struct gsi_pre_aggregate *pre_aggregate,
                                      const struct gsi_fold *fold, const struct gsi_layout *layout,
                                      uint32_t key_count, enum gsi_keep_choice keep,
                                      uint64_t memory_bytes, uint32_t thread_count,
                                      const struct gsi_shelf *planned, struct gsi_ledger *ledger,
                                      struct gs_error *error);
void gsi_pre_aggregate_close(struct gsi_pre_aggregate *pre_aggregate); /* also zeroed ones */

/* gsi_pre_aggregate_again: folds records of several buffers that were folded before; one call at a
 * time. Returns how many records are left. */
size_t gsi_pre_aggregate_again(struct gsi_pre_aggregate *pre_aggregate, uint8_t *records, size_t n);

/* A buffer of records, on its way in or held. `owner` is whatever the caller knows it by. */
struct gsi_pre_aggregate_batch {
    void *owner;
    uint8_t *records;
    size_t count, room; /* records that are there, and that fit */
};

/* gsi_pre_aggregate_begin: says how many buffers there are. If they are enough, threads hold some.
 * gsi_pre_aggregate_held: how many buffers are held at most.
 * gsi_pre_aggregate_is_holding: whether any is held; while no thread takes any.
 * gsi_pre_aggregate_take: tallies the records of a batch, and folds them in place, or into those
 *      that are held; the batch says how many are left. false: the batch is held from now on.
 *      in    worker_idx: of the calling thread; one that is the caller's alone
 * gsi_pre_aggregate_release: the next batch that is held is the caller's again; no thread takes any
 *      more. false: there is none. */
void gsi_pre_aggregate_begin(struct gsi_pre_aggregate *pre_aggregate, uint64_t buffer_count);
uint32_t gsi_pre_aggregate_held(const struct gsi_pre_aggregate *pre_aggregate);
bool gsi_pre_aggregate_is_holding(const struct gsi_pre_aggregate *pre_aggregate);
bool gsi_pre_aggregate_take(struct gsi_pre_aggregate *pre_aggregate, uint32_t worker_idx,
                            struct gsi_pre_aggregate_batch *batch);
bool gsi_pre_aggregate_release(struct gsi_pre_aggregate *pre_aggregate,
                               struct gsi_pre_aggregate_batch *batch);

/* Once nobody reads any more:
 * gsi_pre_aggregate_count: how many records were folded into others.
 * gsi_pre_aggregate_tally: of all that was read. */
uint64_t gsi_pre_aggregate_count(const struct gsi_pre_aggregate *pre_aggregate);
struct gsi_tally_report gsi_pre_aggregate_tally(struct gsi_pre_aggregate *pre_aggregate,
                                                struct gsi_tally_report *fields);

#endif
