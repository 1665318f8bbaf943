/* loop.c: implements the event loop: transfers, waiting, progress, phases. */
#include "loop/loop.h"

#include "base/checked.h"
#include "base/clock.h"
#include "io/callback.h"

/* The interval of progress reports, and so the longest sleep of a job that reports progress. */
#define PROGRESS_NS 200000000u

/* Polling interval for events that send no notification. Polling each 10 ms costs no measurable
 * time. */
#define NAP_NS 10000000u

/* ---- transfers ---- */

/* Adds the time since the last call to the phase's io_busy_ns, if a file transfer was in progress.
 * Streams do not count, because their transfers wait for other programs. */
static void add_io_busy_time(struct gsi_loop *loop)
{
    uint64_t now = gsi_clock_ns();
    if (loop->file_io_pending > 0)
        gsi_loop_phase_counts(loop)->io_busy_ns += now - loop->file_io_since_ns;
    loop->file_io_since_ns = now;
}

void gsi_loop_submit(struct gsi_loop *loop, struct gsi_io *io)
{
    loop->io_pending++;
    if (io->off != GSI_IO_STREAM && loop->file_io_pending++ == 0)
        loop->file_io_since_ns = gsi_clock_ns();
    if (gsi_fd_is_callback(io->fd))
        gsi_callbacks_submit(loop->callbacks, io);
    else
        gsi_engine_submit(loop->engine, io);
}

void gsi_loop_count_io_end(struct gsi_loop *loop, const struct gsi_io *io)
{
    loop->io_pending--;
    if (io->off != GSI_IO_STREAM && loop->file_io_pending == 1)
        add_io_busy_time(loop);
    loop->file_io_pending -= io->off != GSI_IO_STREAM;
}

/* A message names the file by `what` and `name`: "temporary file in " and a directory, or "" and a
 * file. */
static bool io_done(struct gsi_loop *loop, const struct gsi_io *io, const char *what,
                    const char *name)
{
    gsi_loop_count_io_end(loop, io);
    if (io->sys_errno != 0 && !gsi_loop_has_failed(loop)) {
        const char *verb = io->op == GSI_IO_READ ? "read" : "write";
        const char *why =
            gsi_io_is_refused(io) ? ", io_uring is out of resources; try --io threads" : "";
        if (io->off == GSI_IO_STREAM)
            gsi_fail(loop->error, gsi_status_of_errno(io->sys_errno), io->sys_errno,
                     "%s'%s': cannot %s%s", what, name, verb, why);
        else
            gsi_fail(loop->error, gsi_status_of_errno(io->sys_errno), io->sys_errno,
                     "%s'%s': cannot %s at byte %llu%s", what, name, verb,
                     (unsigned long long)(io->off + io->moved), why);
    }
    return !gsi_loop_has_failed(loop);
}

bool gsi_loop_io_done(struct gsi_loop *loop, const struct gsi_io *io, const char *name)
{
    return io_done(loop, io, "", name);
}

bool gsi_loop_temp_io_done(struct gsi_loop *loop, const struct gsi_io *io, const char *directory)
{
    return io_done(loop, io, "temporary file in ", directory);
}

/* ---- waiting ---- */

uint64_t gsi_loop_estimate_left_ns(const struct gsi_loop *loop, uint64_t phase_ns)
{
    double done = (double)loop->done_bytes, total = (double)loop->total_bytes;
    double of_phase = 0, later = 0;
    if (loop->done_bytes == 0 || loop->done_bytes > loop->total_bytes)
        return 0;
    for (int i = loop->phase; loop->plan != NULL && i < GS_PHASE_COUNT; i++) {
        const struct gsi_moves *moves = &loop->plan->moves[i];
        double moved = (double)moves->bytes_read + (double)moves->bytes_written;
        *(i == (int)loop->phase ? &of_phase : &later) += moved;
    }
    later *= 1 - (double)gsi_min_u64(loop->early_bytes, loop->done_bytes) / done;
    double phases = (total - done) / total + (of_phase > 0 ? later / of_phase : 0);
    double left = (double)phase_ns * total / done * phases;
    return left < 0x1p63 ? (uint64_t)left : 0;
}

static void report_progress(struct gsi_loop *loop)
{
    uint64_t now = gsi_clock_ns();
    if (now - loop->progress_ns < PROGRESS_NS)
        return;
    loop->progress_ns = now;
    struct gs_progress progress = {.phase = loop->phase,
                                   .bytes_done = loop->done_bytes,
                                   .bytes_total = loop->total_bytes,
                                   .elapsed_ns = now - loop->begin_ns,
                                   .phase_ns =
                                       now - gsi_max_u64(loop->begin_ns, loop->phase_begin_ns)};
    progress.left_ns = gsi_loop_estimate_left_ns(loop, progress.phase_ns);
    loop->progress(loop->progress_context, &progress);
}

static void reap_pools(struct gsi_loop *loop)
{
    gsi_pool_reap(loop->pool);
    gsi_pool_reap(loop->disk_pool);
    gsi_callbacks_reap(loop->callbacks);
}

/* Returns whether any transfer, task or work of the device is in progress, whose end would wake the
 * job. */
