/* simulated_pool.c: implements base/pool.h for the simulation. Each worker has a task and a time
 * when it ends; then the task runs, all at once, on the only thread. Tasks may also end while the
 * owner submits or reaps, as they do on real threads. */
#include "simulation/simulation_parts.h"

#include "base/list.h"
#include "base/pool.h"

GSI_LIST(queue, struct gsi_task)

struct worker {
    struct gsi_task *task; /* NULL: idle */
    uint64_t due_ns;
};

struct gsi_pool {
    struct gsi_pool *next;
    struct queue urgent, normal, finished;
    size_t pending_count;
    void (*wake)(void *context);
    void *context;
    uint32_t thread_count;
    struct worker workers[];
};

static struct gsi_pool *pools;

enum gs_status __wrap_gsi_pool_create(uint32_t thread_count, void (*wake)(void *context),
                                      void *context, struct gsi_pool **out, struct gs_error *error);
void __wrap_gsi_pool_free(struct gsi_pool *pool);
void __wrap_gsi_pool_submit(struct gsi_pool *pool, struct gsi_task *task);
size_t __wrap_gsi_pool_reap(struct gsi_pool *pool);
size_t __wrap_gsi_pool_pending(const struct gsi_pool *pool);
uint32_t __wrap_gsi_pool_thread_count(const struct gsi_pool *pool);
int __wrap_gsi_thread_start(pthread_t *thread, void *(*run)(void *context), void *context);

/* Idle workers take what is queued. */
static void start_queued(struct gsi_pool *pool)
{
    for (uint32_t i = 0; i < pool->thread_count; i++) {
        struct worker *worker = &pool->workers[i];
        if (worker->task == NULL)
            worker->task = queue_pop(&pool->urgent);
        else
            continue;
        if (worker->task == NULL)
            worker->task = queue_pop(&pool->normal);
        if (worker->task == NULL)
            return;
        worker->due_ns = sim_due();
    }
}

static void run(struct gsi_pool *pool, uint32_t worker_idx)
{
    struct gsi_task *task = pool->workers[worker_idx].task;
    sim_note("task", worker_idx, task->is_urgent, pool->thread_count);
    task->run(task, worker_idx);
    pool->workers[worker_idx].task = NULL;
    queue_push(&pool->finished, task);
    start_queued(pool);
    pool->wake(pool->context);
}

/* The worker whose task ends first; NULL: all are idle. */
static struct worker *first_of(struct gsi_pool *pool)
{
    struct worker *first = NULL;
    for (uint32_t i = 0; i < pool->thread_count; i++) {
        struct worker *worker = &pool->workers[i];
        if (worker->task != NULL && (first == NULL || worker->due_ns < first->due_ns))
            first = worker;
    }
    return first;
}

static bool run_first(struct gsi_pool *pool)
{
    const struct worker *worker = first_of(pool);
    if (worker != NULL)
        run(pool, (uint32_t)(worker - pool->workers));
    return worker != NULL;
}

/* Threads run while the owner does something else, too. */
static void run_early(struct gsi_pool *pool)
{
    while (sim_is_drawn(sim_profile()->early) && run_first(pool)) {
    }
}

/* ---- all pools ---- */

static struct gsi_pool *first_pool(void)
{
    struct gsi_pool *first = NULL;
    uint64_t due = UINT64_MAX;
    for (struct gsi_pool *pool = pools; pool != NULL; pool = pool->next) {
        const struct worker *worker = first_of(pool);
        if (worker != NULL && worker->due_ns < due) {
            first = pool;
            due = worker->due_ns;
        }
    }
    return first;
}

uint64_t sim_pools_due(void)
{
    struct gsi_pool *pool = first_pool();
    return pool != NULL ? first_of(pool)->due_ns : UINT64_MAX;
}

void sim_pools_run(void)
{
    run_first(first_pool());
}

uint32_t sim_pools_count(void)
{
    uint32_t count = 0;
    for (const struct gsi_pool *pool = pools; pool != NULL; pool = pool->next)
        count++;
    return count;
}

/* ---- pool.h ---- */

enum gs_status __wrap_gsi_pool_create(uint32_t thread_count, void (*wake)(void *context),
                                      void *context, struct gsi_pool **out, struct gs_error *error)
{
    struct gsi_pool *pool = calloc(1, sizeof *pool + thread_count * sizeof pool->workers[0]);
    if (pool == NULL)
        return gsi_fail(error, GS_E_MEMORY, ENOMEM, "memory: no pool");
    pool->thread_count = thread_count;
    pool->wake = wake;
    pool->context = context;
    queue_init(&pool->urgent);
    queue_init(&pool->normal);
    queue_init(&pool->finished);
    pool->next = pools;
    pools = pool;
    *out = pool;
    return GS_OK;
}

void __wrap_gsi_pool_free(struct gsi_pool *pool)
{
    struct gsi_pool **link = &pools;
    if (pool == NULL)
        return;
    while (run_first(pool)) {
    }
    while (*link != pool)
        link = &(*link)->next;
    *link = pool->next;
    free(pool);
}

void __wrap_gsi_pool_submit(struct gsi_pool *pool, struct gsi_task *task)
{
    pool->pending_count++;
    queue_push(task->is_urgent ? &pool->urgent : &pool->normal, task);
    start_queued(pool);
    run_early(pool);
}

size_t __wrap_gsi_pool_reap(struct gsi_pool *pool)
{
    size_t count = 0;
    if (pool == NULL)
        return 0;
    run_early(pool);
    struct gsi_task *task = pool->finished.head;
    queue_init(&pool->finished);
    while (task != NULL) {
        struct gsi_task *next = task->next;
        pool->pending_count--;
        count++;
        task->done(task);
        task = next;
    }
    return count;
}

size_t __wrap_gsi_pool_pending(const struct gsi_pool *pool)
{
    return pool != NULL ? pool->pending_count : 0;
}

uint32_t __wrap_gsi_pool_thread_count(const struct gsi_pool *pool)
{
    return pool->thread_count;
}

int __wrap_gsi_thread_start(pthread_t *thread, void *(*start)(void *context), void *context)
{
    (void)thread;
    (void)start;
    (void)context;
    sim_fail("a thread starts in the simulation");
}
