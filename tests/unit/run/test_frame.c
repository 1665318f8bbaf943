/* test_frame.c: frames survive the trip, and no damage goes unseen; frames are predicted in order.
 * Run: build/dev/tests/test_frame */
#include "support/support.h"

#include "element/key_scope.h"
#include "run/frame.h"
#include "spill/read_order.h"

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
    *ref = gsi_frame_describe(frame);
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

static void test_predict__frames__come_by_first_key_run_and_place(void **state)
{
    (void)state;
    static const uint8_t keys[3][4] = {{1, 5, 5, 9}, {1, 1, 2, 8}, {0, 5, 6, 7}};
    struct gsi_layout layout = layout_of("u64");
    struct gsi_frame_ref frames[3][4] = {0};
    struct gsi_spilled_run runs[3];
    const struct gsi_spilled_run *table[3];
    for (int r = 0; r < 3; r++) {
        for (int f = 0; f < 4; f++)
            frames[r][f].first_key[0] = keys[r][f];
        runs[r] = (struct gsi_spilled_run){.frames = frames[r], .frame_count = 4};
        table[r] = &runs[r];
    }
    struct gsi_ordered_frame order[12];
    static const struct gsi_ordered_frame want[12] = {{2, 0}, {0, 0}, {1, 0}, {1, 1},
                                                      {1, 2}, {0, 1}, {0, 2}, {2, 1},
                                                      {2, 2}, {2, 3}, {1, 3}, {0, 3}};
    gsi_read_order_make(&layout, table, 3, order);
    for (int i = 0; i < 12; i++) {
        assert_int_equal(order[i].run_idx, want[i].run_idx);
        assert_int_equal(order[i].frame_idx, want[i].frame_idx);
    }
}

/* Many runs of any length, with many equal keys and none at all: each frame once, in order. */
static void test_predict__random_runs__in_order_and_complete(void **state)
{
    (void)state;
    enum { RUNS = 23, MOST_FRAMES = 60 };
    static struct gsi_frame_ref frames[RUNS][MOST_FRAMES];
    static struct gsi_ordered_frame order[RUNS * MOST_FRAMES];
    struct gsi_layout layout = layout_of("u64");
    for (uint64_t salt = 0; salt < 200; salt++) {
        struct test_random random = test_random_make(salt);
        struct gsi_spilled_run runs[RUNS];
        const struct gsi_spilled_run *table[RUNS];
        uint32_t run_count = (uint32_t)test_below(&random, RUNS + 1);
        uint64_t next_frame[RUNS] = {0}, frame_count = 0;
        for (uint32_t r = 0; r < run_count; r++) {
            uint8_t key = 0;
            runs[r] = (struct gsi_spilled_run){.frames = frames[r],
                                               .frame_count = test_below(&random, MOST_FRAMES)};
            for (uint64_t f = 0; f < runs[r].frame_count; f++) {
                key = (uint8_t)(key + test_below(&random, 1 + salt % 4));
                frames[r][f].first_key[0] = key;
            }
            frame_count += runs[r].frame_count;
            table[r] = &runs[r];
        }
        gsi_read_order_make(&layout, table, run_count, order);
        for (uint64_t i = 0; i < frame_count; i++) {
            const struct gsi_ordered_frame *at = &order[i], *before = &order[i - (i > 0)];
            uint8_t key = frames[at->run_idx][at->frame_idx].first_key[0];
            uint8_t key_before = frames[before->run_idx][before->frame_idx].first_key[0];
            if (at->run_idx >= run_count || at->frame_idx != next_frame[at->run_idx]++ ||
                key < key_before || (key == key_before && at->run_idx < before->run_idx))
                test_fail("salt %llu: entry %llu", (unsigned long long)salt, (unsigned long long)i);
        }
    }
}

/* Records: frames name bytes of the key after those that all records shared at that time. */
static void test_predict__frames_of_different_scopes__in_order(void **state)
{
    (void)state;
    enum { RUNS = 9, KEY_BYTES = 32, MIXED_BYTES = 6 };
    const char *key = "0:b32";
    uint8_t shared[KEY_BYTES], keys[RUNS][KEY_BYTES];
    struct gsi_record record;
    struct gs_error error = {0};
    memset(shared, 'm', sizeof shared);
    assert_int_equal(gsi_record_make(KEY_BYTES, &key, 1, NULL, 0, false, &record, &error), GS_OK);
    struct gsi_key_scope scope = {.record = &record, .first = shared, .has_first = true};
    struct gsi_layout layout = gsi_layout_make_records(&record, &scope, false);
    for (uint64_t salt = 0; salt < 100; salt++) {
        struct test_random random = test_random_make(salt);
        struct gsi_frame_ref frames[RUNS][2] = {0};
        struct gsi_spilled_run runs[RUNS];
        const struct gsi_spilled_run *table[RUNS];
        struct gsi_ordered_frame order[2 * RUNS];
        for (uint32_t r = 0; r < RUNS; r++) {
            struct gsi_frame_ref *frame = &frames[r][1]; /* the first frame is read first */
            frame->key_off = (uint32_t)test_below(&random, MIXED_BYTES);
            memset(keys[r], 'm', KEY_BYTES);
            for (uint32_t i = frame->key_off; i < MIXED_BYTES; i++)
                keys[r][i] = (uint8_t)('l' + test_below(&random, 3));
            memcpy(frame->first_key, keys[r] + frame->key_off, sizeof frame->first_key);
            runs[r] = (struct gsi_spilled_run){.frames = frames[r], .frame_count = 2};
            table[r] = &runs[r];
        }
        gsi_read_order_make(&layout, table, RUNS, order);
        for (uint32_t i = RUNS + 1; i < 2 * RUNS; i++)
            if (memcmp(keys[order[i - 1].run_idx], keys[order[i].run_idx], KEY_BYTES) > 0)
                test_fail("salt %llu: entry %u", (unsigned long long)salt, i);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_frame__whole__is_accepted),
        cmocka_unit_test(test_frame__any_bit_flipped__is_refused),
        cmocka_unit_test(test_frame__another_frame__is_refused),
        cmocka_unit_test(test_frame__longer_than_its_place__is_refused),
        cmocka_unit_test(test_predict__frames__come_by_first_key_run_and_place),
        cmocka_unit_test(test_predict__random_runs__in_order_and_complete),
        cmocka_unit_test(test_predict__frames_of_different_scopes__in_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
