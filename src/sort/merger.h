/* merger.h: one merge on the device: feeds it, pulls windows and hands them on in order. Used for
 * each run that is spilled, for intermediate merges and for the last one. */
#ifndef GSI_MERGER_H
#define GSI_MERGER_H

#include "sort/feed.h"
#include "sort/job.h"
#include "sort/run_list.h"

struct gsi_merger {
    struct gsi_job *job;
    struct gsi_merge *merge;
    struct gsi_feed feed;
    struct gsi_buffers *windows;
    void (*deliver)(void *context, struct gsi_buffer *window);
    void *context;
    bool to_elements;
    uint64_t pulled_count, delivered_count;
    uint64_t pulled_bytes;
    uint64_t
        starved_at; /* feed.fed_count when the merge last needed more; UINT64_MAX: it does not */
    bool is_ended;
};

/* gsi_merger_begin: merge `count` runs.
 * in    windows: buffers to merge into; feed_buffers: to read frames into, NULL if none is spilled
 *       deliver: takes each window, in order */
enum gs_status gsi_merger_begin(struct gsi_merger *merger, struct gsi_job *job,
                                const struct gsi_run_entry *entries, uint32_t count,
                                bool to_elements, struct gsi_buffers *windows,
                                struct gsi_buffers *feed_buffers,
                                void (*deliver)(void *context, struct gsi_buffer *window),
                                void *context);
void gsi_merger_end(struct gsi_merger *merger); /* also zeroed ones */

/* gsi_merger_pump: feed and pull; whether anything moved. */
bool gsi_merger_pump(struct gsi_merger *merger);

/* gsi_merger_take: a WINDOW event of the device. */
void gsi_merger_take(struct gsi_merger *merger, struct gsi_buffer *window);

/* gsi_merger_stop: pull no more; windows that were pulled are still delivered. */
void gsi_merger_stop(struct gsi_merger *merger);

/* gsi_merger_is_done: every window was delivered, and the feed is idle. */
bool gsi_merger_is_done(const struct gsi_merger *merger);

#endif
