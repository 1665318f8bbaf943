/* join_reports.c: reads reports, adds them up, and prints one of the whole. Parts are compared in
 * join_parts.c. */
#include "join_reports.h"

#include "common/tool.h"
#include "join_parts.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- reports ---- */

/* Checks the report of a part, and adds it. */
static enum gs_status accept_part(struct join *join, struct told *part)
{
    uint64_t count_of, all;
    if (!report_count(told_member_of(part, "part", "number"), &part->number) ||
        !report_count(told_member_of(part, "part", "parts"), &count_of) ||
        !report_count(told_member_of(part, "part", "first"), &part->first) ||
        !report_count(told_member_of(part, "part", "of"), &all) ||
        !report_count(told_member_of(part, "tally", "count"), &part->count) ||
        !report_count(told_member(part, "left_out_count"), &part->left_out) || part->number < 1 ||
        part->number > count_of)
        return told_fail(join, part, "it does not say which part it describes");
    part->first_key = told_member(part, "first_key");
    part->last_key = told_member(part, "last_key");
    if (part->count > 0 && (!json_is_string(part->first_key) || !json_is_string(part->last_key)))
        return told_fail(join, part, "it has no first_key and last_key");
    if (join->part_count == 0) {
        join->count_of = count_of;
        join->all = all;
    }
    if (count_of != join->count_of || all != join->all)
        return gs_fail(join->error, GS_E_VERIFY, 0,
                       "'%s': is part of a different output than '%s': %" PRIu64
                       " elements in %" PRIu64 " parts, not %" PRIu64 " in %" PRIu64,
                       part->path, join->parts[0].path, all, count_of, join->all, join->count_of);
    join->parts[join->part_count++] = *part;
    return GS_OK;
}

/* Checks another report: its counts must be those of jobs that wrote or read everything. */
static enum gs_status accept_other(struct join *join, const struct told *other)
{
    static const char *const left[] = {"unique_count", "top_count", "written"};
    for (size_t i = 0; i < sizeof left / sizeof left[0]; i++)
        if (told_member(other, left[i]) != NULL)
            return gs_fail(
                join->error, GS_E_INPUT, 0,
                "'%s': has the member '%s': that job counted other elements than it wrote; give a "
                "--stats-only report on its output",
                other->path, left[i]);
    join->others[join->other_count++] = *other;
    return GS_OK;
}

static enum gs_status take_reports(struct join *join, const char *path, const json_t *reports,
                                   struct told **room)
{
    for (size_t i = 0; i < json_array_size(reports); i++) {
        struct told told = {.path = path, .report = json_array_get(reports, i)};
        uint64_t schema;
        if (!report_count(told_member(&told, "schema"), &schema) ||
            told_member(&told, "type") == NULL || told_member(&told, "tally") == NULL)
            return told_fail(join, &told, "its schema, type or tally is missing");
        if (schema != join->schema)
            return gs_fail(join->error, GS_E_INPUT, 0,
                           "'%s': has report schema %" PRIu64
                           ", from another version of gsort; this version joins schema %" PRIu64,
                           path, schema, join->schema);
        for (size_t k = 0; k < 2; k++) {
            struct told *more =
                realloc(room[k], (join->part_count + join->other_count + 1) * sizeof *more);
            if (more == NULL)
                return gs_fail(join->error, GS_E_MEMORY, 0,
                               "out of memory: cannot hold the reports");
            room[k] = more;
        }
        join->parts = room[0];
        join->others = room[1];
        TRY(told_member(&told, "part") != NULL ? accept_part(join, &told)
                                               : accept_other(join, &told));
    }
    return GS_OK;
}

