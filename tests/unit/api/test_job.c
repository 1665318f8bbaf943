/* test_job.c: gs_job: what is set, checked, kept and forgotten, and what a run makes of it. */
#include "support/scratch.h"

#include "job/job_report.h"

#include <math.h>
#include <string.h>

static void put_numbers(void)
{
    static const double numbers[] = {3, -1, 2, 3};
    put_bytes("in", numbers, sizeof numbers);
}

static gs_job *new_job(void)
{
    gs_job *job = gs_job_create();
    assert_non_null(job);
    put_numbers();
    assert_int_equal(gs_job_add(job, "input", "in"), GS_OK);
    assert_int_equal(gs_job_set(job, "type", "f64"), GS_OK);
    return job;
}

static void assert_said(const gs_job *job, const char *part)
{
    if (strstr(gs_job_error(job)->text, part) == NULL)
        fail_msg("'%s' is not in: %s", part, gs_job_error(job)->text);
}

static void assert_written(const char *name, const double *numbers, size_t count)
{
    double got[8];
    FILE *file = fopen(name, "rb");
    assert_non_null(file);
    assert_int_equal(fread(got, sizeof *got, 8, file), count);
    assert_memory_equal(got, numbers, count * sizeof *got);
    fclose(file);
}

static void test_job__set__checks_name_kind_and_bounds(void **state)
{
    (void)state;
    static const struct {
        const char *name, *value, *said; /* said: the expected error; NULL: the value is accepted */
    } rows[] = {
        {"memory", "2G", NULL},
        {"memory", "25%", NULL},
        {"memory", "0", "--memory: '0'"},
        {"memory", "16E", "--memory: '16E'"},
        {"header", "1M", NULL},
        {"header", "-1", "--header: '-1'"},
        {"record", "65536", NULL},
        {"record", "65537", "from 1 to 65536"},
        {"record", "0", "from 1 to 65536"},
        {"record", "18446744073709551617", "from 1 to 65536"},
        {"reverse", "true", NULL},
        {"reverse", "false", NULL},
        {"reverse", "yes", "neither true nor false"},
        {"merge", "true", NULL},
        {"merge", "anti", NULL},
        {"merge", "outer", "one of: all union"},
        {"zstd", "true", NULL},
        {"zstd", "20", "from 1 to 19"},
        {"compress", "zstd:3", NULL},
        {"compress", "zstd:0", "from 1 to 19"},
        {"compress", "zstd3", "one of: auto none deltas zstd"},
        {"compress", "none:1", "one of"},
        {"device", "cuda:0,2", NULL},
        {"device", "cuda:0,64", "from 0 to 63"},
        {"device", "gpu", "one of: auto cpu cuda"},
        {"top", "0", NULL},
        {"top", "10K", NULL},
        {"top", "18446744073709551616", "is not a count"},
        {"range", "5:", NULL},
        {"range", "5", "FIRST:COUNT"},
        {"part", "2/3", NULL},
        {"part", "4/3", "I/N"},
        {"verify", "read", NULL},
        {"spill", "sometimes", "one of: auto always"},
        {"key", "8:u32", NULL},
        {"output", "out", NULL},
        {"stats", "json", "only the program gsort has"},
        {"help", "true", "only the program gsort has"},
        {"memroy", "2G", "libgsort 1."},
        {"", "1", "no such option"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        gs_job *job = gs_job_create();
        enum gs_status status = gs_job_set(job, rows[i].name, rows[i].value);
        if (status != (rows[i].said == NULL ? GS_OK : GS_E_USAGE))
            fail_msg("%s=%s: %d: %s", rows[i].name, rows[i].value, status, gs_job_error(job)->text);
        if (rows[i].said != NULL)
            assert_said(job, rows[i].said);
        gs_job_free(job);
    }
}

static void test_job__no_list__is_not_added_to(void **state)
{
    (void)state;
    gs_job *job = gs_job_create();
    assert_int_equal(gs_job_add(job, "memory", "1G"), GS_E_USAGE);
    assert_said(job, "--memory: is not a list");
    gs_job_free(job);
}

static void test_job__set_that_failed__is_kept_until_reset(void **state)
{
    (void)state;
    gs_job *job = new_job();
    assert_int_equal(gs_job_set(job, "output", "out"), GS_OK);
    assert_int_equal(gs_job_set(job, "memory", "much"), GS_E_USAGE);
    assert_int_equal(gs_job_set(job, "top", "many"), GS_E_USAGE);
    assert_int_equal(gs_job_set(job, "memory", "64M"), GS_OK);
    assert_int_equal(gs_job_error(job)->status, GS_OK);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(gs_job_run(job, GS_SORT), GS_E_USAGE);
        assert_said(job, "--memory: 'much'");
    }
    assert_int_not_equal(access("out", F_OK), 0);
    gs_job_reset(job);
    assert_int_equal(gs_job_add(job, "input", "in"), GS_OK);
    assert_int_equal(gs_job_set(job, "type", "f64"), GS_OK);
    assert_int_equal(gs_job_run(job, GS_STATS), GS_OK);
    assert_int_equal(gs_job_error(job)->text[0], '\0');
    gs_job_free(job);
}

