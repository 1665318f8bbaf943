// cuda_group_open.cc: chooses the GPUs of a group, opens and closes the group.
#include "kernels/device/cuda_group.h"
#include "kernels/device/cuda_group_order.h"

#include "base/pool.h"
#include "plan/plan_rings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A GPU with less than 1 / LEAST_MEMORY_PART of the largest one's free memory is left out, because
// all are used equally.
#define LEAST_MEMORY_PART 2

static bool can_reach(uint32_t from, uint32_t to)
{
    int is_possible = 0;
    const cudaError_t error =
        cudaDeviceCanAccessPeer(&is_possible, static_cast<int>(from), static_cast<int>(to));
    cudaGetLastError();
    return error == cudaSuccess && is_possible != 0;
}

// Returns whether GPU `index` and all of `members` have access to each other's memory.
static bool reaches_all(uint64_t members, uint32_t index)
{
    for (uint32_t i = 0; i < 64; i++)
        if ((members >> i & 1) != 0 && (!can_reach(i, index) || !can_reach(index, i)))
            return false;
    return true;
}

static int count_of(uint64_t set)
{
    return __builtin_popcountll(set);
}

// Calls work(0) to work(count - 1) at the same time, because each GPU takes a part of a second to
// begin. Calls for which no thread can be started are made one after the other.
template <class Work> static void at_once(uint32_t count, const Work &work)
{
    struct call {
        const Work *work;
        uint32_t index;
        pthread_t thread;
        bool is_started;
    } calls[64] = {};
    const auto run = [](void *argument) -> void * {
        const call *self = static_cast<call *>(argument);
        (*self->work)(self->index);
        return nullptr;
    };
    for (uint32_t i = 1; i < count; i++) {
        calls[i].work = &work;
        calls[i].index = i;
        calls[i].is_started = gsi_thread_start(&calls[i].thread, run, &calls[i]) == 0;
    }
    for (uint32_t i = 0; i < count; i++)
        if (!calls[i].is_started)
            work(i);
    for (uint32_t i = 0; i < count; i++)
        if (calls[i].is_started)
            pthread_join(calls[i].thread, nullptr);
}

// Returns the number of GPUs to probe: the wanted ones, or all that there are. The first one is
// always probed, because its probe says why there is none.
static uint32_t list_wanted(uint64_t set, uint32_t (&indices)[64])
{
    int there = 0;
    const bool is_all = set == UINT64_MAX;
    if (is_all && cudaGetDeviceCount(&there) != cudaSuccess)
        cudaGetLastError();
    uint32_t count = 0;
    for (uint32_t i = 0; i < 64; i++)
        if ((set >> i & 1) != 0 && (!is_all || i == 0 || i < static_cast<uint32_t>(there)))
            indices[count++] = i;
    return count;
}

// With `all`, GPUs that are missing or unusable are left out.
static enum gs_status probe_each(const gsi_layout *layout, const gsi_device_limits *wanted,
                                 uint64_t *set, gsi_device_limits (&each)[64], gs_error *error)
{
    const bool is_all = wanted->device_set == UINT64_MAX;
    uint32_t indices[64];
    enum gs_status statuses[64];
    gs_error errors[64] = {};
    const uint32_t count = list_wanted(wanted->device_set, indices);
    at_once(count, [&](uint32_t i) {
        gsi_device_limits *limits = &each[indices[i]];
        limits->merge_kernel = wanted->merge_kernel;
        statuses[i] = gsi_device_cuda.probe(indices[i], layout, limits, &errors[i]);
    });
    *set = 0;
    uint32_t failed = count; // the first one
    for (uint32_t i = count; i-- > 0;) {
        if (statuses[i] == GS_OK)
            *set |= UINT64_C(1) << indices[i];
        else
            failed = i;
    }
    if (failed == count || (is_all && *set != 0))
        return GS_OK;
    *error = errors[failed];
    return statuses[failed];
}

// Removes GPUs from the set: those with too little memory, those without peer access to the others
// (unless may_be_apart), and those above the limit.
static void leave_out(uint64_t *set, const gsi_device_limits (&each)[64], bool may_be_apart)
{
    uint64_t most = 0, kept = 0;
    uint32_t count = 0;
    for (uint32_t i = 0; i < 64; i++)
        if ((*set >> i & 1) != 0)
            most = gsi_max_u64(most, each[i].memory_bytes);
    for (uint32_t i = 0; i < 64; i++) {
        if ((*set >> i & 1) == 0 || count == GSI_CUDA_GROUP_MAX ||
            each[i].memory_bytes < most / LEAST_MEMORY_PART ||
            (!may_be_apart && !reaches_all(kept, i)))
            continue;
        kept |= UINT64_C(1) << i;
        count++;
    }
    *set = kept;
}

enum gs_status gsi_cuda_group_probe(uint32_t, const gsi_layout *layout, gsi_device_limits *limits,
                                    gs_error *error)
{
    gsi_device_limits each[64] = {};
    uint64_t set = 0;
    const enum gs_status status = probe_each(layout, limits, &set, each, error);
    if (status != GS_OK)
        return status;
    const bool may_be_apart = limits->may_be_apart && layout->form == GSI_FORM_KEYS;
    uint64_t all = set;
    leave_out(&set, each, false);
    leave_out(&all, each, may_be_apart);
    *limits = gsi_device_limits();
    // If some GPUs have peer access, they are faster on their own.
    limits->is_apart = count_of(set) == 1 && count_of(all) > 1;
    set = limits->is_apart ? all : set;
    limits->device_set = set;
    limits->memory_bytes = UINT64_MAX;
    limits->scratch_part = UINT64_MAX;
    for (uint32_t i = 0; i < 64; i++) {
        if ((set >> i & 1) == 0)
            continue;
        limits->device_count++;
        limits->memory_bytes = gsi_min_u64(limits->memory_bytes, each[i].memory_bytes);
        limits->fixed_bytes = gsi_max_u64(limits->fixed_bytes, each[i].fixed_bytes);
        limits->scratch_part = gsi_min_u64(limits->scratch_part, each[i].scratch_part);
        memcpy(limits->name, each[i].name, sizeof limits->name);
    }
    if (limits->device_count > 1) {
        char name[sizeof limits->name];
        memcpy(name, limits->name, sizeof name);
        snprintf(limits->name, sizeof limits->name, "%u x %.48s", limits->device_count, name);
    }
    return GS_OK;
}

