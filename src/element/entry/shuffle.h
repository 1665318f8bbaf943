/* shuffle.h: computes random sort keys for --shuffle.
 *
 * The key of an element is its position, encrypted with Threefry-2x32 (20 rounds) under the seed:
 *
 *     seed 1: position 0 1 2 ..  ->  a 64-bit key each; sorting by the keys shuffles the elements
 *
 * For each seed, Threefry is a permutation of 64-bit blocks, so no two keys are equal. It passes
 * BigCrush, so the order is uniform for all practical purposes. Keys depend only on seed and
 * position. So the order is the same with any number of threads, any memory size and any device.
 *
 * Source: Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC 2011,
 * section 4.2. */
#ifndef GSI_SHUFFLE_H
#define GSI_SHUFFLE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* gsi_shuffle_keys: writes the keys of `n` consecutive positions from `first` on.
 * gsi_shuffle_draw: returns a random seed. */
void gsi_shuffle_keys(uint64_t seed, uint64_t first, size_t n, uint64_t *keys);
uint64_t gsi_shuffle_draw(void);

#ifdef __cplusplus
}
#endif
#endif
