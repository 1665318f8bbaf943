/* report_set.c: a report that was printed is a report again, as far as reports add up.
 *
 * Texts may have any origin. Each kind of row has a way to read its text that takes anything; then
 * the row is read again, and what does not print as that text was none. So numbers out of bounds,
 * signs, other digits and texts that are too long need no checks of their own. */
#include "report/report_rows.h"

#include "element/number_type.h"
#include "element/record/record.h"
#include "job/job_report.h"
#include "report/number.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- one function a kind of row ---- */

/* The value to set: its row, its index, its report, and its address. */
struct place {
    const struct gsi_report_row *row;
    struct gsi_row_at at;
    struct gs_report *report;
    void *in;
};

static void set_count(const struct place *place, const char *text)
{
    uint64_t count = strtoull(text, NULL, 10); /* little endian: of fewer bytes, too */
    memcpy(place->in, &count, place->row->in.bytes);
}

static void set_flag(const struct place *place, const char *text)
{
    uint64_t flag = text[0] == 't';
    memcpy(place->in, &flag, place->row->in.bytes);
}

static void set_chars(const struct place *place, const char *text)
{
    snprintf(place->in, place->row->in.bytes, "%s", text);
}

static void set_print(const struct place *place, const char *text)
{
    uint64_t *words = place->in;
    char high[17];
    snprintf(high, sizeof high, "%s", text);
    words[1] = strtoull(high, NULL, 16);
    words[0] = strlen(text) > 16 ? strtoull(text + 16, NULL, 16) : 0;
}

static void set_double(const struct place *place, const char *text)
{
    *(double *)place->in = gsi_number_parse_double(text);
}

/* gsort 1.0 wrote the mean of times as a number of units. */
static int64_t round_to_units(double number)
{
    double rounded = rint(number);
    return rounded >= 0x1p63    ? INT64_MAX
           : rounded <= -0x1p63 ? -INT64_MAX
           : isnan(rounded)     ? 0
                                : (int64_t)rounded;
}

static void set_mean(const struct place *place, const char *text)
{
    struct gsi_tally_report *tally = place->in;
    const struct gsi_field_report field = gsi_row_field(place->row, place->at);
    if (field.unit != GSI_UNIT_NONE &&
        gsi_time_parse(text, field.unit, &tally->mean_time) == GSI_TIME_OK) {
        tally->mean = (double)tally->mean_time;
        return;
    }
    tally->mean = gsi_number_parse_double(text);
    tally->mean_time = round_to_units(tally->mean);
}

#define WIDE_BYTES 16 /* of an element of a field whose type is not known */

/* Returns the field of a value, or NULL if its name says of which type it is. */
static struct gsi_field_report *untyped_field(const struct place *place)
{
    struct gsi_field_report *field = &place->report->element.fields[place->at.idx];
    return place->row->of == GSI_OF_FIELD && field->bytes == 0 && !field->is_float ? field : NULL;
}

/* The first value of a field whose name says nothing tells that the field has times. */
static void infer_unit(const struct place *place, const char *text)
{
    struct gsi_field_report *field = untyped_field(place);
    enum gsi_time_unit unit = field != NULL ? gsi_time_unit_of(text) : GSI_UNIT_NONE;
    if (unit != GSI_UNIT_NONE) {
        field->unit = unit;
        field->is_time = field->has_no_sum = true;
    }
}

static void set_value(const struct place *place, const char *text)
{
    infer_unit(place, text);
    const struct gsi_field_report field = gsi_row_field(place->row, place->at);
    gsi_number_parse_field(text, &field, place->in);
}

static void set_sum(const struct place *place, const char *text)
{
    struct gsi_tally_report *tally = place->in;
    if (gsi_row_field(place->row, place->at).is_float)
        tally->sum_float = gsi_number_parse_double(text);
    else
        gsi_number_parse_sum(text, tally->sum);
}

/* Derives a field's type from its text. Names of .npy fields contain no type, so those fields get
 * the widest one. */
static struct gsi_field_report field_named(const char *text)
{
    struct gsi_field_report described = {
        .is_number = true, .element_bytes = WIDE_BYTES, .is_signed = true};
    struct gsi_field field;
    char parsed[GSI_FIELD_TEXT_BYTES];
    snprintf(parsed, sizeof parsed, "%s", text);
    char *suffix = strrchr(parsed, ':');
    bool is_descending;
    if (suffix != NULL && gsi_order_word(suffix, &is_descending))
        *suffix = '\0';
    if (gsi_field_parse("", parsed, UINT32_MAX, NULL, &field, NULL) == GS_OK)
        described = gsi_field_describe(&field);
    snprintf(described.text, sizeof described.text, "%s", text);
    return described;
}

static void set_field(const struct place *place, const char *text)
{
    struct gsi_field_report *field = &place->report->element.fields[place->at.idx];
    if (strcmp(field->text, text) != 0)
        *field = field_named(text);
}

