/* test_zst.c: headers and ends of zstd frames, as libzstd sees them. Run:
 * build/dev/tests/test_zst */
#define ZSTD_STATIC_LINKING_ONLY /* skippable frames, parameters of frames */
#include "support/support.h"

#include "element/number_type.h"
#include "input/zst/zst.h"

#include <zstd.h>

#define MOST_BYTES ((size_t)300000)

static uint8_t plain[MOST_BYTES], coded[2 * MOST_BYTES];

/* Half noise, half repetition, so that raw, RLE and compressed blocks all occur. */
static void fill(struct test_random *random, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        plain[i] = i / 50000 % 2 == 0 ? (uint8_t)test_next(random) : (uint8_t)(i / 70000);
}

static size_t make_frame(struct test_random *random, size_t bytes)
{
    ZSTD_CCtx *context = ZSTD_createCCtx();
    ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, (int)test_below(random, 2));
    ZSTD_CCtx_setParameter(context, ZSTD_c_contentSizeFlag, (int)test_below(random, 2));
    ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, 1 + (int)test_below(random, 5));
    size_t length = ZSTD_compress2(context, coded, sizeof coded, plain, bytes);
    ZSTD_freeCCtx(context);
    assert_false(ZSTD_isError(length));
    return length;
}

static void test_zst__any_frame__ends_where_libzstd_says(void **state)
{
    (void)state;
    struct test_random random = test_random_make(1);
    for (int i = 0; i < 100; i++) {
        size_t bytes = i < 4 ? (size_t)i : test_below(&random, MOST_BYTES);
        struct gsi_zst_frame frame;
        fill(&random, bytes);
        size_t length = make_frame(&random, bytes);
        assert_true(gsi_zst_begins(coded, length));
        assert_int_equal(gsi_zst_frame_read(coded, length, &frame), 0);
        assert_false(frame.is_skippable);
        assert_true(frame.content_bytes == bytes || frame.content_bytes == GSI_ZST_UNKNOWN);
        struct gsi_zst_walk walk = gsi_zst_walk_begin(&frame);
        uint64_t whole = 0;
        for (uint64_t have = 1; whole == 0; have = walk.next_off + 3) {
            assert_true(have <= length);
            whole = gsi_zst_walk_continue(&walk, coded, have);
        }
        if (whole != length)
            test_fail("frame %d of %zu bytes ends at %llu, not %zu", i, bytes,
                      (unsigned long long)whole, length);
    }
}

static void test_zst__a_cut_header__wants_more(void **state)
{
    (void)state;
    struct test_random random = test_random_make(2);
    struct gsi_zst_frame frame;
    for (int i = 0; i < 50; i++) {
        size_t length = make_frame(&random, test_below(&random, 5000));
        int wanted = 0;
        for (size_t bytes = 0; (wanted = gsi_zst_frame_read(coded, bytes, &frame)) != 0;
             bytes = (size_t)wanted)
            assert_true(wanted > (int)bytes && (size_t)wanted <= length);
        assert_true(frame.header_bytes <= GSI_ZST_HEADER_BYTES);
    }
}

static void test_zst__skippable_frames__say_their_size(void **state)
{
    (void)state;
    struct gsi_zst_frame frame;
    for (unsigned kind = 0; kind < 16; kind++) {
        size_t length = ZSTD_writeSkippableFrame(coded, sizeof coded, plain, 1000 + kind, kind);
        assert_int_equal(length, 1008 + kind);
        assert_true(gsi_zst_begins(coded, length));
        assert_int_equal(gsi_zst_frame_read(coded, 8, &frame), 0);
        assert_true(frame.is_skippable && frame.header_bytes == 8);
        assert_int_equal(frame.content_bytes, 1000 + kind);
    }
}

static void test_zst__plain_data__begin_no_frame(void **state)
{
    (void)state;
    struct gsi_zst_frame frame;
    static const uint8_t magic[] = {0x28, 0xb5, 0x2f, 0xfd};
    static const uint8_t others[][4] = {{0, 0, 0, 0},
                                        {0x28, 0xb5, 0x2f, 0xfc},
                                        {0x4f, 0x2a, 0x4d, 0x18},
                                        {0x60, 0x2a, 0x4d, 0x18},
                                        {0x28, 0xb5, 0x2f, 0x00}};
    assert_true(gsi_zst_begins(magic, 4));
    assert_false(gsi_zst_begins(magic, 3));
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        assert_false(gsi_zst_begins(others[i], 4));
        memcpy(coded, others[i], 4);
        memset(coded + 4, 0, 20);
        assert_true(gsi_zst_frame_read(coded, 24, &frame) < 0);
    }
}

