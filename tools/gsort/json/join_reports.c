/* join_reports.c: reads reports, sorts parts by their numbers, and looks at each seam. */
#include "join_reports.h"

#include "common/tool.h"
#include "joined_tally.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* A report of a part, or of what parts were made of. */
struct told {
    const char *path;
    const json_t *report;
    uint64_t number, first, count, left_out; /* of a part */
    const json_t *first_key, *last_key;      /* NULL: it is empty */
};

struct joined_field {
    const json_t *name;
    struct joined_tally tally, against;
    bool is_against; /* all reports of inputs have it */
};

struct join {
    json_t *reports; /* an array for each input */
    struct told *parts, *others;
    size_t part_count, other_count;
    uint64_t count_of, all; /* parts, and elements, that there should be */
    struct joined_tally tally, left_out, against;
    struct joined_field fields[GS_FIELDS_MAX];
    size_t field_count;
    struct gs_error *error;
};

static const json_t *member(const struct told *told, const char *name)
{
    return report_member(told->report, name);
}

static const json_t *member_of(const struct told *told, const char *object, const char *name)
{
    return report_member(member(told, object), name);
}

static enum gs_status fail_report(const struct join *join, const struct told *told,
                                  const char *what)
{
    return gs_fail(join->error, GS_E_INPUT, 0, "'%s': no report of gsort: %s", told->path, what);
}

/* ---- reports ---- */

/* What a part has to say. */
static enum gs_status take_part(struct join *join, struct told *part)
{
    uint64_t count_of, all;
    if (!report_count(member_of(part, "part", "number"), &part->number) ||
        !report_count(member_of(part, "part", "count"), &count_of) ||
        !report_count(member_of(part, "part", "first"), &part->first) ||
        !report_count(member_of(part, "part", "of"), &all) ||
        !report_count(member_of(part, "tally", "count"), &part->count) ||
        !report_count(member(part, "left_out_count"), &part->left_out) || part->number < 1 ||
        part->number > count_of)
        return fail_report(join, part, "it says not which part it is of");
    part->first_key = member(part, "first_key");
    part->last_key = member(part, "last_key");
    if (part->count > 0 && (!json_is_string(part->first_key) || !json_is_string(part->last_key)))
        return fail_report(join, part, "it has no first_key and last_key");
    if (join->part_count == 0) {
        join->count_of = count_of;
        join->all = all;
    }
    if (count_of != join->count_of || all != join->all)
        return gs_fail(join->error, GS_E_VERIFY, 0,
                       "'%s': is a part of another output than '%s': of %" PRIu64 " in %" PRIu64
                       " parts, not of %" PRIu64 " in %" PRIu64,
                       part->path, join->parts[0].path, all, count_of, join->all, join->count_of);
    join->parts[join->part_count++] = *part;
    return GS_OK;
}

/* What other reports counted has to be what those jobs wrote, or read. */
static enum gs_status take_other(struct join *join, const struct told *other)
{
    static const char *const left[] = {"unique_count", "top_count", "written"};
    for (size_t i = 0; i < sizeof left / sizeof left[0]; i++)
        if (member(other, left[i]) != NULL)
            return gs_fail(join->error, GS_E_INPUT, 0,
                           "'%s': has a %s: what that job wrote is not what it counted; give "
                           "--stats-only of what it wrote",
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
        if (!report_count(member(&told, "schema"), &schema) || schema != 1 ||
            member(&told, "type") == NULL || member(&told, "tally") == NULL)
            return fail_report(join, &told, "it has no schema of 1, no type or no tally");
        for (size_t k = 0; k < 2; k++) {
            struct told *more =
                realloc(room[k], (join->part_count + join->other_count + 1) * sizeof *more);
            if (more == NULL)
                return gs_fail(join->error, GS_E_MEMORY, 0, "memory: cannot hold the reports");
            room[k] = more;
        }
        join->parts = room[0];
        join->others = room[1];
        TRY(member(&told, "part") != NULL ? take_part(join, &told) : take_other(join, &told));
    }
    return GS_OK;
}

static enum gs_status read_all(struct join *join, const struct gs_options *options)
{
    static const char *const standard_input[] = {"-"};
    const char *const *paths = options->input_count > 0 ? options->inputs : standard_input;
    size_t count = options->input_count > 0 ? options->input_count : 1;
    enum gs_status status = GS_OK;
    struct told *room[2] = {NULL, NULL};
    join->reports = json_array();
    for (size_t i = 0; status == GS_OK && i < count; i++) {
        json_t *reports = json_array();
        if (json_array_append_new(join->reports, reports) != 0)
            return gs_fail(join->error, GS_E_MEMORY, 0, "memory: cannot hold the reports");
        status = reports_read(paths[i], reports, join->error);
        if (status == GS_OK)
            status = take_reports(join, paths[i], reports, room);
    }
    join->parts = room[0];
    join->others = room[1];
    return status;
}

