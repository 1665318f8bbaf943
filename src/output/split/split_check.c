/* split_check.c: refuses what would not be what was asked for. */
#include "output/split/split_check.h"

#include "output/split/columns.h"

#include "input/npy/npy_input.h"

#include <stdlib.h>
#include <string.h>

uint32_t gsi_split_count(const struct gs_options *options)
{
    if (!gsi_target_is_split(options))
        return 0;
    return options->split_value_count > 0 ? (uint32_t)options->split_value_count + 1
                                          : options->split_count;
}

/* ---- values ---- */

enum gs_status gsi_split_cuts_open(const struct gsi_target *target, struct gsi_side **cuts)
{
    const struct gs_options *options = target->options;
    struct gs_error *error = target->loop->error;
    bool descends = gsi_layout_falls(target->loop->layout);
    *cuts = calloc(options->split_value_count, sizeof **cuts);
    if (*cuts == NULL)
        return gsi_fail(error, GS_E_MEMORY, 0, "memory: cannot hold the values of --split-at");
    for (size_t i = 0; i < options->split_value_count; i++) {
        struct gsi_side *cut = &(*cuts)[i];
        const char *value = options->split_values[i];
        cut->is_inverted = descends;
        GSI_TRY(
            gsi_side_open(cut, target->inputs, "split-at", value, descends ? "<=" : "<", value));
        if (i > 0 && !gsi_side_is_wider(descends ? cut - 1 : cut, descends ? cut : cut - 1))
            return gsi_fail(error, GS_E_USAGE, 0,
                            "--split-at: '%s' does not come behind '%s' in the output; give values "
                            "in its order, each once",
                            value, options->split_values[i - 1]);
    }
    return GS_OK;
}

void gsi_split_cuts_close(const struct gsi_target *target, struct gsi_side *cuts)
{
    for (size_t i = 0; cuts != NULL && i < target->options->split_value_count; i++)
        gsi_side_close(&cuts[i]);
    free(cuts);
}

/* ---- options ---- */

/* Equal counts need the number of elements before the first is written. */
static enum gs_status check_counts(const struct gsi_target *target)
{
    const struct gs_options *options = target->options;
    const struct gsi_inputs *inputs = target->inputs;
    bool is_counted = inputs->bytes != UINT64_MAX && !gsi_inputs_filter(inputs);
    const char *why = options->unique ? "--unique leaves"
                      : options->merge && !is_counted
                          ? "a merge of streams, of sets or with --where has"
                          : NULL;
    if (options->split_value_count > 0 || why == NULL)
        return GS_OK;
    return gsi_fail(target->loop->error, GS_E_USAGE, 0,
                    "--split: how many elements %s shows only at the end; --split-at takes values, "
                    "or split in a second step",
                    why);
}

static enum gs_status check_options(const struct gsi_target *target)
{
    const struct gs_options *options = target->options;
    struct gs_error *error = target->loop->error;
    const char *split = options->split_value_count > 0 ? "--split-at" : "--split";
    const struct {
        const char *name;
        bool is_given;
    } refused[] = {{"--split", options->split_value_count > 0 && options->split_count > 0},
                   {"--into", options->into},
                   {"--resume", options->resume_dir != NULL}};
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++)
        if (refused[i].is_given)
            return gsi_fail(error, GS_E_USAGE, 0, "%s and %s exclude each other", refused[i].name,
                            split);
    if (options->writer != NULL || options->output == NULL || strcmp(options->output, "-") == 0)
        return gsi_fail(error, GS_E_USAGE, 0, "%s: needs --output with a pattern, like out.%%03d",
                        split);
    if (gsi_split_count(options) > GS_SPLIT_MAX)
        return gsi_fail(error, GS_E_USAGE, 0, "%s: %u files are more than %u", split,
                        gsi_split_count(options), GS_SPLIT_MAX);
    if (options->split_value_count > 0 && target->inputs->carry != NULL)
        return gsi_fail(
            error, GS_E_USAGE, 0,
            "--split-at: what --argsort and --out write has no key; --split takes counts");
    if (options->split_value_count > 0 && gsi_npy_input_is_output(target->inputs) &&
        gsi_target_pack_level(options) > 0)
        return gsi_fail(
            error, GS_E_USAGE, 0,
            "--split-at: the header of a .npy file says how many elements follow, which "
            "shows at the end; a packed one cannot be written twice");
    return gsi_split_pattern_check(options->output, error);
}

enum gs_status gsi_split_check(const struct gsi_target *target, struct gs_report *report)
{
    struct gsi_side *cuts = NULL;
    enum gs_action action = target->options->action;
    bool writes = action == GS_ACTION_SORT || action == GS_ACTION_EXPLAIN;
    if (!gsi_target_is_split(target->options) || !writes || target->inputs->values != NULL)
        return GS_OK; /* of --values: choose_carry.c */
    GSI_TRY(check_options(target));
    GSI_TRY(check_counts(target));
    report->split_count = gsi_split_count(target->options);
    if (target->options->split_value_count == 0)
        return GS_OK;
    enum gs_status status = gsi_split_cuts_open(target, &cuts);
    gsi_split_cuts_close(target, cuts);
    return status;
}

enum gs_status gsi_split_open_files(struct gsi_target *target)
{
    const struct gs_options *options = target->options;
    struct gs_error *error = target->loop->error;
    if (target->inputs->values != NULL)
        return gsi_columns_open_files(target);
    GSI_TRY(gsi_split_files_open(&target->files, options->output, gsi_split_count(options), error));
    GSI_TRY(gsi_output_locate(target->files.table[0].path, &target->output, error));
    target->is_open = true;
    target->output.name = options->output;
    return GS_OK;
}
