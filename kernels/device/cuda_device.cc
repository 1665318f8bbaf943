// cuda_device.cc: implements chunks, reductions and events of the CUDA device. cuda_device_open.cc
// opens and closes the device, cuda_device_merge.cc merges.
#include "kernels/device/cuda_device.h"

#include "element/record/record_tally.h"
#include "kernels/common/cuda_current.h"
#include "kernels/device/cuda_merge.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static gsi_cuda_device *cuda_of(gsi_device *base)
{
    return reinterpret_cast<gsi_cuda_device *>(base);
}

static gsi_cuda_device *cuda_of(const gsi_merge *merge)
{
    return merge != nullptr ? gsi_cuda_merge_device(merge) : nullptr;
}

bool gsi_cuda_enter(gsi_cuda_device *device)
{
    return gsi_cuda_check(device, cudaSetDevice(static_cast<int>(device->config.device_index)),
                          "cannot be used");
}

bool gsi_cuda_check(gsi_cuda_device *device, cudaError_t error, const char *what)
{
    if (error == cudaSuccess)
        return true;
    cudaGetLastError(); // otherwise a later call would report the error again
    if (!device->has_failed) {
        device->has_failed = true;
        device->failure_status = error == cudaErrorMemoryAllocation ? GS_E_MEMORY : GS_E_DEVICE;
        snprintf(device->failure, sizeof device->failure, "cuda:%u: %s: %s",
                 device->config.device_index, what, cudaGetErrorString(error));
        device->config.wake(device->config.wake_context);
    }
    return false;
}

enum gs_status gsi_cuda_failure(const gsi_cuda_device *device, gs_error *error)
{
    return gsi_fail(error, device->failure_status, 0, "%s", device->failure);
}

bool gsi_cuda_clear(gsi_cuda_device *device, void *memory, uint64_t bytes)
{
    return bytes == 0 ||
           gsi_cuda_check(device,
                          cudaMemsetAsync(memory, 0, bytes, device->streams[GSI_CUDA_COMPUTE]),
                          "cannot clear memory");
}

uint8_t *gsi_cuda_mirror(const gsi_cuda_device *device, const gsi_buffer *buffer)
{
    return device->mirror + (buffer->data - device->config.arena);
}

bool gsi_cuda_reaches(gsi_device *, const void *data, uint64_t bytes)
{
    const uint8_t *const first = static_cast<const uint8_t *>(data);
    for (const uint8_t *at : {first, first + bytes - 1}) {
        cudaPointerAttributes found = {};
        if (cudaPointerGetAttributes(&found, at) != cudaSuccess ||
            found.type != cudaMemoryTypeHost) {
            cudaGetLastError();
            return false;
        }
    }
    return true;
}

bool gsi_cuda_order(gsi_cuda_device *device, gsi_cuda_stream earlier, gsi_cuda_stream later)
{
    return gsi_cuda_check(device, cudaEventRecord(device->joint, device->streams[earlier]),
                          "cannot record an event") &&
           gsi_cuda_check(device, cudaStreamWaitEvent(device->streams[later], device->joint, 0),
                          "cannot wait for an event");
}

// Copies a buffer to the GPU; later work on the compute stream waits for the copy.
static bool upload(gsi_cuda_device *device, uint8_t *to, const gsi_buffer *buffer)
{
    return gsi_cuda_check(device,
                          cudaMemcpyAsync(to, buffer->data, buffer->bytes, cudaMemcpyHostToDevice,
                                          device->streams[GSI_CUDA_IN]),
                          "cannot copy to the GPU") &&
           gsi_cuda_order(device, GSI_CUDA_IN, GSI_CUDA_COMPUTE);
}

