/* engine_uring.c: implements an engine by Linux io_uring (5.6 and later), through liburing.
 *
 * Each transfer in progress has one of `depth` slots. It may need several requests to the kernel,
 * one after the other. A request's user_data is its slot. For the read of the wake eventfd it is
 * the engine, for the poll of watched_fd its address, and for cancel requests NULL.
 *
 * All functions except wake run on the owner's thread, as SINGLE_ISSUER and DEFER_TASKRUN require.
 * With these flags, the kernel completes requests only inside wait.
 *
 * If the kernel accepts no requests (EAGAIN, EBUSY), the engine tries again after a short sleep.
 * After REFUSALS_MAX failed tries, during which no transfer ended, it gives up. Then all transfers
 * that the kernel has not accepted, and all later ones, fail with that errno. The engine still
 * waits for accepted transfers. */
#include "base/assert.h"
#include "io/engine_parts.h"

#include <errno.h>
#include <liburing.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#define REFUSALS_MAX 200
#define NAP_NS       10000000u

struct slot {
    struct gsi_io *io; /* NULL: the slot is free */
    struct slot *next_free;
    bool is_polling;  /* a poll is in progress; the transfer starts when the descriptor is ready */
    bool is_forced;   /* a kernel thread runs it, which may block instead of returning EAGAIN */
    bool is_canceled; /* it was cancelled */
};

struct uring {
    struct gsi_engine engine;
    struct io_uring ring;
    bool has_ring;
    int wake_fd, watched_fd; /* -1: no descriptor is watched, or it was readable */
    uint64_t wake_count;     /* the kernel reads the wake eventfd into this */
    bool is_wake_armed, is_woken, is_closing;
    uint32_t refusals; /* failed tries since the last success */
    int refusal;       /* errno after the engine gave up; 0: it has not */
    struct gsi_io_queue queued, ended;
    struct slot *free_slots;
    uint32_t depth;
    struct slot slots[];
};

/* Returns an empty request. The ring has enough for a transfer and a cancel per slot, the read of
 * the wake eventfd and one poll. */
static struct io_uring_sqe *get_request(struct uring *uring)
{
    struct io_uring_sqe *sqe = io_uring_get_sqe(&uring->ring);
    GSI_ASSERT(sqe != NULL);
    return sqe;
}

/* Starts a read of the wake eventfd, so that a write to it ends a sleep. */
static void arm_wake(struct uring *uring)
{
    struct io_uring_sqe *sqe = get_request(uring);
    io_uring_prep_read(sqe, uring->wake_fd, &uring->wake_count, sizeof uring->wake_count, 0);
    io_uring_sqe_set_data(sqe, uring);
    uring->is_wake_armed = true;
}

static void start_transfer(struct uring *uring, struct slot *slot)
{
    const struct gsi_io *io = slot->io;
    struct io_uring_sqe *sqe = get_request(uring);
    if (io->op == GSI_IO_READ)
        io_uring_prep_read(sqe, io->fd, gsi_io_data(io), gsi_io_bytes(io), gsi_io_off(io));
    else
        io_uring_prep_write(sqe, io->fd, gsi_io_data(io), gsi_io_bytes(io), gsi_io_off(io));
    if (io->is_copy || slot->is_forced)
        io_uring_sqe_set_flags(sqe, IOSQE_ASYNC);
    io_uring_sqe_set_data(sqe, slot);
}

static void start_poll(struct uring *uring, struct slot *slot)
{
    struct io_uring_sqe *sqe = get_request(uring);
    io_uring_prep_poll_add(sqe, slot->io->fd, slot->io->op == GSI_IO_READ ? POLLIN : POLLOUT);
    io_uring_sqe_set_data(sqe, slot);
    slot->is_polling = true;
}

static void start_slot(struct uring *uring, struct slot *slot)
{
    const struct gsi_io *io = slot->io;
    if (io->op == GSI_IO_READ && io->off == GSI_IO_STREAM && io->bytes > 0)
        start_poll(uring, slot);
    else
        start_transfer(uring, slot);
}

