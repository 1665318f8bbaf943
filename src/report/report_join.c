/* report_join.c: adds reports up, as if one job had sorted the inputs of all.
 *
 * Counts, fingerprints and sums of integers add up; extremes are the outermost ones. Reports
 * contain sums of floats rounded to doubles. These sums are added exactly, and their sum is rounded
 * once. Means and variances do not add up, so they are left out. */
#include "base/checked.h"
#include "base/status.h"
#include "element/tally/tally_sums.h"
#include "job/job_report.h"
#include "report/number.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A sum of sums of floats. */
struct joined_sum {
    uint64_t limbs[GSI_EXACT_LIMBS]; /* the finite ones (exact_sum.h) */
    double beyond;                   /* the sum of the others */
};

/* The sums of the elements and of each field. */
struct gsi_joined_sums {
    struct joined_sum tally, fields[GSI_FIELDS_MAX];
};

/* ---- tallies ---- */

static void join_fingerprints(uint64_t into[2], const uint64_t from[2])
{
    uint64_t low = into[0] + from[0];
    into[1] += from[1] + (low < from[0]);
    into[0] = low;
}

/* Returns a value as an unsigned number in the order of its type; -0 is below 0. */
static gsi_u128 order_of(const struct gsi_field_report *field, const uint8_t value[16])
{
    uint32_t bits = 8 * gsi_min_u32(gsi_max_u32(field->element_bytes, 1), field->is_float ? 8 : 16);
    gsi_u128 number = 0, sign = (gsi_u128)1 << (bits - 1);
    memcpy(&number, value, bits / 8);
    if (field->is_float && (number & sign) != 0)
        return ~number & (sign | (sign - 1));
    return field->is_float || field->is_signed ? number ^ sign : number;
}

static void join_extremes(const struct gsi_field_report *field, struct gsi_tally_report *into,
                          const struct gsi_tally_report *from)
{
    bool is_first = from->has_extremes && !into->has_extremes;
    bool is_both = from->has_extremes && into->has_extremes;
    if (is_first || (is_both && order_of(field, from->min) < order_of(field, into->min)))
        memcpy(into->min, from->min, sizeof into->min);
    if (is_first || (is_both && order_of(field, from->max) > order_of(field, into->max)))
        memcpy(into->max, from->max, sizeof into->max);
    into->has_extremes = into->has_extremes || from->has_extremes;
}

static void join_integers(uint64_t into[4], const uint64_t from[4])
{
    gsi_u128 carry = 0;
    for (int i = 0; i < 4; i++, carry >>= 64) {
        carry += (gsi_u128)into[i] + from[i];
        into[i] = (uint64_t)carry;
    }
}

/* Returns whether the sum is NaN only because there are no numbers, not because of infinities. */
static bool has_only_nans(const struct gsi_tally_report *tally)
{
    return tally->count > 0 && tally->nan_count == tally->count;
}

/* limbs += x, which is finite. */
static void add_f64(uint64_t limbs[GSI_EXACT_LIMBS], double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    uint64_t fraction = bits & (((uint64_t)1 << 52) - 1), exponent = bits >> 52 & 0x7ff;
    uint64_t implicit = exponent > 0 ? (uint64_t)1 << 52 : 0;
    gsi_exact_fixed_add(limbs, fraction | implicit, exponent > 0 ? exponent - 1 : 0, bits >> 63);
}

/* Adds the sum of a tally, unless all its elements are NaN. */
static void joined_sum_add(struct joined_sum *sum, const struct gsi_tally_report *tally)
{
    double x = tally->sum_float;
    if (has_only_nans(tally))
        return;
    if (isfinite(x))
        add_f64(sum->limbs, x);
    else
        sum->beyond += x;
}

/* A sum of zero is -0 only if all elements were, as in a tally. */
static double round_sum(const struct joined_sum *sum, const struct gsi_tally_report *tally)
{
    uint64_t numbers = tally->count - tally->nan_count;
    if (has_only_nans(tally))
        return __builtin_nan("");
    if (sum->beyond != 0) /* or NaN */
        return sum->beyond;
    bool is_negative_zero = numbers > 0 && tally->negative_zero_count == numbers;
    return is_negative_zero ? -0.0 : gsi_exact_fixed_f64(sum->limbs);
}

