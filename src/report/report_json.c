/* report_json.c: a report for programs. Names are those of struct gs_report; see gsort.h for how
 * numbers are written. A small writer keeps track of commas and indentation. */
#include "gsort.h"

#include "base/sized.h"
#include "report/number.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SCHEMA         1
#define EXACT_INTEGERS ((uint64_t)1 << 53) /* up to here a JSON reader's doubles are exact */

struct json {
    FILE *file;
    int depth;
    bool has_member; /* in the innermost object or array */
};

/* Comma, new line, indentation, key (NULL in arrays). Keys are ours and need no escapes. */
static void json_key(struct json *json, const char *key)
{
    fprintf(json->file, "%s\n%*s", json->has_member ? "," : "", 2 * json->depth, "");
    if (key != NULL)
        fprintf(json->file, "\"%s\": ", key);
    json->has_member = true;
}

static void json_open(struct json *json, const char *key, char bracket)
{
    json_key(json, key);
    fputc(bracket, json->file);
    json->depth++;
    json->has_member = false;
}

static void json_close(struct json *json, char bracket)
{
    json->depth--;
    fprintf(json->file, "\n%*s%c", 2 * json->depth, "", bracket);
    json->has_member = true;
}

/* Bytes of the UTF-8 character at `text`, which ends with a NUL; 0: it is none (Unicode 15, table
 * 3-7). */
static int character_bytes(const unsigned char *text)
{
    unsigned char first = text[0];
    if (first < 0x80)
        return 1;
    int bytes = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
    if (first < 0xc2 || first > 0xf4 || (first == 0xe0 && text[1] < 0xa0) ||
        (first == 0xed && text[1] > 0x9f) || (first == 0xf0 && text[1] < 0x90) ||
        (first == 0xf4 && text[1] > 0x8f))
        return 0;
    for (int i = 1; i < bytes; i++)
        if ((text[i] & 0xc0) != 0x80)
            return 0;
    return bytes;
}

/* NULL becomes null. Names of files and keys may be any bytes: those that are no UTF-8 become
 * U+FFFD each, as they do in other programs. */
static void json_string(struct json *json, const char *key, const char *text)
{
    json_key(json, key);
    if (text == NULL) {
        fputs("null", json->file);
        return;
    }
    fputc('"', json->file);
    const unsigned char *at = (const unsigned char *)text;
    for (int bytes; *at != '\0'; at += bytes > 0 ? bytes : 1) {
        bytes = character_bytes(at);
        if (bytes == 0)
            fputs("\\ufffd", json->file);
        else if (*at == '"' || *at == '\\')
            fprintf(json->file, "\\%c", *at);
        else if (*at < 0x20 || *at == 0x7f)
            fprintf(json->file, "\\u%04x", *at);
        else
            fwrite(at, 1, (size_t)bytes, json->file);
    }
    fputc('"', json->file);
}

static void json_bool(struct json *json, const char *key, bool value)
{
    json_key(json, key);
    fputs(value ? "true" : "false", json->file);
}

static void json_integer(struct json *json, const char *key, uint64_t value)
{
    const char *quote = value > EXACT_INTEGERS ? "\"" : "";
    json_key(json, key);
    fprintf(json->file, "%s%" PRIu64 "%s", quote, value, quote);
}

static void json_known(struct json *json, const char *key, uint64_t value, bool is_known)
{
    if (is_known)
        json_integer(json, key, value);
    else
        json_string(json, key, NULL);
}

/* All digits, from an integer: exact, and no locale has a part in it. */
static void json_seconds(struct json *json, const char *key, uint64_t ns)
{
    json_key(json, key);
    fprintf(json->file, "%" PRIu64 ".%09" PRIu64, ns / 1000000000u, ns % 1000000000u);
}

