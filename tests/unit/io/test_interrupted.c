/* test_interrupted.c: a signal arrives while a file is opened slowly. The linker puts a function of
 * this file before open(2). Run: build/dev/tests/test_interrupted */
#include "support/scratch.h"

#include "job/job_report.h"
#include "support/struct_jobs.h"

#include <errno.h>

int __real_open64(const char *path, int flags, ...);
int __wrap_open64(const char *path, int flags, mode_t mode);

static unsigned interruptions; /* opens of "in" that are still to be interrupted */
static gs_cancel *cancelled;   /* by the signal; NULL: it is another signal */

int __wrap_open64(const char *path, int flags, mode_t mode)
{
    if (interruptions == 0 || strcmp(path, "in") != 0)
        return __real_open64(path, flags, mode);
    interruptions--;
    if (cancelled != NULL)
        gs_cancel_now(cancelled);
    errno = EINTR;
    return -1;
}

static enum gs_status sort(gs_cancel *cancel, struct gs_error *error)
{
    static const char *const inputs[] = {"in"};
    struct gsi_options options = {.inputs = inputs,
                                  .input_count = 1,
                                  .output = "out",
                                  .memory_bytes = 32u << 20,
                                  .thread_count = 1,
                                  .cancel = cancel};
    struct gs_report report;
    return gs_run(&options, &report, error);
}

static void test_interrupted__after_a_cancel__is_the_cancel(void **state)
{
    (void)state;
    struct gs_error error;
    gs_cancel *cancel = gs_cancel_create();
    put_random("in", 1000, 64);
    interruptions = 1;
    cancelled = cancel;
    assert_int_equal(sort(cancel, &error), GS_E_CANCELED);
    assert_int_equal(error.status, GS_E_CANCELED);
    assert_int_equal(error.sys_errno, 0);
    assert_int_equal(names_in("."), 1);
    cancelled = NULL;
    gs_cancel_free(cancel);
}

static void test_interrupted__by_any_other_signal__tries_again(void **state)
{
    (void)state;
    struct gs_error error;
    gs_cancel *cancel = gs_cancel_create();
    put_random("in", 1000, 64);
    for (int i = 0; i < 2; i++) {
        interruptions = 3;
        assert_int_equal(sort(i == 0 ? cancel : NULL, &error), GS_OK);
        assert_int_equal(interruptions, 0);
        assert_int_equal(error.status, GS_OK);
    }
    gs_cancel_free(cancel);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_interrupted__after_a_cancel__is_the_cancel,
                                        scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(test_interrupted__by_any_other_signal__tries_again,
                                        scratch_setup, scratch_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
