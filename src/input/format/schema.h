/* schema.h: what a header says of the elements behind it: their fields, by name. Whatever the
 * format, it is read into one of these. */
#ifndef GSI_SCHEMA_H
#define GSI_SCHEMA_H

#include "base/status.h"

#define GSI_SCHEMA_FIELDS_MAX 1000u
#define GSI_SCHEMA_NAME_BYTES 64u
#define GSI_SCHEMA_UNIT_BYTES 16u

/* No header is longer. */
#define GSI_SCHEMA_HEADER_MAX ((uint64_t)16 << 20)

struct gsi_schema_field {
    char name[GSI_SCHEMA_NAME_BYTES]; /* UTF-8; a field in a field is "outer.inner"; "": padding */
    uint32_t off, bytes;              /* in the element */
    uint32_t count;                   /* of an array; else 1 */
    char kind;                        /* u i f b(ool) c(omplex) S U V m M, as in NumPy; ?: part of a
                                         byte, or nothing else that has an order */
    bool is_big_endian;
    bool is_inner;  /* an array of structures; V, whatever they hold */
    bool is_scaled; /* what is stored has the order of what is meant, but is not it */
    char unit[GSI_SCHEMA_UNIT_BYTES]; /* of m and M: "ns", "25s"; "": none */
    uint64_t more;                    /* a hash of what else it means: scales, units; 0: nothing */
};

struct gsi_schema {
    uint32_t header_bytes; /* with the magic: data begin here */
    uint64_t count;        /* of elements */
    uint32_t element_bytes;
    bool is_structured;
    bool ignores_case;    /* of names */
    uint32_t columns;     /* of two dimensions; 0: there is one */
    uint32_t field_count; /* not structured: 1, the element itself, without a name */
    struct gsi_schema_field fields[GSI_SCHEMA_FIELDS_MAX];
    const char *descr; /* the text of the type; borrowed from the header; NULL: it has none */
    uint32_t descr_bytes;
    uint8_t version;
    uint64_t heap_bytes; /* behind the elements, which refer to them */
    uint32_t pad_to;     /* behind that, zeros up to a multiple of so many bytes; 0: none */
};

/* gsi_schema_field_find: the field of this name, or NULL. */
const struct gsi_schema_field *gsi_schema_field_find(const struct gsi_schema *schema,
                                                     const char *name);

#define GSI_SCHEMA_TEXT_BYTES 512u

/* gsi_schema_describe: what elements are, for messages: as the header says it, or names and types. Cuts
 * it off where `text` ends. Returns `text`. */
const char *gsi_schema_describe(const struct gsi_schema *schema, char text[GSI_SCHEMA_TEXT_BYTES]);

/* gsi_schema_is_same: whether elements have the same fields.
 * gsi_schema_has_same_scales: then, whether these have the same scales, offsets and units. */
bool gsi_schema_is_same(const struct gsi_schema *a, const struct gsi_schema *b);
bool gsi_schema_has_same_scales(const struct gsi_schema *a, const struct gsi_schema *b);

#endif
