// cuda_group_merge.cc: merges on a group of GPUs. Every member merges the same runs, over the same
// windows. One member makes each window, and the others skip it.
#include "kernels/device/cuda_group.h"
#include "kernels/device/cuda_merge.h"

#include <stdlib.h>

struct gsi_cuda_group_merge {
    gsi_cuda_group *group;
    gsi_merge *merges[GSI_CUDA_GROUP_MAX]; // by member
    uint64_t passed[GSI_CUDA_GROUP_MAX];   // windows made or skipped, by member
    uint64_t pulled;                       // windows
    uint64_t window_keys;                  // of the last one
    // Inputs of the members' merges: parts of runs instead of runs.
    gsi_merge_input *inputs;
    uint32_t input_count;
    uint32_t *first_input; // by input of the group
    uint32_t *input_of;    // by input of the members
    uint32_t group_inputs;
};

static gsi_cuda_group_merge *group_merge_of(gsi_merge *merge)
{
    return reinterpret_cast<gsi_cuda_group_merge *>(merge);
}

static enum gs_status make_inputs(gsi_cuda_group_merge *merge, const gsi_merge_spec *spec,
                                  gs_error *error)
{
    const gsi_cuda_group *group = merge->group;
    gsi_ledger *ledger = group->config.ledger;
    merge->group_inputs = spec->input_count;
    const uint32_t most = spec->input_count * group->count;
    GSI_TRY(GSI_NEW(ledger, merge->inputs, most, error));
    GSI_TRY(GSI_NEW(ledger, merge->input_of, most, error));
    GSI_TRY(GSI_NEW(ledger, merge->first_input, spec->input_count, error));
    for (uint32_t i = 0; i < spec->input_count; i++) {
        const auto *run = reinterpret_cast<const gsi_cuda_group_run *>(spec->inputs[i].run);
        merge->first_input[i] = merge->input_count;
        for (uint32_t k = 0; k < group->count; k++) {
            if (run != nullptr ? run->parts[k] == nullptr : k > 0)
                continue;
            merge->input_of[merge->input_count] = i;
            merge->inputs[merge->input_count] = spec->inputs[i];
            merge->inputs[merge->input_count++].run = run != nullptr ? run->parts[k] : nullptr;
        }
    }
    return GS_OK;
}

static enum gs_status begin(gsi_cuda_group_merge *merge, const gsi_merge_spec *spec,
                            gs_error *error)
{
    gsi_cuda_group *group = merge->group;
    GSI_TRY(make_inputs(merge, spec, error));
    gsi_merge_spec parts = *spec;
    parts.inputs = merge->inputs;
    parts.input_count = merge->input_count;
    // Waits until runs that moved to the host have arrived, because any member may read them.
    group->base.host_bytes = 0;
    for (uint32_t i = 0; group->plan.host_runs > 0 && i < group->count; i++) {
        gsi_cuda_device *member = group->members[i];
        gsi_cuda_group_enter(group, i);
        if (!gsi_cuda_check(member, cudaStreamSynchronize(member->streams[GSI_CUDA_OUT]),
                            "cannot copy from the GPU"))
            return gsi_cuda_failure(member, error);
        group->base.host_bytes += member->base.host_bytes;
    }
    for (uint32_t i = 0; i < group->count; i++) {
        gsi_device *device = gsi_cuda_group_enter(group, i);
        GSI_TRY(device->ops->merge_begin(device, &parts, &merge->merges[i], error));
    }
    // The first member has shifted the tags of all records; the others read them.
    gsi_cuda_device *first = group->members[0];
    if (group->config.layout.form != GSI_FORM_KEYS &&
        !gsi_cuda_check(first, cudaStreamSynchronize(first->streams[GSI_CUDA_COMPUTE]),
                        "cannot shift tags"))
        return gsi_cuda_failure(first, error);
    return GS_OK;
}

