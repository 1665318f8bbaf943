// merge_runs.cuh: what a pass merges: groups of up to GSI_FAN_IN runs, each group into one run.
//
// Either a regular split of an array (a pass of the chunk sort), or one group of runs that lie
// anywhere (a window):
//
//   even     base: [ run 0 | run 1 | .. | run f-1 ][ run 0 | ..                  ] n keys
//                   <----------- group 0 --------> <- group 1, perhaps short ->
//   listed   run[r], count[r]
#ifndef GSI_MERGE_RUNS_CUH
#define GSI_MERGE_RUNS_CUH

#include "kernels/record/key_context.cuh"
#include "kernels/sort/key_turn.cuh"
#include "kernels/sort/tile_policy.cuh"

// One sorted array in device memory.
template <class Key> struct gsi_slice_of {
    const Key *keys;
    uint64_t count;

    __device__ __forceinline__ Key at(uint64_t i) const
    {
        return keys[i];
    }
};

template <class Key> struct gsi_merge_runs {
    const Key *base; // even; nullptr: listed
    uint64_t key_count, run_keys;
    gsi_slice_of<Key> listed[GSI_FAN_IN];
    Key *out; // fastest if 16-byte aligned; the groups follow each other
    uint64_t tiles_per_group;
    uint64_t group_keys; // outputs of a whole group
    gsi_key_context<Key> context;
    gsi_key_turn turn; // of what goes out
};

// Run r of a group.
template <class Key>
GSI_HOST_DEVICE inline gsi_slice_of<Key> gsi_merge_run(const gsi_merge_runs<Key> &runs,
                                                       uint32_t fan_in, uint64_t group, uint32_t r)
{
    if (runs.base == nullptr)
        return runs.listed[r];
    const uint64_t first = (group * fan_in + r) * runs.run_keys;
    if (first >= runs.key_count)
        return {runs.base, 0};
    const uint64_t left = runs.key_count - first;
    return {runs.base + first, left < runs.run_keys ? left : runs.run_keys};
}

// Outputs of a group: all full but the last.
template <class Key>
GSI_HOST_DEVICE inline uint64_t gsi_merge_group_keys(const gsi_merge_runs<Key> &runs,
                                                     uint64_t group)
{
    const uint64_t left = runs.key_count - group * runs.group_keys;
    return left < runs.group_keys ? left : runs.group_keys;
}

#endif
