/* file_output.c: writes outputs that appear whole or not at all.
 *
 *     open     O_TMPFILE in the target's directory: the file has no name, so it vanishes if the
 *     process ends
 *     commit   ftruncate, permissions (file_access.c), fsync; then linkat to the target, or, if
 *              there is one already, linkat to a temporary name and rename over it; then fsync of
 *              the directory
 *
 * While the file is written, only its owner may open it (0600). If the file system has no
 * O_TMPFILE, the file has a temporary name from the beginning. The same applies if linkat could not
 * name it later (no /proc and no privilege). A target that is not a regular file, such as a FIFO or
 * /dev/null, is written in place. */
#include "io/file_parts.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The most symbolic links in a chain, as in the kernel (MAXSYMLINKS). */
#define LINKS_MAX 40

enum gs_status gsi_output_fail(const struct gsi_output *output, const char *what,
                               struct gs_error *error)
{
    int sys_errno = errno;
    return gsi_fail(error, gsi_status_of_errno(sys_errno), sys_errno, "'%s': %s", output->name,
                    what);
}

/* Duplicates a descriptor for the output, so that its position stays shared with other
 * processes. */
static enum gs_status open_descriptor(struct gsi_output *output, int fd, struct gs_error *error)
{
    struct stat info;
    output->path = NULL;
    output->kind = GSI_OUTPUT_STREAM;
    output->fd = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    if (output->fd < 0 || fstat(output->fd, &info) != 0)
        return gsi_output_fail(output, "cannot write", error);
    int flags = fcntl(output->fd, F_GETFL);
    if ((flags & O_ACCMODE) == O_RDONLY)
        return gsi_fail(error, GS_E_IO, 0, "'%s': is not open for writing", output->name);
    gsi_pipe_enlarge(output->fd);
    off_t position = lseek(output->fd, 0, SEEK_CUR);
    /* With O_APPEND the kernel ignores offsets, so the file must be written in order. */
    if (!S_ISREG(info.st_mode) || (flags & O_APPEND) != 0 || position < 0)
        return GS_OK;
    output->kind = GSI_OUTPUT_SHARED;
    output->base_off = (uint64_t)position;
    output->direct_fd = gsi_direct_open(output->fd, O_WRONLY);
    return GS_OK;
}

enum gs_status gsi_output_connect(struct gsi_output *output, bool waits, struct gs_error *error)
{
    struct stat info;
    bool is_fifo = stat(output->path, &info) == 0 && S_ISFIFO(info.st_mode);
    bool is_tried = is_fifo && !waits;
    output->fd = open(output->path, O_WRONLY | O_CLOEXEC | O_NOCTTY | (is_tried ? O_NONBLOCK : 0));
    if (output->fd < 0 && is_tried && errno == ENXIO)
        return GS_OK;
    if (output->fd < 0)
        return gsi_output_fail(output, "cannot write", error);
    if (is_tried)
        fcntl(output->fd, F_SETFL, fcntl(output->fd, F_GETFL) & ~O_NONBLOCK);
    gsi_pipe_enlarge(output->fd);
    return GS_OK;
}

/* Returns the name to which a symbolic link points, relative to the working directory; from malloc.
 * NULL: it is not a link. */
static char *read_link(const char *name)
{
    char link[PATH_MAX], *next = NULL;
    const char *slash = strrchr(name, '/');
    ssize_t length = readlink(name, link, sizeof link);
    if (length < 0)
        return NULL;
    int directory_bytes = link[0] == '/' || slash == NULL ? 0 : (int)(slash - name) + 1;
    return asprintf(&next, "%.*s%.*s", directory_bytes, name, (int)length, link) < 0 ? NULL : next;
}

/* Follows a chain of symbolic links. Returns the last name, from malloc, even if no such file
 * exists; NULL: failure, with errno. */
static char *follow_links(const char *path)
{
    char *name = strdup(path);
    for (int i = 0; name != NULL; i++) {
        char *next = read_link(name);
        if (next == NULL && errno != ENOMEM)
            return name;
        free(name);
        name = next;
        if (i == LINKS_MAX) {
            free(name);
            name = NULL;
            errno = ELOOP;
        }
    }
    return NULL;
}

/* Returns whether both names refer to the same existing directory. */
static bool is_same_directory(const char *a, const char *b)
{
    char *first = realpath(a, NULL), *second = realpath(b, NULL);
    bool is_same = first != NULL && second != NULL && strcmp(first, second) == 0;
    free(first);
    free(second);
    return is_same;
}

