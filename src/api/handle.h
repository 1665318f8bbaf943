/* handle.h: defines gs_job, the public handle: it stores options, runs a job, and holds its report.
 *
 *     gs_job_set, _add ──> given: texts ──> struct gsi_options ──> gsi_run ──> report, error
 *     (job_set.c)                        (made anew by each run: job_run.c)
 *
 * A job stores options as the texts that the program set, and parses them again for each run. So
 * `--memory=50%` means half of the memory that is free when the run begins. Options that another
 * one implies (--find implies --merge) are set for this run only. */
#ifndef GSI_HANDLE_H
#define GSI_HANDLE_H

#include "job/job_report.h"
#include "option/option.h"
#include "option/options.h"

#include <stdatomic.h>

/* The text that the program set for an option, or the list of its texts. */
struct gsi_given_texts {
    char *text; /* NULL: not set, or a list */
    char **list;
    size_t count, capacity;
};

struct gs_job {
    struct gsi_given_texts given[GSI_OPT_COUNT];
    struct gs_reader *readers; /* one per input; an input without `read` is a file. NULL: all inputs
                                * are files */
    size_t reader_capacity;
    struct gsi_device_model model;
    struct gs_writer writer; /* no `write`: the output is a file */
    void (*progress)(void *context, const struct gs_progress *progress);
    void *progress_context;
    void (*note)(void *context, const char *text);
    void *note_context;
    gs_cancel *cancel;
    struct gs_error set_error; /* the first failure of a call that set an option; a run fails with
                                * it */
    struct gs_error error;     /* failure of the last call */
    gs_report *report;         /* of the last run; NULL: no run yet, or the program took the
                                * report */
    atomic_bool is_running;
};

/* gsi_job_options: parses the options of a run, which point into the job. Sets is_given[i] if the
 * program has set option i.
 * fails as the first call that failed to set an option */
enum gs_status gsi_job_options(struct gs_job *job, enum gs_action action,
                               struct gsi_options *options, bool is_given[GSI_OPT_COUNT],
                               struct gs_error *error);

/* The function that does the work of a run. It may change the options. */
typedef enum gs_status gsi_job_work(void *context, struct gsi_options *options,
                                    const bool is_given[GSI_OPT_COUNT], struct gs_report *report,
                                    struct gs_error *error);

/* gsi_job_run_work: runs a job: clears report and error of the last run, parses the options, and
 * calls `work`. The job keeps the report and the failure of `work`.
 * fails GS_E_USAGE: another run is in progress; GS_E_MEMORY; as the first call that failed to set
 *       an option; as `work` */
enum gs_status gsi_job_run_work(struct gs_job *job, enum gs_action action, gsi_job_work *work,
                                void *context);

/* gsi_job_advise: appends shell commands to the error line of a set operation that failed because
 * an input is not sorted. The commands sort this file to a new one, and repeat the job with the new
 * file:
 *
 *     'b.u64': not sorted: ...; sort it first: gsort b.u64 -o b.sorted.u64; then gsort
 *     --merge=semi a.u64 b.sorted.u64 -o out.u64
 *
 * The function leaves the error line of any other failure unchanged. It also does nothing if the
 * input is not a regular file, the new name exists, or the commands do not fit. */
void gsi_job_advise(const struct gs_job *job, const struct gsi_options *options,
                    const struct gs_report *report, struct gs_error *error);

#endif
