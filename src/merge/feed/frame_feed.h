/* frame_feed.h: reads the frames of a merge's spilled runs, then checks and decodes them on a
 * thread. It feeds them in the order in which they were read, and releases their disk
 * (spill/spill.h).
 *
 * The first key of the next frame of each run is known: all of it for numbers, 16 bytes of it for
 * records. A heap holds the runs by that key. */
#ifndef GSI_FRAME_FEED_H
#define GSI_FRAME_FEED_H

#include "merge/feed/fed_run.h"
#include "spill/spill.h"

struct gsi_frame_feed;

/* gsi_frame_feed_open: opens the feed of those runs of `table` that are spilled.
 * in    shared: borrowed until close
 * out   *feed: to be closed, whatever fails
 *       runs: the spilled runs, by input of the merge
 * fails GS_E_MEMORY */
enum gs_status gsi_frame_feed_open(struct gsi_frame_feed **feed, struct gsi_feed *shared,
                                   struct gsi_spill *spill, const struct gsi_feed_entries *table,
                                   struct gsi_fed_run **runs);
void gsi_frame_feed_close(struct gsi_frame_feed *feed); /* NULL: nothing */

/* gsi_frame_feed_next: returns the run whose next frame should be read first; NULL: there is none,
 * or it may not be read yet.
 * gsi_frame_feed_forecast: returns the first key of that frame as a number; 0 for a run of records
 * before its first read. */
struct gsi_fed_run *gsi_frame_feed_next(const struct gsi_frame_feed *feed);
gsi_u128 gsi_frame_feed_forecast(const struct gsi_fed_run *run);

/* gsi_frame_feed_pump: feeds frames that are ready. Returns whether anything moved. */
bool gsi_frame_feed_pump(struct gsi_frame_feed *feed);

/* gsi_frame_feed_stop: feeds no more; frames that are being read go back to the buffers.
 * gsi_frame_feed_is_idle: returns whether the disk of all fed frames was given back. NULL: yes. */
void gsi_frame_feed_stop(struct gsi_frame_feed *feed);
bool gsi_frame_feed_is_idle(const struct gsi_frame_feed *feed);

/* gsi_feed_place_of_key: returns a sort key as a number.
 * gsi_feed_place_of_record: returns 16 bytes of a record's normalised key as a number, from the
 * first byte that not all records share. */
gsi_u128 gsi_feed_place_of_key(const struct gsi_layout *layout, const void *key);
gsi_u128 gsi_feed_place_of_record(const struct gsi_layout *layout, const void *record);

#endif
