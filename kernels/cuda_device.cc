// cuda_device.cc: the CUDA device: opening, chunks, reductions and events. Merges are in
// cuda_device_merge.cc.
#include "cuda_device.h"

#include <stdio.h>
#include <stdlib.h>

// As many as copy memory well together; more gain little.
#define POPULATE_THREADS 8

static gsi_cuda_device *cuda_of(gsi_device *base)
{
    return reinterpret_cast<gsi_cuda_device *>(base);
}

static const gsi_sort_kernels *kernels_of(uint32_t key_bytes)
{
    switch (key_bytes) {
    case 4:
        return &gsi_sort_kernels_4;
    case 8:
        return &gsi_sort_kernels_8;
    default:
        return &gsi_sort_kernels_16;
    }
}

bool gsi_cuda_check(gsi_cuda_device *device, cudaError_t error, const char *what)
{
    if (error == cudaSuccess)
        return true;
    cudaGetLastError(); // or a later call would report it again
    if (!device->has_failed) {
        device->has_failed = true;
        device->failure_status = error == cudaErrorMemoryAllocation ? GS_E_MEMORY : GS_E_DEVICE;
        snprintf(device->failure, sizeof device->failure, "cuda:%u: %s: %s",
                 device->config.device_index, what, cudaGetErrorString(error));
        device->config.wake(device->config.wake_context);
    }
    return false;
}

static enum gs_status cuda_probe(uint32_t index, const gsi_layout *layout,
                                 gsi_device_limits *limits, gs_error *error)
{
    int count = 0;
    cudaError_t code = cudaGetDeviceCount(&count);
    if (code == cudaErrorNoDevice || code == cudaErrorInsufficientDriver ||
        (code == cudaSuccess && count == 0))
        return gsi_fail(
            error, GS_E_DEVICE, 0,
            "--device: there is no NVIDIA GPU with a driver for CUDA here; --device cpu "
            "sorts without");
    if (code == cudaSuccess && index >= static_cast<uint32_t>(count))
        return gsi_fail(error, GS_E_USAGE, 0, "--device: there is no cuda:%u; GPUs are 0 to %d",
                        index, count - 1);
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
        return gsi_fail(error, GS_E_DEVICE, 0,
                        "--device: cuda:%u cannot be used: %s; --device cpu sorts without a GPU",
                        index, cudaGetErrorString(code));
    }
    const uint64_t sample_keys = 1 << 20;
    const size_t scratch = kernels_of(layout->key_bytes)->chunk_scratch_bytes(sample_keys);
    limits->memory_bytes = free_bytes;
    limits->scratch_part =
        gsi_max_u64(1, sample_keys * layout->key_bytes / (2 * scratch + 1)); // half: other sizes
    snprintf(limits->name, sizeof limits->name, "%.63s", properties.name);
    return GS_OK;
}

// Touching the arena's pages is what takes the time of registering it; threads do it together.
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

static void pin_arena(gsi_cuda_device *device)
{
    const gsi_device_config *config = &device->config;
    populate_part parts[POPULATE_THREADS] = {};
    const uint64_t step = gsi_round_up_u64(config->arena_bytes / POPULATE_THREADS + 1, 2 << 20);
    for (uint32_t i = 0; i < POPULATE_THREADS && i * step < config->arena_bytes; i++) {
        parts[i].memory = config->arena + i * step;
        parts[i].bytes = gsi_min_u64(step, config->arena_bytes - i * step);
        parts[i].is_started = pthread_create(&parts[i].thread, nullptr, populate, &parts[i]) == 0;
    }
    for (populate_part &part : parts)
        if (part.is_started)
            pthread_join(part.thread, nullptr);
    // Refused (by a memory limit, say): copies are slower, and as right.
    device->is_pinned = cudaHostRegister(config->arena, config->arena_bytes,
                                         cudaHostRegisterDefault) == cudaSuccess;
    if (!device->is_pinned)
        cudaGetLastError();
}

template <class T> static bool take(gsi_cuda_device *device, T **memory, uint64_t bytes)
{
    void *taken = nullptr;
    if (bytes > 0 && !gsi_cuda_check(device, cudaMalloc(&taken, gsi_round_up_u64(bytes, 256)),
                                     "cannot take memory on the GPU"))
        return false;
    *memory = static_cast<T *>(taken);
    return true;
}