static enum gs_status cuda_chunk_put(gsi_device *base, gsi_buffer *buffer, gs_error *error)
{
    gsi_cuda_device *device = cuda_of(base);
    const gsi_layout *layout = &device->config.layout;
    gsi_run *run = gsi_cuda_run_open(device);
    gsi_ticket *ticket = run != nullptr ? gsi_cuda_ticket_make(device) : nullptr;
    if (ticket == nullptr)
        return device->has_failed
                   ? gsi_cuda_failure(device, error)
                   : gsi_fail(error, GS_E_MEMORY, 0, "out of memory: cannot allocate a run");
    const gsi_layout *put = &device->input.layout;
    const bool has_pairs = device->config.entry_map != nullptr;
    const uint64_t n = buffer->bytes / put->element_bytes;
    uint8_t *const to = run->slot.keys + run->bytes / layout->element_bytes * put->element_bytes;
    upload(device, to, buffer);
    ticket->buffer = buffer;
    gsi_cuda_ticket_issue(device, ticket, GSI_CUDA_IN);
    if (!gsi_layout_is_native(put))
        gsi_cuda_records_put(device, buffer, to);
    else
        gsi_cuda_check(device,
                       gsi_cuda_tally_add(put, has_pairs ? device->input.tally : device->tally, to,
                                          n, true, device->streams[GSI_CUDA_COMPUTE]),
                       "cannot count elements");
    if (has_pairs)
        gsi_cuda_pairs_put(device, to, n);
    run->bytes += n * layout->element_bytes;
    return device->has_failed ? gsi_cuda_failure(device, error) : GS_OK;
}

static enum gs_status cuda_chunk_seal(gsi_device *base, gsi_run **out, gs_error *error)
{
    gsi_cuda_device *device = cuda_of(base);
    gsi_run *run = gsi_cuda_run_open(device);
    gsi_ticket *ticket = run != nullptr ? gsi_cuda_ticket_make(device) : nullptr;
    *out = nullptr;
    if (ticket == nullptr)
        return device->has_failed
                   ? gsi_cuda_failure(device, error)
                   : gsi_fail(error, GS_E_MEMORY, 0, "out of memory: cannot allocate a run");
    if (device->config.entry_map != nullptr)
        gsi_cuda_pairs_seal(device, run);
    if (device->config.layout.form != GSI_FORM_KEYS)
        gsi_cuda_records_sort(device, run);
    else
        gsi_cuda_sort(device, &run->slot.keys, run->bytes / device->config.layout.key_bytes,
                      nullptr);
    ticket->run = run;
    gsi_cuda_ticket_issue(device, ticket, GSI_CUDA_COMPUTE);
    if (device->has_failed)
        return gsi_cuda_failure(device, error); // close frees it
    gsi_cuda_run_sealed(device);
    *out = run;
    return GS_OK;
}

static void cuda_run_drop(gsi_device *base, gsi_run *run)
{
    gsi_cuda_run_free(cuda_of(base), run);
}

static void cuda_reduce(gsi_device *base, gsi_buffer *buffer, bool is_ordered)
{
    gsi_cuda_device *device = cuda_of(base);
    const gsi_layout *layout = &device->config.layout;
    const uint64_t n = buffer->bytes / layout->element_bytes;
    const cudaStream_t compute = device->streams[GSI_CUDA_COMPUTE];
    uint8_t *const elements = gsi_cuda_mirror(device, buffer);
    gsi_ticket *ticket = gsi_cuda_ticket_make(device);
    if (ticket == nullptr)
        return; // the event of the failure follows
    upload(device, elements, buffer);
    ticket->buffer = buffer;
    const size_t at = is_ordered ? gsi_cuda_digest_next(device) : 0;
    ticket->digest = is_ordered ? device->staging.digest_copies + at : nullptr;
    if (!gsi_layout_is_native(layout))
        gsi_cuda_records_reduce(
            device, elements, n,
            is_ordered ? reinterpret_cast<gsi_records_seen *>(device->staging.digests + at)
                       : nullptr);
    else
        gsi_cuda_check(device,
                       gsi_cuda_tally_add(layout, device->tally, elements, n, is_ordered, compute),
                       "cannot count elements");
    if (is_ordered && layout->form == GSI_FORM_KEYS)
        gsi_cuda_digest_queue(device, elements, n, false, device->staging.digests + at);
    if (is_ordered)
        gsi_cuda_check(device,
                       cudaMemcpyAsync(ticket->digest, device->staging.digests + at,
                                       gsi_cuda_seen_bytes(layout), cudaMemcpyDeviceToHost,
                                       compute),
                       "cannot check the order");
    gsi_cuda_ticket_issue(device, ticket, GSI_CUDA_COMPUTE);
}

