// merge_ladder.cuh: merges two sorted arrays in several ways; each one avoids a loss of the one
// before. It also has the tile sort and the pass that make the simplest complete merge sort of
// them.
//
// A rung is a type. Its `merge` writes outputs [first, end) of the merge of a pair of runs, with
// the whole thread block. Its other members are for the launch. `block_outputs` is the number of
// outputs per block, and `tiles_shared` the number of tiles in dynamic shared memory. `threads` and
// `tile` are the defaults, and `tile_most` is the largest tile that the threads can merge. The
// kernels below give every block its range; only they know the locations of runs.
//
//   a [...|.....|..]  b [....|..|....]       cuts by co-rank, at every block's first output
//   out [ block 0 | block 1 | block 2 ]      ranges of `block_outputs`, the last one shorter
#ifndef GSI_MERGE_LADDER_CUH
#define GSI_MERGE_LADDER_CUH

#include "kernels/common/launch.cuh"
#include "kernels/ladder/co_rank.cuh"

// Threads of a block without tiles, or of one that sorts a tile.
constexpr unsigned GSI_MERGE_BLOCK = 128;

// Default outputs per thread of the basic rung.
constexpr unsigned GSI_MERGE_ITEMS = 8;

// Tiles that a block of the tiled rungs merges, one after the other.
constexpr unsigned GSI_MERGE_TILES = 8;

// Elements that a block of the tile sort sorts; a power of two.
constexpr unsigned GSI_MERGE_SORT_TILE = 1024;

__device__ inline uint32_t gsi_clip(uint64_t n, uint32_t most)
{
    return n < most ? static_cast<uint32_t>(n) : most;
}

template <class T> struct gsi_merge_pair {
    const T *a, *b;
    uint64_t m, n;
    T *out;
};

struct gsi_merge_untiled {
    static constexpr unsigned tiles_shared = 0, threads = GSI_MERGE_BLOCK;
    template <class T> static uint32_t tile(uint32_t)
    {
        return 1;
    }
    template <class T> static uint32_t tile_most(uint32_t)
    {
        return UINT32_MAX;
    }
};

// Rung 0: two cursors, one thread. Next: all threads.
struct gsi_merge_by_one : gsi_merge_untiled {
    static uint64_t block_outputs(uint32_t, uint32_t)
    {
        return UINT64_MAX;
    }

    template <class T>
    static __device__ void merge(const gsi_merge_pair<T> &pair, uint64_t, uint64_t, uint32_t)
    {
        if (blockIdx.x == 0 && threadIdx.x == 0)
            gsi_merge_sequential(pair.a, pair.m, pair.b, pair.n, pair.out);
    }
};

// Rung 1: every thread finds the inputs of its own outputs by co-rank and merges only those.
// Neighbours read and write far apart, and every probe of a bisection waits for global memory.
// Next: tiles in shared memory.
struct gsi_merge_basic : gsi_merge_untiled {
    static uint64_t block_outputs(uint32_t, uint32_t block)
    {
        return static_cast<uint64_t>(block) * GSI_MERGE_ITEMS;
    }

    template <class T>
    static __device__ void merge(const gsi_merge_pair<T> &pair, uint64_t first, uint64_t end,
                                 uint32_t)
    {
        const uint64_t items = (end - first + blockDim.x - 1) / blockDim.x;
        const uint64_t begin = min(end, first + threadIdx.x * items);
        const uint64_t stop = min(end, begin + items);
        gsi_merge_part(pair.a, pair.m, pair.b, pair.n, begin, stop, pair.out + begin);
    }
};

