/* command_line.h: a parsed command line: a job, and the options of the program itself. */
#ifndef GSORT_COMMAND_LINE_H
#define GSORT_COMMAND_LINE_H

#include "gsort.h"

#include "files0.h"

enum stats_format { STATS_NONE, STATS_TEXT, STATS_JSON };

/* Words of --print, by the numbers that the table of options gives them. */
enum print_way { PRINT_TEXT, PRINT_JSON, PRINT_HEADER, PRINT_CSV };
enum progress_mode { PROGRESS_AUTO, PROGRESS_ALWAYS, PROGRESS_NEVER };

/* Room for the library's options (gs_option_at), and for aliases. */
#define OPTION_ROWS_MAX 96

/* The job reports an error if there are more. */
#define VALUES_MAX 16

struct command_line {
    gs_job *job;
    gs_job *look; /* the inputs, and what says what elements are: of --print */
    enum gs_action action;
    struct gs_option rows[OPTION_ROWS_MAX];
    int row_count;
    const char *given[OPTION_ROWS_MAX]; /* of each row the last argument; NULL: it is not there */
    bool by_letter[OPTION_ROWS_MAX];    /* it was given as -S, not as --memory */
    char **spelled;                     /* arguments that were typed as -h=all, as --help=all */
    size_t spelled_count;
    const char **inputs; /* the job's, too; files0.names, if they are in a file */
    size_t input_count;
    struct files0 files0;
    enum stats_format stats; /* also where something else asks for a report */
    const char *report_path; /* of --stats=json:FILE; NULL: the report goes to a standard stream */
    const char *values[VALUES_MAX]; /* each of --values */
    size_t value_count;
    enum progress_mode progress;
    uint64_t head_count, tail_count; /* GS_LOOK: elements to print; what was not given: 0 */
    enum gs_format print_format;     /* of elements */
    bool is_quiet, is_verbose, check_quietly, prints_header, joins_reports, is_split;
    bool wants_help, wants_daily_help, wants_version; /* daily: -h */
};

/* command_line_parse: fails GS_E_USAGE with one line that names the option. Free what was parsed,
 * also after a failure, with command_line_clear. */
enum gs_status command_line_parse(int argc, char **argv, struct command_line *line,
                                  struct gs_error *error);
void command_line_clear(struct command_line *line);

/* command_line_check: finds out what is to be done, and refuses options of the program itself that
 * do not go together (command_check.c); jobs check their own options.
 * fails GS_E_USAGE */
enum gs_status command_line_check(struct command_line *line, struct gs_error *error);

/* command_line_given: the argument of an option, or what it means without one; NULL: it was not
 * given. */
const char *command_line_given(const struct command_line *line, const char *name);

/* command_line_output: the file that is written; NULL: none has a name.
 * command_line_is_standard: returns whether a name is the file or pipe that a standard stream is.
 * command_line_writes_stdout: whether a sort's data go where standard output goes, by whatever name
 * (/dev/stdout). */
const char *command_line_output(const struct command_line *line);
bool command_line_is_standard(const char *path, int fd);
bool command_line_writes_stdout(const struct command_line *line);

/* command_line_say: prints the line of a failure. The option that it is about is named as it was
 * typed; where its value has a meaning for sort(1) only, the line says what gsort does instead. */
void command_line_say(const struct command_line *line, const struct gs_error *error, FILE *out);

#endif
