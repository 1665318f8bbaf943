// array_kernels.cu: implements the kernels of array_kernels.cuh.
//
// Numbers of 1 and 2 bytes are sorted by counting their sort keys. A block counts in shared memory,
// half of the keys at a time, and adds to the counts of all blocks. One block converts the counts
// to the end of each key by a prefix sum. Then every thread finds the key of each of its places:
//
//     numbers -> counts[key] -> ends[key] -> numbers
#include "kernels/array/array_kernels.cuh"

#include "kernels/common/launch.cuh"

#include <string.h>

constexpr uint32_t THREADS = 256;

static uint32_t blocks_of(uint64_t n, uint64_t each)
{
    return static_cast<uint32_t>((n + each - 1) / each);
}

// ---- numbers with places ----

// Returns the key of a number of 1, 2, 4 or 8 bytes.
template <class Number>
__device__ __forceinline__ uint64_t key_of(const gsi_key_turn &turn, Number number)
{
    if constexpr (sizeof(Number) >= 4) {
        return gsi_key_of_number(turn, number);
    } else {
        constexpr uint32_t SHIFT = 64 - 8 * sizeof(Number);
        const uint64_t bits = sizeof(Number) == 2 && turn.is_big_endian
                                  ? (number >> 8 | number << 8) & 0xffff
                                  : number;
        return gsi_key_of_u64(turn.map, bits << SHIFT) >> SHIFT;
    }
}

template <class Number, class Pair>
__global__ void __launch_bounds__(THREADS)
    pairs_kernel(const Number *numbers, gsi_key_turn turn, uint64_t n, uint64_t first,
                 uint32_t place_bits, Pair *pairs)
{
    const uint64_t i = static_cast<uint64_t>(blockIdx.x) * THREADS + threadIdx.x;
    if (i < n)
        pairs[i] = static_cast<Pair>(key_of(turn, numbers[i])) << place_bits | (first + i);
}

template <class Number, class Pair>
static cudaError_t make_pairs(const void *numbers, const gsi_key_turn &turn, uint64_t n,
                              const gsi_pairs &to, cudaStream_t stream)
{
    return gsi_launch(pairs_kernel<Number, Pair>, dim3(blocks_of(n, THREADS)), dim3(THREADS), 0,
                      stream, static_cast<const Number *>(numbers), turn, n, to.first,
                      to.place_bits, static_cast<Pair *>(to.pairs));
}

cudaError_t gsi_array_pairs(const void *numbers, uint32_t bytes, const gsi_key_turn &turn,
                            uint64_t n, const gsi_pairs &to, cudaStream_t stream)
{
    if (n == 0)
        return cudaSuccess;
    if (bytes == 4 && to.bytes == 16)
        return make_pairs<uint32_t, gsi_u128>(numbers, turn, n, to, stream);
    return bytes == 1   ? make_pairs<uint8_t, uint64_t>(numbers, turn, n, to, stream)
           : bytes == 2 ? make_pairs<uint16_t, uint64_t>(numbers, turn, n, to, stream)
           : bytes == 4 ? make_pairs<uint32_t, uint64_t>(numbers, turn, n, to, stream)
                        : make_pairs<uint64_t, gsi_u128>(numbers, turn, n, to, stream);
}

template <class Pair, class Position>
__global__ void __launch_bounds__(THREADS)
    places_kernel(const Pair *pairs, uint64_t mask, uint64_t n, Position *positions)
{
    const uint64_t i = static_cast<uint64_t>(blockIdx.x) * THREADS + threadIdx.x;
    if (i < n)
        positions[i] = static_cast<Position>(static_cast<uint64_t>(pairs[i]) & mask);
}

template <class Pair, class Position>
static cudaError_t places(const void *pairs, uint64_t mask, uint64_t n, void *positions,
                          cudaStream_t stream)
{
    return gsi_launch(places_kernel<Pair, Position>, dim3(blocks_of(n, THREADS)), dim3(THREADS), 0,
                      stream, static_cast<const Pair *>(pairs), mask, n,
                      static_cast<Position *>(positions));
}

