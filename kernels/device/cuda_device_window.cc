// cuda_device_window.cc: a window of the CUDA device, from its pieces to the host.
//
// A window of one segment whose keys stay keys is copied out from where it lies: so a run is
// spilled. Packed windows are split into planes behind the merge, and copied out when the owner has
// learned which of them are not all zeros; as many may wait for that as there are windows on the
// GPU.
#include "kernels/device/cuda_device_merge.h"

#include <string.h>

// Behind the merge: the keys at `from` become planes, and the owner learns of which.
static void pack(gsi_merge *merge, gsi_cuda_window *window, const void *from)
{
    gsi_cuda_device *device = merge->device;
    const cudaStream_t compute = device->streams[GSI_CUDA_COMPUTE];
    const uint32_t key_bytes = device->config.layout.key_bytes, place = window->place;
    gsi_cuda_check(device,
                   gsi_cuda_planes_split(key_bytes, from, window->buffer->bytes / key_bytes,
                                         device->planes[place], &device->found[place], compute),
                   "cannot pack a frame");
    gsi_cuda_check(device,
                   cudaMemcpyAsync(&device->found_staging[place], &device->found[place],
                                   sizeof *device->found, cudaMemcpyDeviceToHost, compute),
                   "cannot copy from the GPU");
    window->is_packing = true;
    device->packing_count++;
}

// A window of elements gets an imprint, on the GPU; nullptr: it is one of keys.
static uint8_t *take_imprint(const gsi_merge *merge, gsi_cuda_window *window)
{
    gsi_cuda_device *device = merge->device;
    if (!merge->to_elements)
        return nullptr;
    const size_t at = gsi_cuda_imprint_take(device) * gsi_cuda_seen_bytes(&device->config.layout);
    window->imprint = device->imprint_staging + at;
    return device->imprints + at;
}

// Behind the merge: a window on the GPU, and what was seen of it, are copied out.
static void copy_out(const gsi_merge *merge, gsi_cuda_window *window, const void *from,
                     const uint8_t *imprint)
{
    gsi_cuda_device *device = merge->device;
    const cudaStream_t out = device->streams[GSI_CUDA_OUT];
    gsi_buffer *buffer = window->buffer;
    gsi_cuda_order(device, GSI_CUDA_COMPUTE, GSI_CUDA_OUT);
    gsi_cuda_check(device,
                   cudaMemcpyAsync(buffer->data, from, buffer->bytes, cudaMemcpyDeviceToHost, out),
                   "cannot copy from the GPU");
    if (imprint != nullptr)
        gsi_cuda_check(device,
                       cudaMemcpyAsync(window->imprint, imprint,
                                       gsi_cuda_seen_bytes(&device->config.layout),
                                       cudaMemcpyDeviceToHost, out),
                       "cannot check the order");
}

// Records: merge the tags, gather, copy out.
static void launch_records(const gsi_merge *merge, gsi_cuda_window *window, uint32_t slice_count)
{
    gsi_cuda_device *device = merge->device;
    uint8_t *const imprint = take_imprint(merge, window);
    const uint8_t *from = gsi_cuda_records_window(device, &merge->records, merge->taken,
                                                  slice_count, device->windows[window->place],
                                                  reinterpret_cast<gsi_records_seen *>(imprint));
    copy_out(merge, window, from, imprint);
}

// Numbers: merge into the window's place on the GPU, and return it.
static const void *merge_keys(const gsi_merge *merge, const gsi_cuda_window *window,
                              uint32_t slice_count)
{
    gsi_cuda_device *device = merge->device;
    uint8_t *const to = device->windows[window->place];
    gsi_cuda_check(device,
                   merge->kernels->merge(merge->taken, slice_count, to, device->temp,
                                         device->scratch, nullptr,
                                         device->streams[GSI_CUDA_COMPUTE]),
                   "cannot merge a window");
    return to;
}

// Numbers, of the last merge: keys become elements in place. nullptr: keys they stay.
static uint8_t *make_imprint(const gsi_merge *merge, gsi_cuda_window *window)
{
    gsi_cuda_device *device = merge->device;
    const gsi_layout *layout = &device->config.layout;
    uint8_t *const imprint = take_imprint(merge, window);
    if (imprint != nullptr)
        gsi_cuda_check(device,
                       gsi_cuda_imprint_make(layout, device->windows[window->place],
                                             window->buffer->bytes / layout->key_bytes, true,
                                             reinterpret_cast<gsi_cuda_imprint *>(imprint),
                                             device->streams[GSI_CUDA_COMPUTE]),
                       "cannot check the order");
    return imprint;
}

gsi_cuda_stream gsi_cuda_window_launch(gsi_merge *merge, gsi_cuda_window *window,
                                       uint32_t slice_count)
{
    gsi_cuda_device *device = merge->device;
    const cudaStream_t compute = device->streams[GSI_CUDA_COMPUTE];
    const bool has_records = device->config.layout.record != nullptr;
    const bool is_merged = slice_count > 1 || merge->to_elements || has_records;
    const void *from = merge->taken[0].keys;
    window->place = static_cast<uint32_t>(device->window_count % GSI_CUDA_WINDOWS);
    window->buffer->packed.is_packed = false;
    if (is_merged || merge->to_packed) {
        device->window_count++;
        gsi_cuda_check(device, cudaStreamWaitEvent(compute, device->window_free[window->place], 0),
                       "cannot wait for an event");
    }
    if (has_records) {
        launch_records(merge, window, slice_count);
    } else {
        if (is_merged)
            from = merge_keys(merge, window, slice_count);
        if (merge->to_packed) {
            pack(merge, window, from);
            return GSI_CUDA_COMPUTE;
        }
        uint8_t *const imprint = make_imprint(merge, window);
        copy_out(merge, window, from, imprint);
    }
    if (is_merged)
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
