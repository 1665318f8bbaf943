// published_merges.cuh: merges by tiles and by circular buffers in the form that textbook readers
// have published, with the faults found in public copies as switches.
//
// Only tests use it. Every fault must show on inputs that our own rungs merge correctly; otherwise
// those tests would not notice it in ours either.
//
// The form: a grid of equal sections of the output; in a section, tiles of `tile` outputs. The
// state of a side: its number of consumed elements, the start of its ring, and the slots used up
// by the last tile. Without a fault it is correct. A tiled merge is the circular one whose rings
// start anew with every tile.
//
// A faulty kernel must not crash the test. So indices are signed, accesses to memory are checked,
// and endless searches are cut off and reported.
#ifndef GSI_PUBLISHED_MERGES_CUH
#define GSI_PUBLISHED_MERGES_CUH

#include "kernels/common/launch.cuh"
#include "kernels/ladder/co_rank.cuh"
#include "kernels/ladder/watched.cuh"

#include <cmath>

// Faults of both forms, then those that only rings can have: the error, and the correct behaviour.
#define GSI_TILED_FAULTS(X)                                                                       \
    X(FULL_LENGTHS, "consumed by co_rank(T, A, T, B, T): stale elements count; right: clipped")   \
    X(UNCLIPPED_TILE, "threads search tiles of T elements, loaded or not; right: clipped")        \
    X(TRUNCATED_SHARE, "T / threads outputs a thread: the last are unwritten; right: rounded up") \
    X(TRUNCATED_TILES, "ceil of an integer quotient: no last tile; right: rounded up")            \
    X(NO_BARRIER_AFTER_CUT, "tiles loaded over co-ranks that others have yet to read")            \
    X(NO_BARRIER_AFTER_TILE, "tiles loaded over elements that others have yet to read")           \
    X(LOAD_PAST_END, "a tile is loaded without i < what is left: past the array; right: bounded") \
    X(LOAD_PAST_TILE, "whole blocks load without i < T: A's tile overruns B's; right: bounded")   \
    X(NO_SECTION_OFFSET, "output pointer without the section's first output")                     \
    X(TIES_OPEN, "A[i-1] > B[j], B[j-1] > A[i]: any cut between equals; right: >, >=")            \
    X(TIES_CLOSED, "A[i-1] >= B[j], B[j-1] >= A[i]: no cut between equals; right: >, >=")         \
    X(REST_OF_A_TO_N, "what is left of A runs to n; right: to m")
#define GSI_CIRCULAR_FAULTS(X)                                                                 \
    X(REFILL_AT_CONSUMED, "refill from A[consumed + i]; right: behind what the ring holds")    \
    X(REFILL_AT_START, "refill into slot start + i; right: behind what the ring holds")        \
    X(REFILL_AS_PUBLISHED, "the two above together: right only while one tile is a section")   \
    X(REFILL_UNWRAPPED, "refill into a slot without modulo T: overruns into B; right: modulo") \
    X(REFILL_PAST_END, "refill while i < length - consumed: past A's end; right: - loaded")    \
    X(B_BY_LENGTH_OF_A, "refill of B clipped by A's length; right: by its own")                \
    X(USED_ADDS_UP, "slots used by a tile are added to those of the tile before; right: set")  \
    X(PROBE_B_BY_I, "B[j-1] read at (B_start + i - 1) % T; right: j")                          \
    X(PROBE_BEFORE_GUARD, "A[i-1] read before i > 0 is known: slot -1; right: guard first")

#define GSI_FAULT_ENUMERATOR(name, text) GSI_FAULT_##name,
enum gsi_fault {
    GSI_FAULT_NONE,
    GSI_TILED_FAULTS(GSI_FAULT_ENUMERATOR) GSI_CIRCULAR_FAULTS(GSI_FAULT_ENUMERATOR)
};
#undef GSI_FAULT_ENUMERATOR

using gsi_watched_pairs = gsi_watched<gsi_pair>;

// Shared memory: the ring of A in slots [0, tile), the ring of B in [tile, 2 * tile), both used
// from `start` on. With tile INT32_MAX and starts 0: whole arrays.
struct gsi_published_view {
    gsi_watched_pairs a, b;
    int a_start, b_start, tile;
    gsi_fault fault;

    __device__ gsi_pair a_at(int i) const
    {
        return a.get((a_start + i) % tile);
    }
    __device__ gsi_pair b_at(int j) const
    {
        return b.get((b_start + j) % tile);
    }
};

