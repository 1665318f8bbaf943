/* settings.c: writes one setting after the other. */
#include "job/spec/compile.h"

#include "job/job_report.h"
#include "option/option_parse.h"

#include <inttypes.h>

static void put_text(FILE *to, const char *name, const char *value)
{
    fprintf(to, "%s%c%s%c", name, 0, value, 0);
}

static void put_number(FILE *to, const char *name, uint64_t value)
{
    char text[32];
    snprintf(text, sizeof text, "%" PRIu64, value);
    put_text(to, name, value == 0 ? "the default" : text);
}

static void put_list(FILE *to, const char *name, const char *const *texts, size_t count)
{
    fprintf(to, "%s%c", name, 0);
    for (size_t i = 0; i < count; i++)
        fprintf(to, "%s%s", i > 0 ? ", " : "", texts[i]);
    fprintf(to, "%s%c", count == 0 ? "the default" : "", 0);
}

/* Only shuffles have this setting, so journals of other jobs stay as they are in 1.0. */
static void put_seed(FILE *to, const struct gsi_options *options)
{
    char text[32];
    snprintf(text, sizeof text, "%" PRIu64, options->seed);
    put_text(to, "--shuffle", options->has_seed ? text : "a drawn seed");
}

/* Names that keys may have; only jobs with --fields have this setting. */
static void put_names(FILE *to, const struct gsi_names *names)
{
    fprintf(to, "--fields%c", 0);
    for (uint32_t i = names->header_count; i < names->count; i++)
        fprintf(to, "%s%s=%s", i > names->header_count ? "," : "", names->table[i].text,
                names->table[i].place);
    fputc(0, to);
}

/* By the names that they have in .npy headers, where they have some. */
static void put_keys(FILE *to, const struct gsi_layout *layout)
{
    const struct gsi_record *record = layout->record;
    const char *texts[GSI_RECORD_FIELDS_MAX];
    size_t count = gsi_key_type_find(gsi_layout_name(layout)) == NULL ? record->key_count : 0;
    for (size_t i = 0; i < count; i++)
        texts[i] = record->keys[i].text;
    put_list(to, "--key", texts, count);
}

/* Which part of the inputs is read; other slices are for merges, which keep no journal. */
static void put_slice(FILE *to, const char *name, bool is_asked, uint64_t from, uint64_t count)
{
    char slice[64] = "all";
    if (is_asked)
        snprintf(slice, sizeof slice, "%" PRIu64 ":%" PRIu64, from, count);
    put_text(to, name, slice);
}

static void put_compress(FILE *to, const struct gsi_options *options)
{
    char text[32];
    gsi_compress_text(options->compress, options->compress_level, text, sizeof text);
    put_text(to, "--compress", text);
}

/* Memory and threads are not among them: they need not be the same (gsi_resume_constrain). */
void gsi_spec_put_settings(const void *context, FILE *to)
{
    const struct gsi_job *job = context;
    static const char *const places[] = {"with the order", "first", "last"};
    const struct gsi_options *options = job->options;
    const struct gsi_layout *layout = job->loop.layout;
    bool is_record = layout->number == NULL;
    put_number(to, "number of inputs", job->inputs.count);
    put_text(to, "--type", gsi_layout_name(layout));
    put_number(to, "--record", is_record ? layout->element_bytes : 0);
    put_keys(to, layout);
    put_list(to, "--stats-of", options->stats_fields, options->stats_field_count);
    put_text(to, "--reverse", options->reverse ? "yes" : "no");
    put_text(to, "--nan", places[options->nan_place]);
    put_text(to, "--ties", options->ties_by_bytes ? "bytes" : "input");
    put_text(to, "--raw", options->raw ? "yes" : "no");
    put_number(to, "--header", options->header_bytes);
    put_text(to, "--drop-header", options->drop_header ? "yes" : "no");
    put_number(to, "--chunk", options->chunk_bytes);
    put_number(to, "--window", options->window_bytes);
    put_number(to, "--batch-size", options->fan_in);
    put_compress(to, options);
    put_slice(to, "--region", options->has_region, options->region_off, options->region_bytes);
    put_slice(to, "--range", job->report->range.is_given, job->report->range.first,
              job->report->range.count);
    if (options->is_shuffled)
        put_seed(to, options);
    if (options->name_count > 0)
        put_names(to, &job->chosen.names);
}
