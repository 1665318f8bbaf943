/* pipe.c: implements a pipe between two jobs. */
#include "io/pipe.h"

#include "base/checked.h"
#include "base/status.h"

#include <string.h>

void gsi_pipe_open(struct gsi_pipe *pipe)
{
    *pipe = (struct gsi_pipe){.data = NULL};
    pthread_mutex_init(&pipe->lock, NULL);
    pthread_cond_init(&pipe->changed, NULL);
}

void gsi_pipe_close(struct gsi_pipe *pipe)
{
    pthread_cond_destroy(&pipe->changed);
    pthread_mutex_destroy(&pipe->lock);
}

/* ---- callbacks ---- */

int64_t gsi_pipe_read(struct gsi_pipe *pipe, void *data, size_t bytes, struct gs_error *error)
{
    pthread_mutex_lock(&pipe->lock);
    pipe->is_reader_waiting = true;
    pthread_cond_broadcast(&pipe->changed);
    while (pipe->bytes == 0 && !pipe->is_writer_done && !pipe->is_stopped)
        pthread_cond_wait(&pipe->changed, &pipe->lock);
    pipe->is_reader_waiting = false;
    const bool is_stopped = pipe->is_stopped;
    const size_t count = is_stopped ? 0 : gsi_min_u64(pipe->bytes, bytes);
    if (count > 0)
        memcpy(data, pipe->data, count);
    pipe->data += count;
    pipe->bytes -= count;
    pipe->moved_bytes += count;
    pthread_cond_broadcast(&pipe->changed);
    pthread_mutex_unlock(&pipe->lock);
    if (!is_stopped)
        return (int64_t)count;
    gsi_fail(error, GS_E_CANCELED, 0, "canceled");
    return -1;
}

bool gsi_pipe_write(struct gsi_pipe *pipe, const void *data, size_t bytes, struct gs_error *error)
{
    pthread_mutex_lock(&pipe->lock);
    pipe->data = data;
    pipe->bytes = bytes;
    pthread_cond_broadcast(&pipe->changed);
    while (pipe->bytes > 0 && !pipe->is_stopped && !pipe->is_reader_done)
        pthread_cond_wait(&pipe->changed, &pipe->lock);
    const bool is_dropped = pipe->is_reader_done && pipe->reader_status == GS_OK;
    const bool is_written = pipe->bytes == 0 || is_dropped;
    pipe->data = NULL;
    pipe->bytes = 0;
    pthread_mutex_unlock(&pipe->lock);
    if (!is_written)
        gsi_fail(error, GS_E_CANCELED, 0, "canceled");
    return is_written;
}

static int64_t read_some(void *context, void *data, size_t bytes, struct gs_error *error)
{
    return gsi_pipe_read(context, data, bytes, error);
}

static bool write_all(void *context, const void *data, size_t bytes, struct gs_error *error)
{
    return gsi_pipe_write(context, data, bytes, error);
}

void gsi_pipe_stop(struct gsi_pipe *pipe)
{
    pthread_mutex_lock(&pipe->lock);
    pipe->is_stopped = true;
    pthread_cond_broadcast(&pipe->changed);
    pthread_mutex_unlock(&pipe->lock);
}

static void stop(void *context)
{
    gsi_pipe_stop(context);
}

bool gsi_pipe_is_ready(struct gsi_pipe *pipe)
{
    pthread_mutex_lock(&pipe->lock);
    const bool is_ready = pipe->bytes > 0 || pipe->is_writer_done || pipe->is_stopped;
    pthread_mutex_unlock(&pipe->lock);
    return is_ready;
}

struct gs_reader gsi_pipe_reader(struct gsi_pipe *pipe)
{
    return (struct gs_reader){.read = read_some, .stop = stop, .context = pipe};
}

struct gs_writer gsi_pipe_writer(struct gsi_pipe *pipe)
{
    return (struct gs_writer){.write = write_all, .stop = stop, .context = pipe};
}

/* ---- the ends of the jobs ---- */

void gsi_pipe_await_reader(struct gsi_pipe *pipe)
{
    pthread_mutex_lock(&pipe->lock);
    while (!pipe->is_reader_waiting && !pipe->is_reader_done)
        pthread_cond_wait(&pipe->changed, &pipe->lock);
    pthread_mutex_unlock(&pipe->lock);
}

void gsi_pipe_end_writer(struct gsi_pipe *pipe, enum gs_status status)
{
    pthread_mutex_lock(&pipe->lock);
    pipe->is_writer_done = status == GS_OK;
    pipe->is_stopped |= status != GS_OK;
    pthread_cond_broadcast(&pipe->changed);
    pthread_mutex_unlock(&pipe->lock);
}

void gsi_pipe_end_reader(struct gsi_pipe *pipe, enum gs_status status)
{
    pthread_mutex_lock(&pipe->lock);
    pipe->is_reader_done = true;
    pipe->reader_status = status;
    pthread_cond_broadcast(&pipe->changed);
    pthread_mutex_unlock(&pipe->lock);
}
