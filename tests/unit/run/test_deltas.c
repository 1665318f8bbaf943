/* test_deltas.c: checks that any sorted keys are restored from their differences. Keys that are not
 * sorted are unchanged, and damage does no harm. The data are between inaccessible pages. Run:
 * build/dev/tests/test_deltas */
#include "support/support.h"

#include "base/u128.h"
#include "run/deltas.h"

#include <sys/mman.h>

#define MOST_KEYS  2000u
#define MOST_BYTES (16 * MOST_KEYS)
#define PAGE_BYTES 4096u
#define AREA_BYTES (16 * PAGE_BYTES)

/* An area with no memory after it. */
struct area {
    uint8_t *end;
};

static struct area coded_area, keys_area;

static bool open_area(struct area *area)
{
    uint8_t *pages = mmap(NULL, AREA_BYTES + PAGE_BYTES, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED || mprotect(pages + AREA_BYTES, PAGE_BYTES, PROT_NONE) != 0)
        return false;
    area->end = pages + AREA_BYTES;
    return true;
}

static int open_areas(void **state)
{
    (void)state;
    return !open_area(&coded_area) || !open_area(&keys_area);
}

static int close_areas(void **state)
{
    (void)state;
    return munmap(coded_area.end - AREA_BYTES, AREA_BYTES + PAGE_BYTES) != 0 ||
           munmap(keys_area.end - AREA_BYTES, AREA_BYTES + PAGE_BYTES) != 0;
}

enum data {
    EQUAL,
    DENSE,     /* one after the other */
    STEPS,     /* multiples of 24 */
    RANDOM,    /* anything */
    RUN,       /* as far apart as random keys in a long run are */
    TWICE,     /* the same, each twice or so */
    FEW,       /* a few values, far apart */
    CLUSTERS,  /* close together, but for jumps to far away */
    ONE_FAR,   /* 0, and the last one is the greatest that there is */
    EXTREMES,  /* 0 and the greatest one, with the neighbours of both */
    EARLY_FAR, /* 0, and then the greatest one only */
    UNARY,     /* one after the other, but for differences whose zeros just fill a word */
    DATA_COUNT
};

static gsi_u128 step(enum data data, struct test_random *random, uint32_t key_bytes)
{
    switch (data) {
    case DENSE:
        return 1;
    case STEPS:
        return 24 * test_below(random, 5);
    case RUN:
        return (gsi_u128)test_below(random, 1u << 20) * test_below(random, 4)
               << (key_bytes - 4) * 7;
    case TWICE:
        return test_below(random, 2) == 0 ? 0 : test_below(random, 1u << 19);
    case FEW:
        return test_below(random, 150) == 0 ? (gsi_u128)test_next(random) << (key_bytes - 4) * 4
                                            : 0;
    case UNARY:
        return test_below(random, 64) == 0 ? 55 + test_below(random, 3) : 1;
    case CLUSTERS:
        return test_below(random, 1000) << (test_below(random, 40) == 0 ? 14 : 0);
    default:
        return 0;
    }
}

static int compare_wide(const void *a, const void *b)
{
    gsi_u128 x, y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return x < y ? -1 : x > y;
}

/* Makes sorted keys. Sums of steps may overflow; then the keys are sorted. */
static void fill(enum data data, uint32_t key_bytes, uint8_t *keys, size_t n)
{
    static gsi_u128 wide[MOST_KEYS];
    struct test_random random = test_random_make(data + n);
    gsi_u128 key = 1000, most = ~(gsi_u128)0 >> (16 - key_bytes) * 8;
    for (size_t i = 0; i < n; i++) {
        key += step(data, &random, key_bytes);
        wide[i] = key & most;
        if (data == RANDOM)
            wide[i] = ((gsi_u128)test_next(&random) << 64 | test_next(&random)) & most;
        if (data == ONE_FAR || data == EARLY_FAR)
            wide[i] = data == ONE_FAR ? (i + 1 < n ? 0 : most) : (i == 0 ? 0 : most);
        if (data == EXTREMES)
            wide[i] = i < n / 2 ? test_below(&random, 2) : most - test_below(&random, 2);
    }
    qsort(wide, n, sizeof *wide, compare_wide);
    for (size_t i = 0; i < n; i++)
        memcpy(keys + i * key_bytes, &wide[i], key_bytes);
}

