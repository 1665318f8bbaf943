/* report_rows.c: the table of a report's fields. */
#include "report/report_rows.h"

#include "report/number.h"

/* ---- what is there ---- */

static bool has_numbers(const struct gs_report *report)
{
    return !gsi_has_records(report);
}

/* Elements are counted as they are, or as the only field of what is sorted in their stead. */
static bool has_plain_numbers(const struct gs_report *report)
{
    return has_numbers(report) && report->field_count == 0;
}

static bool has_numbers_as_field(const struct gs_report *report)
{
    return has_numbers(report) && report->field_count > 0;
}

static bool is_predicted(const struct gs_report *report)
{
    return report->prediction.why_unknown == NULL;
}

static bool is_not_top(const struct gs_report *report)
{
    return !report->has_top;
}

static bool has_ranks(const struct gs_report *report)
{
    return gsi_has_records(report) &&
           (report->quantile_count > 0 || report->bin_count > 0 || report->has_groups);
}

/* ---- rows ---- */

#define STEP(member, step_)                                                                \
    {                                                                                      \
        .off = offsetof(struct gs_report, member), .bytes = SIZE_OF(member), .step = step_ \
    }
#define SIZE_OF(member)       sizeof(((struct gs_report *)0)->member)
#define IN(member)            STEP(member, 0)
#define IN_EACH(member, list) STEP(member, SIZE_OF(list[0]))

#define ROW(kind_, name_, ...)                              \
    {                                                       \
        .name = name_, .kind = GSI_ROW_##kind_, __VA_ARGS__ \
    }
#define SAME(kind, member, ...)   ROW(kind, #member, .in = IN(member), __VA_ARGS__)
#define SET(kind, member, ...)    SAME(kind, member, .is_set = true, __VA_ARGS__)
#define KNOWN(kind, member, flag) ROW(kind, #member, .in = IN(member), .known = IN(flag))
#define OBJECT(name, table, ...)  ROW(OBJECT, name, .rows = table, __VA_ARGS__)
#define LIST(name, list, ...)     ROW(LIST, name, .item = GSI_ROW_OBJECT, .rows = list, __VA_ARGS__)
#define TEXTS(name, list, number, ...)                                                        \
    ROW(LIST, name, .item = GSI_ROW_CHARS, .in = IN_EACH(list[0], list), .count = IN(number), \
        .most = SIZE_OF(list) / SIZE_OF(list[0]), __VA_ARGS__)
#define ALSO(table, ...) ROW(ALSO, NULL, .rows = table, __VA_ARGS__)
#define END                 \
    {                       \
        .kind = GSI_ROW_END \
    }

#define NUMBERS(tally, step, field)                                                             \
    ROW(VALUE, "min", .in = STEP(tally.min, step), .of = field,                                 \
        .known = STEP(tally.has_extremes, step)),                                               \
        ROW(VALUE, "max", .in = STEP(tally.max, step), .of = field,                             \
            .known = STEP(tally.has_extremes, step)),                                           \
        ROW(SUM, "sum", .in = STEP(tally, step), .of = field),                                  \
        ROW(MEAN, "mean", .in = STEP(tally, step), .of = field,                                 \
            .known = STEP(tally.has_moments, step)),                                            \
        ROW(DOUBLE, "variance", .in = STEP(tally.variance, step),                               \
            .known = STEP(tally.has_moments, step)),                                            \
        ROW(DEVIATION, "deviation", .in = STEP(tally.variance, step),                           \
            .known = STEP(tally.has_moments, step)),                                            \
        ROW(COUNT, "nan_count", .in = STEP(tally.nan_count, step)),                             \
        ROW(COUNT, "positive_infinity_count", .in = STEP(tally.positive_infinity_count, step)), \
        ROW(COUNT, "negative_infinity_count", .in = STEP(tally.negative_infinity_count, step)), \
        ROW(COUNT, "negative_zero_count", .in = STEP(tally.negative_zero_count, step))

static const struct gsi_report_row element_numbers[] = {NUMBERS(tally, 0, GSI_OF_ELEMENT), END};

static const struct gsi_report_row field_numbers[] = {
    NUMBERS(field_tallies[0], sizeof(struct gsi_tally_report), GSI_OF_FIELD), END};

static const struct gsi_report_row tally_rows[] = {
    ROW(COUNT, "count", .in = IN(tally.count)),
    ALSO(element_numbers, .is_there = has_plain_numbers),
    ALSO(field_numbers, .is_there = has_numbers_as_field),
    ROW(PRINT, "fingerprint", .in = IN(tally.fingerprint)),
    END,
};

