/* handle.h: what a program asks of gsort: gs_job.
 *
 *     gs_job_set, _add ──> given: texts ──> struct gsi_options ──> gsi_run ──> report, error
 *     (job_set.c)                        (made anew by each run: job_run.c)
 *
 * Given texts never change. So a share of memory is resolved when a run begins. Effects of one
 * option on another (--find merges) are set in the options of that run only. */
#ifndef GSI_HANDLE_H
#define GSI_HANDLE_H

#include "job/job_report.h"
#include "option/option.h"
#include "option/options.h"

#include <stdatomic.h>

/* The text given for an option, or a list of them. */
struct gsi_given_texts {
    char *text; /* NULL: nothing */
    char **list;
    size_t count, capacity;
};

struct gs_job {
    struct gsi_given_texts given[GSI_OPT_COUNT];
    struct gs_reader *readers; /* beside the inputs; without `read`: a file. NULL: all are files */
    size_t reader_capacity;
    struct gsi_device_model model;
    struct gs_writer writer; /* without `write`: a file */
    void (*progress)(void *context, const struct gs_progress *progress);
    void *progress_context;
    void (*note)(void *context, const char *text);
    void *note_context;
    gs_cancel *cancel;
    struct gs_error set_error; /* the first call that failed; a run says so again */
    struct gs_error error;     /* of the last call */
    gs_report *report;         /* of the last run; NULL: there was none, or it was taken */
    atomic_bool is_running;
};

/* gsi_job_options: the options of a run, which point into the job, and which of them were given.
 * fails as the first call that failed to set one */
enum gs_status gsi_job_options(struct gs_job *job, enum gs_action action,
                               struct gsi_options *options, bool is_given[GSI_OPT_COUNT],
                               struct gs_error *error);

/* The work of a run. It may change the options. */
typedef enum gs_status gsi_job_work(void *context, struct gsi_options *options,
                                    const bool is_given[GSI_OPT_COUNT], struct gs_report *report,
                                    struct gs_error *error);

/* gsi_job_run_work: does a run from begin to end. It forgets the last run, and keeps the report of
 * `work`, which is empty at first, and its failure.
 * fails GS_E_USAGE: another run is under way; GS_E_MEMORY; as the first call that failed to set an
 *       option; as `work` */
enum gs_status gsi_job_run_work(struct gs_job *job, enum gs_action action, gsi_job_work *work,
                                void *context);

/* gsi_job_advise: appends commands to the error line of a set operation that found an unsorted
 * file. They sort this file to a new one, and do the job with the new file and the given options:
 *
 *     'b.u64': not sorted: ...; sort it first: gsort b.u64 -o b.sorted.u64; then gsort
 *     --merge=semi a.u64 b.sorted.u64 -o out.u64
 *
 * The line does not change after other failures. Nor does it change if the input is not a regular
 * file, the new name exists, or the commands do not fit. */
void gsi_job_advise(const struct gs_job *job, const struct gsi_options *options,
                    const struct gs_report *report, struct gs_error *error);

#endif
