/* simulated_disk.c: records changes that are not synced, and drops a part of them. */
#include "simulation/simulated_disk.h"

#include "simulation/simulation_parts.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#define SECTOR     512u
#define NAME_BYTES 128u

enum kind { WRITTEN, RESIZED, PUNCHED, NAMED, REMOVED, MADE_DIRECTORY, REMOVED_DIRECTORY };

struct change {
    struct change *before;
    enum kind kind;
    uint64_t number; /* in order of time */
    /* Data: the file, the range, and its bytes before and after. */
    dev_t device;
    ino_t inode;
    int fd;
    uint64_t off, bytes, old_end, new_end;
    uint8_t *old_bytes, *new_bytes;
    /* Names: where, and in `g` what had this name before, and what has it after. */
    char directory[NAME_BYTES], from_directory[NAME_BYTES]; /* the latter of a rename */
    char path[NAME_BYTES], from[NAME_BYTES];
    char replaced[16], moved[16];
    bool is_dropped;
};

/* In 1000 sectors, so many lose nothing. */
struct fate {
    uint64_t salt;
    uint32_t of_1000;
};

static struct change *last; /* the newest one */
static bool is_on;
static uint64_t kept_count, change_count;

static void check(bool is_good, const char *what)
{
    if (!is_good)
        sim_fail(what);
}

static struct change *add(enum kind kind)
{
    struct change *change = calloc(1, sizeof *change);
    check(change != NULL, "disk: no memory");
    change->kind = kind;
    change->number = change_count++;
    change->before = last;
    last = change;
    return change;
}

static void forget(struct change **link)
{
    struct change *change = *link;
    *link = change->before;
    free(change->old_bytes);
    free(change->new_bytes);
    free(change);
}

static bool is_data(const struct change *change)
{
    return change->kind <= PUNCHED;
}

static bool is_same_file(const struct change *a, const struct change *b)
{
    return a->device == b->device && a->inode == b->inode;
}

/* ---- recording data ---- */

/* A descriptor of the file that stays open, one for each file. */
static int kept_fd(const struct change *change, int fd)
{
    for (const struct change *other = change->before; other != NULL; other = other->before)
        if (is_data(other) && is_same_file(other, change))
            return other->fd;
    char path[32];
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    int own = open(path, O_RDWR | O_CLOEXEC);
    check(own >= 0, "disk: cannot open a file again");
    return own;
}

static uint8_t *bytes_at(int fd, uint64_t off, uint64_t bytes)
{
    uint8_t *data = calloc(1, bytes + 1);
    check(data != NULL, "disk: no memory");
    (void)!pread(fd, data, bytes, (off_t)off); /* zeros after the end */
    return data;
}

/* Records a change of the range before it happens. NULL: it is not a regular file. */
static struct change *begin_data(enum kind kind, int fd, uint64_t off, uint64_t bytes)
{
    struct stat info;
    if (!is_on || fstat(fd, &info) != 0 || !S_ISREG(info.st_mode))
        return NULL;
    struct change *change = add(kind);
    change->device = info.st_dev;
    change->inode = info.st_ino;
    change->fd = kept_fd(change, fd);
    change->old_end = (uint64_t)info.st_size;
    if (kind == RESIZED) {
        change->new_end = off;
        bytes = change->old_end > off ? change->old_end - off : 0;
    }
    change->off = off;
    change->bytes = bytes;
    change->old_bytes = bytes_at(change->fd, off, bytes);
    return change;
}

static void end_data(struct change *change)
{
    if (change != NULL)
        change->new_bytes = bytes_at(change->fd, change->off, change->bytes);
}

/* ---- recording names ---- */

static void directory_of(int fd, char path[NAME_BYTES])
{
    char link[32], full[PATH_MAX], here[PATH_MAX];
    snprintf(path, NAME_BYTES, ".");
    if (fd == AT_FDCWD)
        return;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, full, sizeof full - 1);
    full[length > 0 ? length : 0] = '\0';
    size_t skipped = getcwd(here, sizeof here) != NULL ? strlen(here) : 0;
    if (strlen(full) > skipped + 1)
        snprintf(path, NAME_BYTES, "%.100s", full + skipped + 1);
}

