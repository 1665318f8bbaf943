/* pipe.h: passes the output of one job to another job, in memory. The first job's writer waits
 * while the second job's reader copies its data. Both are callbacks of their jobs (io/callback.h).
 *
 *     job ── gs_writer ──> [ data, lent ] ──> gs_reader ──> another job
 *
 * A lock protects the struct. A condition variable wakes both sides. */
#ifndef GSI_PIPE_H
#define GSI_PIPE_H

#include "gsort.h"

#include <pthread.h>

struct gsi_pipe {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    const uint8_t *data; /* the writer's data that are not read yet */
    size_t bytes;
    uint64_t moved_bytes;         /* total bytes read */
    bool is_reader_waiting;       /* the reader waits for data */
    bool is_writer_done;          /* the writer's job has ended successfully */
    bool is_stopped;              /* gsi_pipe_stop was called, or the writer's job has failed */
    bool is_reader_done;          /* the reader's job has ended */
    enum gs_status reader_status; /* result of the reader's job */
};

void gsi_pipe_open(struct gsi_pipe *pipe);
void gsi_pipe_close(struct gsi_pipe *pipe); /* both jobs must have ended */

/* gsi_pipe_reader, gsi_pipe_writer: return the callbacks for both jobs. Both fail with
 * GS_E_CANCELED if the pipe is stopped. The writer also fails if the reader's job has failed. If
 * the reader's job ended successfully before reading everything (--top 0), the writer drops further
 * data. */
struct gs_reader gsi_pipe_reader(struct gsi_pipe *pipe);
struct gs_writer gsi_pipe_writer(struct gsi_pipe *pipe);

/* gsi_pipe_read, gsi_pipe_write: are the reader and the writer as functions.
 * gsi_pipe_stop: stops the pipe: waiting reads and writes fail.
 * gsi_pipe_is_ready: returns whether a read would return at once.
 * gsi_pipe_await_reader: waits until the reader waits for data, or its job has ended.
 * gsi_pipe_end_writer: records the end of the writer's job. If that job succeeded, the reader finds
 *   the end of the data; otherwise the reader fails.
 * gsi_pipe_end_reader: records the end of the reader's job. */
int64_t gsi_pipe_read(struct gsi_pipe *pipe, void *data, size_t bytes, struct gs_error *error);
bool gsi_pipe_write(struct gsi_pipe *pipe, const void *data, size_t bytes, struct gs_error *error);
void gsi_pipe_stop(struct gsi_pipe *pipe);
bool gsi_pipe_is_ready(struct gsi_pipe *pipe);
void gsi_pipe_await_reader(struct gsi_pipe *pipe);
void gsi_pipe_end_writer(struct gsi_pipe *pipe, enum gs_status status);
void gsi_pipe_end_reader(struct gsi_pipe *pipe, enum gs_status status);

#endif
