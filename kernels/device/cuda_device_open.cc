// cuda_device_open.cc: opens and closes the CUDA device: probes the GPU, allocates all memory and
// frees it.
#include "kernels/device/cuda_device.h"

#include "base/pool.h"
#include "element/width.h"
#include "kernels/common/bulk_copy.cuh"
#include "plan/plan.h"

#include <stdio.h>
#include <stdlib.h>

// As many threads as touch memory well together; more gain little.
#define POPULATE_THREADS 8

// Parts, and after them the chains.
#define PART_ENTRIES (GSI_CUDA_PARTS + GSI_CUDA_SLICES)

// Records whose keys are longer than tags hold may tie. The bytes that their keys share are known
// only later.
static const gsi_sort_kernels *kernels_of(const gsi_layout *layout)
{
    if (layout->form != GSI_FORM_KEYS && gsi_ties_are_possible(layout->record, 0))
        return &gsi_sort_kernels_tied;
    return GSI_BY_WIDTH(gsi_sort_bytes(layout), &gsi_sort_kernels_4, &gsi_sort_kernels_8,
                        &gsi_sort_kernels_16);
}

enum gs_status gsi_cuda_probe(uint32_t index, const gsi_layout *layout, gsi_device_limits *limits,
                              gs_error *error)
{
    int count = 0;
    cudaError_t code = cudaGetDeviceCount(&count);
    if (code == cudaErrorNoDevice || code == cudaErrorInsufficientDriver ||
        (code == cudaSuccess && count == 0))
        return gsi_fail(
            error, GS_E_DEVICE, 0,
            "--device: this machine has no NVIDIA GPU with a CUDA driver; use --device cpu");
    if (code == cudaSuccess && index >= static_cast<uint32_t>(count))
        return gsi_fail(error, GS_E_USAGE, 0,
                        "--device: there is no cuda:%u; GPUs are numbered from 0 to %d", index,
                        count - 1);
    cudaDeviceProp properties;
    size_t free_bytes = 0, total_bytes = 0;
    if (code == cudaSuccess)
        code = cudaSetDevice(static_cast<int>(index));
    if (code == cudaSuccess)
        code = cudaGetDeviceProperties(&properties, static_cast<int>(index));
    if (code == cudaSuccess)
        code = cudaMemGetInfo(&free_bytes, &total_bytes);
    if (code != cudaSuccess) {
        cudaGetLastError();
        return gsi_fail(
            error, GS_E_DEVICE, 0,
            "--device: cuda:%u cannot be used: %s; use --device cpu to sort without a GPU", index,
            cudaGetErrorString(code));
    }
    if (limits->is_circular && properties.major < GSI_BULK_COPY_MAJOR)
        return gsi_fail(
            error, GS_E_DEVICE, 0,
            "--tune: merge=circular needs a GPU of compute capability %d.0, but cuda:%u has %d.%d",
            GSI_BULK_COPY_MAJOR, index, properties.major, properties.minor);
    const uint64_t sample_keys = 1 << 20;
    const size_t scratch = kernels_of(layout)->chunk_scratch_bytes(sample_keys);
    limits->memory_bytes = free_bytes;
    limits->fixed_bytes = !gsi_layout_is_native(layout) ? gsi_cuda_records_overhead(layout) : 0;
    limits->scratch_part = gsi_max_u64(1, sample_keys * gsi_sort_bytes(layout) /
                                              (2 * scratch + 1)); // halved: other sizes may need
                                                                  // more
    snprintf(limits->name, sizeof limits->name, "%.63s", properties.name);
    return GS_OK;
}

// Registering the arena takes time mainly because its pages are touched. Threads touch them
// together.
struct populate_part {
    pthread_t thread;
    bool is_started;
    uint8_t *memory;
    size_t bytes;
};

static void *populate(void *argument)
{
    populate_part *part = static_cast<populate_part *>(argument);
    gsi_memory_populate(part->memory, part->bytes);
    return nullptr;
}

