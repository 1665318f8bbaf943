// cuda_device_feed.cc: copies runs in host memory back to a merge of the CUDA device.
//
//   run on the host   [ piece ][ piece ][ piece ] ..
//                          \--in--> [ piece ][ piece ]      ring on the GPU: a run's pieces in turn
//
// The next piece is copied from the run whose next key is the lowest, among the runs whose rings
// have room. The merge will need that piece first (merge/feed/feeder.h says why). The processors
// read one key per piece. plan/plan_rings.h computes how large rings have to be.
#include "kernels/device/cuda_device.h"
#include "kernels/device/cuda_merge.h"

#include "element/key_scope.h"
#include "plan/plan.h"
#include "plan/plan_rings.h"

#include <string.h>

// Limit of queued copies: enough for the link, and few enough that the piece needed next is copied
// next.
#define MOST_COMING 12

static bool is_passing(const gsi_merge *merge, const gsi_merge_spec *spec)
{
    return spec->input_count == 1 && !merge->to_elements;
}

// Places rings in one memory of the GPU that has room for a run; returns how many were placed.
static uint32_t place_rings(gsi_merge *merge, uint32_t first, uint64_t count, uint8_t *memory,
                            uint8_t *tags)
{
    gsi_cuda_feed *feed = &merge->feed;
    const gsi_layout *layout = &merge->device->config.layout;
    const uint64_t ring_bytes = feed->pieces_a_ring * feed->piece_bytes;
    uint32_t i = 0;
    for (; i < count && first + i < feed->ring_count; i++) {
        gsi_cuda_ring *ring = &feed->rings[first + i];
        ring->memory = memory + i * ring_bytes;
        if (layout->form != GSI_FORM_KEYS)
            ring->tags = tags + i * (ring_bytes / layout->element_bytes) * GSI_TAG_BYTES;
        ring->pieces = feed->pieces + uint64_t(first + i) * feed->pieces_a_ring;
    }
    return i;
}

// Places rings in the free slots; for numbers also in the spare memory of sorts.
static void place_all_rings(gsi_merge *merge, uint64_t rings_a_memory)
{
    gsi_cuda_device *device = merge->device;
    uint32_t placed = 0;
    if (device->config.layout.form == GSI_FORM_KEYS)
        placed = place_rings(merge, 0, rings_a_memory, device->runs.spare, nullptr);
    for (uint32_t i = device->runs.slots_taken; i < device->runs.slot_count; i++)
        placed += place_rings(merge, placed, rings_a_memory, device->runs.slots[i].keys,
                              device->runs.slots[i].tags);
}

static enum gs_status take_tables(gsi_merge *merge, const gsi_merge_spec *spec, gs_error *error)
{
    gsi_cuda_device *device = merge->device;
    gsi_cuda_feed *feed = &merge->feed;
    const gsi_plan *plan = device->config.plan;
    const bool has_records = device->config.layout.form != GSI_FORM_KEYS;
    const uint32_t memories =
        gsi_max_u32(1, device->runs.slot_count - device->runs.slots_taken + !has_records);
    const uint64_t rings_a_memory = gsi_ceil_div_u64(feed->ring_count, memories);
    feed->piece_bytes = gsi_plan_ring_piece_bytes(plan);
    feed->pieces_a_ring =
        static_cast<uint32_t>(gsi_plan_ring_pieces(plan, feed->ring_count, memories));
    GSI_TRY(GSI_NEW(device->config.ledger, feed->rings, feed->ring_count, error));
    GSI_TRY(GSI_NEW(device->config.ledger, feed->pieces,
                    uint64_t(feed->ring_count) * feed->pieces_a_ring, error));
    for (uint32_t i = 0, r = 0; i < spec->input_count; i++)
        if (spec->inputs[i].run != nullptr && spec->inputs[i].run->host != nullptr) {
            feed->rings[r].run = spec->inputs[i].run;
            feed->rings[r++].input_idx = i;
        }
    place_all_rings(merge, rings_a_memory);
    return GS_OK;
}

enum gs_status gsi_cuda_feed_begin(gsi_merge *merge, const gsi_merge_spec *spec, gs_error *error)
{
    gsi_cuda_device *device = merge->device;
    uint32_t count = 0;
    for (uint32_t i = 0; i < spec->input_count; i++)
        count += spec->inputs[i].run != nullptr && spec->inputs[i].run->host != nullptr;
    if (count == 0)
        return GS_OK;
    // Waits until the runs that moved to the host have arrived.
    if (!gsi_cuda_check(device, cudaStreamSynchronize(device->streams[GSI_CUDA_OUT]),
                        "cannot copy from the GPU"))
        return gsi_cuda_failure(device, error);
    if (is_passing(merge, spec)) {
        merge->passing = spec->inputs[0].run;
        return GS_OK;
    }
    merge->feed.ring_count = count;
    return take_tables(merge, spec, error);
}

