/* file_parts.c: implements functions for all kinds of files: temporary files, direct I/O, disk
 * space, and blocking reads and writes. */
#include "io/file_parts.h"

#include "base/checked.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>
#include <unistd.h>

/* ---- names, nameless and temporary files ---- */

/* The largest pipe that a user may request by default (fs.pipe-max-size). Pipes have 64 KiB at
 * first, and each time one is full or empty costs a process switch. */
#define PIPE_BYTES (1 << 20)

/* Returns whether a regular file is in tmpfs or ramfs. tmpfs accepts O_DIRECT since Linux 6.6, but
 * copies nevertheless. */
static bool is_in_memory(int fd)
{
    struct statfs fs;
    struct stat info;
    return fstat(fd, &info) == 0 && S_ISREG(info.st_mode) && fstatfs(fd, &fs) == 0 &&
           (fs.f_type == TMPFS_MAGIC || fs.f_type == RAMFS_MAGIC);
}

/* Returns whether direct I/O needs a larger alignment than GSI_DIRECT_ALIGN, according to the
 * kernel (Linux 6.1). */
static bool needs_larger_alignment(int fd)
{
#ifdef STATX_DIOALIGN
    struct statx info;
    if (statx(fd, "", AT_EMPTY_PATH, STATX_DIOALIGN, &info) == 0 &&
        (info.stx_mask & STATX_DIOALIGN) != 0)
        return info.stx_dio_offset_align == 0 || info.stx_dio_mem_align == 0 ||
               GSI_DIRECT_ALIGN % info.stx_dio_offset_align != 0 ||
               GSI_DIRECT_ALIGN % info.stx_dio_mem_align != 0;
#endif
    (void)fd;
    return false;
}

int gsi_direct_open(int fd, int access)
{
    char path[32];
    if (is_in_memory(fd) || needs_larger_alignment(fd))
        return -1;
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    return open(path, access | O_DIRECT | O_CLOEXEC | O_NOCTTY);
}

bool gsi_file_is_direct(int fd)
{
    int flags = fcntl(fd, F_GETFL);
    return flags >= 0 && (flags & O_DIRECT) != 0;
}

void gsi_file_disable_direct(int fd)
{
    fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_DIRECT);
}

void gsi_temp_name(const char *base, char name[GSI_TEMP_NAME_BYTES])
{
    static const char digits[] = "abcdefghijklmnopqrstuvwxyz234567";
    uint8_t random[6] = {0};
    char suffix[7] = {0};
    /* If this fails, the name is only easier to guess: O_EXCL still ensures a new file. */
    (void)!getrandom(random, sizeof random, GRND_NONBLOCK);
    for (size_t i = 0; i < sizeof random; i++)
        suffix[i] = digits[random[i] % 32];
    snprintf(name, GSI_TEMP_NAME_BYTES, ".%.40s.gsort-%s", base, suffix);
}

int gsi_nameless_open(int dir_fd, const char *base, mode_t mode, char name[GSI_TEMP_NAME_BYTES])
{
    name[0] = '\0';
    int fd = openat(dir_fd, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, mode);
    /* With these errno values, file systems and kernels report that they do not support
     * O_TMPFILE. */
    if (fd >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != ENOENT && errno != EINVAL))
        return fd >= 0 ? fd : -errno;
    return gsi_named_open(dir_fd, base, mode, name);
}

int gsi_named_open(int dir_fd, const char *base, mode_t mode, char name[GSI_TEMP_NAME_BYTES])
{
    for (int i = 0; i < GSI_NAME_TRIES; i++) {
        gsi_temp_name(base, name);
        int fd = openat(dir_fd, name, O_CREAT | O_EXCL | O_NOFOLLOW | O_RDWR | O_CLOEXEC, mode);
        if (fd >= 0)
            return fd;
        if (errno != EEXIST)
            break;
    }
    name[0] = '\0';
    return -errno;
}

void gsi_pipe_enlarge(int fd)
{
    int bytes = fcntl(fd, F_GETPIPE_SZ);
    if (bytes >= 0 && bytes < PIPE_BYTES)
        fcntl(fd, F_SETPIPE_SZ, PIPE_BYTES);
}

const char *gsi_temp_directory(void)
{
    const char *named = getenv("TMPDIR");
    return named != NULL && *named != '\0' ? named : "/tmp";
}

enum gs_status gsi_temp_check(const char *directory, struct gs_error *error)
{
    int dir_fd = open(directory, O_PATH | O_DIRECTORY | O_CLOEXEC);
    int refusal = dir_fd < 0 || faccessat(dir_fd, ".", W_OK | X_OK, 0) != 0 ? errno : 0;
    if (dir_fd >= 0)
        close(dir_fd);
    return refusal == 0 ? GS_OK
                        : gsi_fail(error, GS_E_IO, refusal,
                                   "'%s': cannot use as temporary directory", directory);
}

