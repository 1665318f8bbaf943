// cuda_device_open.cc: probes the GPU, opens the CUDA device and closes it.
#include "kernels/device/cuda_device.h"

#include "element/width.h"
#include "kernels/common/bulk_copy.cuh"
#include "plan/plan.h"

#include <stdio.h>
#include <stdlib.h>

// Records whose keys are longer than tags hold may tie. The bytes that their keys share are known
// only later.
static const gsi_sort_kernels *kernels_of(const gsi_layout *layout)
{
    if (layout->form != GSI_FORM_KEYS && gsi_ties_are_possible(layout->record, GSI_TAG_KEY_BYTES))
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
    if (limits->merge_kernel != GSI_MERGE_TILED && properties.major < GSI_BULK_COPY_MAJOR)
        return gsi_fail(
            error, GS_E_DEVICE, 0,
            "--tune: merge=%s needs a GPU of compute capability %d.0, but cuda:%u has %d.%d",
            gsi_merge_kernel_word(limits->merge_kernel), GSI_BULK_COPY_MAJOR, index,
            properties.major, properties.minor);
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
    return is_well &&
           gsi_cuda_check(device, cudaEventCreateWithFlags(&device->joint, cudaEventDisableTiming),
                          "cannot create an event");
}

// Allocates the tallies of the input and of the sorted numbers.
static bool open_counts(gsi_cuda_device *device)
{
    const gsi_layout *put = &device->input.layout, *sorted = &device->config.layout;
    const bool has_put_tally = device->config.entry_map != nullptr && gsi_layout_is_native(put);
    return (gsi_layout_is_native(put) || gsi_cuda_records_open(device)) &&
           (!gsi_layout_is_native(sorted) ||
            gsi_cuda_alloc(device, reinterpret_cast<uint8_t **>(&device->tally),
                           gsi_cuda_tally_bytes(sorted))) &&
           (!has_put_tally ||
            gsi_cuda_alloc(device, reinterpret_cast<uint8_t **>(&device->input.tally),
                           gsi_cuda_tally_bytes(put)));
}

static bool open_scratch(gsi_cuda_device *device)
{
    const gsi_plan *plan = device->config.plan;
    const uint64_t window_keys =
        gsi_max_u64(plan->window_bytes, plan->frame_bytes) / gsi_sort_bytes(&device->config.layout);
    const size_t scratch =
        gsi_max_u64(device->kernels->chunk_scratch_bytes(gsi_cuda_run_keys(device)),
                    device->kernels->merge_scratch_bytes(window_keys, GSI_CUDA_SLICES));
    return gsi_cuda_alloc(device, &device->scratch, scratch);
}

// A reduction has neither runs nor windows.
static bool open_memory(gsi_cuda_device *device)
{
    const gsi_plan *plan = device->config.plan;
    return open_counts(device) &&
           gsi_cuda_alloc(device, &device->mirror, plan->device_mirror_bytes) &&
           gsi_cuda_staging_open(device) &&
           (plan->device_runs == 0 ||
            (open_scratch(device) && gsi_cuda_runs_open(device) && gsi_cuda_windows_open(device)));
}

// Keys are read in whole units, with neighbouring bytes in the mirror.
static bool clear_memory(gsi_cuda_device *device)
{
    const cudaStream_t compute = device->streams[GSI_CUDA_COMPUTE];
    const uint64_t mirror_bytes = device->config.plan->device_mirror_bytes;
    return gsi_cuda_clear(device, device->mirror, mirror_bytes) &&
           (device->tally == nullptr ||
            gsi_cuda_check(device,
                           gsi_cuda_tally_clear(&device->config.layout, device->tally, compute),
                           "cannot clear memory")) &&
           (device->input.tally == nullptr ||
            gsi_cuda_check(
                device, gsi_cuda_tally_clear(&device->input.layout, device->input.tally, compute),
                "cannot clear memory")) &&
           gsi_cuda_order(device, GSI_CUDA_COMPUTE, GSI_CUDA_IN);
}

void gsi_cuda_close(gsi_device *base)
{
    gsi_cuda_device *device = reinterpret_cast<gsi_cuda_device *>(base);
    if (device == nullptr)
        return;
    cudaDeviceSynchronize(); // queued work of a failed job uses everything below
    gsi_cuda_tickets_close(device);
    gsi_cuda_runs_close(device);
    gsi_cuda_windows_close(device);
    gsi_cuda_staging_close(device);
    gsi_cuda_records_close(device);
    gsi_cuda_free({device->tally, device->input.tally, device->mirror, device->scratch});
    gsi_cuda_arena_end(&device->arena);
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

// Returns nullptr if memory is short.
static gsi_cuda_device *make_device(const gsi_device_config *config, gs_error *error)
{
    gsi_cuda_device *device = static_cast<gsi_cuda_device *>(calloc(1, sizeof *device));
    if (device == nullptr) {
        gsi_fail(error, GS_E_MEMORY, 0, "out of memory: cannot allocate the CUDA device");
        return nullptr;
    }
    device->base.ops = &gsi_device_cuda;
    device->base.pair_merges.kernel = config->plan->merge_kernel;
    device->config = *config;
    gsi_cuda_input_begin(device);
    device->kernels = kernels_of(&config->layout);
    device->staging.digest_count =
        config->plan->device_runs > 0 ? config->window_count : config->chunk_buffers;
    gsi_buffer_list_init(&device->returned);
    return device;
}

static enum gs_status open_gpu(gsi_cuda_device *device, gs_error *error)
{
    if (!gsi_cuda_tickets_open(device))
        gsi_cuda_check(device, cudaErrorOperatingSystem, "cannot start a thread");
    else if (open_streams(device) && open_memory(device) && clear_memory(device))
        return GS_OK;
    return gsi_fail(error, device->failure_status, 0, "%s; use --device cpu to sort without a GPU",
                    device->failure);
}

enum gs_status gsi_cuda_open_member(const gsi_device_config *config, gsi_cuda_device **out,
                                    gs_error *error)
{
    *out = nullptr;
    gsi_cuda_device *device = make_device(config, error);
    if (device == nullptr)
        return GS_E_MEMORY;
    const enum gs_status status = open_gpu(device, error);
    if (status == GS_OK)
        *out = device;
    else
        gsi_cuda_close(&device->base);
    return status;
}

enum gs_status gsi_cuda_open(const gsi_device_config *config, gsi_device **out, gs_error *error)
{
    *out = nullptr;
    gsi_cuda_device *device = make_device(config, error);
    if (device == nullptr)
        return GS_E_MEMORY;
    gsi_cuda_arena_begin(&device->arena, config); // while the GPU's memory is allocated
    enum gs_status status = open_gpu(device, error);
    if (status == GS_OK) {
        gsi_cuda_arena_pin(&device->arena);
        status = gsi_cuda_host_open(device, error);
    }
    if (status == GS_OK)
        *out = &device->base;
    else
        gsi_cuda_close(&device->base);
    return status;
}