static void start_queued(struct uring *uring)
{
    if (uring->refusal != 0)
        gsi_io_queue_end(&uring->queued, &uring->ended, uring->refusal);
    while (uring->free_slots != NULL && uring->queued.head != NULL) {
        struct slot *slot = uring->free_slots;
        uring->free_slots = slot->next_free;
        *slot = (struct slot){.io = gsi_io_queue_pop(&uring->queued)};
        start_slot(uring, slot);
    }
}

static void finish_slot(struct uring *uring, struct slot *slot)
{
    struct gsi_io *io = slot->io;
    slot->io = NULL;
    slot->next_free = uring->free_slots;
    uring->free_slots = slot;
    io->done(io);
}

/* Handles the result of a request. Returns whether the transfer has ended, and `done` was
 * called. */
static bool handle_completion(struct uring *uring, struct slot *slot, int result)
{
    struct gsi_io *io = slot->io;
    if (slot->is_polling && result > 0) /* the result of a poll: start the transfer */
        result = -EINTR;
    /* The engine did not request this cancel. The kernel cancels requests if it cannot start a
     * thread for them, for instance while signals arrive (io_uring/io-wq.c, create_worker_cont). */
    if (result == -ECANCELED && !slot->is_canceled)
        result = -EINTR;
    slot->is_polling = false;
    enum gsi_io_step step = gsi_io_step(io, result);
    if (step != GSI_STEP_FINISHED && (slot->is_canceled || uring->refusal != 0)) {
        io->sys_errno = slot->is_canceled ? ECANCELED : uring->refusal;
        step = GSI_STEP_FINISHED;
    }
    if (step == GSI_STEP_AGAIN)
        start_transfer(uring, slot);
    if (step == GSI_STEP_BLOCKED) {
        slot->is_forced = true;
        start_poll(uring, slot);
    }
    if (step != GSI_STEP_FINISHED)
        return false;
    finish_slot(uring, slot);
    return true;
}

/* Handles all available results of requests. Returns how many transfers have ended. */
static size_t handle_completions(struct uring *uring)
{
    struct io_uring_cqe *cqe;
    size_t finished = 0;
    while (io_uring_peek_cqe(&uring->ring, &cqe) == 0) {
        void *user_data = io_uring_cqe_get_data(cqe);
        int result = cqe->res;
        io_uring_cqe_seen(&uring->ring, cqe);
        uring->refusals = 0;
        if (user_data == uring) {
            uring->is_wake_armed = false;
            uring->is_woken = true;
            if (!uring->is_closing && uring->refusal == 0)
                arm_wake(uring);
        } else if (user_data == &uring->watched_fd) {
            uring->watched_fd = -1;
            uring->is_woken = true;
        } else if (user_data != NULL) {
            finished += handle_completion(uring, user_data, result);
        }
    }
    return finished;
}

/* Submits prepared requests, and sleeps until one completes. Returns the kernel's result. */
static int submit_and_sleep(struct uring *uring, uint64_t sleep_ns)
{
    struct io_uring_cqe *cqe;
    struct __kernel_timespec limit = {.tv_sec = (long long)(sleep_ns / 1000000000u),
                                      .tv_nsec = (long long)(sleep_ns % 1000000000u)};
    if (sleep_ns == 0)
        return io_uring_submit_and_get_events(&uring->ring);
    if (sleep_ns == UINT64_MAX)
        return io_uring_submit_and_wait(&uring->ring, 1);
    return io_uring_submit_and_wait_timeout(&uring->ring, &cqe, 1, &limit, NULL);
}

/* Sleeps shortly after the kernel has refused requests. Also polls the wake eventfd and watched_fd,
 * because their requests may be among the refused ones. */
static void wait_after_refusal(struct uring *uring, uint64_t sleep_ns)
{
    struct pollfd polled[2] = {{.fd = uring->wake_fd, .events = POLLIN},
                               {.fd = uring->watched_fd, .events = POLLIN}};
    io_uring_get_events(&uring->ring);
    if (poll(polled, 2, (int)(gsi_min_u64(sleep_ns, NAP_NS) / 1000000)) <= 0)
        return;
    uring->is_woken = true;
    if (polled[1].revents != 0)
        uring->watched_fd = -1;
    if (polled[0].revents != 0 && !uring->is_wake_armed)
        (void)!read(uring->wake_fd, &uring->wake_count, sizeof uring->wake_count);
}

