/* report_text.c: a report, and a plan, for people: aligned lines of a name and what it is. */
#include "gsort.h"

#include "base/sized.h"
#include "device/cpu/cpu_leaf_sort.h"
#include "device/device.h"
#include "plan/plan.h"
#include "report/number.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

_Static_assert(GS_ELEMENT_TEXT_BYTES >= GSI_NUMBER_BYTES, "texts of elements are numbers");

#define NAME_COLUMNS "%-10s"

void gs_element_text(const struct gs_report *report, const uint8_t element[16],
                     char text[GS_ELEMENT_TEXT_BYTES])
{
    gsi_number_element(text, element, report->element_bytes, report->is_float, report->is_signed);
}

void gs_field_text(const struct gs_field *field, const uint8_t value[16],
                   char text[GS_ELEMENT_TEXT_BYTES])
{
    if (field->is_number) {
        gsi_number_element(text, value, field->element_bytes, field->is_float, field->is_signed);
        return;
    }
    for (uint32_t i = 0; i < field->bytes && i < 16; i++)
        sprintf(text + (size_t)2 * i, "%02x", value[i]);
}

const char *gs_version(void)
{
    return GSORT_VERSION;
}

void gs_version_text(FILE *file)
{
    const char *between = "";
    fprintf(file, "gsort %s\ndevices: ", gs_version());
    for (const struct gs_choice *c = gs_device_choices(); c->word != NULL; c++) {
        const struct gsi_device_ops *ops = gsi_device_find((enum gs_device_choice)c->value);
        if (c->value == GS_DEVICE_AUTO || ops == NULL)
            continue;
        fprintf(file, "%s%s", between, ops->name);
        if (ops == &gsi_device_cpu)
            fprintf(file, " (VQSort with %s)", gsi_leaf_target());
        between = ", ";
    }
    fprintf(file, "\nI/O engines: ");
    between = "";
    for (const struct gs_choice *c = gs_io_choices(); c->word != NULL; c++) {
        const struct gsi_engine_ops *ops = gsi_engine_find((enum gs_io_choice)c->value);
        if (ops == NULL)
            continue;
        fprintf(file, "%s%s", between, ops->name);
        between = ", ";
    }
    fprintf(file, "\n");
}

static void print_line(FILE *file, const char *name, const char *text)
{
    fprintf(file, NAME_COLUMNS "%s\n", name, text);
}

static void print_count(FILE *file, const char *name, uint64_t count)
{
    fprintf(file, NAME_COLUMNS "%" PRIu64 "\n", name, count);
}

static const char *plural(uint64_t count)
{
    return count == 1 ? "" : "s";
}

/* What said the type, and how, if that was another word than gsort's. */
static void print_source(FILE *file, const struct gs_report *report)
{
    static const char *const texts[][2] = {{"option", "as asked"},
                                           {"npy header", "from the .npy header"},
                                           {"file name", "from the file name"},
                                           {"output name", "from the output's name"}};
    const char *text = "by default";
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        if (strcmp(report->type_source, texts[i][0]) == 0)
            text = texts[i][1];
    fputs(text, file);
    if (report->type_word != NULL && strcmp(report->type_word, report->type) != 0)
        fprintf(file, " (%s)", report->type_word);
}

/* Times that all data are read and written: one if nothing was spilled; inputs that are sorted need
 * no pass to make runs of them. */
static uint64_t pass_count(const struct gs_plan *plan, uint64_t spilled_runs, uint32_t merge_passes)
{
    return 1 + (uint64_t)merge_passes + (spilled_runs > 0 && !plan->is_merge);
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
    fprintf(file, NAME_COLUMNS "%s, ", "engine", report->engine);
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
    fprintf(file, NAME_COLUMNS "%s", "device", report->device);
    if (report->device_name[0] != '\0')
        fprintf(file, ", %s", report->device_name);
    if (report->device_note[0] != '\0')
        fprintf(file, " (%s)", report->device_note);
    fputc('\n', file);
}

