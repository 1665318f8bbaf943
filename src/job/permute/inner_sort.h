/* inner_sort.h: runs a sort on a thread of its own, as a part of a job. The sort reads from a
 * callback or from a pipe, and writes to a pipe.
 *
 *     read, or in ──> gsi_job_run, on its thread ──> out
 */
#ifndef GSI_INNER_SORT_H
#define GSI_INNER_SORT_H

#include "io/pipe.h"
#include "option/options.h"

struct gsi_job;
struct gs_report;

struct gsi_inner_sort {
    struct gsi_options options;
    struct gsi_pipe in, out;
    struct gs_reader reader;
    struct gs_writer writer;
    const char *name, *key, *temp_dir;
    pthread_t thread;
    bool is_open, has_thread;
    struct gs_report *report; /* from malloc */
    struct gs_error error;
};

/* gsi_inner_sort_start: starts to sort `bytes` in `memory_bytes` for a job, whose options for
 * threads, disk and compression hold. The job has set memory for the process aside.
 * in    name: of what is sorted, for messages; entry_bytes: records that begin with `key`, or
 *       numbers of 8 or 16 bytes if that is NULL; read: reads for `context`; NULL: the sort reads
 *       from `in`
 * fails GS_E_MEMORY
 * gsi_inner_sort_stop: waits until it has ended, and ends it if it has not. Adds its costs to those
 * of the job. Does nothing if it was not started, or is called again.
 * fails as the sort did, in the job's error */
enum gs_status gsi_inner_sort_start(struct gsi_inner_sort *sort, const struct gsi_job *job,
                                    const char *name, uint32_t entry_bytes, const char *key,
                                    uint64_t bytes, uint64_t memory_bytes,
                                    int64_t (*read)(void *context, void *data, size_t bytes,
                                                    struct gs_error *error),
                                    void *context);
enum gs_status gsi_inner_sort_stop(struct gsi_inner_sort *sort, struct gsi_job *job);

/* gsi_inner_sort_wait: waits until there is output, or the sort has ended.
 * fails GS_E_CANCELED */
enum gs_status gsi_inner_sort_wait(struct gsi_inner_sort *sort, struct gsi_job *job);

#endif
