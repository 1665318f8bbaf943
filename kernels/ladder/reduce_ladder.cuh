// reduce_ladder.cuh: seven kernels that reduce an array to one word, each of which fixes what the
// one before loses. Blocks reduce their part in shared memory and join it to the total with one
// atomic. Missing elements, at the end of the last block, are the operation's identity.
//
// All work on 64-bit words, whatever the elements: shared memory then serves half a warp at a time,
// and what is said of bank conflicts holds for each half.
#ifndef GSI_REDUCE_LADDER_CUH
#define GSI_REDUCE_LADDER_CUH

#include "kernels/common/launch.cuh"

#include <type_traits>

constexpr unsigned GSI_REDUCE_BLOCK = 256;

// 64 bits, of the type that the device's atomics take.
using gsi_word = unsigned long long;

// Operations: the word of an element, two words joined, the atomic, and the identity, whose bytes
// are all alike.
template <class T> struct gsi_sum {
    using element = T;
    static constexpr gsi_word identity = 0;
    static __device__ gsi_word word(T x)
    {
        return static_cast<gsi_word>(x);
    }
    static __device__ gsi_word join(gsi_word a, gsi_word b)
    {
        return a + b;
    }
    static __device__ void add(gsi_word *total, gsi_word x)
    {
        atomicAdd(total, x);
    }
};

// Signed numbers are ordered as unsigned ones with the sign turned over.
template <class T> struct gsi_min {
    using element = T;
    static constexpr gsi_word identity = ~0ull;
    static __device__ gsi_word word(T x)
    {
        return static_cast<gsi_word>(x) ^ (std::is_signed<T>::value ? 1ull << 63 : 0);
    }
    static __device__ gsi_word join(gsi_word a, gsi_word b)
    {
        return a < b ? a : b;
    }
    static __device__ void add(gsi_word *total, gsi_word x)
    {
        atomicMin(total, x);
    }
};

template <class T> struct gsi_max : gsi_min<T> {
    static constexpr gsi_word identity = 0;
    static __device__ gsi_word join(gsi_word a, gsi_word b)
    {
        return a < b ? b : a;
    }
    static __device__ void add(gsi_word *total, gsi_word x)
    {
        atomicMax(total, x);
    }
};

template <class Op>
__device__ gsi_word gsi_word_at(const typename Op::element *in, uint64_t n, uint64_t i)
{
    return i < n ? Op::word(in[i]) : Op::identity;
}

// Rung 1: a binary tree over shared memory; the thread of a node's left end joins it. Every warp
// has working and waiting threads at every level: it diverges. Next: fewer threads for as many
// elements.
template <class Op>
__global__ void gsi_reduce_interleaved(const typename Op::element *in, uint64_t n, gsi_word *total)
{
    __shared__ gsi_word s[GSI_REDUCE_BLOCK];
    const unsigned t = threadIdx.x;
    s[t] = gsi_word_at<Op>(in, n, static_cast<uint64_t>(blockIdx.x) * GSI_REDUCE_BLOCK + t);
    for (unsigned stride = 1; stride < GSI_REDUCE_BLOCK; stride *= 2) {
        __syncthreads();
        if (t % (2 * stride) == 0)
            s[t] = Op::join(s[t], s[t + stride]);
    }
    if (t == 0)
        Op::add(total, s[0]);
}

// Rung 2: a thread for two elements, so that at first all threads join. Threads now sit at every
// other word, so that two of them meet in a bank, and later levels still diverge. Next: the working
// threads become neighbours.
template <class Op>
__global__ void gsi_reduce_two_loads(const typename Op::element *in, uint64_t n, gsi_word *total)
{
    __shared__ gsi_word s[2 * GSI_REDUCE_BLOCK];
    const unsigned t = threadIdx.x;
    const uint64_t first = static_cast<uint64_t>(blockIdx.x) * 2 * GSI_REDUCE_BLOCK;
    s[t] = gsi_word_at<Op>(in, n, first + t);
    s[t + GSI_REDUCE_BLOCK] = gsi_word_at<Op>(in, n, first + GSI_REDUCE_BLOCK + t);
    for (unsigned stride = 1; stride <= GSI_REDUCE_BLOCK; stride *= 2) {
        __syncthreads();
        if (t % stride == 0)
            s[2 * t] = Op::join(s[2 * t], s[2 * t + stride]);
    }
    if (t == 0)
        Op::add(total, s[0]);
}

// Rung 3: threads 0, 1, 2, .. take the nodes in their order: whole warps work or rest. Their words
// are 2, 4, 8, .. apart, and as many meet in a bank. Next: the other end of the tree first.
template <class Op>
__global__ void gsi_reduce_strided(const typename Op::element *in, uint64_t n, gsi_word *total)
{
    __shared__ gsi_word s[GSI_REDUCE_BLOCK];
    const unsigned t = threadIdx.x;
    s[t] = gsi_word_at<Op>(in, n, static_cast<uint64_t>(blockIdx.x) * GSI_REDUCE_BLOCK + t);
    for (unsigned stride = 1; stride < GSI_REDUCE_BLOCK; stride *= 2) {
        __syncthreads();
        const unsigned i = 2 * stride * t;
        if (i < GSI_REDUCE_BLOCK)
            s[i] = Op::join(s[i], s[i + stride]);
    }
    if (t == 0)
        Op::add(total, s[0]);
}

