/* test_codec.c: checks that planes and coded frames restore all keys, and that frames that do not
 * shrink are raw. Damage and wrong sizes do no harm. Run: build/dev/tests/test_codec */
#include "support/support.h"

#include "base/choices.h"
#include "run/codec_choice.h"
#include "run/frame.h"
#include "run/planes.h"

#include <xxhash.h>

#define MOST_KEYS   2000u
#define FRAME_BYTES 65536u /* of memory; holds MOST_KEYS of 16 bytes */
#define KEYS_OFF    GSI_FRAME_HEADER_BYTES

static const char *const types[] = {"u32", "u64", "u128"};
static struct gsi_codec codecs[2], codec; /* zstd and deltas; the one that is tested, borrowed */
static struct gsi_ledger ledger = {.ceiling_bytes = UINT64_MAX};

static int open_codec(void **state)
{
    (void)state;
    struct gs_error error = {0};
    for (int i = 0; i < 2; i++)
        if (gsi_codec_open(&codecs[i], &ledger, i == 0 ? GSI_CODEC_ZSTD : GSI_CODEC_DELTAS, 1,
                           FRAME_BYTES, 2, &error) != GS_OK)
            return -1;
    codec = codecs[0];
    return 0;
}

static int close_codec(void **state)
{
    (void)state;
    gsi_codec_close(&codecs[0]);
    gsi_codec_close(&codecs[1]);
    return ledger.reserved_bytes != 0;
}

enum data { EQUAL, TIMES, RANDOM, MOST_KEY, DATA_COUNT };

/* Sorted but for RANDOM: planes take any keys. */
static void fill(enum data data, uint32_t key_bytes, uint8_t *keys, size_t n)
{
    struct test_random random = test_random_make(data);
    uint64_t time = 1700000000000000u;
    for (size_t i = 0; i < n; i++) {
        time += test_below(&random, 1000);
        for (uint32_t b = 0; b < key_bytes; b++) {
            uint8_t of_time = (uint8_t)(b < 8 ? time >> 8 * b : 0);
            keys[i * key_bytes + b] = data == EQUAL      ? 42
                                      : data == TIMES    ? of_time
                                      : data == MOST_KEY ? 0xff
                                                         : (uint8_t)test_next(&random);
        }
    }
}

/* Makes a sealed frame of n keys in `frame`, and copies the keys to `keys`. */
static struct gsi_frame_ref make_frame(const struct gsi_layout *layout, enum data data, uint32_t n,
                                       uint8_t *frame, uint8_t *keys)
{
    memset(frame, 0xa5, FRAME_BYTES);
    fill(data, layout->key_bytes, keys, n);
    memcpy(frame + KEYS_OFF, keys, (size_t)n * layout->key_bytes);
    gsi_frame_seal(layout, frame, n, gsi_codec_coder(&codec, 0), &(struct gsi_packed_keys){0});
    return gsi_frame_ref_of(frame);
}

static struct gsi_layout layout_of(const char *type)
{
    return gsi_layout_make(gsi_key_type_find(type), false);
}

static void test_planes__any_keys__come_back(void **state)
{
    (void)state;
    static const size_t counts[] = {0, 1, 2, 3, 31, 511, 512, 513, 1025, MOST_KEYS};
    static _Alignas(16) uint8_t keys[16 * MOST_KEYS], back[16 * MOST_KEYS];
    static uint8_t planes[16 * MOST_KEYS];
    for (uint32_t bytes = 4; bytes <= 16; bytes *= 2)
        for (int data = 0; data < DATA_COUNT; data++)
            for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++) {
                size_t n = counts[c];
                fill((enum data)data, bytes, keys, n);
                memset(back, 0xa5, sizeof back);
                struct gsi_planes which = gsi_planes_of(bytes, keys, n);
                assert_true(which.first + which.count <= bytes);
                assert_true(data != EQUAL || which.count == 0);
                memset(planes, 0x5a, sizeof planes);
                gsi_planes_split(bytes, keys, n, which, planes);
                gsi_planes_join(bytes, planes, n, which, keys, back);
                for (size_t b = which.count * n; b < sizeof planes; b++)
                    assert_int_equal(planes[b], 0x5a);
                if (memcmp(back, keys, n * bytes) != 0 ||
                    (n < MOST_KEYS && back[n * bytes] != 0xa5))
                    test_fail("%u bytes, data %d, %zu keys", bytes, data, n);
            }
}

