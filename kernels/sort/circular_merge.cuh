// circular_merge.cuh: merges two runs by circular buffers, on GPUs with bulk copies (compute
// capability 9.0).
//
// Thread blocks are persistent. One warp of a block, the producer, refills a ring in shared memory
// per run with exactly as many keys as were consumed. It also writes finished tiles to global
// memory; all other warps only merge. In all measurements, tiles with cuts of their own
// (kway_merge.cuh) are faster. So this merge is used on request only, and is a rung of the ladder.
//
//     runs    a [ .. | range of this block | .. ]      b [ .. | range of this block | .. ]
//                        | bulk loads                          | bulk loads
//     rings   [ 5 6 7 | 1 2 3 4 | m ]                 [ 3 4 | 1 2 | m ]     m: slots 0 .. once more
//                        \______ every thread merges ITEMS keys ______/
//     stage                 [ tile ]  -- bulk store --> out
//
// There is no cut between tiles. A tile begins where the previous one ended in both runs, which the
// producer finds in the rings while the others merge. One co-rank search in global memory finds the
// begin of a block's range, and one finds its end.
//
// Each thread's keys begin at a slot of its own, and none of its reads wraps. For this, keys in a
// ring's first slots are copied a second time after its last slot.
//
//     tile t   wait for refill t - 1; for refill t only if the tile needs it   | producer
//              merge into registers                                            | where it ends
//              ---- all inputs are read, the stage is free --------------------------------------
//              registers to the stage                                          | refill t + 1
//              ---- the tile is staged ------------------------------------------------------------
//                                                                              | tile to `out`
#ifndef GSI_CIRCULAR_MERGE_CUH
#define GSI_CIRCULAR_MERGE_CUH

#include "kernels/common/bulk_copy.cuh"
#include "kernels/common/launch.cuh"
#include "kernels/sort/merge_items.cuh"
#include "kernels/sort/merge_path.cuh"
#include "kernels/sort/merge_runs.cuh"
#include "kernels/sort/tile_policy.cuh"

// Sizes for merges of two by circular buffers: merging threads, keys per thread and blocks per SM.
// The length of a ring is in eighths of a tile. A ring has at least 8 eighths; the rest is filled
// while a tile is merged.
// Measured alternatives: tools/gsort-bench/RESULTS.md, "Sizes chosen by measurement".
#ifdef GSI_TILE_ITEMS_FORCED
template <class Key> struct gsi_circular_policy {
    static constexpr uint32_t threads = 32, items = GSI_TILE_ITEMS_FORCED, blocks = 3, eighths = 12;
};
#else
template <class Key> struct gsi_circular_policy {
    static constexpr uint32_t threads = 128, items = 9, blocks = 3, eighths = 12;
};
template <> struct gsi_circular_policy<uint32_t> {
    static constexpr uint32_t threads = 128, items = 35, blocks = 3, eighths = 12;
};
template <> struct gsi_circular_policy<uint64_t> {
    static constexpr uint32_t threads = 128, items = 17, blocks = 3, eighths = 12;
};
#endif

// Constants derived from a Policy (gsi_circular_policy).
template <class Key, class Policy> struct gsi_circular {
    static constexpr uint32_t UNIT = 16 / sizeof(Key), WORKERS = Policy::threads;
    static constexpr uint32_t THREADS = WORKERS + 32, ITEMS = Policy::items;
    static constexpr uint32_t TILE = WORKERS * ITEMS / UNIT * UNIT;
    // Slots that exist twice, and all slots of a ring: one run may supply a whole tile.
    static constexpr uint32_t TWICE = (ITEMS + UNIT - 1) / UNIT * UNIT;
    static constexpr uint32_t SLOTS =
        (TILE / 8 * Policy::eighths + ITEMS + 2 * UNIT + 31) / 32 * 32;
    static constexpr uint32_t RING = SLOTS + TWICE;

    struct plan { // of a tile
        uint32_t slot[2], count[2], outputs;
        bool needs_refill, is_ending;
    };
    struct table {
        gsi_bulk_barrier loaded[2];
        uint64_t cut[2];
        plan plans[2];
    };
    GSI_HOST_DEVICE static constexpr size_t table_off()
    {
        return ((2 * RING + WORKERS * ITEMS) * sizeof(Key) + 15) / 16 * 16;
    }
    static constexpr size_t shared_bytes()
    {
        return table_off() + sizeof(table);
    }
};