#define OTHER_NAME (-1)
#define NOT_GIVEN  (-2)

/* Returns the descriptor of a name in /proc/self/fd. OTHER_NAME: the name is not in that directory.
 * NOT_GIVEN: the descriptor is not open, or this program opened it itself (exec would close it). */
static int descriptor_at(char *name)
{
    char *slash = strrchr(name, '/');
    size_t length = slash != NULL ? strlen(slash + 1) : 0;
    if (slash == name || length == 0 || length > 9 || strspn(slash + 1, "0123456789") != length)
        return OTHER_NAME;
    *slash = '\0';
    bool is_fd_directory =
        is_same_directory(name, "/proc/self/fd") || is_same_directory(name, "/proc/thread-self/fd");
    *slash = '/';
    if (!is_fd_directory)
        return OTHER_NAME;
    int fd = (int)strtol(slash + 1, NULL, 10), flags = fcntl(fd, F_GETFD);
    return flags >= 0 && (flags & FD_CLOEXEC) == 0 ? fd : NOT_GIVEN;
}

/* Does the same for links to such names, such as /dev/stdout and /dev/fd/3. The job writes to such
 * a descriptor at its position, and does not replace its file. */
static int named_descriptor(const char *path)
{
    char *name = strdup(path);
    int fd = OTHER_NAME;
    for (int i = 0; name != NULL && (fd = descriptor_at(name)) == OTHER_NAME && i < LINKS_MAX;
         i++) {
        char *next = read_link(name);
        free(name);
        name = next;
    }
    free(name);
    return fd;
}

/* realpath resolves the name of an existing target, because the kernel also follows links in
 * /proc/self/fd. */
enum gs_status gsi_output_resolve(struct gsi_output *output, bool has_target,
                                  struct gs_error *error)
{
    enum gs_status status = GS_OK;
    if (output->path[0] == '\0')
        return gsi_fail(error, GS_E_USAGE, 0, "the output: its name is empty");
    char *path = has_target ? realpath(output->path, NULL) : follow_links(output->path);
    if (path == NULL)
        GSI_TRY_OR(gsi_output_fail(output, "cannot resolve the name", error), done);
    char *slash = strrchr(path, '/');
    output->target_name = strdup(slash != NULL ? slash + 1 : path);
    if (output->target_name == NULL)
        GSI_TRY_OR(gsi_output_fail(output, "cannot resolve the name", error), done);
    if (slash != NULL)
        slash[slash == path] = '\0'; /* "/x" is in "/" */
    output->directory = realpath(slash != NULL ? path : ".", NULL);
    if (output->directory == NULL)
        GSI_TRY_OR(gsi_output_fail(output, "cannot find its directory", error), done);
    if (output->target_name[0] == '\0')
        GSI_TRY_OR(gsi_fail(error, GS_E_IO, EISDIR, "'%s': cannot write", output->name), done);
done:
    free(path);
    return status;
}

/* Checks now whether the rename at the end of the job would fail. */
static enum gs_status check_target(struct gsi_output *output, const struct stat *target,
                                   struct gs_error *error)
{
    struct stat directory;
    uid_t user = geteuid();
    /* The kernel would allow replacing a read-only file, but users do not expect that. */
    if (faccessat(AT_FDCWD, output->path, W_OK, AT_EACCESS) != 0)
        return gsi_output_fail(output, "cannot write", error);
    if (fstat(output->dir_fd, &directory) == 0 && (directory.st_mode & S_ISVTX) != 0 && user != 0 &&
        user != target->st_uid && user != directory.st_uid)
        return gsi_fail(error, GS_E_IO, EPERM,
                        "'%s': belongs to another user and cannot be replaced in this directory",
                        output->name);
#ifdef STATX_ATTR_MOUNT_ROOT
    struct statx info;
    if (statx(AT_FDCWD, output->path, 0, STATX_TYPE, &info) == 0 &&
        (info.stx_attributes & (STATX_ATTR_MOUNT_ROOT | STATX_ATTR_APPEND)) != 0)
        return gsi_fail(error, GS_E_IO, 0,
                        "'%s': is a mount point or append-only and cannot be replaced; write to "
                        "standard output",
                        output->name);
#endif
    return GS_OK;
}

/* Gives a nameless file a name. AT_EMPTY_PATH needs a privilege before Linux 6.10; the path in
 * /proc needs /proc. */