/* Checks the layout on disk: bytes b of all differences are together, without planes of zeros. */
static void test_planes__known_keys__known_planes(void **state)
{
    (void)state;
    static const uint32_t keys[] = {0x01020304, 0x01020404, 0x01030504};
    static const uint8_t want[] = {0, 1, 1, 0, 0, 1};
    uint8_t planes[sizeof want];
    struct gsi_planes which = gsi_planes_of(4, keys, 3);
    assert_int_equal(which.first, 1);
    assert_int_equal(which.count, 2);
    gsi_planes_split(4, keys, 3, which, planes);
    assert_memory_equal(planes, want, sizeof want);
}

/* Passes planes in and out, as for a device that splits keys itself. */
static void test_frame__packed__comes_back(void **state)
{
    (void)state;
    static _Alignas(64) uint8_t frame[FRAME_BYTES];
    static _Alignas(16) uint8_t keys[16 * MOST_KEYS], back[16 * MOST_KEYS];
    for (int t = 0; t < 3; t++)
        for (int data = 0; data < DATA_COUNT; data++) {
            struct gsi_layout layout = layout_of(types[t]);
            uint32_t bytes = layout.key_bytes;
            const char *what;
            fill((enum data)data, bytes, keys, MOST_KEYS);
            struct gsi_packed_keys packed = {.is_packed = true,
                                             .planes = gsi_planes_of(bytes, keys, MOST_KEYS)};
            memcpy(packed.first_key, keys, bytes);
            memcpy(packed.last_key, keys + (MOST_KEYS - 1) * bytes, bytes);
            gsi_planes_split(bytes, keys, MOST_KEYS, packed.planes, frame + KEYS_OFF);
            gsi_frame_seal(&layout, frame, MOST_KEYS, gsi_codec_coder(&codec, 0), &packed);
            struct gsi_frame_ref ref = gsi_frame_ref_of(frame);
            packed = (struct gsi_packed_keys){.is_packed = true};
            assert_int_equal(gsi_frame_open(&layout, frame, FRAME_BYTES, &ref,
                                            gsi_codec_coder(&codec, 1), &packed, &what),
                             GS_OK);
            assert_int_equal(packed.is_packed, data != RANDOM); /* did not shrink */
            if (packed.is_packed)
                gsi_planes_join(bytes, frame + KEYS_OFF, MOST_KEYS, packed.planes, packed.first_key,
                                back);
            else
                memcpy(back, frame + KEYS_OFF, MOST_KEYS * bytes);
            assert_memory_equal(back, keys, MOST_KEYS * bytes);
        }
}

static void test_frame__coded__comes_back(void **state)
{
    (void)state;
    static const uint32_t counts[] = {0, 1, 2, 600, 1023, 1024, MOST_KEYS};
    static _Alignas(64) uint8_t frame[FRAME_BYTES];
    static uint8_t keys[16 * MOST_KEYS];
    for (int t = 0; t < 3; t++)
        for (int data = 0; data < DATA_COUNT; data++)
            for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++) {
                struct gsi_layout layout = layout_of(types[t]);
                uint32_t raw = counts[c] * layout.key_bytes;
                struct gsi_frame_ref ref =
                    make_frame(&layout, (enum data)data, counts[c], frame, keys);
                const char *what = "not set";
                assert_int_equal(ref.bytes % GSI_FRAME_ALIGN, 0);
                assert_true(ref.bytes <= raw + KEYS_OFF + GSI_FRAME_ALIGN);
                if (data == RANDOM) /* did not shrink: raw, and whole */
                    assert_memory_equal(frame + KEYS_OFF, keys, raw);
                else if (raw > 2 * GSI_FRAME_ALIGN)
                    assert_true(ref.bytes < raw && frame[4] == codec.id);
                for (uint32_t b = ref.bytes; b < FRAME_BYTES; b++)
                    frame[b] = 0x5a; /* was not read back */
                if (gsi_frame_open(&layout, frame, FRAME_BYTES, &ref, gsi_codec_coder(&codec, 1),
                                   &(struct gsi_packed_keys){0}, &what) != GS_OK ||
                    what != NULL)
                    test_fail("%s, data %d, %u keys: %s", types[t], data, counts[c], what);
                assert_memory_equal(frame + KEYS_OFF, keys, raw);
            }
}

