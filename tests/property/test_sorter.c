/* test_sorter.c: the sorter against the model: pushed by several threads, reserved and committed,
 * pulled as a whole and in parts, asked for ranks; resident and spilled; given up, canceled and failing
 * at any point. Run: build/dev/tests/test_sorter */
#include "support/record_model.h"
#include "support/scratch.h"

#include "gsort.h"

#include <pthread.h>
#include <sys/resource.h>

#define MOST_BYTES ((size_t)4 << 20)
#define MOST_COUNT ((size_t)1 << 18) /* elements, which the model is slow to look at */
#define MIB        ((uint64_t)1 << 20)
#define THREADS    4

static uint8_t in[MOST_BYTES], want[2 * MOST_BYTES], got[2 * MOST_BYTES];

/* What is sorted, how, and what comes out. */
struct job {
    struct record_model model; /* of records */
    const char *type;          /* NULL: records */
    size_t width, n;
    struct gs_options options;
};

static void job_make(struct job *job, struct test_random *random)
{
    *job = (struct job){.width = 0};
    bool is_record = test_below(random, 2) == 0;
    record_model_make(&job->model, random, 2 + (uint32_t)test_below(random, 90));
    job->type = is_record ? NULL : model_types[test_below(random, 7)];
    job->width = is_record ? job->model.bytes : model_bytes(job->type);
    size_t most = test_is_small() ? MOST_COUNT / 4 : MOST_COUNT;
    most = most < MOST_BYTES / job->width ? most : MOST_BYTES / job->width;
    job->n = test_below(random, 8) == 0 ? test_below(random, 4) : test_below(random, most);
    job->options = (struct gs_options){
        .type = job->type,
        .reverse = is_record ? job->model.is_reversed : test_below(random, 2) == 0,
        .record_bytes = is_record ? job->model.bytes : 0,
        .keys = is_record ? job->model.texts : NULL,
        .key_count = is_record ? job->model.key_count : 0,
        .device = GS_DEVICE_CPU,
        .io = test_below(random, 2) == 0 ? GS_IO_AUTO : GS_IO_THREADS,
        .spill_all = test_below(random, 3) == 0,
        .memory_bytes = (14 + test_below(random, 20)) * MIB};
    if (is_record)
        record_fill(random, (enum record_shape)test_below(random, RECORD_SHAPE_COUNT), in, job->n,
                    job->model.bytes);
    else
        model_fill(random, (enum model_shape)test_below(random, MODEL_SHAPE_COUNT), job->type, in,
                   job->n);
}

static int compare(const struct job *job, const uint8_t *a, const uint8_t *b)
{
    if (job->type == NULL)
        return record_model_compare(&job->model, a, b);
    int order = model_compare_of(job->type)(a, b);
    return job->options.reverse ? -order : order;
}

static void model_job(const struct job *job)
{
    memcpy(want, in, job->n * job->width);
    if (job->type == NULL)
        record_model_sort(&job->model, in, want, job->n);
    else
        model_sort(job->type, job->options.reverse, want, job->n);
}

static gs_sorter *open_sorter(const struct gs_options *options)
{
    gs_sorter *sorter;
    struct gs_error error;
    if (gs_sorter_open(options, &sorter, &error) != GS_OK)
        test_fail("%s", error.text);
    return sorter;
}

static void must(enum gs_status status, const struct gs_error *error)
{
    if (status != GS_OK)
        test_fail("%s", error->text);
}

/* ---- in ---- */

/* A random number of whole elements of what is left. */
static size_t some(struct test_random *random, const struct job *job, size_t left)
{
    size_t most = test_below(random, 3) == 0 ? left / job->width : 1 + 65536 / job->width;
    size_t bytes = (1 + test_below(random, most)) * job->width;
    return bytes < left ? bytes : left;
}

static void reserve_some(gs_sorter *sorter, struct test_random *random, const struct job *job,
                         const uint8_t *data, size_t *off, size_t bytes)
{
    struct gs_error error;
    void *room;
    uint64_t got_bytes;
    must(gs_sorter_reserve(sorter, some(random, job, bytes - *off), &room, &got_bytes, &error),
         &error);
    assert_true(got_bytes > 0 && got_bytes % job->width == 0 && got_bytes <= bytes - *off);
    memcpy(room, data + *off, got_bytes);
    must(gs_sorter_commit(sorter, room, got_bytes, &error), &error);
    *off += got_bytes;
}

