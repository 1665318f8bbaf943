// bench_cub.cu: instantiates CUB's kernels.
#include "bench_cub.h"

#include <cub/device/device_merge.cuh>
#include <cub/device/device_merge_sort.cuh>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_reduce.cuh>
#include <cuda/std/functional>

using less = ::cuda::std::less<>;

// ---- CUB, to compare with the kernel ladder ----

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
    return cub::DeviceMerge::MergeKeys(
        temp, *temp_bytes, static_cast<const T *>(a), static_cast<int64_t>(m),
        static_cast<const T *>(b), static_cast<int64_t>(n), static_cast<T *>(out), less{}, stream);
}

cudaError_t bench_cub_merge(enum gsi_ladder_type type, const void *a, uint64_t m, const void *b,
                            uint64_t n, void *out, void *temp, size_t *temp_bytes,
                            cudaStream_t stream)
{
    return type == GSI_LADDER_U32 ? merge<uint32_t>(a, m, b, n, out, temp, temp_bytes, stream)
                                  : merge<uint64_t>(a, m, b, n, out, temp, temp_bytes, stream);
}

// ---- beside gsort's kernels ----

template <class T>
static cudaError_t radix_sort(void *keys, void *spare, uint64_t n, void **sorted,
                              bench_cub_temp temp)
{
    cub::DoubleBuffer<T> both(static_cast<T *>(keys), static_cast<T *>(spare));
    const cudaError_t error =
        cub::DeviceRadixSort::SortKeys(temp.memory, *temp.bytes, both, static_cast<int64_t>(n));
    *sorted = both.Current();
    return error;
}

static cudaError_t radix_sort_pairs(void *keys, void *spare, uint64_t n, void **sorted,
                                    bench_cub_temp temp)
{
    uint64_t *const a = static_cast<uint64_t *>(keys), *const b = static_cast<uint64_t *>(spare);
    cub::DoubleBuffer<uint64_t> both(a, b), values(a + n, b + n);
    const cudaError_t error = cub::DeviceRadixSort::SortPairs(temp.memory, *temp.bytes, both,
                                                              values, static_cast<int64_t>(n));
    *sorted = both.Current();
    return both.selector == values.selector ? error : cudaErrorUnknown;
}

cudaError_t bench_cub_radix_sort(enum bench_cub_type type, void *keys, void *spare, uint64_t n,
                                 void **sorted, struct bench_cub_temp temp)
{
    switch (type) {
    case BENCH_CUB_U32:
        return radix_sort<uint32_t>(keys, spare, n, sorted, temp);
    case BENCH_CUB_U64:
        return radix_sort<uint64_t>(keys, spare, n, sorted, temp);
    case BENCH_CUB_PAIRS:
        return radix_sort_pairs(keys, spare, n, sorted, temp);
    default:
        return cudaErrorInvalidValue;
    }
}

template <class T> static cudaError_t merge_sort(void *keys, uint64_t n, bench_cub_temp temp)
{
    return cub::DeviceMergeSort::SortKeys(temp.memory, *temp.bytes, static_cast<T *>(keys),
                                          static_cast<int64_t>(n), less{});
}

cudaError_t bench_cub_merge_sort(enum bench_cub_type type, void *keys, uint64_t n,
                                 struct bench_cub_temp temp)
{
    uint64_t *const words = static_cast<uint64_t *>(keys);
    switch (type) {
    case BENCH_CUB_U32:
        return merge_sort<uint32_t>(keys, n, temp);
    case BENCH_CUB_U64:
        return merge_sort<uint64_t>(keys, n, temp);
    case BENCH_CUB_F32:
        return merge_sort<float>(keys, n, temp);
    case BENCH_CUB_F64:
        return merge_sort<double>(keys, n, temp);
    default:
        return cub::DeviceMergeSort::SortPairs(temp.memory, *temp.bytes, words, words + n,
                                               static_cast<int64_t>(n), less{});
    }
}

cudaError_t bench_cub_merge_halves(enum bench_cub_type type, const void *keys, uint64_t n,
                                   void *out, struct bench_cub_temp temp)
{
    const uint64_t half = n / 2;
    const uint64_t *const words = static_cast<const uint64_t *>(keys);
    uint64_t *const merged = static_cast<uint64_t *>(out);
    switch (type) {
    case BENCH_CUB_U32:
        return bench_cub_merge(GSI_LADDER_U32, keys, half,
                               static_cast<const uint32_t *>(keys) + half, half, out, temp.memory,
                               temp.bytes, nullptr);
    case BENCH_CUB_U64:
        return bench_cub_merge(GSI_LADDER_U64, words, half, words + half, half, out, temp.memory,
                               temp.bytes, nullptr);
    case BENCH_CUB_PAIRS:
        return cub::DeviceMerge::MergePairs(
            temp.memory, *temp.bytes, words, words + n, static_cast<int64_t>(half), words + half,
            words + n + half, static_cast<int64_t>(half), merged, merged + n, less{});
    default:
        return cudaErrorInvalidValue;
    }
}

template <class T>
static cudaError_t max_of(const void *keys, uint64_t n, void *max, bench_cub_temp temp)
{
    return cub::DeviceReduce::Max(temp.memory, *temp.bytes, static_cast<const T *>(keys),
                                  static_cast<T *>(max), static_cast<int64_t>(n));
}

cudaError_t bench_cub_max(enum bench_cub_type type, const void *keys, uint64_t n, void *max,
                          struct bench_cub_temp temp)
{
    switch (type) {
    case BENCH_CUB_U32:
        return max_of<uint32_t>(keys, n, max, temp);
    case BENCH_CUB_U64:
        return max_of<uint64_t>(keys, n, max, temp);
    case BENCH_CUB_F32:
        return max_of<float>(keys, n, max, temp);
    case BENCH_CUB_F64:
        return max_of<double>(keys, n, max, temp);
    default:
        return cudaErrorInvalidValue;
    }
}
