// cuda_device_merge.cc: merges runs on the CUDA device, one window at a time.
//
// A window is cut on the GPU, by the exact co-rank of all runs. The host knows the window's
// position in every segment before it queues the window; that is all the state there is. The cuts
// of many windows are computed at once, on a stream of their own, while earlier windows are merged.
// Consecutive segments of a run are one array to the cut, and are gathered into one array for the
// merge.
//
//   heads --cut_windows--> cuts --gather, merge--> window --digest--> window --out--> host buffer
//                                                  (one of GSI_CUDA_WINDOWS on the GPU)
//
// Fed keys are a head once they have arrived. Windows are cut by cuda_device_cut.cc, and made and
// copied out by cuda_device_windows.cc. Runs on the host are fed by cuda_device_feed.cc.
#include "kernels/device/cuda_device.h"
#include "kernels/device/cuda_merge.h"

#include <stdlib.h>
#include <string.h>

static void return_buffer(void *context, gsi_buffer *buffer)
{
    gsi_merge *merge = static_cast<gsi_merge *>(context);
    if (!gsi_cuda_feed_released(merge, buffer) && --buffer->device_uses == 0)
        gsi_buffer_list_push(&merge->device->returned, buffer);
}

gsi_ticket *gsi_cuda_merge_arrival(gsi_merge *merge, uint32_t input_idx, gsi_slice keys,
                                   gsi_buffer *buffer, const void *bound)
{
    gsi_ticket *ticket = gsi_cuda_ticket_make(merge->device);
    if (ticket == nullptr)
        return nullptr;
    ticket->arrival.merge = merge;
    ticket->arrival.input_idx = input_idx;
    ticket->arrival.keys = keys;
    ticket->arrival.buffer = buffer;
    ticket->arrival.has_bound = bound != nullptr;
    if (bound != nullptr)
        memcpy(ticket->arrival.bound, bound, gsi_sort_bytes(&merge->device->config.layout));
    merge->arriving++;
    return ticket;
}

static void take_arrival(const gsi_cuda_arrival *arrival)
{
    gsi_merge *merge = arrival->merge;
    merge->arriving--;
    merge->has_news = true;
    merge->news_keys = arrival->has_bound ? merge->news_keys + arrival->keys.count : UINT64_MAX / 2;
    gsi_merge_inputs_feed(&merge->inputs, arrival->input_idx, arrival->keys, arrival->buffer,
                          arrival->has_bound ? arrival->bound : nullptr);
    gsi_cuda_feed_arrived(merge, arrival->buffer);
}

void gsi_cuda_merge_ticket(const gsi_ticket *ticket)
{
    if (ticket->window != nullptr)
        gsi_cuda_window_done(ticket->window);
    else if (ticket->arrival.merge != nullptr)
        take_arrival(&ticket->arrival);
}

gsi_buffer *gsi_cuda_window_done(gsi_cuda_window *window)
{
    gsi_merge *merge = window->merge;
    gsi_buffer *buffer = window->buffer;
    gsi_merge_inputs_done(&merge->inputs, window->segments, window->segment_count);
    gsi_cuda_digest_fetched(merge->device, window->digest, buffer);
    window->next = merge->free_windows;
    merge->free_windows = window;
    merge->in_flight--;
    merge->device->windows.packing_count -= window->is_packing; // the merge was given up
    window->is_packing = false;
    return buffer;
}

gsi_cuda_device *gsi_cuda_merge_device(const gsi_merge *merge)
{
    return merge->device;
}

