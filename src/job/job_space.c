/* job_space.c: finds directories, their file systems, and what is free there. */
#include "job/steps.h"

#include "base/checked.h"
#include "input/header.h"
#include "job/job_report.h"
#include "plan/plan.h"
#include "plan/space.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

struct temp_dirs {
    const char *const *paths;
    const char *fallback;
    size_t count;
};

static void find_temp_dirs(const struct gsi_job *job, const struct gsi_output *output,
                           struct temp_dirs *dirs)
{
    const struct gsi_options *options = job->options;
    dirs->fallback = output->directory != NULL ? output->directory : gsi_temp_directory();
    dirs->paths = options->temp_dir_count > 0 ? options->temp_dirs : &dirs->fallback;
    dirs->count = options->temp_dir_count > 0 ? options->temp_dir_count : 1;
}

enum gs_status gsi_job_check_temp_dirs(const struct gsi_job *job)
{
    for (size_t i = 0; i < job->options->temp_dir_count; i++)
        GSI_TRY(gsi_temp_check(job->options->temp_dirs[i], job->loop.error));
    return GS_OK;
}

/* Enter a directory that is written to in the list of file systems. */
static enum gs_status add_space(struct gsi_job *job, const char *directory, bool is_output)
{
    struct gs_report *report = job->report;
    uint64_t free_bytes, file_system;
    enum gs_status status = gsi_space_free(directory, &free_bytes, &file_system, job->loop.error);
    if (status != GS_OK)
        return status;
    struct gsi_space *space = report->space.table, *end = report->space.table + report->space.count;
    while (space < end && space->file_system != file_system)
        space++;
    if (space == report->space.table + GSI_SPACES_MAX)
        return gsi_fail(job->loop.error, GS_E_USAGE, 0,
                        "-T: the directories are in more than %d file systems; name fewer",
                        GSI_SPACES_MAX);
    /* Disk that the journal's files have is not needed again. */
    free_bytes = gsi_add_max_u64(free_bytes, gsi_resume_snapshot(job->resume)->held_bytes);
    if (space == end) {
        *space = (struct gsi_space){.file_system = file_system, .free_bytes = free_bytes};
        gsi_shorten_name(space->directory, sizeof space->directory, directory);
        gsi_replace_controls(space->directory);
        report->space.count++;
    }
    *(is_output ? &space->has_output : &space->has_temp) = true;
    return GS_OK;
}

/* The file systems, with what they have and need, if that can be known. */
static enum gs_status find_spaces(struct gsi_job *job, const struct gsi_output *output,
                                  const struct temp_dirs *dirs)
{
    job->report->space.count = 0;
    job->report->space.is_enough = true;
    if (job->inputs.bytes == UINT64_MAX)
        return GS_OK;
    if (output->kind == GSI_OUTPUT_ATOMIC)
        GSI_TRY(add_space(job, output->directory, true));
    for (size_t i = 0; i < dirs->count && job->plan.sizes.spilled_runs > 0; i++)
        GSI_TRY(add_space(job, dirs->paths[i], false));
    return GS_OK;
}

/* Written in one pass, an output has to be readable as a run. Its disk is released somewhat later
 * than it is read; if there are frames, too, the plan includes that. */
static void check_in_order(struct gsi_job *job, const struct gsi_output *output)
{
    struct gs_report *report = job->report;
    const struct gsi_plan *plan = &job->plan.sizes;
    if (plan->late_bytes == 0)
        return;
    uint64_t more = plan->disk_step_bytes + plan->arena_bytes;
    const char *why = NULL;
    if (output->kind != GSI_OUTPUT_ATOMIC)
        why = "the output is not a regular file";
    for (uint32_t i = 0; i < report->space.count; i++) {
        const struct gsi_space *space = &report->space.table[i];
        if (space->has_output && !space->has_temp &&
            space->free_bytes < gsi_add_max_u64(space->needed_bytes, more))
            why = "there is too little free disk space next to the output";
    }
    if (why == NULL)
        return;
    report->plan.late_bytes = 0;
    report->one_pass.note = why;
    job->target.has_one_pass = false;
}