/* Links a file into `g`, so that its name can be restored. */
static void keep(const char *path, char name[16])
{
    char kept[32];
    snprintf(name, 16, "%llu", (unsigned long long)kept_count);
    snprintf(kept, sizeof kept, "g/%s", name);
    kept_count++;
    if (linkat(AT_FDCWD, path, AT_FDCWD, kept, 0) != 0)
        name[0] = '\0'; /* there is no such file */
}

static struct change *begin_name(enum kind kind, int directory_fd, const char *name)
{
    if (!is_on)
        return NULL;
    struct change *change = add(kind);
    directory_of(directory_fd, change->directory);
    snprintf(change->path, NAME_BYTES, "%.60s/%.60s", change->directory, name);
    if (kind == NAMED || kind == REMOVED)
        keep(change->path, change->replaced);
    return change;
}

/* ---- syncs ---- */

static bool is_in(const struct change *change, const char *directory)
{
    return !is_data(change) && (strcmp(change->directory, directory) == 0 ||
                                strcmp(change->from_directory, directory) == 0);
}

static bool share_directory(const struct change *a, const struct change *b)
{
    return is_in(a, b->directory) || (b->from_directory[0] != '\0' && is_in(a, b->from_directory));
}

/* A rename between two directories is one change. If it is on disk, so are all earlier changes of
 * both. */
static void sync_names(struct change **link, const char *directory)
{
    while (*link != NULL) {
        struct change *change = *link;
        if (!is_in(change, directory)) {
            link = &change->before;
            continue;
        }
        if (change->from_directory[0] != '\0' &&
            strcmp(change->directory, change->from_directory) != 0) {
            bool is_to = strcmp(change->directory, directory) == 0;
            sync_names(&change->before, is_to ? change->from_directory : change->directory);
        }
        forget(link);
    }
}

static void sync_fd(int fd)
{
    struct stat info;
    char directory[NAME_BYTES];
    if (!is_on || fstat(fd, &info) != 0)
        return;
    if (S_ISDIR(info.st_mode)) {
        directory_of(fd, directory);
        sync_names(&last, directory);
        return;
    }
    for (struct change **link = &last; *link != NULL;) {
        const struct change *change = *link;
        if (is_data(change) && change->device == info.st_dev && change->inode == info.st_ino)
            forget(link);
        else
            link = &(*link)->before;
    }
}

/* ---- calls ---- */

#define DISK_CALL(type, name, parameters) \
    type __real_##name parameters;        \
    type __wrap_##name parameters;        \
    type __wrap_##name parameters

/* A call that failed changed nothing. */
static void settle(struct change *change, bool is_done)
{
    struct change **link = &last;
    if (change == NULL)
        return;
    if (is_done && is_data(change))
        end_data(change);
    while (!is_done && *link != change)
        link = &(*link)->before;
    if (!is_done)
        forget(link);
}

DISK_CALL(ssize_t, pwrite64, (int fd, const void *data, size_t bytes, off_t off))
{
    sim_meet_fate();
    struct change *change = begin_data(WRITTEN, fd, (uint64_t)off, bytes);
    ssize_t moved = __real_pwrite64(fd, data, bytes, off);
    int sys_errno = errno;
    settle(change, moved > 0);
    errno = sys_errno;
    return moved;
}

DISK_CALL(int, ftruncate64, (int fd, off_t bytes))
{
    sim_meet_fate();
    struct change *change = begin_data(RESIZED, fd, (uint64_t)bytes, 0);
    int result = __real_ftruncate64(fd, bytes), sys_errno = errno;
    settle(change, result == 0);
    errno = sys_errno;
    return result;
}

