/* faults_calls.c: replaces the calls of the C library (and one of zstd) that gsort makes. Each is
 * counted, and fails in its own way if it is the chosen one; else it does the real call. The list
 * for the linker is in tests/CMakeLists.txt: a name that is missing here does not link. */
#include "faults.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/uio.h>
#include <sys/vfs.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>

/* How late a late transfer is: later than any other of so few bytes. */
#define LATE_NS 3000000

/* A call that fails with an errno: declared, counted, passed on. */
#define WRAP(type, name, kind, failure, sys_errno, parameters, arguments) \
    type __real_##name parameters;                                        \
    type __wrap_##name parameters;                                        \
    type __wrap_##name parameters                                         \
    {                                                                     \
        if (fault_now(kind)) {                                            \
            errno = sys_errno;                                            \
            return failure;                                               \
        }                                                                 \
        return __real_##name arguments;                                   \
    }

#define WRAP_MEMORY(name, parameters, arguments) \
    WRAP(void *, name, FAULT_MEMORY, NULL, ENOMEM, parameters, arguments)
#define WRAP_ASK(name, parameters, arguments) \
    WRAP(int, name, FAULT_ASK, -1, EIO, parameters, arguments)
#define WRAP_PLACE(name, parameters, arguments) \
    WRAP(int, name, FAULT_PLACE, -1, EPERM, parameters, arguments)

WRAP_MEMORY(malloc, (size_t bytes), (bytes))
WRAP_MEMORY(calloc, (size_t count, size_t bytes), (count, bytes))
WRAP_MEMORY(realloc, (void *memory, size_t bytes), (memory, bytes))
WRAP_MEMORY(aligned_alloc, (size_t align, size_t bytes), (align, bytes))
WRAP_MEMORY(ZSTD_createDCtx, (void), ())
WRAP(char *, strdup, FAULT_MEMORY, NULL, ENOMEM, (const char *text), (text))
WRAP(void *, mmap64, FAULT_MEMORY, (void *)-1, ENOMEM,
     (void *at, size_t bytes, int protection, int flags, int fd, off_t off),
     (at, bytes, protection, flags, fd, off))
WRAP(int, memfd_create, FAULT_MEMORY, -1, ENOMEM, (const char *name, unsigned flags), (name, flags))

WRAP(FILE *, fopen64, FAULT_OPEN, NULL, EMFILE, (const char *path, const char *mode), (path, mode))
WRAP(DIR *, opendir, FAULT_OPEN, NULL, EMFILE, (const char *path), (path))

WRAP_ASK(stat64, (const char *path, struct stat *info), (path, info))
WRAP_ASK(fstat64, (int fd, struct stat *info), (fd, info))
WRAP_ASK(fstatat64, (int at, const char *path, struct stat *info, int flags),
         (at, path, info, flags))
WRAP_ASK(statx, (int at, const char *path, int flags, unsigned mask, struct statx *info),
         (at, path, flags, mask, info))
WRAP_ASK(fstatfs64, (int fd, struct statfs *info), (fd, info))
WRAP_ASK(statvfs64, (const char *path, struct statvfs *info), (path, info))
WRAP_ASK(fstatvfs64, (int fd, struct statvfs *info), (fd, info))
WRAP_ASK(faccessat, (int at, const char *path, int mode, int flags), (at, path, mode, flags))
WRAP_ASK(flock, (int fd, int operation), (fd, operation))
WRAP(off_t, lseek64, FAULT_ASK, -1, EIO, (int fd, off_t off, int from), (fd, off, from))
WRAP(char *, realpath, FAULT_ASK, NULL, EIO, (const char *path, char *out), (path, out))
WRAP(struct dirent *, readdir64, FAULT_ASK, NULL, EIO, (DIR * directory), (directory))

WRAP(ssize_t, lgetxattr, FAULT_ASK, -1, EIO,
     (const char *path, const char *name, void *value, size_t bytes), (path, name, value, bytes))
WRAP(ssize_t, fgetxattr, FAULT_ASK, -1, EIO, (int fd, const char *name, void *value, size_t bytes),
     (fd, name, value, bytes))
WRAP(ssize_t, llistxattr, FAULT_ASK, -1, EIO, (const char *path, char *names, size_t bytes),
     (path, names, bytes))
WRAP(ssize_t, flistxattr, FAULT_ASK, -1, EIO, (int fd, char *names, size_t bytes),
     (fd, names, bytes))

WRAP(int, madvise, FAULT_ADVICE, -1, EINVAL, (void *memory, size_t bytes, int advice),
     (memory, bytes, advice))
WRAP(int, posix_fadvise64, FAULT_ADVICE, EINVAL, 0, (int fd, off_t off, off_t bytes, int advice),
     (fd, off, bytes, advice))
WRAP(ssize_t, getrandom, FAULT_ADVICE, -1, EAGAIN, (void *bytes, size_t count, unsigned flags),
     (bytes, count, flags))
