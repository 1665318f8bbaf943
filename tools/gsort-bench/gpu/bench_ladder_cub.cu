// bench_ladder_cub.cu: CUB's reduction and merge.
#include "bench_ladder_cub.h"

#include <cub/device/device_merge.cuh>
#include <cub/device/device_reduce.cuh>
#include <cuda/std/functional>

template <class T, class Sum>
static cudaError_t sum(const void *in, uint64_t n, void *total, void *temp, size_t *temp_bytes,
                       cudaStream_t stream)
{
    return cub::DeviceReduce::Sum(temp, *temp_bytes, static_cast<const T *>(in),
                                  static_cast<Sum *>(total), n, stream);
}

cudaError_t bench_cub_sum(enum gsi_ladder_type type, const void *in, uint64_t n, void *total,
                          void *temp, size_t *temp_bytes, cudaStream_t stream)
{
    switch (type) {
    case GSI_LADDER_U32:
        return sum<uint32_t, uint64_t>(in, n, total, temp, temp_bytes, stream);
    case GSI_LADDER_U64:
        return sum<uint64_t, uint64_t>(in, n, total, temp, temp_bytes, stream);
    case GSI_LADDER_F32:
        return sum<float, double>(in, n, total, temp, temp_bytes, stream);
    case GSI_LADDER_F64:
        return sum<double, double>(in, n, total, temp, temp_bytes, stream);
    default:
        return cudaErrorInvalidValue;
    }
}

template <class T>
static cudaError_t merge(const void *a, uint64_t m, const void *b, uint64_t n, void *out,
                         void *temp, size_t *temp_bytes, cudaStream_t stream)
{
    return cub::DeviceMerge::MergeKeys(temp, *temp_bytes, static_cast<const T *>(a),
                                       static_cast<int64_t>(m), static_cast<const T *>(b),
                                       static_cast<int64_t>(n), static_cast<T *>(out),
                                       ::cuda::std::less<>{}, stream);
}

cudaError_t bench_cub_merge(enum gsi_ladder_type type, const void *a, uint64_t m, const void *b,
                            uint64_t n, void *out, void *temp, size_t *temp_bytes,
                            cudaStream_t stream)
{
    return type == GSI_LADDER_U32 ? merge<uint32_t>(a, m, b, n, out, temp, temp_bytes, stream)
                                  : merge<uint64_t>(a, m, b, n, out, temp, temp_bytes, stream);
}
