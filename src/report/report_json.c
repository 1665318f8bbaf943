/* report_json.c: a report for programs. Names are those of struct gs_report; see gsort.h for how
 * numbers are written. */
#include "gsort.h"

#include "base/sized.h"
#include "report/json.h"
#include "report/lines.h"
#include "report/number.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SCHEMA 1

/* What is known of numbers: elements, or a field of records. */
static void write_numbers(struct gsi_json *json, const struct gs_field *field,
                          const struct gs_tally *tally)
{
    char text[GSI_NUMBER_BYTES];
    gsi_json_value(json, "min", field, tally->min, tally->has_extremes);
    gsi_json_value(json, "max", field, tally->max, tally->has_extremes);
    if (field->is_float)
        gsi_number_double(text, tally->sum_float);
    else
        gsi_number_sum(text, tally->sum);
    gsi_json_string(json, "sum", text);
    gsi_json_double(json, "mean", tally->mean, tally->has_moments);
    gsi_json_double(json, "variance", tally->variance, tally->has_moments);
    gsi_json_double(json, "deviation", sqrt(tally->variance), tally->has_moments);
    gsi_json_integer(json, "nan_count", tally->nan_count);
    gsi_json_integer(json, "positive_infinity_count", tally->positive_infinity_count);
    gsi_json_integer(json, "negative_infinity_count", tally->negative_infinity_count);
    gsi_json_integer(json, "negative_zero_count", tally->negative_zero_count);
}

static void write_tally(struct gsi_json *json, const struct gs_report *report)
{
    const struct gs_tally *tally = &report->tally;
    struct gs_field element = gsi_element_field(report);
    char text[GSI_NUMBER_BYTES];
    gsi_json_open(json, "tally", '{');
    gsi_json_integer(json, "count", tally->count);
    if (!gsi_has_records(report) && report->field_count > 0)
        write_numbers(json, &report->fields[0], &report->field_tallies[0]);
    else if (!gsi_has_records(report))
        write_numbers(json, &element, tally);
    snprintf(text, sizeof text, "%016" PRIx64 "%016" PRIx64, tally->fingerprint[1],
             tally->fingerprint[0]);
    gsi_json_string(json, "fingerprint", text);
    gsi_json_close(json, '}');
}

/* Of records: the fields that were counted. */
static void write_fields(struct gsi_json *json, const struct gs_report *report)
{
    if (!gsi_has_records(report))
        return;
    gsi_json_open(json, "fields", '[');
    for (size_t i = 0; i < report->field_count; i++) {
        gsi_json_open(json, NULL, '{');
        gsi_json_string(json, "field", report->fields[i].text);
        gsi_json_bool(json, "is_float", report->fields[i].is_float);
        gsi_json_integer(json, "count", report->field_tallies[i].count);
        write_numbers(json, &report->fields[i], &report->field_tallies[i]);
        gsi_json_close(json, '}');
    }
    gsi_json_close(json, ']');
}

/* What follows from the order. */
static void write_ranks(struct gsi_json *json, const struct gs_report *report)
{
    struct gs_field element = gsi_element_field(report);
    const struct gs_field *field = report->field_count > 0 ? &report->quantile_field : &element;
    bool is_known = report->quantile_count > 0 || report->bin_count > 0 || report->has_groups;
    gsi_json_string(json, "ranks_of",
                    gsi_has_records(report) && is_known ? report->quantile_field.text : NULL);
    gsi_json_integer(json, "quantile_passes", report->quantile_passes);
    gsi_json_open(json, "quantiles", '[');
    for (size_t i = 0; i < report->quantile_count; i++) {
        const struct gs_quantile *quantile = &report->quantiles[i];
        char text[GSI_NUMBER_BYTES];
        gsi_number_double(text, quantile->between);
        gsi_json_open(json, NULL, '{');
        gsi_json_string(json, "p", quantile->text);
        gsi_json_integer(json, "rank", quantile->rank);
        gsi_json_value(json, "value", field, quantile->value, true);
        gsi_json_string(json, "between", text);
        gsi_json_close(json, '}');
    }
    gsi_json_close(json, ']');
    gsi_json_open(json, "histogram", '[');
    for (uint32_t i = 0; i < report->bin_count; i++) {
        gsi_json_open(json, NULL, '{');
        gsi_json_value(json, "from", field, report->bins[i].from, true);
        gsi_json_integer(json, "count", report->bins[i].count);
        gsi_json_close(json, '}');
    }
    gsi_json_close(json, ']');
    gsi_json_known(json, "distinct_count", report->distinct_count, report->has_groups);
    gsi_json_known(json, "mode_count", report->mode_count, report->has_groups);
    gsi_json_value(json, "mode", field, report->mode_value, report->mode_count > 0);
}