void gsi_cuda_merge_end(gsi_merge *merge)
{
    if (merge == nullptr)
        return;
    gsi_cuda_device *device = merge->device;
    merge->is_ending = true;
    while (merge->in_flight + merge->arriving > 0) { // the merge was given up early
        gsi_ticket *ticket = gsi_cuda_ticket_pop(device);
        if (ticket == nullptr) {
            gsi_cuda_ticket_wait(device);
            continue;
        }
        gsi_cuda_merge_ticket(ticket);
        gsi_cuda_ticket_release(device, ticket);
    }
    device->runs.staying = nullptr;
    gsi_ledger *ledger = device->config.ledger;
    if (merge->windows != nullptr)
        for (uint32_t i = 0; i < device->config.window_count; i++)
            gsi_memory_free(ledger, merge->windows[i].segments, merge->slice_count,
                            sizeof(gsi_segment *));
    gsi_memory_free(ledger, merge->windows, device->config.window_count, sizeof *merge->windows);
    gsi_memory_free(ledger, merge->heads.slices, merge->slice_count, sizeof *merge->heads.slices);
    gsi_memory_free(ledger, merge->heads.segments, merge->slice_count, sizeof(gsi_segment *));
    GSI_FREE(ledger, merge->gathered, merge->slice_count);
    GSI_FREE(ledger, merge->chains, merge->input_count);
    GSI_FREE(ledger, merge->chain_heads, merge->input_count + 1);
    GSI_FREE(ledger, merge->taken, merge->input_count);
    GSI_FREE(ledger, merge->is_elsewhere, merge->input_count);
    gsi_merge_inputs_clear(&merge->inputs);
    gsi_cuda_feed_end(merge);
    gsi_cuda_records_end(device, &merge->records);
    free(merge);
}

static enum gs_status make_tables(gsi_merge *merge, gs_error *error)
{
    const gsi_device_config *config = &merge->device->config;
    const uint32_t slices = merge->slice_count;
    GSI_TRY(GSI_NEW(config->ledger, merge->heads.slices, slices, error));
    GSI_TRY(GSI_NEW(config->ledger, merge->heads.segments, slices, error));
    GSI_TRY(GSI_NEW(config->ledger, merge->gathered, slices, error));
    GSI_TRY(GSI_NEW(config->ledger, merge->chains, merge->input_count, error));
    GSI_TRY(GSI_NEW(config->ledger, merge->chain_heads, merge->input_count + 1, error));
    GSI_TRY(GSI_NEW(config->ledger, merge->taken, merge->input_count, error));
    GSI_TRY(GSI_NEW(config->ledger, merge->is_elsewhere, merge->input_count, error));
    GSI_TRY(GSI_NEW(config->ledger, merge->windows, config->window_count, error));
    for (uint32_t i = 0; i < config->window_count; i++) {
        gsi_cuda_window *window = &merge->windows[i];
        GSI_TRY(GSI_NEW(config->ledger, window->segments, slices, error));
        window->merge = merge;
        window->next = merge->free_windows;
        merge->free_windows = window;
    }
    return GS_OK;
}

static int compare_tags(void *context, const void *a, const void *b)
{
    const gsi_cuda_records_merge *records = static_cast<const gsi_cuda_records_merge *>(context);
    gsi_u128 x, y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return gsi_tie_compare(&records->host_places, x, y, records->places.at + GSI_TAG_KEY_BYTES);
}

// Inputs of keys, or of tags.
static enum gs_status begin_inputs(gsi_merge *merge, const gsi_merge_spec *spec, uint64_t segments,
                                   gs_error *error)
{
    gsi_cuda_device *device = merge->device;
    gsi_layout layout = device->config.layout;
    merge->kernels = device->kernels;
    if (layout.form != GSI_FORM_KEYS) {
        const enum gs_status status = gsi_cuda_records_begin(device, spec, &merge->records, error);
        if (status != GS_OK)
            return status;
        merge->kernels = merge->records.kernels;
        merge->inputs.compare = compare_tags;
        merge->inputs.compare_context = &merge->records;
        layout = gsi_layout_make(gsi_key_type_find("u128"), false);
    }
    // Runs on the host are fed from here; for numbers the first keys are known.
    gsi_merge_input *inputs;
    gsi_merge_spec fed = *spec;
    GSI_TRY(GSI_NEW(device->config.ledger, inputs, spec->input_count, error));
    fed.inputs = inputs;
    for (uint32_t i = 0; i < spec->input_count; i++) {
        inputs[i] = spec->inputs[i];
        if (inputs[i].run != nullptr && inputs[i].run->host != nullptr) {
            inputs[i].bound =
                device->config.layout.form != GSI_FORM_KEYS ? nullptr : inputs[i].run->host;
            inputs[i].run = nullptr;
        }
    }
    const enum gs_status status = gsi_merge_inputs_init(
        &merge->inputs, &layout, device->config.ledger, &fed, segments, error);
    GSI_FREE(device->config.ledger, inputs, spec->input_count);
    return status;
}

