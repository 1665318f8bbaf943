/* repeat.h: runs the test functions of a program, and prints how to repeat one that fails, crashes
 * or takes too long:
 *
 *     repeat: GS_TEST_SEED=20261127 GS_TEST_ONLY=test_top__any_job build/release/tests/test_top
 *     job: gsort --type u32 --top 10 --memory 67108864 --output out in
 *
 * The job is the text of the last call of test_job. Its inputs follow from the seed, and from the
 * number of the random case, if the test has such (test_case). GS_TEST_ONLY=PATTERN runs only the
 * functions whose names match this shell pattern. GS_TEST_SECONDS is the time after which the
 * program ends itself: CTest could not say which job it was. */
#ifndef REPEAT_H
#define REPEAT_H

#include <fcntl.h>
#include <fnmatch.h>
#include <pthread.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#define TEST_LINE_BYTES 8192

static struct {
    const struct CMUnitTest *tests; /* that run, in this order */
    size_t next;                    /* the one after the running one */
    bool is_over;                   /* the function returned, or the test is skipped */
    char repeat[TEST_LINE_BYTES], random_case[TEST_LINE_BYTES], job[TEST_LINE_BYTES];
    struct sigaction before[65]; /* handlers of signals that were there before ours */
} test_running;

/* test_case, test_job: set the texts that are printed if the running test fails from here on. One
 * says which random case it is, the other is the job as a command line. Any thread. */
#define test_case(...) test_tell(test_running.random_case, __VA_ARGS__)
#define test_job(...)  test_tell(test_running.job, __VA_ARGS__)
__attribute__((format(printf, 2, 3))) static inline void test_tell(char *text, const char *format,
                                                                   ...)
{
    static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    va_list list;
    va_start(list, format);
    pthread_mutex_lock(&mutex);
    vsnprintf(text, TEST_LINE_BYTES, format, list);
    pthread_mutex_unlock(&mutex);
    va_end(list);
}

static inline void test_append(char *text, const char *format, const char *more)
{
    size_t length = strlen(text);
    snprintf(text + length, TEST_LINE_BYTES - length, format, more);
}

/* The command that runs the test of this name again, as this program was started. */
static inline void test_repeat_line(const char *name, char *text)
{
    static const char *const variables[] = {"GS_TEST_SMALL", "GS_TEST_CPU", "GS_TEST_JOBS"};
    char words[4096];
    int file = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
    ssize_t length = file >= 0 ? read(file, words, sizeof words - 1) : 0;
    if (file >= 0)
        close(file);
    words[length > 0 ? length : 0] = '\0';
    snprintf(text, TEST_LINE_BYTES, "GS_TEST_SEED=%llu", (unsigned long long)test_seed());
    for (size_t i = 0; i < sizeof variables / sizeof variables[0]; i++)
        if (getenv(variables[i]) != NULL) {
            test_append(text, " %s=", variables[i]);
            test_append(text, "%s", getenv(variables[i]));
        }
    test_append(text, " GS_TEST_ONLY=%s", name);
    for (const char *word = words; word < words + length; word += strlen(word) + 1)
        test_append(text, " %s", word);
}

/* Calls only what a signal handler may call. */
static inline void test_print_line(const char *name, const char *text)
{
    const char *const parts[] = {name, text, "\n"};
    for (size_t i = 0; i < 3 && text[0] != '\0'; i++)
        if (write(STDERR_FILENO, parts[i], strlen(parts[i])) < 0)
            return;
}

static inline void test_forget(void)
{
    test_running.repeat[0] = test_running.random_case[0] = test_running.job[0] = '\0';
}

/* Once: a sanitizer calls this after a signal's handler did. */
static inline void test_print_repeat(void)
{
    test_print_line("repeat: ", test_running.repeat);
    test_print_line("case: ", test_running.random_case);
    test_print_line("job: ", test_running.job);
    test_forget();
}

/* ---- crashes ---- */

static inline void test_on_signal(int number)
{
    test_print_repeat();
    sigaction(number, &test_running.before[number], NULL);
    raise(number); /* at the latest when this handler returns */
}

static inline void test_catch(int number)
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = test_on_signal;
    sigaction(number, &action, NULL);
}