static void print_tally(FILE *file, const struct gs_field *field, const struct gs_tally *tally)
{
    char text[GS_ELEMENT_TEXT_BYTES];
    if (tally->has_extremes) {
        gs_field_text(field, tally->min, text);
        print_line(file, "min", text);
        gs_field_text(field, tally->max, text);
        print_line(file, "max", text);
    }
    if (field->is_float)
        gsi_number_double(text, tally->sum_float);
    else
        gsi_number_sum(text, tally->sum);
    print_line(file, "sum", text);
    if (tally->has_moments) {
        gsi_number_double(text, tally->mean);
        print_line(file, "mean", text);
        gsi_number_double(text, tally->variance);
        print_line(file, "variance", text);
        gsi_number_double(text, sqrt(tally->variance));
        print_line(file, "deviation", text);
    }
    if (!field->is_float)
        return;
    print_count(file, "nan", tally->nan_count);
    print_count(file, "inf", tally->positive_infinity_count);
    print_count(file, "-inf", tally->negative_infinity_count);
    print_count(file, "-0", tally->negative_zero_count);
}

static struct gs_field element_field(const struct gs_report *report)
{
    return (struct gs_field){.is_number = true,
                             .element_bytes = report->element_bytes,
                             .is_float = report->is_float,
                             .is_signed = report->is_signed};
}

/* Of numbers one tally, of records one for each field. */
static void print_tallies(FILE *file, const struct gs_report *report)
{
    struct gs_field element = element_field(report);
    if (report->plan.record_bytes == 0)
        print_tally(file, &element, &report->tally);
    for (size_t i = 0; i < report->field_count; i++) {
        print_line(file, "field", report->fields[i].text);
        print_tally(file, &report->fields[i], &report->field_tallies[i]);
    }
}

/* What follows from the order. */
static void print_ranks(FILE *file, const struct gs_report *report)
{
    struct gs_field element = element_field(report);
    const struct gs_field *field =
        report->plan.record_bytes > 0 ? &report->quantile_field : &element;
    char text[GS_ELEMENT_TEXT_BYTES], between[GSI_NUMBER_BYTES], name[32];
    if (report->plan.record_bytes > 0 && (report->quantile_count > 0 || report->has_groups))
        print_line(file, "ranks of", field->text);
    for (size_t i = 0; i < report->quantile_count; i++) {
        const struct gs_quantile *quantile = &report->quantiles[i];
        bool is_decimal = quantile->text[0] != 'm';
        gs_field_text(field, quantile->value, text);
        gsi_number_double(between, quantile->between);
        snprintf(name, sizeof name, "%s%s", is_decimal ? "p" : "", quantile->text);
        fprintf(file, strcmp(text, between) == 0 ? NAME_COLUMNS "%s\n" : NAME_COLUMNS "%s (%s)\n",
                name, text, between);
    }
    if (!report->has_groups)
        return;
    print_count(file, "distinct", report->distinct_count);
    if (report->mode_count == 0)
        return;
    gs_field_text(field, report->mode_value, text);
    fprintf(file, NAME_COLUMNS "%s, %" PRIu64 " time%s\n", "mode", text, report->mode_count,
            plural(report->mode_count));
}

