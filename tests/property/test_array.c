/* test_array.c: compares sorts of arrays in memory with the model: numbers and records, resident
 * and spilled, at odd addresses. It also checks arrays after failures. Run:
 * build/dev/tests/test_array */
#include "job/job_report.h"
#include "support/record_model.h"
#include "support/scratch.h"

#include "support/struct_jobs.h"

#include <pthread.h>
#include <sched.h>

#define MOST_BYTES ((size_t)6 << 20)
#define MIB        ((uint64_t)1 << 20)
#define GUARD      64

static uint8_t in[MOST_BYTES], want[MOST_BYTES];
static _Alignas(64) uint8_t room[MOST_BYTES + 2 * GUARD];

/* Places the array at a random offset between guards. */
static uint8_t *place(struct test_random *random, size_t bytes)
{
    uint8_t *data = room + 1 + test_below(random, GUARD);
    memset(room, 0xa5, sizeof room);
    memcpy(data, in, bytes);
    return data;
}

static void check_guards(const uint8_t *data, size_t bytes)
{
    for (const uint8_t *at = data - 1; at < data; at++)
        assert_int_equal(*at, 0xa5);
    for (size_t i = 0; i < GUARD / 2; i++)
        assert_int_equal(data[bytes + i], 0xa5);
}

static void test_array__numbers__as_the_model(void **state)
{
    (void)state;
    struct test_random random = test_random_make(1);
    int rounds = test_is_small() ? 12 : 40;
    for (int round = 0; round < rounds; round++) {
        const char *type = model_types[test_below(&random, MODEL_TYPE_COUNT)];
        size_t width = model_bytes(type);
        size_t n =
            round % 5 == 0 ? test_below(&random, 4) : test_below(&random, MOST_BYTES / width / 2);
        model_fill(&random, (enum model_shape)test_below(&random, MODEL_SHAPE_COUNT), type, in, n);
        memcpy(want, in, n * width);
        struct gsi_options options = {.type = type,
                                      .reverse = test_below(&random, 2) == 0,
                                      .device = GSI_DEVICE_CPU,
                                      .spill_all = test_below(&random, 4) == 0,
                                      .temp_dirs = (const char *[]){"."},
                                      .temp_dir_count = 1,
                                      .memory_bytes = (11 + test_below(&random, 20)) * MIB,
                                      .thread_count = 1 + (uint32_t)test_below(&random, 3)};
        model_sort(type, options.reverse, want, n);
        uint8_t *data = place(&random, n * width);
        struct gs_report sorted, counted, checked;
        struct gs_error error;
        const struct gsi_options looking = {.type = type,
                                            .device = GSI_DEVICE_CPU,
                                            .memory_bytes = options.memory_bytes,
                                            .thread_count = options.thread_count};
        if (gs_stats_array(data, n * width, &looking, &counted, &error) != GS_OK)
            test_fail("round %d, %zu %s: %s", round, n, type, error.text);
        assert_int_equal(memcmp(data, in, n * width), 0);
        if (gs_sort_array(data, n * width, &options, &sorted, &error) != GS_OK)
            test_fail("round %d, %zu %s: %s", round, n, type, error.text);
        if (memcmp(data, want, n * width) != 0)
            test_fail("round %d, %zu %s: wrong order", round, n, type);
        struct gsi_options checking = looking;
        checking.reverse = options.reverse;
        if (gs_check_array(data, n * width, &checking, &checked, &error) != GS_OK)
            test_fail("round %d, %zu %s: %s", round, n, type, error.text);
        check_guards(data, n * width);
        assert_memory_equal(&sorted.tally, &counted.tally, sizeof sorted.tally);
        assert_memory_equal(&sorted.tally, &checked.tally, sizeof sorted.tally);
        assert_int_equal(sorted.tally.count, n);
        assert_true(sorted.cost.memory_peak_bytes <= options.memory_bytes);
        assert_int_equal(sorted.output.is_placed, n > 0);
        assert_true(!options.spill_all || n == 0 || sorted.runs.spilled_count > 0);
        assert_int_equal(names_in("."), 0);
    }
}

