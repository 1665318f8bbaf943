/* report_text.c: a report for people. */
#include "job/job_report.h"

#include "device/cpu/cpu_leaf_sort.h"
#include "device/device.h"
#include "element/number_type.h"
#include "element/quantile/quantile.h"
#include "option/option.h"
#include "report/lines.h"
#include "report/number.h"
#include "report/report_rows.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

_Static_assert(GSI_ELEMENT_TEXT_BYTES >= GSI_NUMBER_BYTES, "texts of elements are numbers");

void gsi_shown_element(const struct gs_report *report, const uint8_t element[16],
                       char text[GSI_ELEMENT_TEXT_BYTES])
{
    gsi_number_element(text, element, report->element.bytes, report->element.is_float,
                       report->element.is_signed);
}

void gsi_shown_text(const struct gsi_field_report *field, const uint8_t value[16],
                    char text[GSI_ELEMENT_TEXT_BYTES])
{
    int64_t time;
    memcpy(&time, value, sizeof time);
    text[0] = '\0'; /* of a field of no bytes */
    if (field->is_time && (time == INT64_MIN || field->unit != GSI_UNIT_NONE)) {
        gsi_time_text(text, time, field->unit);
    } else if (field->is_float && field->bytes == 2) {
        gsi_number_half(text, value, field->is_bfloat);
    } else if (field->is_number) {
        gsi_number_element(text, value, field->element_bytes, field->is_float, field->is_signed);
    } else
        for (uint32_t i = 0; i < field->bytes && i < 16; i++)
            sprintf(text + (size_t)2 * i, "%02x", value[i]);
}

void gsi_shown_computed(const struct gsi_field_report *field, double number, int64_t time,
                        char text[GSI_ELEMENT_TEXT_BYTES])
{
    if (field->unit != GSI_UNIT_NONE)
        gsi_time_text(text, time, field->unit);
    else
        gsi_number_double(text, number);
}

void gsi_shown_value(const struct gsi_field_report *field, const void *element, uint8_t value[16])
{
    const uint8_t *at = (const uint8_t *)element + field->off;
    uint32_t bytes = field->bytes < 16 ? field->bytes : 16;
    memset(value, 0, 16);
    for (uint32_t i = 0; i < bytes; i++)
        value[i] = at[field->is_big_endian ? field->bytes - 1 - i : i];
    if (field->is_float && bytes == 2) {
        uint32_t half = value[0] | (uint32_t)value[1] << 8;
        uint32_t wide = field->is_bfloat ? half << 16 : gsi_f32_of_f16((uint16_t)half);
        memcpy(value, &wide, sizeof wide);
    } else if (field->is_signed && !field->is_float && (value[bytes - 1] & 0x80) != 0) {
        memset(value + bytes, 0xff, 16 - bytes);
    }
}

const char *gs_version(void)
{
    return GSORT_VERSION;
}

void gs_version_text(FILE *file)
{
    const char *between = "";
    fprintf(file, "gsort %s\ndevices: ", gs_version());
    for (const struct gs_choice *c = gsi_choices_of_device; c->word != NULL; c++) {
        const struct gsi_device_ops *ops = gsi_device_find((enum gsi_device_word)c->value);
        if (c->value == GSI_DEVICE_AUTO || ops == NULL)
            continue;
        fprintf(file, "%s%s", between, ops->name);
        if (ops == &gsi_device_cpu)
            fprintf(file, " (VQSort with %s)", gsi_leaf_target());
        between = ", ";
    }
    fprintf(file, "\nI/O engines: ");
    between = "";
    for (const struct gs_choice *c = gsi_choices_of_io; c->word != NULL; c++) {
        const struct gsi_engine_ops *ops = gsi_engine_find((enum gsi_io_choice)c->value);
        if (ops == NULL)
            continue;
        fprintf(file, "%s%s", between, ops->name);
        between = ", ";
    }
    fprintf(file, "\nJSON: reports %d, lines %d\n", GSI_REPORT_SCHEMA, GSI_JSON_LINES_VERSION);
}