static int link_to_name(const struct gsi_output *output, const char *name)
{
    char path[32];
    if (linkat(output->fd, "", output->dir_fd, name, AT_EMPTY_PATH) == 0)
        return 0;
    if (errno == EEXIST)
        return -1;
    snprintf(path, sizeof path, "/proc/self/fd/%d", output->fd);
    return linkat(AT_FDCWD, path, output->dir_fd, name, AT_SYMLINK_FOLLOW);
}

/* Returns whether a nameless file can get a name later. Linking it as "." must fail with EEXIST. */
static bool can_be_linked(const struct gsi_output *output)
{
    return link_to_name(output, ".") != 0 && errno == EEXIST;
}

/* Creates the file. If there is no target, the mode is 0666, so that the kernel applies umask and
 * default ACL. The function stores these permissions for the commit, and sets 0600. A failure of
 * fchmod is ignored: some file systems have no permissions. */
static enum gs_status create_file(struct gsi_output *output, bool has_target,
                                  struct gs_error *error)
{
    struct stat info;
    mode_t mode = has_target ? 0600 : 0666;
    int fd = gsi_nameless_open(output->dir_fd, output->target_name, mode, output->temp_name);
    output->fd = fd;
    if (fd >= 0 && output->temp_name[0] == '\0' && !can_be_linked(output)) {
        close(fd);
        fd = gsi_named_open(output->dir_fd, output->target_name, mode, output->temp_name);
        output->fd = fd;
    }
    if (fd < 0)
        return gsi_fail(error, gsi_status_of_errno(-fd), -fd,
                        "'%s': cannot create a file in directory '%s'", output->name,
                        output->directory);
    if (fstat(fd, &info) != 0)
        return gsi_output_fail(output, "cannot read its permissions", error);
    output->new_mode = info.st_mode & 0666;
    int refusal = has_target ? 0 : gsi_access_acl(fd, &output->new_acl);
    if (refusal != 0)
        return gsi_fail(error, gsi_status_of_errno(refusal), refusal,
                        "'%s': cannot read its permissions", output->name);
    (void)!fchmod(fd, 0600);
    output->direct_fd = gsi_direct_open(fd, O_WRONLY);
    return GS_OK;
}