static void print_type(FILE *file, const struct gs_report *report)
{
    if (report->type == NULL)
        return;
    if (report->plan.record_bytes > 0)
        fprintf(file, NAME_COLUMNS "%s of %" PRIu32 " bytes", "type", report->type,
                report->element_bytes);
    else {
        fprintf(file, NAME_COLUMNS "%s, ", "type", report->type);
        print_source(file, report);
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
        fprintf(file, NAME_COLUMNS "%" PRIu64 " bytes (%s) of runs in pinned host memory\n", "held",
                report->host_run_bytes, text);
}

static void print_spilled(FILE *file, const struct gs_report *report)
{
    char text[GSI_NUMBER_BYTES];
    gsi_number_size(text, report->spilled_bytes);
    fprintf(file, NAME_COLUMNS "%" PRIu64 " bytes (%s) in %" PRIu64, "spilled",
            report->spilled_bytes, text, report->spilled_runs);
    if (report->plan.is_merge) /* of others than it began with */
        fprintf(file, " run%s", plural(report->spilled_runs));
    else
        fprintf(file, " of %" PRIu64 " run%s", report->run_count, plural(report->run_count));
    if (report->coded_runs > 0)
        fprintf(file, ", as %" PRIu64 " bytes (%s", report->spilled_coded_bytes, report->codec);
    if (report->coded_runs > 0 && report->coded_runs < report->spilled_runs)
        fprintf(file, " in %" PRIu64 " run%s", report->coded_runs, plural(report->coded_runs));
    fputs(report->coded_runs > 0 ? ")\n" : "\n", file);
}

/* What was done before this process began. */
static void print_resumed(FILE *file, const struct gs_report *report)
{
    char sorted[GSI_NUMBER_BYTES], written[GSI_NUMBER_BYTES];
    gsi_number_size(sorted, report->resumed_bytes);
    gsi_number_size(written, report->resumed_output_bytes);
    fprintf(file, NAME_COLUMNS "after %s of the input; %s of the output\n", "resumed", sorted,
            written);
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
        fprintf(file, NAME_COLUMNS "read as %s, written as %s\n", "files", read, written);
    else if (has_input || has_output)
        fprintf(file, NAME_COLUMNS "%s as %s\n", "files", has_input ? "read" : "written",
                has_input ? read : written);
}

static void print_top(FILE *file, const struct gs_report *report)
{
    if (!report->has_top)
        return;
    fprintf(file, NAME_COLUMNS "%" PRIu64 " of %" PRIu64 " elements\n", "top",
            report->output_bytes / report->element_bytes, report->tally.count);
}

/* Conditions of --where. */
static void print_where(FILE *file, const struct gs_report *report, const char *name)
{
    for (size_t i = 0; i < report->where_count; i++)
        fprintf(file, i == 0 ? NAME_COLUMNS "%s" : "%s%s", i == 0 ? name : ", ", report->where[i]);
}

static void print_unique(FILE *file, const struct gs_report *report)
{
    fprintf(file, NAME_COLUMNS "%" PRIu64 " of %" PRIu64 " elements", "unique",
            report->unique_count, report->tally.count);
    if (report->group_count != report->unique_count && !report->has_top)
        fprintf(file, ", of %" PRIu64 " groups", report->group_count);
    if (report->folded_count > 0)
        fprintf(file, "; %" PRIu64 " folded as they were read", report->folded_count);
    fputc('\n', file);
}

/* Which of the inputs' elements are read. */
static void print_range(FILE *file, const struct gs_report *report)
{
    if (report->has_range)
        fprintf(file, NAME_COLUMNS "%" PRIu64 " elements from %" PRIu64 " on, of %" PRIu64 "\n",
                "range", report->range_count, report->range_first, report->range_of);
    if (report->has_find)
        fprintf(file, NAME_COLUMNS "%" PRIu64 " elements, in the first file from %" PRIu64 " on\n",
                "found", report->find_count, report->find_first);
    if (report->part_count > 0)
        fprintf(
            file,
            NAME_COLUMNS "%" PRIu32 " of %" PRIu32 ", from element %" PRIu64 " of %" PRIu64 " on\n",
            "part", report->part_number, report->part_count, report->part_first, report->part_of);
}

static void print_report(FILE *file, const struct gs_report *report)
{
    char text[GSI_NUMBER_BYTES], rate[GSI_NUMBER_BYTES];
    fprintf(file, NAME_COLUMNS "%" PRIu64 "\n", "elements", report->tally.count);
    if (report->where_count > 0) {
        print_where(file, report, "where");
        fprintf(file, "; %" PRIu64 " left out\n", report->left_out_count);
    }
    print_range(file, report);
    print_top(file, report);
    print_type(file, report);
    if (report->is_unique)
        print_unique(file, report);
    if (report->has_duplicate_count)
        fprintf(file, NAME_COLUMNS "%" PRIu64 " key%s\n", "duplicate", report->duplicate_count,
                plural(report->duplicate_count));
    gsi_number_hex(text, report->valsort_checksum);
    if (report->has_valsort_checksum)
        fprintf(file, NAME_COLUMNS "%s, as valsort's\n", "checksum", text);
    gsi_number_size(text, report->input_bytes);
    fprintf(file, NAME_COLUMNS "%" PRIu64 " (%s)\n", "bytes", report->input_bytes, text);
    print_files(file, report);
    gsi_number_duration(text, report->ns);
    gsi_number_rate(rate, report->input_bytes, report->ns);
    fprintf(file, NAME_COLUMNS "%s, %s\n", "time", text, rate);
    if (report->device != NULL)
        print_device(file, report);
    if (report->engine != NULL)
        print_engine(file, report);
    print_count(file, "passes",
                report->quantile_passes > 0
                    ? report->quantile_passes
                    : pass_count(&report->plan, report->spilled_runs, report->merge_passes));
    print_held(file, report);
    print_spilled(file, report);
    if (report->resumed_bytes > 0)
        print_resumed(file, report);
    print_tallies(file, report);
    print_ranks(file, report);
}

static void print_size(FILE *file, const char *name, uint64_t bytes, const char *what)
{
    char text[GSI_NUMBER_BYTES];
    gsi_number_size(text, bytes);
    fprintf(file, NAME_COLUMNS "%s%s\n", name, text, what);
}

static void print_why(FILE *file, const struct gs_plan *plan)
{
    const char *why;
    if (plan->top_room > 0)
        why = "what is wanted fits into memory: nothing else is sorted, read once";
    else if (plan->is_merge && plan->merge_passes == 0)
        why = "the inputs are sorted: all are merged at once, read once, write once";
    else if (plan->is_merge)
        why = "more inputs than can be merged at once: some are merged with each other first";
    else if (plan->input_bytes == UINT64_MAX)
        why = "how much there is shows only as it is read; what does not fit is spilled";
    else if (plan->spilled_runs == 0)
        why = "everything fits into memory: nothing is spilled, read once, write once";
    else if (plan->merge_passes > 0)
        why = "more runs than can be merged at once: some are merged with each other first";
    else if (plan->spilled_runs < plan->run_count)
        why = "only what does not fit into memory is spilled, then all runs are merged at once";
    else
        why = "every run is spilled once, then all are merged at once";
    print_line(file, "why", why);
}

static void print_runs(FILE *file, const struct gs_plan *plan)
{
    char chunk[GSI_NUMBER_BYTES], run[GSI_NUMBER_BYTES];
    gsi_number_size(chunk, plan->chunk_bytes);
    gsi_number_size(run, plan->chunk_bytes * plan->chunks_per_run);
    if (plan->is_merge)
        fprintf(file, NAME_COLUMNS "%" PRIu64 " sorted inputs, read in pieces of %s", "runs",
                plan->run_count, chunk);
    else if (plan->input_bytes == UINT64_MAX)
        fprintf(file, NAME_COLUMNS "of up to %s", "runs", run);
    else
        fprintf(
            file, NAME_COLUMNS "%" PRIu64 " of up to %s: %" PRIu64 " resident, %" PRIu64 " spilled",
            "runs", plan->run_count, run, plan->run_count - plan->spilled_runs, plan->spilled_runs);
    if (plan->chunks_per_run > 1)
        fprintf(file, ", each merged from %" PRIu32 " chunks of %s", plan->chunks_per_run, chunk);
    fputc('\n', file);
}

static void print_plan_memory(FILE *file, const struct gs_plan *plan)
{
    char memory[GSI_NUMBER_BYTES], arena[GSI_NUMBER_BYTES], window[GSI_NUMBER_BYTES];
    gsi_number_size(memory, plan->memory_bytes);
    gsi_number_size(arena, plan->arena_bytes);
    gsi_number_size(window, plan->window_bytes);
    fprintf(file,
            NAME_COLUMNS "at most %s, of these %s for data; %" PRIu32 " windows of %s; %" PRIu32
                         " thread%s\n",
            "memory", memory, arena, plan->window_count, window, plan->thread_count,
            plural(plan->thread_count));
}

/* The first elements, and what there is in place of runs where they are kept as they come. */
static void print_plan_top(FILE *file, const struct gs_report *report)
{
    const struct gs_plan *plan = &report->plan;
    char taken[GSI_NUMBER_BYTES];
    if (!report->has_top)
        return;
    gsi_number_size(taken, plan->top_bytes);
    fprintf(file, NAME_COLUMNS "the first %" PRIu64 ", ", "top", report->top_count);
    if (plan->top_room > 0)
        fprintf(file, "kept as they come: %s for %" PRIu64 " candidates\n", taken, plan->top_room);
    else
        fputs("after everything is sorted\n", file);
}

static void print_plan_device(FILE *file, const struct gs_report *report)
{
    const struct gs_plan *plan = &report->plan;
    char taken[GSI_NUMBER_BYTES], run[GSI_NUMBER_BYTES];
    if (plan->device_runs == 0)
        return;
    gsi_number_size(taken, plan->device_bytes);
    gsi_number_size(run, plan->device_run_bytes);
    fprintf(file, NAME_COLUMNS "%s: %s of its memory, for %" PRIu32 " run%s of up to %s\n",
            "device", report->device_name, taken, plan->device_runs, plural(plan->device_runs),
            run);
    gsi_number_size(taken, plan->host_bytes);
    if (plan->host_runs > 0)
        fprintf(file, NAME_COLUMNS "%s of pinned host memory, for %" PRIu32 " more run%s\n", "held",
                taken, plan->host_runs, plural(plan->host_runs));
}

/* The tree of merges, a line for each pass before the last. */
static void print_merges(FILE *file, const struct gs_plan *plan)
{
    const char *name = "merge";
    uint64_t runs = plan->is_merge ? plan->run_count : plan->spilled_runs;
    for (; runs > plan->fan_in; name = "") {
        struct gsi_merge_pass pass = gsi_merge_pass_make(runs, plan->fan_in);
        char moved[GSI_NUMBER_BYTES];
        gsi_number_size(moved, gsi_plan_pass_bytes(plan, &pass));
        fprintf(file, NAME_COLUMNS "%" PRIu64 " runs: ", name, runs);
        if (pass.span < runs)
            fprintf(file, "%" PRIu64 " of them", pass.span);
        else
            fputs("all", file);
        fprintf(file, " into %" PRIu64 "%s", pass.group_count, *name != '\0' ? " first" : "");
        if (plan->input_bytes != UINT64_MAX)
            fprintf(file, " (%s moved)", moved);
        runs = gsi_merge_pass_left(&pass);
        fputs(runs > plan->fan_in ? "\n" : "", file);
    }
    fprintf(file, ", then %" PRIu32 " at once\n", plan->fan_in);
}

/* A line for each file system that is written to. */
static void print_spaces(FILE *file, const struct gs_report *report)
{
    const char *name = "space";
    for (uint32_t i = 0; i < report->space_count; i++, name = "") {
        const struct gs_space *space = &report->spaces[i];
        const char *what = space->has_output && space->has_temp ? "output and spilled runs"
                           : space->has_output                  ? "output"
                                                                : "spilled runs";
        char needed[GSI_NUMBER_BYTES], free_text[GSI_NUMBER_BYTES];
        gsi_number_size(needed, space->needed_bytes);
        gsi_number_size(free_text, space->free_bytes);
        fprintf(file, NAME_COLUMNS "%s at most for %s in '%s', %s are free\n", name, needed, what,
                space->directory, free_text);
    }
    if (!report->has_room && report->space_count > 0)
        print_line(file, "", "that is too little room: the job would not begin");
}

static void print_plan(FILE *file, const struct gs_report *report)
{
    const struct gs_plan *plan = &report->plan;
    bool is_stream = plan->input_bytes == UINT64_MAX;
    char text[GSI_NUMBER_BYTES];
    gsi_number_size(text, plan->input_bytes);
    if (is_stream)
        fprintf(file, NAME_COLUMNS "a stream of %s (", "input", report->type);
    else
        fprintf(file, NAME_COLUMNS "%s of %s (%" PRIu64 " elements; type ", "input", text,
                report->type, plan->input_bytes / report->element_bytes);
    print_source(file, report);
    fputs(")\n", file);
    print_plan_memory(file, plan);
    if (report->where_count > 0) {
        print_where(file, report, "where");
        fputs("; what is left out is read only, so all below is at most\n", file);
    }
    print_range(file, report);
    print_plan_device(file, report);
    print_plan_top(file, report);
    if (plan->top_room == 0)
        print_runs(file, plan);
    if (is_stream && plan->top_room == 0 && !plan->is_merge)
        print_line(file, "passes", "1 if it fits into memory, else 2 or more");
    else
        print_count(file, "passes", pass_count(plan, plan->spilled_runs, plan->merge_passes));
    if (plan->merge_passes > 0)
        print_merges(file, plan);
    if (!is_stream) {
        print_size(file, "read", plan->read_bytes, " in all");
        print_size(file, "write", plan->write_bytes, " in all");
        print_size(file, "temp", plan->temp_bytes, " of temporary space at most");
    }
    print_spaces(file, report);
    print_why(file, plan);
}

void gs_report_text_sized(FILE *file, const struct gs_report *report, size_t report_bytes)
{
    struct gs_report whole;
    (void)gsi_sized_take(&whole, sizeof whole, report, report_bytes);
    print_report(file, &whole);
}

void gs_plan_text_sized(FILE *file, const struct gs_report *report, size_t report_bytes)
{
    struct gs_report whole;
    (void)gsi_sized_take(&whole, sizeof whole, report, report_bytes);
    print_plan(file, &whole);
}
