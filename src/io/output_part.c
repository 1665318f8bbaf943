/* output_part.c: implements outputs that are parts of one file. Several processes, maybe on several
 * machines, write one part each.
 *
 *     open     under a lock: the first process sets the length of the whole file
 *     write    each process writes its part, after allocating disk for it (gsi_output_reserve)
 *     commit   fsync of the file and of its directory
 *
 * No process shortens or replaces the file, so a process can write its part again at any time.
 * Without locks the result is the same if all processes set the same length. */
#include "base/checked.h"
#include "io/file_parts.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* Checks that `path` is a regular file or does not exist. Sets *exists. Symbolic links are
 * refused. */
static enum gs_status check_target(const struct gsi_output *output, struct stat *info, bool *exists,
                                   struct gs_error *error)
{
    *exists = lstat(output->path, info) == 0;
    if (!*exists && errno != ENOENT)
        return gsi_output_fail(output, "cannot write", error);
    if (*exists && S_ISLNK(info->st_mode))
        return gsi_fail(error, GS_E_USAGE, 0,
                        "--into: '%s' is a symbolic link; name the file it points to",
                        output->name);
    if (*exists && !S_ISREG(info->st_mode))
        return gsi_fail(error, GS_E_USAGE, 0, "--into: '%s' is not a regular file", output->name);
    return GS_OK;
}

/* Checks the free disk space for all parts, before the file is created. */
static enum gs_status check_room(const struct gsi_output *output, uint64_t bytes,
                                 struct gs_error *error)
{
    uint64_t free_bytes, file_system;
    GSI_TRY(gsi_space_free(output->directory, &free_bytes, &file_system, error));
    return bytes <= free_bytes
               ? GS_OK
               : gsi_fail_space(error, ENOSPC, output->name, "all parts of the output", bytes,
                                free_bytes, "choose another place");
}

static void lock(int fd, int how)
{
    while (flock(fd, how) != 0 && errno == EINTR) {
    }
}

/* Sets the length of an empty file; checks the length if the file is not empty. */
static enum gs_status set_length(const struct gsi_output *output, uint64_t bytes,
                                 struct gs_error *error)
{
    enum gs_status status = GS_OK;
    struct stat info;
    lock(output->fd, LOCK_EX);
    if (fstat(output->fd, &info) != 0)
        GSI_TRY_OR(gsi_output_fail(output, "cannot read its size", error), done);
    if (info.st_size == 0 && bytes > 0 && ftruncate(output->fd, (off_t)bytes) != 0)
        GSI_TRY_OR(gsi_output_fail(output, "cannot set the size", error), done);
    if (info.st_size != 0 && (uint64_t)info.st_size != bytes)
        status =
            gsi_fail(error, GS_E_USAGE, 0,
                     "--into: '%s' has %llu bytes, but all parts together have %llu, so it is "
                     "another output; remove it or name another FILE",
                     output->name, (unsigned long long)info.st_size, (unsigned long long)bytes);
done:
    lock(output->fd, LOCK_UN);
    return status;
}

enum gs_status gsi_output_open_part(const char *path, uint64_t off, uint64_t file_bytes,
                                    struct gsi_output *output, struct gs_error *error)
{
    enum gs_status status = GS_OK;
    struct stat info;
    bool exists;
    *output = gsi_output_closed(path);
    GSI_TRY_OR(check_target(output, &info, &exists, error), fail);
    GSI_TRY_OR(gsi_output_resolve(output, exists, error), fail);
    if (file_bytes > INT64_MAX)
        GSI_TRY_OR(gsi_fail(error, GS_E_IO, EFBIG, "'%s': cannot hold %llu bytes", path,
                            (unsigned long long)file_bytes),
                   fail);
    if (!exists || info.st_size == 0)
        GSI_TRY_OR(check_room(output, file_bytes, error), fail);
    output->dir_fd = open(output->directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (output->dir_fd < 0)
        GSI_TRY_OR(gsi_output_fail(output, "cannot open its directory", error), fail);
    output->fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NOCTTY, 0666);
    if (output->fd < 0)
        GSI_TRY_OR(gsi_output_fail(output, "cannot write", error), fail);
    GSI_TRY_OR(set_length(output, file_bytes, error), fail);
    output->kind = GSI_OUTPUT_PART;
    output->base_off = off;
    output->direct_fd = gsi_direct_open(output->fd, O_WRONLY);
    return GS_OK;
fail:
    gsi_output_close(output);
    return status;
}
