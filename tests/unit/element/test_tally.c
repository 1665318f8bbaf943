/* test_tally.c: compares tallies and digests with a plain reference, for any split. Run:
 * build/dev/tests/test_tally */
#include "support/support.h"

#include "base/u128.h"
#include "element/number_type.h"
#include "element/tally/digest.h"
#include "element/tally/exact_sum.h"
#include "element/tally/tally.h"
#include "element/tally/tally_sums.h"

#include <math.h>

#define MOST  5000 /* several blocks and a part of one */
#define GUARD 0xa5

static uint8_t data[MOST * 16], copy[MOST * 16 + 16];

static const size_t sizes[] = {0, 1, 2, 3, 4, 5, 7, 1023, 1024, 1025, 2048, 2049, 3000, MOST};

#define SIZE_COUNT (sizeof sizes / sizeof sizes[0])

/* Makes random bits; floats also have many special values. */
static void fill(const struct gsi_key_type *type, struct test_random *random)
{
    static const uint64_t special_64[] = {0,
                                          (uint64_t)1 << 63,
                                          0x7ff0000000000000,
                                          0xfff0000000000000,
                                          0x7ff8000000000000,
                                          0xfff8000000000001,
                                          1};
    static const uint32_t special_32[] = {0,          0x80000000, 0x7f800000, 0xff800000,
                                          0x7fc00000, 0xffc00001, 1};
    for (size_t i = 0; i < MOST * (type->bytes / 4); i++) {
        uint64_t word = test_next(random) >> 32;
        memcpy(data + 4 * i, &word, 4);
    }
    for (size_t i = 0; type->kind == GSI_KEY_FLOAT && i < MOST; i += 1 + test_below(random, 8)) {
        size_t which = test_below(random, 7);
        if (type->bytes == 4)
            memcpy(data + 4 * i, &special_32[which], 4);
        else
            memcpy(data + 8 * i, &special_64[which], 8);
    }
}

/* 256-bit += a sign-extended element. */
static void sum_add(uint64_t sum[4], const uint8_t *element, const struct gsi_key_type *type)
{
    bool is_negative = type->kind == GSI_KEY_SIGNED && element[type->bytes - 1] >> 7;
    uint64_t words[4];
    memset(words, is_negative ? 0xff : 0, sizeof words);
    memcpy(words, element, type->bytes);
    unsigned carry = 0;
    for (int i = 0; i < 4; i++) {
        gsi_u128 total = (gsi_u128)sum[i] + words[i] + carry;
        sum[i] = (uint64_t)total;
        carry = (unsigned)(total >> 64);
    }
}

static double as_double(const uint8_t *element, const struct gsi_key_type *type)
{
    float single;
    double x;
    memcpy(&single, element, sizeof single);
    if (type->bytes == 4)
        return (double)single;
    memcpy(&x, element, sizeof x);
    return x;
}

static void reference_extremes(struct gsi_tally_report *tally, const uint8_t *element,
                               const struct gsi_key_type *type)
{
    struct gsi_layout layout = gsi_layout_make(type, false);
    uint64_t key[2], best[2];
    gsi_element_to_key(&layout, element, key);
    gsi_element_to_key(&layout, tally->min, best);
    if (!tally->has_extremes || gsi_key_compare(&layout, key, best) < 0)
        memcpy(tally->min, element, type->bytes);
    gsi_element_to_key(&layout, tally->max, best);
    if (!tally->has_extremes || gsi_key_compare(&layout, key, best) > 0)
        memcpy(tally->max, element, type->bytes);
    tally->has_extremes = true;
}

/* Everything but the float sum, one element at a time. */
static struct gsi_tally_report reference(const struct gsi_key_type *type, size_t n)
{
    struct gsi_tally_report tally = {.count = n};
    gsi_u128 fingerprint = 0;
    for (size_t i = 0; i < n; i++) {
        const uint8_t *element = data + i * type->bytes;
        uint64_t words[2] = {0};
        memcpy(words, element, type->bytes);
        fingerprint += type->bytes == 16 ? gsi_mix_u128(words[0], words[1]) : gsi_mix_u64(words[0]);
        bool is_float = type->kind == GSI_KEY_FLOAT;
        double x = is_float ? as_double(element, type) : 0;
        tally.nan_count += isnan(x) ? 1 : 0;
        tally.positive_infinity_count += isinf(x) && x > 0;
        tally.negative_infinity_count += isinf(x) && x < 0;
        tally.negative_zero_count += x == 0 && signbit(x);
        if (!isnan(x))
            reference_extremes(&tally, element, type);
        if (!is_float)
            sum_add(tally.sum, element, type);
    }
    tally.fingerprint[0] = (uint64_t)fingerprint;
    tally.fingerprint[1] = (uint64_t)(fingerprint >> 64);
    return tally;
}

