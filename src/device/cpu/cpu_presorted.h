/* cpu_presorted.h: sorts keys that may already be in order. */
#ifndef GSI_CPU_PRESORTED_H
#define GSI_CPU_PRESORTED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* gsi_sort_keys: sorts as gsi_leaf_sort does (cpu_leaf_sort.h). Ascending keys are left unchanged,
 * and strictly descending ones are reversed: one pass detects both. In other data it reads only a
 * few keys before the sort. Returns whether the keys were already in order.
 * in    scratch: GSI_WIDE_SORT_BYTES, aligned to 64 (cpu_wide_sort.h); NULL: keys of 16 bytes need
 *       twice as long */
bool gsi_sort_keys(uint32_t key_bytes, void *keys, size_t n, void *scratch);

#endif
