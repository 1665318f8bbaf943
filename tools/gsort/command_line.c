/* command_line.c: parses the command line by the library's options (gs_option_at). Most are set on
 * the job by their names. The others belong to the program, and are checked when all are known. */
#include "command_line.h"

#include "common/option_row.h"
#include "common/tool.h"
#include "option_refuse.h"
#include "sort_habits.h"
#include "json/device_model.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- the table ---- */

static void take_rows(struct command_line *line)
{
    const struct gs_option *option;
    for (size_t i = 0; (option = gs_option_at(i)) != NULL; i++)
        if (option->place != GS_OPTION_OF_JOBS)
            line->rows[line->row_count++] = *option;
    for (int i = 0, count = line->row_count; i < count; i++)
        if (line->rows[i].alias != NULL) {
            struct gs_option *row = &line->rows[line->row_count++];
            *row = line->rows[i];
            row->name = row->alias;
            row->letter = 0;
            row->is_hidden = true;
        }
}

static int find_row(const struct command_line *line, const char *name)
{
    const struct gs_option *option = gs_option_find(name); /* not an alias */
    for (int i = 0; option != NULL && i < line->row_count; i++)
        if (strcmp(line->rows[i].name, option->name) == 0)
            return i;
    return -1;
}

const char *command_line_given(const struct command_line *line, const char *name)
{
    return line->given[find_row(line, name)];
}

const char *command_line_output(const struct command_line *line)
{
    const char *into = command_line_given(line, "into");
    return into != NULL ? into : command_line_given(line, "output");
}

bool command_line_is_standard(const char *path, int fd)
{
    struct stat named, standard;
    return stat(path, &named) == 0 && fstat(fd, &standard) == 0 &&
           named.st_dev == standard.st_dev && named.st_ino == standard.st_ino &&
           !S_ISCHR(named.st_mode);
}

bool command_line_writes_stdout(const struct command_line *line)
{
    const char *output = command_line_output(line);
    return output == NULL || strcmp(output, "-") == 0 ||
           command_line_is_standard(output, STDOUT_FILENO);
}

/* ---- arguments ---- */

/* An element for each part between commas. */
static enum gs_status add_parts(gs_job *job, const char *name, const char *argument)
{
    enum gs_status status = GS_OK;
    char *parts = strdup(argument), *at = parts;
    if (parts == NULL)
        return GS_E_MEMORY;
    while (status == GS_OK && at != NULL)
        status = gs_job_add(job, name, strsep(&at, ","));
    free(parts);
    return status;
}

/* The job's error is the failure. */
static enum gs_status taken(const struct command_line *line, enum gs_status status,
                            struct gs_error *error)
{
    const struct gs_error *said = gs_job_error(line->job);
    if (status == GS_OK)
        return GS_OK;
    return gs_fail(error, status, 0, "%s",
                   said->text[0] != '\0' ? said->text
                                         : "out of memory: cannot hold the command line");
}

static enum gs_status set_option(gs_job *job, const struct gs_option *row, const char *text)
{
    return row->is_split  ? add_parts(job, row->name, text)
           : row->is_list ? gs_job_add(job, row->name, text)
                          : gs_job_set(job, row->name, text);
}

