/* test_record_planes.c: checks that records are restored from their byte planes. Frames are coded
 * in the smaller way, and are restored from both ways. Damage is refused or does no harm. Run:
 * build/dev/tests/test_record_planes */
#include "support/support.h"

#include "element/key_scope.h"
#include "element/record/record.h"
#include "run/frame.h"

#include <xxhash.h>

#define MOST_BYTES  200000u
#define FRAME_BYTES 204800u /* of memory */
#define KEYS_OFF    GSI_FRAME_HEADER_BYTES

static struct gsi_codec codec;
static struct gsi_ledger ledger = {.ceiling_bytes = UINT64_MAX};
static uint8_t records[MOST_BYTES], planes[MOST_BYTES + 1], back[MOST_BYTES + 1];
static _Alignas(64) uint8_t frame[FRAME_BYTES], whole[FRAME_BYTES];

static int open_codec(void **state)
{
    (void)state;
    struct gs_error error = {0};
    return gsi_codec_open(&codec, &ledger, GSI_CODEC_ZSTD, 1, FRAME_BYTES, 1, &error) != GS_OK;
}

static int close_codec(void **state)
{
    (void)state;
    gsi_codec_close(&codec);
    return ledger.reserved_bytes != 0;
}

/* The first key is anywhere in records of any length, in both byte orders. */
static void test_planes__any_records__come_back(void **state)
{
    (void)state;
    static const uint32_t lengths[] = {1, 2, 7, 16, 24, 100};
    static const size_t counts[] = {0, 1, 2, 255, 256, 257, 511, 2000};
    struct test_random random = test_random_make(0);
    for (size_t b = 0; b < sizeof records; b++)
        records[b] = (uint8_t)(test_next(&random) % 5 == 0 ? test_next(&random) : 0xff);
    for (size_t l = 0; l < sizeof lengths / sizeof lengths[0]; l++)
        for (uint32_t key = 0; key <= lengths[l] && key <= 16; key++)
            for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++) {
                size_t n = counts[c];
                struct gsi_record_planes which = {
                    .record_bytes = lengths[l],
                    .key_off = (uint32_t)test_below(&random, lengths[l] - key + 1),
                    .key_bytes = key,
                    .is_big_endian = c % 2};
                memset(planes, 0xa5, sizeof planes);
                memset(back, 0x5a, sizeof back);
                gsi_record_planes_split(&which, records, n, planes);
                gsi_record_planes_join(&which, planes, n, back);
                if (planes[n * lengths[l]] != 0xa5 || back[n * lengths[l]] != 0x5a ||
                    memcmp(records, back, n * lengths[l]) != 0)
                    test_fail("records of %u bytes, key of %u at %u, %zu of them", lengths[l], key,
                              which.key_off, n);
            }
}

/* The layout on disk: a key of two bytes after one that is no key, as differences. */
static void test_planes__known_records__known_planes(void **state)
{
    (void)state;
    static const uint8_t three[] = {7, 0xff, 0x01, 8, 0x00, 0x02, 9, 0x00, 0x05};
    static const uint8_t want[] = {7, 8, 9, 0xff, 0x01, 0x00, 0x01, 0x00, 0x03};
    static const uint8_t turned[] = {7, 0x01, 0xff, 8, 0x02, 0x00, 9, 0x05, 0x00};
    static const uint8_t want_turned[] = {7, 8, 9, 0x01, 0x00, 0x03, 0xff, 0x01, 0x00};
    struct gsi_record_planes which = {.record_bytes = 3, .key_off = 1, .key_bytes = 2};
    gsi_record_planes_split(&which, three, 3, planes);
    assert_memory_equal(planes, want, sizeof want);
    which.is_big_endian = true;
    gsi_record_planes_split(&which, turned, 3, planes);
    assert_memory_equal(planes, want_turned, sizeof want_turned);
}

enum data { IDS, WORDS, RANDOM };

/* Makes triples of ids sorted by the first, words with spaces, or data that do not shrink. */
static void fill(enum data data, size_t bytes)
{
    static const char words[] = "one two three four five six seven eight nine ten eleven twelve ";
    struct test_random random = test_random_make(data);
    uint64_t id = 0;
    for (size_t at = 0; at < bytes; at += 24) {
        uint64_t triple[3] = {id += test_below(&random, 60), test_below(&random, 100),
                              test_below(&random, 1 << 24)};
        memcpy(records + at, triple, sizeof triple);
    }
    for (size_t at = 0; data == WORDS && at < bytes;) {
        size_t word = test_below(&random, sizeof words - 9);
        for (size_t b = 0; b < 9 && at < bytes; b++)
            records[at++] = (uint8_t)words[word + b];
    }
    for (size_t at = 0; data == RANDOM && at < bytes; at++)
        records[at] = (uint8_t)test_next(&random);
}

struct kind {
    struct gsi_record record;
    struct gsi_key_scope scope;
    struct gsi_layout layout;
};

/* Records of 24 bytes, whose first key is a number or 8 bytes. */
static struct kind *make_kind(bool has_number)
{
    static struct kind kind;
    struct gs_error error = {0};
    const char *key = has_number ? "0:u64" : "0:b8";
    assert_int_equal(gsi_record_make(24, &key, 1, NULL, 0, false, &kind.record, &error), GS_OK);
    memset(&kind.scope, 0, sizeof kind.scope);
    kind.layout = gsi_layout_make_records(&kind.record, &kind.scope, false);
    return &kind;
}

