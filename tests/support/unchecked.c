/* unchecked.c: some tests replace plain functions of the C library (-Wl,--wrap=open64), but
 * hardened builds call checked ones. The functions here replace checked versions such as
 * __open64_2, and call the plain functions, which the tests wrap. packages/hardened.sh makes sure
 * that no other replaced function has a checked version. */
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