DISK_CALL(int, fallocate64, (int fd, int mode, off_t off, off_t bytes))
{
    sim_meet_fate();
    struct stat info;
    struct change *change = NULL;
    if ((mode & FALLOC_FL_PUNCH_HOLE) != 0)
        change = begin_data(PUNCHED, fd, (uint64_t)off, (uint64_t)bytes);
    else if (fstat(fd, &info) == 0 && info.st_size < off + bytes)
        change = begin_data(RESIZED, fd, (uint64_t)(off + bytes), 0);
    int result = __real_fallocate64(fd, mode, off, bytes), sys_errno = errno;
    settle(change, result == 0);
    errno = sys_errno;
    return result;
}

static int note_sync(int fd, int (*sync)(int fd))
{
    sim_meet_fate();
    int result = sync(fd);
    if (result == 0)
        sync_fd(fd);
    return result;
}

DISK_CALL(int, fsync, (int fd))
{
    return note_sync(fd, __real_fsync);
}

DISK_CALL(int, fdatasync, (int fd))
{
    return note_sync(fd, __real_fdatasync);
}

int __real_linkat(int at, const char *path, int to_at, const char *to, int flags);
int __wrap_linkat(int at, const char *path, int to_at, const char *to, int flags);
int __wrap_linkat(int at, const char *path, int to_at, const char *to, int flags)
{
    if (strncmp(to, "g/", 2) == 0)
        return __real_linkat(at, path, to_at, to, flags);
    sim_meet_fate();
    struct change *change = begin_name(NAMED, to_at, to);
    int result = __real_linkat(at, path, to_at, to, flags), sys_errno = errno;
    settle(change, result == 0);
    errno = sys_errno;
    return result;
}

DISK_CALL(int, renameat, (int at, const char *path, int to_at, const char *to))
{
    sim_meet_fate();
    struct change *named = begin_name(NAMED, to_at, to);
    if (named != NULL) {
        directory_of(at, named->from_directory);
        snprintf(named->from, NAME_BYTES, "%.60s/%.60s", named->from_directory, path);
        keep(named->from, named->moved);
    }
    int result = __real_renameat(at, path, to_at, to), sys_errno = errno;
    settle(named, result == 0);
    errno = sys_errno;
    return result;
}

DISK_CALL(int, unlinkat, (int at, const char *path, int flags))
{
    sim_meet_fate();
    struct change *change = begin_name(REMOVED, at, path);
    int result = __real_unlinkat(at, path, flags), sys_errno = errno;
    settle(change, result == 0);
    errno = sys_errno;
    return result;
}

DISK_CALL(int, mkdir, (const char *path, mode_t mode))
{
    sim_meet_fate();
    struct change *change = begin_name(MADE_DIRECTORY, AT_FDCWD, path);
    int result = __real_mkdir(path, mode), sys_errno = errno;
    settle(change, result == 0);
    errno = sys_errno;
    return result;
}

DISK_CALL(int, rmdir, (const char *path))
{
    sim_meet_fate();
    struct change *change = begin_name(REMOVED_DIRECTORY, AT_FDCWD, path);
    int result = __real_rmdir(path), sys_errno = errno;
    settle(change, result == 0);
    errno = sys_errno;
    return result;
}

int __real_openat64(int at, const char *path, int flags, ...);
int __wrap_openat64(int at, const char *path, int flags, mode_t mode);
int __wrap_openat64(int at, const char *path, int flags, mode_t mode)
{
    bool is_new =
        is_on && (flags & O_CREAT) != 0 && faccessat(at, path, F_OK, AT_SYMLINK_NOFOLLOW) != 0;
    struct change *change = is_new ? begin_name(NAMED, at, path) : NULL;
    int fd = __real_openat64(at, path, flags, mode), sys_errno = errno;
    settle(change, fd >= 0);
    errno = sys_errno;
    return fd;
}

/* ---- the crash ---- */

static void write_all(const struct change *change, const uint8_t *data, uint64_t off,
                      uint64_t bytes)
{
    check(__real_pwrite64(change->fd, data + (off - change->off), bytes, (off_t)off) ==
              (ssize_t)bytes,
          "disk: cannot restore");
}