static void write_plan(struct gsi_json *json, const struct gs_plan *plan)
{
    gsi_json_open(json, "plan", '{');
    gsi_json_known(json, "input_bytes", plan->input_bytes, plan->input_bytes != UINT64_MAX);
    gsi_json_known(json, "output_bytes", plan->output_bytes, plan->output_bytes != UINT64_MAX);
    gsi_json_integer(json, "memory_bytes", plan->memory_bytes);
    gsi_json_integer(json, "arena_bytes", plan->arena_bytes);
    gsi_json_integer(json, "chunk_bytes", plan->chunk_bytes);
    gsi_json_integer(json, "chunks_per_run", plan->chunks_per_run);
    gsi_json_integer(json, "window_bytes", plan->window_bytes);
    gsi_json_integer(json, "frame_bytes", plan->frame_bytes);
    gsi_json_integer(json, "window_count", plan->window_count);
    gsi_json_integer(json, "thread_count", plan->thread_count);
    gsi_json_bool(json, "is_merge", plan->is_merge);
    gsi_json_integer(json, "run_count", plan->run_count);
    gsi_json_integer(json, "spilled_runs", plan->spilled_runs);
    gsi_json_integer(json, "spilled_bytes", plan->spilled_bytes);
    gsi_json_integer(json, "fan_in", plan->fan_in);
    gsi_json_integer(json, "merge_passes", plan->merge_passes);
    gsi_json_integer(json, "read_bytes", plan->read_bytes);
    gsi_json_integer(json, "write_bytes", plan->write_bytes);
    gsi_json_integer(json, "temp_bytes", plan->temp_bytes);
    gsi_json_integer(json, "space_bytes", plan->space_bytes);
    gsi_json_integer(json, "disk_step_bytes", plan->disk_step_bytes);
    gsi_json_integer(json, "host_bytes", plan->host_bytes);
    gsi_json_integer(json, "top_room", plan->top_room);
    gsi_json_bool(json, "is_counted", plan->is_counted);
    gsi_json_integer(json, "top_bytes", plan->top_bytes);
    gsi_json_integer(json, "device_bytes", plan->device_bytes);
    gsi_json_integer(json, "device_runs", plan->device_runs);
    gsi_json_integer(json, "device_count", plan->device_count);
    gsi_json_integer(json, "host_runs", plan->host_runs);
    gsi_json_integer(json, "device_run_bytes", plan->device_run_bytes);
    gsi_json_integer(json, "late_bytes", plan->late_bytes);
    gsi_json_close(json, '}');
}

static void write_phases(struct gsi_json *json, const struct gs_report *report)
{
    static const char *const names[GS_PHASE_COUNT] = {"read", "merge_runs", "write", "read_back"};
    gsi_json_open(json, "phases", '[');
    for (size_t i = 0; i < GS_PHASE_COUNT; i++) {
        const struct gs_phase_report *phase = &report->phases[i];
        gsi_json_open(json, NULL, '{');
        gsi_json_string(json, "name", names[i]);
        gsi_json_integer(json, "bytes_read", phase->bytes_read);
        gsi_json_integer(json, "bytes_written", phase->bytes_written);
        gsi_json_seconds(json, "seconds", phase->ns);
        gsi_json_seconds(json, "io_busy_seconds", phase->io_busy_ns);
        gsi_json_close(json, '}');
    }
    gsi_json_close(json, ']');
}

