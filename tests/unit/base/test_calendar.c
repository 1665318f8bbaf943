/* test_calendar.c: times as text, beside a calendar that is counted day by day, and NumPy's texts.
 * Run: build/dev/tests/test_calendar */
#include "support/support.h"

#include "base/calendar.h"

#include <inttypes.h>

static void check(enum gsi_time_unit unit, int64_t time, const char *wanted)
{
    char text[GSI_TIME_BYTES];
    int64_t back = ~time;
    gsi_time_text(text, time, unit);
    assert_string_equal(text, wanted);
    assert_int_equal(gsi_time_parse(text, unit, &back), GSI_TIME_OK);
    assert_int_equal(back, time);
    assert_int_equal(gsi_time_unit_of(text), unit);
}

/* ---- days ---- */

struct day {
    int64_t year;
    int month, day;
};

static bool is_leap(int64_t year)
{
    return year % 400 == 0 || (year % 4 == 0 && year % 100 != 0);
}

static void go_on(struct day *day)
{
    static const int lengths[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    if (day->day++ < lengths[day->month - 1] + (day->month == 2 && is_leap(day->year)))
        return;
    day->day = 1;
    day->year += day->month == 12;
    day->month = day->month % 12 + 1;
}

static void test_calendar__every_day__is_the_one_after_the_day_before(void **state)
{
    (void)state;
    char text[64];
    struct day day = {-401, 1, 1};
    for (int64_t i = -719528 - 401 * 365 - 97; day.year < 2401; i++, go_on(&day)) {
        bool is_seen = day.month == 2 || day.month == 3 || day.day == 31 || day.day == 1;
        snprintf(text, sizeof text, "%04" PRId64 "-%02d-%02d", day.year, day.month, day.day);
        if (is_seen || day.year == 1970)
            check(GSI_UNIT_D, i, text);
        if (day.year == 1970 && day.month == 1 && day.day == 1)
            assert_int_equal(i, 0);
    }
}

/* ---- what NumPy prints, but for days at the ends, where it overflows ---- */

static const struct {
    enum gsi_time_unit unit;
    int64_t time;
    const char *text;
} known[] = {
    {GSI_UNIT_D, INT64_MIN + 1, "-25252734927764585-06-08"},
    {GSI_UNIT_D, INT64_MAX, "25252734927768524-07-27"},
    {GSI_UNIT_h, INT64_MIN + 1, "-1052197288654970-03-24T17"},
    {GSI_UNIT_h, INT64_MAX, "1052197288658909-10-10T07"},
    {GSI_UNIT_m, INT64_MIN + 1, "-17536621475646-05-04T05:53"},
    {GSI_UNIT_m, INT64_MAX, "17536621479585-08-30T18:07"},
    {GSI_UNIT_s, INT64_MIN + 1, "-292277022657-01-27T08:29:53"},
    {GSI_UNIT_s, INT64_MAX, "292277026596-12-04T15:30:07"},
    {GSI_UNIT_s, -62167219201, "-001-12-31T23:59:59"},
    {GSI_UNIT_s, -62167219200, "0000-01-01T00:00:00"},
    {GSI_UNIT_s, -93789619200, "-1003-12-04T00:00:00"},
    {GSI_UNIT_s, 253402300799, "9999-12-31T23:59:59"},
    {GSI_UNIT_s, 253402300800, "10000-01-01T00:00:00"},
    {GSI_UNIT_ms, INT64_MIN + 1, "-292275055-05-16T16:47:04.193"},
    {GSI_UNIT_ms, INT64_MAX, "292278994-08-17T07:12:55.807"},
    {GSI_UNIT_ms, 951782400000, "2000-02-29T00:00:00.000"},
    {GSI_UNIT_ms, -1, "1969-12-31T23:59:59.999"},
    {GSI_UNIT_us, INT64_MIN + 1, "-290308-12-21T19:59:05.224193"},
    {GSI_UNIT_us, INT64_MAX, "294247-01-10T04:00:54.775807"},
    {GSI_UNIT_ns, INT64_MIN + 1, "1677-09-21T00:12:43.145224193"},
    {GSI_UNIT_ns, INT64_MAX, "2262-04-11T23:47:16.854775807"},
};

static void test_calendar__times_that_are_known__are_printed_and_read(void **state)
{
    (void)state;
    char text[GSI_TIME_BYTES];
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        check(known[i].unit, known[i].time, known[i].text);
    gsi_time_text(text, INT64_MIN, GSI_UNIT_ns);
    assert_string_equal(text, "NaT");
}

static void test_calendar__any_time__reads_back_as_itself(void **state)
{
    (void)state;
    struct test_random random = test_random_make(1);
    for (int i = 0; i < 100000; i++) {
        enum gsi_time_unit unit = (enum gsi_time_unit)(GSI_UNIT_D + (int)(test_below(&random, 7)));
        int64_t time = (int64_t)test_next(&random) >> test_below(&random, 63);
        char text[GSI_TIME_BYTES];
        int64_t back = ~time;
        if (time == INT64_MIN)
            continue;
        gsi_time_text(text, time, unit);
        assert_int_equal(gsi_time_parse(text, unit, &back), GSI_TIME_OK);
        assert_int_equal(back, time);
        assert_int_equal(gsi_time_unit_of(text), unit);
    }
}

/* ---- what may be left out, and what is refused ---- */

static const struct {
    const char *text;
    enum gsi_time_error error;
    int64_t time; /* in ms */
} given[] = {
    {"2024-01-05", GSI_TIME_OK, 1704412800000},
    {"2024-01-05T10", GSI_TIME_OK, 1704448800000},
    {"2024-01-05T10:00", GSI_TIME_OK, 1704448800000},
    {"2024-01-05 10:00:00Z", GSI_TIME_OK, 1704448800000},
    {"2024-01-05T10:00:00.1", GSI_TIME_OK, 1704448800100},
    {"+2024-01-05T10:00:00.123Z", GSI_TIME_OK, 1704448800123},
    {"-0001-12-31T23:59:59.999", GSI_TIME_OK, -62167219200001},
    {"2024-01-05T10:00:00.1230", GSI_TIME_TOO_PRECISE, 0},
    {"2024-01-05T10:00:00.12345678901234567890", GSI_TIME_TOO_PRECISE, 0},
    {"292278994-08-17T07:12:55.808", GSI_TIME_OUT_OF_RANGE, 0},
    {"-292275055-05-16T16:47:04.192", GSI_TIME_OUT_OF_RANGE, 0},
    {"99999999999999999-12-31", GSI_TIME_OUT_OF_RANGE, 0},
    {"100000000000000000-01-01", GSI_TIME_NOT_A_TIME, 0},
    {"", GSI_TIME_NOT_A_TIME, 0},
    {"NaT", GSI_TIME_NOT_A_TIME, 0},
    {"-", GSI_TIME_NOT_A_TIME, 0},
    {"2024", GSI_TIME_NOT_A_TIME, 0},
    {"2024-01", GSI_TIME_NOT_A_TIME, 0},
    {"24-01-05", GSI_TIME_NOT_A_TIME, 0},
    {"2024-1-5", GSI_TIME_NOT_A_TIME, 0},
    {"2024-00-05", GSI_TIME_NOT_A_TIME, 0},
    {"2024-13-05", GSI_TIME_NOT_A_TIME, 0},
    {"2024-01-00", GSI_TIME_NOT_A_TIME, 0},
    {"2024-04-31", GSI_TIME_NOT_A_TIME, 0},
    {"2023-02-29", GSI_TIME_NOT_A_TIME, 0},
    {"1900-02-29", GSI_TIME_NOT_A_TIME, 0},
    {"2024-01-05T", GSI_TIME_NOT_A_TIME, 0},
    {"2024-01-05T1", GSI_TIME_NOT_A_TIME, 0},
    {"2024-01-05T24", GSI_TIME_NOT_A_TIME, 0},
    {"2024-01-05T10:", GSI_TIME_NOT_A_TIME, 0},
    {"2024-01-05T10:60", GSI_TIME_NOT_A_TIME, 0},
    {"2024-01-05T10:00:60", GSI_TIME_NOT_A_TIME, 0},
    {"2024-01-05T10:00:00.", GSI_TIME_NOT_A_TIME, 0},
    {"2024-01-05T10:00:00,5", GSI_TIME_NOT_A_TIME, 0},
    {"2024-01-05T10:00:00+02:00", GSI_TIME_NOT_A_TIME, 0},
    {"2024-01-05T10:00:00ZZ", GSI_TIME_NOT_A_TIME, 0},
    {"2024-01-05 ", GSI_TIME_NOT_A_TIME, 0},
    {"2024-01-05x", GSI_TIME_NOT_A_TIME, 0},
};

static void test_calendar__what_is_given__is_a_time_or_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof given / sizeof given[0]; i++) {
        int64_t time = 0;
        assert_int_equal(gsi_time_parse(given[i].text, GSI_UNIT_ms, &time), given[i].error);
        assert_int_equal(time, given[i].time);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_calendar__every_day__is_the_one_after_the_day_before),
        cmocka_unit_test(test_calendar__times_that_are_known__are_printed_and_read),
        cmocka_unit_test(test_calendar__any_time__reads_back_as_itself),
        cmocka_unit_test(test_calendar__what_is_given__is_a_time_or_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