/* ---- parts ---- */

static int by_number(const void *a, const void *b)
{
    const struct told *x = a, *y = b;
    return (x->number > y->number) - (x->number < y->number);
}

static bool is_same(const json_t *a, const json_t *b)
{
    return a == b || (a != NULL && b != NULL && json_equal(a, b));
}

/* Inputs, elements, what was left out or made of them, and the order are those of the first part.
 * Unequal parts may be slices of their own. */
static enum gs_status check_kind(const struct join *join, const struct told *part)
{
    static const char *const names[] = {"type",  "element_bytes", "reverse",   "is_float", "keys",
                                        "where", "written",       "merge_set", "values"};
    static const char *const slices[] = {"range", "find"};
    const struct told *first = &join->parts[0];
    const char *other = NULL;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (!is_same(member(part, names[i]), member(first, names[i])))
            other = names[i];
    for (size_t i = 0; i < sizeof slices / sizeof slices[0]; i++)
        if (!json_is_true(member_of(part, "part", "is_unequal")) &&
            !is_same(member(part, slices[i]), member(first, slices[i])))
            other = slices[i];
    if ((member(part, "unique_count") == NULL) != (member(first, "unique_count") == NULL))
        other = "unique_count";
    if (!is_same(member_of(part, "into", "of"), member_of(first, "into", "of")))
        other = "length of the file of --into";
    if (other == NULL)
        return GS_OK;
    return gs_fail(join->error, GS_E_VERIFY, 0, "'%s': has another %s than '%s'", part->path, other,
                   first->path);
}

/* Which elements belong to a part. Unequal ones, which end where a group does, follow each other. */
static void find_share(const struct join *join, const struct told *part, uint64_t *first,
                       uint64_t *behind)
{
    __extension__ typedef unsigned __int128 wide;
    const struct told *before = part->number > 1 ? part - 1 : NULL;
    bool is_unequal = json_is_true(member_of(part, "part", "is_unequal"));
    *first = (uint64_t)((wide)join->all * (part->number - 1) / join->count_of);
    *behind = (uint64_t)((wide)join->all * part->number / join->count_of);
    if (is_unequal && before != NULL)
        *first = before->first + before->count + before->left_out;
    if (is_unequal && part->number < join->count_of)
        *behind = *first + part->count + part->left_out;
}

/* The elements that belong to it, at their place. */
static enum gs_status check_share(const struct join *join, const struct told *part)
{
    uint64_t first, behind, off, of, element_bytes;
    find_share(join, part, &first, &behind);
    if (part->first != first || part->count + part->left_out != behind - first)
        return gs_fail(join->error, GS_E_VERIFY, 0,
                       "'%s': part %" PRIu64 " has %" PRIu64 " elements from %" PRIu64
                       " on, and %" PRIu64 " from %" PRIu64 " on belong to it",
                       part->path, part->number, part->count + part->left_out, part->first,
                       behind - first, first);
    if (member(part, "into") == NULL)
        return GS_OK;
    if (!report_count(member_of(part, "into", "off"), &off) ||
        !report_count(member_of(part, "into", "of"), &of) ||
        !report_count(member(part, "element_bytes"), &element_bytes))
        return fail_report(join, part, "it says not where in the file it wrote");
    if (off != of - (join->all - first) * element_bytes)
        return gs_fail(join->error, GS_E_VERIFY, 0,
                       "'%s': part %" PRIu64 " was written from byte %" PRIu64
                       " of its file on, and belongs elsewhere",
                       part->path, part->number, off);
    return GS_OK;
}

/* Keys are as long as each other, and the order of their digits is that of the elements. A group is
 * in one part, as far as its key is known. */
static enum gs_status check_seam(const struct join *join, const struct told *part,
                                 const struct told *before)
{
    if (json_string_length(before->last_key) != json_string_length(part->first_key))
        return fail_report(join, part, "its keys have another length");
    int order = strcmp(json_string_value(before->last_key), json_string_value(part->first_key));
    bool is_known = json_string_length(part->first_key) < 2 * (size_t)GS_END_KEY_BYTES;
    if (order == 0 && is_known && member(part, "unique_count") != NULL)
        return gs_fail(join->error, GS_E_VERIFY, 0,
                       "'%s': part %" PRIu64 " begins with the key that part %" PRIu64
                       " ends with: a group is in both",
                       part->path, part->number, before->number);
    if (order <= 0)
        return GS_OK;
    return gs_fail(join->error, GS_E_VERIFY, 0,
                   "'%s': part %" PRIu64 " begins below the end of part %" PRIu64
                   ": they are of different inputs, or one is wrong",
                   part->path, part->number, before->number);
}