static void blame(const gsi_cuda_group *group, uint32_t index)
{
    if (group->config.failed_set != nullptr)
        *group->config.failed_set |= UINT64_C(1) << index;
}

// Enables peer access between all members. Without peer access no run stays on a GPU.
static enum gs_status connect(const gsi_cuda_group *group, gs_error *error)
{
    for (uint32_t i = 0; i < group->count; i++) {
        gsi_cuda_group_enter(group, i);
        for (uint32_t k = 0; k < group->count; k++) {
            const uint32_t peer = group->members[k]->config.device_index;
            const cudaError_t code =
                k == i ? cudaSuccess : cudaDeviceEnablePeerAccess(static_cast<int>(peer), 0);
            cudaGetLastError();
            if (code == cudaSuccess || code == cudaErrorPeerAccessAlreadyEnabled)
                continue;
            blame(group, peer);
            return gsi_fail(error, GS_E_DEVICE, 0,
                            "cuda:%u: cannot read the memory of cuda:%u: %s; use --device cuda:%u "
                            "to sort on one GPU",
                            group->members[i]->config.device_index, peer, cudaGetErrorString(code),
                            group->members[0]->config.device_index);
        }
    }
    return GS_OK;
}

static enum gs_status open_members(gsi_cuda_group *group, gs_error *error)
{
    uint32_t indices[64], count = 0;
    enum gs_status statuses[64], status = GS_OK;
    gs_error errors[64] = {};
    gsi_cuda_device *opened[64];
    for (uint32_t i = 0; i < 64; i++)
        if ((group->config.device_set >> i & 1) != 0)
            indices[count++] = i;
    gsi_cuda_group_order("/sys", indices, count);
    gsi_cuda_arena_begin(&group->arena, &group->config);
    at_once(count, [&](uint32_t i) {
        gsi_device_config config = group->config;
        config.device_index = indices[i];
        config.plan = &group->plan;
        config.window_count++; // one more, to skip with
        statuses[i] = gsi_cuda_open_member(&config, &opened[i], &errors[i]);
    });
    for (uint32_t i = 0; i < count; i++) {
        if (statuses[i] == GS_OK) {
            group->members[group->count++] = opened[i];
            continue;
        }
        blame(group, indices[i]);
        if (status == GS_OK) {
            status = statuses[i];
            *error = errors[i];
        }
    }
    return status;
}

// Pins the arena for all members, and begins to pin the host memory of their runs.
static enum gs_status pin(gsi_cuda_group *group, gs_error *error)
{
    gsi_cuda_group_enter(group, 0);
    gsi_cuda_arena_pin(&group->arena);
    for (uint32_t i = 0; i < group->count; i++) {
        gsi_cuda_group_enter(group, i);
        GSI_TRY(gsi_cuda_host_open(group->members[i], error));
    }
    return GS_OK;
}

enum gs_status gsi_cuda_group_open(const gsi_device_config *config, gsi_device **out,
                                   gs_error *error)
{
    *out = nullptr;
    gsi_cuda_group *group = static_cast<gsi_cuda_group *>(calloc(1, sizeof *group));
    if (group == nullptr)
        return gsi_fail(error, GS_E_MEMORY, 0, "out of memory: cannot allocate the CUDA devices");
    group->base.ops = &gsi_device_cuda_group;
    group->config = *config;
    group->plan = gsi_plan_for_one_device(config->plan);
    group->next_position = config->first_position;
    enum gs_status status = GSI_NEW(config->ledger, group->windows, config->window_count, error);
    if (status == GS_OK)
        status = open_members(group, error);
    if (status == GS_OK && !config->lacks_peer_access)
        status = connect(group, error);
    if (status == GS_OK)
        status = pin(group, error);
    if (status == GS_OK)
        *out = &group->base;
    else
        gsi_cuda_group_close(&group->base);
    return status;
}

// Drops the runs of a job that failed; the members drop their parts of the open one.
static void drop_runs(gsi_cuda_group *group)
{
    while (group->runs != nullptr)
        group->base.ops->run_drop(&group->base, reinterpret_cast<gsi_run *>(group->runs));
    free(group->open_run);
}

void gsi_cuda_group_close(gsi_device *base)
{
    gsi_cuda_group *group = gsi_cuda_group_of(base);
    if (group == nullptr)
        return;
    for (uint32_t i = 0; i < group->count; i++) { // a failed job leaves queued work
        gsi_cuda_group_enter(group, i);
        cudaDeviceSynchronize();
    }
    drop_runs(group);
    for (uint32_t i = 0; i < group->count; i++)
        gsi_cuda_close(gsi_cuda_group_enter(group, i));
    gsi_cuda_arena_end(&group->arena);
    GSI_FREE(group->config.ledger, group->windows, group->config.window_count);
    free(group);
}
