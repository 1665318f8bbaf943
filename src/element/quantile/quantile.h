/* quantile.h: computes which of n sorted elements a quantile is.
 *
 * The quantile p is the element of rank ceil(p n), at least 1. This "nearest rank" is the least
 * value that at least p n elements do not exceed; it is an element of the input. The quantile
 * between elements is at place (n - 1) p, counted from 0, as in NumPy by default. A fraction is
 * kept as an exact decimal, so ranks are exact for any n. Pure. */
#ifndef GSI_QUANTILE_H
#define GSI_QUANTILE_H

#include "base/choices.h"
#include "base/status.h"
#include "base/u128.h"
#include "element/layout.h"
#include "element/number_type.h"

#include <stddef.h>

struct gsi_quantile {
    uint64_t numerator, denominator; /* a power of 10, 10^18 at most */
};

/* gsi_quantile_parse: parses a decimal from 0 to 1, or "median".
 * fails GS_E_USAGE: it is neither */
enum gs_status gsi_quantile_parse(const char *text, struct gsi_quantile *quantile,
                                  struct gs_error *error);

/* For n > 0 elements; all places count from 0:
 * gsi_quantile_nearest: returns the place of the nearest rank.
 * gsi_quantile_between: returns the place at or before the quantile between elements. *part is the
 * fraction, below 1, of the way to the next place. */
uint64_t gsi_quantile_nearest(struct gsi_quantile quantile, uint64_t n);
uint64_t gsi_quantile_between(struct gsi_quantile quantile, uint64_t n, double *part);

/* gsi_value_of: returns the double that is nearest to an element. */
double gsi_value_of(const struct gsi_key_type *type, const uint8_t element[16]);

/* gsi_quantile_mix: returns the value at the fraction `part` of the way from one element to
 * another, as NumPy computes it. */
double gsi_quantile_mix(const struct gsi_key_type *type, const uint8_t low[16],
                        const uint8_t high[16], double part);

/* gsi_quantile_time: returns the quantile between two times at the places of gsi_quantile_between,
 * among n > 0 times. It is rounded once to a whole unit. */
int64_t gsi_quantile_time(struct gsi_quantile quantile, uint64_t n, const uint8_t low[16],
                          const uint8_t high[16]);

/* Finds elements of given ranks in unsorted data, in little memory: it keeps the keys in
 * a few brackets and only counts all others.
 *
 *     keys   .. below .. | low | .. inside, kept .. | high | .. above ..
 *
 * The counts of one pass determine the rank of each key in a bracket. Keys that equal a border are
 * counted and not kept. So a very frequent value, which is then the border of a bracket, needs no
 * memory. If the keys inside do not fit, every second key is kept, then every fourth, and so on. A
 * narrower bracket for the next pass is computed from these keys.
 *
 * Keys are ascending ones (key_order.h) of 4, 8 or 16 bytes. Pure; a list belongs to one thread. */

struct gsi_bracket {
    gsi_u128 low, high;
};

/* Counts of keys by place. Counts of several ranges of keys can be added. */
struct gsi_bracket_counts {
    uint64_t below, at_low, inside, at_high; /* at_high: 0 if high equals low */
};

/* gsi_brackets_scan: converts `n` raw numbers to keys at `keys`, which may be the same memory, and
 * moves the keys inside a bracket to the front. Returns how many these are, and adds to
 * counts[count]. Brackets may overlap. `layout` is ascending. */
size_t gsi_brackets_scan(const struct gsi_layout *layout, const void *numbers, void *keys, size_t n,
                         const struct gsi_bracket *brackets, struct gsi_bracket_counts *counts,
                         size_t count);

/* Keys inside a bracket: every stride-th of the keys that were added. */
struct gsi_bracket_list {
    uint8_t *keys; /* borrowed */
    uint32_t key_bytes;
    size_t room, count;
    uint64_t stride, skipped;
};

/* gsi_bracket_list_add: adds the keys among `n` that are inside the bracket.
 * gsi_bracket_key: returns key number i of a table of keys. */
void gsi_bracket_list_add(struct gsi_bracket_list *list, const struct gsi_bracket *bracket,
                          const void *keys, size_t n);
gsi_u128 gsi_bracket_key(const void *keys, uint32_t key_bytes, size_t i);

/* Counts numbers in bins of equal width between the least and the greatest number.
 *
 *     from[0] = min     from[1]          from[2]  ..  from[bins - 1]      max
 *        [      bin 0      [      bin 1     [    ..         [   last bin   ]
 *
 * The border before bin i is min + i (max - min) / bins. Borders of integers are exact. Borders of
 * floats are computed in double precision, as numpy.linspace does. from[i] is the least number of
 * the type at or above that border. So every bin is a range of keys (key_order.h), and the counts
 * are exact. If min is equal to max, borders range from min - 1/2 to max + 1/2, as
 * numpy.histogram's do. Pure. */

struct gsi_histogram {
    struct gsi_layout layout; /* of the numbers, ascending */
    uint32_t bins;
    uint32_t last; /* equal integers are in the middle, even if there is no integer above them */
    gsi_u128 from[GSI_BINS_MAX]; /* keys; a key at or above the next one is in a later bin */
    double low, scale;           /* bins per unit, from the key `low` on: the bin to start at */
};

/* gsi_histogram_make: makes the bins for numbers from `min` to `max`, neither of them a NaN.
 * Returns false if one of them is infinite, because bins have no width then.
 * limit  0 < bins <= GSI_BINS_MAX */
bool gsi_histogram_make(struct gsi_histogram *histogram, const struct gsi_key_type *type,
                        uint32_t bins, const uint8_t min[16], const uint8_t max[16]);

/* gsi_histogram_reaches: returns whether a key is in this bin or a later one. */
static inline bool gsi_histogram_reaches(const struct gsi_histogram *histogram, uint32_t bin,
                                         gsi_u128 key)
{
    return bin <= histogram->last && histogram->from[bin] <= key;
}

/* gsi_histogram_add: counts `n` raw numbers in any order, all in the range; NaNs are left out. */
void gsi_histogram_add(const struct gsi_histogram *histogram, const void *numbers, size_t n,
                       uint64_t *counts);

/* gsi_histogram_from: copies the least number of a bin, as an element. */
void gsi_histogram_from(const struct gsi_histogram *histogram, uint32_t bin, uint8_t value[16]);

#endif
