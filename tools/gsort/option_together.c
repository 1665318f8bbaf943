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
        [OPT_QUIET] = true, [OPT_MEMORY] = true, [OPT_REVERSE] = true,   [OPT_MERGE] = true};
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
    const struct {
        bool is_given;
        enum option_id id;
    } of_sorting[] = {{o->into, OPT_INTO},
                      {o->split_count > 0, OPT_SPLIT},
                      {o->split_value_count > 0, OPT_SPLIT_AT},
                      {o->output != NULL, OPT_OUTPUT},
                      {o->temp_dir_count > 0, OPT_TEMP_DIR},
                      {o->resume_dir != NULL, OPT_RESUME},
                      {o->output_zstd_level > 0, OPT_ZSTD},
                      {o->has_top, OPT_TOP},
                      {o->merge, OPT_MERGE},
                      {o->fan_in > 0, OPT_BATCH_SIZE},
                      {o->chunk_bytes > 0, OPT_CHUNK},
                      {o->spill_all, OPT_SPILL},
                      {o->compress != GS_COMPRESS_AUTO, OPT_COMPRESS},
                      {o->unique_counts, OPT_COUNT_GROUPS},
                      {o->unique_keep != GS_KEEP_FIRST, OPT_KEEP},
                      {o->group_keys > 0, OPT_GROUP},
                      {o->sum_field_count > 0, OPT_SUM},
                      {o->min_field_count > 0, OPT_MIN},
                      {o->max_field_count > 0, OPT_MAX},
                      {o->sum_wide, OPT_SUM_WIDE},
                      {o->out_field_count > 0, OPT_OUT},
                      {o->argsort, OPT_ARGSORT},
                      {o->value_count > 0, OPT_VALUES},
                      {o->verify_read, OPT_VERIFY},
                      {o->unique && o->action == GS_ACTION_STATS, OPT_UNIQUE}};
    for (size_t i = 0; !sorts && i < sizeof of_sorting / sizeof of_sorting[0]; i++)
        if (of_sorting[i].is_given)
            return gs_fail(error, GS_E_USAGE, 0,
                           "--%s: has no meaning with --%s, which writes nothing",
                           option_rows[of_sorting[i].id].name,
                           o->action == GS_ACTION_CHECK ? "check" : "stats-only");
    if (o->merge && (o->chunk_bytes > 0 || o->spill_all))
        return gs_fail(error, GS_E_USAGE, 0,
                       "--%s: has no meaning with --merge, which sorts nothing",
                       option_rows[o->spill_all ? OPT_SPILL : OPT_CHUNK].name);
    if (o->reverse && o->action == GS_ACTION_STATS)
        return gs_fail(error, GS_E_USAGE, 0, "--reverse: has no meaning with --stats-only");
    if (line->files0_path != NULL && o->input_count > 0)
        return gs_fail(error, GS_E_USAGE, 0,
                       "--files0-from and FILE '%s' exclude each other; name all files in '%s'",
                       o->inputs[0], line->files0_path);
    if (line->is_quiet && line->is_verbose)
        return gs_fail(error, GS_E_USAGE, 0, "--quiet and --verbose contradict each other");
    if (line->is_quiet && line->stats_is_set && line->stats != STATS_NONE)
        return gs_fail(error, GS_E_USAGE, 0, "--quiet and --stats contradict each other");
    return GS_OK;
}

enum gs_status command_line_check(struct command_line *line, struct gs_error *error)
{
    if (line->joins_reports)
        return check_joining(line, error);
    TRY(check_outputs(line, error));
    TRY(check_finding(line, error));
    return check_together(line, error);
}
