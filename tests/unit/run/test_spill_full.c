/* test_spill_full.c: runs whole sorts whose temporary directories fill up during writes, if disk
 * cannot be allocated in advance. Frames are written to another directory, and when all are full
 * the job ends with GS_E_SPACE. The linker puts functions of this file before those that write and
 * that take disk. Run: build/dev/tests/test_spill_full */
#include "support/scratch.h"

#include "job/job_report.h"
#include "support/struct_jobs.h"

#include <errno.h>
#include <pthread.h>
#include <sys/uio.h>

#define ELEMENTS 200000u

ssize_t __real_pwritev64v2(int fd, const struct iovec *data, int count, off_t off, int flags);
ssize_t __wrap_pwritev64v2(int fd, const struct iovec *data, int count, off_t off, int flags);
int __wrap_fallocate64(int fd, int mode, off_t off, off_t bytes);

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uint64_t room[3]; /* bytes that may be written below a, b and c */
static uint64_t written[3];

/* Returns which of the directories an open file is in, by its path in /proc/self/fd; -1: none. */
static int directory_of(int fd)
{
    char link[64], name[256];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, name, sizeof name - 1);
    name[length > 0 ? length : 0] = '\0';
    for (int i = 0; i < 3; i++) {
        const char part[] = {'/', (char)('a' + i), '/', '\0'};
        if (strstr(name, part) != NULL)
            return i;
    }
    return -1;
}

ssize_t __wrap_pwritev64v2(int fd, const struct iovec *data, int count, off_t off, int flags)
{
    uint64_t bytes = data[0].iov_len;
    int i = directory_of(fd);
    bool is_full = false;
    pthread_mutex_lock(&lock);
    if (i >= 0) {
        is_full = written[i] + bytes > room[i];
        written[i] += is_full ? 0 : bytes;
    }
    pthread_mutex_unlock(&lock);
    if (is_full) {
        errno = ENOSPC;
        return -1;
    }
    return __real_pwritev64v2(fd, data, count, off, flags);
}

int __wrap_fallocate64(int fd, int mode, off_t off, off_t bytes)
{
    (void)fd, (void)mode, (void)off, (void)bytes;
    errno = EOPNOTSUPP;
    return -1;
}

static enum gs_status sort(uint32_t fan_in, struct gs_report *report, struct gs_error *error)
{
    static const char *const inputs[] = {"in"}, *const directories[] = {"a", "b", "c"};
    struct gsi_options options = {.inputs = inputs,
                                  .input_count = 1,
                                  .output = "out",
                                  .device = GSI_DEVICE_CPU,
                                  .io = GSI_IO_THREADS,
                                  .memory_bytes = 64u << 20,
                                  .thread_count = 2,
                                  .fan_in = fan_in,
                                  .temp_dirs = directories,
                                  .temp_dir_count = 3,
                                  .compress = GSI_COMPRESS_NONE,
                                  .chunk_bytes = 65536,
                                  .window_bytes = 16384,
                                  .spill_all = true};
    memset(written, 0, sizeof written);
    *error = (struct gs_error){0};
    return gs_run(&options, report, error);
}

static void make_files(void)
{
    put_random("in", ELEMENTS, 64);
    for (const char *name = "a\0b\0c\0"; *name != '\0'; name += 2)
        assert_int_equal(mkdir(name, 0755), 0);
}

/* If there is enough space in all, the output has the same elements in order (or the status would
 * not be GS_OK). Nothing is in a full directory. */
static void test_sort__full_directories__are_passed_over(void **state)
{
    (void)state;
    struct test_random random = test_random_make(1);
    struct gs_report first, report;
    struct gs_error error;
    make_files();
    for (int round = 0; round < 15; round++) {
        uint32_t fan_in = round % 3 == 0 ? 4 : 0;
        for (int i = 0; i < 3; i++)
            room[i] = round == 0 ? UINT64_MAX : test_below(&random, 500) * 4096;
        room[round % 3] = UINT64_MAX;
        if (sort(fan_in, &report, &error) != GS_OK)
            test_fail("round %d: %s", round, error.text);
        if (round == 0)
            first = report;
        assert_memory_equal(report.tally.fingerprint, first.tally.fingerprint, 16);
        assert_int_equal(report.output.bytes, ELEMENTS * 8);
        if (round == 0) /* all are used */
            assert_true(written[0] > ELEMENTS && written[1] > ELEMENTS && written[2] > ELEMENTS);
    }
    assert_int_equal(names_in("."), 5);
}

static void test_sort__all_directories_full__fails_and_names_them(void **state)
{
    (void)state;
    struct gs_report report;
    struct gs_error error;
    make_files();
    for (uint64_t frames = 0; frames < 30; frames += 3) {
        for (int i = 0; i < 3; i++)
            room[i] = (frames + (uint64_t)i) * 16384;
        assert_int_equal(sort(frames % 2 == 0 ? 4 : 0, &report, &error), GS_E_SPACE);
        assert_non_null(strstr(error.text, "'a', 'b', 'c': spilling runs needs more than"));
        assert_int_equal(gs_status_exit_code(error.status), 3);
        assert_int_equal(names_in("."), 4);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_sort__full_directories__are_passed_over, scratch_setup,
                                        scratch_teardown),
        cmocka_unit_test_setup_teardown(test_sort__all_directories_full__fails_and_names_them,
                                        scratch_setup, scratch_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