template <class T> static bool take_pinned(gsi_cuda_device *device, T **memory, uint64_t bytes)
{
    void *taken = nullptr;
    if (!gsi_cuda_check(device, cudaMallocHost(&taken, bytes), "cannot take pinned memory"))
        return false;
    *memory = static_cast<T *>(taken);
    return true;
}

static bool open_streams(gsi_cuda_device *device)
{
    bool is_well = gsi_cuda_check(
        device, cudaSetDevice(static_cast<int>(device->config.device_index)), "cannot be used");
    is_well = is_well && gsi_cuda_check(device, device->kernels->prepare(), "has no such kernels");
    for (cudaStream_t &stream : device->streams)
        is_well = is_well &&
                  gsi_cuda_check(device, cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking),
                                 "cannot make a stream");
    for (cudaEvent_t &event : device->window_free)
        is_well = is_well &&
                  gsi_cuda_check(device, cudaEventCreateWithFlags(&event, cudaEventDisableTiming),
                                 "cannot make an event");
    return is_well &&
           gsi_cuda_check(device, cudaEventCreateWithFlags(&device->joint, cudaEventDisableTiming),
                          "cannot make an event");
}

static bool open_memory(gsi_cuda_device *device)
{
    const gsi_device_config *config = &device->config;
    const gs_plan *plan = config->plan;
    const uint32_t key_bytes = config->layout.key_bytes;
    bool is_well =
        take(device, reinterpret_cast<uint8_t **>(&device->tally),
             gsi_cuda_tally_bytes(&config->layout)) &&
        take(device, &device->mirror, plan->device_mirror_bytes) &&
        take(device, &device->imprints, device->imprint_count * gsi_cuda_imprint_bytes());
    if (plan->device_runs == 0) // a reduction
        return is_well;
    // A tree's groups begin at multiples of 16 keys.
    const uint64_t window_bytes = gsi_max_u64(plan->window_bytes, plan->frame_bytes);
    const uint64_t window_room = window_bytes + GSI_CUDA_SLICES * key_bytes;
    const size_t scratch = gsi_max_u64(
        device->kernels->chunk_scratch_bytes(plan->device_run_bytes / key_bytes),
        device->kernels->merge_scratch_bytes(window_bytes / key_bytes, GSI_CUDA_SLICES));
    is_well = is_well && take(device, &device->scratch, scratch) &&
              take(device, &device->spare, plan->device_run_bytes) &&
              take(device, &device->temp, window_room);
    for (uint8_t *&window : device->windows)
        is_well = is_well && take(device, &window, window_room);
    for (; is_well && device->slot_count < plan->device_runs; device->slot_count++)
        is_well = take(device, &device->slots[device->slot_count], plan->device_run_bytes);
    return is_well && take(device, &device->slices, GSI_CUDA_SLICES * sizeof *device->slices) &&
           take(device, &device->cuts, GSI_CUDA_CUT_ENTRIES * sizeof *device->cuts) &&
           take(device, &device->totals, GSI_CUDA_CUT_WINDOWS * sizeof *device->totals);
}

static bool open_staging(gsi_cuda_device *device)
{
    const gsi_layout *layout = &device->config.layout;
    return take_pinned(device, &device->imprint_staging,
                       device->imprint_count * gsi_cuda_imprint_bytes()) &&
           take_pinned(device, &device->tally_staging, gsi_cuda_tally_bytes(layout)) &&
           take_pinned(device, &device->slice_staging,
                       GSI_CUDA_SLICES * sizeof *device->slice_staging) &&
           take_pinned(device, &device->cut_staging,
                       GSI_CUDA_CUT_ENTRIES * sizeof *device->cut_staging) &&
           take_pinned(device, &device->total_staging,
                       GSI_CUDA_CUT_WINDOWS * sizeof *device->total_staging);
}