static void json_value(struct json *json, const char *key, const struct gs_field *field,
                       const uint8_t value[16], bool is_known)
{
    char text[GS_ELEMENT_TEXT_BYTES];
    if (is_known)
        gs_field_text(field, value, text);
    json_string(json, key, is_known ? text : NULL);
}

/* As a string, as min and max are; null if it is not known. */
static void json_double(struct json *json, const char *key, double value, bool is_known)
{
    char text[GSI_NUMBER_BYTES];
    gsi_number_double(text, value);
    json_string(json, key, is_known ? text : NULL);
}

/* What is known of numbers: elements, or a field of records. */
static void write_numbers(struct json *json, const struct gs_field *field,
                          const struct gs_tally *tally)
{
    char text[GSI_NUMBER_BYTES];
    json_value(json, "min", field, tally->min, tally->has_extremes);
    json_value(json, "max", field, tally->max, tally->has_extremes);
    if (field->is_float)
        gsi_number_double(text, tally->sum_float);
    else
        gsi_number_sum(text, tally->sum);
    json_string(json, "sum", text);
    json_double(json, "mean", tally->mean, tally->has_moments);
    json_double(json, "variance", tally->variance, tally->has_moments);
    json_double(json, "deviation", sqrt(tally->variance), tally->has_moments);
    json_integer(json, "nan_count", tally->nan_count);
    json_integer(json, "positive_infinity_count", tally->positive_infinity_count);
    json_integer(json, "negative_infinity_count", tally->negative_infinity_count);
    json_integer(json, "negative_zero_count", tally->negative_zero_count);
}

static struct gs_field element_field(const struct gs_report *report)
{
    return (struct gs_field){.is_number = true,
                             .element_bytes = report->element_bytes,
                             .is_float = report->is_float,
                             .is_signed = report->is_signed};
}

static void write_tally(struct json *json, const struct gs_report *report)
{
    const struct gs_tally *tally = &report->tally;
    struct gs_field element = element_field(report);
    char text[GSI_NUMBER_BYTES];
    json_open(json, "tally", '{');
    json_integer(json, "count", tally->count);
    if (report->plan.record_bytes == 0)
        write_numbers(json, &element, tally);
    snprintf(text, sizeof text, "%016" PRIx64 "%016" PRIx64, tally->fingerprint[1],
             tally->fingerprint[0]);
    json_string(json, "fingerprint", text);
    json_close(json, '}');
}

/* Of records: the fields that were counted. */
static void write_fields(struct json *json, const struct gs_report *report)
{
    if (report->plan.record_bytes == 0)
        return;
    json_open(json, "fields", '[');
    for (size_t i = 0; i < report->field_count; i++) {
        json_open(json, NULL, '{');
        json_string(json, "field", report->fields[i].text);
        json_bool(json, "is_float", report->fields[i].is_float);
        json_integer(json, "count", report->field_tallies[i].count);
        write_numbers(json, &report->fields[i], &report->field_tallies[i]);
        json_close(json, '}');
    }
    json_close(json, ']');
}

/* What follows from the order. */
static void write_ranks(struct json *json, const struct gs_report *report)
{
    struct gs_field element = element_field(report);
    const struct gs_field *field =
        report->plan.record_bytes > 0 ? &report->quantile_field : &element;
    bool is_known = report->quantile_count > 0 || report->has_groups;
    json_string(json, "ranks_of",
                report->plan.record_bytes > 0 && is_known ? report->quantile_field.text : NULL);
    json_integer(json, "quantile_passes", report->quantile_passes);
    json_open(json, "quantiles", '[');
    for (size_t i = 0; i < report->quantile_count; i++) {
        const struct gs_quantile *quantile = &report->quantiles[i];
        char text[GSI_NUMBER_BYTES];
        gsi_number_double(text, quantile->between);
        json_open(json, NULL, '{');
        json_string(json, "p", quantile->text);
        json_integer(json, "rank", quantile->rank);
        json_value(json, "value", field, quantile->value, true);
        json_string(json, "between", text);
        json_close(json, '}');
    }
    json_close(json, ']');
    json_known(json, "distinct_count", report->distinct_count, report->has_groups);
    json_known(json, "mode_count", report->mode_count, report->has_groups);
    json_value(json, "mode", field, report->mode_value, report->mode_count > 0);
}

