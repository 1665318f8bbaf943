// cuda_records.h: declares the operations of the CUDA device on records, which replace those on
// numbers. Integer records have no tags; for them only the counting applies.
#ifndef GSI_CUDA_RECORDS_H
#define GSI_CUDA_RECORDS_H

#include "device/merge_inputs.h"
#include "device/record_ties.h"
#include "element/tally/tally.h"
#include "kernels/device/cuda_runs.h"
#include "kernels/record/integer_records.cuh"
#include "kernels/record/records.cuh"
#include "kernels/sort/sort_kernels.h"
#include "kernels/tally/tally.cuh"

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
    gsi_cuda_record_table places;
    gsi_record_table host_places;
    uint64_t host_block_count; // entries of host_places, whose first block is that of `places`
};

// gsi_cuda_records_overhead: returns the bytes on the GPU that depend on the record's fields.
uint64_t gsi_cuda_records_overhead(const gsi_layout *layout);
// gsi_cuda_records_staging_bytes: returns the size of the largest summary that is fetched at the
// end; they are fetched one at a time.
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
// gsi_cuda_records_copy_out: queues the copy of a sorted run's records, in order, to `to` on the
// host.
void gsi_cuda_records_copy_out(gsi_cuda_device *device, const gsi_run *run, uint8_t *to);
// gsi_cuda_records_window: queues the merge of tags and the gather; returns the address of the
// gathered records.
const uint8_t *gsi_cuda_records_window(gsi_cuda_device *device, const gsi_cuda_records_merge *merge,
                                       const gsi_slice *slices, uint32_t count, uint8_t *window,
                                       gsi_records_seen *seen);

#endif