static void write_memory(struct gsi_json *json, const struct gs_report *report)
{
    static const char *const names[GS_MEMORY_PART_COUNT] = {
        "data_bytes", "scratch_bytes", "codec_bytes", "runs_bytes", "tables_bytes"};
    gsi_json_open(json, "memory", '{');
    for (size_t i = 0; i < GS_MEMORY_PART_COUNT; i++)
        gsi_json_integer(json, names[i], report->memory_parts[i]);
    gsi_json_close(json, '}');
}

/* Element 0 has none before it, so index 0 means that there was no disorder. */
static void write_disorder(struct gsi_json *json, const struct gs_report *report)
{
    if (!gsi_json_open_known(json, "disorder", report->disorder.index > 0))
        return;
    gsi_json_integer(json, "index", report->disorder.index);
    gsi_json_integer(json, "file_idx", report->disorder.file_idx);
    gsi_json_integer(json, "file_element_idx", report->disorder.file_element_idx);
    struct gs_field key = gsi_element_field(report);
    if (gsi_has_records(report) || report->field_count > 0)
        key = report->disorder.key;
    if (gsi_has_records(report)) {
        gsi_json_string(json, "key", key.text);
        gsi_json_integer(json, "off", key.off);
    }
    gsi_json_value(json, "before", &key, report->disorder.before, true);
    gsi_json_value(json, "after", &key, report->disorder.after, true);
    gsi_json_close(json, '}');
}

/* Conditions of --where. */
static void write_where(struct gsi_json *json, const struct gs_report *report)
{
    gsi_json_open(json, "where", '[');
    for (size_t i = 0; i < report->where_count; i++)
        gsi_json_string(json, NULL, report->where[i]);
    gsi_json_close(json, ']');
}

static void write_left_out(struct gsi_json *json, const struct gs_report *report)
{
    char text[GSI_NUMBER_BYTES];
    snprintf(text, sizeof text, "%016" PRIx64 "%016" PRIx64, report->left_out_fingerprint[1],
             report->left_out_fingerprint[0]);
    gsi_json_integer(json, "left_out_count", report->left_out_count);
    gsi_json_string(json, "left_out_fingerprint", text);
}

/* Which of the inputs' elements were read. */
static void write_range(struct gsi_json *json, const struct gs_report *report)
{
    if (gsi_json_open_known(json, "range", report->has_range)) {
        gsi_json_integer(json, "first", report->range_first);
        gsi_json_integer(json, "count", report->range_count);
        gsi_json_integer(json, "of", report->range_of);
        gsi_json_close(json, '}');
    }
    if (gsi_json_open_known(json, "find", report->has_find)) {
        gsi_json_integer(json, "first", report->find_first);
        gsi_json_integer(json, "count", report->find_count);
        gsi_json_close(json, '}');
    }
    if (gsi_json_open_known(json, "part", report->part_count > 0)) {
        gsi_json_integer(json, "number", report->part_number);
        gsi_json_integer(json, "count", report->part_count);
        gsi_json_integer(json, "first", report->part_first);
        gsi_json_integer(json, "of", report->part_of);
        gsi_json_close(json, '}');
    }
    if (gsi_json_open_known(json, "into", report->has_place)) {
        gsi_json_integer(json, "off", report->place_off);
        gsi_json_integer(json, "of", report->place_of);
        gsi_json_close(json, '}');
    }
}

/* Elements of each file that the output is split into. */
static void write_split(struct gsi_json *json, const struct gs_report *report)
{
    if (report->split_count == 0) {
        gsi_json_string(json, "split", NULL);
        return;
    }
    gsi_json_open(json, "split", '[');
    for (uint32_t i = 0; i < report->split_count; i++)
        gsi_json_integer(json, NULL, report->split_counts[i]);
    gsi_json_close(json, ']');
}

static void write_end(struct gsi_json *json, const char *name, const struct gs_report *report,
                      const uint8_t key[GS_END_KEY_BYTES])
{
    char text[2 * GS_END_KEY_BYTES + 1];
    for (uint32_t i = 0; i < report->end_key_bytes; i++)
        snprintf(text + 2 * (size_t)i, 3, "%02x", key[i]);
    gsi_json_string(json, name, report->has_ends ? text : NULL);
}

