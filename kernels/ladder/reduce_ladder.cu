// reduce_ladder.cu: launches the reductions and holds their table.
//
//   scratch:  total | results of blocks | results of the blocks of these | ..
//             total                                                              where atomics join
#include "kernels/ladder/reduce_ladder.cuh"

#include "kernels/ladder/ladder.h"
#include "kernels/ladder/production_rungs.h"

// Elements per block, and the limit of blocks per grid. If an array is longer, each block of a
// kernel with goes_on reduces several parts of it. Kernels without goes_on refuse longer arrays.
struct grid_rule {
    uint64_t block_elements, block_most;
    bool goes_on;
};

constexpr grid_rule ONE_LOAD = {GSI_REDUCE_BLOCK, INT32_MAX, false};
constexpr grid_rule TWO_LOADS = {2 * GSI_REDUCE_BLOCK, INT32_MAX, false};

// Eight blocks on each of 132 SMs: all blocks that an H100 or H200 runs at once.
constexpr grid_rule CASCADED = {16 * GSI_REDUCE_BLOCK, 8 * 132, true};

static uint64_t ceil_div(uint64_t n, uint64_t unit)
{
    return n / unit + (n % unit != 0);
}

template <class Op> static cudaError_t clear_total(void *scratch, cudaStream_t stream)
{
    return cudaMemsetAsync(scratch, Op::identity_byte, sizeof(typename Op::word), stream);
}

template <class Op>
using reduce_kernel = void (*)(const typename Op::element *, uint64_t, typename Op::word *);

template <class Op>
static cudaError_t launch(reduce_kernel<Op> kernel, uint64_t blocks, const void *in, uint64_t n,
                          void *out, cudaStream_t stream)
{
    return gsi_launch(kernel, dim3(static_cast<unsigned>(blocks)), dim3(GSI_REDUCE_BLOCK), 0,
                      stream, static_cast<const typename Op::element *>(in), n,
                      static_cast<typename Op::word *>(out));
}

// Blocks add to the total.
template <class Op>
static cudaError_t reduce_by_atomics(reduce_kernel<Op> kernel, grid_rule rule, const void *in,
                                     uint64_t n, void *scratch, cudaStream_t stream)
{
    uint64_t blocks = ceil_div(n, rule.block_elements);
    if (blocks > rule.block_most && !rule.goes_on)
        return cudaErrorInvalidValue;
    blocks = blocks < rule.block_most ? blocks : rule.block_most;
    GSI_CUDA_TRY(clear_total<Op>(scratch, stream));
    return n == 0 ? cudaSuccess : launch<Op>(kernel, blocks, in, n, scratch, stream);
}

// Blocks write results, which are reduced by shuffles. The results of a launch are stored after
// those of the previous launch; the last launch's result is the total.
template <class Op>
static cudaError_t reduce_by_launches(reduce_kernel<Op> kernel, grid_rule rule, const void *in,
                                      uint64_t n, void *scratch, cudaStream_t stream)
{
    using word = typename Op::word;
    uint64_t blocks = ceil_div(n, rule.block_elements);
    if (blocks > rule.block_most)
        return cudaErrorInvalidValue;
    if (n == 0)
        return clear_total<Op>(scratch, stream);
    word *const total = static_cast<word *>(scratch);
    word *results = total + 1;
    GSI_CUDA_TRY(launch<Op>(kernel, blocks, in, n, blocks == 1 ? total : results, stream));
    while (blocks > 1) {
        const uint64_t count = blocks;
        blocks = ceil_div(count, GSI_REDUCE_BLOCK);
        GSI_CUDA_TRY(launch<gsi_of_words<Op>>(gsi_reduce_shuffle<gsi_of_words<Op>>, blocks, results,
                                              count, blocks == 1 ? total : results + count,
                                              stream));
        results += count;
    }
    return cudaSuccess;
}

// A kernel as a type, so that it is chosen before its operation.
#define RUNG(kernel_name, reduce_by, kernel_rule)                                                 \
    struct kernel_name {                                                                          \
        template <class Op>                                                                       \
        static cudaError_t reduce(const void *in, uint64_t n, void *scratch, cudaStream_t stream) \
        {                                                                                         \
            return reduce_by<Op>(gsi_reduce_##kernel_name<Op>, kernel_rule, in, n, scratch,       \
                                 stream);                                                         \
        }                                                                                         \
    }

RUNG(atomics, reduce_by_atomics, ONE_LOAD);
RUNG(interleaved, reduce_by_launches, ONE_LOAD);
RUNG(two_loads, reduce_by_launches, TWO_LOADS);
RUNG(strided, reduce_by_launches, ONE_LOAD);
RUNG(sequential, reduce_by_launches, ONE_LOAD);
RUNG(halves, reduce_by_launches, TWO_LOADS);
RUNG(last_warp, reduce_by_launches, ONE_LOAD);
RUNG(shuffle, reduce_by_launches, ONE_LOAD);
RUNG(block_atomics, reduce_by_atomics, ONE_LOAD);
RUNG(cascaded, reduce_by_atomics, CASCADED);
RUNG(cascaded_shuffle, reduce_by_atomics, CASCADED);
RUNG(wide_loads, reduce_by_atomics, CASCADED);