static void test_array__records__are_stable(void **state)
{
    (void)state;
    struct test_random random = test_random_make(2);
    int rounds = test_is_small() ? 12 : 40;
    for (int round = 0; round < rounds; round++) {
        struct record_model model;
        record_model_make(&model, &random, 2 + (uint32_t)test_below(&random, 60));
        size_t n = test_below(&random, MOST_BYTES / 4 / model.bytes), bytes = n * model.bytes;
        record_fill(&random, (enum record_shape)test_below(&random, RECORD_SHAPE_COUNT), in, n,
                    model.bytes);
        record_model_sort(&model, in, want, n);
        struct gsi_options options = {.reverse = model.is_reversed,
                                      .record_bytes = model.bytes,
                                      .keys = model.texts,
                                      .key_count = model.key_count,
                                      .device = GSI_DEVICE_CPU,
                                      .spill_all = test_below(&random, 4) == 0,
                                      .memory_bytes = (16 + test_below(&random, 20)) * MIB};
        uint8_t *data = place(&random, bytes);
        struct gs_error error;
        if (gs_sort_array(data, bytes, &options, NULL, &error) != GS_OK)
            test_fail("round %d, records of %u: %s", round, model.bytes, error.text);
        if (memcmp(data, want, bytes) != 0)
            test_fail("round %d, records of %u: wrong order", round, model.bytes);
        check_guards(data, bytes);
    }
}

/* The model sorts elements. Positions must give the same elements, and equal ones keep their
 * order. */
static void check_positions(const uint8_t *data, size_t n, size_t width, const uint64_t *positions)
{
    for (size_t i = 0; i < n; i++) {
        assert_true(positions[i] < n);
        assert_memory_equal(data + positions[i] * width, want + i * width, width);
        if (i > 0 && memcmp(want + i * width, want + (i - 1) * width, width) == 0)
            assert_true(positions[i - 1] < positions[i]);
    }
}

/* The alignment of an array that is sorted in place. */
static uint8_t *place_aligned(size_t bytes)
{
    memset(room, 0xa5, sizeof room);
    memcpy(room + GUARD, in, bytes);
    return room + GUARD;
}

/* Presorted data may be merged instead. */
static void check_in_place(const struct gsi_options *options, enum model_shape shape, size_t n)
{
    struct gs_report sorted, counted;
    struct gs_error error;
    size_t bytes = n * model_bytes(options->type);
    uint8_t *data = place_aligned(bytes);
    const struct gsi_options looking = {.type = options->type, .device = GSI_DEVICE_CPU};
    memcpy(want, in, bytes);
    model_sort(options->type, options->reverse, want, n);
    assert_int_equal(gs_stats_array(data, bytes, &looking, &counted, NULL), GS_OK);
    if (gs_sort_array(data, bytes, options, &sorted, &error) != GS_OK)
        test_fail("%zu %s, %u threads: %s", n, options->type, options->thread_count, error.text);
    if (memcmp(data, want, bytes) != 0)
        test_fail("%zu %s, %u threads: wrong order", n, options->type, options->thread_count);
    check_guards(data, bytes);
    assert_memory_equal(&sorted.tally, &counted.tally, sizeof sorted.tally);
    assert_true(sorted.plan.is_in_place || n == 0 || shape != MODEL_UNIFORM);
    assert_int_equal(sorted.output.is_placed, n > 0);
    assert_int_equal(sorted.output.bytes, bytes);
    assert_int_equal(sorted.ends.are_known, n > 0);
    const uint64_t of_thread = 80000 + (model_bytes(options->type) == 16 ? MIB : 0);
    assert_true(!sorted.plan.is_in_place ||
                sorted.cost.memory_peak_bytes < MIB + sorted.plan.thread_count * of_thread);
}

/* Pieces have 1 MiB at least, and blocks 8 KiB. */
static void test_array__in_place__as_the_model(void **state)
{
    (void)state;
    static const uint32_t threads[] = {1, 2, 3, 16};
    static const size_t border_bytes[] = {0, 16, 32, 8192, MIB, MIB + 8192, 2 * MIB, 4 * MIB};
    struct test_random random = test_random_make(7);
    int rounds = test_is_small() ? 40 : 200;
    for (int round = 0; round < rounds; round++) {
        const char *type = model_types[test_below(&random, MODEL_TYPE_COUNT)];
        size_t width = model_bytes(type), n = test_below(&random, MOST_BYTES / width);
        if (round % 2 == 0) {
            n = border_bytes[test_below(&random, 8)] / width + test_below(&random, 3);
            n -= n > 0;
        }
        enum model_shape shape = (enum model_shape)test_below(&random, MODEL_SHAPE_COUNT);
        model_fill(&random, shape, type, in, n);
        check_in_place(&(struct gsi_options){.type = type,
                                             .reverse = test_below(&random, 2) == 0,
                                             .device = GSI_DEVICE_CPU,
                                             .thread_count = threads[test_below(&random, 4)]},
                       shape, n);
    }
}

