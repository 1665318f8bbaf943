/* read_order.h: in which order a merge will need the frames of its spilled runs.
 *
 * A frame is needed when the merge reaches its first key. So the order is that of (first key, run,
 * frame), known before the merge begins: D. Hutchinson, P. Sanders and J. Vitter, "Duality between
 * prefetching and queued writing with parallel disks", SIAM J. Comput. 34(6), 2005, section 2;
 * Knuth, TAOCP vol. 3, 5.4.6 (forecasting). Whatever the data, reading in this order needs one
 * frame a run, plus as many as are to be read ahead. Pure.
 *
 * For records, only the first 16 bytes of each frame's first key are known here. Frames that are
 * equal in them may come in a wrong order, so the reader takes this order as advice
 * (spill/reader.h). First frames come first, because a merge knows nothing of a run before its
 * first frame is there. */
#ifndef GSI_READ_ORDER_H
#define GSI_READ_ORDER_H

#include "run/store.h"

struct gsi_ordered_frame {
    uint32_t run_idx;
    uint64_t frame_idx;
};

/* gsi_read_order_make: fills order[sum of frame counts] for `runs`, whose frames lie in key order.
 */
void gsi_read_order_make(const struct gsi_layout *layout, const struct gsi_spilled_run *const *runs,
                         uint32_t run_count, struct gsi_ordered_frame *order);

#endif
