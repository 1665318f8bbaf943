// cuda_device.h: what the parts of the CUDA device share; nobody else includes it.
//
//   host                    GPU                                                        host
//   chunk buffer --in-----> slot of the open run ..> compute: tally, to keys
//                           slot + spare         ..> compute: sort; the two may swap
//   feed buffer  --in-----> its place in the mirror
//                           slots, mirror        ..> compute: merge, to elements, imprint
//                           window               --out-------------------------------> window
//
// Of positions (cuda_device_pairs.cc), elements and positions cross the link, and pairs are made,
// sorted and merged here.
//
// Packed keys (run/planes.h) are split and joined here, so that planes of zeros do not cross the
// link:
//
//   feed buffer  --in-----> unpacking ..> in: join, to its place in the mirror
//                           slots, mirror        ..> compute: merge, split, to planes
//                           how many planes      --compute--> owner, who then queues
//                           planes               --out-------------------------------> window
//
// Of records, runs are what was put, as it came, and tags of it, which are what is sorted and
// merged; windows are gathered (cuda_device_records.cc):
//
//   chunk buffer --in-----> slot of the open run ..> compute: count
//                           slot                 ..> compute: tags, sort them
//   feed buffer  --in-----> its place in the mirror, records and tags
//                           tags                 ..> compute: merge, gather, order --out--> window
//
// Runs that the GPU has no room for leave, sorted, for pinned memory of the host; a merge feeds
// itself from there (cuda_device_host.cc):
//
//   slot                 --out--> run on the host
//   run on the host      --in---> ring on the GPU ..> compute: merge, as above
//
// Three streams, ordered by events, and one for the cuts of windows, which the owner waits for;
// memory is taken at open, and in a steady state nothing is allocated. The mirror has a place for
// every byte of the arena's chunk region, so a buffer's place on the GPU is found by its address.
// What is fed takes part in a merge once it has arrived, so no merge waits for a copy.
//
// Whoever waits for the GPU is a thread of its own, one a stream: it sleeps on the event of the
// stream's oldest ticket, puts the ticket among the finished ones and wakes the owner, who takes
// them from there in reap. A lost GPU answers those waits with an error, so nobody hangs. All other
// state belongs to the owner's thread.
#ifndef GSI_CUDA_DEVICE_H
#define GSI_CUDA_DEVICE_H

#include <cuda_runtime.h>

#include "base/checked.h"
#include "base/list_limits.h"
#include "device/device.h"
#include "device/merge_inputs.h"
#include "device/record_ties.h"
#include "element/carry/carry.h"
#include "element/tally/tally_report.h"
#include "plan/plan.h"

#include "kernels/planes/planes.cuh"
#include "kernels/record/records.cuh"
#include "kernels/record/words.cuh"
#include "kernels/sort/sort_kernels.h"
#include "kernels/tally/tally.cuh"

#include <pthread.h>

// Windows on the GPU: one being merged, one being copied out, one between.
#define GSI_CUDA_WINDOWS 3

// Most runs that a window can take from, parts that they lie in, and entries for cuts of several
// windows at once.
#define GSI_CUDA_SLICES      1024
#define GSI_CUDA_PARTS       (16 * GSI_CUDA_SLICES)
#define GSI_CUDA_CUT_ENTRIES (64 * GSI_CUDA_SLICES)
#define GSI_CUDA_CUT_WINDOWS 256

enum gsi_cuda_stream { GSI_CUDA_IN, GSI_CUDA_COMPUTE, GSI_CUDA_OUT, GSI_CUDA_STREAMS };

struct gsi_cuda_device;
struct gsi_cuda_window;

// Keys on their way to a merge.
struct gsi_cuda_arrival {
    gsi_merge *merge; // nullptr: the ticket is another's
    uint32_t input_idx;
    gsi_slice keys; // on the GPU
    gsi_buffer *buffer;
    bool has_bound;
    uint8_t bound[16]; // as in merge_feed
};

// Work on a stream that somebody waits for.
struct gsi_ticket {
    cudaEvent_t event;
    cudaError_t error;
    gsi_buffer *buffer;       // came back: uploaded, or reduced
    gsi_run *run;             // sorted
    gsi_cuda_window *window;  // filled
    gsi_cuda_arrival arrival; // fed
    uint8_t *imprint;         // host; of a reduced buffer
    gsi_ticket *next;
};