// The textbook's co-rank: i and j move towards each other until both neighbours fit.
__device__ inline int gsi_published_co_rank(const gsi_published_view &view, int k, int m, int n)
{
    const gsi_fault fault = view.fault;
    int i = min(k, m), j = k - i, i_low = max(0, k - n), j_low = max(0, k - m);
    for (int step = 0; step < 200; step++) {
        if (fault == GSI_FAULT_PROBE_BEFORE_GUARD)
            view.a_at(i - 1);
        const bool has_a = i > 0 && j<n, has_b = j> 0 && i < m;
        const gsi_pair a_last = has_a ? view.a_at(i - 1) : gsi_pair{0, 0};
        const gsi_pair b_last =
            has_b ? view.b_at(fault == GSI_FAULT_PROBE_B_BY_I ? i - 1 : j - 1) : gsi_pair{0, 0};
        if (has_a && (fault == GSI_FAULT_TIES_CLOSED ? !gsi_less(a_last, view.b_at(j))
                                                     : gsi_less(view.b_at(j), a_last))) {
            const int delta = (i - i_low + 1) / 2;
            j_low = j;
            i -= delta;
            j += delta;
        } else if (has_b && (fault == GSI_FAULT_TIES_OPEN ? gsi_less(view.a_at(i), b_last)
                                                          : !gsi_less(b_last, view.a_at(i)))) {
            const int delta = (j - j_low + 1) / 2;
            i_low = i;
            i += delta;
            j -= delta;
        } else {
            return i;
        }
    }
    atomicExch(&view.a.fate->is_endless, 1u);
    return i;
}

// Merges elements [i, i_end) and [j, j_end) of the view to out[at ..).
__device__ inline void gsi_published_sequential(const gsi_published_view &view, int i, int i_end,
                                                int j, int j_end, const gsi_watched_pairs &out,
                                                int at)
{
    const int n = j_end - j;
    int i_rest = view.fault == GSI_FAULT_REST_OF_A_TO_N ? i + n : i_end;
    while (i < i_end && j < j_end)
        out.set(at++, gsi_less(view.b_at(j), view.a_at(i)) ? view.b_at(j++) : view.a_at(i++));
    while (j < j_end)
        out.set(at++, view.b_at(j++));
    while (i < i_rest)
        out.set(at++, view.a_at(i++));
}

// One side of a section.
struct gsi_published_side {
    gsi_watched_pairs in;
    int first, length; // range of the section in `in`
    int consumed;      // merged elements of the section
    int start, used;   // ring: its first element, and slots that the last tile used up
};

// Refills the `used` slots of a side; its ring begins at slot `base` of shared memory.
__device__ inline void gsi_published_refill(const gsi_published_side &side, int length,
                                            const gsi_watched_pairs &shared, int base, int tile,
                                            gsi_fault fault)
{
    const int threads = static_cast<int>(blockDim.x), held = tile - side.used;
    const bool is_published = fault == GSI_FAULT_REFILL_AS_PUBLISHED;
    const int behind = fault == GSI_FAULT_REFILL_AT_CONSUMED || is_published ? 0 : held;
    const int guard = fault == GSI_FAULT_REFILL_PAST_END ? 0 : behind;
    int end = min(tile, side.used);
    if (fault == GSI_FAULT_LOAD_PAST_TILE)
        end = (end + threads - 1) / threads * threads;
    for (int i = static_cast<int>(threadIdx.x); i < end; i += threads) {
        if (i >= length - side.consumed - guard && fault != GSI_FAULT_LOAD_PAST_END)
            continue;
        int slot = side.start + i + (fault == GSI_FAULT_REFILL_AT_START || is_published ? 0 : held);
        if (fault != GSI_FAULT_REFILL_UNWRAPPED && fault != GSI_FAULT_LOAD_PAST_TILE)
            slot %= tile;
        shared.set(base + slot, side.in.get(side.first + side.consumed + behind + i));
    }
}

// Updates a side after a tile of `q` outputs, of which `taken` are from a.
__device__ inline void gsi_published_consume(gsi_published_side &side, int taken, int tile,
                                             gsi_fault fault)
{
    side.consumed += taken;
    side.start = (side.start + taken) % tile;
    side.used = fault == GSI_FAULT_USED_ADDS_UP ? side.used + taken : taken;
}

// Each thread merges its share of the tile's q outputs to out[first ..).
__device__ inline void gsi_published_share(const gsi_published_view &view, int m, int n, int q,
                                           const gsi_watched_pairs &out, int first)
{
    const int threads = static_cast<int>(blockDim.x), tile = view.tile;
    const bool is_clipped = view.fault != GSI_FAULT_UNCLIPPED_TILE;
    const int items =
        view.fault == GSI_FAULT_TRUNCATED_SHARE ? tile / threads : (tile + threads - 1) / threads;
    const int begin = min(q, static_cast<int>(threadIdx.x) * items), end = min(q, begin + items);
    m = is_clipped ? m : tile;
    n = is_clipped ? n : tile;
    const int i = gsi_published_co_rank(view, begin, m, n);
    const int i_end = gsi_published_co_rank(view, end, m, n);
    gsi_published_sequential(view, i, i_end, begin - i, end - i_end, out, first + begin);
}

