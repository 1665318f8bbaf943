/* test_spill_cache.c: checks that spilled frames do not stay in the page cache. The linker replaces
 * posix_fadvise by a function of this file. Run: build/dev/tests/test_spill_cache */
#include "job/job_report.h"
#include "support/refuse.h"
#include "support/scratch.h"

#include "support/struct_jobs.h"

#include <errno.h>

int __real_posix_fadvise64(int fd, off_t off, off_t bytes, int advice);
int __wrap_posix_fadvise64(int fd, off_t off, off_t bytes, int advice);

static uint64_t uncached_bytes;

int __wrap_posix_fadvise64(int fd, off_t off, off_t bytes, int advice)
{
    uncached_bytes += advice == POSIX_FADV_DONTNEED ? (uint64_t)bytes : 0;
    return __real_posix_fadvise64(fd, off, bytes, advice);
}

/* In a child process: writes all frames, then reads all, if they are in the cache. */
static int sort_and_count(void *is_buffered)
{
    struct gsi_options options = {.inputs = (const char *[]){"in"},
                                  .input_count = 1,
                                  .output = "out",
                                  .type = "u64",
                                  .memory_bytes = 64u << 20,
                                  .thread_count = 1,
                                  .compress = GSI_COMPRESS_ZSTD,
                                  .device = GSI_DEVICE_CPU,
                                  .chunk_bytes = 262144,
                                  .window_bytes = 65536,
                                  .spill_all = true};
    struct gs_report report;
    struct gs_error error;
    if (is_buffered != NULL && !test_refuse(SYS_openat, 2, O_DIRECT, EINVAL))
        return skip_because("no seccomp filters");
    CHECK(gs_run(&options, &report, &error) == GS_OK);
    CHECK(report.runs.coded_bytes > 0);
    if (is_buffered == NULL && !report.runs.is_direct)
        return skip_because("no direct I/O in /tmp");
    CHECK(uncached_bytes == (is_buffered != NULL ? 2 * report.runs.coded_bytes : 0));
    return 0;
}

static void test_sort__buffered_frames__do_not_stay_in_the_cache(void **state)
{
    (void)state;
    static bool is_buffered = true;
    put_random("in", 300000, 44);
    run_in_child(sort_and_count, &is_buffered);
}

static void test_sort__direct_frames__need_no_advice(void **state)
{
    (void)state;
    put_random("in", 300000, 44);
    run_in_child(sort_and_count, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_sort__buffered_frames__do_not_stay_in_the_cache,
                                        scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(test_sort__direct_frames__need_no_advice, scratch_setup,
                                        scratch_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
