/* input_feed.h: feeds a merge with sorted inputs, or parts of inputs. Each block of an input is
 * read, and its order is checked.
 *
 *     free buffer -> block of a file -> tags (records) -> reduce: tally, keys, order --.
 *         ^                                                                            |
 *         '---- device <- merge_feed, in the file's order <---------------------------'
 *
 * With --where, each run has a gathering block, to which the kept elements of other blocks are
 * moved until it is full. So the merge gets full blocks, except for the last one of a run:
 *
 *     block of a file -> filter in place -> in order -> [gathering block] full -> tags, as above
 *
 * A block is fed only if it is in order, also with the block before it. The last element of a block
 * is the bound of the run until the next block is fed.
 *
 * A block's first key is unknown until the block is read. So it is forecast from the last
 * fed block. Each pending block is assumed to have the same difference between last and first key
 * as the last fed block. Files that are merged evenly are read evenly. If all keys of one file are
 * below those of another, the first file gets all buffers that are not reserved.
 *
 * If there are too many files to be open at once, only FILES_IN_READ_MAX files are read at a time.
 * A file is closed when its reads end, whether or not the merge has used the blocks. */
#ifndef GSI_INPUT_FEED_H
#define GSI_INPUT_FEED_H

#include "input/inputs.h"
#include "merge/feed/fed_run.h"

struct gsi_input_feed;

/* gsi_input_feed_max_blocks: returns the maximum number of blocks of an input of records. Each
 * block has a range of record indexes. */
uint64_t gsi_input_feed_max_blocks(const struct gsi_plan *plan, const struct gsi_extent *extent);

/* gsi_input_feed_open: opens the feed for those runs of `table` that are inputs.
 * in, out, fails: as gsi_frame_feed_open */
enum gs_status gsi_input_feed_open(struct gsi_input_feed **feed, struct gsi_feed *shared,
                                   struct gsi_inputs *inputs, const struct gsi_feed_entries *table,
                                   struct gsi_fed_run **runs);
void gsi_input_feed_close(struct gsi_input_feed *feed); /* NULL: nothing */

/* gsi_input_feed_next: returns the input of which a block is read next; NULL: none may be read now.
 * gsi_input_feed_forecast: returns the forecast first key of the run's next block as a number.
 * Returns 0 if the run uses fewer buffers than are reserved for it. */
struct gsi_fed_run *gsi_input_feed_next(const struct gsi_input_feed *feed);
gsi_u128 gsi_input_feed_forecast(const struct gsi_fed_run *run);

/* gsi_input_feed_is_idle: returns whether no input is being decompressed; true for NULL. */
bool gsi_input_feed_is_idle(const struct gsi_input_feed *feed);

#endif