static const struct gsi_report_row field_rows[] = {
    ROW(FIELD, "field", .in = IN_EACH(fields[0].text, fields)),
    ROW(FLAG, "is_float", .in = IN_EACH(fields[0].is_float, fields)),
    ROW(COUNT, "count", .in = IN_EACH(field_tallies[0].count, field_tallies)),
    ALSO(field_numbers),
    END,
};

static const struct gsi_report_row quantile_rows[] = {
    ROW(CHARS, "p", .in = IN_EACH(quantiles[0].text, quantiles)),
    ROW(COUNT, "rank", .in = IN_EACH(quantiles[0].rank, quantiles),
        .known = IN_EACH(quantiles[0].rank, quantiles)),
    ROW(VALUE, "value", .in = IN_EACH(quantiles[0].value, quantiles), .of = GSI_OF_RANKS,
        .known = IN_EACH(quantiles[0].rank, quantiles)),
    ROW(BETWEEN, "between", .in = IN_EACH(quantiles[0], quantiles), .of = GSI_OF_RANKS,
        .known = IN_EACH(quantiles[0].rank, quantiles)),
    END,
};

static const struct gsi_report_row bin_rows[] = {
    ROW(VALUE, "from", .in = IN_EACH(bins[0].from, bins), .of = GSI_OF_RANKS),
    ROW(COUNT, "count", .in = IN_EACH(bins[0].count, bins)),
    END,
};

static const struct gsi_report_row memory_rows[] = {
    ROW(COUNT, "data_bytes", .in = IN(memory_parts[GSI_MEMORY_DATA])),
    ROW(COUNT, "scratch_bytes", .in = IN(memory_parts[GSI_MEMORY_SCRATCH])),
    ROW(COUNT, "codec_bytes", .in = IN(memory_parts[GSI_MEMORY_CODEC])),
    ROW(COUNT, "runs_bytes", .in = IN(memory_parts[GSI_MEMORY_RUNS])),
    ROW(COUNT, "tables_bytes", .in = IN(memory_parts[GSI_MEMORY_TABLES])),
    END,
};

static const struct gsi_report_row phase_rows[] = {
    ROW(PHASE, "name"),
    ROW(COUNT, "bytes_read", .in = IN_EACH(phases[0].bytes_read, phases)),
    ROW(COUNT, "bytes_written", .in = IN_EACH(phases[0].bytes_written, phases)),
    ROW(SECONDS, "seconds", .in = IN_EACH(phases[0].ns, phases)),
    ROW(SECONDS, "io_busy_seconds", .in = IN_EACH(phases[0].io_busy_ns, phases)),
    END,
};

static const struct gsi_report_row disorder_rows[] = {
    ROW(COUNT, "index", .in = IN(disorder.index)),
    ROW(COUNT, "file_index", .in = IN(disorder.file_idx)),
    ROW(COUNT, "file_element_index", .in = IN(disorder.file_element_idx)),
    ROW(CHARS, "key", .in = IN(disorder.key.text), .is_there = gsi_has_records),
    ROW(COUNT, "offset", .in = IN(disorder.key.off), .is_there = gsi_has_records),
    ROW(VALUE, "before", .in = IN(disorder.before), .of = GSI_OF_KEY),
    ROW(VALUE, "after", .in = IN(disorder.after), .of = GSI_OF_KEY),
    END,
};

static const struct gsi_report_row move_rows[] = {
    ROW(PHASE, "name"),
    ROW(COUNT, "bytes_read", .in = IN_EACH(plan.moves[0].bytes_read, plan.moves)),
    ROW(COUNT, "bytes_written", .in = IN_EACH(plan.moves[0].bytes_written, plan.moves)),
    END,
};

#define PLAN(kind, member) ROW(kind, #member, .in = IN(plan.member))
static const struct gsi_report_row plan_numbers[] = {
    PLAN(SIZE, input_bytes),
    PLAN(SIZE, output_bytes),
    PLAN(COUNT, memory_bytes),
    PLAN(COUNT, arena_bytes),
    PLAN(COUNT, chunk_bytes),
    PLAN(COUNT, chunks_per_run),
    PLAN(COUNT, window_bytes),
    PLAN(COUNT, frame_bytes),
    PLAN(COUNT, window_count),
    PLAN(COUNT, thread_count),
    PLAN(FLAG, is_merge),
    PLAN(COUNT, run_count),
    PLAN(COUNT, spilled_runs),
    PLAN(COUNT, spilled_bytes),
    PLAN(SIZE, fan_in),
    PLAN(COUNT, merge_passes),
    ROW(COUNT, "bytes_read", .in = IN(plan.read_bytes)),
    ROW(COUNT, "bytes_written", .in = IN(plan.write_bytes)),
    PLAN(COUNT, temp_bytes),
    PLAN(COUNT, space_bytes),
    PLAN(COUNT, disk_step_bytes),
    PLAN(COUNT, host_bytes),
    PLAN(COUNT, top_room),
    PLAN(FLAG, is_counted),
    PLAN(COUNT, top_bytes),
    PLAN(COUNT, device_bytes),
    PLAN(COUNT, device_runs),
    PLAN(COUNT, device_count),
    PLAN(COUNT, host_runs),
    PLAN(COUNT, device_run_bytes),
    PLAN(COUNT, late_bytes),
    PLAN(FLAG, is_in_place),
    PLAN(FLAG, is_circular),
    END};