/* Where another part may follow. */
static void write_ends(struct gsi_json *json, const struct gs_report *report)
{
    write_end(json, "first_key", report, report->first_key);
    write_end(json, "last_key", report, report->last_key);
}

/* What is written, and sorted, in place of elements. */
static void write_written(struct gsi_json *json, const struct gs_report *report)
{
    if (report->written_bytes == 0) {
        gsi_json_string(json, "written", NULL);
        return;
    }
    gsi_json_open(json, "written", '{');
    gsi_json_bool(json, "positions", report->has_positions);
    gsi_json_open(json, "fields", '[');
    for (size_t i = 0; i < report->out_count; i++)
        gsi_json_string(json, NULL, report->out[i]);
    gsi_json_close(json, ']');
    gsi_json_integer(json, "bytes", report->written_bytes);
    gsi_json_integer(json, "sorted_bytes", report->sorted_bytes);
    gsi_json_close(json, '}');
}

/* Files that are sorted along. */
static void write_values(struct gsi_json *json, const struct gs_report *report)
{
    gsi_json_open(json, "values", '[');
    for (size_t i = 0; i < report->value_count; i++)
        gsi_json_string(json, NULL, report->values[i]);
    gsi_json_close(json, ']');
}

static void write_what(struct gsi_json *json, const struct gs_report *report)
{
    gsi_json_integer(json, "schema", SCHEMA);
    gsi_json_string(json, "type", report->type);
    gsi_json_string(json, "type_source", report->type_source);
    gsi_json_string(json, "type_word", report->type_word);
    gsi_json_integer(json, "element_bytes", report->element_bytes);
    if (gsi_has_records(report)) {
        gsi_json_open(json, "keys", '[');
        for (size_t i = 0; i < report->key_count; i++)
            gsi_json_string(json, NULL, report->keys[i]);
        gsi_json_close(json, ']');
    }
    gsi_json_bool(json, "is_float", report->is_float);
    gsi_json_bool(json, "is_signed", report->is_signed);
    gsi_json_bool(json, "reverse", report->reverse);
    write_written(json, report);
    write_values(json, report);
    write_where(json, report);
    gsi_json_string(json, "merge_set",
                    report->merge_set != GS_SET_NONE ? gsi_set_name(report->merge_set) : NULL);
    write_range(json, report);
    if (report->has_top)
        gsi_json_integer(json, "top_count", report->top_count);
    else
        gsi_json_string(json, "top_count", NULL);
    gsi_json_string(json, "device", report->device);
    gsi_json_string(json, "device_name", report->device_name);
    gsi_json_string(json, "device_note", report->device_note);
    gsi_json_string(json, "engine", report->engine);
    gsi_json_string(json, "engine_note", report->engine_note);
    gsi_json_bool(json, "direct_input", report->direct_input);
    gsi_json_bool(json, "direct_output", report->direct_output);
    gsi_json_bool(json, "direct_temp", report->direct_temp);
}