GSI_LIST(gsi_ticket_list, gsi_ticket)

// A place for a run on the GPU.
struct gsi_cuda_slot {
    uint8_t *keys;    // device memory, plan->device_run_bytes; of records: the records
    uint8_t *tags;    // of records
    cudaEvent_t left; // the run that was here has left for the host, if one did
};

struct gsi_run {
    gsi_cuda_device *device; // that it is on
    gsi_cuda_slot slot;      // where it is; on the host: none
    uint8_t *host;           // where it is, sorted, in host memory; nullptr: on the GPU
    uint32_t host_idx;
    uint64_t bytes;
    // Records: the slot's tags, made at byte `tags_at` of the key; the first one's index is
    // `index`.
    uint64_t index;
    uint32_t tags_at;
    uint32_t unshared_idx; // of the ring, while it is sorted
    gsi_run *older;        // on the GPU
};

// Memory of the host for runs; zeroed: there is none (cuda_device_host.cc).
struct gsi_cuda_host {
    uint8_t *memory;
    uint64_t run_bytes; // of a place in it
    uint32_t room;      // places
    uint32_t *free;     // table of free places, the next one last
    uint32_t free_count;
    struct gsi_cuda_pinners *pinners; // threads that make it present and register it
};

// What a device has for records; zeroed for numbers.
struct gsi_cuda_records {
    gsi_record *record;     // the job's, in device memory
    uint8_t *first;         // device memory: the job's first record,
    bool has_first;         // if there is one
    gsi_records_seen *seen; // device memory: of all that came in
    uint64_t count;         // of records that came in
    gsi_cuda_tally *fields[GSI_FIELDS_MAX];
    void *numbers; // of one field of some records

    uint32_t chunk_shift, run_shift; // a chunk has room for 2^chunk_shift records; a run has
                                     // as many indexes as 2^run_shift
    uint64_t run_records;            // most of a run
    uint64_t run_count;              // begun so far
    uint32_t *unshared_staging;      // pinned, a ring of `run_room`: of runs being sorted
    uint32_t run_room;               // most sealed runs that there are at once
    const uint8_t **sort_blocks;     // device memory: table of the run being sorted
    const uint8_t **merge_blocks;    // device memory: table of the merge
    uint64_t merge_block_room;
    uint64_t window_off; // of the records in a window on the GPU, behind its tags
};

// Records of a merge: where they are, here and, of those that are fed, on the host.
struct gsi_cuda_records_merge {
    const gsi_sort_kernels *kernels;
    gsi_cuda_places places;
    gsi_record_places host_places;
    uint64_t host_block_count; // of host_places, whose first block is that of `places`
};

// The thread that waits for one stream.
struct gsi_cuda_waiter {
    gsi_cuda_device *device;
    pthread_t thread;
    bool is_started, is_closing;
    pthread_cond_t has_ticket;
    gsi_ticket_list tickets;
};

struct gsi_cuda_device {
    gsi_device base;
    gsi_device_config config;
    const gsi_sort_kernels *kernels;
    cudaStream_t streams[GSI_CUDA_STREAMS];
    cudaStream_t cut_stream;
    bool is_pinned; // the arena is registered

    gsi_cuda_slot slots[GSI_DEVICE_RUNS_MAX]; // free ones are slots[slots_taken .. slot_count)
    uint32_t slot_count, slots_taken;
    gsi_run *newest; // of sealed runs on the GPU
    gsi_run *going;  // the one run of a merge of one, which stays where it is
    uint64_t sealed_count;
    gsi_cuda_host host;
    uint8_t *spare, *scratch, *mirror, *temp;
    uint8_t *windows[GSI_CUDA_WINDOWS];
    cudaEvent_t window_free[GSI_CUDA_WINDOWS]; // out has read it
    uint64_t window_count;                     // launched so far
    uint8_t *planes[GSI_CUDA_WINDOWS];         // of packed windows
    gsi_planes_found *found, *found_staging;   // GSI_CUDA_WINDOWS; device, pinned
    uint32_t packing_count;                    // windows whose planes are not yet being copied
    uint8_t *unpacking, *unpacking_sums;       // of the frame that is being joined
    cudaEvent_t joint;                         // orders one stream behind another
    gsi_run *open_run;

