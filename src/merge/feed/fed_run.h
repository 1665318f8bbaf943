/* fed_run.h: defines runs that a merge reads block by block, and counts the buffers of each run.
 * feeder.h explains the rules; frame_feed.h and input_feed.h implement the two kinds of runs. */
#ifndef GSI_FED_RUN_H
#define GSI_FED_RUN_H

#include "loop/buffers.h"
#include "loop/loop.h"
#include "loop/run_list.h"

struct gsi_fed_run;

struct gsi_fed_run_ops {
    /* can_start: returns whether the run has another block, and its kind allows to read it now. */
    bool (*can_start)(const struct gsi_fed_run *run);

    /* start: starts to read the next block into `buffer`. */
    void (*start_read)(struct gsi_fed_run *run, struct gsi_buffer *buffer);

    /* return_block: handles a block that the device returns after a check, or after the merge. */
    void (*return_block)(struct gsi_fed_run *run, struct gsi_buffer *block);
};

/* State of a run that both kinds have. Each kind of run embeds this struct in its own struct. */
struct gsi_fed_run {
    const struct gsi_fed_run_ops *ops;
    struct gsi_feed *feed;
    uint32_t input_idx;     /* index of the run in the merge */
    uint64_t first_index;   /* records: the index in tags of the run's first record */
    uint64_t started_count; /* blocks whose read was started */
    uint64_t fed_count;     /* blocks that were fed to the merge */
    uint64_t pending_count; /* blocks started, but neither fed nor absorbed by another block */
    uint64_t buffer_count;  /* buffers that blocks of the run use now */
    bool is_all_started;    /* no block is left to start */
    bool is_gathering;      /* a pending block gathers filtered elements of later blocks */
};

/* The state of a buffer in a feed: each kind of run begins its own state with this struct. */
struct gsi_fed_block {
    struct gsi_fed_run *run;
};

GSI_HOLDER_STATE(gsi_fed_block_of, struct gsi_fed_block)

struct gsi_feed {
    struct gsi_loop *loop;
    struct gsi_buffers *buffers;
    struct gsi_merge *merge;
    uint32_t run_count;
    uint64_t reserved_per_run;  /* each run can always use this many buffers */
    bool is_exact;              /* the first keys of all blocks are known before they are read */
    uint64_t unreserved_count;  /* buffers that any run may use */
    uint64_t unreserved_in_use; /* how many of these are used now */
    uint64_t max_in_use;      /* maximum number of used buffers, unless the merge waits for a run */
    uint64_t pending_count;   /* pending blocks of all runs */
    uint64_t gathering_count; /* runs with is_gathering */
    uint64_t fed_count;       /* blocks that were fed, of all runs */
    struct gsi_fed_run *awaited_run;   /* the merge waits for this run; NULL: for none */
    struct gsi_fed_run *must_read_run; /* awaited_run, if none of its blocks is pending */
    bool is_stopped;                   /* no other block is read */
};

/* The runs of a merge. */
struct gsi_feed_entries {
    const struct gsi_run_entry *entries; /* borrowed until the feed is closed */
    const uint64_t *first_indexes;       /* records: for each run, the index of its first one */
    uint32_t count;
};

/* gsi_fed_run_has_all_reserved: returns whether a run uses as many buffers as are reserved for it.
 * gsi_fed_run_may_use_buffer: returns whether a run for which the merge does not wait may use
 * another buffer. */
bool gsi_fed_run_has_all_reserved(const struct gsi_fed_run *run);
bool gsi_fed_run_may_use_buffer(const struct gsi_fed_run *run);

/* gsi_fed_run_start_read: starts to read a run's next block into a free buffer, which must
 * exist. */
void gsi_fed_run_start_read(struct gsi_fed_run *run);

/* gsi_fed_run_await: states that the merge waits for a block of this run. Returns whether no block
 * is pending, so another block must be read. */
bool gsi_fed_run_await(struct gsi_fed_run *run);

/* gsi_fed_run_feed_block: feeds the run's next block to the merge; `bound` is as in merge_feed
 * (device/device.h).
 * gsi_fed_run_block_absorbed: states that a pending block will not be fed, because another block
 * gathered its elements or the merge was stopped.
 * gsi_fed_run_set_gathering: sets run->is_gathering.
 * gsi_fed_run_release_buffer: makes a buffer of this run free. */
void gsi_fed_run_feed_block(struct gsi_fed_run *run, struct gsi_buffer *block, const void *bound);
void gsi_fed_run_block_absorbed(struct gsi_fed_run *run);
void gsi_fed_run_set_gathering(struct gsi_fed_run *run, bool is_gathering);
void gsi_fed_run_release_buffer(struct gsi_fed_run *run, struct gsi_buffer *buffer);

#endif