static void write_plan(struct json *json, const struct gs_plan *plan)
{
    json_open(json, "plan", '{');
    json_known(json, "input_bytes", plan->input_bytes, plan->input_bytes != UINT64_MAX);
    json_known(json, "output_bytes", plan->output_bytes, plan->output_bytes != UINT64_MAX);
    json_integer(json, "memory_bytes", plan->memory_bytes);
    json_integer(json, "arena_bytes", plan->arena_bytes);
    json_integer(json, "chunk_bytes", plan->chunk_bytes);
    json_integer(json, "chunks_per_run", plan->chunks_per_run);
    json_integer(json, "window_bytes", plan->window_bytes);
    json_integer(json, "frame_bytes", plan->frame_bytes);
    json_integer(json, "window_count", plan->window_count);
    json_integer(json, "thread_count", plan->thread_count);
    json_bool(json, "is_merge", plan->is_merge);
    json_integer(json, "run_count", plan->run_count);
    json_integer(json, "spilled_runs", plan->spilled_runs);
    json_integer(json, "spilled_bytes", plan->spilled_bytes);
    json_integer(json, "fan_in", plan->fan_in);
    json_integer(json, "merge_passes", plan->merge_passes);
    json_integer(json, "read_bytes", plan->read_bytes);
    json_integer(json, "write_bytes", plan->write_bytes);
    json_integer(json, "temp_bytes", plan->temp_bytes);
    json_integer(json, "space_bytes", plan->space_bytes);
    json_integer(json, "disk_step_bytes", plan->disk_step_bytes);
    json_integer(json, "host_bytes", plan->host_bytes);
    json_integer(json, "top_room", plan->top_room);
    json_integer(json, "top_bytes", plan->top_bytes);
    json_integer(json, "device_bytes", plan->device_bytes);
    json_integer(json, "device_runs", plan->device_runs);
    json_integer(json, "host_runs", plan->host_runs);
    json_integer(json, "device_run_bytes", plan->device_run_bytes);
    json_close(json, '}');
}

static void write_phases(struct json *json, const struct gs_report *report)
{
    static const char *const names[GS_PHASE_COUNT] = {"read", "merge_runs", "write", "read_back"};
    json_open(json, "phases", '[');
    for (size_t i = 0; i < GS_PHASE_COUNT; i++) {
        const struct gs_phase_report *phase = &report->phases[i];
        json_open(json, NULL, '{');
        json_string(json, "name", names[i]);
        json_integer(json, "bytes_read", phase->bytes_read);
        json_integer(json, "bytes_written", phase->bytes_written);
        json_seconds(json, "seconds", phase->ns);
        json_seconds(json, "io_busy_seconds", phase->io_busy_ns);
        json_close(json, '}');
    }
    json_close(json, ']');
}

static void write_memory(struct json *json, const struct gs_report *report)
{
    static const char *const names[GS_MEMORY_PART_COUNT] = {
        "data_bytes", "scratch_bytes", "codec_bytes", "runs_bytes", "tables_bytes"};
    json_open(json, "memory", '{');
    for (size_t i = 0; i < GS_MEMORY_PART_COUNT; i++)
        json_integer(json, names[i], report->memory_parts[i]);
    json_close(json, '}');
}

