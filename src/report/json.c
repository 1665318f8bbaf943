/* json.c: writes JSON with its commas, indentation and escapes, and a report as JSON. */
#include "report/json.h"

#include "base/text.h"
#include "report/lines.h"
#include "report/report_rows.h"

#include <stdlib.h>
#include <string.h>

/* ---- the writer ---- */

/* Comma, new line, indentation, key (NULL in arrays). Keys are ours and need no escapes. */
static void json_key(struct gsi_json *json, const char *key)
{
    fprintf(json->file, "%s\n%*s", json->has_member ? "," : "", 2 * json->depth, "");
    if (key != NULL)
        fprintf(json->file, "\"%s\": ", key);
    json->has_member = true;
}

void gsi_json_open(struct gsi_json *json, const char *key, char bracket)
{
    json_key(json, key);
    fputc(bracket, json->file);
    json->depth++;
    json->has_member = false;
}

void gsi_json_close(struct gsi_json *json, char bracket)
{
    json->depth--;
    fprintf(json->file, "\n%*s%c", 2 * json->depth, "", bracket);
    json->has_member = true;
}

void gsi_json_quote(FILE *file, const char *text, size_t length)
{
    const unsigned char *at = (const unsigned char *)text, *end = at + length;
    fputc('"', file);
    for (int bytes; at<end; at += bytes> 0 ? bytes : 1) {
        bytes = gsi_utf8_bytes(at);
        if (bytes == 0)
            fputs("\\ufffd", file);
        else if (*at == '"' || *at == '\\')
            fprintf(file, "\\%c", *at);
        else if (*at < 0x20 || *at == 0x7f)
            fprintf(file, "\\u%04x", *at);
        else
            fwrite(at, 1, (size_t)bytes, file);
    }
    fputc('"', file);
}

void gsi_json_string(struct gsi_json *json, const char *key, const char *text)
{
    json_key(json, key);
    if (text == NULL)
        fputs("null", json->file);
    else
        gsi_json_quote(json->file, text, strlen(text));
}

void gsi_json_word(struct gsi_json *json, const char *key, const char *text)
{
    json_key(json, key);
    fputs(text, json->file);
}

/* ---- the report ---- */

/* Writes a value by its kind alone, so a field never changes its JSON type with its value. Counts
 * and measurements are numbers, values of the data are strings. */
static void write_leaf(struct gsi_json *json, const char *name, const struct gsi_report_row *row,
                       struct gsi_row_at at)
{
    struct gsi_leaf leaf;
    gsi_leaf_read(row, at, &leaf);
    bool is_bare =
        leaf.kind == GSI_LEAF_WORD || leaf.kind == GSI_LEAF_SECONDS || leaf.kind == GSI_LEAF_COUNT;
    if (is_bare && leaf.text != NULL)
        gsi_json_word(json, name, leaf.text);
    else
        gsi_json_string(json, name, leaf.text);
}

static void write_rows(struct gsi_json *json, const struct gsi_report_row *rows,
                       struct gsi_row_at at);

static void write_object(struct gsi_json *json, const char *name, const struct gsi_report_row *rows,
                         struct gsi_row_at at)
{
    gsi_json_open(json, name, '{');
    write_rows(json, rows, at);
    gsi_json_close(json, '}');
}

static void write_list(struct gsi_json *json, const struct gsi_report_row *row,
                       const struct gs_report *report)
{
    struct gsi_row_at at = {.report = report};
    size_t count = gsi_row_count(row, report);
    gsi_json_open(json, row->name, '[');
    for (; at.idx < count; at.idx++)
        if (row->rows != NULL)
            write_object(json, NULL, row->rows, at);
        else
            write_leaf(json, NULL, row, at);
    gsi_json_close(json, ']');
}

static void write_rows(struct gsi_json *json, const struct gsi_report_row *rows,
                       struct gsi_row_at at)
{
    for (const struct gsi_report_row *row = rows; row->kind != GSI_ROW_END; row++) {
        if (!gsi_row_is_there(row, at.report))
            continue;
        if (row->kind == GSI_ROW_ALSO)
            write_rows(json, row->rows, at);
        else if (!gsi_row_is_known(row, at))
            gsi_json_string(json, row->name, NULL);
        else if (row->kind == GSI_ROW_LIST)
            write_list(json, row, at.report);
        else if (row->kind == GSI_ROW_OBJECT)
            write_object(json, row->name, row->rows, at);
        else
            write_leaf(json, row->name, row, at);
    }
}

static void write_json(FILE *file, const struct gsi_report_row *rows,
                       const struct gs_report *report)
{
    struct gsi_json json = {.file = file, .depth = 1};
    fputc('{', file);
    write_rows(&json, rows, (struct gsi_row_at){.report = report});
    gsi_json_close(&json, '}');
    fputc('\n', file);
}

void gs_report_print(const struct gs_report *report, FILE *file, enum gs_format format)
{
    if (report == NULL)
        return;
    if (format == GS_FORMAT_TEXT)
        gsi_report_text(file, report);
    else if (format == GS_FORMAT_PLAN_TEXT)
        gsi_plan_text(file, report);
    else
        write_json(file, format == GS_FORMAT_PLAN_JSON ? gsi_plan_rows : gsi_report_rows, report);
}

char *gs_report_string(const struct gs_report *report, enum gs_format format)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *file = report != NULL ? open_memstream(&text, &bytes) : NULL;
    if (file == NULL)
        return NULL;
    gs_report_print(report, file, format);
    bool is_whole = ferror(file) == 0;
    if (fclose(file) == 0 && is_whole)
        return text;
    free(text);
    return NULL;
}

void gs_string_free(char *text)
{
    free(text);
}
