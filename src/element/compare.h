/* compare.h: compares raw elements, and finds elements with equal keys: neighbours, and the ends of
 * groups. All calls are pure, for any thread. */
#ifndef GSI_COMPARE_H
#define GSI_COMPARE_H

#include "element/layout.h"

/* gsi_compare: returns a negative number if the key of `a` is less than that of `b`, 0 if the keys
 * are equal, else a positive number. Elements may have any address. */
int gsi_compare(const struct gsi_layout *layout, const void *a, const void *b);

/* Elements, and the part of each that is its key. */
struct gsi_keyed {
    const uint8_t *at; /* the key of the first element */
    size_t n;
    uint32_t step, bytes;            /* from key to key; of a key */
    const struct gsi_record *record; /* compares whole records at `at`; NULL: compare bytes */
};

/* gsi_keyed_by_layout: returns whole elements of a layout, or their sort keys.
 * gsi_keyed_is_equal: returns whether two keys are equal. */
struct gsi_keyed gsi_keyed_by_layout(const struct gsi_layout *layout, const void *elements,
                                     size_t n);
bool gsi_keyed_is_equal(const struct gsi_keyed *keyed, const uint8_t *a, const uint8_t *b);

/* In any order:
 * gsi_equal_keys_count: counts elements whose key equals that of the element before them.
 * gsi_equal_keys_find: returns the index of the first element, from `from` on, whose key equals
 * that of the element `distance` after it; n: there is none. */
uint64_t gsi_equal_keys_count(const struct gsi_keyed *keyed);
size_t gsi_equal_keys_find(const struct gsi_keyed *keyed, size_t from, size_t distance);

/* In sorted order, in logarithmic time:
 * gsi_equal_keys_begin: returns the index of the first element of the group that element `at` is
 * in; the group begins at `from` or after it.
 * gsi_equal_keys_end: returns the index after the last element of that group. */
size_t gsi_equal_keys_begin(const struct gsi_keyed *keyed, size_t from, size_t at);
size_t gsi_equal_keys_end(const struct gsi_keyed *keyed, size_t at);

#endif
