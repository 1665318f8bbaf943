// cuda_device_runs.cc: keeps the runs of the CUDA device on the GPU and in host memory.
//
//   slot ..> compute: sort ..> out: to its place on the host ..> in: the slot's next run
//
// A run is copied to the host as soon as it is sorted. Its slot is used by a later run, not the
// next one, after an event; the owner waits only for the place on the host. Threads touch the pages
// of places, one part at a time, and register each place, while the runs that stay on the GPU are
// read. A place that cannot be registered is used as it is: copies are slower, and as correct.
#include "kernels/device/cuda_device.h"

#include "base/memory.h"
#include "base/pool.h"
#include "plan/plan.h"
#include "plan/plan_rings.h"

#include <stdlib.h>
#include <string.h>

// As many threads as touch memory well together; more gain little.
#define PIN_THREADS 8

// Bytes that a thread touches at a time.
#define PIN_PART_BYTES (UINT64_C(64) << 20)

struct pin_range {
    uint32_t parts_left; // whose pages are not yet touched
    bool is_ready;       // registered, or refused
    bool is_registered;
};

struct gsi_cuda_pinners {
    gsi_cuda_device *device;
    pthread_mutex_t lock;
    pthread_cond_t has_place;
    pthread_t threads[PIN_THREADS];
    uint32_t thread_count;
    uint64_t parts_a_place, next_part; // of one place; the next one over all places
    bool is_closing;
    pin_range *places; // table of host.room
};

static void register_place(gsi_cuda_pinners *pinners, uint64_t idx)
{
    const gsi_cuda_host *host = &pinners->device->runs.host;
    const bool is_registered =
        cudaHostRegister(host->memory + idx * host->run_bytes, host->run_bytes,
                         cudaHostRegisterPortable) == cudaSuccess; // any GPU of a group may read it
    if (!is_registered)
        cudaGetLastError();
    pthread_mutex_lock(&pinners->lock);
    pinners->places[idx].is_registered = is_registered;
    pinners->places[idx].is_ready = true;
    pthread_cond_signal(&pinners->has_place);
}

static void *pin(void *argument)
{
    gsi_cuda_pinners *pinners = static_cast<gsi_cuda_pinners *>(argument);
    const gsi_cuda_host *host = &pinners->device->runs.host;
    cudaSetDevice(static_cast<int>(pinners->device->config.device_index));
    pthread_mutex_lock(&pinners->lock);
    while (!pinners->is_closing && pinners->next_part < host->room * pinners->parts_a_place) {
        const uint64_t part = pinners->next_part++, idx = part / pinners->parts_a_place;
        const uint64_t off = part % pinners->parts_a_place * PIN_PART_BYTES;
        pthread_mutex_unlock(&pinners->lock);
        gsi_memory_touch(host->memory + idx * host->run_bytes + off,
                         gsi_min_u64(PIN_PART_BYTES, host->run_bytes - off));
        pthread_mutex_lock(&pinners->lock);
        if (--pinners->places[idx].parts_left > 0)
            continue;
        pthread_mutex_unlock(&pinners->lock);
        register_place(pinners, idx); // returns with the lock held
    }
    pthread_mutex_unlock(&pinners->lock);
    return nullptr;
}

// Waits until a place may be copied to. Places are ready in order.
static void wait_for_place(gsi_cuda_pinners *pinners, uint32_t idx)
{
    pthread_mutex_lock(&pinners->lock);
    while (!pinners->places[idx].is_ready && pinners->thread_count > 0)
        pthread_cond_wait(&pinners->has_place, &pinners->lock);
    pthread_mutex_unlock(&pinners->lock);
}

static enum gs_status begin_pinning(gsi_cuda_device *device, gs_error *error)
{
    const gsi_cuda_host *host = &device->runs.host;
    gsi_cuda_pinners *pinners = static_cast<gsi_cuda_pinners *>(calloc(1, sizeof *pinners));
    if (pinners == nullptr)
        return gsi_fail(error, GS_E_MEMORY, 0,
                        "out of memory: cannot allocate the state of threads");
    device->runs.host.pinners = pinners;
    pinners->device = device;
    pthread_mutex_init(&pinners->lock, nullptr);
    pthread_cond_init(&pinners->has_place, nullptr);
    const enum gs_status status =
        GSI_NEW(device->config.ledger, pinners->places, host->room, error);
    if (status != GS_OK)
        return status;
    pinners->parts_a_place = gsi_ceil_div_u64(host->run_bytes, PIN_PART_BYTES);
    for (uint32_t i = 0; i < host->room; i++)
        pinners->places[i].parts_left = static_cast<uint32_t>(pinners->parts_a_place);
    pthread_mutex_lock(&pinners->lock);
    while (pinners->thread_count < PIN_THREADS &&
           gsi_thread_start(&pinners->threads[pinners->thread_count], pin, pinners) == 0)
        pinners->thread_count++;
    pthread_mutex_unlock(&pinners->lock);
    return GS_OK;
}

