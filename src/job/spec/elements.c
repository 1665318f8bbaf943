/* elements.c: elements are numbers of a type, or records with keys. */
#include "job/spec/compile.h"

#include "element/record/record_tally.h"
#include "input/format/fields.h"
#include "input/named/named_type.h"
#include "job/job_report.h"
#include "output/ranks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The layout of the records that were made, in place of a type. */
static enum gs_status lay_records(const struct gsi_job *job, struct gsi_chosen *chosen,
                                  struct gsi_element_report *report)
{
    bool reverse = job->options->reverse;
    GSI_TRY(gsi_key_scope_open(&chosen->scope, &chosen->record, NULL, job->loop.error));
    chosen->layout = gsi_layout_make_records(&chosen->record, &chosen->scope, reverse);
    report->type = chosen->layout.type->name;
    report->bytes = chosen->record.bytes;
    report->is_reversed = reverse;
    report->field_count = chosen->record.field_count;
    for (uint32_t i = 0; i < report->field_count; i++) {
        struct gsi_field named = chosen->record.fields[i];
        char name[GSI_FIELD_TEXT_BYTES];
        snprintf(name, sizeof name, "%.*s", (int)gsi_names_text_bytes(&chosen->names, named.text),
                 named.text);
        named.text = name;
        report->fields[i] = gsi_field_describe(&named);
    }
    return GS_OK;
}

/* A second key of the same field decides nothing, in either direction. A format's own fields may
 * overlap. */
static enum gs_status check_keys(const struct gsi_job *job, const struct gsi_record *record)
{
    for (uint32_t i = 1; i < record->key_count && job->options->key_count > 0; i++)
        for (uint32_t k = 0; k < i; k++) {
            const struct gsi_field *a = &record->keys[k], *b = &record->keys[i];
            if (a->off == b->off && a->bytes == b->bytes && a->number == b->number &&
                a->is_big_endian == b->is_big_endian)
                return gsi_fail(job->loop.error, GS_E_USAGE, 0,
                                "--key: given twice ('%s', '%s'): the first one decides; leave the "
                                "second one out",
                                a->text, b->text);
        }
    return GS_OK;
}

static enum gs_status choose_records(const struct gsi_job *job, struct gsi_chosen *chosen,
                                     const struct gsi_elements *elements,
                                     struct gsi_element_report *report)
{
    for (size_t i = 0; i < job->options->name_count; i++)
        GSI_TRY(gsi_names_add(&chosen->names, job->options->names[i], elements->record_bytes,
                              job->loop.error));
    GSI_TRY(gsi_record_make_named(elements->record_bytes, &chosen->names, elements->keys,
                                  elements->key_count, elements->fields, elements->field_count,
                                  job->options->reverse, &chosen->record, job->loop.error));
    GSI_TRY(check_keys(job, &chosen->record));
    gsi_record_place_nans(&chosen->record, job->options->nan_place);
    if (job->options->ties_by_bytes)
        gsi_record_break_ties(&chosen->record, job->options->reverse);
    report->type_source = elements->source;
    report->key_count = elements->key_count;
    for (size_t i = 0; i < elements->key_count; i++)
        gsi_shorten_name(report->keys[i], sizeof report->keys[i], chosen->record.keys[i].text);
    return lay_records(job, chosen, report);
}

/* The name of an output of elements, which may say what they are. */
static const char *typed_output(const struct gsi_job *job)
{
    const struct gsi_options *options = job->options;
    bool has_elements = !options->argsort && options->out_order == GSI_ORDER_AS_READ &&
                        options->out_field_count == 0 && !options->unique_counts &&
                        !job->features.has[GSI_WITH_WIDE_SUM];
    return has_elements ? options->output : NULL;
}

/* Numbers of a type that no device sorts: records that are nothing but this key. */
static enum gs_status choose_number_records(const struct gsi_job *job, struct gsi_chosen *chosen,
                                            const char *name, struct gsi_element_report *report)
{
    gsi_record_make_number(gsi_field_of_number(name).bytes, name, job->options->reverse,
                           &chosen->record);
    gsi_record_place_nans(&chosen->record, job->options->nan_place);
    GSI_TRY(lay_records(job, chosen, report));
    chosen->layout.number = name;
    report->type = name;
    report->is_float = report->fields[0].is_float;
    report->is_signed = report->fields[0].is_signed;
    return GS_OK;
}

