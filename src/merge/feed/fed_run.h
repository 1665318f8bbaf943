/* fed_run.h: what a feeder (merge/feed/feeder.h) and the kinds of runs that it feeds share: the
 * buffers, and how many of them each run has. */
#ifndef GSI_FED_RUN_H
#define GSI_FED_RUN_H

#include "loop/buffers.h"
#include "loop/loop.h"
#include "loop/run_list.h"

struct gsi_fed_run;

struct gsi_fed_run_ops {
    /* can_start: whether another block exists and may be read now. */
    bool (*can_start)(const struct gsi_fed_run *run);

    /* start: starts to read the next block into `buffer`. */
    void (*start)(struct gsi_fed_run *run, struct gsi_buffer *buffer);

    /* take_back: the device returns a block that was reduced, or that it no longer needs. */
    void (*take_back)(struct gsi_fed_run *run, struct gsi_buffer *block);
};

/* The part that all kinds of runs share; each kind adds its own. */
struct gsi_fed_run {
    const struct gsi_fed_run_ops *ops;
    struct gsi_feed *feed;
    uint32_t input_idx;     /* of the merge */
    uint64_t first_index;   /* records: the index of the first one in tags */
    uint64_t started_count; /* blocks whose reading was started, */
    uint64_t fed_count;     /* and that were fed */
    uint64_t coming_count;  /* started and not yet fed; those joined to others do not count */
    uint64_t held_count;    /* buffers: being read, checked, or held by the device */
    bool is_end;            /* all blocks are started */
    bool is_open;           /* one of the coming blocks is fed only after more of the run is read */
};

/* The run of a block. The state of every block of a feed begins with this. */
struct gsi_fed_block {
    struct gsi_fed_run *run;
};

GSI_HOLDER_STATE(gsi_fed_block_of, struct gsi_fed_block)

struct gsi_feed {
    struct gsi_loop *loop;
    struct gsi_buffers *buffers;
    struct gsi_merge *merge;
    uint32_t run_count;
    uint64_t own_count;    /* buffers that are reserved for each run */
    bool is_exact;         /* the first keys of all blocks are known exactly */
    uint64_t spare_count;  /* buffers that are reserved for no run */
    uint64_t extra_count;  /* buffers that runs hold beyond those reserved for them */
    uint64_t most_held;    /* buffers to hold at most, unless the merge waits for a run */
    uint64_t coming_count; /* blocks on their way to the merge, */
    uint64_t open_count;   /* and those of them that wait for more of their run */
    uint64_t fed_count;
    struct gsi_fed_run *wanted; /* the merge waits for it; NULL: for none */
    struct gsi_fed_run *needed; /* the same, and none of it is coming */
    bool is_stopped;            /* no further block is read */
};

/* The runs of a merge, by input. */
struct gsi_feed_entries {
    const struct gsi_run_entry *entries; /* borrowed until the feed is closed */
    const uint64_t *first_indexes;       /* records: the index of the first one in tags */
    uint32_t count;
};

/* gsi_fed_run_has_own: returns whether a run holds all buffers that are reserved for it.
 * gsi_fed_run_may_start: returns whether a run may get another buffer in its turn. */
bool gsi_fed_run_has_own(const struct gsi_fed_run *run);
bool gsi_fed_run_may_start(const struct gsi_fed_run *run);

/* gsi_fed_run_start: starts to read a run's next block. There is a free buffer. */
void gsi_fed_run_start(struct gsi_fed_run *run);

/* gsi_fed_run_need: call it when the merge waits for more of this run. Returns whether another
 * block has to be read for it. */
bool gsi_fed_run_need(struct gsi_fed_run *run);

/* gsi_fed_run_feed: feeds the next block; `bound` is as in merge_feed.
 * gsi_fed_run_joined: call it when an expected block was merged into other blocks of its run.
 * gsi_fed_run_set_open: sets run->is_open.
 * gsi_fed_run_release: returns a buffer of this run to the free ones. */
void gsi_fed_run_feed(struct gsi_fed_run *run, struct gsi_buffer *block, const void *bound);
void gsi_fed_run_joined(struct gsi_fed_run *run);
void gsi_fed_run_set_open(struct gsi_fed_run *run, bool is_open);
void gsi_fed_run_release(struct gsi_fed_run *run, struct gsi_buffer *buffer);

#endif
