// old_glibc.c: defines stat and similar functions by the calls that glibc before 2.33 has instead
// (old_glibc.sh).
#include <sys/stat.h>

int __fxstat64(int version, int file, struct stat64 *found);
int __xstat64(int version, const char *path, struct stat64 *found);
int __lxstat64(int version, const char *path, struct stat64 *found);
int __fxstatat64(int version, int folder, const char *path, struct stat64 *found, int flags);

#ifdef __x86_64__
enum { VERSION = 1 };
#else
enum { VERSION = 0 };
#endif

#define HIDDEN __attribute__((visibility("hidden")))

HIDDEN int fstat64(int file, struct stat64 *found)
{
    return __fxstat64(VERSION, file, found);
}

HIDDEN int stat64(const char *path, struct stat64 *found)
{
    return __xstat64(VERSION, path, found);
}

HIDDEN int lstat64(const char *path, struct stat64 *found)
{
    return __lxstat64(VERSION, path, found);
}

HIDDEN int fstatat64(int folder, const char *path, struct stat64 *found, int flags)
{
    return __fxstatat64(VERSION, folder, path, found, flags);
}
