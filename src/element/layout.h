/* layout.h: what an element is in this job: its type, direction and the map to its sort key. */
#ifndef GSI_LAYOUT_H
#define GSI_LAYOUT_H

#include "element/key_order.h"
#include "element/key_type.h"

#ifdef __cplusplus
extern "C" {
#endif

struct gsi_element_ops;
struct gsi_record;
struct gsi_key_scope;

struct gsi_layout {
    const struct gsi_key_type *type;   /* of records: one that stands for them */
    const struct gsi_element_ops *ops; /* what differs between numbers and records */
    bool is_reversed;
    uint32_t element_bytes; /* as read and written */
    uint32_t key_bytes;     /* as in frames: sort keys, or whole records; equal to element_bytes */
    uint32_t align_bytes;   /* elements lie at multiples of this in memory; records: 1 */
    uint32_t plane_bytes;   /* of a key that is coded as byte planes; records, which are not: 0 */
    struct gsi_key_map map; /* of numbers */
    bool has_moments;       /* of numbers: tallies have mean and variance */
    bool is_unverified;     /* of numbers: no fingerprints, order checks, frame checksums */
    /* Records; NULL for numbers. All borrowed. */
    const struct gsi_record *record;
    const char *number;          /* of records that are a number each: its type; else NULL */
    struct gsi_key_scope *scope; /* what their keys share */
};

extern const struct gsi_element_ops gsi_number_ops, gsi_record_ops; /* element_ops.c */

struct gsi_layout gsi_layout_make(const struct gsi_key_type *type, bool is_reversed);
struct gsi_layout gsi_layout_make_records(const struct gsi_record *record,
                                          struct gsi_key_scope *scope, bool is_reversed);

/* gsi_layout_falls: whether the values of numbers, or of the first key of records, become less in
 * the order. */
bool gsi_layout_falls(const struct gsi_layout *layout);

/* gsi_layout_name: the type of numbers; "record". */
static inline const char *gsi_layout_name(const struct gsi_layout *layout)
{
    return layout->number != NULL ? layout->number : layout->type->name;
}

#ifdef __cplusplus
}
#endif
#endif