static bool has_work_under_way(const struct gsi_loop *loop)
{
    const struct gsi_device *device = loop->device;
    return loop->io_pending > 0 || gsi_pool_pending(loop->pool) > 0 ||
           gsi_pool_pending(loop->disk_pool) > 0 ||
           (device != NULL && device->ops->is_busy != NULL && device->ops->is_busy(device));
}

static enum gs_status fail_stalled(struct gsi_loop *loop)
{
    static const char *const phases[GS_PHASE_COUNT] = {"reads", "merges runs", "writes",
                                                       "reads back"};
    const struct gsi_plan *plan = loop->plan;
    return gsi_fail(
        loop->error, GS_E_INTERNAL, 0,
        "gsort %s makes no progress while it %s, with %llu runs, chunks of %llu and frames of %llu "
        "bytes; this is a bug in gsort; please report this line, the command and its --explain",
        gs_version(), phases[loop->phase], (unsigned long long)(plan != NULL ? plan->run_count : 0),
        (unsigned long long)(plan != NULL ? plan->chunk_bytes : 0),
        (unsigned long long)(plan != NULL ? plan->frame_bytes : 0));
}

static enum gs_status wait_for(struct gsi_loop *loop, uint64_t ns)
{
    bool has_progress = loop->progress != NULL;
    bool was_stalled = loop->is_stalled;
    loop->is_stalled = ns == UINT64_MAX && !has_work_under_way(loop);
    if (gsi_cancel_is_set(loop->cancel))
        return gsi_fail(loop->error, GS_E_CANCELED, 0, "canceled");
    if (gsi_loop_has_failed(loop))
        return loop->error->status;
    if (loop->is_stalled && was_stalled)
        return fail_stalled(loop);
    if (loop->is_stalled)
        ns = 0;
    /* If a task has finished before this call, its wake makes the wait return at once. */
    gsi_engine_wait(loop->engine, has_progress ? gsi_min_u64(ns, PROGRESS_NS) : ns);
    reap_pools(loop);
    if (has_progress)
        report_progress(loop);
    return loop->error->status;
}

enum gs_status gsi_loop_wait(struct gsi_loop *loop)
{
    return wait_for(loop, UINT64_MAX);
}

enum gs_status gsi_loop_wait_until(struct gsi_loop *loop, const bool *is_done)
{
    while (!*is_done)
        GSI_TRY(gsi_loop_wait(loop));
    return GS_OK;
}

enum gs_status gsi_loop_nap(struct gsi_loop *loop)
{
    return wait_for(loop, NAP_NS);
}

/* ---- phases ---- */

/* Passes the device's events to the stage that accepts them. Returns whether there were any. */
static bool deliver_device_events(struct gsi_loop *loop, const struct gsi_stage *stages,
                                  uint32_t count)
{
    const struct gsi_stage *receiver = NULL;
    struct gsi_event event;
    bool has_moved = false;
    for (uint32_t i = 0; i < count; i++)
        if (stages[i].accept != NULL)
            receiver = &stages[i];
    while (receiver != NULL && loop->device->ops->reap(loop->device, &event)) {
        has_moved = true;
        if (event.status != GS_OK) {
            gsi_fail(loop->error, event.status, 0, "%s", event.failure);
            break;
        }
        receiver->accept(receiver->context, &event);
    }
    return has_moved;
}

static bool are_done(const struct gsi_stage *stages, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (stages[i].is_done != NULL && !stages[i].is_done(stages[i].context))
            return false;
    return true;
}

enum gs_status gsi_loop_run(struct gsi_loop *loop, const struct gsi_stage *stages, uint32_t count)
{
    for (;;) {
        bool has_moved = deliver_device_events(loop, stages, count);
        for (uint32_t i = 0; i < count && !gsi_loop_has_failed(loop); i++)
            if (stages[i].pump != NULL)
                has_moved |= stages[i].pump(stages[i].context);
        if (gsi_loop_has_failed(loop))
            return loop->error->status;
        if (has_moved) {
            loop->is_stalled = false;
            continue;
        }
        if (are_done(stages, count))
            return GS_OK;
        GSI_TRY(gsi_loop_wait(loop));
    }
}

void gsi_loop_drain(struct gsi_loop *loop)
{
    gsi_engine_cancel(loop->engine);
    gsi_callbacks_stop(loop->callbacks);
    while (loop->io_pending > 0 || gsi_pool_pending(loop->pool) > 0 ||
           gsi_pool_pending(loop->disk_pool) > 0) {
        gsi_engine_wait(loop->engine, UINT64_MAX);
        reap_pools(loop);
    }
}

void gsi_loop_begin_phase(struct gsi_loop *loop, enum gs_phase phase, uint64_t total_bytes)
{
    uint64_t now = gsi_clock_ns();
    add_io_busy_time(loop);
    if (loop->phase_begin_ns != 0)
        gsi_loop_phase_counts(loop)->ns += now - loop->phase_begin_ns;
    else
        loop->start_ns = now - loop->begin_ns;
    loop->phase = phase;
    loop->phase_begin_ns = now;
    loop->done_bytes = loop->early_bytes = 0;
    loop->total_bytes = total_bytes == UINT64_MAX ? 0 : total_bytes;
}
