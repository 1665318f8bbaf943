/* cpu_merge_simd.h: merges the bulk of two sorted arrays, a vector of keys at a time. */
#ifndef GSI_CPU_MERGE_SIMD_H
#define GSI_CPU_MERGE_SIMD_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The rest of a merge: the keys from a to a_end and from b to b_end belong at out, which ends at
 * out_end. */
struct gsi_merge_ends {
    const void *a, *a_end, *b, *b_end;
    void *out, *out_end;
};

/* gsi_merge_bulk: merges unsigned keys of `key_bytes` (4, 8, 16), aligned to their size, from both
 * ends while each array has two vectors of them. The caller merges the rest, which `ends` then
 * describes. Does nothing if the processor has no vectors that pay off. Any thread. */
void gsi_merge_bulk(uint32_t key_bytes, struct gsi_merge_ends *ends);

#ifdef __cplusplus
}
#endif
#endif
