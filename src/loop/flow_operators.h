/* flow_operators.h: passes the entries of a batch through the operators of a flow (flow.h), one
 * operator after the other.
 *
 * An operator has one of these kinds:
 *
 *     observe   reads entries, and makes none
 *     map       makes one entry of each: some of its fields, for instance
 *     make      makes at most one entry of each, and holds one back, which it puts ahead of a later
 *               batch
 *     shrink    keeps some of the entries of a window, in place, before other operators read them
 *
 * All entries that an operator makes have one size, which may be larger than that of the entries
 * that it reads. The operators of a flow run one after the other over a range of entries that fits
 * the first-level cache. So each operator finds its input in the cache, and no memory is needed for
 * all entries between two operators.
 *
 * All calls but `run` and `rework` are made on the owner's thread. Batches begin in order, and they
 * are joined in order. An operator keeps the results of a batch under the batch's number until it
 * joins them. So operators need no locks. */
#ifndef GSI_FLOW_OPERATORS_H
#define GSI_FLOW_OPERATORS_H

#include "device/buffer.h"

#define GSI_OPERATORS_MAX 3u

/* Consecutive entries of a window, for one task. */
struct gsi_batch {
    uint32_t idx;              /* of one batch at a time; up to the number of batches */
    struct gsi_buffer *window; /* valid until the batch was run; NULL: the batch is an entry that
                                  was put ahead of another one. It passes the operators after the
                                  one that made it; idx is the number of batches. */
    const uint8_t *entries;    /* in the window */
    uint64_t count;            /* of these */
    uint32_t worker_idx;       /* of the thread that runs it */
};

enum gsi_operator_kind { GSI_OBSERVE, GSI_MAP, GSI_MAKE, GSI_SHRINK };

/* Each call may be NULL, except run and, of GSI_MAKE, join and flush. */
struct gsi_operator {
    void *context;
    enum gsi_operator_kind kind;
    uint64_t in_bytes, out_bytes; /* of an entry that it reads, and makes */
    /* ready: of GSI_MAP: returns how many of the next `n` entries of a window, from entry `first`
     *      on, can begin now. NULL: all can.
     * begin: a batch begins, after those before it.
     * run: reads the next `n` entries of the batch, and makes entries at `out`, where there is room
     *      for `n` (GSI_OBSERVE: NULL; GSI_SHRINK: `in`). Returns how many it made. On any thread.
     * join: the batch was run, and all batches before it are joined. GSI_MAKE puts at most one
     *      entry at `ahead`, which belongs before those of the batch, and returns how many it put.
     *      The last GSI_SHRINK returns 1 if it holds the window from now on, until its owner gives
     *      it back (gsi_flow_return).
     * rework: of GSI_SHRINK: works on a block of several windows once more, before it is passed on.
     *      Returns how many of the `n` entries are left. On any thread, one block at a time.
     * flush: all batches are joined. GSI_MAKE puts the entry that it held back at `out`, and
     *      returns how many it put. */
    uint64_t (*ready)(void *context, const struct gsi_buffer *window, uint64_t first, uint64_t n);
    void (*begin)(void *context, const struct gsi_batch *batch);
    uint64_t (*run)(void *context, const struct gsi_batch *batch, const uint8_t *in, uint64_t n,
                    uint8_t *out);
    uint64_t (*join)(void *context, const struct gsi_batch *batch, uint8_t *ahead);
    uint64_t (*rework)(void *context, uint8_t *entries, uint64_t n);
    uint64_t (*flush)(void *context, uint8_t *out);
};

struct gsi_operators {
    /* The owner of the flow sets these. At most one operator makes, before one maps. Those that
     * shrink are first, and then none makes. */
    struct gsi_operator all[GSI_OPERATORS_MAX];
    uint32_t count;
    uint8_t *scratch;       /* for entries between make and map: a part for each batch */
    uint64_t scratch_bytes; /* of one part, which holds the entries of a range */
    /* gsi_operators_classify sets these. */
    uint32_t shrinkers; /* operators that shrink, before all others */
    uint32_t maker;     /* the operator that makes; UINT32_MAX: none, the flow maps */
    uint32_t last;      /* the operator that makes the output; operators after it observe */
    bool is_map;
};

/* gsi_operators_classify: finds out which operators do what. */
void gsi_operators_classify(struct gsi_operators *operators);

/* gsi_operators_only_shrink: returns whether the windows of the flow are its blocks. */
static inline bool gsi_operators_only_shrink(const struct gsi_operators *operators)
{
    return operators->shrinkers > 0 && operators->shrinkers == operators->count;
}

/* gsi_operators_in_bytes: returns the bytes of an entry that the operators read, and
 * gsi_operators_out_bytes that they make. */
static inline uint64_t gsi_operators_in_bytes(const struct gsi_operators *operators)
{
    return operators->all[0].in_bytes;
}

static inline uint64_t gsi_operators_out_bytes(const struct gsi_operators *operators)
{
    return operators->all[operators->last].out_bytes;
}

/* These calls concern the operators from `first` on: those that shrink, or all after them.
 *
 * gsi_operators_count_ready: returns how many of the next `n` entries of a window, from entry `at` on,
 * all of them can read now.
 * gsi_operators_begin: the batch begins.
 * gsi_operators_run: reads all entries of the batch. Returns how many entries were made at `out`.
 * On any thread.
 * gsi_operators_join: the batch was run. Returns whether an operator holds its window. */
uint64_t gsi_operators_count_ready(const struct gsi_operators *operators, uint32_t first,
                                   const struct gsi_buffer *window, uint64_t at, uint64_t n);
void gsi_operators_begin(const struct gsi_operators *operators, const struct gsi_batch *batch,
                         uint32_t first);
uint64_t gsi_operators_run(const struct gsi_operators *operators, const struct gsi_batch *batch,
                           uint32_t first, uint8_t *out);
bool gsi_operators_join(const struct gsi_operators *operators, const struct gsi_batch *batch,
                        uint32_t first);

/* gsi_operators_entry_ahead: returns where the operator that makes puts an entry ahead of batch `idx`: in
 * its scratch memory, or at `out`.
 * gsi_operators_run_ahead: passes this entry on to `out`, as the batch number `batches`.
 * gsi_operators_observe_again: the batch was cut: the operators that observe the output see its
 * first `count` entries again. */
uint8_t *gsi_operators_entry_ahead(const struct gsi_operators *operators, uint32_t idx,
                                   uint8_t *out);
void gsi_operators_run_ahead(const struct gsi_operators *operators, const uint8_t *ahead,
                             uint32_t batches, uint8_t *out);
void gsi_operators_observe_again(const struct gsi_operators *operators,
                                 const struct gsi_batch *batch, const uint8_t *entries,
                                 uint64_t count);

#endif