static void test_array__small_and_canceled__is_as_it_was(void **state)
{
    (void)state;
    double numbers[] = {3, -1, 2};
    struct gs_report report;
    struct gs_error error;
    struct gsi_options options = {.type = "f64", .cancel = gs_cancel_create()};
    gs_cancel_now(options.cancel);
    assert_int_equal(gs_sort_array(numbers, sizeof numbers, &options, &report, &error),
                     GS_E_CANCELED);
    assert_non_null(strstr(error.text, "the array is unchanged"));
    assert_true(numbers[0] == 3 && numbers[1] == -1 && numbers[2] == 2 && !report.output.is_placed);
    gs_cancel_free(options.cancel);
}

static void test_argsort__as_the_model(void **state)
{
    (void)state;
    static uint64_t positions[MOST_BYTES / 8 + 1];
    struct test_random random = test_random_make(5);
    int rounds = test_is_small() ? 16 : 60;
    for (int round = 0; round < rounds; round++) {
        struct record_model model;
        bool is_record = round % 2 == 0;
        const char *type = model_types[test_below(&random, MODEL_TYPE_COUNT)];
        record_model_make(&model, &random, 2 + (uint32_t)test_below(&random, 60));
        size_t width = is_record ? model.bytes : model_bytes(type);
        size_t most = MOST_BYTES / 6 / (width > 8 ? width : 8);
        size_t n = round % 7 == 0 ? test_below(&random, 4) : test_below(&random, most);
        struct gsi_options options = {.type = is_record ? NULL : type,
                                      .reverse = is_record ? model.is_reversed : round % 3 == 0,
                                      .record_bytes = is_record ? model.bytes : 0,
                                      .keys = is_record ? model.texts : NULL,
                                      .key_count = is_record ? model.key_count : 0,
                                      .device = GSI_DEVICE_CPU,
                                      .spill_all = test_below(&random, 4) == 0,
                                      .memory_bytes = (16 + test_below(&random, 20)) * MIB};
        if (is_record)
            record_fill(&random, (enum record_shape)test_below(&random, RECORD_SHAPE_COUNT), in, n,
                        model.bytes);
        else
            model_fill(&random, (enum model_shape)test_below(&random, MODEL_SHAPE_COUNT), type, in,
                       n);
        memcpy(want, in, n * width);
        if (is_record)
            record_model_sort(&model, in, want, n);
        else
            model_sort(type, options.reverse, want, n);
        uint8_t *data = place(&random, n * width);
        struct gs_report report, counted;
        struct gs_error error;
        positions[n] = 42;
        if (gs_argsort_array(data, n * width, &options, positions, &report, &error) != GS_OK)
            test_fail("round %d, %zu of %s: %s", round, n, is_record ? "records" : type,
                      error.text);
        assert_memory_equal(data, in, n * width);
        check_guards(data, n * width);
        check_positions(data, n, width, positions);
        assert_int_equal(positions[n], 42);
        options.reverse = options.spill_all = false;
        assert_int_equal(gs_stats_array(data, n * width, &options, &counted, &error), GS_OK);
        assert_memory_equal(&report.tally, &counted.tally, sizeof report.tally);
        assert_true(report.cost.memory_peak_bytes <= options.memory_bytes);
        assert_true(report.payload.has_positions &&
                    report.payload.written_bytes == sizeof *positions);
        assert_int_equal(report.output.is_placed, n > 0);
        assert_true(!options.spill_all || n == 0 || report.runs.spilled_count > 0);
        assert_int_equal(names_in("."), 0);
    }
}

