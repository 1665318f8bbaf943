/* test_job_calls.c: compares random calls on a job, in any order, with a model. There are files and
 * readers as inputs, a file or a writer as the output, options, refused values, and resets and runs
 * in between.
 *
 *     build/dev/tests/test_job_calls                       2000 runs, in some 15,000 calls
 *     GS_TEST_JOBS=100000 build/dev/tests/test_job_calls   as many runs */
#include "support/scratch.h"

#include <gsort.h>

#define FILES       5u
#define MOST_INPUTS 40u
#define MOST        (MOST_INPUTS * 8)

/* A reader gives `count` times `value`. */
struct source {
    uint32_t value, count, left;
};

enum output { NOWHERE, TO_FILE, TO_WRITER };

/* The inputs, output and options of the job. */
struct model {
    struct input {
        bool is_reader;
        uint32_t file;
        struct source source;
    } inputs[MOST_INPUTS];
    size_t count;
    enum output output;
    bool is_reversed, is_unique, has_failed;
};

static const char *const files[FILES] = {"in", "in1", "in2", "in3", "in4"};
static struct model model;
static struct source sources[MOST_INPUTS]; /* borrowed by the job */
static uint32_t got[MOST], want[MOST];
static size_t got_bytes;
static uint64_t runs;

static uint32_t value_of(uint32_t file, uint32_t i)
{
    return (7 * file + 3 * i) % 11;
}

static int64_t give(void *context, void *data, size_t bytes, struct gs_error *error)
{
    struct source *source = context;
    (void)error;
    size_t n =
        bytes / sizeof source->value < source->left ? bytes / sizeof source->value : source->left;
    for (size_t i = 0; i < n; i++)
        memcpy((uint8_t *)data + i * sizeof source->value, &source->value, sizeof source->value);
    source->left -= (uint32_t)n;
    return (int64_t)(n * sizeof source->value);
}

static bool take(void *context, const void *data, size_t bytes, struct gs_error *error)
{
    (void)context;
    (void)error;
    assert_true(bytes <= sizeof got - got_bytes);
    memcpy((uint8_t *)got + got_bytes, data, bytes);
    got_bytes += bytes;
    return true;
}

/* ---- calls ---- */

static void expect(const gs_job *job, enum gs_status status, enum gs_status wanted)
{
    if (status != wanted)
        test_fail("status %d, not %d: %s", status, wanted, gs_job_error(job)->text);
    assert_int_equal(gs_job_error(job)->status, status);
}

static void give_first(gs_job *job)
{
    model = (struct model){0};
    expect(job, gs_job_set(job, "type", "u32"), GS_OK);
    expect(job, gs_job_set(job, "device", "cpu"), GS_OK);
}

static void give_input(gs_job *job, struct test_random *random)
{
    const uint32_t file = (uint32_t)test_below(random, FILES);
    const uint64_t how = test_below(random, 8);
    if (how == 0) {
        expect(job, gs_job_set(job, "input", NULL), GS_OK);
        model.count = 0;
        return;
    }
    if (how == 1)
        model.count = 0;
    if (model.count == MOST_INPUTS)
        return;
    struct input *input = &model.inputs[model.count];
    *input = (struct input){.file = file};
    if (how == 1) {
        expect(job, gs_job_set(job, "input", files[file]), GS_OK);
    } else if (how < 6) {
        expect(job, gs_job_add(job, "input", files[file]), GS_OK);
    } else {
        input->is_reader = true;
        input->source.value = (uint32_t)test_below(random, 11);
        input->source.count = (uint32_t)test_below(random, 5);
        const struct gs_reader reader = {.read = give, .context = &sources[model.count]};
        expect(job, gs_job_add_reader(job, files[file], &reader), GS_OK);
    }
    model.count++;
}

static void give_output(gs_job *job, struct test_random *random)
{
    model.output = (enum output)test_below(random, 3);
    if (model.output == TO_WRITER)
        expect(job, gs_job_set_writer(job, "taken", &(struct gs_writer){.write = take}), GS_OK);
    else
        expect(job, gs_job_set(job, "output", model.output == TO_FILE ? "out" : NULL), GS_OK);
}

static void give_flag(gs_job *job, struct test_random *random, const char *name, bool *flag)
{
    static const char *const values[] = {NULL, "false", "true"};
    const uint64_t how = test_below(random, 3);
    expect(job, gs_job_set(job, name, values[how]), GS_OK);
    *flag = how == 2;
}