/* A test with deltas in place of zstd. */
static void by_deltas(void (*test)(void **), void **state)
{
    codec = codecs[1];
    test(state);
    codec = codecs[0];
}

static void test_frame__coded_by_deltas__comes_back(void **state)
{
    by_deltas(test_frame__coded__comes_back, state);
}

/* Who takes planes gets keys of a frame that has none. */
static void test_frame__of_deltas_for_who_takes_planes__is_keys(void **state)
{
    (void)state;
    static _Alignas(64) uint8_t frame[FRAME_BYTES];
    static uint8_t keys[16 * MOST_KEYS];
    struct gsi_layout layout = layout_of("u64");
    struct gsi_packed_keys packed = {.is_packed = true};
    const char *what;
    codec = codecs[1];
    struct gsi_frame_ref ref = make_frame(&layout, TIMES, MOST_KEYS, frame, keys);
    assert_int_equal(gsi_frame_open(&layout, frame, FRAME_BYTES, &ref, gsi_codec_coder(&codec, 1),
                                    &packed, &what),
                     GS_OK);
    codec = codecs[0];
    assert_false(packed.is_packed);
    assert_memory_equal(frame + KEYS_OFF, keys, MOST_KEYS * sizeof(uint64_t));
}

/* A frame of another codec than the reader's was not written by this job. */
static void test_frame__of_another_codec__is_refused(void **state)
{
    (void)state;
    static _Alignas(64) uint8_t frame[FRAME_BYTES];
    static uint8_t keys[16 * MOST_KEYS];
    struct gsi_layout layout = layout_of("u64");
    const char *what;
    for (int i = 0; i < 2; i++) {
        codec = codecs[i];
        struct gsi_frame_ref ref = make_frame(&layout, TIMES, MOST_KEYS, frame, keys);
        assert_int_equal(gsi_frame_open(&layout, frame, FRAME_BYTES, &ref,
                                        gsi_codec_coder(&codecs[1 - i], 0),
                                        &(struct gsi_packed_keys){0}, &what),
                         GS_E_CORRUPT);
    }
    codec = codecs[0];
}

static void test_codec__is_chosen__by_what_is_coded(void **state)
{
    (void)state;
    for (int takes_packed = 0; takes_packed < 2; takes_packed++)
        for (int way = GSI_COMPRESS_AUTO; way < GSI_COMPRESS_COUNT; way++) {
            enum gsi_codec_id of_records =
                way == GSI_COMPRESS_NONE ? GSI_CODEC_NONE : GSI_CODEC_ZSTD;
            bool is_deltas =
                way == GSI_COMPRESS_DELTAS || (way == GSI_COMPRESS_AUTO && !takes_packed);
            assert_int_equal(
                gsi_codec_choose_id((enum gsi_compress_choice)way, false, takes_packed),
                of_records);
            assert_int_equal(gsi_codec_choose_id((enum gsi_compress_choice)way, true, takes_packed),
                             is_deltas ? GSI_CODEC_DELTAS : of_records);
        }
}

/* A coded frame in a copy that a test damages; what open says of it. */
struct victim {
    struct gsi_layout layout;
    struct gsi_frame_ref ref;
    uint32_t stored;
    _Alignas(64) uint8_t frame[FRAME_BYTES], whole[FRAME_BYTES];
};