// All of an imprint is fetched, if not all of it is written; and keys in the mirror are read in
// whole units, with what lies around them.
static bool clear_memory(gsi_cuda_device *device)
{
    const cudaStream_t compute = device->streams[GSI_CUDA_COMPUTE];
    const size_t imprints = device->imprint_count * gsi_cuda_imprint_bytes();
    const size_t mirror = device->config.plan->device_mirror_bytes;
    return gsi_cuda_check(device, cudaMemsetAsync(device->imprints, 0, imprints, compute),
                          "cannot clear memory") &&
           (mirror == 0 ||
            gsi_cuda_check(device, cudaMemsetAsync(device->mirror, 0, mirror, compute),
                           "cannot clear memory")) &&
           gsi_cuda_order(device, GSI_CUDA_COMPUTE, GSI_CUDA_IN);
}

static void cuda_close(gsi_device *base)
{
    gsi_cuda_device *device = cuda_of(base);
    if (device == nullptr)
        return;
    cudaDeviceSynchronize(); // a failed job leaves work behind that uses everything below
    gsi_cuda_waiters_stop(device);
    for (uint32_t i = device->slots_taken; i < device->slot_count; i++)
        cudaFree(device->slots[i]);
    for (uint8_t *window : device->windows)
        cudaFree(window);
    void *const taken[] = {device->tally,   device->mirror, device->imprints,
                           device->scratch, device->spare,  device->temp,
                           device->slices,  device->cuts,   device->totals};
    for (void *memory : taken)
        cudaFree(memory);
    void *const pinned[] = {device->imprint_staging, device->tally_staging, device->slice_staging,
                            device->cut_staging, device->total_staging};
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
    cudaGetLastError();
    if (device->open_run != nullptr)
        cudaFree(device->open_run->slot);
    free(device->open_run);
    free(device);
}

static enum gs_status cuda_open(const gsi_device_config *config, gsi_device **out, gs_error *error)
{
    *out = nullptr;
    gsi_cuda_device *device = static_cast<gsi_cuda_device *>(calloc(1, sizeof *device));
    if (device == nullptr)
        return gsi_fail(error, GS_E_MEMORY, 0, "memory: cannot allocate the CUDA device");
    device->base.ops = &gsi_device_cuda;
    device->config = *config;
    device->kernels = kernels_of(config->layout.key_bytes);
    device->imprint_count =
        config->plan->device_runs > 0 ? config->window_count : config->chunk_buffers;
    gsi_buffer_list_init(&device->returned);
    const bool has_waiters = gsi_cuda_waiters_start(device);
    if (!has_waiters)
        gsi_cuda_check(device, cudaErrorOperatingSystem, "cannot start a thread");
    if (has_waiters && open_streams(device) && open_memory(device) && open_staging(device) &&
        clear_memory(device) &&
        gsi_cuda_check(
            device,
            gsi_cuda_tally_clear(&config->layout, device->tally, device->streams[GSI_CUDA_COMPUTE]),
            "cannot clear memory")) {
        pin_arena(device);
        *out = &device->base;
        return GS_OK;
    }
    const enum gs_status status = gsi_fail(error, device->failure_status, 0,
                                           "%s; --device cpu sorts without a GPU", device->failure);
    cuda_close(&device->base);
    return status;
}

uint8_t *gsi_cuda_mirror(const gsi_cuda_device *device, const gsi_buffer *buffer)
{
    return device->mirror + (buffer->data - device->config.arena);
}

bool gsi_cuda_order(gsi_cuda_device *device, gsi_cuda_stream earlier, gsi_cuda_stream later)
{
    return gsi_cuda_check(device, cudaEventRecord(device->joint, device->streams[earlier]),
                          "cannot record an event") &&
           gsi_cuda_check(device, cudaStreamWaitEvent(device->streams[later], device->joint, 0),
                          "cannot wait for an event");
}

uint32_t gsi_cuda_imprint_take(gsi_cuda_device *device)
{
    return static_cast<uint32_t>(device->imprint_next++ % device->imprint_count);
}