static void feed(gs_sorter *sorter, struct test_random *random, const struct job *job,
                 const uint8_t *data, size_t bytes)
{
    struct gs_error error;
    for (size_t off = 0; off < bytes;) {
        if (test_below(random, 2) == 0) {
            reserve_some(sorter, random, job, data, &off, bytes);
            continue;
        }
        size_t piece = some(random, job, bytes - off);
        must(gs_sorter_push(sorter, data + off, piece, &error), &error);
        off += piece;
    }
}

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

/* ---- out ---- */

static size_t pull_all(gs_sorter *sorter, size_t entry)
{
    struct gs_error error;
    const void *data;
    uint64_t bytes;
    size_t off = 0;
    for (;;) {
        must(gs_sorter_pull(sorter, &data, &bytes, &error), &error);
        if (bytes == 0)
            return off;
        assert_int_equal(bytes % entry, 0);
        assert_true(bytes <= sizeof got - off);
        memcpy(got + off, data, bytes);
        off += bytes;
    }
}

/* Equal keys of what several threads gave come in any order of the threads: then sort by bits, too. */
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
        struct gs_report report;
        struct gs_error error;
        job_make(&job, &random);
        model_job(&job);
        bool by_threads = test_below(&random, 3) == 0;
        gs_sorter *sorter = open_sorter(&job.options);
        if (by_threads)
            feed_by_threads(sorter, &random, &job);
        else
            feed(sorter, &random, &job, in, job.n * job.width);
        assert_int_equal(gs_sorter_report(sorter, &report, &error), GS_E_USAGE);
        must(gs_sorter_finish(sorter, &error), &error);
        assert_int_equal(pull_all(sorter, job.width), job.n * job.width);
        check_order(&job, !by_threads, round);
        must(gs_sorter_report(sorter, &report, &error), &error);
        assert_int_equal(report.tally.count, job.n);
        assert_true(report.memory_peak_bytes <= job.options.memory_bytes);
        assert_true(!job.options.spill_all || job.n == 0 || report.spilled_runs > 0);
        gs_sorter_close(sorter);
        assert_int_equal(names_in("."), 0);
    }
}

/* Entries of `got`, of equal keys one each with its count, as --unique --count makes them. */
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
    }
    assert_int_equal(off, reader->end);
    return NULL;
}