WRAP(int, sched_getaffinity, FAULT_ADVICE, -1, EINVAL, (pid_t pid, size_t bytes, void *set),
     (pid, bytes, set))

WRAP(int, ftruncate64, FAULT_SPACE, -1, ENOSPC, (int fd, off_t bytes), (fd, bytes))
WRAP(int, fsync, FAULT_SYNC, -1, EIO, (int fd), (fd))
WRAP(int, fdatasync, FAULT_SYNC, -1, EIO, (int fd), (fd))

WRAP_PLACE(linkat, (int at, const char *path, int to_at, const char *to, int flags),
           (at, path, to_at, to, flags))
WRAP_PLACE(renameat, (int at, const char *path, int to_at, const char *to), (at, path, to_at, to))
WRAP_PLACE(mkdir, (const char *path, mode_t mode), (path, mode))
WRAP_PLACE(fchmod, (int fd, mode_t mode), (fd, mode))
WRAP_PLACE(fsetxattr, (int fd, const char *name, const void *value, size_t bytes, int flags),
           (fd, name, value, bytes, flags))
WRAP_PLACE(fremovexattr, (int fd, const char *name), (fd, name))
WRAP_PLACE(fchown, (int fd, uid_t user, gid_t group), (fd, user, group))

WRAP(int, pthread_create, FAULT_THREAD, EAGAIN, 0,
     (pthread_t * thread, const pthread_attr_t *with, void *(*run)(void *), void *argument),
     (thread, with, run, argument))

/* An engine sleeps between two refused tries; it need not do so here. */
WRAP(int, poll, FAULT_AGAIN, -1, EINTR, (struct pollfd * polled, nfds_t count, int timeout_ms),
     (polled, count, timeout_ms > 0 ? 0 : timeout_ms))
WRAP(int, ppoll, FAULT_AGAIN, -1, EINTR,
     (struct pollfd * polled, nfds_t count, const struct timespec *limit, const sigset_t *mask),
     (polled, count, limit, mask))

/* File systems that know no unnamed files, or no direct I/O. */
static bool is_refused(int flags)
{
    bool is_nameless = (flags & O_TMPFILE) == O_TMPFILE;
    errno = is_nameless ? EOPNOTSUPP : EINVAL;
    return (is_nameless || (flags & O_DIRECT) != 0) && fault_now(FAULT_REFUSED);
}

int __real_open64(const char *path, int flags, ...);
int __wrap_open64(const char *path, int flags, mode_t mode);
int __wrap_open64(const char *path, int flags, mode_t mode)
{
    if (is_refused(flags))
        return -1;
    errno = EMFILE;
    return fault_now(FAULT_OPEN) ? -1 : __real_open64(path, flags, mode);
}

int __real_openat64(int at, const char *path, int flags, ...);
int __wrap_openat64(int at, const char *path, int flags, mode_t mode);
int __wrap_openat64(int at, const char *path, int flags, mode_t mode)
{
    if (is_refused(flags))
        return -1;
    errno = EMFILE;
    return fault_now(FAULT_OPEN) ? -1 : __real_openat64(at, path, flags, mode);
}

int __real_eventfd(unsigned count, int flags);
int __wrap_eventfd(unsigned count, int flags);
int __wrap_eventfd(unsigned count, int flags)
{
    errno = EMFILE;
    int fd = fault_now(FAULT_OPEN) ? -1 : __real_eventfd(count, flags);
    fault_note_event(fd);
    return fd;
}

/* Flags of a descriptor can always be asked for. */
int __real_fcntl64(int fd, int command, ...);
int __wrap_fcntl64(int fd, int command, long argument);
int __wrap_fcntl64(int fd, int command, long argument)
{
    bool fails = false;
    if (command == F_DUPFD_CLOEXEC)
        fails = fault_now(FAULT_OPEN);
    else if (command == F_SETPIPE_SZ || command == F_GETPIPE_SZ)
        fails = fault_now(FAULT_ADVICE);
    errno = command == F_DUPFD_CLOEXEC ? EMFILE : EPERM;
    return fails ? -1 : __real_fcntl64(fd, command, argument);
}

/* Holes are punched to give disk back early; everything else takes disk. */
int __real_fallocate64(int fd, int mode, off_t off, off_t bytes);
int __wrap_fallocate64(int fd, int mode, off_t off, off_t bytes);
int __wrap_fallocate64(int fd, int mode, off_t off, off_t bytes)
{
    bool is_hole = (mode & FALLOC_FL_PUNCH_HOLE) != 0;
    errno = EOPNOTSUPP;
    if (fault_now(FAULT_REFUSED))
        return -1;
    errno = is_hole ? EOPNOTSUPP : ENOSPC;
    if (fault_now(is_hole ? FAULT_ADVICE : FAULT_SPACE))
        return -1;
    return __real_fallocate64(fd, mode, off, bytes);
}

