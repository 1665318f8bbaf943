/* moments.h: mean and variance without any rounding but the last one (--variance).
 *
 *     variance = (n Q - S^2) / n^2      S: the sum, Q: the sum of squares, both exact
 *
 * Integers of up to 8 bytes have squares of 16. Of floats the significands are squared, integers
 * too, and there is a sum for each exponent, and a long integer for what GPUs counted. At the end
 * all of it is one long integer. Mean and variance are rounded once, to nearest even (results below
 * 2^-1022 twice).
 *
 * An accumulator lies behind a tally's own tables; one a thread. NaNs are left out; so are
 * infinities, which the tally counts. */
#ifndef GSI_MOMENTS_H
#define GSI_MOMENTS_H

#include "element/layout.h"
#include "element/tally/exact_sum.h"

#include <stddef.h>

/* gsi_moments_words: of an accumulator, in uint64_t.
 * gsi_moments_clear: makes it an empty one. */
size_t gsi_moments_words(const struct gsi_layout *layout);
void gsi_moments_clear(const struct gsi_layout *layout, uint64_t *moments);

/* gsi_moments_add: adds `n` raw elements, no more than a block of a tally.
 * gsi_moments_merge: into += from. */
void gsi_moments_add(const struct gsi_layout *layout, uint64_t *moments, const void *elements,
                     size_t n);
void gsi_moments_merge(const struct gsi_layout *layout, uint64_t *into, const uint64_t *from);

/* gsi_moments_add_limbs: adds a sum of squares that was made elsewhere. Limb i counts 2^(32 i): of
 * integers ones, of floats squares of the smallest positive double, 2^-2148. */
void gsi_moments_add_limbs(const struct gsi_layout *layout, uint64_t *moments,
                           const gsi_u128 *limbs, size_t limb_count);

/* gsi_moments_finish: computes mean and population variance of `n` > 0 finite numbers.
 * in    sum: their sum, in two's complement: of integers in ones, of floats in 2^-1074 */
void gsi_moments_finish(const struct gsi_layout *layout, const uint64_t *moments, uint64_t n,
                        const uint64_t sum[GSI_EXACT_LIMBS], double *mean, double *variance);

#endif
