// emulated_bulk.cc: bulk copies to and from shared memory.
#include "emulated_bulk.h"

#include "emulated_thread.h"

#include "kernels/common/bulk_copy.cuh"

#include <vector>

// A barrier's state: one of these marks above the bytes that it expects.
static constexpr uint64_t BEGUN = uint64_t(0xb5) << 40, DONE = uint64_t(0xd5) << 40;

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

void gsi_bulk_begin(gsi_bulk_barrier *barrier, uint32_t bytes)
{
    barrier->state = BEGUN | bytes;
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
    if (barrier->state == DONE)
        return;
    uint64_t bytes = 0;
    for (const bulk_copy &load : loads)
        bytes += load.barrier == barrier ? load.bytes : 0;
    if (barrier->state != (BEGUN | bytes))
        emulated_refuse("a wait for other bytes than are loaded", "gsi_bulk_wait", place, nullptr);
    for (const bulk_copy &load : loads)
        if (load.barrier == barrier)
            memcpy(load.to, load.from, load.bytes);
    loads.clear(); // no kernel has two barriers
    barrier->state = DONE;
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