// Host to GPU, and what follows on the compute stream comes after it.
static bool upload(gsi_cuda_device *device, uint8_t *to, const gsi_buffer *buffer)
{
    return gsi_cuda_check(device,
                          cudaMemcpyAsync(to, buffer->data, buffer->bytes, cudaMemcpyHostToDevice,
                                          device->streams[GSI_CUDA_IN]),
                          "cannot copy to the GPU") &&
           gsi_cuda_order(device, GSI_CUDA_IN, GSI_CUDA_COMPUTE);
}

static enum gs_status failure(const gsi_cuda_device *device, gs_error *error)
{
    return gsi_fail(error, device->failure_status, 0, "%s", device->failure);
}

static gsi_run *open_run(gsi_cuda_device *device)
{
    if (device->open_run == nullptr) {
        gsi_run *run = static_cast<gsi_run *>(calloc(1, sizeof *run));
        if (run != nullptr) {
            run->slot = device->slots[device->slots_taken++]; // plan->device_runs bounds them
            device->open_run = run;
        }
    }
    return device->open_run;
}

static enum gs_status cuda_chunk_put(gsi_device *base, gsi_buffer *buffer, gs_error *error)
{
    gsi_cuda_device *device = cuda_of(base);
    const gsi_layout *layout = &device->config.layout;
    gsi_run *run = open_run(device);
    gsi_ticket *ticket = run != nullptr ? gsi_cuda_ticket_make(device) : nullptr;
    if (ticket == nullptr)
        return device->has_failed
                   ? failure(device, error)
                   : gsi_fail(error, GS_E_MEMORY, 0, "memory: cannot allocate a run");
    uint8_t *const to = run->slot + run->bytes;
    run->bytes += buffer->bytes;
    upload(device, to, buffer);
    ticket->buffer = buffer;
    gsi_cuda_ticket_issue(device, ticket, GSI_CUDA_IN);
    gsi_cuda_check(device,
                   gsi_cuda_tally_add(layout, device->tally, to,
                                      buffer->bytes / layout->element_bytes, true,
                                      device->streams[GSI_CUDA_COMPUTE]),
                   "cannot count elements");
    return device->has_failed ? failure(device, error) : GS_OK;
}

static enum gs_status cuda_chunk_seal(gsi_device *base, gsi_run **out, gs_error *error)
{
    gsi_cuda_device *device = cuda_of(base);
    gsi_run *run = open_run(device);
    gsi_ticket *ticket = run != nullptr ? gsi_cuda_ticket_make(device) : nullptr;
    *out = nullptr;
    if (ticket == nullptr)
        return device->has_failed
                   ? failure(device, error)
                   : gsi_fail(error, GS_E_MEMORY, 0, "memory: cannot allocate a run");
    void *sorted = run->slot;
    gsi_cuda_check(device,
                   device->kernels->chunk_sort(
                       run->slot, device->spare, run->bytes / device->config.layout.key_bytes,
                       device->scratch, device->streams[GSI_CUDA_COMPUTE], &sorted),
                   "cannot sort a chunk");
    // Only later sorts use the spare, behind this one on the same stream.
    if (sorted != run->slot) {
        device->spare = run->slot;
        run->slot = static_cast<uint8_t *>(sorted);
    }
    ticket->run = run;
    gsi_cuda_ticket_issue(device, ticket, GSI_CUDA_COMPUTE);
    if (device->has_failed)
        return failure(device, error); // close frees it
    device->open_run = nullptr;
    *out = run;
    return GS_OK;
}

static void cuda_run_drop(gsi_device *base, gsi_run *run)
{
    gsi_cuda_device *device = cuda_of(base);
    device->slots[--device->slots_taken] = run->slot;
    free(run);
}

