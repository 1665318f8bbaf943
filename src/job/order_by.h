/* order_by.h: --order-by: sorts the groups of --unique by their fields. Two ordinary jobs do this,
 * at the same time: the second one reads what the first one writes.
 *
 *     inputs ──> job: sort by keys, groups ──> pipe ──> job: sort by columns ──> output
 *                (the caller's thread)      (io/pipe.h)      (a thread of its own)
 *
 * The first job has the options about inputs, groups and statistics; the second one those about
 * the output. Both share the memory half and half, and the directories of -T. The second job begins
 * when the columns are known, and nothing is read before it waits for groups. So its mistakes
 * show early. It sees the end of its input only after the first job has verified all groups, and
 * places its output after that. */
#ifndef GSI_ORDER_BY_H
#define GSI_ORDER_BY_H

#include "io/pipe.h"
#include "job/job.h"
#include "job/job_report.h"

struct gsi_order_by {
    struct gsi_options groups, result; /* of both jobs */
    bool is_given[GSI_OPT_COUNT];      /* of the options of `groups` */
    char *directory;                   /* of temporary files, by default */
    struct gsi_pipe pipe;
    struct gs_writer writer;
    struct gs_reader reader;
    struct gsi_element_report columns; /* of groups, */
    struct gsi_field_report count;     /* and their count; without a name: there is none */
    uint64_t entry_bytes;              /* of a group */
    char texts[GSI_FIELDS_MAX][GSI_NAME_PLACE_BYTES + sizeof ":desc"];
    const char *keys[GSI_FIELDS_MAX];
    size_t key_count;
    pthread_t thread;
    bool has_thread;
    struct gs_report report; /* of the second job, as is `error` */
    struct gs_error error;
    struct gs_progress progress; /* the last one of the second job, not shown yet */
    bool has_progress;
};

/* gsi_order_by_open: makes the options of both jobs.
 * fails GS_E_USAGE: the options conflict; GS_E_MEMORY
 * gsi_order_by_begin: starts the second job, once the first one is planned and its columns are
 *   known. Does nothing in jobs without --order-by.
 * fails GS_E_USAGE: there is no such column; as the second job
 * gsi_order_by_end: the first job has ended with `status`. Waits for the second one, and adds its
 *   report. Returns the status of both, the first failure, with its line in *error. */
enum gs_status gsi_order_by_open(const struct gsi_options *options,
                                 const bool is_given[GSI_OPT_COUNT], struct gsi_order_by **order_by,
                                 struct gs_error *error);
enum gs_status gsi_order_by_begin(struct gsi_job *job);
enum gs_status gsi_order_by_end(struct gsi_order_by *order_by, enum gs_status status,
                                struct gs_report *report, struct gs_error *error);

#endif
