/* print.h: elements of a file as text: --head and --tail. */
#ifndef GSORT_PRINT_H
#define GSORT_PRINT_H

#include "command_line.h"

/* print_elements: what --head and --tail ask for, a line an element. A number is decimal, and a
 * float the shortest text that reads back as the same bits. A record is its fields with tabs
 * between them; one without fields is its bytes, hexadecimal. With --print=json a line is a value,
 * or an object of a record's fields; with --print=csv it is a line of CSV. Text has a line "..."
 * between head and tail.
 * in    line: of GS_LOOK
 * fails GS_E_INPUT, GS_E_USAGE as gs_job_run does, GS_E_IO, GS_E_MEMORY; the
 *       elements before the failure are printed */
enum gs_status print_elements(const struct command_line *line, FILE *out, struct gs_error *error);

#endif