enum gs_status gsi_cuda_host_open(gsi_cuda_device *device, gs_error *error)
{
    const gsi_plan *plan = device->config.plan;
    gsi_cuda_host *host = &device->runs.host;
    if (plan->host_runs == 0)
        return GS_OK;
    void *memory = nullptr;
    GSI_TRY(
        gsi_memory_map(device->config.ledger, GSI_MEMORY_RUNS, plan->host_bytes, &memory, error));
    host->memory = static_cast<uint8_t *>(memory);
    GSI_TRY(GSI_NEW(device->config.ledger, host->free, plan->host_runs, error));
    host->room = plan->host_runs;
    host->run_bytes = plan->host_bytes / plan->host_runs;
    for (uint32_t i = 0; i < host->room; i++)
        host->free[host->free_count++] = host->room - 1 - i;
    return begin_pinning(device, error);
}

static void end_pinning(gsi_cuda_device *device)
{
    gsi_cuda_host *host = &device->runs.host;
    gsi_cuda_pinners *pinners = host->pinners;
    if (pinners == nullptr)
        return;
    pthread_mutex_lock(&pinners->lock);
    pinners->is_closing = true;
    pthread_mutex_unlock(&pinners->lock);
    for (uint32_t i = 0; i < pinners->thread_count; i++)
        pthread_join(pinners->threads[i], nullptr);
    for (uint32_t i = 0; pinners->places != nullptr && i < host->room; i++)
        if (pinners->places[i].is_registered)
            cudaHostUnregister(host->memory + i * host->run_bytes);
    GSI_FREE(device->config.ledger, pinners->places, host->room);
    pthread_cond_destroy(&pinners->has_place);
    pthread_mutex_destroy(&pinners->lock);
    free(pinners);
}

static void close_host(gsi_cuda_device *device)
{
    gsi_cuda_host *host = &device->runs.host;
    end_pinning(device);
    GSI_FREE(device->config.ledger, host->free, device->config.plan->host_runs);
    gsi_memory_unmap(device->config.ledger, GSI_MEMORY_RUNS, host->memory,
                     device->config.plan->host_bytes);
}

// ---- memory on the GPU ----

uint64_t gsi_cuda_run_keys(const gsi_cuda_device *device)
{
    const gsi_layout *layout = &device->config.layout;
    return layout->form != GSI_FORM_KEYS
               ? device->records.run_records
               : device->config.plan->device_run_bytes / gsi_sort_bytes(layout);
}

static bool open_slot(gsi_cuda_device *device, gsi_cuda_slot *slot)
{
    const gsi_layout *layout = &device->config.layout;
    const uint64_t keys = gsi_cuda_run_keys(device);
    return gsi_cuda_alloc(device, &slot->keys, keys * layout->element_bytes) &&
           gsi_cuda_alloc(device, &slot->tags,
                          layout->form != GSI_FORM_KEYS ? keys * GSI_TAG_BYTES : 0) &&
           gsi_cuda_check(device, cudaEventCreateWithFlags(&slot->left, cudaEventDisableTiming),
                          "cannot create an event");
}

static void close_slot(gsi_cuda_slot *slot)
{
    gsi_cuda_free({slot->keys, slot->tags});
    if (slot->left != nullptr)
        cudaEventDestroy(slot->left);
}

bool gsi_cuda_runs_open(gsi_cuda_device *device)
{
    gsi_cuda_runs *runs = &device->runs;
    const uint64_t spare_bytes = gsi_cuda_run_keys(device) * gsi_sort_bytes(&device->config.layout);
    bool is_well = gsi_cuda_alloc(device, &runs->spare, spare_bytes);
    for (; is_well && runs->slot_count < device->config.plan->device_runs; runs->slot_count++)
        is_well = open_slot(device, &runs->slots[runs->slot_count]);
    return is_well;
}

void gsi_cuda_runs_close(gsi_cuda_device *device)
{
    gsi_cuda_runs *runs = &device->runs;
    if (runs->open != nullptr)
        gsi_cuda_run_free(device, runs->open);
    for (uint32_t i = runs->slots_taken; i < GSI_DEVICE_RUNS_MAX; i++)
        close_slot(&runs->slots[i]);
    gsi_cuda_free({runs->spare});
    close_host(device);
}

// ---- moving runs to the host ----

static void unlink_run(gsi_cuda_device *device, gsi_run *run)
{
    gsi_run **at = &device->runs.newest;
    while (*at != nullptr && *at != run)
        at = &(*at)->older;
    if (*at == run)
        *at = run->older;
}

