/* test_unique.c: whole sorts with --unique and --count against the model: groups of every length,
 * up to many windows and blocks, for numbers and records, on both engines and devices, resident and
 * spilled. Run: build/dev/tests/test_unique */
#include "base/report.h"
#include "support/can_run.h"
#include "support/record_model.h"
#include "support/struct_jobs.h"

#define MOST        60000
#define MOST_BYTES  ((size_t)24 * MOST)
#define MOST_HEADER 4096

static uint8_t in[MOST_BYTES], sorted[MOST_BYTES], want[MOST_BYTES + 8 * MOST],
    got[MOST_HEADER + MOST_BYTES + 8 * MOST];

static size_t group_count; /* that were expected last */

struct way {
    const char *name;
    enum gsi_device_word device;
    enum gsi_io_choice io;
    uint32_t threads;
    bool spill_all;
    uint64_t memory_bytes, window_bytes, header_bytes;
};

/* The smallest windows and blocks are a page. */
static const struct way ways[] = {
    {"resident", GSI_DEVICE_CPU, GSI_IO_AUTO, 2, false, (uint64_t)64 << 20, 0, 0},
    {"tiny windows, 1 thread", GSI_DEVICE_CPU, GSI_IO_THREADS, 1, false, (uint64_t)24 << 20, 4096,
     0},
    {"spilled", GSI_DEVICE_CPU, GSI_IO_AUTO, 3, true, (uint64_t)24 << 20, 0, 0},
    {"spilled, small windows", GSI_DEVICE_CPU, GSI_IO_THREADS, 2, true, (uint64_t)24 << 20, 20480,
     0},
    {"many threads", GSI_DEVICE_CPU, GSI_IO_AUTO, 8, false, (uint64_t)24 << 20, 20480, 0},
    {"a header", GSI_DEVICE_CPU, GSI_IO_AUTO, 3, false, (uint64_t)24 << 20, 20480, 7},
    {"a header of a page", GSI_DEVICE_CPU, GSI_IO_AUTO, 2, false, (uint64_t)24 << 20, 0,
     MOST_HEADER},
    {"GPU", GSI_DEVICE_CUDA, GSI_IO_AUTO, 2, false, (uint64_t)64 << 20, 8192, 0},
    {"GPU, spilled", GSI_DEVICE_CUDA, GSI_IO_AUTO, 2, true, (uint64_t)64 << 20, 8192, 0},
};
#define WAY_COUNT (sizeof ways / sizeof ways[0])

static struct gsi_options options_of(const struct way *way)
{
    static const char *const inputs[] = {"in"};
    return (struct gsi_options){.inputs = inputs,
                                .input_count = 1,
                                .output = "out",
                                .device = way->device,
                                .io = way->io,
                                .thread_count = way->threads,
                                .spill_all = way->spill_all,
                                .memory_bytes = way->memory_bytes,
                                .window_bytes = way->window_bytes,
                                .header_bytes = way->header_bytes,
                                .unique = true};
}

/* Groups of `sorted`: equal where `is_equal` says so of neighbours. */
static size_t expect(size_t n, uint32_t bytes, const struct gsi_options *options,
                     bool (*is_equal)(const uint8_t *a, const uint8_t *b, const void *context),
                     const void *context)
{
    size_t length = 0;
    group_count = 0;
    for (size_t i = 0, end; i < n; i = end) {
        for (end = i + 1;
             end < n && is_equal(sorted + (end - 1) * bytes, sorted + end * bytes, context);
             end++) {
        }
        uint64_t count = end - i;
        group_count++;
        if (options->unique_keep == GSI_KEEP_SINGLES
                ? count > 1
                : options->unique_keep >= GSI_KEEP_DUPS && count == 1)
            continue;
        if (options->unique_keep == GSI_KEEP_REPEATED) {
            memcpy(want + length, sorted + i * bytes, count * bytes);
            length += count * bytes;
            continue;
        }
        size_t stands = options->unique_keep == GSI_KEEP_LAST ? end - 1 : i;
        memcpy(want + length, sorted + stands * bytes, bytes);
        memcpy(want + length + bytes, &count, options->unique_counts ? 8 : 0);
        length += bytes + (options->unique_counts ? 8 : 0);
    }
    return length;
}