/* Files that were read or written past the page cache. */
static void print_engine(FILE *file, const struct gs_report *report)
{
    const struct {
        const char *name;
        bool is_direct;
    } ways[] = {{"input", report->input.is_direct},
                {"output", report->output.is_direct},
                {"temp", report->runs.is_direct}};
    fprintf(file, GSI_LINE_NAME "%s, ", "engine", report->engine.name);
    const char *before = "direct ";
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++)
        if (ways[i].is_direct) {
            fprintf(file, "%s%s", before, ways[i].name);
            before = ", ";
        }
    if (!report->input.is_direct && !report->output.is_direct && !report->runs.is_direct)
        fputs("buffered", file);
    if (report->engine.note[0] != '\0')
        fprintf(file, " (%s)", report->engine.note);
    fputc('\n', file);
}

/* Prints one tally for numbers, or one for each field of records. */
static void print_tallies(FILE *file, const struct gs_report *report)
{
    char prefix[32] = "tally.";
    for (size_t i = 0; i < report->element.field_count || i == 0; i++) {
        bool is_time = report->element.field_count > 0 && report->element.fields[i].is_time;
        const struct gsi_text_line lines[] = {
            {"field", "{field}"},
            {"min", "{min}"},
            {"max", "{max}"},
            {"sum", "{sum}"},
            {"mean", "{mean}"},
            {"variance", "{variance}"},
            {"deviation", "{deviation}"},
            {is_time ? "nat" : "nan", "{nan_count|if}{nan_count}"},
            {"inf", "{positive_infinity_count|if}{positive_infinity_count}"},
            {"-inf", "{negative_infinity_count|if}{negative_infinity_count}"},
            {"-0", "{negative_zero_count|if}{negative_zero_count}"},
        };
        if (gsi_has_records(report))
            snprintf(prefix, sizeof prefix, "fields[%zu].", i);
        GSI_LINES(file, report, prefix, lines);
    }
}

/* Returns whether the quantile is an element, or as near to one as a double can be. */
static bool is_element(const struct gsi_field_report *field,
                       const struct gsi_quantile_report *quantile)
{
    const struct gsi_key_type type = {.bytes = field->element_bytes,
                                      .kind = field->is_float    ? GSI_KEY_FLOAT
                                              : field->is_signed ? GSI_KEY_SIGNED
                                                                 : GSI_KEY_UNSIGNED};
    double value = gsi_value_of(&type, quantile->value);
    if (field->unit != GSI_UNIT_NONE)
        return memcmp(&quantile->between_time, quantile->value, sizeof(int64_t)) == 0;
    return value == quantile->between || (isnan(value) && isnan(quantile->between));
}

/* Figures that follow from the order. */
static void print_ranks(FILE *file, const struct gs_report *report)
{
    static const struct gsi_text_line begin[] = {{"ranks of", "{ranks_of}"}};
    static const struct gsi_text_line end[] = {{"distinct", "{distinct_count}"},
                                               {"mode", "{mode}, {mode_count} time{mode_count|s}"}};
    const struct gsi_order_report *order = &report->order_statistics;
    struct gsi_field_report element = gsi_element_field(report);
    const struct gsi_field_report *field =
        report->element.field_count > 0 ? &order->field : &element;
    char text[GSI_ELEMENT_TEXT_BYTES], between[GSI_ELEMENT_TEXT_BYTES], name[32];
    GSI_LINES(file, report, "", begin);
    for (size_t i = 0; i < order->quantile_count; i++) {
        const struct gsi_quantile_report *quantile = &order->quantiles[i];
        bool is_decimal = quantile->text[0] != 'm';
        snprintf(name, sizeof name, "%s%s", is_decimal ? "p" : "", quantile->text);
        if (quantile->rank == 0) {
            gsi_line(file, name, "none: there are no values");
            continue;
        }
        gsi_shown_text(field, quantile->value, text);
        gsi_shown_computed(field, quantile->between, quantile->between_time, between);
        bool is_all = is_element(field, quantile);
        fprintf(file, is_all ? GSI_LINE_NAME "%s\n" : GSI_LINE_NAME "%s (%s)\n", name, text,
                between);
    }
    if (order->has_no_bins)
        gsi_line(file, "histogram", "none: there are no values");
    for (uint32_t i = 0; i < order->bin_count; i++) {
        const struct gsi_text_line bin[] = {{i == 0 ? "histogram" : "", "{from}.. {count}"}};
        snprintf(name, sizeof name, "histogram[%" PRIu32 "].", i);
        GSI_LINES(file, report, name, bin);
    }
    GSI_LINES(file, report, "", end);
}

