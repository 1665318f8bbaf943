/* moments.h: computes mean and variance and rounds only the results (--variance).
 *
 *     variance = (n Q - S^2) / n^2      S: the sum, Q: the sum of squares, both exact
 *
 * Integers of up to 8 bytes have squares of 16 bytes. A float's significand is squared as an
 * integer. There is a sum for each exponent, and a long integer for the sums that GPUs computed. At
 * the end all these are added to one long integer. Mean and variance are rounded once, to nearest
 * even (results below 2^-1022 twice).
 *
 * An accumulator follows a tally's own tables; each thread has one. NaNs and infinities are left
 * out; the tally counts them. */
#ifndef GSI_MOMENTS_H
#define GSI_MOMENTS_H

#include "element/layout.h"
#include "element/tally/exact_sum.h"

#include <stddef.h>

/* gsi_moments_words: returns the size of an accumulator in uint64_t. gsi_moments_clear: makes it
 * empty. */
size_t gsi_moments_words(const struct gsi_layout *layout);
void gsi_moments_clear(const struct gsi_layout *layout, uint64_t *moments);

/* gsi_moments_add: adds `n` raw elements, no more than a block of a tally. gsi_moments_merge: adds
 * `from` to `into`. */
void gsi_moments_add(const struct gsi_layout *layout, uint64_t *moments, const void *elements,
                     size_t n);
void gsi_moments_merge(const struct gsi_layout *layout, uint64_t *into, const uint64_t *from);

/* gsi_moments_add_limbs: adds a sum of squares that others computed. Limb i counts multiples of
 * 2^(32 i). The unit is 1 for integers; for floats it is 2^-2148, the square of the smallest
 * positive double. */
void gsi_moments_add_limbs(const struct gsi_layout *layout, uint64_t *moments,
                           const gsi_u128 *limbs, size_t limb_count);

/* gsi_moments_finish: computes mean and population variance of `n` > 0 finite numbers.
 * in    sum: their sum, in two's complement; the unit is 1 for integers, 2^-1074 for floats */
void gsi_moments_finish(const struct gsi_layout *layout, const uint64_t *moments, uint64_t n,
                        const uint64_t sum[GSI_EXACT_LIMBS], double *mean, double *variance);

#endif
