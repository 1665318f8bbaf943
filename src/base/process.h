/* process.h: identifies this process, and keeps `ulimit -f` from ending it.
 *
 * A child of fork gets a copy of its parent's memory, but none of its threads. Files and
 * descriptors still belong to the parent. So handles store the number of the process that created
 * them, and calls from a child leave these files alone.
 *
 * A write past `ulimit -f` fails with EFBIG, but also sends SIGXFSZ to the writing thread. By
 * default the signal ends the process, and temporary files would stay. A library must not change
 * the signal's action for the whole program. So a job blocks the signal on its own thread, and
 * removes a pending signal at its end. Other threads of gsort block all signals (base/pool.h). */
#ifndef GSI_PROCESS_H
#define GSI_PROCESS_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

/* gsi_process_id: returns the number of forks between the process that loaded the library and this
 * one. So a process and its ancestors have different numbers. (getpid is a system call, which is
 * too slow for each call of a sorter.) Async-signal-safe. */
uint32_t gsi_process_id(void);

struct gsi_file_limit {
    sigset_t before;  /* the signals that the thread blocked before */
    bool was_pending; /* SIGXFSZ was already pending: it is left to the program */
};

/* gsi_file_limit_block: blocks SIGXFSZ on this thread, and stores the old state. */
void gsi_file_limit_block(struct gsi_file_limit *limit);

/* gsi_file_limit_restore: removes a SIGXFSZ that was sent since gsi_file_limit_block, and restores
 * the thread's signal mask. Call both on the same thread. */
void gsi_file_limit_restore(const struct gsi_file_limit *limit);

#endif
