/* test_wide_sort.c: compares the sort of 16-byte keys by short tags with VQSort, for data of many
 * kinds. Run: build/dev/tests/test_wide_sort */
#include "support/model.h"

#include "device/cpu/cpu_leaf_sort.h"
#include "device/cpu/cpu_presorted.h"
#include "device/cpu/cpu_wide_sort.h"

#include <stdlib.h>

#define MOST 300000

enum kind {
    ANY,
    EQUAL,
    TWO,
    SOME,        /* each about a hundred times */
    LOW_ONLY,    /* they differ in the last eight bytes, */
    LAST_BITS,   /* and in the last bits */
    ENDS,        /* in the first and the last bits only, */
    ENDS_OF_60,  /* and of 60 bits */
    TAGS,        /* of records: a key of 80 bits, and a place */
    TAGS_OF_FEW, /* each key many times, */
    TAGS_OF_ONE, /* or always */
    RISE,
    FALL,
    CLUSTERS,   /* at both ends of what there is */
    FAR_OFF,    /* few keys are far from the others */
    BY_LENGTH,  /* each number of bits as often */
    MOST_EQUAL, /* one key is a third of them */
    KINDS,
};

static gsi_u128 wide(uint64_t high, uint64_t low)
{
    return (gsi_u128)high << 64 | low;
}

static gsi_u128 key_of(enum kind kind, size_t i, size_t n, struct test_random *random)
{
    const uint64_t a = test_next(random), b = test_next(random);
    switch (kind) {
    case EQUAL:
        return 77;
    case TWO:
        return a % 2 == 0 ? wide(7, 7) : wide(9, 1);
    case SOME:
        return wide(a % (n / 100 + 1) * 0x123456789abcdu, 3);
    case LOW_ONLY:
        return wide(5, b);
    case LAST_BITS:
        return wide(UINT64_MAX, UINT64_MAX - b % 100000);
    case ENDS:
        return wide(a << 60, b % 1000000);
    case ENDS_OF_60:
        return wide(3, a % 50 << 54 | b % 1000);
    case TAGS:
        return wide(a, b << 48 | i);
    case TAGS_OF_FEW:
        return wide(a % 50 * 0x9e3779b97f4a7c15u, a % 50 << 48 | (n - i));
    case TAGS_OF_ONE:
        return wide(~(uint64_t)0, (uint64_t)12 << 48 | (i ^ 1));
    case RISE:
        return wide(i * 1000, b);
    case FALL:
        return wide((n - i) * 1000, b);
    case CLUSTERS:
        return wide(a % 2 == 0 ? b % 1000 : UINT64_MAX - b % 1000, a);
    case FAR_OFF:
        return i % 1000 == 0 ? wide(a, b) : wide((uint64_t)1 << 40, b);
    case BY_LENGTH:
        return wide(a, b) >> (a ^ b) % 128;
    case MOST_EQUAL:
        return i % 3 == 0 ? wide(1, 2) : wide(a, b);
    default:
        return wide(a, b);
    }
}

static void check(enum kind kind, size_t n, struct test_random *random, gsi_u128 *keys[2],
                  void *scratch)
{
    for (size_t i = 0; i < n; i++)
        keys[0][i] = keys[1][i] = key_of(kind, i, n, random);
    gsi_wide_sort(keys[0], n, scratch);
    gsi_leaf_sort(sizeof **keys, keys[1], n);
    if (memcmp(keys[0], keys[1], n * sizeof **keys) != 0)
        test_fail("%zu keys of kind %d: wrong order", n, (int)kind);
}

static void test_wide_sort__kinds_and_lengths__as_vqsort(void **state)
{
    static const size_t sizes[] = {0,     1,     2,     17,    128,   129,    500,  4095,
                                   16384, 32767, 32768, 32769, 65537, 130000, MOST, MOST - 17};
    (void)state;
    struct test_random random = test_random_make(31);
    gsi_u128 *keys[2] = {malloc(MOST * sizeof **keys), malloc(MOST * sizeof **keys)};
    void *scratch = aligned_alloc(64, GSI_WIDE_SORT_BYTES);
    assert_true(keys[0] != NULL && keys[1] != NULL && scratch != NULL);
    gsi_leaf_prepare(16);
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (int kind = 0; kind < KINDS; kind++)
            check((enum kind)kind, sizes[s], &random, keys, scratch);
    free(keys[0]);
    free(keys[1]);
    free(scratch);
}

/* The keys need more buckets than there are, so some buckets are divided again. */
static void test_wide_sort__more_than_all_buckets_hold__as_vqsort(void **state)
{
    const size_t n = (size_t)9 << 20;
    (void)state;
    struct test_random random = test_random_make(37);
    gsi_u128 *keys[2] = {malloc(n * sizeof **keys), malloc(n * sizeof **keys)};
    void *scratch = aligned_alloc(64, GSI_WIDE_SORT_BYTES);
    assert_true(keys[0] != NULL && keys[1] != NULL && scratch != NULL);
    gsi_leaf_prepare(16);
    check(ANY, n, &random, keys, scratch);
    free(keys[0]);
    free(keys[1]);
    free(scratch);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_wide_sort__kinds_and_lengths__as_vqsort),
        cmocka_unit_test(test_wide_sort__more_than_all_buckets_hold__as_vqsort)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