cudaError_t gsi_array_places(const void *pairs, uint32_t pair_bytes, uint32_t place_bits,
                             uint64_t n, void *positions, uint32_t position_bytes,
                             cudaStream_t stream)
{
    const uint64_t mask = UINT64_MAX >> (64 - place_bits);
    const bool is_short = position_bytes == 4;
    if (n == 0)
        return cudaSuccess;
    if (pair_bytes == 8)
        return is_short ? places<uint64_t, uint32_t>(pairs, mask, n, positions, stream)
                        : places<uint64_t, uint64_t>(pairs, mask, n, positions, stream);
    return is_short ? places<gsi_u128, uint32_t>(pairs, mask, n, positions, stream)
                    : places<gsi_u128, uint64_t>(pairs, mask, n, positions, stream);
}

// ---- counting ----

constexpr uint32_t COUNT_THREADS = 1024, COUNT_BLOCKS = 256;
// The counts of half of the keys fill 128 KiB of shared memory, which not every GPU has. Counts of
// a quarter need more reading.
constexpr uint32_t ALL_KEYS = 65536, HALF_KEYS = ALL_KEYS / 2, QUARTER_KEYS = ALL_KEYS / 4;
// Counts of a block have 32 bits.
constexpr uint64_t BLOCK_NUMBERS = UINT64_C(1) << 31;
constexpr uint32_t FILL_NUMBERS = 16; // per thread

// blockIdx.y: which part of the keys is counted; a part has KEYS of them.
template <class Number, uint32_t KEYS>
__global__ void __launch_bounds__(COUNT_THREADS)
    count_kernel(const Number *numbers, gsi_key_turn turn, uint64_t n, unsigned long long *counts)
{
    GSI_DYNAMIC_SHARED(uint32_t, mine);
    for (uint32_t i = threadIdx.x; i < KEYS; i += COUNT_THREADS)
        mine[i] = 0;
    __syncthreads();
    const uint64_t step = static_cast<uint64_t>(gridDim.x) * COUNT_THREADS;
    for (uint64_t i = static_cast<uint64_t>(blockIdx.x) * COUNT_THREADS + threadIdx.x; i < n;
         i += step) {
        const uint32_t key = static_cast<uint32_t>(key_of(turn, numbers[i]));
        if (key / KEYS == blockIdx.y)
            atomicAdd(&mine[key % KEYS], 1u);
    }
    __syncthreads();
    for (uint32_t i = threadIdx.x; i < KEYS; i += COUNT_THREADS)
        if (mine[i] > 0)
            atomicAdd(&counts[blockIdx.y * KEYS + i], static_cast<unsigned long long>(mine[i]));
}

// Replaces counts by their inclusive prefix sums; one block, in which each thread has equally many
// adjacent counts.
__global__ void __launch_bounds__(COUNT_THREADS)
    ends_kernel(unsigned long long *counts, uint32_t key_count)
{
    __shared__ unsigned long long sums[COUNT_THREADS];
    const uint32_t each = (key_count + COUNT_THREADS - 1) / COUNT_THREADS;
    const uint32_t begin = threadIdx.x * each;
    unsigned long long sum = 0;
    for (uint32_t i = begin; i < begin + each && i < key_count; i++)
        sum += counts[i];
    sums[threadIdx.x] = sum;
    __syncthreads();
    for (uint32_t distance = 1; distance < COUNT_THREADS; distance *= 2) {
        const unsigned long long below = threadIdx.x >= distance ? sums[threadIdx.x - distance] : 0;
        __syncthreads();
        sums[threadIdx.x] += below;
        __syncthreads();
    }
    sum = sums[threadIdx.x] - sum;
    for (uint32_t i = begin; i < begin + each && i < key_count; i++) {
        sum += counts[i];
        counts[i] = sum;
    }
}

