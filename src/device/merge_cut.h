/* merge_cut.h: finds which parts of the slices form the first n elements of a merge: the k-way
 * co-rank.
 *
 * Sorted slices are merged into one total order: by key, then by slice (stable: equal keys go to
 * the lower slice), then by position. A cut states how many elements of each slice precede a point
 * of that order. Windows, threads and tiles are all cut with the functions below, which are pure.
 *
 *      slice 0   1 4 4 9        the order, with slices:  0(2) 1(0) 2(1) 3(1) 4(0) 4(0) 4(1) 4(2) ..
 *      slice 1   2 3 4          rank 5:                  cut = {2, 2, 1}
 *      slice 2   0 4 8          rank 7:                  cut = {3, 3, 1} */
#ifndef GSI_MERGE_CUT_H
#define GSI_MERGE_CUT_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct gsi_slice {
    const void *keys; /* ascending */
    uint64_t count;
};

/* A point of the order: just before element `idx` of slice `slice`. */
struct gsi_pivot {
    uint32_t slice;
    uint64_t idx;
};

/* gsi_merge_cut: computes the exact co-rank.
 * in    slices[k] of keys of `key_bytes` (4, 8 or 16); rank <= sum of the counts < 2^63
 *       scratch: 2 * k entries
 * out   cut[k]; sum(cut) == rank
 * owns  nothing; pure; O(k log n) probes for similar slices, O(k log^2 n) for any
 *
 * The selection narrows one bracket per slice with a pivot near the wanted quantile. The method
 * is by Floyd and Rivest, "Expected time bounds for selection", CACM 18(3), 1975. Every other late
 * pivot is a middle, which bounds the number of rounds for any input. */
void gsi_merge_cut(uint32_t key_bytes, const struct gsi_slice *slices, uint32_t k, uint64_t rank,
                   uint64_t *cut, uint64_t *scratch);

/* gsi_merge_cut_pivot: returns the pivot of one round of that selection, for orders that need more
 * than the keys.
 * in    brackets [low, high) of the slices, with `open` > 0 elements in all; `wanted` of these
 *       precede the cut */
struct gsi_pivot gsi_merge_cut_pivot(const uint64_t *low, const uint64_t *high, uint64_t open,
                                     uint64_t wanted, uint32_t round);

/* gsi_merge_cut_at: computes the cut at a pivot. Returns its rank. */
uint64_t gsi_merge_cut_at(uint32_t key_bytes, const struct gsi_slice *slices, uint32_t k,
                          struct gsi_pivot pivot, uint64_t *cut);

/* gsi_merge_below: returns how many keys of one slice are below `bound`, or not above it if
 * `is_inclusive`. */
uint64_t gsi_merge_below(uint32_t key_bytes, struct gsi_slice slice, const void *bound,
                         int is_inclusive);

#ifdef __cplusplus
}
#endif
#endif