static enum gs_status read_all(struct join *join, const struct command_line *line)
{
    static const char *const standard_input[] = {"-"};
    const char *const *paths = line->input_count > 0 ? line->inputs : standard_input;
    size_t count = line->input_count > 0 ? line->input_count : 1;
    enum gs_status status = GS_OK;
    struct told *room[2] = {NULL, NULL};
    join->reports = json_array();
    for (size_t i = 0; status == GS_OK && i < count; i++) {
        json_t *reports = json_array();
        if (json_array_append_new(join->reports, reports) != 0)
            return gs_fail(join->error, GS_E_MEMORY, 0, "out of memory: cannot hold the reports");
        status = reports_read(paths[i], reports, join->error);
        if (status == GS_OK)
            status = take_reports(join, paths[i], reports, room);
    }
    join->parts = room[0];
    join->others = room[1];
    return status;
}

/* ---- sums ---- */

static bool has_same_fields(const struct told *a, const struct told *b)
{
    const json_t *fields = told_member(a, "fields"), *others = told_member(b, "fields");
    bool is_equal = json_array_size(fields) == json_array_size(others);
    for (size_t i = 0; is_equal && i < json_array_size(fields); i++)
        is_equal = told_is_same(report_member(json_array_get(fields, i), "field"),
                                report_member(json_array_get(others, i), "field"));
    return is_equal;
}

static enum gs_status add_report(const struct join *join, gs_report *whole, const struct told *told)
{
    gs_report *report = gs_report_create();
    uint64_t count;
    enum gs_status status = GS_OK;
    if (report == NULL)
        status = gs_fail(join->error, GS_E_MEMORY, 0, "out of memory: cannot hold the reports");
    else if (!report_count(told_member_of(told, "tally", "count"), &count) ||
             !report_parse(report, told->report))
        status = told_fail(join, told, "its counts are missing or malformed");
    struct gs_error error = {0};
    if (status == GS_OK && (status = gs_report_add(whole, report, &error)) != GS_OK)
        gs_fail(join->error, status, 0, "'%s': %s", told->path, error.text);
    gs_report_free(report);
    return status;
}

static enum gs_status add_part(const struct join *join, const struct told *part)
{
    if (!has_same_fields(part, &join->parts[0]))
        return gs_fail(join->error, GS_E_VERIFY, 0,
                       "'%s': has statistics of other fields than '%s'", part->path,
                       join->parts[0].path);
    return add_report(join, join->whole, part);
}

/* Adds the report of a job on the same elements as the parts. */
static enum gs_status add_other(const struct join *join, const struct told *other)
{
    if (!told_is_same(told_member(other, "type"), told_member(&join->parts[0], "type")) ||
        !told_is_same(told_member(other, "element_bytes"),
                      told_member(&join->parts[0], "element_bytes")))
        return gs_fail(join->error, GS_E_VERIFY, 0, "'%s': has a different element type than '%s'",
                       other->path, join->parts[0].path);
    return add_report(join, join->against, other);
}

/* What --where left out was read, too. */
static enum gs_status add_left_out(const struct join *join)
{
    static const char *const paths[][2] = {{"type", "type"},
                                           {"element_bytes", "element_bytes"},
                                           {"left_out_count", "tally.count"},
                                           {"left_out_fingerprint", "tally.fingerprint"}};
    char text[GS_REPORT_TEXT_BYTES];
    gs_report *left = gs_report_create();
    for (size_t i = 0; left != NULL && i < sizeof paths / sizeof paths[0]; i++)
        if (gs_report_text(join->whole, paths[i][0], text, sizeof text) == GS_FOUND)
            gs_report_set(left, paths[i][1], text);
    enum gs_status status = gs_report_add(join->whole, left, join->error);
    gs_report_free(left);
    return status;
}

/* The same member of two objects. */
static bool agree(const struct join *join, const char *whole, const char *against, const char *name)
{
    char paths[2][64], texts[2][GS_REPORT_TEXT_BYTES] = {"", ""};
    snprintf(paths[0], sizeof paths[0], "%s.%s", whole, name);
    snprintf(paths[1], sizeof paths[1], "%s.%s", against, name);
    return gs_report_text(join->whole, paths[0], texts[0], sizeof texts[0]) ==
               gs_report_text(join->against, paths[1], texts[1], sizeof texts[1]) &&
           strcmp(texts[0], texts[1]) == 0;
}

