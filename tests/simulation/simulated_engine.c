/* simulated_engine.c: implements io/engine.h for the simulation. It simulates the kernel under the
 * rules of io/engine_parts.h. Each event is one call: it moves some bytes of a transfer, fails, or
 * must be repeated. The files are real. */
#include "simulation/simulation_parts.h"

#include "io/engine_parts.h"
#include "io/file.h"
#include "run/frame.h"

#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#define DEPTH_MAX 64u

struct flight {
    struct gsi_io *io;
    uint64_t due_ns;
    enum sim_file file;
};

struct simulated {
    struct gsi_engine engine;
    struct gsi_io_queue queued, finished;
    bool is_woken, is_canceling, is_refusing;
    int watched_fd;
    uint32_t depth, count; /* in flight */
    struct flight flights[DEPTH_MAX];
};

static struct simulated *simulated; /* the one that is open */

/* ---- one call ---- */

/* The directories `t` and `r` hold temporary files and the journal of --resume. */
static enum sim_file file_of(const struct gsi_io *io)
{
    char link[32], path[PATH_MAX], here[PATH_MAX];
    if (io->off == GSI_IO_STREAM)
        return SIM_STREAM;
    snprintf(link, sizeof link, "/proc/self/fd/%d", io->fd);
    ssize_t length = readlink(link, path, sizeof path - 1);
    size_t skipped = getcwd(here, sizeof here) != NULL ? strlen(here) : 0;
    path[length > 0 ? length : 0] = '\0';
    if (length > (ssize_t)skipped + 2 && path[skipped + 2] == '/')
        return SIM_SPILL;
    bool is_read_only = (fcntl(io->fd, F_GETFL) & O_ACCMODE) == O_RDONLY;
    return io->op == GSI_IO_READ && is_read_only ? SIM_INPUT : SIM_OUTPUT;
}

/* Returns whether a fault strikes this call, and its result. */
static bool does_fail(const struct flight *flight, ssize_t *result)
{
    bool is_read = flight->io->op == GSI_IO_READ, is_spill = flight->file == SIM_SPILL;
    *result = -EIO;
    if (sim_strikes(is_read ? SIM_READ_FAILS : SIM_WRITE_FAILS))
        return true;
    *result = -ENOSPC;
    if (!is_read && sim_strikes(is_spill ? SIM_SPILL_IS_FULL : SIM_OUTPUT_IS_FULL))
        return true;
    *result = 0;
    if (!is_read && sim_strikes(SIM_WRITES_NOTHING))
        return true;
    if (is_read && is_spill && sim_strikes(SIM_SPILL_ENDS))
        return true;
    return is_read && flight->file == SIM_INPUT && sim_strikes(SIM_INPUT_ENDS);
}

/* A damaged byte must matter, which the zeros after the data of a frame do not (run/frame.h).
 * Returns how many of the `bytes` that a call moves matter. They are the first ones. */
static size_t bytes_that_matter(const struct flight *flight, size_t bytes)
{
    const struct gsi_io *io = flight->io;
    const uint8_t *frame = io->data;
    uint32_t stored;
    if (flight->file != SIM_SPILL || io->moved + bytes < 16 || memcmp(frame, "gsF", 3) != 0)
        return bytes;
    memcpy(&stored, frame + 12, sizeof stored);
    uint64_t end = GSI_FRAME_HEADER_BYTES + stored;
    return end > io->moved ? gsi_min_u64(bytes, end - io->moved) : 0;
}

static void flip(uint8_t *data, size_t bytes)
{
    data[sim_draw(bytes)] ^= (uint8_t)(1u << sim_draw(8));
}

static ssize_t write_wrong(const struct gsi_io *io, size_t bytes, size_t matter)
{
    uint8_t *wrong = aligned_alloc(GSI_DIRECT_ALIGN, gsi_round_up_u64(bytes, GSI_DIRECT_ALIGN));
    if (wrong == NULL)
        return -ENOMEM;
    memcpy(wrong, gsi_io_data(io), bytes);
    flip(wrong, matter);
    ssize_t moved = pwrite(io->fd, wrong, bytes, (off_t)gsi_io_off(io));
    free(wrong);
    return moved >= 0 ? moved : -errno;
}

/* Returns another offset of the file at which a frame may begin, or the same if there is only
 * one. */
static off_t elsewhere(const struct gsi_io *io)
{
    struct stat info;
    uint64_t off = gsi_io_off(io), blocks;
    if (fstat(io->fd, &info) != 0 || (blocks = (uint64_t)info.st_size / 4096) < 2)
        return (off_t)off;
    uint64_t other = sim_draw(blocks - 1);
    return (off_t)(4096 * (other + (other >= off / 4096)));
}

/* Returns whether the file has these bytes already: zeros, mostly. */
static bool is_there(const struct gsi_io *io, size_t bytes)
{
    uint8_t *there = malloc(bytes);
    if (there == NULL)
        sim_fail("no memory");
    ssize_t moved = pread(io->fd, there, bytes, (off_t)gsi_io_off(io));
    bool is_same = moved == (ssize_t)bytes && memcmp(there, gsi_io_data(io), bytes) == 0;
    free(there);
    return is_same;
}

