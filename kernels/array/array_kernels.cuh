// array_kernels.cuh: what sorts of arrays in device memory take beside those of sort_kernels.h, and
// jobs that write positions (device/cuda_device_pairs.cc). All calls queue work on `stream`; an
// error is that of queueing.
#ifndef GSI_ARRAY_KERNELS_CUH
#define GSI_ARRAY_KERNELS_CUH

#include "kernels/sort/key_turn.cuh"

#include <cuda_runtime.h>

// Numbers with their places, to sort these along, as one number: key | place.
struct gsi_carriers {
    void *carriers;
    uint32_t bytes;      // of one: 8 for numbers of 1 to 4 bytes, 16 for those of 4 and 8
    uint32_t place_bits; // 64 at most; the key is above them
    uint64_t first;      // place of the first one
};

// gsi_array_carry: of n numbers of `bytes`, which lie elsewhere. map: of 1 and 2 bytes at the upper
// end of 64 bits.
cudaError_t gsi_array_carry(const void *numbers, uint32_t bytes, const gsi_key_turn &turn,
                            uint64_t n, const gsi_carriers &to, cudaStream_t stream);

// gsi_array_places: the places in n carriers of 8 or 16 bytes, or in tags, whose places are the
// lowest place_bits, to positions of 4 or 8 bytes, which may be the carriers if these are as wide.
cudaError_t gsi_array_places(const void *carriers, uint32_t carrier_bytes, uint32_t place_bits,
                             uint64_t n, void *positions, uint32_t position_bytes,
                             cudaStream_t stream);

// gsi_array_put: `bytes` of the program's to device memory, as kernels' parameters: they are read
// before it returns, where a copy from memory that is not pinned may be later, or part of a graph.
cudaError_t gsi_array_put(const void *from, size_t bytes, void *to, cudaStream_t stream);

// gsi_array_count_sort: n numbers of 1 or 2 bytes, in their place. counts: device memory,
// gsi_array_count_bytes().
size_t gsi_array_count_bytes(void);
cudaError_t gsi_array_count_sort(void *numbers, uint32_t bytes, const gsi_key_turn &turn,
                                 uint64_t n, void *counts, cudaStream_t stream);

#endif
