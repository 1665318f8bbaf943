/* test_sorter.c: compares the sorter with the model. Several threads push, or reserve and commit;
 * elements are pulled at once and in parts, or found by ranks; resident and spilled.
 * For other ends see test_sorter_ends.c. Run: build/dev/tests/test_sorter */
#include "job/job_report.h"
#include "support/sorter_job.h"
#include "support/struct_jobs.h"

#include <stdatomic.h>

#define THREADS 4
#define PARTS   9

struct feeder {
    gs_sorter *sorter;
    const struct job *job;
    const uint8_t *data;
    size_t bytes;
    uint64_t seed;
};

static void *feed_share(void *context)
{
    const struct feeder *feeder = context;
    struct test_random random = test_random_make(feeder->seed);
    feed(feeder->sorter, &random, feeder->job, feeder->data, feeder->bytes);
    return NULL;
}

static void feed_by_threads(gs_sorter *sorter, struct test_random *random, const struct job *job)
{
    pthread_t threads[THREADS];
    struct feeder feeders[THREADS];
    for (size_t i = 0; i < THREADS; i++) {
        size_t begin = job->n * i / THREADS, end = job->n * (i + 1) / THREADS;
        feeders[i] = (struct feeder){.sorter = sorter,
                                     .job = job,
                                     .data = in + begin * job->width,
                                     .bytes = (end - begin) * job->width,
                                     .seed = test_next(random)};
        assert_int_equal(pthread_create(&threads[i], NULL, feed_share, &feeders[i]), 0);
    }
    for (size_t i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
}

/* Equal keys of several threads have any order: then sort by bits, too. */
static const struct job *sorted_job;

static int compare_whole(const void *a, const void *b)
{
    int order = compare(sorted_job, a, b);
    return order != 0 ? order : memcmp(a, b, sorted_job->width);
}

static void check_order(const struct job *job, bool is_stable, int round)
{
    for (size_t i = 1; i < job->n; i++)
        if (compare(job, got + (i - 1) * job->width, got + i * job->width) > 0)
            test_fail("round %d: element %zu is out of order", round, i);
    if (!is_stable) {
        sorted_job = job;
        qsort(got, job->n, job->width, compare_whole);
        qsort(want, job->n, job->width, compare_whole);
    }
    if (memcmp(got, want, job->n * job->width) != 0)
        test_fail("round %d, %zu of %zu bytes: wrong order", round, job->n, job->width);
}

static void test_sorter__pushed_and_pulled__as_the_model(void **state)
{
    (void)state;
    struct test_random random = test_random_make(1);
    int rounds = test_is_small() ? 20 : 80;
    for (int round = 0; round < rounds; round++) {
        struct job job;
        struct gs_report report = {0};
        struct gs_error error;
        job_make(&job, &random);
        model_job(&job);
        bool by_threads = test_below(&random, 3) == 0;
        gs_sorter *sorter = open_sorter(&job.options);
        if (by_threads)
            feed_by_threads(sorter, &random, &job);
        else
            feed(sorter, &random, &job, in, job.n * job.width);
        assert_int_equal(struct_sorter_report(sorter, &report, &error), GS_E_USAGE);
        must(gs_sorter_finish(sorter, &error), &error);
        assert_int_equal(pull_all(sorter, job.width), job.n * job.width);
        check_order(&job, !by_threads, round);
        must(struct_sorter_report(sorter, &report, &error), &error);
        assert_int_equal(report.tally.count, job.n);
        assert_true(report.cost.memory_peak_bytes <= job.options.memory_bytes);
        assert_true(!job.options.spill_all || job.n == 0 || report.runs.spilled_count > 0);
        gs_sorter_close(sorter);
        assert_int_equal(names_in("."), 0);
    }
}

/* Makes one entry with a count for each key of `got`, as --unique --count does. */
static size_t model_unique(const struct job *job, bool has_counts)
{
    size_t off = 0;
    for (size_t i = 0; i < job->n;) {
        uint64_t count = 1;
        const uint8_t *first = want + i * job->width;
        while (i + count < job->n && compare(job, first, first + count * job->width) == 0)
            count++;
        memmove(want + off, first, job->width); /* entries with counts are put apart, below */
        off += job->width;
        i += count;
        if (has_counts)
            memcpy(in + (off / job->width - 1) * sizeof count, &count, sizeof count);
    }
    return off / job->width;
}

static void test_sorter__unique_and_top__as_the_model(void **state)
{
    (void)state;
    struct test_random random = test_random_make(2);
    int rounds = test_is_small() ? 20 : 60;
    for (int round = 0; round < rounds; round++) {
        struct job job;
        struct gs_error error;
        job_make(&job, &random);
        job.n = job.n < MOST_BYTES / 16 ? job.n : MOST_BYTES / 16; /* counts go into `in` */
        model_job(&job);
        job.options.unique = round % 3 > 0;
        job.options.unique_counts = round % 3 == 2;
        job.options.has_top = round % 2 == 0;
        job.options.top_count = test_below(&random, job.n + 10);
        gs_sorter *sorter = open_sorter(&job.options);
        feed(sorter, &random, &job, in, job.n * job.width);
        must(gs_sorter_finish(sorter, &error), &error);
        size_t entry = job.width + (job.options.unique_counts ? 8 : 0);
        size_t found = pull_all(sorter, entry) / entry;
        size_t n = job.options.unique ? model_unique(&job, job.options.unique_counts) : job.n;
        n = job.options.has_top && job.options.top_count < n ? job.options.top_count : n;
        assert_int_equal(found, n);
        for (size_t i = 0; i < n; i++) {
            assert_memory_equal(got + i * entry, want + i * job.width, job.width);
            if (job.options.unique_counts)
                assert_memory_equal(got + i * entry + job.width, in + i * 8, 8);
        }
        gs_sorter_close(sorter);
        assert_int_equal(names_in("."), 0);
    }
}

/* ---- the order ---- */

/* The table of parts takes long to allocate, so that all threads ask for it meanwhile, and the next
 * calls are later than that. */
#define SLOW_MICROSECONDS 20000u

void *__real_calloc(size_t count, size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes);

static atomic_bool is_slow;
static atomic_uint table_count;

void *__wrap_calloc(size_t count, size_t bytes)
{
    if (atomic_load(&is_slow) && count == PARTS)
        usleep(SLOW_MICROSECONDS + SLOW_MICROSECONDS / 8 * atomic_fetch_add(&table_count, 1));
    return __real_calloc(count, bytes);
}

struct reader {
    gs_sorter *sorter;
    uint32_t i, n;
    size_t begin, end; /* in bytes of the output */
};

static void *pull_share(void *context)
{
    const struct reader *reader = context;
    struct gs_error error;
    const void *data;
    uint64_t bytes;
    size_t off = reader->begin;
    for (;;) {
        must(gs_sorter_pull_part(reader->sorter, reader->i, reader->n, &data, &bytes, &error),
             &error);
        if (bytes == 0)
            break;
        assert_true(bytes <= reader->end - off);
        memcpy(got + off, data, bytes);
        off += bytes;
        if (atomic_load(&is_slow))
            usleep(3 * SLOW_MICROSECONDS);
    }
    assert_int_equal(off, reader->end);
    return NULL;
}

static void pull_parts(gs_sorter *sorter, const struct job *job, uint32_t n)
{
    pthread_t threads[PARTS];
    struct reader readers[PARTS];
    memset(got, 0, job->n * job->width);
    for (uint32_t i = 0; i < n; i++) {
        readers[i] = (struct reader){.sorter = sorter,
                                     .i = i,
                                     .n = n,
                                     .begin = job->n * i / n * job->width,
                                     .end = job->n * (i + 1) / n * job->width};
        assert_int_equal(pthread_create(&threads[i], NULL, pull_share, &readers[i]), 0);
    }
    for (uint32_t i = 0; i < n; i++)
        pthread_join(threads[i], NULL);
}

static void check_ranks(gs_sorter *sorter, const struct job *job, struct test_random *random)
{
    struct gs_error error;
    uint8_t element[128];
    uint64_t below, not_above;
    for (int i = 0; i < 20 && job->n > 0; i++) {
        uint64_t rank = test_below(random, job->n);
        must(gs_sorter_rank(sorter, rank, element, &error), &error);
        assert_memory_equal(element, want + rank * job->width, job->width);
        if (i % 2 == 0) /* one that may not be there */
            for (size_t b = 0; b < job->width; b++)
                element[b] = (uint8_t)(element[b] ^ (uint8_t)(test_below(random, 9) == 0));
        uint64_t want_below = 0, want_not_above = 0;
        for (size_t k = 0; k < job->n; k++) {
            int order = compare(job, want + k * job->width, element);
            want_below += order < 0;
            want_not_above += order <= 0;
        }
        must(gs_sorter_rank_of(sorter, element, &below, &not_above, &error), &error);
        assert_int_equal(below, want_below);
        assert_int_equal(not_above, want_not_above);
    }
    assert_int_equal(gs_sorter_rank(sorter, job->n, element, &error), GS_E_USAGE);
    assert_non_null(strstr(error.text, "there is no rank"));
}

static void test_sorter__parts_and_ranks__as_the_model(void **state)
{
    (void)state;
    struct test_random random = test_random_make(3);
    int rounds = test_is_small() ? 10 : 30;
    for (int round = 0; round < rounds; round++) {
        struct job job;
        struct gs_error error;
        const void *data;
        uint64_t bytes;
        job_make(&job, &random);
        model_job(&job);
        job.options.temp_dirs = round % 2 == 0 ? (const char *[]){"."} : NULL;
        job.options.temp_dir_count = round % 2 == 0;
        gs_sorter *sorter = open_sorter(&job.options);
        feed(sorter, &random, &job, in, job.n * job.width);
        assert_int_equal(gs_sorter_pull_part(sorter, 0, 1, &data, &bytes, &error), GS_E_USAGE);
        must(gs_sorter_finish(sorter, &error), &error);
        if (round % 3 == 0)
            check_ranks(sorter, &job, &random);
        uint32_t n = 1 + (uint32_t)test_below(&random, PARTS);
        pull_parts(sorter, &job, n);
        check_order(&job, true, round);
        assert_int_equal(gs_sorter_pull_part(sorter, n, n, &data, &bytes, &error), GS_E_USAGE);
        assert_int_equal(gs_sorter_pull_part(sorter, 0, n + 1, &data, &bytes, &error), GS_E_USAGE);
        check_ranks(sorter, &job, &random);
        memset(got, 0, job.n * job.width);
        assert_int_equal(pull_all(sorter, job.width), job.n * job.width);
        check_order(&job, true, round);
        assert_int_equal(names_in("."), 0);
        gs_sorter_close(sorter);
    }
}

/* All threads begin with the first call that makes the parts. */
static void test_sorter__parts_begun_at_once__are_those_of_one_table(void **state)
{
    (void)state;
    static const uint64_t count = 50000;
    struct gs_error error;
    struct job job = {.type = "u64", .width = 8, .n = count};
    job.options = (struct gsi_options){
        .type = "u64", .device = GSI_DEVICE_CPU, .memory_bytes = 64 * MIB, .thread_count = 1};
    for (uint64_t i = 0; i < count; i++) {
        uint64_t number = count - 1 - i;
        memcpy(in + i * 8, &number, 8);
        memcpy(want + i * 8, &i, 8);
    }
    gs_sorter *sorter = open_sorter(&job.options);
    must(gs_sorter_push(sorter, in, count * 8, &error), &error);
    must(gs_sorter_finish(sorter, &error), &error);
    atomic_store(&is_slow, true);
    pull_parts(sorter, &job, PARTS);
    atomic_store(&is_slow, false);
    assert_memory_equal(got, want, count * 8);
    gs_sorter_close(sorter);
}

int main(void)
{
#define ROW(name) cmocka_unit_test_setup_teardown(name, sorter_setup, sorter_teardown)
    const struct CMUnitTest tests[] = {
        ROW(test_sorter__pushed_and_pulled__as_the_model),
        ROW(test_sorter__unique_and_top__as_the_model),
        ROW(test_sorter__parts_and_ranks__as_the_model),
        ROW(test_sorter__parts_begun_at_once__are_those_of_one_table)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
