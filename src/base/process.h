/* process.h: identifies this process, and keeps `ulimit -f` from ending it.
 *
 * A child of fork has a copy of its parent's memory, but not its threads. Things outside memory
 * that the child closes or writes to may still belong to its parent. So handles remember the
 * process that made them.
 *
 * A write past `ulimit -f` fails with EFBIG, but also sends SIGXFSZ to the writing thread. Its
 * default action ends the process, and nothing would be cleaned up. The program decides on the
 * action for the whole process. So a job only blocks the signal on its own thread, and removes one
 * that its writes left pending. Threads of the pool and the engine block all signals (base/pool.h).
 */
#ifndef GSI_PROCESS_H
#define GSI_PROCESS_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

/* gsi_process_id: returns a number that differs from those of all processes from which this one
 * descends by fork. (getpid would do, but is a system call, which costs more than a push of a few
 * elements.) Async-signal-safe. */
uint32_t gsi_process_id(void);

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
