/* test_skeleton_codec.c: defines the smallest codec, to be copied for a new one, and tests that
 * each codec must pass.
 *
 * A codec of gsort is a file src/run/codec_WORD.c with the first part of this one, and a row of
 * GSI_CODECS (base/choices.h):
 *
 *     row(CONSTANT, constant, 4u, 0u)       word of --compress, number on disk, no levels
 *
 * then `--compress=constant`, plans, resumed jobs, reports and all tests of codecs know it. It also
 * needs a line in options.md and in src/CMakeLists.txt. */
#include "support/support.h"

#include "run/frame.h"

/* ---- the codec: a frame whose keys are all equal is stored as the first one of them ---- */

/* Must be set. Returns 0, with the keys as they were, if this codec does not make them smaller. */
static size_t encode(struct gsi_coder *coder, uint32_t key_bytes, void *data, uint64_t count,
                     size_t most, struct gsi_packed_keys *packed)
{
    const uint8_t *keys = data;
    (void)coder;
    (void)packed;
    for (uint64_t i = 1; i < count; i++)
        if (memcmp(keys, keys + i * key_bytes, key_bytes) != 0)
            return 0;
    return key_bytes <= most ? key_bytes : 0;
}

/* Must be set. Returns false for bytes that encode does not write. It may get any bytes. */
static bool decode(struct gsi_coder *coder, uint32_t key_bytes, void *data, size_t bytes,
                   uint64_t count, const struct gsi_packed_keys *packed)
{
    uint8_t *keys = data;
    uint64_t *decoded = coder->state;
    if (bytes != key_bytes || packed->is_packed)
        return false;
    for (uint64_t i = 1; i < count; i++)
        memcpy(keys + i * key_bytes, keys, key_bytes);
    ++*decoded;
    return true;
}

/* Without hooks for records, those are coded by zstd. Each thread counts frames in its state. */
static const struct gsi_codec_ops ops = {
    .encode = encode, .decode = decode, .state_bytes = sizeof(uint64_t)};

/* ---- the tests ---- */

#define NUMBER      200 /* on disk */
#define KEYS        4000u
#define FRAME_BYTES (KEYS * 8 + 8192u)

static struct gsi_ledger ledger = {.ceiling_bytes = UINT64_MAX};
static struct gsi_codec codec;
static uint8_t frame[FRAME_BYTES];

static int open_codec(void **state)
{
    (void)state;
    struct gs_error error = {0};
    struct gsi_coder model = {
        .ops = &ops, .id = (enum gsi_codec_id)NUMBER, .level = 1, .data_bytes = FRAME_BYTES};
    return gsi_codec_open_ops(&codec, &ledger, &model, 2, &error) != GS_OK;
}

static int close_codec(void **state)
{
    (void)state;
    gsi_codec_close(&codec);
    return ledger.reserved_bytes != 0;
}

/* Seals a frame of keys, `step` apart. */
static struct gsi_frame_ref seal(const struct gsi_layout *layout, uint64_t step)
{
    const struct gsi_packed_keys packed = {0};
    for (uint64_t i = 0; i < KEYS; i++) {
        uint64_t key = 1000 + i * step;
        memcpy(frame + GSI_FRAME_HEADER_BYTES + i * 8, &key, 8);
    }
    gsi_frame_seal(layout, frame, KEYS, gsi_codec_coder(&codec, 0), &packed);
    return gsi_frame_ref_of(frame);
}

static enum gs_status open_frame(const struct gsi_layout *layout, const struct gsi_frame_ref *ref,
                                 struct gsi_coder *coder)
{
    struct gsi_packed_keys packed = {0};
    const char *what;
    return gsi_frame_open(layout, frame, FRAME_BYTES, ref, coder, &packed, &what);
}

static void test_codec__frames__are_restored(void **state)
{
    (void)state;
    const struct gsi_layout layout = gsi_layout_make(gsi_key_type_find("u64"), false);
    struct gsi_coder *other = gsi_codec_coder(&codec, 1); /* of another thread */
    for (uint64_t step = 0; step < 2; step++) {
        struct gsi_frame_ref ref = seal(&layout, step);
        assert_int_equal(frame[4], step == 0 ? NUMBER : GSI_CODEC_NONE);
        assert_int_equal(ref.bytes == GSI_FRAME_ALIGN, step == 0);
        assert_int_equal(open_frame(&layout, &ref, other), GS_OK);
        for (uint64_t i = 0; i < KEYS; i++) {
            uint64_t key;
            memcpy(&key, frame + GSI_FRAME_HEADER_BYTES + i * 8, 8);
            assert_int_equal(key, 1000 + i * step);
        }
        assert_int_equal(*(const uint64_t *)other->state, 1);
    }
}

static void test_codec__frames_of_others__are_refused(void **state)
{
    (void)state;
    const struct gsi_layout layout = gsi_layout_make(gsi_key_type_find("u64"), false);
    struct gsi_coder *coder = gsi_codec_coder(&codec, 0);
    struct gsi_frame_ref ref = seal(&layout, 0);
    assert_int_equal(open_frame(&layout, &ref, NULL), GS_E_CORRUPT);
    assert_false(gsi_coder_can_decode(coder, true, GSI_CODEC_ZSTD));
    assert_false(gsi_coder_can_decode(coder, false, NUMBER)); /* records */
    assert_false(gsi_coder_can_decode(coder, false, GSI_CODEC_NONE));
}

/* Damaged sizes, and counts that memory does not hold. */
static void test_codec__sizes__are_checked(void **state)
{
    (void)state;
    struct gsi_coder *coder = gsi_codec_coder(&codec, 0);
    struct gsi_packed_keys packed = {0};
    assert_int_equal(gsi_coder_encode(coder, 8, frame, UINT64_MAX / 4, 8, &packed), 0);
    assert_int_equal(gsi_coder_encode(coder, 8, frame, 1, 9, &packed), 0);
    assert_false(gsi_coder_decode(coder, 8, frame, 7, KEYS, &packed));
    assert_false(gsi_coder_decode(coder, 8, frame, 8, FRAME_BYTES, &packed));
    packed.planes.count = 9;
    assert_false(gsi_coder_decode(coder, 8, frame, 8, KEYS, &packed));
}

/* Each row is complete, and the number, the word and the choice are of one codec. */
static void test_codec__rows__are_complete(void **state)
{
    (void)state;
    for (int choice = GSI_COMPRESS_NONE + 1; choice < GSI_COMPRESS_COUNT; choice++) {
        enum gsi_codec_id id = gsi_codec_choose_id((enum gsi_compress_choice)choice, true, false);
        const struct gsi_codec_ops *row = gsi_codec_ops_of(id);
        assert_non_null(row);
        assert_true(row->encode != NULL && row->decode != NULL);
        assert_int_equal(row->encode_records != NULL, row->decode_records != NULL);
        assert_int_equal(gsi_codec_choice_of(id), choice);
        assert_true(gsi_codec_bytes(id, 1, 4096) > 4096);
    }
    assert_null(gsi_codec_ops_of(GSI_CODEC_NONE));
    assert_int_equal(gsi_codec_choice_of(GSI_CODEC_NONE), GSI_COMPRESS_NONE);
    assert_int_equal(gsi_codec_bytes(GSI_CODEC_NONE, 1, 4096), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_codec__frames__are_restored),
                                       cmocka_unit_test(test_codec__frames_of_others__are_refused),
                                       cmocka_unit_test(test_codec__sizes__are_checked),
                                       cmocka_unit_test(test_codec__rows__are_complete)};
    return cmocka_run_group_tests(tests, open_codec, close_codec);
}