// gsi_merge_path by a warp: 32 probes at a time.
template <class Index, class AtA, class AtB>
__device__ __forceinline__ Index gsi_warp_path(AtA a_at, Index a_count, AtB b_at, Index b_count,
                                               Index diagonal)
{
    const Index lane = threadIdx.x % 32;
    Index low = diagonal > b_count ? diagonal - b_count : 0;
    Index high = diagonal < a_count ? diagonal : a_count;
    while (low < high) {
        const Index step = (high - low + 31) / 32, probe = low + lane * step;
        const bool is_above = probe < high && b_at(diagonal - 1 - probe) < a_at(probe);
        const uint32_t above = __ballot_sync(0xffffffffu, is_above);
        const Index probes = (high - low + step - 1) / step;
        const Index first =
            above != 0 ? static_cast<Index>(__ffs(static_cast<int>(above)) - 1) : probes;
        if (first == 0)
            return low;
        high = above != 0 ? low + first * step : high;
        low += (first - 1) * step + 1;
    }
    return low;
}

// The producer's state of one run's part of a block. Positions count from the 16-byte unit in which
// the part begins.
template <class Key> struct gsi_circular_run {
    const Key *from;
    uint64_t next, end; // of the keys not yet consumed
    uint64_t loaded;    // in whole units
};

#if GSI_HAS_BULK_COPY
template <class Key, class Policy> struct gsi_circular_producer {
    using shape = gsi_circular<Key, Policy>;
    gsi_circular_run<Key> run[2];
    Key *rings;
    gsi_bulk_barrier *loaded;
    uint64_t left; // outputs still to produce

    // Calls piece(slot, position, keys) for each copy of one refill, second copies of first slots
    // included.
    template <class Piece>
    __device__ void for_each_piece(uint32_t r, uint64_t to, Piece piece) const
    {
        uint64_t at = run[r].loaded;
        while (at < to) {
            const uint32_t slot = static_cast<uint32_t>(at % shape::SLOTS);
            const uint64_t left_keys = to - at;
            const uint32_t room = shape::SLOTS - slot;
            const uint32_t keys = left_keys < room ? static_cast<uint32_t>(left_keys) : room;
            piece(slot, at, keys);
            if (slot < shape::TWICE) {
                const uint32_t twice = shape::TWICE - slot;
                piece(shape::SLOTS + slot, at, keys < twice ? keys : twice);
            }
            at += keys;
        }
    }

    __device__ uint64_t refill_end(uint32_t r) const
    {
        const uint64_t room = run[r].next / shape::UNIT * shape::UNIT + shape::SLOTS;
        const uint64_t end = (run[r].end + shape::UNIT - 1) / shape::UNIT * shape::UNIT;
        return room < end ? room : end;
    }

    // Called by one lane: queues refill `turn`, and sets the plan of the tile that begins now.
    __device__ void refill(uint32_t turn, typename shape::plan &plan)
    {
        uint32_t bytes = 0;
        plan.needs_refill = plan.is_ending = false;
        plan.outputs = left < shape::TILE ? static_cast<uint32_t>(left) : shape::TILE;
        uint64_t to[2];
        for (uint32_t r = 0; r < 2; r++) {
            const uint64_t rest = run[r].end - run[r].next;
            plan.slot[r] = static_cast<uint32_t>(run[r].next % shape::SLOTS);
            plan.count[r] = rest < shape::TILE ? static_cast<uint32_t>(rest) : shape::TILE;
            plan.needs_refill |= run[r].loaded < run[r].next + plan.count[r];
            plan.is_ending |= rest < shape::TILE;
            to[r] = refill_end(r);
            for_each_piece(r, to[r], [&](uint32_t, uint64_t, uint32_t keys) {
                bytes += keys * static_cast<uint32_t>(sizeof(Key));
            });
        }
        gsi_bulk_barrier *const barrier = &loaded[turn % 2];
        gsi_bulk_expect(barrier, bytes);
        for (uint32_t r = 0; r < 2; r++) {
            for_each_piece(r, to[r], [&](uint32_t slot, uint64_t at, uint32_t keys) {
                gsi_bulk_load(rings + r * shape::RING + slot, run[r].from + at,
                              keys * static_cast<uint32_t>(sizeof(Key)), barrier);
            });
            run[r].loaded = to[r] > run[r].loaded ? to[r] : run[r].loaded;
        }
    }
};