/* Cancels an accepted transfer by a system call, without a request (Linux 6.0). */
static void cancel_accepted(struct uring *uring, const struct slot *slot)
{
    io_uring_register_sync_cancel(
        &uring->ring, &(struct io_uring_sync_cancel_reg){.addr = (uintptr_t)slot, .fd = -1});
}

/* Gives up: ends all transfers that the kernel has not accepted, with this errno. Returns how many.
 * Nothing is submitted afterwards. */
static size_t return_unaccepted(struct uring *uring, int sys_errno)
{
    const struct io_uring_sq *sq = &uring->ring.sq;
    size_t finished = 0;
    uring->refusal = sys_errno;
    for (unsigned at = io_uring_smp_load_acquire(sq->khead); at != sq->sqe_tail; at++) {
        /* NOLINTNEXTLINE(performance-no-int-to-ptr): liburing stores pointers so */
        void *user_data = (void *)(uintptr_t)sq->sqes[at & sq->ring_mask].user_data;
        struct slot *slot = user_data;
        if (user_data == uring) {
            uring->is_wake_armed = false;
        } else if (user_data != NULL && user_data != &uring->watched_fd) {
            slot->io->sys_errno = sys_errno;
            finish_slot(uring, slot);
            finished++;
        }
    }
    for (uint32_t i = 0; i < uring->depth; i++)
        if (uring->slots[i].io != NULL && uring->slots[i].is_canceled)
            cancel_accepted(uring, &uring->slots[i]);
    return finished;
}

/* Submits requests and sleeps, or handles the kernel's refusal. Returns how many transfers ended
 * because the engine gave up. */
static size_t submit_or_nap(struct uring *uring, uint64_t sleep_ns)
{
    int result = uring->refusal != 0 ? -uring->refusal : submit_and_sleep(uring, sleep_ns);
    if (result >= 0 || result == -EINTR || result == -ETIME) {
        uring->refusals = 0;
        return 0;
    }
    wait_after_refusal(uring, sleep_ns);
    if (uring->refusal != 0 || ++uring->refusals < REFUSALS_MAX)
        return 0;
    return return_unaccepted(uring, -result);
}

/* Calls `done` of transfers that were cancelled or refused while they were queued. Returns their
 * number. */
static size_t return_ended(struct uring *uring)
{
    struct gsi_io *io = uring->ended.head;
    size_t finished = 0;
    gsi_io_queue_init(&uring->ended);
    while (io != NULL) {
        struct gsi_io *next = io->next;
        finished++;
        io->done(io);
        io = next;
    }
    return finished;
}

static void uring_wait(struct gsi_engine *engine, uint64_t timeout_ns)
{
    struct uring *uring = (struct uring *)engine;
    uint64_t deadline = gsi_deadline(timeout_ns), left_ns;
    size_t finished = 0;
    uring->is_woken = false;
    do {
        start_queued(uring);
        finished += return_ended(uring);
        left_ns = gsi_deadline_left(deadline);
        finished += submit_or_nap(uring, finished > 0 ? 0 : left_ns);
        finished += handle_completions(uring);
    } while (finished == 0 && !uring->is_woken && left_ns > 0);
    /* Start the transfers that callbacks `done` have queued. */
    start_queued(uring);
    if (uring->refusal == 0)
        io_uring_submit(&uring->ring);
}

static void uring_submit(struct gsi_engine *engine, struct gsi_io *io)
{
    struct uring *uring = (struct uring *)engine;
    io->moved = 0;
    io->sys_errno = 0;
    io->is_tried_again = false;
    gsi_io_queue_push(&uring->queued, io);
}

static void uring_wake(struct gsi_engine *engine)
{
    const struct uring *uring = (const struct uring *)engine;
    (void)!write(uring->wake_fd, &(uint64_t){1}, sizeof(uint64_t));
}

