/* tally_report.h: what a stream of elements holds. */
#ifndef GSI_TALLY_REPORT_H
#define GSI_TALLY_REPORT_H

#include <stdbool.h>
#include <stdint.h>

/* Exact, and independent of order, threads and chunking. */
struct gsi_tally_report {
    uint64_t count;
    uint64_t nan_count, positive_infinity_count, negative_infinity_count, negative_zero_count;
    uint8_t min[16], max[16]; /* raw elements, NaN ignored; valid if has_extremes */
    bool has_extremes;
    uint64_t sum[4];         /* integers: 256-bit two's complement, least significant first */
    double sum_float;        /* floats: exact sum without NaNs, rounded once to nearest even */
    uint64_t fingerprint[2]; /* 128-bit sum of a 64-bit mix of every element */
    /* With --variance, if there are numbers: of these, without NaNs, exact and rounded once.
     * The variance is that of the whole (divided by n); infinities make it NaN. */
    double mean, variance;
    int64_t mean_time; /* of times: the mean, rounded once to a whole unit */
    bool has_moments;
};

#endif
