// cuda_device_windows.cc: makes a window of the CUDA device from its pieces and copies it to the
// host.
//
// A window of one segment whose keys stay keys is copied out directly from the segment: runs are
// spilled this way. A segment on the host is copied to the GPU and out again. Windows to be
// compressed are split into planes after the merge. They are copied out when the owner knows which
// planes are not all zeros. As many windows may wait for that as there are windows on the GPU.
#include "kernels/device/cuda_device.h"
#include "kernels/device/cuda_merge.h"

#include <string.h>

// ---- memory ----

// Size of a window, with room for the groups of a tree of merges to begin at multiples of 16 keys.
static uint64_t window_room(const gsi_cuda_device *device)
{
    const gsi_plan *plan = device->config.plan;
    return gsi_max_u64(plan->window_bytes, plan->frame_bytes) +
           uint64_t(GSI_CUDA_SLICES) * gsi_sort_bytes(&device->config.layout);
}

static bool open_planes(gsi_cuda_device *device)
{
    gsi_cuda_windows *windows = &device->windows;
    const uint64_t frame_bytes = device->config.plan->frame_bytes;
    const uint32_t key_bytes = device->config.layout.key_bytes;
    const uint64_t found_bytes = GSI_CUDA_WINDOWS * sizeof *windows->found;
    bool is_well = gsi_cuda_alloc(device, &windows->found, found_bytes) &&
                   gsi_cuda_alloc_pinned(device, &windows->found_copies, found_bytes) &&
                   gsi_cuda_alloc(device, &windows->unpacking, frame_bytes) &&
                   gsi_cuda_alloc(device, &windows->unpacking_sums,
                                  gsi_cuda_planes_sums_bytes(key_bytes, frame_bytes / key_bytes));
    for (uint8_t *&planes : windows->planes)
        is_well = is_well && gsi_cuda_alloc(device, &planes, frame_bytes);
    return is_well;
}

// Keys are read in whole units of 16 bytes, so a read may include bytes after the end of a group of
// the merge tree. This memory is cleared, so these bytes are initialised.
bool gsi_cuda_windows_open(gsi_cuda_device *device)
{
    gsi_cuda_windows *windows = &device->windows;
    const uint64_t room = window_room(device);
    bool is_well = gsi_cuda_alloc(device, &windows->temp, room) &&
                   gsi_cuda_clear(device, windows->temp, room) &&
                   gsi_cuda_alloc(device, &windows->gathered, room) &&
                   gsi_cuda_clear(device, windows->gathered, room);
    for (uint8_t *&window : windows->memory)
        is_well = is_well && gsi_cuda_alloc(device, &window, room) &&
                  gsi_cuda_clear(device, window, room);
    for (cudaEvent_t &event : windows->copied_out)
        is_well = is_well &&
                  gsi_cuda_check(device, cudaEventCreateWithFlags(&event, cudaEventDisableTiming),
                                 "cannot create an event");
    const bool has_frames = device->config.plan->spilled_runs > 0;
    return is_well &&
           (!has_frames || device->config.layout.form != GSI_FORM_KEYS || open_planes(device));
}

void gsi_cuda_windows_close(gsi_cuda_device *device)
{
    const gsi_cuda_windows *windows = &device->windows;
    for (uint8_t *window : windows->memory)
        cudaFree(window);
    for (uint8_t *planes : windows->planes)
        cudaFree(planes);
    gsi_cuda_free({windows->temp, windows->gathered, windows->found, windows->unpacking,
                   windows->unpacking_sums});
    gsi_cuda_free_pinned({windows->found_copies});
    for (cudaEvent_t event : windows->copied_out)
        if (event != nullptr)
            cudaEventDestroy(event);
}

// ---- work ----

void gsi_cuda_window_merge(gsi_cuda_device *device, const gsi_sort_kernels *kernels,
                           const gsi_slice *slices, uint32_t count, uint8_t *to,
                           const gsi_cuda_record_table *places)
{
    gsi_cuda_check(device,
                   kernels->merge(slices, count, to, device->windows.temp, device->scratch, places,
                                  &device->base.pair_merges, device->streams[GSI_CUDA_COMPUTE]),
                   "cannot merge a window");
}

