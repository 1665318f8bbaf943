// array_kernels.cuh: declares kernels for sorts of arrays in device memory, in addition to
// sort_kernels.h, and for jobs that write positions (device/cuda_device_pairs.cc). All calls queue
// work on `stream`; an error is an error of queueing.
#ifndef GSI_ARRAY_KERNELS_CUH
#define GSI_ARRAY_KERNELS_CUH

#include "kernels/sort/key_turn.cuh"

#include <cuda_runtime.h>

// Numbers combined with their places, to sort both as one number: key | place.
struct gsi_pairs {
    void *pairs;
    uint32_t bytes;      // of one: 8 for numbers of 1 to 4 bytes, 16 for those of 4 and 8
    uint32_t place_bits; // 64 at most; the key is in the bits above
    uint64_t first;      // place of the first number
};

// gsi_array_pairs: makes pairs of n numbers of `bytes`, which do not overlap them. For numbers
// of 1 and 2 bytes, the map applies to the upper end of 64 bits.
cudaError_t gsi_array_pairs(const void *numbers, uint32_t bytes, const gsi_key_turn &turn,
                            uint64_t n, const gsi_pairs &to, cudaStream_t stream);

// gsi_array_places: extracts the places from n pairs of 8 or 16 bytes, or from tags. Places are
// the lowest place_bits. They are written as positions of 4 or 8 bytes, which may overwrite the
// pairs if these are as wide.
cudaError_t gsi_array_places(const void *pairs, uint32_t pair_bytes, uint32_t place_bits,
                             uint64_t n, void *positions, uint32_t position_bytes,
                             cudaStream_t stream);

// gsi_array_put: copies `bytes` of host memory to device memory. They travel as kernel parameters,
// so host memory has been read at return. The memory is read before the function returns. A copy
// from memory that is not pinned may read it later, or as part of a graph.
cudaError_t gsi_array_put(const void *from, size_t bytes, void *to, cudaStream_t stream);

// gsi_array_count_sort: sorts n numbers of 1 or 2 bytes in place. counts: device memory of
// gsi_array_count_bytes().
size_t gsi_array_count_bytes(void);
cudaError_t gsi_array_count_sort(void *numbers, uint32_t bytes, const gsi_key_turn &turn,
                                 uint64_t n, void *counts, cudaStream_t stream);

#endif
