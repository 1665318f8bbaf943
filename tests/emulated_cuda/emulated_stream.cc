// emulated_stream.cc: emulates streams, events and host functions as queues that are drained late.
//
// An operation is queued and executed later: a few, of any streams, by each query; as many as are
// needed by each call that waits; and one every 50 us or so by a background thread, so that a
// caller who waits for a host function's signal gets it. The next stream is drawn: mostly the last
// one again, so that one stream gets far ahead of the others. A call that waits for a stream
// sometimes leaves all others where they are.
//
//     stream A: [copy] [launch] [record e]            queue heads are what may be executed now:
//     stream B: [wait e] [copy]                       A's copy; B's wait only after e's record
//
// An event's record is a `moment`, which later waits and queries hold, so that recording the event
// again does not disturb them. The default stream and those made without cudaStreamNonBlocking wait
// for each other in the order of the calls, as the legacy default stream does.
//
// Host functions run on the background thread, without the lock; their operation stays at the head
// of its queue until they return.
#include "emulated_cuda.h"
#include "emulated_parts.h"

#include <time.h>

#include <cstdio>
#include <cstdlib>
#include <deque>
#include <memory>
#include <set>
#include <vector>

namespace
{

struct moment {
    bool has_come;
    double seconds;
};

enum operation_kind { WORK, RECORD, WAIT, HOST_FUNCTION };

struct operation {
    operation_kind kind;
    uint64_t sequence; // of all operations
    int device;        // whose memory it uses; -1: that of all
    std::function<void()> work;
    std::shared_ptr<moment> when; // RECORD, WAIT
};

} // namespace

struct emulated_stream {
    std::deque<operation> queue;
    bool is_blocking;    // in order with the default stream
    bool is_in_function; // the head runs on the background thread
    bool is_destroyed;   // goes once it is empty
    int device;          // -1: the caller's
};

struct emulated_event {
    std::shared_ptr<moment> last; // record; null: never recorded
    bool has_timing;
    int device;
};

namespace
{

struct streams {
    emulated_stream default_stream = {{}, true, false, false, -1};
    std::set<emulated_stream *> all = {&default_stream}; // destroyed ones, too
    std::set<emulated_event *> events;
    std::deque<emulated_stream *> functions; // streams whose head is a function to run
    emulated_stream *favourite = nullptr;
    uint64_t sequence = 0;
    bool is_background_on = true, is_thread_started = false, is_thread_idle = false;
};

streams &state = *new streams; // never deleted: the background thread may outlive main
pthread_cond_t thread_wake = PTHREAD_COND_INITIALIZER;   // for the background thread
pthread_cond_t function_done = PTHREAD_COND_INITIALIZER; // for those who wait

double now()
{
    timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return double(time.tv_sec) + 1e-9 * double(time.tv_nsec);
}

emulated_stream *find_stream(cudaStream_t handle)
{
    if (handle == nullptr)
        return &state.default_stream;
    return state.all.count(handle) != 0 && !handle->is_destroyed ? handle : nullptr;
}

bool can_go_on(const emulated_stream *stream)
{
    if (stream->queue.empty() || stream->is_in_function)
        return false;
    const operation &head = stream->queue.front();
    if (head.kind == WAIT && !head.when->has_come)
        return false;
    if (!stream->is_blocking)
        return true;
    for (const emulated_stream *other : state.all) {
        const bool is_ordered =
            stream == &state.default_stream ? other->is_blocking : other == &state.default_stream;
        if (is_ordered && !other->queue.empty() && other->queue.front().sequence < head.sequence)
            return false;
    }
    return true;
}

// Returns a stream that can continue; null: none.
emulated_stream *choose()
{
    std::vector<emulated_stream *> choices;
    for (emulated_stream *stream : state.all) {
        if (!can_go_on(stream))
            continue;
        if (stream == state.favourite && emulated_below(8) != 0)
            return stream;
        choices.push_back(stream);
    }
    if (choices.empty())
        return nullptr;
    return state.favourite = choices[emulated_below(choices.size())];
}

void pop_head(emulated_stream *stream)
{
    stream->queue.pop_front();
    if (stream->is_destroyed && stream->queue.empty()) {
        state.all.erase(stream);
        delete stream;
    }
}

void run_head(emulated_stream *stream)
{
    operation &head = stream->queue.front();
    switch (head.kind) {
    case WORK:
        if (emulated_begin_operation(head.device)) {
            head.work();
            emulated_end_operation();
        }
        break;
    case RECORD:
        *head.when = {true, now()};
        break;
    case WAIT:
        break;
    case HOST_FUNCTION:
        if (emulated_is_lost())
            break;
        stream->is_in_function = true;
        state.functions.push_back(stream);
        pthread_cond_signal(&thread_wake);
        return;
    }
    pop_head(stream);
}

// Execute operations until is_done(). `target`: the stream that this is about; null: any.
template <class Condition> void run_until(emulated_stream *target, Condition is_done)
{
    const bool is_only_target = target != nullptr && emulated_below(2) == 0;
    while (!is_done()) {
        emulated_stream *stream = is_only_target && can_go_on(target) ? target : choose();
        if (stream != nullptr) {
            run_head(stream);
            continue;
        }
        bool is_in_function = false;
        for (const emulated_stream *other : state.all)
            is_in_function |= other->is_in_function;
        if (!is_in_function) {
            fprintf(stderr, "emulated CUDA: a wait that nothing queued can end\n");
            abort();
        }
        pthread_cond_wait(&function_done, &emulated_mutex);
    }
}

void run_few()
{
    for (uint64_t n = emulated_below(3); n > 0; n--)
        if (emulated_stream *stream = choose())
            run_head(stream);
}

void run_function(emulated_stream *stream)
{
    operation &head = stream->queue.front(); // stays where it is: only this thread pops it
    pthread_mutex_unlock(&emulated_mutex);
    emulated_is_in_host_function = true;
    head.work();
    emulated_is_in_host_function = false;
    pthread_mutex_lock(&emulated_mutex);
    stream->is_in_function = false;
    pop_head(stream);
    pthread_cond_broadcast(&function_done);
}

bool has_work()
{
    for (const emulated_stream *stream : state.all)
        if (can_go_on(stream))
            return true;
    return false;
}

// Sleep 10 to 90 us or until there is a host function to run.
void wait_a_little()
{
    timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += long(10000 + emulated_below(80000));
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    pthread_cond_timedwait(&thread_wake, &emulated_mutex, &until);
}

void *run_background(void *)
{
    pthread_mutex_lock(&emulated_mutex);
    for (;;) {
        if (!state.functions.empty()) {
            emulated_stream *stream = state.functions.front();
            state.functions.pop_front();
            run_function(stream);
        } else if (state.is_background_on && has_work()) {
            wait_a_little();
            emulated_stream *stream =
                state.functions.empty() && state.is_background_on ? choose() : nullptr;
            if (stream != nullptr)
                run_head(stream);
        } else {
            state.is_thread_idle = true;
            pthread_cond_wait(&thread_wake, &emulated_mutex);
            state.is_thread_idle = false;
        }
    }
    return nullptr;
}

void start_thread()
{
    if (state.is_thread_started)
        return;
    pthread_t thread;
    if (pthread_create(&thread, nullptr, run_background, nullptr) != 0) {
        perror("emulated CUDA: the background thread");
        abort();
    }
    pthread_detach(thread);
    state.is_thread_started = true;
}

void add(emulated_stream *stream, operation_kind kind, int device, std::function<void()> work,
         std::shared_ptr<moment> when)
{
    start_thread();
    stream->queue.push_back({kind, state.sequence++, device, std::move(work), std::move(when)});
    if (state.is_thread_idle)
        pthread_cond_signal(&thread_wake);
}

std::shared_ptr<moment> add_record(emulated_stream *stream)
{
    auto when = std::make_shared<moment>(moment{false, 0});
    add(stream, RECORD, -1, nullptr, when);
    return when;
}

} // namespace

