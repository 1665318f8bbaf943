/* test_refused.c: whole sorts on kernels that refuse system calls, as old ones, container runtimes
 * and odd file systems do. The output is the same, or one line says why not. Run:
 * build/dev/tests/test_refused */
#include "job/job_report.h"
#include "support/refuse.h"
#include "support/scratch.h"

#include "support/struct_jobs.h"

#include <errno.h>

#define ELEMENTS 200000u

struct refusal {
    const char *name;
    long number;
    unsigned arg;
    uint32_t mask; /* 0: always */
    int sys_errno;
    enum gs_status status; /* then; of a failure the text has */
    const char *text;
};

static const struct refusal refusals[] = {
    {"io_uring, Docker", SYS_io_uring_setup, 0, 0, EPERM, GS_OK, NULL},
    {"io_uring, old kernel", SYS_io_uring_setup, 0, 0, ENOSYS, GS_OK, NULL},
    {"io_uring, memlock", SYS_io_uring_setup, 0, 0, ENOMEM, GS_OK, NULL},
    {"io_uring_register", SYS_io_uring_register, 0, 0, EINVAL, GS_OK, NULL},
    {"direct I/O", SYS_openat, 2, O_DIRECT, EINVAL, GS_OK, NULL},
    {"nameless files", SYS_openat, 2, O_TMPFILE & ~O_DIRECTORY, EOPNOTSUPP, GS_OK, NULL},
    {"statx", SYS_statx, 0, 0, ENOSYS, GS_OK, NULL},
    {"fallocate", SYS_fallocate, 0, 0, EOPNOTSUPP, GS_OK, NULL},
    {"fadvise", SYS_fadvise64, 0, 0, ENOSYS, GS_OK, NULL},
    {"madvise", SYS_madvise, 0, 0, EINVAL, GS_OK, NULL},
    {"cachestat", 451, 0, 0, EPERM, GS_OK, NULL},
    {"affinity", SYS_sched_getaffinity, 0, 0, EPERM, GS_OK, NULL},
    {"fchown", SYS_fchown, 0, 0, EPERM, GS_OK, NULL},
    {"fchmod", SYS_fchmod, 0, 0, EPERM, GS_OK, NULL},
    {"linkat by descriptor", SYS_linkat, 4, AT_EMPTY_PATH, ENOENT, GS_OK, NULL},
    {"full disk", SYS_fallocate, 0, 0, ENOSPC, GS_E_SPACE, "No space left on device"},
    {"link", SYS_linkat, 0, 0, EIO, GS_OK, NULL},
    {"rename", SYS_renameat, 0, 0, EIO, GS_E_IO, "cannot rename the finished file to this name"},
    {"sync", SYS_fsync, 0, 0, EIO, GS_E_IO, "cannot sync"},
};

struct sorted {
    const struct refusal *refusal;
    enum gsi_io_choice io;
    bool spills;
};

static enum gs_status sort(const struct sorted *sorted, struct gs_report *report,
                           struct gs_error *error)
{
    const char *inputs[] = {"in"};
    struct gsi_options options = {.inputs = inputs,
                                  .input_count = 1,
                                  .output = "out",
                                  .device = GSI_DEVICE_CPU,
                                  .io = sorted->io,
                                  .memory_bytes = 64u << 20,
                                  .thread_count = 2,
                                  .chunk_bytes = 65536,
                                  .window_bytes = 65536,
                                  .spill_all = sorted->spills,
                                  .verify_read = true};
    return gs_run(&options, report, error);
}

static bool is_sorted(void)
{
    uint64_t before = 0, element, count = 0;
    FILE *file = fopen("out", "rb");
    bool is_good = file != NULL;
    while (is_good && fread(&element, sizeof element, 1, file) == 1) {
        is_good = element >= before;
        before = element;
        count++;
    }
    if (file != NULL)
        fclose(file);
    return is_good && count == ELEMENTS;
}

static int sort_refused(void *argument)
{
    const struct sorted *sorted = argument;
    const struct refusal *refusal = sorted->refusal;
    struct gs_report report;
    struct gs_error error = {0};
    if (!test_refuse(refusal->number, refusal->arg, refusal->mask, refusal->sys_errno))
        return skip_because("no seccomp filters");
    enum gs_status status = sort(sorted, &report, &error);
    if (status != refusal->status)
        fprintf(stderr, "%s: status %d, '%s'\n", refusal->name, (int)status, error.text);
    CHECK(status == refusal->status);
    CHECK(status == GS_OK || strstr(error.text, refusal->text) != NULL);
    CHECK(status == GS_OK ? is_sorted() : holds("out", "old"));
    CHECK(names_in(".") == 2);
    return 0;
}

static void test_sort__refused_calls__another_way_or_a_reason(void **state)
{
    (void)state;
    put_random("in", ELEMENTS, 64);
    for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; i++)
        for (int way = 0; way < 4; way++) {
            struct sorted sorted = {&refusals[i], way & 1 ? GSI_IO_AUTO : GSI_IO_THREADS, way & 2};
            assert_true(put("out", "old", 0644));
            run_in_child(sort_refused, &sorted);
        }
}

/* Sorting continues with one thread; the engine of threads needs some. */
static void test_sort__no_threads__works_or_says_so(void **state)
{
    (void)state;
    static const struct refusal works = {"threads", SYS_clone3, 0, 0, EAGAIN, GS_OK, NULL};
    static const struct refusal fails = {
        "threads", SYS_clone3, 0, 0, EAGAIN, GS_E_IO, "I/O threads: cannot start"};
    struct gs_report report;
    struct gs_error error = {0};
    put_random("in", ELEMENTS, 64);
    struct sorted uring = {&works, GSI_IO_URING, true};
    bool has_uring = sort(&uring, &report, &error) == GS_OK;
    assert_true(put("out", "old", 0644));
    run_in_child(sort_refused, &(struct sorted){&fails, GSI_IO_THREADS, true});
    if (has_uring)
        run_in_child(sort_refused, &uring);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_sort__refused_calls__another_way_or_a_reason,
                                        scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(test_sort__no_threads__works_or_says_so, scratch_setup,
                                        scratch_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