/* The name of the first of `count` things that two tallies disagree about; NULL: there is none. */
#define OF_ALL     2 /* whatever the elements */
#define OF_FLOATS  8 /* a rounded sum says nothing */
#define OF_NUMBERS 9
static const char *differs(const struct join *join, const char *whole, const char *against,
                           size_t count)
{
    static const char *const names[OF_NUMBERS] = {"count",
                                                  "fingerprint",
                                                  "min",
                                                  "max",
                                                  "nan_count",
                                                  "positive_infinity_count",
                                                  "negative_infinity_count",
                                                  "negative_zero_count",
                                                  "sum"};
    for (size_t i = 0; i < count; i++)
        if (!agree(join, whole, against, names[i]))
            return names[i];
    return NULL;
}

/* Statistics of the fields that all reports have. */
static const char *fields_differ(const struct join *join)
{
    uint64_t count = 0, others = 0, is_float;
    const char *what = NULL;
    char whole[32], against[32], flag[48];
    gs_report_u64(join->whole, "fields", &count);
    gs_report_u64(join->against, "fields", &others);
    for (uint64_t i = 0; what == NULL && i < count * others; i++) {
        snprintf(whole, sizeof whole, "fields[%" PRIu64 "]", i / others);
        snprintf(against, sizeof against, "fields[%" PRIu64 "]", i % others);
        snprintf(flag, sizeof flag, "%s.is_float", whole);
        if (agree(join, whole, against, "field") &&
            gs_report_u64(join->whole, flag, &is_float) == GS_FOUND)
            what = differs(join, whole, against, is_float ? OF_FLOATS : OF_NUMBERS);
    }
    return what;
}

static enum gs_status fail_differs(const struct join *join, const char *what)
{
    uint64_t written = 0, there = 0;
    gs_report_u64(join->whole, "tally.count", &written);
    gs_report_u64(join->against, "tally.count", &there);
    return gs_fail(join->error, GS_E_VERIFY, 0,
                   "--join-reports: the %s differs between all parts (%" PRIu64
                   " elements) and the other reports (%" PRIu64 " elements)",
                   what, written, there);
}

/* With what was left out only counts and fingerprints add up. */
static enum gs_status compare(const struct join *join)
{
    uint64_t left = 0, is_float = 0;
    gs_report_u64(join->whole, "left_out_count", &left);
    gs_report_u64(join->whole, "is_float", &is_float);
    if (left > 0)
        TRY(add_left_out(join));
    const char *what = differs(join, "tally", "tally",
                               left > 0   ? OF_ALL
                               : is_float ? OF_FLOATS
                                          : OF_NUMBERS);
    if (what == NULL && left == 0)
        what = fields_differ(join);
    return what == NULL ? GS_OK : fail_differs(join, what);
}

static enum gs_status add_up(struct join *join)
{
    for (size_t i = 0; i < join->part_count; i++)
        TRY(add_part(join, &join->parts[i]));
    for (size_t i = 0; i < join->other_count; i++)
        TRY(add_other(join, &join->others[i]));
    char *text = gs_report_string(join->whole, GS_FORMAT_JSON);
    join->told = text != NULL ? json_loads(text, 0, NULL) : NULL;
    bool is_there = text != NULL;
    gs_string_free(text);
    if (join->told == NULL && is_there) /* its integers have 63 bits */
        return gs_fail(join->error, GS_E_INPUT, 0,
                       "--join-reports: counts add up to more than 2^63");
    if (join->told == NULL)
        return gs_fail(join->error, GS_E_MEMORY, 0, "out of memory: cannot hold the reports");
    return join->other_count > 0 ? compare(join) : GS_OK;
}

