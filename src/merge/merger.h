/* merger.h: one merge on the device: feeds it, pulls windows, and hands them on in order. It is
 * used for each run that is spilled, for intermediate merges, and for the last one. */
#ifndef GSI_MERGER_H
#define GSI_MERGER_H

#include "merge/checkpoint.h"
#include "merge/sorted_reader.h"
#include "spill/reader.h"

struct gsi_merger {
    struct gsi_loop *loop;
    struct gsi_spill *spill;
    struct gsi_inputs *inputs;
    struct gsi_checkpoint *checkpoint;
    struct gsi_merge *merge;
    struct gsi_spill_reader spilled; /* reads spilled runs, into buffers of its own */
    struct gsi_sorted_reader sorted; /* reads inputs that are sorted already; its buffers too */
    struct gsi_buffers *windows;
    const struct gsi_link *links; /* windows pass them in order */
    uint32_t link_count;
    bool to_elements;
    uint8_t *place;
    uint64_t pulled_count, delivered_count;
    uint64_t pulled_bytes;
    uint64_t starved_at; /* pieces fed when the merge last needed more; UINT64_MAX: it needs none */
    bool is_ended;
};

struct gsi_merger_spec {
    struct gsi_spill *spill;
    struct gsi_inputs *inputs;
    struct gsi_checkpoint *checkpoint;
    const struct gsi_run_entry *entries; /* in tie order; borrowed until the end */
    uint32_t count;
    bool to_elements; /* else sort keys */
    uint8_t *place;   /* where windows are made one behind the other; NULL: in their memory */
    struct gsi_buffers *windows; /* to merge into */
    struct gsi_buffers *frames;  /* to read spilled runs into; NULL: there are none */
    struct gsi_buffers *pieces;  /* to read sorted inputs into; NULL: there are none */
    const struct gsi_link *links;
    uint32_t link_count;
};

/* gsi_merger_begin: begins to merge some runs. */
enum gs_status gsi_merger_begin(struct gsi_merger *merger, struct gsi_loop *loop,
                                const struct gsi_merger_spec *spec);
void gsi_merger_end(struct gsi_merger *merger); /* also zeroed ones */

/* gsi_merger_pump: feeds and pulls. Returns whether anything moved. */
bool gsi_merger_pump(struct gsi_merger *merger);

/* gsi_merger_take: takes the window of the device's WINDOW event. */
void gsi_merger_take(struct gsi_merger *merger, struct gsi_buffer *window);

/* gsi_merger_stop: pulls no more; windows that were pulled are still delivered. */
void gsi_merger_stop(struct gsi_merger *merger);

/* gsi_merger_take_back: takes the buffer of the device's BUFFER event, which is one of a spilled
 * run or of a sorted input. */
void gsi_merger_take_back(struct gsi_merger *merger, struct gsi_buffer *buffer);

/* gsi_merger_is_done: every window was delivered, and the readers are idle. */
bool gsi_merger_is_done(const struct gsi_merger *merger);

/* gsi_merger_stage: the merge as a stage (loop/stage.h), which takes the device's events. */
struct gsi_stage gsi_merger_stage(struct gsi_merger *merger);

#endif
