/* test_key_order.c: checks that the map from elements to sort keys is a bijection and has the
 * documented order. Run: build/dev/tests/test_key_order */
#include "support/model.h"

#include "element/tally/digest.h"
#include "element/tally/tally.h"

/* Low bits to put below each pattern of the 16 high bits. */
static const uint64_t corners[] = {0,
                                   1,
                                   2,
                                   0x7fff,
                                   0x8000,
                                   0xffff,
                                   0x00007fffffffffff,
                                   0x0000800000000000,
                                   0x0000fffffffffffe,
                                   0x0000ffffffffffff};

static void check_round_trip(const struct gsi_layout *layout, uint64_t bits)
{
    uint32_t bytes = layout->element_bytes;
    uint64_t element[2] = {bits, bits ^ 0x5555}, key[2] = {0}, back[2] = {0};
    gsi_element_to_key(layout, element, key);
    gsi_key_to_element(layout, key, back);
    if (memcmp(element, back, bytes) != 0)
        test_fail("%s%s: bits %016llx come back as %016llx", layout->type->name,
                  layout->is_reversed ? " reversed" : "", (unsigned long long)bits,
                  (unsigned long long)back[0]);
}

/* If every pattern maps to a key and back, no two elements share a key. */
static void test_key_order__all_high_patterns__come_back(void **state)
{
    (void)state;
    for (size_t t = 0; t < gsi_key_type_count; t++)
        for (int is_reversed = 0; is_reversed < 2; is_reversed++) {
            struct gsi_layout layout = gsi_layout_make(&gsi_key_types[t], is_reversed);
            uint32_t low_bits = layout.element_bytes == 4 ? 16 : 48;
            for (uint64_t high = 0; high < 1 << 16; high++)
                for (size_t c = 0; c < sizeof corners / sizeof corners[0]; c++)
                    check_round_trip(&layout, high << low_bits |
                                                  (corners[c] & (((uint64_t)1 << low_bits) - 1)));
        }
}

struct row {
    const char *type;
    size_t count;
    uint64_t ascending[24][2]; /* low, high word */
};

static const struct row rows[] = {
    {"u32", 5, {{0}, {1}, {0x7fffffff}, {0x80000000}, {0xffffffff}}},
    {"i32", 6, {{0x80000000}, {0x80000001}, {0xffffffff}, {0}, {1}, {0x7fffffff}}},
    {"u64", 5, {{0}, {1}, {INT64_MAX}, {(uint64_t)1 << 63}, {UINT64_MAX}}},
    {"i64",
     6,
     {{(uint64_t)1 << 63}, {((uint64_t)1 << 63) + 1}, {UINT64_MAX}, {0}, {1}, {INT64_MAX}}},
    {"u128", 6, {{0, 0}, {1, 0}, {UINT64_MAX, 0}, {0, 1}, {0, UINT64_MAX}, {1, UINT64_MAX}}},
    {"i128",
     6,
     {{0, (uint64_t)1 << 63},
      {1, (uint64_t)1 << 63},
      {UINT64_MAX, UINT64_MAX},
      {0, 0},
      {1, 0},
      {UINT64_MAX, INT64_MAX}}},
    {"f32",
     17,
     {{0xff800000},
      {0xff7fffff},
      {0xbf800000},
      {0x80800000},
      {0x807fffff},
      {0x80000001},
      {0x80000000},
      {0},
      {1},
      {0x007fffff},
      {0x00800000},
      {0x3f800000},
      {0x7f7fffff},
      {0x7f800000},
      /* NaNs: positive by payload, then negative with the greatest payload first */
      {0x7f800001},
      {0x7fffffff},
      {0xffffffff}}},
    {"f64",
     18,
     {{0xfff0000000000000},
      {0xffefffffffffffff},
      {0xbff0000000000000},
      {0x8010000000000000},
      {0x800fffffffffffff},
      {0x8000000000000001},
      {0x8000000000000000},
      {0},
      {1},
      {0x000fffffffffffff},
      {0x0010000000000000},
      {0x3ff0000000000000},
      {0x7fefffffffffffff},
      {0x7ff0000000000000},
      {0x7ff0000000000001},
      {0x7ff8000000000000},
      {0x7fffffffffffffff},
      {0xffffffffffffffff}}},
};

