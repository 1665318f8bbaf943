/* device.h: defines the interface of devices, which sort and merge. It is one C function table; the
 * pipeline never knows which device it drives.
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
 * A device with memory of its own may move sorted runs to host memory (plan->host_bytes). The
 * pipeline does not see where a run is.
 *
 * Chunks hold raw elements. A run of records leaves them where they are and holds tags. Runs, fed
 * buffers and windows of a merge to be spilled hold sort keys; windows of the last merge hold raw
 * elements again. With config.entry_map, chunks hold elements as they are read. Windows of the last
 * merge then hold elements as they are written. Everything else holds keys with their payload.
 *
 * Only the owner's thread makes calls; only open and close may block. Events for windows arrive in
 * the order of the calls, all others in any order. `wake` (on any thread) tells the owner that reap
 * has an event. */
#ifndef GSI_DEVICE_H
#define GSI_DEVICE_H

#include "base/memory.h"
#include "device/buffer.h"
#include "element/tally/tally.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Reports which device sorted a job, and the work that it did. */
struct gsi_device_report {
    const char *name;           /* "cpu" or "cuda" */
    char model[64];             /* of a GPU; empty: the CPU */
    char note[256];             /* why the device is not the first choice; empty: it is */
    uint64_t start_ns;          /* to find the device and to allocate its memory */
    uint64_t host_run_bytes;    /* of runs that a device with its own memory kept on the host */
    uint64_t tuned_merge_count; /* merges of two runs by another kernel than tiles */
};

/* Returns the bytes of one sorted unit: a key, or the tag of a record. */
static inline uint32_t gsi_sort_bytes(const struct gsi_layout *layout)
{
    return layout->form != GSI_FORM_KEYS ? GSI_TAG_BYTES : layout->key_bytes;
}

struct gsi_entry_map;
struct gsi_run; /* resident sorted run, owned by the device from chunk_seal to run_drop */

/* First and last elements of a run: sort keys, or records. */
struct gsi_run_ends {
    const uint8_t *first, *last;
};

enum gsi_event_kind { GSI_EVENT_BUFFER, GSI_EVENT_RUN, GSI_EVENT_WINDOW };

struct gsi_event {
    enum gsi_event_kind kind;
    struct gsi_buffer *buffer; /* BUFFER: it belongs to the caller again; WINDOW: filled */
    struct gsi_run *run;       /* RUN: it is sorted */
    enum gs_status status;     /* not GS_OK: the device failed; only `failure` tells more */
    const char *failure;       /* set if status is not GS_OK: one line */
};

/* The device's own resources; zeroed for the CPU. */
struct gsi_device_limits {
    uint64_t memory_bytes; /* free now */
    uint64_t fixed_bytes;  /* used by any plan, more than for any number type */
    uint64_t scratch_part; /* sorting n bytes needs n / scratch_part bytes of scratch memory */
    uint32_t device_count; /* of several that work as one, each with memory_bytes; 0: one */
    uint64_t device_set;   /* in: which ones, bit i is number i; out: the available ones */
    bool may_be_apart;     /* in: they need not be able to read each other's memory */
    enum gsi_merge_kernel merge_kernel; /* in: the kernel that it must have */
    bool is_apart;                      /* out: they cannot read each other's memory */
    char name[64];
};

/* Most runs that a device with its own memory keeps there. */
#define GSI_DEVICE_RUNS_MAX 64

/* Most entries in a device's table of record places for the records of one frame. A run uses up to
 * twice as many indexes as it has records, and the last run may be short. */
#define GSI_DEVICE_BLOCKS_A_FRAME 3

/* A device that works in the arena needs these bytes of tables. BUFFER_BYTES: for each buffer that
 * it holds and merges. SLICE_BYTES: in a merge, for each buffer and window, and for two more
 * windows. INPUT_BYTES: for each input of a merge. */
#define GSI_DEVICE_BUFFER_BYTES 160
#define GSI_DEVICE_SLICE_BYTES  56
#define GSI_DEVICE_INPUT_BYTES  40

