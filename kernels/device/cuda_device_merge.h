// cuda_device_merge.h: what the merges of the CUDA device and their windows share; nobody else
// includes it.
#ifndef GSI_CUDA_DEVICE_MERGE_H
#define GSI_CUDA_DEVICE_MERGE_H

#include "kernels/device/cuda_device.h"

struct gsi_cuda_window {
    gsi_merge *merge;
    gsi_buffer *buffer;
    gsi_segment **segments; // that it took from
    uint32_t segment_count;
    uint8_t *imprint; // host; nullptr: keys
    uint32_t place;   // of GSI_CUDA_WINDOWS
    bool is_packing;  // its planes are not yet being copied
    gsi_cuda_window *next;
};

struct gsi_merge {
    gsi_cuda_device *device;
    bool to_elements, to_packed, is_fed;
    const gsi_sort_kernels *kernels;
    gsi_cuda_records_merge records; // zeroed: numbers
    gsi_merge_inputs inputs;
    uint32_t slice_count; // room in the next two
    gsi_merge_heads heads;
    gsi_slice *taken;
    gsi_cuda_window *windows, *free_windows;
    uint32_t in_flight;

    // Windows that are cut: of `heads` as they were when batch_idx was 0.
    uint64_t window_keys, total;
    uint32_t batch_count, batch_idx;
};

// gsi_cuda_window_launch: queue what makes a window out of the first `slice_count` of
// merge->taken; returns the stream on which it ends, for now.
gsi_cuda_stream gsi_cuda_window_launch(gsi_merge *merge, gsi_cuda_window *window,
                                       uint32_t slice_count);

#endif
