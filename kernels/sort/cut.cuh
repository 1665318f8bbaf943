// cut.cuh: computes exact k-way co-ranks: how many keys of each of k sorted arrays are among the
// first `wanted` keys of all arrays together. Equal keys of lower arrays are first.
//
// A team of lanes, one per array, samples every stride-th key of its array and halves the stride.
// Invariant after each round: the samples taken are the `target` smallest of all samples, in the
// order (key, array). Each new round adds the samples halfway between those of the previous round.
// It takes those below the largest sample taken at once. Then it corrects the rest one sample at a
// time (about 0.17 k corrections per round).
//
//   stride 8   x x x x x x x x|x x x x x x x x|                    b = 2 taken
//   stride 4   x x x x|x x x x|x x x x|x x x x|x x x x|            2 b or 2 b + 1, then corrected
//   stride 1   b is the cut
//
// Arrays that are evenly mixed need only half of the rounds. They begin with the samples that they
// would have on average, at twice the deviation from it, and correct these (gsi_cut_guess). The
// rounds after this one count positions in 32 bits, from where it ended.
//
// Source: P. Varman et al., "Merging multiple lists on hierarchical-memory multiprocessors", JPDC
// 12 (1991), section 3 (selection by sampling at halving strides). Here the target rank is centred
// so that few corrections are needed.
#ifndef GSI_CUT_CUH
#define GSI_CUT_CUH

#include "kernels/common/launch.cuh"
#include "kernels/sort/merge_path.cuh"
#include "kernels/sort/merge_runs.cuh"

// Returns 32 bits of a key, counted from the top.
template <class Key> __device__ __forceinline__ uint32_t gsi_key_word(Key key, uint32_t word)
{
    return static_cast<uint32_t>(key >> (sizeof(Key) * 8 - 32 - word * 32));
}

// Returns the key of the lane `distance` away.
template <class Key>
__device__ __forceinline__ Key gsi_shuffle_xor(uint32_t mask, Key key, uint32_t distance)
{
    const int lanes = static_cast<int>(distance);
    if constexpr (sizeof(Key) == 16) {
        const uint64_t low = __shfl_xor_sync(mask, static_cast<uint64_t>(key), lanes);
        const uint64_t high = __shfl_xor_sync(mask, static_cast<uint64_t>(key >> 64), lanes);
        return static_cast<Key>(high) << 64 | low;
    } else {
        return __shfl_xor_sync(mask, key, lanes);
    }
}

// A chosen lane and its key.
template <class Key> struct gsi_pick {
    Key key;
    uint32_t array; // UINT32_MAX: no lane had a candidate
};

