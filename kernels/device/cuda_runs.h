// cuda_runs.h: declares the runs of the CUDA device, and the memory that they use. Runs have slots
// on the GPU. Those that do not fit there have places in host memory.
#ifndef GSI_CUDA_RUNS_H
#define GSI_CUDA_RUNS_H

#include "device/device.h"

#include <cuda_runtime.h>

struct gsi_cuda_device;
struct gsi_cuda_record_table;

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

// Host memory for runs; zeroed if there is none.
struct gsi_cuda_host {
    uint8_t *memory;
    uint64_t run_bytes; // of one place
    uint32_t room;      // number of places
    uint32_t *free;     // table of free places; the last one is used next
    uint32_t free_count;
    struct gsi_cuda_pinners *pinners; // threads that touch and register the memory
};

struct gsi_cuda_runs {
    gsi_cuda_slot slots[GSI_DEVICE_RUNS_MAX]; // free ones are slots[slots_taken .. slot_count)
    uint32_t slot_count, slots_taken;
    uint8_t *spare;   // as large as a slot's keys, or tags: sorts write there, and may swap it
    gsi_run *open;    // the run that chunks are added to
    gsi_run *newest;  // newest sealed run on the GPU
    gsi_run *staying; // the single input of a merge of one run; it is not moved to the host
    uint64_t sealed_count;
    gsi_cuda_host host;
};

// gsi_cuda_runs_open: allocates the memory on the GPU. Records: gsi_cuda_records_open is first.
// gsi_cuda_host_open: allocates the host memory and begins to register it.
// gsi_cuda_runs_close undoes both.
bool gsi_cuda_runs_open(gsi_cuda_device *device);
enum gs_status gsi_cuda_host_open(gsi_cuda_device *device, gs_error *error);
void gsi_cuda_runs_close(gsi_cuda_device *device);

// gsi_cuda_run_keys: returns the number of keys, or tags, that a slot has room for.
uint64_t gsi_cuda_run_keys(const gsi_cuda_device *device);

// gsi_cuda_run_open: returns the open run, or begins one, which may move another run to the host.
// Returns nullptr if memory is short.
gsi_run *gsi_cuda_run_open(gsi_cuda_device *device);
// gsi_cuda_run_sealed: called after the open run's sort is queued; may queue its move to the host
// at once, so that later runs find a slot.
void gsi_cuda_run_sealed(gsi_cuda_device *device);
// gsi_cuda_run_free: frees a run and its memory, on the GPU or on the host.
void gsi_cuda_run_free(gsi_cuda_device *device, gsi_run *run);

// gsi_cuda_sort: queues the sort of n keys, or of tags of `places`. *keys and the spare may swap.
void gsi_cuda_sort(gsi_cuda_device *device, uint8_t **keys, uint64_t n,
                   const gsi_cuda_record_table *places);

#endif
