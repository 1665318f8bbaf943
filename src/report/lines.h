/* lines.h: the lines that reports and plans print for people: a name, aligned, and its value. */
#ifndef GSI_LINES_H
#define GSI_LINES_H

#include "base/report.h"

#define GSI_LINE_NAME "%-10s"

/* A report, and a plan, as a whole. */
void gsi_report_text(FILE *file, const struct gs_report *report);
void gsi_plan_text(FILE *file, const struct gs_report *report);

void gsi_line(FILE *file, const char *name, const char *text);
void gsi_line_count(FILE *file, const char *name, uint64_t count);

/* gsi_plural: the ending of a noun behind `count`. */
const char *gsi_plural(uint64_t count);

/* gsi_set_name: the word of a set operation. */
const char *gsi_set_name(enum gsi_set set);

/* gsi_line_source: adds to a line where the type comes from, and the word there, if it is not
 * gsort's. */
void gsi_line_source(FILE *file, const struct gs_report *report);

/* gsi_line_written: what is written, and sorted, in place of elements.
 * gsi_line_where: the conditions of --where, if there are any; the line goes on. */
void gsi_line_written(FILE *file, const struct gs_report *report);
void gsi_line_where(FILE *file, const struct gs_report *report, const char *name);

/* gsi_line_range: which elements of the inputs are read: a line each for a set operation, --range,
 * --find and --part. */
void gsi_line_range(FILE *file, const struct gs_report *report);

/* gsi_pass_count: how often all data are read and written: once if nothing was spilled. Sorted
 * inputs need no pass that makes runs of them. */
uint64_t gsi_pass_count(const struct gsi_plan *plan, uint64_t spilled_runs, uint32_t merge_passes);

#endif
