/* test_sorter_ends.c: tests a sorter that is closed early, canceled, fails at any point, or gets
 * impossible requests. Run: build/dev/tests/test_sorter_ends */
#include "embed/sorter.h"
#include "job/job_report.h"
#include "support/sorter_job.h"
#include "support/struct_jobs.h"

#include <semaphore.h>
#include <stdatomic.h>
#include <sys/resource.h>

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

struct reserving {
    gs_sorter *sorter;
    enum gs_status status;
    sem_t waits;         /* the reservation waits for room */
    sem_t may_read_more; /* the sort may ask for more elements */
};

static _Atomic(struct reserving *) watched; /* NULL: no test watches these calls */

int __real_pthread_cond_wait(pthread_cond_t *cond, pthread_mutex_t *lock);
int __wrap_pthread_cond_wait(pthread_cond_t *cond, pthread_mutex_t *lock);
int __wrap_pthread_cond_wait(pthread_cond_t *cond, pthread_mutex_t *lock)
{
    struct reserving *reserving = watched;
    if (reserving != NULL && cond == &reserving->sorter->intake.has_room)
        sem_post(&reserving->waits);
    return __real_pthread_cond_wait(cond, lock);
}

int64_t __real_gsi_intake_read(void *context, void *data, size_t bytes, struct gs_error *error);
int64_t __wrap_gsi_intake_read(void *context, void *data, size_t bytes, struct gs_error *error);
int64_t __wrap_gsi_intake_read(void *context, void *data, size_t bytes, struct gs_error *error)
{
    struct reserving *reserving = watched;
    if (reserving != NULL)
        while (sem_wait(&reserving->may_read_more) != 0)
            ;
    return __real_gsi_intake_read(context, data, bytes, error);
}

static void *reserve_one(void *context)
{
    struct reserving *reserving = context;
    struct gs_error error;
    void *room;
    uint64_t bytes;
    reserving->status = gs_sorter_reserve(reserving->sorter, 8, &room, &bytes, &error);
    return NULL;
}

/* The first reservation fills the buffer, so the second one waits. The sort does not offer the next
 * buffer before the sorter is finished: the second reservation would get room there, and
 * gs_sorter_finish would rightly refuse. */
