/* report_read.c: one value after the other, out of a file or a pipe. */
#include "report_read.h"

#include "common/tool.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Returns whether anything but space follows. */
static bool has_more(FILE *file)
{
    int c;
    do
        c = getc(file);
    while (isspace(c));
    ungetc(c, file);
    return c != EOF;
}

static enum gs_status read_values(const char *path, FILE *file, json_t *reports,
                                  struct gs_error *error)
{
    json_error_t wrong;
    do {
        json_t *value = json_loadf(file, JSON_DISABLE_EOF_CHECK | JSON_REJECT_DUPLICATES, &wrong);
        if (value == NULL && ferror(file) == 0)
            return gs_fail(error, GS_E_INPUT, 0, "'%s': not valid JSON: %s", path, wrong.text);
        if (value != NULL && json_array_append_new(reports, value) != 0)
            return gs_fail(error, GS_E_MEMORY, 0, "out of memory: cannot hold the reports");
    } while (ferror(file) == 0 && has_more(file));
    return ferror(file) != 0 ? gs_fail(error, GS_E_INPUT, errno, "'%s': cannot read", path) : GS_OK;
}

enum gs_status reports_read(const char *path, json_t *reports, struct gs_error *error)
{
    bool is_standard = strcmp(path, "-") == 0;
    FILE *file = is_standard ? stdin : fopen(path, "re");
    if (file == NULL)
        return gs_fail(error, GS_E_INPUT, errno, "'%s': cannot open", path);
    enum gs_status status =
        read_values(is_standard ? "standard input" : path, file, reports, error);
    if (!is_standard)
        fclose(file);
    return status;
}

const json_t *report_member(const json_t *object, const char *name)
{
    const json_t *value = json_object_get(object, name);
    return json_is_null(value) ? NULL : value;
}

bool report_count(const json_t *value, uint64_t *count)
{
    const char *text = json_string_value(value);
    char *end;
    if (json_is_integer(value) && json_integer_value(value) >= 0) {
        *count = (uint64_t)json_integer_value(value);
        return true;
    }
    if (text == NULL || text[0] < '0' || text[0] > '9')
        return false;
    errno = 0;
    *count = strtoull(text, &end, 10);
    return errno == 0 && *end == '\0';
}

#define PATH_BYTES 256 /* all that a report has; a longer one leads to nothing */

static bool take_value(gs_report *report, const char *path, const json_t *value)
{
    char number[32];
    const char *text = json_string_value(value);
    if (json_is_integer(value)) {
        snprintf(number, sizeof number, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
        text = number;
    } else if (json_is_boolean(value)) {
        text = json_is_true(value) ? "true" : "false";
    } else if (json_is_real(value)) {
        text = "";
    }
    return gs_report_set(report, path, text) != GS_INEXACT;
}

/* All of it, though something is wrong. */
static bool take_all(gs_report *report, const char *path, const json_t *value)
{
    char inner[PATH_BYTES];
    const char *name;
    bool is_good = true;
    json_t *item;
    size_t i;
    if (!json_is_object(value) && !json_is_array(value))
        return take_value(report, path, value);
    json_object_foreach((json_t *)value, name, item)
    {
        int bytes = snprintf(inner, sizeof inner, "%s%s%s", path, *path != '\0' ? "." : "", name);
        is_good = (bytes >= PATH_BYTES || take_all(report, inner, item)) && is_good;
    }
    json_array_foreach(value, i, item)
    {
        int bytes = snprintf(inner, sizeof inner, "%s[%zu]", path, i);
        is_good = (bytes >= PATH_BYTES || take_all(report, inner, item)) && is_good;
    }
    return is_good;
}

/* Members may have any order, and some depend on others: fields depend on the type, and values on
 * both. So all are parsed three times. */
bool report_parse(gs_report *report, const json_t *value)
{
    (void)take_all(report, "", value);
    (void)take_all(report, "", value);
    return take_all(report, "", value);
}