static void populate_begin(const gsi_device_config *config,
                           populate_part (&parts)[POPULATE_THREADS])
{
    const uint64_t step = gsi_round_up_u64(config->arena_bytes / POPULATE_THREADS + 1, 2 << 20);
    for (uint32_t i = 0; i < POPULATE_THREADS && i * step < config->arena_bytes; i++) {
        parts[i].memory = config->arena + i * step;
        parts[i].bytes = gsi_min_u64(step, config->arena_bytes - i * step);
        parts[i].is_started = gsi_thread_start(&parts[i].thread, populate, &parts[i]) == 0;
    }
}

static void populate_end(populate_part (&parts)[POPULATE_THREADS])
{
    for (populate_part &part : parts)
        if (part.is_started)
            pthread_join(part.thread, nullptr);
}

// If registration is refused (by a memory limit, for example), copies are slower, and as correct.
static void pin_arena(gsi_cuda_device *device)
{
    device->is_pinned = cudaHostRegister(device->config.arena, device->config.arena_bytes,
                                         cudaHostRegisterPortable) == cudaSuccess;
    if (!device->is_pinned)
        cudaGetLastError();
}

static bool open_streams(gsi_cuda_device *device)
{
    bool is_well = gsi_cuda_enter(device) &&
                   gsi_cuda_check(device, device->kernels->prepare(), "cannot load the kernels");
    for (cudaStream_t &stream : device->streams)
        is_well = is_well &&
                  gsi_cuda_check(device, cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking),
                                 "cannot create a stream");
    is_well = is_well &&
              gsi_cuda_check(device,
                             cudaStreamCreateWithFlags(&device->cut_stream, cudaStreamNonBlocking),
                             "cannot create a stream");
    for (cudaEvent_t &event : device->window_free)
        is_well = is_well &&
                  gsi_cuda_check(device, cudaEventCreateWithFlags(&event, cudaEventDisableTiming),
                                 "cannot create an event");
    for (uint32_t i = 0; is_well && i < device->config.plan->device_runs; i++)
        is_well = gsi_cuda_check(
            device, cudaEventCreateWithFlags(&device->slots[i].left, cudaEventDisableTiming),
            "cannot create an event");
    return is_well &&
           gsi_cuda_check(device, cudaEventCreateWithFlags(&device->joint, cudaEventDisableTiming),
                          "cannot create an event");
}

// Size of a window, with room for the groups of a tree of merges to begin at multiples of 16 keys.
static uint64_t window_room(const gsi_cuda_device *device)
{
    const gsi_plan *plan = device->config.plan;
    return gsi_max_u64(plan->window_bytes, plan->frame_bytes) +
           uint64_t(GSI_CUDA_SLICES) * gsi_sort_bytes(&device->config.layout);
}

// Allocates the tallies of the input and of the sorted numbers.
static bool open_counts(gsi_cuda_device *device)
{
    const gsi_layout *put = &device->put, *sorted = &device->config.layout;
    const bool has_put_tally = device->config.carry != nullptr && gsi_layout_is_native(put);
    return (gsi_layout_is_native(put) || gsi_cuda_records_open(device)) &&
           (!gsi_layout_is_native(sorted) ||
            gsi_cuda_take(device, reinterpret_cast<uint8_t **>(&device->tally),
                          gsi_cuda_tally_bytes(sorted))) &&
           (!has_put_tally ||
            gsi_cuda_take(device, reinterpret_cast<uint8_t **>(&device->put_tally),
                          gsi_cuda_tally_bytes(put)));
}

