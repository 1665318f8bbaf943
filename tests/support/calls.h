/* calls.h: records the calls that change a disk, in order, and which bytes of which files are
 * certainly on it. The linker replaces functions of the C library by its functions
 * (gsort_record_calls in tests/CMakeLists.txt). Transfers are such calls with GSI_IO_THREADS, not
 * with io_uring.
 *
 *     "write out, fsync out, link out"   calls_text: calls on files, by their names in the working
 *                                        directory; one file's equal calls in a row are one
 *     unnamed                            a file without a name, until it has one
 *     .x.gsort-*                         a temporary name
 *
 * A sync is recorded when it begins, anything else when it is done. So data that count as synced
 * were written before the sync began. Calls that fail are not recorded. Any thread. */
#ifndef CALLS_H
#define CALLS_H

#include "support/scratch.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/uio.h>

#define CALLS_MOST       32768
#define CALLS_NAME_BYTES 80
#define CALLS_FILES      8
#define CALLS_FILE_BYTES ((uint64_t)4 << 20) /* what is known of a file; none may be longer */

enum call_kind {
    CALL_WRITE,
    CALL_READ,        /* through the page cache */
    CALL_READ_DIRECT, /* from the disk */
    CALL_SIZE,        /* ftruncate */
    CALL_FSYNC,
    CALL_FDATASYNC,
    CALL_DROP, /* out of the page cache: the whole file */
    CALL_LINK,
    CALL_RENAME,
    CALL_MAKE, /* a name that was not there */
    CALL_REMOVE,
};

struct call {
    enum call_kind kind;
    char name[CALLS_NAME_BYTES];
    char to[CALLS_NAME_BYTES]; /* of links and renames */
    uint64_t off, bytes;       /* of transfers */
};

/* Knowledge of a file's bytes. */
enum call_state { CALLS_NOTHING, CALLS_WRITTEN, CALLS_SYNCED };

struct call_file {
    dev_t device;
    ino_t inode;
    uint64_t end;
    uint8_t state[CALLS_FILE_BYTES];
};

static struct {
    pthread_mutex_t mutex;
    bool is_on;
    bool refuses_nameless, refuses_direct; /* O_TMPFILE and O_DIRECT, as some file systems do */
    int fdatasyncs_left;                   /* so many succeed, then none; below 0: all */
    size_t count, file_count;
    struct call list[CALLS_MOST];
    struct call_file files[CALLS_FILES];
} calls = {.mutex = PTHREAD_MUTEX_INITIALIZER, .fdatasyncs_left = -1};

/* ---- asking ---- */

/* calls_begin: forget all calls, record from now on.  calls_forget_files: also what files hold: one
 * that was removed may have lent its inode to the next. */
static inline void calls_begin(void)
{
    calls.is_on = true;
    calls.count = 0;
}

static inline void calls_forget_files(void)
{
    calls.file_count = 0;
    memset(calls.files, 0, sizeof calls.files);
}

/* Calls of some kinds (a bit each) on files whose names begin so. */
struct calls_filter {
    unsigned kinds;
    const char *name;
};

static inline bool calls_is_wanted(const struct call *call, const struct calls_filter *filters,
                                   size_t filter_count)
{
    for (size_t i = 0; i < filter_count; i++)
        if ((filters[i].kinds >> call->kind & 1) != 0 &&
            strncmp(call->name, filters[i].name, strlen(filters[i].name)) == 0)
            return true;
    return false;
}

/* calls_text: calls that one of the filters lets through. In static memory. */
static inline const char *calls_text(const struct calls_filter *filters, size_t filter_count)
{
    static const char *const words[] = {"write",  "read",      "read-direct", "size",
                                        "fsync",  "fdatasync", "drop",        "link",
                                        "rename", "make",      "remove"};
    static char text[CALLS_MOST];
    const struct call *last = NULL;
    size_t length = 0;
    text[0] = '\0';
    for (size_t i = 0; i < calls.count && length < sizeof text - 4 * CALLS_NAME_BYTES; i++) {
        const struct call *call = &calls.list[i];
        bool is_again = last != NULL && last->kind == call->kind &&
                        strcmp(last->name, call->name) == 0 && strcmp(last->to, call->to) == 0;
        if (is_again || !calls_is_wanted(call, filters, filter_count))
            continue;
        length += (size_t)snprintf(text + length, sizeof text - length, "%s%s %s%s%s",
                                   length > 0 ? ", " : "", words[call->kind], call->name,
                                   call->to[0] != '\0' ? " " : "", call->to);
        last = call;
    }
    return text;
}

