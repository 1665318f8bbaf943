/* status.c: defines status texts and exit codes, and makes every error line. */
#include "base/status.h"

#include "base/text.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
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

void gsi_replace_controls(char *text)
{
    for (; *text != '\0'; text++)
        if ((unsigned char)*text < 0x20 || *text == 0x7f)
            *text = '?';
}

/* Replaces bytes that are not UTF-8, and control characters, by '?'. So a message is one line. */
static void replace_invalid_bytes(char *text)
{
    gsi_replace_controls(text);
    for (int bytes; *text != '\0'; text += bytes > 0 ? bytes : 1)
        if ((bytes = gsi_utf8_bytes((const unsigned char *)text)) == 0)
            *text = '?';
}

/* NAME_BYTES: shortened names have at least this length, dots included. REASON_BYTES: the longest
 * text of an errno value. */
#define NAME_BYTES   64u
#define REASON_BYTES 128u

/* Longer lines are formatted in heap memory. Without memory, they lose their end. */
#define LINE_BYTES 8192u

static const char dots[] = "...";

/* Finds the longest text between two quotes. Returns its length, and sets *from to its offset. */
static size_t longest_quoted(const char *text, size_t *from)
{
    size_t longest = 0;
    const char *open = strchr(text, '\'');
    while (open != NULL) {
        const char *close = strchr(open + 1, '\'');
        if (close != NULL && (size_t)(close - open) > longest + 1) {
            longest = (size_t)(close - open) - 1;
            *from = (size_t)(open + 1 - text);
        }
        open = close;
    }
    return longest;
}

static bool is_inside_character(char byte)
{
    return ((unsigned char)byte & 0xc0) == 0x80; /* UTF-8 */
}

/* Replaces `removed` bytes in the middle of a part of the text by dots. The part begins at `from`
 * and has `bytes`. A few more bytes are removed if a character would be split. */
static void remove_middle(char *text, size_t from, size_t bytes, size_t removed)
{
    char *begin = text + from + (bytes - removed) / 2, *end = begin + removed;
    while (begin > text + from && is_inside_character(*begin))
        begin--;
    while (end < text + from + bytes && is_inside_character(*end))
        end++;
    memmove(begin + sizeof dots - 1, end, strlen(end) + 1);
    memcpy(begin, dots, sizeof dots - 1);
}

/* Shortens a line to `max_bytes`: shortens the longest quoted name first, because the reason at the
 * end of the line matters more. */
static void shorten_line(char *text, size_t max_bytes)
{
    for (size_t length; (length = strlen(text)) > max_bytes;) {
        size_t from = 0, bytes = longest_quoted(text, &from),
               removed = length - max_bytes + sizeof dots - 1;
        if (bytes < NAME_BYTES + sizeof dots) {
            from = 0;
            bytes = length;
        } else if (removed > bytes - NAME_BYTES) {
            removed = bytes - NAME_BYTES;
        }
        remove_middle(text, from, bytes, removed);
    }
}

void gsi_shorten_name(char *to, size_t size, const char *name)
{
    size_t length = strlen(name), head = length, tail = length;
    if (length >= size) {
        head = (size - sizeof dots) / 2;
        tail = length - (size - sizeof dots - head);
        while (head > 0 && is_inside_character(name[head]))
            head--;
        while (is_inside_character(name[tail]))
            tail++;
    }
    snprintf(to, size, "%.*s%s%s", (int)head, name, head < length ? dots : "", name + tail);
}

/* Returns the text of an errno value. glibc's strerror_r returns a text; in POSIX and musl it
 * writes to the buffer. */
static const char *reason_text(int sys_errno, char *buffer, size_t size)
{
    if (sys_errno == EFBIG)
        return "File too large (`ulimit -f` or the file system limits it)";
#ifdef __GLIBC__
    return strerror_r(sys_errno, buffer, size);
#else
    if (strerror_r(sys_errno, buffer, size) != 0)
        snprintf(buffer, size, "error %d", sys_errno);
    return buffer;
#endif
}

enum gs_status gsi_fail(struct gs_error *error, enum gs_status status, int sys_errno,
                        const char *format, ...)
{
    char buffer[LINE_BYTES], *line = buffer;
    size_t size = sizeof buffer;
    if (error == NULL || error->status != GS_OK)
        return status;
    error->status = status;
    error->sys_errno = sys_errno;
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    size_t length = (size_t)vsnprintf(line, size - REASON_BYTES, format, args);
    if (length >= size - REASON_BYTES && (line = malloc(length + 1 + REASON_BYTES)) != NULL) {
        size = length + 1 + REASON_BYTES;
        vsnprintf(line, size, format, again);
    }
    va_end(args);
    va_end(again);
    if (line == NULL)
        line = buffer;
    if (sys_errno != 0) {
        char reason[REASON_BYTES - 3];
        const char *text = reason_text(sys_errno, reason, sizeof reason);
        length = strlen(line);
        snprintf(line + length, size - length, ": %s", text);
    }
    shorten_line(line, sizeof error->text - 1);
    memcpy(error->text, line, strlen(line) + 1);
    if (line != buffer)
        free(line);
    replace_invalid_bytes(error->text);
    return status;
}

/* The public name of gsi_fail. */
enum gs_status gs_fail(struct gs_error *error, enum gs_status status, int sys_errno,
                       const char *format, ...) __attribute__((alias("gsi_fail"), cold));

void gsi_note(const struct gsi_listener *listener, const char *format, ...)
{
    char text[LINE_BYTES];
    va_list args;
    if (listener->note == NULL)
        return;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    shorten_line(text, sizeof((struct gs_error *)NULL)->text - 1);
    replace_invalid_bytes(text);
    listener->note(listener->context, text);
}

enum gs_status gsi_fail_space(struct gs_error *error, int sys_errno, const char *place,
                              const char *what, uint64_t needed_bytes, uint64_t free_bytes,
                              const char *remedy)
{
    char left[48] = "";
    bool is_full = free_bytes == UINT64_MAX;
    if (sys_errno == EFBIG)
        return gsi_fail(error, GS_E_SPACE, sys_errno, "'%s': %s needs a larger file", place, what);
    if (!is_full)
        snprintf(left, sizeof left, ", %llu bytes are free", (unsigned long long)free_bytes);
    return gsi_fail(error, GS_E_SPACE, sys_errno, "'%s': %s needs %s%llu bytes%s; make room or %s",
                    place, what, is_full ? "more than " : "", (unsigned long long)needed_bytes,
                    left, remedy);
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
