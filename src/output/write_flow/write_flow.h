/* write_flow.h: maps windows of the last merge to the entries that are written. It keeps at most
 * one of the elements with equal keys, as --keep says, with its fields folded; with --count it adds
 * their number. It also replaces elements by the part of them that is written: their positions with
 * --argsort, some fields with --out (element/entry/entry_map.h).
 *
 *     windows, in order --> flow (loop/flow.h) of operators (operators.h) --> blocks --> sink
 *
 * The output of a window may be shorter or, with counts, longer than the window. So it is
 * written by blocks of whole pages, and direct writes, packing and streams need no change.
 * Elements may straddle blocks. Blocks for an array (io/array.h) are parts of it. */
#ifndef GSI_WRITE_FLOW_H
#define GSI_WRITE_FLOW_H

#include "element/tally/tally_sums.h"
#include "output/sink.h"
#include "output/write_flow/operators.h"

struct gsi_write_flow {
    struct gsi_target *target;
    struct gsi_link next; /* takes blocks */
    struct gsi_bump bump;
    struct gsi_buffers blocks, staging;
    struct gsi_group_operator group; /* with --unique */
    struct gsi_payload_operator payload;
    struct gsi_digest_operator digest; /* of the output, if it will be read back */
    struct gsi_flow flow;
    uint32_t phase; /* bytes in the last page of an output that was begun before */
    bool is_open;
};

/* gsi_write_flow_check_group: checks that the first `wanted` keys can make a group: they are some
 * of those that make the order. 0: all do.
 * fails GS_E_USAGE */
enum gs_status gsi_write_flow_check_group(uint32_t wanted, const struct gsi_layout *layout,
                                          struct gs_error *error);

/* gsi_write_flow_plan: plans blocks and staging. The bump allocator plan->write_flow stays empty
 * where windows are written as they are. */
void gsi_write_flow_plan(const struct gsi_target *target, const struct gsi_budget *budget,
                         struct gsi_output_plan *plan);

/* gsi_target_pre_aggregate_plan: returns the bump allocator for folding records while they are
 * read. It is empty if they are not folded then, because something has to see each of them later,
 * or because there is too little memory. */
struct gsi_bump gsi_target_pre_aggregate_plan(const struct gsi_target *target,
                                              uint64_t memory_bytes, uint32_t thread_count);

/* gsi_write_flow_output_bytes: returns the most bytes of output that `bytes` of elements make:
 * without counts as many. UINT64_MAX: no number is that large. */
uint64_t gsi_write_flow_output_bytes(const struct gsi_target *target, uint64_t bytes);

/* gsi_write_flow_open: takes the memory that was planned; does nothing if windows are written as
 * they are.
 * fails GS_E_MEMORY */
enum gs_status gsi_write_flow_open(struct gsi_write_flow *write_flow, struct gsi_target *target);
/* also zeroed ones; nothing may be in flight */
void gsi_write_flow_close(struct gsi_write_flow *write_flow);

/* gsi_write_flow_begin: begins to take windows, which are returned to `windows`. `next` gets
 * buffers of write_flow->blocks.
 * in    is_digested: elements that are written unchanged get a digest, because they will be read
 *       again has_digests: windows have theirs */
void gsi_write_flow_begin(struct gsi_write_flow *write_flow, struct gsi_buffers *windows,
                          struct gsi_link next, bool is_digested, bool has_digests);

/* gsi_write_flow_written_bytes: returns the bytes that an element has in the output, with counts
 * and sums. */
uint64_t gsi_write_flow_written_bytes(const struct gsi_target *target);

/* gsi_write_flow_stage: returns a stage that accepts windows in output order. It is done when none
 * waits or is being processed. */
struct gsi_stage gsi_write_flow_stage(struct gsi_write_flow *write_flow);

/* gsi_write_flow_is_full: returns whether enough elements were found for --top. Then no later
 * window is read or needed. */
static inline bool gsi_write_flow_is_full(const struct gsi_write_flow *write_flow)
{
    return write_flow->flow.is_enough;
}

/* gsi_write_flow_is_idle: returns whether nothing waits or is being processed. */
bool gsi_write_flow_is_idle(const struct gsi_write_flow *write_flow);

/* gsi_write_flow_resume: begins after the elements that `digest` is of, which the output
 * contains. */
void gsi_write_flow_resume(struct gsi_write_flow *write_flow, const struct gsi_digest *digest);

/* gsi_write_flow_restart: makes the write flow as it was when opened. It has ended with `count`
 * elements, which is checked.
 * fails GS_E_VERIFY */
enum gs_status gsi_write_flow_restart(struct gsi_write_flow *write_flow, uint64_t count);

/* gsi_write_flow_verify: checks at the end that all `count` sorted elements belong to a group.
 * Folded fields must add up to `fields`, the statistics of the input. It checks nothing if not all
 * groups were wanted.
 * fails GS_E_VERIFY */
enum gs_status gsi_write_flow_verify(const struct gsi_write_flow *write_flow, uint64_t count,
                                     const struct gsi_tally_report *fields);

#endif
