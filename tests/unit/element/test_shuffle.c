/* test_shuffle.c: compares random keys with the published test vectors, in pieces of any length. It
 * checks that all orders are equally likely. Run: build/dev/tests/test_shuffle */
#include "support/support.h"

#include "element/entry/shuffle.h"

#include <stdlib.h>
#include <string.h>

/* Vectors of threefry2x32_20 in Random123's kat_vectors. */
static void test_keys__published_vectors__as_published(void **state)
{
    (void)state;
    static const struct {
        uint64_t seed, position, key;
    } vectors[] = {
        {0, 0, 0x6b20015999ba4efe},
        {UINT64_MAX, UINT64_MAX, 0x1cb996fcbb002be7},
        {0x0370734413198a2e, 0x85a308d3243f6a88, 0xc4923a9c483df7a0},
    };
    for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; i++) {
        uint64_t key;
        gsi_shuffle_keys(vectors[i].seed, vectors[i].position, 1, &key);
        assert_int_equal(key, vectors[i].key);
    }
}

static void test_keys__any_piece__same_keys(void **state)
{
    (void)state;
    struct test_random random = test_random_make(1);
    const uint64_t begins[] = {0, UINT32_MAX - 50, UINT64_MAX - 50};
    for (size_t b = 0; b < sizeof begins / sizeof begins[0]; b++) {
        uint64_t whole[100], pieces[100];
        const uint64_t seed = test_next(&random);
        gsi_shuffle_keys(seed, begins[b], 100, whole);
        for (size_t at = 0, n; at < 100; at += n) {
            n = 1 + test_below(&random, 100 - at);
            gsi_shuffle_keys(seed, begins[b] + at, n, pieces + at);
        }
        assert_memory_equal(whole, pieces, sizeof whole);
    }
}

/* Returns the number, below n!, of the order that a seed gives to n elements. */
static uint32_t order_of(uint64_t seed, uint32_t n)
{
    uint64_t keys[8];
    uint32_t order = 0;
    gsi_shuffle_keys(seed, 0, n, keys);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t less = 0;
        for (uint32_t k = i + 1; k < n; k++)
            less += keys[k] < keys[i];
        order = order * (n - i) + less;
    }
    return order;
}

static double chi_square(const uint32_t *counts, uint32_t cells, double expected)
{
    double sum = 0;
    for (uint32_t i = 0; i < cells; i++)
        sum += (counts[i] - expected) * (counts[i] - expected) / expected;
    return sum;
}

/* The mean of chi-square is its degrees of freedom, and its variance twice as much. Six standard
 * deviations above are exceeded about once in a million. */
static void assert_uniform(const uint32_t *counts, uint32_t cells, double expected)
{
    const double freedom = cells - 1;
    const double above = chi_square(counts, cells, expected) - freedom;
    assert_true(above * above < 6 * 6 * 2 * freedom || above < 0);
}

static void test_orders__many_seeds__each_order_equally_often(void **state)
{
    (void)state;
    struct test_random random = test_random_make(2);
    for (uint32_t n = 2, orders = 2; n <= 5; n++, orders *= n) {
        for (int is_random = 0; is_random < 2; is_random++) { /* or one seed after the other */
            uint32_t counts[120] = {0};
            for (uint32_t i = 0; i < 1000 * orders; i++)
                counts[order_of(is_random ? test_next(&random) : i, n)]++;
            assert_uniform(counts, orders, 1000);
        }
    }
}

#define PLACES 50u

static int by_key(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Counts how often each element gets to each place. */
static void test_orders__many_seeds__each_place_equally_often(void **state)
{
    (void)state;
    static uint32_t counts[PLACES * PLACES];
    const uint64_t first = (uint64_t)UINT32_MAX - PLACES / 2;
    struct test_random random = test_random_make(3);
    for (uint32_t i = 0; i < 1000 * PLACES; i++) {
        uint64_t keys[PLACES][2], drawn[PLACES];
        gsi_shuffle_keys(test_next(&random), first, PLACES, drawn);
        for (uint32_t k = 0; k < PLACES; k++) {
            keys[k][0] = drawn[k];
            keys[k][1] = k;
        }
        qsort(keys, PLACES, sizeof keys[0], by_key);
        for (uint32_t k = 0; k < PLACES; k++)
            counts[PLACES * keys[k][1] + k]++;
    }
    assert_uniform(counts, PLACES * PLACES, 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_keys__published_vectors__as_published),
        cmocka_unit_test(test_keys__any_piece__same_keys),
        cmocka_unit_test(test_orders__many_seeds__each_order_equally_often),
        cmocka_unit_test(test_orders__many_seeds__each_place_equally_often),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