static void count_note(void *context, const char *text)
{
    ++*(int *)context;
    assert_non_null(strstr(text, "u64"));
}

static void count_progress(void *context, const struct gs_progress *progress)
{
    assert_true(progress->phase_ns <= progress->elapsed_ns);
    ++*(int *)context;
}

static int64_t read_nothing(void *context, void *data, size_t bytes, struct gs_error *error)
{
    (void)context, (void)data, (void)bytes, (void)error;
    return 0;
}

/* The job waits for the first bytes of a stream before its first phase begins. */
static void test_job__progress__of_a_stream(void **state)
{
    (void)state;
    int calls = 0;
    const struct gs_reader reader = {.read = read_nothing};
    gs_job *job = gs_job_create();
    assert_int_equal(gs_job_add_reader(job, "x.u64", &reader), GS_OK);
    assert_int_equal(gs_job_set_progress(job, count_progress, &calls), GS_OK);
    assert_int_equal(gs_job_run(job, GS_STATS), GS_OK);
    assert_true(calls > 0);
    gs_job_free(job);
}

static void test_job__reset__forgets_the_callbacks(void **state)
{
    (void)state;
    int calls = 0, notes = 0;
    gs_job *job = new_job();
    assert_int_equal(gs_job_set_progress(job, count_progress, &calls), GS_OK);
    assert_int_equal(gs_job_set_note(job, count_note, &notes), GS_OK);
    assert_int_equal(gs_job_set(job, "type", NULL), GS_OK);
    assert_int_equal(gs_job_run(job, GS_STATS), GS_OK);
    assert_true(calls > 0 && notes > 0);
    gs_job_reset(job);
    calls = notes = 0;
    assert_int_equal(gs_job_add(job, "input", "in"), GS_OK);
    assert_int_equal(gs_job_run(job, GS_STATS), GS_OK);
    assert_int_equal(calls + notes, 0);
    gs_job_free(job);
}

static void test_job__run_again__keeps_what_was_given(void **state)
{
    (void)state;
    gs_job *job = new_job();
    assert_int_equal(gs_job_set(job, "output", "out"), GS_OK);
    assert_int_equal(gs_job_set_u64(job, "top", 2), GS_OK);
    assert_int_equal(gs_job_set_u64(job, "reverse", 1), GS_OK);
    assert_int_equal(gs_job_run(job, GS_SORT), GS_OK);
    assert_written("out", (const double[]){3, 3}, 2);
    assert_int_equal(gs_job_set_u64(job, "reverse", 0), GS_OK);
    assert_int_equal(gs_job_set(job, "unique", "true"), GS_OK);
    assert_int_equal(gs_job_run(job, GS_SORT), GS_OK);
    assert_written("out", (const double[]){-1, 2}, 2);
    assert_int_equal(gs_job_set(job, "top", NULL), GS_OK);
    assert_int_equal(gs_job_run(job, GS_SORT), GS_OK);
    assert_written("out", (const double[]){-1, 2, 3}, 3);
    assert_int_equal(gs_job_set_u64(job, "top", 0), GS_OK);
    assert_int_equal(gs_job_run(job, GS_SORT), GS_OK);
    assert_written("out", NULL, 0);
    gs_job_free(job);
}

