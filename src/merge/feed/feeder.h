/* feeder.h: feeds a merge with blocks of all runs that are not in memory. Blocks are frames of
 * spilled runs (frame_feed.h), or equally long parts of sorted inputs (input_feed.h). All runs use
 * one set of buffers.
 *
 *     free buffer -> read a run's next block -> check on a thread -> merge_feed -> device -> free
 *
 * The feeder reads the block that the merge needs first, which is the block with the lowest first
 * key (Knuth, TAOCP vol. 3, 5.4.6, forecasting; D. Hutchinson, P. Sanders and J. Vitter, "Duality
 * between prefetching and queued writing with parallel disks", SIAM J. Comput. 34(6), 2005, section
 * 2). So the feeder compares the first keys of the next blocks of all runs. For frames of numbers
 * this key is known, for frames of records 16 bytes of it, and for inputs it is forecast.
 *
 * Why a merge cannot get stuck:
 *   1. There are two buffers for each run, as many as fill a window, and two more
 *      (gsi_plan_merge_frames). With a filter there is a third buffer for each run, which gathers
 *      kept elements.
 *   2. All blocks of a run are full except the last one. A block may be one page shorter than a
 *      frame.
 *   3. If all first keys are known, it is enough to read blocks in the order of these keys.
 *      Otherwise a wrong order could fill all buffers with blocks that the merge cannot use yet. So
 *      two or three buffers are reserved for each run, and all runs share only the others.
 *   4. If the merge waits for a run of which no block is pending, this run may use any buffer.
 *   5. Runs of which no key is known are read first, because the merge emits nothing before it
 *      knows their first key.
 * So for each run, buffers contain at most the rest of one block and one block above the merge's
 * bound. All other buffers contain blocks below the bound, which fill less than a window. */
#ifndef GSI_FEEDER_H
#define GSI_FEEDER_H

#include "input/inputs.h"
#include "loop/run_list.h"
#include "merge/feed/fed_run.h"
#include "spill/spill.h"

struct gsi_feeder {
    struct gsi_feed feed;
    struct gsi_fed_run **runs; /* table with an entry per run of the merge; NULL: a run in memory */
    uint32_t input_count;
    struct gsi_frame_feed *frames; /* of all spilled runs; NULL: there are none */
    struct gsi_input_feed *inputs; /* of all sorted inputs; NULL: there are none */
};

/* gsi_feeder_begin: prepares to feed those of `entries` that are not in memory. The index of an
 * entry is its input_idx in the merge.
 * in    entries: borrowed until clear
 *       first_indexes: records: for each entry, the index in tags of its first record; borrowed for
 *       the call
 * fails GS_E_MEMORY */
enum gs_status gsi_feeder_begin(struct gsi_feeder *feeder, struct gsi_spill *spill,
                                struct gsi_inputs *inputs, struct gsi_buffers *buffers,
                                const struct gsi_run_entry *entries, uint32_t count,
                                const uint64_t *first_indexes);
void gsi_feeder_clear(struct gsi_feeder *feeder); /* also zeroed ones */

/* gsi_feeder_pump: starts reads and feeds blocks. Returns whether it did either. This and the
 * following functions accept a zeroed feeder. */
bool gsi_feeder_pump(struct gsi_feeder *feeder);

/* gsi_feeder_await_input: states that the merge waits for a block of run `input_idx`. Returns
 * whether this causes a read. */
bool gsi_feeder_await_input(struct gsi_feeder *feeder, uint32_t input_idx);

/* gsi_feeder_return_buffer: accepts the buffer of the device's event GSI_EVENT_BUFFER. */
void gsi_feeder_return_buffer(struct gsi_buffer *buffer);

/* gsi_feeder_stop: starts no more reads.
 * gsi_feeder_is_idle: returns whether no block is pending, and no disk is being released. */
void gsi_feeder_stop(struct gsi_feeder *feeder);
bool gsi_feeder_is_idle(const struct gsi_feeder *feeder);

#endif
