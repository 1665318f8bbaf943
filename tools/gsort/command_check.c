/* command_check.c: one thing is done, and what is the program's own is of use for it. */
#include "command_line.h"

#include "common/tool.h"

#include <string.h>
#include <sys/stat.h>

/* Options that say what is to be done, in place of a sort. */
static const struct {
    const char *name;
    enum gs_action action;
} actions[] = {{"check", GS_CHECK},     {"check-quiet", GS_CHECK}, {"stats-only", GS_STATS},
               {"explain", GS_EXPLAIN}, {"head", GS_LOOK},         {"tail", GS_LOOK}};
#define ACTION_COUNT (sizeof actions / sizeof actions[0])

/* Options that request a report or a figure in it. They also print the report. */
static const char *const asking[] = {"stats-only", "stats-of", "quantiles", "histogram",
                                     "distinct",   "mode",     "variance",  "verbose"};

static enum gs_status find_action(struct command_line *line, struct gs_error *error)
{
    for (size_t i = 0; i < ACTION_COUNT; i++) {
        if (command_line_given(line, actions[i].name) == NULL)
            continue;
        if (line->action != GS_SORT && line->action != actions[i].action)
            return gs_fail(error, GS_E_USAGE, 0,
                           "give only one of --check, --stats-only, --explain, --head and --tail");
        line->action = actions[i].action;
    }
    bool finds = command_line_given(line, "find") != NULL && line->action == GS_SORT;
    if (finds && command_line_given(line, "output") == NULL &&
        command_line_given(line, "print") == NULL && command_line_given(line, "into") == NULL)
        line->action = GS_FIND;
    return GS_OK;
}

/* All that is given but for some names is refused, where `why` says that it has no meaning. */
static enum gs_status allow_only(const struct command_line *line, const char *const *names,
                                 bool of_program, const char *why, struct gs_error *error)
{
    for (int i = 0; i < line->row_count; i++) {
        const struct gs_option *row = &line->rows[i];
        const char *const *name = names;
        if (line->given[i] == NULL || (of_program && row->place != GS_OPTION_OF_PROGRAM))
            continue;
        while (*name != NULL && strcmp(*name, row->name) != 0)
            name++;
        if (*name == NULL)
            return gs_fail(error, GS_E_USAGE, 0, "--%s: has no effect with %s", row->name, why);
    }
    return GS_OK;
}

/* The output of a sort is printed on standard output. An option that changes nothing there is
 * refused. */
static enum gs_status check_print(const struct command_line *line, struct gs_error *error)
{
    static const struct {
        const char *name, *why;
    } apart[] = {{"into", "text goes to standard output; redirect it with >FILE"},
                 {"output", "text goes to standard output; redirect it with >FILE"},
                 {"split", "text goes to standard output; --range prints a part"},
                 {"split-at", "text goes to standard output; --find prints a part"},
                 {"values", "text goes to standard output, but values go to files"},
                 {"zstd", "text goes to standard output; compress it there: | zstd"},
                 {"out-order", "text has no byte order"},
                 {"out", "the fields of --out have no type; -k sets the fields to print"},
                 {"drop-header", "the header is not printed; omit --drop-header"}};
    const char *output = command_line_given(line, "output");
    for (size_t i = 0; i < sizeof apart / sizeof apart[0]; i++) {
        const char *given = command_line_given(line, apart[i].name);
        if (given != NULL && (given != output || strcmp(given, "-") != 0))
            return gs_fail(error, GS_E_USAGE, 0, "--print cannot be used with --%s: %s",
                           apart[i].name, apart[i].why);
    }
    return GS_OK;
}

/* --head and --tail know which columns a sort would print, but nothing is sorted. */
static enum gs_status check_look(const struct command_line *line, struct gs_error *error)
{
    static const char *const of_printing[] = {"head", "tail", "print", "json", "quiet", NULL};
    static const char *const of_groups[] = {"group", "sum", "min", "max", "sum-wide"};
    const char *name = command_line_given(line, "head") != NULL ? "head" : "tail";
    char why[64];
    snprintf(why, sizeof why, "--%s, which prints a file as it is", name);
    TRY(allow_only(line, of_printing, true, why, error));
    for (size_t i = 0; i < sizeof of_groups / sizeof of_groups[0]; i++)
        if (command_line_given(line, of_groups[i]) != NULL)
            return gs_fail(error, GS_E_USAGE, 0, "--%s: has no effect with %s", of_groups[i], why);
    if (line->input_count > 1)
        return gs_fail(error, GS_E_USAGE, 0, "--%s: prints only one file; remove '%s'", name,
                       line->inputs[1]);
    return GS_OK;
}

