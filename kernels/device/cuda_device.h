// cuda_device.h: declares the state and functions that the parts of the CUDA device share; no other
// file includes it.
//
//   host                    GPU                                                        host
//   chunk buffer --in-----> slot of the open run ..> compute: tally, to keys
//                           slot + spare         ..> compute: sort; the two may swap
//   feed buffer  --in-----> its place in the mirror
//                           slots, mirror        ..> compute: merge, to elements, digest
//                           window               --out-------------------------------> window
//
// With positions (cuda_device_pairs.cc), elements and positions cross the link. Pairs are made,
// sorted and merged on the GPU.
//
// Compressed keys (run/planes.h) are split and joined on the GPU, so that planes of zeros do not
// cross the link:
//
//   feed buffer  --in-----> unpacking ..> in: join, to its place in the mirror
//                           slots, mirror        ..> compute: merge, split, to planes
//                           how many planes      --compute--> owner, who then queues
//                           planes               --out-------------------------------> window
//
// With records, a run is the records as they arrived and their tags. Tags are sorted and merged;
// windows are gathered (cuda_device_records.cc):
//
//   chunk buffer --in-----> slot of the open run ..> compute: count
//                           slot                 ..> compute: tags, sort them
//   feed buffer  --in-----> its place in the mirror, records and tags
//                           tags                 ..> compute: merge, gather, order --out--> window
//
// Runs that do not fit on the GPU are moved, sorted, to pinned host memory. A merge feeds itself
// from there (cuda_device_host.cc):
//
//   slot                 --out--> run on the host
//   run on the host      --in---> ring on the GPU ..> compute: merge, as above
//
// Three streams are ordered by events. A fourth one cuts windows, and the owner waits for it.
// Memory is allocated at open; in a steady state nothing is allocated. The mirror has a place for
// every byte of the arena's chunk region, so the address of a buffer determines its place on the
// GPU. Fed keys take part in a merge once they have arrived, so no merge waits for a copy.
//
// One thread per stream waits for the GPU. It sleeps on the event of the stream's oldest ticket,
// appends the ticket to the finished ones and wakes the owner. The owner pops finished tickets in
// reap. A lost GPU ends those waits with an error, so no thread hangs. All other state belongs to
// the owner's thread.
#ifndef GSI_CUDA_DEVICE_H
#define GSI_CUDA_DEVICE_H

#include <cuda_runtime.h>

#include "base/checked.h"
#include "base/list_limits.h"
#include "device/device.h"
#include "device/merge_inputs.h"
#include "device/record_ties.h"
#include "element/carry/carry.h"
#include "element/tally/tally_sums.h"
#include "plan/plan.h"

#include "kernels/planes/planes.cuh"
#include "kernels/record/integer_records.cuh"
#include "kernels/record/records.cuh"
#include "kernels/sort/sort_kernels.h"
#include "kernels/tally/tally.cuh"

#include <pthread.h>

// Windows on the GPU: one is merged, one is copied out, one is between the two.
#define GSI_CUDA_WINDOWS 3

// Limits: runs that a window can read from, parts that those runs consist of, and entries for the
// cuts of several windows at once.
#define GSI_CUDA_SLICES      1024
#define GSI_CUDA_PARTS       (16 * GSI_CUDA_SLICES)
#define GSI_CUDA_CUT_ENTRIES (64 * GSI_CUDA_SLICES)
#define GSI_CUDA_CUT_WINDOWS 256

enum gsi_cuda_stream { GSI_CUDA_IN, GSI_CUDA_COMPUTE, GSI_CUDA_OUT, GSI_CUDA_STREAMS };

struct gsi_cuda_device;
struct gsi_cuda_window;

// Keys that are being copied to a merge.
struct gsi_cuda_arrival {
    gsi_merge *merge; // nullptr: the ticket is for something else
    uint32_t input_idx;
    gsi_slice keys; // on the GPU
    gsi_buffer *buffer;
    bool has_bound;
    uint8_t bound[16]; // as in merge_feed
};

