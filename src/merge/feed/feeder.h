/* feeder.h: feeds a merge with the blocks of all runs that are not in memory, through one set of
 * buffers: frames of spilled runs (frame_feed.h), and blocks of sorted inputs, which may be parts
 * of files, or streams (input_feed.h).
 *
 *     free buffer -> read a run's next block -> check on a thread -> merge_feed -> device -> free
 *
 * Which run is read next? The one whose next block the merge needs first, which is when it reaches
 * the first key of that block (Knuth, TAOCP vol. 3, 5.4.6, forecasting; D. Hutchinson, P. Sanders
 * and J. Vitter, "Duality between prefetching and queued writing with parallel disks", SIAM J.
 * Comput. 34(6), 2005, section 2). So each run has a place, the first key of its next block, and
 * the run with the lowest place is read. Frames of numbers know this key exactly, frames of records
 * know 16 bytes of it, and inputs forecast it.
 *
 * Why a merge cannot get stuck:
 *   1. There is one set of buffers. It has two buffers for each run, as many as fill a window, and
 *      two more (gsi_plan_merge_frames). A filter needs a third buffer for each run: it gathers the
 *      elements that are kept.
 *   2. All blocks of a run are full but the last one. A block may be one page shorter than a frame.
 *   3. If all places are exact, reading in their order is enough. Otherwise a wrong order could
 *      fill all buffers with blocks that are of no use yet. Then these buffers are reserved for
 *      each run, and only the spare buffers are filled in the order of places.
 *   4. The run that the merge waits for may take any buffer, unless some of it is coming.
 *   5. Runs whose next key is unknown go first, because they hold back all output.
 * At any time a merge needs three kinds of blocks at most: the rest of one block of each run; one
 * block of each run that begins above the bound; blocks below the bound. The latter fill less than
 * a window. */
#ifndef GSI_FEEDER_H
#define GSI_FEEDER_H

#include "input/inputs.h"
#include "loop/run_list.h"
#include "merge/feed/fed_run.h"
#include "spill/spill.h"

struct gsi_feeder {
    struct gsi_feed feed;
    struct gsi_fed_run **runs; /* table, by input of the merge; NULL: a run in memory */
    uint32_t input_count;
    struct gsi_frame_feed *frames; /* of all spilled runs; NULL: there are none */
    struct gsi_input_feed *inputs; /* of all sorted inputs; NULL: there are none */
};

/* gsi_feeder_begin: feeds those of `entries` that are not resident. An entry's place in the table
 * is its input of the merge.
 * in    entries: borrowed until clear
 *       first_indexes: records: by entry, the index of its first record in tags; borrowed for the
 *       call
 * fails GS_E_MEMORY */
enum gs_status gsi_feeder_begin(struct gsi_feeder *feeder, struct gsi_spill *spill,
                                struct gsi_inputs *inputs, struct gsi_buffers *buffers,
                                const struct gsi_run_entry *entries, uint32_t count,
                                const uint64_t *first_indexes);
void gsi_feeder_clear(struct gsi_feeder *feeder); /* also zeroed ones */

/* gsi_feeder_pump: starts reads and feeds blocks. Returns whether anything moved. A zeroed feeder
 * is fine, here and below. */
bool gsi_feeder_pump(struct gsi_feeder *feeder);

/* gsi_feeder_need: call it when the merge can continue only with more of this input. Returns
 * whether this causes a read. */
bool gsi_feeder_need(struct gsi_feeder *feeder, uint32_t input_idx);

/* gsi_feeder_take_back: accepts the buffer of the device's BUFFER event. */
void gsi_feeder_take_back(struct gsi_buffer *buffer);

/* gsi_feeder_stop: reads no more.
 * gsi_feeder_is_idle: returns whether nothing is on its way. */
void gsi_feeder_stop(struct gsi_feeder *feeder);
bool gsi_feeder_is_idle(const struct gsi_feeder *feeder);

#endif
