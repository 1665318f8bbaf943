/* output_names.c: what is written, as far as a name can say it. */
#include "job/spec/compile.h"

#include "element/number_type.h"
#include "input/format/format.h"
#include "input/zst/zst.h"
#include "option/options.h"

#include <stdio.h>
#include <string.h>

/* A number that a name says, or that is written. */
struct number {
    const struct gsi_number_type *type; /* NULL: none */
    bool is_big_endian;
};

static struct number number_of(const char *type)
{
    struct number number = {NULL, false};
    number.type = gsi_number_type_find(type, strlen(type), &number.is_big_endian);
    return number;
}

static struct number named(const char *path)
{
    const struct gsi_type_word *word = path == NULL ? NULL : gsi_type_word_of_file(path);
    return word != NULL && word->type != NULL ? number_of(word->type)
                                              : (struct number){NULL, false};
}

static bool is_same(struct number a, struct number b)
{
    return gsi_number_is_like(a.type, b.type) && a.is_big_endian == b.is_big_endian;
}

/* The same bytes, maybe in another order of elements. */
static bool is_as_wide(struct number a, struct number b)
{
    return a.type != NULL && b.type != NULL && a.type->bytes == b.type->bytes &&
           (a.is_big_endian == b.is_big_endian || a.type->bytes == 1);
}

/* Returns the type of elements: of numbers, or of records that are one number each. */
static struct number elements_of(const struct gsi_layout *layout)
{
    const struct gsi_record *record = layout->record;
    if (record->key_count == 1 && record->keys[0].bytes == record->bytes)
        return (struct number){record->keys[0].number, record->keys[0].is_big_endian};
    return (struct number){NULL, false};
}

static bool input_name_has_type(struct number name, const struct gsi_job *job)
{
    for (size_t i = 0; i < job->options->input_count && i < gsi_inputs_merged_count(&job->inputs);
         i++)
        if (is_same(named(job->options->inputs[i]), name))
            return true;
    return false;
}

static enum gs_status check_output(const struct gsi_job *job)
{
    const struct gsi_options *options = job->options;
    const struct gsi_layout *layout = job->inputs.layout;
    struct number name = named(options->output);
    bool is_true = true;
    char what[64];
    if (name.type == NULL)
        return GS_OK;
    const struct gsi_format *format = job->inputs.head.format;
    if (format != NULL && !input_name_has_type(name, job))
        return gsi_fail(job->loop.error, GS_E_USAGE, 0,
                        "'%s': this name says plain %s, but the output is %s, as '%s' is; choose "
                        "another name, or write only elements with --drop-header",
                        options->output, gsi_type_word_of_file(options->output)->word, format->name,
                        job->inputs.table[0].name);
    if (options->unique_counts || job->features.has[GSI_WITH_WIDE_SUM]) {
        is_true = false;
        snprintf(what, sizeof what, "elements with appended %s",
                 options->unique_counts ? "counts" : "sums");
    } else if (options->argsort) {
        is_true = name.type->part == GSI_PART_INT && !name.is_big_endian &&
                  name.type->bytes == job->inputs.entry_map->output_bytes;
        snprintf(what, sizeof what, "positions of type u%u",
                 8 * job->inputs.entry_map->output_bytes);
    } else if (options->out_field_count > 0) {
        is_true = name.type->bytes == job->inputs.entry_map->output_bytes;
        snprintf(what, sizeof what, "fields of %u bytes", job->inputs.entry_map->output_bytes);
    } else if (options->out_order != GSI_ORDER_AS_READ) {
        struct number written = elements_of(layout);
        written.is_big_endian = options->out_order == GSI_ORDER_BIG && layout->element_bytes > 1;
        is_true = options->type != NULL ? is_as_wide(name, written) : is_same(name, written);
        snprintf(what, sizeof what, "elements of type %s%s", written.type->name,
                 written.is_big_endian ? "be" : "");
    } else if (options->type != NULL || options->record_bytes > 0) {
        bool is_record = layout->number == NULL;
        is_true = is_as_wide(name, elements_of(layout)) || input_name_has_type(name, job);
        if (is_record)
            snprintf(what, sizeof what, "records of %u bytes", layout->element_bytes);
        else
            snprintf(what, sizeof what, "elements of type %s", gsi_layout_name(layout));
    }
    if (is_true)
        return GS_OK;
    return gsi_fail(job->loop.error, GS_E_USAGE, 0,
                    "'%s': this name says %s, but the output has %s; choose another name",
                    options->output, gsi_type_word_of_file(options->output)->word, what);
}

/* Values are of the type that their file's name says, and else of any that is as wide. They are
 * written as they are. */
static enum gs_status check_value(const struct gsi_options *options,
                                  const struct gsi_value_file *file, struct gs_error *error)
{
    const char *ending = "zst";
    if (!options->raw &&
        (gsi_name_is_zst(file->output) || gsi_format_named(file->output, &ending) != NULL))
        return gsi_fail(error, GS_E_USAGE, 0,
                        "--values: '%s': its name ends in .%s, but values are written without "
                        "header or compression; choose another name",
                        file->output, ending);
    struct number from = named(file->path), to = named(file->output);
    bool is_true =
        from.type != NULL ? is_same(from, to) : to.type == NULL || to.type->bytes == file->bytes;
    if (to.type == NULL || is_true)
        return GS_OK;
    return gsi_fail(error, GS_E_USAGE, 0,
                    "--values: '%s': this name says %s, but the values have %u bytes, from '%s'; "
                    "choose another name",
                    file->output, gsi_type_word_of_file(file->output)->word, file->bytes,
                    file->path);
}

enum gs_status gsi_spec_check_names(const struct gsi_job *job)
{
    enum gs_action action = job->options->action;
    if (action != GS_SORT && action != GS_EXPLAIN)
        return GS_OK;
    GSI_TRY(check_output(job));
    for (uint32_t i = 0; i < job->chosen.values.count; i++)
        GSI_TRY(check_value(job->options, &job->chosen.values.table[i], job->loop.error));
    return GS_OK;
}

enum gs_status gsi_spec_check_format(const struct gsi_job *job)
{
    const struct gsi_options *options = job->options;
    const char *ending;
    bool has_name = options->output != NULL && !options->raw;
    bool may_drop = options->unique || options->has_top || options->where_count > 0 ||
                    options->has_range || gsi_inputs_merged_count(&job->inputs) > 1;
    const struct gsi_format *named = has_name ? gsi_format_named(options->output, &ending) : NULL;
    if (named != NULL && named != job->inputs.head.format)
        return gsi_fail(
            job->loop.error, GS_E_USAGE, 0,
            "'%s': its name ends in .%s, but the output has no such header; choose another name",
            options->output, ending);
    return job->output_spec.is_wanted ? gsi_format_check_output(&job->inputs, !may_drop) : GS_OK;
}
