/* test_foreign.c: numbers are practically never taken for another program's format. Run:
 * build/dev/tests/test_foreign */
#include "support/support.h"

#include "input/foreign.h"

static bool is_refused(const void *data, size_t bytes, bool is_whole)
{
    struct gs_error error = {0};
    struct gsi_beginning beginning = {data, bytes, is_whole, false};
    return gsi_foreign_check(&beginning, "x", &error) != GS_OK;
}

/* Random bytes; then bytes of which most are those of text; then small numbers. */
static void test_numbers__of_any_kind__are_no_format(void **state)
{
    (void)state;
    struct test_random random = test_random_make(11);
    uint8_t data[128];
    for (uint32_t round = 0; round < 1u << 20; round++) {
        size_t bytes = 16 * (1 + (size_t)test_below(&random, sizeof data / 16));
        for (size_t i = 0; i < bytes; i++)
            data[i] = (uint8_t)(round % 3 == 0   ? test_below(&random, 256)
                                : round % 3 == 1 ? 9 + test_below(&random, 200)
                                                 : (i % 8 < 2 ? test_below(&random, 128) : 0));
        if (is_refused(data, bytes, true))
            test_fail("round %u: %zu bytes are taken for a format", round, bytes);
    }
}

/* The first four bytes of every magic, and noise after them. */
static void test_numbers__that_begin_as_a_format__are_none(void **state)
{
    (void)state;
    static const char *const magics[] = {"\x1f\x8b\x08\x04",
                                         "BZh9",
                                         "\x04\x22\x4d\x18",
                                         "PK\x03\x04",
                                         "PAR1",
                                         "\xfd"
                                         "7zX",
                                         "7z\xbc\xaf",
                                         "\x89HDF",
                                         "SQLi",
                                         "ARRO"};
    struct test_random random = test_random_make(12);
    for (size_t m = 0; m < sizeof magics / sizeof magics[0]; m++) {
        uint32_t refused = 0;
        for (uint32_t round = 0; round < 1000; round++) {
            uint8_t data[128];
            for (size_t i = 0; i < sizeof data; i++)
                data[i] = (uint8_t)(i < 4 ? (uint8_t)magics[m][i] : test_below(&random, 256));
            refused += is_refused(data, sizeof data, false);
        }
        if (refused > 20)
            test_fail("magic %zu: %u of 1000", m, refused);
    }
}

/* It asks for the bytes that decide, and no more. */
static void test_wanted__grows_only_while_it_may_be_a_format(void **state)
{
    (void)state;
    static const struct {
        const char *data;
        size_t bytes, wanted;
    } rows[] = {{"", 0, 4},
                {"\x1f\x8b", 2, 4},
                {"\x1f\x8b\x08", 3, 10},
                {"\x1f\x8b\x08\x04", 4, 10},
                {"\1\0\0\0", 4, 4},
                {"ab\1d", 4, 4},
                {"\xff\xff\1\1", 4, 4},
                {"\xc4pfe", 4, 64},          /* Latin-1 */
                {"\xff\xfe\xc0\x03", 4, 64}, /* UTF-16 */
                {"abcd", 4, 64},
                {"a\nc\n", 4, 64},
                {"SQLite f", 8, 64}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (gsi_foreign_wanted((const uint8_t *)rows[i].data, rows[i].bytes) != rows[i].wanted)
            test_fail("row %zu", i);
    uint8_t text[5000];
    memset(text, 'x', sizeof text);
    for (size_t bytes = 4, steps = 0, next; (next = gsi_foreign_wanted(text, bytes)) > bytes;
         steps++) {
        bytes = next;
        assert_true(bytes <= 4096 && steps < 12);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers__of_any_kind__are_no_format),
        cmocka_unit_test(test_numbers__that_begin_as_a_format__are_none),
        cmocka_unit_test(test_wanted__grows_only_while_it_may_be_a_format),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
