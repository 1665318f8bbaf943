/* report_join.c: reports of several jobs as that of one, as far as they add up. */
#include "base/checked.h"
#include "base/status.h"
#include "element/tally/tally_join.h"
#include "job/job_report.h"
#include "report/number.h"

#include <stdlib.h>
#include <string.h>

/* Sums of floats, of the tally and of all fields' tallies. */
struct gsi_joined_sums {
    struct gsi_joined_sum tally, fields[GSI_FIELDS_MAX];
};

gs_report *gs_report_create(void)
{
    return calloc(1, sizeof(gs_report));
}

void gs_report_free(gs_report *report)
{
    if (report != NULL)
        free(report->sums);
    free(report);
}

/* What elements are, and which fields of them have statistics, without these. */
static void begin(gs_report *whole, const gs_report *part)
{
    whole->element.type = part->element.type;
    whole->element.bytes = part->element.bytes;
    whole->element.is_float = part->element.is_float;
    whole->element.is_signed = part->element.is_signed;
    whole->element.field_count = part->element.field_count;
    memcpy(whole->element.fields, part->element.fields, sizeof whole->element.fields);
    whole->groups.is_unique = part->groups.is_unique;
}

/* The same value as one of another field of that name, which may be wider. false: that has none, as
 * none is shown so; times are shown by their unit. */
static bool convert(const struct gsi_field_report *from, const struct gsi_field_report *to,
                    uint8_t value[16])
{
    char text[GSI_ELEMENT_TEXT_BYTES], again[GSI_ELEMENT_TEXT_BYTES];
    gsi_shown_text(from, value, text);
    gsi_number_parse_field(text, to, value);
    gsi_shown_text(to, value, again);
    return strcmp(text, again) == 0;
}

/* The statistics of a field in another report, as those of `field`. A field without values gets
 * the type of the other one: the names of .npy fields don't tell their types. false: there are
 * none, or of another unit, or of numbers that it cannot have. */
static bool find_field(const gs_report *report, struct gsi_field_report *field, bool has_values,
                       struct gsi_tally_report *tally)
{
    size_t i = 0;
    while (i < report->element.field_count &&
           (strcmp(report->element.fields[i].text, field->text) != 0 ||
            report->element.fields[i].is_float != field->is_float))
        i++;
    if (i == report->element.field_count)
        return false;
    const struct gsi_field_report *from = &report->element.fields[i];
    *tally = report->field_tallies[i];
    if (!has_values && tally->has_extremes)
        *field = *from;
    return !tally->has_extremes ||
           (convert(from, field, tally->min) && convert(from, field, tally->max));
}

/* Fields that both have; others are left out of the whole. */
static bool join_fields(gs_report *whole, const gs_report *part)
{
    size_t kept = 0;
    for (size_t i = 0; i < whole->element.field_count; i++) {
        struct gsi_tally_report more;
        if (!find_field(part, &whole->element.fields[i], whole->field_tallies[i].has_extremes,
                        &more))
            continue;
        whole->element.fields[kept] = whole->element.fields[i];
        whole->field_tallies[kept] = whole->field_tallies[i];
        whole->sums->fields[kept] = whole->sums->fields[i];
        if (!gsi_tally_join(&whole->element.fields[kept], &whole->field_tallies[kept], &more,
                            &whole->sums->fields[kept]))
            return false;
        kept++;
    }
    whole->element.field_count = kept;
    return true;
}

/* What is in a report already is the first of what is added up. */
static bool take_sums(gs_report *whole)
{
    if (whole->sums != NULL)
        return true;
    whole->sums = calloc(1, sizeof *whole->sums);
    if (whole->sums == NULL)
        return false;
    gsi_joined_sum_add(&whole->sums->tally, &whole->tally);
    for (size_t i = 0; i < whole->element.field_count; i++)
        gsi_joined_sum_add(&whole->sums->fields[i], &whole->field_tallies[i]);
    return true;
}

static bool is_same_kind(const gs_report *a, const gs_report *b)
{
    return a->element.bytes == b->element.bytes &&
           (a->element.type == b->element.type ||
            (a->element.type != NULL && b->element.type != NULL &&
             strcmp(a->element.type, b->element.type) == 0));
}

/* One that no text named has no bytes. */
static bool has_named_fields(const gs_report *report)
{
    size_t i = 0;
    while (i < report->element.field_count && report->element.fields[i].text[0] != '\0')
        i++;
    return i == report->element.field_count;
}

static void add_counts(gs_report *whole, const gs_report *part)
{
    uint64_t *const into[] = {&whole->input.bytes,          &whole->output.bytes,
                              &whole->cost.bytes_read,      &whole->cost.bytes_written,
                              &whole->groups.written_count, &whole->input.left_out_count};
    const uint64_t from[] = {part->input.bytes,          part->output.bytes,
                             part->cost.bytes_read,      part->cost.bytes_written,
                             part->groups.written_count, part->input.left_out_count};
    for (size_t i = 0; i < sizeof from / sizeof from[0]; i++)
        *into[i] = gsi_add_max_u64(*into[i], from[i]);
    whole->groups.is_unique = whole->groups.is_unique && part->groups.is_unique;
    gsi_print_join(whole->input.left_out_fingerprint, part->input.left_out_fingerprint);
}

enum gs_status gs_report_add(gs_report *whole, const gs_report *part, struct gs_error *error)
{
    struct gsi_field_report element;
    if (part != NULL && !has_named_fields(part))
        return gsi_fail(error, GS_E_INPUT, 0, "report: a field has no name");
    const bool is_first = whole != NULL && whole->sums == NULL && whole->element.bytes == 0;
    if (whole == NULL || part == NULL || !take_sums(whole))
        return gsi_fail(error, GS_E_MEMORY, 0, "out of memory: cannot allocate a report");
    if (is_first)
        begin(whole, part);
    if (!is_same_kind(whole, part))
        return gsi_fail(error, GS_E_INPUT, 0, "reports on different element types cannot be added");
    element = gsi_element_field(whole);
    if (!gsi_tally_join(&element, &whole->tally, &part->tally, &whole->sums->tally) ||
        !join_fields(whole, part))
        return gsi_fail(error, GS_E_INPUT, 0, "the reports count more than 2^64 elements in total");
    add_counts(whole, part);
    return GS_OK;
}
