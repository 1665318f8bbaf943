// cuda_group.cc: implements chunks, reductions and events of several GPUs that work as one device.
#include "kernels/device/cuda_group.h"
#include "kernels/common/cuda_current.h"

#include <stdlib.h>

gsi_device *gsi_cuda_group_enter(const gsi_cuda_group *group, uint32_t member)
{
    gsi_cuda_device *device = group->members[member];
    gsi_cuda_enter(device);
    return &device->base;
}

static gsi_cuda_group_run *open_run(gsi_cuda_group *group)
{
    if (group->open_run == nullptr) {
        group->open_run = static_cast<gsi_cuda_group_run *>(calloc(1, sizeof *group->open_run));
        group->open_chunks = 0;
    }
    return group->open_run;
}

// Returns the member for the next chunk of the open run.
static uint32_t choose_member(const gsi_cuda_group *group)
{
    if (group->config.layout.form == GSI_FORM_KEYS)
        return group->open_chunks % group->count;
    return gsi_min_u32(group->open_chunks / group->plan.chunks_per_run, group->count - 1);
}

// Gives a member the job's first record, which another member may have. The bytes that all records
// share are found by comparing with that record.
static void share_first(gsi_cuda_group *group, gsi_cuda_device *member)
{
    const gsi_cuda_device *first = group->members[0];
    if (group->config.layout.form == GSI_FORM_KEYS || member->records.has_first || member == first)
        return;
    member->records.has_first = true;
    gsi_cuda_check(member, cudaStreamSynchronize(first->streams[GSI_CUDA_COMPUTE]),
                   "cannot copy between GPUs");
    gsi_cuda_check(member,
                   cudaMemcpyAsync(member->records.first, first->records.first,
                                   group->config.layout.record->bytes, cudaMemcpyDefault,
                                   member->streams[GSI_CUDA_COMPUTE]),
                   "cannot copy between GPUs");
}

static enum gs_status group_chunk_put(gsi_device *base, gsi_buffer *buffer, gs_error *error)
{
    gsi_cuda_group *group = gsi_cuda_group_of(base);
    if (open_run(group) == nullptr)
        return gsi_fail(error, GS_E_MEMORY, 0, "out of memory: cannot allocate a run");
    const uint32_t i = choose_member(group);
    gsi_cuda_device *member = group->members[i];
    gsi_device *device = gsi_cuda_group_enter(group, i);
    share_first(group, member);
    if (member->runs.open == nullptr) // indexes of records are unique in the whole group
        member->records.run_count = group->part_count++;
    member->input.next_position = group->next_position; // and so are positions
    group->next_position += buffer->bytes / member->input.layout.element_bytes;
    group->open_chunks++;
    return device->ops->chunk_put(device, buffer, error);
}

static enum gs_status group_chunk_seal(gsi_device *base, gsi_run **out, gs_error *error)
{
    gsi_cuda_group *group = gsi_cuda_group_of(base);
    gsi_cuda_group_run *run = open_run(group);
    *out = nullptr;
    if (run == nullptr)
        return gsi_fail(error, GS_E_MEMORY, 0, "out of memory: cannot allocate a run");
    run->next = group->runs; // from here on close finds its parts
    group->runs = run;
    group->open_run = nullptr;
    for (uint32_t i = 0; i < group->count; i++) {
        // An empty run is a part on the first member.
        if (group->members[i]->runs.open == nullptr && (i > 0 || group->open_chunks > 0))
            continue;
        gsi_device *device = gsi_cuda_group_enter(group, i);
        const enum gs_status status = device->ops->chunk_seal(device, &run->parts[i], error);
        if (status != GS_OK)
            return status;
        run->unsorted_count++;
    }
    group->open_chunks = 0;
    *out = reinterpret_cast<gsi_run *>(run);
    return GS_OK;
}

static void group_run_drop(gsi_device *base, gsi_run *dropped)
{
    gsi_cuda_group *group = gsi_cuda_group_of(base);
    gsi_cuda_group_run *run = reinterpret_cast<gsi_cuda_group_run *>(dropped);
    for (uint32_t i = 0; i < group->count; i++)
        if (run->parts[i] != nullptr) {
            gsi_device *device = gsi_cuda_group_enter(group, i);
            device->ops->run_drop(device, run->parts[i]);
        }
    gsi_cuda_group_run **at = &group->runs;
    while (*at != run)
        at = &(*at)->next;
    *at = run->next;
    free(run);
}

