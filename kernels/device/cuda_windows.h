// cuda_windows.h: declares the memory in which the CUDA device makes windows and converts
// compressed frames.
#ifndef GSI_CUDA_WINDOWS_H
#define GSI_CUDA_WINDOWS_H

#include "device/merge_cut.h"
#include "kernels/planes/planes.cuh"

#include <cuda_runtime.h>

struct gsi_cuda_device;
struct gsi_cuda_record_table;
struct gsi_sort_kernels;
struct gsi_ticket;

// Windows on the GPU: one is merged, one is copied out, one is between the two.
#define GSI_CUDA_WINDOWS 3

// All in device memory, except found_copies.
struct gsi_cuda_windows {
    uint8_t *memory[GSI_CUDA_WINDOWS];
    cudaEvent_t copied_out[GSI_CUDA_WINDOWS]; // recorded when the copy out has read the window
    uint64_t launched;                        // windows so far; they use the memory in turn
    uint8_t *temp;                            // for trees of merges
    uint8_t *gathered;                        // parts of runs that a window has to join

    // Compressed frames.
    uint8_t *planes[GSI_CUDA_WINDOWS];
    gsi_planes_found *found, *found_copies; // GSI_CUDA_WINDOWS; device, pinned
    uint32_t packing_count;                 // windows whose planes are not yet being copied out
    uint8_t *unpacking, *unpacking_sums;    // for the frame that is being joined
};

bool gsi_cuda_windows_open(gsi_cuda_device *device); // undone by gsi_cuda_windows_close
void gsi_cuda_windows_close(gsi_cuda_device *device);

// gsi_cuda_window_merge: queues the merge of keys, or of tags of `places`, to `to`.
void gsi_cuda_window_merge(gsi_cuda_device *device, const gsi_sort_kernels *kernels,
                           const gsi_slice *slices, uint32_t count, uint8_t *to,
                           const gsi_cuda_record_table *places);

// gsi_cuda_window_continue: returns whether a window whose ticket is finished needs more work. If
// so, queued that work and issued the ticket again.
bool gsi_cuda_window_continue(gsi_ticket *ticket);

#endif
