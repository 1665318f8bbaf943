/* test_merge_sorted.c: merges of files that are sorted already against the model: numbers and
 * records, however the files overlap, with little memory, many files and headers; and a file that
 * is not sorted is found wherever it is not. Run: build/dev/tests/test_merge_sorted */
#include "base/report.h"
#include "support/record_model.h"
#include "support/scratch.h"

#include "support/struct_jobs.h"

#define MOST_BYTES ((size_t)4 << 20)
#define MOST_FILES 300

static char paths[MOST_FILES][8];
static const char *inputs[MOST_FILES];
static uint8_t in[MOST_BYTES], want[MOST_BYTES], got[MOST_BYTES + 16384];

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

static void write_file(const char *path, size_t header, const uint8_t *data, size_t bytes)
{
    static uint8_t file[sizeof got];
    for (size_t i = 0; i < header; i++)
        file[i] = (uint8_t)(i * 31 % 251);
    if (bytes > 0)
        memcpy(file + header, data, bytes);
    put_bytes(path, file, header + bytes);
}

/* Of data, in several windows still: most of the time goes into sorts by the model. */
static size_t most_bytes(void)
{
    return test_is_small() ? MOST_BYTES / 4 : MOST_BYTES;
}

/* ---- files ---- */

/* How the files lie to each other. */
enum overlap {
    INTERLEAVED, /* every element anywhere */
    CONSECUTIVE, /* one file's elements behind the other's */
    ONE_LARGE,   /* one holds nearly all */
    IDENTICAL,
    OVERLAP_COUNT
};

/* ends[i]: where file i's elements end among `n`; some files are empty. */
static void cut(struct test_random *random, enum overlap overlap, size_t n, size_t *ends,
                size_t count)
{
    size_t large = test_below(random, count), end = 0;
    for (size_t i = 0; i < count; i++) {
        size_t part = n / count;
        if (overlap == ONE_LARGE)
            part = i == large ? n - 5 * count : test_below(random, 5);
        else if (overlap != IDENTICAL)
            part = test_below(random, 2 * part + 1);
        end += part < n - end ? part : n - end;
        ends[i] = i + 1 == count && overlap != IDENTICAL ? n : end;
    }
}

static struct gsi_options random_options(struct test_random *random, size_t count)
{
    static const enum gsi_io_choice engines[] = {GSI_IO_AUTO, GSI_IO_THREADS};
    static const uint64_t windows[] = {0, 4096, 8192, 65536};
    static const uint64_t headers[] = {0, 0, 8, 16, 128, 13, 4096, 5000};
    struct gsi_options options = {.inputs = inputs,
                                  .input_count = count,
                                  .output = "out",
                                  .merge = true,
                                  .device = GSI_DEVICE_CPU};
    options.io = engines[test_below(random, 2)];
    options.thread_count = 1 + (uint32_t)test_below(random, 3);
    options.window_bytes = windows[test_below(random, 4)];
    options.header_bytes = headers[test_below(random, 8)];
    options.memory_bytes = (uint64_t)(test_below(random, 2) == 0 ? 16 : 64) << 20;
    if (test_below(random, 2) == 0)
        options.fan_in = 2 + (uint32_t)test_below(random, 8);
    options.compress = test_below(random, 3) == 0 ? GSI_COMPRESS_ZSTD : GSI_COMPRESS_NONE;
    return options;
}

static struct gs_report check_merge(const struct gsi_options *options, size_t bytes, int round)
{
    struct gs_report report;
    struct gs_error error;
    size_t header = options->header_bytes;
    enum gs_status status = gs_run(options, &report, &error);
    if (status != GS_OK)
        test_fail("round %d, %zu files: %s", round, options->input_count, error.text);
    if (get_bytes("out", got, sizeof got) != header + bytes ||
        memcmp(got + header, want, bytes) != 0)
        test_fail("round %d, %zu files, window %llu, fan-in %u, header %zu: wrong output", round,
                  options->input_count, (unsigned long long)options->window_bytes, options->fan_in,
                  header);
    assert_int_equal(report.output_bytes, bytes);
    assert_true((report.merge_passes > 0) == (report.run_count > report.plan.fan_in));
    assert_int_equal(report.merge_passes, report.plan.merge_passes);
    assert_int_equal(report.spilled_runs, report.plan.spilled_runs);
    assert_int_equal(report.spilled_bytes, report.plan.spilled_bytes);
    if (options->compress == GSI_COMPRESS_NONE) {
        assert_int_equal(report.bytes_read, report.plan.read_bytes);
        assert_int_equal(report.bytes_written, report.plan.write_bytes + header);
    }
    return report;
}

/* ---- numbers ---- */