// Does everything that can fail.
static enum gs_status begin(gsi_merge *merge, const gsi_merge_spec *spec, gs_error *error)
{
    uint64_t segments = spec->fed_buffers;
    for (uint32_t i = 0; i < spec->input_count; i++) {
        const gsi_run *run = spec->inputs[i].run;
        segments += run != nullptr && run->host == nullptr;
        merge->is_fed |= run == nullptr || run->host != nullptr;
    }
    GSI_TRY(gsi_cuda_feed_begin(merge, spec, error));
    segments += uint64_t(merge->feed.ring_count) * merge->feed.pieces_a_ring;
    GSI_TRY(begin_inputs(merge, spec, segments, error));
    merge->slice_count = merge->inputs.segment_count;
    merge->input_count = spec->input_count;
    return make_tables(merge, error);
}

enum gs_status gsi_cuda_merge_begin(gsi_device *base, const gsi_merge_spec *spec, gsi_merge **out,
                                    gs_error *error)
{
    gsi_cuda_device *device = reinterpret_cast<gsi_cuda_device *>(base);
    const gsi_layout *layout = &device->config.layout;
    *out = nullptr;
    gsi_merge *merge = static_cast<gsi_merge *>(calloc(1, sizeof *merge));
    if (merge == nullptr)
        return gsi_fail(error, GS_E_MEMORY, 0, "out of memory: cannot allocate a merge");
    merge->device = device;
    merge->to_elements = spec->to_elements;
    merge->to_packed = spec->to_packed && layout->form == GSI_FORM_KEYS;
    merge->inputs.release = return_buffer;
    merge->inputs.context = merge;
    const enum gs_status status = begin(merge, spec, error);
    if (status != GS_OK) {
        gsi_cuda_merge_end(merge);
        return status;
    }
    for (uint32_t i = 0; i < spec->input_count; i++) {
        const gsi_run *run = spec->inputs[i].run;
        merge->is_elsewhere[i] = run != nullptr && run->host == nullptr && run->device != device;
        if (run != nullptr && run->host == nullptr)
            gsi_merge_inputs_add_slice(
                &merge->inputs, i,
                {layout->form != GSI_FORM_KEYS ? run->slot.tags : run->slot.keys,
                 run->bytes / layout->key_bytes},
                nullptr);
    }
    if (spec->input_count == 1)
        device->runs.staying = spec->inputs[0].run;
    // Cuts and fed records need the table of places and the tags.
    if (layout->form != GSI_FORM_KEYS && gsi_cuda_order(device, GSI_CUDA_COMPUTE, GSI_CUDA_IN))
        gsi_cuda_check(device, cudaStreamWaitEvent(device->cut_stream, device->joint, 0),
                       "cannot wait for an event");
    gsi_cuda_feed_start(merge);
    *out = merge;
    return GS_OK;
}

