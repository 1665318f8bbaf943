// emulated_block.cc: executes a launch, block after block. Each thread of a block is a fiber.
//
// A thread runs until it waits: at a barrier of the block or at a collective of its warp. Then a
// random one of those that can continue does. The last one to arrive releases those that waited.
// Nothing else switches, so code between two waits is atomic. Code without a barrier that it needs
// sees, for most seeds, its neighbours too early or too late.
//
// The fibers are made once. After its kernel a thread is marked as exited. When its fiber runs
// again, it begins the same thread of the next block. The caller's stack is another fiber,
// `caller`, which continues when all threads have exited.
#include "emulated_thread.h"

#include <cxxabi.h>
#include <dlfcn.h>

#include <cstdarg>
#include <cstdio>
#include <cstdlib>

emulated_thread *const emulated_threads = new emulated_thread[EMULATED_MAX_THREADS]();
emulated_warp emulated_warps[EMULATED_MAX_THREADS / 32];
unsigned emulated_thread_count;
emulated_thread *emulated_running;

uint3 threadIdx, blockIdx;
dim3 blockDim, gridDim;

static unsigned fiber_count; // threads that have one
static emulated_fiber caller, *running_fiber = &caller;

static const emulated_grid *launch;
static unsigned char *dynamic_shared;
static emulated_thread *ready[EMULATED_MAX_THREADS];
static unsigned ready_count, live_count;

// The barrier that threads are at: how many, how many with a true predicate, and which.
static unsigned waiting_count, waiting_true;
static emulated_place barrier_place;
static const char *barrier_call;
// The last one that all reached; stays until all have read it, as the next needs them all.
static unsigned released_count, released_true;

// ---- messages ----

static void print_thread(const emulated_thread *thread)
{
    fprintf(stderr, "  thread (%u, %u, %u)", thread->index.x, thread->index.y, thread->index.z);
    switch (thread->state) {
    case EMULATED_EXITED:
        fprintf(stderr, " has exited\n");
        break;
    case EMULATED_READY:
        fprintf(stderr, " runs\n");
        break;
    default:
        fprintf(stderr, " is at %s", thread->call);
        if (thread->state == EMULATED_AT_WARP)
            fprintf(stderr, " of lanes 0x%08x", thread->mask);
        fprintf(stderr, ", %s:%u in %s\n", thread->place.file, thread->place.line,
                thread->place.function);
    }
}

// The kernel's name is known if the program exports its symbols.
[[gnu::format(printf, 1, 2)]] static void print_problem(const char *format, ...)
{
    Dl_info symbol;
    char *name = nullptr;
    int status;
    if (dladdr(launch->kernel, &symbol) != 0 && symbol.dli_saddr == launch->kernel)
        name = abi::__cxa_demangle(symbol.dli_sname, nullptr, nullptr, &status);
    fprintf(stderr, "emulated CUDA: kernel %s at %p, block (%u, %u, %u): ",
            name != nullptr ? name : "without a name", launch->kernel, blockIdx.x, blockIdx.y,
            blockIdx.z);
    free(name);
    va_list arguments;
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
}

void emulated_refuse(const char *problem, const char *call, emulated_place place,
                     const emulated_thread *other)
{
    print_problem("%s", problem);
    fprintf(stderr, "  thread (%u, %u, %u) calls %s, %s:%u in %s\n", threadIdx.x, threadIdx.y,
            threadIdx.z, call, place.file, place.line, place.function);
    if (other != nullptr)
        print_thread(other);
    abort();
}

// A line for each thread whose case is another than its predecessor's.
[[noreturn]] static void report_deadlock()
{
    constexpr unsigned most_lines = 16;
    print_problem("deadlock: %u of %u threads live, %u at a barrier, none can go on", live_count,
                  emulated_thread_count, waiting_count);
    unsigned line_count = 0;
    for (unsigned i = 0; i < emulated_thread_count && line_count < most_lines; i++) {
        const emulated_thread *thread = &emulated_threads[i], *before = thread - 1;
        if (i == 0 || thread->state != before->state ||
            (thread->state != EMULATED_EXITED && thread->place.line != before->place.line)) {
            print_thread(thread);
            line_count++;
        }
    }
    abort();
}

// ---- scheduling ----

static void switch_to(emulated_fiber *next)
{
    emulated_fiber *const from = running_fiber;
    running_fiber = next;
    emulated_fiber_switch(from, next);
}

