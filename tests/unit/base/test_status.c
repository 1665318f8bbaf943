/* test_status.c: the error line: whatever it names, the reason stands at its end.
 * Run: build/dev/tests/test_status */
#include "support/support.h"

#include "base/status.h"

#include <errno.h>

#define LONGEST 200000u

static char name[LONGEST + 1];

/* Makes a name of so many bytes, which begins and ends with unique letters. */
static const char *name_of(size_t bytes, const char *middle)
{
    size_t step = strlen(middle);
    for (size_t i = 6; i < bytes; i++)
        name[i] = middle[(i - 6) % step];
    name[bytes] = '\0';
    memcpy(name, "/begin", 6);
    memcpy(name + bytes - 4, "/end", 4);
    return name;
}

static const size_t lengths[] = {20,   900,  990,  1000, 1001, 1002,   1003, 1004,
                                 1005, 1010, 1023, 1024, 1100, 4095,   8050, 8063,
                                 8064, 8065, 8100, 8192, 9000, LONGEST};
#define LENGTH_COUNT (sizeof lengths / sizeof lengths[0])

static bool ends_with(const char *text, const char *end)
{
    size_t length = strlen(text), bytes = strlen(end);
    return length >= bytes && strcmp(text + length - bytes, end) == 0;
}

static void test_status__long_names__leave_room_for_the_reason(void **state)
{
    (void)state;
    for (size_t i = 0; i < LENGTH_COUNT; i++) {
        struct gs_error error = {0};
        const char *path = name_of(lengths[i], "abc");
        assert_int_equal(gsi_fail(&error, GS_E_INPUT, ENOENT, "'%s': cannot open", path),
                         GS_E_INPUT);
        assert_true(strncmp(error.text, "'/begin", 7) == 0);
        if (!ends_with(error.text, "/end': cannot open: No such file or directory"))
            test_fail("%zu bytes: %s", lengths[i], error.text);
        assert_true(strlen(error.text) < sizeof error.text);
        size_t whole = lengths[i] + strlen("'': cannot open: No such file or directory");
        assert_true((strstr(error.text, "...") != NULL) == (whole >= sizeof error.text));
    }
}

/* Two long names are shortened in the same way, and short ones stay whole. */
static void test_status__several_names__all_keep_something(void **state)
{
    (void)state;
    for (size_t i = 0; i < LENGTH_COUNT; i++) {
        struct gs_error error = {0};
        const char *path = name_of(lengths[i], "abc");
        gsi_fail(&error, GS_E_IO, EACCES, "'%s': cannot create '%s' in directory '%s'", path,
                 "a short name", path);
        assert_true(strncmp(error.text, "'/begin", 7) == 0);
        assert_non_null(strstr(error.text, "/end': cannot create 'a short name' in directory "));
        assert_non_null(strstr(error.text, " directory '/begin"));
        if (!ends_with(error.text, "/end': Permission denied"))
            test_fail("%zu bytes: %s", lengths[i], error.text);
    }
}

static void test_status__long_without_quotes__keeps_both_ends(void **state)
{
    (void)state;
    for (size_t i = 0; i < LENGTH_COUNT; i++) {
        struct gs_error error = {0};
        gsi_fail(&error, GS_E_USAGE, 0, "%s is no option's value; give another",
                 name_of(lengths[i], "ab'"));
        assert_true(strncmp(error.text, "/begin", 6) == 0);
        assert_true(ends_with(error.text, "/end is no option's value; give another"));
    }
}

/* No character is halved. */
static void test_status__utf_8__stays_that(void **state)
{
    (void)state;
    static const char *const characters[] = {"\u00e9", "\u20ac", "\U0001d11e"};
    for (size_t c = 0; c < 3; c++)
        for (size_t count = 240; count < 600; count++) {
            struct gs_error error = {0};
            size_t bytes = strlen(characters[c]);
            gsi_fail(&error, GS_E_IO, EIO, "'%s': cannot read",
                     name_of(6 + count * bytes + 4, characters[c]));
            for (const char *at = error.text; *at != '\0';) {
                if ((unsigned char)*at < 0x80) {
                    at++;
                } else if (strncmp(at, characters[c], bytes) == 0) {
                    at += bytes;
                } else {
                    test_fail("%zu characters of %zu bytes: %s", count, bytes, error.text);
                    return;
                }
            }
        }
}

static void test_status__fit_name__keeps_both_ends(void **state)
{
    (void)state;
    for (size_t size = 8; size < 40; size++)
        for (size_t bytes = 10; bytes < 60; bytes++) {
            char to[64];
            const char *path = name_of(bytes, "\u20ac");
            gsi_shorten_name(to, size, path);
            if (bytes < size) {
                assert_string_equal(to, path);
                continue;
            }
            assert_in_range(strlen(to), size - 5, size - 1);
            assert_true(strncmp(to, path, 2) == 0 && ends_with(to, "nd"));
            assert_non_null(strstr(to, "..."));
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_status__long_names__leave_room_for_the_reason),
        cmocka_unit_test(test_status__several_names__all_keep_something),
        cmocka_unit_test(test_status__long_without_quotes__keeps_both_ends),
        cmocka_unit_test(test_status__utf_8__stays_that),
        cmocka_unit_test(test_status__fit_name__keeps_both_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
