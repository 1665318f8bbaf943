/* faults_uring.c: makes io_uring fail. It inspects requests before the kernel gets them (their kind
 * and bytes), and completions before the engine sees them. Both are in memory that liburing shares
 * with us. With IORING_SETUP_DEFER_TASKRUN the kernel posts completions only inside the calls
 * below, so none slips by; before Linux 6.1 some may.
 *
 * A late completion is removed; the engine gets an answer that it ignores instead. Some calls later
 * it returns as the completion of a request that does nothing. */
#include "faults.h"

#include <errno.h>
#include <liburing.h>
#include <stdatomic.h>

#define NOTES      256 /* at least the requests in flight */
#define LATE_CALLS 4   /* of the engine, until a late completion arrives */

enum note_state { NOTE_LIVE, NOTE_HELD, NOTE_COMING };

struct note { /* what is in flight under this user_data */
    uint64_t user_data;
    enum note_state state;
    bool is_read, is_write, is_stream, is_direct;
    int result, calls_left; /* of a late one */
};

/* Each ring has a thread of its own. */
static _Thread_local struct note notes[NOTES];
static _Thread_local size_t note_count;
static _Thread_local unsigned seen; /* completions before this one were inspected */

static struct note *find(uint64_t user_data)
{
    for (size_t i = 0; i < note_count; i++)
        if (notes[i].user_data == user_data)
            return &notes[i];
    return NULL;
}

static struct note *find_or_add(uint64_t user_data)
{
    struct note *note = find(user_data);
    if (note == NULL && note_count < NOTES) {
        note = &notes[note_count++];
        note->user_data = user_data;
    }
    return note;
}

static void look_at_request(struct io_uring_sqe *sqe)
{
    struct note *note = sqe->user_data != 0 ? find_or_add(sqe->user_data) : NULL;
    if (note == NULL || sqe->opcode == IORING_OP_NOP)
        return;
    bool is_file = !fault_is_event(sqe->fd);
    *note = (struct note){.user_data = sqe->user_data,
                          .is_read = is_file && sqe->opcode == IORING_OP_READ,
                          .is_write = is_file && sqe->opcode == IORING_OP_WRITE,
                          .is_stream = sqe->off == UINT64_MAX,
                          .is_direct = is_file && fault_is_direct(sqe->fd)};
    if (!note->is_read && !note->is_write)
        return;
    uint32_t bytes = (uint32_t)fault_short_bytes(sqe->fd, sqe->len);
    if (bytes < sqe->len && fault_now(note->is_read ? FAULT_SHORT_READ : FAULT_SHORT_WRITE))
        sqe->len = bytes;
}

/* Counts down late completions. It wakes the engine, so that it never sleeps while it waits for
 * them. */
static void bring_late(struct io_uring *ring)
{
    for (size_t i = 0; i < note_count; i++) {
        struct note *note = &notes[i];
        struct io_uring_sqe *sqe = note->state == NOTE_HELD ? io_uring_get_sqe(ring) : NULL;
        if (sqe == NULL)
            continue;
        bool comes = --note->calls_left <= 0;
        io_uring_prep_nop(sqe);
        sqe->user_data = comes ? note->user_data : 0;
        if (comes)
            note->state = NOTE_COMING;
    }
}

static void before_submit(struct io_uring *ring)
{
    bring_late(ring);
    for (unsigned at = ring->sq.sqe_head; at != ring->sq.sqe_tail; at++)
        look_at_request(&ring->sq.sqes[at & ring->sq.ring_mask]);
}

/* Two ways in which the kernel says that nothing was moved, in turns. */
static int again(void)
{
    static atomic_uint count;
    return atomic_fetch_add(&count, 1) % 2 == 0 ? -EINTR : -ECANCELED;
}

/* The result that the engine gets for a transfer that succeeded. To say "interrupted" of a stream
 * would lose what was moved. */
static int told(const struct note *note, int result)
{
    if (result < 0)
        return result;
    if (note->is_direct && fault_now(FAULT_REFUSED))
        return -EINVAL;
    if (!note->is_stream && fault_now(FAULT_AGAIN))
        return again();
    if (note->is_read && fault_now(FAULT_READ))
        return -EIO;
    if (note->is_read && !note->is_stream && fault_now(FAULT_EMPTY_READ))
        return 0;
    if (note->is_write && fault_now(FAULT_WRITE))
        return -EIO;
    if (note->is_write && fault_now(FAULT_FULL))
        return -ENOSPC;
    if (note->is_write && !note->is_stream && fault_now(FAULT_EMPTY_WRITE))
        return 0;
    return result;
}

static void look_at_completion(struct io_uring_cqe *cqe)
{
    struct note *note = cqe->user_data != 0 ? find(cqe->user_data) : NULL;
    if (note == NULL || (!note->is_read && !note->is_write))
        return;
    if (note->state == NOTE_COMING) {
        note->state = NOTE_LIVE;
        cqe->res = note->result;
        return;
    }
    cqe->res = told(note, cqe->res);
    if (fault_now(FAULT_LATE)) {
        note->state = NOTE_HELD;
        note->result = cqe->res;
        note->calls_left = LATE_CALLS;
        cqe->user_data = 0;
    }
}

static void after_submit(struct io_uring *ring)
{
    unsigned tail = io_uring_smp_load_acquire(ring->cq.ktail);
    for (; seen != tail; seen++)
        look_at_completion(&ring->cq.cqes[seen & ring->cq.ring_mask]);
}

int __real_io_uring_queue_init(unsigned entries, struct io_uring *ring, unsigned flags);
int __wrap_io_uring_queue_init(unsigned entries, struct io_uring *ring, unsigned flags);
int __wrap_io_uring_queue_init(unsigned entries, struct io_uring *ring, unsigned flags)
{
    note_count = 0;
    seen = 0;
    return fault_now(FAULT_RING) ? -EPERM : __real_io_uring_queue_init(entries, ring, flags);
}

/* The calls that enter the kernel, each with its work after the ring. */
#define WRAP_ENTER(name, parameters, arguments)                                 \
    int __real_##name parameters;                                               \
    int __wrap_##name parameters;                                               \
    int __wrap_##name parameters                                                \
    {                                                                           \
        before_submit(ring);                                                    \
        int result = fault_now(FAULT_RING) ? -EAGAIN : __real_##name arguments; \
        after_submit(ring);                                                     \
        return result;                                                          \
    }

WRAP_ENTER(io_uring_submit, (struct io_uring * ring), (ring))
WRAP_ENTER(io_uring_submit_and_get_events, (struct io_uring * ring), (ring))
WRAP_ENTER(io_uring_submit_and_wait, (struct io_uring * ring, unsigned wanted), (ring, wanted))
WRAP_ENTER(io_uring_submit_and_wait_timeout,
           (struct io_uring * ring, struct io_uring_cqe **cqe, unsigned wanted,
            struct __kernel_timespec *limit, sigset_t *mask),
           (ring, cqe, wanted, limit, mask))
