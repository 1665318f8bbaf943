// cuda_device_merge.cc: merges of the CUDA device.
//
// A window is cut on the GPU, by the exact co-rank of all heads, and its place in every segment is
// known to the host before it is queued: that is all the state there is. Where nothing is fed the
// cuts of many windows are found at once and in advance; else each pull waits for its cut, for
// about as long as the window before takes to be merged.
//
//   heads --cut_windows--> cuts --merge--> window --imprint--> window --out--> host buffer
//                                          (one of GSI_CUDA_WINDOWS on the GPU)
//
// What becomes of a window that is cut: cuda_device_window.cc.
#include "kernels/device/cuda_device_merge.h"

#include <stdlib.h>
#include <string.h>

static void return_buffer(void *context, gsi_buffer *buffer)
{
    gsi_buffer_list_push(&static_cast<gsi_cuda_device *>(context)->returned, buffer);
}

gsi_buffer *gsi_cuda_window_done(gsi_cuda_window *window)
{
    gsi_merge *merge = window->merge;
    gsi_buffer *buffer = window->buffer;
    gsi_merge_inputs_done(&merge->inputs, window->segments, window->segment_count);
    gsi_cuda_imprint_fetched(merge->device, window->imprint, buffer);
    window->next = merge->free_windows;
    merge->free_windows = window;
    merge->in_flight--;
    merge->device->packing_count -= window->is_packing; // given up
    window->is_packing = false;
    return buffer;
}

void gsi_cuda_merge_end(gsi_merge *merge)
{
    if (merge == nullptr)
        return;
    gsi_cuda_device *device = merge->device;
    while (merge->in_flight > 0) { // given up early
        gsi_ticket *ticket = gsi_cuda_ticket_take(device);
        if (ticket == nullptr) {
            gsi_cuda_ticket_wait(device);
            continue;
        }
        if (ticket->window != nullptr)
            gsi_cuda_window_done(ticket->window);
        gsi_cuda_ticket_give(device, ticket);
    }
    gsi_ledger *ledger = device->config.ledger;
    if (merge->windows != nullptr)
        for (uint32_t i = 0; i < device->config.window_count; i++)
            gsi_memory_free(ledger, merge->windows[i].segments, merge->slice_count,
                            sizeof(gsi_segment *));
    gsi_memory_free(ledger, merge->windows, device->config.window_count, sizeof *merge->windows);
    gsi_memory_free(ledger, merge->heads.slices, merge->slice_count, sizeof *merge->heads.slices);
    gsi_memory_free(ledger, merge->heads.segments, merge->slice_count, sizeof(gsi_segment *));
    gsi_memory_free(ledger, merge->taken, merge->slice_count, sizeof *merge->taken);
    gsi_merge_inputs_clear(&merge->inputs);
    gsi_cuda_records_end(device, &merge->records);
    free(merge);
}

template <class T>
static enum gs_status make_table(gsi_ledger *ledger, T **table, uint64_t count, gs_error *error)
{
    void *memory = nullptr;
    const enum gs_status status = gsi_memory_alloc(ledger, count, sizeof(T), &memory, error);
    *table = static_cast<T *>(memory);
    return status;
}

static enum gs_status make_tables(gsi_merge *merge, gs_error *error)
{
    const gsi_device_config *config = &merge->device->config;
    const uint32_t slices = merge->slice_count;
    enum gs_status status = make_table(config->ledger, &merge->heads.slices, slices, error);
    if (status == GS_OK)
        status = make_table(config->ledger, &merge->heads.segments, slices, error);
    if (status == GS_OK)
        status = make_table(config->ledger, &merge->taken, slices, error);
    if (status == GS_OK)
        status = make_table(config->ledger, &merge->windows, config->window_count, error);
    for (uint32_t i = 0; i < config->window_count && status == GS_OK; i++) {
        gsi_cuda_window *window = &merge->windows[i];
        status = make_table(config->ledger, &window->segments, slices, error);
        window->merge = merge;
        window->next = merge->free_windows;
        merge->free_windows = window;
    }
    return status;
}

static int compare_tags(void *context, const void *a, const void *b)
{
    const gsi_cuda_records_merge *records = static_cast<const gsi_cuda_records_merge *>(context);
    gsi_u128 x, y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return gsi_tie_compare(&records->host_places, x, y, records->places.at);
}

// Inputs of keys, or of tags.
static enum gs_status begin_inputs(gsi_merge *merge, const gsi_merge_spec *spec, uint64_t segments,
                                   gs_error *error)
{
    gsi_cuda_device *device = merge->device;
    gsi_layout layout = device->config.layout;
    merge->kernels = device->kernels;
    if (layout.record != nullptr) {
        const enum gs_status status = gsi_cuda_records_begin(device, spec, &merge->records, error);
        if (status != GS_OK)
            return status;
        merge->kernels = merge->records.kernels;
        merge->inputs.compare = compare_tags;
        merge->inputs.compare_context = &merge->records;
        layout = gsi_layout_make(gsi_key_type_find("u128"), false);
    }
    return gsi_merge_inputs_init(&merge->inputs, &layout, device->config.ledger, spec, segments,
                                 error);
}

