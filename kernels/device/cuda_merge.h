// cuda_merge.h: declares the merges of the CUDA device, and the state that a merge shares with its
// cuts, its windows and its runs on the host.
#ifndef GSI_CUDA_MERGE_H
#define GSI_CUDA_MERGE_H

#include "device/merge_inputs.h"
#include "kernels/device/cuda_records.h"
#include "kernels/device/cuda_tickets.h"
#include "kernels/sort/sort_kernels.h"

struct gsi_cuda_window {
    gsi_merge *merge;
    gsi_buffer *buffer;
    gsi_segment **segments; // segments that it read from
    uint32_t segment_count;
    uint8_t *digest; // host; nullptr: the window holds keys
    uint32_t place;  // index below GSI_CUDA_WINDOWS
    bool is_packing; // its planes are not yet being copied out
    gsi_cuda_window *next;
};

// A ring on the GPU through which a run on the host returns, one piece at a time.
struct gsi_cuda_ring {
    const gsi_run *run;
    uint32_t input_idx;
    uint8_t *memory, *tags; // on the GPU
    gsi_buffer *pieces;     // as many as fit into it, used in turn
    uint64_t next;          // next byte of the run to copy
    uint32_t held;          // pieces that have arrived or are on the way
    gsi_u128 next_key;      // next key to copy; for records, a tag
};

// The runs of a merge that are on the host; zeroed if there are none (cuda_device_feed.cc).
struct gsi_cuda_feed {
    gsi_cuda_ring *rings;
    gsi_buffer *pieces; // of all rings
    uint32_t ring_count, pieces_a_ring;
    uint32_t coming; // pieces on the way
    uint64_t piece_bytes;
};

struct gsi_merge {
    gsi_cuda_device *device;
    bool to_elements, to_packed, is_fed;
    bool *is_elsewhere; // table: the input is a run on another GPU
    bool is_ending;     // no more pieces are requested
    const gsi_sort_kernels *kernels;
    gsi_cuda_records_merge records; // zeroed: numbers
    gsi_merge_inputs inputs;
    gsi_cuda_feed feed;
    // A merge of one run on the host whose keys stay keys: the run is copied to the GPU and out
    // again.
    const gsi_run *passing;
    uint64_t passed_bytes;

    // Tables. A head is a segment as it was when windows were cut. Consecutive heads of one input
    // form a chain. A window reads arrays to be merged; arrays in several parts are gathered first,
    // one after the other.
    uint32_t slice_count, input_count; // entries of the tables of heads, and of chains
    gsi_merge_heads heads;
    uint32_t *chain_heads; // first head of each chain, then the end of the last one
    gsi_chain *chains;
    gsi_slice *taken, *gathered;
    uint32_t chain_count, taken_count, gathered_count;
    gsi_cuda_window *windows, *free_windows;
    uint32_t in_flight;
    uint32_t arriving;  // fed keys that are on the way
    bool has_news;      // keys have arrived since windows were cut:
    uint64_t news_keys; // how many
    // All windows are cut that the keys of that time allow; the next one lacks `short_keys` keys.
    bool is_all_cut;
    uint64_t short_keys;

    // Windows that are cut, over `heads` as they were when batch_idx was 0.
    uint64_t window_keys, total;
    uint32_t batch_count, batch_idx;
};

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

// cuda_device_cut.cc
// gsi_cuda_cut_batch: computes the cuts of the next windows of `wanted` keys, as many as can be
// known in advance. False: the device has failed.
bool gsi_cuda_cut_batch(gsi_merge *merge, uint64_t wanted);

// cuda_device_windows.cc
// gsi_cuda_window_launch: queues the work that makes a window from merge->taken. Returns the stream
// on which that work ends, for now.
gsi_cuda_stream gsi_cuda_window_launch(gsi_merge *merge, gsi_cuda_window *window);

// cuda_device_merge.cc
// gsi_cuda_merge_arrival: returns a ticket for keys that are being copied to the GPU. nullptr: the
// device has failed.
gsi_ticket *gsi_cuda_merge_arrival(gsi_merge *merge, uint32_t input_idx, gsi_slice keys,
                                   gsi_buffer *buffer, const void *bound);

// cuda_device_feed.cc
// gsi_cuda_feed_begin: finds the runs of the merge that are on the host and places rings for them.
enum gs_status gsi_cuda_feed_begin(gsi_merge *merge, const gsi_merge_spec *spec, gs_error *error);
void gsi_cuda_feed_end(gsi_merge *merge);
// gsi_cuda_feed_start: queues the first pieces; called when the merge's inputs are there.
void gsi_cuda_feed_start(gsi_merge *merge);
// gsi_cuda_feed_arrived: called when a piece is on the GPU. gsi_cuda_feed_released: called when a
// piece has no reader left; returns false if the buffer is no piece.
void gsi_cuda_feed_arrived(gsi_merge *merge, const gsi_buffer *buffer);
bool gsi_cuda_feed_released(gsi_merge *merge, const gsi_buffer *buffer);

#endif
