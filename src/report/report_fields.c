/* report_fields.c: a field of a report by its path. */
#include "report/report_rows.h"

#include "job/job_report.h"
#include "report/lines.h"
#include "report/number.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- rows ---- */

const void *gsi_row_member(struct gsi_row_member member, struct gsi_row_at at)
{
    return (const char *)at.report + member.off + at.idx * member.step;
}

static uint64_t integer_at(struct gsi_row_member member, struct gsi_row_at at)
{
    const void *in = gsi_row_member(member, at);
    uint64_t count = 0; /* little endian: of fewer bytes, too */
    memcpy(&count, in, member.bytes);
    return count;
}

bool gsi_row_is_there(const struct gsi_report_row *row, const struct gs_report *report)
{
    return row->is_there == NULL || row->is_there(report);
}

bool gsi_row_is_known(const struct gsi_report_row *row, struct gsi_row_at at)
{
    return (row->known.bytes == 0 || integer_at(row->known, at) != 0) &&
           (row->is_known == NULL || row->is_known(at.report));
}

size_t gsi_row_count(const struct gsi_report_row *row, const struct gs_report *report)
{
    const struct gsi_row_at at = {.report = report};
    return row->count.bytes == 0 ? row->most : integer_at(row->count, at);
}

/* ---- values, one function a kind of row ---- */

struct gsi_field_report gsi_row_field(const struct gsi_report_row *row, struct gsi_row_at at)
{
    const struct gs_report *report = at.report;
    if (row->of == GSI_OF_FIELD)
        return report->element.fields[at.idx];
    if (row->of == GSI_OF_RANKS && report->element.field_count > 0)
        return report->order_statistics.field;
    if (row->of == GSI_OF_KEY && (gsi_has_records(report) || report->element.field_count > 0))
        return report->disorder.key;
    return gsi_element_field(report);
}

/* The value to read: its row, its index, and its address. */
struct place {
    const struct gsi_report_row *row;
    struct gsi_row_at at;
    const void *in;
};

static void read_count(const struct place *place, struct gsi_leaf *leaf)
{
    leaf->kind = GSI_LEAF_COUNT;
    leaf->count = integer_at(place->row->in, place->at);
    snprintf(leaf->room, sizeof leaf->room, "%" PRIu64, leaf->count);
}

static void read_size(const struct place *place, struct gsi_leaf *leaf)
{
    read_count(place, leaf);
    if (leaf->count == UINT64_MAX >> (64 - 8 * place->row->in.bytes))
        leaf->text = NULL;
}

static void read_flag(const struct place *place, struct gsi_leaf *leaf)
{
    leaf->kind = GSI_LEAF_WORD;
    leaf->count = integer_at(place->row->in, place->at);
    leaf->text = leaf->count != 0 ? "true" : "false";
}

static void read_pointer(const struct place *place, struct gsi_leaf *leaf)
{
    leaf->text = *(const char *const *)place->in;
}

static void read_chars(const struct place *place, struct gsi_leaf *leaf)
{
    leaf->text = place->in;
}

static void read_note(const struct place *place, struct gsi_leaf *leaf)
{
    const char *note = place->in;
    leaf->text = note[0] != '\0' ? note : NULL;
}

/* All digits, from an integer: exact, and no locale has a part in it. */
static void put_seconds(struct gsi_leaf *leaf, uint64_t ns)
{
    leaf->kind = GSI_LEAF_SECONDS;
    leaf->count = ns;
    snprintf(leaf->room, sizeof leaf->room, "%" PRIu64 ".%09" PRIu64, ns / 1000000000u,
             ns % 1000000000u);
}

static void read_seconds(const struct place *place, struct gsi_leaf *leaf)
{
    put_seconds(leaf, integer_at(place->row->in, place->at));
}

static void read_predicted(const struct place *place, struct gsi_leaf *leaf)
{
    const struct gsi_prediction *time = place->in;
    put_seconds(leaf, time->start_ns + time->read_ns + time->write_ns);
}

static void read_print(const struct place *place, struct gsi_leaf *leaf)
{
    const uint64_t *words = place->in;
    snprintf(leaf->room, sizeof leaf->room, "%016" PRIx64 "%016" PRIx64, words[1], words[0]);
}

static void read_hex(const struct place *place, struct gsi_leaf *leaf)
{
    gsi_number_hex(leaf->room, place->in);
}

static void read_end_key(const struct place *place, struct gsi_leaf *leaf)
{
    const uint8_t *key = place->in;
    for (uint32_t i = 0; i < place->at.report->ends.key_bytes && i < GS_END_KEY_BYTES; i++)
        snprintf(leaf->room + (size_t)2 * i, 3, "%02x", key[i]);
}

