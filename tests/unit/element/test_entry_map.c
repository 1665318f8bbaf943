/* test_entry_map.c: checks the width of a key with its position, and the fields of a record that an
 * entry keeps. For whole jobs see tests/cli/written/written_model.py. Run:
 * build/dev/tests/test_entry_map */
#include "support/support.h"

#include "element/entry/entry_map.h"

#include <string.h>

static struct gsi_entry_map entry_map;
static struct gsi_record record;
static struct gs_error error;

static struct gsi_layout records(uint32_t bytes, const char *key, bool is_reversed)
{
    memset(&error, 0, sizeof error);
    assert_int_equal(gsi_record_make(bytes, &key, 1, NULL, 0, is_reversed, &record, &error), GS_OK);
    return gsi_layout_make_records(&record, NULL, is_reversed);
}

static void test_positions__as_narrow_as_they_can_be(void **state)
{
    (void)state;
    const struct {
        const char *key;
        uint64_t most;
        bool has_groups;
        enum gsi_entry_kind kind;
        uint32_t bytes;
    } rows[] = {
        {"0:u32", (uint64_t)1 << 32, false, GSI_ENTRY_NUMBER, 8},
        {"0:u32", ((uint64_t)1 << 32) + 1, false, GSI_ENTRY_NUMBER, 16},
        {"0:u32", UINT64_MAX, false, GSI_ENTRY_NUMBER, 16},
        {"0:uint8", (uint64_t)1 << 56, false, GSI_ENTRY_NUMBER, 8},
        {"0:f64", UINT64_MAX, false, GSI_ENTRY_NUMBER, 16},
        {"0:b10", (uint64_t)1 << 48, false, GSI_ENTRY_NUMBER, 16},
        {"0:b10", ((uint64_t)1 << 48) + 1, false, GSI_ENTRY_KEY, 18},
        {"0:b15", 256, false, GSI_ENTRY_NUMBER, 16},
        {"0:u128", 1, false, GSI_ENTRY_KEY, 24},
        {"0:u32", 10, true, GSI_ENTRY_KEY, 12},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct gsi_layout layout = records(40, rows[i].key, false);
        assert_int_equal(
            gsi_entry_positions(&entry_map, &layout, rows[i].most, rows[i].has_groups, 8, &error),
            GS_OK);
        if (entry_map.kind != rows[i].kind || entry_map.entry_bytes != rows[i].bytes)
            fail_msg("%s of %llu: %u bytes", rows[i].key, (unsigned long long)rows[i].most,
                     entry_map.entry_bytes);
    }
}

static void test_positions__too_long_keys__are_refused(void **state)
{
    (void)state;
    struct gsi_layout layout = records(65536, "0:b65529", false);
    assert_int_equal(gsi_entry_positions(&entry_map, &layout, 1, false, 8, &error), GS_E_USAGE);
    layout = records(65536, "0:b65528", false);
    assert_int_equal(gsi_entry_positions(&entry_map, &layout, 1, false, 8, &error), GS_OK);
}

/* The last position that fits sorts after the one before it, and is unchanged. */
static void test_positions__of_4_bytes__end_at_their_largest(void **state)
{
    (void)state;
    const uint64_t most = (uint64_t)1 << 32;
    assert_true(gsi_entry_positions_fit(0, 4) && gsi_entry_positions_fit(most, 4));
    assert_false(gsi_entry_positions_fit(most + 1, 4) || gsi_entry_positions_fit(2 * most, 4));
    assert_true(gsi_entry_positions_fit(most + 1, 8) && gsi_entry_positions_fit(UINT64_MAX, 8));
}

static void test_positions__largest_ones__stay_in_order(void **state)
{
    (void)state;
    static const char *const keys[] = {"0:i16:desc", "0:f32", "0:i64be", "0:b13", "0:b30"};
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        uint8_t elements[2 * 40] = {[3] = 0x80, [43] = 0x80}, entries[2 * 64], written[16];
        struct gsi_layout layout = records(40, keys[i], false);
        uint64_t most = (uint64_t)1 << 24;
        gsi_entry_positions(&entry_map, &layout, most, false, 8, &error);
        gsi_u128 sum = 2 * most - 3;
        gsi_entry_make(&entry_map, elements, 2, most - 2, NULL, 0, entries);
        assert_true(gsi_entry_write(&entry_map, entries, 2, entry_map.entry_bytes, written) == sum);
        uint64_t places[2];
        memcpy(places, written, sizeof places);
        assert_int_equal(places[0], most - 2);
        assert_int_equal(places[1], most - 1);
        /* Equal keys: all but the position is the same. */
        if (entry_map.kind == GSI_ENTRY_KEY)
            assert_memory_equal(entries, entries + entry_map.entry_bytes, entry_map.key_bytes);
        else
            assert_memory_equal(entries + entry_map.position_bits / 8,
                                entries + entry_map.entry_bytes + entry_map.position_bits / 8,
                                entry_map.entry_bytes - entry_map.position_bits / 8);
    }
}

/* Entries that a device made as they are written are copied, and their sums are those of the
 * elements. */
