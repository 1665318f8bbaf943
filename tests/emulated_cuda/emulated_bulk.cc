// emulated_bulk.cc: emulates bulk copies to and from shared memory.
#include "emulated_bulk.h"

#include "emulated_thread.h"

#include "kernels/common/bulk_copy.cuh"

#include <vector>

// A barrier's state: whether it is one, whether a turn is under way, which bytes that expects, and
// how many turns have ended, modulo 2.
static constexpr uint64_t MADE = uint64_t(0xb5) << 40, BEGUN = uint64_t(1) << 39, ENDED = 1;
static constexpr uint32_t BYTES_SHIFT = 1;

struct bulk_copy {
    void *to;
    const void *from;
    uint32_t bytes;
    const gsi_bulk_barrier *barrier; // of a load
    const emulated_thread *thread;   // of a store
};

// One block runs at a time.
static std::vector<bulk_copy> loads, stores;

static void check(const char *call, const void *a, const void *b, uint32_t bytes,
                  emulated_place place)
{
    if ((reinterpret_cast<uintptr_t>(a) | reinterpret_cast<uintptr_t>(b) | bytes) % 16 != 0)
        emulated_refuse("a copy that is not aligned to 16 bytes", call, place, nullptr);
}

void gsi_bulk_init(gsi_bulk_barrier *barrier)
{
    barrier->state = MADE;
}

void gsi_bulk_expect(gsi_bulk_barrier *barrier, uint32_t bytes, emulated_place place)
{
    if ((barrier->state & ~ENDED) != MADE)
        emulated_refuse("a turn of a barrier that is none, or has one under way", "gsi_bulk_expect",
                        place, nullptr);
    barrier->state |= BEGUN | uint64_t(bytes) << BYTES_SHIFT;
}

void gsi_bulk_begin(gsi_bulk_barrier *barrier, uint32_t bytes)
{
    gsi_bulk_init(barrier);
    gsi_bulk_expect(barrier, bytes);
}

void gsi_bulk_load(void *shared, const void *global, uint32_t bytes, gsi_bulk_barrier *barrier,
                   emulated_place place)
{
    check("gsi_bulk_load", shared, global, bytes, place);
    memset(shared, EMULATED_POISON, bytes);
    loads.push_back({shared, global, bytes, barrier, nullptr});
}

void gsi_bulk_wait(gsi_bulk_barrier *barrier, emulated_place place)
{
    gsi_bulk_wait_turn(barrier, 0, place);
}

// A turn of the other parity than the barrier is in has ended.
void gsi_bulk_wait_turn(gsi_bulk_barrier *barrier, uint32_t parity, emulated_place place)
{
    const uint64_t state = barrier->state;
    if ((state & ENDED) != parity)
        return;
    uint64_t bytes = 0;
    for (const bulk_copy &load : loads)
        bytes += load.barrier == barrier ? load.bytes : 0;
    if ((state & ~ENDED) != (MADE | BEGUN | bytes << BYTES_SHIFT))
        emulated_refuse("a wait for other bytes than are loaded", "gsi_bulk_wait", place, nullptr);
    std::vector<bulk_copy> others;
    for (const bulk_copy &load : loads)
        if (load.barrier == barrier)
            memcpy(load.to, load.from, load.bytes);
        else
            others.push_back(load);
    loads.swap(others);
    barrier->state = MADE | (state & ENDED ? 0 : ENDED);
}

void gsi_bulk_publish()
{
}

void gsi_bulk_store(void *global, const void *shared, uint32_t bytes, emulated_place place)
{
    check("gsi_bulk_store", global, shared, bytes, place);
    stores.push_back({global, shared, bytes, nullptr, emulated_running});
}

void gsi_bulk_store_wait()
{
    for (const bulk_copy &store : stores)
        if (store.thread == emulated_running)
            memcpy(store.to, store.from, store.bytes);
    stores.clear();
}
