/* options.h: gsort's command line: one table that the parser, --help and the tests read. */
#ifndef GSORT_OPTIONS_H
#define GSORT_OPTIONS_H

#include "command_line.h"

#include <stdio.h>

/* command_line_parse: fails GS_E_USAGE with one line that names the option. Free what was parsed,
 * also after a failure, with command_line_clear. */
enum gs_status command_line_parse(int argc, char **argv, struct command_line *line,
                                  struct gs_error *error);
void command_line_clear(struct command_line *line);

/* command_line_help: the text of --help, or of -h, whichever the line asked for. */
void command_line_help(const struct command_line *line, FILE *out);

#endif
