/* report_rows.c: the table of a report's fields. */
#include "report/report_rows.h"

#include "report/number.h"

/* ---- what is there ---- */

static bool has_numbers(const struct gs_report *report)
{
    return !gsi_has_records(report);
}

/* Numbers are counted as elements, or as the only field of the entries that are sorted. */
static bool has_plain_numbers(const struct gs_report *report)
{
    return has_numbers(report) && report->element.field_count == 0;
}

static bool has_numbers_as_field(const struct gs_report *report)
{
    return has_numbers(report) && report->element.field_count > 0;
}

static bool is_predicted(const struct gs_report *report)
{
    return report->prediction.why_unknown == NULL;
}

static bool is_not_top(const struct gs_report *report)
{
    return !report->top.is_given;
}

static bool has_ranks(const struct gs_report *report)
{
    return gsi_has_records(report) &&
           (report->order_statistics.quantile_count > 0 || report->order_statistics.bin_count > 0 ||
            report->order_statistics.has_groups);
}

/* ---- rows ---- */

#define STEP(member, step_)                                                                \
    {                                                                                      \
        .off = offsetof(struct gs_report, member), .bytes = SIZE_OF(member), .step = step_ \
    }
#define SIZE_OF(member)       sizeof(((struct gs_report *)0)->member)
#define IN(member)            STEP(member, 0)
#define ITEM(list)            STEP(list[0], SIZE_OF(list[0]))
#define IN_EACH(list, member) STEP(list[0].member, SIZE_OF(list[0]))

#define ROW(kind_, name_, ...)                              \
    {                                                       \
        .name = name_, .kind = GSI_ROW_##kind_, __VA_ARGS__ \
    }
#define AT(kind, name, member, ...)  ROW(kind, name, .in = IN(member), __VA_ARGS__)
#define SET(kind, name, member, ...) AT(kind, name, member, .is_set = true, __VA_ARGS__)
#define EACH(kind, name, list, member, ...) \
    ROW(kind, name, .in = IN_EACH(list, member), __VA_ARGS__)
#define KNOWN(kind, name, member, flag) AT(kind, name, member, .known = IN(flag))

#define OBJECT(name, table, ...) ROW(OBJECT, name, .rows = table, __VA_ARGS__)
#define LIST(name, table, ...)   ROW(LIST, name, .item = GSI_ROW_OBJECT, .rows = table, __VA_ARGS__)
#define TEXTS(name, list, number, ...)                                            \
    ROW(LIST, name, .item = GSI_ROW_CHARS, .in = ITEM(list), .count = IN(number), \
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
    AT(COUNT, "count", tally.count),
    ALSO(element_numbers, .is_there = has_plain_numbers),
    ALSO(field_numbers, .is_there = has_numbers_as_field),
    AT(PRINT, "fingerprint", tally.fingerprint),
    END,
};

static const struct gsi_report_row field_rows[] = {
    EACH(FIELD, "field", element.fields, text),
    EACH(FLAG, "is_float", element.fields, is_float),
    EACH(COUNT, "count", field_tallies, count),
    ALSO(field_numbers),
    END,
};

static const struct gsi_report_row quantile_rows[] = {
    EACH(CHARS, "p", order_statistics.quantiles, text),
    EACH(COUNT, "rank", order_statistics.quantiles, rank,
         .known = IN_EACH(order_statistics.quantiles, rank)),
    EACH(VALUE, "value", order_statistics.quantiles, value, .of = GSI_OF_RANKS,
         .known = IN_EACH(order_statistics.quantiles, rank)),
    ROW(BETWEEN, "between", .in = ITEM(order_statistics.quantiles), .of = GSI_OF_RANKS,
        .known = IN_EACH(order_statistics.quantiles, rank)),
    END,
};

static const struct gsi_report_row bin_rows[] = {
    EACH(VALUE, "from", order_statistics.bins, from, .of = GSI_OF_RANKS),
    EACH(COUNT, "count", order_statistics.bins, count),
    END,
};

