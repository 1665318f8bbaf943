/* limits.c: reads the kernel's limits on memory and processors. */
#include "plan/limits.h"

#include "base/checked.h"
#include "base/choices.h"

#include <errno.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#define PATH_BYTES 4096

/* Reads the first line of the file at `root` + `directory` + `name`; returns false if there is
 * none. */
static bool read_line(const char *root, const char *directory, const char *name, char *line,
                      int line_bytes)
{
    char path[PATH_BYTES];
    if (snprintf(path, sizeof path, "%s%s%s", root, directory, name) >= (int)sizeof path)
        return false;
    FILE *file = fopen(path, "re");
    if (file == NULL)
        return false;
    bool is_read = fgets(line, line_bytes, file) != NULL;
    fclose(file);
    return is_read;
}

/* Returns the value of line `name` of /proc/meminfo in bytes, or UINT64_MAX if there is no such
 * line. */
static uint64_t machine_memory(const char *root, const char *name)
{
    char path[PATH_BYTES], line[256];
    uint64_t kib = 0;
    size_t length = strlen(name);
    if (snprintf(path, sizeof path, "%s/proc/meminfo", root) >= (int)sizeof path)
        return UINT64_MAX;
    FILE *file = fopen(path, "re");
    if (file == NULL)
        return UINT64_MAX;
    while (fgets(line, sizeof line, file) != NULL)
        if (strncmp(line, name, length) == 0)
            kib = strtoull(line + length, NULL, 10);
    fclose(file);
    return kib > 0 ? gsi_mul_max_u64(kib, 1024) : UINT64_MAX;
}

/* Returns the number in a cgroup file; UINT64_MAX for "max", "-1" or no file. */
static uint64_t read_limit(const char *root, const char *group, const char *name)
{
    char line[128];
    if (!read_line(root, group, name, line, sizeof line) || line[0] < '0' || line[0] > '9')
        return UINT64_MAX;
    return strtoull(line, NULL, 10);
}

/* Returns the number of processors that a cgroup's quota allows, rounded up; UINT64_MAX: no quota.
 * cgroup v2 has "QUOTA PERIOD" in one file, v1 has two files. */
static uint64_t read_cpu_quota(const char *root, const char *group, bool is_v2)
{
    char line[128];
    unsigned long long quota, period;
    if (is_v2) {
        if (!read_line(root, group, "/cpu.max", line, sizeof line) ||
            /* NOLINTNEXTLINE(cert-err34-c): the kernel writes numbers that fit */
            sscanf(line, "%llu %llu", &quota, &period) != 2)
            return UINT64_MAX;
    } else {
        quota = read_limit(root, group, "/cpu.cfs_quota_us");
        period = read_limit(root, group, "/cpu.cfs_period_us");
    }
    if (quota == UINT64_MAX || period == UINT64_MAX || period == 0)
        return UINT64_MAX;
    return gsi_ceil_div_u64(quota, period);
}

struct group_limits {
    uint64_t memory_bytes, cpu_count;
};

static void apply_cgroup(const char *root, const char *group, bool is_v2,
                         struct group_limits *limits)
{
    static const char *const v2_files[] = {"/memory.max", "/memory.high", NULL};
    static const char *const v1_files[] = {"/memory.limit_in_bytes", NULL};
    for (const char *const *file = is_v2 ? v2_files : v1_files; *file != NULL; file++)
        limits->memory_bytes = gsi_min_u64(limits->memory_bytes, read_limit(root, group, *file));
    limits->cpu_count = gsi_min_u64(limits->cpu_count, read_cpu_quota(root, group, is_v2));
}

/* Lowers `limits` to the limits of the cgroup `group` and of all its parents. In a container,
 * `group` may have parents that are not visible; they are ignored. */
static void apply_cgroup_and_parents(const char *root, const char *mount, char *group, bool is_v2,
                                     struct group_limits *limits)
{
    char path[PATH_BYTES];
    for (;;) {
        if (snprintf(path, sizeof path, "%s%s", mount, group) < (int)sizeof path)
            apply_cgroup(root, path, is_v2, limits);
        char *slash = strrchr(group, '/');
        if (slash == NULL)
            return;
        *slash = '\0';
    }
}