// Returns the input that a block still has to merge: a[0 .. m) and b[0 .. n), and `out`. It takes
// one co-rank in global memory per end, by one thread each. All threads of the block call it, once.
template <class T>
__device__ gsi_merge_pair<T> gsi_block_pair(const gsi_merge_pair<T> &pair, uint64_t first,
                                            uint64_t end)
{
    __shared__ uint64_t cut[2];
    if (threadIdx.x < 2)
        cut[threadIdx.x] =
            gsi_co_rank(threadIdx.x == 0 ? first : end, pair.a, pair.m, pair.b, pair.n);
    __syncthreads();
    return {pair.a + cut[0], pair.b + (first - cut[0]), cut[1] - cut[0],
            (end - cut[1]) - (first - cut[0]), pair.out + first};
}

// Shares: how the threads of a block merge a tile. `merge` writes the first `count` outputs of the
// merge of a[0 .. m) and b[0 .. n) in shared memory to `out`. It returns to every thread how many
// of them are from a.

// Rungs 2 and 3: each thread writes an equal part of the outputs directly to `out`. Neighbours
// write far apart. They read wherever their parts begin, often with bank conflicts. More keys per
// thread make it slower (tools/gsort-bench/RESULTS.md, "Sizes chosen by measurement").
struct gsi_share_direct {
    static constexpr unsigned threads = 256;
    template <class T> static uint32_t tile(uint32_t)
    {
        return 1024;
    }
    template <class T> static uint32_t tile_most(uint32_t)
    {
        return UINT32_MAX;
    }

    template <class Array, class T>
    static __device__ uint32_t merge(Array a, uint32_t m, Array b, uint32_t n, uint32_t count,
                                     T *out)
    {
        const uint32_t items = (count + blockDim.x - 1) / blockDim.x;
        const uint32_t begin = min(count, threadIdx.x * items), stop = min(count, begin + items);
        gsi_merge_part(a, m, b, n, begin, stop, out + begin);
        return gsi_co_rank(count, a, m, b, n);
    }
};

// Rungs 4 and 5: a thread merges as many keys as it has registers for. The keys then wait in the
// slots that the tile freed, which are as many, until the block writes them coalesced. An odd
// number of keys per thread spreads the accesses of neighbours over the banks. The last thread has
// no keys: the position where they would begin is the end of the tile.
struct gsi_share_registers {
    static constexpr unsigned threads = 128;
    template <class T> static constexpr uint32_t items = sizeof(T) == 4 ? 11 : 7;

    template <class T> static uint32_t tile_most(uint32_t block)
    {
        return (block - 1) * items<T>;
    }
    template <class T> static uint32_t tile(uint32_t block)
    {
        return tile_most<T>(block);
    }

    template <class Array, class T>
    static __device__ uint32_t merge(Array a, uint32_t m, Array b, uint32_t n, uint32_t count,
                                     T *out)
    {
        __shared__ uint32_t taken;
        const uint32_t begin = min(count, threadIdx.x * items<T>);
        uint32_t i = gsi_co_rank(begin, a, m, b, n), j = begin - i;
        if (threadIdx.x == blockDim.x - 1)
            taken = i;
        T merged[items<T>], x = {}, y = {};
        if (i < m)
            x = a[i];
        if (j < n)
            y = b[j];
#pragma unroll
        for (uint32_t k = 0; k < items<T>; k++) {
            const bool takes_b = i >= m || (j < n && gsi_less(y, x));
            merged[k] = takes_b ? y : x;
            if (takes_b && ++j < n)
                y = b[j];
            if (!takes_b && ++i < m)
                x = a[i];
        }
        __syncthreads(); // all have read the slots that are overwritten now
        const uint32_t of_a = taken;
#pragma unroll
        for (uint32_t k = 0; k < items<T>; k++)
            if (begin + k < count)
                freed(a, b, of_a, begin + k) = merged[k];
        __syncthreads();
        for (uint32_t k = threadIdx.x; k < count; k += blockDim.x)
            out[k] = freed(a, b, of_a, k);
        return of_a;
    }

    template <class Array>
    static __device__ auto &freed(Array a, Array b, uint32_t taken, uint32_t k)
    {
        return k < taken ? a[k] : b[k - taken];
    }
};