/* Codes keys[n] into the area, where they may take `most` bytes; *coded is where they are then. */
static size_t encode(uint32_t key_bytes, const uint8_t *keys, size_t n, size_t most,
                     uint8_t **coded)
{
    *coded = coded_area.end - most - GSI_DELTAS_SLACK;
    memset(*coded, 0xa5, most + GSI_DELTAS_SLACK);
    memcpy(keys_area.end - n * key_bytes, keys, n * key_bytes);
    return gsi_deltas_encode(key_bytes, keys_area.end - n * key_bytes, n, *coded, most);
}

/* `bytes` at `coded` decoded to the end of an area; NULL: they are refused. */
static const uint8_t *decode(uint32_t key_bytes, const uint8_t *coded, size_t bytes,
                             const uint8_t *first_key, size_t n)
{
    uint8_t *from = coded_area.end - bytes - GSI_DELTAS_SLACK, *to = keys_area.end - n * key_bytes;
    memmove(from, coded, bytes);
    memset(from + bytes, 0x5a, GSI_DELTAS_SLACK);
    memset(to - 64, 0x77, n * key_bytes + 64);
    bool is_good = gsi_deltas_decode(key_bytes, from, bytes, first_key, to, n);
    for (uint8_t *guard = to - 64; guard < to; guard++)
        if (*guard != 0x77)
            test_fail("%u bytes, %zu keys: written before the keys", key_bytes, n);
    return is_good ? to : NULL;
}

static void test_deltas__sorted_keys__come_back(void **state)
{
    (void)state;
    static const size_t counts[] = {1, 2, 7, 8, 9, 127, 128, 129, 255, 256, 257, 1000, MOST_KEYS};
    static uint8_t keys[MOST_BYTES];
    for (uint32_t bytes = 4; bytes <= 16; bytes *= 2)
        for (int data = 0; data < DATA_COUNT; data++)
            for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++) {
                size_t n = counts[c];
                uint8_t *at;
                fill((enum data)data, bytes, keys, n);
                size_t coded = encode(bytes, keys, n, n * bytes, &at);
                if (coded == 0 && n >= 127 && data != RANDOM)
                    test_fail("%u bytes, data %d, %zu keys: not coded", bytes, data, n);
                if (coded == 0)
                    continue;
                const uint8_t *back = decode(bytes, at, coded, keys, n);
                if (coded > n * bytes || back == NULL || memcmp(back, keys, n * bytes) != 0)
                    test_fail("%u bytes, data %d, %zu keys: others came back", bytes, data, n);
            }
}

static void test_deltas__no_keys__are_not_coded(void **state)
{
    (void)state;
    uint8_t to[GSI_DELTAS_SLACK] = {0}, key[16] = {0};
    assert_int_equal(gsi_deltas_encode(8, key, 0, to, 0), 0);
    assert_true(gsi_deltas_decode(8, to, 0, key, key, 0));
    assert_false(gsi_deltas_decode(8, to, 1, key, key, 0));
}