static bool open_memory(gsi_cuda_device *device)
{
    const gsi_device_config *config = &device->config;
    const gsi_plan *plan = config->plan;
    const uint32_t key_bytes = gsi_sort_bytes(&config->layout);
    const bool has_tags = config->layout.form != GSI_FORM_KEYS;
    bool is_well = open_counts(device) &&
                   gsi_cuda_take(device, &device->mirror, plan->device_mirror_bytes) &&
                   gsi_cuda_take(device, &device->digests,
                                 device->digest_count * gsi_cuda_seen_bytes(&config->layout));
    if (plan->device_runs == 0) // a reduction
        return is_well;
    const uint64_t window_bytes = gsi_max_u64(plan->window_bytes, plan->frame_bytes);
    const uint64_t run_keys =
        has_tags ? device->records.run_records : plan->device_run_bytes / key_bytes;
    const size_t scratch = gsi_max_u64(
        device->kernels->chunk_scratch_bytes(run_keys),
        device->kernels->merge_scratch_bytes(window_bytes / key_bytes, GSI_CUDA_SLICES));
    is_well = is_well && gsi_cuda_take(device, &device->scratch, scratch) &&
              gsi_cuda_take(device, &device->spare, run_keys * key_bytes) &&
              gsi_cuda_take(device, &device->temp, window_room(device)) &&
              gsi_cuda_take(device, &device->gathered, window_room(device));
    for (uint8_t *&window : device->windows)
        is_well = is_well && gsi_cuda_take(device, &window, window_room(device));
    for (; is_well && device->slot_count < plan->device_runs; device->slot_count++)
        is_well = gsi_cuda_take(device, &device->slots[device->slot_count].keys,
                                run_keys * config->layout.element_bytes);
    if (plan->spilled_runs > 0 && !has_tags) { // frames may be compressed
        is_well =
            is_well &&
            gsi_cuda_take(device, &device->found, GSI_CUDA_WINDOWS * sizeof *device->found) &&
            gsi_cuda_take(device, &device->unpacking, plan->frame_bytes) &&
            gsi_cuda_take(device, &device->unpacking_sums,
                          gsi_cuda_planes_sums_bytes(key_bytes, plan->frame_bytes / key_bytes));
        for (uint8_t *&planes : device->planes)
            is_well = is_well && gsi_cuda_take(device, &planes, plan->frame_bytes);
    }
    return is_well && gsi_cuda_take(device, &device->parts, PART_ENTRIES * sizeof *device->parts);
}

static bool open_staging(gsi_cuda_device *device)
{
    const gsi_layout *layout = &device->config.layout, *put = &device->put;
    uint64_t tally_bytes = !gsi_layout_is_native(put) ? gsi_cuda_records_staging_bytes(put)
                                                      : gsi_cuda_tally_bytes(put);
    if (device->config.carry != nullptr)
        tally_bytes = gsi_max_u64(tally_bytes, gsi_cuda_tally_bytes(layout));
    return gsi_cuda_take_pinned(device, &device->digest_staging,
                                device->digest_count * gsi_cuda_seen_bytes(layout)) &&
           gsi_cuda_take_pinned(device, &device->tally_staging, tally_bytes) &&
           gsi_cuda_take_pinned(device, &device->found_staging,
                                GSI_CUDA_WINDOWS * sizeof *device->found_staging) &&
           gsi_cuda_take_pinned(device, &device->part_staging,
                                PART_ENTRIES * sizeof *device->part_staging) &&
           gsi_cuda_take_pinned(device, &device->cut_staging,
                                GSI_CUDA_CUT_ENTRIES * sizeof *device->cut_staging) &&
           gsi_cuda_take_pinned(device, &device->total_staging,
                                GSI_CUDA_CUT_WINDOWS * sizeof *device->total_staging);
}

// Clears memory that is read before it is written. All of a digest is fetched, even if only a
// part was written. Keys are read in whole units, with neighbouring bytes in the mirror, or after a
// group of a tree.
static bool clear_memory(gsi_cuda_device *device)
{
    const cudaStream_t compute = device->streams[GSI_CUDA_COMPUTE];
    const gsi_plan *plan = device->config.plan;
    const uint64_t room = plan->device_runs > 0 ? window_room(device) : 0;
    const struct {
        void *memory;
        uint64_t bytes;
    } parts[] = {
        {device->digests, device->digest_count * gsi_cuda_seen_bytes(&device->config.layout)},
        {device->mirror, plan->device_mirror_bytes},
        {device->temp, room},
        {device->gathered, room},
        {device->windows[0], room},
        {device->windows[1], room},
        {device->windows[2], room},
    };
    static_assert(GSI_CUDA_WINDOWS == 3, "all windows are cleared");
    for (const auto &part : parts)
        if (part.bytes > 0 &&
            !gsi_cuda_check(device, cudaMemsetAsync(part.memory, 0, part.bytes, compute),
                            "cannot clear memory"))
            return false;
    if (device->tally != nullptr &&
        !gsi_cuda_check(device,
                        gsi_cuda_tally_clear(&device->config.layout, device->tally, compute),
                        "cannot clear memory"))
        return false;
    if (device->put_tally != nullptr &&
        !gsi_cuda_check(device, gsi_cuda_tally_clear(&device->put, device->put_tally, compute),
                        "cannot clear memory"))
        return false;
    return gsi_cuda_order(device, GSI_CUDA_COMPUTE, GSI_CUDA_IN);
}