static const struct gsi_report_row plan_rows[] = {
    ALSO(plan_numbers),
    LIST("phases", move_rows, .most = GS_PHASE_COUNT),
    END,
};

static const struct gsi_report_row predicted_rows[] = {
    ROW(PREDICTED, "seconds", .in = IN(prediction)),
    ROW(SECONDS, "start_seconds", .in = IN(prediction.start_ns)),
    ROW(SECONDS, "read_seconds", .in = IN(prediction.read_ns)),
    ROW(POINTER, "read_bound", .in = IN(prediction.read_bound)),
    ROW(SECONDS, "write_seconds", .in = IN(prediction.write_ns)),
    ROW(POINTER, "write_bound", .in = IN(prediction.write_bound)),
    END,
};

static const struct gsi_report_row prediction_rows[] = {
    ROW(POINTER, "why_unknown", .in = IN(prediction.why_unknown)),
    ALSO(predicted_rows, .is_there = is_predicted),
    END,
};

static const struct gsi_report_row space_rows[] = {
    ROW(CHARS, "directory", .in = IN_EACH(spaces[0].directory, spaces)),
    ROW(FLAG, "has_output", .in = IN_EACH(spaces[0].has_output, spaces)),
    ROW(FLAG, "has_temp", .in = IN_EACH(spaces[0].has_temp, spaces)),
    ROW(COUNT, "needed_bytes", .in = IN_EACH(spaces[0].needed_bytes, spaces)),
    ROW(COUNT, "free_bytes", .in = IN_EACH(spaces[0].free_bytes, spaces)),
    END,
};

static const struct gsi_report_row written_rows[] = {
    ROW(FLAG, "is_positions", .in = IN(has_positions)),
    TEXTS("fields", out, out_count),
    ROW(COUNT, "bytes", .in = IN(written_bytes)),
    SAME(COUNT, sorted_bytes),
    END,
};

static const struct gsi_report_row range_rows[] = {
    ROW(COUNT, "first", .in = IN(range_first)),
    ROW(COUNT, "count", .in = IN(range_count)),
    ROW(COUNT, "of", .in = IN(range_of)),
    END,
};

static const struct gsi_report_row find_rows[] = {
    ROW(COUNT, "first", .in = IN(find_first)),
    ROW(COUNT, "count", .in = IN(find_count)),
    END,
};

static const struct gsi_report_row part_rows[] = {
    ROW(COUNT, "number", .in = IN(part_number)),
    ROW(COUNT, "parts", .in = IN(part_count)),
    ROW(COUNT, "first", .in = IN(part_first)),
    ROW(COUNT, "of", .in = IN(part_of)),
    END,
};

static const struct gsi_report_row into_rows[] = {
    ROW(COUNT, "offset", .in = IN(place_off)),
    ROW(COUNT, "file_bytes", .in = IN(place_of)),
    END,
};

/* What is sorted, and by what. */
static const struct gsi_report_row what_rows[] = {
    ROW(SCHEMA, "schema"),
    SET(TYPE, type),
    SAME(POINTER, type_source),
    SAME(POINTER, type_word),
    SET(COUNT, element_bytes),
    TEXTS("keys", keys, key_count, .is_there = gsi_has_records),
    SET(FLAG, is_float),
    SET(FLAG, is_signed),
    SAME(FLAG, reverse),
    OBJECT("written", written_rows, .known = IN(written_bytes)),
    TEXTS("values", values, value_count),
    TEXTS("where", where, where_count),
    SAME(SET, merge_set),
    OBJECT("range", range_rows, .known = IN(has_range)),
    OBJECT("find", find_rows, .known = IN(has_find)),
    OBJECT("part", part_rows, .known = IN(part_count)),
    OBJECT("into", into_rows, .known = IN(has_place)),
    KNOWN(COUNT, top_count, has_top),
    ROW(COUNT, "shuffle_seed", .in = IN(seed), .known = IN(is_shuffled)),
    SAME(POINTER, device),
    SAME(NOTE, device_name),
    SAME(NOTE, device_note),
    SAME(POINTER, engine),
    SAME(NOTE, engine_note),
    ROW(FLAG, "is_direct_input", .in = IN(direct_input)),
    ROW(FLAG, "is_direct_output", .in = IN(direct_output)),
    ROW(FLAG, "is_direct_temp", .in = IN(direct_temp)),
    TEXTS("notes", notes, note_count),
    END,
};