static inline size_t calls_first_length(const char *text)
{
    const char *end = strstr(text, ", ");
    return end != NULL ? (size_t)(end - text) : strlen(text);
}

/* calls_check: fails unless `got`, a calls_text, is `wanted`, and names the first call that
 * differs. Not is_whole: after the first call either may end early. */
static inline void calls_check(const char *name, const char *got, const char *wanted, bool is_whole)
{
    const char *all = got;
    for (size_t number = 1; *got != '\0' || *wanted != '\0'; number++) {
        size_t length = calls_first_length(got), wanted_length = calls_first_length(wanted);
        if (!is_whole && number > 1 && (length == 0 || wanted_length == 0))
            return;
        if (length != wanted_length || strncmp(got, wanted, length) != 0)
            test_fail("%s: call %zu is '%.*s', not '%.*s', of '%s'", name, number, (int)length, got,
                      (int)wanted_length, wanted, all);
        got += length + (got[length] != '\0' ? 2 : 0);
        wanted += wanted_length + (wanted[wanted_length] != '\0' ? 2 : 0);
    }
}

/* Returns what is known of the file of `fd`; NULL: it is no file. Under the lock. */
static inline struct call_file *calls_file(int fd)
{
    struct stat info;
    if (fstat(fd, &info) != 0 || !S_ISREG(info.st_mode))
        return NULL;
    for (size_t i = 0; i < calls.file_count; i++)
        if (calls.files[i].device == info.st_dev && calls.files[i].inode == info.st_ino)
            return &calls.files[i];
    if (calls.file_count == CALLS_FILES) {
        fprintf(stderr, "calls.h: more than %d files\n", CALLS_FILES);
        abort();
    }
    struct call_file *file = &calls.files[calls.file_count++];
    file->device = info.st_dev;
    file->inode = info.st_ino;
    return file;
}

/* calls_are_synced: returns whether `bytes` from `off` on, of the file of `fd`, are on the disk for
 * certain. */
static inline bool calls_are_synced(int fd, uint64_t off, uint64_t bytes)
{
    bool is_synced = true;
    pthread_mutex_lock(&calls.mutex);
    const struct call_file *file = calls_file(fd);
    for (uint64_t i = off; is_synced && i < off + bytes; i++)
        is_synced = file != NULL && i < file->end && file->state[i] == CALLS_SYNCED;
    pthread_mutex_unlock(&calls.mutex);
    return is_synced;
}

/* ---- recording ---- */

/* `path` as it is shown: relative to the working directory, random parts left out. */
static inline void calls_name(const char *path, char name[CALLS_NAME_BYTES])
{
    char here[PATH_MAX];
    size_t length = getcwd(here, sizeof here) != NULL ? strlen(here) : 0;
    if (strcmp(path, here) == 0)
        path = ".";
    else if (length > 0 && strncmp(path, here, length) == 0 && path[length] == '/')
        path += length + 1;
    const char *last = strrchr(path, '/') != NULL ? strrchr(path, '/') + 1 : path;
    if (last[0] == '#') { /* as the kernel shows what has no name */
        snprintf(name, CALLS_NAME_BYTES, "unnamed");
        return;
    }
    snprintf(name, CALLS_NAME_BYTES, "%.*s", CALLS_NAME_BYTES - 1, path);
    char *random = strstr(name, ".gsort-");
    if (random != NULL)
        memcpy(random, ".gsort-*", sizeof ".gsort-*");
}

