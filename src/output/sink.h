/* sink.h: writes windows of raw elements to the output.
 *
 * Windows of records rarely end where pages do. What one has of its last page is kept, put before
 * the next one's data, and written with them: so all but the end can be written directly. */
#ifndef GSI_SINK_H
#define GSI_SINK_H

#include "output/target.h"

struct gsi_sink {
    struct gsi_target *target;
    struct gsi_buffers *windows; /* where written buffers go */
    struct gsi_io header_io;     /* of the header */
    uint64_t bytes;              /* handed over so far */
    uint64_t total_bytes;        /* that will be */
    uint32_t pending;
    uint64_t started; /* windows, */
    uint64_t marked;  /* of these, before the mark, and how many of them are being written */
    uint32_t marked_pending;
    bool is_paged; /* records, written directly as they come from the merge */
    uint8_t rest[GSI_DIRECT_ALIGN];
    uint32_t rest_bytes;
    struct gsi_io rest_io;
    struct gsi_buffer *head, **tail; /* a stream's: waiting for their turn */
};

/* gsi_sink_init: `total_bytes` are to come at most; UINT64_MAX: not known. */
void gsi_sink_init(struct gsi_sink *sink, struct gsi_target *target, struct gsi_buffers *windows,
                   uint64_t total_bytes);

/* gsi_sink_take: the next window in output order; of records as the merge leaves it, else only the
 * last one may be no multiple of GSI_DIRECT_ALIGN. It goes back to the set of windows once it is
 * written. */
void gsi_sink_take(struct gsi_sink *sink, struct gsi_buffer *window);

/* gsi_sink_link: gsi_sink_take as a link, which lets others look at the window still: its data stay
 * until the next event.  gsi_sink_stage: done when nothing is pending. */
struct gsi_link gsi_sink_link(struct gsi_sink *sink);
struct gsi_stage gsi_sink_stage(struct gsi_sink *sink);

/* gsi_sink_finish: after the last window: write what is left, and the header of a file, which is
 * there by now at the latest; `pending` counts both, too. */
void gsi_sink_finish(struct gsi_sink *sink);

/* gsi_sink_restore: after init: `bytes` were handed over before, by another process; `rest` of them
 * were kept, the others are in the output file.
 * in    is_there: set to whether they are
 * fails GS_E_IO, GS_E_SPACE */
enum gs_status gsi_sink_restore(struct gsi_sink *sink, uint64_t bytes, const void *rest,
                                uint32_t rest_bytes, bool *is_there);

/* gsi_sink_mark: sets a mark behind the last window that was taken.
 * gsi_sink_mark_is_written: whether the windows before the mark are written, but for sink->rest as
 * it was then. Files only. */
void gsi_sink_mark(struct gsi_sink *sink);
bool gsi_sink_mark_is_written(const struct gsi_sink *sink);

/* gsi_sink_data_off: where in the output the first window goes. */
uint64_t gsi_sink_data_off(const struct gsi_target *target);

/* gsi_sink_file_bytes: what the output holds now; the header too. */
uint64_t gsi_sink_file_bytes(const struct gsi_sink *sink);

#endif