/* Undoes changes from the newest to the oldest. Then the file is as it was at its last sync. */
static void undo_data(const struct change *change)
{
    uint64_t end = change->off + change->bytes;
    end = end < change->old_end ? end : change->old_end;
    __real_ftruncate64(change->fd, (off_t)change->old_end);
    if (end > change->off)
        write_all(change, change->old_bytes, change->off, end - change->off);
}

/* Returns the number of a change. The sector's changes before it reached the disk, and no later one
 * did. SIZES: the same for the sizes and holes of the file. */
#define SIZES UINT64_MAX

static uint64_t reached(const struct change *change, uint64_t sector, const struct fate *fate)
{
    struct test_random random = {
        (fate->salt ^ sector * 0x9e3779b97f4a7c15u ^ (uint64_t)change->fd << 32) | 1};
    test_next(&random);
    return test_below(&random, 1000) < fate->of_1000 ? UINT64_MAX
                                                     : test_below(&random, change_count + 1);
}

static void redo_data(const struct change *change, const struct fate *fate)
{
    bool is_sized = change->number < reached(change, SIZES, fate);
    if (change->kind == RESIZED && is_sized)
        __real_ftruncate64(change->fd, (off_t)change->new_end);
    if (change->kind == PUNCHED && is_sized)
        __real_fallocate64(change->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                           (off_t)change->off, (off_t)change->bytes);
    uint64_t end = change->off + change->bytes;
    for (uint64_t off = change->off, next; change->kind == WRITTEN && off < end; off = next) {
        next = (off / SECTOR + 1) * SECTOR;
        next = next < end ? next : end;
        if (change->number < reached(change, off / SECTOR, fate))
            write_all(change, change->new_bytes, off, next - off);
    }
}

static void redo_in_order(const struct change *change, const struct fate *fate)
{
    if (change == NULL)
        return;
    redo_in_order(change->before, fate);
    if (is_data(change))
        redo_data(change, fate);
}

static void restore(const char *kept, const char *path)
{
    char name[32];
    snprintf(name, sizeof name, "g/%s", kept);
    if (kept[0] != '\0')
        check(__real_linkat(AT_FDCWD, name, AT_FDCWD, path, 0) == 0, "disk: cannot restore a name");
}

static void undo_name(const struct change *change)
{
    char command[2 * NAME_BYTES];
    snprintf(command, sizeof command, "rm -rf '%s'", change->path);
    if (change->kind == MADE_DIRECTORY)
        check(system(command) == 0, "disk: cannot remove a directory");
    if (change->kind == REMOVED_DIRECTORY)
        check(__real_mkdir(change->path, 0700) == 0, "disk: cannot restore a directory");
    if (change->kind == NAMED)
        __real_unlinkat(AT_FDCWD, change->path, 0);
    if (change->kind == NAMED || change->kind == REMOVED)
        restore(change->replaced, change->path);
    restore(change->moved, change->from);
}

/* Each directory loses its last changes, from a random one on. */
static void drop_names(uint32_t of_1000)
{
    for (struct change *change = last; change != NULL; change = change->before) {
        bool is_last = true;
        for (const struct change *later = last; later != change; later = later->before)
            if (!is_data(later) && !is_data(change) && !later->is_dropped &&
                share_directory(later, change))
                is_last = false;
        change->is_dropped = !is_data(change) && is_last && !sim_is_drawn(of_1000);
    }
}

_Noreturn void disk_crash(int exit_code)
{
    static const uint32_t rates[] = {0, 300, 700, 1000};
    const struct fate fate = {.salt = sim_draw(UINT64_MAX), .of_1000 = rates[sim_draw(4)]};
    const uint32_t name_rate = rates[sim_draw(4)];
    is_on = false;
    for (const struct change *change = last; change != NULL; change = change->before)
        if (is_data(change))
            undo_data(change);
    redo_in_order(last, &fate);
    drop_names(name_rate);
    for (const struct change *change = last; change != NULL; change = change->before)
        if (change->is_dropped)
            undo_name(change);
    _exit(exit_code);
}

void disk_begin(void)
{
    is_on = true;
}
