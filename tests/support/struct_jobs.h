/* struct_jobs.h: runs jobs by the library's internal options; options that are not 0 count as
 * given. `report` and `error` may be NULL. */
#ifndef STRUCT_JOBS_H
#define STRUCT_JOBS_H

#include "embed/embed.h"
#include "job/job_report.h"
#include "job/run.h"
#include "report/number.h"
#include "support/job_line.h"

#include <stdlib.h>
#include <string.h>

/* A test that fails prints its job. */
static inline void show_job(const char *kind, const struct gsi_options *options)
{
#ifdef REPEAT_H
    struct job_line line;
    job_line_make(&line, options);
    test_job("%s%s", kind, line.text);
#else
    (void)kind;
    (void)options;
#endif
}

/* Takes what a caller does not want to know. */
struct unheard {
    struct gs_report *report; /* NULL: it does */
    struct gs_error error;
};

static inline void unheard_begin(struct unheard *unheard, struct gs_report **report,
                                 struct gs_error **error)
{
    unheard->report = *report == NULL ? (struct gs_report *)calloc(1, sizeof **report) : NULL;
    *report = *report == NULL ? unheard->report : *report;
    *error = *error == NULL ? &unheard->error : *error;
    static struct gs_report nothing;
    **report = nothing;
    memset(*error, 0, sizeof **error);
}

static inline enum gs_status gs_run(const struct gsi_options *options, struct gs_report *report,
                                    struct gs_error *error)
{
    struct unheard unheard;
    unheard_begin(&unheard, &report, &error);
    show_job("", options);
    enum gs_status status = gsi_job_run(options, NULL, report, error);
    if (status == GS_E_DISORDER)
        gsi_disorder_tell(options->inputs, options->input_count, options->unique, report, error);
    free(unheard.report);
    return status;
}

static inline enum gs_status run_array(const void *data, void *to, uint64_t bytes,
                                       enum gs_action action, const struct gsi_options *given,
                                       struct gs_report *report, struct gs_error *error)
{
    struct unheard unheard;
    struct gsi_options options = *given;
    struct gsi_array array;
    memset(&array, 0, sizeof array);
    array.from = (const uint8_t *)data;
    array.to = (uint8_t *)to;
    array.bytes = bytes;
    options.action = action;
    unheard_begin(&unheard, &report, &error);
    show_job("of an array: ", &options);
    enum gs_status status = gsi_array_run(&array, &options, NULL, report, error);
    if (status == GS_E_DISORDER)
        gsi_disorder_tell(options.inputs, options.input_count, options.unique, report, error);
    free(unheard.report);
    return status;
}

static inline enum gs_status gs_sort_array(void *data, uint64_t bytes,
                                           const struct gsi_options *options,
                                           struct gs_report *report, struct gs_error *error)
{
    return run_array(data, data, bytes, GS_SORT, options, report, error);
}

static inline enum gs_status gs_stats_array(const void *data, uint64_t bytes,
                                            const struct gsi_options *options,
                                            struct gs_report *report, struct gs_error *error)
{
    return run_array(data, NULL, bytes, GS_STATS, options, report, error);
}

static inline enum gs_status gs_check_array(const void *data, uint64_t bytes,
                                            const struct gsi_options *options,
                                            struct gs_report *report, struct gs_error *error)
{
    return run_array(data, NULL, bytes, GS_CHECK, options, report, error);
}

static inline enum gs_status gs_argsort_array(const void *data, uint64_t bytes,
                                              const struct gsi_options *options,
                                              uint64_t *positions, struct gs_report *report,
                                              struct gs_error *error)
{
    return run_array(data, positions, bytes, GS_SORT, options, report, error);
}

static inline enum gs_status open_struct_sorter(const struct gsi_options *options,
                                                gs_sorter **sorter, struct gs_error *error)
{
    memset(error, 0, sizeof *error);
    show_job("of a sorter: ", options);
    return gsi_sorter_open(options, NULL, sorter, error);
}

/* As of the moment. */
static inline enum gs_status struct_sorter_report(gs_sorter *sorter, struct gs_report *report,
                                                  struct gs_error *error)
{
    const struct gs_report *told = gsi_sorter_told(sorter, error);
    if (told != NULL)
        *report = *told;
    return told != NULL ? GS_OK : GS_E_USAGE;
}

#endif