static void test_argsort__what_cannot_be__is_refused(void **state)
{
    (void)state;
    uint64_t numbers[] = {3, 1, 2}, positions[3] = {9, 9, 9};
    struct gs_error error;
    struct gsi_options options = {.type = "u64"};
    assert_int_equal(gs_argsort_array(numbers, 23, &options, positions, NULL, &error), GS_E_INPUT);
    assert_non_null(
        strstr(error.text, "'array': 7 bytes are left over after 2 elements of 8 bytes"));
    options.type = "x7";
    assert_int_equal(gs_argsort_array(numbers, 24, &options, positions, NULL, &error), GS_E_USAGE);
    assert_non_null(strstr(error.text, "there is no type 'x7'"));
    options = (struct gsi_options){.record_bytes = 65529};
    assert_int_equal(gs_argsort_array(numbers, 0, &options, positions, NULL, &error), GS_E_USAGE);
    assert_non_null(
        strstr(error.text, "keys of 65529 bytes are too long, the limit is 65528 bytes"));
    options = (struct gsi_options){.unique = true};
    assert_int_equal(gs_argsort_array(numbers, 24, &options, positions, NULL, &error), GS_E_USAGE);
    assert_int_equal(positions[0], 9);
}

/* A number of 4 bytes and a place below 2^32 are sorted as 8 bytes, of 8 as 16; of records their
 * key. */
static void test_argsort__sorts_no_more_than_it_has_to(void **state)
{
    (void)state;
    static const uint8_t elements[240];
    const struct {
        struct gsi_options options;
        uint32_t sorted_bytes;
    } rows[] = {{{.type = "f32"}, 8},
                {{.type = "u64", .reverse = true}, 16},
                {{.type = "u128"}, 24},
                {{.record_bytes = 24, .keys = (const char *[]){"3:u64"}, .key_count = 1}, 16},
                {{.record_bytes = 24, .keys = (const char *[]){"3:b16"}, .key_count = 1}, 24},
                {{.record_bytes = 40}, 48}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        uint64_t positions[60];
        struct gs_report report;
        assert_int_equal(
            gs_argsort_array(elements, sizeof elements, &rows[i].options, positions, &report, NULL),
            GS_OK);
        assert_int_equal(report.payload.sorted_bytes, rows[i].sorted_bytes);
    }
}

static void test_argsort__failure__leaves_the_positions(void **state)
{
    (void)state;
    static uint64_t positions[MOST_BYTES / 8];
    static const char *const nowhere[] = {"no/such/directory"};
    struct test_random random = test_random_make(6);
    size_t n = MOST_BYTES / 16;
    struct gsi_options options = {.type = "u64",
                                  .memory_bytes = 11 * MIB,
                                  .spill_all = true,
                                  .temp_dirs = nowhere,
                                  .temp_dir_count = 1,
                                  .device = GSI_DEVICE_CPU};
    struct gs_report report;
    struct gs_error error;
    model_fill(&random, MODEL_UNIFORM, "u64", in, n);
    memset(positions, 0xa5, sizeof positions);
    assert_int_equal(gs_argsort_array(in, n * 8, &options, positions, &report, &error), GS_E_IO);
    assert_false(report.output.is_placed);
    options.temp_dir_count = 0;
    options.cancel = gs_cancel_create();
    gs_cancel_now(options.cancel);
    assert_int_equal(gs_argsort_array(in, n * 8, &options, positions, &report, &error),
                     GS_E_CANCELED);
    gs_cancel_free(options.cancel);
    for (size_t i = 0; i < sizeof positions; i++)
        assert_int_equal(((const uint8_t *)positions)[i], 0xa5);
}

static void test_array__disorder__has_its_place(void **state)
{
    (void)state;
    const uint32_t numbers[] = {1, 2, 2, 5, 4, 9};
    struct gsi_options options = {.type = "u32"};
    struct gs_report report;
    struct gs_error error;
    assert_int_equal(gs_check_array(numbers, sizeof numbers, &options, &report, &error),
                     GS_E_DISORDER);
    assert_int_equal(report.disorder.index, 4);
    options.unique = true;
    assert_int_equal(gs_check_array(numbers, sizeof numbers, &options, &report, NULL),
                     GS_E_DISORDER);
    assert_int_equal(report.disorder.index, 2);
}

static void test_array__failure__says_what_is_left(void **state)
{
    (void)state;
    struct test_random random = test_random_make(3);
    size_t bytes = MOST_BYTES / 2;
    model_fill(&random, MODEL_UNIFORM, "u64", in, bytes / 8);
    uint8_t *data = place(&random, bytes);
    struct gsi_options options = {
        .type = "u64", .memory_bytes = 11 * MIB, .spill_all = true, .device = GSI_DEVICE_CPU};
    static const char *const nowhere[] = {"no/such/directory"};
    struct gs_report report;
    struct gs_error error;
    options.temp_dirs = nowhere;
    options.temp_dir_count = 1;
    assert_int_equal(gs_sort_array(data, bytes, &options, &report, &error), GS_E_IO);
    assert_non_null(strstr(error.text, "; the array is unchanged"));
    assert_false(report.output.is_placed);
    assert_memory_equal(data, in, bytes);
    options.temp_dir_count = 0;
    assert_int_equal(gs_sort_array(data, bytes - 1, &options, &report, &error), GS_E_INPUT);
    assert_non_null(strstr(error.text, "; the array is unchanged"));
    options.cancel = gs_cancel_create();
    gs_cancel_now(options.cancel);
    assert_int_equal(gs_sort_array(data, bytes, &options, &report, &error), GS_E_CANCELED);
    assert_memory_equal(data, in, bytes);
    gs_cancel_free(options.cancel);
}

