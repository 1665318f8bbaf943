/* fields.c: determines elements and keys from a header and the options, and the columns of printed
 * records. */
#include "input/format/fields.h"

#include "base/choices.h"
#include "element/number_type.h"
#include "element/record/element_report.h"
#include "element/record/record.h"
#include "input/format/format.h"

#include <stdio.h>
#include <string.h>

/* Writes the type of a field as in --key. Returns false if gsort cannot sort by it. */
static bool describe_type(const struct gsi_schema_field *field, char *text, size_t most)
{
    uint32_t bytes = field->bytes;
    char kind = field->kind == 'b' ? 'u' : field->kind;
    const struct gsi_type_word *word = NULL;
    char code[GSI_SCHEMA_UNIT_BYTES + 16];
    if (field->count != 1 || field->is_inner || bytes == 0)
        return false;
    if (kind == 'S' || kind == 'V') {
        snprintf(text, most, "b%u", bytes);
        return true;
    }
    const char *order = bytes == 1 ? "" : field->is_big_endian ? ">" : "<";
    if (kind == 'M') { /* a time, if gsort knows its unit; otherwise an integer */
        snprintf(code, sizeof code, "%sM%u[%s]", order, bytes, field->unit);
        word = gsi_type_word_find(code, strlen(code));
    }
    snprintf(code, sizeof code, "%s%c%u", order, kind, bytes);
    if (word == NULL && strchr("uifmM", kind) != NULL)
        word = gsi_type_word_find(code, strlen(code));
    if (word != NULL)
        snprintf(text, most, "%s", word->type);
    return word != NULL;
}

/* Adds the names of the header's fields, in their order. */
static void read_names(const struct gsi_inputs *inputs, struct gsi_names *names)
{
    const struct gsi_schema *schema = &inputs->formatted->schema;
    names->file = inputs->table[0].name;
    names->ignores_case = schema->ignores_case;
    names->header_count = names->count = schema->field_count;
    gsi_schema_describe(schema, names->fields);
    for (uint32_t i = 0; i < names->count; i++) {
        const struct gsi_schema_field *field = &schema->fields[i];
        struct gsi_name *name = &names->table[i];
        char type[16];
        *name = (struct gsi_name){
            .off = field->off, .bytes = field->bytes * field->count, .is_scaled = field->is_scaled};
        strcpy(name->text, field->name);
        if (describe_type(field, type, sizeof type))
            snprintf(name->place, sizeof name->place, "%u:%s", field->off, type);
    }
}

/* Chooses all fields in their order, as NumPy does, because no key was given. */
static enum gs_status choose_all_fields(const struct gsi_inputs *inputs,
                                        const struct gsi_names *names,
                                        struct gsi_elements *elements)
{
    struct gsi_formatted *formatted = inputs->formatted;
    char description[GSI_SCHEMA_TEXT_BYTES];
    size_t count = 0;
    for (uint32_t i = 0; i < formatted->schema.field_count; i++) {
        const struct gsi_schema_field *field = &formatted->schema.fields[i];
        if ((formatted->schema.is_structured && field->name[0] == '\0') || field->kind == '?')
            continue; /* padding or bits are not keys */
        const char *place = names->table[i].place;
        if (count == GSI_FIELDS_MAX || place[0] == '\0')
            return gsi_fail(
                inputs->loop->error, GS_E_INPUT, 0,
                "'%s': its elements are %s, %s; name a --key, or save the file with another type",
                inputs->table[0].name, gsi_schema_describe(&formatted->schema, description),
                count < GSI_FIELDS_MAX ? "which gsort cannot sort"
                                       : "which have too many fields to sort by all");
        formatted->keys[count++] = place;
    }
    if (count == 0)
        return gsi_fail(inputs->loop->error, GS_E_INPUT, 0,
                        "'%s': its elements are %s, without a field to sort by; name a --key",
                        inputs->table[0].name,
                        gsi_schema_describe(&formatted->schema, description));
    elements->keys = formatted->keys;
    elements->key_count = count;
    return GS_OK;
}

