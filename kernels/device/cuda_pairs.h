// cuda_pairs.h: declares the input of the CUDA device, and the pairs of keys and positions that are
// sorted instead of it with config.entry_map.
#ifndef GSI_CUDA_PAIRS_H
#define GSI_CUDA_PAIRS_H

#include "element/entry/entry_map.h"
#include "element/record/integer_record.h"
#include "kernels/device/cuda_runs.h"
#include "kernels/tally/tally.cuh"

struct gsi_cuda_input {
    // `config.layout`, or, with config.entry_map, the layout of elements before they get positions.
    gsi_layout layout;
    gsi_integer_map integer_map; // used with config.entry_map if the input is records
    gsi_cuda_tally *tally;       // with config.entry_map: counts numbers of the input
    uint64_t next_position;      // position of the next input element
};

// gsi_cuda_input_begin: sets the input's layout, with config.entry_map or without.
void gsi_cuda_input_begin(gsi_cuda_device *device);

// With config.entry_map only:
// gsi_cuda_pairs_put: queues the making of pairs from n keys on the GPU, the next ones of the open
// run, and their tally.
// gsi_cuda_pairs_seal: moves the pairs to the memory in which the run's sort begins.
// gsi_cuda_pairs_to_positions: queues the conversion of n pairs in a window to positions. The
// window may swap with other memory of the size of a window.
void gsi_cuda_pairs_put(gsi_cuda_device *device, const uint8_t *keys, uint64_t n);
void gsi_cuda_pairs_seal(gsi_cuda_device *device, gsi_run *run);
void gsi_cuda_pairs_to_positions(gsi_cuda_device *device, uint8_t **window, uint64_t n);

#endif
