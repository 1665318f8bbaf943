/* filter.h: keeps the elements for which all conditions of --where are true. A condition is about a
 * number, or about a field of a record.
 *
 * A comparison of numbers is a range of keys, because key maps keep the order (key_order.h):
 *
 *     x < v     [0, key(v) - 1]                  a float's -0 and 0 are equal, as in IEEE 754, so
 *     x >= v    [key(v), the greatest number]    that ranges begin at -0 and end at +0; NaNs lie
 *     x != v    outside [key(v), key(v)]         above all numbers, and so in no range but those
 *                                                of != v and == nan
 *
 * So one test serves every type: a subtraction and a comparison, which vectorise. Bytes are
 * compared as memcmp does; a value that is shorter than the field is followed by zeros.
 *
 * Elements that are kept and left out are counted, with fingerprints like those of tallies, so that
 * no loss can hide. */
#ifndef GSI_FILTER_H
#define GSI_FILTER_H

#include "base/memory.h"
#include "base/u128.h"
#include "element/layout.h"
#include "element/record/record.h"

/* A condition. `parts` make the key of a number of up to 8 bytes, or the halves of a 16-byte key,
 * the high one first. */
struct gsi_condition {
    struct gsi_field field;
    struct gsi_key_part parts[2];
    gsi_u128 low, span;                         /* numbers: keys from low to low + span, */
    bool is_outside;                            /* or all others */
    bool takes_below, takes_equal, takes_above; /* bytes: than `value` */
    const uint8_t *value;
    uint32_t value_bytes; /* of field.bytes; zeros follow */
};

struct gsi_filter {
    struct gsi_layout layout; /* ascending */
    const char *option;       /* whose conditions these are, for messages */
    struct gsi_condition *conditions;
    uint32_t condition_count;
    uint8_t *values; /* of bytes */
};

/* Counts and fingerprints of the elements that were kept and left out. */
struct gsi_filtered {
    uint64_t kept_count, left_count;
    gsi_u128 kept_mix, left_mix; /* fingerprints */
};

/* gsi_filter_bytes: returns the memory of a filter with `count` conditions whose texts have
 * `text_bytes` in all.
 * gsi_filter_open: opens an empty filter with room for so many conditions on elements of `layout`.
 * It borrows what `layout` points to, and `option`, until close.
 * gsi_filter_add: adds a condition.
 * in    text: as given; field: OFF:TYPE, NULL for numbers; comparison: what follows the field in
 *       the text, from the operator on
 * fails GS_E_USAGE: one line with the text; GS_E_MEMORY */
uint64_t gsi_filter_bytes(size_t count, uint64_t text_bytes);
enum gs_status gsi_filter_open(struct gsi_filter *filter, const struct gsi_layout *layout,
                               const char *option, size_t count, uint64_t text_bytes,
                               struct gs_error *error);
enum gs_status gsi_filter_add(struct gsi_filter *filter, const char *text, const char *field,
                              const char *comparison, struct gs_error *error);
void gsi_filter_close(struct gsi_filter *filter); /* also zeroed ones */

/* gsi_filter_comparison: returns where the operator begins in the text of a condition, or the end
 * of the text if there is none. */
const char *gsi_filter_comparison(const char *text);

/* gsi_filter_apply: moves those of `n` raw elements that are kept to the front, in order, and adds
 * to *filtered. Returns how many are kept. Pure; any thread.
 * out   places: indexes of the kept elements among the n; may be NULL */
size_t gsi_filter_apply(const struct gsi_filter *filter, void *elements, size_t n, uint32_t *places,
                        struct gsi_filtered *filtered);

/* gsi_filter_block: returns how many elements are moved at a time, at most.
 * gsi_filter_move: moves the elements with keep[i] = 1 among the `n` at `at` to `to`, and adds to
 * *filtered. `to` is at most `at`. Returns how many were moved. */
size_t gsi_filter_block(const struct gsi_layout *layout);
size_t gsi_filter_move(const struct gsi_layout *layout, uint8_t *to, const uint8_t *at, size_t n,
                       const uint8_t *keep, struct gsi_filtered *filtered);

/* gsi_filtered_add: adds `from` to `into`. */
void gsi_filtered_add(struct gsi_filtered *into, const struct gsi_filtered *from);

#endif