static void group_reduce(gsi_device *base, gsi_buffer *buffer, bool is_ordered)
{
    gsi_cuda_group *group = gsi_cuda_group_of(base);
    const uint32_t i = group->next_reduced++ % group->count;
    gsi_device *device = gsi_cuda_group_enter(group, i);
    device->ops->reduce(device, buffer, is_ordered);
}

// ---- events ----

// Returns the run that contains a sorted part.
static gsi_cuda_group_run *run_of(const gsi_cuda_group *group, uint32_t member, const gsi_run *part)
{
    gsi_cuda_group_run *run = group->runs;
    while (run->parts[member] != part)
        run = run->next;
    return run;
}

static void window_done(gsi_cuda_group *group, const gsi_buffer *buffer)
{
    for (uint32_t i = 0; i < group->window_held; i++) {
        gsi_cuda_group_window *window =
            &group->windows[(group->window_first + i) % group->config.window_count];
        window->is_done |= window->buffer == buffer;
    }
}

// Converts a member's event to one of the group's; returns false if the group has no event for it.
static bool is_event(gsi_cuda_group *group, uint32_t member, gsi_event *event)
{
    if (event->status != GS_OK || event->kind == GSI_EVENT_BUFFER)
        return true;
    if (event->kind == GSI_EVENT_WINDOW) {
        window_done(group, event->buffer);
        return false;
    }
    gsi_cuda_group_run *run = run_of(group, member, event->run);
    event->run = reinterpret_cast<gsi_run *>(run);
    return --run->unsorted_count == 0;
}

// Reports the oldest pulled window, if it is done.
static bool reap_window(gsi_cuda_group *group, gsi_event *event)
{
    gsi_cuda_group_window *window = &group->windows[group->window_first];
    if (group->window_held == 0 || !window->is_done)
        return false;
    *event = gsi_event();
    event->kind = GSI_EVENT_WINDOW;
    event->buffer = window->buffer;
    group->window_first = (group->window_first + 1) % group->config.window_count;
    group->window_held--;
    return true;
}

static bool group_reap(gsi_device *base, gsi_event *event)
{
    gsi_cuda_group *group = gsi_cuda_group_of(base);
    if (reap_window(group, event))
        return true;
    bool has_event = false;
    for (uint32_t tried = 0; tried < group->count && !has_event; tried++) {
        const uint32_t i = group->next_reaped++ % group->count;
        gsi_device *device = gsi_cuda_group_enter(group, i);
        while (!has_event && device->ops->reap(device, event))
            has_event = is_event(group, i, event);
    }
    if (group->merge != nullptr)
        gsi_cuda_group_merge_follow(group->merge);
    return has_event || reap_window(group, event);
}

static bool group_is_busy(const gsi_device *base)
{
    const gsi_cuda_group *group = reinterpret_cast<const gsi_cuda_group *>(base);
    for (uint32_t i = 0; i < group->count; i++)
        if (group->members[i]->tickets.issued_count > 0)
            return true;
    return false;
}

static enum gs_status group_tally(gsi_device *base, gsi_tally_report *tally, gs_error *error)
{
    const gsi_cuda_group *group = gsi_cuda_group_of(base);
    return gsi_cuda_tally_devices(group->members, group->count, tally, error);
}

static constexpr gsi_device_ops group_ops()
{
    gsi_device_ops ops = {};
    ops.name = "cuda";
    ops.takes_packed = true;
    ops.probe = gsi_cuda_kept<gsi_cuda_group_probe>::call;
    ops.open = gsi_cuda_kept<gsi_cuda_group_open>::call;
    ops.close = gsi_cuda_kept<gsi_cuda_group_close>::call;
    ops.chunk_put = gsi_cuda_kept<group_chunk_put>::call;
    ops.chunk_seal = gsi_cuda_kept<group_chunk_seal>::call;
    ops.run_drop = gsi_cuda_kept<group_run_drop>::call;
    ops.merge_begin = gsi_cuda_kept<gsi_cuda_group_merge_begin>::call;
    ops.merge_feed = gsi_cuda_kept<gsi_cuda_group_merge_feed>::call;
    ops.merge_pull = gsi_cuda_kept<gsi_cuda_group_merge_pull>::call;
    ops.merge_end = gsi_cuda_kept<gsi_cuda_group_merge_end>::call;
    ops.reduce = gsi_cuda_kept<group_reduce>::call;
    ops.reaches = gsi_cuda_reaches;
    ops.reap = gsi_cuda_kept<group_reap>::call;
    ops.is_busy = group_is_busy;
    ops.tally = gsi_cuda_kept<group_tally>::call;
    return ops;
}

const gsi_device_ops gsi_device_cuda_group = group_ops();