static void give_wrong(gs_job *job, struct test_random *random)
{
    static const char *const calls[][2] = {{"no-such-option", "1"},
                                           {"memory", "much"},
                                           {"reverse", "perhaps"},
                                           {"parallel", "-1"},
                                           {"help", "true"}};
    const uint64_t which = test_below(random, 6);
    if (which < 5)
        expect(job, gs_job_set(job, calls[which][0], calls[which][1]), GS_E_USAGE);
    else
        expect(job, gs_job_add(job, "memory", "1G"), GS_E_USAGE); /* not a list */
    model.has_failed = true;
}

/* ---- runs ---- */

static int ascending(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static size_t wanted(void)
{
    size_t n = 0, kept = 0;
    for (size_t i = 0; i < model.count; i++) {
        const struct input *input = &model.inputs[i];
        uint32_t count = input->is_reader ? input->source.count : input->file + 1;
        for (uint32_t k = 0; k < count; k++)
            want[n++] = input->is_reader ? input->source.value : value_of(input->file, k);
    }
    qsort(want, n, sizeof want[0], ascending);
    for (size_t i = 0; i < n; i++)
        if (!model.is_unique || kept == 0 || want[kept - 1] != want[i])
            want[kept++] = want[i];
    for (size_t i = 0; model.is_reversed && i < kept / 2; i++) {
        uint32_t other = want[i];
        want[i] = want[kept - 1 - i];
        want[kept - 1 - i] = other;
    }
    return kept;
}

static void run(gs_job *job)
{
    const bool is_able = !model.has_failed;
    for (size_t i = 0; i < model.count; i++) {
        sources[i] = model.inputs[i].source;
        sources[i].left = sources[i].count;
    }
    got_bytes = 0;
    if (model.output == NOWHERE) { /* it would go to the standard output */
        const bool is_counted = is_able && !model.is_reversed && !model.is_unique;
        expect(job, gs_job_run(job, GS_STATS), is_counted ? GS_OK : GS_E_USAGE);
        uint64_t count = 0;
        if (is_counted)
            assert_int_equal(gs_report_u64(gs_job_report(job), "tally.count", &count), GS_FOUND);
        assert_int_equal(count, is_counted ? wanted() : 0);
        return;
    }
    expect(job, gs_job_run(job, GS_SORT), is_able ? GS_OK : GS_E_USAGE);
    if (!is_able)
        return;
    if (model.output == TO_FILE)
        got_bytes = get_bytes("out", got, sizeof got);
    size_t n = wanted();
    if (got_bytes != n * sizeof want[0] || memcmp(got, want, got_bytes) != 0)
        test_fail("%zu bytes and not %zu, or others", got_bytes, n * sizeof want[0]);
}

static gs_job *one_call(gs_job *job, struct test_random *random)
{
    const uint64_t call = test_below(random, 30);
    if (call < 18) {
        give_input(job, random);
    } else if (call < 21) {
        give_output(job, random);
    } else if (call < 24) {
        give_flag(job, random, "reverse", &model.is_reversed);
    } else if (call < 25) {
        give_flag(job, random, "unique", &model.is_unique);
    } else if (call < 29) {
        if (model.count > 0) { /* else it would read the standard input */
            run(job);
            runs++;
        }
    } else if (test_below(random, 2) == 0) {
        give_wrong(job, random);
    } else {
        if (test_below(random, 2) == 0) {
            gs_job_reset(job);
        } else {
            gs_job_free(job);
            job = gs_job_create();
            assert_non_null(job);
        }
        give_first(job);
    }
    return job;
}

static void test_job__random_calls__as_the_model(void **state)
{
    (void)state;
    const uint64_t wanted_runs = test_number("GS_TEST_JOBS", test_is_small() ? 300 : 2000);
    struct test_random random = test_random_make(71);
    for (uint32_t file = 0; file < FILES; file++) {
        uint32_t numbers[FILES];
        for (uint32_t i = 0; i <= file; i++)
            numbers[i] = value_of(file, i);
        put_bytes(files[file], numbers, (file + 1) * sizeof numbers[0]);
    }
    gs_job *job = gs_job_create();
    assert_non_null(job);
    give_first(job);
    while (runs < wanted_runs)
        job = one_call(job, &random);
    gs_job_free(job);
}

static int remove_files(void **state)
{
    for (uint32_t file = 1; file < FILES; file++)
        unlink(files[file]);
    return scratch_teardown_empty(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_job__random_calls__as_the_model),
    };
    return cmocka_run_group_tests(tests, scratch_setup_in_memory, remove_files);
}