/* Returns whether an option says where and what the elements are, or which columns are printed. */
static bool is_of_look(const char *name)
{
    static const char *const names[] = {"type",   "record", "fields",  "key",       "header",
                                        "region", "raw",    "sum",     "drop-tail", "group",
                                        "min",    "max",    "sum-wide"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return false;
}

/* Lists may be continued, and help may be requested several times. */
static bool repeats(const struct gs_option *row)
{
    return (row->is_list && !row->is_once) || strcmp(row->name, "help") == 0;
}

/* The last one must not win: who put the first one into a script counts on it. */
static enum gs_status refuse_again(const struct gs_option *row, const char *given, const char *text,
                                   struct gs_error *error)
{
    if (row->is_split)
        return gs_fail(error, GS_E_USAGE, 0, "--%s: given twice; give one list: '%s,%s'", row->name,
                       given, text);
    if (row->argument == NULL)
        return gs_fail(error, GS_E_USAGE, 0, "--%s: given twice; once is enough", row->name);
    return gs_fail(error, GS_E_USAGE, 0, "--%s: given twice ('%s', '%s')", row->name, given, text);
}

static enum gs_status take_option(struct command_line *line, int i, int code, const char *argument,
                                  struct gs_error *error)
{
    const struct gs_option *row = &line->rows[i];
    const char *text = argument != NULL ? argument : row->alone;
    const char **given = &line->given[find_row(line, row->name)];
    if (!repeats(row) && *given != NULL)
        return refuse_again(row, *given, text, error);
    *given = text;
    line->by_letter[given - line->given] = code < OPTION_LONG_BASE;
    if (row->place == GS_OPTION_OF_PROGRAM ||
        strcmp(row->name, "device-model") == 0) /* a file, in JSON */
        return GS_OK;
    if (strcmp(row->name, "values") == 0 && line->value_count < VALUES_MAX)
        line->values[line->value_count++] = text;
    TRY(taken(line, set_option(line->job, row, text), error));
    return is_of_look(row->name) ? taken(line, set_option(line->look, row, text), error) : GS_OK;
}

/* Returns whether the argument of an option follows `text`: `-o`, `-qo`, `--output`. */
static bool wants_argument(const struct command_line *line, const char *text)
{
    size_t length = strlen(text);
    bool is_long = text[0] == '-' && text[1] == '-';
    for (int i = 0; text[0] == '-' && length > 1 && i < line->row_count; i++) {
        const struct gs_option *row = &line->rows[i];
        bool is_row = is_long ? strncmp(row->name, text + 2, length - 2) == 0
                              : row->letter != 0 && row->letter == text[length - 1];
        if (is_row && row->argument != NULL && row->argument[0] != '[')
            return true;
    }
    return false;
}

/* Rewrites `-h=all` as `--help=all`: getopt takes what follows such a letter for more letters. The
 * letter is one whose argument may be left out. */
static enum gs_status spell_letters(int argc, char **argv, struct command_line *line,
                                    struct gs_error *error)
{
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
        const char *given = argv[i];
        int at = given[0] == '-' && given[1] != '\0' && given[2] == '='
                     ? option_rows_find(line->rows, line->row_count, given[1])
                     : -1;
        const char *argument = at >= 0 ? line->rows[at].argument : NULL;
        if (argument == NULL || argument[0] != '[' || wants_argument(line, argv[i - 1]))
            continue;
        char **spelled = &line->spelled[line->spelled_count];
        size_t bytes = strlen(line->rows[at].name) + strlen(given) + 1;
        if ((*spelled = malloc(bytes)) == NULL)
            return gs_fail(error, GS_E_MEMORY, 0, "out of memory: cannot hold the command line");
        snprintf(*spelled, bytes, "--%s%s", line->rows[at].name, given + 2);
        argv[i] = *spelled;
        line->spelled_count++;
    }
    return GS_OK;
}

static enum gs_status take_options(int argc, char **argv, struct command_line *line,
                                   struct gs_error *error)
{
    char letters[OPTION_LETTERS_BYTES(OPTION_ROWS_MAX)];
    struct option longs[OPTION_ROWS_MAX + 1];
    option_rows_getopt(line->rows, line->row_count, letters, longs);
    TRY(spell_letters(argc, argv, line, error));
    opterr = 0;
    optind = 0; /* from the start, also if the last command line ended amid a group of letters */
    for (int code; (code = getopt_long(argc, argv, letters, longs, NULL)) != -1;) {
        int i = option_rows_find(line->rows, line->row_count, code);
        if (i < 0)
            return option_refuse(line->rows, line->row_count, code, argv[optind - 1], error);
        line->wants_daily_help = line->wants_daily_help || code == 'h';
        TRY(take_option(line, i, code, optarg, error));
    }
    while (optind < argc)
        line->inputs[line->input_count++] = argv[optind++];
    return GS_OK;
}

