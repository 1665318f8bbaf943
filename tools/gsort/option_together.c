/* option_together.c: which options contradict each other, and which have no meaning where others are. */
#include "option_together.h"

#include "common/tool.h"

/* Elements are printed of one file; most options are about something else. */
static enum gs_status check_printing(const struct command_line *line, struct gs_error *error)
{
    static const bool has_meaning[OPT_COUNT] = {
        [OPT_HEAD] = true, [OPT_TAIL] = true,   [OPT_JSON] = true,
        [OPT_TYPE] = true, [OPT_RECORD] = true, [OPT_KEY] = true,
        [OPT_RAW] = true,  [OPT_HEADER] = true, [OPT_QUIET] = true};
    const char *name = option_rows[line->is_given[OPT_HEAD] ? OPT_HEAD : OPT_TAIL].name;
    for (int i = 0; i < OPT_COUNT; i++)
        if (line->is_given[i] && !has_meaning[i])
            return gs_fail(error, GS_E_USAGE, 0,
                           "--%s: has no meaning with --%s, which prints a file as it is",
                           option_rows[i].name, name);
    if (line->options.input_count > 1)
        return gs_fail(error, GS_E_USAGE, 0, "--%s: prints one file; '%s' is another", name,
                       line->options.inputs[1]);
    return GS_OK;
}

/* A file is the whole output, or has a place for it. */
static enum gs_status check_outputs(struct command_line *line, struct gs_error *error)
{
    struct gs_options *o = &line->options;
    if (line->into_path == NULL)
        return GS_OK;
    if (o->output != NULL)
        return gs_fail(error, GS_E_USAGE, 0,
                       "--output and --into exclude each other; give '%s' or '%s'", o->output,
                       line->into_path);
    o->output = line->into_path;
    o->into = true;
    return GS_OK;
}

/* Reports are joined, and nothing else is done. */
static enum gs_status check_joining(const struct command_line *line, struct gs_error *error)
{
    for (int i = 0; i < OPT_COUNT; i++)
        if (line->is_given[i] && i != OPT_JOIN_REPORTS && i != OPT_FILES0_FROM && i != OPT_QUIET)
            return gs_fail(error, GS_E_USAGE, 0,
                           "--%s: has no meaning with --join-reports, which reads reports",
                           option_rows[i].name);
    return GS_OK;
}

/* Without an output, --find prints a place; with one it merges what is found. */
static enum gs_status check_finding(struct command_line *line, struct gs_error *error)
{
    static const bool has_meaning[OPT_COUNT] = {
        [OPT_FIND] = true,  [OPT_TYPE] = true,   [OPT_RECORD] = true,    [OPT_KEY] = true,
        [OPT_RAW] = true,   [OPT_HEADER] = true, [OPT_DROP_TAIL] = true, [OPT_RANGE] = true,
        [OPT_QUIET] = true, [OPT_MEMORY] = true, [OPT_REVERSE] = true};
    struct gs_options *o = &line->options;
    bool sorts = o->action == GS_ACTION_SORT || o->action == GS_ACTION_EXPLAIN;
    if (o->find == NULL || o->action == GS_ACTION_LOOK)
        return GS_OK;
    o->merge = o->merge || sorts;
    if (o->action != GS_ACTION_SORT || o->output != NULL)
        return GS_OK;
    o->action = GS_ACTION_FIND;
    o->merge = false;
    for (int i = 0; i < OPT_COUNT; i++)
        if (line->is_given[i] && !has_meaning[i])
            return gs_fail(error, GS_E_USAGE, 0,
                           "--%s: has no meaning with --find, which prints a place; -o FILE writes "
                           "what is found",
                           option_rows[i].name);
    return GS_OK;
}

/* What asks for a report, or for a figure in it, is answered by one. */
static enum gs_status check_report(struct command_line *line, struct gs_error *error)
{
    static const enum option_id asking[] = {OPT_STATS_ONLY, OPT_STATS_OF, OPT_QUANTILES,
                                            OPT_HISTOGRAM,  OPT_DISTINCT, OPT_MODE,
                                            OPT_VARIANCE,   OPT_VERBOSE};
    for (size_t i = 0; i < sizeof asking / sizeof asking[0]; i++) {
        if (!line->is_given[asking[i]])
            continue;
        if (!line->is_given[OPT_STATS])
            line->stats = STATS_TEXT;
        else if (line->stats == STATS_NONE)
            return gs_fail(
                error, GS_E_USAGE, 0,
                "--%s: asks for a report, and --stats=none for none; leave one of them out",
                option_rows[asking[i]].name);
    }
    return GS_OK;
}

