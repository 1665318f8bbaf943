/* test_engine_refused.c: io_uring on a kernel that takes no more requests, for a while or for good.
 * The linker puts functions of this file before those of liburing that submit, and before the nap
 * between two tries. Run: build/dev/tests/test_engine_refused */
#include "support/transfer.h"

#include <errno.h>
#include <liburing.h>
#include <limits.h>

#define BYTES 1000u

static int refusals_left; /* tries that are refused */

static bool is_refused(void)
{
    if (refusals_left == 0)
        return false;
    refusals_left--;
    return true;
}

#define WRAP_ENTER(name, parameters, arguments)                  \
    int __real_##name parameters;                                \
    int __wrap_##name parameters;                                \
    int __wrap_##name parameters                                 \
    {                                                            \
        return is_refused() ? -EAGAIN : __real_##name arguments; \
    }

WRAP_ENTER(io_uring_submit, (struct io_uring * ring), (ring))
WRAP_ENTER(io_uring_submit_and_get_events, (struct io_uring * ring), (ring))
WRAP_ENTER(io_uring_submit_and_wait, (struct io_uring * ring, unsigned wanted), (ring, wanted))
WRAP_ENTER(io_uring_submit_and_wait_timeout,
           (struct io_uring * ring, struct io_uring_cqe **cqe, unsigned wanted,
            struct __kernel_timespec *limit, sigset_t *mask),
           (ring, cqe, wanted, limit, mask))

int __real_poll(struct pollfd *polled, nfds_t count, int timeout_ms);
int __wrap_poll(struct pollfd *polled, nfds_t count, int timeout_ms);
int __wrap_poll(struct pollfd *polled, nfds_t count, int timeout_ms)
{
    return __real_poll(polled, count, timeout_ms > 0 ? 0 : timeout_ms);
}

/* An engine, a file of BYTES, and a read from a pipe that the kernel holds: it has had half. */
struct fixture {
    struct gsi_engine *engine;
    int file, pipe[2];
    uint8_t data[2 * DEPTH][BYTES];
    struct transfer held, transfers[2 * DEPTH];
};

static int setup(void **state)
{
    static struct fixture fixture;
    fixture = (struct fixture){.file = scratch_file()};
    refusals_left = 0;
    if (gsi_engine_uring.open(DEPTH, &fixture.engine, NULL) != GS_OK)
        fixture.engine = NULL;
    *state = &fixture;
    return pipe(fixture.pipe) != 0 || ftruncate(fixture.file, BYTES) != 0;
}

static int teardown(void **state)
{
    struct fixture *fixture = *state;
    gsi_engine_close(fixture->engine);
    close(fixture->file);
    close(fixture->pipe[0]);
    close(fixture->pipe[1]);
    return 0;
}

static const uint8_t pipe_data[BYTES] = {1, 2, 3};

/* With the pipe's read under way, and more transfers wanted than there are slots. */
static struct fixture *begin(void **state)
{
    struct fixture *fixture = *state;
    if (fixture->engine == NULL)
        test_skip("no io_uring");
    start(fixture->engine, &fixture->held, GSI_IO_READ, fixture->pipe[0], fixture->data[0], BYTES,
          GSI_IO_STREAM);
    assert_int_equal(write(fixture->pipe[1], pipe_data, BYTES / 2), BYTES / 2);
    while (fixture->held.io.moved == 0)
        gsi_engine_wait(fixture->engine, 0);
    for (int i = 0; i < 2 * DEPTH; i++)
        start(fixture->engine, &fixture->transfers[i], GSI_IO_READ, fixture->file, fixture->data[i],
              BYTES, 0);
    return fixture;
}

static void check_all(const struct fixture *fixture, int sys_errno, size_t moved)
{
    for (int i = 0; i < 2 * DEPTH; i++) {
        assert_int_equal(fixture->transfers[i].io.sys_errno, sys_errno);
        assert_int_equal(fixture->transfers[i].io.moved, moved);
    }
    assert_int_equal(fixture->held.done_count, 0);
}