/* `in` behind a header of its beginning. */
static void write_input(const struct way *way, size_t bytes)
{
    FILE *file = fopen("in", "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(in, 1, way->header_bytes, file), way->header_bytes);
    assert_int_equal(fwrite(in, 1, bytes, file), bytes);
    fclose(file);
}

static void check(const struct way *way, const struct gsi_options *options, size_t n,
                  uint32_t bytes, size_t wanted, const char *what)
{
    struct gs_report report;
    struct gs_error error;
    uint32_t entry = bytes + (options->unique_counts ? 8 : 0);
    write_input(way, n * bytes);
    if (gs_run(options, &report, &error) != GS_OK)
        test_fail("%s, %s, %zu elements: %s", way->name, what, n, error.text);
    size_t length = get_bytes("out", got, sizeof got);
    if (length != way->header_bytes + wanted || memcmp(got, in, way->header_bytes) != 0 ||
        memcmp(got + way->header_bytes, want, wanted) != 0)
        test_fail("%s, %s, %zu elements, counts %d: wrong output", way->name, what, n,
                  options->unique_counts);
    assert_int_equal(report.tally.count, n);
    assert_int_equal(report.unique_count, wanted / entry);
    assert_int_equal(report.group_count, options->has_top ? 0 : group_count);
    assert_int_equal(report.output_bytes, wanted);
    assert_int_equal(report.output_file_bytes, length);
    assert_true(report.plan.output_bytes >= wanted);
    assert_true(report.memory_peak_bytes <= report.plan.memory_bytes);
    assert_true((report.spilled_runs > 0) == (way->spill_all && n > 0));
}

/* How many values there are: groups of all, of many blocks, of a few, of one but for some, and of
 * one. */
static const uint64_t values[] = {1, 2, 9, MOST / 3, 200 * MOST, UINT64_MAX};
static const size_t sizes[] = {0, 1, 2, 4096, 20011, MOST};
#define VALUE_COUNT (sizeof values / sizeof values[0])
#define SIZE_COUNT  (sizeof sizes / sizeof sizes[0])

static bool is_same(const uint8_t *a, const uint8_t *b, const void *context)
{
    return memcmp(a, b, *(const size_t *)context) == 0;
}

static void fill(struct test_random *random, uint64_t most, size_t bytes, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint64_t word = most == UINT64_MAX ? i * 2654435761u : test_below(random, most);
        memset(in + i * bytes, 0, bytes);
        memcpy(in + i * bytes, &word, bytes < 8 ? bytes : 8);
    }
}

/* The first entries only, sometimes. Returns the bytes of these. */
static size_t cut_to_top(struct test_random *random, struct gsi_options *options, size_t bytes,
                         size_t wanted)
{
    const size_t entry = bytes + (options->unique_counts ? 8 : 0), count = wanted / entry;
    if (test_below(random, 4) > 0)
        return wanted;
    options->has_top = true;
    options->top_count = 1 + test_below(random, count + count / 4 + 2);
    return options->top_count < count ? options->top_count * entry : wanted;
}

static void test_unique__numbers__as_the_model(void **state)
{
    (void)state;
    struct test_random random = test_random_make(1);
    for (size_t w = 0; w < WAY_COUNT; w++) {
        if (!can_run(options_of(&ways[w]), ways[w].name))
            continue;
        for (size_t v = 0; v < VALUE_COUNT; v++)
            for (size_t s = 0; s < SIZE_COUNT; s++) {
                struct gsi_options options = options_of(&ways[w]);
                options.type = model_types[test_below(&random, MODEL_TYPE_COUNT)];
                options.reverse = test_below(&random, 2) == 0;
                options.unique_counts = test_below(&random, 2) == 0;
                options.unique_keep =
                    (enum gsi_keep_choice)test_below(&random, options.unique_counts ? 4 : 5);
                size_t n = sizes[s], bytes = model_bytes(options.type);
                if (ways[w].device == GSI_DEVICE_CUDA && s + 1 == SIZE_COUNT)
                    continue; /* it may be an emulated one, slow with much data */
                if (n <= 2 && v > 1)
                    continue; /* nothing new */
                if (test_is_small() && (w + v + s) % 3 != 0)
                    continue;
                fill(&random, values[v], bytes, n);
                memcpy(sorted, in, n * bytes);
                model_sort(options.type, options.reverse, sorted, n);
                size_t wanted = expect(n, (uint32_t)bytes, &options, is_same, &bytes);
                options.verify_read = !options.unique_counts && test_below(&random, 2) == 0;
                wanted = cut_to_top(&random, &options, bytes, wanted);
                check(&ways[w], &options, n, (uint32_t)bytes, wanted, options.type);
            }
    }
}

