/* status.h: defines how calls fail. Every call that can fail returns enum gs_status. The code that
 * finds a failure describes it by gsi_fail. Its callers only return the status (GSI_TRY). */
#ifndef GSI_STATUS_H
#define GSI_STATUS_H

#include "base/choices.h"

#ifdef __cplusplus
extern "C" {
#endif

/* gsi_fail: records a failure in `error` and returns its status. If `error` already has a failure,
 * the call only returns the status.
 * in    sys_errno: an errno value, appended as text, or 0
 *       format: in the style "'x.bin': cannot open"; the result is one line, with control
 *       characters escaped and overlong quoted names shortened in the middle */
enum gs_status gsi_fail(struct gs_error *error, enum gs_status status, int sys_errno,
                        const char *format, ...) __attribute__((format(printf, 4, 5), cold));

/* gsi_note: sends a line to the listener, if there is one. gsi_fail describes the format. The line
 * begins with GSI_WARNING if the result may be wrong. */
#define GSI_WARNING "warning: " /* as gsort.h says */
void gsi_note(const struct gsi_listener *listener, const char *format, ...)
    __attribute__((format(printf, 2, 3), cold));

/* gsi_fail_space: fails with GS_E_SPACE because a file system is full or too small:
 *
 *     'PLACE': WHAT needs N bytes, M are free; make room or REMEDY
 *
 * in    place: a file or directory in the file system
 * free_bytes: UINT64_MAX: nothing is free, and more than N bytes are needed
 * sys_errno: as in gsi_fail; EFBIG: the line is "'PLACE': WHAT needs a larger file" */
enum gs_status gsi_fail_space(struct gs_error *error, int sys_errno, const char *place,
                              const char *what, uint64_t needed_bytes, uint64_t free_bytes,
                              const char *remedy) __attribute__((cold));

/* gsi_replace_controls: replaces control characters by '?'. File names may contain them. */
void gsi_replace_controls(char *text);

/* gsi_shorten_name: copies a name to `to`. If it is too long for `size` bytes (at least 8), dots
 * replace its middle. */
void gsi_shorten_name(char *to, size_t size, const char *name);

/* gsi_status_of_errno: returns GS_E_SPACE, GS_E_MEMORY or GS_E_IO. */
enum gs_status gsi_status_of_errno(int sys_errno);

/* GSI_TRY: returns from the function if the expression fails, with its status.
 * GSI_TRY_OR: sets `status` and jumps to `label` if the expression fails. */
#define GSI_TRY(expression)                       \
    do {                                          \
        enum gs_status try_status = (expression); \
        if (try_status != GS_OK)                  \
            return try_status;                    \
    } while (0)
#define GSI_TRY_OR(expression, label) \
    do {                              \
        status = (expression);        \
        if (status != GS_OK)          \
            goto label;               \
    } while (0)

#ifdef __cplusplus
}
#endif
#endif
