// cuda_group.h: declares the state and functions that the parts of a group of CUDA devices share.
//
//   chunk --+--> GPU 0 [ part of run 0 ][ part of run 1 ] .. --merge--> window 0, 2, ..
//           +--> GPU 1 [ part of run 0 ][ part of run 1 ] .. --merge--> window 1, 3, ..
//                            \____ gathered through the link between them ____/
//
// To the pipeline a group is one device. Its members are whole devices (cuda_device.h), each with
// its own memory, streams and threads, and know nothing of each other.
//
// An example: two GPUs, runs of 4 chunks of numbers, windows of 6 elements.
//
//   read      chunks 0 and 2 of each run go to GPU 0, chunks 1 and 3 to GPU 1
//   sort      each sorts its own part; nothing is exchanged
//                 run 0   GPU 0: 1 4 9     GPU 1: 2 3 8
//                 run 1   GPU 0: 0 5 5     GPU 1: 4 6 7
//   merge     both cut all windows over all four parts, by the exact co-rank (device/merge_cut.h):
//                 window 0   1 4 | 2 3 | 0 | 4         by GPU 0, which gathers 2 3 and 4 from GPU 1
//                 window 1   9 | 8 | 5 5 | 6 7         by GPU 1, which gathers 9 and 5 5 from GPU 0
//
// So members fill evenly, and all links to the host transfer at the same time. Windows are as large
// and in the same order as on one GPU, even if the keys are skewed. With records, each member has a
// contiguous part of a run instead of every other chunk. So indexes stay in the order of the
// input. Parts on another GPU are gathered in large pieces by peer access before the merge of a
// window. A member skips the windows of the others. Frames from the disk are sent to all members.
//
// Parts of runs of numbers that do not fit on the GPUs wait in host memory, copied there by their
// own GPU. For the merge every member reads all of them. GPUs without peer access sort numbers with
// all runs in host memory, if it holds them.
//
// Benefit (tools/gsort-bench/RESULTS.md, "Two H200 of one host"): two GPUs hold twice as much. They
// take 0.58 of the time of one GPU that has to keep half of the runs in host memory. If one GPU
// holds all data, two take 0.94 of its time, because both wait for reading and for the start.
// Arrays in pinned memory need neither, and take 0.55.
//
// Rejected: a range of keys for each GPU, exchanged while reading. Skewed keys would fill one GPU
// before the other, and the ends of the ranges are a guess until all is read. Exact cuts after the
// reading need no guess.
//
// In doubt: gathering and merging, one after the other, reach 0.46 of the link's rate (aim 0.8).
// Gathering a window while the previous one is merged would reach 0.75. No sort was bounded by it.
// Nothing was measured on four or eight GPUs. Without peer access every run crosses the host's
// links once more, which takes 1.46 of the time of one GPU.
#ifndef GSI_CUDA_GROUP_H
#define GSI_CUDA_GROUP_H

#include "kernels/device/cuda_device.h"
#include "plan/plan.h"

// Limit of the GPUs of a host that work as one device.
#define GSI_CUDA_GROUP_MAX 16

struct gsi_cuda_group_run {
    gsi_run *parts[GSI_CUDA_GROUP_MAX]; // by member; nullptr: the member has no part of it
    uint32_t unsorted_count;
    gsi_cuda_group_run *next; // list of all sealed runs
};

// A pulled window; events are reported in the order of the calls.
struct gsi_cuda_group_window {
    gsi_buffer *buffer;
    bool is_done;
};

struct gsi_cuda_group_merge;

struct gsi_cuda_group {
    gsi_device base;
    gsi_device_config config; // of the job
    gsi_plan plan;            // of each member
    gsi_cuda_arena arena;
    uint32_t count;
    gsi_cuda_device *members[GSI_CUDA_GROUP_MAX]; // ordered: first GPUs of different PCIe switches
    gsi_cuda_group_run *open_run, *runs;
    uint32_t open_chunks;   // chunks in the open run
    uint64_t part_count;    // parts of all runs so far
    uint64_t next_position; // with config.entry_map: position of the next input element
    uint32_t next_reduced, next_reaped;
    gsi_cuda_group_merge *merge;
    gsi_cuda_group_window *windows; // a ring of config.window_count
    uint32_t window_first, window_held;
};

inline gsi_cuda_group *gsi_cuda_group_of(gsi_device *base)
{
    return reinterpret_cast<gsi_cuda_group *>(base);
}

// gsi_cuda_group_enter: makes the member's GPU current for the calling thread; returns the member.
gsi_device *gsi_cuda_group_enter(const gsi_cuda_group *group, uint32_t member);

// cuda_group_open.cc
enum gs_status gsi_cuda_group_probe(uint32_t index, const gsi_layout *layout,
                                    gsi_device_limits *limits, gs_error *error);
enum gs_status gsi_cuda_group_open(const gsi_device_config *config, gsi_device **device,
                                   gs_error *error);
void gsi_cuda_group_close(gsi_device *base);

// cuda_group_merge.cc
enum gs_status gsi_cuda_group_merge_begin(gsi_device *base, const gsi_merge_spec *spec,
                                          gsi_merge **merge, gs_error *error);
void gsi_cuda_group_merge_feed(gsi_merge *merge, uint32_t input_idx, gsi_buffer *buffer,
                               const void *bound);
enum gsi_pull gsi_cuda_group_merge_pull(gsi_merge *merge, gsi_buffer *window, uint32_t *needed_idx);
void gsi_cuda_group_merge_end(gsi_merge *merge);
// gsi_cuda_group_merge_follow: members that have not yet skipped the windows of others try again,
// so that they release fed buffers.
void gsi_cuda_group_merge_follow(gsi_cuda_group_merge *merge);

#endif
