/* calendar.h: converts times from and to ISO 8601. A time counts its unit from 1970 on, in the
 * Gregorian calendar, also before its introduction, without time zones and leap seconds. The texts
 * are NumPy's.
 *
 *     D     2024-01-05                   years have four digits or more; the year before 1
 *     m     2024-01-05T10:00             is 0, and "-001" is the one before 0
 *     ms    2024-01-05T10:00:00.123 */
#ifndef GSI_CALENDAR_H
#define GSI_CALENDAR_H

#include <stdbool.h>
#include <stdint.h>

/* Named as NumPy names them, and in the order of time_rows (calendar.c). */
enum gsi_time_unit {
    GSI_UNIT_NONE, /* unknown: a time is a number */
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

/* gsi_time_parse: parses a date and as much of the time of day as is given; the rest is zeros. A
 * blank may replace the T, and a Z may follow at the end.
 * Returns what is wrong with the text; sets *time only if it returns GSI_TIME_OK. */
enum gsi_time_error {
    GSI_TIME_OK,
    GSI_TIME_NOT_A_TIME,
    GSI_TIME_TOO_PRECISE, /* for the unit */
    GSI_TIME_OUT_OF_RANGE
};
enum gsi_time_error gsi_time_parse(const char *text, enum gsi_time_unit unit, int64_t *time);

/* gsi_time_unit_of: returns the unit of a time that gsi_time_text has written; NONE for other
 * texts. */
enum gsi_time_unit gsi_time_unit_of(const char *text);

#endif
