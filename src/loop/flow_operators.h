/* flow_operators.h: runs the operators of a flow (flow.h) on a batch, one after the other. A batch
 * is a part of one input buffer (window). Its elements, and those that operators make from them,
 * are called entries.
 *
 * An operator has one of these kinds:
 *
 *     observe   reads entries, and makes none
 *     map       makes one entry of each: for instance, only some of its fields
 *     make      makes at most one entry of each, and may hold one back, which it writes before the
 *               entries of a later batch
 *     shrink    removes entries from a window, in place, before other operators read them
 *
 * All entries that an operator makes have one size. Operators run one after the other over a range
 * of entries that fits the first-level cache. So each operator finds its input in the cache, and
 * the memory between two operators is small.
 *
 * Only `run` and `rework` are called on other threads. All other functions are called on the
 * owner's thread: `begin` and `join` for all batches in order. `run` stores results by the number
 * of its batch, and `join` reads them. So operators need no locks. */
#ifndef GSI_FLOW_OPERATORS_H
#define GSI_FLOW_OPERATORS_H

#include "device/buffer.h"

#define GSI_OPERATORS_MAX 3u

/* Consecutive entries of a window, for one task. */
struct gsi_batch {
    uint32_t idx;              /* below the number of batches; no other batch in progress has it */
    struct gsi_buffer *window; /* valid until `run` has ended. NULL: the batch is one entry that
                                * GSI_MAKE wrote ahead of another batch; idx is the number of
                                * batches */
    const uint8_t *entries;    /* first element, in the window */
    uint64_t count;            /* number of elements */
    uint32_t worker_idx;       /* of the thread that runs the batch */
};

enum gsi_operator_kind { GSI_OBSERVE, GSI_MAP, GSI_MAKE, GSI_SHRINK };

/* An operator. Each function may be NULL, except `run`, and `join` and `flush` of GSI_MAKE. */
struct gsi_operator {
    void *context;
    enum gsi_operator_kind kind;
    uint64_t in_bytes, out_bytes; /* of an entry that it reads, and of one that it makes */
    /* ready: (GSI_MAP) returns how many of the next `n` entries of a window, from entry `first` on,
     *      the operator can process now. NULL: all.
     * begin: prepares a batch.
     * run: reads `n` entries of the batch, and writes at most `n` entries to `out` (GSI_OBSERVE:
     *      NULL; GSI_SHRINK: the same as `in`). Returns how many it wrote. Any thread.
     * join: processes the results of a batch, after those of all earlier batches. GSI_MAKE writes
     *      at most one entry to `ahead`, to precede those of the batch, and returns their number.
     *      The last GSI_SHRINK may return 1: it keeps the window until gsi_flow_return.
     * rework: (GSI_SHRINK) removes entries from a block that was filled from several windows.
     *      Returns how many of `n` entries remain. Any thread, one block at a time.
     * flush: (GSI_MAKE) writes the entry that it held back to `out`, after the last batch. Returns
     *      1, or 0: there was none. */
    uint64_t (*ready)(void *context, const struct gsi_buffer *window, uint64_t first, uint64_t n);
    void (*begin)(void *context, const struct gsi_batch *batch);
    uint64_t (*run)(void *context, const struct gsi_batch *batch, const uint8_t *in, uint64_t n,
                    uint8_t *out);
    uint64_t (*join)(void *context, const struct gsi_batch *batch, uint8_t *ahead);
    uint64_t (*rework)(void *context, uint8_t *entries, uint64_t n);
    uint64_t (*flush)(void *context, uint8_t *out);
};

struct gsi_operators {
    /* The owner of the flow sets these members. The order is GSI_MAKE, then GSI_MAP; or all
     * GSI_SHRINK, then GSI_MAP. There is at most one GSI_MAKE. */
    struct gsi_operator all[GSI_OPERATORS_MAX];
    uint32_t count;
    uint8_t *scratch;       /* for entries between GSI_MAKE and GSI_MAP: one part per batch */
    uint64_t scratch_bytes; /* of one part */
    /* gsi_operators_classify sets these members. */
    uint32_t shrinkers; /* number of GSI_SHRINK operators */
    uint32_t maker;     /* index of the GSI_MAKE operator; UINT32_MAX: none */
    uint32_t last;      /* index of the operator that makes the output; later ones are
                         * GSI_OBSERVE */
    bool is_map;
};

/* gsi_operators_classify: finds the indexes of the kinds of operators. */
void gsi_operators_classify(struct gsi_operators *operators);

/* gsi_operators_only_shrink: returns whether all operators are GSI_SHRINK. Then the flow returns
 * its windows as blocks. */
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

/* These functions run a group of operators: if `first` is 0 and there are any, all GSI_SHRINK;
 * otherwise all after them, from `first` on.
 *
 * gsi_operators_count_ready: returns how many of the next `n` entries of a window, from entry `at`
 * on, all operators can process now.
 * gsi_operators_begin: calls `begin` of the operators.
 * gsi_operators_run: runs the operators on the batch. Returns how many entries they wrote to `out`.
 * Any thread.
 * gsi_operators_join: calls `join` of the operators. Returns whether an operator keeps the
 * window. */
uint64_t gsi_operators_count_ready(const struct gsi_operators *operators, uint32_t first,
                                   const struct gsi_buffer *window, uint64_t at, uint64_t n);
void gsi_operators_begin(const struct gsi_operators *operators, const struct gsi_batch *batch,
                         uint32_t first);
uint64_t gsi_operators_run(const struct gsi_operators *operators, const struct gsi_batch *batch,
                           uint32_t first, uint8_t *out);
bool gsi_operators_join(const struct gsi_operators *operators, const struct gsi_batch *batch,
                        uint32_t first);

/* gsi_operators_entry_ahead: returns where GSI_MAKE writes an entry ahead of batch `idx`: in
 * scratch memory, or at `out`.
 * gsi_operators_run_ahead: runs the operators after GSI_MAKE on this entry, as the batch number
 * `batches`, and writes the result to `out`.
 * gsi_operators_observe_again: runs the operators after the output again, on the first `count`
 * entries of a batch that was shortened. */
uint8_t *gsi_operators_entry_ahead(const struct gsi_operators *operators, uint32_t idx,
                                   uint8_t *out);
void gsi_operators_run_ahead(const struct gsi_operators *operators, const uint8_t *ahead,
                             uint32_t batches, uint8_t *out);
void gsi_operators_observe_again(const struct gsi_operators *operators,
                                 const struct gsi_batch *batch, const uint8_t *entries,
                                 uint64_t count);

#endif