struct watcher {
    const uint8_t *byte; /* of the array */
    uint8_t before;
    gs_cancel *cancel;
};

/* The job's thread may write at the same time; reading either byte is fine. */
__attribute__((no_sanitize("thread"))) static bool is_changed(const struct watcher *watcher)
{
    return __atomic_load_n(watcher->byte, __ATOMIC_RELAXED) != watcher->before;
}

static void *cancel_when_written(void *context)
{
    struct watcher *watcher = context;
    while (!is_changed(watcher))
        sched_yield();
    gs_cancel_now(watcher->cancel);
    return NULL;
}

/* The job may end before it hears of the cancel; that it never does in all these tries, it cannot
 * be. */
static void test_array__cancel_while_it_is_written__says_so(void **state)
{
    (void)state;
    struct test_random random = test_random_make(4);
    enum gs_status status = GS_OK;
    size_t bytes = MOST_BYTES / 2;
    for (int i = 0; i < 100 && status == GS_OK; i++) {
        memset(in, 0xff, bytes / 2);
        memset(in + bytes / 2, 0, bytes / 2);
        uint8_t *data = place(&random, bytes);
        struct watcher watcher = {data, 0xff, gs_cancel_create()};
        struct gsi_options options = {.type = "u64",
                                      .window_bytes = 4096,
                                      .cancel = watcher.cancel,
                                      .device = GSI_DEVICE_CPU};
        struct gs_report report;
        struct gs_error error;
        pthread_t thread;
        assert_int_equal(pthread_create(&thread, NULL, cancel_when_written, &watcher), 0);
        status = gs_sort_array(data, bytes, &options, &report, &error);
        pthread_join(thread, NULL);
        gs_cancel_free(watcher.cancel);
        assert_true(report.output.is_placed);
        check_guards(data, bytes);
        if (status != GS_OK)
            assert_non_null(strstr(error.text, "was partly overwritten, and elements are lost"));
    }
    assert_int_equal(status, GS_E_CANCELED);
}

/* No element is lost, whenever the cancel happens; only the order is undefined. */
static void test_array__cancel_in_place__loses_nothing(void **state)
{
    (void)state;
    struct test_random random = test_random_make(8);
    size_t bytes = MOST_BYTES / 2;
    int canceled = 0;
    model_fill(&random, MODEL_UNIFORM, "i64", in, bytes / 8);
    memcpy(want, in, bytes);
    model_sort("i64", false, want, bytes / 8);
    for (int i = 0; i < 100 && canceled < 5; i++) {
        uint8_t *data = place_aligned(bytes);
        struct watcher watcher = {data + bytes / 2 + 7, 0, gs_cancel_create()};
        watcher.before = *watcher.byte;
        struct gsi_options options = {.type = "i64",
                                      .cancel = watcher.cancel,
                                      .thread_count = 1 + (uint32_t)i % 3,
                                      .device = GSI_DEVICE_CPU};
        struct gs_report report;
        struct gs_error error;
        pthread_t thread;
        assert_int_equal(pthread_create(&thread, NULL, cancel_when_written, &watcher), 0);
        enum gs_status status = gs_sort_array(data, bytes, &options, &report, &error);
        check_guards(data, bytes);
        memcpy(in, data, bytes);
        data[bytes / 2 + 7] = (uint8_t)~watcher.before; /* or it might wait for ever */
        pthread_join(thread, NULL);
        gs_cancel_free(watcher.cancel);
        assert_true(report.output.is_placed && report.plan.is_in_place);
        canceled += status != GS_OK;
        if (status != GS_OK) {
            assert_int_equal(status, GS_E_CANCELED);
            assert_non_null(strstr(error.text, "the array has all its elements"));
            model_sort("i64", false, in, bytes / 8);
        }
        assert_memory_equal(in, want, bytes);
        model_fill(&random, MODEL_UNIFORM, "i64", in, bytes / 8);
        memcpy(want, in, bytes);
        model_sort("i64", false, want, bytes / 8);
    }
    assert_true(canceled > 0);
}