static void read_value(const struct place *place, struct gsi_leaf *leaf)
{
    const struct gsi_field_report field = gsi_row_field(place->row, place->at);
    const uint8_t *value = place->in;
    float single;
    gsi_shown_text(&field, value, leaf->room);
    if (!field.is_number || field.is_time)
        return;
    leaf->kind = field.is_float ? GSI_LEAF_FLOAT : GSI_LEAF_INTEGER;
    memcpy(&single, value, sizeof single);
    memcpy(&leaf->number, value, sizeof leaf->number);
    if (field.element_bytes == sizeof single)
        leaf->number = (double)single;
}

static void put_double(struct gsi_leaf *leaf, double number)
{
    leaf->kind = GSI_LEAF_FLOAT;
    leaf->number = number;
    gsi_number_double(leaf->room, number);
}

static void read_sum(const struct place *place, struct gsi_leaf *leaf)
{
    const struct gsi_field_report field = gsi_row_field(place->row, place->at);
    const struct gsi_tally_report *tally = place->in;
    if (field.has_no_sum) {
        leaf->text = NULL;
        return;
    }
    if (field.is_float) {
        put_double(leaf, tally->sum_float);
        return;
    }
    leaf->kind = GSI_LEAF_INTEGER;
    gsi_number_sum(leaf->room, tally->sum);
}

/* Puts a number computed from values: as text it is a time if the values are times. */
static void put_computed(const struct place *place, struct gsi_leaf *leaf, double number,
                         int64_t time)
{
    const struct gsi_field_report field = gsi_row_field(place->row, place->at);
    put_double(leaf, number);
    gsi_shown_computed(&field, number, time, leaf->room);
}

static void read_mean(const struct place *place, struct gsi_leaf *leaf)
{
    const struct gsi_tally_report *tally = place->in;
    put_computed(place, leaf, tally->mean, tally->mean_time);
}

static void read_between(const struct place *place, struct gsi_leaf *leaf)
{
    const struct gsi_quantile_report *quantile = place->in;
    put_computed(place, leaf, quantile->between, quantile->between_time);
}

static void read_double(const struct place *place, struct gsi_leaf *leaf)
{
    put_double(leaf, *(const double *)place->in);
}

static void read_deviation(const struct place *place, struct gsi_leaf *leaf)
{
    put_double(leaf, sqrt(*(const double *)place->in));
}

static void read_set(const struct place *place, struct gsi_leaf *leaf)
{
    enum gsi_set set = *(const enum gsi_set *)place->in;
    leaf->text = set != GSI_SET_NONE ? gsi_set_name(set) : NULL;
}

static void read_schema(const struct place *place, struct gsi_leaf *leaf)
{
    (void)place;
    leaf->kind = GSI_LEAF_COUNT;
    leaf->count = GSI_REPORT_SCHEMA;
    snprintf(leaf->room, sizeof leaf->room, "%d", GSI_REPORT_SCHEMA);
}

static void read_phase(const struct place *place, struct gsi_leaf *leaf)
{
    static const char *const names[GS_PHASE_COUNT] = {"read", "merge_runs", "write", "read_back"};
    leaf->text = names[place->at.idx];
}

static void (*const readers[])(const struct place *place, struct gsi_leaf *leaf) = {
    [GSI_ROW_COUNT] = read_count,     [GSI_ROW_SIZE] = read_size,
    [GSI_ROW_FLAG] = read_flag,       [GSI_ROW_POINTER] = read_pointer,
    [GSI_ROW_TYPE] = read_pointer,    [GSI_ROW_FIELD] = read_chars,
    [GSI_ROW_CHARS] = read_chars,     [GSI_ROW_NOTE] = read_note,
    [GSI_ROW_SECONDS] = read_seconds, [GSI_ROW_PRINT] = read_print,
    [GSI_ROW_HEX] = read_hex,         [GSI_ROW_END_KEY] = read_end_key,
    [GSI_ROW_VALUE] = read_value,     [GSI_ROW_SUM] = read_sum,
    [GSI_ROW_MEAN] = read_mean,       [GSI_ROW_BETWEEN] = read_between,
    [GSI_ROW_DOUBLE] = read_double,   [GSI_ROW_DEVIATION] = read_deviation,
    [GSI_ROW_SET] = read_set,         [GSI_ROW_SCHEMA] = read_schema,
    [GSI_ROW_PHASE] = read_phase,     [GSI_ROW_PREDICTED] = read_predicted,
};

void gsi_leaf_read(const struct gsi_report_row *row, struct gsi_row_at at, struct gsi_leaf *leaf)
{
    leaf->kind = GSI_LEAF_TEXT;
    leaf->text = leaf->room;
    leaf->room[0] = '\0';
    const struct place place = {.row = row, .at = at, .in = gsi_row_member(row->in, at)};
    readers[row->kind == GSI_ROW_LIST ? row->item : row->kind](&place, leaf);
}

/* ---- paths ---- */

