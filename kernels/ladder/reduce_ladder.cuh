// reduce_ladder.cuh: the kernels that reduce an array to one word, each of which fixes what the one
// before loses. Blocks reduce their part in shared memory. Up to rung 7 a block writes its result
// to a place of its own, and these are reduced by another launch, until there is one; from rung 8
// on a block joins its result to the total with one atomic. Missing elements, at the end of the
// last block, are the operation's identity.
//
// All work on 64-bit words, whatever the elements: shared memory then serves half a warp at a time,
// and what is said of bank conflicts holds for each half.
#ifndef GSI_REDUCE_LADDER_CUH
#define GSI_REDUCE_LADDER_CUH

#include "kernels/common/launch.cuh"
#include "kernels/ladder/reduce_operations.cuh"

constexpr unsigned GSI_REDUCE_BLOCK = 256;

template <class Op>
__device__ typename Op::word gsi_word_at(const typename Op::element *in, uint64_t n, uint64_t i)
{
    return i < n ? Op::word_of(in[i]) : Op::identity;
}

// The element of this thread where a thread takes one.
__device__ inline uint64_t gsi_thread_idx()
{
    return static_cast<uint64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
}

// Rung 0: every thread joins its element to the total by itself. Right and short, but all of them
// wait for the same word. Next: a block joins its elements first.
template <class Op>
__global__ void gsi_reduce_atomics(const typename Op::element *in, uint64_t n,
                                   typename Op::word *total)
{
    const uint64_t i = gsi_thread_idx();
    if (i < n)
        Op::add(total, Op::word_of(in[i]));
}

// Rung 1: a binary tree over shared memory; the thread of a node's left end joins it. Every warp
// has working and waiting threads at every level: it diverges. Next: fewer threads for as many
// elements.
template <class Op>
__global__ void gsi_reduce_interleaved(const typename Op::element *in, uint64_t n,
                                       typename Op::word *results)
{
    __shared__ typename Op::word s[GSI_REDUCE_BLOCK];
    const unsigned t = threadIdx.x;
    s[t] = gsi_word_at<Op>(in, n, gsi_thread_idx());
    for (unsigned stride = 1; stride < GSI_REDUCE_BLOCK; stride *= 2) {
        __syncthreads();
        if (t % (2 * stride) == 0)
            s[t] = Op::join(s[t], s[t + stride]);
    }
    if (t == 0)
        results[blockIdx.x] = s[0];
}

// Rung 2: a thread for two elements, so that at first all threads join. Threads now sit at every
// other word, so that two of them meet in a bank, and later levels still diverge. Next: the working
// threads become neighbours.
template <class Op>
__global__ void gsi_reduce_two_loads(const typename Op::element *in, uint64_t n,
                                     typename Op::word *results)
{
    __shared__ typename Op::word s[2 * GSI_REDUCE_BLOCK];
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
        results[blockIdx.x] = s[0];
}

// Rung 3: threads 0, 1, 2, .. take the nodes in their order: whole warps work or rest. Their words
// are 2, 4, 8, .. apart, and as many meet in a bank. Next: the other end of the tree first.
template <class Op>
__global__ void gsi_reduce_strided(const typename Op::element *in, uint64_t n,
                                   typename Op::word *results)
{
    __shared__ typename Op::word s[GSI_REDUCE_BLOCK];
    const unsigned t = threadIdx.x;
    s[t] = gsi_word_at<Op>(in, n, gsi_thread_idx());
    for (unsigned stride = 1; stride < GSI_REDUCE_BLOCK; stride *= 2) {
        __syncthreads();
        const unsigned i = 2 * stride * t;
        if (i < GSI_REDUCE_BLOCK)
            s[i] = Op::join(s[i], s[i + stride]);
    }
    if (t == 0)
        results[blockIdx.x] = s[0];
}

// Rung 4: element t joins element t + stride, and the stride halves: neighbours read neighbours, no
// bank meets twice. Needs an operation that commutes. Half the threads never join anything. Next:
// two elements a thread.
template <class Op>
__global__ void gsi_reduce_sequential(const typename Op::element *in, uint64_t n,
                                      typename Op::word *results)
{
    __shared__ typename Op::word s[GSI_REDUCE_BLOCK];
    const unsigned t = threadIdx.x;
    s[t] = gsi_word_at<Op>(in, n, gsi_thread_idx());
    for (unsigned stride = GSI_REDUCE_BLOCK / 2; stride > 0; stride /= 2) {
        __syncthreads();
        if (t < stride)
            s[t] = Op::join(s[t], s[t + stride]);
    }
    if (t == 0)
        results[blockIdx.x] = s[0];
}

// Rung 5: two elements a thread and strides from the block's size down, so that every thread joins
// at least once. The last levels keep a whole block at barriers for one warp. Next: that warp.
template <class Op>
__global__ void gsi_reduce_halves(const typename Op::element *in, uint64_t n,
                                  typename Op::word *results)
{
    __shared__ typename Op::word s[2 * GSI_REDUCE_BLOCK];
    const unsigned t = threadIdx.x;
    const uint64_t first = static_cast<uint64_t>(blockIdx.x) * 2 * GSI_REDUCE_BLOCK;
    s[t] = gsi_word_at<Op>(in, n, first + t);
    s[t + GSI_REDUCE_BLOCK] = gsi_word_at<Op>(in, n, first + GSI_REDUCE_BLOCK + t);
    for (unsigned stride = GSI_REDUCE_BLOCK; stride > 0; stride /= 2) {
        __syncthreads();
        if (t < stride)
            s[t] = Op::join(s[t], s[t + stride]);
    }
    if (t == 0)
        results[blockIdx.x] = s[0];
}

