/* test_frame.c: checks that frames are restored unchanged, and that all damage is noticed. Run:
 * build/dev/tests/test_frame */
#include "support/support.h"

#include "element/key_scope.h"
#include "run/frame.h"

#define FRAME_BYTES 8192

static struct gsi_layout layout_of(const char *type)
{
    return gsi_layout_make(gsi_key_type_find(type), false);
}

static uint32_t make_frame(const struct gsi_layout *layout, uint8_t *frame, uint32_t count,
                           struct gsi_frame_ref *ref)
{
    struct test_random random = test_random_make(count);
    memset(frame, 0xa5, FRAME_BYTES);
    for (uint32_t i = 0; i < count * layout->key_bytes; i++)
        frame[GSI_FRAME_HEADER_BYTES + i] = (uint8_t)test_next(&random);
    gsi_frame_seal(layout, frame, count, NULL, &(struct gsi_packed_keys){0});
    *ref = gsi_frame_ref_of(frame);
    assert_int_equal(ref->count, count);
    assert_memory_equal(ref->first_key, frame + GSI_FRAME_HEADER_BYTES, layout->key_bytes);
    return ref->bytes;
}

static void test_frame__whole__is_accepted(void **state)
{
    (void)state;
    static const char *const types[] = {"u32", "u64", "u128"};
    for (int t = 0; t < 3; t++) {
        struct gsi_layout layout = layout_of(types[t]);
        uint32_t most = (FRAME_BYTES - GSI_FRAME_HEADER_BYTES) / layout.key_bytes;
        const uint32_t counts[] = {1, 2, 250, most - 1, most};
        for (int c = 0; c < 5; c++) {
            uint8_t frame[FRAME_BYTES];
            struct gsi_frame_ref ref;
            const char *what;
            uint32_t bytes = make_frame(&layout, frame, counts[c], &ref);
            assert_int_equal(bytes % GSI_FRAME_ALIGN, 0);
            assert_in_range(bytes, counts[c] * layout.key_bytes + GSI_FRAME_HEADER_BYTES,
                            FRAME_BYTES);
            assert_int_equal(gsi_frame_open(&layout, frame, FRAME_BYTES, &ref, NULL,
                                            &(struct gsi_packed_keys){0}, &what),
                             GS_OK);
            assert_null(what);
        }
    }
}

/* Every bit of header and data. Padding carries nothing and is not checked. */
static void test_frame__any_bit_flipped__is_refused(void **state)
{
    (void)state;
    struct gsi_layout layout = layout_of("u64");
    uint8_t frame[FRAME_BYTES];
    struct gsi_frame_ref ref;
    const uint32_t count = 60;
    make_frame(&layout, frame, count, &ref);
    for (uint32_t bit = 0; bit < (GSI_FRAME_HEADER_BYTES + count * 8) * 8; bit++) {
        const char *what;
        frame[bit / 8] ^= (uint8_t)(1u << bit % 8);
        if (gsi_frame_open(&layout, frame, FRAME_BYTES, &ref, NULL, &(struct gsi_packed_keys){0},
                           &what) != GS_E_CORRUPT ||
            what == NULL)
            test_fail("bit %u: not seen", bit);
        frame[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
}

static void test_frame__another_frame__is_refused(void **state)
{
    (void)state;
    struct gsi_layout layout = layout_of("u64"), narrow = layout_of("u32");
    uint8_t frame[FRAME_BYTES], other[FRAME_BYTES];
    struct gsi_frame_ref ref, other_ref;
    const char *what;
    make_frame(&layout, frame, 100, &ref);
    make_frame(&layout, other, 101, &other_ref);
    assert_int_equal(gsi_frame_open(&layout, other, FRAME_BYTES, &ref, NULL,
                                    &(struct gsi_packed_keys){0}, &what),
                     GS_E_CORRUPT);
    assert_int_equal(gsi_frame_open(&narrow, frame, FRAME_BYTES, &ref, NULL,
                                    &(struct gsi_packed_keys){0}, &what),
                     GS_E_CORRUPT);
    ref.first_key[0] ^= 1;
    assert_int_equal(gsi_frame_open(&layout, frame, FRAME_BYTES, &ref, NULL,
                                    &(struct gsi_packed_keys){0}, &what),
                     GS_E_CORRUPT);
}

/* A frame is whole, but longer than what was read of it, or than the memory that it is in. */
static void test_frame__longer_than_its_place__is_refused(void **state)
{
    (void)state;
    struct gsi_layout layout = layout_of("u64");
    uint8_t frame[FRAME_BYTES];
    struct gsi_frame_ref ref;
    const char *what;
    make_frame(&layout, frame, 100, &ref);
    assert_int_equal(
        gsi_frame_open(&layout, frame, ref.bytes, &ref, NULL, &(struct gsi_packed_keys){0}, &what),
        GS_OK);
    assert_int_equal(gsi_frame_open(&layout, frame, ref.bytes - 1, &ref, NULL,
                                    &(struct gsi_packed_keys){0}, &what),
                     GS_E_CORRUPT);
    ref.bytes = GSI_FRAME_HEADER_BYTES + 100 * 8 - 1;
    assert_int_equal(gsi_frame_open(&layout, frame, FRAME_BYTES, &ref, NULL,
                                    &(struct gsi_packed_keys){0}, &what),
                     GS_E_CORRUPT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_frame__whole__is_accepted),
        cmocka_unit_test(test_frame__any_bit_flipped__is_refused),
        cmocka_unit_test(test_frame__another_frame__is_refused),
        cmocka_unit_test(test_frame__longer_than_its_place__is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