static void print_type(FILE *file, const struct gs_report *report)
{
    if (report->element.type == NULL)
        return;
    if (gsi_has_records(report))
        fprintf(file, GSI_LINE_NAME "%s of %" PRIu32 " bytes", "type", report->element.type,
                report->element.bytes);
    else {
        fprintf(file, GSI_LINE_NAME "%s, ", "type", report->element.type);
        gsi_line_source(file, report);
    }
    for (size_t i = 0; i < report->element.key_count; i++)
        fprintf(file, "%s%s", i == 0 ? ", by " : ", ", report->element.keys[i]);
    fputs(report->element.is_reversed ? ", reversed\n" : "\n", file);
}

static void print_spilled(FILE *file, const struct gs_report *report)
{
    const struct gsi_runs_report *runs = &report->runs;
    char text[GSI_NUMBER_BYTES];
    if (runs->spilled_count == 0)
        return;
    gsi_number_size(text, runs->spilled_bytes);
    fprintf(file, GSI_LINE_NAME "%" PRIu64 " bytes (%s) in %" PRIu64, "spilled",
            runs->spilled_bytes, text, runs->spilled_count);
    if (report->plan.is_merge) /* of others than it began with */
        fprintf(file, " run%s", gsi_plural(runs->spilled_count));
    else
        fprintf(file, " of %" PRIu64 " run%s", runs->count, gsi_plural(runs->count));
    if (runs->coded_count > 0)
        fprintf(file, ", compressed to %" PRIu64 " bytes (%s", runs->coded_bytes, runs->codec);
    if (runs->coded_count > 0 && runs->coded_count < runs->spilled_count)
        fprintf(file, " in %" PRIu64 " run%s", runs->coded_count, gsi_plural(runs->coded_count));
    fputs(runs->coded_count > 0 ? ")\n" : "\n", file);
}

/* How much of the data files held, where that is not what it is. */
static void print_files(FILE *file, const struct gs_report *report)
{
    char read[GSI_NUMBER_BYTES], written[GSI_NUMBER_BYTES];
    bool has_input = report->input.file_bytes != report->input.bytes;
    bool has_output = report->output.file_bytes != report->output.bytes;
    gsi_number_size(read, report->input.file_bytes);
    gsi_number_size(written, report->output.file_bytes);
    if (has_input && has_output)
        fprintf(file, GSI_LINE_NAME "%s read, %s written\n", "files", read, written);
    else if (has_input || has_output)
        fprintf(file, GSI_LINE_NAME "%s %s\n", "files", has_input ? read : written,
                has_input ? "read" : "written");
}

static void print_top(FILE *file, const struct gs_report *report)
{
    uint64_t all = report->tally.count;
    uint64_t wanted = report->top.count < all ? report->top.count : all;
    bool has_enough =
        !report->groups.is_unique || report->groups.written_count == report->top.count;
    bool is_cut = report->plan.is_merge && wanted < all && has_enough; /* and reads no further */
    if (report->top.is_given)
        fprintf(file, GSI_LINE_NAME "%" PRIu64 " of %" PRIu64 " elements%s\n", "top",
                report->groups.is_unique ? report->groups.written_count : wanted, all,
                is_cut ? "; reading stopped when there were enough" : "");
}

static void print_unique(FILE *file, const struct gs_report *report)
{
    fprintf(file, GSI_LINE_NAME "%" PRIu64 " of %" PRIu64 " elements", "unique",
            report->groups.written_count, report->tally.count);
    if (report->groups.count != report->groups.written_count && !report->top.is_given)
        fprintf(file, ", from %" PRIu64 " groups", report->groups.count);
    if (report->groups.folded_count > 0)
        fprintf(file, "; %" PRIu64 " combined while reading", report->groups.folded_count);
    fputc('\n', file);
}

