/* process.c: counts the forks between this process and the one that loaded the library, and blocks
 * SIGXFSZ for a while. */
#include "base/process.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

static atomic_uint fork_count;

static void count_fork(void)
{
    atomic_fetch_add(&fork_count, 1);
}

__attribute__((constructor)) static void watch_forks(void)
{
    (void)!pthread_atfork(NULL, NULL, count_fork);
}

uint32_t gsi_process_id(void)
{
    return atomic_load_explicit(&fork_count, memory_order_relaxed);
}

static void fill_file_limit_set(sigset_t *set)
{
    sigemptyset(set);
    sigaddset(set, SIGXFSZ);
}

static bool is_pending(void)
{
    sigset_t pending;
    return sigpending(&pending) == 0 && sigismember(&pending, SIGXFSZ) == 1;
}

void gsi_file_limit_block(struct gsi_file_limit *limit)
{
    sigset_t blocked;
    fill_file_limit_set(&blocked);
    limit->was_pending = is_pending();
    pthread_sigmask(SIG_BLOCK, &blocked, &limit->before);
}

void gsi_file_limit_restore(const struct gsi_file_limit *limit)
{
    const struct timespec none = {0};
    sigset_t blocked;
    fill_file_limit_set(&blocked);
    if (!limit->was_pending && is_pending())
        while (sigtimedwait(&blocked, NULL, &none) < 0 && errno == EINTR)
            ;
    pthread_sigmask(SIG_SETMASK, &limit->before, NULL);
}
