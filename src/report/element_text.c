/* element_text.c: an element as text: its fields, as a report knows them. */
#include "base/status.h"
#include "job/job_report.h"
#include "report/json.h"
#include "report/number.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct place {
    const struct gs_report *report;
    FILE *file;
    enum gs_format format;
};

static bool is_json(const struct place *place)
{
    return place->format == GS_FORMAT_JSON || place->format == GS_FORMAT_JSON_LINES;
}

static char separator(const struct place *place)
{
    return place->format == GS_FORMAT_TEXT ? '\t' : ',';
}

static void print_hex(FILE *out, const uint8_t *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        fprintf(out, "%02x", bytes[i]);
}

/* Prints text in the quotes of a format, where it needs some. An empty field of CSV has quotes, so
 * that a line is never empty. */
static void print_text(const struct place *place, const char *text, size_t bytes)
{
    if (is_json(place)) {
        gsi_json_quote(place->file, text, bytes);
        return;
    }
    bool is_quoted = place->format == GS_FORMAT_CSV && bytes == 0;
    for (size_t i = 0; i < bytes && place->format == GS_FORMAT_CSV; i++)
        is_quoted = is_quoted || strchr(",\"\r\n", text[i]) != NULL;
    if (is_quoted)
        fputc('"', place->file);
    for (size_t i = 0; i < bytes; i++) {
        if (is_quoted && text[i] == '"')
            fputc('"', place->file);
        fputc(text[i], place->file);
    }
    if (is_quoted)
        fputc('"', place->file);
}

/* Returns whether every reader of JSON gets the value from a number. Many read doubles, which round
 * integers above 2^53. JSON has no NaN and no infinity. */
static bool is_json_number(const struct gsi_field_report *field, const char *text)
{
    if (field->is_time)
        return false;
    if (field->is_float)
        return strchr(text, 'n') == NULL; /* "nan", "inf" */
    return strtoull(text + (text[0] == '-'), NULL, 10) <= UINT64_C(1) << 53;
}

/* Prints a number of a field. It needs no quotes in CSV. */
static void print_number(const struct place *place, const struct gsi_field_report *field,
                         const char *text)
{
    bool is_quoted = place->format == GS_FORMAT_JSON ||
                     (place->format == GS_FORMAT_JSON_LINES && !is_json_number(field, text));
    if (is_quoted)
        gsi_json_quote(place->file, text, strlen(text));
    else
        fputs(text, place->file);
}

/* Bytes that are printable are shown as they are, without the NULs that fill a field up; others as
 * 0x and hexadecimal digits. So are those that begin with 0x themselves, to be told apart. */
static void print_bytes(const struct place *place, const uint8_t *bytes, size_t count)
{
    size_t length = count;
    while (length > 0 && bytes[length - 1] == 0)
        length--;
    bool is_text = length < 2 || memcmp(bytes, "0x", 2) != 0;
    for (size_t i = 0; i < length; i++)
        is_text = is_text && bytes[i] >= 0x20 && bytes[i] < 0x7f;
    if (is_text) {
        print_text(place, (const char *)bytes, length);
    } else {
        fputs(is_json(place) ? "\"0x" : "0x", place->file);
        print_hex(place->file, bytes, count);
        fputs(is_json(place) ? "\"" : "", place->file);
    }
}

static void print_field(const struct place *place, const struct gsi_field_report *field,
                        const uint8_t *record)
{
    uint8_t value[16];
    char text[GSI_ELEMENT_TEXT_BYTES];
    if (!field->is_number) {
        print_bytes(place, record + field->off, field->bytes);
        return;
    }
    if (field->bytes > sizeof value) { /* a wide sum of numbers of 16 bytes */
        gsi_number_element(text, record + field->off, field->bytes, false, field->is_signed);
    } else {
        gsi_shown_value(field, record, value);
        gsi_shown_text(field, value, text);
    }
    print_number(place, field, text);
}

