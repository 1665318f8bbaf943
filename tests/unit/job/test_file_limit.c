/* test_file_limit.c: a program that uses the library, and has a limit of file sizes (`ulimit -f`).
 * Run: build/dev/tests/test_file_limit */
#include "support/scratch.h"

#include "job/job_report.h"
#include "support/struct_jobs.h"

#include <errno.h>
#include <sys/resource.h>

#define COUNT 200000u

struct trial {
    bool blocks; /* the program blocks SIGXFSZ, and has one pending */
    bool spills;
    int io;
};

/* The signal keeps its default action, which ends this process. */
static int sort_limited(void *argument)
{
    const struct trial *trial = argument;
    static const char *const inputs[] = {"in"}, *const temp_dirs[] = {"."};
    const struct rlimit limit = {.rlim_cur = 100000, .rlim_max = 100000};
    const struct gsi_options options = {.inputs = inputs,
                                        .input_count = 1,
                                        .output = "out",
                                        .type = "u64",
                                        .memory_bytes = 16u << 20,
                                        .thread_count = 2,
                                        .io = trial->io,
                                        .spill_all = trial->spills,
                                        .temp_dirs = temp_dirs,
                                        .temp_dir_count = 1,
                                        .device = GSI_DEVICE_CPU};
    struct gs_error error;
    struct gs_report report;
    struct sigaction action;
    sigset_t set, before, after;
    sigemptyset(&set);
    sigaddset(&set, SIGXFSZ);
    CHECK(setrlimit(RLIMIT_FSIZE, &limit) == 0);
    if (trial->blocks) {
        CHECK(pthread_sigmask(SIG_BLOCK, &set, NULL) == 0);
        CHECK(raise(SIGXFSZ) == 0);
    }
    CHECK(pthread_sigmask(SIG_BLOCK, NULL, &before) == 0);
    enum gs_status status = gs_run(&options, &report, &error);
    CHECK(status == GS_E_IO || status == GS_E_SPACE);
    CHECK(error.sys_errno == EFBIG && strstr(error.text, "ulimit -f") != NULL);
    CHECK(sigaction(SIGXFSZ, NULL, &action) == 0 && action.sa_handler == SIG_DFL);
    CHECK(pthread_sigmask(SIG_BLOCK, NULL, &after) == 0);
    for (int number = 1; number < NSIG; number++)
        CHECK(sigismember(&before, number) == sigismember(&after, number));
    CHECK(sigpending(&set) == 0 && sigismember(&set, SIGXFSZ) == trial->blocks);
    CHECK(access("out", F_OK) != 0);
    return 0;
}

static void test_file_limit__a_write_past_it__fails_and_ends_nothing(void **state)
{
    (void)state;
    static const int engines[] = {GSI_IO_AUTO, GSI_IO_THREADS};
    put_random("in", COUNT, 64);
    for (int i = 0; i < 8; i++) {
        struct trial trial = {
            .blocks = (i & 1) != 0, .spills = (i & 2) != 0, .io = engines[i >> 2]};
        run_in_child(sort_limited, &trial);
        assert_int_equal(names_in("."), 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test_setup_teardown(
        test_file_limit__a_write_past_it__fails_and_ends_nothing, scratch_setup, scratch_teardown)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