// Returns the slot of key i of a tile.
template <class Key, class Policy>
__device__ __forceinline__ uint32_t gsi_circular_slot(uint32_t slot, uint32_t i)
{
    const uint32_t at = slot + i;
    return at < gsi_circular<Key, Policy>::SLOTS ? at : at - gsi_circular<Key, Policy>::SLOTS;
}

// Appends keys that no key exceeds after the ends of both runs, if the ends are near.
template <class Key, class Policy>
__device__ void gsi_circular_pad(const typename gsi_circular<Key, Policy>::plan &plan, Key *rings)
{
    using shape = gsi_circular<Key, Policy>;
    for (uint32_t r = 0; r < 2; r++)
        if (plan.count[r] < shape::TILE)
            for (uint32_t i = threadIdx.x; i < shape::ITEMS; i += shape::THREADS) {
                const uint32_t slot =
                    gsi_circular_slot<Key, Policy>(plan.slot[r], plan.count[r] + i);
                rings[r * shape::RING + slot] = ~Key(0);
                if (slot < shape::TWICE)
                    rings[r * shape::RING + shape::SLOTS + slot] = ~Key(0);
            }
}

// The first two warps find the block's range in the runs; the producer initialises the barriers.
template <class Key, class Policy>
__device__ void gsi_circular_begin(gsi_slice_of<Key> a, gsi_slice_of<Key> b, uint64_t first,
                                   uint64_t end, typename gsi_circular<Key, Policy>::table &table)
{
    const uint32_t warp = threadIdx.x / 32;
    if (warp < 2) {
        const uint64_t cut = gsi_warp_path<uint64_t>([=](uint64_t i) { return a.keys[i]; }, a.count,
                                                     [=](uint64_t i) { return b.keys[i]; }, b.count,
                                                     warp == 0 ? first : end);
        if (threadIdx.x % 32 == 0)
            table.cut[warp] = cut;
    }
    if (threadIdx.x == gsi_circular<Key, Policy>::WORKERS) {
        gsi_bulk_init(&table.loaded[0]);
        gsi_bulk_init(&table.loaded[1]);
        gsi_bulk_publish();
    }
}

template <class Key, class Policy>
__device__ gsi_circular_producer<Key, Policy>
gsi_circular_produce(gsi_slice_of<Key> a, gsi_slice_of<Key> b, uint64_t first, uint64_t end,
                     Key *rings, typename gsi_circular<Key, Policy>::table &table)
{
    const uint64_t begins[2] = {table.cut[0], first - table.cut[0]};
    const uint64_t ends[2] = {table.cut[1], end - table.cut[1]};
    gsi_circular_producer<Key, Policy> producer = {{}, rings, table.loaded, end - first};
    for (uint32_t r = 0; r < 2; r++) {
        const Key *const keys = (r == 0 ? a.keys : b.keys) + begins[r];
        const uintptr_t into_unit = reinterpret_cast<uintptr_t>(keys) % 16 / sizeof(Key);
        const uint64_t skip = begins[r] < ends[r] ? into_unit : 0;
        producer.run[r] = {keys - skip, skip, skip + ends[r] - begins[r], 0};
    }
    return producer;
}

