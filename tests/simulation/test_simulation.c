/* test_simulation.c: runs thousands of small jobs in the simulation. Without a fault a job's output
 * is the model's. With a fault the job fails with the right status and leaves an earlier output
 * intact. After each run no temporary file, descriptor, engine or pool may be left. A kill or a
 * power failure leaves the whole older or the whole new output, and --resume continues. A run
 * follows from the seed, the number of its job and its own number.
 *
 *     build/release/tests/test_simulation                         5000 runs, 500 with kills, 500
 *                                                                 with power failures
 *     GS_TEST_JOBS=100000 build/release/tests/test_simulation     as many
 *     GS_TEST_JOB=47 build/release/tests/test_simulation          the runs of one job
 *     GS_TEST_TRACE=1 ...                                         every event */
#include "simulation/simulated_disk.h"
#include "simulation/simulated_job.h"
#include "simulation/simulation.h"

#define RUNS_OF_A_JOB 5u
#define OLD           "an older output"

static gs_job *asked;
static uint64_t struck[SIM_FAULT_COUNT], mattered[SIM_FAULT_COUNT];

#define KINDS 8
static const char *const kind_names[KINDS] = {
    "pipes", "compressed inputs", "compressed outputs", ".npy", "splits", "companion files", "sums",
    "sets"};
static uint64_t kinds[KINDS];

struct run {
    const struct simulated_job *job;
    uint64_t number;
    struct sim_setup setup;
    enum gs_status status;
    struct sim_result result;
};

#define fail_run(run, ...)                                                              \
    do {                                                                                \
        fprintf(stderr, "status %d, '%s': ", (run)->status, gs_job_error(asked)->text); \
        test_fail(__VA_ARGS__);                                                         \
    } while (0)

static uint64_t salt_of(const struct run *run)
{
    return 10 + run->number + (run->job->number << 32);
}

/* Says which run it is, in case that it fails. */
static void tell(const struct run *run)
{
    test_case("GS_TEST_JOB=%llu, run %llu, %s at %llu", (unsigned long long)run->job->number,
              (unsigned long long)run->number, sim_fault_names[run->setup.fault],
              (unsigned long long)run->setup.at);
    test_job("%s", job_text(run->job));
}

static void simulate(struct run *run)
{
    const struct simulated_job *job = run->job;
    gs_cancel *cancel = run->setup.fault == SIM_CANCEL ? gs_cancel_create() : NULL;
    tell(run);
    gs_job_reset(asked);
    job_ask(job, asked);
    gs_job_set_cancel(asked, cancel);
    run->setup.salt = salt_of(run);
    run->setup.cancel = cancel;
    sim_begin(&run->setup);
    run->status = gs_job_run(asked, job->verb == JOB_CHECK ? GS_CHECK : GS_SORT);
    run->result = sim_end();
    job_end(job);
    gs_cancel_free(cancel);
}

/* ---- what a run has to leave ---- */

/* The status with which a fault ends a job, if it matters. */
static enum gs_status status_of(enum sim_fault fault)
{
    switch (fault) {
    case SIM_OUTPUT_IS_FULL:
    case SIM_SPILL_IS_FULL:
        return GS_E_SPACE;
    case SIM_INPUT_ENDS:
        return GS_E_INPUT;
    case SIM_SPILL_ENDS:
    case SIM_SPILL_READ_BIT:
    case SIM_SPILL_WRITE_BIT:
    case SIM_SPILL_LOST:
    case SIM_SPILL_ELSEWHERE:
        return GS_E_CORRUPT;
    case SIM_OUTPUT_BIT:
    case SIM_OUTPUT_LOST:
        return GS_E_VERIFY;
    case SIM_CANCEL:
        return GS_E_CANCELED;
    default:
        return GS_E_IO;
    }
}

static bool is_of_spill(enum sim_fault fault)
{
    return fault >= SIM_SPILL_ENDS && fault <= SIM_SPILL_ELSEWHERE;
}

/* Set operations copy streams to temporary files. */
static bool has_copies(const struct simulated_job *job)
{
    return job->set != JOB_ALL && (job->has_pipe || job->has_reader);
}

/* Returns whether a fault may end a job with this status. A copy of a stream that is read wrong may
 * not be sorted. */
static bool may_end(const struct simulated_job *job, enum sim_fault fault, enum gs_status status)
{
    return status == status_of(fault) ||
           (status == GS_E_INPUT && has_copies(job) && is_of_spill(fault));
}

