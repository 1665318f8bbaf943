/* process.c: counts the forks between this process and the one that loaded the library. */
#include "base/process.h"

#include <pthread.h>
#include <stdatomic.h>

static atomic_uint fork_count;

static void count_fork(void)
{
    atomic_fetch_add(&fork_count, 1);
}

__attribute__((constructor)) static void watch_forks(void)
{
    (void)!pthread_atfork(NULL, NULL, count_fork);
}

uint32_t gsi_process(void)
{
    return atomic_load_explicit(&fork_count, memory_order_relaxed);
}
