/* embed_job.c: what a gs_job was told, of an array or a sorter. */
#include "api/handle.h"
#include "base/status.h"

#include <stdlib.h>

/* Behind it is gsi_job_end, unless it fails. */
static enum gs_status begin(struct gs_job *job, struct gs_options *options)
{
    bool is_given[GSI_OPT_COUNT];
    GSI_TRY(gsi_job_begin(job));
    enum gs_status status = gsi_job_options(job, GS_ACTION_SORT, options, is_given, &job->error);
    return status == GS_OK ? GS_OK : gsi_job_end(job, status);
}

enum gs_status gs_job_sort_array(gs_job *job, void *data, uint64_t bytes)
{
    struct gs_options options;
    GSI_TRY(begin(job, &options));
    return gsi_job_end(job, gs_sort_array(data, bytes, &options, job->report, &job->error));
}

enum gs_status gs_job_stats_array(gs_job *job, const void *data, uint64_t bytes)
{
    struct gs_options options;
    GSI_TRY(begin(job, &options));
    return gsi_job_end(job, gs_stats_array(data, bytes, &options, job->report, &job->error));
}

enum gs_status gs_job_check_array(gs_job *job, const void *data, uint64_t bytes)
{
    struct gs_options options;
    GSI_TRY(begin(job, &options));
    return gsi_job_end(job, gs_check_array(data, bytes, &options, job->report, &job->error));
}

enum gs_status gs_job_argsort_array(gs_job *job, const void *data, uint64_t bytes,
                                    uint64_t *positions)
{
    struct gs_options options;
    GSI_TRY(begin(job, &options));
    return gsi_job_end(
        job, gs_argsort_array(data, bytes, &options, positions, job->report, &job->error));
}

gs_sorter *gs_sorter_open(gs_job *job, struct gs_error *error)
{
    struct gs_options options;
    gs_sorter *sorter = NULL;
    enum gs_status status = begin(job, &options);
    if (status == GS_OK)
        status =
            gsi_job_end(job, gs_sorter_open_sized(&options, sizeof options, &sorter, &job->error));
    if (error != NULL) {
        *error = *gs_job_error(job);
        error->status = status;
    }
    return sorter;
}

gs_report *gs_sorter_report(gs_sorter *sorter, struct gs_error *error)
{
    gs_report *report = malloc(sizeof *report);
    if (error != NULL)
        *error = (struct gs_error){0};
    if (report == NULL) {
        gsi_fail(error, GS_E_MEMORY, 0, "memory: cannot allocate a report");
        return NULL;
    }
    if (gs_sorter_report_sized(sorter, report, sizeof *report, error) == GS_OK)
        return report;
    free(report);
    return NULL;
}
