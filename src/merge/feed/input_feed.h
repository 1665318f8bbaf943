/* input_feed.h: feeds a merge with runs that are sorted inputs, or parts of them. It reads their
 * blocks and checks that they are in order.
 *
 *     free buffer -> block of a file -> tags (records) -> reduce: tally, keys, order -.
 *         ^                                                                            |
 *         '---- device <- merge_feed, in the file's order <---------------------------'
 *
 * With --where, the elements that are kept go into the run's open block. So the merge gets full
 * blocks, except for the last one of a run:
 *
 *     block of a file -> task: keep in place -> in order -> [open block] full -> tags, as above
 *
 * A block is fed only after it was found to be in order, in itself and with the block before it. So
 * a merge never sees disorder. The last element of a block is the bound of the next.
 *
 * A block's first key is unknown until the block is read. So it is forecast: the last key that was
 * fed, plus the span of the last fed block for each block that is being read. Files that are merged
 * evenly are read evenly; where one file follows the other, the one that is being merged gets all
 * spare buffers.
 *
 * If there are too many files to be open at once, only some are read at a time, each until its
 * transfer ends. So one of them is always released without the merge. */
#ifndef GSI_INPUT_FEED_H
#define GSI_INPUT_FEED_H

#include "input/inputs.h"
#include "merge/feed/fed_run.h"

struct gsi_input_feed;

/* gsi_input_feed_frames: returns the number of blocks of an input that is a run of records. Each
 * block has a range of indexes. */
uint64_t gsi_input_feed_frames(const struct gsi_plan *plan, const struct gsi_extent *extent);

/* gsi_input_feed_open: opens the feed of those runs of `table` that are inputs.
 * in, out, fails: as gsi_frame_feed_open */
enum gs_status gsi_input_feed_open(struct gsi_input_feed **feed, struct gsi_feed *shared,
                                   struct gsi_inputs *inputs, const struct gsi_feed_entries *table,
                                   struct gsi_fed_run **runs);
void gsi_input_feed_close(struct gsi_input_feed *feed); /* NULL: nothing */

/* gsi_input_feed_next: returns the run to be read next; NULL: none can be, or may be yet.
 * gsi_input_feed_forecast: returns the forecast first key of its next block, as
 * gsi_frame_feed_forecast does. Returns 0 for a run that does not hold its own buffers yet. */
struct gsi_fed_run *gsi_input_feed_next(const struct gsi_input_feed *feed);
gsi_u128 gsi_input_feed_forecast(const struct gsi_fed_run *run);

/* gsi_input_feed_is_idle: returns whether no input is being decompressed. NULL: yes. */
bool gsi_input_feed_is_idle(const struct gsi_input_feed *feed);

#endif
