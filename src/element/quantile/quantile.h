/* quantile.h: which elements of n in order a quantile is.
 *
 * The quantile p is the element of rank ceil(p n), at least 1: the least value that at least p n
 * elements do not exceed (nearest rank; it occurs). Between elements it is, as NumPy's default, at
 * place (n - 1) p from 0 on. A fraction is a decimal, kept exactly, so that ranks are exact for any
 * n. Pure. */
#ifndef GSI_QUANTILE_H
#define GSI_QUANTILE_H

#include "base/status.h"
#include "base/u128.h"
#include "element/key_type.h"

struct gsi_quantile {
    uint64_t numerator, denominator; /* a power of 10, 10^18 at most */
};

/* gsi_quantile_parse: a decimal from 0 to 1, or "median".
 * fails GS_E_USAGE: it is none */
enum gs_status gsi_quantile_parse(const char *text, struct gsi_quantile *quantile,
                                  struct gs_error *error);

/* Of n > 0 elements, all places from 0 on:
 * gsi_quantile_nearest: the place of the nearest rank.
 * gsi_quantile_between: the place at or before the quantile between elements; *part: how far it is
 * from there to the next one, below 1. */
uint64_t gsi_quantile_nearest(struct gsi_quantile quantile, uint64_t n);
uint64_t gsi_quantile_between(struct gsi_quantile quantile, uint64_t n, double *part);

/* gsi_value_of: an element as a double, the nearest one. */
double gsi_value_of(const struct gsi_key_type *type, const uint8_t element[16]);

/* gsi_quantile_mix: the value `part` of the way from one element of a type to another, as NumPy
 * computes it. */
double gsi_quantile_mix(const struct gsi_key_type *type, const uint8_t low[16],
                        const uint8_t high[16], double part);

/* gsi_quantile_time: the time between two times that are at the places of gsi_quantile_between, of
 * n > 0 times; rounded once to a whole unit. */
int64_t gsi_quantile_time(struct gsi_quantile quantile, uint64_t n, const uint8_t low[16],
                          const uint8_t high[16]);

#endif