// Merges the section's tiles to out[first .. first + length).
__device__ inline void gsi_published_section(gsi_published_side a, gsi_published_side b, int tile,
                                             bool is_circular, const gsi_watched_pairs &out,
                                             int first, gsi_fault fault,
                                             const gsi_watched_pairs &shared)
{
    const int length = a.length + b.length;
    const int tiles =
        fault == GSI_FAULT_TRUNCATED_TILES ? length / tile : (length + tile - 1) / tile;
    int done = 0;
    for (int t = 0; t < tiles; t++) {
        gsi_published_refill(a, a.length, shared, 0, tile, fault);
        gsi_published_refill(b, fault == GSI_FAULT_B_BY_LENGTH_OF_A ? a.length : b.length, shared,
                             tile, tile, fault);
        __syncthreads();
        const gsi_published_view view = {
            shared, {shared.items + tile, shared.count - tile, shared.fate}, a.start, b.start, tile,
            fault};
        const int m = min(tile, a.length - a.consumed), n = min(tile, b.length - b.consumed);
        const int q = min(tile, length - done);
        gsi_published_share(view, m, n, q, out, first + done);

        const bool is_full = fault == GSI_FAULT_FULL_LENGTHS;
        const int merged = is_full ? tile : q;
        const int taken = is_full ? gsi_published_co_rank(view, tile, tile, tile)
                                  : gsi_published_co_rank(view, q, m, n);
        done += merged;
        gsi_published_consume(a, taken, tile, fault);
        gsi_published_consume(b, merged - taken, tile, fault);
        if (!is_circular) {
            a.start = b.start = 0;
            a.used = b.used = tile;
        }
        if (fault != GSI_FAULT_NO_BARRIER_AFTER_TILE)
            __syncthreads();
    }
}

// Merges a[0 .. m) and b[0 .. n) into out, with one fault or none. tile >= 1; dynamic shared memory
// holds 2 * tile elements. All lengths are below 2^30.
static __global__ void gsi_published_merge(const gsi_pair *a, int m, const gsi_pair *b, int n,
                                           gsi_pair *out, int tile, bool is_circular,
                                           gsi_fault fault, gsi_fate *fate)
{
    GSI_DYNAMIC_SHARED(gsi_pair, memory);
    const gsi_watched_pairs shared = {memory, 2 * tile, fate};
    const gsi_watched_pairs whole_a = {const_cast<gsi_pair *>(a), m, fate};
    const gsi_watched_pairs whole_b = {const_cast<gsi_pair *>(b), n, fate};
    const gsi_watched_pairs whole_out = {out, m + n, fate};
    const int grid = static_cast<int>(gridDim.x), section = (m + n + grid - 1) / grid;
    const int first = min(m + n, static_cast<int>(blockIdx.x) * section);
    const int end = min(m + n, first + section);
    if (threadIdx.x == 0) {
        const gsi_published_view view = {whole_a, whole_b, 0, 0, INT32_MAX, fault};
        memory[0].key = static_cast<uint32_t>(gsi_published_co_rank(view, first, m, n));
        memory[1].key = static_cast<uint32_t>(gsi_published_co_rank(view, end, m, n));
    }
    __syncthreads();
    const int a_first = static_cast<int>(memory[0].key), a_end = static_cast<int>(memory[1].key);
    if (fault != GSI_FAULT_NO_BARRIER_AFTER_CUT)
        __syncthreads();
    const int b_first = first - a_first, b_end = end - a_end;
    gsi_published_section({whole_a, a_first, a_end - a_first, 0, 0, tile},
                          {whole_b, b_first, b_end - b_first, 0, 0, tile}, tile, is_circular,
                          whole_out, fault == GSI_FAULT_NO_SECTION_OFFSET ? 0 : first, fault,
                          shared);
}

// ---- faults of index arithmetic, host and device ----

// Computes the first output of a section in 32 bits; wraps where our 64 bits do not.
GSI_HOST_DEVICE inline uint64_t gsi_published_section_first(uint32_t section_idx, uint64_t length,
                                                            uint32_t sections)
{
    const uint32_t section = static_cast<uint32_t>((length + sections - 1) / sections);
    return static_cast<uint32_t>(section_idx * section);
}

// Returns the outputs that sections of ceil(length / (float)sections) cover: a float has 24 bits of
// precision.
GSI_HOST_DEVICE inline int64_t gsi_published_float_cover(int length, int sections)
{
    const float quotient = static_cast<float>(length) / static_cast<float>(sections);
    const int64_t cover = static_cast<int64_t>(ceilf(quotient)) * sections;
    return cover < length ? cover : length;
}

// A merge path whose lower limit is max(0, d - n) of unsigned numbers: huge for d < n.
template <class T>
GSI_HOST_DEVICE inline uint32_t gsi_published_unsigned_path(uint32_t d, const T *a, uint32_t m,
                                                            const T *b, uint32_t n)
{
    uint32_t low = d - n, high = d < m ? d : m;
    while (low < high) {
        const uint32_t i = low + (high - low) / 2;
        if (gsi_less(b[d - i - 1], a[i]))
            high = i;
        else
            low = i + 1;
    }
    return low;
}

#endif