static void check_order(const struct row *row, bool is_reversed)
{
    struct gsi_layout layout = gsi_layout_make(gsi_key_type_find(row->type), is_reversed);
    for (size_t a = 0; a < row->count; a++)
        for (size_t b = 0; b < row->count; b++) {
            uint64_t key_a[2], key_b[2];
            gsi_element_to_key(&layout, row->ascending[a], key_a);
            gsi_element_to_key(&layout, row->ascending[b], key_b);
            int want = is_reversed ? (a < b) - (a > b) : (a > b) - (a < b);
            int got = gsi_key_compare(&layout, key_a, key_b);
            if (got != want)
                test_fail("%s%s: elements %zu and %zu compare as %d", row->type,
                          is_reversed ? " reversed" : "", a, b, got);
        }
}

static void test_key_order__table__is_ascending_and_its_reverse(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        check_order(&rows[i], false);
        check_order(&rows[i], true);
    }
}

static void test_key_order__negative_nans__are_last(void **state)
{
    (void)state;
    static const struct {
        const char *type;
        uint64_t nan, last;
    } nans[] = {{"f32", 0xffffffff, 0xff800001}, {"f64", UINT64_MAX, 0xfff0000000000001}};
    for (size_t i = 0; i < 2; i++) {
        struct gsi_layout layout = gsi_layout_make(gsi_key_type_find(nans[i].type), false);
        uint64_t key[2] = {0}, last[2] = {0};
        gsi_element_to_key(&layout, &nans[i].nan, key);
        gsi_element_to_key(&layout, &nans[i].last, last);
        assert_true(key[0] > layout.map.nan_above && last[0] > key[0]);
        assert_true(last[0] == (layout.element_bytes == 4 ? UINT32_MAX : UINT64_MAX));
    }
}

/* The order among numbers and among NaNs stays as it is. */
static void check_placed(const struct row *row, bool is_reversed, bool first)
{
    struct gsi_layout layout = gsi_layout_make(gsi_key_type_find(row->type), is_reversed);
    const struct gsi_layout with_order = layout;
    gsi_layout_place_nans(&layout, first ? GSI_NAN_FIRST : GSI_NAN_LAST);
    assert_int_equal(gsi_layout_nans_lead(&layout), first);
    for (size_t a = 0; a < row->count; a++)
        for (size_t b = 0; b < row->count; b++) {
            const uint64_t *const elements[] = {row->ascending[a], row->ascending[b]};
            uint64_t keys[2][2], wanted[2][2], back[2] = {0};
            bool is_nan[2];
            for (size_t i = 0; i < 2; i++) {
                gsi_element_to_key(&layout, elements[i], keys[i]);
                gsi_element_to_key(&with_order, elements[i], wanted[i]);
                is_nan[i] = model_is_nan(row->type, (const uint8_t *)elements[i]);
            }
            gsi_key_to_element(&layout, keys[0], back);
            assert_memory_equal(back, elements[0], layout.element_bytes);
            int want = is_nan[0] != is_nan[1] ? (is_nan[0] == first ? -1 : 1)
                                              : gsi_key_compare(&layout, wanted[0], wanted[1]);
            assert_int_equal(gsi_key_compare(&layout, keys[0], keys[1]), want);
        }
}

static void test_key_order__placed_nans__come_there_in_their_order(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        for (int way = 0; way < 4; way++)
            check_placed(&rows[i], way & 1, way & 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_key_order__all_high_patterns__come_back),
        cmocka_unit_test(test_key_order__table__is_ascending_and_its_reverse),
        cmocka_unit_test(test_key_order__negative_nans__are_last),
        cmocka_unit_test(test_key_order__placed_nans__come_there_in_their_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
