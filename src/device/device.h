/* device.h: what sorts and merges. One C function table; the pipeline never knows which device it
 * drives.
 *
 * A device works asynchronously on buffers of the job's arena. A buffer handed over belongs to the
 * device until an event returns it:
 *
 *     chunk_put(b1) chunk_put(b2) chunk_seal() -> run     events: RUN run, BUFFER b1, BUFFER b2
 *     merge_begin(inputs)                                 (a device that sorts in the arena
 *       merge_feed(i, b)   keys of a spilled run           keeps b1, b2 until run_drop)
 *       merge_pull(w)      -> OK | NEED i | END           events: WINDOW w, BUFFER b
 *     merge_end()
 *     reduce(b)                                           events: BUFFER b
 *
 * A device with memory of its own may move sorted runs to memory of the host (plan->host_bytes);
 * nobody else sees where a run is.
 *
 * Chunks hold raw elements; runs of records leave them where they are and hold tags. Runs, fed
 * buffers and windows of a merge to be spilled hold sort keys; windows of the last merge hold raw
 * elements again. With config.carry chunks hold elements as they are read, and windows of the last
 * merge what is written of them; all else holds what is carried.
 * All calls are for the owner's thread; only open and close may block. Events come
 * in the order of the calls for windows, in any order otherwise. `wake` (any thread) tells the
 * owner that reap has something. */
#ifndef GSI_DEVICE_H
#define GSI_DEVICE_H

#include "base/memory.h"
#include "device/buffer.h"
#include "element/tally/tally.h"
#include "element/tally/tally_report.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Where a job sorts, and what the device did. */
struct gsi_device_report {
    const char *name;        /* "cpu" or "cuda" */
    char model[64];          /* of a GPU; empty: the CPU */
    char note[256];          /* why the device is not the first choice; empty: it is */
    uint64_t start_ns;       /* to find the device and to take its memory */
    uint64_t host_run_bytes; /* of runs that a device with memory of its own kept on the host */
    uint64_t circular_merge_count; /* of two runs each, for a window or a piece of a spilled run */
};

/* What is sorted: keys, or tags of records. */
static inline uint32_t gsi_sort_bytes(const struct gsi_layout *layout)
{
    return layout->has_tags ? GSI_TAG_BYTES : layout->key_bytes;
}

struct gsi_carry;
struct gsi_run; /* resident sorted run, owned by the device from chunk_seal to run_drop */

/* Its first and last elements: sort keys, or records. */
struct gsi_run_ends {
    const uint8_t *first, *last;
};

enum gsi_event_kind { GSI_EVENT_BUFFER, GSI_EVENT_RUN, GSI_EVENT_WINDOW };

struct gsi_event {
    enum gsi_event_kind kind;
    struct gsi_buffer *buffer; /* BUFFER: it is the caller's again; WINDOW: filled */
    struct gsi_run *run;       /* RUN: it is sorted */
    enum gs_status status;     /* not GS_OK: the device failed; only `failure` tells more */
    const char *failure;       /* then: one line */
};

/* What a device has of its own; zeroed for the CPU. */
struct gsi_device_limits {
    uint64_t memory_bytes; /* free now */
    uint64_t fixed_bytes;  /* taken whatever the plan, more than for any number */
    uint64_t scratch_part; /* sorting n bytes takes n / scratch_part more */
    uint32_t device_count; /* of several that work as one, each with memory_bytes; 0: one */
    uint64_t device_set;   /* in: which ones, bit i is number i; out: those that can be had */
    bool may_be_apart;     /* in: they need not be able to read each other's memory */
    bool is_circular;      /* in: it has to merge by circular buffers (plan->is_circular) */
    bool is_apart;         /* out: they cannot */
    char name[64];
};

/* Most runs that a device with memory of its own keeps there. */
#define GSI_DEVICE_RUNS_MAX 64

/* Most entries of its table of places of records for the records of one frame: a run takes up to
 * twice as many indexes as it has records, and the last run may be short. */
#define GSI_DEVICE_BLOCKS_A_FRAME 3

