/* calendar.h: converts times from and to ISO 8601. A time is a number of units, such as days, since
 * the beginning of 1970. All times use the Gregorian calendar, without time zones and leap seconds.
 * Texts have NumPy's form.
 *
 *     D     2024-01-05                   years have four digits or more; the year before 1
 *     m     2024-01-05T10:00             is 0, and "-001" is the one before 0
 *     ms    2024-01-05T10:00:00.123 */
#ifndef GSI_CALENDAR_H
#define GSI_CALENDAR_H

#include <stdbool.h>
#include <stdint.h>

/* Units have NumPy's names. time_rows (calendar.c) has the same order. */
enum gsi_time_unit {
    GSI_UNIT_NONE, /* unknown unit */
    GSI_UNIT_D,
    GSI_UNIT_h,
    GSI_UNIT_m,
    GSI_UNIT_s,
    GSI_UNIT_ms,
    GSI_UNIT_us,
    GSI_UNIT_ns,
    GSI_UNIT_COUNT
};

/* gsi_time_text: writes a time of a known unit as text; INT64_MIN is NaT. */
#define GSI_TIME_BYTES 48
void gsi_time_text(char text[GSI_TIME_BYTES], int64_t time, enum gsi_time_unit unit);

/* gsi_time_parse: parses a date and, if present, a time of day. Hours, minutes, seconds and
 * fractions that the text does not give are 0. A blank may replace the T, and a Z may end the text.
 * Returns the error in the text. Sets *time only if it returns GSI_TIME_OK. */
enum gsi_time_error {
    GSI_TIME_OK,
    GSI_TIME_NOT_A_TIME,
    GSI_TIME_TOO_PRECISE, /* the text has digits that the unit cannot represent */
    GSI_TIME_OUT_OF_RANGE
};
enum gsi_time_error gsi_time_parse(const char *text, enum gsi_time_unit unit, int64_t *time);

/* gsi_time_unit_of: returns the unit for which gsi_time_text writes this text; GSI_UNIT_NONE: there
 * is none. */
enum gsi_time_unit gsi_time_unit_of(const char *text);

#endif
