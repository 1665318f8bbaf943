/* calendar.c: computes dates by eras of 400 years, which all have the same number of days (H.
 * Hinnant, "chrono-compatible low-level date algorithms", 2013). In these computations a year
 * begins in March, so that a leap day is its last day. */
#include "base/calendar.h"

#include "base/u128.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define ERA_DAYS  146097
#define ERA_YEARS 400
#define YEAR_DAYS 365
#define DAYS_1970 719468 /* days from the first of March of the year 0 */
#define DAY_NS    86400000000000

#define YEAR_DIGITS_MAX     17 /* a year with more digits does not fit into 64 bits */
#define YEAR_CHARACTERS_MIN 4  /* digits of a year and its sign */

static const struct time_row {
    int64_t units_per_day;
    size_t time_of_day_bytes; /* how many characters of T10:00:00.123456789 are shown */
} time_rows[GSI_UNIT_COUNT] = {
    [GSI_UNIT_D] = {1, 0},        [GSI_UNIT_h] = {24, 3},         [GSI_UNIT_m] = {1440, 6},
    [GSI_UNIT_s] = {86400, 9},    [GSI_UNIT_ms] = {86400000, 13}, [GSI_UNIT_us] = {86400000000, 16},
    [GSI_UNIT_ns] = {DAY_NS, 19},
};

/* ---- dates ---- */

struct date {
    gsi_i128 year;
    int month, day;
};

static gsi_i128 floor_divide(gsi_i128 number, gsi_i128 divisor)
{
    return number / divisor - (number % divisor < 0);
}

static struct date date_of_day(int64_t day)
{
    gsi_i128 days = (gsi_i128)day + DAYS_1970, era = floor_divide(days, ERA_DAYS);
    int era_day = (int)(days - era * ERA_DAYS);
    int year = (era_day - era_day / 1460 + era_day / 36524 - era_day / 146096) / YEAR_DAYS;
    int year_day = era_day - (YEAR_DAYS * year + year / 4 - year / 100);
    int month = (5 * year_day + 2) / 153; /* 0 is March */
    return (struct date){.year = era * ERA_YEARS + year + (month > 9),
                         .month = month > 9 ? month - 9 : month + 3,
                         .day = year_day - (153 * month + 2) / 5 + 1};
}

static gsi_i128 day_of_date(struct date date)
{
    gsi_i128 years = date.year - (date.month < 3), era = floor_divide(years, ERA_YEARS);
    int year = (int)(years - era * ERA_YEARS);
    int month = date.month < 3 ? date.month + 9 : date.month - 3;
    int year_day = (153 * month + 2) / 5 + date.day - 1;
    int era_day = YEAR_DAYS * year + year / 4 - year / 100 + year_day;
    return era * ERA_DAYS + era_day - DAYS_1970;
}

static int month_days(struct date date)
{
    static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    bool is_leap = date.year % 4 == 0 && (date.year % 100 != 0 || date.year % ERA_YEARS == 0);
    return days[date.month - 1] + (date.month == 2 && is_leap);
}

/* ---- texts ---- */

void gsi_time_text(char text[GSI_TIME_BYTES], int64_t time, enum gsi_time_unit unit)
{
    const struct time_row *row = &time_rows[unit];
    if (time == INT64_MIN) {
        strcpy(text, "NaT");
        return;
    }
    int64_t day = (int64_t)floor_divide(time, row->units_per_day);
    int64_t ns =
        (int64_t)(time - (gsi_i128)day * row->units_per_day) * (DAY_NS / row->units_per_day);
    int second = (int)(ns / 1000000000), fraction_ns = (int)(ns % 1000000000);
    struct date date = date_of_day(day);
    int length = snprintf(text, GSI_TIME_BYTES, "%04" PRId64 "-%02d-%02d", (int64_t)date.year,
                          date.month, date.day);
    snprintf(text + length, row->time_of_day_bytes + 1, "T%02d:%02d:%02d.%09d", second / 3600,
             second / 60 % 60, second % 60, fraction_ns);
}

