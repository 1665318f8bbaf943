// merge_ladder.cu: launches the merges, and the sorts made of them, and holds their table.
#include "kernels/ladder/merge_ladder.cuh"

#include "kernels/ladder/ladder.h"
#include "kernels/ladder/production_rungs.h"

// Shared memory that a block has by default, and the largest amount that any device gives on
// request. A device that gives less refuses the launch.
constexpr uint64_t UNASKED_BYTES = 48 << 10, ASKED_BYTES_MOST = 227 << 10;

static uint64_t ceil_div(uint64_t n, uint64_t unit)
{
    return n / unit + (n % unit != 0);
}

// Sets the members that the caller left to the rung. False: such tiles cannot be merged.
template <class Rung, class T> static bool take_shape(gsi_merge_shape *shape)
{
    shape->threads = shape->threads != 0 ? shape->threads : Rung::threads;
    shape->tile = shape->tile != 0 ? shape->tile : Rung::template tile<T>(shape->threads);
    const uint32_t tile_most = Rung::template tile_most<T>(shape->threads);
    return shape->tile <= tile_most && shape->tile <= ASKED_BYTES_MOST / (2 * sizeof(T));
}

template <class Rung, class T, class... Parameters, class... Arguments>
static cudaError_t launch(void (*kernel)(Parameters...), uint64_t blocks, gsi_merge_shape shape,
                          cudaStream_t stream, Arguments... arguments)
{
    const size_t bytes = Rung::tiles_shared * sizeof(T) * shape.tile;
    if (blocks > INT32_MAX)
        return cudaErrorInvalidValue;
    if (bytes > UNASKED_BYTES)
        GSI_CUDA_TRY(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                          static_cast<int>(bytes)));
    return gsi_launch(kernel, dim3(static_cast<unsigned>(blocks)), dim3(shape.threads), bytes,
                      stream, arguments...);
}

// ---- one merge ----

template <class Rung, class T>
static cudaError_t merge_type(const void *a, uint64_t m, const void *b, uint64_t n, void *out,
                              gsi_merge_shape shape, cudaStream_t stream)
{
    if (!take_shape<Rung, T>(&shape))
        return cudaErrorInvalidValue;
    if (m + n == 0)
        return cudaSuccess;
    const uint64_t block_outputs = shape.blocks != 0
                                       ? ceil_div(m + n, shape.blocks)
                                       : Rung::block_outputs(shape.tile, shape.threads);
    const gsi_merge_pair<T> pair = {static_cast<const T *>(a), static_cast<const T *>(b), m, n,
                                    static_cast<T *>(out)};
    return launch<Rung, T>(gsi_merge_two<T, Rung>, ceil_div(m + n, block_outputs), shape, stream,
                           pair, block_outputs, shape.tile);
}

template <class Rung>
static cudaError_t merge(enum gsi_ladder_type type, const void *a, uint64_t m, const void *b,
                         uint64_t n, void *out, gsi_merge_shape shape, void *, cudaStream_t stream)
{
    switch (type) {
    case GSI_LADDER_U32:
        return merge_type<Rung, uint32_t>(a, m, b, n, out, shape, stream);
    case GSI_LADDER_U64:
        return merge_type<Rung, uint64_t>(a, m, b, n, out, shape, stream);
    case GSI_LADDER_PAIR:
        return merge_type<Rung, gsi_pair>(a, m, b, n, out, shape, stream);
    default:
        return cudaErrorInvalidValue;
    }
}

template <class T>
static cudaError_t merge_on_host(const void *a, uint64_t m, const void *b, uint64_t n, void *out)
{
    gsi_merge_sequential(static_cast<const T *>(a), m, static_cast<const T *>(b), n,
                         static_cast<T *>(out));
    return cudaSuccess;
}

cudaError_t gsi_ladder_merge_on_host(enum gsi_ladder_type type, const void *a, uint64_t m,
                                     const void *b, uint64_t n, void *out)
{
    switch (type) {
    case GSI_LADDER_U32:
        return merge_on_host<uint32_t>(a, m, b, n, out);
    case GSI_LADDER_U64:
        return merge_on_host<uint64_t>(a, m, b, n, out);
    case GSI_LADDER_PAIR:
        return merge_on_host<gsi_pair>(a, m, b, n, out);
    default:
        return cudaErrorInvalidValue;
    }
}

