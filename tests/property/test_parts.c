/* test_parts.c: random ranges of inputs and parts of merges, of numbers and records, against a
 * model that sorts all and takes from it what was asked for: ties, empty files, --where, both
 * engines, in one pass or more. Run: build/dev/tests/test_parts */
#include "base/report.h"
#include "support/can_run.h"
#include "support/random_elements.h"
#include "support/struct_jobs.h"

#define ROUNDS     600
#define MOST       12000
#define MOST_BYTES ((size_t)40 * MOST)
#define FILES_MAX  9

static uint8_t in[MOST_BYTES], ranged[MOST_BYTES], want[MOST_BYTES], got[MOST_BYTES];
static const char *const names[FILES_MAX] = {"in0", "in1", "in2", "in3", "in4",
                                             "in5", "in6", "in7", "in8"};

struct a_case {
    struct random_elements elements;
    bool merge, has_range;
    size_t n, files, begin[FILES_MAX + 1]; /* elements; where files begin */
    size_t first, count;                   /* of the range */
    uint32_t part_count, fan_in;
    uint64_t window_bytes;
    enum gsi_io_choice io;
};

static void make_case(struct test_random *random, struct a_case *c)
{
    static const size_t sizes[] = {0, 1, 2, 7, 63, 300, 1025, 3000, MOST};
    static const uint32_t part_counts[] = {1, 2, 3, 8, 100};
    memset(c, 0, sizeof *c);
    c->n = sizes[test_below(random, sizeof sizes / sizeof sizes[0])];
    random_elements_make(&c->elements, random, in, c->n);
    c->files = 1 + test_below(random, FILES_MAX);
    c->begin[c->files] = c->n;
    for (size_t i = 1; i < c->files; i++)
        c->begin[i] = c->begin[i - 1] +
                      test_below(random, c->n - c->begin[i - 1] + 1) / (1 + test_below(random, 4));
    c->merge = test_below(random, 4) > 0;
    c->has_range = !c->merge || test_below(random, 3) == 0;
    c->first = c->has_range ? test_below(random, c->n + 1) : 0;
    c->count = c->n - c->first;
    if (c->has_range && test_below(random, 2) == 0)
        c->count = test_below(random, c->count + 1);
    c->part_count = c->merge ? part_counts[test_below(random, 5)] : 0;
    c->fan_in = test_below(random, 4) == 0 ? 2 : 0;
    c->window_bytes = test_below(random, 2) == 0 ? 12288 : 0;
    c->io = test_below(random, 2) == 0 ? GSI_IO_AUTO : GSI_IO_THREADS;
}

static void write_inputs(const struct a_case *c)
{
    const size_t bytes = c->elements.model.bytes;
    random_elements_write(&c->elements, in, c->begin, names, c->files, c->merge, got);
    memcpy(ranged, in + c->first * bytes, c->count * bytes);
    record_model_sort(&c->elements.model, ranged, want, c->count);
}

static struct gsi_options options_of(const struct a_case *c, uint32_t part)
{
    struct gsi_options options = {.inputs = names,
                                  .input_count = c->files,
                                  .output = "out",
                                  .merge = c->merge,
                                  .has_range = c->has_range,
                                  .range_first = c->first,
                                  .range_count =
                                      c->first + c->count == c->n ? UINT64_MAX : c->count,
                                  .part_number = part,
                                  .part_count = c->part_count,
                                  .memory_bytes = (uint64_t)32 << 20,
                                  .thread_count = 2,
                                  .fan_in = c->fan_in,
                                  .window_bytes = c->window_bytes,
                                  .io = c->io};
    random_elements_options(&c->elements, &options);
    return options;
}

/* One part, or all. */
static void check_part(const struct a_case *c, uint32_t part)
{
    struct gsi_options options = options_of(c, part);
    struct gs_report report;
    struct gs_error error;
    uint64_t parts = c->part_count > 0 ? c->part_count : 1, number = part > 0 ? part : 1;
    size_t first = c->count * (number - 1) / parts, end = c->count * number / parts;
    if (gs_run(&options, &report, &error) != GS_OK)
        test_fail("%zu files, %zu elements, part %u of %u: %s", c->files, c->n, part, c->part_count,
                  error.text);
    size_t length = get_bytes("out", got, sizeof got), bytes = c->elements.model.bytes;
    if (length != (end - first) * bytes || memcmp(got, want + first * bytes, length) != 0)
        test_fail("%zu files, %zu elements from %zu of %zu on, part %u of %u: wrong output",
                  c->files, c->count, c->first, c->n, part, c->part_count);
    assert_int_equal(report.tally.count, end - first);
    assert_int_equal(report.part_first, c->part_count > 0 ? first : 0);
    assert_int_equal(report.part_of, c->part_count > 0 ? c->count : 0);
    assert_int_equal(report.range_of, c->has_range ? c->n : 0);
    assert_int_equal(report.range_count, c->has_range ? c->count : 0);
    assert_true(report.memory_peak_bytes <= report.plan.memory_bytes);
}

