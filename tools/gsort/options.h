/* options.h: gsort's command line: one table that the parser, --help and the tests read. */
#ifndef GSORT_OPTIONS_H
#define GSORT_OPTIONS_H

#include "files0.h"
#include "option_refuse.h"
#include "option_table.h"

#include <stdio.h>

struct command_line {
    struct gs_options options;
    /* What options points to. */
    const char **inputs, **temp_dirs, **keys, **stats_fields, **where, **sum_fields;
    const char **min_fields, **max_fields, **quantiles;
    char *quantile_texts;    /* the last of these point into it */
    const char *files0_path; /* NULL: inputs are arguments */
    struct files0 files0;
    char typed[OPTION_TYPED_BYTES]; /* the option that is being parsed */
    enum stats_format stats;
    bool stats_is_set;
    enum progress_mode progress;
    bool is_quiet, is_verbose, check_quietly;
    uint64_t head_count, tail_count; /* GS_ACTION_LOOK: elements to print; what was not given: 0 */
    bool prints_json;
    bool is_given[OPT_COUNT];
    bool wants_help, wants_daily_help, wants_version; /* daily: -h */
};

/* command_line_parse: fails GS_E_USAGE with one line that names the option. Free what was parsed,
 * also after a failure, with command_line_clear. */
enum gs_status command_line_parse(int argc, char **argv, struct command_line *line,
                                  struct gs_error *error);
void command_line_clear(struct command_line *line);

/* command_line_help: the text of --help, or of -h, whichever the line asked for. */
void command_line_help(const struct command_line *line, FILE *out);

#endif