// After the merge: splits the keys at `from` into planes, and queues the copy that tells the owner
// which are not zero.
static void pack(gsi_merge *merge, gsi_cuda_window *window, const void *from)
{
    gsi_cuda_device *device = merge->device;
    const cudaStream_t compute = device->streams[GSI_CUDA_COMPUTE];
    const uint32_t key_bytes = device->config.layout.key_bytes, place = window->place;
    gsi_cuda_check(device,
                   gsi_cuda_planes_split(key_bytes, from, window->buffer->bytes / key_bytes,
                                         device->windows.planes[place],
                                         &device->windows.found[place], compute),
                   "cannot encode a frame");
    gsi_cuda_check(device,
                   cudaMemcpyAsync(&device->windows.found_copies[place],
                                   &device->windows.found[place], sizeof *device->windows.found,
                                   cudaMemcpyDeviceToHost, compute),
                   "cannot copy from the GPU");
    window->is_packing = true;
    device->windows.packing_count++;
}

// Reserves a digest on the GPU for a window of elements; returns nullptr for a window of keys.
static uint8_t *take_digest(const gsi_merge *merge, gsi_cuda_window *window)
{
    gsi_cuda_device *device = merge->device;
    if (!merge->to_elements)
        return nullptr;
    const size_t at = gsi_cuda_digest_next(device);
    window->digest = device->staging.digest_copies + at;
    return device->staging.digests + at;
}

// After the merge: copies out `bytes` of a window on the GPU and the window's digest, if there is
// one.
static void copy_out(const gsi_merge *merge, gsi_cuda_window *window, const void *from,
                     uint64_t bytes, const uint8_t *digest)
{
    gsi_cuda_device *device = merge->device;
    const cudaStream_t out = device->streams[GSI_CUDA_OUT];
    gsi_buffer *buffer = window->buffer;
    gsi_cuda_order(device, GSI_CUDA_COMPUTE, GSI_CUDA_OUT);
    gsi_cuda_check(device, cudaMemcpyAsync(buffer->data, from, bytes, cudaMemcpyDeviceToHost, out),
                   "cannot copy from the GPU");
    if (digest != nullptr)
        gsi_cuda_check(device,
                       cudaMemcpyAsync(window->digest, digest,
                                       gsi_cuda_seen_bytes(&device->config.layout),
                                       cudaMemcpyDeviceToHost, out),
                       "cannot check the order");
}

// Records: merges the tags, gathers the records and copies them out.
static void launch_records(const gsi_merge *merge, gsi_cuda_window *window)
{
    gsi_cuda_device *device = merge->device;
    uint8_t *const digest = take_digest(merge, window);
    const uint8_t *from = gsi_cuda_records_window(
        device, &merge->records, merge->taken, merge->taken_count,
        device->windows.memory[window->place], reinterpret_cast<gsi_records_seen *>(digest));
    copy_out(merge, window, from, window->buffer->bytes, digest);
}

// Numbers: merges into the window's place on the GPU, and returns it.
static const void *merge_keys(const gsi_merge *merge, const gsi_cuda_window *window)
{
    gsi_cuda_device *device = merge->device;
    uint8_t *const to = device->windows.memory[window->place];
    gsi_cuda_window_merge(device, merge->kernels, merge->taken, merge->taken_count, to, nullptr);
    return to;
}

// Numbers of the last merge: converts keys to elements in place. Returns nullptr if keys stay keys.
static uint8_t *make_digest(const gsi_merge *merge, gsi_cuda_window *window)
{
    gsi_cuda_device *device = merge->device;
    const gsi_layout *layout = &device->config.layout;
    uint8_t *const digest = take_digest(merge, window);
    if (digest != nullptr)
        gsi_cuda_digest_queue(device, device->windows.memory[window->place],
                              window->buffer->bytes / layout->key_bytes, true, digest);
    return digest;
}

// Copies the next keys, or records, of a run on the host to the GPU.
static const void *bring(gsi_merge *merge, const gsi_cuda_window *window)
{
    gsi_cuda_device *device = merge->device;
    uint8_t *const to = device->windows.memory[window->place];
    gsi_cuda_check(device,
                   cudaMemcpyAsync(to, merge->passing->host + merge->passed_bytes,
                                   window->buffer->bytes, cudaMemcpyHostToDevice,
                                   device->streams[GSI_CUDA_IN]),
                   "cannot copy to the GPU");
    gsi_cuda_order(device, GSI_CUDA_IN, GSI_CUDA_COMPUTE);
    merge->passed_bytes += window->buffer->bytes;
    return to;
}

