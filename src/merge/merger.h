/* merger.h: runs one merge on the device: feeds it, pulls windows, and passes them on in order. It
 * is used for each run that is spilled, for intermediate merges, and for the last one.
 *
 * An example: frames of 2 elements, windows of 4. Frames are read in the order of their first keys
 * (merge/feed/feeder.h), which are known before the merge begins:
 *
 *     run 0   [1 4][5 9]            order: [1 4] [2 3] [4 8] [5 9] [6 7]
 *     run 1   [2 3][6 7]
 *     run 2   [4 8]
 *
 * While a run has more to feed, no element after the bound may be emitted. The bound is the run's
 * first key that is not fed yet. The lowest bound holds for all runs. Among equal keys, the lower
 * run's key is first.
 *
 *     fed       bounds of runs 0, 1, 2     may be emitted     pull
 *     [1 4]     5  2  4                    1                  NEED run 1
 *     [2 3]     5  6  4                    1 2 3 4            OK: window 1 2 3 4, the 4 of run 0
 *     [4 8]     5  6  none                 4                  NEED run 0
 *     [5 9]     none  6  none              4 5                NEED run 1
 *     [6 7]     none                       4 5 6 7 8 9        OK: 4 5 6 7; OK: 8 9; END
 *
 * A pull does not merge: it cuts the window, that is, finds how many elements of each run belong to
 * it (device/merge_cut.h). Threads or a GPU then merge several windows at the same time, each for
 * itself. When no window needs a frame any more, its buffer is returned and filled again.
 *
 * Why it cannot get stuck: merge/feed/feeder.h.
 *
 * How many runs are merged at once is the plan's fan_in (plan/plan.h). Resident runs do not count,
 * because nothing of them is read; runs beyond it are merged first (job/strategy/sort.c,
 * plan/merge_tree.h).
 *
 * Rejected:
 *   bounds that begin with the first frame fed: with reversed input, where all frames of the runs
 *     with the lowest keys come first, the merge never got on; the first keys are bounds now
 *   asking after every frame whether a window can be made: a merge that starved tries again only
 *     when it was fed more (starved_at)
 *
 * In doubt: of records a frame tells only 16 bytes of its first key, so the order may be wrong
 * where more bytes are equal; that costs time, not correctness. Windows of fed runs are cut one by
 * one on the owner's thread, so many threads may have to wait for it. Windows of resident runs are
 * cut 16 at a time (device/cpu/cpu_device_merge.c). */
#ifndef GSI_MERGER_H
#define GSI_MERGER_H

#include "merge/feed/feeder.h"

struct gsi_merger {
    struct gsi_loop *loop;
    struct gsi_spill *spill;
    struct gsi_inputs *inputs;
    struct gsi_merge *merge;
    struct gsi_feeder feeder; /* of the runs that are not in memory */
    struct gsi_buffers *windows;
    const struct gsi_link *links; /* windows pass them in order */
    uint32_t link_count;
    struct gsi_link cut;
    bool to_elements;
    struct gsi_place place;
    uint64_t pulled_count, delivered_count;
    uint64_t pulled_bytes, left_bytes; /* of output: pulled so far; that may still be */
    uint64_t starved_at; /* pieces fed when the merge last needed more; UINT64_MAX: it needs none */
    bool is_ended;
};

struct gsi_merger_spec {
    struct gsi_spill *spill;
    struct gsi_inputs *inputs;
    const struct gsi_run_entry *entries; /* in tie order; borrowed until the end */
    uint32_t count;
    bool to_elements; /* else sort keys */
    struct gsi_place place;
    struct gsi_buffers *windows; /* to merge into */
    struct gsi_buffers *blocks;  /* to read runs into; NULL: all runs are in memory */
    const struct gsi_link *links;
    uint32_t link_count;
    uint64_t most_bytes; /* of output: no window is made that would pass them */
    uint64_t made_bytes; /* of output, which were made before */
    uint64_t *taken;     /* counts the elements of each run in windows that were cut; NULL: not */
    struct gsi_link cut; /* gets each window when it is cut, before it is merged; may be zeroed */
};

/* gsi_merger_begin: begins to merge some runs. */
enum gs_status gsi_merger_begin(struct gsi_merger *merger, struct gsi_loop *loop,
                                const struct gsi_merger_spec *spec);
void gsi_merger_end(struct gsi_merger *merger); /* also zeroed ones */

/* gsi_merger_pump: feeds and pulls. Returns whether anything moved. */
bool gsi_merger_pump(struct gsi_merger *merger);

/* gsi_merger_accept: accepts the window of the device's WINDOW event. */
void gsi_merger_accept(struct gsi_merger *merger, struct gsi_buffer *window);

/* gsi_merger_stop: pulls no more; windows that were pulled are still delivered. */
void gsi_merger_stop(struct gsi_merger *merger);

/* gsi_merger_is_done: returns whether every window was delivered, and the readers are idle. */
bool gsi_merger_is_done(const struct gsi_merger *merger);

/* gsi_merger_stage: returns the merge as a stage (loop/loop.h), which handles the device's
 * events. */
struct gsi_stage gsi_merger_stage(struct gsi_merger *merger);

#endif