/* No window has two elements of a group, but for each that begins with that of the one before. */
static void test_unique__groups_go_on_in_the_next_window_only__as_the_model(void **state)
{
    (void)state;
    for (size_t w = 0; w < WAY_COUNT; w++) {
        const size_t n = 20011, bytes = 8, period = ways[w].window_bytes / bytes;
        if (period == 0 || ways[w].header_bytes > 0 || !can_run(options_of(&ways[w]), ways[w].name))
            continue;
        for (uint64_t i = 0; i < n; i++) {
            uint64_t value = i - (i % period == 0 && i > 0);
            memcpy(in + i * bytes, &value, bytes);
        }
        memcpy(sorted, in, n * bytes);
        for (int keep = 0; keep < 5; keep++) {
            struct gsi_options options = options_of(&ways[w]);
            options.type = "u64";
            options.unique_keep = (enum gsi_keep_choice)keep;
            for (int counts = 0; counts < (keep < 4 ? 2 : 1); counts++) {
                options.unique_counts = counts == 1;
                check(&ways[w], &options, n, (uint32_t)bytes,
                      expect(n, (uint32_t)bytes, &options, is_same, &bytes), "u64");
            }
        }
    }
}

static bool has_same_key(const uint8_t *a, const uint8_t *b, const void *context)
{
    return record_model_compare(context, a, b) == 0;
}

/* Records that differ though their keys do not: the first of the input is kept. */
static void test_unique__records__first_of_the_input(void **state)
{
    (void)state;
    struct test_random random = test_random_make(2);
    for (size_t w = 0; w < WAY_COUNT; w++)
        for (size_t v = 0; v < VALUE_COUNT && ways[w].device == GSI_DEVICE_CPU; v++)
            for (size_t s = 0; s < SIZE_COUNT; s++) {
                struct way way = ways[w];
                struct record_model model = {.bytes = 12 + 4 * (uint32_t)test_below(&random, 4),
                                             .key_count = 1,
                                             .is_reversed = test_below(&random, 2) == 0};
                model.keys[0] = record_key_make(0, "u64", 8, false, test_below(&random, 2) == 0);
                model.texts[0] = model.keys[0].text;
                size_t n = sizes[s];
                if (n <= 2 && v > 1)
                    continue;
                if (test_is_small() && (w + v + s) % 3 != 0)
                    continue;
                if (way.window_bytes == 4096)
                    way.window_bytes = 12288; /* room around the records, too */
                struct gsi_options options = options_of(&way);
                options.record_bytes = model.bytes;
                options.keys = model.texts;
                options.key_count = 1;
                options.reverse = model.is_reversed;
                options.unique_counts = test_below(&random, 2) == 0;
                fill(&random, values[v], model.bytes, n);
                for (uint32_t i = 0; i < n; i++)
                    memcpy(in + (i + 1) * model.bytes - 4, &i, 4);
                record_model_sort(&model, in, sorted, n);
                options.unique_keep =
                    (enum gsi_keep_choice)test_below(&random, options.unique_counts ? 4 : 5);
                size_t wanted = expect(n, model.bytes, &options, has_same_key, &model);
                check(&way, &options, n, model.bytes, wanted, "records");
            }
}

static bool has_same_first_key(const uint8_t *a, const uint8_t *b, const void *context)
{
    struct record_model model = *(const struct record_model *)context;
    model.key_count = 1;
    return record_model_compare(&model, a, b) == 0;
}

/* The second key orders what the first one groups. */
static void test_unique__records_by_their_first_key__first_or_last_of_the_order(void **state)
{
    (void)state;
    struct test_random random = test_random_make(4);
    for (size_t w = 0; w < WAY_COUNT; w++)
        for (size_t v = 0; v < VALUE_COUNT && can_run(options_of(&ways[w]), ways[w].name); v++) {
            struct record_model model = {
                .bytes = 20, .key_count = 2, .is_reversed = test_below(&random, 2) == 0};
            struct way way = ways[w];
            size_t n = sizes[3 + test_below(&random, 2)];
            bool is_descending = test_below(&random, 2) == 0;
            model.keys[0] = record_key_make(0, "u64", 8, false, false);
            model.keys[1] = record_key_make(8, "u16", 2, true, is_descending);
            model.texts[0] = model.keys[0].text;
            model.texts[1] = model.keys[1].text;
            if (way.window_bytes > 0 && way.window_bytes < 12288)
                way.window_bytes = 12288; /* room around the records, too */
            struct gsi_options options = options_of(&way);
            options.record_bytes = model.bytes;
            options.keys = model.texts;
            options.key_count = 2;
            options.group_keys = 1;
            options.reverse = model.is_reversed;
            options.unique_counts = test_below(&random, 2) == 0;
            options.unique_keep =
                (enum gsi_keep_choice)test_below(&random, options.unique_counts ? 4 : 5);
            fill(&random, values[v], model.bytes, n);
            for (uint32_t i = 0; i < n; i++) {
                in[i * model.bytes + 9] = (uint8_t)test_below(&random, 5);
                memcpy(in + (i + 1) * model.bytes - 4, &i, 4);
            }
            record_model_sort(&model, in, sorted, n);
            size_t wanted = expect(n, model.bytes, &options, has_same_first_key, &model);
            check(&way, &options, n, model.bytes, wanted, "first keys");
        }
}