/* ---- the program's own ---- */

/* The value of the word that the first `bytes` of a text are. */
static enum gs_status find_word(const char *name, const char *text, size_t bytes, int *value,
                                struct gs_error *error)
{
    char known[128] = "";
    for (const struct gs_choice *c = gs_option_find(name)->choices; c->word != NULL; c++) {
        if (strncmp(text, c->word, bytes) == 0 && c->word[bytes] == '\0') {
            *value = c->value;
            return GS_OK;
        }
        strncat(known, " ", sizeof known - strlen(known) - 1);
        strncat(known, c->word, sizeof known - strlen(known) - 1);
    }
    return gs_fail(error, GS_E_USAGE, 0, "--%s: '%s' is not one of:%s", name, text, known);
}

/* The value of a word that was given; else *value stays. */
static enum gs_status take_word(const struct command_line *line, const char *name, int *value,
                                struct gs_error *error)
{
    const char *word = command_line_given(line, name);
    return word != NULL ? find_word(name, word, strlen(word), value, error) : GS_OK;
}

/* "json", or "json:FILE". */
static enum gs_status take_stats(struct command_line *line, struct gs_error *error)
{
    int stats = STATS_NONE;
    const char *text = command_line_given(line, "stats");
    const char *colon = text != NULL ? strchr(text, ':') : NULL;
    if (colon == NULL)
        TRY(take_word(line, "stats", &stats, error));
    else
        TRY(find_word("stats", text, (size_t)(colon - text), &stats, error));
    line->stats = (enum stats_format)stats;
    if (colon == NULL || strcmp(colon, ":-") == 0)
        return GS_OK;
    if (stats == STATS_NONE || colon[1] == '\0')
        return gs_fail(error, GS_E_USAGE, 0,
                       "--stats: '%s' %s; to write the report to a file use json:FILE", text,
                       colon[1] == '\0' ? "names no file" : "has no report");
    line->report_path = colon + 1;
    return GS_OK;
}

static enum gs_status take_count(const struct command_line *line, const char *name, uint64_t *count,
                                 struct gs_error *error)
{
    const char *text = command_line_given(line, name);
    if (text == NULL || gs_count_parse(text, count))
        return GS_OK;
    return gs_fail(error, GS_E_USAGE, 0,
                   "--%s: '%s' is not a count like 1000 or 64K (powers of 1000)", name, text);
}

static enum gs_status take_words(struct command_line *line, struct gs_error *error)
{
    int progress = PROGRESS_AUTO, quietly = 0, prints = PRINT_TEXT, unused = 0;
    TRY(take_stats(line, error));
    TRY(take_word(line, "progress", &progress, error));
    TRY(take_word(line, "check", &quietly, error));
    TRY(take_word(line, "print", &prints, error));
    TRY(take_word(line, "help", &unused, error));
    TRY(take_count(line, "head", &line->head_count, error));
    TRY(take_count(line, "tail", &line->tail_count, error));
    line->progress = (enum progress_mode)progress;
    line->check_quietly = quietly != 0 || command_line_given(line, "check-quiet") != NULL;
    line->print_format = prints == PRINT_JSON || command_line_given(line, "json") != NULL
                             ? GS_FORMAT_JSON_LINES
                         : prints == PRINT_CSV ? GS_FORMAT_CSV
                                               : GS_FORMAT_TEXT;
    line->prints_header = prints == PRINT_HEADER || prints == PRINT_CSV;
    line->wants_help = command_line_given(line, "help") != NULL;
    line->wants_version = command_line_given(line, "version") != NULL;
    line->joins_reports = command_line_given(line, "join-reports") != NULL;
    line->is_quiet = command_line_given(line, "quiet") != NULL;
    line->is_verbose = command_line_given(line, "verbose") != NULL;
    line->is_split =
        command_line_given(line, "split") != NULL || command_line_given(line, "split-at") != NULL;
    return GS_OK;
}

