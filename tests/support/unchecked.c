/* unchecked.c: replaces checked functions of the C library by plain ones. Some tests replace plain
 * functions (-Wl,--wrap=open64), but hardened builds call checked versions such as __open64_2. The
 * functions here replace these, and call the plain functions, which the tests wrap. A check in
 * packages/hardened.sh finds replaced functions that are missing here. */
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
