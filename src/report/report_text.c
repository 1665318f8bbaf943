/* report_text.c: a report for people. */
#include "base/report.h"

#include "device/cpu/cpu_leaf_sort.h"
#include "device/device.h"
#include "element/number_type.h"
#include "element/quantile/quantile.h"
#include "option/option.h"
#include "report/lines.h"
#include "report/number.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

_Static_assert(GSI_ELEMENT_TEXT_BYTES >= GSI_NUMBER_BYTES, "texts of elements are numbers");

void gsi_shown_element(const struct gs_report *report, const uint8_t element[16],
                       char text[GSI_ELEMENT_TEXT_BYTES])
{
    gsi_number_element(text, element, report->element_bytes, report->is_float, report->is_signed);
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
    fprintf(file, "\n");
}

/* Files that were read or written past the page cache. */
static void print_engine(FILE *file, const struct gs_report *report)
{
    const struct {
        const char *name;
        bool is_direct;
    } ways[] = {{"input", report->direct_input},
                {"output", report->direct_output},
                {"temp", report->direct_temp}};
    fprintf(file, GSI_LINE_NAME "%s, ", "engine", report->engine);
    const char *before = "direct ";
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++)
        if (ways[i].is_direct) {
            fprintf(file, "%s%s", before, ways[i].name);
            before = ", ";
        }
    if (!report->direct_input && !report->direct_output && !report->direct_temp)
        fputs("buffered", file);
    if (report->engine_note[0] != '\0')
        fprintf(file, " (%s)", report->engine_note);
    fputc('\n', file);
}

static void print_device(FILE *file, const struct gs_report *report)
{
    fprintf(file, GSI_LINE_NAME "%s", "device", report->device);
    if (report->device_name[0] != '\0')
        fprintf(file, ", %s", report->device_name);
    if (report->device_note[0] != '\0')
        fprintf(file, " (%s)", report->device_note);
    fputc('\n', file);
}

/* Prints a count that is zero for most data, if it is not. */
static void print_special(FILE *file, const char *name, uint64_t count)
{
    if (count > 0)
        gsi_line_count(file, name, count);
}

static void print_tally(FILE *file, const struct gsi_field_report *field,
                        const struct gsi_tally_report *tally)
{
    char text[GSI_ELEMENT_TEXT_BYTES];
    if (tally->has_extremes) {
        gsi_shown_text(field, tally->min, text);
        gsi_line(file, "min", text);
        gsi_shown_text(field, tally->max, text);
        gsi_line(file, "max", text);
    }
    if (field->is_float)
        gsi_number_double(text, tally->sum_float);
    else
        gsi_number_sum(text, tally->sum);
    if (!field->has_no_sum)
        gsi_line(file, "sum", text);
    if (tally->has_moments) {
        gsi_shown_computed(field, tally->mean, tally->mean_time, text);
        gsi_line(file, "mean", text);
        gsi_number_double(text, tally->variance);
        gsi_line(file, "variance", text);
        gsi_number_double(text, sqrt(tally->variance));
        gsi_line(file, "deviation", text);
    }
    print_special(file, field->is_time ? "nat" : "nan", tally->nan_count);
    if (!field->is_float)
        return;
    print_special(file, "inf", tally->positive_infinity_count);
    print_special(file, "-inf", tally->negative_infinity_count);
    print_special(file, "-0", tally->negative_zero_count);
}

/* Of numbers one tally, of records one for each field. */
static void print_tallies(FILE *file, const struct gs_report *report)
{
    struct gsi_field_report element = gsi_element_field(report);
    if (!gsi_has_records(report) && report->field_count == 0)
        print_tally(file, &element, &report->tally);
    for (size_t i = 0; i < report->field_count; i++) {
        if (gsi_has_records(report))
            gsi_line(file, "field", report->fields[i].text);
        print_tally(file, &report->fields[i], &report->field_tallies[i]);
    }
}

/* Whether the quantile is an element, or as near to one as a double can be. */
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

