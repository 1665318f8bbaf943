/* cpu_presorted.h: sorting of keys that may be in order already. */
#ifndef GSI_CPU_PRESORTED_H
#define GSI_CPU_PRESORTED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* gsi_sort_keys: as gsi_leaf_sort (cpu_leaf_sort.h). Keys that are in order are left as they are,
 * and those that fall from each to the next are turned round: both in one pass. Of others a few are
 * looked at before they are sorted. Returns whether they were in order.
 * in    scratch: GSI_WIDE_SORT_BYTES, aligned to 64 (cpu_wide_sort.h); NULL: keys of 16 bytes take
 *       twice as long */
bool gsi_sort_keys(uint32_t key_bytes, void *keys, size_t n, void *scratch);

#endif