/* Adds `from` to `into`, both of `field`, and to `sum` if they are floats. Returns false if there
 * are more elements than can be counted; `into` is then as it was. */
static bool join_tally(const struct gsi_field_report *field, struct gsi_tally_report *into,
                       const struct gsi_tally_report *from, struct joined_sum *sum)
{
    if (!gsi_add_u64(into->count, from->count, &into->count))
        return false;
    into->nan_count += from->nan_count;
    into->positive_infinity_count += from->positive_infinity_count;
    into->negative_infinity_count += from->negative_infinity_count;
    into->negative_zero_count += from->negative_zero_count;
    into->has_moments = false;
    join_fingerprints(into->fingerprint, from->fingerprint);
    join_extremes(field, into, from);
    if (field->is_float) {
        joined_sum_add(sum, from);
        into->sum_float = round_sum(sum, into);
    } else {
        join_integers(into->sum, from->sum);
    }
    return true;
}

/* ---- reports ---- */

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

/* Copies the description of the elements and of their fields, but no statistics. */
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

/* Converts a value of field `from` to a value of field `to`, which may be wider. Returns false if
 * `to` has no value that is printed in the same way; times are printed by their unit. */
static bool convert(const struct gsi_field_report *from, const struct gsi_field_report *to,
                    uint8_t value[16])
{
    char text[GSI_ELEMENT_TEXT_BYTES], again[GSI_ELEMENT_TEXT_BYTES];
    gsi_shown_text(from, value, text);
    gsi_number_parse_field(text, to, value);
    gsi_shown_text(to, value, again);
    return strcmp(text, again) == 0;
}

/* Finds the statistics of `field` in another report. A field without values gets the type of the
 * other one, because the names of .npy fields don't tell their types. Returns false if the report
 * has no such field, or if `field` cannot hold its values. */
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

/* Joins the fields that both reports have; the whole loses all others. */
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
        if (!join_tally(&whole->element.fields[kept], &whole->field_tallies[kept], &more,
                        &whole->sums->fields[kept]))
            return false;
        kept++;
    }
    whole->element.field_count = kept;
    return true;
}

/* Begins the exact sums of a report with the sums that it contains. */
static bool begin_sums(gs_report *whole)
{
    if (whole->sums != NULL)
        return true;
    whole->sums = calloc(1, sizeof *whole->sums);
    if (whole->sums == NULL)
        return false;
    joined_sum_add(&whole->sums->tally, &whole->tally);
    for (size_t i = 0; i < whole->element.field_count; i++)
        joined_sum_add(&whole->sums->fields[i], &whole->field_tallies[i]);
    return true;
}

static bool is_same_kind(const gs_report *a, const gs_report *b)
{
    return a->element.bytes == b->element.bytes &&
           (a->element.type == b->element.type ||
            (a->element.type != NULL && b->element.type != NULL &&
             strcmp(a->element.type, b->element.type) == 0));
}

/* Returns whether all fields have names. */
static bool are_all_fields_named(const gs_report *report)
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
    join_fingerprints(whole->input.left_out_fingerprint, part->input.left_out_fingerprint);
}

enum gs_status gs_report_add(gs_report *whole, const gs_report *part, struct gs_error *error)
{
    struct gsi_field_report element;
    if (part != NULL && !are_all_fields_named(part))
        return gsi_fail(error, GS_E_INPUT, 0, "report: a field has no name");
    const bool is_first = whole != NULL && whole->sums == NULL && whole->element.bytes == 0;
    if (whole == NULL || part == NULL || !begin_sums(whole))
        return gsi_fail(error, GS_E_MEMORY, 0, "out of memory: cannot allocate a report");
    if (is_first)
        begin(whole, part);
    if (!is_same_kind(whole, part))
        return gsi_fail(error, GS_E_INPUT, 0, "reports on different element types cannot be added");
    element = gsi_element_field(whole);
    if (!join_tally(&element, &whole->tally, &part->tally, &whole->sums->tally) ||
        !join_fields(whole, part))
        return gsi_fail(error, GS_E_INPUT, 0, "the reports count more than 2^64 elements in total");
    add_counts(whole, part);
    return GS_OK;
}
