// cuda_group.h: what the parts of a group of CUDA devices share; nobody else includes it.
//
//   chunk --+--> GPU 0 [ part of run 0 ][ part of run 1 ] .. --merge--> window 0, 2, ..
//           +--> GPU 1 [ part of run 0 ][ part of run 1 ] .. --merge--> window 1, 3, ..
//                            \____ gathered through the link between them ____/
//
// To the pipeline a group is one device. Its members are whole devices (cuda_device.h), each with
// its own memory, streams and threads, and know nothing of each other.
//
// A run of the group is a run on each member: chunks of numbers are dealt in turn, so all links carry
// at once; of records each member has a contiguous part, so that indexes stay in the order of the
// input. So members fill evenly, and what holds for the slots of one holds for those of all.
//
// Every member takes part in a merge with the runs of all, whose memory it can read (peer access),
// and cuts all windows, exactly; it makes only those that are its own, and skips the others. What
// lies elsewhere is gathered in large pieces before the merge of a window. What is fed goes to
// all members. A run of numbers may have its parts in host memory, where each part's member has put
// it: every member brings them all back to itself for the merge.
#ifndef GSI_CUDA_GROUP_H
#define GSI_CUDA_GROUP_H

#include "base/report.h"
#include "kernels/device/cuda_device.h"

// Most GPUs of a host that work as one device.
#define GSI_CUDA_GROUP_MAX 16

struct gsi_cuda_group_run {
    gsi_run *parts[GSI_CUDA_GROUP_MAX]; // by member; nullptr: it has none of it
    uint32_t unsorted_count;
    gsi_cuda_group_run *next; // of all that are sealed
};

// A window that was pulled; events come in the order of the calls.
struct gsi_cuda_group_window {
    gsi_buffer *buffer;
    bool is_done;
};

struct gsi_cuda_group_merge;

struct gsi_cuda_group {
    gsi_device base;
    gsi_device_config config; // the job's
    gsi_plan plan;            // of a member
    uint32_t count;
    gsi_cuda_device *members[GSI_CUDA_GROUP_MAX]; // different PCIe switches first
    gsi_cuda_group_run *open_run, *runs;
    uint32_t open_chunks; // of the open run
    uint64_t part_count;  // of all runs, so far
    uint32_t next_reduced, next_reaped;
    gsi_cuda_group_merge *merge;
    gsi_cuda_group_window *windows; // a ring of config.window_count
    uint32_t window_first, window_held;
};

inline gsi_cuda_group *gsi_cuda_group_of(gsi_device *base)
{
    return reinterpret_cast<gsi_cuda_group *>(base);
}

// gsi_cuda_group_enter: calls of the runtime are the member's from now on.
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
// gsi_cuda_group_merge_follow: members that have not yet skipped what others make try again, so that
// what is fed does not stay with them.
void gsi_cuda_group_merge_follow(gsi_cuda_group_merge *merge);

#endif