// Converts a finished ticket to an event.
static gsi_event event_of(gsi_cuda_device *device, gsi_ticket *ticket)
{
    gsi_event event = {};
    if (ticket->run != nullptr) {
        event.kind = GSI_EVENT_RUN;
        event.run = ticket->run;
        if (device->config.layout.form != GSI_FORM_KEYS)
            gsi_cuda_records_sorted(device, ticket->run);
    } else if (ticket->window != nullptr) {
        event.kind = GSI_EVENT_WINDOW;
        event.buffer = gsi_cuda_window_done(ticket->window);
    } else {
        event.kind = GSI_EVENT_BUFFER;
        event.buffer = ticket->buffer;
        if (ticket->digest != nullptr)
            gsi_cuda_digest_fetched(device, ticket->digest, event.buffer);
    }
    gsi_cuda_ticket_release(device, ticket);
    return event;
}

// Handles a ticket that concerns only the device; returns false if the owner needs an event for it.
static bool is_ours(gsi_cuda_device *device, gsi_ticket *ticket)
{
    if (ticket->window != nullptr)
        return gsi_cuda_window_continue(ticket);
    if (ticket->arrival.merge == nullptr)
        return false;
    gsi_cuda_merge_ticket(ticket);
    gsi_cuda_ticket_release(device, ticket);
    return true;
}

static bool cuda_is_busy(const gsi_device *base)
{
    return reinterpret_cast<const gsi_cuda_device *>(base)->tickets.issued_count > 0;
}

