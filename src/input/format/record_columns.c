/* record_columns.c: chooses the columns in which records are printed, and their names.
 *
 *     -k x:desc -k y --sum z:wide            columns: x  y  z:wide
 *     -k 'a.b' -k 8:u32:desc                 columns: a.b  8:u32
 *
 * Two fields of a .npy file may have the same name: "a.b" is a name, and also the field b of the
 * structure a. The second one is called "a.b#2", because readers of JSON keep one member of each
 * name. */
#include "input/format/record_columns.h"

#include "base/list_limits.h"
#include "element/record/element_report.h"
#include "input/format/format.h"

#include <stdio.h>
#include <string.h>

size_t gsi_field_name_bytes(const struct gsi_inputs *inputs, const char *text)
{
    const char *order = strrchr(text, ':');
    bool is_descending, is_name = inputs->formatted != NULL &&
                                  gsi_schema_field_find(&inputs->formatted->schema, text) != NULL;
    return !is_name && order != NULL && gsi_order_word(order, &is_descending)
               ? (size_t)(order - text)
               : strlen(text);
}

/* Returns whether a column has this name. */
static bool is_taken(const struct gsi_element_report *report, const char *name)
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
    gsi_fit_name(own, sizeof own, whole);
    strcpy(name, own);
    for (unsigned number = 2; is_taken(report, name); number++)
        snprintf(name, GSI_FIELD_TEXT_BYTES, "%s#%u", own, number);
}

static enum gs_status add_column(const struct gsi_inputs *inputs, struct gsi_element_report *report,
                                 struct gsi_field_report column, const char *text, size_t length)
{
    if (report->field_count == GSI_FIELDS_MAX)
        return gsi_fail(inputs->loop->error, GS_E_USAGE, 0,
                        "--print: keys and aggregates have more than %d columns; write them to a "
                        "file with -o FILE",
                        GSI_FIELDS_MAX);
    name_column(report, text, length, column.text);
    report->fields[report->field_count++] = column;
    return GS_OK;
}

/* Describes a wide sum, which follows the record. */
static struct gsi_field_report describe_wide(const struct gsi_fold_field *folded)
{
    struct gsi_field_report column = {.is_number = true,
                                      .off = folded->wide_off,
                                      .bytes = folded->wide_bytes,
                                      .element_bytes = folded->wide_bytes};
    column.is_float = folded->field.type->kind == GSI_KEY_FLOAT;
    column.is_signed = folded->field.type->kind != GSI_KEY_UNSIGNED;
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

enum gs_status gsi_record_columns(const struct gsi_inputs *inputs, const struct gsi_record *record,
                                  const struct gsi_fold *fold, struct gsi_element_report *report)
{
    report->field_count = 0;
    report->wide_bytes = fold->wide_bytes;
    for (uint32_t i = 0; i < record->key_count; i++) {
        const struct gsi_field *key = &record->keys[i];
        GSI_TRY(add_column(inputs, report, gsi_field_describe(key), key->text,
                           gsi_field_name_bytes(inputs, key->text)));
    }
    for (uint32_t i = 0; i < fold->count; i++) {
        const struct gsi_fold_field *folded = &fold->fields[i];
        const char *text = folded->field.text;
        if (folded->wide_bytes > 0)
            GSI_TRY(add_column(inputs, report, describe_wide(folded), text, strlen(text)));
        else if (!is_key(record, &folded->field))
            GSI_TRY(
                add_column(inputs, report, gsi_field_describe(&folded->field), text, strlen(text)));
    }
    return GS_OK;
}
