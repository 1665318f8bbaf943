/* test_callbacks.c: tests jobs whose inputs and outputs are callbacks of the program instead of
 * files. It compares them with the model and with the same jobs on files. It also tests failures of
 * callbacks, and cancels while they wait. Run: build/dev/tests/test_callbacks */
#include "job/job_report.h"
#include "support/callbacks.h"
#include "support/record_model.h"
#include "support/scratch.h"
#include "support/struct_jobs.h"

#define MOST_BYTES ((size_t)6 << 20)
#define MIB        ((uint64_t)1 << 20)

static uint8_t in[MOST_BYTES], want[MOST_BYTES], got[MOST_BYTES];

static struct gs_reader reader_of(struct source *source)
{
    return (struct gs_reader){.read = source_read, .context = source};
}

static struct gs_writer writer_of(struct drain *drain)
{
    return (struct gs_writer){.write = drain_write, .context = drain};
}

/* Both ended as they should. */
static void check_ends(const struct source *source, const struct drain *drain)
{
    assert_int_equal(source->off, source->bytes);
    assert_false(source->was_shared);
    assert_false(source->was_asked_on);
    assert_false(drain->was_shared);
}

static const char *const name[] = {"feed"};

static void test_callbacks__numbers__as_the_model(void **state)
{
    (void)state;
    struct test_random random = test_random_make(1);
    int rounds = test_is_small() ? 12 : 32;
    for (int round = 0; round < rounds; round++) {
        const char *type = model_types[test_below(&random, MODEL_TYPE_COUNT)];
        size_t bytes = model_bytes(type);
        size_t n = test_below(&random, round % 4 == 0 ? 5 : MOST_BYTES / bytes / 2);
        bool is_reversed = test_below(&random, 3) == 0;
        model_fill(&random, (enum model_shape)test_below(&random, MODEL_SHAPE_COUNT), type, in, n);
        memcpy(want, in, n * bytes);
        model_sort(type, is_reversed, want, n);
        struct source source = source_make(in, n * bytes, round % 3 == 0 ? 0 : 100000);
        struct drain drain = drain_make(got, MOST_BYTES);
        struct gs_reader reader = reader_of(&source);
        struct gs_writer writer = writer_of(&drain);
        reader.bytes = round % 2 == 0 ? n * bytes : 0;
        struct gsi_options options = {.inputs = name,
                                      .input_count = 1,
                                      .readers = &reader,
                                      .writer = &writer,
                                      .type = type,
                                      .reverse = is_reversed,
                                      .io = round % 5 == 0 ? GSI_IO_THREADS : GSI_IO_AUTO,
                                      .spill_all = test_below(&random, 3) == 0,
                                      .device = GSI_DEVICE_CPU,
                                      .memory_bytes = (12 + test_below(&random, 40)) * MIB,
                                      .thread_count = 1 + (uint32_t)test_below(&random, 3)};
        struct gs_report report;
        struct gs_error error;
        if (gs_run(&options, &report, &error) != GS_OK)
            test_fail("round %d, %zu %s: %s", round, n, type, error.text);
        if (drain.bytes != n * bytes || memcmp(got, want, n * bytes) != 0)
            test_fail("round %d, %zu %s: wrong output", round, n, type);
        check_ends(&source, &drain);
        assert_int_equal(report.tally.count, n);
        assert_int_equal(report.plan.input_bytes, reader.bytes > 0 ? reader.bytes : UINT64_MAX);
        assert_true(!options.spill_all || n == 0 || report.runs.spilled_count > 0);
        assert_int_equal(names_in("."), 0);
    }
}

