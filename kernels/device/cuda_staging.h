// cuda_staging.h: declares the small memory through which the CUDA device and the host exchange
// digests, counts and cuts. Host copies are pinned.
#ifndef GSI_CUDA_STAGING_H
#define GSI_CUDA_STAGING_H

#include "base/checked.h"
#include "kernels/record/records_seen.h"
#include "kernels/sort/chain.h"
#include "kernels/tally/tally.cuh"

struct gsi_buffer;
struct gsi_cuda_device;
struct gsi_layout;

// Limits: runs that a window can read from, parts that those runs consist of, and entries for the
// cuts of several windows at once.
#define GSI_CUDA_SLICES      1024
#define GSI_CUDA_PARTS       (16 * GSI_CUDA_SLICES)
#define GSI_CUDA_CUT_ENTRIES (64 * GSI_CUDA_SLICES)
#define GSI_CUDA_CUT_WINDOWS 256

struct gsi_cuda_staging {
    uint8_t *digests, *digest_copies; // two rings of equal length: device, host
    uint32_t digest_count;            // set before open
    uint64_t digest_next;
    void *tally;                   // host
    gsi_part *parts, *part_copies; // GSI_CUDA_PARTS, and chains; device, host
    uint64_t *cuts, *totals;       // host
};

bool gsi_cuda_staging_open(gsi_cuda_device *device); // undone by gsi_cuda_staging_close
void gsi_cuda_staging_close(gsi_cuda_device *device);

// gsi_cuda_seen_bytes: returns the size of the summary of a window or of a reduced buffer that is
// copied to the host. Numbers have a digest, records a gsi_records_seen. Integer records have
// both, at gsi_cuda_seen_offset the second.
inline size_t gsi_cuda_seen_offset(const gsi_layout *layout)
{
    return layout->form != GSI_FORM_KEYS ? 0 : gsi_round_up_u64(gsi_cuda_digest_bytes(), 16);
}

inline size_t gsi_cuda_seen_bytes(const gsi_layout *layout)
{
    return gsi_cuda_seen_offset(layout) +
           (!gsi_layout_is_native(layout) ? sizeof(gsi_records_seen) : 0);
}

// gsi_cuda_digest_next: returns the offset of an entry in both rings. Buffers in flight use one
// entry each.
size_t gsi_cuda_digest_next(gsi_cuda_device *device);

// gsi_cuda_digest_queue: queues on the compute stream the digest of n keys on the GPU. The keys
// are converted to elements in place, or stay keys. Not for tags.
// out   digest: gsi_cuda_seen_bytes on the GPU
void gsi_cuda_digest_queue(gsi_cuda_device *device, void *keys, uint64_t n, bool to_elements,
                           uint8_t *digest);

// gsi_cuda_digest_fetched: sets the digest of a buffer from the fetched bytes; nullptr: the
// buffer has none.
void gsi_cuda_digest_fetched(const gsi_cuda_device *device, const uint8_t *fetched,
                             gsi_buffer *buffer);

#endif
