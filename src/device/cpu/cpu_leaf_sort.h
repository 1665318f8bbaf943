/* cpu_leaf_sort.h: declares the sort inside one thread's caches, by Highway's VQSort. */
#ifndef GSI_CPU_LEAF_SORT_H
#define GSI_CPU_LEAF_SORT_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* gsi_leaf_prepare: chooses the best instruction set for keys of `key_bytes`, for the whole
 * process; call it before the first sort. Another job may choose differently, which only costs
 * time. */
void gsi_leaf_prepare(uint32_t key_bytes);

/* gsi_leaf_sort: sorts `n` unsigned keys of `key_bytes` (4, 8, 16), aligned to their size,
 * ascending, in place. Any thread; O(n log n) time, a few KiB of stack and thread-local memory. */
void gsi_leaf_sort(uint32_t key_bytes, void *keys, size_t n);

/* gsi_leaf_target: returns the name of the instruction set that VQSort uses here, e.g. "AVX3". */
const char *gsi_leaf_target(void);

#ifdef __cplusplus
}
#endif
#endif