/* The files that the output was split into, and how different they are. */
static void print_split(FILE *file, const struct gs_report *report)
{
    uint64_t least = UINT64_MAX, most = 0;
    for (uint32_t i = 0; i < report->split.count; i++) {
        uint64_t count = report->split.counts[i];
        least = count < least ? count : least;
        most = count > most ? count : most;
    }
    if (report->split.count > 0)
        fprintf(file,
                GSI_LINE_NAME "%" PRIu32 " file%s, each with %" PRIu64 " to %" PRIu64 " elements\n",
                "split", report->split.count, gsi_plural(report->split.count), least, most);
}

/* These steps are not part of every job. */
static const struct gsi_text_line ways[] = {
    {"in order", "{in_order_bytes|if}[{is_one_pass|if}one pass][{is_one_pass|no}until an "
                 "element was too far from its place]: {in_order_bytes} bytes "
                 "({in_order_bytes|size}) were written while reading"},
    {"in order", "{stretch_count|if}{stretch_bytes} bytes ({stretch_bytes|size}) in "
                 "{stretch_count} presorted range{stretch_count|s}, read again from the inputs"},
    {"held", "{host_run_bytes|if}{host_run_bytes} bytes ({host_run_bytes|size}) of runs in "
             "pinned host memory"},
    {"tuning", "{plan.is_circular|if}{circular_merge_count} merge{circular_merge_count|s} of "
               "two runs with circular buffers"},
};

void gsi_report_text(FILE *file, const struct gs_report *report)
{
    static const struct gsi_text_line elements[] = {
        /* A merge that writes one element of each key says both counts: with --stats-only, the one
         * that is written is asked for. */
        {"elements", "[{plan.is_merge|if}{unique_count} with -u, of ]{tally.count}"},
        {"where", "{where}; {left_out_count} left out"},
    };
    static const struct gsi_text_line shuffle[] = {
        {"shuffle", "in random order; seed {shuffle_seed}"},
        {"permute", "{position_count} element{position_count|s} written, by positions"},
    };
    static const struct gsi_text_line counts[] = {
        {"duplicate", "{duplicate_count} key{duplicate_count|s}"},
        {"checksum", "{valsort_checksum}, as valsort prints it"},
        {"bytes", "{input_bytes} ({input_bytes|size})"},
    };
    static const struct gsi_text_line device[] = {
        {"device", "{device}[, {device_name}][ ({device_note})]"},
    };
    static const struct gsi_text_line resumed[] = {
        {"resumed", "{resumed_bytes|if}{resumed_bytes|size} of the input and "
                    "{resumed_output_bytes|size} of the output were already done"},
    };
    char text[GSI_NUMBER_BYTES], rate[GSI_NUMBER_BYTES];
    GSI_LINES(file, report, "", elements);
    gsi_line_range(file, report);
    print_split(file, report);
    GSI_LINES(file, report, "", shuffle);
    print_top(file, report);
    print_type(file, report);
    gsi_line_written(file, report);
    if (report->groups.is_unique)
        print_unique(file, report);
    GSI_LINES(file, report, "", counts);
    print_files(file, report);
    gsi_number_duration(text, report->cost.ns);
    gsi_number_rate(rate, report->input.bytes, report->cost.ns);
    fprintf(file, GSI_LINE_NAME "%s, %s\n", "time", text, rate);
    GSI_LINES(file, report, "", device);
    if (report->engine.name != NULL)
        print_engine(file, report);
    uint64_t fed_again = (report->one_pass.written_bytes > 0 && !report->one_pass.is_whole) +
                         report->presorted.count;
    gsi_line_count(file, "passes",
                   report->order_statistics.passes > 0
                       ? report->order_statistics.passes
                       : gsi_pass_count(&report->plan, report->runs.spilled_count + fed_again,
                                        report->runs.merge_passes));
    GSI_LINES(file, report, "", ways);
    print_spilled(file, report);
    GSI_LINES(file, report, "", resumed);
    print_tallies(file, report);
    print_ranks(file, report);
}