static struct victim *make_victim(void)
{
    static struct victim victim;
    static uint8_t keys[16 * MOST_KEYS];
    victim.layout = layout_of("u64");
    victim.ref = make_frame(&victim.layout, TIMES, 1200, victim.whole, keys);
    memcpy(&victim.stored, victim.whole + 12, 4);
    assert_int_equal(victim.whole[4], codec.id);
    memcpy(victim.frame, victim.whole, FRAME_BYTES);
    return &victim;
}

/* Damages the data and corrects the checksums, so that the code after them gets the damage. */
static void hash_again(struct victim *victim, uint32_t stored)
{
    uint64_t hash = XXH3_64bits(victim->frame + KEYS_OFF, stored);
    memcpy(victim->frame + 48, &hash, 8);
    victim->ref.data_hash = hash;
    hash = XXH3_64bits(victim->frame, 56);
    memcpy(victim->frame + 56, &hash, 8);
}

static bool is_refused(struct victim *victim)
{
    const char *what = NULL;
    bool is_corrupt = gsi_frame_open(&victim->layout, victim->frame, FRAME_BYTES, &victim->ref,
                                     gsi_codec_coder(&codec, 0), &(struct gsi_packed_keys){0},
                                     &what) == GS_E_CORRUPT;
    memcpy(victim->frame, victim->whole, FRAME_BYTES);
    memcpy(&victim->ref.data_hash, victim->whole + 48, 8);
    return is_corrupt && what != NULL;
}

static void test_damage__any_byte__is_refused(void **state)
{
    (void)state;
    struct victim *victim = make_victim();
    for (uint32_t at = 0; at < KEYS_OFF + victim->stored; at++) {
        victim->frame[at] ^= (uint8_t)(1u << at % 8);
        if (!is_refused(victim))
            test_fail("byte %u: not seen", at);
    }
}

static void test_damage_of_deltas__any_byte__is_refused(void **state)
{
    by_deltas(test_damage__any_byte__is_refused, state);
}

/* With checksums made to fit, so that the codec and the check of sizes meet it. */
static void test_damage__any_data_byte_hashed_again__is_refused_or_harmless(void **state)
{
    (void)state;
    struct victim *victim = make_victim();
    uint32_t refused = 0;
    for (uint32_t at = KEYS_OFF; at < KEYS_OFF + victim->stored; at++)
        for (int bit = 0; bit < 8; bit++) {
            victim->frame[at] ^= (uint8_t)(1u << bit);
            hash_again(victim, victim->stored);
            refused += is_refused(victim);
        }
    assert_true(refused > 0);
    for (uint32_t stored = 0; stored < victim->stored; stored++) {
        memcpy(victim->frame + 12, &stored, 4);
        hash_again(victim, stored);
        if (!is_refused(victim))
            test_fail("truncated to %u bytes: not seen", stored);
    }
}

static void test_damage_of_deltas__hashed_again__is_refused_or_harmless(void **state)
{
    by_deltas(test_damage__any_data_byte_hashed_again__is_refused_or_harmless, state);
}

