/* engine_open.c: chooses the engine of a job, and implements the rules that both engines share. */
#include "io/engine.h"

#include "base/choices.h"
#include "io/engine_parts.h"
#include "io/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>

/* The most transfers in progress. With the smallest blocks (4 KiB) these are 16 MiB, which is
 * enough for the fastest disks. More would only cost kernel memory; io_uring allows 32768. */
#define DEPTH_MAX 4096

/* Clears O_DIRECT after a direct transfer failed with EINVAL. Returns whether to repeat the
 * transfer. Some file systems accept O_DIRECT when a file is opened, but refuse all direct
 * transfers. Each transfer is repeated at most once. */
static bool is_worth_a_buffered_try(struct gsi_io *io)
{
    int flags = fcntl(io->fd, F_GETFL);
    if (io->is_tried_again || flags < 0)
        return false;
    io->is_tried_again = true;
    return (flags & O_DIRECT) == 0 || fcntl(io->fd, F_SETFL, flags & ~O_DIRECT) == 0;
}

enum gsi_io_step gsi_io_step(struct gsi_io *io, ssize_t result)
{
    if (result > 0)
        io->moved += (size_t)result;
    if (result >= 0 && io->moved == io->bytes)
        return GSI_STEP_FINISHED;
    if (result > 0 || result == -EINTR)
        return GSI_STEP_AGAIN;
    if (result == -EAGAIN)
        return GSI_STEP_BLOCKED;
    if (io->op == GSI_IO_READ) {
        /* A direct read whose end is not aligned has reached the end of the file. Some file systems
         * then refuse the next read instead of returning 0. */
        bool is_direct_end = result == -EINVAL && io->moved % GSI_DIRECT_ALIGN != 0;
        if (result == 0 || is_direct_end)
            return GSI_STEP_FINISHED;
    }
    if (result == -EINVAL && is_worth_a_buffered_try(io))
        return GSI_STEP_AGAIN;
    /* A write that returns 0 has failed; otherwise it would be repeated forever. */
    io->sys_errno = result == 0 ? EIO : (int)-result;
    return GSI_STEP_FINISHED;
}

void gsi_io_queue_end(struct gsi_io_queue *queue, struct gsi_io_queue *ended, int sys_errno)
{
    struct gsi_io *io;
    while ((io = gsi_io_queue_pop(queue)) != NULL) {
        io->sys_errno = sys_errno;
        gsi_io_queue_push(ended, io);
    }
}

const struct gsi_engine_ops *gsi_engine_find(enum gsi_io_choice choice)
{
    static const struct gsi_engine_ops *const engines[] = {
        [GSI_IO_URING] = &gsi_engine_uring, [GSI_IO_THREADS] = &gsi_engine_threads};
    return choice < sizeof engines / sizeof engines[0] ? engines[choice] : NULL;
}

enum gs_status gsi_engine_open(enum gsi_io_choice choice, uint32_t depth,
                               struct gsi_engine **engine, char *note, size_t note_bytes,
                               struct gs_error *error)
{
    *engine = NULL;
    if (note_bytes > 0)
        note[0] = '\0';
    depth = (uint32_t)gsi_clamp_u64(depth, 1, DEPTH_MAX);
    if (choice == GSI_IO_THREADS)
        return gsi_engine_threads.open(depth, engine, error);
    struct gs_error refusal = {0};
    if (gsi_engine_uring.open(depth, engine, &refusal) == GS_OK)
        return GS_OK;
    if (choice == GSI_IO_URING)
        return gsi_fail(error, refusal.status, refusal.sys_errno,
                        "--io uring: this machine refuses io_uring; use --io threads");
    snprintf(note, note_bytes, "%s", refusal.text);
    return gsi_engine_threads.open(depth, engine, error);
}
