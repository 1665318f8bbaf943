/* skeleton_engine.c: the smallest I/O engine, to be copied for a new one. test_engine.c runs its
 * tests over this one, too.
 *
 * It has no threads: gsi_engine_wait makes the transfers, one after the other. So nothing is read
 * while the owner works, and a slow disk blocks the owner. Pipes and terminals are polled first, so
 * they do not.
 *
 * An engine of gsort is a file src/io/engine_WORD.c like this one, with a table that is declared in
 * io/engine.h. It needs:
 *
 *     base/choices.h          a constant of enum gsi_io_choice
 *     io/engine_open.c        a place in the table of gsi_engine_find
 *     option/option_rows.c    a word for --io
 *     src/CMakeLists.txt      its name */
#include "io/engine_parts.h"

#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

extern const struct gsi_engine_ops skeleton_engine; /* as in io/engine.h */

struct skeleton {
    struct gsi_engine engine; /* must be the first member */
    struct gsi_io_queue queued, ended;
    int wake_fd, watched_fd; /* -1: none */
    uint32_t depth;
    struct pollfd polled[]; /* wake_fd, watched_fd, the first `depth` queued transfers */
};

/* Makes the next call for a transfer. It writes at most PIPE_BUF bytes to a pipe, which then has
 * room for so many. Each result must pass gsi_io_step, which knows ends, interrupts and direct I/O.
 * Returns whether the transfer has ended. */
static bool transfer(struct gsi_io *io)
{
    enum gsi_io_step step;
    const bool is_stream = io->off == GSI_IO_STREAM;
    do {
        uint8_t *data = gsi_io_data(io);
        const size_t bytes = gsi_io_bytes(io), most = gsi_min_u64(bytes, PIPE_BUF);
        ssize_t moved;
        if (io->op == GSI_IO_READ)
            moved = is_stream ? read(io->fd, data, bytes)
                              : pread(io->fd, data, bytes, (off_t)gsi_io_off(io));
        else
            moved = is_stream ? write(io->fd, data, most)
                              : pwrite(io->fd, data, bytes, (off_t)gsi_io_off(io));
        step = gsi_io_step(io, moved < 0 ? -errno : moved);
    } while (step == GSI_STEP_AGAIN && !is_stream);
    return step == GSI_STEP_FINISHED;
}

/* Files are ready, and so are descriptors that are not open: their transfers fail. */
static bool is_ready(const struct gsi_io *io, const struct pollfd *polled)
{
    return io->off != GSI_IO_STREAM || io->fd < 0 || polled->revents != 0;
}

/* Sleeps until a descriptor is ready, or the time is over. */
static void poll_all(struct skeleton *engine, uint64_t timeout_ns)
{
    static const struct pollfd none;
    nfds_t count = 2;
    engine->polled[0] = (struct pollfd){.fd = engine->wake_fd, .events = POLLIN};
    engine->polled[1] = (struct pollfd){.fd = engine->watched_fd, .events = POLLIN};
    for (struct gsi_io *io = engine->queued.head; io != NULL && count < 2 + engine->depth;
         io = io->next) {
        timeout_ns = is_ready(io, &none) ? 0 : timeout_ns;
        engine->polled[count++] =
            (struct pollfd){.fd = io->fd, .events = io->op == GSI_IO_READ ? POLLIN : POLLOUT};
    }
    const struct timespec timeout = {.tv_sec = (time_t)(timeout_ns / 1000000000u),
                                     .tv_nsec = (long)(timeout_ns % 1000000000u)};
    if (ppoll(engine->polled, count, timeout_ns == UINT64_MAX ? NULL : &timeout, NULL) <= 0)
        for (nfds_t i = 0; i < count; i++)
            engine->polled[i].revents = 0;
}

/* Makes a call for each polled transfer that is ready. */
static void transfer_all(struct skeleton *engine)
{
    struct gsi_io_queue left;
    struct gsi_io *io;
    gsi_io_queue_init(&left);
    for (uint32_t i = 0; (io = gsi_io_queue_pop(&engine->queued)) != NULL; i++) {
        bool has_ended = i < engine->depth && is_ready(io, &engine->polled[2 + i]) && transfer(io);
        gsi_io_queue_push(has_ended ? &engine->ended : &left, io);
    }
    while ((io = gsi_io_queue_pop(&left)) != NULL)
        gsi_io_queue_push(&engine->queued, io);
}

/* Must be set. Calls `done` here and nowhere else: it may submit again. */
static void wait_for_transfers(struct gsi_engine *base, uint64_t timeout_ns)
{
    struct skeleton *engine = (struct skeleton *)base;
    const uint64_t deadline = gsi_deadline(timeout_ns);
    bool is_over = engine->ended.head != NULL; /* canceled */
    uint64_t wakes, left;
    while (!is_over) {
        left = gsi_deadline_left(deadline);
        poll_all(engine, left);
        transfer_all(engine);
        is_over = left == 0 || engine->ended.head != NULL || engine->polled[1].revents != 0 ||
                  (engine->polled[0].revents != 0 &&
                   read(engine->wake_fd, &wakes, sizeof wakes) == (ssize_t)sizeof wakes);
        if (engine->polled[1].revents != 0)
            engine->watched_fd = -1; /* it ends one wait */
    }
    struct gsi_io *io;
    while ((io = gsi_io_queue_pop(&engine->ended)) != NULL)
        io->done(io);
}

/* Must be set. Clears the results; another engine starts the transfer here. */
static void submit(struct gsi_engine *base, struct gsi_io *io)
{
    io->moved = 0;
    io->sys_errno = 0;
    io->is_tried_again = false;
    gsi_io_queue_push(&((struct skeleton *)base)->queued, io);
}

/* Must be set. The only call that any thread may make: it must end a later wait, too. */
static void wake(struct gsi_engine *base)
{
    const uint64_t one = 1;
    (void)!write(((struct skeleton *)base)->wake_fd, &one, sizeof one);
}

/* Must be set. Programs that notify through a descriptor need it. */
static void watch(struct gsi_engine *base, int fd)
{
    ((struct skeleton *)base)->watched_fd = fd;
}

/* Must be set. Here no call is under way, so all transfers end at once. */
static void cancel(struct gsi_engine *base)
{
    struct skeleton *engine = (struct skeleton *)base;
    gsi_io_queue_end(&engine->queued, &engine->ended, ECANCELED);
}

/* Must be set. Nothing is in flight. */
static void close_engine(struct gsi_engine *base)
{
    close(((struct skeleton *)base)->wake_fd);
    free(base);
}

/* Must be set. Must fail here if the machine refuses the engine: with --io=auto, gsort then opens
 * another one. */
static enum gs_status open_engine(uint32_t depth, struct gsi_engine **base, struct gs_error *error)
{
    struct skeleton *engine = calloc(1, sizeof *engine + (2 + depth) * sizeof *engine->polled);
    *base = NULL;
    if (engine == NULL)
        return gsi_fail(error, GS_E_MEMORY, ENOMEM, "out of memory: cannot allocate the engine");
    engine->engine.ops = &skeleton_engine;
    engine->depth = depth;
    engine->watched_fd = -1;
    engine->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    gsi_io_queue_init(&engine->queued);
    gsi_io_queue_init(&engine->ended);
    *base = &engine->engine;
    return GS_OK;
}

const struct gsi_engine_ops skeleton_engine = {.name = "skeleton", /* of the report */
                                               .open = open_engine,
                                               .close = close_engine,
                                               .submit = submit,
                                               .wait = wait_for_transfers,
                                               .wake = wake,
                                               .watch = watch,
                                               .cancel = cancel};
