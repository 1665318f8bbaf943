/* pool.h: worker threads that run tasks; results come back on the thread that owns the pool.
 *
 *     owner ── gsi_pool_submit ──> queue ──> worker: task->run(task)
 *     owner <── gsi_pool_reap ──── finished <──┘ and wake() so that a sleeping owner looks
 *
 * A task is embedded in whatever it works on and belongs to the pool between submit and its `done`.
 * Tasks marked urgent are taken before the others; within a class the order is first in, first
 * out. Only submit and reap by the owner touch the pipeline's state, so the pipeline needs no
 * locks. Threads start with the first task: a job too small to need them pays nothing. */
#ifndef GSI_POOL_H
#define GSI_POOL_H

#include "base/container_of.h"
#include "base/status.h"

#include <pthread.h>

#ifdef __cplusplus
extern "C" {
#endif

struct gsi_task {
    void (*run)(struct gsi_task *task, uint32_t worker_idx); /* on a worker */
    void (*done)(struct gsi_task *task);                     /* on the owner, from gsi_pool_reap */
    bool is_urgent;
    struct gsi_task *next; /* the pool's while it holds the task */
};

struct gsi_pool;

/* The stack of each thread: Linux's default. The C library would take `ulimit -s`, which may be too
 * small (64 KiB), and musl takes 128 KiB. Only what a thread touches uses memory. */
#define GSI_STACK_BYTES ((size_t)8 << 20)

/* gsi_thread_start: pthread_create, with every signal blocked: signals are the calling program's,
 * so that its own threads get them. Returns 0, or an errno value. */
int gsi_thread_start(pthread_t *thread, void *(*run)(void *context), void *context);

/* gsi_pool_create: at most `thread_count` >= 1 workers.
 * in    wake: called by a worker after each finished task; any thread; must not block */
enum gs_status gsi_pool_create(uint32_t thread_count, void (*wake)(void *context), void *context,
                               struct gsi_pool **pool, struct gs_error *error);

/* gsi_pool_free: waits for every task that was submitted, runs no `done`. NULL is fine. */
void gsi_pool_free(struct gsi_pool *pool);

/* gsi_pool_submit: owner only. If no worker thread can be started the task runs at once. */
void gsi_pool_submit(struct gsi_pool *pool, struct gsi_task *task);

/* gsi_pool_reap: call `done` of every finished task. Returns how many there were. Owner only.
 * NULL is fine. */
size_t gsi_pool_reap(struct gsi_pool *pool);

/* gsi_pool_pending: submitted and not yet reaped. Owner only. NULL is fine. */
size_t gsi_pool_pending(const struct gsi_pool *pool);

uint32_t gsi_pool_thread_count(const struct gsi_pool *pool);

#ifdef __cplusplus
}
#endif
#endif