static void print_heading(const struct place *place)
{
    const struct gs_report *report = place->report;
    if (!gsi_has_records(report))
        fputs("value", place->file);
    else if (report->element.field_count == 0)
        fputs("bytes", place->file);
    for (size_t i = 0; gsi_has_records(report) && i < report->element.field_count; i++) {
        const char *name = report->element.fields[i].text;
        if (i > 0)
            fputc(separator(place), place->file);
        print_text(place, name, strlen(name));
    }
}

static void print_record(const struct place *place, const uint8_t *record)
{
    const struct gs_report *report = place->report;
    fputs(is_json(place) ? "{" : "", place->file);
    if (report->element.field_count == 0) {
        fputs(is_json(place) ? "\"bytes\":\"" : "", place->file);
        print_hex(place->file, record, report->element.bytes);
        fputs(is_json(place) ? "\"" : "", place->file);
    }
    for (size_t i = 0; i < report->element.field_count; i++) {
        if (i > 0)
            fputc(separator(place), place->file);
        if (is_json(place)) {
            const char *name = report->element.fields[i].text;
            gsi_json_quote(place->file, name, strlen(name));
            fputc(':', place->file);
        }
        print_field(place, &report->element.fields[i], record);
    }
    fputs(is_json(place) ? "}" : "", place->file);
}

void gs_report_print_element(const struct gs_report *report, FILE *file, const void *element,
                             enum gs_format format)
{
    struct place place = {.report = report, .file = file, .format = format};
    uint8_t value[16] = {0};
    char text[GSI_ELEMENT_TEXT_BYTES];
    if (element == NULL) {
        if (is_json(&place))
            place.format = GS_FORMAT_TEXT;
        print_heading(&place);
    } else if (gsi_has_records(report)) {
        print_record(&place, element);
    } else if (report->element.field_count > 0) {
        print_field(&place, &report->element.fields[0], element);
    } else {
        const struct gsi_field_report field = gsi_element_field(report);
        memcpy(value, element, report->element.bytes);
        gsi_shown_text(&field, value, text);
        print_number(&place, &field, text);
    }
    fputc('\n', file);
}

/* A value of a key: bytes that are all printed as the text that they are. */
static void key_text(const struct gsi_field_report *key, const uint8_t value[16],
                     char text[GSI_ELEMENT_TEXT_BYTES])
{
    uint32_t bytes = key->bytes < 16 ? key->bytes : 16, printed = 0;
    while (printed < bytes && value[printed] >= 0x20 && value[printed] < 0x7f)
        printed++;
    if (!key->is_number && printed == bytes && bytes > 0)
        snprintf(text, GSI_ELEMENT_TEXT_BYTES, "\"%.*s\"", (int)bytes, (const char *)value);
    else
        gsi_shown_text(key, value, text);
}

void gsi_disorder_tell(const char *const *inputs, size_t input_count, bool is_unique,
                       const struct gs_report *report, struct gs_error *error)
{
    size_t file_idx = report->disorder.file_idx;
    const char *file = file_idx < input_count ? inputs[file_idx] : "-";
    char before[GSI_ELEMENT_TEXT_BYTES], after[GSI_ELEMENT_TEXT_BYTES], where[96] = "";
    uint64_t idx = report->disorder.file_element_idx;
    const struct gsi_field_report *key = &report->disorder.key;
    bool is_duplicate =
        is_unique && memcmp(report->disorder.before, report->disorder.after, 16) == 0;
    if (gsi_has_records(report) || report->element.field_count > 0) {
        key_text(key, report->disorder.before, before);
        key_text(key, report->disorder.after, after);
    } else {
        gsi_shown_element(report, report->disorder.before, before);
        gsi_shown_element(report, report->disorder.after, after);
    }
    if (gsi_has_records(report))
        snprintf(where, sizeof where, ", by %.60s, byte %" PRIu32, key->text, key->off);
    *error = (struct gs_error){0}; /* the job has said no more than that */
    if (is_duplicate)
        gsi_fail(error, GS_E_DISORDER, 0, "%s: element %" PRIu64 " is a duplicate%s: %s again",
                 file, idx, where, after);
    else
        gsi_fail(error, GS_E_DISORDER, 0, "%s: element %" PRIu64 " is out of order%s: %s after %s",
                 file, idx, where, after, before);
}
