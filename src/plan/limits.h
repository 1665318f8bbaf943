/* limits.h: determines how much memory and how many processors this process may use, from machine,
 * cgroup and rlimits. */
#ifndef GSI_LIMITS_H
#define GSI_LIMITS_H

#include <stdint.h>

struct gsi_limits {
    uint64_t memory_bytes;     /* available to this process */
    const char *memory_source; /* "machine", "cgroup" or "rlimit": the lowest one */
    uint64_t most_bytes;       /* available if no other process used any */
    uint32_t cpu_count;        /* >= 1 */
};

/* gsi_limits_probe: returns the limits. Never fails: a limit that cannot be read does not apply.
 * in    root: prefix of /proc and /sys, "" on a real machine (tests pass a directory)
 * Reads /proc/meminfo (MemAvailable, MemTotal). Reads cgroup v2 memory.max, memory.high and
 * cpu.max, and cgroup v1 memory.limit_in_bytes and cpu.cfs_quota_us, of the own group and all above
 * it. Reads RLIMIT_AS and RLIMIT_DATA, and the affinity mask. */
struct gsi_limits gsi_limits_probe(const char *root);

/* gsi_limits_memory: returns the ceiling, bytes, for a job that was asked to keep to `bytes`. 0
 * means the default, half of the available memory. More than the machine has means all available
 * memory. */
uint64_t gsi_limits_memory(const struct gsi_limits *limits, uint64_t bytes);

#endif