enum gs_status gsi_cuda_merge_begin(gsi_device *base, const gsi_merge_spec *spec, gsi_merge **out,
                                    gs_error *error)
{
    gsi_cuda_device *device = reinterpret_cast<gsi_cuda_device *>(base);
    const gsi_layout *layout = &device->config.layout;
    *out = nullptr;
    gsi_merge *merge = static_cast<gsi_merge *>(calloc(1, sizeof *merge));
    if (merge == nullptr)
        return gsi_fail(error, GS_E_MEMORY, 0, "memory: cannot allocate a merge");
    merge->device = device;
    merge->to_elements = spec->to_elements;
    merge->to_packed = spec->to_packed && layout->record == nullptr;
    merge->inputs.release = return_buffer;
    merge->inputs.context = device;
    uint64_t segments = spec->fed_buffers;
    for (uint32_t i = 0; i < spec->input_count; i++) {
        segments += spec->inputs[i].run != nullptr;
        merge->is_fed |= spec->inputs[i].run == nullptr;
    }
    enum gs_status status = begin_inputs(merge, spec, segments, error);
    if (status == GS_OK) {
        merge->slice_count = merge->inputs.segment_count;
        status = make_tables(merge, error);
    }
    if (status != GS_OK) {
        gsi_cuda_merge_end(merge);
        return status;
    }
    for (uint32_t i = 0; i < spec->input_count; i++) {
        const gsi_run *run = spec->inputs[i].run;
        if (run != nullptr)
            gsi_merge_inputs_add(&merge->inputs, i,
                                 {layout->record != nullptr ? run->tags : run->slot,
                                  run->bytes / layout->key_bytes});
    }
    *out = merge;
    return GS_OK;
}

void gsi_cuda_merge_feed(gsi_merge *merge, uint32_t input_idx, gsi_buffer *buffer,
                         const void *bound)
{
    gsi_cuda_device *device = merge->device;
    const uint32_t key_bytes = device->config.layout.key_bytes;
    const uint64_t n = buffer->bytes / key_bytes;
    if (device->config.layout.record != nullptr) {
        const uint8_t *tags = gsi_cuda_records_feed(device, &merge->records, buffer);
        gsi_merge_inputs_feed(&merge->inputs, input_idx, {tags, n}, buffer,
                              bound != nullptr ? &buffer->tags[n - 1] : nullptr);
        return;
    }
    const gsi_packed_keys *packed = &buffer->packed;
    const cudaStream_t in = device->streams[GSI_CUDA_IN];
    uint8_t *const place = gsi_cuda_mirror(device, buffer);
    gsi_cuda_check(device,
                   cudaMemcpyAsync(packed->is_packed ? device->unpacking : place, buffer->data,
                                   packed->is_packed ? packed->planes.count * n : buffer->bytes,
                                   cudaMemcpyHostToDevice, in),
                   "cannot copy to the GPU");
    if (packed->is_packed)
        gsi_cuda_check(device,
                       gsi_cuda_planes_join(key_bytes, device->unpacking, n, packed->planes.first,
                                            packed->planes.count, packed->first_key, place,
                                            device->unpacking_sums, in),
                       "cannot unpack a frame");
    gsi_cuda_order(device, GSI_CUDA_IN, GSI_CUDA_COMPUTE);
    gsi_merge_inputs_feed(&merge->inputs, input_idx, {place, n}, buffer, bound);
}

