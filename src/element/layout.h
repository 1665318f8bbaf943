/* layout.h: describes the elements of a job: their fields, their order, and how they are stored. */
#ifndef GSI_LAYOUT_H
#define GSI_LAYOUT_H

#include "base/choices.h"
#include "base/u128.h"
#include "element/key_order.h"
#include "element/number_type.h"

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

struct gsi_record;
struct gsi_integer_map;
struct gsi_key_scope;
struct gsi_tag_choice;

/* How elements are stored while they are sorted. */
enum gsi_form {
    GSI_FORM_KEYS,  /* their sort keys, unsigned integers, replace them */
    GSI_FORM_TAGS,  /* records stay as they are, and a tag of each one is sorted (record_tags.h) */
    GSI_FORM_INLINE /* the same, but tags contain the whole record (integer_record.h) */
};

/* All elements are records. A number is a record with one field that is the whole element, its
 * key. */
struct gsi_layout {
    const struct gsi_key_type *type; /* of numbers; other records have a type that replaces it */
    const char *number;              /* name of the numbers' type; NULL: records of --record */
    const struct gsi_record *record; /* borrowed; never NULL */
    enum gsi_form form;
    bool is_reversed;
    bool has_moments;       /* tallies have mean and variance */
    bool is_only_counted;   /* native numbers: tallies need no more than count and fingerprint */
    uint32_t element_bytes; /* as read and written */
    uint32_t key_bytes;     /* as in frames: sort keys, or whole records; equal to element_bytes */
    uint32_t align_bytes;   /* alignment of elements in memory; with tags: 1 */
    uint32_t plane_bytes;   /* of a key that is coded as byte planes; with tags, which is not: 0 */
    /* GSI_FORM_KEYS: `integer_map` converts an element to its sort key. If it is NULL, elements are
     * native numbers, which `map` converts. GSI_FORM_INLINE: `integer_map` makes a record's tag.
     * Borrowed. */
    const struct gsi_integer_map *integer_map;
    struct gsi_key_map map;
    struct gsi_key_scope *scope; /* with tags: what their keys share; borrowed */
};

/* gsi_layout_make: returns the layout of native numbers, those of a struct gsi_key_type.
 * gsi_layout_make_records: returns the layout of records that are sorted by tags. */
struct gsi_layout gsi_layout_make(const struct gsi_key_type *type, bool is_reversed);
struct gsi_layout gsi_layout_make_records(const struct gsi_record *record,
                                          struct gsi_key_scope *scope, bool is_reversed);

/* gsi_layout_place_nans: puts NaNs of native numbers first or last. Call it once, after
 * gsi_layout_make. */
void gsi_layout_place_nans(struct gsi_layout *layout, enum gsi_nan_place place);

/* gsi_layout_is_native: returns whether elements are native numbers, without `integer_map`. */
static inline bool gsi_layout_is_native(const struct gsi_layout *layout)
{
    return layout->form == GSI_FORM_KEYS && layout->integer_map == NULL;
}

/* gsi_layout_use_integers: sorts records as integers, or inside their tags, if they fit. The device
 * must support that.
 * in    map: borrowed memory for the map
 *       index_bits: what indexes of tags need at least
 * gsi_layout_use_tags: sorts records by tags that contain indexes only.
 * in    scope: of the tags
 * Native numbers stay as they are. */
void gsi_layout_use_integers(struct gsi_layout *layout, struct gsi_integer_map *map,
                             uint32_t index_bits);
void gsi_layout_use_tags(struct gsi_layout *layout, struct gsi_key_scope *scope);

/* gsi_layout_tags: makes the tags of `n` records that follow each other in memory, of the chosen
 * bytes; inline records need no choice. The first tag gets index `index`. */
void gsi_layout_tags(const struct gsi_layout *layout, const void *elements, size_t n,
                     struct gsi_tag_choice choice, uint64_t index, gsi_u128 *tags);

/* gsi_layout_head: copies the bytes by which elements in frames are compared: `element` itself, if
 * that is a sort key, else 16 bytes of the record's normalised key, from byte `off` on.
 * gsi_layout_head_off: returns `off` for frames that are made now. */
void gsi_layout_head(const struct gsi_layout *layout, uint32_t off, const void *element,
                     uint8_t head[16]);
uint32_t gsi_layout_head_off(const struct gsi_layout *layout);

/* gsi_layout_falls: returns whether values of the first key descend in the order. */
bool gsi_layout_falls(const struct gsi_layout *layout);

/* gsi_layout_nans_lead: returns whether NaNs (NaTs) of the first key are ordered before all its
 * other values. */
bool gsi_layout_nans_lead(const struct gsi_layout *layout);

/* gsi_layout_name: returns the type of numbers, or "record". */
static inline const char *gsi_layout_name(const struct gsi_layout *layout)
{
    return layout->number != NULL ? layout->number : layout->type->name;
}

#ifdef __cplusplus
}
#endif
#endif
