/* file_temp.c: creates nameless files, and opens files for direct I/O: the parts that all files
 * share. */
#include "io/file_parts.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

/* The size that an ordinary user may request by default (fs.pipe-max-size). A pipe begins with 64
 * KiB, and each time it is empty or full costs a process switch. */
#define PIPE_BYTES (1 << 20)

/* tmpfs accepts O_DIRECT since Linux 6.6 and copies all the same. Block devices may have their
 * names in a tmpfs, but not their data. */
static bool is_in_memory(int fd)
{
    struct statfs fs;
    struct stat info;
    return fstat(fd, &info) == 0 && S_ISREG(info.st_mode) && fstatfs(fd, &fs) == 0 &&
           (fs.f_type == TMPFS_MAGIC || fs.f_type == RAMFS_MAGIC);
}

/* Returns whether the kernel says that GSI_DIRECT_ALIGN is not enough. Kernels before 6.1 say
 * nothing. */
static bool is_align_too_small(int fd)
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
    if (is_in_memory(fd) || is_align_too_small(fd))
        return -1;
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    return open(path, access | O_DIRECT | O_CLOEXEC | O_NOCTTY);
}

bool gsi_file_is_direct(int fd)
{
    int flags = fcntl(fd, F_GETFL);
    return flags >= 0 && (flags & O_DIRECT) != 0;
}

void gsi_file_go_buffered(int fd)
{
    fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_DIRECT);
}

void gsi_temp_name(const char *base, char name[GSI_TEMP_NAME_BYTES])
{
    static const char digits[] = "abcdefghijklmnopqrstuvwxyz234567";
    uint8_t random[6] = {0};
    char suffix[7] = {0};
    /* Without randomness the name is only easier to guess: O_EXCL still keeps it ours. */
    (void)!getrandom(random, sizeof random, GRND_NONBLOCK);
    for (size_t i = 0; i < sizeof random; i++)
        suffix[i] = digits[random[i] % 32];
    snprintf(name, GSI_TEMP_NAME_BYTES, ".%.40s.gsort-%s", base, suffix);
}

int gsi_nameless_open(int dir_fd, const char *base, mode_t mode, char name[GSI_TEMP_NAME_BYTES])
{
    name[0] = '\0';
    int fd = openat(dir_fd, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, mode);
    /* The errno values by which file systems and kernels report that they do not support
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

void gsi_pipe_widen(int fd)
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