static void test_merge__any_files_and_ways__as_the_model(void **state)
{
    (void)state;
    struct test_random random = test_random_make(1);
    int passes = 0, rounds = test_is_small() ? 30 : 150;
    for (int round = 0; round < rounds; round++) {
        const char *type = model_types[test_below(&random, MODEL_TYPE_COUNT)];
        size_t bytes = model_bytes(type), ends[MOST_FILES], begin = 0;
        size_t count = 1 + test_below(&random, round % 30 == 0 ? MOST_FILES : 20);
        size_t n = test_below(&random, most_bytes() / bytes / (1 + test_below(&random, 20)));
        enum overlap overlap = (enum overlap)test_below(&random, OVERLAP_COUNT);
        bool reverse = test_below(&random, 2) == 0;
        if (n < 5 * count)
            overlap = INTERLEAVED;
        model_fill(&random, (enum model_shape)test_below(&random, MODEL_SHAPE_COUNT), type, in, n);
        cut(&random, overlap, n, ends, count);
        if (overlap == CONSECUTIVE)
            model_sort(type, reverse, in, n);
        for (size_t i = 1; overlap == IDENTICAL && i < count; i++)
            memcpy(in + ends[i - 1] * bytes, in, (ends[i] - ends[i - 1]) * bytes);
        n = ends[count - 1];
        struct gsi_options options = random_options(&random, count);
        options.type = type;
        options.reverse = reverse;
        for (size_t i = 0; i < count; begin = ends[i++]) {
            size_t part = ends[i] - begin;
            model_sort(type, reverse, in + begin * bytes, part);
            write_file(paths[i], options.header_bytes, in + begin * bytes, part * bytes);
        }
        memcpy(want, in, n * bytes);
        model_sort(type, reverse, want, n);
        struct gs_report report = check_merge(&options, n * bytes, round);
        assert_int_equal(report.tally.count, n);
        passes += report.merge_passes > 0;
    }
    assert_true(passes > rounds / 15);
}

/* ---- records ---- */

static void set_record_options(struct gsi_options *options, const struct record_model *model)
{
    options->record_bytes = model->bytes;
    options->keys = model->texts;
    options->key_count = model->key_count;
    options->reverse = model->is_reversed;
    if (options->window_bytes > 0 && options->window_bytes < 4 * (uint64_t)model->bytes + 16384)
        options->window_bytes = 0;
}

static void test_merge__records_with_ties__stable(void **state)
{
    (void)state;
    struct test_random random = test_random_make(2);
    int rounds = test_is_small() ? 24 : 120;
    for (int round = 0; round < rounds; round++) {
        struct record_model model;
        record_model_make(&model, &random,
                          2 + (uint32_t)test_below(&random, round % 8 == 0 ? 9000 : 90));
        size_t count = 1 + test_below(&random, 12), ends[MOST_FILES], begin = 0;
        size_t n = test_below(&random, most_bytes() / model.bytes / (1 + test_below(&random, 20)));
        enum overlap overlap =
            n < 5 * count ? INTERLEAVED : (enum overlap)test_below(&random, IDENTICAL);
        record_fill(&random, (enum record_shape)test_below(&random, RECORD_SHAPE_COUNT), in, n,
                    model.bytes);
        if (overlap == CONSECUTIVE) {
            record_model_sort(&model, in, want, n);
            memcpy(in, want, n * model.bytes);
        }
        cut(&random, overlap, n, ends, count);
        struct gsi_options options = random_options(&random, count);
        set_record_options(&options, &model);
        for (size_t i = 0; i < count; begin = ends[i++]) {
            record_model_sort(&model, in + begin * model.bytes, got, ends[i] - begin);
            write_file(paths[i], options.header_bytes, got, (ends[i] - begin) * model.bytes);
        }
        record_model_sort(&model, in, want, n);
        check_merge(&options, n * model.bytes, round);
    }
}

/* ---- what is not sorted ---- */

/* Nothing is written over the old output, and the message says where. */
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
            options.header_bytes = 0;
            options.window_bytes = 4096;
            options.fan_in = p % 2 == 0 ? 2 : 0;
            options.type = "u64";
            check_refused(&options, bad, places[p]);
        }
}

/* Records whose tags are made behind what first and last records share: one that lies outside that
 * is found by its neighbour or, if only the end is below it, by the end. */
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
            options.header_bytes = 0;
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
        cmocka_unit_test(test_merge__any_files_and_ways__as_the_model),
        cmocka_unit_test(test_merge__records_with_ties__stable),
        cmocka_unit_test(test_merge__disorder_anywhere__is_found),
        cmocka_unit_test(test_merge__record_outside_the_scope__is_found),
    };
    return cmocka_run_group_tests(tests, name_files, remove_files);
}
