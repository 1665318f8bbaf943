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
 * Nanoseconds a key of 2^20 keys, and of VQSort alone (AMD EPYC, family 26, model 2, one core,
 * AVX-512, CPU time, 2026-11-24):
 *
 *     random, sorted but for one          7.0 of 14.2, 6.1 of 13.8
 *     a float and a place, in ten bytes   9.8 of 13.8
 *     they differ in the low half only    8.5 of 13.9
 *     2000 values; two; all equal         6.0 of 6.1; 1.0 of 0.9; 0.4 of 0.4 (by VQSort)
 *     100 values, and a place             13.8 of 13.7
 *     as many of each number of bits      13.8 of 13.8 (by VQSort) */
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
