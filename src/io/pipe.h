/* pipe.h: passes the output of one job to another. The writer of the first job lends its data to
 * the reader of the second one, which copies them. Both are callbacks of their jobs (io/callback.h).
 *
 *     job ── gs_writer ──> [ data, lent ] ──> gs_reader ──> another job
 *
 * One lock guards everything, and each side waits for the other. */
#ifndef GSI_PIPE_H
#define GSI_PIPE_H

#include "gsort.h"

#include <pthread.h>

struct gsi_pipe {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    const uint8_t *data; /* lent, and not yet read */
    size_t bytes;
    uint64_t moved_bytes;         /* all that were read */
    bool is_reader_waiting;       /* the reader waits for data */
    bool is_writer_done;          /* the writer's job has written everything */
    bool is_stopped;              /* one of the jobs needs no more transfers */
    bool is_reader_done;          /* the reader's job has ended, */
    enum gs_status reader_status; /* with this result */
};

void gsi_pipe_open(struct gsi_pipe *pipe);
void gsi_pipe_close(struct gsi_pipe *pipe); /* neither job exists any more */

/* gsi_pipe_reader, gsi_pipe_writer: return the callbacks for both jobs. The reader fails with
 * GS_E_CANCELED if the pipe is stopped. The writer does, too, or if the reader's job has failed. If
 * that job has ended well, for instance with --top 0, the writer drops all further data. */
struct gs_reader gsi_pipe_reader(struct gsi_pipe *pipe);
struct gs_writer gsi_pipe_writer(struct gsi_pipe *pipe);

/* gsi_pipe_read, gsi_pipe_write: read as the reader does, and write as the writer does.
 * gsi_pipe_stop: stops the pipe. All calls that wait return.
 * gsi_pipe_is_ready: returns whether a read would not wait.
 * gsi_pipe_await_reader: waits until the reader has read everything and waits for more, or until
 *   its job has ended.
 * gsi_pipe_end_writer: the writer's job has ended. Only if it has not failed, the reader finds the
 *   end of the data.
 * gsi_pipe_end_reader: the reader's job has ended. */
int64_t gsi_pipe_read(struct gsi_pipe *pipe, void *data, size_t bytes, struct gs_error *error);
bool gsi_pipe_write(struct gsi_pipe *pipe, const void *data, size_t bytes, struct gs_error *error);
void gsi_pipe_stop(struct gsi_pipe *pipe);
bool gsi_pipe_is_ready(struct gsi_pipe *pipe);
void gsi_pipe_await_reader(struct gsi_pipe *pipe);
void gsi_pipe_end_writer(struct gsi_pipe *pipe, enum gs_status status);
void gsi_pipe_end_reader(struct gsi_pipe *pipe, enum gs_status status);

#endif
