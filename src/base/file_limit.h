/* file_limit.h: a write past `ulimit -f` fails, and does not end the process.
 *
 * Such a write fails with EFBIG, but also sends SIGXFSZ to the thread that wrote. Its default
 * action ends the process, and nothing would be cleaned up. The program chooses what it does
 * in the whole process, so a job only blocks it on its own thread, and removes the one that its
 * writes left pending. Threads of the pool and the engine block all signals (base/pool.h). */
#ifndef GSI_FILE_LIMIT_H
#define GSI_FILE_LIMIT_H

#include <signal.h>
#include <stdbool.h>

struct gsi_file_limit {
    sigset_t before;  /* what the thread blocked */
    bool was_pending; /* for the program, which blocks SIGXFSZ itself */
};

/* gsi_file_limit_block: blocks SIGXFSZ on this thread. */
void gsi_file_limit_block(struct gsi_file_limit *limit);

/* gsi_file_limit_restore: removes a SIGXFSZ that was sent since, and blocks what was blocked
 * before. Same thread. */
void gsi_file_limit_restore(const struct gsi_file_limit *limit);

#endif