// A team of LANES <= 32 neighbouring lanes of a warp, lane i for array i. Small teams of a warp run
// in lockstep, so that none waits for another one's loads: every lane of the warp makes every call.
// Larger teams, at most two per warp, are not in lockstep. They lose less by waiting than they gain
// by reductions of their own (tools/gsort-bench/RESULTS.md, "Sizes chosen by measurement").
template <int LANES> struct gsi_warp_team {
    static constexpr bool goes_together = LANES <= 8;

    __device__ static uint32_t first_lane()
    {
        return threadIdx.x % 32 / LANES * LANES;
    }

    // Returns the team's lanes.
    __device__ static uint32_t mask()
    {
        return LANES == 32 ? 0xffffffffu : ((1u << LANES % 32) - 1) << first_lane();
    }

    // Returns the lanes that make a call together.
    __device__ static uint32_t callers()
    {
        return goes_together ? 0xffffffffu : mask();
    }

    __device__ uint32_t count(bool is_counted) const
    {
        return static_cast<uint32_t>(__popc(__ballot_sync(callers(), is_counted) & mask()));
    }

    // Returns whether `is_so` holds in any team in lockstep with this one.
    __device__ bool any(bool is_so) const
    {
        return goes_together ? __any_sync(callers(), is_so) != 0 : is_so;
    }

    __device__ uint64_t sum(uint64_t x) const
    {
#pragma unroll
        for (uint32_t distance = LANES / 2; distance > 0; distance /= 2)
            x += gsi_shuffle_xor(callers(), x, distance);
        return x;
    }

    // Returns the largest x of all teams in lockstep.
    __device__ uint32_t max(uint32_t x) const
    {
        return __reduce_max_sync(callers(), x);
    }

    // Returns the largest candidate (among equal ones, of the last lane) or the smallest (of the
    // first lane).
    template <bool IS_LARGEST, class Key>
    __device__ gsi_pick<Key> pick(Key key, bool is_candidate) const
    {
        if constexpr (!gsi_key_context<Key>::is_bitwise || goes_together)
            return pick_by_comparison<IS_LARGEST>(key, is_candidate);
        else
            return pick_by_words<IS_LARGEST>(key, is_candidate);
    }

    template <bool IS_LARGEST, class Key>
    __device__ gsi_pick<Key> pick_by_comparison(Key key, bool is_candidate) const
    {
        const uint32_t lane = threadIdx.x % 32 - first_lane();
        gsi_pick<Key> best = {key, is_candidate ? lane : UINT32_MAX};
#pragma unroll
        for (uint32_t distance = LANES / 2; distance > 0; distance /= 2) {
            const gsi_pick<Key> other = {
                gsi_shuffle_xor(callers(), best.key, distance),
                __shfl_xor_sync(callers(), best.array, static_cast<int>(distance))};
            if (other.array != UINT32_MAX &&
                (best.array == UINT32_MAX || is_before<IS_LARGEST>(other, best)))
                best = other;
        }
        return best;
    }

    template <bool IS_LARGEST, class Key>
    __device__ static bool is_before(const gsi_pick<Key> &a, const gsi_pick<Key> &b)
    {
        if (a.key == b.key)
            return IS_LARGEST == (a.array > b.array);
        return IS_LARGEST ? b.key < a.key : a.key < b.key;
    }

    template <bool IS_LARGEST, class Key>
    __device__ gsi_pick<Key> pick_by_words(Key key, bool is_candidate) const
    {
        uint32_t lanes = __ballot_sync(mask(), is_candidate);
        if (lanes == 0)
            return {Key(0), UINT32_MAX};
        Key picked = 0;
#pragma unroll
        for (uint32_t word = 0; word < sizeof(Key) / 4; word++) {
            const uint32_t mine = gsi_key_word(key, word);
            const uint32_t best = IS_LARGEST
                                      ? __reduce_max_sync(mask(), is_candidate ? mine : 0)
                                      : __reduce_min_sync(mask(), is_candidate ? mine : UINT32_MAX);
            is_candidate = is_candidate && mine == best;
            picked |= static_cast<Key>(best) << (sizeof(Key) * 8 - 32 - word * 32);
        }
        lanes = __ballot_sync(mask(), is_candidate);
        const int lane =
            IS_LARGEST ? 31 - __clz(static_cast<int>(lanes)) : __ffs(static_cast<int>(lanes)) - 1;
        return {picked, static_cast<uint32_t>(lane) - first_lane()};
    }
};

// A team of all threads of a thread block, thread i for array i. `scratch`: shared memory, one
// entry per warp.
template <class Key> struct gsi_block_team {
    struct entry {
        gsi_pick<Key> pick;
        uint64_t number;
    };
    entry *scratch;

    __device__ static uint32_t warp_count()
    {
        return blockDim.x / 32;
    }

    // Returns fold(entry) over all warps' entries; the first lane of each warp writes its entry.
    template <class Fold> __device__ void across_warps(entry mine, Fold fold) const
    {
        __syncthreads(); // the last use of scratch is over
        if (threadIdx.x % 32 == 0)
            scratch[threadIdx.x / 32] = mine;
        __syncthreads();
        for (uint32_t warp = 0; warp < warp_count(); warp++)
            fold(scratch[warp]);
    }

    __device__ uint64_t sum(uint64_t x) const
    {
        uint64_t total = 0;
        across_warps({{}, gsi_warp_team<32>().sum(x)}, [&](const entry &e) { total += e.number; });
        return total;
    }

    __device__ uint32_t count(bool is_counted) const
    {
        uint64_t total = 0;
        across_warps({{}, gsi_warp_team<32>().count(is_counted)},
                     [&](const entry &e) { total += e.number; });
        return static_cast<uint32_t>(total);
    }

    __device__ static bool any(bool is_so)
    {
        return is_so; // equal in all threads
    }

    __device__ uint32_t max(uint32_t x) const
    {
        uint64_t most = 0;
        across_warps({{}, gsi_warp_team<32>().max(x)},
                     [&](const entry &e) { most = e.number > most ? e.number : most; });
        return static_cast<uint32_t>(most);
    }

    template <bool IS_LARGEST> __device__ gsi_pick<Key> pick(Key key, bool is_candidate) const
    {
        gsi_pick<Key> mine = gsi_warp_team<32>().pick<IS_LARGEST>(key, is_candidate);
        if (mine.array != UINT32_MAX)
            mine.array += threadIdx.x / 32 * 32;
        gsi_pick<Key> best = {Key(0), UINT32_MAX};
        across_warps({mine, 0}, [&](const entry &e) {
            if (e.pick.array == UINT32_MAX)
                return;
            const bool is_better = IS_LARGEST ? e.pick.key >= best.key : e.pick.key < best.key;
            if (best.array == UINT32_MAX || is_better)
                best = e.pick;
        });
        return best;
    }
};