enum gs_status gsi_job_explain_space(struct gsi_job *job)
{
    enum gs_status status = GS_OK;
    struct gs_report *report = job->report;
    struct gs_error unheard = {0};
    struct gsi_output output;
    struct temp_dirs dirs;
    const char *path = job->options->writer == NULL ? job->options->output : NULL;
    status = gsi_output_locate(path, &output, job->loop.error);
    if (status != GS_OK)
        return status;
    if (output.kind == GSI_OUTPUT_ATOMIC && access(output.directory, W_OK | X_OK) != 0)
        GSI_TRY_OR(gsi_fail(job->loop.error, GS_E_IO, errno,
                            "'%s': cannot create a file in directory '%s'", output.name,
                            output.directory),
                   done);
    find_temp_dirs(job, &output, &dirs);
    GSI_TRY_OR(find_spaces(job, &output, &dirs), done);
    report->space.is_enough = gsi_space_check(&job->plan.sizes, report->space.table,
                                              report->space.count, &unheard) == GS_OK;
    if (report->space.is_enough)
        check_in_order(job, &output);
done:
    gsi_output_close(&output);
    return status;
}

static enum gs_status open_store(struct gsi_job *job)
{
    struct gs_report *report = job->report;
    struct temp_dirs dirs;
    /* A stream spills when it is larger than the memory. */
    bool is_known = job->inputs.bytes != UINT64_MAX;
    uint64_t spilled = is_known ? job->plan.sizes.temp_bytes : job->plan.sizes.memory_bytes;
    find_temp_dirs(job, &job->target.output, &dirs);
    GSI_TRY(job->resume != NULL
                ? gsi_resume_open_store(job->resume, &job->spill.store)
                : gsi_spill_store_open(&job->spill.store, dirs.paths, dirs.count, spilled,
                                       &job->loop.ledger, job->loop.error));
    job->spill.has_store = true;
    GSI_TRY(find_spaces(job, &job->target.output, &dirs));
    GSI_TRY(gsi_space_check(&job->plan.sizes, report->space.table, report->space.count,
                            job->loop.error));
    check_in_order(job, &job->target.output);
    for (uint32_t i = 0; i < report->space.count; i++)
        gsi_spill_store_set_limit(&job->spill.store, report->space.table[i].file_system,
                                  report->space.table[i].temp_bytes);
    return GS_OK;
}

/* Files that the output is split into take their disk as they are written. */
static enum gs_status check_split_room(const struct gsi_job *job)
{
    const struct gsi_output *output = &job->target.output;
    uint64_t bytes = job->plan.sizes.output_bytes, free_bytes, file_system;
    if (job->inputs.bytes == UINT64_MAX || job->target.plan->pack_level > 0)
        return GS_OK;
    bytes = gsi_min_u64(bytes, gsi_target_most_bytes(&job->target));
    GSI_TRY(gsi_space_free(output->directory, &free_bytes, &file_system, job->loop.error));
    return bytes <= free_bytes ? GS_OK
                               : gsi_fail_space(job->loop.error, ENOSPC, output->name, "the output",
                                                bytes, free_bytes, "choose another place");
}

enum gs_status gsi_job_take_space(struct gsi_job *job)
{
    if (job->target.output.kind == GSI_OUTPUT_PART)
        GSI_TRY(gsi_output_reserve(
            &job->target.output, job->inputs_spec.kept_header_bytes + job->plan.sizes.output_bytes,
            job->loop.error));
    if (job->plan.sizes.spilled_runs > 0)
        return open_store(job);
    if (job->output_spec.is_split)
        return check_split_room(job);
    if (job->target.output.kind != GSI_OUTPUT_ATOMIC || job->inputs.bytes == UINT64_MAX ||
        job->target.plan->pack_level > 0)
        return GS_OK;
    uint64_t bytes = job->inputs_spec.kept_header_bytes + job->plan.sizes.output_bytes;
    if (job->resume == NULL && gsi_output_is_in_memory(&job->target.output))
        return gsi_memory_file_begin(&job->target.memory_file, &job->loop, &job->target.output,
                                     bytes);
    return gsi_output_reserve(&job->target.output, bytes, job->loop.error);
}
