/* test_number.c: numbers as text. Run: build/dev/tests/test_number */
#include "support/scratch.h"

#include "base/text.h"
#include "input/fits/fits.h"
#include "report/number.h"

#include <locale.h>
#include <math.h>

static void check(const char *got, const char *want)
{
    if (strcmp(got, want) != 0)
        test_fail("got '%s', want '%s'", got, want);
}

static void test_number__hexadecimal__no_leading_zeros(void **state)
{
    (void)state;
    static const struct {
        uint64_t words[2];
        const char *want;
    } rows[] = {
        {{0, 0}, "0"},
        {{0x7a27e2d0d55de, 0}, "7a27e2d0d55de"},
        {{UINT64_MAX, 0}, "ffffffffffffffff"},
        {{0xabc, 0x12}, "120000000000000abc"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[GSI_NUMBER_BYTES];
        gsi_number_hex(text, rows[i].words);
        check(text, rows[i].want);
    }
}

static void test_number__sums__are_exact(void **state)
{
    (void)state;
    static const struct {
        uint64_t words[4];
        const char *want;
    } rows[] = {
        {{0}, "0"},
        {{7}, "7"},
        {{1000000000000000000u}, "1000000000000000000"},
        {{UINT64_MAX}, "18446744073709551615"},
        {{0, 1}, "18446744073709551616"},
        {{UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX}, "-1"},
        {{0, UINT64_MAX, UINT64_MAX, UINT64_MAX}, "-18446744073709551616"},
        {{UINT64_MAX, UINT64_MAX, UINT64_MAX, INT64_MAX},
         "57896044618658097711785492504343953926634992332820282019728792003956564819967"},
        {{0, 0, 0, (uint64_t)1 << 63},
         "-57896044618658097711785492504343953926634992332820282019728792003956564819968"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[GSI_NUMBER_BYTES];
        gsi_number_sum(text, rows[i].words);
        check(text, rows[i].want);
    }
}

static void test_number__elements__by_type(void **state)
{
    (void)state;
    static const struct {
        uint64_t words[2];
        uint32_t bytes;
        bool is_float, is_signed;
        const char *want;
    } rows[] = {
        {{0xffffffff}, 4, false, false, "4294967295"},
        {{0xffffffff}, 4, false, true, "-1"},
        {{0x80000000}, 4, false, true, "-2147483648"},
        {{UINT64_MAX}, 8, false, false, "18446744073709551615"},
        {{(uint64_t)1 << 63}, 8, false, true, "-9223372036854775808"},
        {{UINT64_MAX, UINT64_MAX}, 16, false, false, "340282366920938463463374607431768211455"},
        {{0x3dcccccd}, 4, true, true, "0.1"},
        {{0x7f7fffff}, 4, true, true, "3.4028235e+38"},
        {{1}, 4, true, true, "1e-45"},
        {{0x80000000}, 4, true, true, "-0"},
        {{0xff800000}, 4, true, true, "-inf"},
        {{0xffc00000}, 4, true, true, "nan"},
        {{0x3fb999999999999a}, 8, true, true, "0.1"},
        {{0x3ff8000000000000}, 8, true, true, "1.5"},
        {{0x4008000000000000}, 8, true, true, "3"},
        {{0x3fd3333333333334}, 8, true, true, "0.30000000000000004"},
        {{1}, 8, true, true, "5e-324"},
        {{0x7fefffffffffffff}, 8, true, true, "1.7976931348623157e+308"},
        {{0x4024000000000000}, 8, true, true, "10"},
        {{0xc08f400000000000}, 8, true, true, "-1000"},
        {{0x3f1a36e2eb1c432d}, 8, true, true, "0.0001"},
        {{0x3ee4f8b588e368f1}, 8, true, true, "1e-05"},
        {{0x4341c37937e07fff}, 8, true, true, "9999999999999998"},
        {{0x4341c37937e08000}, 8, true, true, "1e+16"},
        {{0x4ceb79a3}, 4, true, true, "123456790"}, /* it is 123456792 */
        {{0x7ff0000000000000}, 8, true, true, "inf"},
        {{0x7ff8000000000000}, 8, true, true, "nan"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[GSI_NUMBER_BYTES];
        gsi_number_element(text, rows[i].words, rows[i].bytes, rows[i].is_float, rows[i].is_signed);
        check(text, rows[i].want);
    }
}

static void test_number__random_doubles__read_back(void **state)
{
    (void)state;
    struct test_random random = test_random_make(4);
    for (int i = 0; i < 20000; i++) {
        uint64_t bits = test_next(&random);
        double x;
        char text[GSI_NUMBER_BYTES];
        memcpy(&x, &bits, sizeof x);
        gsi_number_double(text, x);
        if (!isnan(x) && strtod(text, NULL) != x)
            test_fail("%a became %s", x, text);
    }
}

static void test_number__sizes_rates_durations__for_people(void **state)
{
    (void)state;
    static const struct {
        void (*format)(char *text, uint64_t x);
        uint64_t x;
        const char *want;
    } rows[] = {
        {gsi_number_size, 0, "0 B"},
        {gsi_number_size, 1023, "1023 B"},
        {gsi_number_size, 1024, "1.00 KiB"},
        {gsi_number_size, 1610612736, "1.50 GiB"},
        {gsi_number_size, ((uint64_t)1 << 40) - 1, "1.00 TiB"},
        {gsi_number_size, UINT64_MAX, "16.00 EiB"},
        {gsi_number_duration, 0, "0.000 ms"},
        {gsi_number_duration, 123456, "0.123 ms"},
        {gsi_number_duration, 12345678, "12.3 ms"},
        {gsi_number_duration, 1860000000, "1.86 s"},
        {gsi_number_duration, 125000000000, "2:05 min"},
        {gsi_number_duration, 11110000000000, "3:05:10 h"},
    };
    char text[GSI_NUMBER_BYTES];
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        rows[i].format(text, rows[i].x);
        check(text, rows[i].want);
    }
    gsi_number_rate(text, 4620000000, 2000000000);
    check(text, "2.31 GB/s");
    gsi_number_rate(text, 1, 0);
    check(text, "-");
}

/* A locale of the test's own, as few are installed. */
static void test_number__locale_with_a_comma__still_a_point(void **state)
{
    if (system("localedef --no-archive -i de_DE -f UTF-8 ./comma >log 2>&1") != 0)
        test_skip("no locale with a comma can be made (Debian: locales)");
    assert_int_equal(setenv("LOCPATH", *state, 1), 0);
    assert_non_null(setlocale(LC_NUMERIC, "comma"));
    assert_string_equal(localeconv()->decimal_point, ",");
    char text[GSI_NUMBER_BYTES];
    gsi_number_double(text, 1.5e300);
    check(text, "1.5e+300");
    gsi_number_size(text, 1610612736);
    check(text, "1.50 GiB");
    /* And so where numbers are read: of options, and of a FITS header. */
    char *end, card[GSI_FITS_CARD + 1];
    double value = 0;
    assert_true(gsi_parse_double("2.5e3;", &end, &value));
    assert_true(value == 2500 && *end == ';');
    uint64_t bytes = 0;
    assert_true(gs_size_parse("1.5G", 0, &bytes) && bytes == 1610612736);
    assert_false(gs_size_parse("1,5G", 0, &bytes));
    snprintf(card, sizeof card, "%-80s", "TSCAL1  =                  0.5 / a scale");
    assert_true(gsi_fits_real((const uint8_t *)card) == 0.5);
    setlocale(LC_NUMERIC, "C");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_number__hexadecimal__no_leading_zeros),
        cmocka_unit_test(test_number__sums__are_exact),
        cmocka_unit_test(test_number__elements__by_type),
        cmocka_unit_test(test_number__random_doubles__read_back),
        cmocka_unit_test(test_number__sizes_rates_durations__for_people),
        cmocka_unit_test_setup_teardown(test_number__locale_with_a_comma__still_a_point,
                                        scratch_setup, scratch_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
