/* histogram.h: counts numbers in bins of equal width between the least and the greatest number.
 *
 *     from[0] = min     from[1]          from[2]  ..  from[bins - 1]      max
 *        [      bin 0      [      bin 1     [    ..         [   last bin   ]
 *
 * The border before bin i is min + i (max - min) / bins. Borders of integers are exact. Borders of
 * floats are computed in double precision, as numpy.linspace does. from[i] is the least number of
 * the type at or above that border. So every bin is a range of keys (key_order.h), and the counts
 * are exact. If min is equal to max, borders range from min - 1/2 to max + 1/2, as
 * numpy.histogram's do. Pure. */
#ifndef GSI_HISTOGRAM_H
#define GSI_HISTOGRAM_H

#include "base/list_limits.h"
#include "base/u128.h"
#include "element/layout.h"

#include <stddef.h>

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