/* The names of inputs, by arguments or in a file. */
static enum gs_status take_inputs(struct command_line *line, struct gs_error *error)
{
    const char *path = command_line_given(line, "files0-from");
    const char *memory = command_line_given(line, "memory");
    uint64_t bytes = 0;
    if (path != NULL) {
        if (memory != NULL)
            gs_size_parse(memory, gs_memory_available(), &bytes);
        TRY(files0_read(path, gs_memory_ceiling(bytes), &line->files0, error));
        free(line->inputs);
        line->inputs = line->files0.names;
        line->input_count = line->files0.count;
    }
    for (size_t i = 0; i < line->input_count; i++) {
        TRY(taken(line, gs_job_add(line->job, "input", line->inputs[i]), error));
        TRY(taken(line, gs_job_add(line->look, "input", line->inputs[i]), error));
    }
    return GS_OK;
}

enum gs_status command_line_parse(int argc, char **argv, struct command_line *line,
                                  struct gs_error *error)
{
    *line = (struct command_line){.job = gs_job_create(),
                                  .look = gs_job_create(),
                                  .inputs = calloc((size_t)argc + 1, sizeof *line->inputs),
                                  .spelled = calloc((size_t)argc + 1, sizeof *line->spelled)};
    if (line->job == NULL || line->look == NULL || line->inputs == NULL || line->spelled == NULL)
        return gs_fail(error, GS_E_MEMORY, 0, "out of memory: cannot hold the command line");
    take_rows(line);
    TRY(take_options(argc, argv, line, error));
    TRY(take_words(line, error));
    if (line->wants_help || line->wants_version)
        return GS_OK;
    TRY(command_line_check(line, error));
    TRY(take_inputs(line, error));
    const char *model = command_line_given(line, "device-model");
    return model != NULL ? device_model_read(model, line->job, error) : GS_OK;
}

void command_line_clear(struct command_line *line)
{
    if (line->inputs != line->files0.names)
        free(line->inputs);
    for (size_t i = 0; i < line->spelled_count; i++)
        free(line->spelled[i]);
    free(line->spelled);
    files0_clear(&line->files0);
    gs_job_free(line->job);
    gs_job_free(line->look);
}

/* ---- failures ---- */

/* The option that was given and that the line begins with; -1: none. *rest: what follows it. */
static int find_blamed(const struct command_line *line, const char *text, const char **rest)
{
    for (int i = 0; i < line->row_count; i++) {
        size_t length = strlen(line->rows[i].name);
        if (line->given[i] == NULL || strncmp(text, "--", 2) != 0 ||
            strncmp(text + 2, line->rows[i].name, length) != 0)
            continue;
        *rest = text + 2 + length;
        if (**rest == ':' || **rest == ' ')
            return i;
    }
    return -1;
}

void command_line_say(const struct command_line *line, const struct gs_error *error, FILE *out)
{
    const char *text = error->text, *rest = "";
    int i = find_blamed(line, text, &rest);
    const char *habit = NULL;
    if (i >= 0 && error->status == GS_E_USAGE && strncmp(rest, ": given twice", 13) != 0)
        habit = sort_habit_of_value(line->rows[i].name, line->given[i]);
    if (habit != NULL && line->by_letter[i])
        fprintf(out, "gsort: -%c: '%s' %s\n", line->rows[i].letter, line->given[i], habit);
    else if (habit != NULL)
        fprintf(out, "gsort: --%s: '%s' %s\n", line->rows[i].name, line->given[i], habit);
    else if (i >= 0 && line->by_letter[i] && *rest == ':')
        fprintf(out, "gsort: -%c%s\n", line->rows[i].letter, rest);
    else
        fprintf(out, "gsort: %s\n", text);
}