static struct group_limits cgroup_limits(const char *root)
{
    struct group_limits limits = {UINT64_MAX, UINT64_MAX};
    char path[PATH_BYTES], line[PATH_BYTES];
    if (snprintf(path, sizeof path, "%s/proc/self/cgroup", root) >= (int)sizeof path)
        return limits;
    FILE *file = fopen(path, "re");
    if (file == NULL)
        return limits;
    while (fgets(line, sizeof line, file) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        char *controllers = strchr(line, ':');
        char *group = controllers != NULL ? strchr(controllers + 1, ':') : NULL;
        if (group == NULL)
            continue;
        *group++ = '\0';
        controllers++;
        if (*controllers == '\0')
            apply_cgroup_and_parents(root, "/sys/fs/cgroup", group, true, &limits);
        else if (strcmp(controllers, "memory") == 0)
            apply_cgroup_and_parents(root, "/sys/fs/cgroup/memory", group, false, &limits);
        else if (strstr(controllers, "cpu") != NULL && strstr(controllers, "cpuset") == NULL)
            apply_cgroup_and_parents(root, "/sys/fs/cgroup/cpu", group, false, &limits);
    }
    fclose(file);
    return limits;
}

static uint64_t rlimit_memory(void)
{
    struct rlimit limit;
    uint64_t lowest = UINT64_MAX;
    if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
        lowest = limit.rlim_cur;
    if (getrlimit(RLIMIT_DATA, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
        lowest = gsi_min_u64(lowest, limit.rlim_cur);
    return lowest;
}

/* Size of the largest affinity mask that is tried, in processors; such a mask needs 128 KiB. */
#define PROCESSORS_MAX ((size_t)1 << 20)

/* Tries longer and longer masks, because the kernel refuses a mask that is shorter than its number
 * of processors (EINVAL). */
uint32_t gs_processor_count(void)
{
    for (size_t most = CPU_SETSIZE; most <= PROCESSORS_MAX; most *= 2) {
        cpu_set_t *set = CPU_ALLOC(most);
        size_t bytes = CPU_ALLOC_SIZE(most);
        if (set == NULL)
            return 1;
        bool is_known = sched_getaffinity(0, bytes, set) == 0;
        int refusal = errno, count = is_known ? CPU_COUNT_S(bytes, set) : 1;
        CPU_FREE(set);
        if (is_known || refusal != EINVAL)
            return (uint32_t)(count > 1 ? count : 1);
    }
    return 1;
}

struct gsi_limits gsi_limits_probe(const char *root)
{
    struct gsi_limits limits = {.memory_bytes = machine_memory(root, "MemAvailable:"),
                                .memory_source = "machine",
                                .most_bytes = machine_memory(root, "MemTotal:")};
    struct group_limits group = cgroup_limits(root);
    if (group.memory_bytes < limits.memory_bytes) {
        limits.memory_bytes = group.memory_bytes;
        limits.memory_source = "cgroup";
    }
    uint64_t rlimit = rlimit_memory();
    if (rlimit < limits.memory_bytes) {
        limits.memory_bytes = rlimit;
        limits.memory_source = "rlimit";
    }
    limits.most_bytes = gsi_min_u64(limits.most_bytes, gsi_min_u64(group.memory_bytes, rlimit));
    if (limits.memory_bytes == UINT64_MAX)
        limits.memory_bytes = (uint64_t)1 << 30; /* nothing could be read: a modest guess */
    limits.cpu_count = (uint32_t)gsi_clamp_u64(gsi_min_u64(gs_processor_count(), group.cpu_count),
                                               1, GSI_THREADS_MAX);
    return limits;
}

uint64_t gs_memory_available(void)
{
    return gsi_limits_probe("").memory_bytes;
}

uint64_t gs_memory_ceiling(uint64_t bytes)
{
    struct gsi_limits limits = gsi_limits_probe("");
    return gsi_limits_memory(&limits, bytes);
}

uint64_t gsi_limits_memory(const struct gsi_limits *limits, uint64_t bytes)
{
    if (bytes == 0)
        return limits->memory_bytes / 2;
    return bytes > limits->most_bytes ? limits->memory_bytes : bytes;
}