void gsi_cuda_merge_feed(gsi_merge *merge, uint32_t input_idx, gsi_buffer *buffer,
                         const void *bound)
{
    gsi_cuda_device *device = merge->device;
    const uint32_t key_bytes = device->config.layout.key_bytes;
    const uint64_t n = buffer->bytes / key_bytes;
    gsi_slice keys = {gsi_cuda_mirror(device, buffer), n};
    buffer->device_uses++;
    if (device->config.layout.form != GSI_FORM_KEYS) {
        if (n > 0)
            keys.keys = gsi_cuda_records_feed(device, &merge->records, buffer);
        if (bound != nullptr)
            bound = &buffer->tags[n - 1];
    } else if (n > 0) {
        const gsi_packed_keys *packed = &buffer->packed;
        const cudaStream_t in = device->streams[GSI_CUDA_IN];
        uint8_t *const place = gsi_cuda_mirror(device, buffer);
        gsi_cuda_check(device,
                       cudaMemcpyAsync(packed->is_packed ? device->windows.unpacking : place,
                                       buffer->data,
                                       packed->is_packed ? packed->planes.count * n : buffer->bytes,
                                       cudaMemcpyHostToDevice, in),
                       "cannot copy to the GPU");
        if (packed->is_packed)
            gsi_cuda_check(device,
                           gsi_cuda_planes_join(key_bytes, device->windows.unpacking, n,
                                                packed->planes.first, packed->planes.count,
                                                packed->first_key, place,
                                                device->windows.unpacking_sums, in),
                           "cannot decode a frame");
    }
    gsi_ticket *ticket = gsi_cuda_merge_arrival(merge, input_idx, keys, buffer, bound);
    if (ticket != nullptr)
        gsi_cuda_ticket_issue(device, ticket, GSI_CUDA_IN);
    else
        return_buffer(merge, buffer);
}

// ---- windows ----

// Takes `count` keys of a chain. Keys in one piece on this GPU are appended to merge->taken. Others
// are also appended to the list to be gathered, of which `*gathered_keys` is the number of keys.
static void take_of_chain(gsi_merge *merge, gsi_cuda_window *window, uint32_t chain, uint64_t count,
                          uint64_t *gathered_keys)
{
    const uint32_t key_bytes = merge->kernels->key_bytes;
    const uint32_t first_piece = merge->gathered_count;
    for (uint32_t h = merge->chain_heads[chain]; count > 0; h++) {
        gsi_slice *head = &merge->heads.slices[h];
        const uint64_t n = gsi_min_u64(count, head->count);
        if (n == 0)
            continue;
        head->count -= n;
        count -= n;
        const gsi_slice piece =
            gsi_merge_inputs_pop(&merge->inputs, merge->heads.segments[h], n, 1);
        window->segments[window->segment_count++] = merge->heads.segments[h];
        gsi_slice *last = merge->gathered_count > first_piece
                              ? &merge->gathered[merge->gathered_count - 1]
                              : nullptr;
        if (last != nullptr &&
            static_cast<const uint8_t *>(last->keys) + last->count * key_bytes == piece.keys)
            last->count += n;
        else
            merge->gathered[merge->gathered_count++] = piece;
    }
    gsi_slice *taken = &merge->taken[merge->taken_count++];
    const bool is_here =
        !merge->is_elsewhere[merge->heads.segments[merge->chain_heads[chain]]->input_idx];
    if (is_here && merge->gathered_count == first_piece + 1) {
        *taken = merge->gathered[--merge->gathered_count];
        return;
    }
    *taken = {merge->device->windows.gathered + *gathered_keys * key_bytes, 0};
    for (uint32_t i = first_piece; i < merge->gathered_count; i++)
        taken->count += merge->gathered[i].count;
    *gathered_keys += taken->count;
}

// Takes the keys of window batch_idx from each chain.
static void accept_window(gsi_merge *merge, gsi_cuda_window *window)
{
    const uint32_t count = merge->chain_count;
    const uint64_t *cut = merge->device->staging.cuts + uint64_t(merge->batch_idx) * count;
    const uint64_t *before = merge->batch_idx > 0 ? cut - count : nullptr;
    uint64_t gathered_keys = 0;
    window->segment_count = 0;
    merge->taken_count = 0;
    merge->gathered_count = 0;
    for (uint32_t c = 0; c < count; c++) {
        const uint64_t taken = cut[c] - (before != nullptr ? before[c] : 0);
        if (taken > 0)
            take_of_chain(merge, window, c, taken, &gathered_keys);
    }
}

