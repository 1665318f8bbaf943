/* test_size.c: sizes as users write them. Run: build/dev/tests/test_size */
#include "support/support.h"

#include "gsort.h"

static void test_size__table__parses_or_refuses(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint64_t whole;
        bool is_size;
        uint64_t bytes;
    } rows[] = {
        {"0", 0, true, 0},
        {"4096", 0, true, 4096},
        {"1B", 0, true, 1},
        {"1K", 0, true, 1024},
        {"1k", 0, true, 1024},
        {"2KiB", 0, true, 2048},
        {"3MB", 0, true, 3u << 20},
        {"1.5G", 0, true, 1610612736},
        {"16T", 0, true, (uint64_t)16 << 40},
        {"1P", 0, true, (uint64_t)1 << 50},
        {"50%", 1000, true, 500},
        {"12.5%", 1000, true, 125},
        {"18446744073709551615", 0, true, UINT64_MAX},
        {"18446744073709551616", 0, false, 0},
        {"16384P", 0, false, 0},
        {"1E", 0, true, (uint64_t)1 << 60},
        {"15.5eB", 0, true, (uint64_t)31 << 59},
        {"2EiB", 0, true, (uint64_t)2 << 60},
        {"16E", 0, false, 0},
        {"1e+3", 0, true, 1000},
        {"1E3", 0, true, 1000},
        {"1e", 0, true, (uint64_t)1 << 60},
        {"50%", 0, false, 0},
        {"", 0, false, 0},
        {"K", 0, false, 0},
        {"-1", 0, false, 0},
        {"+1", 0, false, 0},
        {" 1", 0, false, 0},
        {"1 K", 0, false, 0},
        {"1KX", 0, false, 0},
        {"1Ki", 0, false, 0},
        {"0x10", 0, false, 0},
        {"1e6", 0, true, 1000000},
        {"200Mb", 0, true, 200u << 20},
        {"1.5gib", 0, true, 1610612736},
        {"1e20", 0, false, 0},
        {"1e9999", 0, false, 0},
        {"inf", 0, false, 0},
        {"nan", 0, false, 0},
        {"1..5", 0, false, 0},
        {"1,5G", 0, false, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        uint64_t bytes = 77;
        bool is_size = gs_size_parse(rows[i].text, rows[i].whole, &bytes);
        if (is_size != rows[i].is_size || bytes != (is_size ? rows[i].bytes : 77))
            test_fail("'%s': got %d, %llu", rows[i].text, is_size, (unsigned long long)bytes);
    }
}

static void test_count__table__parses_or_refuses(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool is_count;
        uint64_t count;
    } rows[] = {
        {"0", true, 0},
        {"1000", true, 1000},
        {"10K", true, 10000},
        {"10k", true, 10000},
        {"1e6", true, 1000000},
        {"1.5M", true, 1500000},
        {"2G", true, 2000000000},
        {"18E", true, 18000000000000000000u},
        {"18446744073709551615", true, UINT64_MAX},
        {"18446744073709551616", false, 0},
        {"19E", false, 0},
        {"1.5", false, 0},
        {"1KB", false, 0},
        {"1KiB", false, 0},
        {"10%", false, 0},
        {"-1", false, 0},
        {"ten", false, 0},
        {"", false, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        uint64_t count = 77;
        bool is_count = gs_count_parse(rows[i].text, &count);
        if (is_count != rows[i].is_count || count != (is_count ? rows[i].count : 77))
            test_fail("'%s': got %d, %llu", rows[i].text, is_count, (unsigned long long)count);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_size__table__parses_or_refuses),
        cmocka_unit_test(test_count__table__parses_or_refuses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