struct gsi_device_config {
    struct gsi_layout layout;
    uint32_t device_index;  /* of several of a kind */
    uint64_t device_set;    /* of a group: its members, bit i is number i */
    bool lacks_peer_access; /* of a group: the members cannot read each other's memory */
    uint64_t *failed_set; /* of a group, out: those that could not be opened; NULL: not reported */
    uint32_t chunk_shift, frame_shift; /* chunks and frames have room for 2^shift records */
    const struct gsi_plan *plan;       /* borrowed; for its own memory: how much of that to use */
    bool may_shrink; /* there may be fewer runs than planned; then fewer are spilled */
    uint8_t *arena;  /* borrowed; contains all buffers */
    uint64_t arena_bytes;
    bool has_own_data; /* the data of all buffers are in other memory, which the device reaches */
    void (*wake)(void *context); /* any thread: reap has an event */
    void *wake_context;
    struct gsi_pool *pool; /* threads to work on, owned by the job */
    struct gsi_ledger *ledger;
    uint32_t chunk_buffers;                 /* most buffers put and not yet dropped */
    uint32_t window_count;                  /* most windows pulled and not yet returned */
    struct gsi_tally_report *field_tallies; /* records: tally() stores the tallies of the fields
                                             * here */
    /* A device with its own memory may add positions to its input (`layout` is then the layout of
     * keys with positions) and return only these. A window's data are then its positions, side by
     * side, but its `bytes` and its digest describe what was merged. Elements must be put in input
     * order. entry_map: how to add positions, of a kind that suits (entry_map.h). NULL: the device
     * need not add them. Borrowed. first_position: of the first element. element_tally: tally()
     * stores the tally of the elements as they were put here. */
    const struct gsi_entry_map *entry_map;
    uint64_t first_position;
    struct gsi_tally_report *element_tally;
};

/* An input of a merge: a resident run, or a fed one. Inputs are in tie order: among equal keys,
 * those of the lower input are first. */
struct gsi_merge_input {
    struct gsi_run *run; /* NULL: fed */
    const void *bound;   /* fed: no key of it is below this one (copied); NULL: unknown */
};

struct gsi_merge_spec {
    const struct gsi_merge_input *inputs;
    uint32_t input_count;
    uint32_t fed_buffers; /* most fed buffers held at one time */
    uint64_t fed_records; /* of records: number of indexes for fed inputs, from 0 on */
    bool to_elements;     /* windows hold raw elements with a digest; else sort keys */
    bool to_packed;       /* sort keys are output compressed into planes, if the device can */
    uint64_t *taken; /* merge_pull adds how much of each input is in the pulled windows (only on the
                      * CPU); NULL: not counted; borrowed until the end */
};

enum gsi_pull { GSI_PULL_OK, GSI_PULL_NEED, GSI_PULL_END, GSI_PULL_LATER };

struct gsi_device;
struct gsi_merge;

struct gsi_device_ops {
    const char *name;
    bool takes_packed; /* it splits keys into planes and joins them itself (planes.h) */
    /* probe: reports what is available now.
     * fails GS_E_DEVICE: there is no such device */
    enum gs_status (*probe)(uint32_t device_index, const struct gsi_layout *layout,
                            struct gsi_device_limits *limits, struct gs_error *error);
    /* open: allocates all memory.
     * fails GS_E_MEMORY: it may work with less */
    enum gs_status (*open)(const struct gsi_device_config *config, struct gsi_device **device,
                           struct gs_error *error);
    /* close: nothing may be in flight; NULL is allowed. */
    void (*close)(struct gsi_device *device);

    /* chunk_put: adds buffer->bytes of raw elements to the open chunk and to the tally. */
    enum gs_status (*chunk_put)(struct gsi_device *device, struct gsi_buffer *buffer,
                                struct gs_error *error);
    /* chunk_seal: makes a run of all buffers put since the last seal. The run is sorted when its
     * event arrives. */
    enum gs_status (*chunk_seal)(struct gsi_device *device, struct gsi_run **run,
                                 struct gs_error *error);
    /* run_drop: frees a run, after its event and outside a merge; events return its buffers. */
    void (*run_drop)(struct gsi_device *device, struct gsi_run *run);
    /* run_pass: outside a merge: excludes from later merges the elements that the last merge took
     * from a run and counted in spec.taken. NULL: the device cannot do that. */
    void (*run_pass)(struct gsi_device *device, struct gsi_run *run);