    // What is put: `config.layout`, or, with config.carry, elements whose keys get positions.
    gsi_layout put;
    gsi_record_word put_word; // then, of records
    uint64_t next_position;   // of what is put next

    gsi_cuda_tally *tally;     // of numbers that are sorted
    gsi_cuda_tally *put_tally; // with config.carry, of numbers that were put
    gsi_cuda_records records;
    uint8_t *imprints, *imprint_staging; // a ring each: device, pinned
    uint32_t imprint_count;
    uint64_t imprint_next;
    void *tally_staging;                   // pinned
    gsi_part *parts, *part_staging;        // GSI_CUDA_PARTS, and chains; device, pinned
    uint8_t *gathered;                     // a window's parts of runs that lie in several
    uint64_t *cut_staging, *total_staging; // pinned

    // Shared with the waiters, under `lock`.
    pthread_mutex_t lock;
    pthread_cond_t has_finished;
    gsi_ticket_list finished;
    gsi_cuda_waiter waiters[GSI_CUDA_STREAMS];

    gsi_ticket *free_tickets;
    uint64_t issued_count;    // tickets issued and not yet taken
    gsi_buffer_list returned; // events to come
    bool has_failed, is_failure_reported;
    enum gs_status failure_status;
    char failure[256];
};

// gsi_cuda_check: false, and the device has failed with a line saying what, unless `error` is
// cudaSuccess. The first failure stays.
bool gsi_cuda_check(gsi_cuda_device *device, cudaError_t error, const char *what);

// gsi_cuda_take: memory of the GPU, none for no bytes. gsi_cuda_take_pinned: of the host. False:
// the device has failed.
template <class T> bool gsi_cuda_take(gsi_cuda_device *device, T **memory, uint64_t bytes)
{
    void *taken = nullptr;
    if (bytes > 0 && !gsi_cuda_check(device, cudaMalloc(&taken, gsi_round_up_u64(bytes, 256)),
                                     "cannot allocate memory on the GPU"))
        return false;
    *memory = static_cast<T *>(taken);
    return true;
}

template <class T> bool gsi_cuda_take_pinned(gsi_cuda_device *device, T **memory, uint64_t bytes)
{
    void *taken = nullptr;
    if (!gsi_cuda_check(device, cudaMallocHost(&taken, bytes), "cannot allocate pinned memory"))
        return false;
    *memory = static_cast<T *>(taken);
    return true;
}

// cuda_device.cc
// gsi_cuda_enter: calls of the runtime are the device's from now on.
bool gsi_cuda_enter(gsi_cuda_device *device);
// gsi_cuda_tally_devices: what `count` devices of one job have counted together.
enum gs_status gsi_cuda_tally_devices(gsi_cuda_device *const *devices, uint32_t count,
                                      gsi_tally_report *tally, gs_error *error);

// cuda_device_open.cc
enum gs_status gsi_cuda_probe(uint32_t index, const gsi_layout *layout, gsi_device_limits *limits,
                              gs_error *error);
enum gs_status gsi_cuda_open(const gsi_device_config *config, gsi_device **device, gs_error *error);
void gsi_cuda_close(gsi_device *base);

// cuda_tickets.cc
bool gsi_cuda_waiters_start(gsi_cuda_device *device);
void gsi_cuda_waiters_stop(gsi_cuda_device *device); // what is queued on the streams is finished
// gsi_cuda_ticket_make: an empty one; NULL: the device has failed.
gsi_ticket *gsi_cuda_ticket_make(gsi_cuda_device *device);
// gsi_cuda_ticket_issue: finished when all that is on the stream now is.
void gsi_cuda_ticket_issue(gsi_cuda_device *device, gsi_ticket *ticket, gsi_cuda_stream stream);
// gsi_cuda_ticket_take: the oldest finished one, the caller's until given; NULL: none.
gsi_ticket *gsi_cuda_ticket_take(gsi_cuda_device *device);
void gsi_cuda_ticket_give(gsi_cuda_device *device, gsi_ticket *ticket);
void gsi_cuda_ticket_wait(gsi_cuda_device *device); // until one is finished

// gsi_cuda_circular: where merges count their passes by circular buffers; nullptr: they go by
// tiles.
inline uint64_t *gsi_cuda_circular(gsi_cuda_device *device)
{
    return device->config.plan->is_circular ? &device->base.circular_merges : nullptr;
}

