/* test_parts.c: checks that a part of a merge reads little more than it merges, and that its search
 * ends even if files are not sorted. For the outputs of parts see model/run_model.py. Run:
 * build/dev/tests/test_parts */
#include "job/job_report.h"
#include "support/scratch.h"
#include "support/struct_jobs.h"

#define FILES 4

static const char *const names[FILES] = {"in0", "in1", "in2", "in3"};

/* Far fewer elements are inspected than merged. */
static void test_parts__of_long_files__look_at_little(void **state)
{
    enum { EACH = 1 << 17 };
    (void)state;
    static uint64_t keys[EACH];
    for (size_t i = 0; i < FILES; i++) {
        for (size_t k = 0; k < EACH; k++)
            keys[k] = k * FILES * (i + 1) + i;
        put_bytes(names[i], keys, sizeof keys);
    }
    uint64_t read = 0, count = 0;
    for (uint32_t part = 1; part <= 8; part++) {
        struct gsi_options options = {.inputs = names,
                                      .input_count = FILES,
                                      .output = "out",
                                      .type = "u64",
                                      .merge = true,
                                      .part_number = part,
                                      .part_count = 8};
        struct gs_report report;
        assert_int_equal(gs_run(&options, &report, NULL), GS_OK);
        read += report.cost.bytes_read;
        count += report.tally.count;
    }
    assert_int_equal(count, FILES * EACH);
    assert_true(read >= FILES * sizeof keys);
    assert_true(read < FILES * sizeof keys + 16 * ((uint64_t)3 << 20) / 2);
    for (size_t i = 0; i < FILES; i++)
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
        cmocka_unit_test(test_parts__of_long_files__look_at_little),
        cmocka_unit_test(test_parts__of_unsorted_files__end),
    };
    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown_empty);
}