// Work on a stream that a thread waits for.
struct gsi_ticket {
    cudaEvent_t event;
    cudaError_t error;
    gsi_buffer *buffer;       // returned: uploaded, or reduced
    gsi_run *run;             // sorted
    gsi_cuda_window *window;  // filled
    gsi_cuda_arrival arrival; // fed
    uint8_t *digest;          // host; for a reduced buffer
    gsi_ticket *next;
};

GSI_LIST(gsi_ticket_list, gsi_ticket)

// Memory for one run on the GPU.
struct gsi_cuda_slot {
    uint8_t *keys;    // device memory, plan->device_run_bytes; records if they have tags
    uint8_t *tags;    // only for records
    cudaEvent_t left; // recorded after the previous run was copied to the host, if it was
};

struct gsi_run {
    gsi_cuda_device *device; // the device that holds it
    gsi_cuda_slot slot;      // its memory; none while the run is on the host
    uint8_t *host;           // its sorted copy in host memory; nullptr: it is on the GPU
    uint32_t host_idx;
    uint64_t bytes;
    // Records: the slot's tags were made at byte `tags_at` of the key; `index` is the index of the
    // first record.
    uint64_t index;
    uint32_t tags_at;
    uint32_t unshared_idx; // entry of unshared_staging while the run is sorted
    gsi_run *older;        // next older run on the GPU
};

// Host memory for runs; zeroed if there is none (cuda_device_host.cc).
struct gsi_cuda_host {
    uint8_t *memory;
    uint64_t run_bytes; // of one place
    uint32_t room;      // number of places
    uint32_t *free;     // table of free places; the last one is used next
    uint32_t free_count;
    struct gsi_cuda_pinners *pinners; // threads that touch and register the memory
};

// State for records; zeroed for numbers.
struct gsi_cuda_records {
    gsi_record *record;     // the job's record description, in device memory
    uint8_t *first;         // device memory: the job's first record
    bool has_first;         // whether `first` is set
    gsi_records_seen *seen; // device memory: summary of all records that arrived
    uint64_t count;         // records that arrived
    gsi_cuda_tally *fields[GSI_FIELDS_MAX];
    void *numbers; // values of one field of some records

    uint32_t chunk_shift, run_shift; // log2 of the record places in a chunk,
                                     // log2 of the indexes of a run
    uint64_t run_records;            // limit of one run
    uint64_t run_count;              // runs begun so far
    uint32_t *unshared_staging;      // pinned, a ring of `run_room`: one per run being sorted
    uint32_t run_room;               // limit of sealed runs that exist at once
    const uint8_t **sort_blocks;     // device memory: table of the run being sorted
    const uint8_t **merge_blocks;    // device memory: table of the merge
    uint64_t merge_block_room;
    uint64_t window_off; // offset of the records in a window on the GPU, after its tags
};

// Locations of the records of a merge: on the GPU, and on the host for fed records.
struct gsi_cuda_records_merge {
    const gsi_sort_kernels *kernels;
    gsi_cuda_places places;
    gsi_record_places host_places;
    uint64_t host_block_count; // entries of host_places, whose first block is that of `places`
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
    gsi_run *newest; // newest sealed run on the GPU
    gsi_run *going;  // the single input of a merge of one run; it stays in place
    uint64_t sealed_count;
    gsi_cuda_host host;
    uint8_t *spare, *scratch, *mirror, *temp;
    uint8_t *windows[GSI_CUDA_WINDOWS];
    cudaEvent_t window_free[GSI_CUDA_WINDOWS]; // recorded when the copy out has read the window
    uint64_t window_count;                     // launched so far
    uint8_t *planes[GSI_CUDA_WINDOWS];         // for compressed windows
    gsi_planes_found *found, *found_staging;   // GSI_CUDA_WINDOWS; device, pinned
    uint32_t packing_count;                    // windows whose planes are not yet being copied out
    uint8_t *unpacking, *unpacking_sums;       // for the frame that is being joined
    cudaEvent_t joint;                         // makes one stream wait for another
    gsi_run *open_run;

    // Layout of the input: `config.layout`, or, with config.carry, that of elements before they get
    // positions.
    gsi_layout put;
    gsi_integer_map put_integer_map; // used with config.carry if the input is records
    uint64_t next_position;          // position of the next input element