// gsi_cuda_order: what is queued on `later` from now on waits for what is queued on `earlier`.
bool gsi_cuda_order(gsi_cuda_device *device, gsi_cuda_stream earlier, gsi_cuda_stream later);

// gsi_cuda_reaches: the operation, of any GPU: whether both ends of the memory are pinned.
bool gsi_cuda_reaches(gsi_device *device, const void *data, uint64_t bytes);

// gsi_cuda_mirror: the place of a buffer of the arena on the GPU.
uint8_t *gsi_cuda_mirror(const gsi_cuda_device *device, const gsi_buffer *buffer);

// gsi_cuda_seen_bytes: of what is seen of a window or of a reduced buffer, on its way to the host:
// an imprint of numbers, what was seen of records, or, of words, both, one behind the other.
inline size_t gsi_cuda_seen_off(const gsi_layout *layout)
{
    return layout->has_tags ? 0 : gsi_round_up_u64(gsi_cuda_imprint_bytes(), 16);
}

inline size_t gsi_cuda_seen_bytes(const gsi_layout *layout)
{
    return gsi_cuda_seen_off(layout) + (layout->record != nullptr ? sizeof(gsi_records_seen) : 0);
}

// gsi_cuda_imprint_queue: queue on the compute stream the imprint of n keys on the GPU, which
// become elements where they are, or stay keys. Not with tags.
// out   imprint: gsi_cuda_seen_bytes on the GPU
void gsi_cuda_imprint_queue(gsi_cuda_device *device, void *keys, uint64_t n, bool to_elements,
                            uint8_t *imprint);

// gsi_cuda_imprint_fetched: the imprint of a buffer, from what was fetched; nullptr: it has none.
void gsi_cuda_imprint_fetched(const gsi_cuda_device *device, const uint8_t *staging,
                              gsi_buffer *buffer);

// gsi_cuda_sort: queue the sort of n keys, or tags of `places`; *keys and the spare may swap.
void gsi_cuda_sort(gsi_cuda_device *device, uint8_t **keys, uint64_t n,
                   const gsi_cuda_places *places);

// gsi_cuda_imprint_take: a place in both rings; as many are in use as buffers are in flight.
uint32_t gsi_cuda_imprint_take(gsi_cuda_device *device);

// cuda_device_pairs.cc: with config.carry; pairs_begin sets what is put in any case.
// gsi_cuda_pairs_put: queue: pairs of n keys on the GPU, the next ones of the open run, and their
// tally.
// gsi_cuda_pairs_seal: the pairs are where the run's sort begins.
// gsi_cuda_pairs_leave: queue: n pairs in a window become positions; what has room for a window may
// take its place.
void gsi_cuda_pairs_begin(gsi_cuda_device *device);
void gsi_cuda_pairs_put(gsi_cuda_device *device, const uint8_t *keys, uint64_t n);
void gsi_cuda_pairs_seal(gsi_cuda_device *device, gsi_run *run);
void gsi_cuda_pairs_leave(gsi_cuda_device *device, uint8_t **window, uint64_t n);

// cuda_device_records.cc: what is done to records in place of what is done to numbers. Words have
// no tags: of them that is what is counted.
// gsi_cuda_records_overhead: bytes on the GPU that depend on the record's fields.
uint64_t gsi_cuda_records_overhead(const gsi_layout *layout);
// gsi_cuda_records_staging_bytes: of what is fetched at the end, a piece at a time.
uint64_t gsi_cuda_records_staging_bytes(const gsi_layout *layout);
bool gsi_cuda_records_open(gsi_cuda_device *device); // and what gsi_cuda_records_close takes back
void gsi_cuda_records_close(gsi_cuda_device *device);
// Queue on the compute stream: count a chunk's records, which come in at `at` and belong to a run,
// and make words of them if they are some;
void gsi_cuda_records_put(gsi_cuda_device *device, const gsi_buffer *buffer, uint8_t *at);
// make and sort the tags of a run;
void gsi_cuda_records_sort(gsi_cuda_device *device, gsi_run *run);
// count n records, and with `seen` look at their order; words only become words.
void gsi_cuda_records_reduce(gsi_cuda_device *device, uint8_t *at, uint64_t n,
                             gsi_records_seen *seen);