static struct gsi_frame_ref seal(const struct kind *kind, uint32_t count)
{
    memset(frame, 0xa5, sizeof frame);
    memcpy(frame + KEYS_OFF, records, (size_t)count * 24);
    gsi_frame_seal(&kind->layout, frame, count, gsi_codec_coder(&codec, 0),
                   &(struct gsi_packed_keys){0});
    memcpy(whole, frame, sizeof frame);
    return gsi_frame_ref_of(frame);
}

static enum gs_status open_frame(const struct kind *kind, const struct gsi_frame_ref *ref)
{
    const char *what;
    return gsi_frame_open(&kind->layout, frame, FRAME_BYTES, ref, gsi_codec_coder(&codec, 0),
                          &(struct gsi_packed_keys){0}, &what);
}

static void test_frame__records__take_the_smaller_way(void **state)
{
    (void)state;
    static const struct {
        enum data data;
        uint32_t count;
        enum gsi_codec_id id;
    } rows[] = {{IDS, 8000, GSI_CODEC_RECORD_PLANES},
                {WORDS, 8000, GSI_CODEC_ZSTD},
                {RANDOM, 8000, GSI_CODEC_NONE},
                {IDS, 400, GSI_CODEC_ZSTD}}; /* too few to try */
    for (size_t r = 0; r < 2 * sizeof rows / sizeof rows[0]; r++) {
        const struct kind *kind = make_kind(r % 2 == 0);
        close_codec(NULL); /* so that each is tried anew */
        assert_int_equal(open_codec(NULL), 0);
        fill(rows[r / 2].data, MOST_BYTES / 24 * 24);
        struct gsi_frame_ref ref = seal(kind, rows[r / 2].count);
        if (frame[4] != rows[r / 2].id)
            test_fail("row %zu: codec %u", r, frame[4]);
        assert_int_equal(open_frame(kind, &ref), GS_OK);
        assert_memory_equal(frame + KEYS_OFF, records, (size_t)rows[r / 2].count * 24);
    }
}

/* Data that planes do not make smaller either are unchanged. */
static void test_frame__records_that_grow__are_raw(void **state)
{
    (void)state;
    const struct kind *kind = make_kind(true);
    close_codec(NULL);
    assert_int_equal(open_codec(NULL), 0);
    fill(IDS, MOST_BYTES / 24 * 24);
    seal(kind, 8000);
    assert_int_equal(frame[4], GSI_CODEC_RECORD_PLANES);
    fill(RANDOM, MOST_BYTES / 24 * 24); /* not tried again yet */
    struct gsi_frame_ref ref = seal(kind, 8000);
    assert_int_equal(frame[4], GSI_CODEC_NONE);
    assert_memory_equal(frame + KEYS_OFF, records, 8000 * 24);
    assert_int_equal(open_frame(kind, &ref), GS_OK);
}

/* With checksums made to fit. */
static void hash_again(struct gsi_frame_ref *ref)
{
    uint32_t stored;
    memcpy(&stored, frame + 12, 4);
    uint64_t hash = XXH3_64bits(frame + KEYS_OFF, stored);
    memcpy(frame + 48, &hash, 8);
    ref->data_hash = hash;
    hash = XXH3_64bits(frame, 56);
    memcpy(frame + 56, &hash, 8);
}

static void test_frame__damaged_records__do_no_harm(void **state)
{
    (void)state;
    const struct kind *kind = make_kind(true);
    close_codec(NULL);
    assert_int_equal(open_codec(NULL), 0);
    fill(IDS, MOST_BYTES / 24 * 24);
    const struct gsi_frame_ref ref = seal(kind, 1000);
    uint32_t stored, refused = 0;
    memcpy(&stored, whole + 12, 4);
    assert_int_equal(whole[4], GSI_CODEC_RECORD_PLANES);
    for (uint32_t at = KEYS_OFF; at < KEYS_OFF + stored; at++) {
        struct gsi_frame_ref damaged = ref;
        memcpy(frame, whole, sizeof frame);
        frame[at] ^= (uint8_t)(1u << at % 8);
        hash_again(&damaged);
        refused += open_frame(kind, &damaged) != GS_OK;
    }
    assert_true(refused > 0);
    for (uint32_t id = 1; id < 5; id++) { /* as another codec's */
        struct gsi_frame_ref damaged = ref;
        memcpy(frame, whole, sizeof frame);
        frame[4] = (uint8_t)id;
        hash_again(&damaged);
        bool is_good = open_frame(kind, &damaged) == GS_OK;
        assert_true(is_good == (id == GSI_CODEC_RECORD_PLANES));
    }
    struct gsi_layout numbers = gsi_layout_make(gsi_key_type_find("u64"), false);
    const struct kind of_numbers = {.layout = numbers};
    struct gsi_frame_ref damaged = ref;
    memcpy(frame, whole, sizeof frame);
    frame[5] = 8; /* planes are not for frames of numbers */
    hash_again(&damaged);
    assert_int_equal(open_frame(&of_numbers, &damaged), GS_E_CORRUPT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_planes__any_records__come_back),
        cmocka_unit_test(test_planes__known_records__known_planes),
        cmocka_unit_test(test_frame__records__take_the_smaller_way),
        cmocka_unit_test(test_frame__records_that_grow__are_raw),
        cmocka_unit_test(test_frame__damaged_records__do_no_harm),
    };
    return cmocka_run_group_tests(tests, open_codec, close_codec);
}
