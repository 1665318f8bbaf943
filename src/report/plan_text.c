/* plan_text.c: a plan for people, as --explain prints it. */
#include "base/checked.h"
#include "base/report.h"
#include "plan/plan.h"
#include "report/lines.h"
#include "report/number.h"

#include <inttypes.h>

static void print_size(FILE *file, const char *name, uint64_t bytes, const char *what)
{
    char text[GSI_NUMBER_BYTES];
    gsi_number_size(text, bytes);
    fprintf(file, GSI_LINE_NAME "%s%s\n", name, text, what);
}

static void print_why(FILE *file, const struct gsi_plan *plan)
{
    const char *why;
    if (plan->is_counted)
        why = "numbers of 1 and 2 bytes are counted, not sorted: read once, write once at any size";
    else if (plan->top_room > 0)
        why = "the elements to keep fit into memory: read once, sort only these";
    else if (plan->is_merge && plan->merge_passes == 0)
        why = "the inputs are already sorted: merge all at once, read once, write once";
    else if (plan->is_merge)
        why = "too many inputs to merge at once: some are merged with each other first";
    else if (plan->input_bytes == UINT64_MAX)
        why = "the size is unknown until the input has been read; data that do not fit into memory "
              "go to disk";
    else if (plan->spilled_runs == 0)
        why = "everything fits into memory: read once, write once";
    else if (plan->merge_passes > 0)
        why = "too many runs to merge at once: some are merged with each other first";
    else if (plan->spilled_runs < plan->run_count)
        why = "only runs that do not fit into memory go to disk, then all runs are merged at once";
    else
        why = "every run goes to disk once, then all are merged at once";
    gsi_line(file, "why", why);
}

static void print_runs(FILE *file, const struct gsi_plan *plan)
{
    char chunk[GSI_NUMBER_BYTES], run[GSI_NUMBER_BYTES];
    gsi_number_size(chunk, plan->chunk_bytes);
    gsi_number_size(run, plan->chunk_bytes * plan->chunks_per_run);
    if (plan->is_merge)
        fprintf(file, GSI_LINE_NAME "%" PRIu64 " sorted inputs, read in blocks of %s", "runs",
                plan->run_count, chunk);
    else if (plan->input_bytes == UINT64_MAX)
        fprintf(file, GSI_LINE_NAME "sorted runs of up to %s", "runs", run);
    else
        fprintf(file,
                GSI_LINE_NAME "%" PRIu64 " sorted run%s of up to %s: %" PRIu64
                              " stay in memory, %" PRIu64 " go to disk",
                "runs", plan->run_count, gsi_plural(plan->run_count), run,
                plan->run_count - plan->spilled_runs, plan->spilled_runs);
    if (plan->chunks_per_run > 1)
        fprintf(file, ", each merged from %" PRIu32 " chunks of %s", plan->chunks_per_run, chunk);
    fputc('\n', file);
}

static void print_plan_memory(FILE *file, const struct gsi_plan *plan)
{
    char memory[GSI_NUMBER_BYTES], arena[GSI_NUMBER_BYTES], window[GSI_NUMBER_BYTES];
    gsi_number_size(memory, plan->memory_bytes);
    gsi_number_size(arena, plan->arena_bytes);
    gsi_number_size(window, plan->window_bytes);
    fprintf(file,
            GSI_LINE_NAME "at most %s, %s of it for data; %" PRIu32
                          " output buffers of %s; %" PRIu32 " thread%s\n",
            "memory", memory, arena, plan->window_count, window, plan->thread_count,
            gsi_plural(plan->thread_count));
}

static void print_in_order(FILE *file, const struct gs_report *report)
{
    char late[GSI_NUMBER_BYTES];
    gsi_number_size(late, report->plan.late_bytes);
    if (report->plan.late_bytes > 0)
        fprintf(file,
                GSI_LINE_NAME "one pass without temporary files if the input is nearly sorted: no "
                              "element is more than %s after its place\n",
                "in order", late);
    else if (report->in_order_note != NULL)
        fprintf(file, GSI_LINE_NAME "not in one pass: %s\n", "in order", report->in_order_note);
}

