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

// Where a run on the host comes back, a piece at a time.
struct gsi_cuda_ring {
    const gsi_run *run;
    uint32_t input_idx;
    uint8_t *memory, *tags; // on the GPU
    gsi_buffer *pieces;     // as many as it has room for, taken in turn
    uint64_t next;          // byte of the run that is to come next
    uint32_t held;          // pieces that came, or are coming
    gsi_u128 next_key;      // of what is to come next; of records, a tag
};

// The runs of a merge that are on the host; zeroed: none is (cuda_device_feed.cc).
struct gsi_cuda_feed {
    gsi_cuda_ring *rings;
    gsi_buffer *pieces; // of all rings
    uint32_t ring_count, pieces_a_ring;
    uint32_t coming; // pieces
    uint64_t piece_bytes;
};

struct gsi_merge {
    gsi_cuda_device *device;
    bool to_elements, to_packed, is_fed;
    bool *is_elsewhere; // table: the input is a run on another GPU
    bool is_ending;     // nothing more is asked for
    const gsi_sort_kernels *kernels;
    gsi_cuda_records_merge records; // zeroed: numbers
    gsi_merge_inputs inputs;
    gsi_cuda_feed feed;
    // The merge of one run that is on the host, whose keys stay keys: it only comes here and goes.
    const gsi_run *passing;
    uint64_t passed_bytes;

    // Tables. A head is a segment as it was when windows were cut; heads of one input that follow
    // each other are a chain. What a window takes: arrays to be merged, those that have to be
    // gathered first, one behind the other.
    uint32_t slice_count, input_count; // entries of the tables of heads; of chains
    gsi_merge_heads heads;
    uint32_t *chain_heads; // first head of each chain, and behind the last
    gsi_chain *chains;
    gsi_slice *taken, *gathered;
    uint32_t chain_count, taken_count, gathered_count;
    gsi_cuda_window *windows, *free_windows;
    uint32_t in_flight;
    uint32_t arriving;  // fed, and on the way
    bool has_news;      // something arrived since windows were cut,
    uint64_t news_keys; // so many keys, or more than any number if an input has ended
    // Of what had arrived then no more windows can be cut: a window was short of so many keys.
    bool is_all_cut;
    uint64_t short_keys;

    // Windows that are cut: of `heads` as they were when batch_idx was 0.
    uint64_t window_keys, total;
    uint32_t batch_count, batch_idx;
};

// gsi_cuda_cut_batch: the cuts of the next windows of `wanted` keys: as many as are known in
// advance. False: the device has failed.
bool gsi_cuda_cut_batch(gsi_merge *merge, uint64_t wanted);

// gsi_cuda_window_launch: queue what makes a window out of what merge->taken says; returns the
// stream on which it ends, for now.
gsi_cuda_stream gsi_cuda_window_launch(gsi_merge *merge, gsi_cuda_window *window);

// gsi_cuda_merge_arrival: a ticket for keys that are being copied on the way in. nullptr: the
// device has failed.
gsi_ticket *gsi_cuda_merge_arrival(gsi_merge *merge, uint32_t input_idx, gsi_slice keys,
                                   gsi_buffer *buffer, const void *bound);

// cuda_device_feed.cc
// gsi_cuda_feed_begin: find the runs of the merge that are on the host, and rings for them.
enum gs_status gsi_cuda_feed_begin(gsi_merge *merge, const gsi_merge_spec *spec, gs_error *error);
void gsi_cuda_feed_end(gsi_merge *merge);
// gsi_cuda_feed_start: the merge's inputs are there: lets the first pieces come.
void gsi_cuda_feed_start(gsi_merge *merge);
// gsi_cuda_feed_arrived: a piece is on the GPU. gsi_cuda_feed_released: nobody reads it any more;
// false: this buffer is none.
void gsi_cuda_feed_arrived(gsi_merge *merge, const gsi_buffer *buffer);
bool gsi_cuda_feed_released(gsi_merge *merge, const gsi_buffer *buffer);

#endif
