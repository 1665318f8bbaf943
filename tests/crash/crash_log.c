/* crash_log.c: logs calls that change files, for gsort-logged. The linker (--wrap) replaces
 * functions of the C library by these. replay.py reads the log. It builds the states
 * in which a power cut may leave the disk. GSORT_CRASH_LOG names the log. An entry is a line. After
 * the line of a "write", the log has the bytes that were written.
 *
 *     create INODE PATH          a file that was not there; without PATH it has no name (O_TMPFILE)
 *     write INODE OFFSET BYTES
 *     size INODE BYTES           ftruncate, O_TRUNC
 *     reserve INODE OFFSET BYTES fallocate: the file has at least this size
 *     punch INODE OFFSET BYTES   fallocate: a hole
 *     mkdir INODE PATH, rmdir PATH, link INODE PATH, unlink PATH
 *     rename FROM<tab>TO
 *     sync-begin NUMBER INODE    of a file or a directory
 *     sync-end NUMBER            it succeeded: what was logged before its begin is on the disk
 *
 * Calls that fail are not logged. An entry is written after its call, but sync-begin before it. So
 * a write during a sync never counts as synced. Transfers are logged with --io=threads only.
 *
 * Without GSORT_CRASH_LOG nothing is logged. --resume knows files by inode and time, and replay.py
 * writes files anew. So stat and its kin return 0 for times, and old inodes for new ones. The file
 * named by GSORT_CRASH_INODES has lines "NEW OLD". Any thread. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#define LINE_BYTES (2 * PATH_MAX + 128)

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int log_fd = -1;
static unsigned long sync_count;

int __real_open64(const char *path, int flags, ...);
int __real_openat64(int at, const char *path, int flags, ...);
int __wrap_openat64(int at, const char *path, int flags, mode_t mode);

static void fail(const char *what)
{
    perror(what);
    _exit(97);
}

/* Opened at the first entry, far above the descriptors of gsort. */
static void open_log(void)
{
    const char *path = getenv("GSORT_CRASH_LOG");
    int fd =
        path != NULL ? __real_open64(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600) : -1;
    log_fd = fd >= 0 ? fcntl(fd, F_DUPFD_CLOEXEC, 500) : -1;
    if (log_fd < 0)
        fail("GSORT_CRASH_LOG");
    close(fd);
}

__attribute__((format(printf, 3, 4))) static void append(const void *data, size_t bytes,
                                                         const char *format, ...)
{
    char line[LINE_BYTES];
    int sys_errno = errno;
    va_list arguments;
    if (getenv("GSORT_CRASH_LOG") == NULL)
        return;
    va_start(arguments, format);
    int length = vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    struct iovec pieces[2] = {{line, (size_t)length}, {(void *)(uintptr_t)data, bytes}};
    pthread_mutex_lock(&mutex);
    if (log_fd < 0)
        open_log();
    if (writev(log_fd, pieces, 2) != (ssize_t)(bytes + (size_t)length))
        fail("the log of gsort-logged");
    pthread_mutex_unlock(&mutex);
    errno = sys_errno;
}

static unsigned long long inode_of(int fd)
{
    struct stat info;
    if (fstat(fd, &info) != 0)
        fail("fstat");
    return (unsigned long long)info.st_ino;
}

/* The absolute path of a name in the directory `at`. */
static const char *absolute(int at, const char *path, char whole[PATH_MAX])
{
    char link[64], directory[PATH_MAX] = "";
    snprintf(link, sizeof link, at == AT_FDCWD ? "/proc/self/cwd" : "/proc/self/fd/%d", at);
    if (path[0] == '/')
        directory[0] = '\0';
    else if (readlink(link, directory, sizeof directory - 1) < 0)
        fail(link);
    int length = snprintf(whole, PATH_MAX, "%s%s%s", directory, path[0] == '/' ? "" : "/", path);
    if (length < 0 || length >= PATH_MAX)
        fail("a path is too long");
    return whole;
}

/* ---- what --resume knows of files ---- */