static enum gs_status check_parts(struct join *join)
{
    const struct told *before = NULL;
    if (join->part_count == 0)
        return gs_fail(join->error, GS_E_INPUT, 0,
                       "--join-reports: no report of a part among these; -m --part I/N "
                       "--stats=json makes one");
    qsort(join->parts, join->part_count, sizeof *join->parts, by_number);
    for (size_t i = 0; i < join->part_count; i++) {
        const struct told *part = &join->parts[i];
        if (i > 0 && part->number == part[-1].number)
            return gs_fail(join->error, GS_E_VERIFY, 0,
                           "'%s': part %" PRIu64 " is in '%s', too; give one report of each",
                           part->path, part->number, part[-1].path);
        if (part->number != i + 1)
            break;
        TRY(check_kind(join, part));
        TRY(check_share(join, part));
        if (part->count > 0 && before != NULL)
            TRY(check_seam(join, part, before));
        before = part->count > 0 ? part : before;
    }
    for (size_t i = 0; i < join->count_of; i++)
        if (i >= join->part_count || join->parts[i].number != i + 1)
            return gs_fail(join->error, GS_E_VERIFY, 0,
                           "--join-reports: part %zu of %" PRIu64 " is missing", i + 1,
                           join->count_of);
    return GS_OK;
}

/* ---- sums ---- */

/* The i-th field with statistics; NULL: there are fewer. */
static const json_t *field_at(const struct told *told, size_t i)
{
    return json_array_get(member(told, "fields"), i);
}

static enum gs_status add_fields(struct join *join, const struct told *part)
{
    for (size_t i = 0; i < GS_FIELDS_MAX; i++) {
        struct joined_field *joined = &join->fields[i];
        const json_t *field = field_at(part, i);
        const json_t *name = report_member(field, "field");
        if (field == NULL && i == join->field_count)
            return GS_OK;
        if (part == join->parts && name != NULL) {
            joined->name = name;
            joined->tally.is_float = json_is_true(report_member(field, "is_float"));
            joined->against.is_float = joined->tally.is_float;
            joined->is_against = true;
            join->field_count++;
        }
        if (i >= join->field_count || name == NULL || !is_same(name, joined->name))
            return gs_fail(join->error, GS_E_VERIFY, 0,
                           "'%s': has other fields with statistics than '%s'", part->path,
                           join->parts[0].path);
        if (!joined_tally_add(&joined->tally, field))
            return fail_report(join, part, "statistics of a field cannot be read");
    }
    return GS_OK;
}

static enum gs_status add_part(struct join *join, const struct told *part)
{
    uint64_t print[2];
    if (!joined_tally_add(&join->tally, member(part, "tally")) ||
        !joined_fingerprint(member(part, "left_out_fingerprint"), print))
        return fail_report(join, part, "its tally cannot be read");
    join->left_out.count += part->left_out;
    join->left_out.fingerprint[0] += print[0];
    join->left_out.fingerprint[1] += print[1] + (join->left_out.fingerprint[0] < print[0]);
    return add_fields(join, part);
}

/* What parts were made of: also the fields that all of these reports have. */
static enum gs_status add_other(struct join *join, const struct told *other)
{
    if (!is_same(member(other, "type"), member(&join->parts[0], "type")) ||
        !is_same(member(other, "element_bytes"), member(&join->parts[0], "element_bytes")))
        return gs_fail(join->error, GS_E_VERIFY, 0, "'%s': is of other elements than '%s'",
                       other->path, join->parts[0].path);
    if (!joined_tally_add(&join->against, member(other, "tally")))
        return fail_report(join, other, "its tally cannot be read");
    for (size_t i = 0; i < join->field_count; i++) {
        struct joined_field *joined = &join->fields[i];
        const json_t *field = NULL;
        size_t k = 0;
        do
            field = field_at(other, k++);
        while (field != NULL && !is_same(report_member(field, "field"), joined->name));
        if (field == NULL)
            joined->is_against = false;
        else if (!joined_tally_add(&joined->against, field))
            return fail_report(join, other, "statistics of a field cannot be read");
    }
    return GS_OK;
}

