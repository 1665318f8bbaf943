/* cancel.c: implements gs_cancel: a flag, and an eventfd that I/O engines watch. The object owns
 * both and has no pointer to a job. So gs_cancel_now is safe in a signal handler, and in a thread
 * that calls it after the job has ended. A cancelled object stays cancelled, because no one reads
 * the eventfd. Any number of jobs may watch it. */
#include "loop/loop.h"

#include "base/process.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

struct gs_cancel {
    atomic_bool is_set;
    int event_fd;
    uint32_t
        process; /* the process that created it: a child of fork has a copy of the flag, but the
                  * same eventfd */
};

gs_cancel *gs_cancel_create(void)
{
    gs_cancel *cancel = calloc(1, sizeof *cancel);
    if (cancel == NULL)
        return NULL;
    cancel->process = gsi_process_id();
    cancel->event_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (cancel->event_fd >= 0)
        return cancel;
    free(cancel);
    return NULL;
}

void gs_cancel_free(gs_cancel *cancel)
{
    if (cancel == NULL)
        return;
    close(cancel->event_fd);
    free(cancel);
}

/* Only the call that sets the flag writes to the eventfd. */
void gs_cancel_now(gs_cancel *cancel)
{
    int saved_errno = errno; /* a signal handler must not change errno */
    if (cancel->process == gsi_process_id() && !atomic_exchange(&cancel->is_set, true))
        (void)!write(cancel->event_fd, &(uint64_t){1}, sizeof(uint64_t));
    errno = saved_errno;
}

bool gsi_cancel_is_set(const gs_cancel *cancel)
{
    return cancel != NULL && atomic_load(&cancel->is_set);
}

bool gsi_cancel_is_of_this_process(const gs_cancel *cancel)
{
    return cancel == NULL || cancel->process == gsi_process_id();
}

enum gs_status gsi_cancel_watch(const gs_cancel *cancel, struct gsi_engine *engine,
                                struct gs_error *error)
{
    if (cancel == NULL)
        return GS_OK;
    if (!gsi_cancel_is_of_this_process(cancel))
        return gsi_fail(error, GS_E_USAGE, 0,
                        "cancel: it was created by another process, and this one was forked from "
                        "it; create a new one here");
    gsi_engine_watch(engine, cancel->event_fd);
    return GS_OK;
}
