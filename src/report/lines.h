/* lines.h: the lines that reports and plans print for people: a name, aligned, and its value. */
#ifndef GSI_LINES_H
#define GSI_LINES_H

#include "job/job_report.h"

#define GSI_LINE_NAME "%-10s"

/* A report, and a plan, as a whole. */
void gsi_report_text(FILE *file, const struct gs_report *report);
void gsi_plan_text(FILE *file, const struct gs_report *report);

void gsi_line(FILE *file, const char *name, const char *text);
void gsi_line_count(FILE *file, const char *name, uint64_t count);

/* gsi_plural: returns the ending of a noun after `count`. */
const char *gsi_plural(uint64_t count);

/* gsi_set_name: the word of a set operation. */
const char *gsi_set_name(enum gsi_set set);

/* A line of text. `text` names values by their paths in the JSON: "{plan.arena_bytes|size} of it".
 *     {path}        the value as it is; of a list all values, with commas between them
 *     {path|size}   bytes, for people         {path|time}   a time, for people
 *     {path|s}      the ending of a noun behind that number
 *     {path|bits}   bits of so many bytes     {path|length} the length of a list
 *     {path|if}     nothing; the value is neither 0 nor false
 *     {path|no}     nothing; the value is 0 or false
 *     {path|many}   nothing; the value is more than 1;   {path|few}: it is not
 * A part in brackets is left out if one of its values is null, or not as such a word says. So is
 * the line because of values that are in no brackets. */
struct gsi_text_line {
    const char *name, *text;
};

/* gsi_lines: prints lines, whose paths begin with `prefix`. */
void gsi_lines(FILE *file, const struct gs_report *report, const char *prefix,
               const struct gsi_text_line *lines, size_t count);
#define GSI_LINES(file, report, prefix, lines) \
    gsi_lines(file, report, prefix, lines, sizeof(lines) / sizeof((lines)[0]))

/* gsi_line_source: adds to a line the source of the type, and the source's word for the type, if
 * gsort has another. */
void gsi_line_source(FILE *file, const struct gs_report *report);

/* gsi_line_range: prints which elements of the inputs are read: a line each for a set operation,
 * --range, --find, --part and --into.
 * gsi_line_written: prints what is written, and sorted, in place of elements. */
void gsi_line_range(FILE *file, const struct gs_report *report);
void gsi_line_written(FILE *file, const struct gs_report *report);

/* gsi_pass_count: how often all data are read and written: once if nothing was spilled. Sorted
 * inputs need no pass that makes runs of them. */
uint64_t gsi_pass_count(const struct gsi_plan *plan, uint64_t spilled_runs, uint32_t merge_passes);

#endif
