/* unchecked.c: hardened builds call checked functions of the C library where some tests stand in
 * front of the plain ones (-Wl,--wrap=open64). These are in front of the checked ones, and call the
 * plain ones. No other that a test stands in front of may be checked: packages/hardened.sh sees to
 * that. */
#undef _FORTIFY_SOURCE
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

int __open64_2(const char *path, int flags);
int __open64_2(const char *path, int flags)
{
    return open(path, flags);
}

int __asprintf_chk(char **text, int level, const char *format, ...);
int __asprintf_chk(char **text, int level, const char *format, ...)
{
    (void)level;
    char *made = NULL;
    va_list arguments;
    va_start(arguments, format);
    int length = vasprintf(&made, format, arguments);
    va_end(arguments);
    if (length >= 0)
        length = asprintf(text, "%s", made);
    free(made);
    return length;
}