template <class Share> struct gsi_merge_in_tiles {
    static constexpr unsigned tiles_shared = 2, threads = Share::threads;
    static uint64_t block_outputs(uint32_t tile, uint32_t)
    {
        return static_cast<uint64_t>(tile) * GSI_MERGE_TILES;
    }
    template <class T> static uint32_t tile(uint32_t block)
    {
        return Share::template tile<T>(block);
    }
    template <class T> static uint32_t tile_most(uint32_t block)
    {
        return Share::template tile_most<T>(block);
    }
};

// Rung 2: the block loads the next `tile` elements of each side, coalesced. These surely contain
// the next `tile` outputs. Co-ranks probe shared memory. Two tiles are loaded per tile of outputs,
// and the rest is loaded again. Next: keep the rest. Rung 4: the same with the better share.
template <class Share> struct gsi_merge_tiled : gsi_merge_in_tiles<Share> {
    template <class T>
    static __device__ void merge(const gsi_merge_pair<T> &pair, uint64_t first, uint64_t end,
                                 uint32_t tile)
    {
        GSI_DYNAMIC_SHARED(T, shared);
        T *const a = shared, *const b = shared + tile;
        gsi_merge_pair<T> left = gsi_block_pair(pair, first, end);
        while (left.m + left.n > 0) {
            const uint32_t m = gsi_clip(left.m, tile), n = gsi_clip(left.n, tile);
            for (uint32_t i = threadIdx.x; i < m; i += blockDim.x)
                a[i] = left.a[i];
            for (uint32_t i = threadIdx.x; i < n; i += blockDim.x)
                b[i] = left.b[i];
            __syncthreads();
            const uint32_t count = min(tile, m + n);
            const uint32_t taken = Share::merge(a, m, b, n, count, left.out);
            left = {left.a + taken, left.b + (count - taken), left.m - taken,
                    left.n - (count - taken), left.out + count};
            __syncthreads(); // all have read the tiles before they are loaded anew
        }
    }
};

// A ring and its elements; `left` are the elements of its side that are not yet loaded.
template <class T> struct gsi_merge_side {
    gsi_ring<T> ring;
    uint32_t count;
    const T *left;
    uint64_t left_count;
};

// Loads as many elements as there are and as fit. They are appended to the ring, and read from the
// end of the last load. All threads of the block call it.
template <class T> __device__ void gsi_side_fill(gsi_merge_side<T> &side)
{
    const uint32_t room = side.ring.size - side.count;
    const uint32_t load = gsi_clip(side.left_count, room);
    for (uint32_t i = threadIdx.x; i < load; i += blockDim.x)
        side.ring[side.count + i] = side.left[i];
    side.count += load;
    side.left += load;
    side.left_count -= load;
}

template <class T> __device__ void gsi_side_advance(gsi_merge_side<T> &side, uint32_t taken)
{
    side.ring = gsi_skip(side.ring, taken);
    side.count -= taken;
}

// Rung 3: elements left over by a tile of outputs stay in a ring. Only the slots that the tile
// freed are loaded, so every element is loaded once. This costs index arithmetic at each access,
// and registers. Next: more keys per thread, which rung 5 has. Possible improvements after that:
// cuts so exact that nothing is left over, and more runs at once.
template <class Share> struct gsi_merge_circular : gsi_merge_in_tiles<Share> {
    template <class T>
    static __device__ void merge(const gsi_merge_pair<T> &pair, uint64_t first, uint64_t end,
                                 uint32_t tile)
    {
        GSI_DYNAMIC_SHARED(T, shared);
        const gsi_merge_pair<T> whole = gsi_block_pair(pair, first, end);
        gsi_merge_side<T> a = {{shared, 0, tile}, 0, whole.a, whole.m};
        gsi_merge_side<T> b = {{shared + tile, 0, tile}, 0, whole.b, whole.n};
        T *out = whole.out;
        while (a.count + a.left_count + b.count + b.left_count > 0) {
            gsi_side_fill(a);
            gsi_side_fill(b);
            __syncthreads();
            const uint32_t count = min(tile, a.count + b.count);
            const uint32_t taken = Share::merge(a.ring, a.count, b.ring, b.count, count, out);
            gsi_side_advance(a, taken);
            gsi_side_advance(b, count - taken);
            out += count;
            __syncthreads(); // all have read the slots before they are loaded anew
        }
    }
};

