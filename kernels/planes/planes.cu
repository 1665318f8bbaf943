// planes.cu: implements the kernels of planes.cuh.
//
//   split   a thread takes 4 neighbouring keys and stores 4 bytes of each plane; the differences'
//           bits are or-ed in the warp, then in memory
//   join    a block takes a tile. First only its differences' sum; then, with the sums of the tiles
//           before it, the running sum within the tile: threads, warps, block (reduce, then scan)
#include "kernels/planes/planes.cuh"

#include "base/u128.h"
#include "element/width.h"
#include "kernels/common/launch.cuh"

#include <cstring>

#define THREADS 256u
#define GROUP   4u                // keys whose bytes of a plane form one word
#define ITEMS   (4u * GROUP)      // keys per thread of a join kernel
#define TILE    (THREADS * ITEMS) // keys per block of a join kernel

static_assert(GROUP == sizeof(uint32_t), "a word of a plane");

// Returns byte b of m <= GROUP keys, from their plane; as one word if planes are aligned to it.
__device__ inline uint32_t load_bytes(const uint8_t *plane, uint32_t m, bool is_aligned)
{
    if (is_aligned)
        return *reinterpret_cast<const uint32_t *>(plane);
    uint32_t word = 0;
    for (uint32_t i = 0; i < m; i++)
        word |= uint32_t(plane[i]) << 8 * i;
    return word;
}

__device__ inline void store_bytes(uint8_t *plane, uint32_t word, uint32_t m, bool is_aligned)
{
    if (is_aligned) {
        *reinterpret_cast<uint32_t *>(plane) = word;
        return;
    }
    for (uint32_t i = 0; i < m; i++)
        plane[i] = static_cast<uint8_t>(word >> 8 * i);
}

template <class Key>
__global__ void split_keys(const Key *keys, uint64_t n, uint8_t *planes, gsi_planes_found *found)
{
    const uint64_t at = (uint64_t(blockIdx.x) * THREADS + threadIdx.x) * GROUP;
    const uint32_t m = at >= n ? 0 : n - at < GROUP ? static_cast<uint32_t>(n - at) : GROUP;
    Key differences[GROUP] = {}, bits = 0;
    Key before = m > 0 ? keys[at > 0 ? at - 1 : 0] : 0;
    for (uint32_t i = 0; i < m; i++) {
        const Key key = keys[at + i];
        differences[i] = key - before;
        bits |= differences[i];
        before = key;
    }
    for (uint32_t b = 0; m > 0 && b < sizeof(Key); b++) {
        uint32_t word = 0;
        for (uint32_t i = 0; i < GROUP; i++)
            word |= (static_cast<uint32_t>(differences[i] >> 8 * b) & 0xff) << 8 * i;
        store_bytes(planes + b * n + at, word, m, n % GROUP == 0);
    }
    uint32_t *const words = reinterpret_cast<uint32_t *>(found->differences);
    for (uint32_t w = 0; w < sizeof(Key) / 4; w++) {
        const uint32_t word = __reduce_or_sync(~0u, static_cast<uint32_t>(bits >> 32 * w));
        if (threadIdx.x % 32 == 0 && word != 0)
            atomicOr(&words[w], word);
    }
    if (at == 0)
        *reinterpret_cast<Key *>(found->first_key) = keys[0];
    if (m > 0 && at + m == n)
        *reinterpret_cast<Key *>(found->last_key) = keys[n - 1];
}

struct joined_planes {
    const uint8_t *planes;
    uint64_t n;
    uint32_t first, count;
};

// Returns the differences of GROUP keys from `at` on; zeros after the last key.
template <class Key>
__device__ inline void load_differences(const joined_planes &from, uint64_t at, Key *differences)
{
    const uint32_t m = at >= from.n          ? 0
                       : from.n - at < GROUP ? static_cast<uint32_t>(from.n - at)
                                             : GROUP;
    for (uint32_t i = 0; i < GROUP; i++)
        differences[i] = 0;
    for (uint32_t p = 0; m > 0 && p < from.count; p++) {
        const uint32_t word = load_bytes(from.planes + p * from.n + at, m, from.n % GROUP == 0);
        for (uint32_t i = 0; i < GROUP; i++)
            differences[i] |= static_cast<Key>(word >> 8 * i & 0xff) << 8 * (from.first + p);
    }
}

