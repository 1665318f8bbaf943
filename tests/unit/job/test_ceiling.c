/* test_ceiling.c: checks --memory where the kernel counts everything. It sorts a file 16 times as
 * large in a control group whose limit is 64 MiB above it, with the page cache. It does so over
 * both engines, with direct I/O and on a file system that refuses it. It is skipped if no such
 * group can be made. Run: build/dev/tests/test_ceiling */
#include "job/job_report.h"
#include "support/refuse.h"
#include "support/scratch.h"

#include "support/struct_jobs.h"

#include <errno.h>

#define MEMORY_BYTES ((uint64_t)16 << 20)
#define SLACK_BYTES  ((uint64_t)64 << 20)
#define INPUT_BYTES  (16 * MEMORY_BYTES)
#define BLOCK_WORDS  65536u

/* The control group, below that of this process; version 1 or 2. */
static struct {
    char path[512];
    bool is_v2;
} group;
static bool has_group;

struct trial {
    enum gsi_io_choice io;
    enum gsi_compress_choice compress;
    bool is_buffered;
    struct gs_report *report; /* shared with the child */
};

static bool write_value(const char *name, uint64_t value)
{
    char path[600], text[32];
    snprintf(path, sizeof path, "%s/%s", group.path, name);
    int length = snprintf(text, sizeof text, "%llu", (unsigned long long)value);
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    bool is_good = fd >= 0 && write(fd, text, (size_t)length) == length;
    if (fd >= 0)
        close(fd);
    return is_good;
}

/* This process's group, of memory; false: it is not to be seen. */
static bool own_group(void)
{
    char line[512], own[400];
    bool is_found = false;
    FILE *file = fopen("/proc/self/cgroup", "re");
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        bool is_v1 = sscanf(line, "%*u:memory:%399s", own) == 1;
        if (!is_v1 && (is_found || sscanf(line, "0::%399s", own) != 1))
            continue;
        snprintf(group.path, sizeof group.path, "/sys/fs/cgroup%s%s", is_v1 ? "/memory" : "", own);
        group.is_v2 = !is_v1;
        is_found = access(group.path, W_OK) == 0;
        if (is_v1)
            break;
    }
    if (file != NULL)
        fclose(file);
    return is_found;
}

static bool make_group(void)
{
    if (!own_group())
        return false;
    size_t length = strlen(group.path);
    snprintf(group.path + length, sizeof group.path - length, "/gsort-test-%ld", (long)getpid());
    if (mkdir(group.path, 0755) != 0)
        return false;
    uint64_t limit = MEMORY_BYTES + SLACK_BYTES;
    bool is_limited = write_value(group.is_v2 ? "memory.max" : "memory.limit_in_bytes", limit);
    /* Without swap there is no such file, and no need of it. */
    if (group.is_v2)
        write_value("memory.swap.max", 0);
    else
        write_value("memory.swappiness", 0);
    if (!is_limited)
        rmdir(group.path);
    return is_limited;
}

/* Processes of the group that the kernel killed for memory. */
static uint64_t kill_count(void)
{
    char path[600], word[64];
    unsigned long long value = UINT64_MAX;
    snprintf(path, sizeof path, "%s/%s", group.path,
             group.is_v2 ? "memory.events" : "memory.oom_control");
    FILE *file = fopen(path, "re");
    assert_non_null(file);
    while (fscanf(file, "%63s %llu", word, &value) == 2 && strcmp(word, "oom_kill") != 0)
        ;
    fclose(file);
    return value;
}