// ---- parts ----

void emulated_drain()
{
    run_until(nullptr, [] {
        for (const emulated_stream *stream : state.all)
            if (!stream->queue.empty())
                return false;
        return true;
    });
}

cudaError_t emulated_queue(cudaStream_t handle, bool is_blocking, bool is_copy,
                           std::function<void()> work)
{
    emulated_stream *stream = find_stream(handle);
    const bool is_foreign =
        stream != nullptr && stream->device >= 0 && stream->device != emulated_device;
    if (stream == nullptr || (is_foreign && !is_copy))
        return cudaErrorInvalidResourceHandle;
    add(stream, WORK, is_copy ? -1 : emulated_device, std::move(work), nullptr);
    if (is_blocking) {
        const auto when = add_record(stream);
        run_until(stream, [&] { return when->has_come; });
    }
    return cudaSuccess;
}

void emulated_destroy_streams()
{
    for (emulated_stream *stream : state.all)
        if (stream != &state.default_stream)
            delete stream;
    state.all = {&state.default_stream};
    for (emulated_event *event : state.events)
        delete event;
    state.events.clear();
}

uint64_t emulated_stream_count()
{
    uint64_t count = state.events.size();
    for (const emulated_stream *stream : state.all)
        count += stream != &state.default_stream && !stream->is_destroyed;
    return count;
}

void emulated_forget_threads()
{
    thread_wake = PTHREAD_COND_INITIALIZER;
    function_done = PTHREAD_COND_INITIALIZER;
    state.is_thread_started = state.is_thread_idle = false;
}

void emulated_cuda_set_background(bool is_on)
{
    pthread_mutex_lock(&emulated_mutex);
    state.is_background_on = is_on;
    pthread_cond_signal(&thread_wake);
    pthread_mutex_unlock(&emulated_mutex);
}

// ---- streams ----

cudaError_t cudaDeviceSynchronize()
{
    return emulated_call(__func__, [] {
        emulated_drain();
        return cudaSuccess;
    });
}

cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest)
{
    return emulated_call(__func__, [&] {
        *least = 0;
        *greatest = -5;
        return cudaSuccess;
    });
}