static void test_callbacks__records__are_stable(void **state)
{
    (void)state;
    struct test_random random = test_random_make(2);
    int rounds = test_is_small() ? 12 : 32;
    for (int round = 0; round < rounds; round++) {
        struct record_model model;
        record_model_make(&model, &random, 2 + (uint32_t)test_below(&random, 60));
        size_t n = test_below(&random, MOST_BYTES / 4 / model.bytes);
        size_t bytes = n * model.bytes;
        record_fill(&random, (enum record_shape)test_below(&random, RECORD_SHAPE_COUNT), in, n,
                    model.bytes);
        record_model_sort(&model, in, want, n);
        struct source source = source_make(in, bytes, 70000);
        struct drain drain = drain_make(got, MOST_BYTES);
        struct gs_reader reader = reader_of(&source);
        struct gs_writer writer = writer_of(&drain);
        reader.bytes = round % 2 == 0 ? bytes : 0;
        struct gsi_options options = {.inputs = name,
                                      .input_count = 1,
                                      .readers = &reader,
                                      .writer = &writer,
                                      .reverse = model.is_reversed,
                                      .record_bytes = model.bytes,
                                      .keys = model.texts,
                                      .key_count = model.key_count,
                                      .spill_all = test_below(&random, 3) == 0,
                                      .device = GSI_DEVICE_CPU,
                                      .memory_bytes = (16 + test_below(&random, 30)) * MIB};
        struct gs_error error;
        if (gs_run(&options, NULL, &error) != GS_OK)
            test_fail("round %d, records of %u: %s", round, model.bytes, error.text);
        if (drain.bytes != bytes || memcmp(got, want, bytes) != 0)
            test_fail("round %d, records of %u: wrong output", round, model.bytes);
        check_ends(&source, &drain);
    }
}

/* The kinds of jobs; "a" and "b" are files. Readers supply one or both, and a writer accepts the
 * output. */
struct way {
    const char *name;
    struct gsi_options options;
    const char *output; /* its name */
    bool is_sorted;     /* the inputs are */
};

static const struct way ways[] = {
    {"sort", {.type = "u64"}, "out", false},
    {"top", {.type = "i64", .has_top = true, .top_count = 1000}, "out", false},
    {"unique", {.type = "u64", .unique = true, .unique_counts = true}, "out", false},
    {"merge", {.type = "u64", .merge = true}, "out", true},
    {"header", {.type = "u32", .header_bytes = 12, .drop_tail = true}, "out", false},
    {"set", {.type = "u64", .merge = true, .merge_set = GSI_SET_EXCEPT}, "out", true},
    {"top positions",
     {.type = "u64", .has_top = true, .top_count = 10, .argsort = true},
     "out",
     false},
    {"merge header", {.type = "u64", .header_bytes = 4096, .merge = true}, "out", false},
    {"packed", {.type = "u64"}, "out.zst", false},
    {"npy", {.type = "u64"}, "out.npy", false},
    {"stats", {.type = "f64", .action = GS_STATS}, NULL, false},
    {"check", {.type = "u64", .action = GS_CHECK}, NULL, true},
    {"disorder", {.type = "u64", .action = GS_CHECK}, NULL, false},
    {"records", {.record_bytes = 16, .has_top = true, .top_count = 77}, "out", false},
};

static int compare_u64(const void *a, const void *b)
{
    return model_compare_u64(a, b);
}

/* The bytes of each file. Groups of equal numbers, in order or not. */
static size_t put_inputs(struct test_random *random, bool is_sorted, size_t bytes[2])
{
    uint64_t *numbers = (uint64_t *)in;
    size_t n = 200000;
    for (size_t i = 0; i < n; i++)
        numbers[i] = test_below(random, 50000);
    bytes[0] = (n / 3) * 8;
    bytes[1] = n * 8 - bytes[0];
    for (int i = 0; is_sorted && i < 2; i++)
        qsort(in + (i == 0 ? 0 : bytes[0]), bytes[i] / 8, 8, compare_u64);
    return n * 8;
}