static bool cuda_reap(gsi_device *base, gsi_event *event)
{
    gsi_cuda_device *device = cuda_of(base);
    gsi_ticket *ticket = gsi_cuda_ticket_pop(device);
    while (ticket != nullptr && !device->has_failed && is_ours(device, ticket))
        ticket = gsi_cuda_ticket_pop(device);
    *event = gsi_event();
    if (device->has_failed) { // later results cannot be trusted
        if (ticket != nullptr)
            gsi_cuda_merge_ticket(ticket); // the end of its merge waits for the ticket
        if (ticket != nullptr)
            gsi_cuda_ticket_release(device, ticket);
        event->status = device->failure_status;
        event->failure = device->failure;
        const bool is_news = !device->is_failure_reported;
        device->is_failure_reported = true;
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

static void count_numbers(gsi_cuda_device *device, const gsi_layout *layout,
                          const gsi_cuda_tally *tally, gsi_tally *all)
{
    const cudaStream_t compute = device->streams[GSI_CUDA_COMPUTE];
    if (gsi_cuda_check(device, gsi_cuda_tally_fetch(layout, tally, device->staging.tally, compute),
                       "cannot fetch the counts") &&
        gsi_cuda_check(device, cudaStreamSynchronize(compute), "cannot fetch the counts"))
        gsi_cuda_tally_join(layout, device->staging.tally, all);
}

// Adds the counts of one device's input: to `fields` (numbers: to the first one), and to `seen` for
// records. Adds the counts of pairs, if there are any, to `pairs`.
static void count(gsi_cuda_device *device, gsi_tally *const *fields, gsi_digest *seen,
                  gsi_tally *pairs)
{
    const bool has_pairs = device->config.entry_map != nullptr;
    if (!gsi_cuda_enter(device))
        return;
    if (!gsi_layout_is_native(&device->input.layout))
        gsi_cuda_records_count(device, fields, seen);
    else
        count_numbers(device, &device->input.layout,
                      has_pairs ? device->input.tally : device->tally, fields[0]);
    if (has_pairs)
        count_numbers(device, &device->config.layout, device->tally, pairs);
}

// Makes tallies of fields, or of numbers alone. False: out of memory.
static bool make_tallies(const gsi_layout *layout, gsi_tally **tallies, uint32_t count)
{
    bool is_well = true;
    for (uint32_t i = 0; i < count; i++) {
        const gsi_layout field = gsi_record_field_layout(layout, i);
        tallies[i] = gsi_tally_create(&field);
        is_well = is_well && tallies[i] != nullptr;
    }
    return is_well;
}

enum gs_status gsi_cuda_tally_devices(gsi_cuda_device *const *devices, uint32_t device_count,
                                      gsi_tally_report *tally, gs_error *error)
{
    const gsi_device_config *config = &devices[0]->config;
    const gsi_layout *put = &devices[0]->input.layout;
    const bool has_records = !gsi_layout_is_native(put), has_pairs = config->entry_map != nullptr;
    const uint32_t tally_count = put->record->field_count;
    gsi_tally_report *const of_put = has_pairs ? config->element_tally : tally;
    gsi_tally *tallies[GSI_FIELDS_MAX] = {}, *pairs = nullptr;
    gsi_digest seen = {};
    enum gs_status status = GS_OK;
    *tally = *of_put = gsi_tally_report();
    if (!make_tallies(put, tallies, tally_count) ||
        (has_pairs && !make_tallies(&config->layout, &pairs, 1)))
        status = gsi_fail(error, GS_E_MEMORY, 0, "out of memory: cannot allocate a tally");
    for (uint32_t i = 0; status == GS_OK && i < device_count; i++) {
        count(devices[i], tallies, &seen, pairs);
        status = devices[i]->has_failed ? gsi_cuda_failure(devices[i], error) : GS_OK;
    }
    for (uint32_t i = 0; i < tally_count; i++) {
        if (status == GS_OK && has_records)
            config->field_tallies[i] = gsi_record_field_finish(tallies[i], seen.count);
        else if (status == GS_OK)
            *of_put = gsi_tally_finish(tallies[i]);
        gsi_tally_free(tallies[i]);
    }
    if (has_records && status == GS_OK) {
        of_put->count = seen.count;
        memcpy(of_put->fingerprint, seen.fingerprint, sizeof of_put->fingerprint);
    }
    if (has_pairs && status == GS_OK)
        *tally = gsi_tally_finish(pairs);
    gsi_tally_free(pairs);
    return status;
}

static enum gs_status cuda_tally(gsi_device *base, gsi_tally_report *tally, gs_error *error)
{
    gsi_cuda_device *device = cuda_of(base);
    return gsi_cuda_tally_devices(&device, 1, tally, error);
}

// gsi_cuda_own<operation>::call: the operation, with the owner's GPU made current for its duration.
template <auto operation> struct gsi_cuda_own;

template <class Result, class Owner, class... Arguments, Result (*operation)(Owner *, Arguments...)>
struct gsi_cuda_own<operation> {
    static Result call(Owner *owner, Arguments... arguments)
    {
        const gsi_cuda_current current;
        gsi_cuda_device *device = cuda_of(owner);
        if (device != nullptr)
            gsi_cuda_enter(device);
        return operation(owner, arguments...);
    }
};

// C++17 has no initialisers by name, but a constant may be built by assignments.
static constexpr gsi_device_ops cuda_ops()
{
    gsi_device_ops ops = {};
    ops.name = "cuda";
    ops.takes_packed = true;
    ops.probe = gsi_cuda_kept<gsi_cuda_probe>::call;
    ops.open = gsi_cuda_kept<gsi_cuda_open>::call;
    ops.close = gsi_cuda_own<gsi_cuda_close>::call;
    ops.chunk_put = gsi_cuda_own<cuda_chunk_put>::call;
    ops.chunk_seal = gsi_cuda_own<cuda_chunk_seal>::call;
    ops.run_drop = gsi_cuda_own<cuda_run_drop>::call;
    ops.merge_begin = gsi_cuda_own<gsi_cuda_merge_begin>::call;
    ops.merge_feed = gsi_cuda_own<gsi_cuda_merge_feed>::call;
    ops.merge_pull = gsi_cuda_own<gsi_cuda_merge_pull>::call;
    ops.merge_end = gsi_cuda_own<gsi_cuda_merge_end>::call;
    ops.reduce = gsi_cuda_own<cuda_reduce>::call;
    ops.reaches = gsi_cuda_reaches;
    ops.reap = gsi_cuda_own<cuda_reap>::call;
    ops.is_busy = cuda_is_busy;
    ops.tally = gsi_cuda_own<cuda_tally>::call;
    return ops;
}

const gsi_device_ops gsi_device_cuda = cuda_ops();
