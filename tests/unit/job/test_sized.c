/* test_sized.c: callers whose header is older or newer than the library, and those that want less. */
#include "support/scratch.h"

#include "base/sized.h"
#include "gsort.h"

#include <errno.h>
#include <stdlib.h>

/* The options end in the middle for an older caller, behind `unknown` for a newer one. */
struct newer_options {
    struct gs_options known;
    uint64_t unknown;
};

static const char *const inputs[] = {"in"};

static void put_input(void)
{
    static const double numbers[] = {3, 1, 2};
    put_bytes("in", numbers, sizeof numbers);
}

static void test_sized__older_caller__lacks_nothing(void **state)
{
    (void)state;
    /* What lies behind the struct of an older header is not the library's. */
    struct gs_options options = {.action = GS_ACTION_STATS,
                                 .inputs = inputs,
                                 .input_count = 1,
                                 .type = "f64",
                                 .record_bytes = 7,
                                 .memory_bytes = 1};
    size_t bytes = offsetof(struct gs_report, tally) + sizeof(struct gs_tally), behind = 64;
    unsigned char *room = malloc(bytes + behind);
    assert_non_null(room);
    memset(room, 0xa5, bytes + behind);
    void *report = room;
    struct gs_tally tally;
    struct gs_error error;
    put_input();
    assert_int_equal(
        gs_run_sized(&options, offsetof(struct gs_options, record_bytes), report, bytes, &error),
        GS_OK);
    memcpy(&tally, room + offsetof(struct gs_report, tally), sizeof tally);
    assert_int_equal(tally.count, 3);
    for (size_t i = 0; i < behind; i++)
        assert_int_equal(room[bytes + i], 0xa5);
    free(room);
}

static void test_sized__newer_caller__is_told_what_is_not_known(void **state)
{
    (void)state;
    struct newer_options options = {
        .known = {.action = GS_ACTION_STATS, .inputs = inputs, .input_count = 1, .type = "f64"}};
    struct gs_error error;
    size_t bytes = sizeof(struct gs_report) + 100;
    unsigned char *report = malloc(bytes);
    assert_non_null(report);
    memset(report, 0xa5, bytes);
    put_input();
    assert_int_equal(
        gs_run_sized(&options.known, sizeof options, (struct gs_report *)report, bytes, &error),
        GS_OK);
    for (size_t i = sizeof(struct gs_report); i < bytes; i++)
        assert_int_equal(report[i], 0);
    assert_int_equal(((struct gs_report *)report)->tally.count, 3);
    options.unknown = 1;
    assert_int_equal(
        gs_run_sized(&options.known, sizeof options, (struct gs_report *)report, bytes, &error),
        GS_E_USAGE);
    assert_non_null(strstr(error.text, "does not know"));
    assert_int_equal(((struct gs_report *)report)->tally.count, 0);
    free(report);
}

static void test_sized__values_of_a_newer_header__are_refused(void **state)
{
    (void)state;
    const struct gs_options plain = {
        .inputs = inputs, .input_count = 1, .type = "f64", .output = "out"};
    static const char *const names[] = {"action", "io", "device", "compress"};
    put_input();
    for (int i = 0; i < 4; i++)
        for (int value = -1; value < 100; value += 100) {
            struct gs_options options = plain;
            struct gs_error error;
            int *const fields[] = {(int *)&options.action, (int *)&options.io,
                                   (int *)&options.device, (int *)&options.compress};
            *fields[i] = value;
            assert_int_equal(gs_run(&options, NULL, &error), GS_E_USAGE);
            assert_non_null(strstr(error.text, names[i]));
            assert_int_equal(names_in("."), 1);
        }
}

static void test_sized__what_is_not_wanted__may_be_null(void **state)
{
    (void)state;
    struct gs_options options = {
        .action = GS_ACTION_STATS, .inputs = inputs, .input_count = 1, .type = "f64"};
    struct gs_report report;
    put_input();
    assert_int_equal(gs_run(&options, NULL, NULL), GS_OK);
    assert_int_equal(gs_run(&options, &report, NULL), GS_OK);
    assert_int_equal(report.tally.count, 3);
    options.type = "nonsense";
    assert_int_equal(gs_run(&options, NULL, NULL), GS_E_USAGE);
}

static void test_sized__failure_of_the_caller__is_one_line(void **state)
{
    (void)state;
    struct gs_error error = {0};
    assert_int_equal(gs_fail(&error, GS_E_INPUT, ENOENT, "'%s': cannot open", "a\nb"), GS_E_INPUT);
    assert_string_equal(error.text, "'a?b': cannot open: No such file or directory");
    assert_int_equal(gs_fail(&error, GS_E_IO, 0, "later"), GS_E_IO);
    assert_int_equal(error.status, GS_E_INPUT);
    assert_int_equal(gs_fail(NULL, GS_E_IO, 0, "nobody"), GS_E_IO);
}

static void test_sized__types__by_words_and_names(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool is_file;
        const char *name;
        uint32_t bytes;
        bool is_float, is_signed;
    } rows[] = {
        {"double", false, "f64", 8, true, true},    {"UINT32", false, "u32", 4, false, false},
        {"int128", false, "i128", 16, false, true}, {"x.i32.zst", true, "i32", 4, false, true},
        {">m8", false, "time64be", 8, false, true}, {"x.half", true, "f16", 2, true, true},
        {"uint8", false, "uint8", 1, false, false}, {"f128", false, NULL, 0, false, false},
        {"u8", false, NULL, 0, false, false},       {"x.u8", true, "uint8", 1, false, false},
        {"I8", false, NULL, 0, false, false},       {"x.i8", true, "int8", 1, false, true},
        {"nonsense", false, NULL, 0, false, false}, {"x.bin", true, NULL, 0, false, false}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct gs_type type = {0};
        bool is_type = rows[i].is_file ? gs_type_of_file(rows[i].text, &type)
                                       : gs_type_find(rows[i].text, &type);
        assert_int_equal(is_type, rows[i].name != NULL);
        if (is_type)
            assert_string_equal(type.name, rows[i].name);
        assert_int_equal(type.element_bytes, rows[i].bytes);
        assert_int_equal(type.is_float, rows[i].is_float);
        assert_int_equal(type.is_signed, rows[i].is_signed);
    }
}

int main(void)
{
#define ROW(name) cmocka_unit_test_setup_teardown(name, scratch_setup, scratch_teardown)
    const struct CMUnitTest tests[] = {ROW(test_sized__older_caller__lacks_nothing),
                                       ROW(test_sized__newer_caller__is_told_what_is_not_known),
                                       ROW(test_sized__values_of_a_newer_header__are_refused),
                                       ROW(test_sized__what_is_not_wanted__may_be_null),
                                       ROW(test_sized__failure_of_the_caller__is_one_line),
                                       ROW(test_sized__types__by_words_and_names)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