/* The layout on disk. */
static void test_deltas__known_keys__known_bytes(void **state)
{
    (void)state;
    uint64_t keys[GSI_DELTAS_BLOCK];
    uint8_t copy[MOST_BYTES], want[34] = {0x00, 0x01}, *at; /* no low bits, a shift of 2 */
    for (size_t i = 0; i < GSI_DELTAS_BLOCK; i++)
        keys[i] = 4 * i;
    memset(want + 2, 0x55, 32); /* a one, then 127 times 01 */
    assert_int_equal(encode(8, (const uint8_t *)keys, GSI_DELTAS_BLOCK, sizeof keys, &at),
                     sizeof want);
    assert_memory_equal(at, want, sizeof want);
    keys[GSI_DELTAS_BLOCK - 1] = 1000000; /* far: 999496 after the one before */
    static const uint8_t far[] = {0x00, 0x81, 1, 127, 0x48, 0x40, 0x0f, 0, 0, 0, 0, 0};
    size_t coded = encode(8, (const uint8_t *)keys, GSI_DELTAS_BLOCK, sizeof keys, &at);
    assert_memory_equal(at, far, sizeof far);
    memcpy(copy, at, coded);
    copy[3] = GSI_DELTAS_BLOCK; /* a place that there is not */
    assert_null(decode(8, copy, coded, (const uint8_t *)keys, GSI_DELTAS_BLOCK));
    memset(keys, 7, sizeof keys);
    assert_int_equal(encode(8, (const uint8_t *)keys, GSI_DELTAS_BLOCK, sizeof keys, &at), 2);
    assert_memory_equal(at, "\xff\xff", 2);
    keys[GSI_DELTAS_BLOCK - 1] += 7; /* only the last one is not zero: a mask, 2 low bits, 01 */
    static const uint8_t masked[] = {0x02, 0x40, 0, 0, 0, 0, 0, 0,    0,    0,
                                     0,    0,    0, 0, 0, 0, 0, 0x80, 0x03, 0x02};
    assert_int_equal(encode(8, (const uint8_t *)keys, GSI_DELTAS_BLOCK, sizeof keys, &at),
                     sizeof masked);
    assert_memory_equal(at, masked, sizeof masked);
}

/* A run of 2^23 random u64 needs 0.663 of its size; other codes of whole blocks 0.683. */
static void test_deltas__random_keys__are_small(void **state)
{
    (void)state;
    static uint64_t keys[MOST_KEYS];
    struct test_random random = test_random_make(0);
    uint64_t key = 0;
    for (size_t i = 0; i < MOST_KEYS; i++) {
        while (test_below(&random, 256) != 0) /* gaps of 2^41 in the mean */
            key += (uint64_t)1 << 33;
        keys[i] = key += test_below(&random, (uint64_t)1 << 33);
    }
    uint8_t *at;
    size_t coded = encode(8, (const uint8_t *)keys, MOST_KEYS, sizeof keys, &at);
    assert_in_range(coded, 1, sizeof keys * 67 / 100 + 64);
}

static void test_deltas__too_little_room__is_said(void **state)
{
    (void)state;
    static uint8_t keys[MOST_BYTES];
    for (uint32_t bytes = 4; bytes <= 16; bytes *= 2) {
        uint8_t *at;
        fill(RUN, bytes, keys, MOST_KEYS);
        size_t coded = encode(bytes, keys, MOST_KEYS, MOST_KEYS * bytes, &at);
        assert_int_equal(encode(bytes, keys, MOST_KEYS, coded, &at), coded);
        for (size_t most = 0; most < coded; most++)
            if (encode(bytes, keys, MOST_KEYS, most, &at) != 0)
                test_fail("%u bytes: coded in %zu bytes", bytes, most);
    }
}

/* Two neighbours anywhere the other way round. */
static void test_deltas__unsorted_keys__are_not_coded(void **state)
{
    (void)state;
    static uint8_t keys[MOST_BYTES];
    uint8_t other[16], *at;
    size_t n = 3 * GSI_DELTAS_BLOCK + 5;
    for (uint32_t bytes = 4; bytes <= 16; bytes *= 2)
        for (size_t i = 1; i < n; i++) {
            uint8_t *key = keys + i * bytes;
            fill(DENSE, bytes, keys, n);
            memcpy(other, key, bytes);
            memcpy(key, key - bytes, bytes);
            memcpy(key - bytes, other, bytes);
            if (encode(bytes, keys, n, n * bytes, &at) != 0)
                test_fail("%u bytes: key %zu is less than the one before", bytes, i);
        }
}