// Returns the key at a place: the first key whose end is after it.
__device__ __forceinline__ uint32_t key_at(const unsigned long long *ends, uint32_t low,
                                           uint32_t high, uint64_t place)
{
    while (low < high) {
        const uint32_t middle = (low + high) / 2;
        if (ends[middle] > place)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

template <class Number>
__global__ void __launch_bounds__(THREADS)
    fill_kernel(Number *numbers, gsi_key_turn turn, uint64_t n, const unsigned long long *ends,
                uint32_t key_count)
{
    constexpr uint32_t SHIFT = 64 - 8 * sizeof(Number);
    const uint64_t first = static_cast<uint64_t>(blockIdx.x) * THREADS * FILL_NUMBERS;
    uint32_t key = 0;
    uint64_t end = 0;
    for (uint32_t i = 0; i < FILL_NUMBERS; i++) {
        const uint64_t place = first + i * THREADS + threadIdx.x; // coalesced writes
        if (place >= n)
            return;
        if (place >= end) {
            key = key_at(ends, key, key_count - 1, place);
            end = ends[key];
        }
        uint64_t bits = gsi_bits_of_u64(turn.map, static_cast<uint64_t>(key) << SHIFT) >> SHIFT;
        if (sizeof(Number) == 2 && turn.is_big_endian)
            bits = bits >> 8 | bits << 8;
        numbers[place] = static_cast<Number>(bits);
    }
}

size_t gsi_array_count_bytes(void)
{
    return ALL_KEYS * sizeof(unsigned long long);
}

template <class Number, uint32_t PART_KEYS>
static cudaError_t count_sort(Number *numbers, const gsi_key_turn &turn, uint64_t n,
                              unsigned long long *counts, cudaStream_t stream)
{
    constexpr uint32_t KEYS = sizeof(Number) == 1 ? 256 : ALL_KEYS;
    constexpr uint32_t SHARED_BYTES = PART_KEYS * sizeof(uint32_t);
    const auto kernel = count_kernel<Number, PART_KEYS>;
    const uint64_t wanted = (n + COUNT_THREADS - 1) / COUNT_THREADS;
    const uint64_t least = (n + BLOCK_NUMBERS - 1) / BLOCK_NUMBERS;
    const uint64_t most = least > COUNT_BLOCKS ? least : COUNT_BLOCKS;
    const uint32_t blocks = static_cast<uint32_t>(wanted < most ? wanted : most);
    GSI_CUDA_TRY(cudaFuncSetAttribute(reinterpret_cast<const void *>(kernel),
                                      cudaFuncAttributeMaxDynamicSharedMemorySize,
                                      static_cast<int>(SHARED_BYTES)));
    GSI_CUDA_TRY(cudaMemsetAsync(counts, 0, KEYS * sizeof *counts, stream));
    GSI_CUDA_TRY(gsi_launch(kernel, dim3(blocks, KEYS / PART_KEYS), dim3(COUNT_THREADS),
                            SHARED_BYTES, stream, numbers, turn, n, counts));
    GSI_CUDA_TRY(gsi_launch(ends_kernel, dim3(1), dim3(COUNT_THREADS), 0, stream, counts, KEYS));
    return gsi_launch(fill_kernel<Number>, dim3(blocks_of(n, THREADS * FILL_NUMBERS)),
                      dim3(THREADS), 0, stream, numbers, turn, n, counts, KEYS);
}

cudaError_t gsi_array_count_sort(void *numbers, uint32_t bytes, const gsi_key_turn &turn,
                                 uint64_t n, void *counts, cudaStream_t stream)
{
    unsigned long long *const sums = static_cast<unsigned long long *>(counts);
    if (n == 0)
        return cudaSuccess;
    if (bytes == 1)
        return count_sort<uint8_t, 256>(static_cast<uint8_t *>(numbers), turn, n, sums, stream);
    int device = 0, room = 0;
    GSI_CUDA_TRY(cudaGetDevice(&device));
    GSI_CUDA_TRY(cudaDeviceGetAttribute(&room, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
    const auto sort = static_cast<size_t>(room) >= HALF_KEYS * sizeof(uint32_t)
                          ? count_sort<uint16_t, HALF_KEYS>
                          : count_sort<uint16_t, QUARTER_KEYS>;
    return sort(static_cast<uint16_t *>(numbers), turn, n, sums, stream);
}

// ---- memory of the program ----

constexpr size_t PIECE_BYTES = 2048; // parameters of a kernel have 4 KiB at most

struct piece {
    uint8_t bytes[PIECE_BYTES];
};

static __global__ void put_kernel(piece piece, uint32_t n, uint8_t *to)
{
    for (uint32_t i = threadIdx.x; i < n; i += blockDim.x)
        to[i] = piece.bytes[i];
}

cudaError_t gsi_array_put(const void *from, size_t bytes, void *to, cudaStream_t stream)
{
    for (size_t done = 0; done < bytes; done += PIECE_BYTES) {
        const size_t n = bytes - done < PIECE_BYTES ? bytes - done : PIECE_BYTES;
        piece piece;
        memcpy(piece.bytes, static_cast<const uint8_t *>(from) + done, n);
        GSI_CUDA_TRY(gsi_launch(put_kernel, dim3(1), dim3(THREADS), 0, stream, piece,
                                static_cast<uint32_t>(n), static_cast<uint8_t *>(to) + done));
    }
    return cudaSuccess;
}