static ino_t old_inode(ino_t inode)
{
    const char *path = getenv("GSORT_CRASH_INODES");
    int fd = path != NULL ? __real_open64(path, O_RDONLY | O_CLOEXEC) : -1;
    FILE *file = fd >= 0 ? fdopen(fd, "r") : NULL;
    unsigned long long now, then;
    if (file == NULL)
        return inode;
    while (fscanf(file, "%llu %llu", &now, &then) == 2 && now != inode)
        then = inode;
    fclose(file);
    return now == inode ? (ino_t)then : inode;
}

static int hide(int result, struct stat *info)
{
    if (result == 0) {
        info->st_ino = old_inode(info->st_ino);
        info->st_mtim = info->st_ctim = (struct timespec){0};
    }
    return result;
}

#define WRAP_STAT(name, parameters, arguments)      \
    int __real_##name parameters;                   \
    int __wrap_##name parameters;                   \
    int __wrap_##name parameters                    \
    {                                               \
        return hide(__real_##name arguments, info); \
    }

WRAP_STAT(stat64, (const char *path, struct stat *info), (path, info))
WRAP_STAT(lstat64, (const char *path, struct stat *info), (path, info))
WRAP_STAT(fstat64, (int fd, struct stat *info), (fd, info))
WRAP_STAT(fstatat64, (int at, const char *path, struct stat *info, int flags),
          (at, path, info, flags))

/* ---- names ---- */

static int log_open(int fd, int at, const char *path, int flags, bool was_there)
{
    char whole[PATH_MAX];
    bool is_nameless = (flags & O_TMPFILE) == O_TMPFILE;
    if (fd < 0)
        return fd;
    if (is_nameless)
        append(NULL, 0, "create %llu\n", inode_of(fd));
    else if ((flags & O_CREAT) != 0 && !was_there)
        append(NULL, 0, "create %llu %s\n", inode_of(fd), absolute(at, path, whole));
    else if ((flags & O_TRUNC) != 0)
        append(NULL, 0, "size %llu 0\n", inode_of(fd));
    return fd;
}

int __wrap_openat64(int at, const char *path, int flags, mode_t mode)
{
    bool was_there = (flags & O_CREAT) == 0 || faccessat(at, path, F_OK, AT_SYMLINK_NOFOLLOW) == 0;
    return log_open(__real_openat64(at, path, flags, mode), at, path, flags, was_there);
}

int __wrap_open64(const char *path, int flags, mode_t mode);
int __wrap_open64(const char *path, int flags, mode_t mode)
{
    return __wrap_openat64(AT_FDCWD, path, flags, mode);
}

int __real_mkdir(const char *path, mode_t mode);
int __wrap_mkdir(const char *path, mode_t mode);
int __wrap_mkdir(const char *path, mode_t mode)
{
    char whole[PATH_MAX];
    struct stat info;
    int result = __real_mkdir(path, mode);
    if (result == 0 && stat(path, &info) == 0)
        append(NULL, 0, "mkdir %llu %s\n", (unsigned long long)info.st_ino,
               absolute(AT_FDCWD, path, whole));
    return result;
}

int __real_rmdir(const char *path);
int __wrap_rmdir(const char *path);
int __wrap_rmdir(const char *path)
{
    char whole[PATH_MAX];
    int result = __real_rmdir(path);
    if (result == 0)
        append(NULL, 0, "rmdir %s\n", absolute(AT_FDCWD, path, whole));
    return result;
}

int __real_linkat(int at, const char *path, int to_at, const char *to, int flags);
int __wrap_linkat(int at, const char *path, int to_at, const char *to, int flags);
int __wrap_linkat(int at, const char *path, int to_at, const char *to, int flags)
{
    char whole[PATH_MAX];
    struct stat info;
    int result = __real_linkat(at, path, to_at, to, flags);
    if (result == 0 && fstatat(to_at, to, &info, AT_SYMLINK_NOFOLLOW) == 0)
        append(NULL, 0, "link %llu %s\n", (unsigned long long)info.st_ino,
               absolute(to_at, to, whole));
    return result;
}

int __real_renameat(int at, const char *path, int to_at, const char *to);
int __wrap_renameat(int at, const char *path, int to_at, const char *to);
int __wrap_renameat(int at, const char *path, int to_at, const char *to)
{
    char from[PATH_MAX], whole[PATH_MAX];
    int result = __real_renameat(at, path, to_at, to);
    if (result == 0)
        append(NULL, 0, "rename %s\t%s\n", absolute(at, path, from), absolute(to_at, to, whole));
    return result;
}

int __real_unlinkat(int at, const char *path, int flags);
int __wrap_unlinkat(int at, const char *path, int flags);
int __wrap_unlinkat(int at, const char *path, int flags)
{
    char whole[PATH_MAX];
    int result = __real_unlinkat(at, path, flags);
    if (result == 0)
        append(NULL, 0, "%s %s\n", (flags & AT_REMOVEDIR) != 0 ? "rmdir" : "unlink",
               absolute(at, path, whole));
    return result;
}

/* ---- contents ---- */

static ssize_t log_write(ssize_t moved, int fd, const void *data, off_t off)
{
    if (moved > 0 && off >= 0)
        append(data, (size_t)moved, "write %llu %lld %zd\n", inode_of(fd), (long long)off, moved);
    return moved;
}

ssize_t __real_pwrite64(int fd, const void *data, size_t bytes, off_t off);
ssize_t __wrap_pwrite64(int fd, const void *data, size_t bytes, off_t off);
ssize_t __wrap_pwrite64(int fd, const void *data, size_t bytes, off_t off)
{
    return log_write(__real_pwrite64(fd, data, bytes, off), fd, data, off);
}

ssize_t __real_pwritev64v2(int fd, const struct iovec *data, int count, off_t off, int flags);
ssize_t __wrap_pwritev64v2(int fd, const struct iovec *data, int count, off_t off, int flags);
ssize_t __wrap_pwritev64v2(int fd, const struct iovec *data, int count, off_t off, int flags)
{
    if (count != 1)
        fail("more than one piece is written at a time");
    return log_write(__real_pwritev64v2(fd, data, count, off, flags), fd, data[0].iov_base, off);
}

int __real_ftruncate64(int fd, off_t bytes);
int __wrap_ftruncate64(int fd, off_t bytes);
int __wrap_ftruncate64(int fd, off_t bytes)
{
    int result = __real_ftruncate64(fd, bytes);
    if (result == 0)
        append(NULL, 0, "size %llu %lld\n", inode_of(fd), (long long)bytes);
    return result;
}

int __real_fallocate64(int fd, int mode, off_t off, off_t bytes);
int __wrap_fallocate64(int fd, int mode, off_t off, off_t bytes);
int __wrap_fallocate64(int fd, int mode, off_t off, off_t bytes)
{
    int result = __real_fallocate64(fd, mode, off, bytes);
    if (result == 0)
        append(NULL, 0, "%s %llu %lld %lld\n",
               (mode & FALLOC_FL_PUNCH_HOLE) != 0 ? "punch" : "reserve", inode_of(fd),
               (long long)off, (long long)bytes);
    return result;
}

static int log_sync(int fd, int (*sync)(int))
{
    unsigned long number = __atomic_add_fetch(&sync_count, 1, __ATOMIC_RELAXED);
    append(NULL, 0, "sync-begin %lu %llu\n", number, inode_of(fd));
    int result = sync(fd);
    if (result == 0)
        append(NULL, 0, "sync-end %lu\n", number);
    return result;
}

int __real_fsync(int fd);
int __wrap_fsync(int fd);
int __wrap_fsync(int fd)
{
    return log_sync(fd, __real_fsync);
}

int __real_fdatasync(int fd);
int __wrap_fdatasync(int fd);
int __wrap_fdatasync(int fd)
{
    return log_sync(fd, __real_fdatasync);
}