static void test_sorter__finished_while_a_reservation_waits__refuses_it(void **state)
{
    (void)state;
    const struct gsi_options options = {
        .action = GS_SORT, .type = "u64", .memory_bytes = 16 * MIB, .device = GSI_DEVICE_CPU};
    struct gs_error error;
    void *room;
    const void *data;
    uint64_t bytes = 0, more = 0;
    pthread_t thread;
    gs_sorter *sorter = open_sorter(&options);
    struct reserving reserving = {.sorter = sorter, .status = GS_OK};
    assert_int_equal(sem_init(&reserving.waits, 0, 0), 0);
    assert_int_equal(sem_init(&reserving.may_read_more, 0, 0), 0);
    must(gs_sorter_reserve(sorter, UINT64_MAX / 8 * 8, &room, &bytes, &error), &error);
    memset(room, 7, bytes);
    watched = &reserving;
    assert_int_equal(pthread_create(&thread, NULL, reserve_one, &reserving), 0);
    while (sem_wait(&reserving.waits) != 0)
        ;
    must(gs_sorter_commit(sorter, room, bytes, &error), &error);
    must(gs_sorter_finish(sorter, &error), &error);
    watched = NULL;
    sem_post(&reserving.may_read_more);
    do {
        must(gs_sorter_pull(sorter, &data, &more, &error), &error);
    } while (more > 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(reserving.status, GS_E_USAGE);
    sem_destroy(&reserving.may_read_more);
    sem_destroy(&reserving.waits);
    gs_sorter_close(sorter);
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

/* Reserved memory stays valid for the program while the job fails. */
static void test_sorter__fails_while_it_lends__waits_for_it(void **state)
{
    (void)state;
    struct gsi_options options = {.type = "u64", .memory_bytes = 16 * MIB};
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
            /* A thread with a reservation does not have to wait. */
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
    struct gsi_options options = {.type = "u64",
                                  .memory_bytes = 12 * MIB,
                                  .device = GSI_DEVICE_CPU,
                                  .compress = GSI_COMPRESS_NONE,
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
    struct gsi_options options = {.type = "u64"};
    gs_sorter *sorter = NULL;
    void *room;
    const void *data;
    uint64_t bytes, numbers[] = {3, 1, 2};
    const struct gsi_options refused[] = {{.action = GS_CHECK},
                                          {.output = "x"},
                                          {.merge = true},
                                          {.header_bytes = 8},
                                          {.drop_tail = true},
                                          {.resume_dir = "x"},
                                          {.verify_read = true},
                                          {.reverse = true},
                                          {.type = "u8"},
                                          {.type = "x7"},
                                          {.type = "u64", .memory_bytes = 1}};
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        assert_int_not_equal(open_struct_sorter(&refused[i], &sorter, &error), GS_OK);
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
    assert_non_null(strstr(error.text, "before gs_sorter_pull"));
    gs_sorter_close(sorter);
}

/* Open copies the options' texts. */
static void test_sorter__options__are_copied(void **state)
{
    (void)state;
    char texts[][16] = {"f64",     "1:uint8", "0:uint8:desc", ".",
                        "0:uint8", "1:uint8", "2:uint8",      "3:uint8"};
    const char *keys[] = {texts[1], texts[2]}, *dirs[] = {texts[3]}, *first[] = {texts[4]};
    const char *sums[] = {texts[5]}, *least[] = {texts[6]}, *most[] = {texts[7]};
    const struct gsi_options of[] = {{.type = texts[0], .temp_dirs = dirs, .temp_dir_count = 1},
                                     {.record_bytes = 2, .keys = keys, .key_count = 2},
                                     {.record_bytes = 4,
                                      .keys = first,
                                      .key_count = 1,
                                      .unique = true,
                                      .sum_fields = sums,
                                      .sum_field_count = 1,
                                      .min_fields = least,
                                      .min_field_count = 1,
                                      .max_fields = most,
                                      .max_field_count = 1}};
    const double values[] = {2, -1};
    const void *const given[] = {values, "\1\2\3\1\4\1", "\1\1\1\1\0\7\7\7\1\2\2\2"};
    const size_t bytes[] = {sizeof values, 6, 12};
    struct gs_error error;
    gs_sorter *sorters[3];
    uint64_t below, not_above;
    for (size_t i = 0; i < 3; i++)
        sorters[i] = open_sorter(&of[i]);
    memset(texts, 'x', sizeof texts);
    keys[0] = keys[1] = dirs[0] = first[0] = sums[0] = least[0] = most[0] = NULL;
    for (size_t i = 0; i < 3; i++) {
        must(gs_sorter_push(sorters[i], given[i], bytes[i], &error), &error);
        must(gs_sorter_finish(sorters[i], &error), &error);
    }
    must(gs_sorter_rank_of(sorters[0], values, &below, &not_above, &error), &error);
    assert_int_equal(below, 1);
    assert_int_equal(pull_all(sorters[1], 2), 6);
    assert_memory_equal(got, "\4\1\3\1\1\2", 6);
    assert_int_equal(pull_all(sorters[2], 4), 8);
    assert_memory_equal(got, "\0\7\7\7\1\3\1\2", 8);
    for (size_t i = 0; i < 3; i++)
        gs_sorter_close(sorters[i]);
}

/* Every call reports it, and none waits, cancels or frees anything. */
static int call_in_child(void *context)
{
    gs_sorter *sorter = context;
    struct gs_report report;
    struct gs_error error;
    void *room;
    const void *data;
    uint64_t bytes, below, element[32];
    alarm(60); /* of a child it is not inherited */
#define REFUSED(call) \
    CHECK((call) == GS_E_USAGE && strstr(error.text, "forked from it; open a new") != NULL)
    REFUSED(gs_sorter_push(sorter, in, 8, &error));
    REFUSED(gs_sorter_reserve(sorter, 8, &room, &bytes, &error));
    REFUSED(gs_sorter_commit(sorter, in, 8, &error));
    REFUSED(gs_sorter_finish(sorter, &error));
    REFUSED(gs_sorter_pull(sorter, &data, &bytes, &error));
    REFUSED(gs_sorter_pull_part(sorter, 0, 1, &data, &bytes, &error));
    REFUSED(gs_sorter_rank(sorter, 0, element, &error));
    REFUSED(gs_sorter_rank_of(sorter, in, &below, &bytes, &error));
    REFUSED(struct_sorter_report(sorter, &report, &error));
    gs_sorter_cancel(sorter);
    gs_sorter_close(sorter);

#if !defined(__SANITIZE_THREAD__) /* which lets no child of many threads begin one */
    struct gsi_options options = {.type = "u64", .memory_bytes = 16 * MIB};
    CHECK(open_struct_sorter(&options, &sorter, &error) == GS_OK); /* one of its own */
    CHECK(gs_sorter_push(sorter, in, 8, &error) == GS_OK);
    CHECK(gs_sorter_finish(sorter, &error) == GS_OK);
    CHECK(gs_sorter_pull(sorter, &data, &bytes, &error) == GS_OK && bytes == 8);
    gs_sorter_close(sorter);
#endif
    return 0;
}

static void test_sorter__in_a_child_of_fork__is_left_to_the_parent(void **state)
{
    (void)state;
    struct test_random random = test_random_make(7);
    for (int step = 0; step < 4; step++) {
        struct job job;
        struct gs_error error;
        const void *data;
        uint64_t bytes = 0;
        do {
            job_make(&job, &random);
        } while (job.n < 100);
        job.options.temp_dirs = (const char *[]){"."};
        job.options.temp_dir_count = 1;
        gs_sorter *sorter = open_sorter(&job.options);
        if (step == 0)
            run_in_child(call_in_child, sorter);
        must(gs_sorter_push(sorter, in, job.n * job.width, &error), &error);
        if (step == 1)
            run_in_child(call_in_child, sorter);
        must(gs_sorter_finish(sorter, &error), &error);
        if (step == 2)
            run_in_child(call_in_child, sorter);
        must(gs_sorter_pull(sorter, &data, &bytes, &error), &error);
        memcpy(got, data, bytes);
        if (step == 3)
            run_in_child(call_in_child, sorter);
        for (uint64_t more = bytes; more > 0; bytes += more) {
            must(gs_sorter_pull(sorter, &data, &more, &error), &error);
            if (more > 0) /* the end has no data */
                memcpy(got + bytes, data, more);
        }
        model_job(&job);
        assert_int_equal(bytes, job.n * job.width);
        assert_memory_equal(got, want, bytes);
        gs_sorter_close(sorter);
        assert_int_equal(names_in("."), 0);
    }
}

int main(void)
{
#define ROW(name) cmocka_unit_test_setup_teardown(name, sorter_setup, sorter_teardown)
    const struct CMUnitTest tests[] = {
        ROW(test_sorter__given_up__leaves_nothing),
        ROW(test_sorter__canceled__every_call_says_so),
        ROW(test_sorter__fails_while_it_lends__waits_for_it),
        ROW(test_sorter__full_disk__is_told),
        ROW(test_sorter__finished_while_a_reservation_waits__refuses_it),
        ROW(test_sorter__what_cannot_be__is_refused),
        ROW(test_sorter__options__are_copied),
        ROW(test_sorter__in_a_child_of_fork__is_left_to_the_parent)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
