/* delivery.h: takes windows from any producer, and writes and places the output.
 *
 *     merger -> first K        strategy/sort.c ----.
 *     one pass as it reads     output/one_pass.c --+-> check -> ranks -+-> sink -> marks
 *     filler: first elements   strategy/top.c -----+                   '-> flow -> blocks -> sink
 *     filler: values counted   strategy/counted.c -'
 *
 * Windows are taken in order. They return to `windows` once they are written, or read. Each sink
 * may be a split, which has a sink for each of its files. Windows are checked before elements are
 * left out; counted values have sums instead of digests. The producer of the windows knows which
 * elements it must deliver, and verifies them at the end. Then the output is read back, if that was
 * asked for, and placed. */
#ifndef GSI_DELIVERY_H
#define GSI_DELIVERY_H

#include "input/payload/payload_tally.h"
#include "output/ranks.h"
#include "output/split/columns.h"
#include "output/split/split.h"
#include "output/stream_check.h"
#include "output/write_flow/write_flow.h"

/* The reports of a delivery, and the tallies of the input, which are complete when it starts.
 * Borrowed. */
struct gsi_delivery_report {
    const struct gsi_tally_report *tally, *field_tallies;
    struct gsi_order_report *order_statistics;
    struct gsi_groups_report *groups;
    struct gsi_ends_report *ends;
    struct gsi_split_report *split;
};

struct gsi_delivery {
    struct gsi_target *target;
    struct gsi_delivery_report report;
    struct gsi_stage marks;      /* of --resume: gets windows after the check; may be zeroed */
    struct gsi_link mark_blocks; /* of --resume: gets what the sink has taken; may be zeroed */
    bool has_blocks, is_split;
    bool is_checked;            /* windows have digests */
    struct gsi_buffers windows; /* which are delivered; who makes them cuts them out of the arena */
    struct gsi_stream_check check;
    struct gsi_ranks ranks;
    struct gsi_payload_tally payload_tally; /* what was sorted in place of elements */
    struct gsi_write_flow write_flow;
    struct gsi_sink sink;
    struct gsi_split split;
    struct gsi_columns columns;
    struct gsi_link links[4];   /* which windows pass */
    struct gsi_stage stages[2]; /* write_flow, and what writes files */
    uint32_t link_count, stage_count;
    uint32_t ended_count; /* stages that were ended */
    bool is_ended;        /* all windows were taken */
};

/* gsi_delivery_open: takes the memory that was planned; called before anything is read.
 * fails GS_E_MEMORY
 * gsi_delivery_clear: zeroed ones are fine; nothing may be in flight. */
enum gs_status gsi_delivery_open(struct gsi_delivery *delivery, struct gsi_target *target,
                                 struct gsi_delivery_report report, bool is_checked);
void gsi_delivery_clear(struct gsi_delivery *delivery);

/* gsi_delivery_start: begins the phase that writes the output, and the output, unless it was begun
 * early. Everything must have been read, and counted if ranks are wanted.
 * gsi_delivery_start_early: begins the output while inputs are read. Elements have at most `bytes`;
 * UINT64_MAX: not known.
 * gsi_delivery_restart: begins the output again, after the end, when it is done. The written
 * elements will be delivered again.
 * out   dropped: count and fingerprint of elements that came and were not written; else as it was
 * fails GS_E_MEMORY, GS_E_VERIFY */
enum gs_status gsi_delivery_start(struct gsi_delivery *delivery);
enum gs_status gsi_delivery_start_early(struct gsi_delivery *delivery, uint64_t bytes);
enum gs_status gsi_delivery_restart(struct gsi_delivery *delivery, struct gsi_digest *dropped);

/* gsi_delivery_accept: accepts the next window, in order.
 * gsi_delivery_link: returns a link that does the same and keeps the window.
 * gsi_delivery_stage: returns a stage that is done when nothing waits or is being written. After
 * the end, it must also hold nothing.
 * gsi_delivery_end: call it after the last window. */
void gsi_delivery_accept(struct gsi_delivery *delivery, struct gsi_buffer *window);
struct gsi_link gsi_delivery_link(struct gsi_delivery *delivery);
struct gsi_stage gsi_delivery_stage(struct gsi_delivery *delivery);
void gsi_delivery_end(struct gsi_delivery *delivery);

/* gsi_delivery_run: runs the stage of a producer, until all of its windows are written. */
enum gs_status gsi_delivery_run(struct gsi_delivery *delivery, struct gsi_stage producer);

/* A producer whose windows are filled by tasks on threads. Its elements follow from their
 * places. */
struct gsi_filler {
    void *context;
    /* fill: puts the elements from `first` on, as many as fit, at window->data, on any thread; sets
     * window->bytes, and the digest, if that is checked. */
    void (*fill)(void *context, struct gsi_buffer *window, uint64_t first, uint32_t worker_idx);
    /* begin: the output is begun; a part of it may be there. Sets *first to the first element that
     *        is not. NULL: 0.
     * take: the next window, in order, before it is delivered. May be NULL. */
    enum gs_status (*begin)(void *context, uint64_t *first);
    void (*accept)(void *context, struct gsi_buffer *window);
    uint64_t count; /* of elements */
};

/* gsi_delivery_run_filler: cuts all of the arena into windows, starts, and runs such a producer. */
enum gs_status gsi_delivery_run_filler(struct gsi_delivery *delivery, const struct gsi_arena *arena,
                                       const struct gsi_filler *filler);

/* gsi_delivery_tell_ends: tells the report the first and the last key that were checked, if
 * elements or groups were written. With --group, these are the keys of the group. Everything has
 * been verified. */
void gsi_delivery_tell_ends(const struct gsi_delivery *delivery);

/* gsi_delivery_finish: after everything delivered was verified: reads the output back, if that was
 * asked for.
 * in    written: the digest that the file must have; NULL: that of the checked elements
 * gsi_delivery_commit: then puts the output in its place.
 * fails GS_E_VERIFY; GS_E_IO, GS_E_SPACE */
enum gs_status gsi_delivery_finish(struct gsi_delivery *delivery, const struct gsi_digest *written);
enum gs_status gsi_delivery_commit(struct gsi_delivery *delivery);

#endif
