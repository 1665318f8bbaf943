/* status.c: status texts, exit codes and the one place where an error line is made. */
#include "base/status.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *gs_status_text(enum gs_status status)
{
    switch (status) {
#define CASE(name, value, exit_code, text) \
    case name:                             \
        return text;
        GS_STATUS_LIST(CASE)
#undef CASE
    }
    return "unknown status";
}

int gs_status_exit_code(enum gs_status status)
{
    switch (status) {
#define CASE(name, value, exit_code, text) \
    case name:                             \
        return exit_code;
        GS_STATUS_LIST(CASE)
#undef CASE
    }
    return 3;
}

void gsi_one_line(char *text)
{
    for (; *text != '\0'; text++)
        if ((unsigned char)*text < 0x20 || *text == 0x7f)
            *text = '?';
}

enum gs_status gsi_fail(struct gs_error *error, enum gs_status status, int sys_errno,
                        const char *format, ...)
{
    if (error == NULL || error->status != GS_OK)
        return status;
    error->status = status;
    error->sys_errno = sys_errno;
    va_list args;
    va_start(args, format);
    vsnprintf(error->text, sizeof error->text, format, args);
    va_end(args);
    if (sys_errno != 0) {
        char reason[128];
        const char *text = strerror_r(sys_errno, reason, sizeof reason);
        size_t length = strlen(error->text);
        snprintf(error->text + length, sizeof error->text - length, ": %s", text);
    }
    gsi_one_line(error->text);
    return status;
}

enum gs_status gsi_status_of_errno(int sys_errno)
{
    switch (sys_errno) {
    case ENOSPC:
    case EDQUOT:
        return GS_E_SPACE;
    case ENOMEM:
        return GS_E_MEMORY;
    default:
        return GS_E_IO;
    }
}