static void test_callbacks__all_that_works_for_files__does(void **state)
{
    (void)state;
    static const char *const inputs[] = {"a", "b"};
    struct test_random random = test_random_make(3);
    for (size_t i = 0; i < 3 * sizeof ways / sizeof ways[0]; i++) {
        const struct way *way = &ways[i / 3];
        size_t bytes[2];
        put_inputs(&random, way->is_sorted, bytes);
        if (way->options.merge && way->options.header_bytes > 0)
            memset(in, 0, bytes[0] + bytes[1]); /* sorted wherever it begins */
        put_bytes("a", in, bytes[0]);
        put_bytes("b", in + bytes[0], bytes[1]);
        struct gsi_options options = way->options;
        options.inputs = inputs;
        options.input_count = 2;
        options.output = way->output;
        options.device = GSI_DEVICE_CPU;
        options.memory_bytes = 24 * MIB;
        struct gs_report of_files, report;
        struct gs_error error, expected;
        enum gs_status status = gs_run(&options, &of_files, &expected);
        size_t length = way->output != NULL ? get_bytes(way->output, want, MOST_BYTES) : 0;

        struct source sources[2] = {source_make(in, bytes[0], 30000),
                                    source_make(in + bytes[0], bytes[1], 0)};
        struct drain drain = drain_make(got, MOST_BYTES);
        struct gs_reader readers[2] = {reader_of(&sources[0]), reader_of(&sources[1])};
        struct gs_writer writer = writer_of(&drain);
        if (i % 3 < 2)
            readers[i % 3].read = NULL; /* this one is the file */
        else
            readers[0].bytes = bytes[0];
        options.readers = readers;
        options.writer = way->output != NULL ? &writer : NULL;
        if (gs_run(&options, &report, &error) != status)
            test_fail("%s: %d and not %d: %s", way->name, error.status, status, error.text);
        assert_string_equal(error.text, expected.text);
        if (drain.bytes != length || memcmp(got, want, length) != 0)
            test_fail("%s: %zu bytes, other than the %zu in a file", way->name, drain.bytes,
                      length);
        if (status == GS_OK)
            assert_memory_equal(&report.tally, &of_files.tally, sizeof report.tally);
        if (way->output != NULL)
            unlink(way->output);
        unlink("a");
        unlink("b");
        assert_int_equal(names_in("."), 0);
    }
}

static void test_callbacks__formats__are_found_in_what_comes(void **state)
{
    (void)state;
    static const char *const types[] = {"i32", "i32"};
    static const char *const outputs[] = {"x.zst", "x.npy"};
    const int32_t numbers[] = {5, -7, 0, 3}, sorted[] = {-7, 0, 3, 5};
    for (size_t i = 0; i < 2; i++) {
        put_bytes("in", numbers, sizeof numbers);
        struct gsi_options options = {.inputs = (const char *[]){"in"},
                                      .input_count = 1,
                                      .type = types[i],
                                      .output = outputs[i]};
        struct gs_error error;
        assert_int_equal(gs_run(&options, NULL, &error), GS_OK);
        size_t bytes = get_bytes(outputs[i], in, MOST_BYTES);
        struct source source = source_make(in, bytes, 3);
        struct drain drain = drain_make(got, MOST_BYTES);
        struct gs_reader reader = reader_of(&source);
        struct gs_writer writer = writer_of(&drain);
        reader.bytes = bytes;
        options.inputs = &outputs[i];
        options.output = "x.bin";
        options.readers = &reader;
        options.writer = &writer;
        if (gs_run(&options, NULL, &error) != GS_OK)
            test_fail("%s: %s", outputs[i], error.text);
        assert_true(drain.bytes >= sizeof sorted); /* a header is kept */
        assert_memory_equal(got + drain.bytes - sizeof sorted, sorted, sizeof sorted);
        unlink("in");
        unlink(outputs[i]);
    }
}

static void test_callbacks__failures__are_told(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        size_t reader_fails, writer_fails, promised, most;
        bool is_silent;
        enum gs_status status;
        const char *text;
    } rows[] = {
        {"reader", 500000, NEVER, 0, 4096, false, GS_E_INPUT,
         "'feed': row 500000 is bad: No data available"},
        {"first read", 0, NEVER, 0, 4096, true, GS_E_IO, "'feed': its reader failed"},
        {"silent reader", 900000, NEVER, 0, 0, true, GS_E_IO, "'feed': its reader failed"},
        {"writer", NEVER, 300000, 0, 0, false, GS_E_SPACE, "'drain': is full"},
        {"silent writer", NEVER, 0, 0, 0, true, GS_E_IO, "'output': its writer failed"},
        {"too few", NEVER, NEVER, 1600008, 0, false, GS_E_INPUT,
         "'feed': ended after 1600000 bytes, but its reader promised 1600008"},
        {"no whole elements", NEVER, NEVER, 1599999, 0, false, GS_E_INPUT,
         "'feed': 7 bytes are left over after 199999 elements"},
    };
    memset(in, 1, 1600000);
    for (size_t i = 0; i < 2 * sizeof rows / sizeof rows[0]; i++) {
        size_t row = i / 2;
        struct source source = source_make(in, 1600000, rows[row].most);
        struct drain drain = drain_make(got, MOST_BYTES);
        struct gs_reader reader = reader_of(&source);
        struct gs_writer writer = writer_of(&drain);
        struct gs_error error;
        source.fail_at = rows[row].reader_fails;
        drain.fail_at = rows[row].writer_fails;
        source.is_silent = drain.is_silent = rows[row].is_silent;
        reader.bytes = rows[row].promised;
        struct gsi_options options = {.inputs = name,
                                      .input_count = 1,
                                      .readers = &reader,
                                      .writer = &writer,
                                      .type = "u64",
                                      .io = i % 2 == 0 ? GSI_IO_AUTO : GSI_IO_THREADS,
                                      .temp_dirs = (const char *[]){"."},
                                      .temp_dir_count = 1,
                                      .memory_bytes = 12 * MIB};
        enum gs_status status = gs_run(&options, NULL, &error);
        if (status != rows[row].status || strncmp(error.text, rows[row].text, 30) != 0)
            test_fail("%s: %d, %s", rows[row].name, status, error.text);
        assert_int_equal(names_in("."), 0);
    }
}

