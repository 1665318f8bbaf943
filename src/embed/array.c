/* array.c: jobs on an array in memory (io/array.h). A sort writes to it, or positions beside it
 * (element/entry/entry_map.h). */
#include "api/handle.h"
#include "base/status.h"
#include "embed/embed.h"
#include "job/job_report.h"
#include "job/run.h"
#include "option/conflicts.h"

#include <stdio.h>
#include <string.h>

/* Appends the state of the array to the error. */
static void tell_state(const struct gsi_array *array, struct gs_error *error)
{
    size_t length = strlen(error->text);
    snprintf(error->text + length, sizeof error->text - length, "%s",
             !array->is_written ? "; the array is unchanged"
             : array->is_whole  ? "; the array has all its elements, but they are not in order"
                                : "; the array was partly overwritten, and elements are lost");
}

enum gs_status gsi_array_run(struct gsi_array *array, struct gsi_options *options,
                             const bool is_given[GSI_OPT_COUNT], struct gs_report *report,
                             struct gs_error *error)
{
    static const char *const names[] = {"array"};
    struct gsi_features features;
    bool is_sort = options->action == GS_SORT;
    bool is_argsort = array->to != NULL && array->to != array->from;
    unsigned verbs = gsi_verb_of(options->action) | (is_sort ? GSI_VERB_ARRAY : GSI_VERB_SCAN);
    enum gs_status status = gsi_conflicts_begin(&features, options, verbs, is_given, error);
    options->argsort = is_argsort;
    options->inputs = names;
    options->input_count = 1;
    options->raw = true;
    if (status == GS_OK)
        status = gsi_job_run_array(options, array, report, error);
    report->output.is_placed = is_sort && array->is_written;
    if (is_sort && status != GS_OK && !is_argsort)
        tell_state(array, error);
    return status;
}

static enum gs_status run_array(void *context, struct gsi_options *options,
                                const bool is_given[GSI_OPT_COUNT], struct gs_report *report,
                                struct gs_error *error)
{
    return gsi_array_run(context, options, is_given, report, error);
}

static enum gs_status run_argsort(void *context, struct gsi_options *options,
                                  const bool is_given[GSI_OPT_COUNT], struct gs_report *report,
                                  struct gs_error *error)
{
    const struct gsi_array *array = context;
    if (array->bytes > 0 && (array->to == NULL || array->to == array->from))
        return gsi_fail(error, GS_E_USAGE, 0, "the positions: %s",
                        array->to == NULL ? "the pointer is NULL"
                                          : "their memory overlaps the array");
    return gsi_array_run(context, options, is_given, report, error);
}

static enum gs_status run(gs_job *job, struct gsi_array *array, enum gs_action action)
{
    return gsi_job_run_work(job, action, run_array, array);
}

enum gs_status gs_job_sort_array(gs_job *job, void *data, uint64_t bytes)
{
    return run(job, &(struct gsi_array){.from = data, .to = data, .bytes = bytes}, GS_SORT);
}

enum gs_status gs_job_stats_array(gs_job *job, const void *data, uint64_t bytes)
{
    return run(job, &(struct gsi_array){.from = data, .bytes = bytes}, GS_STATS);
}

enum gs_status gs_job_check_array(gs_job *job, const void *data, uint64_t bytes)
{
    return run(job, &(struct gsi_array){.from = data, .bytes = bytes}, GS_CHECK);
}

enum gs_status gs_job_argsort_array(gs_job *job, const void *data, uint64_t bytes,
                                    uint64_t *positions)
{
    struct gsi_array array = {.from = data, .to = (uint8_t *)positions, .bytes = bytes};
    return gsi_job_run_work(job, GS_SORT, run_argsort, &array);
}
