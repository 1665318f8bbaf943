// merge_ladder.cu: launches of the merges and of the sorts made of them, and their table.
#include "kernels/ladder/merge_ladder.cuh"

#include "kernels/ladder/ladder.h"

// Two tiles of this many bytes are a block's shared memory: 32 KiB, within what every device gives
// without asking, and seven such blocks on a multiprocessor of an H200.
constexpr uint32_t TILE_BYTES = 16384, SHARED_BYTES_MOST = 49152;

static uint64_t ceil_div(uint64_t n, uint64_t unit)
{
    return n / unit + (n % unit != 0);
}

template <class T> static bool take_tile(uint32_t *tile)
{
    *tile = *tile != 0 ? *tile : TILE_BYTES / static_cast<uint32_t>(sizeof(T));
    return *tile <= SHARED_BYTES_MOST / (2 * sizeof(T));
}

template <class Rung, class T>
static cudaError_t merge_type(const void *a, uint64_t m, const void *b, uint64_t n, void *out,
                              uint32_t tile, cudaStream_t stream)
{
    if (!take_tile<T>(&tile))
        return cudaErrorInvalidValue;
    const uint64_t block_outputs = Rung::block_outputs(tile);
    const uint64_t blocks = ceil_div(m + n, block_outputs);
    if (blocks > INT32_MAX)
        return cudaErrorInvalidValue;
    if (blocks == 0)
        return cudaSuccess;
    const gsi_merge_pair<T> pair = {static_cast<const T *>(a), static_cast<const T *>(b), m, n,
                                    static_cast<T *>(out)};
    return gsi_launch(gsi_merge_two<T, Rung>, dim3(static_cast<unsigned>(blocks)),
                      dim3(GSI_MERGE_BLOCK), Rung::tiles_shared * sizeof(T) * tile, stream, pair,
                      block_outputs, tile);
}

template <class Rung>
static cudaError_t merge(enum gsi_ladder_type type, const void *a, uint64_t m, const void *b,
                         uint64_t n, void *out, uint32_t tile, cudaStream_t stream)
{
    switch (type) {
    case GSI_LADDER_U32:
        return merge_type<Rung, uint32_t>(a, m, b, n, out, tile, stream);
    case GSI_LADDER_U64:
        return merge_type<Rung, uint64_t>(a, m, b, n, out, tile, stream);
    case GSI_LADDER_PAIR:
        return merge_type<Rung, gsi_pair>(a, m, b, n, out, tile, stream);
    default:
        return cudaErrorInvalidValue;
    }
}

template <class Rung, class T>
static cudaError_t pass(const T *in, T *out, uint64_t n, uint64_t width, uint32_t tile,
                        cudaStream_t stream)
{
    const uint64_t block_outputs = Rung::block_outputs(tile);
    const uint64_t pair_blocks = ceil_div(2 * width, block_outputs);
    const uint64_t blocks = ceil_div(n, 2 * width) * pair_blocks;
    if (blocks > INT32_MAX)
        return cudaErrorInvalidValue;
    return gsi_launch(gsi_merge_pass<T, Rung>, dim3(static_cast<unsigned>(blocks)),
                      dim3(GSI_MERGE_BLOCK), Rung::tiles_shared * sizeof(T) * tile, stream, in, out,
                      n, width, pair_blocks, block_outputs, tile);
}

template <class Rung, class T>
static cudaError_t sort_type(void *keys, void *scratch, uint64_t n, uint32_t tile,
                             cudaStream_t stream)
{
    const uint64_t tiles = ceil_div(n, GSI_MERGE_SORT_TILE);
    if (!take_tile<T>(&tile) || tiles > INT32_MAX)
        return cudaErrorInvalidValue;
    if (n == 0)
        return cudaSuccess;
    T *from = static_cast<T *>(keys), *to = static_cast<T *>(scratch);
    cudaError_t error =
        gsi_launch(gsi_merge_tile_sort<T>, dim3(static_cast<unsigned>(tiles)),
                   dim3(GSI_MERGE_BLOCK), 2 * sizeof(T) * GSI_MERGE_SORT_TILE, stream, from, n);
    for (uint64_t width = GSI_MERGE_SORT_TILE; error == cudaSuccess && width < n; width *= 2) {
        error = pass<Rung>(from, to, n, width, tile, stream);
        T *const merged = to;
        to = from;
        from = merged;
    }
    if (error != cudaSuccess || from == keys)
        return error;
    return cudaMemcpyAsync(keys, from, n * sizeof(T), cudaMemcpyDeviceToDevice, stream);
}

template <class Rung>
static cudaError_t sort(enum gsi_ladder_type type, void *keys, void *scratch, uint64_t n,
                        uint32_t tile, cudaStream_t stream)
{
    switch (type) {
    case GSI_LADDER_U32:
        return sort_type<Rung, uint32_t>(keys, scratch, n, tile, stream);
    case GSI_LADDER_U64:
        return sort_type<Rung, uint64_t>(keys, scratch, n, tile, stream);
    case GSI_LADDER_PAIR:
        return sort_type<Rung, gsi_pair>(keys, scratch, n, tile, stream);
    default:
        return cudaErrorInvalidValue;
    }
}

const struct gsi_merge_rung gsi_merge_ladder[GSI_MERGE_RUNGS] = {
    {"sequential", "two cursors", "one thread", merge<gsi_merge_by_one>, NULL},
    {"basic", "co-rank: a thread for 8 outputs", "uncoalesced, probes global memory",
     merge<gsi_merge_basic>, sort<gsi_merge_basic>},
    {"tiled", "tiles and co-ranks in shared memory", "loads two tiles, uses one",
     merge<gsi_merge_tiled>, sort<gsi_merge_tiled>},
    {"circular", "the unused rest stays", "index arithmetic, registers", merge<gsi_merge_circular>,
     sort<gsi_merge_circular>},
    {"production", "exact cuts, k runs at once", "nothing", NULL, NULL},
};