// The cuts of the next windows of `wanted` keys: as many as are known in advance. False: the device
// has failed.
static bool cut_batch(gsi_merge *merge, uint64_t wanted)
{
    gsi_cuda_device *device = merge->device;
    gsi_merge_heads *heads = &merge->heads;
    const cudaStream_t compute = device->streams[GSI_CUDA_COMPUTE];
    gsi_merge_inputs_heads(&merge->inputs, merge->is_fed ? wanted : UINT64_MAX, heads);
    merge->window_keys = wanted;
    merge->batch_idx = 0;
    merge->batch_count = 0;
    merge->total = 0;
    const bool is_bound = heads->bound_idx < merge->inputs.input_count;
    if (heads->count == 0 || (is_bound && heads->bound == nullptr))
        return true;
    if (heads->count == 1 && !is_bound) { // nothing to cut
        merge->total = heads->slices[0].count;
        merge->batch_count = 1;
        device->cut_staging[0] = gsi_min_u64(wanted, merge->total);
        return true;
    }
    if (heads->count > GSI_CUDA_SLICES)
        return gsi_cuda_check(device, cudaErrorInvalidValue,
                              "too many pieces to merge at once; lower --batch-size");
    uint32_t bound_arrays = 0; // heads of inputs whose keys equal to the bound may be emitted
    for (uint32_t i = 0; i < heads->count; i++) {
        device->slice_staging[i] = {heads->slices[i].keys, heads->slices[i].count};
        // A bound of records is one of them.
        bound_arrays += heads->segments[i]->input_idx <= heads->bound_idx ||
                        device->config.layout.record != nullptr;
    }
    const uint32_t windows =
        merge->is_fed ? 1
                      : static_cast<uint32_t>(
                            gsi_min_u64(GSI_CUDA_CUT_WINDOWS, GSI_CUDA_CUT_ENTRIES / heads->count));
    const bool is_queued =
        gsi_cuda_check(device,
                       cudaMemcpyAsync(device->slices, device->slice_staging,
                                       heads->count * sizeof *device->slices,
                                       cudaMemcpyHostToDevice, compute),
                       "cannot copy to the GPU") &&
        gsi_cuda_check(device,
                       merge->kernels->cut_windows(device->slices, heads->count, heads->bound,
                                                   bound_arrays, wanted, windows, device->cuts,
                                                   device->totals, &merge->records.places, compute),
                       "cannot cut a window") &&
        gsi_cuda_check(device,
                       cudaMemcpyAsync(device->cut_staging, device->cuts,
                                       uint64_t(windows) * heads->count * sizeof *device->cuts,
                                       cudaMemcpyDeviceToHost, compute),
                       "cannot copy from the GPU") &&
        gsi_cuda_check(device,
                       cudaMemcpyAsync(device->total_staging, device->totals,
                                       windows * sizeof *device->totals, cudaMemcpyDeviceToHost,
                                       compute),
                       "cannot copy from the GPU") &&
        gsi_cuda_check(device, cudaStreamSynchronize(compute), "cannot cut a window");
    merge->total = is_queued ? device->total_staging[0] : 0;
    merge->batch_count =
        static_cast<uint32_t>(gsi_min_u64(windows, gsi_ceil_div_u64(merge->total, wanted)));
    return is_queued;
}

// What window batch_idx takes of each head, into merge->taken; how many heads that is.
static uint32_t take_window(gsi_merge *merge, gsi_cuda_window *window)
{
    const uint32_t count = merge->heads.count;
    const uint64_t *cut = merge->device->cut_staging + uint64_t(merge->batch_idx) * count;
    const uint64_t *before = merge->batch_idx > 0 ? cut - count : nullptr;
    window->segment_count = 0;
    for (uint32_t i = 0; i < count; i++) {
        const uint64_t taken = cut[i] - (before != nullptr ? before[i] : 0);
        if (taken == 0)
            continue;
        const gsi_slice slice =
            gsi_merge_inputs_take(&merge->inputs, merge->heads.segments[i], taken);
        merge->taken[window->segment_count] = {slice.keys, slice.count};
        window->segments[window->segment_count++] = merge->heads.segments[i];
    }
    return window->segment_count;
}

enum gsi_pull gsi_cuda_merge_pull(gsi_merge *merge, gsi_buffer *buffer, uint32_t *needed_idx)
{
    gsi_cuda_device *device = merge->device;
    const uint32_t key_bytes = device->config.layout.key_bytes;
    const uint64_t wanted = buffer->capacity / key_bytes;
    *needed_idx = 0;
    if (device->packing_count == GSI_CUDA_WINDOWS)
        return GSI_PULL_LATER;
    const bool is_cut = merge->batch_idx < merge->batch_count && merge->window_keys == wanted;
    if (device->has_failed || (!is_cut && !cut_batch(merge, wanted)))
        return GSI_PULL_NEED; // the failure's event follows
    const bool is_bound = merge->heads.bound_idx < merge->inputs.input_count;
    if (is_bound && merge->total < wanted) {
        *needed_idx = merge->heads.bound_idx;
        merge->batch_count = 0;
        return GSI_PULL_NEED;
    }
    if (merge->total == 0)
        return GSI_PULL_END;
    gsi_ticket *ticket = gsi_cuda_ticket_make(device);
    if (ticket == nullptr)
        return GSI_PULL_NEED;
    gsi_cuda_window *window = merge->free_windows; // config.window_count bounds their number
    merge->free_windows = window->next;
    window->buffer = buffer;
    window->imprint = nullptr;
    const uint64_t before = merge->batch_idx * wanted;
    buffer->bytes = gsi_min_u64(wanted, merge->total - before) * key_bytes;
    const uint32_t slice_count = take_window(merge, window);
    merge->batch_idx++;
    ticket->window = window;
    merge->in_flight++;
    gsi_cuda_ticket_issue(device, ticket, gsi_cuda_window_launch(merge, window, slice_count));
    return GSI_PULL_OK;
}