static cudaError_t create_stream(const char *name, cudaStream_t *stream, unsigned flags)
{
    return emulated_call(name, [&] {
        if (flags > cudaStreamNonBlocking)
            return cudaErrorInvalidValue;
        *stream =
            new emulated_stream{{}, flags == cudaStreamDefault, false, false, emulated_device};
        state.all.insert(*stream);
        return cudaSuccess;
    });
}

cudaError_t cudaStreamCreate(cudaStream_t *stream)
{
    return create_stream(__func__, stream, cudaStreamDefault);
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags)
{
    return create_stream(__func__, stream, flags);
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned flags, int)
{
    return create_stream(__func__, stream, flags);
}

cudaError_t cudaStreamDestroy(cudaStream_t handle)
{
    return emulated_release(__func__, [&] {
        emulated_stream *stream = handle != nullptr ? find_stream(handle) : nullptr;
        if (stream == nullptr)
            return cudaErrorInvalidResourceHandle;
        stream->is_destroyed = true; // what is queued is executed still
        if (stream->queue.empty()) {
            state.all.erase(stream);
            delete stream;
        }
        return cudaSuccess;
    });
}

cudaError_t cudaStreamSynchronize(cudaStream_t handle)
{
    return emulated_call(__func__, [&] {
        emulated_stream *stream = find_stream(handle);
        if (stream == nullptr)
            return cudaErrorInvalidResourceHandle;
        const auto when = add_record(stream);
        run_until(stream, [&] { return when->has_come; });
        return cudaSuccess;
    });
}

cudaError_t cudaStreamQuery(cudaStream_t handle)
{
    return emulated_call(__func__, [&] {
        emulated_stream *stream = find_stream(handle);
        if (stream == nullptr)
            return cudaErrorInvalidResourceHandle;
        run_few();
        return stream->queue.empty() ? cudaSuccess : cudaErrorNotReady;
    });
}

cudaError_t cudaStreamWaitEvent(cudaStream_t handle, cudaEvent_t event, unsigned)
{
    return emulated_call(__func__, [&] {
        emulated_stream *stream = find_stream(handle);
        if (stream == nullptr || state.events.count(event) == 0)
            return cudaErrorInvalidResourceHandle;
        if (event->last != nullptr)
            add(stream, WAIT, -1, nullptr, event->last);
        return cudaSuccess;
    });
}

cudaError_t cudaLaunchHostFunc(cudaStream_t handle, cudaHostFn_t function, void *context)
{
    return emulated_call(__func__, [&] {
        emulated_stream *stream = find_stream(handle);
        if (stream == nullptr)
            return cudaErrorInvalidResourceHandle;
        if (function == nullptr)
            return cudaErrorInvalidValue;
        add(
            stream, HOST_FUNCTION, -1, [=] { function(context); }, nullptr);
        return cudaSuccess;
    });
}

// ---- events ----

static cudaError_t create_event(const char *name, cudaEvent_t *event, unsigned flags)
{
    return emulated_call(name, [&] {
        *event =
            new emulated_event{nullptr, (flags & cudaEventDisableTiming) == 0, emulated_device};
        state.events.insert(*event);
        return cudaSuccess;
    });
}

cudaError_t cudaEventCreate(cudaEvent_t *event)
{
    return create_event(__func__, event, cudaEventDefault);
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags)
{
    return create_event(__func__, event, flags);
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t handle)
{
    return emulated_call(__func__, [&] {
        emulated_stream *stream = find_stream(handle);
        if (stream == nullptr || state.events.count(event) == 0 ||
            (stream->device >= 0 && stream->device != event->device))
            return cudaErrorInvalidResourceHandle;
        event->last = add_record(stream);
        return cudaSuccess;
    });
}

cudaError_t cudaEventQuery(cudaEvent_t event)
{
    return emulated_call(__func__, [&] {
        if (state.events.count(event) == 0)
            return cudaErrorInvalidResourceHandle;
        run_few();
        return event->last == nullptr || event->last->has_come ? cudaSuccess : cudaErrorNotReady;
    });
}

cudaError_t cudaEventSynchronize(cudaEvent_t event)
{
    return emulated_call(__func__, [&] {
        if (state.events.count(event) == 0)
            return cudaErrorInvalidResourceHandle;
        const auto when = event->last;
        run_until(nullptr, [&] { return when == nullptr || when->has_come; });
        return cudaSuccess;
    });
}

cudaError_t cudaEventDestroy(cudaEvent_t event)
{
    return emulated_release(__func__, [&] {
        if (state.events.erase(event) == 0)
            return cudaErrorInvalidResourceHandle;
        delete event;
        return cudaSuccess;
    });
}

cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t start, cudaEvent_t end)
{
    return emulated_call(__func__, [&] {
        if (state.events.count(start) == 0 || state.events.count(end) == 0 || !start->has_timing ||
            !end->has_timing || start->last == nullptr || end->last == nullptr)
            return cudaErrorInvalidResourceHandle;
        if (!start->last->has_come || !end->last->has_come)
            return cudaErrorNotReady;
        *milliseconds = float(1e3 * (end->last->seconds - start->last->seconds));
        return cudaSuccess;
    });
}