/* Float sums are compared by their bits, so a NaN equals itself. */
static bool same_tally(const struct gsi_tally_report *a, const struct gsi_tally_report *b,
                       bool with_float_sum)
{
    return a->count == b->count && a->nan_count == b->nan_count &&
           a->positive_infinity_count == b->positive_infinity_count &&
           a->negative_infinity_count == b->negative_infinity_count &&
           a->negative_zero_count == b->negative_zero_count && a->has_extremes == b->has_extremes &&
           memcmp(a->min, b->min, 16) == 0 && memcmp(a->max, b->max, 16) == 0 &&
           memcmp(a->sum, b->sum, sizeof a->sum) == 0 &&
           memcmp(a->fingerprint, b->fingerprint, sizeof a->fingerprint) == 0 &&
           (!with_float_sum || memcmp(&a->sum_float, &b->sum_float, sizeof(double)) == 0);
}

static void check_against_reference(const struct gsi_layout *layout, size_t n)
{
    struct gsi_tally *tally = gsi_tally_create(layout);
    assert_non_null(tally);
    gsi_tally_add(tally, data, n);
    struct gsi_tally_report got = gsi_tally_finish(tally), want = reference(layout->type, n);
    if (!same_tally(&got, &want, false))
        test_fail("%s%s, %zu elements: tally differs from the reference", layout->type->name,
                  layout->is_reversed ? " reversed" : "", n);
    gsi_tally_clear(tally);
    struct gsi_tally_report empty = {0}, cleared = gsi_tally_finish(tally);
    assert_true(same_tally(&cleared, &empty, true));
    gsi_tally_free(tally);
}

static void test_tally__every_type__as_reference(void **state)
{
    (void)state;
    struct test_random random = test_random_make(1);
    for (size_t t = 0; t < gsi_key_type_count; t++) {
        fill(&gsi_key_types[t], &random);
        for (int is_reversed = 0; is_reversed < 2; is_reversed++) {
            struct gsi_layout layout = gsi_layout_make(&gsi_key_types[t], is_reversed);
            for (size_t s = 0; s < SIZE_COUNT; s++)
                check_against_reference(&layout, sizes[s]);
        }
    }
}

/* Only NaNs: no extremes. NaNs among -inf: -inf is minimum and maximum. */
static void test_tally__nans_only__no_extremes(void **state)
{
    (void)state;
    double numbers[3000];
    struct gsi_layout layout = gsi_layout_make(gsi_key_type_find("f64"), false);
    struct gsi_tally *tally = gsi_tally_create(&layout);
    for (size_t i = 0; i < 3000; i++)
        numbers[i] = i % 2 > 0 ? (double)NAN : -(double)NAN;
    gsi_tally_add(tally, numbers, 3000);
    struct gsi_tally_report result = gsi_tally_finish(tally);
    assert_false(result.has_extremes);
    assert_true(result.nan_count == 3000 && isnan(result.sum_float));
    numbers[2999] = -(double)INFINITY;
    gsi_tally_add(tally, numbers, 3000);
    result = gsi_tally_finish(tally);
    assert_true(result.has_extremes);
    assert_memory_equal(result.min, &numbers[2999], 8);
    assert_memory_equal(result.max, &numbers[2999], 8);
    gsi_tally_free(tally);
}

static void check_split(const struct gsi_layout *layout, struct test_random *random, bool is_mapped)
{
    enum { PARTS = 3 };
    uint32_t bytes = layout->element_bytes;
    struct gsi_tally *whole = gsi_tally_create(layout), *parts[PARTS];
    for (size_t p = 0; p < PARTS; p++)
        parts[p] = gsi_tally_create(layout);
    gsi_tally_add(whole, data, MOST);
    memcpy(copy, data, (size_t)MOST * bytes);
    memset(copy + (size_t)MOST * bytes, GUARD, 16);
    for (size_t at = 0, step; at < MOST; at += step) {
        step = 1 + test_below(random, test_below(random, 2) > 0 ? 5 : 2500);
        step = step < MOST - at ? step : MOST - at;
        struct gsi_tally *part = parts[test_below(random, PARTS)];
        if (is_mapped)
            gsi_tally_add_and_map(part, copy + at * bytes, step);
        else
            gsi_tally_add(part, copy + at * bytes, step);
    }
    struct gsi_tally_sums saved;
    gsi_tally_merge(parts[0], parts[1]);
    gsi_tally_save(parts[2], &saved);
    gsi_tally_add_sums(parts[0], &saved);
    struct gsi_tally_report want = gsi_tally_finish(whole), got = gsi_tally_finish(parts[0]);
    if (!same_tally(&got, &want, true))
        test_fail("%s: a split tally differs", layout->type->name);
    for (size_t i = 0; i < MOST; i++) {
        uint8_t key[16];
        gsi_element_to_key(layout, data + i * bytes, key);
        if (memcmp(copy + i * bytes, is_mapped ? key : data + i * bytes, bytes) != 0)
            test_fail("%s: element %zu is wrong afterwards", layout->type->name, i);
    }
    assert_true(copy[(size_t)MOST * bytes] == GUARD);
    gsi_tally_free(whole);
    for (size_t p = 0; p < PARTS; p++)
        gsi_tally_free(parts[p]);
}

