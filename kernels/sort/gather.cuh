// gather.cuh: concatenates the parts of arrays, so that a merge sees a run that was fed in frames
// as one array. A window is copied once more in device memory. A merge of fewer arrays, without a
// second pass, outweighs that.
#ifndef GSI_GATHER_CUH
#define GSI_GATHER_CUH

#include "device/merge_cut.h"

#include "kernels/common/launch.cuh"

// Parts that one launch copies: they fit into its parameters.
#define GSI_GATHER_PARTS 64

template <class Key> struct gsi_gather_parts {
    const Key *keys[GSI_GATHER_PARTS];
    uint64_t end[GSI_GATHER_PARTS]; // end of the part's outputs
    uint32_t count;
};

template <class Key> __global__ void gsi_gather_keys(gsi_gather_parts<Key> parts, Key *out)
{
    const uint64_t all = parts.end[parts.count - 1];
    const uint64_t step = static_cast<uint64_t>(gridDim.x) * blockDim.x;
    uint32_t part = 0; // outputs of a thread only increase
    uint64_t begin = 0;
    for (uint64_t i = static_cast<uint64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < all;
         i += step) {
        while (i >= parts.end[part])
            begin = parts.end[part++];
        out[i] = parts.keys[part][i - begin];
    }
}

template <class Key>
static cudaError_t gsi_gather(const gsi_slice *slices, uint32_t count, void *out,
                              cudaStream_t stream)
{
    Key *to = static_cast<Key *>(out);
    for (uint32_t first = 0; first < count; first += GSI_GATHER_PARTS) {
        gsi_gather_parts<Key> parts = {};
        uint64_t keys = 0;
        for (; parts.count < GSI_GATHER_PARTS && first + parts.count < count; parts.count++) {
            parts.keys[parts.count] = static_cast<const Key *>(slices[first + parts.count].keys);
            parts.end[parts.count] = keys += slices[first + parts.count].count;
        }
        const uint32_t threads = 256, most_blocks = 1024;
        const uint64_t blocks = (keys + threads - 1) / threads;
        GSI_CUDA_TRY(
            gsi_launch(gsi_gather_keys<Key>,
                       dim3(blocks < most_blocks ? static_cast<uint32_t>(blocks) : most_blocks),
                       dim3(threads), 0, stream, parts, to));
        to += keys;
    }
    return cudaSuccess;
}

#endif
