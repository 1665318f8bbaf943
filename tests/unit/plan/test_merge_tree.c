/* test_merge_tree.c: passes of intermediate merges end at the fan-in and move the fewest bytes.
 * Run: build/dev/tests/test_merge_tree */
#include "support/support.h"

#include "base/checked.h"
#include "plan/merge_tree.h"

#define RUNS_MAX 400

/* Carry out all passes on runs[n]; the bytes they move. */
static uint64_t moved_by_passes(uint64_t *runs, uint64_t n, uint64_t fan_in)
{
    uint64_t moved = 0;
    while (n > fan_in) {
        struct gsi_merge_pass pass = gsi_merge_pass_make(n, fan_in);
        uint64_t first = gsi_merge_pass_first_run(&pass, runs), from = first, to = first;
        assert_in_range(pass.first_group, 2, fan_in);
        assert_true(first + pass.span <= n);
        for (uint64_t g = 0; g < pass.group_count; g++) {
            uint64_t bytes = 0, group = g == 0 ? pass.first_group : fan_in;
            for (uint64_t i = 0; i < group; i++)
                bytes += runs[from++];
            runs[to++] = bytes;
            moved += bytes;
        }
        assert_int_equal(from, first + pass.span);
        while (from < n)
            runs[to++] = runs[from++];
        n = to;
        assert_int_equal(n, gsi_merge_pass_runs_after(&pass));
        assert_true(n >= fan_in);
    }
    return moved;
}

/* Huffman's tree, which may merge any runs, not neighbours alone: nothing moves fewer bytes. The
 * last merge, to the output, is not counted. */
static uint64_t moved_at_least(uint64_t *runs, uint64_t n, uint64_t fan_in)
{
    uint64_t moved = 0, group = (n - 2) % (fan_in - 1) + 2;
    while (n > fan_in) {
        uint64_t bytes = 0;
        for (uint64_t i = 0; i < group; i++) {
            uint64_t least = 0;
            for (uint64_t r = 1; r < n; r++)
                if (runs[r] < runs[least])
                    least = r;
            bytes += runs[least];
            runs[least] = runs[--n];
        }
        runs[n++] = bytes;
        moved += bytes;
        group = fan_in;
    }
    return moved;
}

static void test_merge_tree__equal_runs__nothing_moves_fewer_bytes(void **state)
{
    (void)state;
    for (uint64_t fan_in = 2; fan_in < 20; fan_in++)
        for (uint64_t n = fan_in + 1; n < RUNS_MAX; n++) {
            uint64_t runs[RUNS_MAX], others[RUNS_MAX];
            for (uint64_t i = 0; i < n; i++)
                runs[i] = others[i] = 1000;
            uint64_t moved = moved_by_passes(runs, n, fan_in);
            uint64_t least = moved_at_least(others, n, fan_in);
            if (moved != least)
                test_fail("%llu runs, fan-in %llu: moves %llu bytes, not %llu",
                          (unsigned long long)n, (unsigned long long)fan_in,
                          (unsigned long long)moved, (unsigned long long)least);
        }
}

/* One pass; the last run is short and so among those that are moved. */
static void test_merge_tree__short_last_run__is_moved(void **state)
{
    (void)state;
    for (uint64_t fan_in = 3; fan_in < 20; fan_in++)
        for (uint64_t n = fan_in + 1; n < fan_in * fan_in; n++) {
            uint64_t runs[RUNS_MAX], others[RUNS_MAX];
            for (uint64_t i = 0; i < n; i++)
                runs[i] = others[i] = i + 1 < n ? 1000 : 10;
            assert_int_equal(moved_by_passes(runs, n, fan_in), moved_at_least(others, n, fan_in));
        }
}

static void test_merge_tree__uneven_runs__the_smallest_neighbours_are_moved(void **state)
{
    (void)state;
    uint64_t runs[] = {9, 9, 2, 3, 1, 9, 9};
    struct gsi_merge_pass pass = gsi_merge_pass_make(7, 5);
    assert_int_equal(pass.span, 3);
    assert_int_equal(pass.group_count, 1);
    assert_int_equal(gsi_merge_pass_first_run(&pass, runs), 2);
    assert_int_equal(moved_by_passes(runs, 7, 5), 6);
}

/* As many runs as a plan can have, at once. */
static void test_merge_tree__very_many_runs__no_overflow(void **state)
{
    (void)state;
    for (uint64_t n = (uint64_t)1 << 34, passes = 0; n > 3; passes++) {
        struct gsi_merge_pass pass = gsi_merge_pass_make(n, 3);
        n = gsi_merge_pass_runs_after(&pass);
        assert_in_range(passes, 0, 21);
    }
    struct gsi_merge_pass pass = gsi_merge_pass_make((uint64_t)1 << 40, UINT32_MAX);
    assert_int_equal(gsi_merge_pass_runs_after(&pass), UINT32_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_merge_tree__equal_runs__nothing_moves_fewer_bytes),
        cmocka_unit_test(test_merge_tree__short_last_run__is_moved),
        cmocka_unit_test(test_merge_tree__uneven_runs__the_smallest_neighbours_are_moved),
        cmocka_unit_test(test_merge_tree__very_many_runs__no_overflow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