static const struct gsi_report_row memory_rows[] = {
    AT(COUNT, "data_bytes", cost.memory_parts[GSI_MEMORY_DATA]),
    AT(COUNT, "scratch_bytes", cost.memory_parts[GSI_MEMORY_SCRATCH]),
    AT(COUNT, "codec_bytes", cost.memory_parts[GSI_MEMORY_CODEC]),
    AT(COUNT, "runs_bytes", cost.memory_parts[GSI_MEMORY_RUNS]),
    AT(COUNT, "tables_bytes", cost.memory_parts[GSI_MEMORY_TABLES]),
    END,
};

static const struct gsi_report_row phase_rows[] = {
    ROW(PHASE, "name"),
    EACH(COUNT, "bytes_read", cost.phases, bytes_read),
    EACH(COUNT, "bytes_written", cost.phases, bytes_written),
    EACH(SECONDS, "seconds", cost.phases, ns),
    EACH(SECONDS, "io_busy_seconds", cost.phases, io_busy_ns),
    END,
};

static const struct gsi_report_row disorder_rows[] = {
    AT(COUNT, "index", disorder.index),
    AT(COUNT, "file_index", disorder.file_idx),
    AT(COUNT, "file_element_index", disorder.file_element_idx),
    ROW(CHARS, "key", .in = IN(disorder.key.text), .is_there = gsi_has_records),
    ROW(COUNT, "offset", .in = IN(disorder.key.off), .is_there = gsi_has_records),
    ROW(VALUE, "before", .in = IN(disorder.before), .of = GSI_OF_KEY),
    ROW(VALUE, "after", .in = IN(disorder.after), .of = GSI_OF_KEY),
    END,
};

static const struct gsi_report_row move_rows[] = {
    ROW(PHASE, "name"),
    EACH(COUNT, "bytes_read", plan.moves, bytes_read),
    EACH(COUNT, "bytes_written", plan.moves, bytes_written),
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
    AT(COUNT, "bytes_read", plan.read_bytes),
    AT(COUNT, "bytes_written", plan.write_bytes),
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
    AT(FLAG, "is_circular", plan.merge_kernel),
    END,
};

static const struct gsi_report_row plan_rows[] = {
    ALSO(plan_numbers),
    LIST("phases", move_rows, .most = GS_PHASE_COUNT),
    END,
};

static const struct gsi_report_row predicted_rows[] = {
    AT(PREDICTED, "seconds", prediction),
    AT(SECONDS, "start_seconds", prediction.start_ns),
    AT(SECONDS, "read_seconds", prediction.read_ns),
    AT(POINTER, "read_bound", prediction.read_bound),
    AT(SECONDS, "write_seconds", prediction.write_ns),
    AT(POINTER, "write_bound", prediction.write_bound),
    END,
};

static const struct gsi_report_row prediction_rows[] = {
    AT(POINTER, "why_unknown", prediction.why_unknown),
    ALSO(predicted_rows, .is_there = is_predicted),
    END,
};

static const struct gsi_report_row space_rows[] = {
    EACH(CHARS, "directory", space.table, directory),
    EACH(FLAG, "has_output", space.table, has_output),
    EACH(FLAG, "has_temp", space.table, has_temp),
    EACH(COUNT, "needed_bytes", space.table, needed_bytes),
    EACH(COUNT, "free_bytes", space.table, free_bytes),
    END,
};

static const struct gsi_report_row written_rows[] = {
    AT(FLAG, "is_positions", payload.has_positions),
    TEXTS("fields", payload.fields, payload.field_count),
    AT(COUNT, "bytes", payload.written_bytes),
    AT(COUNT, "sorted_bytes", payload.sorted_bytes),
    END,
};

static const struct gsi_report_row range_rows[] = {
    AT(COUNT, "first", range.first),
    AT(COUNT, "count", range.count),
    AT(COUNT, "of", range.of),
    END,
};