// Launches the next window of a merge that has `keys` keys left.
static enum gsi_pull launch(gsi_merge *merge, gsi_buffer *buffer, uint64_t keys)
{
    gsi_cuda_device *device = merge->device;
    gsi_ticket *ticket = gsi_cuda_ticket_make(device);
    if (ticket == nullptr)
        return GSI_PULL_NEED;
    gsi_cuda_window *window = merge->free_windows; // config.window_count bounds their number
    merge->free_windows = window->next;
    window->buffer = buffer;
    window->digest = nullptr;
    window->segment_count = 0;
    buffer->bytes = gsi_min_u64(merge->window_keys, keys) * device->config.layout.key_bytes;
    if (merge->passing == nullptr)
        accept_window(merge, window);
    merge->batch_idx++;
    ticket->window = window;
    merge->in_flight++;
    gsi_cuda_ticket_issue(device, ticket, gsi_cuda_window_launch(merge, window));
    return GSI_PULL_OK;
}

static enum gsi_pull pull_passing(gsi_merge *merge, gsi_buffer *buffer)
{
    const uint64_t left = merge->passing->bytes - merge->passed_bytes;
    return left == 0 ? GSI_PULL_END
                     : launch(merge, buffer, left / merge->device->config.layout.key_bytes);
}

// Returns whether the next window of `wanted` keys can be made. OK: the window is cut.
static enum gsi_pull get_ready(gsi_merge *merge, uint64_t wanted, uint32_t *needed_idx)
{
    *needed_idx = 0;
    const bool is_same = merge->window_keys == wanted;
    const bool is_cut = merge->batch_idx < merge->batch_count && is_same;
    // Finished windows make room in the rings.
    const bool is_moving = merge->arriving + merge->in_flight > 0;
    // True if no keys have arrived since that could be cut. Also true if too few have arrived and
    // more are on the way: keys are usable about as fast as they arrive.
    const bool is_early =
        !merge->has_news || (merge->arriving > 0 && merge->news_keys < merge->short_keys);
    if (is_same && !is_cut && merge->is_all_cut && is_moving && is_early)
        return GSI_PULL_LATER;
    if (merge->device->has_failed || (!is_cut && !gsi_cuda_cut_batch(merge, wanted)))
        return GSI_PULL_NEED; // the event of the failure follows
    if (merge->batch_idx < merge->batch_count)
        return GSI_PULL_OK;
    if (merge->heads.bound_idx == merge->inputs.input_count)
        return GSI_PULL_END;
    if (is_moving)
        return GSI_PULL_LATER;
    *needed_idx = merge->heads.bound_idx;
    return GSI_PULL_NEED;
}

enum gsi_pull gsi_cuda_merge_pull(gsi_merge *merge, gsi_buffer *buffer, uint32_t *needed_idx)
{
    gsi_cuda_device *device = merge->device;
    const uint64_t wanted = buffer->capacity / device->config.layout.key_bytes;
    if (device->windows.packing_count == GSI_CUDA_WINDOWS)
        return GSI_PULL_LATER;
    if (merge->passing != nullptr) {
        merge->window_keys = wanted;
        return pull_passing(merge, buffer);
    }
    const enum gsi_pull ready = get_ready(merge, wanted, needed_idx);
    return ready == GSI_PULL_OK ? launch(merge, buffer, merge->total - merge->batch_idx * wanted)
                                : ready;
}

enum gsi_pull gsi_cuda_merge_skip(gsi_merge *merge, uint64_t n, uint32_t *needed_idx)
{
    const enum gsi_pull ready = get_ready(merge, n, needed_idx);
    if (ready != GSI_PULL_OK)
        return ready;
    gsi_cuda_window *window = merge->free_windows; // there is one more than are in flight
    accept_window(merge, window);
    merge->batch_idx++;
    gsi_merge_inputs_done(&merge->inputs, window->segments, window->segment_count);
    return GSI_PULL_OK;
}
