// emulated_warp.cc: exchanges values between the threads of a warp, and emulates copies that a
// thread begins.
//
// A lane that calls a collective waits for all lanes that its mask names. The last one to arrive
// computes all results, so that no lane can overwrite a value that another must still read. Lanes
// that are named must be live, in the same collective on the same line with the same mask; anything
// else aborts as soon as it is seen, or as a deadlock.
#include "cuda_pipeline.h"
#include "emulated_thread.h"

static constexpr const char *collective_names[] = {
    "__syncwarp",        "__shfl_sync",       "__shfl_up_sync",    "__shfl_down_sync",
    "__shfl_xor_sync",   "__ballot_sync",     "__any_sync",        "__all_sync",
    "__match_any_sync",  "__reduce_add_sync", "__reduce_min_sync", "__reduce_max_sync",
    "__reduce_min_sync", "__reduce_max_sync", "__reduce_and_sync", "__reduce_or_sync",
    "__reduce_xor_sync",
};

static bool has_lane(unsigned mask, unsigned lane)
{
    return (mask >> lane & 1) != 0;
}

// The lane that `lane` reads from: its own if that is beyond its segment of `width` lanes.
static unsigned shuffle_source(const emulated_thread *thread, unsigned lane)
{
    const unsigned width = unsigned(thread->width), first = lane & ~(width - 1);
    unsigned source;
    switch (thread->kind) {
    case EMULATED_SHUFFLE:
        return first + (thread->lane & (width - 1));
    case EMULATED_SHUFFLE_UP:
        return thread->lane <= lane - first ? lane - thread->lane : lane;
    case EMULATED_SHUFFLE_DOWN:
        return thread->lane < first + width - lane ? lane + thread->lane : lane;
    default: // xor may read earlier segments, but none after
        source = lane ^ (thread->lane & 31);
        return source < first + width ? source : lane;
    }
}

static uint32_t reduce_pair(emulated_collective kind, uint32_t a, uint32_t b)
{
    switch (kind) {
    case EMULATED_ADD:
        return a + b;
    case EMULATED_MIN:
        return min(a, b);
    case EMULATED_MAX:
        return max(a, b);
    case EMULATED_MIN_SIGNED:
        return uint32_t(min(int32_t(a), int32_t(b)));
    case EMULATED_MAX_SIGNED:
        return uint32_t(max(int32_t(a), int32_t(b)));
    case EMULATED_AND:
        return a & b;
    case EMULATED_OR:
        return a | b;
    default:
        return a ^ b;
    }
}

static unsigned lanes_with_value(const emulated_thread *warp, unsigned mask, uint64_t value)
{
    unsigned lanes = 0;
    for (unsigned lane = 0; lane < 32; lane++)
        if (has_lane(mask, lane) && warp[lane].value == value)
            lanes |= 1u << lane;
    return lanes;
}

static uint64_t read_lane(const emulated_thread *warp, unsigned mask, unsigned lane)
{
    const emulated_thread *thread = &warp[lane];
    const unsigned source = shuffle_source(thread, lane);
    if (!has_lane(mask, source))
        emulated_refuse("shuffle from a lane that is not in the mask", thread->call, thread->place,
                        thread);
    return warp[source].value;
}

static uint64_t result_of(const emulated_thread *warp, unsigned mask, unsigned lane)
{
    const emulated_thread *thread = &warp[lane];
    uint32_t reduced;
    switch (thread->kind) {
    case EMULATED_SYNC_WARP:
        return 0;
    case EMULATED_SHUFFLE:
    case EMULATED_SHUFFLE_UP:
    case EMULATED_SHUFFLE_DOWN:
    case EMULATED_SHUFFLE_XOR:
        return read_lane(warp, mask, lane);
    case EMULATED_BALLOT:
        return lanes_with_value(warp, mask, 1);
    case EMULATED_ANY:
        return lanes_with_value(warp, mask, 1) != 0;
    case EMULATED_ALL:
        return lanes_with_value(warp, mask, 1) == mask;
    case EMULATED_MATCH:
        return lanes_with_value(warp, mask, thread->value);
    default:
        reduced = uint32_t(thread->value);
        for (unsigned other = 0; other < 32; other++)
            if (other != lane && has_lane(mask, other))
                reduced = reduce_pair(thread->kind, reduced, uint32_t(warp[other].value));
        return reduced;
    }
}