static void test_damage__other_counts_and_sizes__are_refused(void **state)
{
    (void)state;
    struct victim *victim = make_victim();
    static const uint32_t counts[] = {0,           1,          1199,        1201,
                                      FRAME_BYTES, 0x1fffffff, 0x20000000,  0x20000001,
                                      0x7fffffff,  0x80000000, 0xfffffff0u, 0xffffffffu};
    struct gsi_frame_ref ref = victim->ref;
    for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++) {
        for (int of_ref = 0; of_ref < 2; of_ref++) {
            memcpy(victim->frame + 8, &counts[c], 4);
            victim->ref.count = of_ref ? counts[c] : ref.count;
            hash_again(victim, victim->stored);
            if (!is_refused(victim))
                test_fail("count %u: not seen", counts[c]);
        }
        victim->ref = ref;
        memcpy(victim->frame + 12, &counts[c], 4);
        uint64_t header_hash = XXH3_64bits(victim->frame, 56);
        memcpy(victim->frame + 56, &header_hash, 8);
        if (!is_refused(victim))
            test_fail("stored %u: not seen", counts[c]);
        victim->ref.bytes = counts[c] | 0x80000000u; /* more than the memory holds */
        if (!is_refused(victim))
            test_fail("%u bytes: not seen", victim->ref.bytes);
        victim->ref = ref;
    }
    for (uint32_t planes = 0; planes < 256; planes++) /* others than were coded */
        for (uint32_t at = 6; at < 8; at++) {
            if (planes == victim->whole[at])
                continue;
            victim->frame[at] = (uint8_t)planes;
            hash_again(victim, victim->stored);
            if (!is_refused(victim))
                test_fail("byte %u, %u: not seen", at, planes);
        }
    for (uint8_t id = 2; id < 5; id++) { /* other codecs, and one that there is not */
        victim->frame[4] = id;
        hash_again(victim, victim->stored);
        assert_true(is_refused(victim));
    }
}

/* zstd's own header gives the decompressed size, which must not be trusted. (UINT64_MAX is its word
 * for unknown, and harmless.) */
static void test_damage__zstd_promises_much__is_refused(void **state)
{
    (void)state;
    static const uint64_t promises[] = {0,
                                        1,
                                        9601,
                                        (uint64_t)1 << 31,
                                        UINT32_MAX,
                                        (uint64_t)1 << 32,
                                        INT64_MAX,
                                        (uint64_t)1 << 63,
                                        UINT64_MAX - 2};
    struct victim *victim = make_victim();
    for (size_t p = 0; p < sizeof promises / sizeof promises[0]; p++) {
        uint8_t *data = victim->frame + KEYS_OFF;
        const uint8_t *whole = victim->whole + KEYS_OFF;
        /* Magic, then one segment with a content size of 8 bytes, in place of one with 2. */
        assert_int_equal(whole[4], 0x60);
        data[4] = 0xe0;
        memcpy(data + 5, &promises[p], 8);
        memcpy(data + 13, whole + 7, victim->stored - 7);
        uint32_t stored = victim->stored + 6;
        memcpy(victim->frame + 12, &stored, 4);
        hash_again(victim, stored);
        if (!is_refused(victim))
            test_fail("content size %llu: believed", (unsigned long long)promises[p]);
    }
}

static void test_coder__overflowing_counts__are_refused(void **state)
{
    (void)state;
    if (codec.id == GSI_CODEC_ZSTD)
        by_deltas(test_coder__overflowing_counts__are_refused, state);
    static const uint64_t counts[] = {(uint64_t)1 << 28, (uint64_t)1 << 32, (uint64_t)1 << 60,
                                      (uint64_t)1 << 61, (uint64_t)1 << 63, UINT64_MAX};
    uint8_t data[64] = {0};
    struct gsi_coder *coder = gsi_codec_coder(&codec, 0);
    for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++)
        for (uint32_t bytes = 4; bytes <= 16; bytes *= 2) {
            struct gsi_packed_keys packed = {.planes = {.count = 1}};
            assert_int_equal(gsi_coder_encode(coder, bytes, data, counts[c], sizeof data, &packed),
                             0);
            assert_false(gsi_coder_decode(coder, bytes, data, sizeof data, counts[c], &packed));
        }
}

/* Simulates runs of 64 frames of 1 MiB, each coded to `coded` bytes in `code_ns`, on a disk that
 * needs `disk_ns` per frame. Returns how many of ten runs were coded. `turns`: how often the way
 * changed. */