/* Without NaNs and infinities, so that the float sum is a number. */
static void make_finite(const struct gsi_key_type *type)
{
    for (size_t i = 0; type->kind == GSI_KEY_FLOAT && i < MOST; i++)
        if (!isfinite(as_double(data + i * type->bytes, type)))
            data[(i + 1) * type->bytes - 1] &= 0xbf;
}

static void test_tally__any_split__same_bits(void **state)
{
    (void)state;
    struct test_random random = test_random_make(2);
    for (size_t t = 0; t < gsi_key_type_count; t++)
        for (int round = 0; round < 12; round++) {
            struct gsi_layout layout = gsi_layout_make(&gsi_key_types[t], round % 2 > 0);
            fill(&gsi_key_types[t], &random);
            if (round % 3 > 0)
                make_finite(&gsi_key_types[t]);
            check_split(&layout, &random, round % 4 > 1);
        }
}

static int compare_keys(const void *a, const void *b, void *layout)
{
    return gsi_key_compare(layout, a, b);
}

/* Counts the first `n` elements of sorted `data` in pieces, by two accumulators. */
static struct gsi_tally_report tally_sorted(struct gsi_layout *layout, struct test_random *random,
                                            size_t n)
{
    uint32_t bytes = layout->element_bytes;
    struct gsi_tally_sums parts[2];
    uint64_t fingerprint[2] = {0, 0};
    memcpy(copy, data, n * bytes);
    memset(copy + n * bytes, GUARD, 16);
    gsi_fingerprint_add_map(layout, fingerprint, copy, n / 2);
    gsi_fingerprint_add_map(layout, fingerprint, copy + n / 2 * bytes, n - n / 2);
    qsort_r(copy, n, bytes, compare_keys, layout);
    gsi_keys_to_elements(layout, copy, n);
    gsi_tally_sums_clear(&parts[0]);
    gsi_tally_sums_clear(&parts[1]);
    for (size_t at = 0, step; at < n; at += step) {
        step = 1 + test_below(random, test_below(random, 2) > 0 ? 5 : 2500);
        step = step < n - at ? step : n - at;
        gsi_tally_sums_add_sorted(layout, &parts[test_below(random, 2)], copy + at * bytes, step);
    }
    gsi_tally_sums_join(&parts[0], &parts[1]);
    assert_true(parts[0].fingerprint == 0 && copy[n * bytes] == GUARD);
    parts[0].fingerprint = gsi_fingerprint(fingerprint);
    return gsi_tally_sums_report(layout, &parts[0]);
}

/* Does the same by a tally that adds fingerprints before the sort and the rest after it. */
static struct gsi_tally_report tally_around_sort(struct gsi_layout *layout, size_t n)
{
    uint32_t bytes = layout->element_bytes;
    struct gsi_tally *tally = gsi_tally_create(layout);
    memcpy(copy, data, n * bytes);
    gsi_tally_add_fingerprint_map(tally, copy, n);
    qsort_r(copy, n, bytes, compare_keys, layout);
    gsi_tally_add_sorted_keys(tally, copy, n);
    struct gsi_tally_report report = gsi_tally_finish(tally);
    gsi_tally_free(tally);
    return report;
}

