/* plan_text.c: a plan for people, as --explain prints it. */
#include "base/checked.h"
#include "job/job_report.h"
#include "plan/plan.h"
#include "report/lines.h"
#include "report/number.h"

#include <inttypes.h>

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
        runs = gsi_merge_pass_runs_after(&pass);
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

/* How many bytes go where, and how fast they would have to. Spilled data are written once and read
 * once. */
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
    static const struct gsi_text_line end[] = {
        {"", "{has_room|no}too little free space: the job would not start"}};
    for (uint32_t i = 0; i < report->space.count; i++) {
        const struct gsi_text_line lines[] = {
            {i == 0 ? "space" : "",
             "at most {needed_bytes|size} for [{has_output|if}output][{has_output|if}{has_temp|if} "
             "and ][{has_temp|if}temporary files] in '{directory}', which has {free_bytes|size} "
             "free"}};
        char prefix[32];
        snprintf(prefix, sizeof prefix, "spaces[%" PRIu32 "].", i);
        GSI_LINES(file, report, prefix, lines);
    }
    GSI_LINES(file, report, "", end);
}

static const struct gsi_text_line memory[] = {
    {"memory", "at most {plan.memory_bytes|size}, {plan.arena_bytes|size} of it for data; "
               "{plan.window_count} output buffers of {plan.window_bytes|size}; "
               "{plan.thread_count} thread{plan.thread_count|s}"},
    {"where", "{where}; the figures below are upper limits, as if no element were left out"},
};
static const struct gsi_text_line device[] = {
    {"split", "{split|length} file{split|s}, written one after the other"},
    {"device", "{plan.device_runs|no}cpu ({device_note})"},
    {"device", "{plan.device_runs|if}[{device_name}]: {plan.device_bytes|size} of "
               "[{plan.device_count|many}each GPU's][{plan.device_count|few}its] memory, for "
               "{plan.device_runs} run{plan.device_runs|s} of up to "
               "{plan.device_run_bytes|size}"},
    {"held", "{plan.host_runs|if}{plan.host_bytes|size} of host memory, pinned for the GPU, "
             "for {plan.host_runs} more run{plan.host_runs|s}"},
    {"tuning",
     "{plan.is_circular|if}two runs are merged with circular buffers, more runs with tiles"},
    {"time", "unknown: {prediction.why_unknown}"},
    {"time", "at least {prediction.seconds|time}: [{prediction.start_seconds|if}"
             "{prediction.start_seconds|time} to start, ]{prediction.read_seconds|time} to "
             "read (limited by: {prediction.read_bound}), {prediction.write_seconds|time} to "
             "write (limited by: {prediction.write_bound})"},
    {"top", "the first {top_count}, [{plan.top_room|if}selected while reading: "
            "{plan.top_bytes|size} for {plan.top_room} candidates][{plan.top_room|no}"
            "{plan.is_counted|if}taken from the counts][{plan.top_room|no}"
            "{plan.is_counted|no}after everything is sorted]"},
};
static const struct gsi_text_line one_pass[] = {
    {"in order", "{plan.late_bytes|if}one pass without temporary files if the input is nearly "
                 "sorted: no element is more than {plan.late_bytes|size} after its place"},
    {"in order", "{plan.late_bytes|no}not in one pass: {in_order_note}"},
};
static const struct gsi_text_line temp[] = {
    {"temp", "{plan.temp_bytes|size} of temporary space at most"},
};

void gsi_plan_text(FILE *file, const struct gs_report *report)
{
    const struct gsi_plan *plan = &report->plan;
    bool is_stream = plan->input_bytes == UINT64_MAX;
    uint32_t sorted =
        report->payload.sorted_bytes > 0 ? report->payload.sorted_bytes : report->element.bytes;
    uint64_t elements = plan->input_bytes / gsi_max_u32(sorted, 1);
    char text[GSI_NUMBER_BYTES];
    gsi_number_size(text, elements * report->element.bytes);
    if (is_stream)
        fprintf(file, GSI_LINE_NAME "a stream of %s (", "input", report->element.type);
    else
        fprintf(file, GSI_LINE_NAME "%s of %s (%" PRIu64 " elements; type ", "input", text,
                report->element.type, elements);
    gsi_line_source(file, report);
    fputs(")\n", file);
    gsi_line_written(file, report);
    GSI_LINES(file, report, "", memory);
    gsi_line_range(file, report);
    GSI_LINES(file, report, "", device);
    if (plan->top_room == 0 && !plan->is_counted)
        print_runs(file, plan);
    if (is_stream && plan->top_room == 0 && !plan->is_merge && !plan->is_counted)
        gsi_line(file, "passes", "1 if the input fits into memory, else 2 or more");
    else
        gsi_line_count(file, "passes",
                       gsi_pass_count(plan, plan->spilled_runs, plan->merge_passes));
    GSI_LINES(file, report, "", one_pass);
    if (plan->merge_passes > 0)
        print_merges(file, plan);
    if (!is_stream) {
        print_moves(file, plan);
        GSI_LINES(file, report, "", temp);
    }
    print_spaces(file, report);
    print_why(file, plan);
}
