// published_reductions.cuh: reduces in the forms that slides and blogs have published, with the
// faults found there as switches.
//
// Only tests use it. Tests check that each fault gives a wrong result on inputs that our own rungs
// reduce correctly. So the same inputs would reveal the fault in our rungs. Without a fault each
// form is correct.
//
// If a fault is a race, the emulation shows it: its threads run in random order between barriers.
#ifndef GSI_PUBLISHED_REDUCTIONS_CUH
#define GSI_PUBLISHED_REDUCTIONS_CUH

#include "kernels/common/launch.cuh"
#include "kernels/ladder/reduce_operations.cuh"
#include "kernels/ladder/watched.cuh"

// Name, the form that has it, the error, and the correct behaviour.
#define GSI_REDUCTION_FAULTS(X)                                                                    \
    X(HALF_DROPPED, HALVES, "two loads, strides from half the block: half the data; right: block") \
    X(STRIDE_TO_BLOCK, INTERLEAVED, "stride <= block: joins what lies past the array; right: <")   \
    X(NO_BARRIER_BEFORE_WARP, LAST_WARP, "the last warp reads what another one has yet to write")  \
    X(NO_WARP_BARRIER, LAST_WARP, "steps of the last warp as if its lanes ran in step")            \
    X(NO_ATOMIC, ONE_WORD, "total[0] += in[i]: read, then written; right: an atomic")              \
    X(LENGTH_OF_BLOCK, INTERLEAVED, "i < N with N the block's: later blocks are 0; right: n")      \
    X(UNGUARDED_LOAD, SHUFFLE, "in[i] for every thread: past the end; right: i < n")               \
    X(INT_RESULT, SHUFFLE, "the block's sum kept in an int; right: in the elements' type")

#define GSI_FAULT_ENUMERATOR(name, form, text) GSI_REDUCTION_##name,
enum gsi_reduction_fault { GSI_REDUCTION_RIGHT, GSI_REDUCTION_FAULTS(GSI_FAULT_ENUMERATOR) };
#undef GSI_FAULT_ENUMERATOR

enum gsi_reduction_form {
    GSI_FORM_INTERLEAVED,
    GSI_FORM_HALVES,
    GSI_FORM_LAST_WARP,
    GSI_FORM_SHUFFLE,
    GSI_FORM_ONE_WORD
};

// The arguments of a form: sums of the blocks are written to `results`; forms with one word add all
// to the first.
struct gsi_published_sum {
    gsi_watched<gsi_word> in, results;
    int n;
    gsi_reduction_fault fault;
};

__device__ inline gsi_word gsi_published_load(const gsi_published_sum &sum, int i)
{
    const int length =
        sum.fault == GSI_REDUCTION_LENGTH_OF_BLOCK ? static_cast<int>(blockDim.x) : sum.n;
    return i < length || sum.fault == GSI_REDUCTION_UNGUARDED_LOAD ? sum.in.get(i) : 0;
}

__device__ inline void gsi_published_step(const gsi_watched<gsi_word> &s, int t, int stride)
{
    s.set(t, s.get(t) + s.get(t + stride));
}

__device__ inline void gsi_published_interleaved(const gsi_watched<gsi_word> &s, int block,
                                                 gsi_reduction_fault fault)
{
    const int t = static_cast<int>(threadIdx.x);
    const int last = fault == GSI_REDUCTION_STRIDE_TO_BLOCK ? block : block - 1;
    for (int stride = 1; stride <= last; stride *= 2) {
        __syncthreads();
        if (t % (2 * stride) == 0)
            gsi_published_step(s, t, stride);
    }
}

__device__ inline void gsi_published_halves(const gsi_watched<gsi_word> &s, int block,
                                            gsi_reduction_fault fault)
{
    const int t = static_cast<int>(threadIdx.x);
    int stride = fault == GSI_REDUCTION_HALF_DROPPED ? block / 2 : block;
    for (; stride > 0; stride /= 2) {
        __syncthreads();
        if (t < stride)
            gsi_published_step(s, t, stride);
    }
}

__device__ inline void gsi_published_last_warp(const gsi_watched<gsi_word> &s, int block,
                                               gsi_reduction_fault fault)
{
    const int t = static_cast<int>(threadIdx.x);
    for (int stride = block / 2; stride > 32; stride /= 2) {
        __syncthreads();
        if (t < stride)
            gsi_published_step(s, t, stride);
    }
    if (fault != GSI_REDUCTION_NO_BARRIER_BEFORE_WARP)
        __syncthreads();
    for (int stride = 32; stride > 0 && t < 32; stride /= 2) {
        const gsi_word joined = s.get(t) + s.get(t + stride);
        if (fault != GSI_REDUCTION_NO_WARP_BARRIER)
            __syncwarp();
        s.set(t, joined);
        if (fault != GSI_REDUCTION_NO_WARP_BARRIER)
            __syncwarp();
    }
}

// Computes the block's sum in shared memory: each thread loads `loads` elements, then the form's
// tree joins them.
static __global__ void gsi_published_tree_sum(gsi_published_sum sum, gsi_reduction_form form)
{
    GSI_DYNAMIC_SHARED(gsi_word, memory);
    const int block = static_cast<int>(blockDim.x), t = static_cast<int>(threadIdx.x);
    const int loads = form == GSI_FORM_HALVES ? 2 : 1;
    const int first = static_cast<int>(blockIdx.x) * block * loads;
    const gsi_watched<gsi_word> s = {memory, block * loads, sum.in.fate};
    for (int i = t; i < block * loads; i += block)
        s.set(i, gsi_published_load(sum, first + i));
    if (form == GSI_FORM_INTERLEAVED)
        gsi_published_interleaved(s, block, sum.fault);
    else if (form == GSI_FORM_HALVES)
        gsi_published_halves(s, block, sum.fault);
    else
        gsi_published_last_warp(s, block, sum.fault);
    if (t == 0)
        sum.results.set(static_cast<int>(blockIdx.x), s.get(0));
}

// Computes the block's sum by shuffles; whole warps.
static __global__ void gsi_published_shuffle_sum(gsi_published_sum sum)
{
    __shared__ gsi_word s[32];
    const unsigned t = threadIdx.x;
    gsi_word x = gsi_published_load(sum, static_cast<int>(blockIdx.x * blockDim.x + t));
    for (unsigned offset = 16; offset > 0; offset /= 2)
        x += __shfl_down_sync(0xffffffff, x, offset);
    if (t % 32 == 0)
        s[t / 32] = x;
    __syncthreads();
    if (t >= 32)
        return;
    x = t < blockDim.x / 32 ? s[t] : 0;
    for (unsigned offset = 16; offset > 0; offset /= 2)
        x += __shfl_down_sync(0xffffffff, x, offset);
    if (t == 0)
        sum.results.set(
            static_cast<int>(blockIdx.x),
            sum.fault == GSI_REDUCTION_INT_RESULT ? static_cast<gsi_word>(static_cast<int>(x)) : x);
}

// Adds all elements to results[0]. The lanes of a warp read in one step and write in the next, as
// they do on the device. The emulation would run each thread alone; __syncwarp makes it do the
// same.
static __global__ void gsi_published_one_word_sum(gsi_published_sum sum)
{
    const gsi_word x =
        gsi_published_load(sum, static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x));
    const gsi_word before = sum.results.get(0);
    __syncwarp();
    if (sum.fault == GSI_REDUCTION_NO_ATOMIC)
        sum.results.set(0, before + x);
    else
        atomicAdd(sum.results.items, x);
}

#endif