// Returns the sum of all lower threads' values (an exclusive prefix sum); *total is the block's
// sum.
template <class Key> __device__ inline Key scan_block(Key value, Key *shared, Key *total)
{
    const uint32_t t = threadIdx.x;
    Key sum = value;
    for (uint32_t step = 1; step < THREADS; step *= 2) {
        shared[t] = sum;
        __syncthreads();
        if (t >= step)
            sum += shared[t - step];
        __syncthreads();
    }
    shared[t] = sum;
    __syncthreads();
    *total = shared[THREADS - 1];
    __syncthreads();
    return sum - value;
}

template <class Key>
__device__ inline Key thread_sum(const joined_planes &from, uint64_t at, Key *differences)
{
    Key sum = 0;
    for (uint32_t g = 0; g < ITEMS; g += GROUP) {
        load_differences(from, at + g, differences + g);
        for (uint32_t i = 0; i < GROUP; i++)
            sum += differences[g + i];
    }
    return sum;
}

template <class Key> __global__ void sum_tiles(joined_planes from, Key *sums)
{
    __shared__ Key shared[THREADS];
    Key differences[ITEMS], total;
    scan_block(thread_sum(from, uint64_t(blockIdx.x) * TILE + threadIdx.x * ITEMS, differences),
               shared, &total);
    if (threadIdx.x == 0)
        sums[blockIdx.x] = total;
}

template <class Key>
__global__ void join_tiles(joined_planes from, Key first_key, const Key *sums, Key *keys)
{
    __shared__ Key shared[THREADS];
    const uint64_t at = uint64_t(blockIdx.x) * TILE + threadIdx.x * ITEMS;
    Key differences[ITEMS], before = 0, total, unused;
    for (uint32_t tile = threadIdx.x; tile < blockIdx.x; tile += THREADS)
        before += sums[tile];
    scan_block(before, shared, &total); // total: of all tiles before this one
    Key key = first_key + total;
    key += scan_block(thread_sum(from, at, differences), shared, &unused);
    for (uint32_t i = 0; i < ITEMS && at + i < from.n; i++)
        keys[at + i] = key += differences[i];
}

template <class Key>
static cudaError_t split(const void *keys, uint64_t n, uint8_t *planes, gsi_planes_found *found,
                         cudaStream_t stream)
{
    const uint64_t blocks = (n + THREADS * GROUP - 1) / (THREADS * GROUP);
    GSI_CUDA_TRY(cudaMemsetAsync(found, 0, sizeof *found, stream));
    return gsi_launch(split_keys<Key>, dim3(static_cast<uint32_t>(blocks)), dim3(THREADS), 0,
                      stream, static_cast<const Key *>(keys), n, planes, found);
}

template <class Key>
static cudaError_t join(const joined_planes &from, const uint8_t *first_key, void *keys, void *sums,
                        cudaStream_t stream)
{
    const dim3 blocks(static_cast<uint32_t>((from.n + TILE - 1) / TILE));
    Key first;
    memcpy(&first, first_key, sizeof first);
    GSI_CUDA_TRY(gsi_launch(sum_tiles<Key>, blocks, dim3(THREADS), 0, stream, from,
                            static_cast<Key *>(sums)));
    return gsi_launch(join_tiles<Key>, blocks, dim3(THREADS), 0, stream, from, first,
                      static_cast<const Key *>(sums), static_cast<Key *>(keys));
}

cudaError_t gsi_cuda_planes_split(uint32_t key_bytes, const void *keys, uint64_t n, uint8_t *planes,
                                  gsi_planes_found *found, cudaStream_t stream)
{
    return GSI_BY_WIDTH(key_bytes, split<uint32_t>, split<uint64_t>,
                        split<gsi_u128>)(keys, n, planes, found, stream);
}

size_t gsi_cuda_planes_sums_bytes(uint32_t key_bytes, uint64_t n)
{
    return (n + TILE - 1) / TILE * key_bytes;
}

cudaError_t gsi_cuda_planes_join(uint32_t key_bytes, const uint8_t *planes, uint64_t n,
                                 uint32_t first_plane, uint32_t plane_count,
                                 const uint8_t *first_key, void *keys, void *sums,
                                 cudaStream_t stream)
{
    const joined_planes from = {planes, n, first_plane, plane_count};
    return GSI_BY_WIDTH(key_bytes, join<uint32_t>, join<uint64_t>,
                        join<gsi_u128>)(from, first_key, keys, sums, stream);
}
