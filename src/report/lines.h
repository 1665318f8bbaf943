/* lines.h: what reports and plans print for people: aligned lines of a name and what it is. */
#ifndef GSI_LINES_H
#define GSI_LINES_H

#include "base/report.h"

#define GSI_LINE_NAME "%-10s"

/* A report, and a plan, as a whole. */
void gsi_report_text(FILE *file, const struct gs_report *report);
void gsi_plan_text(FILE *file, const struct gs_report *report);

void gsi_line(FILE *file, const char *name, const char *text);
void gsi_line_count(FILE *file, const char *name, uint64_t count);

/* gsi_plural: what a noun behind `count` ends with. */
const char *gsi_plural(uint64_t count);

/* gsi_set_name: the word of a set operation. */
const char *gsi_set_name(enum gsi_set set);

/* gsi_line_source: in a line: what said the type, and how, if that was another word than gsort's. */
void gsi_line_source(FILE *file, const struct gs_report *report);

/* gsi_line_written: what is written, and sorted, in place of elements.
 * gsi_line_where: the conditions of --where; the line goes on. Nothing, if there are none. */
void gsi_line_written(FILE *file, const struct gs_report *report);
void gsi_line_where(FILE *file, const struct gs_report *report, const char *name);

/* gsi_line_range: which of the inputs' elements are read: a line each of a set
 * operation, --range, --find, --part. */
void gsi_line_range(FILE *file, const struct gs_report *report);

/* gsi_pass_count: times that all data are read and written: one if nothing was spilled; inputs that
 * are sorted need no pass to make runs of them. */
uint64_t gsi_pass_count(const struct gsi_plan *plan, uint64_t spilled_runs, uint32_t merge_passes);

#endif