/* Nothing is read outside what is there, whatever it is (the sanitizer looks). */
static void test_zst__random_bytes_behind_a_magic__are_survived(void **state)
{
    (void)state;
    struct test_random random = test_random_make(3);
    for (int i = 0; i < 20000; i++) {
        size_t bytes = 4 + test_below(&random, 60);
        uint8_t *data = malloc(bytes), out[100];
        struct gsi_zst_frame frame;
        assert_non_null(data);
        for (size_t j = 0; j < bytes; j++)
            data[j] = (uint8_t)test_next(&random);
        memcpy(data, (const uint8_t[]){0x28, 0xb5, 0x2f, 0xfd}, 4);
        if (gsi_zst_frame_read(data, bytes, &frame) == 0 && !frame.is_skippable) {
            struct gsi_zst_walk walk = gsi_zst_walk_begin(&frame);
            gsi_zst_walk_continue(&walk, data, bytes);
        }
        assert_true(gsi_zst_peek(data, bytes, out, sizeof out) <= sizeof out);
        free(data);
    }
}

static void test_zst__peek__gives_the_beginning(void **state)
{
    (void)state;
    struct test_random random = test_random_make(4);
    uint8_t out[5000];
    fill(&random, MOST_BYTES);
    size_t length = make_frame(&random, MOST_BYTES);
    assert_int_equal(gsi_zst_peek(coded, length, out, sizeof out), sizeof out);
    assert_memory_equal(out, plain, sizeof out);
    assert_int_equal(gsi_zst_peek(coded, 3, out, sizeof out), 0);
}

/* Frames of many blocks that refer to earlier ones, cut anywhere, one after the other. The output
 * has the contents of the whole blocks. */
static void test_zst__peek__sees_whole_blocks_of_frames(void **state)
{
    (void)state;
    struct test_random random = test_random_make(5);
    static uint8_t out[MOST_BYTES];
    for (int round = 0; round < 200; round++) {
        size_t most = 1 + test_below(&random, MOST_BYTES), half = most / 2;
        fill(&random, MOST_BYTES);
        memcpy(plain + half, plain, half);
        size_t length = make_frame(&random, most), cut = test_below(&random, length + 1);
        size_t wanted = test_below(&random, sizeof out + 1);
        size_t got = gsi_zst_peek(coded, length, out, wanted);
        assert_int_equal(got, most < wanted ? most : wanted);
        assert_memory_equal(out, plain, got);
        got = gsi_zst_peek(coded, cut, out, most);
        assert_in_range(got, 0, most);
        assert_memory_equal(out, plain, got);
    }
}

/* Says that it looks back upon 2 GiB: a raw block, then one of equal bytes; cut short. */
static void test_zst__peek__of_a_long_window(void **state)
{
    (void)state;
    const uint8_t frame[] = {0x28, 0xb5, 0x2f, 0xfd, 0, 0xa8, 3 << 3, 0, 0,
                             'a',  'b',  'c',  0xaa, 0, 0,    'd',    9, 0};
    uint8_t out[100];
    assert_int_equal(gsi_zst_peek(frame, sizeof frame, out, sizeof out), 24);
    assert_memory_equal(out, "abcddddddddddddddddddddd", 24);
}

static void test_names__packed__have_the_type_of_what_is_in_them(void **state)
{
    (void)state;
    static const struct {
        const char *path, *type; /* NULL: none */
        bool is_zst, is_npy;
    } rows[] = {{"x.f64", "f64", false, false},
                {"x.f64.zst", "f64", true, false},
                {"d.zst/books_200M_uint64", "u64", false, false},
                {"books_200M_uint64.zst", "u64", true, false},
                {"x.zst", NULL, true, false},
                {".zst", NULL, false, false},
                {"f64.zst", "f64", true, false},
                {"x.f64.zst.bak", NULL, false, false},
                {"x.zst.u32", "u32", false, false},
                {"x.u32.zst/", NULL, false, false},
                {"x.npy", NULL, false, true},
                {"d.npy/x.npy.zst", NULL, true, true},
                {"npy.zst", NULL, true, false},
                {"x.npy/y", NULL, false, false}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct gsi_type_word *word = gsi_type_word_of_file(rows[i].path);
        const char *name = word != NULL ? word->type : "none";
        if (strcmp(name, rows[i].type != NULL ? rows[i].type : "none") != 0 ||
            gsi_name_is_zst(rows[i].path) != rows[i].is_zst ||
            gsi_name_ends(rows[i].path, "npy") != rows[i].is_npy)
            test_fail("'%s': type %s", rows[i].path, name);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_zst__any_frame__ends_where_libzstd_says),
        cmocka_unit_test(test_zst__a_cut_header__wants_more),
        cmocka_unit_test(test_zst__skippable_frames__say_their_size),
        cmocka_unit_test(test_zst__plain_data__begin_no_frame),
        cmocka_unit_test(test_zst__random_bytes_behind_a_magic__are_survived),
        cmocka_unit_test(test_zst__peek__gives_the_beginning),
        cmocka_unit_test(test_zst__peek__sees_whole_blocks_of_frames),
        cmocka_unit_test(test_zst__peek__of_a_long_window),
        cmocka_unit_test(test_names__packed__have_the_type_of_what_is_in_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