static void test_array__what_is_for_files__is_refused(void **state)
{
    (void)state;
    uint64_t numbers[] = {3, 1, 2};
    static const char *const names[] = {"x"};
    const struct gsi_options rows[] = {{.inputs = names, .input_count = 1},
                                       {.output = "x"},
                                       {.merge = true},
                                       {.has_top = true},
                                       {.header_bytes = 8},
                                       {.drop_tail = true},
                                       {.unique = true},
                                       {.output_zstd_level = 1},
                                       {.resume_dir = "x"},
                                       {.verify_read = true}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct gs_error error;
        struct gs_report report;
        assert_int_equal(gs_sort_array(numbers, sizeof numbers, &rows[i], &report, &error),
                         GS_E_USAGE);
        assert_non_null(
            strstr(error.text,
                   "cannot be used with an array: it is sorted in place; the array is unchanged"));
        assert_int_equal(numbers[0], 3);
    }
}

/* Passes over the array must not replace its elements by keys. */
static void test_array__quantiles__leave_it_as_it_is(void **state)
{
    (void)state;
    enum { COUNT = 100000 };
    double *numbers = (double *)(void *)room;
    for (int i = 0; i < COUNT; i++)
        numbers[i] = i * 7919 % COUNT - COUNT / 2;
    memcpy(want, room, COUNT * sizeof *numbers);
    const struct gsi_options options = {.type = "f64",
                                        .order_statistics.quantiles =
                                            (const char *const[]){"median"},
                                        .order_statistics.quantile_count = 1};
    struct gs_report report;
    assert_int_equal(gs_stats_array(numbers, COUNT * sizeof *numbers, &options, &report, NULL),
                     GS_OK);
    assert_true(report.order_statistics.quantiles[0].between == -0.5);
    assert_memory_equal(room, want, COUNT * sizeof *numbers);
}

/* An array has no name that could say its type. */
static void test_array__without_a_type__is_refused(void **state)
{
    (void)state;
    uint64_t numbers[] = {3, 1, 2}, positions[3];
    const struct gsi_options none = {.reverse = true}, numpys = {.type = "u8"};
    struct gs_error error;
    assert_int_equal(gs_sort_array(numbers, sizeof numbers, &none, NULL, &error), GS_E_USAGE);
    assert_non_null(strstr(error.text, "--type: an array has no file name"));
    assert_int_equal(gs_stats_array(numbers, sizeof numbers, &none, NULL, NULL), GS_E_USAGE);
    assert_int_equal(gs_check_array(numbers, sizeof numbers, &none, NULL, NULL), GS_E_USAGE);
    assert_int_equal(gs_argsort_array(numbers, sizeof numbers, &none, positions, NULL, NULL),
                     GS_E_USAGE);
    assert_int_equal(gs_sort_array(numbers, sizeof numbers, &numpys, NULL, &error), GS_E_USAGE);
    assert_non_null(strstr(error.text, "write uint8 or uint64"));
    assert_true(numbers[0] == 3 && numbers[1] == 1);
}

int main(void)
{
#define ROW(name) cmocka_unit_test_setup_teardown(name, scratch_setup, scratch_teardown)
    const struct CMUnitTest tests[] = {ROW(test_array__numbers__as_the_model),
                                       ROW(test_array__in_place__as_the_model),
                                       ROW(test_array__cancel_in_place__loses_nothing),
                                       ROW(test_array__small_and_canceled__is_as_it_was),
                                       ROW(test_argsort__as_the_model),
                                       ROW(test_argsort__what_cannot_be__is_refused),
                                       ROW(test_argsort__sorts_no_more_than_it_has_to),
                                       ROW(test_argsort__failure__leaves_the_positions),
                                       ROW(test_array__records__are_stable),
                                       ROW(test_array__disorder__has_its_place),
                                       ROW(test_array__failure__says_what_is_left),
                                       ROW(test_array__cancel_while_it_is_written__says_so),
                                       ROW(test_array__quantiles__leave_it_as_it_is),
                                       ROW(test_array__without_a_type__is_refused),
                                       ROW(test_array__what_is_for_files__is_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
