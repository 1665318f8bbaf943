/* fold_parse.c: parses what options say about folded fields. */
#include "element/fold/fold.h"

#include "base/choices.h"
#include "element/layout.h"

const char *gsi_fold_kind_name(enum gsi_fold_kind kind)
{
    static const char *const names[] = {
        [GSI_FOLD_SUM] = "sum", [GSI_FOLD_MIN] = "min", [GSI_FOLD_MAX] = "max"};
    return names[kind];
}

static bool overlaps(const struct gsi_field *a, const struct gsi_field *b)
{
    return a->off < b->off + b->bytes && b->off < a->off + a->bytes;
}

/* Refuses to change a key, or to write two values to a byte. A wide sum is written after the
 * record, so the summed field may also have a minimum or maximum. */
static enum gs_status check_apart(const struct gsi_fold *fold, const struct gsi_record *record,
                                  uint32_t key_count, const char *option,
                                  const struct gsi_field *field, bool is_wide,
                                  struct gs_error *error)
{
    if (record->key_count == 0)
        return gsi_fail(
            error, GS_E_USAGE, 0,
            "--%s: '%s' is part of the key, which is the whole record; name the keys with --key",
            option, field->text);
    for (uint32_t i = 0; i < (key_count > 0 ? key_count : record->key_count); i++)
        if (overlaps(&record->keys[i], field))
            return gsi_fail(
                error, GS_E_USAGE, 0,
                "--%s: '%s' overlaps the key '%s', which is the same in all records of a group",
                option, field->text, record->keys[i].text);
    for (uint32_t i = 0; i < fold->count; i++)
        if (is_wide == (fold->fields[i].wide_bytes > 0) && overlaps(&fold->fields[i].field, field))
            return gsi_fail(error, GS_E_USAGE, 0, "--%s: '%s' overlaps '%s' of --%s", option,
                            field->text, fold->fields[i].field.text,
                            gsi_fold_kind_name(fold->fields[i].kind));
    return GS_OK;
}

/* Returns the record's field with the same statistics, and adds one if there is none. */
static enum gs_status find_tally(struct gsi_record *record, const char *option,
                                 const struct gsi_field *field, uint32_t *idx,
                                 struct gs_error *error)
{
    for (*idx = 0; *idx < record->field_count; ++*idx)
        if (gsi_field_is_same(&record->fields[*idx], field))
            return GS_OK;
    if (record->field_count == GSI_RECORD_FIELDS_MAX)
        return gsi_fail(error, GS_E_USAGE, 0,
                        "--%s: '%s': at most %u fields can have aggregates or statistics", option,
                        field->text, GSI_RECORD_FIELDS_MAX);
    record->fields[record->field_count++] = *field;
    return GS_OK;
}

/* Returns the type of a wide sum. */
static uint32_t wide_bytes(const struct gsi_field *field)
{
    if (field->type->kind == GSI_KEY_FLOAT || field->bytes <= 4)
        return 8;
    return 2 * field->bytes;
}

enum gs_status gsi_fold_add_field(struct gsi_fold *fold, struct gsi_record *record,
                                  uint32_t key_count, enum gsi_fold_kind kind, bool is_wide,
                                  const char *text, struct gs_error *error)
{
    const char *option = gsi_fold_kind_name(kind);
    struct gsi_fold_field added = {.kind = kind};
    if (fold->count == GSI_FIELDS_MAX)
        return gsi_fail(error, GS_E_USAGE, 0, "--%s: '%s': at most %u fields can have aggregates",
                        option, text, GSI_FIELDS_MAX);
    GSI_TRY(gsi_field_parse(option, text, record->bytes, record->names, &added.field, error));
    if (added.field.type == NULL)
        return gsi_fail(error, GS_E_USAGE, 0,
                        "--%s: '%s' is a field of bytes; only numbers have aggregates", option,
                        text);
    if (kind == GSI_FOLD_SUM && added.field.number->part == GSI_PART_TIME)
        return gsi_fail(
            error, GS_E_USAGE, 0,
            "--sum: '%s': times have no sum; give durations the type i64, or use --min or --max",
            text);
    is_wide = is_wide && kind == GSI_FOLD_SUM;
    GSI_TRY(check_apart(fold, record, key_count, option, &added.field, is_wide, error));
    GSI_TRY(find_tally(record, option, &added.field, &added.tally_idx, error));
    added.map = gsi_layout_make(added.field.type, false).map;
    if (is_wide) {
        added.wide_off = record->bytes + fold->wide_bytes;
        added.wide_bytes = wide_bytes(&added.field);
        fold->wide_bytes += added.wide_bytes;
    }
    for (uint32_t i = 0; i < record->key_count; i++)
        fold->changes_order = fold->changes_order || overlaps(&record->keys[i], &added.field);
    fold->record_bytes = record->bytes;
    fold->float_count += kind == GSI_FOLD_SUM && added.field.type->kind == GSI_KEY_FLOAT;
    fold->fields[fold->count++] = added;
    return GS_OK;
}
