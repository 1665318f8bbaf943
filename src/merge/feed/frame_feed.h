/* frame_feed.h: feeds a merge with the frames of spilled runs. Threads check and decode frames that
 * were read. Frames are fed in the order of reading, and then their disk is released
 * (spill/spill.h).
 *
 * The first key of each frame is known before the frame is read: the whole key for numbers, 16
 * bytes of it for records. A heap orders the runs by the first key of their next frame. */
#ifndef GSI_FRAME_FEED_H
#define GSI_FRAME_FEED_H

#include "merge/feed/fed_run.h"
#include "spill/spill.h"

struct gsi_frame_feed;

/* gsi_frame_feed_open: opens the feed for those runs of `table` that are spilled.
 * in    shared: borrowed until close
 * out   *feed: to be closed, even if the call fails runs: entry i is set if run i of the merge is
 *       spilled
 * fails GS_E_MEMORY */
enum gs_status gsi_frame_feed_open(struct gsi_frame_feed **feed, struct gsi_feed *shared,
                                   struct gsi_spill *spill, const struct gsi_feed_entries *table,
                                   struct gsi_fed_run **runs);
void gsi_frame_feed_close(struct gsi_frame_feed *feed); /* NULL: nothing */

/* gsi_frame_feed_next: returns the run whose next frame has the lowest first key; NULL: all frames
 * are started, or this one may not be read yet.
 * gsi_frame_feed_forecast: returns the first key of a run's next frame as a number; 0 for a run of
 * records of which no frame was read. */
struct gsi_fed_run *gsi_frame_feed_next(const struct gsi_frame_feed *feed);
gsi_u128 gsi_frame_feed_forecast(const struct gsi_fed_run *run);

/* gsi_frame_feed_pump: feeds frames that were read and checked. Returns whether it fed any. */
bool gsi_frame_feed_pump(struct gsi_frame_feed *feed);

/* gsi_frame_feed_stop: feeds no more frames. Frees the buffers of frames whose reads end later.
 * gsi_frame_feed_is_idle: returns whether the disk of all fed frames is released; true for NULL. */
void gsi_frame_feed_stop(struct gsi_frame_feed *feed);
bool gsi_frame_feed_is_idle(const struct gsi_frame_feed *feed);

/* gsi_feed_number_of_key: returns a sort key as a 128-bit number.
 * gsi_feed_number_of_record: returns 16 bytes of a record's normalised key as a number. These 16
 * bytes follow the leading bytes that all records share. */
gsi_u128 gsi_feed_number_of_key(const struct gsi_layout *layout, const void *key);
gsi_u128 gsi_feed_number_of_record(const struct gsi_layout *layout, const void *record);

#endif