/* What follows from the order. */
static void print_ranks(FILE *file, const struct gs_report *report)
{
    struct gsi_field_report element = gsi_element_field(report);
    const struct gsi_field_report *field =
        report->field_count > 0 ? &report->quantile_field : &element;
    char text[GSI_ELEMENT_TEXT_BYTES], between[GSI_ELEMENT_TEXT_BYTES], name[32];
    if (gsi_has_records(report) &&
        (report->quantile_count > 0 || report->bin_count > 0 || report->has_groups))
        gsi_line(file, "ranks of", field->text);
    for (size_t i = 0; i < report->quantile_count; i++) {
        const struct gsi_quantile_report *quantile = &report->quantiles[i];
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
    if (report->has_no_bins)
        gsi_line(file, "histogram", "none: there are no values");
    for (uint32_t i = 0; i < report->bin_count; i++) {
        gsi_shown_text(field, report->bins[i].from, text);
        fprintf(file, GSI_LINE_NAME "%s.. %" PRIu64 "\n", i == 0 ? "histogram" : "", text,
                report->bins[i].count);
    }
    if (!report->has_groups)
        return;
    gsi_line_count(file, "distinct", report->distinct_count);
    if (report->mode_count == 0)
        return;
    gsi_shown_text(field, report->mode_value, text);
    fprintf(file, GSI_LINE_NAME "%s, %" PRIu64 " time%s\n", "mode", text, report->mode_count,
            gsi_plural(report->mode_count));
}

static void print_type(FILE *file, const struct gs_report *report)
{
    if (report->type == NULL)
        return;
    if (gsi_has_records(report))
        fprintf(file, GSI_LINE_NAME "%s of %" PRIu32 " bytes", "type", report->type,
                report->element_bytes);
    else {
        fprintf(file, GSI_LINE_NAME "%s, ", "type", report->type);
        gsi_line_source(file, report);
    }
    for (size_t i = 0; i < report->key_count; i++)
        fprintf(file, "%s%s", i == 0 ? ", by " : ", ", report->keys[i]);
    fputs(report->reverse ? ", reversed\n" : "\n", file);
}

/* Runs that a device with memory of its own had no room for. */
static void print_held(FILE *file, const struct gs_report *report)
{
    char text[GSI_NUMBER_BYTES];
    gsi_number_size(text, report->host_run_bytes);
    if (report->host_run_bytes > 0)
        fprintf(file, GSI_LINE_NAME "%" PRIu64 " bytes (%s) of runs in pinned host memory\n",
                "held", report->host_run_bytes, text);
}

static void print_tuning(FILE *file, const struct gs_report *report)
{
    if (report->plan.is_circular)
        fprintf(file, GSI_LINE_NAME "%" PRIu64 " merge%s of two runs with circular buffers\n",
                "tuning", report->circular_merge_count, gsi_plural(report->circular_merge_count));
}

static void print_in_order(FILE *file, const struct gs_report *report)
{
    char text[GSI_NUMBER_BYTES];
    if (report->in_order_bytes == 0)
        return;
    gsi_number_size(text, report->in_order_bytes);
    fprintf(file, GSI_LINE_NAME "%s: %" PRIu64 " bytes (%s) were written while reading\n",
            "in order",
            report->is_one_pass ? "one pass" : "until an element was too far from its place",
            report->in_order_bytes, text);
}

static void print_stretches(FILE *file, const struct gs_report *report)
{
    char text[GSI_NUMBER_BYTES];
    gsi_number_size(text, report->stretch_bytes);
    if (report->stretch_count > 0)
        fprintf(file,
                GSI_LINE_NAME "%" PRIu64 " bytes (%s) in %" PRIu32
                              " presorted range%s, read again from the inputs\n",
                "in order", report->stretch_bytes, text, report->stretch_count,
                gsi_plural(report->stretch_count));
}

static void print_spilled(FILE *file, const struct gs_report *report)
{
    char text[GSI_NUMBER_BYTES];
    if (report->spilled_runs == 0)
        return;
    gsi_number_size(text, report->spilled_bytes);
    fprintf(file, GSI_LINE_NAME "%" PRIu64 " bytes (%s) in %" PRIu64, "spilled",
            report->spilled_bytes, text, report->spilled_runs);
    if (report->plan.is_merge) /* of others than it began with */
        fprintf(file, " run%s", gsi_plural(report->spilled_runs));
    else
        fprintf(file, " of %" PRIu64 " run%s", report->run_count, gsi_plural(report->run_count));
    if (report->coded_runs > 0)
        fprintf(file, ", compressed to %" PRIu64 " bytes (%s", report->spilled_coded_bytes,
                report->codec);
    if (report->coded_runs > 0 && report->coded_runs < report->spilled_runs)
        fprintf(file, " in %" PRIu64 " run%s", report->coded_runs, gsi_plural(report->coded_runs));
    fputs(report->coded_runs > 0 ? ")\n" : "\n", file);
}

/* What was done before this process began. */
static void print_resumed(FILE *file, const struct gs_report *report)
{
    char sorted[GSI_NUMBER_BYTES], written[GSI_NUMBER_BYTES];
    gsi_number_size(sorted, report->resumed_bytes);
    gsi_number_size(written, report->resumed_output_bytes);
    fprintf(file, GSI_LINE_NAME "%s of the input and %s of the output were already done\n",
            "resumed", sorted, written);
}

/* How much of the data files held, where that is not what it is. */
static void print_files(FILE *file, const struct gs_report *report)
{
    char read[GSI_NUMBER_BYTES], written[GSI_NUMBER_BYTES];
    bool has_input = report->input_file_bytes != report->input_bytes;
    bool has_output = report->output_file_bytes != report->output_bytes;
    gsi_number_size(read, report->input_file_bytes);
    gsi_number_size(written, report->output_file_bytes);
    if (has_input && has_output)
        fprintf(file, GSI_LINE_NAME "%s read, %s written\n", "files", read, written);
    else if (has_input || has_output)
        fprintf(file, GSI_LINE_NAME "%s %s\n", "files", has_input ? read : written,
                has_input ? "read" : "written");
}

static void print_top(FILE *file, const struct gs_report *report)
{
    uint64_t all = report->tally.count;
    uint64_t wanted = report->top_count < all ? report->top_count : all;
    bool has_enough = !report->is_unique || report->unique_count == report->top_count;
    bool is_cut = report->plan.is_merge && wanted < all && has_enough; /* and reads no further */
    if (report->is_shuffled)
        fprintf(file, GSI_LINE_NAME "in random order; seed %" PRIu64 "\n", "shuffle", report->seed);
    if (report->has_top)
        fprintf(file, GSI_LINE_NAME "%" PRIu64 " of %" PRIu64 " elements%s\n", "top",
                report->is_unique ? report->unique_count : wanted, all,
                is_cut ? "; reading stopped when there were enough" : "");
}

/* Prints how many elements there are. A merge that writes one element of each key says both counts:
 * with --stats-only, the one that is written is asked for. */
static void print_count(FILE *file, const struct gs_report *report)
{
    fprintf(file, GSI_LINE_NAME, "elements");
    if (report->is_unique && report->plan.is_merge)
        fprintf(file, "%" PRIu64 " with -u, of ", report->unique_count);
    fprintf(file, "%" PRIu64 "\n", report->tally.count);
}

static void print_unique(FILE *file, const struct gs_report *report)
{
    fprintf(file, GSI_LINE_NAME "%" PRIu64 " of %" PRIu64 " elements", "unique",
            report->unique_count, report->tally.count);
    if (report->group_count != report->unique_count && !report->has_top)
        fprintf(file, ", from %" PRIu64 " groups", report->group_count);
    if (report->folded_count > 0)
        fprintf(file, "; %" PRIu64 " combined while reading", report->folded_count);
    fputc('\n', file);
}

/* The files that the output was split into, and how different they are. */
static void print_split(FILE *file, const struct gs_report *report)
{
    uint64_t least = UINT64_MAX, most = 0;
    for (uint32_t i = 0; i < report->split_count; i++) {
        uint64_t count = report->split_counts[i];
        least = count < least ? count : least;
        most = count > most ? count : most;
    }
    if (report->split_count > 0)
        fprintf(file,
                GSI_LINE_NAME "%" PRIu32 " file%s, each with %" PRIu64 " to %" PRIu64 " elements\n",
                "split", report->split_count, gsi_plural(report->split_count), least, most);
}

void gsi_report_text(FILE *file, const struct gs_report *report)
{
    char text[GSI_NUMBER_BYTES], rate[GSI_NUMBER_BYTES];
    print_count(file, report);
    if (report->where_count > 0) {
        gsi_line_where(file, report, "where");
        fprintf(file, "; %" PRIu64 " left out\n", report->left_out_count);
    }
    gsi_line_range(file, report);
    print_split(file, report);
    print_top(file, report);
    print_type(file, report);
    gsi_line_written(file, report);
    if (report->is_unique)
        print_unique(file, report);
    if (report->has_duplicate_count)
        fprintf(file, GSI_LINE_NAME "%" PRIu64 " key%s\n", "duplicate", report->duplicate_count,
                gsi_plural(report->duplicate_count));
    gsi_number_hex(text, report->valsort_checksum);
    if (report->has_valsort_checksum)
        fprintf(file, GSI_LINE_NAME "%s, as valsort prints it\n", "checksum", text);
    gsi_number_size(text, report->input_bytes);
    fprintf(file, GSI_LINE_NAME "%" PRIu64 " (%s)\n", "bytes", report->input_bytes, text);
    print_files(file, report);
    gsi_number_duration(text, report->ns);
    gsi_number_rate(rate, report->input_bytes, report->ns);
    fprintf(file, GSI_LINE_NAME "%s, %s\n", "time", text, rate);
    if (report->device != NULL)
        print_device(file, report);
    if (report->engine != NULL)
        print_engine(file, report);
    uint64_t fed_again =
        (report->in_order_bytes > 0 && !report->is_one_pass) + report->stretch_count;
    gsi_line_count(file, "passes",
                   report->quantile_passes > 0
                       ? report->quantile_passes
                       : gsi_pass_count(&report->plan, report->spilled_runs + fed_again,
                                        report->merge_passes));
    print_in_order(file, report);
    print_stretches(file, report);
    print_held(file, report);
    print_tuning(file, report);
    print_spilled(file, report);
    if (report->resumed_bytes > 0)
        print_resumed(file, report);
    print_tallies(file, report);
    print_ranks(file, report);
}
