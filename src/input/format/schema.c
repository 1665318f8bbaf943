/* schema.c: finds, describes and compares fields. */
#include "input/format/schema.h"

#include <string.h>
#include <strings.h>

const struct gsi_schema_field *gsi_schema_field_find(const struct gsi_schema *schema,
                                                     const char *name)
{
    for (uint32_t i = 0; name[0] != '\0' && i < schema->field_count; i++)
        if (strcmp(schema->fields[i].name, name) == 0)
            return &schema->fields[i];
    for (uint32_t i = 0; schema->ignores_case && name[0] != '\0' && i < schema->field_count; i++)
        if (strcasecmp(schema->fields[i].name, name) == 0)
            return &schema->fields[i];
    return NULL;
}

const char *gsi_schema_describe(const struct gsi_schema *schema, char text[GSI_SCHEMA_TEXT_BYTES])
{
    size_t at = 0, most = GSI_SCHEMA_TEXT_BYTES;
    if (schema->descr != NULL) {
        snprintf(text, most, schema->columns > 0 ? "%.*s in rows of %u" : "%.*s",
                 (int)schema->descr_bytes, schema->descr, schema->columns);
        return text;
    }
    snprintf(text, most, "rows of %u bytes", schema->element_bytes);
    for (uint32_t i = 0; i < schema->field_count && at < most; i++) {
        const struct gsi_schema_field *field = &schema->fields[i];
        at += (size_t)snprintf(text + at, most - at, "%s%s", i > 0 ? ", " : "", field->name);
    }
    return text;
}

static bool is_same_field(const struct gsi_schema_field *a, const struct gsi_schema_field *b)
{
    return strcmp(a->name, b->name) == 0 && a->off == b->off && a->bytes == b->bytes &&
           a->count == b->count && a->kind == b->kind && a->is_big_endian == b->is_big_endian &&
           strcmp(a->unit, b->unit) == 0 && a->is_inner == b->is_inner;
}

/* Compares fields. Fields do not describe arrays of structures, so these are compared by NumPy's
 * text. */
bool gsi_schema_is_same(const struct gsi_schema *a, const struct gsi_schema *b)
{
    bool has_inner = false;
    if (a->field_count != b->field_count || a->element_bytes != b->element_bytes ||
        a->columns != b->columns)
        return false;
    for (uint32_t i = 0; i < a->field_count; i++) {
        if (!is_same_field(&a->fields[i], &b->fields[i]))
            return false;
        has_inner |= a->fields[i].is_inner;
    }
    return !has_inner ||
           (a->descr_bytes == b->descr_bytes && memcmp(a->descr, b->descr, a->descr_bytes) == 0);
}

bool gsi_schema_has_same_scales(const struct gsi_schema *a, const struct gsi_schema *b)
{
    for (uint32_t i = 0; i < a->field_count; i++)
        if (a->fields[i].more != b->fields[i].more)
            return false;
    return true;
}