void emulated_make_ready(emulated_thread *thread)
{
    thread->state = EMULATED_READY;
    ready[ready_count++] = thread;
}

void emulated_run_ready()
{
    if (ready_count == 0) {
        if (live_count != 0)
            report_deadlock();
        switch_to(&caller);
        return;
    }
    const uint64_t choice = emulated_below(ready_count);
    emulated_running = ready[choice];
    ready[choice] = ready[--ready_count];
    threadIdx = emulated_running->index;
    switch_to(&emulated_running->fiber);
}

static void release_barrier()
{
    released_count = waiting_count;
    released_true = waiting_true;
    waiting_count = waiting_true = 0;
    for (unsigned i = 0; i < emulated_thread_count; i++)
        if (emulated_threads[i].state == EMULATED_AT_BARRIER)
            emulated_make_ready(&emulated_threads[i]);
}

int emulated_sync_block(emulated_barrier kind, bool predicate, emulated_place place)
{
    static constexpr const char *names[] = {"__syncthreads", "__syncthreads_or",
                                            "__syncthreads_and", "__syncthreads_count"};
    const char *call = names[kind];
    if (waiting_count == 0) {
        barrier_call = call;
        barrier_place = place;
    } else if (barrier_call != call || barrier_place.line != place.line ||
               (barrier_place.file != place.file && strcmp(barrier_place.file, place.file) != 0)) {
        const emulated_thread *other = emulated_threads;
        while (other->state != EMULATED_AT_BARRIER)
            other++;
        emulated_refuse("threads of a block in different barriers", call, place, other);
    }
    emulated_running->state = EMULATED_AT_BARRIER;
    emulated_running->call = call;
    emulated_running->place = place;
    waiting_count++;
    waiting_true += predicate;
    if (waiting_count == live_count)
        release_barrier();
    emulated_run_ready();
    switch (kind) {
    case EMULATED_SYNC_OR:
        return released_true != 0;
    case EMULATED_SYNC_AND:
        return released_true == released_count;
    default:
        return int(released_true);
    }
}

// ---- a launch ----

void *emulated_dynamic_shared()
{
    return dynamic_shared;
}

static void run_threads()
{
    emulated_fiber_arrive();
    for (;;) { // a round is a thread of some block
        launch->thread();
        emulated_finish_copies(SIZE_MAX);
        emulated_running->state = EMULATED_EXITED;
        const auto number = unsigned(emulated_running - emulated_threads);
        emulated_warps[number / 32].exited |= 1u << number % 32;
        live_count--;
        if (waiting_count != 0 && waiting_count == live_count)
            release_barrier();
        emulated_run_ready();
    }
}

static void run_block()
{
    memset(dynamic_shared, EMULATED_POISON, launch->shared_bytes);
    live_count = emulated_thread_count;
    for (emulated_warp &warp : emulated_warps)
        warp = {};
    for (unsigned i = 0; i < emulated_thread_count; i++) {
        emulated_thread *thread = &emulated_threads[i];
        thread->index = {i % blockDim.x, i / blockDim.x % blockDim.y, i / blockDim.x / blockDim.y};
        thread->batches = 0;
        emulated_make_ready(thread);
    }
    emulated_run_ready();
}

void emulated_run_grid(const emulated_grid &grid)
{
    launch = &grid;
    gridDim = grid.grid;
    blockDim = grid.block;
    emulated_thread_count = grid.block.x * grid.block.y * grid.block.z;
    for (; fiber_count < emulated_thread_count; fiber_count++)
        emulated_fiber_make(&emulated_threads[fiber_count].fiber, run_threads);
    emulated_fiber_adopt(&caller);
    void *shared = nullptr; // of its own for each launch, so that the sanitizer knows its ends
    if (posix_memalign(&shared, 128, grid.shared_bytes) != 0)
        abort();
    dynamic_shared = static_cast<unsigned char *>(shared);

    const uint64_t count = (uint64_t)gridDim.x * gridDim.y * gridDim.z;
    std::vector<uint64_t> order(count);
    for (uint64_t i = 0; i < count; i++) { // a random permutation, grown by one
        const uint64_t j = emulated_below(i + 1);
        order[i] = order[j];
        order[j] = i;
    }
    for (uint64_t i : order) {
        blockIdx = {unsigned(i % gridDim.x), unsigned(i / gridDim.x % gridDim.y),
                    unsigned(i / gridDim.x / gridDim.y)};
        run_block();
    }
    free(shared);
}