enum gs_status gsi_cuda_group_merge_begin(gsi_device *base, const gsi_merge_spec *spec,
                                          gsi_merge **out, gs_error *error)
{
    gsi_cuda_group *group = gsi_cuda_group_of(base);
    *out = nullptr;
    auto *merge = static_cast<gsi_cuda_group_merge *>(calloc(1, sizeof(gsi_cuda_group_merge)));
    if (merge == nullptr)
        return gsi_fail(error, GS_E_MEMORY, 0, "out of memory: cannot allocate a merge");
    merge->group = group;
    group->merge = merge;
    const enum gs_status status = begin(merge, spec, error);
    if (status == GS_OK)
        *out = reinterpret_cast<gsi_merge *>(merge);
    else
        gsi_cuda_group_merge_end(reinterpret_cast<gsi_merge *>(merge));
    return status;
}

void gsi_cuda_group_merge_end(gsi_merge *ended)
{
    gsi_cuda_group_merge *merge = group_merge_of(ended);
    if (merge == nullptr)
        return;
    gsi_cuda_group *group = merge->group;
    gsi_ledger *ledger = group->config.ledger;
    for (uint32_t i = 0; i < group->count; i++) {
        gsi_device *device = gsi_cuda_group_enter(group, i);
        device->ops->merge_end(merge->merges[i]);
        group->base.pair_merges.count += device->pair_merges.count;
        device->pair_merges.count = 0;
    }
    const uint32_t most = merge->group_inputs * group->count;
    GSI_FREE(ledger, merge->inputs, most);
    GSI_FREE(ledger, merge->input_of, most);
    GSI_FREE(ledger, merge->first_input, merge->group_inputs);
    group->merge = nullptr;
    group->window_held = 0;
    free(merge);
}

void gsi_cuda_group_merge_feed(gsi_merge *fed, uint32_t input_idx, gsi_buffer *buffer,
                               const void *bound)
{
    gsi_cuda_group_merge *merge = group_merge_of(fed);
    const gsi_cuda_group *group = merge->group;
    buffer->device_uses++; // its last user releases it
    for (uint32_t i = 0; i < group->count; i++) {
        gsi_device *device = gsi_cuda_group_enter(group, i);
        device->ops->merge_feed(merge->merges[i], merge->first_input[input_idx], buffer, bound);
    }
    if (--buffer->device_uses == 0)
        gsi_buffer_list_push(&group->members[0]->returned, buffer);
}

// A member skips the windows that others have made.
static enum gsi_pull catch_up(gsi_cuda_group_merge *merge, uint32_t member, uint32_t *needed_idx)
{
    enum gsi_pull pull = GSI_PULL_OK;
    if (merge->passed[member] == merge->pulled)
        return pull;
    gsi_cuda_group_enter(merge->group, member);
    while (merge->passed[member] < merge->pulled &&
           (pull = gsi_cuda_merge_skip(merge->merges[member], merge->window_keys, needed_idx)) ==
               GSI_PULL_OK)
        merge->passed[member]++;
    return pull;
}

void gsi_cuda_group_merge_follow(gsi_cuda_group_merge *merge)
{
    uint32_t unused;
    for (uint32_t i = 0; i < merge->group->count; i++)
        catch_up(merge, i, &unused);
}

enum gsi_pull gsi_cuda_group_merge_pull(gsi_merge *pulled, gsi_buffer *window, uint32_t *needed_idx)
{
    gsi_cuda_group_merge *merge = group_merge_of(pulled);
    gsi_cuda_group *group = merge->group;
    const uint32_t owner = static_cast<uint32_t>(merge->pulled % group->count);
    enum gsi_pull pull = GSI_PULL_OK;
    *needed_idx = 0;
    for (uint32_t i = 0; i < group->count && pull == GSI_PULL_OK; i++)
        pull = catch_up(merge, i, needed_idx);
    if (pull == GSI_PULL_OK) {
        gsi_device *device = gsi_cuda_group_enter(group, owner);
        pull = device->ops->merge_pull(merge->merges[owner], window, needed_idx);
        if (pull == GSI_PULL_OK) {
            merge->passed[owner]++;
            merge->pulled++;
            merge->window_keys = window->capacity / group->config.layout.key_bytes;
            group->windows[(group->window_first + group->window_held++) %
                           group->config.window_count] = {window, false};
            gsi_cuda_group_merge_follow(merge);
        }
    }
    if (pull == GSI_PULL_NEED && *needed_idx < merge->input_count)
        *needed_idx = merge->input_of[*needed_idx];
    return pull;
}
