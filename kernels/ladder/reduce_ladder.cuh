// reduce_ladder.cuh: reduces an array to one word by several kernels; each one avoids a loss of the
// one before.
//
// Blocks reduce their part in shared memory. Up to rung 7 a block writes its result to a place of
// its own. Further launches reduce these results until there is one. From rung 8 on a block adds
// its result to the total by one atomic. Missing elements, at the end of the last block, are the
// operation's identity.
//
// All kernels work on 64-bit words, whatever the elements. Shared memory then serves half a warp at
// a time, and statements on bank conflicts hold for each half.
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

// Returns the index of this thread's element in kernels with one element per thread.
__device__ inline uint64_t gsi_thread_idx()
{
    return static_cast<uint64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
}

// Rung 0: every thread adds its element to the total itself. This is correct and short, but all
// threads wait for the same word. Next: a block joins its elements first.
template <class Op>
__global__ void gsi_reduce_atomics(const typename Op::element *in, uint64_t n,
                                   typename Op::word *total)
{
    const uint64_t i = gsi_thread_idx();
    if (i < n)
        Op::add(total, Op::word_of(in[i]));
}

// Rung 1: a binary tree in shared memory; the first thread of each subtree adds the subtree's two
// halves. Every warp has working and waiting threads at every level: it diverges. Next: fewer
// threads for as many elements.
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

// Rung 2: one thread per two elements, so that at first all threads join. Threads now access every
// other word, which means two-way bank conflicts, and later levels still diverge. Next: make the
// working threads neighbours.
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

// Rung 3: threads 0, 1, 2, .. process the nodes in order: whole warps work or rest. Their words are
// 2, 4, 8, .. apart: 2-way, 4-way, 8-way .. bank conflicts. Next: the other end of the tree first.
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

// Rung 4: element t joins element t + stride, and the stride halves. Neighbours read neighbours,
// without bank conflicts. This needs a commutative operation. Half the threads never join anything.
// Next: two elements per thread.
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

// Rung 5: two elements per thread, and strides from the block's size down, so that every thread
// joins at least once. The last levels keep a whole block at barriers for one warp. Next: that
// warp.
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

// Returns the block's words joined, in thread 0. It is a tree in shared memory. Its last 32 lanes
// are one warp, which continues alone, without barriers of the block. Lanes of a warp are not in
// lockstep by themselves: each step reads, synchronizes, writes, synchronizes. Lanes past the
// stride join words that no lane reads any more.
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

// Returns all lanes' words joined, in lane 0.
template <class Op> __device__ typename Op::word gsi_warp_join(typename Op::word x)
{
    for (unsigned offset = 16; offset > 0; offset /= 2)
        x = Op::join(x, __shfl_down_sync(0xffffffff, x, offset));
    return x;
}

// Returns the block's words joined, in thread 0: by shuffles inside a warp, then one word per warp
// through shared memory, with one barrier.
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

// Rung 7: shuffles. There are many blocks, and so many launches that join their results. Next: one
// launch.
template <class Op>
__global__ void gsi_reduce_shuffle(const typename Op::element *in, uint64_t n,
                                   typename Op::word *results)
{
    const typename Op::word x = gsi_shuffle_join<Op>(gsi_word_at<Op>(in, n, gsi_thread_idx()));
    if (threadIdx.x == 0)
        results[blockIdx.x] = x;
}

// Rung 8: one atomic per block instead of launches. It needs no memory for results, but all blocks
// wait for one word, and they finish faster than it accepts them. A thread still does five levels
// and a barrier for one load. Next: more loads, and so fewer blocks.
template <class Op>
__global__ void gsi_reduce_block_atomics(const typename Op::element *in, uint64_t n,
                                         typename Op::word *total)
{
    const typename Op::word x = gsi_shuffle_join<Op>(gsi_word_at<Op>(in, n, gsi_thread_idx()));
    if (threadIdx.x == 0)
        Op::add(total, x);
}

// Every thread joins elements that are a grid apart.
template <class Op>
__device__ typename Op::word gsi_fold(const typename Op::element *in, uint64_t n)
{
    typename Op::word x = Op::identity;
    for (uint64_t i = gsi_thread_idx(); i < n; i += static_cast<uint64_t>(gridDim.x) * blockDim.x)
        x = Op::join(x, Op::word_of(in[i]));
    return x;
}

// Rung 9: as many threads as the device runs at once share the array, and the tree runs once at the
// end. Next: the better tree.
template <class Op>
__global__ void gsi_reduce_cascaded(const typename Op::element *in, uint64_t n,
                                    typename Op::word *total)
{
    const typename Op::word x = gsi_tree_join<Op>(gsi_fold<Op>(in, n));
    if (threadIdx.x == 0)
        Op::add(total, x);
}

// Rung 10: the same with shuffles at the end, where they matter little. A load reads one element.
// Next: wider loads.
template <class Op>
__global__ void gsi_reduce_cascaded_shuffle(const typename Op::element *in, uint64_t n,
                                            typename Op::word *total)
{
    const typename Op::word x = gsi_shuffle_join<Op>(gsi_fold<Op>(in, n));
    if (threadIdx.x == 0)
        Op::add(total, x);
}

// Rung 11: 16 bytes per load. The time is the memory's.
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
