/* status.h: defines how calls fail. Every fallible call returns enum gs_status and describes its
 * failure once, where it happens, through gsi_fail; callers only pass the status on (GSI_TRY). */
#ifndef GSI_STATUS_H
#define GSI_STATUS_H

#include "base/choices.h"

#ifdef __cplusplus
extern "C" {
#endif

/* gsi_fail: records a failure and returns its status. The first failure recorded in `error` stays:
 * later calls leave it unchanged and return their own status.
 * in    sys_errno: an errno value, appended as text, or 0
 *       format: in the style "'x.bin': cannot open"; the result is one line, with control
 *       characters escaped and overlong quoted names shortened in the middle */
enum gs_status gsi_fail(struct gs_error *error, enum gs_status status, int sys_errno,
                        const char *format, ...) __attribute__((format(printf, 4, 5), cold));

/* gsi_note: sends the listener, if there is one, a line that is no failure, formatted as by
 * gsi_fail. It begins with GSI_WARNING if the result may be wrong. */
#define GSI_WARNING "warning: " /* as gsort.h says */
void gsi_note(const struct gsi_listener *listener, const char *format, ...)
    __attribute__((format(printf, 2, 3), cold));

/* gsi_fail_space: fails with GS_E_SPACE because a file system is full or too small:
 *
 *     'PLACE': WHAT needs N bytes, M are free; make room or REMEDY
 *
 * in    place: a file or directory on it
 *       free_bytes: UINT64_MAX: it is full, and more than N would be needed
 *       sys_errno: as in gsi_fail; EFBIG: the line is "'PLACE': WHAT needs a larger file" */
enum gs_status gsi_fail_space(struct gs_error *error, int sys_errno, const char *place,
                              const char *what, uint64_t needed_bytes, uint64_t free_bytes,
                              const char *remedy) __attribute__((cold));

/* gsi_replace_controls: replaces control characters, which file names may contain, by '?'. */
void gsi_replace_controls(char *text);

/* gsi_shorten_name: copies a name. If it is too long for `size` bytes (at least 8), the copy has its
 * beginning and its end. */
void gsi_shorten_name(char *to, size_t size, const char *name);

/* gsi_status_of_errno: returns GS_E_SPACE, GS_E_MEMORY or GS_E_IO. */
enum gs_status gsi_status_of_errno(int sys_errno);

/* GSI_TRY: returns a failure's status from the function. GSI_TRY_OR: does the same if something
 * must be released first: jumps to `label` with `status` set. */
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
