/* feed.h: reads the frames of spilled runs in prediction order, checks and decodes them, and feeds
 * a merge.
 *
 *     free buffer -> read -> open on a thread -> merge_feed, in prediction order -> device -> free
 *                                                    '-> its disk is given back (release.h)
 *
 * As many reads are in flight as there are free buffers; the set of buffers is the only limit. */
#ifndef GSI_FEED_H
#define GSI_FEED_H

#include "sort/job.h"
#include "sort/release.h"

struct gsi_feed {
    struct gsi_job *job;
    struct gsi_buffers *buffers;
    struct gsi_merge *merge;
    const struct gsi_spilled_run **runs; /* table, borrowed runs */
    uint32_t *input_idx;                 /* of the merge, by run */
    uint32_t run_count;
    struct gsi_predicted *order;
    uint64_t frame_count, next_frame; /* next to be read */
    struct gsi_buffer *head, **tail;  /* read or being read, in prediction order */
    uint64_t fed_count;
    struct gsi_release release;
};

/* gsi_feed_init: `runs` are borrowed until clear, the tables are copied. */
enum gs_status gsi_feed_init(struct gsi_feed *feed, struct gsi_job *job,
                             struct gsi_buffers *buffers, const struct gsi_spilled_run *const *runs,
                             const uint32_t *input_idx, uint32_t run_count);
void gsi_feed_clear(struct gsi_feed *feed); /* also zeroed ones */

/* gsi_feed_pump: start reads, feed what is there; whether anything moved. */
bool gsi_feed_pump(struct gsi_feed *feed);

/* gsi_feed_is_idle: nothing that was begun is unfinished; also of zeroed ones. */
static inline bool gsi_feed_is_idle(const struct gsi_feed *feed)
{
    return feed->head == NULL && gsi_release_is_idle(&feed->release);
}

#endif
