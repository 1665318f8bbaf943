/* choose.c: a type, or records with keys. */
#include "input/choose.h"

#include "element/record/record_tally.h"
#include "input/npy/npy_input.h"

#include <string.h>

/* Keys and fields carry the texts that people know them by. */
static void name_fields(struct gsi_record *record, const struct gsi_elements *elements)
{
    for (uint32_t i = 0; i < record->field_count; i++)
        for (uint32_t k = 0; k < elements->key_count; k++)
            if (record->fields[i].text == elements->keys[k])
                record->fields[i].text = elements->key_names[k];
    for (uint32_t i = 0; i < record->key_count; i++)
        record->keys[i].text = elements->key_names[i];
    for (uint32_t i = 0; i < elements->field_count; i++)
        record->fields[i].text = elements->field_names[i];
}

/* Records: their layout in place of a type. */
static enum gs_status choose_records(struct gsi_job *job, const struct gsi_elements *elements)
{
    bool reverse = job->options->reverse;
    struct gs_report *report = job->report;
    GSI_TRY(gsi_record_make(elements->record_bytes, elements->keys, elements->key_count,
                            elements->fields, elements->field_count, reverse, &job->record,
                            job->error));
    name_fields(&job->record, elements);
    GSI_TRY(gsi_key_scope_open(&job->scope, &job->record, NULL, job->error));
    job->layout = gsi_layout_make_records(&job->record, &job->scope, reverse);
    report->type = job->layout.type->name;
    report->type_source = elements->source;
    report->element_bytes = elements->record_bytes;
    report->reverse = reverse;
    report->keys = elements->key_names;
    report->key_count = elements->key_count;
    bool is_look = job->options->action == GS_ACTION_LOOK;
    const struct gsi_field *fields = is_look ? job->record.keys : job->record.fields;
    report->field_count = is_look ? job->record.key_count : job->record.field_count;
    for (uint32_t i = 0; i < report->field_count; i++)
        report->fields[i] = gsi_field_describe(&fields[i]);
    return GS_OK;
}

static enum gs_status choose_numbers(struct gsi_job *job, const struct gsi_elements *elements,
                                     const char *first_path)
{
    const struct gsi_key_type *type = NULL;
    struct gs_report *report = job->report;
    report->type_source = elements->source;
    if (elements->type != NULL) {
        type = gsi_key_type_find(elements->type);
        if (type == NULL)
            return gsi_fail(job->error, GS_E_USAGE, 0,
                            "--type: there is no type '%s'; u32 i32 f32 u64 i64 f64 u128 are",
                            elements->type);
    } else if ((type = gsi_key_type_of_file(first_path)) != NULL) {
        report->type_source = "file name";
    } else {
        type = gsi_key_type_find("u64");
        report->type_source = "default";
    }
    job->layout = gsi_layout_make(type, job->options->reverse);
    report->type = type->name;
    report->element_bytes = type->bytes;
    report->is_float = type->kind == GSI_KEY_FLOAT;
    report->is_signed = type->kind != GSI_KEY_UNSIGNED;
    report->reverse = job->options->reverse;
    return GS_OK;
}

enum gs_status gsi_choose_elements(struct gsi_job *job, const char *first_path)
{
    const struct gs_options *options = job->options;
    struct gsi_elements elements = {.type = options->type,
                                    .source = "option",
                                    .record_bytes = options->record_bytes,
                                    .keys = options->keys,
                                    .key_names = options->keys,
                                    .key_count = options->key_count,
                                    .fields = options->stats_fields,
                                    .field_names = options->stats_fields,
                                    .field_count = options->stats_field_count};
    if (options->type != NULL && options->record_bytes > 0)
        return gsi_fail(job->error, GS_E_USAGE, 0,
                        "--type and --record: give one; the types in records go with --key");
    if (job->npy != NULL)
        GSI_TRY(gsi_npy_input_elements(job, &elements));
    if (elements.record_bytes > 0)
        GSI_TRY(choose_records(job, &elements));
    else if (elements.key_count > 0 || elements.field_count > 0)
        return gsi_fail(job->error, GS_E_USAGE, 0,
                        "--%s: needs --record, which says how long they are",
                        elements.key_count > 0 ? "key" : "stats-of");
    else
        GSI_TRY(choose_numbers(job, &elements, first_path));
    return GS_OK;
}
