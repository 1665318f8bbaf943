/* test_merge_sorted.c: checks that a merge notices a file that is not sorted, at any place of the
 * disorder. The output of merges is tested by the model (model/run_model.py). Run:
 * build/dev/tests/test_merge_sorted */
#include "job/job_report.h"
#include "support/record_model.h"
#include "support/scratch.h"

#include "support/struct_jobs.h"

#define MOST_BYTES ((size_t)256 << 10)
#define MOST_FILES 3

static char paths[MOST_FILES][8];
static const char *inputs[MOST_FILES];
static uint8_t in[MOST_BYTES], want[MOST_BYTES];

static int name_files(void **state)
{
    for (int i = 0; i < MOST_FILES; i++) {
        snprintf(paths[i], sizeof paths[i], "in%d", i);
        inputs[i] = paths[i];
    }
    return scratch_setup(state);
}

static int remove_files(void **state)
{
    for (int i = 0; i < MOST_FILES; i++)
        unlink(paths[i]);
    return scratch_teardown_empty(state);
}

static struct gsi_options random_options(struct test_random *random, size_t count)
{
    static const enum gsi_io_choice engines[] = {GSI_IO_AUTO, GSI_IO_THREADS};
    static const uint64_t windows[] = {0, 4096, 8192, 65536};
    struct gsi_options options = {.inputs = inputs,
                                  .input_count = count,
                                  .output = "out",
                                  .merge = true,
                                  .device = GSI_DEVICE_CPU};
    options.io = engines[test_below(random, 2)];
    options.thread_count = 1 + (uint32_t)test_below(random, 3);
    options.window_bytes = windows[test_below(random, 4)];
    options.memory_bytes = (uint64_t)(test_below(random, 2) == 0 ? 16 : 64) << 20;
    if (test_below(random, 2) == 0)
        options.fan_in = 2 + (uint32_t)test_below(random, 8);
    options.compress = test_below(random, 3) == 0 ? GSI_COMPRESS_ZSTD : GSI_COMPRESS_NONE;
    return options;
}

static void set_record_options(struct gsi_options *options, const struct record_model *model)
{
    options->record_bytes = model->bytes;
    options->keys = model->texts;
    options->key_count = model->key_count;
    options->reverse = model->is_reversed;
    if (options->window_bytes > 0 && options->window_bytes < 4 * (uint64_t)model->bytes + 16384)
        options->window_bytes = 0;
}

/* The old output is not overwritten, and the message says where the disorder is. */
static void check_refused(const struct gsi_options *options, size_t file, size_t place)
{
    char text[64];
    struct gs_report report;
    struct gs_error error;
    put_bytes("out", "old", 3);
    enum gs_status status = gs_run(options, &report, &error);
    snprintf(text, sizeof text, "element %zu is less than its predecessor", place);
    if (status != GS_E_INPUT || strstr(error.text, paths[file]) == NULL ||
        strstr(error.text, text) == NULL)
        test_fail("disorder at element %zu: status %d, '%s'", place, status, error.text);
    assert_true(holds("out", "old"));
}

static void test_merge__disorder_anywhere__is_found(void **state)
{
    (void)state;
    const size_t n = 4000, piece = 512; /* elements of a piece of 4096 bytes */
    const size_t places[] = {1,         2,         piece - 1, piece,     piece + 1, 2 * piece - 1,
                             2 * piece, 3 * piece, n - piece, n / 2 + 7, n - 2,     n - 1};
    struct test_random random = test_random_make(3);
    uint64_t *numbers = (uint64_t *)(void *)in;
    for (size_t p = 0; p < sizeof places / sizeof places[0]; p++)
        for (size_t bad = 0; bad < 3; bad++) {
            for (size_t i = 0; i < n; i++)
                numbers[i] = (i + 1) * 1000;
            put_bytes(paths[0], in, n * 8);
            put_bytes(paths[1], in, n / 2 * 8);
            put_bytes(paths[2], in, n * 8);
            numbers[places[p]] = numbers[places[p] - 1] - 1 - test_below(&random, 999);
            put_bytes(paths[bad], in, n * 8);
            struct gsi_options options = random_options(&random, 3);
            options.window_bytes = 4096;
            options.fan_in = p % 2 == 0 ? 2 : 0;
            options.type = "u64";
            check_refused(&options, bad, places[p]);
        }
}

/* Tags are made from the bytes after those that first and last records share. A record that does
 * not share them is found by its neighbour or, if only the end is below it, by the end. */
static void test_merge__record_outside_the_scope__is_found(void **state)
{
    (void)state;
    const size_t n = 2000;
    struct test_random random = test_random_make(4);
    struct record_model model = {.bytes = 64, .key_count = 1};
    model.keys[0] = record_key_make(0, "b", 40, false, false);
    model.texts[0] = model.keys[0].text;
    for (size_t place = 1; place + 1 < n; place += 333)
        for (int above = 0; above < 2; above++) {
            record_fill(&random, RECORD_RANDOM, in, n, 64);
            for (size_t i = 0; i < n; i++)
                memset(in + i * 64, 'x', 30);
            record_model_sort(&model, in, want, n);
            put_bytes(paths[1], want, n * 64);
            for (size_t i = place; above && i + 1 < n; i++)
                want[i * 64] = 'y'; /* all but the last are above the last */
            want[place * 64] = above ? 'y' : 'w';
            put_bytes(paths[0], want, n * 64);
            struct gsi_options options = random_options(&random, 2);
            options.window_bytes = 65536;
            set_record_options(&options, &model);
            struct gs_report report;
            struct gs_error error;
            put_bytes("out", "old", 3);
            assert_int_equal(gs_run(&options, &report, &error), GS_E_INPUT);
            if (strstr(error.text, paths[0]) == NULL || strstr(error.text, "not sorted") == NULL)
                test_fail("place %zu: '%s'", place, error.text);
            assert_true(holds("out", "old"));
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_merge__disorder_anywhere__is_found),
        cmocka_unit_test(test_merge__record_outside_the_scope__is_found),
    };
    return cmocka_run_group_tests(tests, name_files, remove_files);
}
