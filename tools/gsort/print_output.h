/* print_output.h: what a sort would write, as text: --print without --head and --tail. */
#ifndef GSORT_PRINT_OUTPUT_H
#define GSORT_PRINT_OUTPUT_H

#include "command_line.h"

struct print_output;

/* print_output_open: makes the job of `line` write to `out`, one line per element, as
 * print_elements does. With --count the count follows each element; with --argsort positions are
 * printed instead. *printer stays NULL if printing was not requested.
 * fails GS_E_INPUT, GS_E_USAGE as gs_job_run does of the inputs, GS_E_MEMORY
 * print_output_end: called after the job, which may have written nothing: writes all that is left.
 * Accepts NULL.
 * fails GS_E_IO
 * print_output_close: accepts NULL. */
enum gs_status print_output_open(const struct command_line *line, FILE *out,
                                 struct print_output **printer, struct gs_error *error);
enum gs_status print_output_end(struct print_output *printer, struct gs_error *error);
void print_output_close(struct print_output *printer);

#endif
