/* entry_maker.h: makes entries of key and payload from elements (element/entry/entry_map.h). It is
 * an operator of the source's flow (loop/flow.h), and writes straight into the buffers that are
 * sorted.
 *
 *     staged buffer  e0 e1 e2 e3 e4    as read, at positions 100 to 104
 *     filter         e1 e3             indexes 1 3
 *     positions      [e1 101] [e3 103]
 *     --values       [e1 a101 b101] [e3 a103 b103]
 *
 * It also tallies elements if the sorted entries say too little about them (payload_tally.h). A GPU
 * that makes pairs of numbers and positions itself gets elements as they are read. */
#ifndef GSI_ENTRY_MAKER_H
#define GSI_ENTRY_MAKER_H

#include "input/values/value_readers.h"
#include "loop/flow.h"

struct gsi_entry_maker {
    const struct gsi_inputs *inputs;
    struct gsi_buffers staging;       /* elements are read into these; turn_idx is a position */
    struct gsi_value_readers readers; /* of --values */
    struct gsi_value_slice (*values)[GSI_VALUES_MAX]; /* of each batch, if there are readers */
    uint32_t *indexes;     /* of kept elements in each buffer, with a filter, if needed */
    uint64_t indexes_each; /* of a staged buffer */
    uint64_t *ranks;       /* with --shuffle: number of kept elements before each batch */
    uint64_t kept_count;   /* elements in batches so far */
};

/* gsi_entry_maker_lay_out: allocates a maker from a bump allocator, for `memory_bytes` in all, for
 * a flow that has at most so many batches at a time.
 * gsi_entry_maker_indexes: returns the memory for the indexes of the elements of a staged buffer
 * that a filter keeps; NULL: they are not needed.
 * gsi_entry_maker_operator: returns the operator.
 * gsi_entry_maker_skip_to: skips values up to a position, as far as they can be read now. Returns
 * whether it is the position of the next ones. A zeroed maker has none.
 * gsi_entry_maker_check: stores a failure if positions of `count` elements do not fit in the
 * output. The number of elements of a stream is unknown until it has been read. */
void gsi_entry_maker_lay_out(struct gsi_entry_maker *maker, const struct gsi_inputs *inputs,
                             uint64_t memory_bytes, uint32_t batches, struct gsi_bump *bump);
uint32_t *gsi_entry_maker_indexes(const struct gsi_entry_maker *maker,
                                  const struct gsi_buffer *staged);
struct gsi_operator gsi_entry_maker_operator(struct gsi_entry_maker *maker);
bool gsi_entry_maker_skip_to(struct gsi_entry_maker *maker, uint64_t position);
void gsi_entry_maker_check(const struct gsi_entry_maker *maker, uint64_t count);

#endif
