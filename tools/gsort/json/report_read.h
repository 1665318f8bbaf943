/* report_read.h: JSON reports, as jansson reads them. */
#ifndef GSORT_REPORT_READ_H
#define GSORT_REPORT_READ_H

#include "gsort.h"

#include <jansson.h>

/* reports_read: appends the JSON values in `path`, one or more, to the array `reports`; "-" is
 * standard input.
 * fails GS_E_INPUT: unreadable, or no JSON: says where; GS_E_MEMORY */
enum gs_status reports_read(const char *path, json_t *reports, struct gs_error *error);

/* report_member: a member of an object; NULL: there is none, it is null, or this is no object. */
const json_t *report_member(const json_t *object, const char *name);

/* report_count: an integer from 0 to 2^64 - 1, as a number or a string. false: it is none. */
bool report_count(const json_t *value, uint64_t *count);

/* report_parse: sets those fields of `report` that add up, from `value`, the JSON of a report.
 * false: the JSON says what no report says. */
bool report_parse(gs_report *report, const json_t *value);

#endif
