/* split_check.c: values and the pattern. */
#include "output/split/split_check.h"

#include "base/report.h"
#include "output/split/columns.h"

#include <stdlib.h>
#include <string.h>

/* How many files the output is; 0: it is not split. */
static uint32_t file_count(const struct gsi_options *options)
{
    if (!gsi_target_is_split(options))
        return 0;
    return options->split_value_count > 0 ? (uint32_t)options->split_value_count + 1
                                          : options->split_count;
}

/* ---- values ---- */

enum gs_status gsi_split_cuts_open(const struct gsi_target *target, struct gsi_side **cuts)
{
    const struct gsi_options *options = target->options;
    struct gs_error *error = target->loop->error;
    *cuts = calloc(options->split_value_count, sizeof **cuts);
    if (*cuts == NULL)
        return gsi_fail(error, GS_E_MEMORY, 0,
                        "out of memory: cannot allocate the values of --split-at");
    for (size_t i = 0; i < options->split_value_count; i++) {
        struct gsi_side *cut = &(*cuts)[i];
        const char *value = options->split_values[i];
        GSI_TRY(gsi_side_open_before(cut, target->inputs, "split-at", value, value, false));
        if (i > 0 && !gsi_side_is_wider(cut, cut - 1))
            return gsi_fail(error, GS_E_USAGE, 0,
                            "--split-at: '%s' is not after '%s' in the output order; give the "
                            "values in that order, each once",
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

/* ---- check ---- */

enum gs_status gsi_split_check(const struct gsi_target *target, struct gs_report *report)
{
    struct gsi_side *cuts = NULL;
    enum gs_action action = target->options->action;
    bool writes = action == GS_SORT || action == GS_EXPLAIN;
    uint32_t count = file_count(target->options);
    if (count == 0 || !writes)
        return GS_OK;
    if (count > GSI_SPLIT_MAX)
        return gsi_fail(target->loop->error, GS_E_USAGE, 0,
                        "--split%s: %u files exceed the limit of %u",
                        target->options->split_value_count > 0 ? "-at" : "", count, GSI_SPLIT_MAX);
    GSI_TRY(gsi_split_pattern_check(target->options->output, target->loop->error));
    report->split_count = count;
    if (target->options->split_value_count == 0)
        return GS_OK;
    enum gs_status status = gsi_split_cuts_open(target, &cuts);
    gsi_split_cuts_close(target, cuts);
    return status;
}

enum gs_status gsi_split_open_files(struct gsi_target *target)
{
    const struct gsi_options *options = target->options;
    struct gs_error *error = target->loop->error;
    if (target->inputs->values != NULL)
        return gsi_columns_open_files(target);
    GSI_TRY(gsi_split_files_open(&target->files, options->output, file_count(options), error));
    GSI_TRY(gsi_output_locate(target->files.table[0].path, &target->output, error));
    target->is_open = true;
    target->output.name = options->output;
    return GS_OK;
}