static void test_job__list__grows_and_is_replaced(void **state)
{
    (void)state;
    gs_job *job = new_job();
    for (int i = 0; i < 9; i++)
        assert_int_equal(gs_job_add(job, "input", "in"), GS_OK);
    assert_int_equal(gs_job_run(job, GS_STATS), GS_OK);
    assert_int_equal(gs_job_report(job)->tally.count, 40);
    assert_int_equal(gs_job_add(job, "where", ">0"), GS_OK);
    assert_int_equal(gs_job_add(job, "where", "<3"), GS_OK);
    assert_int_equal(gs_job_run(job, GS_STATS), GS_OK);
    assert_int_equal(gs_job_report(job)->tally.count, 10);
    assert_int_equal(gs_job_set(job, "where", "<0"), GS_OK);
    assert_int_equal(gs_job_set(job, "input", "in"), GS_OK);
    assert_int_equal(gs_job_run(job, GS_STATS), GS_OK);
    assert_int_equal(gs_job_report(job)->tally.count, 1);
    assert_int_equal(gs_job_set(job, "where", NULL), GS_OK);
    assert_int_equal(gs_job_run(job, GS_STATS), GS_OK);
    assert_int_equal(gs_job_report(job)->tally.count, 4);
    gs_job_free(job);
}

static void test_job__check_all__counts_behind_disorder(void **state)
{
    (void)state;
    gs_job *job = new_job();
    assert_int_equal(gs_job_run(job, GS_CHECK), GS_E_DISORDER);
    assert_false(gs_job_report(job)->check.has_duplicate_count);
    assert_int_equal(gs_job_run(job, GS_CHECK_ALL), GS_E_DISORDER);
    assert_int_equal(gs_job_report(job)->tally.count, 4);
    assert_true(gs_job_report(job)->check.has_duplicate_count);
    gs_job_free(job);
}

static void test_job__report__can_be_taken(void **state)
{
    (void)state;
    gs_job *job = new_job();
    assert_null(gs_job_report(job));
    assert_int_equal(gs_job_run(job, GS_STATS), GS_OK);
    gs_report *report = gs_job_take_report(job);
    assert_non_null(report);
    assert_null(gs_job_report(job));
    assert_int_equal(gs_job_set(job, "where", ">2"), GS_OK);
    assert_int_equal(gs_job_run(job, GS_STATS), GS_OK);
    assert_int_equal(gs_job_report(job)->tally.count, 2);
    gs_job_free(job);
    assert_int_equal(report->tally.count, 4);
    gs_report_free(report);
}

/* ---- callbacks ---- */

struct stream {
    gs_job *job;
    uint64_t left, written; /* bytes */
    enum gs_status refused;
    bool is_said;
};

/* Zeros. */
static int64_t give(void *context, void *data, size_t bytes, struct gs_error *error)
{
    struct stream *stream = context;
    (void)error;
    bytes = bytes < stream->left ? bytes : stream->left;
    stream->left -= bytes;
    stream->refused = gs_job_set(stream->job, "reverse", "true");
    stream->is_said = strstr(gs_job_error(stream->job)->text, "the job is running") != NULL;
    memset(data, 0, bytes);
    return (int64_t)bytes;
}

static bool take(void *context, const void *data, size_t bytes, struct gs_error *error)
{
    (void)data;
    (void)error;
    ((struct stream *)context)->written += bytes;
    return true;
}

static void test_job__callbacks__take_the_places_of_files(void **state)
{
    (void)state;
    gs_job *job = new_job();
    struct stream stream = {.job = job, .left = 100 * sizeof(double)};
    assert_int_equal(
        gs_job_add_reader(job, "numbers", &(struct gs_reader){.read = give, .context = &stream}),
        GS_OK);
    assert_int_equal(gs_job_add(job, "input", "in"), GS_OK);
    assert_int_equal(
        gs_job_set_writer(job, "taken", &(struct gs_writer){.write = take, .context = &stream}),
        GS_OK);
    if (gs_job_run(job, GS_SORT) != GS_OK)
        fail_msg("%s", gs_job_error(job)->text);
    assert_int_equal(stream.written, 108 * sizeof(double));
    assert_int_equal(stream.refused, GS_E_USAGE);
    assert_true(stream.is_said);
    assert_int_not_equal(access("taken", F_OK), 0);
    assert_int_equal(gs_job_set(job, "input", "in"), GS_OK);
    assert_int_equal(gs_job_add(job, "input", "in"), GS_OK); /* where the reader was */
    assert_int_equal(gs_job_set(job, "output", "out"), GS_OK);
    assert_int_equal(gs_job_run(job, GS_SORT), GS_OK);
    assert_written("out", (const double[]){-1, -1, 2, 2, 3, 3, 3, 3}, 8);
    gs_job_free(job);
}

