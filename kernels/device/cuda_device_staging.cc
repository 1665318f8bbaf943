// cuda_device_staging.cc: allocates the memory through which digests, counts and cuts reach the
// host, and makes digests.
#include "kernels/device/cuda_device.h"

#include <string.h>

// Parts, and after them the chains.
#define PART_ENTRIES (GSI_CUDA_PARTS + GSI_CUDA_SLICES)

// Only merges are cut.
static bool open_cuts(gsi_cuda_device *device)
{
    gsi_cuda_staging *staging = &device->staging;
    return gsi_cuda_alloc(device, &staging->parts, PART_ENTRIES * sizeof *staging->parts) &&
           gsi_cuda_alloc_pinned(device, &staging->part_copies,
                                 PART_ENTRIES * sizeof *staging->part_copies) &&
           gsi_cuda_alloc_pinned(device, &staging->cuts,
                                 GSI_CUDA_CUT_ENTRIES * sizeof *staging->cuts) &&
           gsi_cuda_alloc_pinned(device, &staging->totals,
                                 GSI_CUDA_CUT_WINDOWS * sizeof *staging->totals);
}

// Allocates staging memory. Digests are cleared, because a whole digest is copied to the host even
// if only a part was written.
bool gsi_cuda_staging_open(gsi_cuda_device *device)
{
    gsi_cuda_staging *staging = &device->staging;
    const gsi_device_config *config = &device->config;
    const gsi_layout *sorted = &config->layout, *input = &device->input.layout;
    const uint64_t digest_bytes = staging->digest_count * gsi_cuda_seen_bytes(sorted);
    uint64_t tally_bytes = !gsi_layout_is_native(input) ? gsi_cuda_records_staging_bytes(input)
                                                        : gsi_cuda_tally_bytes(input);
    if (config->entry_map != nullptr)
        tally_bytes = gsi_max_u64(tally_bytes, gsi_cuda_tally_bytes(sorted));
    return gsi_cuda_alloc(device, &staging->digests, digest_bytes) &&
           gsi_cuda_clear(device, staging->digests, digest_bytes) &&
           gsi_cuda_alloc_pinned(device, &staging->digest_copies, digest_bytes) &&
           gsi_cuda_alloc_pinned(device, &staging->tally, tally_bytes) &&
           (config->plan->device_runs == 0 || open_cuts(device));
}

void gsi_cuda_staging_close(gsi_cuda_device *device)
{
    const gsi_cuda_staging *staging = &device->staging;
    gsi_cuda_free({staging->digests, staging->parts});
    gsi_cuda_free_pinned({staging->digest_copies, staging->tally, staging->part_copies,
                          staging->cuts, staging->totals});
}

size_t gsi_cuda_digest_next(gsi_cuda_device *device)
{
    gsi_cuda_staging *staging = &device->staging;
    return staging->digest_next++ % staging->digest_count *
           gsi_cuda_seen_bytes(&device->config.layout);
}

void gsi_cuda_digest_fetched(const gsi_cuda_device *device, const uint8_t *fetched,
                             gsi_buffer *buffer)
{
    const gsi_layout *layout = &device->config.layout;
    buffer->digest = gsi_digest();
    buffer->digest.disorder_idx = UINT64_MAX;
    if (fetched == nullptr || device->has_failed) // the fetched memory may be missing after a
                                                  // failure
        return;
    const auto *const seen =
        reinterpret_cast<const gsi_records_seen *>(fetched + gsi_cuda_seen_offset(layout));
    if (layout->form != GSI_FORM_KEYS) {
        gsi_cuda_records_join(seen, buffer->bytes / layout->element_bytes, &buffer->digest);
        return;
    }
    gsi_cuda_digest_join(layout, fetched, &buffer->digest);
    if (layout->integer_map != nullptr)
        memcpy(buffer->digest.fingerprint, seen->fingerprint, sizeof seen->fingerprint);
}

// The fingerprint of integer records equals that of their records.
void gsi_cuda_digest_queue(gsi_cuda_device *device, void *keys, uint64_t n, bool to_elements,
                           uint8_t *digest)
{
    const gsi_layout *layout = &device->config.layout;
    const cudaStream_t compute = device->streams[GSI_CUDA_COMPUTE];
    gsi_cuda_check(device,
                   gsi_cuda_digest_make(layout, keys, n, to_elements,
                                        reinterpret_cast<gsi_cuda_digest *>(digest), compute),
                   "cannot check the order");
    if (layout->integer_map != nullptr)
        gsi_cuda_check(device,
                       gsi_cuda_integers_to_records(layout->integer_map, keys, n, to_elements,
                                                    reinterpret_cast<gsi_records_seen *>(
                                                        digest + gsi_cuda_seen_offset(layout)),
                                                    compute),
                       "cannot check the order");
}
