/* test_record_tally.c: tests counts of records and checks of their order. Run:
 * build/dev/tests/test_record_tally */
#include "support/record_model.h"
#include "support/record_tallies.h"

#include "element/record/record_mix.h"
#include "element/record/record_tally.h"
#include "element/tally/digest.h"
#include "element/tally/tally_sums.h"

#define MOST_BYTES   90
#define MOST_RECORDS 900

static uint8_t data[MOST_RECORDS * MOST_BYTES];

static struct gsi_record record_make(uint32_t bytes, const char *const *fields, size_t count)
{
    struct gsi_record record;
    struct gs_error error = {0};
    assert_int_equal(gsi_record_make(bytes, NULL, 0, fields, count, false, &record, &error), GS_OK);
    return record;
}

/* The fingerprint depends on every bit of a record of any length, and on the length. */
static void test_mix_record__any_bit_flipped__differs(void **state)
{
    (void)state;
    struct test_random random = test_random_make(1);
    for (uint32_t bytes = 2; bytes <= MOST_BYTES; bytes++) {
        record_fill(&random, bytes % 2 ? RECORD_RANDOM : RECORD_SPECIAL, data, 1, bytes);
        uint64_t mix = gsi_mix_record(data, bytes);
        for (uint32_t bit = 0; bit < 8 * bytes; bit++) {
            data[bit / 8] ^= (uint8_t)(1 << bit % 8);
            assert_true(gsi_mix_record(data, bytes) != mix);
            data[bit / 8] ^= (uint8_t)(1 << bit % 8);
        }
        if (bytes > 2)
            assert_true(gsi_mix_record(data, bytes - 1) != mix);
    }
    memset(data, 0, sizeof data);
    for (uint32_t bytes = 3; bytes <= MOST_BYTES; bytes++) /* zeros only */
        assert_true(gsi_mix_record(data, bytes) != gsi_mix_record(data, bytes - 1));
}

/* Words that change places make another mix. */
static void test_mix_record__words_swapped__differs(void **state)
{
    (void)state;
    struct test_random random = test_random_make(2);
    record_fill(&random, RECORD_RANDOM, data, 1, 80);
    uint64_t mix = gsi_mix_record(data, 80);
    for (uint32_t i = 0; i < 10; i++)
        for (uint32_t j = 0; j < i; j++) {
            uint8_t swapped[80];
            memcpy(swapped, data, 80);
            memcpy(swapped + 8 * i, data + 8 * j, 8);
            memcpy(swapped + 8 * j, data + 8 * i, 8);
            assert_true(gsi_mix_record(swapped, 80) != mix);
        }
}

/* A time is counted as an i64; NaT, its least, is not. */
static bool add_time(struct gsi_tally *tally, const struct record_key *key, const uint8_t *record)
{
    _Alignas(8) uint8_t time[8], nat[8] = {0, 0, 0, 0, 0, 0, 0, 0x80};
    for (uint32_t i = 0; i < 8; i++)
        time[i] = record[key->off + (key->is_big_endian ? 7 - i : i)];
    if (memcmp(time, nat, 8) == 0)
        return false;
    gsi_tally_add(tally, time, 1);
    return true;
}

/* A field among other bytes is counted like a number alone. */
static void test_record_tally__every_type_at_odd_places__as_numbers(void **state)
{
    (void)state;
    struct test_random random = test_random_make(3);
    for (size_t t = 1; t < RECORD_TYPE_COUNT; t++)
        for (int big = 0; big < 2; big++)
            for (uint32_t off = 0; off < 4; off++) {
                uint32_t width = record_types[t].bytes, bytes = off + width + 3;
                struct record_key key =
                    record_key_make(off, record_types[t].name, width, big != 0, false);
                const char *fields[] = {key.text, "0:u16"};
                struct gsi_record record = record_make(bytes, fields, 2);
                size_t n = test_below(&random, MOST_RECORDS);
                record_fill(&random, t % 2 ? RECORD_RANDOM : RECORD_SPECIAL, data, n, bytes);
                struct gsi_layout layout = gsi_layout_make(record.fields[0].type, false);
                struct gsi_tally *want = gsi_tally_create(&layout);
                struct gsi_bump bump;
                struct gsi_record_tally *got = record_tally_open(&record, &bump);
                size_t nats = 0;
                for (size_t i = 0; i < n; i++) {
                    _Alignas(16) uint8_t value[16];
                    if (strcmp(key.type, "time64") == 0)
                        nats += !add_time(want, &key, data + i * bytes);
                    else {
                        record_value(&key, data + i * bytes, value);
                        gsi_tally_add(want, value, 1);
                    }
                }
                gsi_record_tally_add(got, data, n);
                struct gsi_tally_report fields_got[2], of_field = gsi_tally_finish(want);
                struct gsi_tally_report total = gsi_record_tally_finish(got, fields_got);
                assert_int_equal(total.count, n);
                of_field.count += nats;
                of_field.nan_count += nats;
                assert_memory_equal(&fields_got[0], &of_field, sizeof of_field);
                assert_int_equal(fields_got[1].count, n);
                gsi_tally_free(want);
                record_tally_close(&bump);
            }
}