/* Records larger than what is staged at a time, and than a block. */
static void test_unique__long_records__as_the_model(void **state)
{
    (void)state;
    struct test_random random = test_random_make(3);
    static const uint32_t lengths[] = {9000, 16383, 16384, 50001, 65536};
    for (size_t i = 0; i < 2 * sizeof lengths / sizeof lengths[0]; i++) {
        struct record_model model = {.bytes = lengths[i / 2], .key_count = 1};
        model.keys[0] = record_key_make(3, "b", 1, false, false);
        model.texts[0] = model.keys[0].text;
        struct gsi_options options = options_of(&ways[i % 2 == 0 ? 0 : 2]);
        options.record_bytes = model.bytes;
        options.keys = model.texts;
        options.key_count = 1;
        options.unique_counts = i % 2 == 0;
        size_t n = MOST_BYTES / model.bytes;
        record_fill(&random, RECORD_RANDOM, in, n, model.bytes);
        for (size_t r = 0; r < n; r++)
            in[r * model.bytes + 3] %= 12;
        record_model_sort(&model, in, sorted, n);
        size_t wanted = expect(n, model.bytes, &options, has_same_key, &model);
        check(&ways[i % 2 == 0 ? 0 : 2], &options, n, model.bytes, wanted, "long records");
    }
}

/* A GPU gets all records where nothing goes to disk, and else what is left of them when they were
 * folded as they were read. Tallies are of all that was read. */
static void test_fold__gpu__bytes_of_the_cpu(void **state)
{
    (void)state;
    static const char *const keys[] = {"0:u64"}, *const sums[] = {"8:u64"};
    struct test_random random = test_random_make(5);
    const struct way *const sides[] = {&ways[0], &ways[WAY_COUNT - 2], &ways[WAY_COUNT - 1]};
    if (!can_run(options_of(sides[1]), "folds on a GPU"))
        return;
    for (uint64_t groups = 1; groups <= 100000; groups *= 10) {
        struct gs_report reports[3];
        size_t length = 0, n = 9000 + test_below(&random, 7000);
        for (size_t i = 0; i < n; i++) {
            uint64_t record[2] = {test_below(&random, groups), test_below(&random, 1000)};
            memcpy(in + 16 * i, record, 16);
        }
        put_bytes("in", in, 16 * n);
        for (int side = 0; side < 3; side++) {
            struct gsi_options options = options_of(sides[side]);
            struct gs_report *report = &reports[side];
            struct gs_error error;
            options.window_bytes = side > 0 ? 12288 : 0;
            options.record_bytes = 16;
            options.keys = keys;
            options.key_count = 1;
            options.sum_fields = sums;
            options.sum_field_count = 1;
            if (gs_run(&options, report, &error) != GS_OK)
                test_fail("%llu groups: %s", (unsigned long long)groups, error.text);
            size_t got_bytes = get_bytes("out", side == 0 ? sorted : got, MOST_BYTES);
            length = side == 0 ? got_bytes : length;
            assert_int_equal(got_bytes, length);
            assert_memory_equal(sorted, side == 0 ? sorted : got, length);
            assert_int_equal(report->folded_count > 0, side != 1);
            assert_int_equal(report->tally.count, n);
            assert_memory_equal(report->tally.fingerprint, reports[0].tally.fingerprint,
                                sizeof report->tally.fingerprint);
            assert_memory_equal(report->field_tallies[0].sum, reports[0].field_tallies[0].sum,
                                sizeof report->field_tallies[0].sum);
        }
    }
    remove("in");
    remove("out");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_unique__numbers__as_the_model),
        cmocka_unit_test(test_unique__groups_go_on_in_the_next_window_only__as_the_model),
        cmocka_unit_test(test_unique__records__first_of_the_input),
        cmocka_unit_test(test_unique__records_by_their_first_key__first_or_last_of_the_order),
        cmocka_unit_test(test_unique__long_records__as_the_model),
        cmocka_unit_test(test_fold__gpu__bytes_of_the_cpu),
    };
    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown_empty);
}