/* Each part at its place of one file, in any order, some of them twice; their ends are in order. */
static void check_into(struct test_random *random, const struct a_case *c)
{
    uint32_t count = c->part_count, begin = (uint32_t)test_below(random, count);
    uint32_t jobs = count + (uint32_t)test_below(random, 2);
    struct gs_report *reports = calloc(count, sizeof *reports);
    size_t bytes = c->elements.model.bytes;
    assert_non_null(reports);
    for (uint32_t i = 0; i < jobs; i++) {
        uint32_t part = (begin + i * 7) % count;
        struct gsi_options options = options_of(c, part + 1);
        struct gs_report *report = &reports[part];
        struct gs_error error;
        options.output = "whole";
        options.into = true;
        options.verify_read = test_below(random, 2) == 0;
        if (gs_run(&options, report, &error) != GS_OK)
            test_fail("%zu files, %zu elements, part %u of %u into a file: %s", c->files, c->n,
                      part + 1, count, error.text);
        assert_int_equal(report->place_off, c->count * part / count * bytes);
        assert_int_equal(report->place_of, c->count * bytes);
        assert_int_equal(report->has_ends, report->tally.count > 0);
    }
    if (get_bytes("whole", got, sizeof got) != c->count * bytes ||
        memcmp(got, want, c->count * bytes) != 0)
        test_fail("%zu files, %zu elements in %u parts: not the whole", c->files, c->n, count);
    const struct gs_report *before = NULL;
    for (uint32_t i = 0; i < count; i++) {
        const struct gs_report *report = &reports[i];
        if (!report->has_ends)
            continue;
        assert_true(memcmp(report->first_key, report->last_key, report->end_key_bytes) <= 0);
        if (before != NULL)
            assert_true(memcmp(before->last_key, report->first_key, report->end_key_bytes) <= 0);
        before = report;
    }
    remove("whole");
    free(reports);
}

static void test_parts__random_cases__as_the_model(void **state)
{
    static struct a_case c;
    (void)state;
    struct test_random random = test_random_make(19);
    if (!can_run((struct gsi_options){0}, "parts"))
        return;
    for (size_t cases = 0; cases < (test_is_small() ? ROUNDS / 6 : ROUNDS);) {
        make_case(&random, &c);
        write_inputs(&c);
        uint32_t part = c.part_count > 0 ? 1 + (uint32_t)test_below(&random, c.part_count) : 0;
        uint32_t last = c.part_count > 0 && c.part_count <= 8 ? c.part_count : part;
        for (part = last == c.part_count && last > 0 ? 1 : part; part <= last; part++, cases++)
            check_part(&c, part);
        if (c.part_count > 0 && c.part_count <= 8 && c.count > 0 && test_below(&random, 6) == 0)
            check_into(&random, &c);
    }
    for (size_t i = 0; i < FILES_MAX; i++)
        remove(names[i]);
    remove("out");
}

/* What is looked at is little beside what is merged. */
static void test_parts__of_long_files__look_at_little(void **state)
{
    enum { FILE_COUNT = 4, EACH = 1 << 17 };
    (void)state;
    static uint64_t keys[EACH];
    for (size_t i = 0; i < FILE_COUNT; i++) {
        for (size_t k = 0; k < EACH; k++)
            keys[k] = k * FILE_COUNT * (i + 1) + i;
        put_bytes(names[i], keys, sizeof keys);
    }
    uint64_t read = 0, count = 0;
    for (uint32_t part = 1; part <= 8; part++) {
        struct gsi_options options = {.inputs = names,
                                      .input_count = FILE_COUNT,
                                      .output = "out",
                                      .type = "u64",
                                      .merge = true,
                                      .part_number = part,
                                      .part_count = 8};
        struct gs_report report;
        assert_int_equal(gs_run(&options, &report, NULL), GS_OK);
        read += report.bytes_read;
        count += report.tally.count;
    }
    assert_int_equal(count, FILE_COUNT * EACH);
    assert_true(read >= FILE_COUNT * sizeof keys);
    assert_true(read < FILE_COUNT * sizeof keys + 16 * ((uint64_t)3 << 20) / 2);
    for (size_t i = 0; i < FILE_COUNT; i++)
        remove(names[i]);
    remove("out");
}

/* Unsorted files end with a message, never with a search that does not end. */
static void test_parts__of_unsorted_files__end(void **state)
{
    (void)state;
    struct test_random random = test_random_make(20);
    for (size_t round = 0; round < 100; round++) {
        size_t n = 1 + test_below(&random, 2000), disorder = 0;
        for (size_t i = 0; i < 3; i++) {
            uint64_t keys[2000];
            for (size_t k = 0; k < n; k++) {
                keys[k] = test_below(&random, 1000);
                disorder += k > 0 && keys[k] < keys[k - 1];
            }
            put_bytes(names[i], keys, n * sizeof *keys);
        }
        struct gsi_options options = {.inputs = names,
                                      .input_count = 3,
                                      .output = "out",
                                      .type = "u64",
                                      .merge = true,
                                      .part_number = 1,
                                      .part_count = 1 + (uint32_t)test_below(&random, 2)};
        enum gs_status status = gs_run(&options, NULL, NULL);
        if (options.part_count == 1 || status != GS_OK)
            assert_int_equal(status, disorder > 0 ? GS_E_INPUT : GS_OK);
        remove("out");
    }
    for (size_t i = 0; i < 3; i++)
        remove(names[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parts__random_cases__as_the_model),
        cmocka_unit_test(test_parts__of_long_files__look_at_little),
        cmocka_unit_test(test_parts__of_unsorted_files__end),
    };
    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown_empty);
}
