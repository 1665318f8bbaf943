// bulk_circular.cu: the launch of the rung of bulk_circular.cuh.
#include "kernels/ladder/bulk_circular.cuh"

#include "kernels/ladder/ladder.h"

// Merges of 1 GiB of random keys, parts of a copy's speed; tiles of gsort's own 0.953, 0.949 (H100,
// driver 580.159.04, 2026-11-24), by threads x items / blocks, and eighths of a tile in a ring:
//     8 bytes   128x17/3 12 0.885   64x23/5 10 0.891   64x35/3 12 0.873   64x29/3 16 0.876
//               128x23/2 14 0.876   32x35/6 12 0.885   64x47/2 12 0.858
//     4 bytes   128x35/3 12 0.884   64x47/4 12 0.867   64x63/3 12 0.846   128x47/2 12 0.857
namespace
{
template <class Key> struct policy;
template <> struct policy<uint32_t> {
    static constexpr uint32_t threads = 128, items = 35, blocks = 3, eighths = 12;
};
template <> struct policy<uint64_t> {
    static constexpr uint32_t threads = 128, items = 17, blocks = 3, eighths = 12;
};
} // namespace

template <class Key>
static cudaError_t merge(const void *a, uint64_t m, const void *b, uint64_t n, void *out,
                         gsi_merge_shape wanted, cudaStream_t stream)
{
    using shape = gsi_circular<Key, policy<Key>>;
    int device = 0, multiprocessors = 0, major = 0;
    if (wanted.tile > shape::TILE || m + n > UINT64_C(1) << 40)
        return cudaErrorInvalidValue;
    GSI_CUDA_TRY(cudaGetDevice(&device));
    GSI_CUDA_TRY(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device));
    GSI_CUDA_TRY(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
    if (major < 9)
        return cudaErrorNotSupported;
    if (m + n == 0)
        return cudaSuccess;
    const uint32_t most = static_cast<uint32_t>(multiprocessors) * policy<Key>::blocks;
    const auto kernel = gsi_circular_merge<Key, policy<Key>>;
    GSI_CUDA_TRY(cudaFuncSetAttribute(reinterpret_cast<const void *>(kernel),
                                      cudaFuncAttributeMaxDynamicSharedMemorySize,
                                      static_cast<int>(shape::shared_bytes())));
    return gsi_launch(kernel, dim3(wanted.blocks != 0 ? wanted.blocks : most), dim3(shape::THREADS),
                      shape::shared_bytes(), stream,
                      gsi_slice_of<Key>{static_cast<const Key *>(a), m},
                      gsi_slice_of<Key>{static_cast<const Key *>(b), n}, static_cast<Key *>(out));
}

cudaError_t gsi_bulk_circular_merge(enum gsi_ladder_type type, const void *a, uint64_t m,
                                    const void *b, uint64_t n, void *out,
                                    struct gsi_merge_shape wanted, void *, cudaStream_t stream)
{
    return type == GSI_LADDER_U32   ? merge<uint32_t>(a, m, b, n, out, wanted, stream)
           : type == GSI_LADDER_U64 ? merge<uint64_t>(a, m, b, n, out, wanted, stream)
                                    : cudaErrorInvalidValue;
}
