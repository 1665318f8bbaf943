/* test_counted.c: numbers of 1 and 2 bytes, which are sorted by counting: against the model, and
 * against the same sort by runs, which says what the report should be. --top, --where, quantiles,
 * pieces of all sizes. Run: build/dev/tests/test_counted */
#include "support/scratch.h"

#include "base/report.h"
#include "support/record_model.h"

#include "support/struct_jobs.h"

#define ROUNDS 300
#define MOST   60000

static uint8_t in[2 * MOST], kept[2 * MOST], want[2 * MOST], got[2 * MOST];

/* The report of a sort by counting, with what has to be in `want`. */
static void check_report(const struct gs_report *counted, const struct gs_report *sorted, int round)
{
    assert_int_equal(counted->run_count, 0);
    assert_int_equal(counted->spilled_bytes, 0);
    assert_memory_equal(&counted->tally, &sorted->tally, sizeof sorted->tally);
    assert_int_equal(counted->field_count, sorted->field_count);
    assert_memory_equal(counted->field_tallies, sorted->field_tallies,
                        sorted->field_count * sizeof sorted->field_tallies[0]);
    assert_int_equal(counted->distinct_count, sorted->distinct_count);
    assert_int_equal(counted->mode_count, sorted->mode_count);
    assert_int_equal(counted->has_ends, sorted->has_ends);
    assert_memory_equal(counted->first_key, sorted->first_key, sizeof sorted->first_key);
    assert_memory_equal(counted->last_key, sorted->last_key, sizeof sorted->last_key);
    for (size_t i = 0; i < sorted->quantile_count; i++)
        if (memcmp(counted->quantiles[i].value, sorted->quantiles[i].value, 16) != 0 ||
            counted->quantiles[i].rank != sorted->quantiles[i].rank)
            test_fail("round %d: quantile %zu differs", round, i);
}

static struct gs_report run_sort(const struct gsi_options *options, int round)
{
    struct gs_report report;
    struct gs_error error;
    put_bytes("out", "", 0);
    if (gs_run(options, &report, &error) != GS_OK)
        test_fail("round %d: %s", round, error.text);
    return report;
}

/* A number of `bytes` bytes, as a record of one key. */
static void random_model(struct record_model *model, struct test_random *random)
{
    size_t type;
    do
        type = 1 + test_below(random, RECORD_TYPE_COUNT - 1);
    while (record_types[type].bytes > 2);
    *model = (struct record_model){.bytes = record_types[type].bytes, .key_count = 1};
    model->is_reversed = test_below(random, 2) == 0;
    model->keys[0] = record_key_make(0, record_types[type].name, model->bytes,
                                     model->bytes > 1 && test_below(random, 2) == 0, false);
    model->texts[0] = model->keys[0].text;
}

static void test_counted__random_numbers_and_ways__as_the_model(void **state)
{
    (void)state;
    static const char *const inputs[] = {"in"}, *const quantiles[] = {"0", "0.3", "median", "1"};
    struct test_random random = test_random_make(21);
    for (int round = 0; round < (test_is_small() ? ROUNDS / 6 : ROUNDS); round++) {
        struct record_model model;
        random_model(&model, &random);
        size_t n = test_below(&random, 9) == 0 ? test_below(&random, 3) : test_below(&random, MOST);
        record_fill(&random, (enum record_shape)test_below(&random, RECORD_SHAPE_COUNT), in, n,
                    model.bytes);
        put_bytes("in", in, n * model.bytes);
        record_model_sort(&model, in, want, n);
        bool is_typed = test_below(&random, 2) == 0;
        struct gsi_options options = {.inputs = inputs,
                                      .input_count = 1,
                                      .output = "out",
                                      .type = is_typed ? model.texts[0] + 2 : NULL,
                                      .record_bytes = is_typed ? 0 : model.bytes,
                                      .keys = is_typed ? NULL : model.texts,
                                      .key_count = is_typed ? 0 : 1,
                                      .reverse = model.is_reversed,
                                      .thread_count = 1 + (uint32_t)test_below(&random, 4),
                                      .memory_bytes = (uint64_t)32 << 20,
                                      .window_bytes = test_below(&random, 2) * 12288,
                                      .order_statistics.quantiles = quantiles,
                                      .order_statistics.quantile_count = 4 * test_below(&random, 2),
                                      .order_statistics.distinct = true,
                                      .order_statistics.mode = true,
                                      .verify_read = test_below(&random, 4) == 0,
                                      .variance = test_below(&random, 2) == 0};
        if (test_below(&random, 3) == 0) {
            options.has_top = true;
            options.top_count = test_below(&random, n + 2);
            options.order_statistics.quantile_count = 0;
            options.order_statistics.distinct = options.order_statistics.mode = false;
        }
        size_t length = options.has_top && options.top_count < n ? options.top_count : n;
        struct gs_report counted = run_sort(&options, round);
        if (get_bytes("out", got, sizeof got) != length * model.bytes ||
            memcmp(got, want, length * model.bytes) != 0)
            test_fail("round %d, %zu of %s: wrong output", round, n, model.texts[0]);
        assert_true(counted.plan.is_counted);
        options.spill_all = true;
        options.verify_read = false;
        struct gs_report sorted = run_sort(&options, round);
        assert_false(sorted.plan.is_counted);
        check_report(&counted, &sorted, round);
    }
    remove("in");
    remove("out");
}

/* What --where leaves out is not counted. */
static void test_counted__conditions__only_what_is_kept(void **state)
{
    (void)state;
    static const char *const inputs[] = {"in"}, *const where[] = {">=0x40"};
    struct test_random random = test_random_make(22);
    struct gsi_options options = {.inputs = inputs,
                                  .input_count = 1,
                                  .output = "out",
                                  .type = "uint8",
                                  .where = where,
                                  .where_count = 1};
    size_t count = 0;
    for (size_t i = 0; i < MOST; i++) {
        in[i] = (uint8_t)test_next(&random);
        if (in[i] >= 0x40)
            kept[count++] = in[i];
    }
    struct record_model model = {.bytes = 1};
    record_model_sort(&model, kept, want, count);
    put_bytes("in", in, MOST);
    struct gs_report report = run_sort(&options, 0);
    assert_true(report.plan.is_counted);
    assert_int_equal(report.left_out_count, MOST - count);
    assert_int_equal(get_bytes("out", got, sizeof got), count);
    assert_memory_equal(got, want, count);
    remove("in");
    remove("out");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_counted__random_numbers_and_ways__as_the_model),
        cmocka_unit_test(test_counted__conditions__only_what_is_kept),
    };
    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown_empty);
}