static void write_report(FILE *file, const struct gs_report *report)
{
    struct gsi_json json = {.file = file, .depth = 1};
    char checksum[GSI_NUMBER_BYTES];
    fputc('{', file);
    write_what(&json, report);
    gsi_json_integer(&json, "input_bytes", report->input_bytes);
    gsi_json_integer(&json, "output_bytes", report->output_bytes);
    gsi_json_known(&json, "unique_count", report->unique_count, report->is_unique);
    gsi_json_known(&json, "group_count", report->group_count,
                   report->is_unique && !report->has_top);
    gsi_json_integer(&json, "folded_count", report->folded_count);
    gsi_json_known(&json, "duplicate_count", report->duplicate_count, report->has_duplicate_count);
    gsi_number_hex(checksum, report->valsort_checksum);
    gsi_json_string(&json, "valsort_checksum", report->has_valsort_checksum ? checksum : NULL);
    gsi_json_integer(&json, "resumed_bytes", report->resumed_bytes);
    gsi_json_integer(&json, "resumed_output_bytes", report->resumed_output_bytes);
    gsi_json_integer(&json, "input_file_bytes", report->input_file_bytes);
    gsi_json_integer(&json, "output_file_bytes", report->output_file_bytes);
    gsi_json_seconds(&json, "seconds", report->ns);
    gsi_json_seconds(&json, "start_seconds", report->start_ns);
    gsi_json_seconds(&json, "device_start_seconds", report->device_start_ns);
    gsi_json_seconds(&json, "end_seconds", report->end_ns);
    gsi_json_integer(&json, "run_count", report->run_count);
    gsi_json_integer(&json, "spilled_runs", report->spilled_runs);
    gsi_json_integer(&json, "spilled_bytes", report->spilled_bytes);
    gsi_json_integer(&json, "in_order_bytes", report->in_order_bytes);
    gsi_json_bool(&json, "one_pass", report->is_one_pass);
    gsi_json_integer(&json, "stretch_count", report->stretch_count);
    gsi_json_integer(&json, "stretch_bytes", report->stretch_bytes);
    gsi_json_string(&json, "in_order_note", report->in_order_note);
    gsi_json_string(&json, "codec", report->codec);
    gsi_json_integer(&json, "coded_runs", report->coded_runs);
    gsi_json_integer(&json, "spilled_coded_bytes", report->spilled_coded_bytes);
    gsi_json_integer(&json, "host_run_bytes", report->host_run_bytes);
    gsi_json_integer(&json, "merge_passes", report->merge_passes);
    gsi_json_integer(&json, "bytes_read", report->bytes_read);
    gsi_json_integer(&json, "bytes_written", report->bytes_written);
    gsi_json_integer(&json, "temp_bytes", report->temp_bytes);
    gsi_json_integer(&json, "memory_peak_bytes", report->memory_peak_bytes);
    write_memory(&json, report);
    write_tally(&json, report);
    write_left_out(&json, report);
    write_ends(&json, report);
    write_split(&json, report);
    write_ranks(&json, report);
    write_fields(&json, report);
    write_plan(&json, &report->plan);
    write_phases(&json, report);
    write_disorder(&json, report);
    gsi_json_close(&json, '}');
    fputc('\n', file);
}

static void write_spaces(struct gsi_json *json, const struct gs_report *report)
{
    gsi_json_open(json, "spaces", '[');
    for (uint32_t i = 0; i < report->space_count; i++) {
        const struct gs_space *space = &report->spaces[i];
        gsi_json_open(json, NULL, '{');
        gsi_json_string(json, "directory", space->directory);
        gsi_json_bool(json, "has_output", space->has_output);
        gsi_json_bool(json, "has_temp", space->has_temp);
        gsi_json_integer(json, "needed_bytes", space->needed_bytes);
        gsi_json_integer(json, "free_bytes", space->free_bytes);
        gsi_json_close(json, '}');
    }
    gsi_json_close(json, ']');
}

/* How long the GPUs of a model take. */
static void write_prediction(struct gsi_json *json, const struct gs_report *report)
{
    const struct gs_prediction *time = &report->prediction;
    if (!gsi_json_open_known(json, "prediction", report->has_prediction))
        return;
    gsi_json_string(json, "why_unknown", time->why_unknown);
    if (time->why_unknown == NULL) {
        gsi_json_seconds(json, "seconds", time->start_ns + time->read_ns + time->write_ns);
        gsi_json_seconds(json, "start_seconds", time->start_ns);
        gsi_json_seconds(json, "read_seconds", time->read_ns);
        gsi_json_string(json, "read_bound", time->read_bound);
        gsi_json_seconds(json, "write_seconds", time->write_ns);
        gsi_json_string(json, "write_bound", time->write_bound);
    }
    gsi_json_close(json, '}');
}

static void write_plan_report(FILE *file, const struct gs_report *report)
{
    struct gsi_json json = {.file = file, .depth = 1};
    fputc('{', file);
    write_what(&json, report);
    write_plan(&json, &report->plan);
    gsi_json_string(&json, "in_order_note", report->in_order_note);
    write_prediction(&json, report);
    write_spaces(&json, report);
    if (report->space_count > 0)
        gsi_json_bool(&json, "has_room", report->has_room);
    else
        gsi_json_string(&json, "has_room", NULL);
    gsi_json_close(&json, '}');
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