static void test_positions__copied__as_those_that_are_put(void **state)
{
    (void)state;
    const struct gsi_layout layout = gsi_layout_make(gsi_key_type_find("u64"), false);
    const uint64_t elements[3] = {7, 7, 1}, most = ((uint64_t)1 << 32) - 3;
    for (uint32_t bytes = 4; bytes <= 8; bytes += 4) {
        uint8_t entries[3 * 16], put[3 * 8], copied[3 * 8 + 1] = {[24] = 9};
        assert_int_equal(gsi_entry_positions(&entry_map, &layout, most + 3, false, bytes, &error),
                         GS_OK);
        gsi_entry_make(&entry_map, (const uint8_t *)elements, 3, most, NULL, 0, entries);
        gsi_u128 sum = gsi_entry_write(&entry_map, entries, 3, 16, put);
        assert_true(gsi_entry_write_positions(&entry_map, put, 3, copied) == sum &&
                    sum == 3 * most + 3);
        assert_memory_equal(copied, put, 3 * bytes);
        assert_int_equal(copied[3 * bytes], bytes == 8 ? 9 : 0); /* nothing after them */
    }
}

static void test_positions__by_a_device__of_numbers_and_words(void **state)
{
    (void)state;
    const struct {
        const char *key; /* of records of `bytes`; NULL: u64 */
        uint32_t bytes;
        bool has_groups, is_suited;
    } rows[] = {
        {NULL, 8, false, true},           {NULL, 8, true, false},     {"0:time64", 8, false, true},
        {"0:i64be:desc", 8, false, true}, {"0:u32", 8, false, false}, /* does not say all */
        {"0:u32", 4, false, true},        {"0:u16", 2, false, false}, {"0:u32", 4, true, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct gsi_layout layout = rows[i].key != NULL
                                       ? records(rows[i].bytes, rows[i].key, false)
                                       : gsi_layout_make(gsi_key_type_find("u64"), false);
        gsi_entry_positions(&entry_map, &layout, 1000, rows[i].has_groups, 8, &error);
        if (gsi_entry_suits_device(&entry_map) != rows[i].is_suited)
            fail_msg("%zu: %d", i, rows[i].is_suited);
    }
    gsi_entry_fields(&entry_map, &entry_map.input);
    assert_false(gsi_entry_suits_device(&entry_map));
}

/* Numbers and bytes, ascending and descending: the first is the smaller number. */
static void test_positions__keys_of_records__are_in_order(void **state)
{
    (void)state;
    const struct {
        const char *key;
        uint8_t first, second;
    } rows[] = {{"1:b1", 3, 200},         {"1:b1:desc", 200, 3}, {"1:int8", 200, 3},
                {"1:int8:desc", 3, 200},  {"0:u16", 3, 200},     {"0:i16be:desc", 200, 199},
                {"1:b1:desc", 0xff, 0x7f}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const uint8_t elements[4] = {0, rows[i].first, 0, rows[i].second};
        uint64_t entries[2];
        struct gsi_layout layout = records(2, rows[i].key, false);
        gsi_entry_positions(&entry_map, &layout, 100, false, 8, &error);
        gsi_entry_make(&entry_map, elements, 2, 98, NULL, 0, (uint8_t *)entries);
        if (entry_map.entry_bytes != 8 || entries[0] >= entries[1])
            fail_msg("%s: %u does not come before %u", rows[i].key, rows[i].first, rows[i].second);
    }
}

static void test_fields__needed_bytes__are_side_by_side(void **state)
{
    (void)state;
    struct gsi_layout layout = records(20, "8:b4", false);
    uint8_t element[20], entries[20], written[20];
    for (uint8_t i = 0; i < sizeof element; i++)
        element[i] = i;
    gsi_entry_fields(&entry_map, &layout);
    gsi_entry_need(&entry_map, 8, 4);
    gsi_entry_need(&entry_map, 18, 1);
    gsi_entry_write_field(&entry_map, 17, 3);
    gsi_entry_write_field(&entry_map, 10, 3);
    gsi_entry_write_field(&entry_map, 0, 1);
    gsi_entry_lay_out(&entry_map, false);
    assert_int_equal(entry_map.entry_bytes, 1 + 5 + 3);
    assert_int_equal(gsi_entry_offset_of(&entry_map, 8), 1);
    gsi_entry_make(&entry_map, element, 1, 0, NULL, 0, entries);
    assert_memory_equal(entries, ((uint8_t[]){0, 8, 9, 10, 11, 12, 17, 18, 19}), 9);
    entries[9] = 99; /* after it: it stays there */
    gsi_entry_write(&entry_map, entries, 1, 10, written);
    assert_memory_equal(written, ((uint8_t[]){17, 18, 19, 10, 11, 12, 0, 99}), 8);
}

static void test_fields__last_byte_only__is_a_record(void **state)
{
    (void)state;
    struct gsi_layout layout = records(20, "19:uint8", false);
    uint8_t element[20] = {[18] = 7, [19] = 9}, entries[1], written[1];
    gsi_entry_fields(&entry_map, &layout);
    gsi_entry_write_field(&entry_map, 19, 1);
    gsi_entry_lay_out(&entry_map, false);
    assert_int_equal(entry_map.entry_bytes, 1);
    gsi_entry_make(&entry_map, element, 1, 0, NULL, 0, entries);
    assert_int_equal(entries[gsi_entry_offset_of(&entry_map, 19)], 9);
    gsi_entry_write(&entry_map, entries, 1, 1, written);
    assert_int_equal(written[0], 9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_positions__as_narrow_as_they_can_be),
        cmocka_unit_test(test_positions__too_long_keys__are_refused),
        cmocka_unit_test(test_positions__of_4_bytes__end_at_their_largest),
        cmocka_unit_test(test_positions__largest_ones__stay_in_order),
        cmocka_unit_test(test_positions__copied__as_those_that_are_put),
        cmocka_unit_test(test_positions__by_a_device__of_numbers_and_words),
        cmocka_unit_test(test_positions__keys_of_records__are_in_order),
        cmocka_unit_test(test_fields__needed_bytes__are_side_by_side),
        cmocka_unit_test(test_fields__last_byte_only__is_a_record),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