/* Parses a separator, one of the letters of `before`, and a number of two digits after it. Returns
 * false if these are missing or the number exceeds `max`. */
static bool parse_two_digits(const char **next, const char *before, int max, int *number)
{
    if (**next == '\0' || strchr(before, **next) == NULL)
        return false;
    for (int i = 1; i <= 2; i++) {
        if ((*next)[i] < '0' || (*next)[i] > '9')
            return false;
        *number = 10 * *number + (*next)[i] - '0';
    }
    *next += 3;
    return *number <= max;
}

static bool parse_date(const char **next, struct date *date)
{
    bool is_negative = **next == '-';
    const char *digits = *next + (is_negative || **next == '+'), *end = digits;
    for (; *end >= '0' && *end <= '9' && end - digits <= YEAR_DIGITS_MAX; end++)
        date->year = 10 * date->year + *end - '0';
    if (end - *next < YEAR_CHARACTERS_MIN || end - digits > YEAR_DIGITS_MAX)
        return false;
    date->year = is_negative ? -date->year : date->year;
    *next = end;
    return parse_two_digits(next, "-", 12, &date->month) && date->month > 0 &&
           parse_two_digits(next, "-", 31, &date->day) && date->day > 0 &&
           date->day <= month_days(*date);
}

/* Parses a time of day such as T10:00; its minutes, seconds and fraction may be missing. Sets *ns
 * to the nanoseconds since the beginning of the day. */
static bool parse_time_of_day(const char **next, int64_t *ns)
{
    int hour = 0, minute = 0, second = 0;
    const int64_t second_ns = 1000000000;
    bool has_more = **next == 'T' || **next == ' ';
    if (has_more && !parse_two_digits(next, "T ", 23, &hour))
        return false;
    has_more = has_more && **next == ':';
    if (has_more && !parse_two_digits(next, ":", 59, &minute))
        return false;
    has_more = has_more && **next == ':';
    if (has_more && !parse_two_digits(next, ":", 59, &second))
        return false;
    *ns = (60 * (60 * hour + minute) + second) * second_ns;
    if (!has_more || **next != '.')
        return true;
    int64_t digit_ns = 100000000;
    const char *digits = ++*next;
    for (; **next >= '0' && **next <= '9'; ++*next, digit_ns /= 10)
        *ns += digit_ns * (**next - '0');
    return *next > digits;
}

enum gsi_time_error gsi_time_parse(const char *text, enum gsi_time_unit unit, int64_t *time)
{
    const struct time_row *row = &time_rows[unit];
    const char *next = text, *time_of_day;
    struct date date = {0};
    int64_t ns = 0;
    if (!parse_date(&next, &date))
        return GSI_TIME_NOT_A_TIME;
    time_of_day = next;
    if (!parse_time_of_day(&next, &ns) || (*next == 'Z' ? next[1] : *next) != '\0')
        return GSI_TIME_NOT_A_TIME;
    if ((size_t)(next - time_of_day) > row->time_of_day_bytes)
        return GSI_TIME_TOO_PRECISE;
    gsi_i128 converted =
        day_of_date(date) * row->units_per_day + ns / (DAY_NS / row->units_per_day);
    if (converted <= INT64_MIN || converted > INT64_MAX)
        return GSI_TIME_OUT_OF_RANGE;
    *time = (int64_t)converted;
    return GSI_TIME_OK;
}

enum gsi_time_unit gsi_time_unit_of(const char *text)
{
    int64_t time;
    char formatted[GSI_TIME_BYTES];
    for (int unit = GSI_UNIT_D; unit < GSI_UNIT_COUNT; unit++) {
        if (gsi_time_parse(text, (enum gsi_time_unit)unit, &time) != GSI_TIME_OK)
            continue;
        gsi_time_text(formatted, time, (enum gsi_time_unit)unit);
        if (strcmp(formatted, text) == 0)
            return (enum gsi_time_unit)unit;
    }
    return GSI_UNIT_NONE;
}