/* The poll ends when the ring is closed. */
static void uring_watch(struct gsi_engine *engine, int fd)
{
    struct uring *uring = (struct uring *)engine;
    struct io_uring_sqe *sqe = get_request(uring);
    io_uring_prep_poll_add(sqe, fd, POLLIN);
    io_uring_sqe_set_data(sqe, &uring->watched_fd);
    uring->watched_fd = fd;
}

/* Cancels each transfer by its user_data. So the read of the wake eventfd continues. */
static void uring_cancel(struct gsi_engine *engine)
{
    struct uring *uring = (struct uring *)engine;
    gsi_io_queue_end(&uring->queued, &uring->ended, ECANCELED);
    for (uint32_t i = 0; i < uring->depth; i++) {
        struct slot *slot = &uring->slots[i];
        if (slot->io == NULL || slot->is_canceled)
            continue;
        slot->is_canceled = true;
        if (uring->refusal != 0) {
            cancel_accepted(uring, slot);
            continue;
        }
        struct io_uring_sqe *sqe = get_request(uring);
        io_uring_prep_cancel(sqe, slot, 0);
        io_uring_sqe_set_data(sqe, NULL);
    }
}

/* Kernels before Linux 6.1 do not know DEFER_TASKRUN, and return EINVAL. */
static int setup_ring(struct io_uring *ring, unsigned entries)
{
    unsigned flags = IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN;
    int result = io_uring_queue_init(entries, ring, flags);
    if (result == -EINVAL)
        result = io_uring_queue_init(entries, ring, 0);
    if (result == 0 && !(ring->features & IORING_FEAT_RW_CUR_POS)) {
        io_uring_queue_exit(ring); /* Linux before 5.6 cannot read and write at a file's position */
        result = -ENOSYS;
    }
    return result;
}

static int setup_wake(struct uring *uring)
{
    uring->wake_fd = eventfd(0, EFD_CLOEXEC);
    if (uring->wake_fd < 0)
        return -errno;
    arm_wake(uring);
    return io_uring_submit(&uring->ring); /* a seccomp filter may allow setup but refuse this
                                           * call */
}

static void free_engine(struct uring *uring)
{
    if (uring->has_ring)
        io_uring_queue_exit(&uring->ring);
    if (uring->wake_fd >= 0)
        close(uring->wake_fd);
    free(uring);
}

static enum gs_status uring_open(uint32_t depth, struct gsi_engine **engine, struct gs_error *error)
{
    *engine = NULL;
    struct uring *uring = calloc(1, sizeof *uring + depth * sizeof uring->slots[0]);
    if (uring == NULL)
        return gsi_fail(error, GS_E_MEMORY, ENOMEM,
                        "out of memory: cannot allocate the I/O engine");
    uring->engine.ops = &gsi_engine_uring;
    uring->wake_fd = uring->watched_fd = -1;
    uring->depth = depth;
    gsi_io_queue_init(&uring->queued);
    gsi_io_queue_init(&uring->ended);
    for (uint32_t i = 0; i < depth; i++) {
        uring->slots[i].next_free = uring->free_slots;
        uring->free_slots = &uring->slots[i];
    }
    int result = setup_ring(&uring->ring, 2 * depth + 2);
    uring->has_ring = result == 0;
    if (uring->has_ring)
        result = setup_wake(uring);
    if (result < 0) {
        free_engine(uring);
        return gsi_fail(error, GS_E_IO, -result, "io_uring refused");
    }
    *engine = &uring->engine;
    return GS_OK;
}

/* Ends the read of the wake eventfd before its memory is freed. Closing the ring would not wait for
 * it. */
static void uring_close(struct gsi_engine *engine)
{
    struct uring *uring = (struct uring *)engine;
    uring->is_closing = true;
    uring_wake(engine);
    while (uring->is_wake_armed) {
        submit_or_nap(uring, UINT64_MAX);
        handle_completions(uring);
    }
    free_engine(uring);
}

const struct gsi_engine_ops gsi_engine_uring = {.name = "io_uring",
                                                .open = uring_open,
                                                .close = uring_close,
                                                .submit = uring_submit,
                                                .wait = uring_wait,
                                                .wake = uring_wake,
                                                .watch = uring_watch,
                                                .cancel = uring_cancel};
