/* pool.c: implements the pool: two queues (urgent, normal), one finished list, threads started on
 * demand. */
#include "base/pool.h"

#include "base/list.h"

#include <signal.h>
#include <stdlib.h>

GSI_LIST(queue, struct gsi_task)

struct worker {
    struct gsi_pool *pool;
    pthread_t thread;
    uint32_t idx;
};

struct gsi_pool {
    pthread_mutex_t lock;
    pthread_cond_t work; /* signalled when a task is queued, or when the pool closes */
    struct queue urgent, normal, finished;
    size_t queued_count;
    uint32_t idle_count, started_count, thread_count;
    bool is_closing;
    void (*wake)(void *context);
    void *context;
    size_t pending_count; /* owner only */
    struct worker workers[];
};

static void *worker_main(void *argument)
{
    struct worker *worker = argument;
    struct gsi_pool *pool = worker->pool;
    pthread_mutex_lock(&pool->lock);
    for (;;) {
        struct gsi_task *task = queue_pop(&pool->urgent);
        if (task == NULL)
            task = queue_pop(&pool->normal);
        if (task == NULL) {
            if (pool->is_closing)
                break;
            pool->idle_count++;
            pthread_cond_wait(&pool->work, &pool->lock);
            pool->idle_count--;
            continue;
        }
        pool->queued_count--;
        pthread_mutex_unlock(&pool->lock);
        task->run(task, worker->idx);
        pthread_mutex_lock(&pool->lock);
        queue_push(&pool->finished, task);
        pthread_mutex_unlock(&pool->lock);
        pool->wake(pool->context);
        pthread_mutex_lock(&pool->lock);
    }
    pthread_mutex_unlock(&pool->lock);
    return NULL;
}

enum gs_status gsi_pool_create(uint32_t thread_count, void (*wake)(void *context), void *context,
                               struct gsi_pool **out, struct gs_error *error)
{
    *out = NULL;
    struct gsi_pool *pool = calloc(1, sizeof *pool + thread_count * sizeof pool->workers[0]);
    if (pool == NULL)
        return gsi_fail(error, GS_E_MEMORY, 0, "out of memory: cannot allocate %u workers",
                        thread_count);
    pthread_mutex_init(&pool->lock, NULL);
    pthread_cond_init(&pool->work, NULL);
    queue_init(&pool->urgent);
    queue_init(&pool->normal);
    queue_init(&pool->finished);
    pool->thread_count = thread_count;
    pool->wake = wake;
    pool->context = context;
    *out = pool;
    return GS_OK;
}

void gsi_pool_free(struct gsi_pool *pool)
{
    if (pool == NULL)
        return;
    pthread_mutex_lock(&pool->lock);
    pool->is_closing = true;
    pthread_cond_broadcast(&pool->work);
    pthread_mutex_unlock(&pool->lock);
    for (uint32_t i = 0; i < pool->started_count; i++)
        pthread_join(pool->workers[i].thread, NULL);
    pthread_cond_destroy(&pool->work);
    pthread_mutex_destroy(&pool->lock);
    free(pool);
}

int gsi_thread_start(pthread_t *thread, void *(*run)(void *context), void *context)
{
    pthread_attr_t attributes;
    sigset_t all, before;
    int refusal = pthread_attr_init(&attributes);
    if (refusal != 0)
        return refusal;
    refusal = pthread_attr_setstacksize(&attributes, GSI_STACK_BYTES);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    if (refusal == 0)
        refusal = pthread_create(thread, &attributes, run, context);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    return refusal;
}

static bool start_worker(struct gsi_pool *pool)
{
    struct worker *worker = &pool->workers[pool->started_count];
    worker->pool = pool;
    worker->idx = pool->started_count;
    if (gsi_thread_start(&worker->thread, worker_main, worker) != 0)
        return false;
    pool->started_count++;
    return true;
}

void gsi_pool_submit(struct gsi_pool *pool, struct gsi_task *task)
{
    pool->pending_count++;
    pthread_mutex_lock(&pool->lock);
    bool needs_worker =
        pool->queued_count >= pool->idle_count && pool->started_count < pool->thread_count;
    pthread_mutex_unlock(&pool->lock);
    if (needs_worker && !start_worker(pool) && pool->started_count == 0) {
        task->run(task, 0);
        queue_push(&pool->finished, task); /* without workers no other thread uses the list */
        pool->wake(pool->context);
        return;
    }
    pthread_mutex_lock(&pool->lock);
    pool->queued_count++;
    queue_push(task->is_urgent ? &pool->urgent : &pool->normal, task);
    pthread_cond_signal(&pool->work);
    pthread_mutex_unlock(&pool->lock);
}

size_t gsi_pool_reap(struct gsi_pool *pool)
{
    if (pool == NULL)
        return 0;
    pthread_mutex_lock(&pool->lock);
    struct gsi_task *task = pool->finished.head;
    queue_init(&pool->finished);
    pthread_mutex_unlock(&pool->lock);
    size_t count = 0;
    while (task != NULL) {
        struct gsi_task *next = task->next;
        pool->pending_count--;
        count++;
        task->done(task);
        task = next;
    }
    return count;
}

size_t gsi_pool_pending(const struct gsi_pool *pool)
{
    return pool != NULL ? pool->pending_count : 0;
}

uint32_t gsi_pool_thread_count(const struct gsi_pool *pool)
{
    return pool->thread_count;
}