static ssize_t write_some(const struct flight *flight, size_t bytes)
{
    const struct gsi_io *io = flight->io;
    const bool is_spill = flight->file == SIM_SPILL;
    const size_t matter = bytes_that_matter(flight, bytes);
    if (matter > 0 && sim_strikes(is_spill ? SIM_SPILL_LOST : SIM_OUTPUT_LOST)) {
        if (is_there(io, matter))
            sim_misses();
        return (ssize_t)bytes;
    }
    if (matter > 0 && sim_strikes(is_spill ? SIM_SPILL_WRITE_BIT : SIM_OUTPUT_BIT))
        return write_wrong(io, bytes, matter);
    ssize_t moved = pwrite(io->fd, gsi_io_data(io), bytes, (off_t)gsi_io_off(io));
    return moved >= 0 ? moved : -errno;
}

/* Another place may hold the same bytes, and then nothing is wrong. */
static void read_elsewhere(const struct gsi_io *io, size_t bytes, size_t matter)
{
    uint8_t *right = malloc(bytes);
    if (right == NULL)
        sim_fail("no memory");
    memcpy(right, gsi_io_data(io), bytes);
    bool is_read = pread(io->fd, gsi_io_data(io), bytes, elsewhere(io)) >= 0;
    if (!is_read || memcmp(right, gsi_io_data(io), matter) == 0)
        sim_misses();
    free(right);
}

static ssize_t read_some(const struct flight *flight, size_t bytes)
{
    const struct gsi_io *io = flight->io;
    ssize_t moved = pread(io->fd, gsi_io_data(io), bytes, (off_t)gsi_io_off(io));
    if (moved < 0)
        return -errno;
    const size_t matter = bytes_that_matter(flight, (size_t)moved);
    if (flight->file != SIM_SPILL || matter == 0)
        return moved;
    if (sim_strikes(SIM_SPILL_READ_BIT))
        flip(gsi_io_data(io), matter);
    if (sim_strikes(SIM_SPILL_ELSEWHERE))
        read_elsewhere(io, (size_t)moved, matter);
    return moved;
}

/* A pipe that is not ready returns EAGAIN and does not block. */
static ssize_t move_stream(const struct gsi_io *io, size_t bytes)
{
    bool is_read = io->op == GSI_IO_READ;
    struct pollfd polled = {.fd = io->fd, .events = is_read ? POLLIN : POLLOUT};
    if (poll(&polled, 1, 0) == 0)
        return -EAGAIN;
    ssize_t moved = is_read ? read(io->fd, gsi_io_data(io), bytes)
                            : write(io->fd, gsi_io_data(io), gsi_min_u64(bytes, PIPE_BUF));
    return moved >= 0 ? moved : -errno;
}

static ssize_t call(const struct flight *flight)
{
    const struct gsi_io *io = flight->io;
    const struct sim_profile *profile = sim_profile();
    size_t bytes = gsi_io_bytes(io);
    bool is_direct = flight->file != SIM_STREAM && (fcntl(io->fd, F_GETFL) & O_DIRECT) != 0;
    ssize_t result;
    if (sim_is_drawn(profile->interrupted))
        return -EINTR;
    if (sim_is_drawn(profile->blocked))
        return -EAGAIN;
    if (is_direct && sim_is_drawn(profile->refused_direct))
        return -EINVAL;
    if (does_fail(flight, &result))
        return result;
    size_t unit = is_direct ? GSI_DIRECT_ALIGN : 1; /* direct calls stop between blocks */
    if (bytes > unit && sim_is_drawn(profile->shorts))
        bytes = unit * (1 + sim_draw((bytes - 1) / unit));
    if (flight->file == SIM_STREAM)
        return move_stream(io, bytes);
    return io->op == GSI_IO_READ ? read_some(flight, bytes) : write_some(flight, bytes);
}

/* ---- events ---- */

static void finish(uint32_t which)
{
    gsi_io_queue_push(&simulated->finished, simulated->flights[which].io);
    simulated->flights[which] = simulated->flights[--simulated->count];
    simulated->is_canceling &= simulated->count > 0;
}

static void start_queued(void)
{
    struct gsi_io *io;
    while (simulated->count < simulated->depth &&
           (io = gsi_io_queue_pop(&simulated->queued)) != NULL)
        simulated->flights[simulated->count++] =
            (struct flight){.io = io, .due_ns = sim_due(), .file = file_of(io)};
}

static uint32_t first(void)
{
    uint32_t first = 0;
    for (uint32_t i = 1; i < simulated->count; i++)
        if (simulated->flights[i].due_ns < simulated->flights[first].due_ns)
            first = i;
    return first;
}

uint64_t sim_engine_due(void)
{
    if (simulated == NULL)
        return UINT64_MAX;
    start_queued();
    return simulated->count > 0 ? simulated->flights[first()].due_ns : UINT64_MAX;
}

