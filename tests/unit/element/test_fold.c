/* test_fold.c: tests folded fields: sums at the limits of their types, and totals that reveal
 * losses. For whole jobs see tests/model/run_model.py. Run: build/dev/tests/test_fold */
#include "support/groups.h"
#include "support/record_model.h"
#include "support/record_tallies.h"

#include "base/choices.h"
#include "element/fold/fold.h"
#include "element/layout.h"
#include "element/record/record_tally.h"
#include "element/tally/tally_sums.h"

#define BYTES 24 /* key, u32; i32; f64; u64 */
#define MOST  200

static struct gsi_record record;
static struct gsi_fold fold;
static struct gs_error error;

static void set_up(bool is_wide)
{
    const char *key = "0:u32";
    memset(&error, 0, sizeof error);
    fold = (struct gsi_fold){0};
    assert_int_equal(gsi_record_make(BYTES, &key, 1, NULL, 0, false, &record, &error), GS_OK);
    assert_int_equal(gsi_fold_add_field(&fold, &record, 0, GSI_FOLD_SUM, is_wide, "4:i32", &error),
                     GS_OK);
    assert_int_equal(gsi_fold_add_field(&fold, &record, 0, GSI_FOLD_SUM, is_wide, "8:f64", &error),
                     GS_OK);
    assert_int_equal(gsi_fold_add_field(&fold, &record, 0, GSI_FOLD_MAX, is_wide, "16:u64", &error),
                     GS_OK);
}

static void put(uint8_t *element, uint32_t key, int32_t number, double real, uint64_t word)
{
    memcpy(element, &key, 4);
    memcpy(element + 4, &number, 4);
    memcpy(element + 8, &real, 8);
    memcpy(element + 16, &word, 8);
}

/* Elements of one group, a few at a time; the entry is after `elements`. */
static void fold_all(struct gsi_folder *folder, const uint8_t *elements, size_t n, uint8_t *entry)
{
    memcpy(entry, elements, BYTES);
    folder->count = 1;
    for (size_t i = 1, step; i < n; i += step) {
        step = i % 5 < n - i ? i % 5 + 1 : n - i;
        gsi_folder_add(folder, elements, elements + i * BYTES, step);
    }
    assert_int_equal(folder->count, n);
    folder->count = n;
    gsi_folder_end(folder, entry);
}

static void test_fold__sums_on_the_way_too_large__fit_at_the_end(void **state)
{
    (void)state;
    struct gsi_folder folder;
    uint8_t elements[4 * BYTES], entry[BYTES + 64];
    int32_t sum;
    double real;
    set_up(false);
    put(elements, 1, INT32_MAX, 1e308, 3);
    put(elements + BYTES, 1, INT32_MAX, 1e308, 9);
    put(elements + 2 * BYTES, 1, -INT32_MAX, -1e308, 1);
    put(elements + 3 * BYTES, 1, -5, 1e-308, 2);
    struct gsi_bump own = folder_open(&folder, &fold);
    fold_all(&folder, elements, 4, entry);
    memcpy(&sum, entry + 4, 4);
    memcpy(&real, entry + 8, 8);
    assert_int_equal(sum, INT32_MAX - 5);
    assert_true(real == 1e308);
    assert_null(folder.overflow);
    fold_all(&folder, elements, 2, entry);
    assert_ptr_equal(folder.overflow, &fold.fields[0]);
    bump_close(&own);
}

static void test_fold__wide__behind_the_record(void **state)
{
    (void)state;
    struct gsi_folder folder;
    uint8_t elements[2 * BYTES], entry[BYTES + 64];
    int64_t wide;
    double real;
    set_up(true);
    assert_int_equal(fold.wide_bytes, 16);
    put(elements, 1, INT32_MIN, 0.5, 3);
    put(elements + BYTES, 1, INT32_MIN, 0.25, 9);
    struct gsi_bump own = folder_open(&folder, &fold);
    fold_all(&folder, elements, 2, entry);
    memcpy(&wide, entry + BYTES, 8);
    memcpy(&real, entry + BYTES + 8, 8);
    assert_true(wide == 2 * (int64_t)INT32_MIN && real == 0.75);
    assert_memory_equal(entry, elements, 16); /* the fields stay */
    assert_null(folder.overflow);
    bump_close(&own);
}

/* Groups have any length. Totals equal those of a tally of all records, and differ from other
 * tallies. */