/* Numbers that no device sorts are counted as the only field (job/spec/elements.c). */
static void set_type(const struct place *place, const char *text)
{
    struct gs_report *report = place->report;
    const struct gsi_type_word *word = gsi_type_word_find(text, strlen(text));
    if (report->element.type != NULL && strcmp(report->element.type, text) == 0)
        return;
    report->element.type = strcmp(text, "record") == 0 ? "record"
                           : word != NULL              ? word->type
                                                       : NULL;
    report->element.field_count = 0;
    if (word == NULL || word->type == NULL || gsi_key_type_find(word->type) != NULL)
        return;
    const struct gsi_field only = gsi_field_of_number(word->type);
    report->element.fields[report->element.field_count++] = gsi_field_describe(&only);
}

static void (*const setters[])(const struct place *place, const char *text) = {
    [GSI_ROW_COUNT] = set_count,   [GSI_ROW_FLAG] = set_flag, [GSI_ROW_CHARS] = set_chars,
    [GSI_ROW_PRINT] = set_print,   [GSI_ROW_TYPE] = set_type, [GSI_ROW_FIELD] = set_field,
    [GSI_ROW_DOUBLE] = set_double, [GSI_ROW_SUM] = set_sum,   [GSI_ROW_VALUE] = set_value,
    [GSI_ROW_MEAN] = set_mean,
};

/* ---- any of them ---- */

/* Sets the flag that a value is present, if the row has such a flag. */
static void set_known(const struct place *place, bool is_known)
{
    struct gsi_row_member known = place->row->known;
    if (known.bytes == sizeof(bool))
        *(bool *)((char *)place->report + known.off + place->at.idx * known.step) = is_known;
}

/* Times have no sum. Neither have floats that were joined: a rounded one adds up to nothing. */
static enum gs_found set_no_sum(const struct place *place)
{
    struct gsi_field_report *field = untyped_field(place);
    if (field != NULL && !place->report->field_tallies[place->at.idx].has_extremes)
        field->is_time = field->has_no_sum = true; /* all values are NaT */
    set_sum(place, "nan");
    const struct gsi_field_report of = gsi_row_field(place->row, place->at);
    return of.is_float || of.has_no_sum ? GS_FOUND : GS_INEXACT;
}

static enum gs_found set_null(const struct place *place)
{
    set_known(place, false);
    if (place->row->kind == GSI_ROW_SUM)
        return set_no_sum(place);
    return !gsi_row_is_known(place->row, place->at) ? GS_FOUND : GS_INEXACT;
}

/* gsort 1.0 wrote a float that is 1500 as 1.5e+03. */
static bool is_text_of_1_0(const char *text, const char *now)
{
    char before[GSI_NUMBER_BYTES];
    size_t sign = now[0] == '-', digits = strspn(now + sign, "0123456789"), count = digits;
    while (count > 1 && now[sign + count - 1] == '0')
        count--;
    if (count == digits || now[sign + digits] != '\0')
        return false;
    snprintf(before, sizeof before, "%.*s%s%.*se+%02zu", (int)sign + 1, now, count > 1 ? "." : "",
             (int)count - 1, now + sign + 1, digits - 1);
    return strcmp(text, before) == 0;
}

/* gsort 1.0 wrote sum and mean of times as numbers of units. */
static bool is_time_of_1_0(const struct place *place, const char *text)
{
    const struct gsi_tally_report *tally = place->in;
    enum gsi_row_kind kind = place->row->kind;
    char again[GSI_NUMBER_BYTES] = "";
    if ((kind != GSI_ROW_SUM && kind != GSI_ROW_MEAN) ||
        !gsi_row_field(place->row, place->at).has_no_sum)
        return false;
    if (kind == GSI_ROW_SUM)
        gsi_number_sum(again, tally->sum);
    else if (isfinite(tally->mean))
        gsi_number_double(again, tally->mean);
    return strcmp(text, again) == 0 || is_text_of_1_0(text, again);
}

enum gs_found gs_report_set(gs_report *report, const char *path, const char *text)
{
    const struct gsi_found found = gsi_find(report, path, true);
    const struct gsi_report_row *row = found.row;
    if (row == NULL || !found.is_set)
        return GS_NO_FIELD;
    if (row->rows != NULL) /* an object, or a list of them */
        return GS_INEXACT;
    const struct place place = {.row = row,
                                .at = found.at,
                                .report = report,
                                .in = (char *)report + row->in.off + found.at.idx * row->in.step};
    struct gsi_leaf leaf;
    if (found.list != NULL && found.at.idx == gsi_row_count(found.list, report))
        *(size_t *)((char *)report + found.list->count.off) += 1;
    if (text == NULL)
        return set_null(&place);
    set_known(&place, true);
    if (row->kind != GSI_ROW_DEVIATION) /* what follows from others is compared only */
        setters[row->kind](&place, text);
    gsi_leaf_read(row, found.at, &leaf);
    bool is_same = leaf.text != NULL && strcmp(leaf.text, text) == 0;
    bool is_old = (leaf.kind == GSI_LEAF_FLOAT && is_text_of_1_0(text, leaf.text)) ||
                  is_time_of_1_0(&place, text);
    return is_same || is_old ? GS_FOUND : GS_INEXACT;
}
