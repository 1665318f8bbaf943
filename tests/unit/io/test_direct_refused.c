/* test_direct_refused.c: whole sorts where file systems take O_DIRECT when a file is opened, and
 * refuse it when it is read or written. The linker puts functions of this file before those calls.
 * (Both engines: `refused` in tests/faults.) Run: build/dev/tests/test_direct_refused */
#include "support/scratch.h"

#include "job/job_report.h"
#include "support/struct_jobs.h"

#include <errno.h>
#include <stdatomic.h>
#include <sys/uio.h>

#define ELEMENTS 300000u

ssize_t __real_preadv64v2(int fd, const struct iovec *data, int count, off_t off, int flags);
ssize_t __wrap_preadv64v2(int fd, const struct iovec *data, int count, off_t off, int flags);
ssize_t __real_pwritev64v2(int fd, const struct iovec *data, int count, off_t off, int flags);
ssize_t __wrap_pwritev64v2(int fd, const struct iovec *data, int count, off_t off, int flags);

static bool refuses_reads, refuses_writes;
static atomic_uint refused;

static bool is_refused(bool is_wanted, int fd)
{
    if (!is_wanted || (fcntl(fd, F_GETFL) & O_DIRECT) == 0)
        return false;
    atomic_fetch_add(&refused, 1);
    errno = EINVAL;
    return true;
}

ssize_t __wrap_preadv64v2(int fd, const struct iovec *data, int count, off_t off, int flags)
{
    return is_refused(refuses_reads, fd) ? -1 : __real_preadv64v2(fd, data, count, off, flags);
}

ssize_t __wrap_pwritev64v2(int fd, const struct iovec *data, int count, off_t off, int flags)
{
    return is_refused(refuses_writes, fd) ? -1 : __real_pwritev64v2(fd, data, count, off, flags);
}

/* Data in the page cache are read from there. */
static void drop_input(void)
{
    int fd = open("in", O_RDONLY);
    assert_true(fd >= 0 && fdatasync(fd) == 0);
    assert_int_equal(posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED), 0);
    close(fd);
}

static void sort(struct gs_report *report, bool is_resumed)
{
    drop_input();
    static const char *const inputs[] = {"in", "in"};
    struct gs_error error;
    struct gsi_options options = {.inputs = inputs,
                                  .input_count = 2,
                                  .output = "out",
                                  .device = GSI_DEVICE_CPU,
                                  .io = GSI_IO_THREADS,
                                  .memory_bytes = 32u << 20,
                                  .thread_count = 2,
                                  .chunk_bytes = 65536,
                                  .window_bytes = 16384,
                                  .resume_dir = is_resumed ? "kept" : NULL,
                                  .spill_all = true,
                                  .verify_read = true};
    if (gs_run(&options, report, &error) != GS_OK)
        test_fail("%s", error.text);
}

static void test_direct__refused_when_it_is_used__same_bytes(void **state)
{
    (void)state;
    struct gs_report first, report;
    put_random("in", ELEMENTS, 64);
    sort(&first, false);
    if (!first.input.is_direct || !first.output.is_direct || !first.runs.is_direct)
        test_skip("no direct I/O in /tmp");
    for (int round = 1; round < 8; round++) {
        refuses_reads = (round & 1) != 0;
        refuses_writes = (round & 2) != 0;
        atomic_store(&refused, 0);
        sort(&report, (round & 4) != 0);
        assert_memory_equal(report.tally.fingerprint, first.tally.fingerprint, 16);
        assert_int_equal(report.output.bytes, first.output.bytes);
        assert_true((atomic_load(&refused) > 0) == (refuses_reads || refuses_writes));
        assert_true(report.input.is_direct == !refuses_reads);
        assert_true(report.output.is_direct == !refuses_writes);
        assert_true(report.runs.is_direct == !(refuses_reads || refuses_writes));
        assert_int_equal(names_in("."), 2);
    }
    refuses_reads = refuses_writes = false;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_direct__refused_when_it_is_used__same_bytes,
                                        scratch_setup, scratch_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