static enum gs_status choose_numbers(const struct gsi_job *job, struct gsi_chosen *chosen,
                                     const struct gsi_elements *elements,
                                     struct gsi_element_report *report)
{
    struct gsi_named_type named;
    const char *name = elements->type;
    report->type_source = elements->source;
    if (name == NULL) {
        GSI_TRY(gsi_named_type_find(job->options->inputs, job->options->input_count,
                                    typed_output(job), &named, job->loop.error));
        if (named.word == NULL && job->options->strict)
            return gsi_named_type_fail_unknown(job->inputs.table[0].name, job->inputs.count,
                                               job->loop.error);
        name = named.word != NULL ? named.word->type : "u64";
        report->type_source = named.word == NULL ? "default"
                              : named.is_output  ? "output name"
                                                 : "file name";
        report->type_word = named.word != NULL ? named.word->word : NULL;
    }
    const struct gsi_key_type *type = gsi_key_type_find(name);
    if (type == NULL)
        return choose_number_records(job, chosen, name, report);
    chosen->layout = gsi_layout_make(type, job->options->reverse);
    gsi_layout_place_nans(&chosen->layout, job->options->nan_place);
    report->type = type->name;
    report->bytes = type->bytes;
    report->is_float = type->kind == GSI_KEY_FLOAT;
    report->is_signed = type->kind != GSI_KEY_UNSIGNED;
    report->is_reversed = job->options->reverse;
    return GS_OK;
}

/* The type that --type names; *name stays NULL if it is not given. */
static enum gs_status name_type(const struct gsi_job *job, const char **name,
                                struct gsi_element_report *report)
{
    const char *given = job->options->type;
    if (given == NULL)
        return GS_OK;
    const struct gsi_type_word *word;
    GSI_TRY(gsi_type_word_of_option(given, &word, job->loop.error));
    *name = word->type;
    report->type_word = word->word;
    return GS_OK;
}

/* Mean and variance, where they are asked for and known. */
static enum gs_status choose_moments(const struct gsi_job *job, struct gsi_chosen *chosen)
{
    const struct gsi_record *record = chosen->layout.record;
    bool is_wide = false;
    if (!job->options->variance)
        return GS_OK;
    for (uint32_t i = 0; i < record->field_count; i++)
        is_wide |= record->fields[i].type->bytes == 16;
    if (is_wide)
        return gsi_fail(job->loop.error, GS_E_USAGE, 0,
                        "--variance: needs numbers of at most 8 bytes, these have 16");
    if (record->field_count == 0)
        return gsi_fail(job->loop.error, GS_E_USAGE, 0,
                        "--variance: needs a field that is a number; name one with --stats-of");
    chosen->layout.has_moments = true;
    return GS_OK;
}

/* Returns the text before the operator of a condition, copied to `name`; NULL: there is none. */
static const char *condition_field(const char *text, char *name)
{
    size_t length = (size_t)(gsi_filter_comparison(text) - text);
    memcpy(name, text, length);
    name[length] = '\0';
    return length > 0 ? name : NULL;
}

/* Fields that are folded. */
static enum gs_status choose_folded(const struct gsi_job *job, struct gsi_chosen *chosen,
                                    enum gsi_fold_kind kind, const char *const *texts, size_t count)
{
    const struct gsi_options *options = job->options;
    for (size_t i = 0; i < count; i++) {
        char name[GSI_NAME_BYTES];
        const char *text = texts[i];
        size_t bytes = sizeof name;
        bool is_wide = kind == GSI_FOLD_SUM && gsi_sum_is_wide(text, &bytes);
        uint32_t known = chosen->record.field_count;
        if (is_wide && bytes < sizeof name) {
            snprintf(name, sizeof name, "%.*s", (int)bytes, text);
            text = name;
        }
        GSI_TRY(gsi_fold_add_field(&chosen->fold, &chosen->record, options->group_keys, kind,
                                   is_wide || options->sum_wide, text, job->loop.error));
        chosen->fold.fields[chosen->fold.count - 1].field.text = texts[i];
        if (chosen->record.field_count > known)
            chosen->record.fields[known].text = texts[i];
    }
    return GS_OK;
}

/* Describes a field that has statistics because it is folded, without ":wide" in its name. */
static void describe_folded(const struct gsi_chosen *chosen, uint32_t idx,
                            struct gsi_field_report *report)
{
    size_t bytes;
    *report = gsi_field_describe(&chosen->record.fields[idx]);
    for (uint32_t i = 0; i < chosen->fold.count; i++)
        if (chosen->fold.fields[i].tally_idx == idx &&
            chosen->fold.fields[i].kind == GSI_FOLD_SUM && gsi_sum_is_wide(report->text, &bytes))
            report->text[bytes] = '\0';
}

