/* tally_sums.h: contains a tally's counts and sums in one struct of integers. Threads and GPUs pass
 * it on, journals store it, and gsi_tally_sums_report makes a report of it.
 *
 *     thread 1: gsi_tally_sums_add_sorted --.
 *     thread 2: gsi_tally_save -------------+--> gsi_tally_sums_join --> gsi_tally_sums_report
 *     journal:  read -----------------------'
 *
 * Adding integers is associative and commutative. So the result has the same bits for each order
 * and each split.
 *
 * Sorted elements are counted here, and all others by tally.h. Sorted floats need no table of bins:
 * floats with the same sign and exponent are neighbours, and vectors add their significands. */
#ifndef GSI_TALLY_SUMS_H
#define GSI_TALLY_SUMS_H

#include "base/u128.h"
#include "element/layout.h"
#include "element/tally/exact_sum.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Counts, extremes and sums. Journals contain this struct as it is, so its layout is fixed. */
struct gsi_tally_sums {
    uint64_t count;
    uint64_t nans, positive_infinities, negative_infinities, negative_zeros;
    uint64_t is_negative; /* 1: the sum of floats is -limbs; 0: it is limbs, in two's complement */
    gsi_u128 fingerprint; /* 128-bit sum of a 64-bit mix of every element */
    gsi_u128 sum[2];   /* integers: sums of ascending keys; of 16-byte keys: low and high words */
    gsi_u128 min, max; /* ascending keys; min > max: none. A NaN is never the maximum, and is the
                             minimum only if there are no numbers. */
    uint64_t limbs[GSI_EXACT_LIMBS]; /* floats: fixed-point sum (exact_sum.h) without NaNs and
                                        infinities */
};

/* The tally of a stream of elements as users see it: exact, and independent of order, threads and
 * chunks. */
struct gsi_tally_report {
    uint64_t count;
    uint64_t nan_count, positive_infinity_count, negative_infinity_count, negative_zero_count;
    uint8_t min[16], max[16]; /* raw elements, NaN ignored; valid if has_extremes */
    bool has_extremes;
    uint64_t sum[4];         /* integers: 256-bit two's complement, least significant first */
    double sum_float;        /* floats: exact sum without NaNs, rounded once to nearest even */
    uint64_t fingerprint[2]; /* as in gsi_tally_sums, the low word first */
    /* With --variance, if there are numbers: mean and population variance of the numbers without
     * NaNs, exact and rounded once. With infinities the variance is NaN. */
    double mean, variance;
    int64_t mean_time; /* of times: the mean, rounded once to a whole unit */
    bool has_moments;
};

/* gsi_tally_sums_clear: makes `sums` empty.
 * gsi_tally_sums_join: adds `from`, which has the same layout; into->is_negative is 0. */
void gsi_tally_sums_clear(struct gsi_tally_sums *sums);
void gsi_tally_sums_join(struct gsi_tally_sums *into, const struct gsi_tally_sums *from);

/* gsi_tally_sums_add_sorted: counts `n` raw numbers, which are in the layout's order; several calls
 * may be in any order. Adds no fingerprint. If the numbers are not in order, the result is
 * unspecified, and the caller has to notice it. */
void gsi_tally_sums_add_sorted(const struct gsi_layout *layout, struct gsi_tally_sums *sums,
                               const void *elements, size_t n);

/* gsi_tally_sums_report: returns the report, without moments. */
struct gsi_tally_report gsi_tally_sums_report(const struct gsi_layout *layout,
                                              const struct gsi_tally_sums *sums);

#ifdef __cplusplus
}
#endif
#endif