/* Files after a reader, more than there was room for. */
static void test_job__files_after_a_reader__are_files(void **state)
{
    (void)state;
    gs_job *job = new_job();
    struct stream stream = {.job = job, .left = 6 * sizeof(double)};
    assert_int_equal(
        gs_job_add_reader(job, "numbers", &(struct gs_reader){.read = give, .context = &stream}),
        GS_OK);
    for (int i = 0; i < 1000; i++)
        assert_int_equal(gs_job_add(job, "input", "in"), GS_OK);
    if (gs_job_run(job, GS_STATS) != GS_OK)
        fail_msg("%s", gs_job_error(job)->text);
    uint64_t count = 0;
    assert_int_equal(gs_report_u64(gs_job_report(job), "tally.count", &count), GS_FOUND);
    assert_int_equal(count, 6 + 4 * 1001);
    gs_job_free(job);
}

/* After its inputs are reset, a job reads what a job without inputs reads. */
static void test_job__reader_that_is_forgotten__is_no_input(void **state)
{
    (void)state;
    double numbers[] = {3, -1, 2};
    gs_job *job = new_job();
    struct stream stream = {.job = job, .left = 8};
    const struct gs_reader reader = {.read = give, .context = &stream};
    assert_int_equal(gs_job_add_reader(job, "numbers", &reader), GS_OK);
    assert_int_equal(gs_job_set(job, "input", NULL), GS_OK);
    if (gs_job_sort_array(job, numbers, sizeof numbers) != GS_OK)
        fail_msg("%s", gs_job_error(job)->text);
    assert_memory_equal(numbers, ((const double[]){-1, 2, 3}), sizeof numbers);
    assert_int_equal(gs_job_add_reader(job, "numbers", &reader), GS_OK);
    assert_int_equal(gs_job_run(job, GS_STATS), GS_OK);
    assert_int_equal(gs_job_report(job)->tally.count, 1);
    gs_job_free(job);
}

/* A reader returns its promised bytes once, so no sample is read, and nothing is read again. */
static void test_job__reader_that_promises__is_read_once(void **state)
{
    (void)state;
    const uint64_t bytes = UINT64_C(40) << 20;
    gs_job *job = new_job();
    struct stream stream = {.job = job, .left = bytes};
    const struct gs_reader reader = {.read = give, .context = &stream, .bytes = bytes};
    assert_int_equal(gs_job_add_reader(job, "numbers", &reader), GS_OK);
    assert_int_equal(gs_job_set(job, "quantiles", "0.5"), GS_OK);
    if (gs_job_run(job, GS_STATS) != GS_OK)
        fail_msg("%s", gs_job_error(job)->text);
    assert_int_equal(gs_job_report(job)->tally.count, bytes / sizeof(double) + 4);
    assert_string_equal(gs_job_report(job)->order_statistics.quantiles[0].text, "0.5");
    gs_job_free(job);
}

static void test_job__note_and_cancel__are_the_callers(void **state)
{
    (void)state;
    int notes = 0;
    gs_job *job = new_job();
    gs_cancel *cancel = gs_cancel_create();
    assert_non_null(cancel);
    assert_int_equal(gs_job_set(job, "type", NULL), GS_OK);
    assert_int_equal(gs_job_set_note(job, count_note, &notes), GS_OK);
    assert_int_equal(gs_job_run(job, GS_STATS), GS_OK);
    assert_int_equal(notes, 1);
    gs_cancel_now(cancel);
    assert_int_equal(gs_job_set_cancel(job, cancel), GS_OK);
    assert_int_equal(gs_job_run(job, GS_STATS), GS_E_CANCELED);
    assert_int_equal(gs_job_set_cancel(job, NULL), GS_OK);
    assert_int_equal(gs_job_run(job, GS_STATS), GS_OK);
    gs_cancel_free(cancel);
    gs_job_free(job);
}

