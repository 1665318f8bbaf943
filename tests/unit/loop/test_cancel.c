/* test_cancel.c: gs_cancel_now from another thread, while a job runs, ends, and has ended. The
 * linker puts a function of this file before write(2), which can be held up until the job is over.
 * The thread and address sanitizers see what touches memory that is gone.
 * Run: build/dev/tests/test_cancel */
#include "support/scratch.h"

#include "job/job_report.h"
#include "support/struct_jobs.h"

#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <sys/eventfd.h>
#include <time.h>

#define FRESH 64u /* descriptors that are opened once a job has ended */

static const enum gsi_io_choice engines[] = {GSI_IO_URING, GSI_IO_THREADS};
#define ENGINE_COUNT (sizeof engines / sizeof engines[0])

ssize_t __real_write(int fd, const void *data, size_t bytes);
ssize_t __wrap_write(int fd, const void *data, size_t bytes);

/* The write of gs_cancel_now, held up: until `is_over` it has not happened. */
static struct {
    atomic_bool is_wanted; /* the next write of this thread */
    pthread_t thread;
    int pipe_end; /* closed meanwhile, so that the job ends by itself */
    int fd;       /* that is written to */
    sem_t is_over;
} held;

static atomic_int write_count;

ssize_t __wrap_write(int fd, const void *data, size_t bytes)
{
    atomic_fetch_add(&write_count, 1);
    if (atomic_load(&held.is_wanted) && pthread_equal(held.thread, pthread_self())) {
        atomic_store(&held.is_wanted, false);
        held.fd = fd;
        close(held.pipe_end);
        while (sem_wait(&held.is_over) != 0)
            ;
    }
    return __real_write(fd, data, bytes);
}

static enum gs_status sort(const char *input, enum gsi_io_choice io, gs_cancel *cancel)
{
    struct gsi_options options = {.inputs = &input,
                                  .input_count = 1,
                                  .output = "out",
                                  .type = "u64",
                                  .memory_bytes = 32u << 20,
                                  .thread_count = 1,
                                  .io = io,
                                  .cancel = cancel};
    struct gs_report report;
    struct gs_error error;
    return gs_run(&options, &report, &error);
}

/* Once it can be written to, the job has opened it. */
static void *cancel_reader(void *argument)
{
    held.pipe_end = open("fifo", O_WRONLY | O_CLOEXEC);
    held.thread = pthread_self();
    atomic_store(&held.is_wanted, true);
    gs_cancel_now(argument);
    return NULL;
}

/* Returns whether this machine has that engine. */
static bool has_engine(enum gsi_io_choice io)
{
    put("in", "12345678", 0600);
    return sort("in", io, NULL) == GS_OK;
}

static void test_cancel__job_over_before_its_write__no_other_file_is_written(void **state)
{
    (void)state;
    assert_int_equal(mkfifo("fifo", 0600), 0);
    for (size_t e = 0; e < ENGINE_COUNT; e++) {
        int fresh[FRESH];
        pthread_t thread;
        if (!has_engine(engines[e]))
            continue;
        gs_cancel *cancel = gs_cancel_create();
        assert_int_equal(sem_init(&held.is_over, 0, 0), 0);
        assert_int_equal(pthread_create(&thread, NULL, cancel_reader, cancel), 0);
        enum gs_status status = sort("fifo", engines[e], cancel);
        for (size_t i = 0; i < FRESH; i++)
            fresh[i] = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
        sem_post(&held.is_over);
        assert_int_equal(pthread_join(thread, NULL), 0);
        assert_int_equal(status, GS_E_CANCELED);
        for (size_t i = 0; i < FRESH; i++) {
            eventfd_t count = 0;
            assert_true(fresh[i] >= 0);
            assert_int_equal(eventfd_read(fresh[i], &count), -1);
            assert_int_equal(count, 0);
            assert_int_not_equal(fresh[i], held.fd);
            close(fresh[i]);
        }
        gs_cancel_free(cancel);
    }
}

static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

struct racer {
    gs_cancel *cancel;
    uint64_t at_ns;
};

static void *cancel_at(void *argument)
{
    const struct racer *racer = argument;
    while (now_ns() < racer->at_ns)
        ;
    gs_cancel_now(racer->cancel);
    gs_cancel_now(racer->cancel);
    return NULL;
}