static enum gs_status check_action(const struct command_line *line, struct gs_error *error)
{
    static const char *const of_finding[] = {"quiet", NULL};
    if (line->action == GS_LOOK)
        return check_look(line, error);
    if (command_line_given(line, "print") != NULL && line->action == GS_SORT)
        return check_print(line, error);
    const char *prints = command_line_given(line, "print") != NULL  ? "print"
                         : command_line_given(line, "json") != NULL ? "json"
                                                                    : NULL;
    for (size_t i = 0; prints != NULL && i < ACTION_COUNT; i++)
        if (command_line_given(line, actions[i].name) != NULL)
            return gs_fail(error, GS_E_USAGE, 0,
                           "--%s cannot be used with --%s, which writes no elements; for a report "
                           "as JSON use --stats=json",
                           prints, actions[i].name);
    if (prints != NULL)
        return gs_fail(
            error, GS_E_USAGE, 0,
            "--json: needs --head or --tail; to print a sorted result as JSON use --print=json");
    if (line->action != GS_FIND)
        return GS_OK;
    return allow_only(line, of_finding, true,
                      "--find, which prints a position; -o FILE writes what is found", error);
}

static enum gs_status check_report(struct command_line *line, struct gs_error *error)
{
    bool is_given = command_line_given(line, "stats") != NULL;
    for (size_t i = 0; i < sizeof asking / sizeof asking[0]; i++) {
        if (command_line_given(line, asking[i]) == NULL)
            continue;
        if (!is_given)
            line->stats = STATS_TEXT;
        else if (line->stats == STATS_NONE)
            return gs_fail(
                error, GS_E_USAGE, 0,
                "--%s: asks for a report, but --stats=none asks for none; omit one of them",
                asking[i]);
    }
    if (line->action == GS_CHECK && line->stats != STATS_NONE)
        line->action = GS_CHECK_ALL;
    return GS_OK;
}

static enum gs_status check_pairs(const struct command_line *line, struct gs_error *error)
{
    const char *files0 = command_line_given(line, "files0-from");
    if (files0 != NULL && line->input_count > 0)
        return gs_fail(error, GS_E_USAGE, 0,
                       "--files0-from cannot be used with FILE '%s'; list all files in '%s'",
                       line->inputs[0], files0);
    if (command_line_given(line, "check") != NULL &&
        command_line_given(line, "check-quiet") != NULL)
        return gs_fail(error, GS_E_USAGE, 0, "--check and -C contradict each other; give one");
    const char *ties = command_line_given(line, "ties");
    if (command_line_given(line, "stable") != NULL && ties != NULL && strcmp(ties, "bytes") == 0)
        return gs_fail(error, GS_E_USAGE, 0,
                       "--stable and --ties=bytes contradict each other; give one");
    if (line->is_quiet && line->is_verbose)
        return gs_fail(error, GS_E_USAGE, 0, "--quiet and --verbose contradict each other");
    if (line->is_quiet && line->progress == PROGRESS_ALWAYS)
        return gs_fail(error, GS_E_USAGE, 0, "--quiet and --progress=always contradict each other");
    if (line->prints_header && line->print_format == GS_FORMAT_JSON_LINES)
        return gs_fail(error, GS_E_USAGE, 0, "--print=%s and --json contradict each other",
                       command_line_given(line, "print"));
    return GS_OK;
}

/* Without its argument --resume takes the input for it. */
static enum gs_status check_resume(const struct command_line *line, struct gs_error *error)
{
    const char *path = command_line_given(line, "resume");
    struct stat info;
    if (path == NULL || stat(path, &info) != 0 || S_ISDIR(info.st_mode))
        return GS_OK;
    return gs_fail(
        error, GS_E_USAGE, 0,
        "--resume: '%s' is a file; name a directory for the resume journal: --resume=DIR", path);
}

enum gs_status command_line_check(struct command_line *line, struct gs_error *error)
{
    static const char *const of_joining[] = {"join-reports", "files0-from", "quiet", NULL};
    if (line->joins_reports)
        return allow_only(line, of_joining, false, "--join-reports, which reads reports", error);
    TRY(find_action(line, error));
    TRY(check_action(line, error));
    TRY(check_pairs(line, error));
    TRY(check_resume(line, error));
    return check_report(line, error);
}