/* A job's options apply to arrays in each of several calls. */
static void test_job__arrays__are_sorted_counted_and_checked(void **state)
{
    (void)state;
    double numbers[] = {3, -1, 2};
    uint64_t positions[3], count = 0;
    gs_job *job = gs_job_create();
    gs_job_set(job, "type", "f64");
    uint64_t *const nowhere[] = {NULL, (uint64_t *)(void *)numbers,
                                 (uint64_t *)(void *)&numbers[1]};
    double room[6] = {0, 0, 3, -1, 2, 0}; /* positions that begin before the array */
    assert_int_equal(gs_job_argsort_array(job, room + 2, sizeof numbers, (uint64_t *)(void *)room),
                     GS_E_USAGE);
    assert_memory_equal(room + 2, numbers, sizeof numbers);
    for (size_t i = 0; i < sizeof nowhere / sizeof nowhere[0]; i++) {
        double before[sizeof numbers / sizeof numbers[0]];
        memcpy(before, numbers, sizeof numbers);
        assert_int_equal(gs_job_argsort_array(job, numbers, sizeof numbers, nowhere[i]),
                         GS_E_USAGE);
        assert_non_null(strstr(gs_job_error(job)->text, "the positions: the"));
        assert_memory_equal(numbers, before, sizeof numbers);
    }
    assert_int_equal(gs_job_argsort_array(job, numbers, sizeof numbers, positions), GS_OK);
    assert_memory_equal(positions, ((const uint64_t[]){1, 2, 0}), sizeof positions);
    gs_job_set(job, "reverse", "true");
    assert_int_equal(gs_job_check_array(job, numbers, sizeof numbers), GS_E_DISORDER);
    assert_said(job, "array: element 2 is out of order: 2 after -1");
    assert_int_equal(gs_job_sort_array(job, numbers, sizeof numbers), GS_OK);
    assert_memory_equal(numbers, ((const double[]){3, 2, -1}), sizeof numbers);
    assert_int_equal(gs_job_check_array(job, numbers, sizeof numbers), GS_OK);
    gs_job_set(job, "reverse", "false");
    assert_int_equal(gs_job_stats_array(job, numbers, sizeof numbers), GS_OK);
    assert_int_equal(gs_report_u64(gs_job_report(job), "tally.count", &count), GS_FOUND);
    assert_int_equal(count, 3);
    gs_job_set(job, "memory", "much");
    assert_int_equal(gs_job_sort_array(job, numbers, sizeof numbers), GS_E_USAGE);
    assert_said(job, "'much'");
    assert_true(numbers[0] == 3);
    gs_job_free(job);
}

static void test_job__sorter__has_what_it_was_told_at_first(void **state)
{
    (void)state;
    struct gs_error error;
    gs_job *job = gs_job_create();
    gs_job_set(job, "type", "u64");
    gs_job_set(job, "top", "2");
    gs_sorter *sorter = gs_sorter_open(job, &error);
    assert_int_equal(error.status, GS_OK);
    gs_job_set(job, "memory", "much");
    assert_null(gs_sorter_open(job, &error));
    assert_int_equal(error.status, GS_E_USAGE);
    assert_non_null(strstr(error.text, "'much'"));
    gs_job_free(job);
    assert_int_equal(gs_sorter_push(sorter, (const uint64_t[]){3, 1, 2}, 24, NULL), GS_OK);
    assert_int_equal(gs_sorter_finish(sorter, NULL), GS_OK);
    assert_null(gs_sorter_report(sorter, &error));
    assert_int_equal(error.status, GS_E_USAGE);
    uint64_t got[3] = {0}, bytes, count = 0;
    const void *data;
    size_t off = 0;
    while (gs_sorter_pull(sorter, &data, &bytes, NULL) == GS_OK && bytes > 0) {
        memcpy((char *)got + off, data, bytes);
        off += bytes;
    }
    assert_memory_equal(got, ((const uint64_t[]){1, 2, 0}), sizeof got);
    gs_report *report = gs_sorter_report(sorter, &error);
    assert_int_equal(gs_report_u64(report, "tally.count", &count), GS_FOUND);
    assert_int_equal(count, 3);
    gs_report_free(report);
    gs_sorter_close(sorter);
}