static const struct gsi_report_row find_rows[] = {
    AT(COUNT, "first", find.first),
    AT(COUNT, "count", find.count),
    END,
};

static const struct gsi_report_row part_rows[] = {
    AT(COUNT, "number", part.number),
    AT(COUNT, "parts", part.count),
    AT(COUNT, "first", part.first),
    AT(COUNT, "of", part.of),
    END,
};

static const struct gsi_report_row into_rows[] = {
    AT(COUNT, "offset", into.off),
    AT(COUNT, "file_bytes", into.file_bytes),
    END,
};

/* The elements that are sorted, and their keys. */
static const struct gsi_report_row what_rows[] = {
    ROW(SCHEMA, "schema"),
    SET(TYPE, "type", element.type),
    AT(POINTER, "type_source", element.type_source),
    AT(POINTER, "type_word", element.type_word),
    SET(COUNT, "element_bytes", element.bytes),
    TEXTS("keys", element.keys, element.key_count, .is_there = gsi_has_records),
    SET(FLAG, "is_float", element.is_float),
    SET(FLAG, "is_signed", element.is_signed),
    AT(FLAG, "reverse", element.is_reversed),
    OBJECT("written", written_rows, .known = IN(payload.written_bytes)),
    TEXTS("values", input.values, input.value_count),
    TEXTS("where", input.where, input.where_count),
    AT(SET, "merge_set", set.operation),
    OBJECT("range", range_rows, .known = IN(range.is_given)),
    OBJECT("find", find_rows, .known = IN(find.is_given)),
    OBJECT("part", part_rows, .known = IN(part.count)),
    OBJECT("into", into_rows, .known = IN(into.is_given)),
    KNOWN(COUNT, "top_count", top.count, top.is_given),
    KNOWN(COUNT, "shuffle_seed", payload.seed, payload.is_shuffled),
    KNOWN(COUNT, "position_count", output.position_count, output.is_permuted),
    AT(POINTER, "device", device.name),
    AT(NOTE, "device_name", device.model),
    AT(NOTE, "device_note", device.note),
    AT(POINTER, "engine", engine.name),
    AT(NOTE, "engine_note", engine.note),
    AT(FLAG, "is_direct_input", input.is_direct),
    AT(FLAG, "is_direct_output", output.is_direct),
    AT(FLAG, "is_direct_temp", runs.is_direct),
    TEXTS("notes", notes.texts, notes.count),
    END,
};