/* What would be ignored is refused. */
static enum gs_status check_together(const struct command_line *line, struct gs_error *error)
{
    const struct gs_options *o = &line->options;
    bool sorts = o->action == GS_ACTION_SORT || o->action == GS_ACTION_EXPLAIN;
    if (o->action == GS_ACTION_LOOK)
        return check_printing(line, error);
    if (o->action == GS_ACTION_FIND)
        return GS_OK;
    if (line->prints_json)
        return gs_fail(error, GS_E_USAGE, 0,
                       "--json: goes with --head or --tail; a report takes --stats=json");
    static const enum option_id of_sorting[] = {
        OPT_INTO,   OPT_SPLIT,   OPT_SPLIT_AT, OPT_OUTPUT,       OPT_TEMP_DIR,
        OPT_RESUME, OPT_ZSTD,    OPT_TOP,      OPT_MERGE,        OPT_BATCH_SIZE,
        OPT_CHUNK,  OPT_SPILL,   OPT_COMPRESS, OPT_COUNT_GROUPS, OPT_KEEP,
        OPT_GROUP,  OPT_SUM,     OPT_MIN,      OPT_MAX,          OPT_SUM_WIDE,
        OPT_OUT,    OPT_ARGSORT, OPT_INDEX,    OPT_VALUES,       OPT_VERIFY};
    const char *writes_nothing = o->action != GS_ACTION_CHECK ? "stats-only"
                                 : line->check_quietly        ? "check-quiet"
                                                              : "check";
    for (size_t i = 0; !sorts && i < sizeof of_sorting / sizeof of_sorting[0]; i++)
        if (line->is_given[of_sorting[i]])
            return gs_fail(error, GS_E_USAGE, 0,
                           "--%s: has no meaning with --%s, which writes nothing",
                           option_rows[of_sorting[i]].name, writes_nothing);
    if (o->unique && o->action == GS_ACTION_STATS)
        return gs_fail(error, GS_E_USAGE, 0,
                       "--unique: has no meaning with --stats-only, which writes nothing");
    const enum option_id cut = line->is_given[OPT_SPILL] ? OPT_SPILL : OPT_CHUNK;
    if (o->merge && line->is_given[cut])
        return gs_fail(error, GS_E_USAGE, 0,
                       "--%s: has no meaning with --merge, which sorts nothing",
                       option_rows[cut].name);
    if (line->is_given[OPT_KEEP] && !o->unique) /* also the first, which is kept anyway */
        return gs_fail(error, GS_E_USAGE, 0,
                       "--keep: is for the groups that --unique makes; give both");
    if (o->reverse && o->action == GS_ACTION_STATS)
        return gs_fail(error, GS_E_USAGE, 0, "--reverse: has no meaning with --stats-only");
    if (line->is_given[OPT_DEVICE_MEMORY] && o->device == GS_DEVICE_CPU)
        return gs_fail(error, GS_E_USAGE, 0,
                       "--device-memory: has no meaning with --device=cpu; --memory is what it "
                       "takes");
    if (line->files0_path != NULL && o->input_count > 0)
        return gs_fail(error, GS_E_USAGE, 0,
                       "--files0-from and FILE '%s' exclude each other; name all files in '%s'",
                       o->inputs[0], line->files0_path);
    if (line->is_given[OPT_CHECK] && line->is_given[OPT_CHECK_QUIET])
        return gs_fail(error, GS_E_USAGE, 0,
                       "--check and --check-quiet contradict each other; give one");
    if (line->is_quiet && line->is_verbose)
        return gs_fail(error, GS_E_USAGE, 0, "--quiet and --verbose contradict each other");
    return GS_OK;
}

enum gs_status command_line_check(struct command_line *line, struct gs_error *error)
{
    if (line->joins_reports)
        return check_joining(line, error);
    TRY(check_outputs(line, error));
    TRY(check_finding(line, error));
    TRY(check_together(line, error));
    return check_report(line, error);
}