static size_t total_bytes(enum gsi_ladder_type, uint64_t)
{
    return sizeof(gsi_word);
}

static size_t results_bytes(enum gsi_ladder_type, uint64_t n)
{
    uint64_t words = 1;
    for (uint64_t count = n; count > 1; words += count)
        count = ceil_div(count, GSI_REDUCE_BLOCK);
    return words * sizeof(gsi_word);
}

template <class Rung, class T>
static cudaError_t run_type(enum gsi_ladder_operation operation, const void *in, uint64_t n,
                            void *scratch, cudaStream_t stream)
{
    switch (operation) {
    case GSI_LADDER_SUM:
        return Rung::template reduce<gsi_sum<T>>(in, n, scratch, stream);
    case GSI_LADDER_MIN:
        return Rung::template reduce<gsi_min<T>>(in, n, scratch, stream);
    case GSI_LADDER_MAX:
        return Rung::template reduce<gsi_max<T>>(in, n, scratch, stream);
    }
    return cudaErrorInvalidValue;
}

template <class Rung>
static cudaError_t run(enum gsi_ladder_type type, enum gsi_ladder_operation operation,
                       const void *in, uint64_t n, void *scratch, cudaStream_t stream)
{
    switch (type) {
    case GSI_LADDER_U32:
        return run_type<Rung, uint32_t>(operation, in, n, scratch, stream);
    case GSI_LADDER_U64:
        return run_type<Rung, uint64_t>(operation, in, n, scratch, stream);
    case GSI_LADDER_I32:
        return run_type<Rung, int32_t>(operation, in, n, scratch, stream);
    case GSI_LADDER_I64:
        return run_type<Rung, int64_t>(operation, in, n, scratch, stream);
    case GSI_LADDER_F32:
        return run_type<Rung, float>(operation, in, n, scratch, stream);
    case GSI_LADDER_F64:
        return run_type<Rung, double>(operation, in, n, scratch, stream);
    case GSI_LADDER_PAIR:
        break;
    }
    return cudaErrorInvalidValue;
}

// Inverts gsi_ordered_word.
static cudaError_t take(enum gsi_ladder_type type, enum gsi_ladder_operation operation,
                        const void *scratch, cudaStream_t stream, uint64_t *value)
{
    constexpr uint64_t SIGN = 1ull << 63;
    GSI_CUDA_TRY(cudaMemcpyAsync(value, scratch, sizeof *value, cudaMemcpyDeviceToHost, stream));
    GSI_CUDA_TRY(cudaStreamSynchronize(stream));
    const bool is_float = type == GSI_LADDER_F32 || type == GSI_LADDER_F64;
    const bool is_unsigned = type == GSI_LADDER_U32 || type == GSI_LADDER_U64;
    if (operation == GSI_LADDER_SUM || is_unsigned)
        return cudaSuccess;
    *value = is_float && !(*value & SIGN) ? ~*value : *value ^ SIGN;
    return cudaSuccess;
}

const struct gsi_reduce_rung gsi_reduce_ladder[GSI_REDUCE_RUNGS] = {
    {"atomics", "an atomic an element", "all wait for one word", total_bytes, run<atomics>, take},
    {"interleaved", "a tree in shared memory, launched again", "every warp diverges", results_bytes,
     run<interleaved>, take},
    {"two loads", "a thread for two elements", "two-way bank conflicts", results_bytes,
     run<two_loads>, take},
    {"strided", "contiguous threads: no divergence", "conflicts of 2, 4, 8 .. ways", results_bytes,
     run<strided>, take},
    {"sequential", "the stride halves: no conflicts", "half the threads never join", results_bytes,
     run<sequential>, take},
    {"halves", "two loads, strides from the block down", "a block at barriers for one warp",
     results_bytes, run<halves>, take},
    {"last warp", "no barriers below 32 lanes", "shared memory traffic", results_bytes,
     run<last_warp>, take},
    {"shuffle", "registers inside a warp", "launches and memory for results", results_bytes,
     run<shuffle>, take},
    {"block atomics", "an atomic a block instead", "one load a thread, so many blocks", total_bytes,
     run<block_atomics>, take},
    {"cascaded", "many loads a thread first, then the tree", "shared memory, a little", total_bytes,
     run<cascaded>, take},
    {"cascaded shuffle", "the same, then shuffles", "one element a load", total_bytes,
     run<cascaded_shuffle>, take},
    {"wide loads", "16 bytes a load", "one result a pass", total_bytes, run<wide_loads>, take},
    {"production", "count, min, max and exact sum at once", "nothing", gsi_production_reduce_bytes,
     gsi_production_reduce, gsi_production_reduce_result},
};