static int coded_runs(uint64_t coded, uint64_t code_ns, uint64_t disk_ns, int *turns)
{
    struct gsi_codec_choice choice = gsi_codec_choice_make(GSI_COMPRESS_AUTO, 2);
    struct test_random random = test_random_make(disk_ns);
    uint64_t now = 1;
    bool was_coding = false;
    int runs = 0;
    *turns = 0;
    for (int run = 0; run < 10; run++) {
        gsi_codec_choice_begin_run(&choice);
        for (int frame = 0; frame < 64; frame++) {
            if (gsi_codec_choice_next_frame(&choice)) {
                gsi_codec_choice_frame_coded(&choice, 1 << 20, coded,
                                             code_ns * (95 + test_below(&random, 10)) / 100);
                continue;
            }
            gsi_codec_choice_write_begins(&choice, now);
            now += disk_ns * (95 + test_below(&random, 10)) / 100;
            gsi_codec_choice_write_ends(&choice, 1 << 20, now);
        }
        *turns += choice.is_coding != was_coding;
        was_coding = choice.is_coding;
        runs += choice.is_coding;
    }
    return runs;
}

static void test_choice__slow_disk__codes_and_fast_disk__does_not(void **state)
{
    (void)state;
    int turns;
    assert_int_equal(coded_runs(1 << 18, 500000, 5000000, &turns), 10); /* 0.2 GB/s, a quarter */
    assert_int_equal(turns, 1);
    assert_int_equal(coded_runs(1 << 18, 500000, 100000, &turns), 0);  /* 10 GB/s */
    assert_int_equal(coded_runs(1 << 20, 500000, 5000000, &turns), 0); /* nothing shrinks */
    /* Random u64 as deltas, on a disk of 1.2 GB/s, and one of 3. */
    assert_int_equal(coded_runs(720000, 250000, 900000, &turns), 10);
    assert_int_equal(coded_runs(720000, 250000, 350000, &turns), 0);
    coded_runs(700000, 500000, 700000, &turns); /* as good as even: whatever it is, it stays */
    assert_true(turns <= 1);
}

static void test_choice__asked_for__is_done(void **state)
{
    (void)state;
    struct gsi_codec_choice none = gsi_codec_choice_make(GSI_COMPRESS_NONE, 1);
    struct gsi_codec_choice zstd = gsi_codec_choice_make(GSI_COMPRESS_ZSTD, 1);
    struct gsi_codec_choice deltas = gsi_codec_choice_make(GSI_COMPRESS_DELTAS, 1);
    for (int frame = 0; frame < 20; frame++) {
        gsi_codec_choice_begin_run(&none);
        gsi_codec_choice_begin_run(&zstd);
        gsi_codec_choice_begin_run(&deltas);
        assert_false(gsi_codec_choice_next_frame(&none));
        assert_true(gsi_codec_choice_next_frame(&zstd));
        assert_true(gsi_codec_choice_next_frame(&deltas));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_planes__any_keys__come_back),
        cmocka_unit_test(test_planes__known_keys__known_planes),
        cmocka_unit_test(test_frame__coded__comes_back),
        cmocka_unit_test(test_frame__coded_by_deltas__comes_back),
        cmocka_unit_test(test_frame__packed__comes_back),
        cmocka_unit_test(test_frame__of_deltas_for_who_takes_planes__is_keys),
        cmocka_unit_test(test_frame__of_another_codec__is_refused),
        cmocka_unit_test(test_codec__is_chosen__by_what_is_coded),
        cmocka_unit_test(test_damage__any_byte__is_refused),
        cmocka_unit_test(test_damage__any_data_byte_hashed_again__is_refused_or_harmless),
        cmocka_unit_test(test_damage_of_deltas__any_byte__is_refused),
        cmocka_unit_test(test_damage_of_deltas__hashed_again__is_refused_or_harmless),
        cmocka_unit_test(test_damage__other_counts_and_sizes__are_refused),
        cmocka_unit_test(test_damage__zstd_promises_much__is_refused),
        cmocka_unit_test(test_coder__overflowing_counts__are_refused),
        cmocka_unit_test(test_choice__slow_disk__codes_and_fast_disk__does_not),
        cmocka_unit_test(test_choice__asked_for__is_done),
    };
    return cmocka_run_group_tests(tests, open_codec, close_codec);
}
