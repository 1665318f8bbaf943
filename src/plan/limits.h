/* limits.h: determines how much memory and how many processors this process may use, from machine,
 * cgroup and rlimits. */
#ifndef GSI_LIMITS_H
#define GSI_LIMITS_H

#include <stdint.h>

struct gsi_limits {
    uint64_t memory_bytes;     /* available to this process */
    const char *memory_source; /* which limit is the lowest: "machine", "cgroup" or "rlimit" */
    uint64_t most_bytes;       /* available if no other process used any */
    uint32_t cpu_count;        /* >= 1 */
};

/* gsi_limits_probe: returns the limits. Never fails: it ignores a limit that it cannot read.
 * in    root: prefix of /proc and /sys, "" on a real machine (tests pass a directory)
 * Reads /proc/meminfo (MemAvailable, MemTotal). For the process's cgroup and all its parents, reads
 * memory.max, memory.high and cpu.max (v2) or memory.limit_in_bytes and cpu.cfs_quota_us (v1).
 * Reads RLIMIT_AS and RLIMIT_DATA, and the affinity mask. */
struct gsi_limits gsi_limits_probe(const char *root);

/* gsi_limits_memory: returns the memory limit of a job, in bytes, if the user asked for `bytes`. 0
 * means half of the available memory. If `bytes` is more than most_bytes, the limit is all
 * available memory. */
uint64_t gsi_limits_memory(const struct gsi_limits *limits, uint64_t bytes);

#endif