static void cuda_reduce(gsi_device *base, gsi_buffer *buffer, bool is_ordered)
{
    gsi_cuda_device *device = cuda_of(base);
    const gsi_layout *layout = &device->config.layout;
    const uint64_t n = buffer->bytes / layout->element_bytes;
    const cudaStream_t compute = device->streams[GSI_CUDA_COMPUTE];
    uint8_t *const elements = gsi_cuda_mirror(device, buffer);
    gsi_ticket *ticket = gsi_cuda_ticket_make(device);
    if (ticket == nullptr || !upload(device, elements, buffer))
        return; // the failure's event follows
    ticket->buffer = buffer;
    gsi_cuda_check(device,
                   gsi_cuda_tally_add(layout, device->tally, elements, n, is_ordered, compute),
                   "cannot count elements");
    if (is_ordered) {
        const size_t at = gsi_cuda_imprint_take(device) * gsi_cuda_imprint_bytes();
        gsi_cuda_imprint *imprint = reinterpret_cast<gsi_cuda_imprint *>(device->imprints + at);
        ticket->imprint = device->imprint_staging + at;
        gsi_cuda_check(device, gsi_cuda_imprint_make(layout, elements, n, false, imprint, compute),
                       "cannot check the order");
        gsi_cuda_check(device, gsi_cuda_imprint_fetch(imprint, ticket->imprint, compute),
                       "cannot check the order");
    }
    gsi_cuda_ticket_issue(device, ticket, GSI_CUDA_COMPUTE);
}

// A finished ticket as an event.
static gsi_event event_of(gsi_cuda_device *device, gsi_ticket *ticket)
{
    gsi_event event = {};
    if (ticket->run != nullptr) {
        event.kind = GSI_EVENT_RUN;
        event.run = ticket->run;
    } else if (ticket->window != nullptr) {
        event.kind = GSI_EVENT_WINDOW;
        event.buffer = gsi_cuda_window_done(ticket->window);
    } else {
        event.kind = GSI_EVENT_BUFFER;
        event.buffer = ticket->buffer;
        if (ticket->imprint != nullptr) {
            event.buffer->imprint = gsi_imprint();
            event.buffer->imprint.disorder_idx = UINT64_MAX;
            gsi_cuda_imprint_join(&device->config.layout, ticket->imprint, &event.buffer->imprint);
        }
    }
    gsi_cuda_ticket_give(device, ticket);
    return event;
}

static bool cuda_reap(gsi_device *base, gsi_event *event)
{
    gsi_cuda_device *device = cuda_of(base);
    gsi_ticket *ticket = gsi_cuda_ticket_take(device);
    *event = gsi_event();
    if (device->has_failed) { // nothing that comes now can be trusted
        if (ticket != nullptr)
            gsi_cuda_ticket_give(device, ticket);
        event->status = device->failure_status;
        event->failure = device->failure;
        const bool is_news = !device->is_failure_told;
        device->is_failure_told = true;
        return is_news;
    }
    if (ticket != nullptr) {
        *event = event_of(device, ticket);
        return true;
    }
    event->kind = GSI_EVENT_BUFFER;
    event->buffer = gsi_buffer_list_pop(&device->returned);
    return event->buffer != nullptr;
}

static enum gs_status cuda_tally(gsi_device *base, gs_tally *tally, gs_error *error)
{
    gsi_cuda_device *device = cuda_of(base);
    const gsi_layout *layout = &device->config.layout;
    const cudaStream_t compute = device->streams[GSI_CUDA_COMPUTE];
    gsi_tally *host = gsi_tally_create(layout);
    if (host == nullptr)
        return gsi_fail(error, GS_E_MEMORY, 0, "memory: cannot allocate a tally");
    if (gsi_cuda_check(device,
                       gsi_cuda_tally_fetch(layout, device->tally, device->tally_staging, compute),
                       "cannot fetch the counts") &&
        gsi_cuda_check(device, cudaStreamSynchronize(compute), "cannot fetch the counts"))
        gsi_cuda_tally_join(layout, device->tally_staging, host);
    *tally = gsi_tally_finish(host);
    gsi_tally_free(host);
    return device->has_failed ? failure(device, error) : GS_OK;
}

extern "C" const gsi_device_ops gsi_device_cuda = {"cuda",
                                                   GSI_DEVICE_API_VERSION,
                                                   cuda_probe,
                                                   cuda_open,
                                                   cuda_close,
                                                   cuda_chunk_put,
                                                   cuda_chunk_seal,
                                                   cuda_run_drop,
                                                   gsi_cuda_merge_begin,
                                                   gsi_cuda_merge_feed,
                                                   gsi_cuda_merge_pull,
                                                   gsi_cuda_merge_end,
                                                   cuda_reduce,
                                                   cuda_reap,
                                                   cuda_tally};