static void give_slot(gsi_cuda_device *device, gsi_run *run)
{
    // Appends the slot, to be used last: the next run's copy to the GPU then does not wait.
    gsi_cuda_slot *const free = &device->runs.slots[--device->runs.slots_taken];
    unlink_run(device, run);
    memmove(free, free + 1,
            (device->runs.slot_count - device->runs.slots_taken - 1) * sizeof *free);
    device->runs.slots[device->runs.slot_count - 1] = run->slot;
    run->slot = gsi_cuda_slot();
}

// Queues the copy of a sorted run to the host; an event tells when its slot is free.
static void leave(gsi_cuda_device *device, gsi_run *run)
{
    gsi_cuda_host *host = &device->runs.host;
    const bool has_records = device->config.layout.form != GSI_FORM_KEYS;
    run->host_idx = host->free[--host->free_count];
    run->host = host->memory + run->host_idx * host->run_bytes;
    wait_for_place(host->pinners, run->host_idx);
    if (has_records) {
        gsi_cuda_records_copy_out(device, run, run->host);
    } else if (gsi_cuda_order(device, GSI_CUDA_COMPUTE, GSI_CUDA_OUT)) {
        gsi_cuda_check(device,
                       cudaMemcpyAsync(run->host, run->slot.keys, run->bytes,
                                       cudaMemcpyDeviceToHost, device->streams[GSI_CUDA_OUT]),
                       "cannot copy from the GPU");
    }
    // Records were gathered into windows: the slot is free once the compute stream has read it.
    gsi_cuda_check(device,
                   cudaEventRecord(run->slot.left,
                                   device->streams[has_records ? GSI_CUDA_COMPUTE : GSI_CUDA_OUT]),
                   "cannot record an event");
    device->base.host_bytes += run->bytes;
    give_slot(device, run);
}

// If it is known that runs go to disk, the oldest ones do, straight from the GPU. A run that was
// kept here for the disk, but not written, would occupy room that the last merge needs.
void gsi_cuda_run_sealed(gsi_cuda_device *device)
{
    const gsi_plan *plan = device->config.plan;
    gsi_run *run = device->runs.open;
    const uint64_t idx = device->runs.sealed_count++;
    const bool is_known = plan->input_bytes != UINT64_MAX && !device->config.may_shrink;
    const bool is_for_disk = is_known && idx < plan->spilled_runs;
    device->runs.open = nullptr;
    run->older = device->runs.newest;
    device->runs.newest = run;
    if (device->runs.host.free_count > 0 && !is_for_disk &&
        device->runs.slot_count - device->runs.slots_taken < GSI_PLAN_TRANSFER_SLOTS)
        leave(device, run);
}

static gsi_cuda_slot acquire_slot(gsi_cuda_device *device)
{
    if (device->runs.slots_taken == device->runs.slot_count) { // the disk is too slow
        gsi_run *run = device->runs.newest;
        if (run != nullptr && run == device->runs.staying)
            run = run->older;
        // gsi_plan_most_kept_runs bounds the number of runs here and on the host.
        if (run == nullptr || device->runs.host.free_count == 0) {
            gsi_cuda_check(device, cudaErrorMemoryAllocation, "has no memory for a run");
            return gsi_cuda_slot();
        }
        leave(device, run);
    }
    const gsi_cuda_slot slot = device->runs.slots[device->runs.slots_taken++];
    gsi_cuda_check(device, cudaStreamWaitEvent(device->streams[GSI_CUDA_IN], slot.left, 0),
                   "cannot wait for an event");
    return slot;
}

gsi_run *gsi_cuda_run_open(gsi_cuda_device *device)
{
    if (device->runs.open == nullptr) {
        gsi_run *run = static_cast<gsi_run *>(calloc(1, sizeof *run));
        if (run != nullptr) {
            run->device = device;
            run->slot = acquire_slot(device);
            run->index = device->records.run_count++ << device->records.run_shift;
            device->runs.open = run;
        }
    }
    return device->runs.open;
}

void gsi_cuda_run_free(gsi_cuda_device *device, gsi_run *run)
{
    if (run->host == nullptr)
        give_slot(device, run);
    else
        device->runs.host.free[device->runs.host.free_count++] = run->host_idx;
    free(run);
}

void gsi_cuda_sort(gsi_cuda_device *device, uint8_t **keys, uint64_t n,
                   const gsi_cuda_record_table *places)
{
    void *sorted = *keys;
    gsi_cuda_check(device,
                   device->kernels->chunk_sort(*keys, device->runs.spare, n, device->scratch,
                                               places, device->streams[GSI_CUDA_COMPUTE], &sorted),
                   "cannot sort a chunk");
    // Only later sorts use the spare, after this one on the same stream.
    if (sorted != *keys) {
        device->runs.spare = *keys;
        *keys = static_cast<uint8_t *>(sorted);
    }
}