/* Element 0 has none before it, so index 0 means that there was no disorder. */
static void write_disorder(struct json *json, const struct gs_report *report)
{
    if (report->disorder.index == 0) {
        json_string(json, "disorder", NULL);
        return;
    }
    json_open(json, "disorder", '{');
    json_integer(json, "index", report->disorder.index);
    json_integer(json, "file_idx", report->disorder.file_idx);
    json_integer(json, "file_element_idx", report->disorder.file_element_idx);
    struct gs_field key = element_field(report);
    if (report->plan.record_bytes > 0) {
        key = report->disorder.key;
        json_string(json, "key", key.text);
        json_integer(json, "off", key.off);
    }
    json_value(json, "before", &key, report->disorder.before, true);
    json_value(json, "after", &key, report->disorder.after, true);
    json_close(json, '}');
}

/* Conditions of --where. */
static void write_where(struct json *json, const struct gs_report *report)
{
    json_open(json, "where", '[');
    for (size_t i = 0; i < report->where_count; i++)
        json_string(json, NULL, report->where[i]);
    json_close(json, ']');
}

static void write_left_out(struct json *json, const struct gs_report *report)
{
    char text[GSI_NUMBER_BYTES];
    snprintf(text, sizeof text, "%016" PRIx64 "%016" PRIx64, report->left_out_fingerprint[1],
             report->left_out_fingerprint[0]);
    json_integer(json, "left_out_count", report->left_out_count);
    json_string(json, "left_out_fingerprint", text);
}

/* Which of the inputs' elements were read. */
static void write_range(struct json *json, const struct gs_report *report)
{
    if (report->has_range) {
        json_open(json, "range", '{');
        json_integer(json, "first", report->range_first);
        json_integer(json, "count", report->range_count);
        json_integer(json, "of", report->range_of);
        json_close(json, '}');
    } else {
        json_string(json, "range", NULL);
    }
    if (report->has_find) {
        json_open(json, "find", '{');
        json_integer(json, "first", report->find_first);
        json_integer(json, "count", report->find_count);
        json_close(json, '}');
    } else {
        json_string(json, "find", NULL);
    }
    if (report->part_count > 0) {
        json_open(json, "part", '{');
        json_integer(json, "number", report->part_number);
        json_integer(json, "count", report->part_count);
        json_integer(json, "first", report->part_first);
        json_integer(json, "of", report->part_of);
        json_close(json, '}');
    } else {
        json_string(json, "part", NULL);
    }
}

static void write_what(struct json *json, const struct gs_report *report)
{
    json_integer(json, "schema", SCHEMA);
    json_string(json, "type", report->type);
    json_string(json, "type_source", report->type_source);
    json_string(json, "type_word", report->type_word);
    json_integer(json, "element_bytes", report->element_bytes);
    if (report->plan.record_bytes > 0) {
        json_open(json, "keys", '[');
        for (size_t i = 0; i < report->key_count; i++)
            json_string(json, NULL, report->keys[i]);
        json_close(json, ']');
    }
    json_bool(json, "is_float", report->is_float);
    json_bool(json, "is_signed", report->is_signed);
    json_bool(json, "reverse", report->reverse);
    write_where(json, report);
    write_range(json, report);
    if (report->has_top)
        json_integer(json, "top_count", report->top_count);
    else
        json_string(json, "top_count", NULL);
    json_string(json, "device", report->device);
    json_string(json, "device_name", report->device_name);
    json_string(json, "device_note", report->device_note);
    json_string(json, "engine", report->engine);
    json_string(json, "engine_note", report->engine_note);
    json_bool(json, "direct_input", report->direct_input);
    json_bool(json, "direct_output", report->direct_output);
    json_bool(json, "direct_temp", report->direct_temp);
}