static void pull_parts(gs_sorter *sorter, const struct job *job, uint32_t n)
{
    pthread_t threads[9];
    struct reader readers[9];
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
        uint32_t n = 1 + (uint32_t)test_below(&random, 9);
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

/* ---- the ends ---- */

static void test_sorter__given_up__leaves_nothing(void **state)
{
    (void)state;
    struct test_random random = test_random_make(4);
    int rounds = test_is_small() ? 20 : 100;
    for (int round = 0; round < rounds; round++) {
        struct job job;
        struct gs_error error;
        void *room;
        const void *data;
        uint64_t bytes;
        job_make(&job, &random);
        job.options.temp_dirs = (const char *[]){"."};
        job.options.temp_dir_count = 1;
        gs_sorter *sorter = open_sorter(&job.options);
        int steps = (int)test_below(&random, 6);
        if (steps > 0)
            feed(sorter, &random, &job, in, job.n * job.width);
        if (steps == 2)
            must(gs_sorter_reserve(sorter, 1000, &room, &bytes, &error), &error);
        if (steps > 2)
            must(gs_sorter_finish(sorter, &error), &error);
        if (steps > 3)
            must(gs_sorter_pull(sorter, &data, &bytes, &error), &error);
        if (steps > 4)
            must(gs_sorter_pull(sorter, &data, &bytes, &error), &error);
        gs_sorter_close(sorter);
        assert_int_equal(names_in("."), 0);
    }
    gs_sorter_close(NULL);
}

static void *cancel_soon(void *context)
{
    gs_sorter_cancel(context);
    return NULL;
}

static void test_sorter__canceled__every_call_says_so(void **state)
{
    (void)state;
    struct test_random random = test_random_make(5);
    int rounds = test_is_small() ? 20 : 60;
    for (int round = 0; round < rounds; round++) {
        struct job job;
        struct gs_error error;
        const void *data;
        uint64_t bytes;
        pthread_t thread;
        job_make(&job, &random);
        gs_sorter *sorter = open_sorter(&job.options);
        assert_int_equal(pthread_create(&thread, NULL, cancel_soon, sorter), 0);
        enum gs_status status = GS_OK;
        for (int i = 0; i < 4 && status == GS_OK; i++)
            status = gs_sorter_push(sorter, in, job.n * job.width, &error);
        pthread_join(thread, NULL);
        if (status == GS_OK)
            status = gs_sorter_finish(sorter, &error);
        bytes = 1;
        while (status == GS_OK && bytes > 0)
            status = gs_sorter_pull(sorter, &data, &bytes, &error);
        /* It may have been done before it heard. */
        assert_true(status == GS_E_CANCELED || (status == GS_OK && job.n < 100));
        if (status == GS_E_CANCELED) {
            uint64_t rank;
            assert_non_null(strstr(error.text, "cancel"));
            assert_int_equal(gs_sorter_push(sorter, in, 0, &error), GS_E_CANCELED);
            assert_int_equal(gs_sorter_pull(sorter, &data, &bytes, &error), GS_E_CANCELED);
            assert_int_equal(gs_sorter_rank_of(sorter, in, &rank, &rank, &error), GS_E_CANCELED);
        }
        gs_sorter_close(sorter);
        assert_int_equal(names_in("."), 0);
    }
}

/* Memory that is lent stays the program's while the job fails beneath it. */
static void test_sorter__fails_while_it_lends__waits_for_it(void **state)
{
    (void)state;
    struct gs_options options = {.type = "u64", .memory_bytes = 16 * MIB};
    struct gs_error error;
    void *room;
    const void *data;
    uint64_t bytes;
    memset(in, 7, MOST_BYTES);
    for (int is_out = 0; is_out < 2; is_out++) {
        gs_sorter *sorter = open_sorter(&options);
        must(gs_sorter_push(sorter, in, MOST_BYTES, &error), &error);
        if (is_out) {
            must(gs_sorter_finish(sorter, &error), &error);
            must(gs_sorter_pull(sorter, &data, &bytes, &error), &error);
            gs_sorter_cancel(sorter);
            for (uint64_t i = 0; i < bytes; i++)
                assert_int_equal(((const uint8_t *)data)[i], 7);
            while (gs_sorter_pull(sorter, &data, &bytes, &error) == GS_OK && bytes > 0)
                ;
        } else {
            must(gs_sorter_reserve(sorter, 1 << 20, &room, &bytes, &error), &error);
            gs_sorter_cancel(sorter);
            memset(room, 3, bytes);
            /* A thread that has something reserved is not kept waiting. */
            enum gs_status status = gs_sorter_push(sorter, in, 8, &error);
            assert_true(status == GS_OK || status == GS_E_CANCELED);
            gs_sorter_commit(sorter, room, bytes, &error);
            while (gs_sorter_push(sorter, in, MOST_BYTES, &error) == GS_OK)
                ;
            assert_int_equal(error.status, GS_E_CANCELED);
        }
        gs_sorter_close(sorter);
    }
}

static void test_sorter__full_disk__is_told(void **state)
{
    (void)state;
    struct gs_options options = {.type = "u64",
                                 .memory_bytes = 12 * MIB,
                                 .device = GS_DEVICE_CPU,
                                 .compress = GS_COMPRESS_NONE,
                                 .temp_dirs = (const char *[]){"."},
                                 .temp_dir_count = 1};
    struct rlimit before, most = {.rlim_cur = 1 << 20};
    struct gs_error error;
    uint64_t below, not_above;
    struct test_random random = test_random_make(6);
    model_fill(&random, MODEL_UNIFORM, "u64", in, MOST_BYTES / 8);
    getrlimit(RLIMIT_FSIZE, &before);
    most.rlim_max = before.rlim_max;
    setrlimit(RLIMIT_FSIZE, &most); /* the program's signal is ignored, as gsort does */
    signal(SIGXFSZ, SIG_IGN);
    for (int is_order = 0; is_order < 2; is_order++) {
        options.spill_all = !is_order;
        options.memory_bytes = is_order ? 64 * MIB : 12 * MIB;
        gs_sorter *sorter = open_sorter(&options);
        enum gs_status status = GS_OK;
        for (int i = 0; i < (is_order ? 1 : 100) && status == GS_OK; i++)
            status = gs_sorter_push(sorter, in, MOST_BYTES, &error);
        if (is_order) {
            must(status, &error);
            must(gs_sorter_finish(sorter, &error), &error);
            status = gs_sorter_rank_of(sorter, in, &below, &not_above, &error);
            assert_int_equal(gs_sorter_rank_of(sorter, in, &below, &not_above, NULL), status);
        }
        assert_int_equal(status, GS_E_SPACE);
        assert_non_null(strstr(error.text, "'.'"));
        gs_sorter_close(sorter);
        assert_int_equal(names_in("."), 0);
    }
    setrlimit(RLIMIT_FSIZE, &before);
}

static void test_sorter__what_cannot_be__is_refused(void **state)
{
    (void)state;
    struct gs_error error;
    struct gs_options options = {.type = "u64"};
    gs_sorter *sorter = NULL;
    void *room;
    const void *data;
    uint64_t bytes, numbers[] = {3, 1, 2};
    const struct gs_options refused[] = {
        {.action = GS_ACTION_CHECK}, {.output = "x"},     {.merge = true},
        {.header_bytes = 8},         {.drop_tail = true}, {.resume_dir = "x"},
        {.verify_read = true},       {.type = "x7"},      {.type = "u64", .memory_bytes = 1}};
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        assert_int_not_equal(gs_sorter_open(&refused[i], &sorter, &error), GS_OK);
        assert_true(sorter == NULL && error.text[0] != '\0');
    }
    sorter = open_sorter(&options);
    assert_int_equal(gs_sorter_push(sorter, numbers, 9, &error), GS_E_USAGE);
    assert_int_equal(gs_sorter_reserve(sorter, 7, &room, &bytes, &error), GS_E_USAGE);
    assert_int_equal(gs_sorter_pull(sorter, &data, &bytes, &error), GS_E_USAGE);
    must(gs_sorter_reserve(sorter, 24, &room, &bytes, &error), &error);
    assert_int_equal(bytes, 24);
    assert_int_equal(gs_sorter_finish(sorter, &error), GS_E_USAGE);
    assert_int_equal(gs_sorter_commit(sorter, numbers, 24, &error), GS_E_USAGE);
    assert_int_equal(gs_sorter_commit(sorter, room, 12, &error), GS_E_USAGE);
    assert_int_equal(gs_sorter_commit(sorter, room, 32, &error), GS_E_USAGE);
    memcpy(room, numbers, 16);
    must(gs_sorter_commit(sorter, room, 16, &error), &error); /* less: 2 of 3 */
    must(gs_sorter_push(sorter, numbers + 2, 8, &error), &error);
    must(gs_sorter_finish(sorter, &error), &error);
    assert_int_equal(gs_sorter_push(sorter, numbers, 8, &error), GS_E_USAGE);
    assert_int_equal(pull_all(sorter, 8), 24);
    assert_memory_equal(got, ((const uint64_t[]){1, 2, 3}), 24);
    assert_int_equal(gs_sorter_rank(sorter, 0, got, &error), GS_E_USAGE);
    assert_non_null(strstr(error.text, "too late"));
    gs_sorter_close(sorter);
}