// Rung 4: element t joins element t + stride, and the stride halves: neighbours read neighbours, no
// bank meets twice. Needs an operation that commutes. Half the threads never join anything, which
// rung 7 makes cheap; the last levels keep a whole block at barriers for one warp. Next: that warp.
template <class Op>
__global__ void gsi_reduce_sequential(const typename Op::element *in, uint64_t n, gsi_word *total)
{
    __shared__ gsi_word s[GSI_REDUCE_BLOCK];
    const unsigned t = threadIdx.x;
    s[t] = gsi_word_at<Op>(in, n, static_cast<uint64_t>(blockIdx.x) * GSI_REDUCE_BLOCK + t);
    for (unsigned stride = GSI_REDUCE_BLOCK / 2; stride > 0; stride /= 2) {
        __syncthreads();
        if (t < stride)
            s[t] = Op::join(s[t], s[t + stride]);
    }
    if (t == 0)
        Op::add(total, s[0]);
}

// Rung 5: from 32 lanes on, one warp goes on alone, its steps unrolled and without barriers of the
// block. Lanes of a warp do not run in step by themselves: each step reads, meets, writes, meets.
// Lanes past the stride join words nobody reads any more. Next: no shared memory within a warp.
template <class Op>
__global__ void gsi_reduce_last_warp(const typename Op::element *in, uint64_t n, gsi_word *total)
{
    __shared__ gsi_word s[GSI_REDUCE_BLOCK];
    const unsigned t = threadIdx.x;
    s[t] = gsi_word_at<Op>(in, n, static_cast<uint64_t>(blockIdx.x) * GSI_REDUCE_BLOCK + t);
    for (unsigned stride = GSI_REDUCE_BLOCK / 2; stride > 32; stride /= 2) {
        __syncthreads();
        if (t < stride)
            s[t] = Op::join(s[t], s[t + stride]);
    }
    __syncthreads();
    if (t >= 32)
        return;
    for (unsigned stride = 32; stride > 0; stride /= 2) {
        const gsi_word joined = Op::join(s[t], s[t + stride]);
        __syncwarp();
        s[t] = joined;
        __syncwarp();
    }
    if (t == 0)
        Op::add(total, s[0]);
}

// Lane 0 gets all lanes' words joined.
template <class Op> __device__ gsi_word gsi_warp_join(gsi_word x)
{
    for (unsigned offset = 16; offset > 0; offset /= 2)
        x = Op::join(x, __shfl_down_sync(0xffffffff, x, offset));
    return x;
}

// The block's words joined into the total.
template <class Op> __device__ void gsi_block_add(gsi_word x, gsi_word *total)
{
    constexpr unsigned WARPS = GSI_REDUCE_BLOCK / 32;
    __shared__ gsi_word s[WARPS];
    const unsigned t = threadIdx.x;
    x = gsi_warp_join<Op>(x);
    if (t % 32 == 0)
        s[t / 32] = x;
    __syncthreads();
    if (t >= 32)
        return;
    x = gsi_warp_join<Op>(t < WARPS ? s[t] : Op::identity);
    if (t == 0)
        Op::add(total, x);
}

// Rung 6: registers by shuffles inside a warp, one word a warp through shared memory, one barrier.
// A thread still does five levels, a barrier and its share of an atomic for one load. Next: more
// loads.
template <class Op>
__global__ void gsi_reduce_shuffle(const typename Op::element *in, uint64_t n, gsi_word *total)
{
    const uint64_t i = static_cast<uint64_t>(blockIdx.x) * GSI_REDUCE_BLOCK + threadIdx.x;
    gsi_block_add<Op>(gsi_word_at<Op>(in, n, i), total);
}

// Rung 7: as many threads as the device runs at once fold the array between them, 16 bytes a load,
// and the tree comes once at the end. Time is that of the loads.
//
//   in:  [head) | 16 bytes | 16 bytes | ..  | [tail)    head, tail: fewer elements than 16 bytes
template <class Op>
__global__ void gsi_reduce_cascaded(const typename Op::element *in, uint64_t n, gsi_word *total)
{
    using element = typename Op::element;
    constexpr uint64_t WIDTH = 16 / sizeof(element);
    struct alignas(16) vector {
        element e[WIDTH];
    };
    const uint64_t past = reinterpret_cast<uintptr_t>(in) / sizeof(element) % WIDTH;
    const uint64_t head = min(n, (WIDTH - past) % WIDTH);
    const uint64_t vector_count = (n - head) / WIDTH, tail = head + vector_count * WIDTH;
    const vector *const vectors = reinterpret_cast<const vector *>(in + head);
    const uint64_t thread = static_cast<uint64_t>(blockIdx.x) * GSI_REDUCE_BLOCK + threadIdx.x;
    const uint64_t thread_count = static_cast<uint64_t>(gridDim.x) * GSI_REDUCE_BLOCK;

    gsi_word x = gsi_word_at<Op>(in, head, thread);
    x = Op::join(x, gsi_word_at<Op>(in, n, tail + thread));
    for (uint64_t i = thread; i < vector_count; i += thread_count) {
        const vector v = vectors[i];
        for (unsigned j = 0; j < WIDTH; j++)
            x = Op::join(x, Op::word(v.e[j]));
    }
    gsi_block_add<Op>(x, total);
}

#endif