const struct gsi_report_row gsi_report_rows[] = {
    ALSO(what_rows),
    SET(COUNT, input_bytes),
    SET(COUNT, output_bytes),
    SET(COUNT, unique_count, .known = IN(is_unique)),
    ROW(COUNT, "group_count", .in = IN(group_count), .known = IN(is_unique),
        .is_known = is_not_top),
    SAME(COUNT, folded_count),
    KNOWN(COUNT, duplicate_count, has_duplicate_count),
    KNOWN(HEX, valsort_checksum, has_valsort_checksum),
    SAME(COUNT, resumed_bytes),
    SAME(COUNT, resumed_output_bytes),
    SAME(COUNT, input_file_bytes),
    SAME(COUNT, output_file_bytes),
    ROW(SECONDS, "seconds", .in = IN(ns)),
    ROW(SECONDS, "start_seconds", .in = IN(start_ns)),
    ROW(SECONDS, "device_start_seconds", .in = IN(device_start_ns)),
    ROW(SECONDS, "end_seconds", .in = IN(end_ns)),
    SAME(COUNT, run_count),
    SAME(COUNT, spilled_runs),
    SAME(COUNT, spilled_bytes),
    SAME(COUNT, in_order_bytes),
    SAME(FLAG, is_one_pass),
    SAME(COUNT, stretch_count),
    SAME(COUNT, stretch_bytes),
    SAME(POINTER, in_order_note),
    SAME(NOTE, codec),
    SAME(COUNT, coded_runs),
    SAME(COUNT, spilled_coded_bytes),
    SAME(COUNT, host_run_bytes),
    SAME(COUNT, circular_merge_count),
    SAME(COUNT, merge_passes),
    SET(COUNT, bytes_read),
    SET(COUNT, bytes_written),
    SAME(COUNT, temp_bytes),
    SAME(COUNT, memory_peak_bytes),
    OBJECT("memory", memory_rows),
    OBJECT("tally", tally_rows, .is_set = true),
    SET(COUNT, left_out_count),
    SET(PRINT, left_out_fingerprint),
    KNOWN(END_KEY, first_key, has_ends),
    KNOWN(END_KEY, last_key, has_ends),
    ROW(LIST, "split", .item = GSI_ROW_COUNT, .in = IN_EACH(split_counts[0], split_counts),
        .count = IN(split_count), .known = IN(split_count), .most = GSI_SPLIT_MAX),
    ROW(CHARS, "ranks_of", .in = IN(quantile_field.text), .is_known = has_ranks),
    SAME(COUNT, quantile_passes),
    LIST("quantiles", quantile_rows, .count = IN(quantile_count), .most = GSI_QUANTILES_MAX),
    LIST("histogram", bin_rows, .count = IN(bin_count), .most = GSI_BINS_MAX),
    KNOWN(COUNT, distinct_count, has_groups),
    KNOWN(COUNT, mode_count, has_groups),
    ROW(VALUE, "mode", .in = IN(mode_value), .of = GSI_OF_RANKS, .known = IN(mode_count)),
    LIST("fields", field_rows, .count = IN(field_count), .most = GSI_FIELDS_MAX,
         .is_there = gsi_has_records, .is_set = true),
    OBJECT("plan", plan_rows),
    LIST("phases", phase_rows, .most = GS_PHASE_COUNT),
    OBJECT("disorder", disorder_rows, .known = IN(disorder.index)),
    END,
};

static const struct gsi_report_row room_rows[] = {
    OBJECT("prediction", prediction_rows, .known = IN(has_prediction)),
    LIST("spaces", space_rows, .count = IN(space_count), .most = GSI_SPACES_MAX),
    KNOWN(FLAG, has_room, space_count),
    END,
};

const struct gsi_report_row gsi_plan_rows[] = {
    ALSO(what_rows), OBJECT("plan", plan_rows), SAME(POINTER, in_order_note), ALSO(room_rows), END,
};

/* What programs need to know, and no report says. */
static const struct gsi_report_row beside_rows[] = {
    SAME(FLAG, is_packed),   ROW(COUNT, "data_offset", .in = IN(data_off)),
    SAME(COUNT, data_bytes), SAME(COUNT, expected_bytes),
    SAME(COUNT, wide_bytes), SAME(FLAG, is_placed),
    SAME(FLAG, is_kept),     END,
};

const struct gsi_report_row gsi_all_rows[] = {
    ALSO(gsi_report_rows),
    ALSO(room_rows),
    ALSO(beside_rows),
    END,
};
