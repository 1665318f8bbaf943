/* test_bracket.c: tests the counts of keys in brackets, from which quantiles follow.
 * For quantiles see model/run_model.py and cli/ranks/not_sorted.sh. Run:
 * build/dev/tests/test_bracket */
#include "support/support.h"

#include "element/number_type.h"
#include "element/quantile/quantile.h"

/* In a bracket of one key, equal keys count only at the low border. */
static void test_brackets__of_one_key__count_it_once(void **state)
{
    (void)state;
    static const char *const types[] = {"u32", "u64", "u128"};
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        const struct gsi_layout layout = gsi_layout_make(gsi_key_type_find(types[i]), false);
        const struct gsi_bracket brackets[] = {{5, 5}, {4, 9}};
        struct gsi_bracket_counts counts[2] = {{0}};
        uint8_t numbers[16 * 100] = {0};
        for (size_t k = 0; k < 100; k++)
            numbers[k * layout.element_bytes] = (uint8_t)(k % 10);
        assert_int_equal(gsi_brackets_scan(&layout, numbers, numbers, 100, brackets, counts, 2),
                         40);
        const struct gsi_bracket_counts want[] = {{.below = 50, .at_low = 10},
                                                  {.below = 40, .at_low = 10, 40, 10}};
        assert_memory_equal(counts, want, sizeof want);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_brackets__of_one_key__count_it_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
