/* early_fold.h: folds records as they are read, before they are sorted, so that few distinct keys
 * are few records from then on.
 *
 *     buffer  a1 b2 a3 c1 b5  =>  a4 b7 c1          in place; a table finds the record with the key
 *
 * A record that cannot be folded stays, and is folded at the end (fold.h): one whose sum would not
 * fit into the field, for a later one may make it fit again, and one for whose key the table has no
 * room. What represents a group is what --keep will take, and stays where the first one was. So the
 * output is the same, whatever is folded early.
 *
 * Where records are nothing but keys and folded integers, no order tells equal ones apart. Then a
 * thread holds the first records that it read, and folds those of all others into them; what it
 * holds goes on at the end.
 *
 *     thread 0   holds a1 b2 c4    <-  buffer b5 a1 a1 d7      =>  a3 b7 c4 d7, and an empty buffer
 *
 * Everything is tallied before it is folded. Sums, minima and maxima over the groups are compared
 * with that in the end, and the sort with what went on: so no loss can hide. */
#ifndef GSI_EARLY_FOLD_H
#define GSI_EARLY_FOLD_H

#include "base/report.h"
#include "element/fold/fold.h"
#include "element/layout.h"

struct gsi_early_worker; /* what one thread works with */

struct gsi_early_fold {
    const struct gsi_fold *fold;
    const struct gsi_layout *layout;
    struct gsi_ledger *ledger;
    struct gsi_shelf shelf;
    struct gsi_record *group; /* whose keys make a group */
    bool has_order, keeps_last;
    bool may_hold, holds;
    uint32_t slot_count; /* of a table */
    uint32_t worker_count;
    struct gsi_early_worker *workers; /* the last one is of what is folded again */
};

/* gsi_early_fold_plan: its shelf, out of `memory_bytes` in all. */
struct gsi_shelf gsi_early_fold_plan(const struct gsi_layout *layout, uint64_t memory_bytes,
                                     uint32_t thread_count);
/* gsi_early_fold_open: takes the memory that was planned for the same memory and threads.
 * in    key_count, keep: as of groups (groups.h)
 * fails GS_E_MEMORY */
enum gs_status gsi_early_fold_open(struct gsi_early_fold *early, const struct gsi_fold *fold,
                                   const struct gsi_layout *layout, uint32_t key_count,
                                   enum gsi_keep_choice keep, uint64_t memory_bytes,
                                   uint32_t thread_count, const struct gsi_shelf *planned,
                                   struct gsi_ledger *ledger, struct gs_error *error);
void gsi_early_fold_close(struct gsi_early_fold *early); /* also zeroed ones */

/* gsi_early_fold_again: folds what was folded before and was put together; one at a time. Returns
 * how many records are left. */
size_t gsi_early_fold_again(struct gsi_early_fold *early, uint8_t *records, size_t n);

/* A buffer of records, on its way in or held. `owner` is whatever the caller knows it by. */
struct gsi_early_batch {
    void *owner;
    uint8_t *records;
    size_t count, room; /* records that are there, and that fit */
};

/* gsi_early_fold_begin: says how many buffers there are: where they are enough, threads hold some.
 * gsi_early_fold_held: how many buffers are held at most.
 * gsi_early_fold_is_holding: whether any is held; while no thread takes any.
 * gsi_early_fold_take: tallies the records of a batch, and folds them in place, or into those that
 *      are held; the batch says how many are left. false: the batch is held from now on.
 *      in    worker_idx: of the calling thread; one that is the caller's alone
 * gsi_early_fold_release: the next batch that is held is the caller's again; no thread takes any
 *      more. false: there is none. */
void gsi_early_fold_begin(struct gsi_early_fold *early, uint64_t buffer_count);
uint32_t gsi_early_fold_held(const struct gsi_early_fold *early);
bool gsi_early_fold_is_holding(const struct gsi_early_fold *early);
bool gsi_early_fold_take(struct gsi_early_fold *early, uint32_t worker_idx,
                         struct gsi_early_batch *batch);
bool gsi_early_fold_release(struct gsi_early_fold *early, struct gsi_early_batch *batch);

/* Once nobody reads any more:
 * gsi_early_fold_count: how many records were folded into others.
 * gsi_early_fold_tally: of all that was read. */
uint64_t gsi_early_fold_count(const struct gsi_early_fold *early);
struct gsi_tally_report gsi_early_fold_tally(struct gsi_early_fold *early,
                                             struct gsi_tally_report *fields);

#endif
