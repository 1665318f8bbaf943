/* option_together.h: whether the options of a command line go together. */
#ifndef GSORT_OPTION_TOGETHER_H
#define GSORT_OPTION_TOGETHER_H

#include "command_line.h"

/* command_line_check: all options are there; what some of them imply is set.
 * fails GS_E_USAGE: what would be ignored, in one line that names the option */
enum gs_status command_line_check(struct command_line *line, struct gs_error *error);

#endif