/* A cancel may be too late. With --top the job may end before it reads the damaged data. */
static bool may_go_unnoticed(const struct run *run)
{
    return run->setup.fault == SIM_CANCEL || run->job->has_top;
}

/* A merge stops when it has enough. */
static void check_report(const struct run *run)
{
    uint64_t count;
    if (run->job->verb == JOB_MERGE || run->job->verb == JOB_CHECK)
        return;
    if (gs_report_u64(gs_job_report(asked), "tally.count", &count) != GS_FOUND ||
        count != run->job->counted)
        fail_run(run, "the report does not count %zu elements", run->job->counted);
}

static void check_status(const struct run *run)
{
    const struct simulated_job *job = run->job;
    if (run->status == job->wanted) {
        if (!job_is_wanted(job))
            fail_run(run, "wrong output");
        if (run->status == GS_OK)
            check_report(run);
        if (run->result.has_struck && run->status == GS_OK && !may_go_unnoticed(run))
            fail_run(run, "the fault was not noticed");
        return;
    }
    if (!run->result.has_struck)
        fail_run(run, "it failed without a fault");
    if (!may_end(job, run->setup.fault, run->status))
        fail_run(run, "another status than %d", status_of(run->setup.fault));
}

/* After a failure the output is what it was. */
static void check_output(const struct run *run)
{
    const struct simulated_job *job = run->job;
    const char *output;
    for (uint32_t i = 0; run->status != GS_OK && (output = job_output(job, i)) != NULL; i++)
        if (job->is_in_place ? !job_has_first_input(job) : !holds(output, OLD))
            fail_run(run, "the older '%s' is gone", output);
}

static void check_rest(const struct run *run, int descriptors)
{
    const struct simulated_job *job = run->job;
    int names = (int)job->files + job->has_values + 1; /* t */
    for (uint32_t i = 0; !job->is_in_place && job_output(job, i) != NULL; i++)
        names++;
    if (names_in(".") != names || names_in("t") != 0)
        fail_run(run, "%d files and %d in t were left", names_in("."), names_in("t"));
    if (names_in("/proc/self/fd") != descriptors)
        fail_run(run, "%d descriptors were left", names_in("/proc/self/fd") - descriptors);
    if (run->result.left_open > 0)
        fail_run(run, "%u engines and pools were left", run->result.left_open);
}

static void check_run(struct run *run)
{
    int descriptors = names_in("/proc/self/fd");
    const char *output;
    if (run->job->is_in_place)
        job_write_inputs(run->job);
    for (uint32_t i = 0; !run->job->is_in_place && (output = job_output(run->job, i)) != NULL; i++)
        put_bytes(output, OLD, strlen(OLD));
    simulate(run);
    check_status(run);
    check_output(run);
    check_rest(run, descriptors);
    struck[run->setup.fault] += run->result.has_struck;
    mattered[run->setup.fault] += run->status != run->job->wanted;
}

/* ---- runs ---- */

/* A fault that had a chance in the run without one. */
static struct sim_setup draw_fault(const struct simulated_job *job, const struct sim_result *clean,
                                   struct test_random *random)
{
    struct sim_setup setup = {.fault = SIM_NO_FAULT};
    for (int tries = 0; tries < 8; tries++) {
        enum sim_fault fault = (enum sim_fault)(1 + test_below(random, SIM_KILL - 1));
        bool is_unseen = (fault == SIM_OUTPUT_BIT || fault == SIM_OUTPUT_LOST) && !job->verifies;
        /* A set operation that ends early has not read all that a copy's digest is of. */
        is_unseen |= has_copies(job) && job->has_top && is_of_spill(fault);
        if (clean->chances[fault] == 0 || is_unseen)
            continue;
        setup.fault = fault;
        setup.at = test_below(random, clean->chances[fault]);
        break;
    }
    return setup;
}

static void count_kinds(const struct simulated_job *job)
{
    const bool has[KINDS] = {job->has_pipe, job->has_packed_inputs, job->is_packed,
                             job->is_npy,   job->parts > 0,         job->has_values,
                             job->has_sum,  job->set != JOB_ALL};
    for (int i = 0; i < KINDS; i++)
        kinds[i] += has[i];
}

static uint64_t run_job(uint64_t number)
{
    static struct simulated_job job;
    struct test_random random = test_random_make(1 + (number << 32));
    struct run run = {.job = &job};
    job_make(&job, number, JOB_ANY);
    job_write_inputs(&job);
    check_run(&run);
    const struct sim_result clean = run.result;
    count_kinds(&job);
    for (run.number = 1; run.number < RUNS_OF_A_JOB; run.number++) {
        run.setup = draw_fault(&job, &clean, &random);
        check_run(&run);
    }
    return clean.events;
}