const struct gsi_report_row gsi_report_rows[] = {
    ALSO(what_rows),
    SET(COUNT, "input_bytes", input.bytes),
    SET(COUNT, "output_bytes", output.bytes),
    SET(COUNT, "unique_count", groups.written_count, .known = IN(groups.is_unique)),
    ROW(COUNT, "group_count", .in = IN(groups.count), .known = IN(groups.is_unique),
        .is_known = is_not_top),
    AT(COUNT, "folded_count", groups.folded_count),
    KNOWN(COUNT, "duplicate_count", check.duplicate_count, check.has_duplicate_count),
    KNOWN(HEX, "valsort_checksum", check.valsort_checksum, check.has_valsort_checksum),
    AT(COUNT, "resumed_bytes", resumed.bytes),
    AT(COUNT, "resumed_output_bytes", resumed.output_bytes),
    AT(COUNT, "input_file_bytes", input.file_bytes),
    AT(COUNT, "output_file_bytes", output.file_bytes),
    AT(SECONDS, "seconds", cost.ns),
    AT(SECONDS, "start_seconds", cost.start_ns),
    AT(SECONDS, "device_start_seconds", device.start_ns),
    AT(SECONDS, "end_seconds", cost.end_ns),
    AT(COUNT, "run_count", runs.count),
    AT(COUNT, "spilled_runs", runs.spilled_count),
    AT(COUNT, "spilled_bytes", runs.spilled_bytes),
    AT(COUNT, "in_order_bytes", one_pass.written_bytes),
    AT(FLAG, "is_one_pass", one_pass.is_whole),
    AT(COUNT, "stretch_count", presorted.count),
    AT(COUNT, "stretch_bytes", presorted.bytes),
    AT(POINTER, "in_order_note", one_pass.note),
    AT(NOTE, "codec", runs.codec),
    AT(COUNT, "coded_runs", runs.coded_count),
    AT(COUNT, "spilled_coded_bytes", runs.coded_bytes),
    AT(COUNT, "host_run_bytes", device.host_run_bytes),
    AT(COUNT, "circular_merge_count", device.tuned_merge_count),
    AT(COUNT, "merge_passes", runs.merge_passes),
    SET(COUNT, "bytes_read", cost.bytes_read),
    SET(COUNT, "bytes_written", cost.bytes_written),
    AT(COUNT, "temp_bytes", runs.temp_bytes),
    AT(COUNT, "memory_peak_bytes", cost.memory_peak_bytes),
    OBJECT("memory", memory_rows),
    OBJECT("tally", tally_rows, .is_set = true),
    SET(COUNT, "left_out_count", input.left_out_count),
    SET(PRINT, "left_out_fingerprint", input.left_out_fingerprint),
    KNOWN(END_KEY, "first_key", ends.first_key, ends.are_known),
    KNOWN(END_KEY, "last_key", ends.last_key, ends.are_known),
    ROW(LIST, "split", .item = GSI_ROW_COUNT, .in = ITEM(split.counts), .count = IN(split.count),
        .known = IN(split.count), .most = GSI_SPLIT_MAX),
    ROW(CHARS, "ranks_of", .in = IN(order_statistics.field.text), .is_known = has_ranks),
    AT(COUNT, "quantile_passes", order_statistics.passes),
    LIST("quantiles", quantile_rows, .count = IN(order_statistics.quantile_count),
         .most = GSI_QUANTILES_MAX),
    LIST("histogram", bin_rows, .count = IN(order_statistics.bin_count), .most = GSI_BINS_MAX),
    KNOWN(COUNT, "distinct_count", order_statistics.distinct_count, order_statistics.has_groups),
    KNOWN(COUNT, "mode_count", order_statistics.mode_count, order_statistics.has_groups),
    ROW(VALUE, "mode", .in = IN(order_statistics.mode_value), .of = GSI_OF_RANKS,
        .known = IN(order_statistics.mode_count)),
    LIST("fields", field_rows, .count = IN(element.field_count), .most = GSI_FIELDS_MAX,
         .is_there = gsi_has_records, .is_set = true),
    OBJECT("plan", plan_rows),
    LIST("phases", phase_rows, .most = GS_PHASE_COUNT),
    OBJECT("disorder", disorder_rows, .known = IN(disorder.index)),
    END,
};

static const struct gsi_report_row room_rows[] = {
    OBJECT("prediction", prediction_rows, .known = IN(prediction.is_made)),
    LIST("spaces", space_rows, .count = IN(space.count), .most = GSI_SPACES_MAX),
    KNOWN(FLAG, "has_room", space.is_enough, space.count),
    END,
};

const struct gsi_report_row gsi_plan_rows[] = {
    ALSO(what_rows),
    OBJECT("plan", plan_rows),
    AT(POINTER, "in_order_note", one_pass.note),
    ALSO(room_rows),
    END,
};

/* Programs read these fields by their paths; no report prints them. */
static const struct gsi_report_row beside_rows[] = {
    AT(FLAG, "is_packed", input.is_packed),      AT(COUNT, "data_offset", input.data_off),
    AT(COUNT, "data_bytes", input.data_bytes),   AT(COUNT, "expected_bytes", input.expected_bytes),
    AT(COUNT, "wide_bytes", element.wide_bytes), AT(FLAG, "is_placed", output.is_placed),
    AT(FLAG, "is_kept", resumed.is_kept),        END,
};

const struct gsi_report_row gsi_all_rows[] = {
    ALSO(gsi_report_rows),
    ALSO(room_rows),
    ALSO(beside_rows),
    END,
};