// gsi_cuda_records_sorted: what gsi_cuda_records_sort queued is done.
void gsi_cuda_records_sorted(gsi_cuda_device *device, gsi_run *run);
// gsi_cuda_records_count: add what was counted: of each field, and of all records.
void gsi_cuda_records_count(gsi_cuda_device *device, gsi_tally *const *fields, gsi_imprint *seen);
// gsi_cuda_records_begin: the tables of a merge, and the tags of its runs as it needs them.
enum gs_status gsi_cuda_records_begin(gsi_cuda_device *device, const gsi_merge_spec *spec,
                                      gsi_cuda_records_merge *merge, gs_error *error);
void gsi_cuda_records_end(gsi_cuda_device *device, gsi_cuda_records_merge *merge);
// gsi_cuda_records_feed: queue a frame's way in; returns its tags on the GPU.
const uint8_t *gsi_cuda_records_feed(gsi_cuda_device *device, gsi_cuda_records_merge *merge,
                                     const gsi_buffer *buffer);
// gsi_cuda_records_upload: queue the way in of n records of a run on the host, the first with index
// `index`: to `to`, and their tags to `tags`. Returns the last one's tag.
gsi_u128 gsi_cuda_records_upload(gsi_cuda_device *device, gsi_cuda_records_merge *merge,
                                 const uint8_t *records, uint64_t n, uint64_t index, uint8_t *to,
                                 uint8_t *tags);
// gsi_cuda_records_leave: queue the way of a sorted run's records, in order, to `to` on the host.
void gsi_cuda_records_leave(gsi_cuda_device *device, const gsi_run *run, uint8_t *to);
// gsi_cuda_records_window: queue the merge of tags, and the gather; returns where the records are.
const uint8_t *gsi_cuda_records_window(gsi_cuda_device *device, const gsi_cuda_records_merge *merge,
                                       const gsi_slice *slices, uint32_t count, uint8_t *window,
                                       gsi_records_seen *seen);

// cuda_device_merge.cc
enum gs_status gsi_cuda_merge_begin(gsi_device *base, const gsi_merge_spec *spec, gsi_merge **merge,
                                    gs_error *error);
void gsi_cuda_merge_feed(gsi_merge *merge, uint32_t input_idx, gsi_buffer *buffer,
                         const void *bound);
enum gsi_pull gsi_cuda_merge_pull(gsi_merge *merge, gsi_buffer *window, uint32_t *needed_idx);
// gsi_cuda_merge_skip: as merge_pull of a window of n elements that somebody else makes: what it
// would take is taken, and nothing is queued.
enum gsi_pull gsi_cuda_merge_skip(gsi_merge *merge, uint64_t n, uint32_t *needed_idx);
void gsi_cuda_merge_end(gsi_merge *merge);
gsi_cuda_device *gsi_cuda_merge_device(const gsi_merge *merge);
// gsi_cuda_window_done: a window's ticket is finished; returns its buffer.
gsi_buffer *gsi_cuda_window_done(gsi_cuda_window *window);
// gsi_cuda_merge_ticket: a ticket is finished; if it is that of a window or of what was fed, its
// merge learns of it.
void gsi_cuda_merge_ticket(const gsi_ticket *ticket);

// cuda_device_host.cc: runs in host memory.
// gsi_cuda_host_open: take the memory, and begin to register it.
enum gs_status gsi_cuda_host_open(gsi_cuda_device *device, gs_error *error);
void gsi_cuda_host_close(gsi_cuda_device *device);
// gsi_cuda_run_sealed: a run's sort is queued; so that there are slots for the runs to come, it may
// leave at once. gsi_cuda_slot_take: a slot for a new run; another one may have to leave.
void gsi_cuda_run_sealed(gsi_cuda_device *device, gsi_run *run);
gsi_cuda_slot gsi_cuda_slot_take(gsi_cuda_device *device);
// gsi_cuda_run_gone: gives back what a run took.
void gsi_cuda_run_gone(gsi_cuda_device *device, gsi_run *run);

// cuda_device_window.cc
// gsi_cuda_window_goes_on: whether there is more to do for a window whose ticket is finished; then
// it was queued, and the ticket issued anew.
bool gsi_cuda_window_goes_on(gsi_ticket *ticket);

#endif
