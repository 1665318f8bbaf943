/* compare.h: compares raw elements, finds elements with equal keys (neighbours, and the ends of
 * groups), and selects elements below a bound. All calls are pure, for any thread. */
#ifndef GSI_COMPARE_H
#define GSI_COMPARE_H

#include "base/simd.h"
#include "element/layout.h"
#include "element/record/record.h"

#include <string.h>

/* gsi_compare: returns a negative number if the key of `a` is less than that of `b`, 0 if the keys
 * are equal, else a positive number. Elements may have any address. */
int gsi_compare(const struct gsi_layout *layout, const void *a, const void *b);

/* Elements, and the part of each one that is its key. */
struct gsi_keyed {
    const uint8_t *at; /* the key of the first element */
    size_t n;
    uint32_t step, bytes;            /* from one key to the next; of a key */
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

/* Equality of records takes less work than their order: equal keys have equal bytes, because the
 * map to sort keys is a bijection. */

/* gsi_record_word_bytes: returns the bytes of the only key if these are 4 or 8, as in most jobs;
 * else 0.
 * GSI_BY_RECORD_WORD: calls `function` with the given arguments and that number, a constant. */
static inline uint32_t gsi_record_word_bytes(const struct gsi_record *record)
{
    uint32_t bytes = record->key_count == 1 && !record->ties_by_bytes ? record->keys[0].bytes : 0;
    return bytes == 4 || bytes == 8 ? bytes : 0;
}
#define GSI_BY_RECORD_WORD(record, function, ...)                    \
    (gsi_record_word_bytes(record) == 4   ? function(__VA_ARGS__, 4) \
     : gsi_record_word_bytes(record) == 8 ? function(__VA_ARGS__, 8) \
                                          : function(__VA_ARGS__, 0))

/* gsi_record_word: returns the only key as an unsigned integer of the machine. `word_bytes` is a
 * constant, and not 0. */
GSI_INLINE uint64_t gsi_record_word(const struct gsi_record *record, const uint8_t *element,
                                    uint32_t word_bytes)
{
    uint64_t word = 0;
    memcpy(&word, element + record->keys[0].off, word_bytes);
    return word;
}

/* gsi_record_is_equal: returns whether all keys of two records are equal; `word_bytes` is a
 * constant. */
GSI_INLINE bool gsi_record_is_equal(const struct gsi_record *record, const uint8_t *a,
                                    const uint8_t *b, uint32_t word_bytes)
{
    if (word_bytes == 0)
        return gsi_record_compare(record, a, b, 0) == 0;
    return gsi_record_word(record, a, word_bytes) == gsi_record_word(record, b, word_bytes);
}

/* Selects elements below a bound, at the speed of memory. --top scans the whole input
 * with it. */

/* gsi_keys_below: writes the sort keys of the elements among `n` that are below `bound`, in input
 * order. Returns how many. If few are below, it costs little more than reading. Any thread.
 * in    bound: a sort key; NULL: all are below it
 * out   keys: may be the same memory as `elements` */
size_t gsi_keys_below(const struct gsi_layout *layout, const void *elements, size_t n,
                      const void *bound, void *keys);

/* gsi_keys_partition: moves the sort keys below `bound` before the others. Neither part is in
 * order. Returns how many are below it. */
size_t gsi_keys_partition(uint32_t key_bytes, void *keys, size_t n, const void *bound);

#endif