static void count_nan_note(void *context, const char *text)
{
    *(int *)context += strstr(text, "starts with nan") != NULL;
}

static void test_job__sorter__says_what_a_job_says(void **state)
{
    (void)state;
    struct gs_error error;
    gs_job *job = gs_job_create();
    gs_job_set(job, "type", "f64");
    gs_job_set(job, "top", "1");
    gs_job_set(job, "reverse", "true");
    int notes = 0;
    gs_job_set_note(job, count_nan_note, &notes);
    gs_sorter *sorter = gs_sorter_open(job, &error);
    gs_job_free(job);
    const void *data;
    uint64_t bytes = 1;
    assert_int_equal(gs_sorter_push(sorter, (const double[]){3, NAN, 1}, 24, &error), GS_OK);
    assert_int_equal(gs_sorter_finish(sorter, &error), GS_OK);
    while (bytes > 0)
        assert_int_equal(gs_sorter_pull(sorter, &data, &bytes, &error), GS_OK);
    gs_report *report = gs_sorter_report(sorter, &error);
    assert_int_equal(report->notes.count, 1);
    assert_int_equal(notes, 1);
    assert_non_null(strstr(report->notes.texts[0], "starts with nan"));
    gs_report_free(report);
    gs_sorter_close(sorter);
}

static void test_job__no_job__is_no_memory(void **state)
{
    struct gs_error error;
    assert_null(gs_sorter_open(NULL, &error));
    assert_int_equal(error.status, GS_E_MEMORY);
    assert_int_equal(gs_job_sort_array(NULL, &error, 0), GS_E_MEMORY);
    (void)state;
    assert_int_equal(gs_job_set(NULL, "type", "f64"), GS_E_MEMORY);
    assert_int_equal(gs_job_set_u64(NULL, "top", 1), GS_E_MEMORY);
    assert_int_equal(gs_job_add(NULL, "input", "in"), GS_E_MEMORY);
    assert_int_equal(gs_job_run(NULL, GS_SORT), GS_E_MEMORY);
    assert_int_equal(gs_job_error(NULL)->status, GS_E_MEMORY);
    assert_null(gs_job_report(NULL));
    assert_null(gs_job_take_report(NULL));
    gs_job_reset(NULL);
    gs_job_free(NULL);
}

/* ---- the table ---- */

static void test_option__names__are_found_once(void **state)
{
    (void)state;
    size_t count = 0;
    for (const struct gs_option *option; (option = gs_option_at(count)) != NULL; count++) {
        assert_ptr_equal(gs_option_find(option->name), option);
        assert_non_null(option->help);
        assert_non_null(option->group);
        assert_true((option->argument == NULL) <= (option->alone != NULL));
    }
    assert_true(count > 50);
    assert_null(gs_option_find("memroy"));
    assert_null(gs_option_find(""));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_job__set__checks_name_kind_and_bounds),
        cmocka_unit_test(test_job__no_list__is_not_added_to),
        cmocka_unit_test(test_job__set_that_failed__is_kept_until_reset),
        cmocka_unit_test(test_job__progress__of_a_stream),
        cmocka_unit_test(test_job__reset__forgets_the_callbacks),
        cmocka_unit_test(test_job__run_again__keeps_what_was_given),
        cmocka_unit_test(test_job__list__grows_and_is_replaced),
        cmocka_unit_test(test_job__check_all__counts_behind_disorder),
        cmocka_unit_test(test_job__report__can_be_taken),
        cmocka_unit_test(test_job__callbacks__take_the_places_of_files),
        cmocka_unit_test(test_job__files_after_a_reader__are_files),
        cmocka_unit_test(test_job__reader_that_is_forgotten__is_no_input),
        cmocka_unit_test(test_job__reader_that_promises__is_read_once),
        cmocka_unit_test(test_job__note_and_cancel__are_the_callers),
        cmocka_unit_test(test_job__arrays__are_sorted_counted_and_checked),
        cmocka_unit_test(test_job__sorter__has_what_it_was_told_at_first),
        cmocka_unit_test(test_job__sorter__says_what_a_job_says),
        cmocka_unit_test(test_job__no_job__is_no_memory),
        cmocka_unit_test(test_option__names__are_found_once),
    };
    return cmocka_run_group_tests_name("job", tests, scratch_setup, scratch_teardown);
}