static void write_report(FILE *file, const struct gs_report *report)
{
    struct json json = {.file = file, .depth = 1};
    char checksum[GSI_NUMBER_BYTES];
    fputc('{', file);
    write_what(&json, report);
    json_integer(&json, "input_bytes", report->input_bytes);
    json_integer(&json, "output_bytes", report->output_bytes);
    json_known(&json, "unique_count", report->unique_count, report->is_unique);
    json_known(&json, "group_count", report->group_count, report->is_unique && !report->has_top);
    json_integer(&json, "folded_count", report->folded_count);
    json_known(&json, "duplicate_count", report->duplicate_count, report->has_duplicate_count);
    gsi_number_hex(checksum, report->valsort_checksum);
    json_string(&json, "valsort_checksum", report->has_valsort_checksum ? checksum : NULL);
    json_integer(&json, "resumed_bytes", report->resumed_bytes);
    json_integer(&json, "resumed_output_bytes", report->resumed_output_bytes);
    json_integer(&json, "input_file_bytes", report->input_file_bytes);
    json_integer(&json, "output_file_bytes", report->output_file_bytes);
    json_seconds(&json, "seconds", report->ns);
    json_seconds(&json, "start_seconds", report->start_ns);
    json_seconds(&json, "device_start_seconds", report->device_start_ns);
    json_seconds(&json, "end_seconds", report->end_ns);
    json_integer(&json, "run_count", report->run_count);
    json_integer(&json, "spilled_runs", report->spilled_runs);
    json_integer(&json, "spilled_bytes", report->spilled_bytes);
    json_string(&json, "codec", report->codec);
    json_integer(&json, "coded_runs", report->coded_runs);
    json_integer(&json, "spilled_coded_bytes", report->spilled_coded_bytes);
    json_integer(&json, "host_run_bytes", report->host_run_bytes);
    json_integer(&json, "merge_passes", report->merge_passes);
    json_integer(&json, "bytes_read", report->bytes_read);
    json_integer(&json, "bytes_written", report->bytes_written);
    json_integer(&json, "temp_bytes", report->temp_bytes);
    json_integer(&json, "memory_peak_bytes", report->memory_peak_bytes);
    write_memory(&json, report);
    write_tally(&json, report);
    write_left_out(&json, report);
    write_ranks(&json, report);
    write_fields(&json, report);
    write_plan(&json, &report->plan);
    write_phases(&json, report);
    write_disorder(&json, report);
    json_close(&json, '}');
    fputc('\n', file);
}

static void write_spaces(struct json *json, const struct gs_report *report)
{
    json_open(json, "spaces", '[');
    for (uint32_t i = 0; i < report->space_count; i++) {
        const struct gs_space *space = &report->spaces[i];
        json_open(json, NULL, '{');
        json_string(json, "directory", space->directory);
        json_bool(json, "has_output", space->has_output);
        json_bool(json, "has_temp", space->has_temp);
        json_integer(json, "needed_bytes", space->needed_bytes);
        json_integer(json, "free_bytes", space->free_bytes);
        json_close(json, '}');
    }
    json_close(json, ']');
}

static void write_plan_report(FILE *file, const struct gs_report *report)
{
    struct json json = {.file = file, .depth = 1};
    fputc('{', file);
    write_what(&json, report);
    write_plan(&json, &report->plan);
    write_spaces(&json, report);
    if (report->space_count > 0)
        json_bool(&json, "has_room", report->has_room);
    else
        json_string(&json, "has_room", NULL);
    json_close(&json, '}');
    fputc('\n', file);
}

void gs_report_json_sized(FILE *file, const struct gs_report *report, size_t report_bytes)
{
    struct gs_report whole;
    (void)gsi_sized_take(&whole, sizeof whole, report, report_bytes);
    write_report(file, &whole);
}

void gs_plan_json_sized(FILE *file, const struct gs_report *report, size_t report_bytes)
{
    struct gs_report whole;
    (void)gsi_sized_take(&whole, sizeof whole, report, report_bytes);
    write_plan_report(file, &whole);
}

char *gs_report_json_string_sized(const struct gs_report *report, size_t report_bytes, bool is_plan)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *file = open_memstream(&text, &bytes);
    if (file == NULL)
        return NULL;
    (is_plan ? gs_plan_json_sized : gs_report_json_sized)(file, report, report_bytes);
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