static void test_simulation__random_jobs_with_a_fault__right_or_failed(void **state)
{
    (void)state;
    uint64_t one = test_number("GS_TEST_JOB", UINT64_MAX), events = 0;
    uint64_t runs = test_number("GS_TEST_JOBS", test_is_small() ? 500 : 5000);
    uint64_t jobs = one == UINT64_MAX ? runs / RUNS_OF_A_JOB : 1;
    for (uint64_t i = 0; i < jobs; i++)
        events += run_job(one == UINT64_MAX ? i : one);
    print_message("%llu jobs, %llu runs, %llu events in the first run of a job\n",
                  (unsigned long long)jobs, (unsigned long long)jobs * RUNS_OF_A_JOB,
                  (unsigned long long)(events / jobs));
    for (int i = 0; i < KINDS; i++)
        print_message("%s: in %llu jobs\n", kind_names[i], (unsigned long long)kinds[i]);
    for (int fault = 1; fault < SIM_KILL; fault++)
        print_message("%s: struck %llu times, %llu jobs failed\n", sim_fault_names[fault],
                      (unsigned long long)struck[fault], (unsigned long long)mattered[fault]);
}

static void test_simulation__same_seed__same_events(void **state)
{
    (void)state;
    static struct simulated_job job;
    struct test_random random = test_random_make(5);
    for (uint64_t number = 0; number < (test_is_small() ? 20 : 100); number++) {
        struct run first = {.job = &job}, again;
        job_make(&job, number, JOB_ANY);
        job_write_inputs(&job);
        check_run(&first);
        first.setup = draw_fault(&job, &first.result, &random);
        again = first;
        check_run(&first);
        check_run(&again);
        if (first.result.digest != again.result.digest || first.status != again.status)
            fail_run(&again, "%llu events and then %llu, or others",
                     (unsigned long long)first.result.events,
                     (unsigned long long)again.result.events);
    }
}

/* ---- lives ---- */

/* One life of a job, in a process of its own. Returns its exit code: 0: done, 1: failed. If the
 * power may fail, it fails after the job, at the latest. */
static int live(struct run *run)
{
    int status;
    tell(run);
    pid_t child = fork();
    if (child == 0) {
        bool may_crash = run->setup.fault == SIM_CRASH;
        if (may_crash)
            disk_begin();
        simulate(run);
        int code = run->status == run->job->wanted ? 0 : 1;
        if (code != 0 && !run->result.has_struck)
            fprintf(stderr, "a life failed with %s\n", gs_job_error(asked)->text);
        if (may_crash && code == 0)
            disk_crash(code);
        _exit(code);
    }
    if (waitpid(child, &status, 0) != child || !WIFEXITED(status))
        fail_run(run, "a life crashed");
    return WEXITSTATUS(status);
}

/* A test that failed may have left its journal. */
static void forget_job(void)
{
    if (names_in("r") >= 0)
        assert_int_equal(system("rm -rf r"), 0);
}

static enum sim_fault draw_end(struct test_random *random)
{
    static const enum sim_fault ends[] = {SIM_KILL,          SIM_KILL,          SIM_READ_FAILS,
                                          SIM_WRITE_FAILS,   SIM_SPILL_IS_FULL, SIM_CANCEL,
                                          SIM_OUTPUT_IS_FULL};
    return ends[test_below(random, sizeof ends / sizeof ends[0])];
}

/* A few lives end before the job does; the last one ends it. */
static void live_and_live(uint64_t number)
{
    static struct simulated_job job;
    struct test_random random = test_random_make(2 + (number << 32));
    struct run run = {.job = &job};
    forget_job();
    job_make(&job, number, JOB_RESUMES);
    job_write_inputs(&job);
    put_bytes("out", OLD, strlen(OLD));
    uint64_t lives = 1 + test_below(&random, 4);
    bool was_killed = false;
    for (; run.number < lives; run.number++) {
        run.setup.fault = draw_end(&random);
        run.setup.at = test_below(&random, 1 + test_below(&random, 400));
        int code = live(&run);
        if (code == 0)
            break;
        was_killed |= code == SIM_KILLED; /* perhaps after it placed the output */
        if (!holds("out", OLD) && (!was_killed || !job_is_wanted(&job)))
            fail_run(&run, "the output is neither the older nor the new one");
    }
    run.setup.fault = SIM_NO_FAULT;
    simulate(&run);
    check_status(&run);
    if (names_in(".") != (int)job.files + 2) /* t and out; r is gone */
        fail_run(&run, "%d files and %d in r were left", names_in("."), names_in("r"));
}