// ---- a sort ----

template <class Rung, class T>
static cudaError_t pass(const T *in, T *out, uint64_t n, uint64_t width, gsi_merge_shape shape,
                        cudaStream_t stream)
{
    const uint64_t block_outputs = Rung::block_outputs(shape.tile, shape.threads);
    const uint64_t pair_blocks = ceil_div(2 * width, block_outputs);
    return launch<Rung, T>(gsi_merge_pass<T, Rung>, ceil_div(n, 2 * width) * pair_blocks, shape,
                           stream, in, out, n, width, pair_blocks, block_outputs, shape.tile);
}

template <class Rung, class T>
static cudaError_t sort_type(void *keys, void *spare, uint64_t n, gsi_merge_shape shape,
                             cudaStream_t stream, void **sorted)
{
    const uint64_t tiles = ceil_div(n, GSI_MERGE_SORT_TILE);
    if (!take_shape<Rung, T>(&shape) || tiles > INT32_MAX)
        return cudaErrorInvalidValue;
    *sorted = keys;
    if (n == 0)
        return cudaSuccess;
    T *from = static_cast<T *>(keys), *to = static_cast<T *>(spare);
    GSI_CUDA_TRY(gsi_launch(gsi_merge_tile_sort<T>, dim3(static_cast<unsigned>(tiles)),
                            dim3(GSI_MERGE_BLOCK), 2 * sizeof(T) * GSI_MERGE_SORT_TILE, stream,
                            from, n));
    for (uint64_t width = GSI_MERGE_SORT_TILE; width < n; width *= 2) {
        GSI_CUDA_TRY((pass<Rung>(from, to, n, width, shape, stream)));
        T *const merged = to;
        to = from;
        from = merged;
    }
    *sorted = from;
    return cudaSuccess;
}

template <class Rung>
static cudaError_t sort(enum gsi_ladder_type type, void *keys, void *spare, uint64_t n,
                        gsi_merge_shape shape, void *, cudaStream_t stream, void **sorted)
{
    switch (type) {
    case GSI_LADDER_U32:
        return sort_type<Rung, uint32_t>(keys, spare, n, shape, stream, sorted);
    case GSI_LADDER_U64:
        return sort_type<Rung, uint64_t>(keys, spare, n, shape, stream, sorted);
    case GSI_LADDER_PAIR:
        return sort_type<Rung, gsi_pair>(keys, spare, n, shape, stream, sorted);
    default:
        return cudaErrorInvalidValue;
    }
}

// ---- the table ----

static size_t no_bytes(enum gsi_ladder_type, uint64_t)
{
    return 0;
}

using tiled = gsi_merge_tiled<gsi_share_direct>;
using circular = gsi_merge_circular<gsi_share_direct>;
using tiled_registers = gsi_merge_tiled<gsi_share_registers>;
using circular_registers = gsi_merge_circular<gsi_share_registers>;

const struct gsi_merge_rung gsi_merge_ladder[GSI_MERGE_RUNGS] = {
    {"sequential", "two cursors", "one thread", no_bytes, merge<gsi_merge_by_one>, NULL},
    {"basic", "co-rank: a thread for 8 outputs", "uncoalesced, probes global memory", no_bytes,
     merge<gsi_merge_basic>, sort<gsi_merge_basic>},
    {"tiled", "tiles and co-ranks in shared memory", "loads two tiles, uses one", no_bytes,
     merge<tiled>, sort<tiled>},
    {"circular", "the unused rest stays", "uncoalesced writes, bank conflicts", no_bytes,
     merge<circular>, sort<circular>},
    {"tiled registers", "many keys a thread, in registers", "loads two tiles, uses one", no_bytes,
     merge<tiled_registers>, sort<tiled_registers>},
    {"circular registers", "the same, and the unused rest stays", "index arithmetic", no_bytes,
     merge<circular_registers>, sort<circular_registers>},
    {"circular bulk", "a warp refills rings by bulk copies", "more instructions, fewer warps",
     no_bytes, gsi_bulk_circular_merge, NULL},
    {"production", "exact cuts, k runs at once", "nothing", gsi_production_merge_bytes,
     gsi_production_merge, gsi_production_sort},
};