/* Returns whether elements are numbers, and sets *type. */
static bool is_plain_number(const struct gsi_schema *schema, const char **type)
{
    char text[16];
    const struct gsi_type_word *found = !schema->is_structured && schema->field_count == 1 &&
                                                describe_type(&schema->fields[0], text, sizeof text)
                                            ? gsi_type_word_find(text, strlen(text))
                                            : NULL;
    *type = found != NULL ? found->type : NULL;
    return found != NULL;
}

enum gs_status gsi_fields_choose(const struct gsi_inputs *inputs, struct gsi_names *names,
                                 struct gsi_elements *elements)
{
    struct gsi_formatted *formatted = inputs->formatted;
    const struct gsi_schema *schema = &formatted->schema;
    const char *type, *name = inputs->table[0].name;
    char description[GSI_SCHEMA_TEXT_BYTES];
    bool is_number = is_plain_number(schema, &type);
    bool has_keys = elements->key_count > 0 || elements->field_count > 0;
    if (elements->type != NULL && (!is_number || !gsi_type_goes_with(elements->type, type)))
        return gsi_fail(inputs->loop->error, GS_E_USAGE, 0,
                        "--type %s: '%s' holds %s; leave --type out", elements->type, name,
                        gsi_schema_describe(&formatted->schema, description));
    if (elements->record_bytes > 0 && elements->record_bytes != schema->element_bytes)
        return gsi_fail(inputs->loop->error, GS_E_USAGE, 0,
                        "--record %u: the header of '%s' says %u bytes; leave --record out",
                        elements->record_bytes, name, schema->element_bytes);
    elements->source = formatted->format->source;
    if (is_number && !has_keys && elements->record_bytes == 0) {
        elements->type = elements->type != NULL ? elements->type : type;
        return GS_OK;
    }
    if (schema->element_bytes < GSI_RECORD_BYTES_MIN ||
        schema->element_bytes > GSI_RECORD_BYTES_MAX)
        return gsi_fail(inputs->loop->error, GS_E_INPUT, 0,
                        "'%s': its elements are %s; gsort sorts elements of %u to %u bytes", name,
                        gsi_schema_describe(&formatted->schema, description), GSI_RECORD_BYTES_MIN,
                        GSI_RECORD_BYTES_MAX);
    elements->type = NULL;
    elements->record_bytes = schema->element_bytes;
    read_names(inputs, names);
    return elements->key_count > 0 ? GS_OK : choose_all_fields(inputs, names, elements);
}

/* ---- columns of records that are printed ---- */

/* The columns, and their names:
 *
 *     -k x:desc -k y --sum z:wide            columns: x  y  z:wide
 *     -k 'a.b' -k 8:u32:desc                 columns: a.b  8:u32
 *     --fields a=0:u32,b=4:u32 -k b -k 8:u8  columns: a  b  8:u8
 *
 * Two fields of a .npy file may have the same name: "a.b" is a name, and also the field b of the
 * structure a. The second one is called "a.b#2", because readers of JSON keep one member of each
 * name. */

/* Returns whether a column has this name. */
static bool is_column_name(const struct gsi_element_report *report, const char *name)
{
    bool is_any = false;
    for (size_t i = 0; i < report->field_count; i++)
        is_any = is_any || strcmp(report->fields[i].text, name) == 0;
    return is_any;
}

static void name_column(const struct gsi_element_report *report, const char *text, size_t length,
                        char name[GSI_FIELD_TEXT_BYTES])
{
    char own[GSI_FIELD_TEXT_BYTES - sizeof "#64"], whole[GSI_FIELD_TEXT_BYTES];
    snprintf(whole, sizeof whole, "%.*s", (int)length, text);
    gsi_shorten_name(own, sizeof own, whole);
    strcpy(name, own);
    for (unsigned number = 2; is_column_name(report, name); number++)
        snprintf(name, GSI_FIELD_TEXT_BYTES, "%s#%u", own, number);
}