    gsi_cuda_tally *tally;     // counts numbers that are sorted
    gsi_cuda_tally *put_tally; // with config.carry: counts numbers of the input
    gsi_cuda_records records;
    uint8_t *digests, *digest_staging; // two rings of equal length: device, pinned
    uint32_t digest_count;
    uint64_t digest_next;
    void *tally_staging;                   // pinned
    gsi_part *parts, *part_staging;        // GSI_CUDA_PARTS, and chains; device, pinned
    uint8_t *gathered;                     // parts of runs that a window has to join
    uint64_t *cut_staging, *total_staging; // pinned

    // Shared with the waiters, under `lock`.
    pthread_mutex_t lock;
    pthread_cond_t has_finished;
    gsi_ticket_list finished;
    gsi_cuda_waiter waiters[GSI_CUDA_STREAMS];

    gsi_ticket *free_tickets;
    uint64_t issued_count;    // tickets issued and not yet popped
    gsi_buffer_list returned; // buffers whose events are pending
    bool has_failed, is_failure_reported;
    enum gs_status failure_status;
    char failure[256];
};

// gsi_cuda_check: returns whether `error` is cudaSuccess. If not, the device fails with a message
// that names `what`. The first failure is kept.
bool gsi_cuda_check(gsi_cuda_device *device, cudaError_t error, const char *what);

// gsi_cuda_take: allocates memory on the GPU, none for 0 bytes. gsi_cuda_take_pinned: allocates
// pinned host memory. Both return false when the device has failed.
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
// gsi_cuda_enter: makes the device's GPU current for the calling thread's calls of the runtime.
bool gsi_cuda_enter(gsi_cuda_device *device);
// gsi_cuda_tally_devices: fetches and joins the counts of `count` devices of one job.
enum gs_status gsi_cuda_tally_devices(gsi_cuda_device *const *devices, uint32_t count,
                                      gsi_tally_report *tally, gs_error *error);

// cuda_device_open.cc
enum gs_status gsi_cuda_probe(uint32_t index, const gsi_layout *layout, gsi_device_limits *limits,
                              gs_error *error);
enum gs_status gsi_cuda_open(const gsi_device_config *config, gsi_device **device, gs_error *error);
void gsi_cuda_close(gsi_device *base);

// cuda_tickets.cc
bool gsi_cuda_waiters_start(gsi_cuda_device *device);
void gsi_cuda_waiters_stop(gsi_cuda_device *device); // waits for queued work first
// gsi_cuda_ticket_make: returns an empty ticket; NULL when the device has failed.
gsi_ticket *gsi_cuda_ticket_make(gsi_cuda_device *device);
// gsi_cuda_ticket_issue: the ticket finishes when all work that is on the stream now is done.
void gsi_cuda_ticket_issue(gsi_cuda_device *device, gsi_ticket *ticket, gsi_cuda_stream stream);
// gsi_cuda_ticket_take: returns the oldest finished ticket, which the caller owns until it calls
// gsi_cuda_ticket_give; NULL: there is none.
gsi_ticket *gsi_cuda_ticket_take(gsi_cuda_device *device);
void gsi_cuda_ticket_give(gsi_cuda_device *device, gsi_ticket *ticket);
void gsi_cuda_ticket_wait(gsi_cuda_device *device); // until a ticket is finished

// gsi_cuda_circular: returns the counter of passes for merges by circular buffers; nullptr: merges
// use tiles.
inline uint64_t *gsi_cuda_circular(gsi_cuda_device *device)
{
    return device->config.plan->is_circular ? &device->base.circular_merges : nullptr;
}

// gsi_cuda_order: work queued on `later` from now on waits for the work queued on `earlier`.
bool gsi_cuda_order(gsi_cuda_device *device, gsi_cuda_stream earlier, gsi_cuda_stream later);

// gsi_cuda_reaches: the operation for any GPU: returns whether both ends of the memory are pinned.
bool gsi_cuda_reaches(gsi_device *device, const void *data, uint64_t bytes);

// gsi_cuda_mirror: returns the place on the GPU of a buffer of the arena.
uint8_t *gsi_cuda_mirror(const gsi_cuda_device *device, const gsi_buffer *buffer);