static int64_t read_too_much(void *context, void *data, size_t bytes, struct gs_error *error)
{
    (void)context;
    (void)data;
    (void)error;
    return (int64_t)bytes + 1;
}

static void test_callbacks__what_cannot_be__is_refused(void **state)
{
    (void)state;
    struct source source = source_make(in, 80, 0);
    struct gs_reader reader = reader_of(&source);
    struct drain drain = drain_make(got, MOST_BYTES);
    struct gs_writer writer = writer_of(&drain), none = {.context = &drain};
    struct gs_error error;
    struct gsi_options options = {
        .inputs = name, .input_count = 1, .type = "u64", .readers = &reader, .writer = &writer};
    struct gsi_options wrong = options;
    wrong.input_count = 0;
    memset(in, 1, 80);
    assert_int_equal(gs_run(&wrong, NULL, &error), GS_E_USAGE);
    assert_non_null(strstr(error.text, "readers: "));
    wrong = options;
    wrong.writer = &none;
    assert_int_equal(gs_run(&wrong, NULL, &error), GS_E_USAGE);
    assert_non_null(strstr(error.text, "writer: "));
    wrong = options;
    wrong.resume_dir = "r";
    wrong.output = "out";
    assert_int_equal(gs_run(&wrong, NULL, &error), GS_E_USAGE);
    wrong = options;
    wrong.verify_read = true;
    assert_int_equal(gs_run(&wrong, NULL, &error), GS_E_USAGE);
    assert_int_equal(drain.bytes, 0);
    wrong = options;
    reader.read = read_too_much;
    assert_int_equal(gs_run(&wrong, NULL, &error), GS_E_INPUT);
    assert_non_null(strstr(error.text, "more than the "));
    assert_int_equal(names_in("."), 0);
}

static void test_callbacks__plan__reads_nothing(void **state)
{
    (void)state;
    struct source source = source_make(in, 1 << 20, 0);
    struct gs_reader reader = reader_of(&source);
    struct drain drain = drain_make(got, MOST_BYTES);
    struct gs_writer writer = writer_of(&drain);
    struct gs_report report;
    struct gsi_options options = {.inputs = name,
                                  .input_count = 1,
                                  .type = "u64",
                                  .readers = &reader,
                                  .writer = &writer,
                                  .output = "no/such/directory",
                                  .action = GS_EXPLAIN};
    reader.bytes = 1 << 20;
    assert_int_equal(gs_run(&options, &report, NULL), GS_OK);
    assert_int_equal(report.plan.input_bytes, 1 << 20);
    assert_int_equal(source.off, 0);
    assert_int_equal(drain.bytes, 0);
}

/* ---- waiting ---- */

struct waiter {
    struct door door;
    struct source source;
    struct drain drain;
    size_t wait_at;
};

static int64_t waiting_read(void *context, void *data, size_t bytes, struct gs_error *error)
{
    struct waiter *waiter = context;
    if (waiter->source.off >= waiter->wait_at)
        door_wait(&waiter->door);
    return source_read(&waiter->source, data, bytes, error);
}

static bool waiting_write(void *context, const void *data, size_t bytes, struct gs_error *error)
{
    struct waiter *waiter = context;
    door_wait(&waiter->door);
    return drain_write(&waiter->drain, data, bytes, error);
}

struct canceler {
    struct door *door;
    gs_cancel *cancel;
};

