/* handle.h: what a program asks of gsort: gs_job.
 *
 *     gs_job_set, _add ──> given: texts ──> struct gsi_options ──> gsi_run ──> report, error
 *     (job_set.c)                        (made anew by each run: job_run.c)
 *
 * Given texts never change. So a share of memory is a share of what there is when a run begins, and
 * what one option means for another (--find merges) is set in the options of that run only. */
#ifndef GSI_HANDLE_H
#define GSI_HANDLE_H

#include "job/job_report.h"
#include "option/option.h"
#include "option/options.h"

#include <stdatomic.h>

/* The text given for an option, or a list of them. */
struct gsi_given {
    char *text; /* NULL: nothing */
    char **list;
    size_t count, room;
};

struct gs_job {
    struct gsi_given given[GSI_OPT_COUNT];
    struct gs_reader *readers; /* beside the inputs; without `read`: a file. NULL: all are files */
    size_t reader_room;
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

/* gsi_job_do: does a run from begin to end. It forgets the last run, and keeps the report of
 * `work`, which is empty at first, and its failure.
 * fails GS_E_USAGE: another run is under way; GS_E_MEMORY; as the first call that failed to set an
 *       option; as `work` */
enum gs_status gsi_job_do(struct gs_job *job, enum gs_action action, gsi_job_work *work,
                          void *context);

/* gsi_job_advise: a set operation found a file that is not sorted. Its error line gets the commands
 * that sort this file to a new one and do the job with that, by the options that were given:
 *
 *     'b.u64': not sorted: ...; sort it first: gsort b.u64 -o b.sorted.u64; then gsort
 *     --merge=semi a.u64 b.sorted.u64 -o out.u64
 *
 * The line stays as it is after other failures, if the input is no regular file, a file has the new
 * name already, or the commands would not fit. */
void gsi_job_advise(const struct gs_job *job, const struct gsi_options *options,
                    const struct gs_report *report, struct gs_error *error);

#endif
