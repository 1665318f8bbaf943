// merge_runs.cuh: describes the input of a merge pass: groups of up to GSI_FAN_IN runs, each merged
// into one run.
//
// In a pass of the chunk sort, groups split an array evenly. In a level of a window's tree of
// merges, groups are lists of runs anywhere in memory:
//
//   even     base: [ run 0 | run 1 | .. | run f-1 ][ run 0 | ..                  ] n keys
//                   <----------- group 0 --------> <- group 1, perhaps short ->
//   listed   group g: run[g][r], to out + at[g]
//
// All groups of a level are merged in one launch, because the groups of a window are short. With
// one launch per group, 14 groups of a window of 1 MiB took 0.7 ms and left the GPU almost idle.
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

// Limit of groups listed at once: as many as fit into the parameters of a kernel.
#define GSI_GROUPS_LISTED   12
#define GSI_PARAMETER_BYTES 4096

template <class Key> struct gsi_listed_group {
    gsi_slice_of<Key> run[GSI_FAN_IN];
    uint64_t key_count, at; // number of outputs, and their begin in `out`
};

template <class Key> struct gsi_merge_runs {
    const Key *base; // even; nullptr: listed
    uint64_t key_count, run_keys;
    gsi_listed_group<Key> listed[GSI_GROUPS_LISTED];
    uint64_t group_count;
    Key *out; // fastest if aligned to 16 bytes; even groups are adjacent
    uint64_t tiles_per_group;
    uint64_t group_keys; // outputs of a whole group; listed: of the longest one
    gsi_key_context<Key> context;
    gsi_key_turn turn; // applied to the output
};

// Returns run r of a group.
template <class Key>
GSI_HOST_DEVICE inline gsi_slice_of<Key> gsi_merge_run(const gsi_merge_runs<Key> &runs,
                                                       uint32_t fan_in, uint64_t group, uint32_t r)
{
    if (runs.base == nullptr)
        return runs.listed[group].run[r];
    const uint64_t first = (group * fan_in + r) * runs.run_keys;
    if (first >= runs.key_count)
        return {runs.base, 0};
    const uint64_t left = runs.key_count - first;
    return {runs.base + first, left < runs.run_keys ? left : runs.run_keys};
}

// Returns the number of outputs of a group: even groups are all full except the last.
template <class Key>
GSI_HOST_DEVICE inline uint64_t gsi_merge_group_keys(const gsi_merge_runs<Key> &runs,
                                                     uint64_t group)
{
    if (runs.base == nullptr)
        return runs.listed[group].key_count;
    const uint64_t left = runs.key_count - group * runs.group_keys;
    return left < runs.group_keys ? left : runs.group_keys;
}

// Returns the begin of a group's outputs in `out`.
template <class Key>
GSI_HOST_DEVICE inline uint64_t gsi_merge_group_at(const gsi_merge_runs<Key> &runs, uint64_t group)
{
    return runs.base == nullptr ? runs.listed[group].at : group * runs.group_keys;
}

#endif