static enum gs_status add_column(const struct gsi_inputs *inputs, struct gsi_element_report *report,
                                 struct gsi_field_report column, const char *text, size_t length)
{
    if (report->field_count == GSI_FIELDS_MAX)
        return gsi_fail(
            inputs->loop->error, GS_E_USAGE, 0,
            "--print: named fields, keys and aggregates have more than %d columns; write them to a "
            "file with -o FILE",
            GSI_FIELDS_MAX);
    name_column(report, text, length, column.text);
    report->fields[report->field_count++] = column;
    return GS_OK;
}

/* Describes the column of a wide sum (--sum FIELD:wide), which is stored after the record. */
static struct gsi_field_report describe_wide(const struct gsi_fold_field *folded)
{
    struct gsi_field_report column = {.is_number = true,
                                      .off = folded->wide_off,
                                      .bytes = folded->wide_bytes,
                                      .element_bytes = folded->wide_bytes};
    column.is_float = folded->field.type->kind == GSI_KEY_FLOAT;
    column.is_signed = folded->field.type->kind != GSI_KEY_UNSIGNED;
    if (column.bytes <= 16)
        column.type = column.is_float     ? "f64"
                      : column.bytes == 8 ? (column.is_signed ? "i64" : "u64")
                      : column.is_signed  ? "i128"
                                          : "u128";
    return column;
}

/* Returns whether a key is this field. */
static bool is_key(const struct gsi_record *record, const struct gsi_field *field)
{
    bool is_any = false;
    for (uint32_t i = 0; i < record->key_count; i++)
        is_any = is_any || gsi_field_is_same(&record->keys[i], field);
    return is_any;
}

/* Returns whether --fields names this field. */
static bool is_named(const struct gsi_record *record, const struct gsi_field *field)
{
    const struct gsi_names *names = record->names;
    char place[GSI_NAME_PLACE_BYTES];
    bool is_any = false;
    gsi_field_place(field, place);
    for (uint32_t i = names != NULL ? names->header_count : 0; names != NULL && i < names->count;
         i++)
        is_any = is_any || strcmp(names->table[i].place, place) == 0;
    return is_any;
}

/* Adds a column for each field that --fields names. */
static enum gs_status add_named(const struct gsi_inputs *inputs, const struct gsi_record *record,
                                struct gsi_element_report *report)
{
    const struct gsi_names *names = record->names;
    for (uint32_t i = names != NULL ? names->header_count : 0; names != NULL && i < names->count;
         i++) {
        const struct gsi_name *name = &names->table[i];
        struct gsi_field field;
        GSI_TRY(gsi_field_parse("fields", name->place, record->bytes, NULL, &field,
                                inputs->loop->error));
        GSI_TRY(
            add_column(inputs, report, gsi_field_describe(&field), name->text, strlen(name->text)));
    }
    return GS_OK;
}

enum gs_status gsi_record_columns(const struct gsi_inputs *inputs, const struct gsi_record *record,
                                  const struct gsi_fold *fold, struct gsi_element_report *report)
{
    report->field_count = 0;
    report->wide_bytes = fold->wide_bytes;
    GSI_TRY(add_named(inputs, record, report));
    for (uint32_t i = 0; i < record->key_count; i++) {
        const struct gsi_field *key = &record->keys[i];
        if (!is_named(record, key))
            GSI_TRY(add_column(inputs, report, gsi_field_describe(key), key->text,
                               gsi_names_text_bytes(record->names, key->text)));
    }
    for (uint32_t i = 0; i < fold->count; i++) {
        const struct gsi_fold_field *folded = &fold->fields[i];
        const char *text = folded->field.text;
        if (folded->wide_bytes > 0)
            GSI_TRY(add_column(inputs, report, describe_wide(folded), text, strlen(text)));
        else if (!is_key(record, &folded->field) && !is_named(record, &folded->field))
            GSI_TRY(
                add_column(inputs, report, gsi_field_describe(&folded->field), text, strlen(text)));
    }
    return GS_OK;
}
