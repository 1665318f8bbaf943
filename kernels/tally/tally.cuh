// tally.cuh: declares the two passes over elements on a GPU. The pass on input computes count,
// extremes, exact sum and fingerprint, and converts raw elements to sort keys. The pass on output
// checks the order, computes the fingerprint, and converts sort keys to raw elements. Their results
// equal those of the host's passes (element/tally/tally.h) in every bit. Layouts with moments have
// one more pass on input, over squares.
//
//     gsi_cuda_tally_clear(&layout, tally, stream);                 tally: gsi_cuda_tally_bytes
//     gsi_cuda_tally_add(&layout, tally, elements, n, true, stream);       as often as wanted
//     gsi_cuda_tally_fetch(&layout, tally, staging, stream);        staging: as many bytes, pinned
//     ... when the stream has finished that:
//     gsi_cuda_tally_join(&layout, staging, host_tally);
//
// Every call except the joins only queues work and returns. An error says that queueing failed. The
// caller owns the memory. Calls on one accumulator belong in one stream: each block reads and
// writes its own part of it, without atomics. Elements are aligned to their size; there may be any
// number of them.
#ifndef GSI_TALLY_CUH
#define GSI_TALLY_CUH

#include "element/tally/tally.h"

#include <cuda_runtime.h>

// Accumulator in device memory, 16-byte aligned.
struct gsi_cuda_tally;

size_t gsi_cuda_tally_bytes(const struct gsi_layout *layout);

// gsi_cuda_tally_clear: makes the accumulator empty.
cudaError_t gsi_cuda_tally_clear(const struct gsi_layout *layout, struct gsi_cuda_tally *tally,
                                 cudaStream_t stream);

// gsi_cuda_tally_add: counts n raw elements in device memory.
// to_keys  also converts them to sort keys in place
// limit    n < 2^36 per call; fewer than 2^64 in total
cudaError_t gsi_cuda_tally_add(const struct gsi_layout *layout, struct gsi_cuda_tally *tally,
                               void *elements, uint64_t n, bool to_keys, cudaStream_t stream);

// gsi_cuda_tally_add_lean: does the same without the fingerprint; the elements are not converted.
// in    kept: number of elements, n at most, in device memory; nullptr: n
cudaError_t gsi_cuda_tally_add_lean(const struct gsi_layout *layout, struct gsi_cuda_tally *tally,
                                    const void *elements, uint64_t n,
                                    const unsigned long long *kept, cudaStream_t stream);

// gsi_cuda_tally_fetch: copies the accumulator to the host; counting may continue afterwards.
cudaError_t gsi_cuda_tally_fetch(const struct gsi_layout *layout,
                                 const struct gsi_cuda_tally *tally, void *staging,
                                 cudaStream_t stream);

// gsi_cuda_tally_join: adds a fetched accumulator to `into`, of the same layout.
void gsi_cuda_tally_join(const struct gsi_layout *layout, const void *staging,
                         struct gsi_tally *into);

// Result of the pass on output, in device memory, 16-byte aligned; needs no clearing.
struct gsi_cuda_digest;

size_t gsi_cuda_digest_bytes(void);

// gsi_cuda_digest_make: computes the digest of n sort keys in device memory.
// to_elements  also converts them to raw elements in place
cudaError_t gsi_cuda_digest_make(const struct gsi_layout *layout, void *keys, uint64_t n,
                                 bool to_elements, struct gsi_cuda_digest *digest,
                                 cudaStream_t stream);

// gsi_cuda_digest_join: appends a digest that was copied to the host to `into`.
void gsi_cuda_digest_join(const struct gsi_layout *layout, const void *staging,
                          struct gsi_digest *into);

#endif
