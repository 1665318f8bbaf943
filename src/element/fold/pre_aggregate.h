/* pre_aggregate.h: folds records while they are read, before they are sorted. So if there are few
 * distinct keys, few records are sorted.
 *
 *     buffer  a1 b2 a3 c1 b5  =>  a4 b7 c1          in place; a table finds the record with the key
 *
 * A record that cannot be folded stays, and is folded at the end (fold.h). There are two reasons:
 * the sum does not fit in the field, although a later record may make it fit again; or the table
 * has no room for the key. The record that represents a group is the one that --keep selects, and
 * stays where the first one was. So pre-aggregation never changes the output.
 *
 * If records contain only keys and folded integers, the order of equal ones does not matter. Then a
 * thread holds the first records that it read, and folds the records of all other buffers into
 * them. It passes its records on at the end.
 *
 *     thread 0   holds a1 b2 c4    <-  buffer b5 a1 a1 d7      =>  a3 b7 c4 d7, and an empty buffer
 *
 * Everything is tallied before it is folded. At the end, sums, minima and maxima over the groups
 * are compared with that tally. The tally of the sort is compared with the records that were passed
 * on. So no loss can hide. */
#ifndef GSI_PRE_AGGREGATE_H
#define GSI_PRE_AGGREGATE_H

#include "element/fold/fold.h"
#include "element/layout.h"
#include "element/tally/tally_sums.h"

struct gsi_pre_aggregate_worker; /* the table and counts of one thread */

struct gsi_pre_aggregate {
    const struct gsi_fold *fold;
    const struct gsi_layout *layout;
    struct gsi_ledger *ledger;
    struct gsi_bump bump;
    struct gsi_record *group; /* its keys define groups */
    bool has_order, keeps_last;
    bool may_hold, holds;
    uint32_t slot_count; /* of a table */
    uint32_t worker_count;
    struct gsi_pre_aggregate_worker *workers; /* the last one folds records again */
};

/* gsi_pre_aggregate_plan: returns the bump allocator that it needs if the job has
 * `memory_bytes`. */
struct gsi_bump gsi_pre_aggregate_plan(const struct gsi_layout *layout, uint64_t memory_bytes,
                                       uint32_t thread_count);
/* gsi_pre_aggregate_open: opens the bump allocator that was planned for the same memory and
 * threads.
 * in    key_count, keep: as in struct gsi_groups_rule (groups.h)
 * fails GS_E_MEMORY */
enum gs_status gsi_pre_aggregate_open(struct gsi_pre_aggregate *pre_aggregate,
                                      const struct gsi_fold *fold, const struct gsi_layout *layout,
                                      uint32_t key_count, enum gsi_keep_choice keep,
                                      uint64_t memory_bytes, uint32_t thread_count,
                                      const struct gsi_bump *planned, struct gsi_ledger *ledger,
                                      struct gs_error *error);
void gsi_pre_aggregate_close(struct gsi_pre_aggregate *pre_aggregate); /* also zeroed ones */

/* gsi_pre_aggregate_again: folds records of several buffers that were folded before; one call at a
 * time. Returns how many records are left. */
size_t gsi_pre_aggregate_again(struct gsi_pre_aggregate *pre_aggregate, uint8_t *records, size_t n);

/* A buffer of records that was read, or is held. `owner` is for the caller only. */
struct gsi_pre_aggregate_batch {
    void *owner;
    uint8_t *records;
    size_t count, room; /* records in it, and records that fit */
};

/* gsi_pre_aggregate_begin: says how many buffers there are. If they are enough, threads hold some.
 * gsi_pre_aggregate_held: returns how many buffers are held at most.
 * gsi_pre_aggregate_is_holding: returns whether any buffer is held. Call it while no thread is in
 * take.
 * gsi_pre_aggregate_pop: tallies the records of a batch, and folds them in place or into held
 * records; the batch says how many are left. Returns false if the batch is held from now on.
 * in    worker_idx: of the calling thread; no other thread uses it
 * gsi_pre_aggregate_release: returns the next held batch to the caller, after the last call of
 * take. Returns false if there is none. */
void gsi_pre_aggregate_begin(struct gsi_pre_aggregate *pre_aggregate, uint64_t buffer_count);
uint32_t gsi_pre_aggregate_held(const struct gsi_pre_aggregate *pre_aggregate);
bool gsi_pre_aggregate_is_holding(const struct gsi_pre_aggregate *pre_aggregate);
bool gsi_pre_aggregate_pop(struct gsi_pre_aggregate *pre_aggregate, uint32_t worker_idx,
                           struct gsi_pre_aggregate_batch *batch);
bool gsi_pre_aggregate_release(struct gsi_pre_aggregate *pre_aggregate,
                               struct gsi_pre_aggregate_batch *batch);

/* After the last record was read:
 * gsi_pre_aggregate_count: returns how many records were folded into others.
 * gsi_pre_aggregate_tally: returns the tally of all records that were read. */
uint64_t gsi_pre_aggregate_count(const struct gsi_pre_aggregate *pre_aggregate);
struct gsi_tally_report gsi_pre_aggregate_tally(struct gsi_pre_aggregate *pre_aggregate,
                                                struct gsi_tally_report *fields);

#endif
