// reduce_ladder.cu: launches of the reductions, and their table.
#include "kernels/ladder/reduce_ladder.cuh"

#include "kernels/ladder/ladder.h"

// How many elements a block takes for itself, and the most blocks of a grid; past that, blocks take
// more if they go on by themselves, and the array is too long if they do not.
struct grid_rule {
    uint64_t block_elements, block_most;
    bool goes_on;
};

constexpr grid_rule ONE_LOAD = {GSI_REDUCE_BLOCK, INT32_MAX, false};
constexpr grid_rule TWO_LOADS = {2 * GSI_REDUCE_BLOCK, INT32_MAX, false};

// Eight blocks on each of the 132 multiprocessors of an H200, all that it holds at once.
constexpr grid_rule CASCADED = {16 * GSI_REDUCE_BLOCK, 8 * 132, true};

// A kernel as a type, to be chosen before its operation is.
#define RUNG(kernel_name, kernel_rule)                 \
    struct kernel_name {                               \
        static constexpr grid_rule rule = kernel_rule; \
        template <class Op> static auto kernel()       \
        {                                              \
            return gsi_reduce_##kernel_name<Op>;       \
        }                                              \
    }

RUNG(interleaved, ONE_LOAD);
RUNG(two_loads, TWO_LOADS);
RUNG(strided, ONE_LOAD);
RUNG(sequential, ONE_LOAD);
RUNG(last_warp, ONE_LOAD);
RUNG(shuffle, ONE_LOAD);
RUNG(cascaded, CASCADED);

template <class Rung, class Op>
static cudaError_t reduce(const void *in, uint64_t n, uint64_t *total, cudaStream_t stream)
{
    constexpr grid_rule rule = Rung::rule;
    uint64_t blocks = n / rule.block_elements + (n % rule.block_elements != 0);
    if (blocks > rule.block_most && !rule.goes_on)
        return cudaErrorInvalidValue;
    blocks = blocks < rule.block_most ? blocks : rule.block_most;
    constexpr int identity_byte = static_cast<int>(Op::identity & 0xff);
    const cudaError_t error = cudaMemsetAsync(total, identity_byte, sizeof *total, stream);
    if (error != cudaSuccess || n == 0)
        return error;
    return gsi_launch(Rung::template kernel<Op>(), dim3(static_cast<unsigned>(blocks)),
                      dim3(GSI_REDUCE_BLOCK), 0, stream,
                      static_cast<const typename Op::element *>(in), n,
                      reinterpret_cast<gsi_word *>(total));
}

template <class Rung, class T>
static cudaError_t run_type(enum gsi_ladder_operation operation, const void *in, uint64_t n,
                            uint64_t *total, cudaStream_t stream)
{
    switch (operation) {
    case GSI_LADDER_SUM:
        return reduce<Rung, gsi_sum<T>>(in, n, total, stream);
    case GSI_LADDER_MIN:
        return reduce<Rung, gsi_min<T>>(in, n, total, stream);
    case GSI_LADDER_MAX:
        return reduce<Rung, gsi_max<T>>(in, n, total, stream);
    }
    return cudaErrorInvalidValue;
}

template <class Rung>
static cudaError_t run(enum gsi_ladder_type type, enum gsi_ladder_operation operation,
                       const void *in, uint64_t n, uint64_t *total, cudaStream_t stream)
{
    switch (type) {
    case GSI_LADDER_U32:
        return run_type<Rung, uint32_t>(operation, in, n, total, stream);
    case GSI_LADDER_U64:
        return run_type<Rung, uint64_t>(operation, in, n, total, stream);
    case GSI_LADDER_I32:
        return run_type<Rung, int32_t>(operation, in, n, total, stream);
    case GSI_LADDER_I64:
        return run_type<Rung, int64_t>(operation, in, n, total, stream);
    case GSI_LADDER_PAIR:
        break;
    }
    return cudaErrorInvalidValue;
}

const struct gsi_reduce_rung gsi_reduce_ladder[GSI_REDUCE_RUNGS] = {
    {"interleaved", "a tree in shared memory", "every warp diverges", run<interleaved>},
    {"two loads", "a thread for two elements", "two-way bank conflicts", run<two_loads>},
    {"strided", "contiguous threads: no divergence", "conflicts of 2, 4, 8 .. ways", run<strided>},
    {"sequential", "the stride halves: no conflicts", "a block at barriers for one warp",
     run<sequential>},
    {"last warp", "no barriers below 32 lanes", "shared memory traffic", run<last_warp>},
    {"shuffle", "registers inside a warp", "one load a thread", run<shuffle>},
    {"cascaded", "many 16-byte loads a thread first", "nothing: near copy bandwidth",
     run<cascaded>},
};
