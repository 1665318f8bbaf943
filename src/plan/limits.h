/* limits.h: what this process may use: memory and processors, after machine, cgroup and rlimits. */
#ifndef GSI_LIMITS_H
#define GSI_LIMITS_H

#include <stdint.h>

struct gsi_limits {
    uint64_t memory_bytes;     /* available to this process */
    const char *memory_source; /* "machine", "cgroup" or "rlimit": whichever is lowest */
    uint64_t most_bytes;       /* that it could have if nobody else used any */
    uint32_t cpu_count;        /* >= 1 */
};

/* gsi_limits_probe: never fails; what cannot be read does not limit.
 * in    root: prefix of /proc and /sys, "" on a real machine (tests pass a directory)
 * Reads /proc/meminfo (MemAvailable, MemTotal), cgroup v2 memory.max, memory.high and cpu.max,
 * cgroup v1 memory.limit_in_bytes and cpu.cfs_quota_us, of the own group and all above it;
 * RLIMIT_AS and RLIMIT_DATA; the affinity mask. */
struct gsi_limits gsi_limits_probe(const char *root);

/* gsi_limits_memory: the ceiling for a job that was asked to keep to `bytes`. 0 means the
 * default, half of what is available; more than the machine has means all that is available. */
uint64_t gsi_limits_memory(const struct gsi_limits *limits, uint64_t bytes);

#endif