/* From before the job begins until it is over, most of them about its end. */
static void test_cancel__at_any_time__ends_or_is_done(void **state)
{
    (void)state;
    const size_t rounds = test_is_small() ? 60 : 300;
    struct test_random random = test_random_make(0);
    put_random("in", 20000, 64);
    for (size_t e = 0; e < ENGINE_COUNT; e++) {
        uint64_t begin_ns = now_ns();
        if (sort("in", engines[e], NULL) != GS_OK)
            continue;
        uint64_t job_ns = now_ns() - begin_ns;
        for (size_t i = 0; i < rounds; i++) {
            pthread_t thread;
            struct racer racer = {.cancel = gs_cancel_create()};
            assert_non_null(racer.cancel);
            racer.at_ns = now_ns() + (i % 4 == 0 ? 0 : job_ns / 2) + test_below(&random, job_ns);
            assert_int_equal(pthread_create(&thread, NULL, cancel_at, &racer), 0);
            enum gs_status status = sort("in", engines[e], racer.cancel);
            assert_int_equal(pthread_join(thread, NULL), 0);
            gs_cancel_free(racer.cancel);
            if (status != GS_OK && status != GS_E_CANCELED)
                test_fail("round %zu: %s", i, gs_status_text(status));
        }
    }
}

static void test_cancel__before_the_job__none_is_done(void **state)
{
    (void)state;
    for (size_t e = 0; e < 2 * ENGINE_COUNT; e++) {
        const enum gsi_io_choice io = engines[e / 2];
        put_random("in", e % 2 == 0 ? 1000 : 0, 64);
        if (!has_engine(io))
            continue;
        put("out", "old", 0600);
        gs_cancel *cancel = gs_cancel_create();
        gs_cancel_now(cancel);
        assert_int_equal(sort("in", io, cancel), GS_E_CANCELED);
        assert_int_equal(sort("in", io, cancel), GS_E_CANCELED);
        gs_cancel_free(cancel);
        assert_true(holds("out", "old"));
    }
}

struct reader {
    const char *fifo;
    enum gsi_io_choice io;
    gs_cancel *cancel;
    enum gs_status status;
};

static void *read_fifo(void *argument)
{
    struct reader *reader = argument;
    reader->status = sort(reader->fifo, reader->io, reader->cancel);
    return NULL;
}

/* Both wait for a pipe without a writer. */
static void test_cancel__of_two_jobs__ends_both(void **state)
{
    (void)state;
    assert_int_equal(mkfifo("one", 0600), 0);
    assert_int_equal(mkfifo("two", 0600), 0);
    for (size_t e = 0; e < ENGINE_COUNT; e++) {
        if (!has_engine(engines[e]))
            continue;
        gs_cancel *cancel = gs_cancel_create();
        struct reader readers[2] = {{"one", engines[e], cancel, GS_OK},
                                    {"two", engines[e], cancel, GS_OK}};
        pthread_t threads[2];
        int ends[2];
        for (size_t i = 0; i < 2; i++) {
            assert_int_equal(pthread_create(&threads[i], NULL, read_fifo, &readers[i]), 0);
            ends[i] = open(readers[i].fifo, O_WRONLY | O_CLOEXEC);
        }
        gs_cancel_now(cancel);
        for (size_t i = 0; i < 2; i++) {
            assert_int_equal(pthread_join(threads[i], NULL), 0);
            assert_int_equal(readers[i].status, GS_E_CANCELED);
            close(ends[i]);
        }
        gs_cancel_free(cancel);
    }
}

static int cancel_in_child(void *argument)
{
    int before = atomic_load(&write_count);
    gs_cancel_now(argument);
    CHECK(atomic_load(&write_count) == before); /* to what jobs of the parent watch, once */
    CHECK(sort("in", GSI_IO_THREADS, argument) == GS_E_USAGE);
    gs_cancel_free(argument);
    return 0;
}

static void test_cancel__in_a_child_of_fork__is_left_to_the_parent(void **state)
{
    (void)state;
    put_random("in", 1000, 64);
    gs_cancel *cancel = gs_cancel_create();
    run_in_child(cancel_in_child, cancel);
    assert_int_equal(sort("in", GSI_IO_THREADS, cancel), GS_OK);
    gs_cancel_now(cancel);
    assert_int_equal(sort("in", GSI_IO_THREADS, cancel), GS_E_CANCELED);
    gs_cancel_free(cancel);
}

int main(void)
{
#define TEST(test) cmocka_unit_test_setup_teardown(test, scratch_setup, scratch_teardown)
    const struct CMUnitTest tests[] = {
        TEST(test_cancel__job_over_before_its_write__no_other_file_is_written),
        TEST(test_cancel__at_any_time__ends_or_is_done),
        TEST(test_cancel__before_the_job__none_is_done),
        TEST(test_cancel__of_two_jobs__ends_both),
        TEST(test_cancel__in_a_child_of_fork__is_left_to_the_parent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