/* ---- the report ---- */

/* Copies a member as it was read; writes null if it is missing. */
static void copy(json_t *object, const char *name, const json_t *value)
{
    json_object_set_new(object, name, value != NULL ? json_deep_copy(value) : json_null());
}

/* Takes out what does not add up. */
static void trim(json_t *tally, bool is_float)
{
    json_object_del(tally, "mean");
    json_object_del(tally, "variance");
    json_object_del(tally, "deviation");
    if (is_float)
        json_object_set_new(tally, "sum", json_null());
}

static void trim_all(json_t *told)
{
    size_t i;
    json_t *field;
    trim(json_object_get(told, "tally"), json_is_true(report_member(told, "is_float")));
    json_array_foreach(json_object_get(told, "fields"), i, field)
    {
        trim(field, json_is_true(report_member(field, "is_float")));
    }
    if (i == 0)
        json_object_del(told, "fields");
}

static json_t *report_of(const struct join *join)
{
    static const char *const kinds[] = {"type",      "element_bytes", "is_float",
                                        "is_signed", "reverse",       "keys"};
    static const char *const sums[] = {"input_bytes",    "output_bytes",         "bytes_read",
                                       "bytes_written",  "unique_count",         "tally",
                                       "left_out_count", "left_out_fingerprint", "fields"};
    const struct told *first = &join->parts[0], *last = &join->parts[join->part_count - 1];
    json_t *report = json_object();
    while (first < last && first->count == 0)
        first++;
    while (last > first && last->count == 0)
        last--;
    copy(report, "schema", report_member(join->told, "schema"));
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (strcmp(kinds[i], "keys") != 0 || told_member(first, "keys") != NULL)
            copy(report, kinds[i], told_member(first, kinds[i]));
    json_object_set_new(report, "joined_parts", json_integer((json_int_t)join->part_count));
    json_object_set_new(report, "joined_against",
                        join->other_count > 0 ? json_integer((json_int_t)join->other_count)
                                              : json_null());
    copy(report, "file_bytes", told_member_of(first, "into", "file_bytes"));
    trim_all(join->told);
    for (size_t i = 0; i < sizeof sums / sizeof sums[0]; i++)
        if (report_member(join->told, sums[i]) != NULL)
            copy(report, sums[i], report_member(join->told, sums[i]));
    copy(report, "first_key", first->first_key);
    copy(report, "last_key", last->last_key);
    return report;
}

static enum gs_status print_report(FILE *out, const struct join *join)
{
    json_t *report = report_of(join);
    bool is_printed = json_dumpf(report, out, JSON_INDENT(2)) == 0 && fputc('\n', out) != EOF;
    json_decref(report);
    if (is_printed)
        return GS_OK;
    return gs_fail(join->error, GS_E_IO, errno, "standard output: cannot write the report");
}

enum gs_status join_reports(const struct command_line *line, FILE *out, struct gs_error *error)
{
    struct join *join = calloc(1, sizeof *join);
    if (join == NULL)
        return gs_fail(error, GS_E_MEMORY, 0, "out of memory: cannot hold the reports");
    join->error = error;
    join->whole = gs_report_create();
    join->against = gs_report_create();
    enum gs_status status = GS_OK;
    if (gs_report_u64(join->whole, "schema", &join->schema) != GS_FOUND || join->against == NULL)
        status = gs_fail(error, GS_E_MEMORY, 0, "out of memory: cannot hold the reports");
    if (status == GS_OK)
        status = read_all(join, line);
    if (status == GS_OK)
        status = join_check_parts(join);
    if (status == GS_OK)
        status = add_up(join);
    if (status == GS_OK)
        status = print_report(out, join);
    json_decref(join->reports);
    json_decref(join->told);
    gs_report_free(join->whole);
    gs_report_free(join->against);
    free(join->parts);
    free(join->others);
    free(join);
    return status;
}