/* Pieces, several accumulators and another order give the same tally, and the digest agrees. */
static void test_record_tally__in_pieces__as_in_one(void **state)
{
    (void)state;
    static const char *const fields[] = {"1:f32", "0:int8"};
    struct test_random random = test_random_make(4);
    struct gsi_record record = record_make(7, fields, 2);
    struct gsi_bump bumps[3];
    struct gsi_record_tally *one = record_tally_open(&record, &bumps[0]),
                            *two = record_tally_open(&record, &bumps[1]),
                            *three = record_tally_open(&record, &bumps[2]);
    struct gsi_digest digest = GSI_DIGEST_EMPTY;
    struct gsi_tally_report a[2], b[2];
    record_fill(&random, RECORD_RANDOM, data, 800, 7);
    gsi_record_tally_add(one, data, 800);
    gsi_record_tally_add(three, data + 7 * 300, 500);
    gsi_record_tally_add(two, data, 300);
    gsi_record_tally_merge(two, three);
    struct gsi_tally_sums saved[3];
    gsi_record_tally_save(two, saved);
    gsi_record_tally_clear(two);
    gsi_record_tally_add_saved(two, saved);
    struct gsi_tally_report whole = gsi_record_tally_finish(one, a),
                            joined = gsi_record_tally_finish(two, b);
    assert_memory_equal(&whole, &joined, sizeof whole);
    assert_memory_equal(a, b, sizeof a);
    gsi_record_digest_add(&record, &digest, data, 800);
    assert_int_equal(digest.count, 800);
    assert_memory_equal(digest.fingerprint, whole.fingerprint, sizeof whole.fingerprint);
    gsi_record_tally_clear(one);
    whole = gsi_record_tally_finish(one, a);
    assert_int_equal(whole.count + whole.fingerprint[0] + whole.fingerprint[1] + a[0].count, 0);
    for (int i = 0; i < 3; i++)
        record_tally_close(&bumps[i]);
}

static int compare_bytes(const void *a, const void *b)
{
    return memcmp(a, b, 23);
}

/* A record that is below the one before it is found at its place, in any pieces. */
static void test_record_digest__one_disorder__found(void **state)
{
    (void)state;
    struct test_random random = test_random_make(5);
    struct gsi_record record = record_make(23, NULL, 0);
    for (int round = 0; round < 600; round++) {
        size_t n = 2 + test_below(&random, MOST_RECORDS - 2);
        uint64_t want = UINT64_MAX;
        record_fill(&random, round % 2 ? RECORD_PREFIX : RECORD_FEW, data, n, 23);
        qsort(data, n, 23, compare_bytes);
        if (round % 3 != 0) {
            size_t bad = 1 + test_below(&random, n - 1);
            memset(data + bad * 23, 0, 23);
            want = memcmp(data + (bad - 1) * 23, data + bad * 23, 23) > 0 ? bad : UINT64_MAX;
        }
        struct gsi_digest all = GSI_DIGEST_EMPTY;
        for (size_t at = 0, step; at < n; at += step) {
            struct gsi_digest piece = GSI_DIGEST_EMPTY;
            step = 1 + test_below(&random, n - at);
            gsi_record_digest_add(&record, &piece, data + at * 23, step);
            gsi_record_digest_join(&record, &all, &piece, at > 0 ? data + (at - 1) * 23 : NULL,
                                   data + at * 23);
        }
        assert_int_equal(all.count, n);
        assert_int_equal(all.disorder_idx, want);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mix_record__any_bit_flipped__differs),
        cmocka_unit_test(test_mix_record__words_swapped__differs),
        cmocka_unit_test(test_record_tally__every_type_at_odd_places__as_numbers),
        cmocka_unit_test(test_record_tally__in_pieces__as_in_one),
        cmocka_unit_test(test_record_digest__one_disorder__found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
