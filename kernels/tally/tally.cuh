// tally.cuh: the two passes over elements on a GPU: in (count, extremes, exact sum, fingerprint;
// raw elements become sort keys) and out (order, fingerprint; sort keys become raw elements). What
// they find has the bits of the host's passes, element/tally/tally.h. Layouts with moments have one
// more on the way in, over squares.
//
//     gsi_cuda_tally_clear(&layout, tally, stream);                 tally: gsi_cuda_tally_bytes
//     gsi_cuda_tally_add(&layout, tally, elements, n, true, stream);       as often as wanted
//     gsi_cuda_tally_fetch(&layout, tally, staging, stream);        staging: as many bytes, pinned
//     ... when the stream came so far:
//     gsi_cuda_tally_join(&layout, staging, host_tally);
//
// All calls but the joins queue work and return; an error is that of queueing. Memory is the
// caller's. Calls on one accumulator belong in one stream: each block has a part of it that it
// reads and writes without atomics. Elements are aligned to their size, and any number of them.
#ifndef GSI_TALLY_CUH
#define GSI_TALLY_CUH

#include "element/tally/tally.h"

#include <cuda_runtime.h>

// Accumulator in device memory, 16-byte aligned.
struct gsi_cuda_tally;

size_t gsi_cuda_tally_bytes(const struct gsi_layout *layout);

// gsi_cuda_tally_clear: make it an empty one.
cudaError_t gsi_cuda_tally_clear(const struct gsi_layout *layout, struct gsi_cuda_tally *tally,
                                 cudaStream_t stream);

// gsi_cuda_tally_add: count n raw elements in device memory.
// to_keys  and turn them into sort keys in place
// limit    n < 2^36 a call; fewer than 2^64 in all
cudaError_t gsi_cuda_tally_add(const struct gsi_layout *layout, struct gsi_cuda_tally *tally,
                               void *elements, uint64_t n, bool to_keys, cudaStream_t stream);

// gsi_cuda_tally_add_lean: the same without the fingerprint, and the elements stay.
// in    kept: how many they are, n at most, in device memory; nullptr: n
cudaError_t gsi_cuda_tally_add_lean(const struct gsi_layout *layout, struct gsi_cuda_tally *tally,
                                    const void *elements, uint64_t n,
                                    const unsigned long long *kept, cudaStream_t stream);

// gsi_cuda_tally_fetch: copy it to the host; it can go on.
cudaError_t gsi_cuda_tally_fetch(const struct gsi_layout *layout,
                                 const struct gsi_cuda_tally *tally, void *staging,
                                 cudaStream_t stream);

// gsi_cuda_tally_join: add what was fetched to `into`, of the same layout.
void gsi_cuda_tally_join(const struct gsi_layout *layout, const void *staging,
                         struct gsi_tally *into);

// What the way out found, in device memory, 16-byte aligned; needs no clearing.
struct gsi_cuda_imprint;

size_t gsi_cuda_imprint_bytes(void);

// gsi_cuda_imprint_make: imprint of n sort keys in device memory.
// to_elements  and turn them into raw elements in place
cudaError_t gsi_cuda_imprint_make(const struct gsi_layout *layout, void *keys, uint64_t n,
                                  bool to_elements, struct gsi_cuda_imprint *imprint,
                                  cudaStream_t stream);

// gsi_cuda_imprint_join: append one that was copied to the host to `into`.
void gsi_cuda_imprint_join(const struct gsi_layout *layout, const void *staging,
                           struct gsi_imprint *into);

#endif