static enum gs_status choose_fold(const struct gsi_job *job, struct gsi_chosen *chosen,
                                  struct gsi_element_report *report)
{
    const struct gsi_options *options = job->options;
    GSI_TRY(
        choose_folded(job, chosen, GSI_FOLD_SUM, options->sum_fields, options->sum_field_count));
    GSI_TRY(
        choose_folded(job, chosen, GSI_FOLD_MIN, options->min_fields, options->min_field_count));
    GSI_TRY(
        choose_folded(job, chosen, GSI_FOLD_MAX, options->max_fields, options->max_field_count));
    for (; chosen->fold.count > 0 && report->field_count < chosen->record.field_count;
         report->field_count++)
        describe_folded(chosen, (uint32_t)report->field_count,
                        &report->fields[report->field_count]);
    return GS_OK;
}

static enum gs_status choose_filter(const struct gsi_job *job, struct gsi_chosen *chosen,
                                    struct gsi_input_report *report)
{
    const struct gsi_options *options = job->options;
    size_t most = 0;
    enum gs_status status = GS_OK;
    if (options->where_count == 0)
        return GS_OK;
    for (size_t i = 0; i < options->where_count; i++)
        most += strlen(options->where[i]) + 1;
    GSI_TRY(gsi_filter_open(&chosen->filter, &chosen->layout, "where", options->where_count, most,
                            job->loop.error));
    char *name = malloc(most);
    if (name == NULL)
        return gsi_fail(job->loop.error, GS_E_MEMORY, 0, "out of memory: cannot read --where");
    for (size_t i = 0; i < options->where_count && status == GS_OK; i++) {
        const char *text = options->where[i];
        status = gsi_filter_add(&chosen->filter, text, condition_field(text, name),
                                gsi_filter_comparison(text), job->loop.error);
        gsi_shorten_name(report->where[i], sizeof report->where[i], text);
    }
    free(name);
    report->where_count = options->where_count;
    return status;
}

enum gs_status gsi_spec_elements(const struct gsi_job *job, struct gsi_chosen *chosen,
                                 struct gs_report *report)
{
    const struct gsi_options *options = job->options;
    struct gsi_elements elements = {.type = NULL,
                                    .source = "option",
                                    .record_bytes = options->record_bytes,
                                    .keys = options->keys,
                                    .key_count = options->key_count,
                                    .fields = options->stats_fields,
                                    .field_count = options->stats_field_count};
    const struct gsi_formatted *formatted = job->inputs.formatted;
    GSI_TRY(name_type(job, &elements.type, &report->element));
    GSI_TRY(gsi_names_open(&chosen->names, formatted != NULL ? formatted->schema.field_count : 0,
                           options->name_count, job->loop.error));
    if (formatted != NULL)
        GSI_TRY(gsi_fields_choose(&job->inputs, &chosen->names, &elements));
    if (elements.record_bytes > 0)
        GSI_TRY(choose_records(job, chosen, &elements, &report->element));
    else
        GSI_TRY(choose_numbers(job, chosen, &elements, &report->element));
    if (chosen->layout.number != NULL)
        GSI_TRY(gsi_conflicts_check(&job->features, GSI_PROPERTY_NUMBERS, NULL, job->loop.error));
    else
        GSI_TRY(gsi_conflicts_check(&job->features, GSI_PROPERTY_RECORDS, NULL, job->loop.error));
    GSI_TRY(choose_fold(job, chosen, &report->element));
    GSI_TRY(choose_moments(job, chosen));
    GSI_TRY(choose_filter(job, chosen, &report->input));
    const struct gsi_record *record = chosen->layout.record;
    const struct gsi_field *ranked = gsi_ranks_field(record);
    if (ranked != NULL && gsi_ranks_wanted(&options->order_statistics))
        report->order_statistics.field = report->element.fields[ranked - record->fields];
    if (options->action == GS_LOOK && !gsi_layout_is_native(&chosen->layout))
        GSI_TRY(gsi_record_columns(&job->inputs, record, &chosen->fold, &report->element));
    if (formatted != NULL && options->type == NULL)
        return gsi_named_type_check_output(typed_output(job), elements.type,
                                           job->inputs.table[0].name, job->loop.error);
    return GS_OK;
}