// One merge: block i writes outputs [i, i + 1) * block_outputs.
template <class T, class Rung>
__global__ void gsi_merge_two(gsi_merge_pair<T> pair, uint64_t block_outputs, uint32_t tile)
{
    const uint64_t first = blockIdx.x * block_outputs;
    Rung::merge(pair, first, min(pair.m + pair.n, first + block_outputs), tile);
}

// One pass over in[0 .. n): neighbouring runs of `width` are merged into runs of 2 * width in
// `out`. The last pair may have a short or no second run, or a short first one. Each pair has
// pair_blocks blocks; blocks past the end of a short pair have no outputs.
template <class T, class Rung>
__global__ void gsi_merge_pass(const T *in, T *out, uint64_t n, uint64_t width,
                               uint64_t pair_blocks, uint64_t block_outputs, uint32_t tile)
{
    const uint64_t begin = blockIdx.x / pair_blocks * 2 * width;
    const uint64_t middle = min(n, begin + width), stop = min(n, middle + width);
    const uint64_t first = min(stop - begin, blockIdx.x % pair_blocks * block_outputs);
    Rung::merge(
        gsi_merge_pair<T>{in + begin, in + middle, middle - begin, stop - middle, out + begin},
        first, min(stop - begin, first + block_outputs), tile);
}

// Returns how many of keys[0 .. n) precede x: those less than x, and, if with_equal, those equal to
// it.
template <class T>
__device__ uint32_t gsi_count_before(const T *keys, uint32_t n, T x, bool with_equal)
{
    uint32_t low = 0, high = n;
    while (low < high) {
        const uint32_t middle = (low + high) / 2;
        if (with_equal ? !gsi_less(x, keys[middle]) : gsi_less(keys[middle], x))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

// Sorts every tile of keys[0 .. n) in place and stably, by merges of runs of 1, 2, 4, .. in shared
// memory. Each element finds its own position: its rank in its run plus its rank in the other run.
template <class T> __global__ void gsi_merge_tile_sort(T *keys, uint64_t n)
{
    GSI_DYNAMIC_SHARED(T, shared); // 2 * GSI_MERGE_SORT_TILE
    T *from = shared, *to = shared + GSI_MERGE_SORT_TILE;
    const uint64_t first = static_cast<uint64_t>(blockIdx.x) * GSI_MERGE_SORT_TILE;
    const uint32_t count = gsi_clip(n - first, GSI_MERGE_SORT_TILE);
    for (uint32_t i = threadIdx.x; i < count; i += blockDim.x)
        from[i] = keys[first + i];
    __syncthreads();
    for (uint32_t width = 1; width < count; width *= 2) {
        for (uint32_t i = threadIdx.x; i < count; i += blockDim.x) {
            const uint32_t begin = i / (2 * width) * 2 * width;
            const uint32_t middle = min(count, begin + width), stop = min(count, middle + width);
            const T x = from[i];
            if (i < middle)
                to[i + gsi_count_before(from + middle, stop - middle, x, false)] = x;
            else
                to[i - width + gsi_count_before(from + begin, width, x, true)] = x;
        }
        __syncthreads();
        T *const sorted = to;
        to = from;
        from = sorted;
    }
    for (uint32_t i = threadIdx.x; i < count; i += blockDim.x)
        keys[first + i] = from[i];
}

#endif