/* The first elements, and what there is in place of runs where they are kept as they come. */
static void print_plan_top(FILE *file, const struct gs_report *report)
{
    const struct gsi_plan *plan = &report->plan;
    char taken[GSI_NUMBER_BYTES];
    if (!report->has_top)
        return;
    gsi_number_size(taken, plan->top_bytes);
    fprintf(file, GSI_LINE_NAME "the first %" PRIu64 ", ", "top", report->top_count);
    if (plan->top_room > 0)
        fprintf(file, "selected while reading: %s for %" PRIu64 " candidates\n", taken,
                plan->top_room);
    else
        fputs(plan->is_counted ? "taken from the counts\n" : "after everything is sorted\n", file);
}

static void print_plan_device(FILE *file, const struct gs_report *report)
{
    const struct gsi_plan *plan = &report->plan;
    char taken[GSI_NUMBER_BYTES], run[GSI_NUMBER_BYTES];
    if (plan->device_runs == 0) {
        if (report->device_note[0] != '\0')
            fprintf(file, GSI_LINE_NAME "cpu (%s)\n", "device", report->device_note);
        return;
    }
    gsi_number_size(taken, plan->device_bytes);
    gsi_number_size(run, plan->device_run_bytes);
    fprintf(file, GSI_LINE_NAME "%s: %s of %s memory, for %" PRIu32 " run%s of up to %s\n",
            "device", report->device_name, taken, plan->device_count > 1 ? "each GPU's" : "its",
            plan->device_runs, gsi_plural(plan->device_runs), run);
    gsi_number_size(taken, plan->host_bytes);
    if (plan->host_runs > 0)
        fprintf(file,
                GSI_LINE_NAME "%s of host memory, pinned for the GPU, for %" PRIu32 " more run%s\n",
                "held", taken, plan->host_runs, gsi_plural(plan->host_runs));
}

/* How long the GPUs of a model take. */
static void print_prediction(FILE *file, const struct gs_report *report)
{
    const struct gsi_prediction *time = &report->prediction;
    char whole[GSI_NUMBER_BYTES], start[GSI_NUMBER_BYTES], read[GSI_NUMBER_BYTES],
        write[GSI_NUMBER_BYTES];
    if (!report->has_prediction)
        return;
    if (time->why_unknown != NULL) {
        fprintf(file, GSI_LINE_NAME "unknown: %s\n", "time", time->why_unknown);
        return;
    }
    gsi_number_duration(whole, time->start_ns + time->read_ns + time->write_ns);
    gsi_number_duration(read, time->read_ns);
    gsi_number_duration(write, time->write_ns);
    fprintf(file, GSI_LINE_NAME "at least %s: ", "time", whole);
    if (time->start_ns > 0) {
        gsi_number_duration(start, time->start_ns);
        fprintf(file, "%s to start, ", start);
    }
    fprintf(file, "%s to read (limited by: %s), %s to write (limited by: %s)\n", read,
            time->read_bound, write, time->write_bound);
}

