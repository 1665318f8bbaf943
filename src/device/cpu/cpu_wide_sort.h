/* cpu_wide_sort.h: sorts keys of 16 bytes by short tags of 8, in one thread's caches.
 *
 * VQSort needs three times as long for keys of 16 bytes as for keys of 8. So keys are dealt to
 * pieces that fit into the scratch, and each piece is sorted by tags of 8 bytes:
 *
 *     keys    [ shared by the piece | differ ...        | ...         ]
 *     tag               [ first bits that differ | index in the piece ]   sorted as u64
 *
 * Then the keys are copied in the order of their tags. Keys that tie in all bits of their tags are
 * then side by side. They are sorted in the same way by the bits after these.
 *
 * Random keys need half the time of VQSort alone, and other keys at most 0.1 ns per key more
 * (RESULTS.md, "Sizes chosen by measurement"). */
#ifndef GSI_CPU_WIDE_SORT_H
#define GSI_CPU_WIDE_SORT_H

#include "base/assert.h"
#include "base/u128.h"

#include <stddef.h>

/* Scratch of a sort, bytes: it fills a second-level cache of 1 MiB, or half of a larger one. */
#define GSI_WIDE_SORT_BYTES ((size_t)1 << 20)

/* Keys that fit into the scratch: so few keys are not dealt before they are sorted. */
#define GSI_WIDE_PIECE_KEYS GSI_CONSTANT((size_t)32768, (size_t)1024)

/* gsi_wide_sort: sorts keys of 16 bytes as gsi_leaf_sort does (cpu_leaf_sort.h).
 * in    scratch: GSI_WIDE_SORT_BYTES, aligned to 64 */
void gsi_wide_sort(gsi_u128 *keys, size_t n, void *scratch);

#endif
