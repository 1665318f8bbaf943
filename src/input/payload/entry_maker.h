/* entry_maker.h: makes entries from elements: records of key and payload, which are sorted instead
 * of the elements (element/entry/entry_map.h). It is an operator of a flow (loop/flow.h), and
 * writes directly into the buffers that are sorted.
 *
 *     staged buffer  e0 e1 e2 e3 e4    elements as they are read, at positions 100 to 104
 *     filter         e1 e3             indexes 1 3
 *     positions      [e1 101] [e3 103]
 *     --values       [e1 a101 b101] [e3 a103 b103]
 *
 * It also tallies elements if the tally of sorted entries is not enough (payload_tally.h). It is
 * not used if a GPU makes pairs of numbers and positions itself. */
#ifndef GSI_ENTRY_MAKER_H
#define GSI_ENTRY_MAKER_H

#include "input/values/value_readers.h"
#include "loop/flow.h"

struct gsi_entry_maker {
    const struct gsi_inputs *inputs;
    struct gsi_buffers staging;       /* buffers into which elements are read; turn_idx: position of
                                       * the first element */
    struct gsi_value_readers readers; /* of --values */
    struct gsi_value_slice (*values)[GSI_VALUES_MAX]; /* values of each batch, with --values */
    uint32_t *indexes;     /* with a filter: indexes of the kept elements of each buffer; NULL: not
                            * needed */
    uint64_t indexes_each; /* of a staged buffer */
    uint64_t *ranks;       /* with --shuffle: number of kept elements before each batch */
    uint64_t kept_count;   /* elements of all batches so far */
};

/* gsi_entry_maker_lay_out: allocates a maker from a bump allocator, for a job with `memory_bytes`,
 * and a flow with at most `batches` batches in progress.
 * gsi_entry_maker_indexes: returns the memory for the indexes of the elements of a staged buffer
 * that a filter keeps; NULL: they are not needed.
 * gsi_entry_maker_operator: returns the operator.
 * gsi_entry_maker_skip_to: skips values of --values before a position, as far as they were read.
 * Returns whether the next values have this position. Accepts a zeroed maker.
 * gsi_entry_maker_check: records a failure if positions of `count` elements do not fit in the
 * output's type. Called while streams are read, because their length is unknown. */
void gsi_entry_maker_lay_out(struct gsi_entry_maker *maker, const struct gsi_inputs *inputs,
                             uint64_t memory_bytes, uint32_t batches, struct gsi_bump *bump);
uint32_t *gsi_entry_maker_indexes(const struct gsi_entry_maker *maker,
                                  const struct gsi_buffer *staged);
struct gsi_operator gsi_entry_maker_operator(struct gsi_entry_maker *maker);
bool gsi_entry_maker_skip_to(struct gsi_entry_maker *maker, uint64_t position);
void gsi_entry_maker_check(const struct gsi_entry_maker *maker, uint64_t count);

#endif