/* What a device that works in the arena takes in tables for each buffer, while it has it and merges
 * it; in a merge for each buffer and window, and two windows more; and for each input of a merge.
 */
#define GSI_DEVICE_BUFFER_BYTES 160
#define GSI_DEVICE_SLICE_BYTES  56
#define GSI_DEVICE_INPUT_BYTES  40

struct gsi_device_config {
    struct gsi_layout layout;
    uint32_t device_index; /* of several of a kind */
    uint64_t device_set;   /* of a group: its members, bit i is number i */
    bool device_is_apart;  /* of a group: they cannot read each other's memory */
    uint64_t *failed_set;  /* of a group, out: those that could not be opened; NULL: unheard */
    uint64_t chunk_bytes, frame_bytes; /* longest chunks and frames */
    bool is_one_pass;                  /* a one-pass merge may put chunks back first */
    const struct gsi_plan *plan; /* borrowed; with memory of its own: how much of that to take */
    bool may_shrink;             /* fewer runs than planned may come, and fewer are spilled then */
    uint8_t *arena;              /* borrowed; all buffers are in it */
    uint64_t arena_bytes;
    void (*wake)(void *context); /* any thread: reap has something */
    void *wake_context;
    struct gsi_pool *pool; /* threads to work on, the job's */
    struct gsi_ledger *ledger;
    uint32_t chunk_buffers;                 /* most buffers put and not yet dropped */
    uint32_t window_count;                  /* most windows pulled and not yet returned */
    struct gsi_tally_report *field_tallies; /* records: where tally() puts those of the fields */
    /* A device with memory of its own may add positions to what it is given (`layout` is that of
     * keys with positions then), and give only these back: a window's data are its positions, side
     * by side, but its `bytes` and its imprint are of what was merged. Elements are put in order.
     * carry: of those that suit (carry.h); NULL: it need not. Borrowed.
     * first_position: of the first element.
     * carried_tally: where tally() puts that of elements as they were put. */
    const struct gsi_carry *carry;
    uint64_t first_position;
    struct gsi_tally_report *carried_tally;
};

/* An input of a merge: a resident run, or one that is fed. Inputs are in tie order: of equal keys
 * those of the lower input come first. */
struct gsi_merge_input {
    struct gsi_run *run; /* NULL: fed */
    const void *bound;   /* fed: no key of it is below this one (copied); NULL: not known */
};

struct gsi_merge_spec {
    const struct gsi_merge_input *inputs;
    uint32_t input_count;
    uint32_t fed_buffers; /* most fed buffers held at one time */
    uint64_t fed_records; /* of records: indexes that fed inputs take, from 0 on */
    bool to_elements;     /* windows hold raw elements with an imprint; else sort keys */
    bool to_packed;       /* sort keys come packed, if the device does that */
    uint64_t *taken; /* merge_pull adds how much of each input is in the windows that were pulled
                        (only on the CPU); NULL: not asked for; borrowed until the end */
};

enum gsi_pull { GSI_PULL_OK, GSI_PULL_NEED, GSI_PULL_END, GSI_PULL_LATER };

struct gsi_device;
struct gsi_merge;

struct gsi_device_ops {
    const char *name;
    bool takes_packed; /* it packs and unpacks keys itself (planes.h) */
    /* probe: what could be had now.
     * fails GS_E_DEVICE: there is no such device */
    enum gs_status (*probe)(uint32_t device_index, const struct gsi_layout *layout,
                            struct gsi_device_limits *limits, struct gs_error *error);
    /* open: take all memory.
     * fails GS_E_MEMORY: with less it may work */
    enum gs_status (*open)(const struct gsi_device_config *config, struct gsi_device **device,
                           struct gs_error *error);
    /* close: nothing may be in flight. NULL is fine. */
    void (*close)(struct gsi_device *device);