/* Counts do not depend on the order. */
static void test_tally_sorted__every_type__same_bits(void **state)
{
    (void)state;
    struct test_random random = test_random_make(4);
    for (size_t t = 0; t < gsi_key_type_count; t++)
        for (int round = 0; round < 3 * 2 * (int)SIZE_COUNT; round++) {
            struct gsi_layout layout = gsi_layout_make(&gsi_key_types[t], round % 2 > 0);
            size_t n = sizes[(size_t)round / 6];
            fill(&gsi_key_types[t], &random);
            if (round % 3 == 1)
                make_finite(&gsi_key_types[t]);
            for (size_t i = 0; round % 3 == 2 && i < n; i++) /* a few signs and exponents */
                memcpy(data + i * layout.element_bytes, data, layout.element_bytes - 2);
            struct gsi_tally *tally = gsi_tally_create(&layout);
            gsi_tally_add(tally, data, n);
            struct gsi_tally_report want = gsi_tally_finish(tally);
            struct gsi_tally_report got = tally_sorted(&layout, &random, n);
            struct gsi_tally_report around = tally_around_sort(&layout, n);
            if (!same_tally(&got, &want, true) || !same_tally(&around, &want, true))
                test_fail("%s, round %d, %zu elements: the tally of sorted elements differs",
                          layout.type->name, round, n);
            gsi_tally_free(tally);
        }
}

/* Ascending keys, from the middle of the range, two of each. */
static void fill_keys(const struct gsi_layout *layout)
{
    for (size_t i = 0; i < MOST; i++) {
        uint64_t words[2] = {0x40000000 + 3 * (i / 2), 0};
        if (layout->key_bytes == 16)
            words[1] = i / 700; /* sometimes only the low word decides, sometimes the high one */
        memcpy(copy + i * layout->key_bytes, words, layout->key_bytes);
    }
}

static void check_disorder(const struct gsi_layout *layout, const struct gsi_digest *digest,
                           size_t n, size_t idx)
{
    uint32_t bytes = layout->key_bytes;
    if (digest->count != n || digest->disorder_idx != idx ||
        memcmp(digest->before_key, copy + (idx - 1) * bytes, bytes) != 0 ||
        memcmp(digest->after_key, copy + idx * bytes, bytes) != 0)
        test_fail("%s: disorder at %zu of %zu found at %llu", layout->type->name, idx, n,
                  (unsigned long long)digest->disorder_idx);
}

static void test_digest__disorder_anywhere__is_found(void **state)
{
    (void)state;
    for (size_t t = 0; t < gsi_key_type_count; t++) {
        struct gsi_layout layout = gsi_layout_make(&gsi_key_types[t], false);
        uint32_t bytes = layout.key_bytes;
        const size_t n = 2300;
        fill_keys(&layout);
        for (size_t idx = 1; idx < n; idx++) {
            uint8_t saved[16];
            memcpy(saved, copy + idx * bytes, bytes);
            memset(copy + idx * bytes, 0, bytes);
            struct gsi_digest whole = GSI_DIGEST_EMPTY, first = GSI_DIGEST_EMPTY,
                              second = GSI_DIGEST_EMPTY;
            size_t half = idx % 2 > 0 ? idx : n - idx; /* at the seam, and elsewhere */
            gsi_digest_add(&layout, &whole, copy, n);
            gsi_digest_add(&layout, &first, copy, half);
            gsi_digest_add(&layout, &second, copy + half * bytes, n - half);
            gsi_digest_join_keys(&layout, &first, &second);
            check_disorder(&layout, &whole, n, idx);
            check_disorder(&layout, &first, n, idx);
            memcpy(copy + idx * bytes, saved, bytes);
        }
    }
}

static void check_digest(const struct gsi_layout *layout, struct test_random *random, size_t n)
{
    uint32_t bytes = layout->key_bytes;
    struct gsi_digest whole = GSI_DIGEST_EMPTY, joined = GSI_DIGEST_EMPTY;
    struct gsi_tally *tally = gsi_tally_create(layout);
    fill_keys(layout);
    gsi_digest_add(layout, &whole, copy, n);
    for (size_t i = 0; i < n; i++)
        gsi_key_to_element(layout, copy + i * bytes, data + i * bytes);
    gsi_tally_add(tally, data, n);
    struct gsi_tally_report want = gsi_tally_finish(tally);
    for (size_t at = 0, step; at < n; at += step) {
        struct gsi_digest piece = GSI_DIGEST_EMPTY;
        step = 1 + test_below(random, n - at);
        size_t part = test_below(random, step + 1);
        gsi_digest_add_unmap(layout, &piece, copy + at * bytes, part);
        gsi_digest_add_unmap(layout, &piece, copy + (at + part) * bytes, step - part);
        gsi_digest_join_keys(layout, &joined, &piece);
    }
    if (whole.count != n || whole.disorder_idx != UINT64_MAX || whole.repeat_count != n / 2 ||
        memcmp(whole.fingerprint, want.fingerprint, sizeof want.fingerprint) != 0 ||
        memcmp(&whole, &joined, sizeof whole) != 0 || memcmp(copy, data, n * bytes) != 0)
        test_fail("%s, %zu elements: digest or elements differ", layout->type->name, n);
    gsi_tally_free(tally);
}

