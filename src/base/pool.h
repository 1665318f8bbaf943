/* pool.h: runs tasks on worker threads and returns results on the thread that owns the pool.
 *
 *     owner ── gsi_pool_submit ──> queue ──> worker: task->run(task)
 *     owner <── gsi_pool_reap ──── finished <──┘ and wake() so that a sleeping owner reaps
 *
 * A task is embedded in the object that it works on. It belongs to the pool between submit and its
 * `done`. Urgent tasks run before the others; within a class the order is first in, first out. Only
 * submit and reap by the owner touch the pipeline's state, so the pipeline needs no locks. Threads
 * start with the first task: a job too small to need them pays nothing. */
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
    void (*done)(struct gsi_task *task);                     /* on the owner, from gsi_pool_reap */
    bool is_urgent;
    struct gsi_task *next; /* used by the pool while it holds the task */
};

struct gsi_pool;

/* The stack of each thread, bytes: Linux's default. The C library would use `ulimit -s`, which may
 * be too small (64 KiB), and musl uses 128 KiB. Only touched pages use memory. */
#define GSI_STACK_BYTES ((size_t)8 << 20)

/* gsi_thread_start: calls pthread_create with every signal blocked, so that the calling program's
 * own threads get the signals. Returns 0, or an errno value. */
int gsi_thread_start(pthread_t *thread, void *(*run)(void *context), void *context);

/* gsi_pool_create: creates a pool of at most `thread_count` >= 1 workers.
 * in    wake: called by a worker after each finished task; any thread; must not block */
enum gs_status gsi_pool_create(uint32_t thread_count, void (*wake)(void *context), void *context,
                               struct gsi_pool **pool, struct gs_error *error);

/* gsi_pool_free: waits for every submitted task, calls no `done`. NULL is allowed. */
void gsi_pool_free(struct gsi_pool *pool);

/* gsi_pool_submit: queues a task. Owner only. If no worker thread can be started the task runs at
 * once. */
void gsi_pool_submit(struct gsi_pool *pool, struct gsi_task *task);

/* gsi_pool_reap: calls `done` of every finished task. Returns how many there were. Owner only. NULL
 * is allowed. */
size_t gsi_pool_reap(struct gsi_pool *pool);

/* gsi_pool_pending: returns how many tasks are submitted and not yet reaped. Owner only. NULL is
 * allowed. */
size_t gsi_pool_pending(const struct gsi_pool *pool);

uint32_t gsi_pool_thread_count(const struct gsi_pool *pool);

#ifdef __cplusplus
}
#endif
#endif
