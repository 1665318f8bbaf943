// cuda_device_window.cc: makes a window of the CUDA device from its pieces and copies it to the
// host.
//
// A window of one segment whose keys stay keys is copied out directly from the segment: runs are
// spilled this way. A segment on the host is copied to the GPU and out again. Windows to be
// compressed are split into planes after the merge. They are copied out when the owner knows which
// planes are not all zeros. As many windows may wait for that as there are windows on the GPU.
#include "kernels/device/cuda_device_merge.h"

#include <string.h>

// After the merge: splits the keys at `from` into planes, and queues the copy that tells the owner
// which are not zero.
static void pack(gsi_merge *merge, gsi_cuda_window *window, const void *from)
{
    gsi_cuda_device *device = merge->device;
    const cudaStream_t compute = device->streams[GSI_CUDA_COMPUTE];
    const uint32_t key_bytes = device->config.layout.key_bytes, place = window->place;
    gsi_cuda_check(device,
                   gsi_cuda_planes_split(key_bytes, from, window->buffer->bytes / key_bytes,
                                         device->planes[place], &device->found[place], compute),
                   "cannot encode a frame");
    gsi_cuda_check(device,
                   cudaMemcpyAsync(&device->found_staging[place], &device->found[place],
                                   sizeof *device->found, cudaMemcpyDeviceToHost, compute),
                   "cannot copy from the GPU");
    window->is_packing = true;
    device->packing_count++;
}

// Reserves a digest on the GPU for a window of elements; returns nullptr for a window of keys.
static uint8_t *take_digest(const gsi_merge *merge, gsi_cuda_window *window)
{
    gsi_cuda_device *device = merge->device;
    if (!merge->to_elements)
        return nullptr;
    const size_t at = gsi_cuda_digest_take(device) * gsi_cuda_seen_bytes(&device->config.layout);
    window->digest = device->digest_staging + at;
    return device->digests + at;
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
        device, &merge->records, merge->taken, merge->taken_count, device->windows[window->place],
        reinterpret_cast<gsi_records_seen *>(digest));
    copy_out(merge, window, from, window->buffer->bytes, digest);
}

// Numbers: merges into the window's place on the GPU, and returns it.
static const void *merge_keys(const gsi_merge *merge, const gsi_cuda_window *window)
{
    gsi_cuda_device *device = merge->device;
    uint8_t *const to = device->windows[window->place];
    gsi_cuda_check(device,
                   merge->kernels->merge(merge->taken, merge->taken_count, to, device->temp,
                                         device->scratch, nullptr, gsi_cuda_circular(device),
                                         device->streams[GSI_CUDA_COMPUTE]),
                   "cannot merge a window");
    return to;
}

// Numbers of the last merge: converts keys to elements in place. Returns nullptr if keys stay keys.
static uint8_t *make_digest(const gsi_merge *merge, gsi_cuda_window *window)
{
    gsi_cuda_device *device = merge->device;
    const gsi_layout *layout = &device->config.layout;
    uint8_t *const digest = take_digest(merge, window);
    if (digest != nullptr)
        gsi_cuda_digest_queue(device, device->windows[window->place],
                              window->buffer->bytes / layout->key_bytes, true, digest);
    return digest;
}

// Copies the next keys, or records, of a run on the host to the GPU.
static const void *bring(gsi_merge *merge, const gsi_cuda_window *window)
{
    gsi_cuda_device *device = merge->device;
    uint8_t *const to = device->windows[window->place];
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
                   merge->kernels->gather(merge->gathered, merge->gathered_count, device->gathered,
                                          device->streams[GSI_CUDA_COMPUTE]),
                   "cannot gather parts of runs");
}

// Reserves a place for the window on the GPU. Work queued on `stream` from now on waits until the
// previous window in that place has been copied out.
static void take_place(gsi_cuda_device *device, const gsi_cuda_window *window,
                       gsi_cuda_stream stream)
{
    device->window_count++;
    gsi_cuda_check(
        device, cudaStreamWaitEvent(device->streams[stream], device->window_free[window->place], 0),
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
    window->place = static_cast<uint32_t>(device->window_count % GSI_CUDA_WINDOWS);
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
        if (merge->to_elements && device->config.carry != nullptr) {
            const uint64_t n = bytes / device->config.layout.key_bytes;
            gsi_cuda_pairs_leave(device, &device->windows[window->place], n);
            from = device->windows[window->place];
            bytes = n * device->config.carry->output_bytes;
        }
        copy_out(merge, window, from, bytes, digest);
    }
    if (is_made)
        gsi_cuda_check(
            device,
            cudaEventRecord(device->window_free[window->place], device->streams[GSI_CUDA_OUT]),
            "cannot record an event");
    return GSI_CUDA_OUT;
}

bool gsi_cuda_window_goes_on(gsi_ticket *ticket)
{
    gsi_cuda_window *window = ticket->window;
    if (!window->is_packing)
        return false;
    gsi_cuda_device *device = window->merge->device;
    const uint32_t key_bytes = device->config.layout.key_bytes;
    const cudaStream_t out = device->streams[GSI_CUDA_OUT];
    gsi_buffer *buffer = window->buffer;
    const gsi_planes_found *found = &device->found_staging[window->place];
    const uint64_t n = buffer->bytes / key_bytes;
    gsi_packed_keys *packed = &buffer->packed;
    packed->is_packed = true;
    packed->planes = gsi_planes_of_bits(key_bytes, found->differences);
    memcpy(packed->first_key, found->first_key, sizeof packed->first_key);
    memcpy(packed->last_key, found->last_key, sizeof packed->last_key);
    if (packed->planes.count > 0)
        gsi_cuda_check(device,
                       cudaMemcpyAsync(buffer->data,
                                       device->planes[window->place] + packed->planes.first * n,
                                       packed->planes.count * n, cudaMemcpyDeviceToHost, out),
                       "cannot copy from the GPU");
    gsi_cuda_check(device, cudaEventRecord(device->window_free[window->place], out),
                   "cannot record an event");
    window->is_packing = false;
    device->packing_count--;
    gsi_cuda_ticket_issue(device, ticket, GSI_CUDA_OUT);
    return true;
}
