/* job_files.c: opens the inputs and the output of a job. */
#include "job/steps.h"

#include "input/header.h"
#include "io/array.h"
#include "io/callback.h"
#include "job/job_report.h"
#include "loop/loop.h"
#include "output/split/columns.h"
#include "output/split/split.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* If there are more inputs than this, they are closed for now, and opened again to be read. A
 * process may have 1024 descriptors by default, and an input needs two. */
#define INPUTS_OPEN_MAX GSI_CONSTANT(128, 2)

/* Returns whether a FIFO is not opened because nothing will be read: its writer would start and
 * then get a broken pipe. */
static bool is_left_alone(const struct gsi_job *job, const char *path)
{
    struct stat info;
    return job->inputs_spec.skips_streams && stat(path, &info) == 0 && S_ISFIFO(info.st_mode) &&
           access(path, R_OK) == 0;
}

/* Opens an input again if a signal interrupts that (in a network file system, say), unless the
 * signal cancels the job. */
static enum gs_status open_input(struct gsi_job *job, const char *path, struct gsi_input *input)
{
    const char *opened = is_left_alone(job, path) ? "/dev/null" : path; /* a stream, too */
    enum gs_status status = gsi_input_open(opened, input, job->loop.error);
    while (status != GS_OK && job->loop.error->sys_errno == EINTR &&
           !gsi_cancel_is_set(job->options->cancel)) {
        memset(job->loop.error, 0, sizeof *job->loop.error);
        status = gsi_input_open(opened, input, job->loop.error);
    }
    if (opened != path)
        input->path = input->name = path;
    return status;
}

enum gs_status gsi_job_open_inputs(struct gsi_job *job, const char *const *paths, size_t count)
{
    const struct gs_reader *readers = job->options->readers;
    bool has_stdin = false;
    bool is_set = job->options->merge_set != GSI_SET_NONE; /* reads all files at the same time */
    job->inputs.are_many = count > (is_set ? GSI_SET_FILES_MAX : INPUTS_OPEN_MAX);
    for (size_t i = 0; i < count; i++) {
        struct gsi_input *input = &job->inputs.table[i];
        bool has_reader = readers != NULL && readers[i].read != NULL;
        bool is_stdin = !has_reader && job->array == NULL && strcmp(paths[i], "-") == 0;
        if (is_stdin && has_stdin)
            return gsi_fail(job->loop.error, GS_E_USAGE, 0,
                            "'-': is given twice, but standard input can be read only once");
        has_stdin |= is_stdin;
        if (job->array != NULL)
            *input = gsi_array_input(job->array, paths[i]);
        else if (has_reader)
            *input = gsi_callbacks_input(job->loop.callbacks, &readers[i], paths[i]);
        else
            GSI_TRY(open_input(job, paths[i], input));
        job->inputs.count++;
        GSI_TRY(gsi_header_inspect(&job->inputs, input));
        if (input->is_direct && gsi_input_is_cached(input))
            gsi_input_disable_direct(
                input); /* copying from the page cache is faster than the disk */
        if (job->inputs.are_many)
            gsi_input_close_for_now(input);
    }
    return GS_OK;
}

/* Returns whether the output is written into a file that is read. */
static bool is_over_input(const struct gsi_job *job)
{
    const struct gsi_output *output = &job->target.output;
    struct stat info;
    return !gsi_fd_is_callback(output->fd) && fstat(output->fd, &info) == 0 &&
           (output->kind == GSI_OUTPUT_SHARED || S_ISBLK(info.st_mode)) &&
           gsi_inputs_contain(&job->inputs, &info);
}

/* Refuses to overwrite an input: a merge reads while it writes, and a region may replace only
 * itself. */
static enum gs_status check_apart(const struct gsi_job *job)
{
    const struct gsi_options *options = job->options;
    const struct gsi_output *output = &job->target.output;
    bool is_elsewhere = options->has_region && output->base_off != options->region_off;
    if (!(options->merge || is_elsewhere) || !is_over_input(job))
        return GS_OK;
    if (options->merge)
        return gsi_fail(job->loop.error, GS_E_USAGE, 0,
                        "'%s': is an input and would be overwritten while it is read; -o FILE "
                        "replaces it after everything is written",
                        output->name);
    return gsi_fail(job->loop.error, GS_E_USAGE, 0,
                    "'%s': is the input of --region, but would be overwritten from byte %llu on, "
                    "where the region does not begin; choose another output",
                    output->name, (unsigned long long)output->base_off);
}

enum gs_status gsi_job_open_output(struct gsi_job *job)
{
    const struct gsi_options *options = job->options;
    enum gs_status status = GS_OK;
    if (job->inputs.values != NULL && job->output_spec.is_split)
        return gsi_columns_open_files(&job->target);
    if (job->output_spec.is_split)
        return gsi_split_open_files(&job->target);
    if (options->writer != NULL)
        job->target.output =
            gsi_callbacks_output(job->loop.callbacks, options->writer, options->output);
    else if (options->into)
        status = gsi_into_open(&job->target, &job->report->into);
    else if (job->array == NULL)
        status = gsi_output_open(options->output, &job->target.output, job->loop.error);
    job->target.is_open = status == GS_OK;
    if (status == GS_OK)
        status = check_apart(job);
    while (status == GS_OK && job->target.output.fd == -1) { /* a FIFO that has no reader yet */
        GSI_TRY(gsi_loop_nap(&job->loop));
        GSI_TRY(gsi_output_connect(&job->target.output, false, job->loop.error));
    }
    return status;
}