// A lane's samples: the last key of each whole stride. Those before sample b are taken. `b` and
// positions are relative to `base`, a multiple of the stride.
template <class Key, class Slice, class Index> struct gsi_samples {
    const Slice &slice;
    uint64_t base;
    Index begin, end; // of the array
    Index b;
    Key taken, next; // samples b - 1, if has_taken(), and b, if has_next
    bool has_next;

    __device__ bool has_taken(Index stride) const
    {
        return b * stride > begin;
    }

    __device__ Key at(Index i) const
    {
        return slice.at(base + static_cast<uint64_t>(static_cast<int64_t>(i)));
    }

    __device__ void load_taken(Index stride)
    {
        if (has_taken(stride))
            taken = at(b * stride - 1);
    }

    __device__ void load_next(Index stride)
    {
        has_next = b * stride + (stride - 1) < end;
        if (has_next)
            next = at(b * stride + (stride - 1));
    }

    __device__ void take(Index stride)
    {
        taken = next;
        b++;
        load_next(stride);
    }

    __device__ void drop(Index stride)
    {
        next = taken;
        has_next = true;
        b--;
        load_taken(stride);
    }
};

// Returns how many samples of all arrays together to take, centred; `wanted` and `least` <= it are
// counted from the bases.
template <class Index>
__device__ __forceinline__ Index gsi_cut_target(uint32_t array_count, Index wanted, Index least,
                                                uint32_t log)
{
    const Index centre = static_cast<Index>(array_count - 1) * (((Index(1) << log) - 1) / 2);
    return (wanted - centre > least ? wanted - centre : least) >> log;
}

// Takes samples as if the arrays were evenly mixed, then corrects them. Returns whether they are
// now the `target` smallest; after more corrections than such arrays need, returns false.
template <class Key, class Team, class Slice>
__device__ bool gsi_cut_guess(const Team &team, gsi_samples<Key, Slice, int64_t> &samples,
                              uint32_t array, uint32_t array_count, int64_t wanted, int64_t all,
                              uint32_t log, int64_t &count)
{
    const int64_t stride = int64_t(1) << log;
    const int64_t target = gsi_cut_target<int64_t>(array_count, wanted, 0, log);
    const float share = all > 0 ? static_cast<float>(wanted) / static_cast<float>(all) : 0;
    const int64_t position = static_cast<int64_t>(share * static_cast<float>(samples.end));
    samples.b = (position < samples.end ? position : samples.end) >> log;
    samples.load_taken(stride);
    samples.load_next(stride);
    count = static_cast<int64_t>(team.sum(static_cast<uint64_t>(samples.b)));
    for (uint32_t left = array_count / 2 + 4; left > 0; left--) {
        const gsi_pick<Key> most =
            team.template pick<true>(samples.taken, samples.has_taken(stride));
        const gsi_pick<Key> first = team.template pick<false>(samples.next, samples.has_next);
        const bool has_first = first.array != UINT32_MAX;
        const bool is_wrong =
            count == target && has_first && most.array != UINT32_MAX &&
            (first.key < most.key || (first.key == most.key && first.array < most.array));
        const bool is_over = count > target || is_wrong;
        const bool is_short = (count < target && has_first) || is_wrong;
        if (!team.any(is_over || is_short))
            return true;
        count = count + is_short - is_over;
        if (is_over && most.array == array)
            samples.drop(stride);
        if (is_short && first.array == array)
            samples.take(stride);
    }
    return false;
}

// Halves strides from 2^log to 2^last.
template <class Key, class Team, class Slice, class Index>
__device__ void gsi_cut_halve(const Team &team, gsi_samples<Key, Slice, Index> &samples,
                              uint32_t array, uint32_t array_count, Index wanted, Index least,
                              uint32_t log, uint32_t last_log, Index &count)
{
    while (log-- > last_log) {
        const Index stride = Index(1) << log;
        const Index target = gsi_cut_target<Index>(array_count, wanted, least, log);
        samples.b *= 2;
        const Index at = samples.b * stride + (stride - 1);
        const bool is_there = at < samples.end;
        const Key between = is_there ? samples.at(at) : Key(0);
        const gsi_pick<Key> last =
            team.template pick<true>(samples.taken, samples.has_taken(stride));
        const bool is_taken = is_there && last.array != UINT32_MAX &&
                              (between < last.key || (between == last.key && array < last.array));
        if (is_taken) {
            samples.b++;
            samples.taken = between;
        } else {
            samples.next = between;
            samples.has_next = is_there;
        }
        count = 2 * count + static_cast<Index>(team.count(is_taken));
        while (team.any(count > target)) {
            const gsi_pick<Key> most =
                team.template pick<true>(samples.taken, samples.has_taken(stride));
            const bool is_over = count > target;
            count -= is_over;
            if (is_over && most.array == array)
                samples.drop(stride);
        }
        bool is_short = count < target;
        while (team.any(is_short)) {
            const gsi_pick<Key> first = team.template pick<false>(samples.next, samples.has_next);
            // Without one there are fewer samples than the centred target; the last round has
            // enough.
            const bool is_given = is_short && first.array != UINT32_MAX;
            count += is_given;
            if (is_given && first.array == array)
                samples.take(stride);
            is_short = is_given && count < target;
        }
    }
}

