/* merger.h: runs one merge on the device: feeds it with blocks of runs, pulls windows from it, and
 * passes the windows to links in order. Spilled runs, intermediate merges and the output are all
 * made by such a merge.
 *
 * An example: frames of 2 elements, windows of 4. Frames are read in the order of their first keys
 * (merge/feed/feeder.h), which are known before the merge begins:
 *
 *     run 0   [1 4][5 9]            order: [1 4] [2 3] [4 8] [5 9] [6 7]
 *     run 1   [2 3][6 7]
 *     run 2   [4 8]
 *
 * The bound of a run is the first key that is not fed yet. The merge may emit only elements that
 * sort before all bounds. Among equal keys, the run with the lower number is first.
 *
 *     block fed bounds of runs 0, 1, 2     may be emitted     result of the pull
 *     [1 4]     5  2  4                    1                  NEED run 1
 *     [2 3]     5  6  4                    1 2 3 4            OK: window 1 2 3 4, the 4 of run 0
 *     [4 8]     5  6  none                 4                  NEED run 0
 *     [5 9]     none  6  none              4 5                NEED run 1
 *     [6 7]     none                       4 5 6 7 8 9        OK: 4 5 6 7; OK: 8 9; END
 *
 * A pull cuts a window: it finds how many elements of each run the window contains
 * (device/merge_cut.h). Then threads or a GPU merge several windows at the same time. The device
 * returns the buffer of a frame after all windows that need the frame were merged.
 *
 * merge/feed/feeder.h explains why a merge cannot get stuck.
 *
 * A merge reads at most fan_in runs (plan/plan.h). Resident runs do not count, because they need no
 * buffers. If there are more runs, intermediate merges are made first (job/strategy/sort.c,
 * plan/merge_tree.h).
 *
 * Rejected:
 *   bounds that begin with the first frame fed: with reversed input, where all frames of the runs
 *     with the lowest keys come first, the merge never got on; the first keys are bounds now
 *   asking after every frame whether a window can be made: a merge that starved tries again only
 *     when it was fed more (starved_at)
 *
 * In doubt: a frame of records has only 16 bytes of its first key. If they are equal, frames may be
 * read in the wrong order, which costs only time. Windows of fed runs are cut one by one on the
 * loop's thread, so other threads may have to wait. Windows of resident runs are cut 16 at a time
 * (device/cpu/cpu_device_merge.c). */
#ifndef GSI_MERGER_H
#define GSI_MERGER_H

#include "merge/feed/feeder.h"

struct gsi_merger {
    struct gsi_loop *loop;
    struct gsi_spill *spill;
    struct gsi_inputs *inputs;
    struct gsi_merge *merge;
    struct gsi_feeder feeder; /* reads the runs that are not in memory */
    struct gsi_buffers *windows;
    const struct gsi_link *links; /* each window passes links[0], then links[1], .. */
    uint32_t link_count;
    struct gsi_link cut;
    bool to_elements;
    struct gsi_output_memory place;
    uint64_t pulled_count, delivered_count;
    uint64_t pulled_bytes, left_bytes; /* of output: pulled so far; still allowed */
    /* Number of fed blocks when the merge last needed another; UINT64_MAX: it needs none. */
    uint64_t starved_at;
    bool is_ended;
};

struct gsi_merger_spec {
    struct gsi_spill *spill;
    struct gsi_inputs *inputs;
    const struct gsi_run_entry *entries; /* in the order of equal keys; borrowed until the end */
    uint32_t count;
    bool to_elements; /* windows contain elements; false: sort keys */
    struct gsi_output_memory place;
    struct gsi_buffers *windows; /* buffers for merged windows */
    struct gsi_buffers *blocks;  /* buffers for reading runs; NULL: all runs are in memory */
    const struct gsi_link *links;
    uint32_t link_count;
    uint64_t most_bytes; /* maximum bytes of output; a window that may exceed it is not made */
    uint64_t made_bytes; /* bytes of output that were made before this merge */
    uint64_t *taken;     /* counts the merged elements of each run; NULL: they are not counted */
    struct gsi_link
        cut; /* is called with each window that is cut but not merged yet; may be zeroed */
};

/* gsi_merger_begin: begins a merge of the runs spec->entries. */
enum gs_status gsi_merger_begin(struct gsi_merger *merger, struct gsi_loop *loop,
                                const struct gsi_merger_spec *spec);
void gsi_merger_end(struct gsi_merger *merger); /* also zeroed ones */
/* gsi_merger_pump: starts reads, feeds blocks that were read, and pulls windows. Returns whether it
 * did any of these. */
bool gsi_merger_pump(struct gsi_merger *merger);

/* gsi_merger_accept: passes a merged window to the links; called for the device's event
 * GSI_EVENT_WINDOW. */
void gsi_merger_accept(struct gsi_merger *merger, struct gsi_buffer *window);

/* gsi_merger_stop: ends the merge early. The windows that were pulled are still merged and passed
 * to the links. */
void gsi_merger_stop(struct gsi_merger *merger);

/* gsi_merger_is_done: returns whether all windows passed the links, and no read is in flight. */
bool gsi_merger_is_done(const struct gsi_merger *merger);

/* gsi_merger_stage: returns the merge as a stage (loop/loop.h), which handles the device's
 * events. */
struct gsi_stage gsi_merger_stage(struct gsi_merger *merger);

#endif