/* The pipe delivers the other half. */
static void fill_pipe(struct fixture *fixture)
{
    assert_int_equal(write(fixture->pipe[1], pipe_data, BYTES / 2), BYTES / 2);
    finish(fixture->engine, &fixture->held, 1);
    assert_int_equal(fixture->held.io.sys_errno, 0);
    assert_int_equal(fixture->held.io.moved, BYTES);
}

/* Before Linux 6.0 what the kernel holds ends by itself only. */
static void skip_without_sync_cancel(struct fixture *fixture)
{
    struct io_uring ring;
    assert_int_equal(io_uring_queue_init(1, &ring, 0), 0);
    int result = io_uring_register_sync_cancel(&ring, &(struct io_uring_sync_cancel_reg){.fd = -1});
    io_uring_queue_exit(&ring);
    if (result != -EINVAL)
        return;
    finish(fixture->engine, fixture->transfers, 2 * DEPTH);
    fill_pipe(fixture);
    test_skip("no synchronous cancel in io_uring, which Linux has from 6.0 on");
}

static void test_engine_refused__for_a_while__goes_on(void **state)
{
    struct fixture *fixture = begin(state);
    refusals_left = 100;
    finish(fixture->engine, fixture->transfers, 2 * DEPTH);
    assert_int_equal(refusals_left, 0);
    check_all(fixture, 0, BYTES);
    fill_pipe(fixture);
}

static void test_engine_refused__for_good__everything_comes_back(void **state)
{
    struct fixture *fixture = begin(state);
    struct transfer later;
    refusals_left = 10000;
    finish(fixture->engine, fixture->transfers, 2 * DEPTH);
    assert_in_range(refusals_left, 9000, 9999);
    check_all(fixture, EAGAIN, 0);
    start(fixture->engine, &later, GSI_IO_READ, fixture->file, fixture->data[1], BYTES, 0);
    finish(fixture->engine, &later, 1);
    assert_int_equal(later.io.sys_errno, EAGAIN);
    for (int i = 0; i < 2; i++) {
        gsi_engine_wake(fixture->engine);
        gsi_engine_wait(fixture->engine, UINT64_MAX);
    }
    fill_pipe(fixture);
}

/* The poll of it was not taken either. */
static void test_engine_refused__watched__ends_one_wait(void **state)
{
    struct fixture *fixture = begin(state);
    int fds[2];
    assert_int_equal(pipe(fds), 0);
    refusals_left = INT_MAX;
    gsi_engine_watch(fixture->engine, fds[0]);
    finish(fixture->engine, fixture->transfers, 2 * DEPTH);
    close(fds[1]);
    gsi_engine_wait(fixture->engine, UINT64_MAX);
    assert_false(fixture->held.done_count > 0);
    gsi_engine_wait(fixture->engine, 1000000);
    assert_false(fixture->held.done_count > 0);
    fill_pipe(fixture);
    close(fds[0]);
}

/* A cancel that was asked for, and not taken, before it was given up. */
static void test_engine_refused__canceled_before__comes_back(void **state)
{
    struct fixture *fixture = begin(state);
    skip_without_sync_cancel(fixture);
    refusals_left = INT_MAX;
    gsi_engine_wait(fixture->engine, 0);
    gsi_engine_cancel(fixture->engine);
    finish(fixture->engine, &fixture->held, 1);
    finish(fixture->engine, fixture->transfers, 2 * DEPTH);
    assert_int_equal(fixture->held.io.sys_errno, ECANCELED);
}

static void test_engine_refused__canceled_after__comes_back(void **state)
{
    struct fixture *fixture = begin(state);
    skip_without_sync_cancel(fixture);
    refusals_left = INT_MAX;
    finish(fixture->engine, fixture->transfers, 2 * DEPTH);
    gsi_engine_cancel(fixture->engine);
    finish(fixture->engine, &fixture->held, 1);
    assert_int_equal(fixture->held.io.sys_errno, ECANCELED);
}

int main(void)
{
#define ROW(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        ROW(test_engine_refused__for_a_while__goes_on),
        ROW(test_engine_refused__for_good__everything_comes_back),
        ROW(test_engine_refused__watched__ends_one_wait),
        ROW(test_engine_refused__canceled_before__comes_back),
        ROW(test_engine_refused__canceled_after__comes_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