int __wrap_asprintf(char **text, const char *format, ...);
int __wrap_asprintf(char **text, const char *format, ...)
{
    va_list arguments;
    errno = ENOMEM;
    if (fault_now(FAULT_MEMORY))
        return -1;
    va_start(arguments, format);
    int length = vasprintf(text, format, arguments);
    va_end(arguments);
    return length;
}

int __real_fflush(FILE *file);
int __wrap_fflush(FILE *file);
int __wrap_fflush(FILE *file)
{
    int result = __real_fflush(file);
    if (file != stdout || !fault_now(FAULT_FULL))
        return result;
    errno = ENOSPC;
    return EOF;
}

static ssize_t fail(int sys_errno)
{
    errno = sys_errno;
    return -1;
}

/* Only what has an offset: for a stream, to read nothing is to be at its end. */
ssize_t __real_pread64(int fd, void *data, size_t bytes, off_t off);
ssize_t __wrap_pread64(int fd, void *data, size_t bytes, off_t off);
ssize_t __wrap_pread64(int fd, void *data, size_t bytes, off_t off)
{
    if (fault_now(FAULT_AGAIN))
        return fail(EINTR);
    if (fault_now(FAULT_READ))
        return fail(EIO);
    if (fault_now(FAULT_EMPTY_READ))
        return 0;
    size_t short_bytes = fault_short_bytes(fd, bytes);
    if (short_bytes < bytes && fault_now(FAULT_SHORT_READ))
        bytes = short_bytes;
    return __real_pread64(fd, data, bytes, off);
}

ssize_t __real_pwrite64(int fd, const void *data, size_t bytes, off_t off);
ssize_t __wrap_pwrite64(int fd, const void *data, size_t bytes, off_t off);
ssize_t __wrap_pwrite64(int fd, const void *data, size_t bytes, off_t off)
{
    if (fault_now(FAULT_AGAIN))
        return fail(EINTR);
    if (fault_now(FAULT_WRITE))
        return fail(EIO);
    if (fault_now(FAULT_FULL))
        return fail(ENOSPC);
    if (fault_now(FAULT_EMPTY_WRITE))
        return 0;
    size_t short_bytes = fault_short_bytes(fd, bytes);
    if (short_bytes < bytes && fault_now(FAULT_SHORT_WRITE))
        bytes = short_bytes;
    return __real_pwrite64(fd, data, bytes, off);
}

static void be_late(void)
{
    if (fault_now(FAULT_LATE))
        nanosleep(&(struct timespec){.tv_nsec = LATE_NS}, NULL);
}

ssize_t __real_preadv64v2(int fd, const struct iovec *data, int count, off_t off, int flags);
ssize_t __wrap_preadv64v2(int fd, const struct iovec *data, int count, off_t off, int flags);
ssize_t __wrap_preadv64v2(int fd, const struct iovec *data, int count, off_t off, int flags)
{
    struct iovec piece = data[0];
    be_late();
    if (fault_is_direct(fd) && fault_now(FAULT_REFUSED))
        return fail(EINVAL);
    if (fault_now(FAULT_AGAIN))
        return fail(EINTR);
    if (fault_now(FAULT_READ))
        return fail(EIO);
    if (off >= 0 && fault_now(FAULT_EMPTY_READ))
        return 0;
    size_t short_bytes = fault_short_bytes(fd, piece.iov_len);
    if (short_bytes < piece.iov_len && fault_now(FAULT_SHORT_READ))
        piece.iov_len = short_bytes;
    return __real_preadv64v2(fd, &piece, count, off, flags);
}

ssize_t __real_pwritev64v2(int fd, const struct iovec *data, int count, off_t off, int flags);
ssize_t __wrap_pwritev64v2(int fd, const struct iovec *data, int count, off_t off, int flags);
ssize_t __wrap_pwritev64v2(int fd, const struct iovec *data, int count, off_t off, int flags)
{
    struct iovec piece = data[0];
    be_late();
    if ((flags & RWF_NOWAIT) != 0 && fault_now(FAULT_REFUSED))
        return fail(EOPNOTSUPP);
    if (fault_is_direct(fd) && fault_now(FAULT_REFUSED))
        return fail(EINVAL);
    if (fault_now(FAULT_AGAIN))
        return fail(EINTR);
    if (fault_now(FAULT_WRITE))
        return fail(EIO);
    if (fault_now(FAULT_FULL))
        return fail(ENOSPC);
    if (fault_now(FAULT_EMPTY_WRITE))
        return 0;
    size_t short_bytes = fault_short_bytes(fd, piece.iov_len);
    if (short_bytes < piece.iov_len && fault_now(FAULT_SHORT_WRITE))
        piece.iov_len = short_bytes;
    return __real_pwritev64v2(fd, &piece, count, off, flags);
}