/* cmocka's handlers of these signals would jump back into the test, whichever thread crashed, and
 * continue with its locks held. */
static const int test_crashes[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGALRM, SIGVTALRM};
#define TEST_CRASH_COUNT (sizeof test_crashes / sizeof test_crashes[0])

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#ifdef __cplusplus
extern "C"
#endif
    void
    __sanitizer_set_death_callback(void (*callback)(void));
#endif

static inline void test_expect_crashes(void)
{
    for (size_t i = 0; i < TEST_CRASH_COUNT; i++)
        sigaction(test_crashes[i], NULL, &test_running.before[test_crashes[i]]);
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    __sanitizer_set_death_callback(test_print_repeat);
#endif
    /* Not by alarm(), which some tests use. */
    struct itimerspec limit;
    struct sigevent event;
    timer_t timer;
    memset(&limit, 0, sizeof limit);
    memset(&event, 0, sizeof event);
    event.sigev_notify = SIGEV_SIGNAL;
    event.sigev_signo = SIGVTALRM;
    limit.it_value.tv_sec = (time_t)test_number("GS_TEST_SECONDS", 0);
    if (limit.it_value.tv_sec > 0 && timer_create(CLOCK_MONOTONIC, &event, &timer) == 0)
        timer_settime(timer, 0, &limit, NULL);
}

/* ---- running ---- */

static inline const struct CMUnitTest *test_now(void)
{
    return &test_running.tests[test_running.next - 1];
}

static inline int test_begin(void **state)
{
    test_running.next++;
    test_running.is_over = false;
    test_forget();
    test_repeat_line(test_now()->name, test_running.repeat);
    for (size_t i = 0; i < TEST_CRASH_COUNT; i++)
        test_catch(test_crashes[i]);
    int status = test_now()->setup_func != NULL ? test_now()->setup_func(state) : 0;
    if (status != 0)
        test_print_repeat();
    return status;
}

static inline void test_body(void **state)
{
    for (size_t i = 0; i < TEST_CRASH_COUNT; i++)
        test_catch(test_crashes[i]);
    test_now()->test_func(state);
    test_running.is_over = true;
}

static inline int test_end(void **state)
{
    if (!test_running.is_over)
        test_print_repeat();
    int status = test_now()->teardown_func != NULL ? test_now()->teardown_func(state) : 0;
    test_forget();
    return status;
}

static inline int test_run_group(const char *name, const struct CMUnitTest *all, size_t count,
                                 CMFixtureFunction setup, CMFixtureFunction teardown)
{
    const char *only = getenv("GS_TEST_ONLY");
    struct CMUnitTest *lists = (struct CMUnitTest *)calloc(2 * count, sizeof *lists);
    struct CMUnitTest *chosen = lists, *run = lists + count;
    size_t chosen_count = 0;
    for (size_t i = 0; i < count; i++)
        if (only == NULL || fnmatch(only, all[i].name, 0) == 0)
            chosen[chosen_count++] = all[i];
    if (chosen_count == 0) {
        fprintf(stderr, "GS_TEST_ONLY=%s matches no test function of this program, which has:\n",
                only);
        for (size_t i = 0; i < count; i++)
            fprintf(stderr, "    %s\n", all[i].name);
        free(lists);
        return 1;
    }
    for (size_t i = 0; i < chosen_count; i++) {
        run[i] = chosen[i];
        run[i].setup_func = test_begin;
        run[i].test_func = test_body;
        run[i].teardown_func = test_end;
    }
    test_running.tests = chosen;
    test_running.next = 0;
    test_expect_crashes();
    int failed = _cmocka_run_group_tests(name, run, chosen_count, setup, teardown);
    free(lists);
    return failed;
}

#undef cmocka_run_group_tests
#undef cmocka_run_group_tests_name
#define cmocka_run_group_tests(tests, setup, teardown) \
    cmocka_run_group_tests_name(#tests, tests, setup, teardown)
#define cmocka_run_group_tests_name(name, tests, setup, teardown) \
    test_run_group(name, tests, sizeof(tests) / sizeof((tests)[0]), setup, teardown)

#endif
