/* pool.h: runs tasks on worker threads and returns results on the thread that owns the pool.
 *
 *     owner ── gsi_pool_submit ──> queue ──> worker: task->run(task)
 *     owner <── gsi_pool_reap ──── finished <──┘ and wake() so that a sleeping owner reaps
 *
 * A task is embedded in the object that it works on. The pool uses the task until it calls `done`.
 * Urgent tasks run before others; otherwise tasks run in the order in which they were submitted.
 * Callbacks `done` run on the owner's thread, so they may change the owner's state without locks.
 * The pool starts threads only when tasks need them. */
#ifndef GSI_POOL_H
#define GSI_POOL_H

#include "base/list.h"
#include "base/status.h"

#include <pthread.h>

#ifdef __cplusplus
extern "C" {
#endif

struct gsi_task {
    void (*run)(struct gsi_task *task, uint32_t worker_idx); /* on a worker */
    void (*done)(struct gsi_task *task);                     /* on the owner's thread, from
                                                              * gsi_pool_reap */
    bool is_urgent;
    struct gsi_task *next; /* used by the pool while it holds the task */
};

struct gsi_pool;

/* The stack of each thread, bytes: Linux's default. Without it, glibc would use `ulimit -s`, which
 * may be 64 KiB, and musl 128 KiB. Unused pages of a stack need no memory. */
#define GSI_STACK_BYTES ((size_t)8 << 20)

/* gsi_thread_start: starts a thread that blocks all signals, so that the program's own threads
 * receive them. Returns 0, or an errno value. */
int gsi_thread_start(pthread_t *thread, void *(*run)(void *context), void *context);

/* gsi_pool_create: creates a pool of at most `thread_count` >= 1 workers.
 * in    wake: a worker calls it after each finished task; it must not block */
enum gs_status gsi_pool_create(uint32_t thread_count, void (*wake)(void *context), void *context,
                               struct gsi_pool **pool, struct gs_error *error);

/* gsi_pool_free: waits until all submitted tasks have run, without calling `done`. Accepts NULL. */
void gsi_pool_free(struct gsi_pool *pool);

/* gsi_pool_submit: queues a task. If the system refuses to start any thread, the task runs at once.
 * Owner's thread only. */
void gsi_pool_submit(struct gsi_pool *pool, struct gsi_task *task);

/* gsi_pool_reap: calls `done` of every finished task. Returns the number of these tasks. Owner's
 * thread only. Accepts NULL. */
size_t gsi_pool_reap(struct gsi_pool *pool);

/* gsi_pool_pending: returns how many submitted tasks gsi_pool_reap has not returned yet. Owner's
 * thread only. Accepts NULL. */
size_t gsi_pool_pending(const struct gsi_pool *pool);

uint32_t gsi_pool_thread_count(const struct gsi_pool *pool);

#ifdef __cplusplus
}
#endif
#endif