// A thread's view of its tile: the rings as one array each.
template <class Key, class Policy> struct gsi_circular_tile {
    using shape = gsi_circular<Key, Policy>;
    const Key *rings;
    const typename shape::plan &plan;

    // Returns how many of the first `diagonal` outputs are from run 0.
    template <class Path> __device__ __forceinline__ uint32_t taken(uint32_t diagonal, Path path)
    {
        const Key *const keys = rings;
        const uint32_t a = plan.slot[0], b = plan.slot[1];
        return path(
            [=](uint32_t i) { return keys[gsi_circular_slot<Key, Policy>(a, i)]; }, plan.count[0],
            [=](uint32_t i) { return keys[shape::RING + gsi_circular_slot<Key, Policy>(b, i)]; },
            plan.count[1], diagonal);
    }

    __device__ __forceinline__ void merge(uint32_t diagonal, Key (&keys)[shape::ITEMS])
    {
        const uint32_t of_a =
            taken(diagonal, [](auto a, uint32_t m, auto b, uint32_t n, uint32_t d) {
                return gsi_merge_path<uint32_t>(a, m, b, n, d);
            });
        const uint32_t a = gsi_circular_slot<Key, Policy>(plan.slot[0], of_a);
        const uint32_t b = gsi_circular_slot<Key, Policy>(plan.slot[1], diagonal - of_a);
        constexpr uint32_t KEY_BYTES = sizeof(Key);
        gsi_merge_padded(rings, a * KEY_BYTES, (shape::RING + b) * KEY_BYTES, keys);
    }
};

// The producer's warp finds the end of the tile, and waits until the stage is free.
template <class Key, class Policy>
__device__ void gsi_circular_advance(gsi_circular_producer<Key, Policy> &producer,
                                     gsi_circular_tile<Key, Policy> tile)
{
    const uint32_t outputs = tile.plan.outputs;
    const uint32_t of_a =
        tile.taken(outputs, [](auto a, uint32_t m, auto b, uint32_t n, uint32_t d) {
            return gsi_warp_path<uint32_t>(a, m, b, n, d);
        });
    producer.run[0].next += of_a;
    producer.run[1].next += outputs - of_a;
    producer.left -= outputs;
    if (threadIdx.x % 32 == 0)
        gsi_bulk_store_wait();
}

// The producer's warp writes a tile to `to`: by a bulk copy if `to` is aligned to 16 bytes like the
// stage.
template <class Key> __device__ void gsi_circular_send(const Key *stage, Key *to, uint32_t outputs)
{
    constexpr uint32_t UNIT = 16 / sizeof(Key), KEY_BYTES = sizeof(Key);
    const bool is_aligned = reinterpret_cast<uintptr_t>(to) % 16 == 0;
    const uint32_t whole = is_aligned ? outputs / UNIT * UNIT : 0, lane = threadIdx.x % 32;
    if (lane == 0 && whole > 0)
        gsi_bulk_store(to, stage, whole * KEY_BYTES);
    for (uint32_t i = whole + lane; i < outputs; i += 32)
        to[i] = stage[i];
}

// Waits for the tile's keys. After the ends of the runs, adds keys that no key exceeds.
template <class Key, class Policy>
__device__ void gsi_circular_wait(typename gsi_circular<Key, Policy>::table &table, uint32_t t,
                                  const typename gsi_circular<Key, Policy>::plan &plan, Key *rings)
{
    if (t > 0)
        gsi_bulk_wait_turn(&table.loaded[(t - 1) % 2], (t - 1) / 2 % 2);
    if (plan.needs_refill)
        gsi_bulk_wait_turn(&table.loaded[t % 2], t / 2 % 2);
    if (!plan.is_ending)
        return;
    __syncthreads(); // all have waited
    gsi_circular_pad<Key, Policy>(plan, rings);
    __syncthreads();
}
#endif

