/* merge_tree.c: computes the passes of intermediate merges. */
#include "plan/merge_tree.h"

#include "base/checked.h"

/* A merge of g runs lowers the number of runs by g - 1. The first pass merges just enough runs to
 * make their number a power of the fan-in. */
struct gsi_merge_pass gsi_merge_pass_make(uint64_t run_count, uint64_t fan_in)
{
    uint64_t left = fan_in;
    while (left < gsi_ceil_div_u64(run_count, fan_in))
        left *= fan_in;
    uint64_t fewer = run_count - left;
    uint64_t groups = gsi_ceil_div_u64(fewer, fan_in - 1);
    return (struct gsi_merge_pass){.run_count = run_count,
                                   .span = fewer + groups,
                                   .group_count = groups,
                                   .first_group = fewer + groups - (groups - 1) * fan_in};
}

uint64_t gsi_merge_pass_first_run(const struct gsi_merge_pass *pass, const uint64_t *run_bytes)
{
    uint64_t bytes = 0, first = 0;
    for (uint64_t i = 0; i < pass->span; i++)
        bytes += run_bytes[i];
    uint64_t fewest = bytes;
    for (uint64_t i = pass->span; i < pass->run_count; i++) {
        bytes += run_bytes[i] - run_bytes[i - pass->span];
        if (bytes < fewest) {
            fewest = bytes;
            first = i + 1 - pass->span;
        }
    }
    return first;
}