static inline void calls_name_of_fd(int fd, char name[CALLS_NAME_BYTES])
{
    char link[32], path[PATH_MAX];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, path, sizeof path - 1);
    path[length > 0 ? length : 0] = '\0';
    calls_name(path, name);
}

static inline void calls_name_at(int dir_fd, const char *path, char name[CALLS_NAME_BYTES])
{
    char directory[CALLS_NAME_BYTES], joined[2 * CALLS_NAME_BYTES];
    calls_name_of_fd(dir_fd, directory);
    bool is_here = dir_fd == AT_FDCWD || strcmp(directory, ".") == 0;
    snprintf(joined, sizeof joined, "%s%s%.*s", is_here ? "" : directory, is_here ? "" : "/",
             CALLS_NAME_BYTES - 1, path);
    calls_name(joined, name);
}

static inline void calls_note(struct call call)
{
    if (calls.count < CALLS_MOST)
        calls.list[calls.count++] = call;
}

/* The bytes of a file that is cut off are not there. */
static inline void calls_note_bytes(struct call_file *file, enum call_kind kind, uint64_t off,
                                    uint64_t bytes)
{
    uint64_t end = off + bytes < CALLS_FILE_BYTES ? off + bytes : CALLS_FILE_BYTES;
    if (kind == CALL_WRITE && off < end) {
        memset(file->state + off, CALLS_WRITTEN, end - off);
        file->end = end > file->end ? end : file->end;
    }
    if (kind == CALL_SIZE && bytes < file->end) {
        memset(file->state + bytes, CALLS_NOTHING, file->end - bytes);
        file->end = bytes;
    }
    for (uint64_t i = 0; (kind == CALL_FSYNC || kind == CALL_FDATASYNC) && i < file->end; i++)
        if (file->state[i] == CALLS_WRITTEN)
            file->state[i] = CALLS_SYNCED;
}

/* A call on a descriptor. */
static inline void calls_note_fd(enum call_kind kind, int fd, uint64_t off, uint64_t bytes)
{
    int sys_errno = errno;
    struct call call = {.kind = kind, .off = off, .bytes = bytes};
    pthread_mutex_lock(&calls.mutex);
    struct call_file *file = calls.is_on ? calls_file(fd) : NULL;
    if (calls.is_on) {
        calls_name_of_fd(fd, call.name);
        calls_note(call);
    }
    if (file != NULL)
        calls_note_bytes(file, kind, off, bytes);
    pthread_mutex_unlock(&calls.mutex);
    errno = sys_errno;
}

static inline void calls_note_name(const struct call *call)
{
    pthread_mutex_lock(&calls.mutex);
    if (calls.is_on)
        calls_note(*call);
    pthread_mutex_unlock(&calls.mutex);
}

#define CALLS_DECLARE(type, name, parameters) \
    type __real_##name parameters;            \
    type __wrap_##name parameters;            \
    type __wrap_##name parameters

CALLS_DECLARE(ssize_t, pwrite64, (int fd, const void *data, size_t bytes, off_t off))
{
    ssize_t moved = __real_pwrite64(fd, data, bytes, off);
    if (moved > 0)
        calls_note_fd(CALL_WRITE, fd, (uint64_t)off, (uint64_t)moved);
    return moved;
}

CALLS_DECLARE(ssize_t, pwritev64v2,
              (int fd, const struct iovec *data, int count, off_t off, int flags))
{
    ssize_t moved = __real_pwritev64v2(fd, data, count, off, flags);
    if (moved > 0)
        calls_note_fd(CALL_WRITE, fd, (uint64_t)off, (uint64_t)moved);
    return moved;
}

/* Direct: by what the descriptor says. */
static inline void calls_note_read(int fd, off_t off, ssize_t moved)
{
    bool is_direct = (fcntl(fd, F_GETFL) & O_DIRECT) != 0;
    if (moved > 0)
        calls_note_fd(is_direct ? CALL_READ_DIRECT : CALL_READ, fd, (uint64_t)off, (uint64_t)moved);
}

CALLS_DECLARE(ssize_t, pread64, (int fd, void *data, size_t bytes, off_t off))
{
    ssize_t moved = __real_pread64(fd, data, bytes, off);
    calls_note_read(fd, off, moved);
    return moved;
}