static bool make_input(void)
{
    static uint64_t words[BLOCK_WORDS];
    struct test_random random = test_random_make(0);
    int fd = open("in", O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    bool is_good = fd >= 0;
    for (uint64_t bytes = 0; is_good && bytes < INPUT_BYTES; bytes += sizeof words) {
        for (size_t w = 0; w < BLOCK_WORDS; w++)
            words[w] = test_next(&random) >> 20;
        is_good = write(fd, words, sizeof words) == (ssize_t)sizeof words;
    }
    is_good = is_good && fsync(fd) == 0;
    if (fd >= 0)
        close(fd);
    return is_good;
}

static int make_all(void **state)
{
    if (scratch_setup(state) != 0 || !make_input())
        return -1;
    has_group = make_group();
    return 0;
}

static int remove_all(void **state)
{
    /* Processes leave the group a moment after they were waited for. */
    for (int tries = 0; has_group && rmdir(group.path) != 0 && tries < 100; tries++)
        usleep(20000);
    return scratch_teardown(state);
}

/* The child: into the group, then sort. */
static int sort_in_group(void *argument)
{
    struct trial *trial = argument;
    struct gsi_options options = {.inputs = (const char *[]){"in"},
                                  .input_count = 1,
                                  .output = "out",
                                  .type = "u64",
                                  .memory_bytes = MEMORY_BYTES,
                                  .thread_count = 2,
                                  .compress = trial->compress,
                                  .io = trial->io,
                                  .device = GSI_DEVICE_CPU};
    struct gs_error error;
    CHECK(write_value("cgroup.procs", (uint64_t)getpid()));
    if (trial->is_buffered && !test_refuse(SYS_openat, 2, O_DIRECT, EINVAL))
        return skip_because("no seccomp filters");
    enum gs_status status = gs_run(&options, trial->report, &error);
    if (status != GS_OK)
        fprintf(stderr, "%s\n", error.text);
    CHECK(status == GS_OK);
    return 0;
}

static void drop_from_cache(const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    assert_true(fd >= 0);
    assert_int_equal(posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED), 0);
    close(fd);
}

/* In order, and the elements of the input: outside of the group. */
static void check_output(const struct gs_report *sorted)
{
    struct gsi_options options = {.action = GS_CHECK,
                                  .inputs = (const char *[]){"out"},
                                  .input_count = 1,
                                  .type = "u64",
                                  .memory_bytes = (uint64_t)64 << 20};
    struct gs_report report;
    struct gs_error error;
    if (gs_run(&options, &report, &error) != GS_OK)
        test_fail("%s", error.text);
    assert_int_equal(report.tally.count, INPUT_BYTES / 8);
    assert_memory_equal(report.tally.fingerprint, sorted->tally.fingerprint, 16);
    options = (struct gsi_options){.action = GS_STATS,
                                   .inputs = (const char *[]){"in"},
                                   .input_count = 1,
                                   .type = "u64",
                                   .memory_bytes = (uint64_t)64 << 20};
    assert_int_equal(gs_run(&options, &report, &error), GS_OK);
    assert_memory_equal(report.tally.fingerprint, sorted->tally.fingerprint, 16);
}

static void test_sort__group_of_little_more_memory__not_killed(void **state)
{
    (void)state;
    if (!has_group)
        test_skip("no control group with a memory limit can be made");
    struct gs_report *report =
        mmap(NULL, sizeof *report, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(report != MAP_FAILED);
    const struct trial trials[] = {
        {GSI_IO_AUTO, GSI_COMPRESS_AUTO, false, report},
        {GSI_IO_THREADS, GSI_COMPRESS_NONE, false, report},
        {GSI_IO_AUTO, GSI_COMPRESS_NONE, true, report},
        {GSI_IO_THREADS, GSI_COMPRESS_ZSTD, true, report},
    };
    for (size_t t = 0; t < sizeof trials / sizeof trials[0]; t++) {
        struct trial trial = trials[t];
        drop_from_cache("in");
        run_in_child(sort_in_group, &trial);
        assert_true(report->runs.spilled_count > 0);
        assert_int_equal(report->runs.is_direct && !trial.is_buffered, report->runs.is_direct);
        assert_in_range(report->cost.memory_peak_bytes, 1, MEMORY_BYTES);
        assert_int_equal(kill_count(), 0);
        check_output(report);
    }
    munmap(report, sizeof *report);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_sort__group_of_little_more_memory__not_killed,
                                        make_all, remove_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
