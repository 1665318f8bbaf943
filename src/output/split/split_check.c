/* split_check.c: values and the pattern. */
#include "output/split/split_check.h"

#include "base/choices.h"

#include <stdlib.h>
#include <string.h>

/* ---- values ---- */

enum gs_status gsi_split_cuts_open(const struct gsi_target *target, struct gsi_side **cuts)
{
    const struct gsi_output_spec *spec = target->spec;
    struct gs_error *error = target->loop->error;
    *cuts = calloc(spec->split_count - 1, sizeof **cuts);
    if (*cuts == NULL)
        return gsi_fail(error, GS_E_MEMORY, 0,
                        "out of memory: cannot allocate the values of --split-at");
    for (size_t i = 0; i + 1 < spec->split_count; i++) {
        struct gsi_side *cut = &(*cuts)[i];
        const char *value = spec->split_values[i];
        GSI_TRY(gsi_side_open_before(cut, target->inputs, "split-at", value, value, false));
        if (i > 0 && !gsi_side_is_wider(cut, cut - 1))
            return gsi_fail(error, GS_E_USAGE, 0,
                            "--split-at: '%s' is not after '%s' in the output order; give the "
                            "values in that order, each once",
                            value, spec->split_values[i - 1]);
    }
    return GS_OK;
}

void gsi_split_cuts_close(const struct gsi_target *target, struct gsi_side *cuts)
{
    for (size_t i = 0; cuts != NULL && i + 1 < target->spec->split_count; i++)
        gsi_side_close(&cuts[i]);
    free(cuts);
}

/* ---- check ---- */

enum gs_status gsi_split_check(const struct gsi_target *target, struct gsi_split_report *report)
{
    struct gsi_side *cuts = NULL;
    const struct gsi_output_spec *spec = target->spec;
    const uint32_t count = spec->split_count;
    if (count == 0 || !spec->is_wanted)
        return GS_OK;
    if (count > GSI_SPLIT_MAX)
        return gsi_fail(target->loop->error, GS_E_USAGE, 0,
                        "--split%s: %u files exceed the limit of %u",
                        spec->split_values != NULL ? "-at" : "", count, GSI_SPLIT_MAX);
    GSI_TRY(gsi_split_pattern_check(spec->name, target->loop->error));
    report->count = count;
    if (spec->split_values == NULL)
        return GS_OK;
    enum gs_status status = gsi_split_cuts_open(target, &cuts);
    gsi_split_cuts_close(target, cuts);
    return status;
}

enum gs_status gsi_split_open_files(struct gsi_target *target)
{
    const struct gsi_output_spec *spec = target->spec;
    struct gs_error *error = target->loop->error;
    GSI_TRY(gsi_split_files_open(&target->files, spec->name, spec->split_count, error));
    GSI_TRY(gsi_output_locate(target->files.table[0].path, &target->output, error));
    target->is_open = true;
    target->output.name = spec->name;
    return GS_OK;
}

enum gs_status gsi_split_commit_files(struct gsi_target *target, uint64_t count, uint64_t wanted)
{
    struct gsi_split_files *files = &target->files;
    target->file_bytes = 0;
    for (uint32_t i = 0; i < files->count; i++)
        target->file_bytes += files->table[i].file_bytes;
    if (count != wanted)
        return gsi_fail(
            target->loop->error, GS_E_VERIFY, 0,
            "'%s': the files have %llu of %llu elements; %s; check the memory of this machine",
            target->output.name, (unsigned long long)count, (unsigned long long)wanted,
            gsi_target_describe_left(target));
    return gsi_split_files_commit(files, &target->output.is_placed, target->loop->error);
}
