/* schema.h: describes the elements of a file by their fields. Each format fills this struct from
 * its header. */
#ifndef GSI_SCHEMA_H
#define GSI_SCHEMA_H

#include "base/status.h"

#define GSI_SCHEMA_FIELDS_MAX 1000u
#define GSI_SCHEMA_NAME_BYTES 64u
#define GSI_SCHEMA_UNIT_BYTES 16u

/* The longest header of any format. */
#define GSI_SCHEMA_HEADER_MAX ((uint64_t)16 << 20)

struct gsi_schema_field {
    char name[GSI_SCHEMA_NAME_BYTES]; /* UTF-8; a field in a field is "outer.inner"; "": padding */
    uint32_t off, bytes;              /* in the element */
    uint32_t count;                   /* of an array; else 1 */
    char kind; /* u i f b(ool) c(omplex) S U V m M, as in NumPy; ?: part of a byte, or no order */
    bool is_big_endian;
    bool is_inner;  /* it is an array of structures, of kind V */
    bool is_scaled; /* a scale or an offset changes the stored number, but not the order */
    char unit[GSI_SCHEMA_UNIT_BYTES]; /* of kinds m and M: "ns", "25s"; "": none */
    uint64_t more;                    /* a hash of scales, units and the like; 0: none */
};

struct gsi_schema {
    uint32_t header_bytes; /* the data begin after these bytes */
    uint64_t count;        /* of elements */
    uint32_t element_bytes;
    bool is_structured;
    bool ignores_case;    /* of names */
    uint32_t columns;     /* columns of an array of two dimensions; 0: one dimension */
    uint32_t field_count; /* if not structured: 1, the element itself, without a name */
    struct gsi_schema_field fields[GSI_SCHEMA_FIELDS_MAX];
    const char *descr; /* NumPy's text of the type, in the header; borrowed; NULL: none */
    uint32_t descr_bytes;
    uint8_t version;
    uint64_t heap_bytes; /* bytes after the elements to which elements refer */
    uint32_t pad_to;     /* zeros follow up to a multiple of this; 0: no zeros */
};

/* gsi_schema_field_find: returns the field of this name, or NULL. */
const struct gsi_schema_field *gsi_schema_field_find(const struct gsi_schema *schema,
                                                     const char *name);

#define GSI_SCHEMA_TEXT_BYTES 512u

/* gsi_schema_describe: writes a description of elements for messages: the header's type, or names
 * of fields, as many as fit. Returns `text`. */
const char *gsi_schema_describe(const struct gsi_schema *schema, char text[GSI_SCHEMA_TEXT_BYTES]);

/* gsi_schema_is_same: returns whether elements have the same fields.
 * gsi_schema_has_same_scales: returns whether the same fields have the same scales, offsets and
 * units. */
bool gsi_schema_is_same(const struct gsi_schema *a, const struct gsi_schema *b);
bool gsi_schema_has_same_scales(const struct gsi_schema *a, const struct gsi_schema *b);

#endif
