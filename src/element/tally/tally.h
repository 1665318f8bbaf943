/* tally.h: computes count, extremes, exact sum and fingerprint of elements that are read, and maps
 * these to sort keys. For elements that are written see digest.h.
 *
 *     each thread:   tally = gsi_tally_alloc(&layout, bump)
 *                    gsi_tally_add_and_map(tally, elements, n)      as often as wanted
 *     at the end:    gsi_tally_merge(all, tally)                for each thread
 *                    report = gsi_tally_finish(all)
 *
 * The result is a struct gsi_tally_sums. An accumulator adds a table of bins for floats
 * (exact_sum.h), and sums of squares for --variance (moments.h). */
#ifndef GSI_TALLY_H
#define GSI_TALLY_H

#include "base/memory.h"
#include "base/u128.h"
#include "element/layout.h"
#include "element/tally/tally_sums.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Accumulator; gsi_tally_create makes an empty one. */
struct gsi_tally;

/* NULL on no memory. */
struct gsi_tally *gsi_tally_create(const struct gsi_layout *layout);
void gsi_tally_free(struct gsi_tally *tally);

/* gsi_tally_alloc: allocates an accumulator from a bump allocator. In the second run it is
 * empty. */
struct gsi_tally *gsi_tally_alloc(const struct gsi_layout *layout, struct gsi_bump *bump);

/* gsi_tally_clear: makes it empty again. */
void gsi_tally_clear(struct gsi_tally *tally);

/* gsi_tally_add: counts `n` raw elements; any alignment of the element's own size.
 * limit  fewer than 2^32 elements a call; fewer than 2^64 in all */
void gsi_tally_add(struct gsi_tally *tally, const void *elements, size_t n);

/* gsi_tally_add_and_map: does the same, and replaces the elements by their sort keys. */
void gsi_tally_add_and_map(struct gsi_tally *tally, void *elements, size_t n);

/* gsi_tally_add_fingerprint_map: does the same, but adds only the fingerprint.
 * gsi_tally_add_sorted_keys: adds the rest, after the keys were sorted; without moments.
 * gsi_tally_add_count: adds only their number instead. */
void gsi_tally_add_fingerprint_map(struct gsi_tally *tally, void *elements, size_t n);
void gsi_tally_add_sorted_keys(struct gsi_tally *tally, const void *keys, size_t n);
void gsi_tally_add_count(struct gsi_tally *tally, uint64_t n);

/* gsi_tally_merge: adds `from`, which has the same layout. */
void gsi_tally_merge(struct gsi_tally *into, const struct gsi_tally *from);

/* gsi_tally_add_sums: adds sums that others counted, of elements of the same layout.
 * gsi_tally_add_squares: adds the sum of squares that belongs to them, as gsi_moments_add_limbs
 * does; only for layouts with moments. */
void gsi_tally_add_sums(struct gsi_tally *tally, const struct gsi_tally_sums *sums);
void gsi_tally_add_squares(struct gsi_tally *tally, const gsi_u128 *limbs, size_t limb_count);

/* gsi_tally_save: stores what was counted so far, without moments.
 * gsi_tally_finish: returns the report on what was counted so far; counting may continue. */
void gsi_tally_save(const struct gsi_tally *tally, struct gsi_tally_sums *sums);
struct gsi_tally_report gsi_tally_finish(const struct gsi_tally *tally);

#ifdef __cplusplus
}
#endif
#endif