static void test_digest__any_split__as_tally_and_unmapped(void **state)
{
    (void)state;
    struct test_random random = test_random_make(3);
    for (size_t t = 0; t < gsi_key_type_count; t++)
        for (int is_reversed = 0; is_reversed < 2; is_reversed++) {
            struct gsi_layout layout = gsi_layout_make(&gsi_key_types[t], is_reversed);
            for (size_t s = 0; s < SIZE_COUNT; s++)
                check_digest(&layout, &random, sizes[s]);
        }
}

/* Squares that leave the words of their sums thousands of times, as one and as two tallies. */
static void test_variance__many_large_squares__no_carry_is_lost(void **state)
{
    (void)state;
    const struct {
        const char *type;
        double value;
        size_t blocks; /* of 1024 */
    } rows[] = {{"f64", nextafter(2, 0), 34000},
                {"f64", nextafter(2, 0), 30000}, /* only what is joined leaves them */
                {"f32", nextafterf(2, 0), 2000}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct gsi_layout layout = gsi_layout_make(gsi_key_type_find(rows[i].type), false);
        layout.has_moments = true;
        struct gsi_tally *tally = gsi_tally_create(&layout), *other = gsi_tally_create(&layout);
        float value = (float)rows[i].value;
        for (size_t k = 0; k < 1024; k++)
            if (layout.element_bytes == 4)
                memcpy(data + 4 * k, &value, 4);
            else
                memcpy(data + 8 * k, &rows[i].value, 8);
        for (size_t k = 0; k < rows[i].blocks; k++)
            gsi_tally_add(k % 2 == 0 ? other : tally, data, 1024);
        gsi_tally_merge(tally, other);
        struct gsi_tally_report result = gsi_tally_finish(tally);
        assert_true(result.mean == rows[i].value);
        assert_true(result.variance == 0);
        gsi_tally_free(tally);
        gsi_tally_free(other);
    }
}

static void test_tally__halves__go_to_the_even_one(void **state)
{
    (void)state;
    const double half = ldexp(1, -53), more = ldexp(1, -52);
    const struct {
        double values[3], sum;
    } rows[] = {{{1, half, 0}, 1},
                {{1 + more, half, 0}, 1 + 2 * more},
                {{1, half, ldexp(1, -90)}, 1 + more},
                {{-1, -half, 0}, -1}};
    struct gsi_layout layout = gsi_layout_make(gsi_key_type_find("f64"), false);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct gsi_tally *tally = gsi_tally_create(&layout);
        gsi_tally_add(tally, rows[i].values, 3);
        assert_true(gsi_tally_finish(tally).sum_float == rows[i].sum);
        gsi_tally_free(tally);
    }
}

/* As threads, GPUs and journals return sums. */
static void test_tally_sums__join__no_carry_is_lost(void **state)
{
    (void)state;
    struct gsi_tally_sums all, one;
    gsi_tally_sums_clear(&all);
    gsi_tally_sums_clear(&one);
    gsi_exact_fixed_add(one.limbs, UINT64_MAX, 1088, false); /* all bits of a limb */
    for (int i = 0; i < 5; i++)
        gsi_tally_sums_join(&all, &one);
    assert_true(gsi_exact_fixed_f64(all.limbs) == ldexp((double)UINT64_MAX, 14) * 5);
    one.is_negative = 1;
    for (int i = 0; i < 5; i++)
        gsi_tally_sums_join(&all, &one);
    assert_true(gsi_exact_fixed_f64(all.limbs) == 0);
    gsi_tally_sums_join(&all, &one);
    assert_true(gsi_exact_fixed_f64(all.limbs) == -ldexp((double)UINT64_MAX, 14));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_variance__many_large_squares__no_carry_is_lost),
        cmocka_unit_test(test_tally__every_type__as_reference),
        cmocka_unit_test(test_tally__nans_only__no_extremes),
        cmocka_unit_test(test_tally__halves__go_to_the_even_one),
        cmocka_unit_test(test_tally_sums__join__no_carry_is_lost),
        cmocka_unit_test(test_tally__any_split__same_bits),
        cmocka_unit_test(test_tally_sorted__every_type__same_bits),
        cmocka_unit_test(test_digest__disorder_anywhere__is_found),
        cmocka_unit_test(test_digest__any_split__as_tally_and_unmapped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