static void close_slot(gsi_cuda_slot *slot)
{
    cudaFree(slot->keys);
    cudaFree(slot->tags);
    if (slot->left != nullptr)
        cudaEventDestroy(slot->left);
}

void gsi_cuda_close(gsi_device *base)
{
    gsi_cuda_device *device = reinterpret_cast<gsi_cuda_device *>(base);
    if (device == nullptr)
        return;
    cudaDeviceSynchronize(); // queued work of a failed job uses everything below
    gsi_cuda_waiters_stop(device);
    gsi_cuda_host_close(device);
    if (device->open_run != nullptr)
        gsi_cuda_run_gone(device, device->open_run);
    free(device->open_run);
    for (uint32_t i = device->slots_taken; i < GSI_DEVICE_RUNS_MAX; i++)
        close_slot(&device->slots[i]);
    gsi_cuda_records_close(device);
    for (uint8_t *window : device->windows)
        cudaFree(window);
    for (uint8_t *planes : device->planes)
        cudaFree(planes);
    void *const taken[] = {device->tally,     device->put_tally,      device->mirror,
                           device->digests,   device->scratch,        device->spare,
                           device->temp,      device->parts,          device->gathered,
                           device->unpacking, device->unpacking_sums, device->found};
    for (void *memory : taken)
        cudaFree(memory);
    void *const pinned[] = {device->digest_staging, device->tally_staging, device->part_staging,
                            device->cut_staging,    device->total_staging, device->found_staging};
    for (void *memory : pinned)
        cudaFreeHost(memory);
    if (device->is_pinned)
        cudaHostUnregister(device->config.arena);
    for (cudaEvent_t event : device->window_free)
        if (event != nullptr)
            cudaEventDestroy(event);
    if (device->joint != nullptr)
        cudaEventDestroy(device->joint);
    for (cudaStream_t stream : device->streams)
        if (stream != nullptr)
            cudaStreamDestroy(stream);
    if (device->cut_stream != nullptr)
        cudaStreamDestroy(device->cut_stream);
    cudaGetLastError();
    free(device);
}

enum gs_status gsi_cuda_open(const gsi_device_config *config, gsi_device **out, gs_error *error)
{
    *out = nullptr;
    gsi_cuda_device *device = static_cast<gsi_cuda_device *>(calloc(1, sizeof *device));
    if (device == nullptr)
        return gsi_fail(error, GS_E_MEMORY, 0, "out of memory: cannot allocate the CUDA device");
    device->base.ops = &gsi_device_cuda;
    device->config = *config;
    gsi_cuda_pairs_begin(device);
    device->kernels = kernels_of(&config->layout);
    device->digest_count =
        config->plan->device_runs > 0 ? config->window_count : config->chunk_buffers;
    gsi_buffer_list_init(&device->returned);
    populate_part parts[POPULATE_THREADS] = {};
    populate_begin(config, parts); // while the GPU's memory is allocated
    const bool has_waiters = gsi_cuda_waiters_start(device);
    if (!has_waiters)
        gsi_cuda_check(device, cudaErrorOperatingSystem, "cannot start a thread");
    const bool is_open = has_waiters && open_streams(device) && open_memory(device) &&
                         open_staging(device) && clear_memory(device);
    populate_end(parts);
    enum gs_status status = GS_OK;
    if (is_open) {
        pin_arena(device);
        status = gsi_cuda_host_open(device, error);
    } else {
        status = gsi_fail(error, device->failure_status, 0,
                          "%s; use --device cpu to sort without a GPU", device->failure);
    }
    if (status == GS_OK)
        *out = &device->base;
    else
        gsi_cuda_close(&device->base);
    return status;
}
