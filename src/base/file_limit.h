/* file_limit.h: makes a write past `ulimit -f` fail without ending the process.
 *
 * Such a write fails with EFBIG, but also sends SIGXFSZ to the writing thread. Its default action
 * ends the process, and nothing would be cleaned up. The program decides on the action for the
 * whole process. So a job only blocks the signal on its own thread, and removes one that its writes
 * left pending. Threads of the pool and the engine block all signals (base/pool.h). */
#ifndef GSI_FILE_LIMIT_H
#define GSI_FILE_LIMIT_H

#include <signal.h>
#include <stdbool.h>

struct gsi_file_limit {
    sigset_t before;  /* the signals that the thread blocked */
    bool was_pending; /* for the program, which itself blocks SIGXFSZ */
};

/* gsi_file_limit_block: blocks SIGXFSZ on this thread. */
void gsi_file_limit_block(struct gsi_file_limit *limit);

/* gsi_file_limit_restore: removes a SIGXFSZ that was sent since, and restores the thread's signal
 * mask. Same thread. */
void gsi_file_limit_restore(const struct gsi_file_limit *limit);

#endif