// The block's words joined: a tree in shared memory whose last 32 lanes are one warp, which goes on
// alone, without barriers of the block. Lanes of a warp do not run in step by themselves: each step
// reads, meets, writes, meets. Lanes past the stride join words nobody reads any more. The result
// is thread 0's.
template <class Op> __device__ typename Op::word gsi_tree_join(typename Op::word x)
{
    __shared__ typename Op::word s[GSI_REDUCE_BLOCK];
    const unsigned t = threadIdx.x;
    s[t] = x;
    for (unsigned stride = GSI_REDUCE_BLOCK / 2; stride > 32; stride /= 2) {
        __syncthreads();
        if (t < stride)
            s[t] = Op::join(s[t], s[t + stride]);
    }
    __syncthreads();
    if (t >= 32)
        return Op::identity;
    for (unsigned stride = 32; stride > 0; stride /= 2) {
        const typename Op::word joined = Op::join(s[t], s[t + stride]);
        __syncwarp();
        s[t] = joined;
        __syncwarp();
    }
    return s[0];
}

// Rung 6: the tree with the last warp unrolled. Next: no shared memory within a warp.
template <class Op>
__global__ void gsi_reduce_last_warp(const typename Op::element *in, uint64_t n,
                                     typename Op::word *results)
{
    const typename Op::word x = gsi_tree_join<Op>(gsi_word_at<Op>(in, n, gsi_thread_idx()));
    if (threadIdx.x == 0)
        results[blockIdx.x] = x;
}

// Lane 0 gets all lanes' words joined.
template <class Op> __device__ typename Op::word gsi_warp_join(typename Op::word x)
{
    for (unsigned offset = 16; offset > 0; offset /= 2)
        x = Op::join(x, __shfl_down_sync(0xffffffff, x, offset));
    return x;
}

// The block's words joined: registers by shuffles inside a warp, one word a warp through shared
// memory, one barrier. The result is thread 0's.
template <class Op> __device__ typename Op::word gsi_shuffle_join(typename Op::word x)
{
    constexpr unsigned WARPS = GSI_REDUCE_BLOCK / 32;
    __shared__ typename Op::word s[WARPS];
    const unsigned t = threadIdx.x;
    x = gsi_warp_join<Op>(x);
    if (t % 32 == 0)
        s[t / 32] = x;
    __syncthreads();
    return t < 32 ? gsi_warp_join<Op>(t < WARPS ? s[t] : Op::identity) : Op::identity;
}

// Rung 7: shuffles. Blocks are many, and so are the launches that join their results. Next: one
// launch.
template <class Op>
__global__ void gsi_reduce_shuffle(const typename Op::element *in, uint64_t n,
                                   typename Op::word *results)
{
    const typename Op::word x = gsi_shuffle_join<Op>(gsi_word_at<Op>(in, n, gsi_thread_idx()));
    if (threadIdx.x == 0)
        results[blockIdx.x] = x;
}

// Rung 8: an atomic a block instead of launches: no memory for results, but all blocks wait for one
// word, at which they come faster than it takes them. A thread still does five levels and a barrier
// for one load. Next: more loads, and so fewer blocks.
template <class Op>
__global__ void gsi_reduce_block_atomics(const typename Op::element *in, uint64_t n,
                                         typename Op::word *total)
{
    const typename Op::word x = gsi_shuffle_join<Op>(gsi_word_at<Op>(in, n, gsi_thread_idx()));
    if (threadIdx.x == 0)
        Op::add(total, x);
}

// Every thread folds elements that are a grid apart.
template <class Op>
__device__ typename Op::word gsi_fold(const typename Op::element *in, uint64_t n)
{
    typename Op::word x = Op::identity;
    for (uint64_t i = gsi_thread_idx(); i < n; i += static_cast<uint64_t>(gridDim.x) * blockDim.x)
        x = Op::join(x, Op::word_of(in[i]));
    return x;
}

// Rung 9: as many threads as the device runs at once fold the array between them, and the tree
// comes once at the end. Next: the better tree.
template <class Op>
__global__ void gsi_reduce_cascaded(const typename Op::element *in, uint64_t n,
                                    typename Op::word *total)
{
    const typename Op::word x = gsi_tree_join<Op>(gsi_fold<Op>(in, n));
    if (threadIdx.x == 0)
        Op::add(total, x);
}

// Rung 10: the same with shuffles at the end, where it matters little. A load brings one element.
// Next: wider loads.
template <class Op>
__global__ void gsi_reduce_cascaded_shuffle(const typename Op::element *in, uint64_t n,
                                            typename Op::word *total)
{
    const typename Op::word x = gsi_shuffle_join<Op>(gsi_fold<Op>(in, n));
    if (threadIdx.x == 0)
        Op::add(total, x);
}

// Rung 11: 16 bytes a load. Time is that of the memory.
//
//   in:  [head) | 16 bytes | 16 bytes | ..  | [tail)    head, tail: fewer elements than 16 bytes
template <class Op>
__global__ void gsi_reduce_wide_loads(const typename Op::element *in, uint64_t n,
                                      typename Op::word *total)
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
    const uint64_t thread_count = static_cast<uint64_t>(gridDim.x) * GSI_REDUCE_BLOCK;

    typename Op::word x = gsi_word_at<Op>(in, head, gsi_thread_idx());
    x = Op::join(x, gsi_word_at<Op>(in, n, tail + gsi_thread_idx()));
    for (uint64_t i = gsi_thread_idx(); i < vector_count; i += thread_count) {
        const vector v = vectors[i];
        for (unsigned j = 0; j < WIDTH; j++)
            x = Op::join(x, Op::word_of(v.e[j]));
    }
    x = gsi_shuffle_join<Op>(x);
    if (threadIdx.x == 0)
        Op::add(total, x);
}

#endif