// The lanes who wait where the running thread now arrives. `mine`: what it waits for.
static unsigned find_arrived(const emulated_thread *warp, unsigned own_lane,
                             const emulated_thread &mine)
{
    unsigned arrived = 1u << own_lane;
    for (unsigned lane = 0; lane < 32; lane++) {
        const emulated_thread *other = &warp[lane];
        const bool is_there = other < emulated_threads + emulated_thread_count;
        if (lane == own_lane || (!is_there && !has_lane(mine.mask, lane)))
            continue;
        if (!is_there || (other->state == EMULATED_EXITED && has_lane(mine.mask, lane)))
            emulated_refuse("a collective waits for a lane that has exited or never was", mine.call,
                            mine.place, is_there ? other : nullptr);
        if (other->state != EMULATED_AT_WARP || (other->mask & mine.mask) == 0)
            continue;
        if (other->mask != mine.mask || other->kind != mine.kind ||
            other->place.line != mine.place.line)
            emulated_refuse("lanes of a warp in different collectives", mine.call, mine.place,
                            other);
        arrived |= 1u << lane;
    }
    return arrived;
}

// Does the same faster. It reads all lanes only for the first and the last lane to arrive, or if a
// lane waits at another place than the others.
static unsigned arrive(const emulated_thread *warp, unsigned own_lane, const emulated_thread &mine)
{
    emulated_warp *seen = &emulated_warps[(warp - emulated_threads) / 32];
    const emulated_thread *first = seen->first;
    const unsigned arrived = seen->arrived | 1u << own_lane;
    if (seen->arrived != 0 && arrived != mine.mask && (seen->exited & mine.mask) == 0 &&
        first->mask == mine.mask && first->kind == mine.kind &&
        first->place.line == mine.place.line)
        return seen->arrived = arrived;
    const unsigned found = find_arrived(warp, own_lane, mine);
    if (found == mine.mask)
        seen->arrived &= ~mine.mask;
    else if (seen->arrived == 0)
        *seen = {seen->exited, found, &mine};
    return found;
}

uint64_t emulated_sync_warp(emulated_collective kind, unsigned mask, uint64_t value, unsigned lane,
                            int width, emulated_place place)
{
    emulated_thread *const mine = emulated_running;
    const unsigned own_lane = unsigned(mine - emulated_threads) % 32;
    emulated_thread *const warp = mine - own_lane;
    mine->call = collective_names[kind];
    mine->place = place;
    mine->kind = kind;
    mine->mask = mask;
    mine->lane = lane;
    mine->width = width;
    mine->value = value;
    if (!has_lane(mask, own_lane))
        emulated_refuse("a collective whose mask does not name the caller", mine->call, place,
                        nullptr);
    if (width <= 0 || width > 32 || (width & (width - 1)) != 0)
        emulated_refuse("a shuffle's width is no power of two up to 32", mine->call, place,
                        nullptr);
    mine->state = EMULATED_AT_WARP;
    const unsigned arrived = arrive(warp, own_lane, *mine);
    if (arrived == mask) {
        const bool is_own = kind <= EMULATED_SHUFFLE_XOR || kind == EMULATED_MATCH;
        const uint64_t result = is_own ? 0 : result_of(warp, mask, own_lane);
        for (unsigned i = 0; i < 32; i++)
            if (has_lane(mask, i))
                warp[i].result = is_own ? result_of(warp, mask, i) : result;
        for (unsigned i = 0; i < 32; i++)
            if (has_lane(mask, i))
                emulated_make_ready(&warp[i]);
    }
    emulated_run_ready();
    return mine->result;
}

// ---- asynchronous copies ----

void emulated_copy_async(void *shared, const void *global, size_t bytes, size_t zero_bytes,
                         emulated_place place)
{
    static constexpr char call[] = "__pipeline_memcpy_async";
    if ((bytes != 4 && bytes != 8 && bytes != 16) || zero_bytes > bytes)
        emulated_refuse("a copy of other than 4, 8 or 16 bytes", call, place, nullptr);
    if ((reinterpret_cast<uintptr_t>(shared) | reinterpret_cast<uintptr_t>(global)) % bytes != 0)
        emulated_refuse("a copy that is not aligned to its size", call, place, nullptr);
    memset(shared, EMULATED_POISON, bytes);
    emulated_running->copies.push_back({static_cast<unsigned char *>(shared),
                                        static_cast<const unsigned char *>(global), bytes,
                                        zero_bytes, emulated_running->batches});
}

void emulated_copy_commit()
{
    emulated_running->batches++;
}

void emulated_copy_wait(size_t batches)
{
    if (emulated_running->batches > batches)
        emulated_finish_copies(emulated_running->batches - batches);
}

void emulated_finish_copies(size_t batch_end)
{
    auto &copies = emulated_running->copies;
    size_t done = 0;
    for (; done < copies.size() && copies[done].batch < batch_end; done++) {
        const emulated_async_copy &copy = copies[done];
        memcpy(copy.to, copy.from, copy.bytes - copy.zero_bytes);
        memset(copy.to + copy.bytes - copy.zero_bytes, 0, copy.zero_bytes);
    }
    copies.erase(copies.begin(), copies.begin() + ptrdiff_t(done));
}
