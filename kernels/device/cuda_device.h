// cuda_device.h: declares the CUDA device, which consists of runs, windows, tickets, staging memory
// and records. Each of these has a header, which does not include this one, and a source file.
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
// from there (cuda_device_runs.cc):
//
//   slot                 --out--> run on the host
//   run on the host      --in---> ring on the GPU ..> compute: merge, as above
//
// Three streams are ordered by events. A fourth one cuts windows, and the owner waits for it.
// Memory is allocated at open; in a steady state nothing is allocated. The mirror has a place for
// every byte of the arena's chunk region, so the address of a buffer determines its place on the
// GPU. Fed keys take part in a merge once they have arrived, so no merge waits for a copy.
//
// Except for the tickets that are shared with waiting threads, all state belongs to the owner's
// thread.
#ifndef GSI_CUDA_DEVICE_H
#define GSI_CUDA_DEVICE_H

#include "base/checked.h"
#include "device/device.h"
#include "kernels/common/cuda_arena.h"
#include "kernels/device/cuda_pairs.h"
#include "kernels/device/cuda_records.h"
#include "kernels/device/cuda_runs.h"
#include "kernels/device/cuda_staging.h"
#include "kernels/device/cuda_tickets.h"
#include "kernels/device/cuda_windows.h"
#include "kernels/sort/sort_kernels.h"
#include "kernels/tally/tally.cuh"
#include "plan/plan.h"

struct gsi_cuda_device {
    gsi_device base;
    gsi_device_config config;
    const gsi_sort_kernels *kernels;
    cudaStream_t streams[GSI_CUDA_STREAMS];
    cudaStream_t cut_stream;
    cudaEvent_t joint;         // makes one stream wait for another
    gsi_cuda_arena arena;      // zeroed for a member of a group, which pins the arena itself
    uint8_t *mirror, *scratch; // device memory; scratch is for sorts and merges
    gsi_cuda_tally *tally;     // counts numbers that are sorted
    gsi_buffer_list returned;  // buffers whose events are pending

    gsi_cuda_input input;
    gsi_cuda_runs runs;
    gsi_cuda_windows windows;
    gsi_cuda_staging staging;
    gsi_cuda_tickets tickets;
    gsi_cuda_records records;

    // The first failure.
    bool has_failed, is_failure_reported;
    enum gs_status failure_status;
    char failure[256];
};

// gsi_cuda_check: returns whether `error` is cudaSuccess. If not, the device fails with a message
// that names `what`. The first failure is kept.
// gsi_cuda_failure: returns the failure of a device that has failed, as an error.
bool gsi_cuda_check(gsi_cuda_device *device, cudaError_t error, const char *what);
enum gs_status gsi_cuda_failure(const gsi_cuda_device *device, gs_error *error);

// gsi_cuda_alloc: allocates memory on the GPU, none for 0 bytes. gsi_cuda_alloc_pinned: allocates
// pinned host memory. Both return false when the device has failed.
template <class T> bool gsi_cuda_alloc(gsi_cuda_device *device, T **memory, uint64_t bytes)
{
    void *allocated = nullptr;
    if (bytes > 0 && !gsi_cuda_check(device, cudaMalloc(&allocated, gsi_round_up_u64(bytes, 256)),
                                     "cannot allocate memory on the GPU"))
        return false;
    *memory = static_cast<T *>(allocated);
    return true;
}

template <class T> bool gsi_cuda_alloc_pinned(gsi_cuda_device *device, T **memory, uint64_t bytes)
{
    void *allocated = nullptr;
    if (!gsi_cuda_check(device, cudaMallocHost(&allocated, bytes), "cannot allocate pinned memory"))
        return false;
    *memory = static_cast<T *>(allocated);
    return true;
}

// gsi_cuda_free: frees memory on the GPU, or pinned host memory with gsi_cuda_free_pinned.
template <size_t count> void gsi_cuda_free(void *const (&memories)[count])
{
    for (void *memory : memories)
        cudaFree(memory);
}

template <size_t count> void gsi_cuda_free_pinned(void *const (&memories)[count])
{
    for (void *memory : memories)
        cudaFreeHost(memory);
}

// gsi_cuda_clear: queues the clearing of memory that is read before it is written.
bool gsi_cuda_clear(gsi_cuda_device *device, void *memory, uint64_t bytes);

// gsi_cuda_enter: makes the device's GPU current for the calling thread's calls of the runtime.
bool gsi_cuda_enter(gsi_cuda_device *device);

// gsi_cuda_order: work queued on `later` from now on waits for the work queued on `earlier`.
bool gsi_cuda_order(gsi_cuda_device *device, gsi_cuda_stream earlier, gsi_cuda_stream later);

// gsi_cuda_reaches: the operation for any GPU: returns whether both ends of the memory are pinned.
bool gsi_cuda_reaches(gsi_device *device, const void *data, uint64_t bytes);

// gsi_cuda_mirror: returns the place on the GPU of a buffer of the arena.
uint8_t *gsi_cuda_mirror(const gsi_cuda_device *device, const gsi_buffer *buffer);

// gsi_cuda_tally_devices: fetches and joins the counts of `count` devices of one job.
enum gs_status gsi_cuda_tally_devices(gsi_cuda_device *const *devices, uint32_t count,
                                      gsi_tally_report *tally, gs_error *error);

// cuda_device_open.cc
enum gs_status gsi_cuda_probe(uint32_t index, const gsi_layout *layout, gsi_device_limits *limits,
                              gs_error *error);
enum gs_status gsi_cuda_open(const gsi_device_config *config, gsi_device **device, gs_error *error);
void gsi_cuda_close(gsi_device *base);
// gsi_cuda_open_member: opens the GPU of a device whose group pins the arena. gsi_cuda_host_open
// must follow. Any thread.
enum gs_status gsi_cuda_open_member(const gsi_device_config *config, gsi_cuda_device **device,
                                    gs_error *error);

#endif