/* The tree of merges, a line for each pass before the last. */
static void print_merges(FILE *file, const struct gsi_plan *plan)
{
    const char *name = "merge";
    uint64_t runs = plan->is_merge ? plan->run_count : plan->spilled_runs;
    for (; runs > plan->fan_in; name = "") {
        struct gsi_merge_pass pass = gsi_merge_pass_make(runs, plan->fan_in);
        char moved[GSI_NUMBER_BYTES];
        gsi_number_size(moved, gsi_plan_pass_bytes(plan, &pass));
        fprintf(file, GSI_LINE_NAME "%" PRIu64 " runs: ", name, runs);
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

/* The beginning of a line. */
static void print_total(FILE *file, const char *name, uint64_t bytes)
{
    char text[GSI_NUMBER_BYTES];
    gsi_number_size(text, bytes);
    fprintf(file, GSI_LINE_NAME "%s in all", name, text);
}

/* `of` bytes, if there are any, as a part of a sum. */
static void print_part(FILE *file, const char **before, uint64_t of, const char *what)
{
    char text[GSI_NUMBER_BYTES];
    gsi_number_size(text, of);
    if (of > 0)
        fprintf(file, "%s%s %s", *before, text, what);
    *before = of > 0 ? ", " : *before;
}

/* How many bytes go where, and how fast they would have to. What is spilled is written once and
 * read once. */
static void print_moves(FILE *file, const struct gsi_plan *plan)
{
    const uint64_t read_back = plan->moves[GS_PHASE_READ_BACK].bytes_read;
    const uint64_t spilled = plan->write_bytes - plan->output_bytes;
    const uint64_t moved = plan->read_bytes + plan->write_bytes;
    char minute[GSI_NUMBER_BYTES], hour[GSI_NUMBER_BYTES];
    const char *before = ": ";
    print_total(file, "read", plan->read_bytes);
    print_part(file, &before, plan->read_bytes - spilled - read_back, "of input");
    print_part(file, &before, spilled, "of temporary files");
    print_part(file, &before, read_back, "of the output, to verify it");
    before = ": ";
    fputc('\n', file);
    print_total(file, "write", plan->write_bytes);
    print_part(file, &before, spilled, "to temporary files");
    print_part(file, &before, plan->output_bytes, "of output");
    fputc('\n', file);
    gsi_number_size(minute, gsi_ceil_div_u64(moved, 60));
    gsi_number_size(hour, gsi_ceil_div_u64(moved, 3600));
    if (moved > 0)
        fprintf(file,
                GSI_LINE_NAME
                "reading and writing %s per second takes a minute, %s per second an hour\n",
                "rate", minute, hour);
}

/* A line for each file system that is written to. */
static void print_spaces(FILE *file, const struct gs_report *report)
{
    const char *name = "space";
    for (uint32_t i = 0; i < report->space_count; i++, name = "") {
        const struct gsi_space *space = &report->spaces[i];
        const char *what = space->has_output && space->has_temp ? "output and temporary files"
                           : space->has_output                  ? "output"
                                                                : "temporary files";
        char needed[GSI_NUMBER_BYTES], free_text[GSI_NUMBER_BYTES];
        gsi_number_size(needed, space->needed_bytes);
        gsi_number_size(free_text, space->free_bytes);
        fprintf(file, GSI_LINE_NAME "at most %s for %s in '%s', which has %s free\n", name, needed,
                what, space->directory, free_text);
    }
    if (!report->has_room && report->space_count > 0)
        gsi_line(file, "", "too little free space: the job would not start");
}

void gsi_plan_text(FILE *file, const struct gs_report *report)
{
    const struct gsi_plan *plan = &report->plan;
    bool is_stream = plan->input_bytes == UINT64_MAX;
    uint32_t sorted = report->sorted_bytes > 0 ? report->sorted_bytes : report->element_bytes;
    uint64_t elements = plan->input_bytes / gsi_max_u32(sorted, 1);
    char text[GSI_NUMBER_BYTES];
    gsi_number_size(text, elements * report->element_bytes);
    if (is_stream)
        fprintf(file, GSI_LINE_NAME "a stream of %s (", "input", report->type);
    else
        fprintf(file, GSI_LINE_NAME "%s of %s (%" PRIu64 " elements; type ", "input", text,
                report->type, elements);
    gsi_line_source(file, report);
    fputs(")\n", file);
    gsi_line_written(file, report);
    print_plan_memory(file, plan);
    if (report->where_count > 0) {
        gsi_line_where(file, report, "where");
        fputs("; the figures below are upper limits, as if no element were left out\n", file);
    }
    gsi_line_range(file, report);
    if (report->split_count > 0)
        fprintf(file, GSI_LINE_NAME "%" PRIu32 " file%s, written one after the other\n", "split",
                report->split_count, gsi_plural(report->split_count));
    print_plan_device(file, report);
    if (plan->is_circular)
        gsi_line(file, "tuning", "two runs are merged with circular buffers, more runs with tiles");
    print_prediction(file, report);
    print_plan_top(file, report);
    if (plan->top_room == 0 && !plan->is_counted)
        print_runs(file, plan);
    if (is_stream && plan->top_room == 0 && !plan->is_merge && !plan->is_counted)
        gsi_line(file, "passes", "1 if the input fits into memory, else 2 or more");
    else
        gsi_line_count(file, "passes",
                       gsi_pass_count(plan, plan->spilled_runs, plan->merge_passes));
    print_in_order(file, report);
    if (plan->merge_passes > 0)
        print_merges(file, plan);
    if (!is_stream) {
        print_moves(file, plan);
        print_size(file, "temp", plan->temp_bytes, " of temporary space at most");
    }
    print_spaces(file, report);
    print_why(file, plan);
}