void sim_engine_run(void)
{
    const uint32_t which = first();
    struct flight *flight = &simulated->flights[which];
    struct gsi_io *io = flight->io;
    if (sim_strikes(SIM_IS_REFUSED))
        simulated->is_refusing = true;
    if (simulated->is_refusing || (simulated->is_canceling && sim_draw(2) == 0)) {
        io->sys_errno = simulated->is_refusing ? EAGAIN : ECANCELED;
        sim_note("ended", (uint64_t)io->fd, io->off, (uint64_t)io->sys_errno);
        finish(which);
        return;
    }
    ssize_t result = call(flight);
    sim_note(io->op == GSI_IO_READ ? "read" : "write", (uint64_t)io->fd, gsi_io_off(io),
             (uint64_t)result);
    if (gsi_io_step(io, result) == GSI_STEP_FINISHED)
        finish(which);
    else
        flight->due_ns = sim_due();
}

void sim_engine_look(void)
{
    struct pollfd polled = {.events = POLLIN};
    if (simulated == NULL || simulated->watched_fd < 0)
        return;
    polled.fd = simulated->watched_fd;
    if (poll(&polled, 1, 0) == 1) {
        simulated->watched_fd = -1;
        simulated->is_woken = true;
    }
}

uint32_t sim_engine_count(void)
{
    return simulated != NULL;
}

/* ---- engine.h ---- */

static void simulated_submit(struct gsi_engine *engine, struct gsi_io *io)
{
    (void)engine;
    io->moved = 0;
    io->sys_errno = 0;
    io->is_tried_again = false;
    gsi_io_queue_push(&simulated->queued, io);
}

static void simulated_wait(struct gsi_engine *engine, uint64_t timeout_ns)
{
    (void)engine;
    uint64_t deadline = gsi_add_max_u64(sim_now(), timeout_ns);
    sim_engine_look();
    while (simulated->finished.head == NULL && !simulated->is_woken && sim_step(deadline)) {
    }
    if (simulated->finished.head == NULL && !simulated->is_woken && timeout_ns == UINT64_MAX)
        sim_fail("a job sleeps for ever");
    if (simulated->finished.head == NULL && !simulated->is_woken)
        sim_sleep(deadline);
    while (sim_is_drawn(sim_profile()->more) && sim_step(sim_now() + sim_profile()->usual_ns)) {
    }
    simulated->is_woken = false;
    struct gsi_io *io = simulated->finished.head;
    gsi_io_queue_init(&simulated->finished);
    while (io != NULL) {
        struct gsi_io *next = io->next;
        io->done(io);
        io = next;
    }
}

static void simulated_wake(struct gsi_engine *engine)
{
    (void)engine;
    simulated->is_woken = true;
}

static void simulated_watch(struct gsi_engine *engine, int fd)
{
    (void)engine;
    simulated->watched_fd = fd;
}

static void simulated_cancel(struct gsi_engine *engine)
{
    (void)engine;
    gsi_io_queue_end(&simulated->queued, &simulated->finished, ECANCELED);
    simulated->is_canceling = simulated->count > 0;
}

static void simulated_close(struct gsi_engine *engine)
{
    (void)engine;
    if (simulated->count > 0 || simulated->queued.head != NULL || simulated->finished.head != NULL)
        sim_fail("an engine closes while transfers are in flight");
    free(simulated);
    simulated = NULL;
}

static const struct gsi_engine_ops gsi_engine_simulated = {.name = "simulated",
                                                           .close = simulated_close,
                                                           .submit = simulated_submit,
                                                           .wait = simulated_wait,
                                                           .wake = simulated_wake,
                                                           .watch = simulated_watch,
                                                           .cancel = simulated_cancel};

enum gs_status __wrap_gsi_engine_open(enum gsi_io_choice choice, uint32_t depth,
                                      struct gsi_engine **engine, char *note, size_t note_bytes,
                                      struct gs_error *error);
enum gs_status __wrap_gsi_engine_open(enum gsi_io_choice choice, uint32_t depth,
                                      struct gsi_engine **engine, char *note, size_t note_bytes,
                                      struct gs_error *error)
{
    (void)choice;
    *engine = NULL;
    if (note_bytes > 0)
        note[0] = '\0';
    if (simulated != NULL)
        sim_fail("a second engine opens");
    simulated = calloc(1, sizeof *simulated);
    if (simulated == NULL)
        return gsi_fail(error, GS_E_MEMORY, ENOMEM, "memory: no engine");
    simulated->engine.ops = &gsi_engine_simulated;
    simulated->watched_fd = -1;
    simulated->depth = (uint32_t)gsi_min_u64(gsi_min_u64(depth, DEPTH_MAX), sim_profile()->depth);
    gsi_io_queue_init(&simulated->queued);
    gsi_io_queue_init(&simulated->finished);
    *engine = &simulated->engine;
    return GS_OK;
}