// Returns a distance, limited to 2^30.
__device__ __forceinline__ int32_t gsi_near(int64_t distance)
{
    constexpr int64_t MOST = 1 << 30;
    return static_cast<int32_t>(distance < MOST ? distance : MOST);
}

// gsi_cut: returns this lane's part of the cut at `wanted` <= all, the number of all keys. Every
// lane of the team, and of teams in lockstep with it, makes the call; lanes without an array pass
// an empty one.
template <class Key, class Team, class Slice>
__device__ uint64_t gsi_cut(const Team &team, const Slice &slice, uint32_t array,
                            uint32_t array_count, uint64_t wanted, uint64_t all)
{
    const uint32_t log =
        team.max(64u - static_cast<uint32_t>(__clzll(static_cast<long long>(slice.count))));
    const uint32_t near = log / 2 + 1 < log ? log / 2 + 1 : log; // twice the deviation, as a log
    gsi_samples<Key, Slice, int64_t> far = {slice, 0, 0, static_cast<int64_t>(slice.count),
                                            0,     0, 0, false};
    int64_t count = 0; // sum of b over all lanes
    if (!gsi_cut_guess<Key>(team, far, array, array_count, static_cast<int64_t>(wanted),
                            static_cast<int64_t>(all), near, count)) {
        far.b = count = 0;
        far.has_next = false;
        gsi_cut_halve<Key>(team, far, array, array_count, static_cast<int64_t>(wanted), int64_t(0),
                           log, near, count);
    }
    // All positions needed from here on are within 2^30 of these.
    const int64_t base = far.b << near, bases = count << near;
    gsi_samples<Key, Slice, int32_t> samples = {slice,
                                                static_cast<uint64_t>(base),
                                                -gsi_near(base),
                                                gsi_near(far.end - base),
                                                0,
                                                far.taken,
                                                far.next,
                                                far.has_next};
    const int32_t rest = static_cast<int32_t>(static_cast<int64_t>(wanted) - bases);
    int32_t rest_count = 0;
    gsi_cut_halve<Key>(team, samples, array, array_count, rest, -gsi_near(bases), near, 0,
                       rest_count);
    return static_cast<uint64_t>(base + samples.b);
}

// gsi_cut_tiles: computes the cut for every tile boundary of every group: cuts[boundary][run], with
// tiles_per_group + 1 boundaries per group. Teams have 2^FAN_IN_LOG lanes.
template <class Key, int FAN_IN_LOG>
__global__ void __launch_bounds__(128) gsi_cut_tiles(gsi_merge_runs<Key> runs, uint64_t *cuts)
{
    constexpr uint32_t FAN_IN = 1u << FAN_IN_LOG;
    runs.context.begin();
    const uint64_t lane = static_cast<uint64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    const uint32_t r = lane % FAN_IN;
    const uint64_t boundary = lane / FAN_IN, per_group = runs.tiles_per_group + 1;
    const uint64_t group = boundary / per_group;
    const bool is_one = group < runs.group_count; // teams without a boundary take part in the calls
    const uint64_t outputs = is_one ? gsi_merge_group_keys(runs, group) : 0;
    const uint64_t tile_first = boundary % per_group * gsi_merge_tile<Key, FAN_IN_LOG>();
    const uint64_t first = tile_first < outputs ? tile_first : outputs;
    uint64_t cut = 0;
    if constexpr (FAN_IN > 2) {
        const gsi_slice_of<Key> none = {nullptr, 0};
        const gsi_slice_of<Key> slice = is_one ? gsi_merge_run(runs, FAN_IN, group, r) : none;
        cut = gsi_cut<Key>(gsi_warp_team<FAN_IN>(), slice, r, FAN_IN, first, outputs);
    } else if (is_one) { // for two runs both lanes find the same path
        const gsi_slice_of<Key> a = gsi_merge_run(runs, FAN_IN, group, 0);
        const gsi_slice_of<Key> b = gsi_merge_run(runs, FAN_IN, group, 1);
        cut = gsi_merge_path<uint64_t>([=](uint64_t i) { return a.keys[i]; }, a.count,
                                       [=](uint64_t i) { return b.keys[i]; }, b.count, first);
        cut = r == 0 ? cut : first - cut;
    }
    if (is_one)
        cuts[boundary * FAN_IN + r] = cut;
}

#endif