/* The row of that name, of `bytes` letters. */
static const struct gsi_report_row *find_row(const struct gsi_report_row *rows,
                                             const struct gs_report *report, const char *name,
                                             size_t bytes)
{
    const struct gsi_report_row *found = NULL;
    for (; found == NULL && rows->kind != GSI_ROW_END; rows++) {
        if (!gsi_row_is_there(rows, report))
            continue;
        if (rows->kind == GSI_ROW_ALSO)
            found = find_row(rows->rows, report, name, bytes);
        else if (strncmp(rows->name, name, bytes) == 0 && rows->name[bytes] == '\0')
            found = rows;
    }
    return found;
}

/* "[12]", less than `count`; what follows it, or NULL. */
static const char *take_index(const char *text, size_t count, size_t *idx)
{
    const char *at = text + 1;
    *idx = 0;
    for (; *at >= '0' && *at <= '9' && *idx < count; at++)
        *idx = *idx * 10 + (size_t)(*at - '0');
    return at > text + 1 && *at == ']' && *idx < count ? at + 1 : NULL;
}

struct gsi_found gsi_find(const struct gs_report *report, const char *path, bool grows)
{
    struct gsi_found found = {.at = {.report = report}};
    const struct gsi_report_row *rows = gsi_all_rows;
    while (report != NULL && path != NULL) {
        size_t bytes = strcspn(path, ".[");
        const struct gsi_report_row *row = find_row(rows, report, path, bytes);
        if (row == NULL)
            return found;
        path += bytes;
        found.is_set = found.is_set || row->is_set;
        found.is_null = found.is_null || !gsi_row_is_known(row, found.at);
        found.is_item = row->kind == GSI_ROW_LIST && *path == '[';
        if (found.is_item) {
            size_t count = gsi_row_count(row, report);
            path = take_index(path, count + (grows && count < row->most), &found.at.idx);
            found.list = row;
        }
        if (path != NULL && *path == '\0') {
            found.row = row;
            return found;
        }
        rows = row->rows;
        bool has_members = rows != NULL && (row->kind == GSI_ROW_OBJECT || found.is_item);
        path = path != NULL && *path == '.' && has_members ? path + 1 : NULL;
    }
    return found;
}

enum gs_found gsi_leaf_find(const struct gs_report *report, const char *path, struct gsi_leaf *leaf)
{
    const struct gsi_found found = gsi_find(report, path, false);
    if (found.row == NULL)
        return GS_NO_FIELD;
    if (found.is_null)
        return GS_NULL;
    if (found.row->kind == GSI_ROW_LIST && !found.is_item) {
        leaf->kind = GSI_LEAF_LENGTH;
        leaf->count = gsi_row_count(found.row, report);
        return GS_FOUND;
    }
    if (found.row->rows != NULL) /* an object */
        return GS_INEXACT;
    gsi_leaf_read(found.row, found.at, leaf);
    return leaf->text != NULL ? GS_FOUND : GS_NULL;
}

/* Digits alone are read in all locales alike. */
static enum gs_found take_digits(const char *text, uint64_t *value)
{
    errno = 0;
    unsigned long long number = strtoull(text, NULL, 10);
    if (text[0] == '-' || errno != 0)
        return GS_INEXACT;
    *value = number;
    return GS_FOUND;
}

enum gs_found gs_report_u64(const struct gs_report *report, const char *path, uint64_t *value)
{
    struct gsi_leaf leaf;
    enum gs_found found = gsi_leaf_find(report, path, &leaf);
    if (found != GS_FOUND)
        return found;
    if (leaf.kind == GSI_LEAF_INTEGER)
        return take_digits(leaf.text, value);
    if (leaf.kind != GSI_LEAF_COUNT && leaf.kind != GSI_LEAF_WORD && leaf.kind != GSI_LEAF_LENGTH)
        return GS_INEXACT;
    *value = leaf.count;
    return GS_FOUND;
}

enum gs_found gs_report_f64(const struct gs_report *report, const char *path, double *value)
{
    struct gsi_leaf leaf;
    enum gs_found found = gsi_leaf_find(report, path, &leaf);
    if (found != GS_FOUND)
        return found;
    if (leaf.kind == GSI_LEAF_TEXT)
        return GS_INEXACT;
    if (leaf.kind == GSI_LEAF_SECONDS)
        snprintf(leaf.room, sizeof leaf.room, "%" PRIu64 "e-9", leaf.count);
    if (leaf.kind == GSI_LEAF_SECONDS || leaf.kind == GSI_LEAF_INTEGER)
        *value = strtod(leaf.room, NULL); /* no point: in all locales alike */
    else
        *value = leaf.kind == GSI_LEAF_FLOAT ? leaf.number : (double)leaf.count;
    return GS_FOUND;
}

enum gs_found gs_report_text(const struct gs_report *report, const char *path, char *text,
                             size_t bytes)
{
    struct gsi_leaf leaf;
    enum gs_found found = gsi_leaf_find(report, path, &leaf);
    if (found != GS_FOUND)
        return found;
    if (leaf.kind == GSI_LEAF_LENGTH || strlen(leaf.text) >= bytes)
        return GS_INEXACT;
    strcpy(text, leaf.text);
    return GS_FOUND;
}
