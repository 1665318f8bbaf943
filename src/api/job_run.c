/* job_run.c: runs a job, and returns its error and report. */
#include "api/handle.h"

#include "base/status.h"
#include "job/job_report.h"
#include "job/run.h"
#include "report/number.h"

#include <stdlib.h>
#include <string.h>

/* Clears the report of the last run, and fails if a call that set an option has failed. */
static enum gs_status begin_run(struct gs_job *job)
{
    job->error = job->set_error;
    if (job->report == NULL)
        job->report = malloc(sizeof *job->report);
    if (job->report == NULL)
        return gsi_fail(&job->error, GS_E_MEMORY, 0, "out of memory: cannot allocate a report");
    memset(job->report, 0, sizeof *job->report);
    return job->error.status;
}

enum gs_status gsi_job_run_work(struct gs_job *job, enum gs_action action, gsi_job_work *work,
                                void *context)
{
    struct gsi_options options;
    bool is_given[GSI_OPT_COUNT];
    if (job == NULL)
        return GS_E_MEMORY;
    if (atomic_exchange(&job->is_running, true))
        return GS_E_USAGE;
    enum gs_status status = begin_run(job);
    if (status == GS_OK)
        status = gsi_job_options(job, action, &options, is_given, &job->error);
    if (status == GS_OK)
        status = work(context, &options, is_given, job->report, &job->error);
    if (status == GS_E_DISORDER)
        gsi_disorder_tell(options.inputs, options.input_count, options.unique, job->report,
                          &job->error);
    else if (status == GS_E_INPUT)
        gsi_job_advise(job, &options, job->report, &job->error);
    job->error.status = status;
    atomic_store(&job->is_running, false);
    return status;
}

/* Sets options that the action or another option implies. */
static void set_implied_options(struct gsi_options *options, enum gs_action action)
{
    bool sorts = action == GS_SORT || action == GS_EXPLAIN;
    options->merge = options->merge || (sorts && options->find != NULL);
    options->check_counts = action == GS_CHECK_ALL;
    if (options->check_counts)
        options->action = GS_CHECK;
    if (action == GS_STATS && options->merge) {
        /* Statistics of a merge are counted while its output is written, so the output is
         * /dev/null. */
        options->merge_is_counted = true;
        options->action = GS_SORT;
        options->output = "/dev/null";
        options->writer = NULL;
    }
}

/* Adds a note to the report, and passes it to the program's callback. */
static void record_note(void *context, const char *text)
{
    const struct gs_job *job = context;
    gsi_report_note(job->report, text);
    if (job->note != NULL)
        job->note(job->note_context, text);
}

static enum gs_status run_files(void *context, struct gsi_options *options,
                                const bool is_given[GSI_OPT_COUNT], struct gs_report *report,
                                struct gs_error *error)
{
    enum gs_action action = options->action;
    if (action < GS_SORT || action > GS_CHECK_ALL)
        return gsi_fail(error, GS_E_USAGE, 0,
                        "gs_job_run: libgsort %s has no action %d; enum gs_action lists them",
                        gs_version(), (int)action);
    set_implied_options(options, action);
    options->listener = (struct gsi_listener){record_note, context};
    return gsi_job_run(options, is_given, report, error);
}

enum gs_status gs_job_run(gs_job *job, enum gs_action action)
{
    return gsi_job_run_work(job, action, run_files, job);
}

const struct gs_error *gs_job_error(const gs_job *job)
{
    static const struct gs_error no_job = {.status = GS_E_MEMORY,
                                           .text = "out of memory: cannot allocate a job"};
    static const struct gs_error is_busy = {
        .status = GS_E_USAGE,
        .text = "the job is running; wait until it ends, or stop it with gs_cancel_now"};
    return job == NULL ? &no_job : job->is_running ? &is_busy : &job->error;
}

const gs_report *gs_job_report(const gs_job *job)
{
    return job != NULL ? job->report : NULL;
}

gs_report *gs_job_take_report(gs_job *job)
{
    gs_report *report = job != NULL ? job->report : NULL;
    if (report != NULL)
        job->report = NULL;
    return report;
}