void gsi_cuda_feed_end(gsi_merge *merge)
{
    gsi_cuda_feed *feed = &merge->feed;
    gsi_ledger *ledger = merge->device->config.ledger;
    GSI_FREE(ledger, feed->pieces, uint64_t(feed->ring_count) * feed->pieces_a_ring);
    GSI_FREE(ledger, feed->rings, feed->ring_count);
}

// ---- pieces ----

static void look_at_next_key(gsi_merge *merge, gsi_cuda_ring *ring)
{
    const gsi_layout *layout = &merge->device->config.layout;
    const uint8_t *at = ring->run->host + ring->next;
    if (ring->next == ring->run->bytes)
        return;
    if (layout->form != GSI_FORM_KEYS)
        gsi_record_tags(layout->record, at, 1, gsi_tag_choice_from(merge->records.places.at), 0,
                        &ring->next_key);
    else
        memcpy(&ring->next_key, at, layout->key_bytes);
}

// Returns the ring whose next piece is needed first; nullptr: no ring has both room and data left.
static gsi_cuda_ring *choose(const gsi_merge *merge)
{
    const gsi_cuda_feed *feed = &merge->feed;
    gsi_cuda_ring *best = nullptr;
    for (uint32_t i = 0; i < feed->ring_count; i++) {
        gsi_cuda_ring *ring = &feed->rings[i];
        if (ring->held == feed->pieces_a_ring || ring->next == ring->run->bytes)
            continue;
        if (best == nullptr ||
            gsi_key_compare(&merge->inputs.layout, &ring->next_key, &best->next_key) < 0)
            best = ring;
    }
    return best;
}

static void upload(gsi_merge *merge, gsi_cuda_ring *ring)
{
    gsi_cuda_device *device = merge->device;
    gsi_cuda_feed *feed = &merge->feed;
    const gsi_layout *layout = &device->config.layout;
    const uint32_t place =
        static_cast<uint32_t>(ring->next / feed->piece_bytes % feed->pieces_a_ring);
    const uint8_t *const from = ring->run->host + ring->next;
    const uint64_t bytes = gsi_min_u64(feed->piece_bytes, ring->run->bytes - ring->next);
    const uint64_t n = bytes / layout->element_bytes;
    uint8_t *const to = ring->memory + place * feed->piece_bytes;
    gsi_slice keys = {to, n};
    gsi_u128 last_tag = 0;
    if (layout->form != GSI_FORM_KEYS) {
        const uint64_t piece_records = feed->piece_bytes / layout->element_bytes;
        uint8_t *const tags = ring->tags + place * piece_records * GSI_TAG_BYTES;
        last_tag = gsi_cuda_records_upload(device, &merge->records, from, n,
                                           ring->run->index + ring->next / layout->element_bytes,
                                           to, tags);
        keys.keys = tags;
    } else {
        gsi_cuda_check(
            device,
            cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, device->streams[GSI_CUDA_IN]),
            "cannot copy to the GPU");
    }
    ring->next += bytes;
    ring->held++;
    look_at_next_key(merge, ring);
    const void *bound = nullptr;
    if (ring->next < ring->run->bytes)
        bound = layout->form != GSI_FORM_KEYS ? &last_tag : &ring->next_key;
    ring->pieces[place].holder = ring;
    gsi_ticket *ticket =
        gsi_cuda_merge_arrival(merge, ring->input_idx, keys, &ring->pieces[place], bound);
    if (ticket == nullptr)
        return;
    feed->coming++;
    gsi_cuda_ticket_issue(device, ticket, GSI_CUDA_IN);
}

static void pump(gsi_merge *merge)
{
    gsi_cuda_ring *ring;
    while (merge->feed.coming < MOST_COMING && !merge->is_ending && !merge->device->has_failed &&
           (ring = choose(merge)) != nullptr)
        upload(merge, ring);
}

void gsi_cuda_feed_start(gsi_merge *merge)
{
    for (uint32_t i = 0; i < merge->feed.ring_count; i++)
        look_at_next_key(merge, &merge->feed.rings[i]);
    pump(merge);
}

static bool is_piece(const gsi_cuda_feed *feed, const gsi_buffer *buffer)
{
    return buffer >= feed->pieces &&
           buffer < feed->pieces + uint64_t(feed->ring_count) * feed->pieces_a_ring;
}

void gsi_cuda_feed_arrived(gsi_merge *merge, const gsi_buffer *buffer)
{
    if (!is_piece(&merge->feed, buffer))
        return;
    merge->feed.coming--;
    pump(merge);
}

bool gsi_cuda_feed_released(gsi_merge *merge, const gsi_buffer *buffer)
{
    if (!is_piece(&merge->feed, buffer))
        return false;
    static_cast<gsi_cuda_ring *>(buffer->holder)->held--;
    pump(merge);
    return true;
}