enum gs_status gsi_temp_open(const char *directory, int *fd, bool *is_direct,
                             struct gs_error *error)
{
    char name[GSI_TEMP_NAME_BYTES];
    *fd = -1;
    *is_direct = false;
    int dir_fd = open(directory, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (dir_fd < 0)
        return gsi_fail(error, GS_E_IO, errno, "'%s': cannot use as temporary directory",
                        directory);
    int file_fd = gsi_nameless_open(dir_fd, "spill", 0600, name);
    if (file_fd >= 0 && name[0] != '\0')
        unlinkat(dir_fd, name, 0);
    close(dir_fd);
    if (file_fd < 0)
        return gsi_fail(error, gsi_status_of_errno(-file_fd), -file_fd,
                        "'%s': cannot create a temporary file; name another directory with -T",
                        directory);
    int direct_fd = gsi_direct_open(file_fd, O_RDWR);
    *is_direct = direct_fd >= 0;
    *fd = *is_direct ? direct_fd : file_fd;
    if (*is_direct)
        close(file_fd);
    return GS_OK;
}

/* ---- disk space and small blocking transfers ---- */

int64_t gsi_file_read(int fd, void *data, uint64_t bytes, uint64_t off)
{
    uint64_t done = 0;
    while (done < bytes) {
        ssize_t moved = pread(fd, (uint8_t *)data + done, bytes - done, (off_t)(off + done));
        if (moved < 0 && errno == EINTR)
            continue;
        if (moved < 0)
            return -1;
        if (moved == 0)
            break;
        done += (uint64_t)moved;
    }
    return (int64_t)done;
}

int gsi_file_write(int fd, const void *data, uint64_t bytes, uint64_t off)
{
    const uint8_t *at = data;
    while (bytes > 0) {
        ssize_t moved = pwrite(fd, at, bytes, (off_t)off);
        if (moved < 0 && errno == EINTR)
            continue;
        if (moved <= 0)
            return moved < 0 ? errno : EIO;
        at += moved;
        off += (uint64_t)moved;
        bytes -= (uint64_t)moved;
    }
    return 0;
}

int gsi_file_allocate(int fd, uint64_t off, uint64_t bytes, bool *is_allocated)
{
    int refusal;
    do {
        refusal = fallocate(fd, 0, (off_t)off, (off_t)bytes) == 0 ? 0 : errno;
    } while (refusal == EINTR);
    if (is_allocated != NULL)
        *is_allocated = refusal == 0;
    return refusal == ENOSPC || refusal == EDQUOT || refusal == EFBIG ? refusal : 0;
}

void gsi_file_release(int fd, uint64_t off, uint64_t bytes)
{
    int refusal;
    do {
        refusal =
            fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)off, (off_t)bytes) == 0
                ? 0
                : errno;
    } while (refusal == EINTR);
}

static uint64_t free_space(const struct gsi_output *output)
{
    struct statvfs space;
    return fstatvfs(output->fd, &space) == 0 ? gsi_mul_max_u64(space.f_bavail, space.f_frsize) : 0;
}

enum gs_status gsi_output_fail_room(const struct gsi_output *output, int refusal, uint64_t bytes,
                                    struct gs_error *error)
{
    if (refusal == ENOSPC || refusal == EDQUOT)
        return gsi_fail_space(error, refusal, output->name, "the output", bytes, free_space(output),
                              "choose another place");
    return gsi_fail(error, GS_E_IO, refusal, "'%s': cannot hold %llu bytes", output->name,
                    (unsigned long long)bytes);
}

enum gs_status gsi_output_check_room(const struct gsi_output *output, uint64_t bytes,
                                     struct gs_error *error)
{
    struct statvfs space;
    struct stat info;
    uint64_t end;
    if (fstatvfs(output->fd, &space) != 0 || fstat(output->fd, &info) != 0)
        return gsi_fail(error, GS_E_IO, errno, "'%s': cannot read the free space", output->name);
    if (!gsi_add_u64(output->base_off, bytes, &end) || end > INT64_MAX)
        return gsi_output_fail_room(output, EFBIG, bytes, error);
    if (end > (uint64_t)info.st_size &&
        end - (uint64_t)info.st_size > gsi_mul_max_u64(space.f_bavail, space.f_frsize))
        return gsi_output_fail_room(output, ENOSPC, bytes, error);
    return GS_OK;
}

enum gs_status gsi_output_reserve(struct gsi_output *output, uint64_t bytes, struct gs_error *error)
{
    int refusal = 0;
    if (output->kind == GSI_OUTPUT_STREAM || bytes == 0)
        return GS_OK;
    GSI_TRY(gsi_output_check_room(output, bytes, error));
    if (output->kind != GSI_OUTPUT_SHARED) /* a failed job must not leave the caller's file
                                            * longer */
        refusal = gsi_file_allocate(output->fd, output->base_off, bytes, NULL);
    if (refusal != 0)
        return gsi_output_fail_room(output, refusal, bytes, error);
    output->allocated = bytes;
    return GS_OK;
}

bool gsi_output_is_in_memory(const struct gsi_output *output)
{
    struct statfs system;
    return output->kind == GSI_OUTPUT_ATOMIC && fstatfs(output->fd, &system) == 0 &&
           system.f_type == TMPFS_MAGIC;
}

void gsi_output_extend(struct gsi_output *output, uint64_t end, uint64_t step, uint64_t total)
{
    if (output->kind != GSI_OUTPUT_ATOMIC || end <= output->allocated)
        return;
    uint64_t wanted = gsi_max_u64(end, gsi_min_u64(total, output->allocated + step));
    (void)!gsi_file_allocate(output->fd, output->allocated, wanted - output->allocated, NULL);
    output->allocated = wanted;
}

enum gs_status gsi_space_free(const char *directory, uint64_t *bytes, uint64_t *file_system,
                              struct gs_error *error)
{
    struct statvfs space;
    struct stat info;
    if (statvfs(directory, &space) != 0 || stat(directory, &info) != 0)
        return gsi_fail(error, GS_E_IO, errno, "'%s': cannot read the free space", directory);
    *bytes = gsi_mul_max_u64(space.f_bavail, space.f_frsize);
    *file_system = info.st_dev;
    return GS_OK;
}
