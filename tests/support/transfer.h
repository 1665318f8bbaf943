/* transfer.h: starts transfers for tests of engines, and waits for all. */
#ifndef TRANSFER_H
#define TRANSFER_H

#include "support/support.h"

#include "io/engine.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#define DEPTH      8
#define PIPE_BYTES ((3u << 20) + 7) /* more than a pipe holds, even a wide one */

/* A transfer that counts how often it was returned. */
struct transfer {
    struct gsi_io io;
    unsigned done_count;
};

static inline void count_done(struct gsi_io *io)
{
    ((struct transfer *)io)->done_count++;
}

static inline struct transfer *start(struct gsi_engine *engine, struct transfer *transfer,
                                     enum gsi_io_op op, int fd, void *data, size_t bytes,
                                     uint64_t off)
{
    *transfer = (struct transfer){.io = {.op = op,
                                         .fd = fd,
                                         .data = data,
                                         .bytes = bytes,
                                         .off = off,
                                         .moved = 99,
                                         .sys_errno = 99,
                                         .done = count_done}};
    gsi_engine_submit(engine, &transfer->io);
    return transfer;
}

static inline void finish(struct gsi_engine *engine, struct transfer *transfers, size_t count)
{
    for (size_t i = 0; i < count; i++)
        while (transfers[i].done_count == 0)
            gsi_engine_wait(engine, UINT64_MAX);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(transfers[i].done_count, 1);
}

static inline int scratch_file(void)
{
    int fd = open(".", O_TMPFILE | O_RDWR, 0600);
    assert_true(fd >= 0);
    return fd;
}

/* Until a writer has filled the pipe and can only wait. */
static inline void wait_until_full(struct gsi_engine *engine, int fd)
{
    struct pollfd polled = {.fd = fd, .events = POLLOUT};
    while (poll(&polled, 1, 0) == 1)
        gsi_engine_wait(engine, 1000000);
}

#endif
