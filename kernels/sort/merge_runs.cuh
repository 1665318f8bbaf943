// merge_runs.cuh: what a pass merges: groups of up to GSI_FAN_IN runs, each group into one run.
//
// Either a regular split of an array (a pass of the chunk sort), or groups of runs that lie
// anywhere (a level of a window's tree):
//
//   even     base: [ run 0 | run 1 | .. | run f-1 ][ run 0 | ..                  ] n keys
//                   <----------- group 0 --------> <- group 1, perhaps short ->
//   listed   group g: run[g][r], to out + at[g]
//
// Groups of a level go in one launch, for those of a window are short: 14 groups of a window of a
// MiB, a launch each, took 0.7 ms, and left the GPU as good as idle (H100, 2026-11-25).
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

// Most groups that are listed at once: what kernels' parameters have room for.
#define GSI_GROUPS_LISTED   12
#define GSI_PARAMETER_BYTES 4096

template <class Key> struct gsi_listed_group {
    gsi_slice_of<Key> run[GSI_FAN_IN];
    uint64_t key_count, at; // outputs, and where they begin in `out`
};

template <class Key> struct gsi_merge_runs {
    const Key *base; // even; nullptr: listed
    uint64_t key_count, run_keys;
    gsi_listed_group<Key> listed[GSI_GROUPS_LISTED];
    uint64_t group_count;
    Key *out; // fastest if 16-byte aligned; even groups follow each other
    uint64_t tiles_per_group;
    uint64_t group_keys; // outputs of a whole group; listed: of the longest
    gsi_key_context<Key> context;
    gsi_key_turn turn; // of what goes out
};

// Run r of a group.
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

// Outputs of a group: of even ones all full but the last.
template <class Key>
GSI_HOST_DEVICE inline uint64_t gsi_merge_group_keys(const gsi_merge_runs<Key> &runs,
                                                     uint64_t group)
{
    if (runs.base == nullptr)
        return runs.listed[group].key_count;
    const uint64_t left = runs.key_count - group * runs.group_keys;
    return left < runs.group_keys ? left : runs.group_keys;
}

// Where a group's outputs begin in `out`.
template <class Key>
GSI_HOST_DEVICE inline uint64_t gsi_merge_group_at(const gsi_merge_runs<Key> &runs, uint64_t group)
{
    return runs.base == nullptr ? runs.listed[group].at : group * runs.group_keys;
}

#endif