/* What --where left out was read; then only counts and fingerprints add up. */
static enum gs_status compare(const struct join *join)
{
    struct joined_tally all = join->tally;
    const char *what;
    bool is_whole = join->left_out.count == 0;
    all.count += join->left_out.count;
    all.fingerprint[0] += join->left_out.fingerprint[0];
    all.fingerprint[1] +=
        join->left_out.fingerprint[1] + (all.fingerprint[0] < join->left_out.fingerprint[0]);
    all.has_numbers = all.has_numbers && is_whole;
    what = joined_tally_differs(&all, &join->against);
    for (size_t i = 0; what == NULL && is_whole && i < join->field_count; i++)
        if (join->fields[i].is_against)
            what = joined_tally_differs(&join->fields[i].tally, &join->fields[i].against);
    if (what == NULL)
        return GS_OK;
    return gs_fail(join->error, GS_E_VERIFY, 0,
                   "--join-reports: the %s of all parts, of %" PRIu64
                   " elements, is not that of what they were made of, %" PRIu64 " elements",
                   what, all.count, join->against.count);
}

static enum gs_status add_up(struct join *join)
{
    join->tally.is_float = json_is_true(member(&join->parts[0], "is_float"));
    join->against.is_float = join->tally.is_float;
    for (size_t i = 0; i < join->part_count; i++)
        TRY(add_part(join, &join->parts[i]));
    for (size_t i = 0; i < join->other_count; i++)
        TRY(add_other(join, &join->others[i]));
    return join->other_count > 0 ? compare(join) : GS_OK;
}

/* ---- the report ---- */

static uint64_t sum_of(const struct join *join, const char *name)
{
    uint64_t sum = 0, more;
    for (size_t i = 0; i < join->part_count; i++)
        if (report_count(member(&join->parts[i], name), &more))
            sum += more;
    return sum;
}

/* A member as it was read; null: there is none. */
static void copy(json_t *object, const char *name, const json_t *value)
{
    json_object_set_new(object, name, value != NULL ? json_deep_copy(value) : json_null());
}

static json_t *fields_of(const struct join *join)
{
    json_t *fields = json_array();
    for (size_t i = 0; i < join->field_count; i++) {
        json_t *field = json_object();
        copy(field, "field", join->fields[i].name);
        json_object_set_new(field, "is_float", json_boolean(join->fields[i].tally.is_float));
        joined_tally_put(field, &join->fields[i].tally);
        json_array_append_new(fields, field);
    }
    return fields;
}

static json_t *report_of(const struct join *join)
{
    static const char *const kinds[] = {"type",      "element_bytes", "is_float",
                                        "is_signed", "reverse",       "keys"};
    static const char *const sums[] = {"input_bytes", "output_bytes", "bytes_read",
                                       "bytes_written"};
    const struct told *first = &join->parts[0], *last = &join->parts[join->part_count - 1];
    json_t *report = json_object(), *tally = json_object();
    while (first < last && first->count == 0)
        first++;
    while (last > first && last->count == 0)
        last--;
    joined_put_count(report, "schema", 1);
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (strcmp(kinds[i], "keys") != 0 || member(first, "keys") != NULL)
            copy(report, kinds[i], member(first, kinds[i]));
    joined_put_count(report, "joined_parts", join->part_count);
    copy(report, "joined_against", NULL);
    if (join->other_count > 0)
        joined_put_count(report, "joined_against", join->other_count);
    copy(report, "file_bytes", member_of(first, "into", "of"));
    for (size_t i = 0; i < sizeof sums / sizeof sums[0]; i++)
        joined_put_count(report, sums[i], sum_of(join, sums[i]));
    if (member(first, "unique_count") != NULL)
        joined_put_count(report, "unique_count", sum_of(join, "unique_count"));
    joined_tally_put(tally, &join->tally);
    json_object_set_new(report, "tally", tally);
    joined_put_count(report, "left_out_count", join->left_out.count);
    joined_put_fingerprint(report, "left_out_fingerprint", join->left_out.fingerprint);
    if (join->field_count > 0)
        json_object_set_new(report, "fields", fields_of(join));
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
        return gs_fail(error, GS_E_MEMORY, 0, "memory: cannot hold the reports");
    join->error = error;
    enum gs_status status = read_all(join, &line->options);
    if (status == GS_OK)
        status = check_parts(join);
    if (status == GS_OK)
        status = add_up(join);
    if (status == GS_OK)
        status = print_report(out, join);
    json_decref(join->reports);
    free(join->parts);
    free(join->others);
    free(join);
    return status;
}