    /* chunk_put: add buffer->bytes of raw elements to the open chunk and to the tally. */
    enum gs_status (*chunk_put)(struct gsi_device *device, struct gsi_buffer *buffer,
                                struct gs_error *error);
    /* chunk_seal: what was put since the last seal becomes a run; sorted when its event comes. */
    enum gs_status (*chunk_seal)(struct gsi_device *device, struct gsi_run **run,
                                 struct gs_error *error);
    /* run_drop: after its event, outside a merge; its buffers come back through events. */
    void (*run_drop)(struct gsi_device *device, struct gsi_run *run);
    /* run_pass: outside a merge: what the last one took of a run, and counted in spec.taken, is
     * left out of those that follow. NULL: the device does not do that. */
    void (*run_pass)(struct gsi_device *device, struct gsi_run *run);

    /* run_in_order: whether a sorted run has its elements as they were put; then its ends, which
     * stay until it is dropped. NULL: the device does not know. */
    bool (*run_in_order)(const struct gsi_run *run, struct gsi_run_ends *ends);

    /* merge_begin: every resident run in `inputs` must be sorted. One merge at a time. */
    enum gs_status (*merge_begin)(struct gsi_device *device, const struct gsi_merge_spec *spec,
                                  struct gsi_merge **merge, struct gs_error *error);
    /* merge_feed: the next keys of fed input `input_idx`; packed only if takes_packed. `bound`: no
     * later key of that input is below it (copied); NULL: nothing follows. For records
     * `bound` is only tested for NULL: buffer->tags are theirs, and the last tag is the bound, so
     * the last buffer of an input stays until more is fed. An empty buffer with bound NULL only
     * ends the input. */
    void (*merge_feed)(struct gsi_merge *merge, uint32_t input_idx, struct gsi_buffer *buffer,
                       const void *bound);
    /* merge_pull: OK: the next capacity bytes of output (fewer only at the end) will be written to
     * `window`; its event follows. Otherwise the window stays the caller's. NEED: feed input
     * *needed_idx first. END: everything was pulled. LATER: try again when work under way has come
     * further; that wakes the owner. */
    enum gsi_pull (*merge_pull)(struct gsi_merge *merge, struct gsi_buffer *window,
                                uint32_t *needed_idx);
    /* merge_end: after the last window's event, or early; fed buffers still held come back. */
    void (*merge_end)(struct gsi_merge *merge);

    /* reduce: tally only; with `is_ordered` the elements become keys and get an imprint. */
    void (*reduce)(struct gsi_device *device, struct gsi_buffer *buffer, bool is_ordered);

    /* reaches: whether the data of buffers to put, and of windows, may lie in this memory of the
     * program; `device` may be NULL: of any of the kind. NULL: in any. */
    bool (*reaches)(struct gsi_device *device, const void *data, uint64_t bytes);
    /* reap: the next event, if there is one. */
    bool (*reap)(struct gsi_device *device, struct gsi_event *event);
    /* is_busy: whether work is under way that will wake the owner. NULL: all of it is tasks of the
     * pool. */
    bool (*is_busy)(const struct gsi_device *device);
    /* tally: the tally of everything put or reduced. All buffers have come back or been sorted. */
    enum gs_status (*tally)(struct gsi_device *device, struct gsi_tally_report *tally,
                            struct gs_error *error);
};

struct gsi_device { /* every device's first member */
    const struct gsi_device_ops *ops;
    uint64_t host_bytes;      /* of runs, moved from memory of its own to that of the host so far */
    uint64_t circular_merges; /* of merges of two runs, by circular buffers, so far */
};

extern const struct gsi_device_ops gsi_device_cpu;
extern const struct gsi_device_ops gsi_device_cuda;       /* in builds with it */
extern const struct gsi_device_ops gsi_device_cuda_group; /* several GPUs as one device; likewise */

/* gsi_device_find: the table for a choice (AUTO: the best there may be); NULL: not in this build.
 */
const struct gsi_device_ops *gsi_device_find(enum gsi_device_word choice);

/* gsi_device_find_group: the same for several of a kind that work as one; the CPU is one. */
const struct gsi_device_ops *gsi_device_find_group(enum gsi_device_word choice);

/* gsi_device_overhead: bytes a device takes beside the arena, for the plan. */
uint64_t gsi_device_overhead(const struct gsi_layout *layout, uint32_t thread_count);

#ifdef __cplusplus
}
#endif
#endif
