/* test_limits.c: memory and processors from made-up /proc and /sys trees. Run:
 * build/dev/tests/test_limits */
#include "support/support.h"

#include "gsort.h"
#include "plan/limits.h"

#include <errno.h>
#include <ftw.h>
#include <sched.h>
#include <sys/stat.h>
#include <unistd.h>

static char root[] = "/tmp/gsort-limits-XXXXXX";

static void put(const char *path, const char *text)
{
    char full[512];
    snprintf(full, sizeof full, "%s%s", root, path);
    for (char *slash = full + strlen(root) + 1; (slash = strchr(slash, '/')) != NULL; slash++) {
        *slash = '\0';
        mkdir(full, 0700);
        *slash = '/';
    }
    FILE *file = fopen(full, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static int remove_one(const char *path, const struct stat *info, int flag, struct FTW *ftw)
{
    (void)info;
    (void)flag;
    (void)ftw;
    return remove(path);
}

static int make_root(void **state)
{
    (void)state;
    strcpy(root, "/tmp/gsort-limits-XXXXXX");
    if (mkdtemp(root) == NULL)
        return -1;
    put("/proc/meminfo",
        "MemTotal:       16777216 kB\nMemFree: 5 kB\nMemAvailable:    8388608 kB\n");
    return 0;
}

static int remove_root(void **state)
{
    (void)state;
    return nftw(root, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

#define GIB ((uint64_t)1 << 30)

static void check(uint64_t bytes, const char *source)
{
    struct gsi_limits limits = gsi_limits_probe(root);
    assert_int_equal(limits.memory_bytes, bytes);
    assert_string_equal(limits.memory_source, source);
    assert_true(limits.cpu_count >= 1);
}

static void test_limits__no_cgroup__machine(void **state)
{
    (void)state;
    check(8 * GIB, "machine");
}

static void test_limits__v2_limit_on_a_parent__holds(void **state)
{
    (void)state;
    put("/proc/self/cgroup", "0::/a/b\n");
    put("/sys/fs/cgroup/a/b/memory.max", "max\n");
    put("/sys/fs/cgroup/a/memory.max", "1073741824\n");
    check(GIB, "cgroup");
}

static void test_limits__v2_high_below_max__holds(void **state)
{
    (void)state;
    put("/proc/self/cgroup", "0::/a\n");
    put("/sys/fs/cgroup/a/memory.max", "2147483648\n");
    put("/sys/fs/cgroup/a/memory.high", "1073741824\n");
    check(GIB, "cgroup");
}

static void test_limits__v1__holds(void **state)
{
    (void)state;
    put("/proc/self/cgroup", "9:name=systemd:/\n4:memory:/job\n0::/\n");
    put("/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
    put("/sys/fs/cgroup/memory/job/memory.limit_in_bytes", "536870912\n");
    check(GIB / 2, "cgroup");
}

static void test_limits__inside_a_container__the_root_of_the_mount_counts(void **state)
{
    (void)state;
    put("/proc/self/cgroup", "0::/docker/invisible\n");
    put("/sys/fs/cgroup/memory.max", "1073741824\n");
    check(GIB, "cgroup");
}

static void test_limits__cpu_quota__rounds_up(void **state)
{
    (void)state;
    put("/proc/self/cgroup", "0::/a\n");
    put("/sys/fs/cgroup/a/cpu.max", "50000 100000\n");
    assert_int_equal(gsi_limits_probe(root).cpu_count, 1);
}

static void test_limits__nothing_readable__still_something(void **state)
{
    (void)state;
    struct gsi_limits limits = gsi_limits_probe("/nonexistent");
    assert_true(limits.memory_bytes > 0);
}

#define WITH_ROOT(test) cmocka_unit_test_setup_teardown(test, make_root, remove_root)

static void test_limits__asked_for_more_than_there_is__what_is_available(void **state)
{
    (void)state;
    struct gsi_limits limits = gsi_limits_probe(root);
    assert_int_equal(gsi_limits_memory(&limits, 0), 4 * GIB);
    assert_int_equal(gsi_limits_memory(&limits, 5), 5);
    assert_int_equal(gsi_limits_memory(&limits, 16 * GIB), 16 * GIB); /* with swap it may do */
    assert_int_equal(gsi_limits_memory(&limits, 16 * GIB + 1), 8 * GIB);
    assert_int_equal(gsi_limits_memory(&limits, UINT64_MAX), 8 * GIB);
    put("/proc/self/cgroup", "0::/a\n");
    put("/sys/fs/cgroup/a/memory.max", "1073741824\n");
    limits = gsi_limits_probe(root);
    assert_int_equal(gsi_limits_memory(&limits, 2 * GIB), GIB);
}

/* ---- processors ---- */

/* The kernel knows of so many processors, and this process may run on every other one; 0: the
 * machine's own answer. */
static uint32_t known_processors;

int __real_sched_getaffinity(pid_t pid, size_t bytes, cpu_set_t *set);
int __wrap_sched_getaffinity(pid_t pid, size_t bytes, cpu_set_t *set);

int __wrap_sched_getaffinity(pid_t pid, size_t bytes, cpu_set_t *set)
{
    if (known_processors == 0)
        return __real_sched_getaffinity(pid, bytes, set);
    if (bytes * 8 < known_processors) {
        errno = EINVAL;
        return -1;
    }
    CPU_ZERO_S(bytes, set);
    for (uint32_t i = 0; i < known_processors; i += 2)
        CPU_SET_S(i, bytes, set);
    return 0;
}

static void test_processors__more_than_a_mask_of_fixed_size__are_counted(void **state)
{
    (void)state;
    static const uint32_t known[] = {2, 1024, 1026, 4096, 8192};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        known_processors = known[i];
        assert_int_equal(gs_processor_count(), known[i] / 2);
    }
    assert_int_equal(gsi_limits_probe(root).cpu_count, 1024);
    known_processors = 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_ROOT(test_limits__no_cgroup__machine),
        WITH_ROOT(test_processors__more_than_a_mask_of_fixed_size__are_counted),
        WITH_ROOT(test_limits__asked_for_more_than_there_is__what_is_available),
        WITH_ROOT(test_limits__v2_limit_on_a_parent__holds),
        WITH_ROOT(test_limits__v2_high_below_max__holds),
        WITH_ROOT(test_limits__v1__holds),
        WITH_ROOT(test_limits__inside_a_container__the_root_of_the_mount_counts),
        WITH_ROOT(test_limits__cpu_quota__rounds_up),
        cmocka_unit_test(test_limits__nothing_readable__still_something),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
