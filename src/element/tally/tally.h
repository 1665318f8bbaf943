/* tally.h: count, extremes, exact sum and fingerprint of a stream of elements, taken on the way in,
 * where raw elements become sort keys; on the way out, see digest.h.
 *
 * Accumulators are plain integers, so adding them is associative and commutative: whatever the
 * chunking and the number of threads, the result has the same bits. One accumulator per thread;
 * gsi_tally_merge joins them. Source of the float sum: R. Neal, "Fast exact summation using small
 * and large superaccumulators", 2015, section 3 (one bin per sign and exponent, carried into one
 * long fixed-point number at the end). */
#ifndef GSI_TALLY_H
#define GSI_TALLY_H

#include "base/memory.h"
#include "base/u128.h"
#include "element/layout.h"
#include "element/tally/exact_sum.h"
#include "element/tally/tally_report.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Accumulator; gsi_tally_create makes an empty one. */
struct gsi_tally;

/* NULL on no memory. */
struct gsi_tally *gsi_tally_create(const struct gsi_layout *layout);
void gsi_tally_free(struct gsi_tally *tally);

/* gsi_tally_place: places an accumulator on a shelf. In the second run it is empty. */
struct gsi_tally *gsi_tally_place(const struct gsi_layout *layout, struct gsi_shelf *shelf);

/* gsi_tally_clear: make it an empty one again. */
void gsi_tally_clear(struct gsi_tally *tally);

/* gsi_tally_add: count `n` raw elements; any alignment of the element's own size.
 * limit  fewer than 2^32 elements a call; fewer than 2^64 in all */
void gsi_tally_add(struct gsi_tally *tally, const void *elements, size_t n);

/* gsi_tally_add_map: the same, and turn the elements into sort keys in place. */
void gsi_tally_add_map(struct gsi_tally *tally, void *elements, size_t n);

/* gsi_tally_merge: into += from; both of the same layout. */
void gsi_tally_merge(struct gsi_tally *into, const struct gsi_tally *from);

/* What was counted elsewhere, such as on a GPU, as plain integers. Extremes are ascending keys. A
 * NaN is never the maximum; it is the minimum only where there are no numbers. Limb i of a float
 * sum is in two's complement and counts 2^(32 i) smallest positive doubles; the sum leaves out NaNs
 * and infinities. */
struct gsi_tally_parts {
    uint64_t count;
    uint64_t nans, positive_infinities, negative_infinities, negative_zeros;
    gsi_u128 fingerprint;
    gsi_u128 sum[2];   /* integers: of ascending keys; 16 bytes: of their low and high words */
    gsi_u128 min, max; /* min > max: no element */
    const gsi_u128 *limbs;
    size_t limb_count;
    const gsi_u128 *square_limbs; /* layouts with moments: gsi_moments_add_limbs */
    size_t square_limb_count;
};

/* gsi_tally_add_parts: add what `parts` counted, of elements of the same layout. */
void gsi_tally_add_parts(struct gsi_tally *tally, const struct gsi_tally_parts *parts);

/* An accumulator as it is kept in a file, between runs of the program. */
struct gsi_tally_saved {
    uint64_t count;
    uint64_t nans, positive_infinities, negative_infinities, negative_zeros;
    uint64_t is_negative; /* the sum of floats: sign, and magnitude (exact_sum.h) */
    gsi_u128 fingerprint, sum[2], min, max;
    uint64_t limbs[GSI_EXACT_LIMBS];
};

/* gsi_tally_save: what was counted so far.  gsi_tally_add_saved: adds what was saved. */
void gsi_tally_save(const struct gsi_tally *tally, struct gsi_tally_saved *saved);
void gsi_tally_add_saved(struct gsi_tally *tally, const struct gsi_tally_saved *saved);

/* gsi_tally_finish: the result so far; `tally` can go on.
 * gsi_tally_saved_finish: of what was saved, but for moments. */
struct gsi_tally_report gsi_tally_finish(const struct gsi_tally *tally);
struct gsi_tally_report gsi_tally_saved_finish(const struct gsi_layout *layout,
                                               const struct gsi_tally_saved *saved);

#ifdef __cplusplus
}
#endif
#endif