    /* run_in_order: returns whether a sorted run has its elements in the order in which they were
     * put. If so, sets its ends, which stay valid until the run is dropped. NULL: the device does
     * not know. */
    bool (*run_in_order)(const struct gsi_run *run, struct gsi_run_ends *ends);

    /* merge_begin: begins a merge; every resident run in `inputs` must be sorted. There is one
     * merge at a time. */
    enum gs_status (*merge_begin)(struct gsi_device *device, const struct gsi_merge_spec *spec,
                                  struct gsi_merge **merge, struct gs_error *error);
    /* merge_feed: passes the next keys of fed input `input_idx`; split into planes only if
     * takes_packed. `bound`: no later key of that input is below it (copied); NULL: nothing
     * follows. For records `bound` is only tested for NULL: buffer->tags are their tags, and the
     * last tag is the bound. So the last buffer of an input stays until more is fed. An empty
     * buffer with bound NULL only ends the input. */
    void (*merge_feed)(struct gsi_merge *merge, uint32_t input_idx, struct gsi_buffer *buffer,
                       const void *bound);
    /* merge_pull: asks for the next window of output. OK: the next capacity bytes of output (fewer
     * only at the end) will be written to `window`; its event follows. Otherwise the window stays
     * the caller's. NEED: feed input *needed_idx first. END: everything was pulled. LATER: try
     * again when the pending work has advanced, which wakes the owner. */
    enum gsi_pull (*merge_pull)(struct gsi_merge *merge, struct gsi_buffer *window,
                                uint32_t *needed_idx);
    /* merge_end: ends the merge, after the last window's event or early; events return fed buffers
     * still held. */
    void (*merge_end)(struct gsi_merge *merge);

    /* reduce: only tallies a buffer; with `is_ordered` it also converts the elements to keys and
     * computes a digest. */
    void (*reduce)(struct gsi_device *device, struct gsi_buffer *buffer, bool is_ordered);

    /* reaches: returns whether the data of buffers to put, and of windows, may be in this memory
     * of the program. `device` may be NULL: any of the kind. A NULL function: any memory is
     * allowed. */
    bool (*reaches)(struct gsi_device *device, const void *data, uint64_t bytes);
    /* reap: pops the next event; returns false if there is none. */
    bool (*reap)(struct gsi_device *device, struct gsi_event *event);
    /* is_busy: returns whether pending work will wake the owner. NULL: all work is tasks of the
     * pool. */
    bool (*is_busy)(const struct gsi_device *device);
    /* tally: returns the tally of everything put or reduced. All buffers must have been returned or
     * sorted. */
    enum gs_status (*tally)(struct gsi_device *device, struct gsi_tally_report *tally,
                            struct gs_error *error);
};

struct gsi_device { /* every device's first member */
    const struct gsi_device_ops *ops;
    uint64_t host_bytes; /* of runs, moved from its own memory to host memory so far */
    struct gsi_pair_merges pair_merges; /* of a GPU */
};

extern const struct gsi_device_ops gsi_device_cpu;
extern const struct gsi_device_ops gsi_device_cuda;       /* in builds with it */
extern const struct gsi_device_ops gsi_device_cuda_group; /* several GPUs as one device; in the same
                                                           * builds */

/* gsi_device_find: returns the table for a choice (AUTO: the best device in this build), or NULL if
 * this build does not have it. */
const struct gsi_device_ops *gsi_device_find(enum gsi_device_word choice);

/* gsi_device_find_group: returns the table for several devices of a kind that work as one; for the
 * CPU, the CPU itself. */
const struct gsi_device_ops *gsi_device_find_group(enum gsi_device_word choice);

/* gsi_device_overhead: returns the bytes that a device uses besides the arena, for the plan. */
uint64_t gsi_device_overhead(const struct gsi_layout *layout, uint32_t thread_count);

#ifdef __cplusplus
}
#endif
#endif
