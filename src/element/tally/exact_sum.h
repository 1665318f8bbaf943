/* exact_sum.h: adds up floats without rounding, for the tally.
 *
 * Every float is an integer (its significand) times a power of two given by its exponent field. So
 * there is one bin for each sign and exponent, bins hold plain integer sums, and only the end
 * result is rounded, once. Bins are integers: any order, split and join gives the same bits.
 *
 *     struct gsi_exact_sum sum = {GSI_EXACT_F64, table};      table: gsi_exact_sum_words of them
 *     gsi_exact_sum_clear(&sum);
 *     gsi_exact_sum_add(&sum, elements, n);
 *     gsi_exact_sum_add_to(&sum, limbs);                      limbs: zeros before
 *     double total = gsi_exact_fixed_f64(limbs);
 *
 * Infinities and NaNs may be added: they fall into bins that are never read; the caller counts
 * them. One sum is for one thread; the sums of several threads are joined at the end. */
#ifndef GSI_EXACT_SUM_H
#define GSI_EXACT_SUM_H

#include "base/u128.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Neighbouring elements go to different lanes of a bin, because adding to a word just written has
 * to wait for that write. Two lanes are 1.6 times as fast as one, and four 2.1 times. Eight are 2.5
 * times as fast, but take 128 KiB more for f64. */
#define GSI_EXACT_LANES 4

/* Limbs of a sum as one fixed-point number of 2304 bits. These are the 2163 bits that exact_sum.c
 * counts, a sign, and two limbs that a shifted bin may touch. */
#define GSI_EXACT_LIMBS 36

/* Widths of the fields of an IEEE binary format. */
struct gsi_exact_format {
    uint32_t fraction_bits, exponent_bits;
    uint32_t unit_off; /* smallest positive value is 2^unit_off times that of binary64 */
};

#define GSI_EXACT_F16  ((struct gsi_exact_format){10, 5, 1074 - 24})
#define GSI_EXACT_BF16 ((struct gsi_exact_format){7, 8, 1074 - 133})
#define GSI_EXACT_F32  ((struct gsi_exact_format){23, 8, 1074 - 149})
#define GSI_EXACT_F64  ((struct gsi_exact_format){52, 11, 0})

struct gsi_exact_sum {
    struct gsi_exact_format format;
    uint64_t *table; /* borrowed */
};

/* gsi_exact_sum_words: returns how many uint64_t a table has. gsi_exact_sum_clear: makes the sum
 * empty. */
size_t gsi_exact_sum_words(struct gsi_exact_format format);
void gsi_exact_sum_clear(const struct gsi_exact_sum *sum);

/* gsi_exact_sum_add: adds n floats of the sum's format, aligned to their own size.
 * limit  fewer than 2^64 in all */
void gsi_exact_sum_add(const struct gsi_exact_sum *sum, const void *elements, size_t n);

/* gsi_exact_sum_add_to: adds the sum of the finite elements to `limbs`. */
void gsi_exact_sum_add_to(const struct gsi_exact_sum *sum, uint64_t limbs[GSI_EXACT_LIMBS]);

/* A fixed-point number in two's complement: limb i is a multiple of 2^(64 i - 1074). It is a sum of
 * few floats, for which a table of bins would be too large.
 * gsi_exact_fixed_add: limbs += value * 2^(place - 1074), or -= .
 * gsi_exact_fixed_join: into += from, or -= .
 * gsi_exact_fixed_magnitude: replaces the number by its magnitude; returns whether it was negative.
 * gsi_exact_fixed_round: returns a magnitude as bits of a format, rounded once to nearest even. The
 * magnitude is a multiple of the format's smallest positive number; too large a one is an infinity.
 * gsi_exact_fixed_f64: returns the number as a double, rounded in the same way. */
void gsi_exact_fixed_add(uint64_t limbs[GSI_EXACT_LIMBS], gsi_u128 value, size_t place,
                         bool is_negative);
void gsi_exact_fixed_join(uint64_t into[GSI_EXACT_LIMBS], const uint64_t from[GSI_EXACT_LIMBS],
                          bool is_negative);
bool gsi_exact_fixed_magnitude(uint64_t limbs[GSI_EXACT_LIMBS]);
uint64_t gsi_exact_fixed_round(struct gsi_exact_format format,
                               const uint64_t limbs[GSI_EXACT_LIMBS]);
double gsi_exact_fixed_f64(const uint64_t limbs[GSI_EXACT_LIMBS]);

/* gsi_exact_sum_merge: adds `from` to `into`; both have the same format. */
void gsi_exact_sum_merge(const struct gsi_exact_sum *into, const struct gsi_exact_sum *from);

#ifdef __cplusplus
}
#endif
#endif
