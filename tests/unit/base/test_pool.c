/* test_pool.c: each task runs once, is returned on the owner's thread, and urgent tasks run first.
 * Run: build/dev/tests/test_pool */
#include "support/support.h"

#include "base/pool.h"

#include <pthread.h>
#include <stdatomic.h>

struct counted {
    struct gsi_task task;
    atomic_uint run_count;
    unsigned done_count;
    pthread_t done_thread;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t woken = PTHREAD_COND_INITIALIZER;
static unsigned wake_count;

static void wake(void *context)
{
    (void)context;
    pthread_mutex_lock(&lock);
    wake_count++;
    pthread_cond_signal(&woken);
    pthread_mutex_unlock(&lock);
}

static void reap_all(struct gsi_pool *pool)
{
    while (gsi_pool_pending(pool) > 0) {
        pthread_mutex_lock(&lock);
        while (wake_count == 0)
            pthread_cond_wait(&woken, &lock);
        wake_count = 0;
        pthread_mutex_unlock(&lock);
        gsi_pool_reap(pool);
    }
}

static void count_run(struct gsi_task *task, uint32_t worker_idx)
{
    (void)worker_idx;
    atomic_fetch_add(&((struct counted *)task)->run_count, 1);
}

static void count_done(struct gsi_task *task)
{
    struct counted *counted = (struct counted *)task;
    counted->done_count++;
    counted->done_thread = pthread_self();
}

static void test_pool__many_tasks__each_runs_once(void **state)
{
    (void)state;
    static struct counted tasks[2000];
    for (uint32_t threads = 1; threads <= 5; threads += 2) {
        struct gsi_pool *pool;
        assert_int_equal(gsi_pool_create(threads, wake, NULL, &pool, NULL), GS_OK);
        memset(tasks, 0, sizeof tasks);
        for (int i = 0; i < 2000; i++) {
            tasks[i].task =
                (struct gsi_task){.run = count_run, .done = count_done, .is_urgent = i % 3 == 0};
            gsi_pool_submit(pool, &tasks[i].task);
            if (i % 100 == 0)
                gsi_pool_reap(pool);
        }
        reap_all(pool);
        for (int i = 0; i < 2000; i++) {
            assert_int_equal(atomic_load(&tasks[i].run_count), 1);
            assert_int_equal(tasks[i].done_count, 1);
            assert_true(pthread_equal(tasks[i].done_thread, pthread_self()));
        }
        gsi_pool_free(pool);
    }
}

/* Keeps the only worker busy until all other tasks are queued. */
static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
static char order[4];
static atomic_int order_count;

static void pass_gate(struct gsi_task *task, uint32_t worker_idx)
{
    (void)task;
    (void)worker_idx;
    pthread_mutex_lock(&gate);
    pthread_mutex_unlock(&gate);
}

static void note_normal(struct gsi_task *task, uint32_t worker_idx)
{
    (void)task;
    (void)worker_idx;
    order[atomic_fetch_add(&order_count, 1)] = 'n';
}

static void note_urgent(struct gsi_task *task, uint32_t worker_idx)
{
    (void)task;
    (void)worker_idx;
    order[atomic_fetch_add(&order_count, 1)] = 'u';
}

static void ignore_done(struct gsi_task *task)
{
    (void)task;
}

static void test_pool__urgent_tasks__go_first(void **state)
{
    (void)state;
    struct gsi_pool *pool;
    assert_int_equal(gsi_pool_create(1, wake, NULL, &pool, NULL), GS_OK);
    struct gsi_task tasks[] = {{.run = pass_gate, .done = ignore_done},
                               {.run = note_normal, .done = ignore_done},
                               {.run = note_normal, .done = ignore_done},
                               {.run = note_urgent, .done = ignore_done, .is_urgent = true}};
    pthread_mutex_lock(&gate);
    for (int i = 0; i < 4; i++)
        gsi_pool_submit(pool, &tasks[i]);
    pthread_mutex_unlock(&gate);
    reap_all(pool);
    assert_memory_equal(order, "unn", 3);
    gsi_pool_free(pool);
}

static void test_pool__freed_with_tasks_queued__runs_them(void **state)
{
    (void)state;
    static struct counted tasks[50];
    struct gsi_pool *pool;
    assert_int_equal(gsi_pool_create(2, wake, NULL, &pool, NULL), GS_OK);
    memset(tasks, 0, sizeof tasks);
    for (int i = 0; i < 50; i++) {
        tasks[i].task = (struct gsi_task){.run = count_run, .done = count_done};
        gsi_pool_submit(pool, &tasks[i].task);
    }
    gsi_pool_free(pool);
    for (int i = 0; i < 50; i++) {
        assert_int_equal(atomic_load(&tasks[i].run_count), 1);
        assert_int_equal(tasks[i].done_count, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pool__many_tasks__each_runs_once),
        cmocka_unit_test(test_pool__urgent_tasks__go_first),
        cmocka_unit_test(test_pool__freed_with_tasks_queued__runs_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
