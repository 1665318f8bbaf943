/* merger.h: one merge on the device: feeds it, pulls windows and hands them on in order. Used for
 * each run that is spilled, for intermediate merges and for the last one. */
#ifndef GSI_MERGER_H
#define GSI_MERGER_H

#include "merge/recorder.h"
#include "merge/sorted_reader.h"
#include "spill/reader.h"

struct gsi_merger {
    struct gsi_loop *loop;
    struct gsi_spill *spill;
    struct gsi_inputs *inputs;
    struct gsi_recorder *recorder;
    struct gsi_merge *merge;
    struct gsi_spill_reader spilled; /* of spilled runs; */
    struct gsi_sorted_reader sorted; /* of inputs that are sorted already; each has its buffers */
    struct gsi_buffers *windows;
    const struct gsi_link *links; /* that windows pass, in order */
    uint32_t link_count;
    bool to_elements;
    uint64_t pulled_count, delivered_count;
    uint64_t pulled_bytes;
    uint64_t starved_at; /* pieces fed when the merge last needed more; UINT64_MAX: it does not */
    bool is_ended;
};

struct gsi_merger_spec {
    struct gsi_spill *spill;
    struct gsi_inputs *inputs;
    struct gsi_recorder *recorder;
    const struct gsi_run_entry *entries; /* in tie order; borrowed until the end */
    uint32_t count;
    bool to_elements;            /* else sort keys */
    struct gsi_buffers *windows; /* to merge into */
    struct gsi_buffers *frames;  /* to read spilled runs into, NULL if there are none; */
    struct gsi_buffers *pieces;  /* the same of files */
    const struct gsi_link *links;
    uint32_t link_count;
};

/* gsi_merger_begin: merge some runs. */
enum gs_status gsi_merger_begin(struct gsi_merger *merger, struct gsi_loop *loop,
                                const struct gsi_merger_spec *spec);
void gsi_merger_end(struct gsi_merger *merger); /* also zeroed ones */

/* gsi_merger_pump: feed and pull; whether anything moved. */
bool gsi_merger_pump(struct gsi_merger *merger);

/* gsi_merger_take: a WINDOW event of the device. */
void gsi_merger_take(struct gsi_merger *merger, struct gsi_buffer *window);

/* gsi_merger_stop: pull no more; windows that were pulled are still delivered. */
void gsi_merger_stop(struct gsi_merger *merger);

/* gsi_merger_take_back: a BUFFER event of the device: of a spilled run or a sorted input. */
void gsi_merger_take_back(struct gsi_merger *merger, struct gsi_buffer *buffer);

/* gsi_merger_is_done: every window was delivered, and the readers are idle. */
bool gsi_merger_is_done(const struct gsi_merger *merger);

/* gsi_merger_stage: the merge as a stage, which takes the device's events. */
struct gsi_stage gsi_merger_stage(struct gsi_merger *merger);

#endif