CALLS_DECLARE(ssize_t, preadv64v2,
              (int fd, const struct iovec *data, int count, off_t off, int flags))
{
    ssize_t moved = __real_preadv64v2(fd, data, count, off, flags);
    calls_note_read(fd, off, moved);
    return moved;
}

CALLS_DECLARE(int, ftruncate64, (int fd, off_t bytes))
{
    int result = __real_ftruncate64(fd, bytes);
    if (result == 0)
        calls_note_fd(CALL_SIZE, fd, 0, (uint64_t)bytes);
    return result;
}

CALLS_DECLARE(int, fsync, (int fd))
{
    calls_note_fd(CALL_FSYNC, fd, 0, 0);
    return __real_fsync(fd);
}

CALLS_DECLARE(int, fdatasync, (int fd))
{
    pthread_mutex_lock(&calls.mutex);
    bool is_refused = calls.fdatasyncs_left == 0;
    calls.fdatasyncs_left -= calls.fdatasyncs_left > 0;
    pthread_mutex_unlock(&calls.mutex);
    errno = EIO;
    if (is_refused)
        return -1;
    calls_note_fd(CALL_FDATASYNC, fd, 0, 0);
    return __real_fdatasync(fd);
}

CALLS_DECLARE(int, posix_fadvise64, (int fd, off_t off, off_t bytes, int advice))
{
    int result = __real_posix_fadvise64(fd, off, bytes, advice);
    if (result == 0 && advice == POSIX_FADV_DONTNEED && off == 0 && bytes == 0)
        calls_note_fd(CALL_DROP, fd, 0, 0);
    return result;
}

CALLS_DECLARE(int, linkat, (int at, const char *path, int to_at, const char *to, int flags))
{
    struct call call = {.kind = CALL_LINK, .name = "unnamed"};
    calls_name_at(to_at, to, call.to);
    int result = __real_linkat(at, path, to_at, to, flags);
    if (result == 0)
        calls_note_name(&call);
    return result;
}

CALLS_DECLARE(int, renameat, (int at, const char *path, int to_at, const char *to))
{
    struct call call = {.kind = CALL_RENAME};
    calls_name_at(at, path, call.name);
    calls_name_at(to_at, to, call.to);
    int result = __real_renameat(at, path, to_at, to);
    if (result == 0)
        calls_note_name(&call);
    return result;
}

CALLS_DECLARE(int, unlinkat, (int at, const char *path, int flags))
{
    struct call call = {.kind = CALL_REMOVE};
    calls_name_at(at, path, call.name);
    int result = __real_unlinkat(at, path, flags);
    if (result == 0)
        calls_note_name(&call);
    return result;
}

static inline bool calls_refuse(int flags)
{
    bool is_nameless = (flags & O_TMPFILE) == O_TMPFILE;
    errno = is_nameless ? EOPNOTSUPP : EINVAL;
    return (is_nameless && calls.refuses_nameless) ||
           ((flags & O_DIRECT) != 0 && calls.refuses_direct);
}

int __real_open64(const char *path, int flags, ...);
int __wrap_open64(const char *path, int flags, mode_t mode);
int __wrap_open64(const char *path, int flags, mode_t mode)
{
    return calls_refuse(flags) ? -1 : __real_open64(path, flags, mode);
}

int __real_openat64(int at, const char *path, int flags, ...);
int __wrap_openat64(int at, const char *path, int flags, mode_t mode);
int __wrap_openat64(int at, const char *path, int flags, mode_t mode)
{
    struct call call = {.kind = CALL_MAKE};
    if (calls_refuse(flags))
        return -1;
    bool is_new = (flags & O_CREAT) != 0 && faccessat(at, path, F_OK, AT_SYMLINK_NOFOLLOW) != 0;
    int fd = __real_openat64(at, path, flags, mode);
    if (fd >= 0 && is_new) {
        calls_name_at(at, path, call.name);
        calls_note_name(&call);
    }
    return fd;
}

#endif