template <class Key, class Policy>
__global__ void __launch_bounds__(gsi_circular<Key, Policy>::THREADS, Policy::blocks)
    gsi_circular_merge([[maybe_unused]] gsi_slice_of<Key> a, [[maybe_unused]] gsi_slice_of<Key> b,
                       [[maybe_unused]] Key *out, [[maybe_unused]] gsi_key_context<Key> context)
{
#if GSI_HAS_BULK_COPY
    using shape = gsi_circular<Key, Policy>;
    GSI_DYNAMIC_SHARED(unsigned char, shared);
    Key *const rings = reinterpret_cast<Key *>(shared), *const stage = rings + 2 * shape::RING;
    typename shape::table &table =
        *reinterpret_cast<typename shape::table *>(shared + shape::table_off());
    const bool is_producer = threadIdx.x >= shape::WORKERS;
    const bool is_first = threadIdx.x == shape::WORKERS;
    const uint64_t n = a.count + b.count, units = (n + shape::UNIT - 1) / shape::UNIT;
    const uint64_t first = units * blockIdx.x / gridDim.x * shape::UNIT;
    const uint64_t last = units * (blockIdx.x + 1) / gridDim.x * shape::UNIT;
    const uint64_t end = last < n ? last : n;
    if (first >= end)
        return;
    context.begin();
    gsi_circular_begin<Key, Policy>(a, b, first, end, table);
    __syncthreads();
    auto producer = gsi_circular_produce<Key, Policy>(a, b, first, end, rings, table);
    if (is_first)
        producer.refill(0, table.plans[0]);
    __syncthreads();
    out += first;
    for (uint32_t t = 0; table.plans[t % 2].outputs > 0; t++) {
        const typename shape::plan plan = table.plans[t % 2];
        gsi_circular_tile<Key, Policy> tile = {rings, plan};
        const uint32_t diagonal = threadIdx.x * shape::ITEMS;
        const bool has_work = !is_producer && diagonal < plan.outputs;
        Key keys[shape::ITEMS] = {};
        gsi_circular_wait<Key, Policy>(table, t, plan, rings);
        if (is_producer)
            gsi_circular_advance(producer, tile);
        else if (has_work)
            tile.merge(diagonal, keys);
        __syncthreads(); // all inputs are read, and the stage is free
        if (has_work) {
            gsi_store_items(stage + diagonal, false, keys);
            gsi_bulk_publish();
        }
        if (is_first)
            producer.refill(t + 1, table.plans[(t + 1) % 2]);
        __syncthreads(); // the tile is staged
        if (is_producer)
            gsi_circular_send(stage, out, plan.outputs);
        out += plan.outputs;
    }
    if (is_first)
        gsi_bulk_store_wait();
#endif
}

// Launches the merge for one Policy.
template <class Key, class Policy = gsi_circular_policy<Key>> struct gsi_circular_launch {
    using shape = gsi_circular<Key, Policy>;

    // Allows the kernel its shared memory.
    static cudaError_t prepare()
    {
        return cudaFuncSetAttribute(reinterpret_cast<const void *>(gsi_circular_merge<Key, Policy>),
                                    cudaFuncAttributeMaxDynamicSharedMemorySize,
                                    static_cast<int>(shape::shared_bytes()));
    }

    // blocks: 0: as many as are resident on the GPU, but none without a tile.
    // fails cudaErrorNotSupported: the GPU does not copy in bulk
    static cudaError_t run(gsi_slice_of<Key> a, gsi_slice_of<Key> b, Key *out,
                           const gsi_key_context<Key> &context, uint32_t blocks,
                           cudaStream_t stream)
    {
        const uint64_t n = a.count + b.count, tiles = (n + shape::TILE - 1) / shape::TILE;
        int device = 0, multiprocessors = 0, major = 0;
        GSI_CUDA_TRY(cudaGetDevice(&device));
        GSI_CUDA_TRY(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device));
        GSI_CUDA_TRY(
            cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
        if (major < GSI_BULK_COPY_MAJOR)
            return cudaErrorNotSupported;
        const uint32_t most = static_cast<uint32_t>(multiprocessors) * Policy::blocks;
        if (blocks == 0)
            blocks = tiles < most ? static_cast<uint32_t>(tiles) : most;
        return n == 0
                   ? cudaSuccess
                   : gsi_launch(gsi_circular_merge<Key, Policy>, dim3(blocks), dim3(shape::THREADS),
                                shape::shared_bytes(), stream, a, b, out, context);
    }
};

#endif