static void test_simulation__several_lives__as_the_model(void **state)
{
    (void)state;
    uint64_t one = test_number("GS_TEST_JOB", UINT64_MAX);
    uint64_t jobs = test_number("GS_TEST_JOBS", test_is_small() ? 500 : 5000) / 10;
    for (uint64_t i = 0; i < (one == UINT64_MAX ? jobs : 1); i++)
        live_and_live(one == UINT64_MAX ? i : one);
}

/* ---- power failures ---- */

/* A temporary name that a crash may leave: it has the name of the output. */
static bool is_temporary(const char *name)
{
    return strncmp(name, ".out.gsort-", 11) == 0 || strncmp(name, ".in.gsort-", 10) == 0;
}

/* Removes the temporary names. Returns how many other names there are. */
static int tidy(void)
{
    int count = 0;
    DIR *directory = opendir(".");
    assert_non_null(directory);
    for (const struct dirent *entry; (entry = readdir(directory)) != NULL;)
        if (is_temporary(entry->d_name))
            unlink(entry->d_name);
        else
            count++;
    closedir(directory);
    return count - 2; /* . and .. */
}

/* The output is the older one or the new one, and new once the job is done. */
static void check_crashed(const struct run *run, int code)
{
    const struct simulated_job *job = run->job;
    const char *output = job_output(job, 0);
    bool is_old =
        job->is_in_place ? job_has_first_input(job) : output != NULL && holds(output, OLD);
    if (code != 0 && code != SIM_KILLED)
        fail_run(run, "it failed");
    if (output != NULL && !job_is_wanted(job) && (code == 0 || !is_old))
        fail_run(run, "the output is neither the older nor the new one, or not new");
    int names = tidy();
    if (names != (int)job->files + 3 + (names_in("r") >= 0)) /* t, g and out */
        fail_run(run, "%d files were left", names);
}

static void crash_job(uint64_t number)
{
    static struct simulated_job job;
    struct test_random random = test_random_make(3 + (number << 32));
    struct run run = {.job = &job};
    int code = SIM_KILLED;
    forget_job();
    job_make(&job, number, number % 2 == 0 ? JOB_RESUMES : JOB_AGAIN);
    job.has_reader = job.has_writer = false; /* they are of the process */
    job_write_inputs(&job);
    put_bytes("out", OLD, strlen(OLD));
    bool draws_early = test_below(&random, 3) == 0; /* while the journal begins */
    for (; run.number < 3 && code == SIM_KILLED; run.number++) {
        run.setup.fault = SIM_CRASH;
        run.setup.at = test_below(&random, 1 + test_below(&random, draws_early ? 30 : 1000));
        code = live(&run);
        check_crashed(&run, code);
        assert_int_equal(system("rm -f g/*"), 0);
        if (job.is_in_place)
            return;
    }
    run.setup.fault = SIM_NO_FAULT;
    simulate(&run);
    check_status(&run);
    if (tidy() != (int)job.files + 3)
        fail_run(&run, "files are left");
}

static void test_simulation__power_fails__older_or_new_output(void **state)
{
    (void)state;
    uint64_t one = test_number("GS_TEST_JOB", UINT64_MAX);
    uint64_t jobs = test_number("GS_TEST_JOBS", test_is_small() ? 500 : 5000) / 10;
    assert_int_equal(mkdir("g", 0700), 0);
    for (uint64_t i = 0; i < (one == UINT64_MAX ? jobs : 1); i++)
        crash_job(one == UINT64_MAX ? i : one);
    assert_int_equal(rmdir("g"), 0);
}

/* In a directory with a long name, so that the first entry of a journal has several sectors. */
static int set_up(void **state)
{
    char name[241];
    memset(name, 'n', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    asked = gs_job_create();
    if (asked == NULL || scratch_setup_in_memory(state) != 0)
        return -1;
    for (int depth = 0; depth < 3; depth++)
        if (mkdir(name, 0700) != 0 || chdir(name) != 0)
            return -1;
    return mkdir("t", 0700);
}

static int tear_down(void **state)
{
    gs_job_free(asked);
    return scratch_teardown(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_simulation__random_jobs_with_a_fault__right_or_failed),
        cmocka_unit_test(test_simulation__same_seed__same_events),
        cmocka_unit_test(test_simulation__several_lives__as_the_model),
        cmocka_unit_test(test_simulation__power_fails__older_or_new_output),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
