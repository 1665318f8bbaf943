/* engine_parts.h: declares what both engines use: queues of transfers, deadlines, and the rule for
 * what follows a read or write call. Only src/io/engine*.c include it. */
#ifndef GSI_ENGINE_PARTS_H
#define GSI_ENGINE_PARTS_H

#include "base/checked.h"
#include "base/clock.h"
#include "base/list.h"
#include "io/engine.h"

#include <sys/types.h>

/* The most bytes of one read or write call in Linux (MAX_RW_COUNT). */
#define GSI_IO_CALL_BYTES 0x7ffff000u

enum gsi_io_step {
    GSI_STEP_FINISHED, /* io->moved and io->sys_errno are final */
    GSI_STEP_AGAIN,    /* continue with the next byte, at io->moved */
    GSI_STEP_BLOCKED,  /* the descriptor is not ready (O_NONBLOCK): poll it, then continue */
};

/* gsi_io_step: adds the result of one read or write call (bytes, or a negative errno) to the
 * transfer. Returns what to do next. */
enum gsi_io_step gsi_io_step(struct gsi_io *io, ssize_t result);

/* These functions return the memory, the bytes and the offset of the next call of a transfer. */
static inline uint8_t *gsi_io_data(const struct gsi_io *io)
{
    return (uint8_t *)io->data + io->moved;
}

static inline uint32_t gsi_io_bytes(const struct gsi_io *io)
{
    return (uint32_t)gsi_min_u64(io->bytes - io->moved, GSI_IO_CALL_BYTES);
}

static inline uint64_t gsi_io_off(const struct gsi_io *io)
{
    return io->off == GSI_IO_STREAM ? GSI_IO_STREAM : io->off + io->moved;
}

GSI_LIST(gsi_io_queue, struct gsi_io)

/* gsi_io_queue_end: moves all transfers of `queue` to the end of `ended`, and sets their errno. */
void gsi_io_queue_end(struct gsi_io_queue *queue, struct gsi_io_queue *ended, int sys_errno);

/* gsi_deadline: returns the time when a wait of `timeout_ns` ends; UINT64_MAX: never. */
static inline uint64_t gsi_deadline(uint64_t timeout_ns)
{
    return gsi_add_max_u64(gsi_clock_ns(), timeout_ns);
}

/* gsi_deadline_left: returns the nanoseconds until the deadline; UINT64_MAX: forever. */
static inline uint64_t gsi_deadline_left(uint64_t deadline)
{
    if (deadline == UINT64_MAX)
        return UINT64_MAX;
    uint64_t now = gsi_clock_ns();
    return deadline > now ? deadline - now : 0;
}

#endif