// gsi_cuda_seen_bytes: returns the size of the summary of a window or of a reduced buffer that is
// copied to the host. Numbers have a digest, records a gsi_records_seen. Integer records have
// both, at gsi_cuda_seen_off the second.
inline size_t gsi_cuda_seen_off(const gsi_layout *layout)
{
    return layout->form != GSI_FORM_KEYS ? 0 : gsi_round_up_u64(gsi_cuda_digest_bytes(), 16);
}

inline size_t gsi_cuda_seen_bytes(const gsi_layout *layout)
{
    return gsi_cuda_seen_off(layout) +
           (!gsi_layout_is_native(layout) ? sizeof(gsi_records_seen) : 0);
}

// gsi_cuda_digest_queue: queues on the compute stream the digest of n keys on the GPU. The keys
// are converted to elements in place, or stay keys. Not for tags.
// out   digest: gsi_cuda_seen_bytes on the GPU
void gsi_cuda_digest_queue(gsi_cuda_device *device, void *keys, uint64_t n, bool to_elements,
                           uint8_t *digest);

// gsi_cuda_digest_fetched: sets the digest of a buffer from the fetched bytes; nullptr: the
// buffer has none.
void gsi_cuda_digest_fetched(const gsi_cuda_device *device, const uint8_t *staging,
                             gsi_buffer *buffer);

// gsi_cuda_sort: queues the sort of n keys, or of tags of `places`. *keys and the spare may swap.
void gsi_cuda_sort(gsi_cuda_device *device, uint8_t **keys, uint64_t n,
                   const gsi_cuda_places *places);

// gsi_cuda_digest_take: returns the index of an entry in both rings. Buffers in flight use one
// entry each.
uint32_t gsi_cuda_digest_take(gsi_cuda_device *device);

// cuda_device_pairs.cc: with config.carry. pairs_begin sets the input's layout in any case.
// gsi_cuda_pairs_put: queues the making of pairs from n keys on the GPU, the next ones of the open
// run, and their tally.
// gsi_cuda_pairs_seal: moves the pairs to the memory in which the run's sort begins.
// gsi_cuda_pairs_leave: queues the conversion of n pairs in a window to positions. The window may
// swap with other memory of the size of a window.
void gsi_cuda_pairs_begin(gsi_cuda_device *device);
void gsi_cuda_pairs_put(gsi_cuda_device *device, const uint8_t *keys, uint64_t n);
void gsi_cuda_pairs_seal(gsi_cuda_device *device, gsi_run *run);
void gsi_cuda_pairs_leave(gsi_cuda_device *device, uint8_t **window, uint64_t n);

// cuda_device_records.cc: operations on records that replace those on numbers. Integer records have
// no tags; for them only the counting applies.
// gsi_cuda_records_overhead: returns the bytes on the GPU that depend on the record's fields.
uint64_t gsi_cuda_records_overhead(const gsi_layout *layout);
// gsi_cuda_records_staging_bytes: returns the size of the largest part that is fetched at the end;
// parts are fetched one at a time.
uint64_t gsi_cuda_records_staging_bytes(const gsi_layout *layout);
bool gsi_cuda_records_open(gsi_cuda_device *device); // undone by gsi_cuda_records_close
void gsi_cuda_records_close(gsi_cuda_device *device);
// gsi_cuda_records_put: queues on the compute stream: count a chunk's records, which are copied to
// `at` and belong to a run. Integer records are converted to integers there.
void gsi_cuda_records_put(gsi_cuda_device *device, const gsi_buffer *buffer, uint8_t *at);
// gsi_cuda_records_sort: queues the making and sorting of a run's tags.
void gsi_cuda_records_sort(gsi_cuda_device *device, gsi_run *run);
// gsi_cuda_records_reduce: queues the counting of n records and, with `seen`, the check of their
// order. Integer records are counted and converted.
void gsi_cuda_records_reduce(gsi_cuda_device *device, uint8_t *at, uint64_t n,
                             gsi_records_seen *seen);
