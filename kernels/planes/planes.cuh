// planes.cuh: splits sorted keys into byte planes of their differences on a GPU, and joins them
// (run/planes.h). So planes of zeros need not cross the link. All calls queue work
// on `stream` and return. All pointers are device memory; keys and sums are aligned to a key,
// planes to 16 bytes.
#ifndef GSI_PLANES_CUH
#define GSI_PLANES_CUH

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

// Data about split keys that the host needs.
struct gsi_planes_found {
    uint8_t differences[16]; // or-ed together, lowest byte first
    uint8_t first_key[16], last_key[16];
};

// gsi_cuda_planes_split: computes all planes of keys[n], plane b at planes + b * n. `found` needs
// no clearing.
// limit  1 <= n < 2^32
cudaError_t gsi_cuda_planes_split(uint32_t key_bytes, const void *keys, uint64_t n, uint8_t *planes,
                                  gsi_planes_found *found, cudaStream_t stream);

// gsi_cuda_planes_join: makes the keys from planes first_plane .. first_plane + plane_count - 1.
// The first of these is at `planes`; all other planes are zeros.
// in     first_key: host; sums: gsi_cuda_planes_sums_bytes(n)
size_t gsi_cuda_planes_sums_bytes(uint32_t key_bytes, uint64_t n);
cudaError_t gsi_cuda_planes_join(uint32_t key_bytes, const uint8_t *planes, uint64_t n,
                                 uint32_t first_plane, uint32_t plane_count,
                                 const uint8_t *first_key, void *keys, void *sums,
                                 cudaStream_t stream);

#endif
