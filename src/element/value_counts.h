/* value_counts.h: counts how often each value of 1 or 2 bytes occurs. The sorted output, statistics
 * and fingerprint follow from these counts.
 *
 *     elements -> counts of a thread -> counts of all -> windows of the output
 *
 * The sums of the numbers and of their squares are computed independently of the counts. They must
 * be equal for the input and the output, so that no loss stays hidden (gsi_value_sums). */
#ifndef GSI_VALUE_COUNTS_H
#define GSI_VALUE_COUNTS_H

#include "element/layout.h"
#include "element/record/record_tally.h"

#include <stddef.h>

/* Sums of elements as unsigned little-endian integers, modulo 2^64. */
struct gsi_value_sums {
    uint64_t sum, squares;
};

/* Tables of counts per thread. With several tables, counting equal neighbours does not have to
 * wait. */
#define GSI_VALUE_TABLES 4

/* gsi_value_count: returns how many values elements of 1 or 2 bytes can have.
 * gsi_value_tables: returns how many tables a thread has for them. */
static inline uint32_t gsi_value_count(uint32_t bytes)
{
    return (uint32_t)1 << 8 * bytes;
}

static inline uint32_t gsi_value_tables(uint32_t bytes)
{
    return bytes == 1 ? GSI_VALUE_TABLES : 1;
}

/* gsi_values_add: counts `n` elements in tables of gsi_value_count() entries each.
 * gsi_values_sum: adds `n` elements, and their squares, to `sums`. */
void gsi_values_add(uint64_t *tables, uint32_t bytes, const void *elements, size_t n);
void gsi_values_sum(struct gsi_value_sums *sums, uint32_t bytes, const void *elements, size_t n);

/* gsi_values_order: lists all values of records that consist of one key, in the order of the
 * layout.
 * out   values[gsi_value_count()]: as elements are in memory, little endian */
void gsi_values_order(const struct gsi_layout *layout, uint16_t *values);

/* gsi_values_tally: adds each value to the empty `tally` as often as `counts` says. `scratch` is
 * another tally of the layout, and `elements` has room for two bytes per value. */
void gsi_values_tally(const struct gsi_layout *layout, const uint64_t *counts,
                      struct gsi_record_tally *tally, struct gsi_record_tally *scratch,
                      uint8_t *elements);

/* gsi_values_fill: writes elements [first, first + n) of the output.
 * in    values: in order; ends: of each of them, where in the output it ends */
void gsi_values_fill(uint32_t bytes, const uint16_t *values, const uint64_t *ends, uint64_t first,
                     size_t n, void *elements);

#endif