// gsi_cuda_records_sorted: applies the result after the work of gsi_cuda_records_sort is done.
void gsi_cuda_records_sorted(gsi_cuda_device *device, gsi_run *run);
// gsi_cuda_records_count: adds the counts of each field to `fields`, and those of all records to
// `seen`.
void gsi_cuda_records_count(gsi_cuda_device *device, gsi_tally *const *fields, gsi_digest *seen);
// gsi_cuda_records_begin: makes the tables of a merge and adapts the tags of its runs to it.
enum gs_status gsi_cuda_records_begin(gsi_cuda_device *device, const gsi_merge_spec *spec,
                                      gsi_cuda_records_merge *merge, gs_error *error);
void gsi_cuda_records_end(gsi_cuda_device *device, gsi_cuda_records_merge *merge);
// gsi_cuda_records_feed: queues the copy of a frame to the GPU; returns its tags on the GPU.
const uint8_t *gsi_cuda_records_feed(gsi_cuda_device *device, gsi_cuda_records_merge *merge,
                                     const gsi_buffer *buffer);
// gsi_cuda_records_upload: queues the copy of n records of a run on the host, of which the first
// has index `index`: records to `to`, tags to `tags`. Returns the last tag.
gsi_u128 gsi_cuda_records_upload(gsi_cuda_device *device, gsi_cuda_records_merge *merge,
                                 const uint8_t *records, uint64_t n, uint64_t index, uint8_t *to,
                                 uint8_t *tags);
// gsi_cuda_records_leave: queues the copy of a sorted run's records, in order, to `to` on the host.
void gsi_cuda_records_leave(gsi_cuda_device *device, const gsi_run *run, uint8_t *to);
// gsi_cuda_records_window: queues the merge of tags and the gather; returns the address of the
// gathered records.
const uint8_t *gsi_cuda_records_window(gsi_cuda_device *device, const gsi_cuda_records_merge *merge,
                                       const gsi_slice *slices, uint32_t count, uint8_t *window,
                                       gsi_records_seen *seen);

// cuda_device_merge.cc
enum gs_status gsi_cuda_merge_begin(gsi_device *base, const gsi_merge_spec *spec, gsi_merge **merge,
                                    gs_error *error);
void gsi_cuda_merge_feed(gsi_merge *merge, uint32_t input_idx, gsi_buffer *buffer,
                         const void *bound);
enum gsi_pull gsi_cuda_merge_pull(gsi_merge *merge, gsi_buffer *window, uint32_t *needed_idx);
// gsi_cuda_merge_skip: like merge_pull for a window of n elements that another device makes:
// consumes the same input and queues nothing.
enum gsi_pull gsi_cuda_merge_skip(gsi_merge *merge, uint64_t n, uint32_t *needed_idx);
void gsi_cuda_merge_end(gsi_merge *merge);
gsi_cuda_device *gsi_cuda_merge_device(const gsi_merge *merge);
// gsi_cuda_window_done: returns the buffer of a window whose ticket is finished.
gsi_buffer *gsi_cuda_window_done(gsi_cuda_window *window);
// gsi_cuda_merge_ticket: tells the merge that a ticket is finished, if the ticket is for a window
// or for fed keys.
void gsi_cuda_merge_ticket(const gsi_ticket *ticket);

// cuda_device_host.cc: runs in host memory.
// gsi_cuda_host_open: allocates the memory and begins to register it.
enum gs_status gsi_cuda_host_open(gsi_cuda_device *device, gs_error *error);
void gsi_cuda_host_close(gsi_cuda_device *device);
// gsi_cuda_run_sealed: called after a run's sort is queued; may queue its move to the host at once,
// so that later runs find a slot.
// gsi_cuda_slot_take: returns a slot for a new run; may move another run to the host for it.
void gsi_cuda_run_sealed(gsi_cuda_device *device, gsi_run *run);
gsi_cuda_slot gsi_cuda_slot_take(gsi_cuda_device *device);
// gsi_cuda_run_gone: frees the place of a run, on the GPU or on the host.
void gsi_cuda_run_gone(gsi_cuda_device *device, gsi_run *run);

// cuda_device_window.cc
// gsi_cuda_window_goes_on: returns whether a window whose ticket is finished needs more work. If
// so, queued that work and issued the ticket again.
bool gsi_cuda_window_goes_on(gsi_ticket *ticket);

#endif