static void test_fold__a_record_lost_or_changed__totals_differ(void **state)
{
    (void)state;
    static uint8_t elements[MOST * BYTES];
    struct test_random random = test_random_make(1);
    uint8_t entry[BYTES + 64], other[BYTES];
    struct gsi_tally_report fields[GSI_FIELDS_MAX];
    set_up(false);
    for (int round = 0; round < 50; round++) {
        struct gsi_folder folder;
        size_t n = 1 + test_below(&random, MOST);
        struct gsi_bump own = folder_open(&folder, &fold);
        for (size_t i = 0; i < n; i++)
            put(elements + i * BYTES, 0, (int32_t)test_below(&random, 1000) - 500,
                (double)test_below(&random, 1000) / 7, test_below(&random, 1000));
        for (size_t at = 0, step; at < n; at += step) {
            step = 1 + test_below(&random, n - at);
            fold_all(&folder, elements + at * BYTES, step, entry);
        }
        for (int wrong = 0; wrong < 4; wrong++) {
            struct gsi_bump bump;
            struct gsi_record_tally *tally = record_tally_open(&record, &bump);
            gsi_record_tally_add(tally, elements, n);
            put(other, 0, wrong == 1, wrong == 2 ? 1e-9 : 0, wrong == 3 ? 1000 : 0);
            gsi_record_tally_add(tally, other, wrong > 0);
            gsi_record_tally_finish(tally, fields);
            const struct gsi_fold_field *differs = gsi_folder_differs(&folder, fields);
            assert_ptr_equal(differs, wrong > 0 ? &fold.fields[wrong - 1] : NULL);
            record_tally_close(&bump);
        }
        bump_close(&own);
    }
}

/* Wide sums of integers of every width, sign and byte order, the least and the greatest too. */
static void test_fold__integers__as_a_plain_sum(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint32_t bytes;
        bool is_signed, is_big_endian;
    } rows[] = {
        {"8:uint8", 1, false, false}, {"8:int8", 1, true, false},  {"8:u16", 2, false, false},
        {"8:i16be", 2, true, true},   {"8:u32", 4, false, false},  {"8:i32", 4, true, false},
        {"8:u32be", 4, false, true},  {"8:i32be", 4, true, true},  {"8:u64", 8, false, false},
        {"8:i64", 8, true, false},    {"8:u64be", 8, false, true}, {"8:i64be", 8, true, true}};
    static uint8_t elements[MOST * BYTES];
    struct test_random random = test_random_make(2);
    uint8_t entry[BYTES + 64];
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        const uint32_t bytes = rows[r].bytes, wide = bytes <= 4 ? 8 : 16;
        struct gsi_folder folder;
        gsi_i128 want = 0, got = 0;
        size_t n = 2 + test_below(&random, MOST - 1);
        set_up(true);
        record.field_count = 0;
        fold = (struct gsi_fold){0};
        assert_int_equal(
            gsi_fold_add_field(&fold, &record, 0, GSI_FOLD_SUM, true, rows[r].text, &error), GS_OK);
        struct gsi_bump own = folder_open(&folder, &fold);
        for (size_t i = 0; i < n; i++) {
            uint64_t bits = i % 3 == 0 ? UINT64_MAX : i % 3 == 1 ? 0 : test_next(&random);
            bits ^= rows[r].is_signed ? (uint64_t)1 << (8 * bytes - 1) : 0;
            uint32_t unused = 64 - 8 * bytes;
            want += rows[r].is_signed ? (gsi_i128)((int64_t)(bits << unused) >> unused)
                                      : (gsi_i128)(bits << unused >> unused);
            for (uint32_t b = 0; b < bytes; b++)
                elements[i * BYTES + 8 + (rows[r].is_big_endian ? bytes - 1 - b : b)] =
                    (uint8_t)(bits >> 8 * b);
        }
        fold_all(&folder, elements, n, entry);
        memcpy(&got, entry + fold.fields[0].wide_off, wide);
        if (wide == 8)
            got = rows[r].is_signed ? (gsi_i128)(int64_t)got : got;
        if (got != want)
            test_fail("%s: %lld in place of %lld", rows[r].text, (long long)got, (long long)want);
        bump_close(&own);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fold__sums_on_the_way_too_large__fit_at_the_end),
        cmocka_unit_test(test_fold__wide__behind_the_record),
        cmocka_unit_test(test_fold__integers__as_a_plain_sum),
        cmocka_unit_test(test_fold__a_record_lost_or_changed__totals_differ),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
