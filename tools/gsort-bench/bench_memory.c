/* bench_memory.c: what a copy of memory costs: the ceiling of everything that moves elements.
 *
 * Each thread copies its own part of one array to another; both are far larger than the caches. A
 * copied byte is read once and written once, and counted once. The first round starts the threads
 * and touches the memory, and is not counted. */
#include "bench.h"

#include "base/clock.h"
#include "base/memory.h"
#include "base/pool.h"

#include <semaphore.h>
#include <string.h>

struct part {
    struct gsi_task task;
    uint8_t *into;
    const uint8_t *from;
    size_t bytes;
};

struct copier {
    struct gsi_pool *pool;
    sem_t finished;
    uint32_t part_count;
    struct part *parts;
};

static void part_run(struct gsi_task *task, uint32_t worker_idx)
{
    (void)worker_idx;
    struct part *part = GSI_CONTAINER_OF(task, struct part, task);
    memcpy(part->into, part->from, part->bytes);
}

static void part_done(struct gsi_task *task)
{
    (void)task;
}

static void copier_wake(void *context)
{
    sem_post(context);
}

static enum gs_status copier_init(struct copier *copier, uint32_t thread_count, uint8_t *into,
                                  const uint8_t *from, uint64_t bytes, struct gs_error *error)
{
    sem_init(&copier->finished, 0, 0);
    GSI_TRY(gsi_pool_create(thread_count, copier_wake, &copier->finished, &copier->pool, error));
    GSI_TRY(gsi_memory_alloc(NULL, thread_count, sizeof copier->parts[0], (void **)&copier->parts,
                             error));
    copier->part_count = thread_count;
    uint64_t share = bytes / thread_count;
    for (uint32_t p = 0; p < thread_count; p++)
        copier->parts[p] = (struct part){
            .task = {.run = part_run, .done = part_done},
            .into = into + p * share,
            .from = from + p * share,
            .bytes = p + 1 < thread_count ? share : bytes - p * share,
        };
    return GS_OK;
}

static void copier_clear(struct copier *copier)
{
    gsi_pool_free(copier->pool);
    gsi_memory_free(NULL, copier->parts, copier->part_count, sizeof copier->parts[0]);
}

static uint64_t copier_time(struct copier *copier)
{
    uint64_t begin = gsi_clock_ns();
    for (uint32_t p = 0; p < copier->part_count; p++)
        gsi_pool_submit(copier->pool, &copier->parts[p].task);
    while (gsi_pool_pending(copier->pool) > 0) {
        sem_wait(&copier->finished);
        gsi_pool_reap(copier->pool);
    }
    return gsi_clock_ns() - begin;
}

enum gs_status bench_memory(const struct bench_settings *settings, struct bench_report *report,
                            struct gs_error *error)
{
    const uint32_t thread_counts[] = {1, settings->thread_count};
    uint32_t case_count = settings->thread_count > 1 ? 2 : 1;
    uint64_t bytes = settings->size_bytes;
    struct gsi_ledger ledger = {.ceiling_bytes = UINT64_MAX};
    struct copier copiers[2] = {0};
    struct bench_row *rows[2];
    void *from = NULL, *into = NULL;
    enum gs_status status = GS_OK;
    GSI_TRY_OR(gsi_memory_map(&ledger, GSI_MEMORY_DATA, bytes, &from, error), done);
    GSI_TRY_OR(gsi_memory_map(&ledger, GSI_MEMORY_DATA, bytes, &into, error), done);
    memset(from, 1, bytes); /* untouched memory would all be one page of zeros */
    for (uint32_t c = 0; c < case_count; c++) {
        GSI_TRY_OR(copier_init(&copiers[c], thread_counts[c], into, from, bytes, error), done);
        copier_time(&copiers[c]);
        rows[c] = bench_row_add(
            report, (struct bench_row){.name = "copy", .thread_count = thread_counts[c]});
    }
    for (uint32_t repeat = 0; repeat < settings->repeat_count; repeat++) {
        bench_round(repeat, settings->repeat_count);
        for (uint32_t c = 0; c < case_count; c++)
            bench_row_sample(rows[c], bytes, copier_time(&copiers[c]));
    }
    bench_round(settings->repeat_count, settings->repeat_count);
    bench_ceiling_add(report, (struct bench_ceiling){.name = "memory copy",
                                                     .text = "bytes copied",
                                                     .row = bench_best(report, "copy", NULL)});
done:
    for (uint32_t c = 0; c < 2; c++)
        copier_clear(&copiers[c]);
    if (from != NULL)
        gsi_memory_unmap(&ledger, GSI_MEMORY_DATA, from, bytes);
    if (into != NULL)
        gsi_memory_unmap(&ledger, GSI_MEMORY_DATA, into, bytes);
    return status;
}
