/* choose.c: a type, or records with keys. */
#include "input/choose.h"

#include "element/record/record_tally.h"
#include "input/named_type.h"
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
                                     const char *const *paths)
{
    struct gs_report *report = job->report;
    struct gsi_named_type named;
    const char *name = elements->type;
    report->type_source = elements->source;
    if (name == NULL) {
        GSI_TRY(
            gsi_named_type_find(paths, job->input_count, job->options->output, &named, job->error));
        name = named.word != NULL ? named.word->type : "u64";
        report->type_source = named.word == NULL ? "default"
                              : named.is_output  ? "output name"
                                                 : "file name";
        report->type_word = named.word != NULL ? named.word->word : NULL;
    }
    const struct gsi_key_type *type = gsi_key_type_find(name);
    job->layout = gsi_layout_make(type, job->options->reverse);
    report->type = type->name;
    report->element_bytes = type->bytes;
    report->is_float = type->kind == GSI_KEY_FLOAT;
    report->is_signed = type->kind != GSI_KEY_UNSIGNED;
    report->reverse = job->options->reverse;
    return GS_OK;
}

/* The type that --type names; *name stays NULL if it is not given. */
static enum gs_status name_type(struct gsi_job *job, const char **name)
{
    const char *given = job->options->type;
    if (given == NULL)
        return GS_OK;
    const struct gsi_type_word *word = gsi_type_word_find(given);
    if (word == NULL)
        return gsi_fail(job->error, GS_E_USAGE, 0,
                        "--type: there is no type '%s'; u32 i32 f32 u64 i64 f64 u128 are", given);
    GSI_TRY(gsi_type_word_check(word, NULL, job->error));
    *name = word->type;
    job->report->type_word = word->word;
    return GS_OK;
}

enum gs_status gsi_choose_elements(struct gsi_job *job, const char *const *paths)
{
    const struct gs_options *options = job->options;
    struct gsi_elements elements = {.type = NULL,
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
    GSI_TRY(name_type(job, &elements.type));
    if (job->npy != NULL)
        GSI_TRY(gsi_npy_input_elements(job, &elements));
    if (elements.record_bytes > 0)
        GSI_TRY(choose_records(job, &elements));
    else if (elements.key_count > 0 || elements.field_count > 0)
        return gsi_fail(job->error, GS_E_USAGE, 0,
                        "--%s: needs --record, which says how long they are",
                        elements.key_count > 0 ? "key" : "stats-of");
    else
        GSI_TRY(choose_numbers(job, &elements, paths));
    if (job->npy != NULL && options->type == NULL)
        return gsi_named_type_check_output(options->output,
                                           job->record.bytes > 0 ? NULL : elements.type,
                                           job->inputs[0].name, job->error);
    return GS_OK;
}

/* Whether there may be data in an input: a stream that was looked at and gave nothing has none. */
static bool may_hold(const struct gsi_job *job, const struct gsi_input *input)
{
    bool is_known = input->is_stream && input->is_sniffed && !job->options->raw;
    if (!is_known || input->coding != GSI_CODING_NONE)
        return input->bytes > 0;
    return input->head_bytes > 0;
}

void gsi_choose_note(const struct gsi_job *job)
{
    const struct gs_report *report = job->report;
    bool is_empty = true;
    for (size_t i = 0; i < job->input_count && is_empty; i++)
        is_empty = !may_hold(job, &job->inputs[i]);
    if (job->record.bytes == 0 && !is_empty && job->npy == NULL)
        gsi_named_type_note(job->options, report->type, report->type_word, job->inputs[0].name,
                            job->input_count);
}
