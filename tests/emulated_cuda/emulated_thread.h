// emulated_thread.h: describes the threads of the running block. emulated_block.cc runs them,
// emulated_warp.cc exchanges values between them.
#ifndef EMULATED_THREAD_H
#define EMULATED_THREAD_H

#include "emulated_fiber.h"
#include "emulated_parts.h"

#include <vector>

enum emulated_state { EMULATED_READY, EMULATED_AT_BARRIER, EMULATED_AT_WARP, EMULATED_EXITED };

// An asynchronous copy that was begun.
struct emulated_async_copy {
    unsigned char *to;
    const unsigned char *from;
    size_t bytes, zero_bytes;
    size_t batch;
};

struct emulated_thread {
    emulated_fiber fiber;
    uint3 index;
    emulated_state state;
    // AT_BARRIER, AT_WARP: what it waits for.
    const char *call;
    emulated_place place;
    // AT_WARP: what it brings; the last to arrive leaves the result.
    emulated_collective kind;
    unsigned mask, lane;
    int width;
    uint64_t value, result;
    // Copies not done, in order, and the batches that are committed.
    std::vector<emulated_async_copy> copies;
    size_t batches;
};

// The threads in the order of their numbers, so that 32 in a row are a warp.
extern emulated_thread *const emulated_threads;
extern unsigned emulated_thread_count;
extern emulated_thread *emulated_running;

// A warp: its lanes that have exited, and those that wait for one collective, the first of which is
// `first`. A lane that arrives compares itself with it, and need not look at the
// others.
struct emulated_warp {
    unsigned exited, arrived;
    const emulated_thread *first;
};

extern emulated_warp emulated_warps[EMULATED_MAX_THREADS / 32];

// emulated_make_ready: `thread` can continue.
// emulated_run_ready: runs a thread that can continue, after the running one began to wait or was
// made ready. Returns when it is the running one's turn again.
void emulated_make_ready(emulated_thread *thread);
void emulated_run_ready();

// emulated_refuse: aborts because the running thread makes a wrong call, and prints which thread
// and where. `other` is the thread that the call conflicts with, or null.
[[noreturn]] void emulated_refuse(const char *problem, const char *call, emulated_place place,
                                  const emulated_thread *other);

// emulated_finish_copies: does the running thread's copies of batches before `batch_end`.
void emulated_finish_copies(size_t batch_end);

#endif
