/* sink.h: writes windows of raw elements to the output, and joins their imprints. */
#ifndef GSI_SINK_H
#define GSI_SINK_H

#include "sort/job.h"

struct gsi_sink {
    struct gsi_job *job;
    struct gsi_buffers *windows; /* where written buffers go */
    uint64_t bytes;              /* handed over so far */
    uint64_t total_bytes;        /* that will be */
    struct gsi_imprint imprint;  /* of these */
    uint32_t pending;
    struct gsi_buffer *head, **tail; /* a stream's: waiting for their turn */
};

/* gsi_sink_init: `total_bytes` are to come. */
void gsi_sink_init(struct gsi_sink *sink, struct gsi_job *job, struct gsi_buffers *windows,
                   uint64_t total_bytes);

/* gsi_sink_take: the next window in output order (context: the sink), what a merger delivers to;
 * only the last one may be no multiple of GSI_DIRECT_ALIGN. It goes back to the set of windows once
 * it is written. */
void gsi_sink_take(void *context, struct gsi_buffer *window);

#endif