static void gather(const gsi_merge *merge)
{
    gsi_cuda_device *device = merge->device;
    gsi_cuda_check(device,
                   merge->kernels->gather(merge->gathered, merge->gathered_count,
                                          device->windows.gathered,
                                          device->streams[GSI_CUDA_COMPUTE]),
                   "cannot gather parts of runs");
}

// Reserves a place for the window on the GPU. Work queued on `stream` from now on waits until the
// previous window in that place has been copied out.
static void take_place(gsi_cuda_device *device, const gsi_cuda_window *window,
                       gsi_cuda_stream stream)
{
    device->windows.launched++;
    gsi_cuda_check(
        device,
        cudaStreamWaitEvent(device->streams[stream], device->windows.copied_out[window->place], 0),
        "cannot wait for an event");
}

// Numbers: returns the address that will hold the window's keys when the queued work is done.
// is_made: they are in the window's place.
static const void *make_keys(gsi_merge *merge, const gsi_cuda_window *window, bool is_made)
{
    if (merge->passing != nullptr)
        return bring(merge, window);
    return is_made ? merge_keys(merge, window) : merge->taken[0].keys;
}

gsi_cuda_stream gsi_cuda_window_launch(gsi_merge *merge, gsi_cuda_window *window)
{
    gsi_cuda_device *device = merge->device;
    const bool is_passing = merge->passing != nullptr;
    const bool is_gathered = !is_passing && merge->gathered_count > 0;
    const bool has_records = device->config.layout.form != GSI_FORM_KEYS && !is_passing;
    const bool is_made =
        is_passing || merge->taken_count > 1 || is_gathered || merge->to_elements || has_records;
    window->place = static_cast<uint32_t>(device->windows.launched % GSI_CUDA_WINDOWS);
    window->buffer->packed.is_packed = false;
    if (is_made || merge->to_packed)
        take_place(device, window, is_passing ? GSI_CUDA_IN : GSI_CUDA_COMPUTE);
    if (is_gathered)
        gather(merge);
    if (has_records) {
        launch_records(merge, window);
    } else {
        const void *from = make_keys(merge, window, is_made);
        if (merge->to_packed) {
            pack(merge, window, from);
            return GSI_CUDA_COMPUTE;
        }
        const uint8_t *digest = make_digest(merge, window);
        uint64_t bytes = window->buffer->bytes;
        if (merge->to_elements && device->config.entry_map != nullptr) {
            const uint64_t n = bytes / device->config.layout.key_bytes;
            gsi_cuda_pairs_to_positions(device, &device->windows.memory[window->place], n);
            from = device->windows.memory[window->place];
            bytes = n * device->config.entry_map->output_bytes;
        }
        copy_out(merge, window, from, bytes, digest);
    }
    if (is_made)
        gsi_cuda_check(device,
                       cudaEventRecord(device->windows.copied_out[window->place],
                                       device->streams[GSI_CUDA_OUT]),
                       "cannot record an event");
    return GSI_CUDA_OUT;
}

bool gsi_cuda_window_continue(gsi_ticket *ticket)
{
    gsi_cuda_window *window = ticket->window;
    if (!window->is_packing)
        return false;
    gsi_cuda_device *device = window->merge->device;
    const uint32_t key_bytes = device->config.layout.key_bytes;
    const cudaStream_t out = device->streams[GSI_CUDA_OUT];
    gsi_buffer *buffer = window->buffer;
    const gsi_planes_found *found = &device->windows.found_copies[window->place];
    const uint64_t n = buffer->bytes / key_bytes;
    gsi_packed_keys *packed = &buffer->packed;
    packed->is_packed = true;
    packed->planes = gsi_planes_of_bits(key_bytes, found->differences);
    memcpy(packed->first_key, found->first_key, sizeof packed->first_key);
    memcpy(packed->last_key, found->last_key, sizeof packed->last_key);
    if (packed->planes.count > 0)
        gsi_cuda_check(
            device,
            cudaMemcpyAsync(buffer->data,
                            device->windows.planes[window->place] + packed->planes.first * n,
                            packed->planes.count * n, cudaMemcpyDeviceToHost, out),
            "cannot copy from the GPU");
    gsi_cuda_check(device, cudaEventRecord(device->windows.copied_out[window->place], out),
                   "cannot record an event");
    window->is_packing = false;
    device->windows.packing_count--;
    gsi_cuda_ticket_issue(device, ticket, GSI_CUDA_OUT);
    return true;
}