/* The options' texts are the caller's again when open returns. */
static void test_sorter__options__are_copied(void **state)
{
    (void)state;
    char type[] = "f64", key[] = "1:u8", key_2[] = "0:u8:desc", dir[] = ".";
    const char *keys[] = {key, key_2}, *dirs[] = {dir};
    struct gs_options numbers = {.type = type, .temp_dirs = dirs, .temp_dir_count = 1};
    struct gs_options records = {.record_bytes = 2, .keys = keys, .key_count = 2};
    gs_sorter *a = open_sorter(&numbers), *b = open_sorter(&records);
    memset(type, 'x', 3);
    memset(key, 'x', 4);
    memset(key_2, 'x', 9);
    memset(dir, 'x', 1);
    keys[0] = keys[1] = dirs[0] = NULL;
    const double values[] = {2, -1};
    struct gs_error error;
    must(gs_sorter_push(a, values, sizeof values, &error), &error);
    must(gs_sorter_push(b, "\1\2\3\1\4\1", 6, &error), &error);
    must(gs_sorter_finish(a, &error), &error);
    must(gs_sorter_finish(b, &error), &error);
    uint64_t below, not_above;
    must(gs_sorter_rank_of(a, values, &below, &not_above, &error), &error);
    assert_int_equal(below, 1);
    assert_int_equal(pull_all(b, 2), 6);
    assert_memory_equal(got, "\4\1\3\1\1\2", 6);
    gs_sorter_close(a);
    gs_sorter_close(b);
}

int main(void)
{
#define ROW(name) cmocka_unit_test_setup_teardown(name, scratch_setup, scratch_teardown)
    const struct CMUnitTest tests[] = {ROW(test_sorter__pushed_and_pulled__as_the_model),
                                       ROW(test_sorter__unique_and_top__as_the_model),
                                       ROW(test_sorter__parts_and_ranks__as_the_model),
                                       ROW(test_sorter__given_up__leaves_nothing),
                                       ROW(test_sorter__canceled__every_call_says_so),
                                       ROW(test_sorter__fails_while_it_lends__waits_for_it),
                                       ROW(test_sorter__full_disk__is_told),
                                       ROW(test_sorter__what_cannot_be__is_refused),
                                       ROW(test_sorter__options__are_copied)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