static enum gs_status open_atomic(struct gsi_output *output, const struct stat *target,
                                  struct gs_error *error)
{
    output->dir_fd = open(output->directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (output->dir_fd < 0 && errno == EACCES) /* a directory may be writable but not readable */
        output->dir_fd = open(output->directory, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (output->dir_fd < 0)
        GSI_TRY(gsi_output_fail(output, "cannot open its directory", error));
    if (target != NULL)
        GSI_TRY(check_target(output, target, error));
    GSI_TRY(create_file(output, target != NULL, error));
    if (target != NULL)
        GSI_TRY(gsi_access_check(output, error));
    return GS_OK;
}

enum gs_status gsi_output_redirect(struct gsi_output *output, int dir_fd, const char *name, int fd,
                                   struct gs_error *error)
{
    struct stat kept, directory;
    if (output->temp_name[0] != '\0')
        unlinkat(output->dir_fd, output->temp_name, 0);
    close(output->fd);
    if (output->direct_fd >= 0)
        close(output->direct_fd);
    output->fd = fd;
    output->direct_fd = gsi_direct_open(fd, O_WRONLY);
    output->kept_dir_fd = dir_fd;
    snprintf(output->temp_name, sizeof output->temp_name, "%s", name);
    if (fstat(fd, &kept) != 0 || fstat(output->dir_fd, &directory) != 0)
        return gsi_output_fail(output, "cannot read its file system", error);
    if (kept.st_dev != directory.st_dev)
        return gsi_fail(error, GS_E_USAGE, 0,
                        "'%s': is not in the file system of the --resume directory; choose a "
                        "directory in the same file system",
                        output->name);
    return GS_OK;
}

/* Sets *fd to the descriptor that `path` names, or to OTHER_NAME if `path` names a file. */
static enum gs_status find_descriptor(struct gsi_output *output, const char *path, int *fd,
                                      struct gs_error *error)
{
    bool is_stdout = path == NULL || strcmp(path, "-") == 0;
    if (is_stdout)
        output->name = "standard output";
    *fd = is_stdout ? STDOUT_FILENO : named_descriptor(path);
    return *fd == NOT_GIVEN ? gsi_fail(error, GS_E_IO, EBADF, "'%s': cannot write", output->name)
                            : GS_OK;
}

/* Determines kind and directory of the output. Sets *has_target to whether the file exists; then
 * `info` describes it. */
static enum gs_status locate_target(struct gsi_output *output, struct stat *info, bool *has_target,
                                    struct gs_error *error)
{
    *has_target = stat(output->path, info) == 0;
    if (!*has_target && errno != ENOENT)
        return gsi_output_fail(output, "cannot write", error);
    if (*has_target && S_ISDIR(info->st_mode))
        return gsi_fail(error, GS_E_IO, EISDIR, "'%s': cannot write", output->name);
    bool is_stream = *has_target && !S_ISREG(info->st_mode);
    output->kind = is_stream ? GSI_OUTPUT_STREAM : GSI_OUTPUT_ATOMIC;
    return is_stream ? GS_OK : gsi_output_resolve(output, *has_target, error);
}

struct gsi_output gsi_output_closed(const char *path)
{
    return (struct gsi_output){.path = path,
                               .name = path,
                               .kind = GSI_OUTPUT_STREAM,
                               .fd = -1,
                               .direct_fd = -1,
                               .dir_fd = -1,
                               .kept_dir_fd = -1};
}

enum gs_status gsi_output_locate(const char *path, struct gsi_output *output,
                                 struct gs_error *error)
{
    struct stat info;
    bool has_target;
    *output = gsi_output_closed(path);
    int given;
    enum gs_status status = find_descriptor(output, path, &given, error);
    if (status == GS_OK && given == OTHER_NAME)
        status = locate_target(output, &info, &has_target, error);
    if (status != GS_OK)
        gsi_output_close(output);
    return status;
}

enum gs_status gsi_output_open(const char *path, struct gsi_output *output, struct gs_error *error)
{
    enum gs_status status = GS_OK;
    struct stat info;
    bool has_target;
    *output = gsi_output_closed(path);
    int given;
    GSI_TRY_OR(find_descriptor(output, path, &given, error), fail);
    if (given != OTHER_NAME) {
        GSI_TRY_OR(open_descriptor(output, given, error), fail);
        return GS_OK;
    }
    GSI_TRY_OR(locate_target(output, &info, &has_target, error), fail);
    if (output->kind == GSI_OUTPUT_STREAM)
        GSI_TRY_OR(gsi_output_connect(output, false, error), fail);
    else
        GSI_TRY_OR(open_atomic(output, has_target ? &info : NULL, error), fail);
    return GS_OK;
fail:
    gsi_output_close(output);
    return status;
}

enum gs_status gsi_output_ensure_name(struct gsi_output *output, struct gs_error *error)
{
    for (int i = 0; output->temp_name[0] == '\0'; i++) {
        char name[GSI_TEMP_NAME_BYTES];
        if (i > 0 && (errno != EEXIST || i == GSI_NAME_TRIES))
            return gsi_output_fail(output, "cannot rename the finished file to this name", error);
        gsi_temp_name(output->target_name, name);
        if (link_to_name(output, name) == 0)
            memcpy(output->temp_name, name, sizeof name);
    }
    return GS_OK;
}

/* Gives the file its final name. linkat cannot replace a file. So if the name exists, the file gets
 * a temporary name and is renamed. */
static enum gs_status rename_to_target(struct gsi_output *output, struct gs_error *error)
{
    if (output->temp_name[0] == '\0') {
        if (link_to_name(output, output->target_name) == 0)
            return GS_OK;
        if (errno != EEXIST)
            return gsi_output_fail(output, "cannot rename the finished file to this name", error);
        GSI_TRY(gsi_output_ensure_name(output, error));
    }
    int from_fd = output->kept_dir_fd >= 0 ? output->kept_dir_fd : output->dir_fd;
    if (renameat(from_fd, output->temp_name, output->dir_fd, output->target_name) != 0)
        return gsi_output_fail(output, "cannot rename the finished file to this name", error);
    output->temp_name[0] = '\0';
    return GS_OK;
}

enum gs_status gsi_output_reread(const struct gsi_output *output, uint64_t off, uint64_t bytes,
                                 struct gsi_input *input, struct gs_error *error)
{
    *input = (struct gsi_input){.path = output->path,
                                .name = output->name,
                                .direct_fd = -1,
                                .base_off = off,
                                .bytes = bytes,
                                .file_bytes = bytes,
                                .is_sniffed = true,
                                .expected_bytes = UINT64_MAX};
    input->fd = fcntl(output->fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    if (input->fd < 0)
        return gsi_output_fail(output, "cannot be read back", error);
    if (fdatasync(output->fd) != 0)
        return gsi_output_fail(output, "cannot sync", error);
    (void)posix_fadvise(output->fd, 0, 0, POSIX_FADV_DONTNEED);
    input->direct_fd = gsi_direct_open(output->fd, O_RDONLY);
    input->is_direct = input->direct_fd >= 0;
    return GS_OK;
}

enum gs_status gsi_output_seal(const struct gsi_output *output, uint64_t bytes,
                               struct gs_error *error)
{
    struct stat info;
    if (fstat(output->fd, &info) != 0)
        return gsi_output_fail(output, "cannot read its size", error);
    if ((uint64_t)info.st_size != bytes && ftruncate(output->fd, (off_t)bytes) != 0)
        return gsi_output_fail(output, "cannot set the size", error);
    enum gs_status status = gsi_access_copy(output, error);
    if (status != GS_OK)
        return status;
    if (fsync(output->fd) != 0)
        return gsi_output_fail(output, "cannot sync", error);
    return GS_OK;
}

/* Closes an output that was written in place, and syncs a block device. Other programs sync the
 * files that they opened. With NFS, even close may report a failed write. */
static enum gs_status finish_in_place(struct gsi_output *output, struct gs_error *error)
{
    struct stat info;
    if (gsi_fd_is_callback(output->fd))
        return GS_OK;
    if (fstat(output->fd, &info) != 0)
        return gsi_output_fail(output, "cannot read its file type", error);
    if (S_ISBLK(info.st_mode) && fsync(output->fd) != 0)
        return gsi_output_fail(output, "cannot sync", error);
    int fd = output->fd;
    output->fd = -1;
    if (close(fd) != 0 && errno != EINTR)
        return gsi_output_fail(output, "cannot write", error);
    return GS_OK;
}

/* Ignores EBADF (the directory was opened with O_PATH) and EINVAL (its file system cannot sync
 * directories). */
enum gs_status gsi_output_sync_dir(const struct gsi_output *output, struct gs_error *error)
{
    if (fsync(output->dir_fd) != 0 && errno != EBADF && errno != EINVAL)
        return gsi_output_fail(output, "is complete, but its directory cannot be synced", error);
    return GS_OK;
}

enum gs_status gsi_output_rename(struct gsi_output *output, struct gs_error *error)
{
    enum gs_status status = rename_to_target(output, error);
    output->is_placed = status == GS_OK;
    return status;
}

/* Commits an output that was written in place. */
static enum gs_status commit_in_place(struct gsi_output *output, uint64_t bytes,
                                      struct gs_error *error)
{
    if (output->kind == GSI_OUTPUT_SHARED &&
        lseek(output->fd, (off_t)(output->base_off + bytes), SEEK_SET) < 0)
        return gsi_output_fail(output, "cannot seek", error);
    if (output->kind == GSI_OUTPUT_PART && fsync(output->fd) != 0)
        return gsi_output_fail(output, "cannot sync", error);
    if (output->kind == GSI_OUTPUT_SHARED || output->kind == GSI_OUTPUT_STREAM)
        GSI_TRY(finish_in_place(output, error));
    output->is_placed = true;
    return GS_OK;
}

enum gs_status gsi_output_commit(struct gsi_output *output, uint64_t bytes, struct gs_error *error)
{
    bool is_atomic = output->kind == GSI_OUTPUT_ATOMIC;
    if (is_atomic) {
        GSI_TRY(gsi_output_seal(output, bytes, error));
        GSI_TRY(gsi_output_rename(output, error));
    } else {
        GSI_TRY(commit_in_place(output, bytes, error));
    }
    bool has_directory = is_atomic || output->kind == GSI_OUTPUT_PART;
    return has_directory ? gsi_output_sync_dir(output, error) : GS_OK;
}

void gsi_output_close(struct gsi_output *output)
{
    if (output->name != NULL) { /* a zeroed output has no name and no open descriptors */
        const int fds[] = {output->fd, output->direct_fd, output->dir_fd};
        if (output->temp_name[0] != '\0' && output->kept_dir_fd < 0)
            unlinkat(output->dir_fd, output->temp_name, 0);
        for (size_t i = 0; i < sizeof fds / sizeof fds[0]; i++)
            if (fds[i] >= 0)
                close(fds[i]);
    }
    free(output->directory);
    free(output->target_name);
    gsi_bytes_clear(&output->new_acl);
    *output = (struct gsi_output){.fd = -1, .direct_fd = -1, .dir_fd = -1, .kept_dir_fd = -1};
}