static void *cancel_at_door(void *context)
{
    struct canceler *canceler = context;
    door_await(canceler->door);
    gs_cancel_now(canceler->cancel);
    return NULL;
}

/* Cancels while the reader waits, at once or in the middle, or while the writer waits. */
static void test_callbacks__cancel_while_one_waits__stops_it(void **state)
{
    (void)state;
    memset(in, 1, 2 << 20);
    for (int i = 0; i < 6; i++) {
        struct waiter waiter = {.door = DOOR,
                                .source = source_make(in, 2 << 20, 10000),
                                .drain = drain_make(got, MOST_BYTES),
                                .wait_at = i % 3 == 1 ? 1 << 20 : 0};
        struct gs_reader reader = {.read = waiting_read, .stop = door_open, .context = &waiter};
        struct gs_writer writer = {.write = waiting_write, .stop = door_open, .context = &waiter};
        if (i % 3 == 2) {
            reader = reader_of(&waiter.source);
        } else {
            writer = writer_of(&waiter.drain);
        }
        struct canceler canceler = {&waiter.door, gs_cancel_create()};
        struct gs_error error;
        struct gsi_options options = {.inputs = name,
                                      .input_count = 1,
                                      .type = "u64",
                                      .readers = &reader,
                                      .writer = &writer,
                                      .io = i < 3 ? GSI_IO_AUTO : GSI_IO_THREADS,
                                      .temp_dirs = (const char *[]){"."},
                                      .temp_dir_count = 1,
                                      .memory_bytes = 12 * MIB,
                                      .cancel = canceler.cancel};
        pthread_t thread;
        assert_int_equal(pthread_create(&thread, NULL, cancel_at_door, &canceler), 0);
        enum gs_status status = gs_run(&options, NULL, &error);
        pthread_join(thread, NULL);
        gs_cancel_free(canceler.cancel);
        assert_int_equal(status, GS_E_CANCELED);
        assert_int_equal(waiter.door.opened, 1);
        assert_int_equal(names_in("."), 0);
    }
}

/* The second input opens the door that the first one waits at. */
static int64_t opening_read(void *context, void *data, size_t bytes, struct gs_error *error)
{
    struct waiter *waiter = context;
    door_await(&waiter->door);
    door_open(&waiter->door);
    (void)error;
    size_t piece = waiter->drain.room < bytes ? waiter->drain.room : bytes;
    memset(data, 0xff, piece);
    waiter->drain.room -= piece;
    return (int64_t)piece;
}

static void test_callbacks__merge__no_reader_waits_for_the_thread_of_another(void **state)
{
    (void)state;
    struct waiter waiter = {
        .door = DOOR, .source = source_make(in, 800, 0), .drain = drain_make(NULL, 800)};
    struct drain drain = drain_make(got, MOST_BYTES);
    struct gs_reader readers[] = {{.read = waiting_read, .context = &waiter},
                                  {.read = opening_read, .context = &waiter}};
    struct gs_writer writer = writer_of(&drain);
    struct gsi_options options = {.inputs = (const char *[]){"a", "b"},
                                  .input_count = 2,
                                  .type = "u64",
                                  .raw = true,
                                  .merge = true,
                                  .readers = readers,
                                  .writer = &writer};
    struct gs_error error;
    memset(in, 0, 800);
    if (gs_run(&options, NULL, &error) != GS_OK)
        test_fail("%s", error.text);
    assert_int_equal(drain.bytes, 1600);
    assert_int_equal(got[799], 0);
    assert_int_equal(got[800], 0xff);
}

int main(void)
{
#define ROW(name) cmocka_unit_test_setup_teardown(name, scratch_setup, scratch_teardown)
    const struct CMUnitTest tests[] = {
        ROW(test_callbacks__numbers__as_the_model),
        ROW(test_callbacks__records__are_stable),
        ROW(test_callbacks__all_that_works_for_files__does),
        ROW(test_callbacks__formats__are_found_in_what_comes),
        ROW(test_callbacks__failures__are_told),
        ROW(test_callbacks__what_cannot_be__is_refused),
        ROW(test_callbacks__plan__reads_nothing),
        ROW(test_callbacks__cancel_while_one_waits__stops_it),
        ROW(test_callbacks__merge__no_reader_waits_for_the_thread_of_another)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
