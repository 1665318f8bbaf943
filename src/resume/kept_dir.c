/* kept_dir.c: opens the directory and files in it, and refuses other users' files. */
#include "resume/kept_dir.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* EINVAL: the file system cannot sync directories. */
enum gs_status gsi_kept_dir_sync(const struct gsi_kept_dir *dir, struct gs_error *error)
{
    if (fsync(dir->fd) != 0 && errno != EINVAL)
        return gsi_fail(error, GS_E_IO, errno, "'%s': cannot sync", dir->path);
    return GS_OK;
}

/* A power cut removes a new directory unless its parent was synced. A parent that we may not read
 * cannot be synced. */
static enum gs_status sync_parent(const struct gsi_kept_dir *dir, struct gs_error *error)
{
    const struct gsi_kept_dir parent = {
        .path = dir->path, .fd = openat(dir->fd, "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
    if (parent.fd < 0 && errno == EACCES)
        return GS_OK;
    if (parent.fd < 0)
        return gsi_fail(error, gsi_status_of_errno(errno), errno, "'%s': cannot open", dir->path);
    enum gs_status status = gsi_kept_dir_sync(&parent, error);
    close(parent.fd);
    return status;
}

/* If this fails, the directory may be open. */
static enum gs_status open_dir(struct gsi_kept_dir *dir, struct gs_error *error)
{
    struct stat info;
    const char *path = dir->path;
    dir->is_new = mkdir(path, 0700) == 0;
    if (!dir->is_new && errno != EEXIST)
        return gsi_fail(error, gsi_status_of_errno(errno), errno,
                        "'%s': cannot create the directory", path);
    dir->fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (dir->fd < 0 && (errno == ENOTDIR || errno == ELOOP))
        return gsi_fail(error, GS_E_USAGE, 0,
                        "'%s': is a file or a symbolic link; --resume needs a directory", path);
    if (dir->fd < 0 || fstat(dir->fd, &info) != 0)
        return gsi_fail(error, gsi_status_of_errno(errno), errno, "'%s': cannot open", path);
    if (info.st_uid != geteuid() || (info.st_mode & (S_IWGRP | S_IWOTH)) != 0)
        return gsi_fail(error, GS_E_USAGE, 0,
                        "'%s': other users can write to it; --resume needs a directory that only "
                        "you can write to",
                        path);
    if (flock(dir->fd, LOCK_EX | LOCK_NB) != 0)
        return errno == EWOULDBLOCK ? gsi_fail(error, GS_E_USAGE, 0,
                                               "'%s': another gsort is using this directory", path)
                                    : gsi_fail(error, GS_E_IO, errno, "'%s': cannot lock", path);
    return dir->is_new ? sync_parent(dir, error) : GS_OK;
}

enum gs_status gsi_kept_dir_open(const char *path, struct gsi_kept_dir *dir, struct gs_error *error)
{
    *dir = (struct gsi_kept_dir){.path = path, .fd = -1};
    enum gs_status status = open_dir(dir, error);
    if (status != GS_OK)
        gsi_kept_dir_close(dir);
    return status;
}

void gsi_kept_dir_close(struct gsi_kept_dir *dir)
{
    if (dir->path != NULL && dir->fd >= 0)
        close(dir->fd);
    dir->fd = -1;
}

enum gs_status gsi_kept_dir_file(const struct gsi_kept_dir *dir, const char *name, bool is_made,
                                 int *fd, struct gs_error *error)
{
    struct stat info;
    int flags = O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | (is_made ? O_CREAT : 0);
    *fd = openat(dir->fd, name, flags, 0600);
    if (*fd < 0 && errno == ENOENT && !is_made)
        return GS_OK;
    if (*fd < 0)
        return gsi_fail(error, errno == ELOOP ? GS_E_USAGE : gsi_status_of_errno(errno), errno,
                        "'%s/%s': cannot open", dir->path, name);
    int refusal = fstat(*fd, &info) == 0 ? 0 : errno;
    if (refusal == 0 && S_ISREG(info.st_mode) && info.st_uid == geteuid() && info.st_nlink == 1)
        return GS_OK;
    close(*fd);
    *fd = -1;
    if (refusal != 0)
        return gsi_fail(error, GS_E_IO, refusal, "'%s/%s': cannot open", dir->path, name);
    return gsi_fail(error, GS_E_USAGE, 0, "'%s/%s': was not created by gsort; remove it", dir->path,
                    name);
}
