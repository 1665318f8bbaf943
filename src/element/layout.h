/* layout.h: what an element is in this job: its type, direction and the map to its sort key. */
#ifndef GSI_LAYOUT_H
#define GSI_LAYOUT_H

#include "base/choices.h"
#include "base/u128.h"
#include "element/key_order.h"
#include "element/key_type.h"

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

struct gsi_element_ops;
struct gsi_record;
struct gsi_record_word;
struct gsi_key_scope;

struct gsi_layout {
    const struct gsi_key_type *type;   /* of records: one that stands for them */
    const struct gsi_element_ops *ops; /* what differs between numbers and records */
    bool is_reversed;
    uint32_t element_bytes; /* as read and written */
    uint32_t key_bytes;     /* as in frames: sort keys, or whole records; equal to element_bytes */
    uint32_t align_bytes;   /* elements lie at multiples of this in memory; with tags: 1 */
    uint32_t plane_bytes;   /* of a key that is coded as byte planes; with tags, which is not: 0 */
    bool has_tags;          /* of records: tags are sorted in their stead (record_tags.h) */
    struct gsi_key_map map; /* of numbers */
    enum gsi_nan_place nan_place; /* of numbers; records have their own */
    bool has_moments;             /* of numbers: tallies have mean and variance */
    /* Records; NULL for numbers. All borrowed. */
    const struct gsi_record *record;
    const char *number;          /* of records that are a number each: its type; else NULL */
    struct gsi_key_scope *scope; /* with tags: what their keys share */
    /* Records that are words, which are their sort keys, or, with tags, ride in these; else
     * NULL. */
    const struct gsi_record_word *word;
};

extern const struct gsi_element_ops gsi_number_ops, gsi_record_ops,
    gsi_word_ops; /* element_ops.c */

struct gsi_layout gsi_layout_make(const struct gsi_key_type *type, bool is_reversed);
struct gsi_layout gsi_layout_make_records(const struct gsi_record *record,
                                          struct gsi_key_scope *scope, bool is_reversed);

/* gsi_layout_place_nans: NaNs of numbers come there; once, of a layout that was made. */
void gsi_layout_place_nans(struct gsi_layout *layout, enum gsi_nan_place place);

/* gsi_layout_use_words: records are sorted as words if they are some, which `word` is for, or ride
 * in their tags; which a device has to know.
 * in    index_bits: with fewer, indexes of tags may be too large
 * gsi_layout_use_tags: they are sorted by tags that have indexes only.
 * in    scope: of the tags
 * Nothing is done to numbers. */
void gsi_layout_use_words(struct gsi_layout *layout, struct gsi_record_word *word,
                          uint32_t index_bits);
void gsi_layout_use_tags(struct gsi_layout *layout, struct gsi_key_scope *scope);

/* gsi_layout_tags: tags of `n` records that lie one after the other, made at byte `at` of their
 * keys, which is not looked at where records ride; the first one has index `index`. */
void gsi_layout_tags(const struct gsi_layout *layout, const void *elements, size_t n, uint32_t at,
                     uint64_t index, gsi_u128 *tags);

/* gsi_layout_falls: whether the values of numbers, or of the first key of records, become less in
 * the order. */
bool gsi_layout_falls(const struct gsi_layout *layout);

/* gsi_layout_nans_lead: whether NaNs (NaTs), if there are any, come before all other values of
 * numbers, or of the first key of records. */
bool gsi_layout_nans_lead(const struct gsi_layout *layout);

/* gsi_layout_name: the type of numbers; "record". */
static inline const char *gsi_layout_name(const struct gsi_layout *layout)
{
    return layout->number != NULL ? layout->number : layout->type->name;
}

#ifdef __cplusplus
}
#endif
#endif