/* Coded keys with every kind of part, in a copy. */
static size_t make_victim(uint32_t key_bytes, enum data data, size_t n, uint8_t *keys,
                          uint8_t *copy)
{
    uint8_t *at;
    fill(data, key_bytes, keys, n);
    size_t coded = encode(key_bytes, keys, n, n * key_bytes, &at);
    assert_true(coded > 0);
    memcpy(copy, at, coded);
    return coded;
}

static void test_deltas__other_lengths__are_refused(void **state)
{
    (void)state;
    static uint8_t keys[MOST_BYTES], copy[MOST_BYTES + 1];
    for (uint32_t bytes = 4; bytes <= 16; bytes *= 2)
        for (int data = 0; data < DATA_COUNT; data++) {
            size_t n = 2 * GSI_DELTAS_BLOCK + 1;
            if (data == RANDOM)
                continue;
            size_t coded = make_victim(bytes, (enum data)data, n, keys, copy);
            copy[coded] = 0;
            for (size_t cut = 0; cut <= coded + 1; cut++)
                if ((decode(bytes, copy, cut, keys, n) != NULL) != (cut == coded))
                    test_fail("%u bytes, data %d: %zu of %zu bytes", bytes, data, cut, coded);
            for (size_t blocks = 0; blocks < 5; blocks++)
                if (blocks != 3 &&
                    decode(bytes, copy, coded, keys, blocks * GSI_DELTAS_BLOCK) != NULL)
                    test_fail("%u bytes, data %d: as %zu blocks", bytes, data, blocks);
        }
}

/* Keys or a refusal, and nothing else: damage is for checksums to see (frame.h). */
static void test_deltas__damage__does_no_harm(void **state)
{
    (void)state;
    static uint8_t keys[MOST_BYTES], copy[MOST_BYTES], damaged[MOST_BYTES];
    uint64_t refused = 0;
    for (uint32_t bytes = 4; bytes <= 16; bytes *= 2)
        for (int data = 0; data < DATA_COUNT; data++) {
            size_t n = GSI_DELTAS_BLOCK + 9;
            struct test_random random = test_random_make((uint64_t)data);
            if (data == RANDOM)
                continue;
            size_t coded = make_victim(bytes, (enum data)data, n, keys, copy);
            memcpy(damaged, copy, coded);
            for (size_t at = 0; at < coded; at++) {
                for (int bit = 0; bit < 8; bit++) {
                    damaged[at] = (uint8_t)(copy[at] ^ 1u << bit);
                    refused += decode(bytes, damaged, coded, keys, n) == NULL;
                }
                damaged[at] = at % 2 ? 0xff : 0;
                refused += decode(bytes, damaged, coded, keys, n) == NULL;
                damaged[at] = copy[at];
            }
            for (int draw = 0; draw < 2000; draw++) {
                size_t length = test_below(&random, MOST_BYTES / 8);
                for (size_t at = 0; at < length; at++)
                    damaged[at] = (uint8_t)(test_next(&random) | (draw % 4 == 0 ? 0x81 : 0));
                refused += decode(bytes, damaged, length, keys, n) == NULL;
            }
        }
    assert_true(refused > 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_deltas__sorted_keys__come_back),
        cmocka_unit_test(test_deltas__no_keys__are_not_coded),
        cmocka_unit_test(test_deltas__known_keys__known_bytes),
        cmocka_unit_test(test_deltas__random_keys__are_small),
        cmocka_unit_test(test_deltas__too_little_room__is_said),
        cmocka_unit_test(test_deltas__unsorted_keys__are_not_coded),
        cmocka_unit_test(test_deltas__other_lengths__are_refused),
        cmocka_unit_test(test_deltas__damage__does_no_harm),
    };
    return cmocka_run_group_tests(tests, open_areas, close_areas);
}
