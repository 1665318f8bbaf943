/* file_space.c: allocates and releases disk, reads the free space, and makes small blocking
 * transfers. */
#include "base/checked.h"
#include "io/file.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

int64_t gsi_file_read(int fd, void *data, uint64_t bytes, uint64_t off)
{
    uint64_t all = 0;
    while (all < bytes) {
        ssize_t moved = pread(fd, (uint8_t *)data + all, bytes - all, (off_t)(off + all));
        if (moved < 0 && errno == EINTR)
            continue;
        if (moved < 0)
            return -1;
        if (moved == 0)
            break;
        all += (uint64_t)moved;
    }
    return (int64_t)all;
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

int gsi_file_allocate(int fd, uint64_t off, uint64_t bytes)
{
    int refusal;
    do {
        refusal = fallocate(fd, 0, (off_t)off, (off_t)bytes) == 0 ? 0 : errno;
    } while (refusal == EINTR);
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

enum gs_status gsi_output_reserve(struct gsi_output *output, uint64_t bytes, struct gs_error *error)
{
    struct statvfs space;
    struct stat info;
    uint64_t end, free_bytes;
    if (output->kind == GSI_OUTPUT_STREAM || bytes == 0)
        return GS_OK;
    if (fstatvfs(output->fd, &space) != 0 || fstat(output->fd, &info) != 0)
        return gsi_fail(error, GS_E_IO, errno, "'%s': cannot read the free space", output->name);
    free_bytes = gsi_mul_max_u64(space.f_bavail, space.f_frsize);
    int refusal = 0;
    if (!gsi_add_u64(output->base_off, bytes, &end) || end > INT64_MAX)
        refusal = EFBIG;
    else if (end > (uint64_t)info.st_size && end - (uint64_t)info.st_size > free_bytes)
        refusal = ENOSPC;
    else if (output->kind != GSI_OUTPUT_SHARED) /* the caller's file is never left longer */
        refusal = gsi_file_allocate(output->fd, output->base_off, bytes);
    if (refusal == ENOSPC || refusal == EDQUOT)
        return gsi_fail_space(error, refusal, output->name, "the output", bytes, free_bytes,
                              "choose another place");
    if (refusal != 0)
        return gsi_fail(error, GS_E_IO, refusal, "'%s': cannot hold %llu bytes", output->name,
                        (unsigned long long)bytes);
    output->allocated = bytes;
    return GS_OK;
}

void gsi_output_extend(struct gsi_output *output, uint64_t end, uint64_t step, uint64_t total)
{
    if (output->kind != GSI_OUTPUT_ATOMIC || end <= output->allocated)
        return;
    uint64_t wanted = gsi_max_u64(end, gsi_min_u64(total, output->allocated + step));
    (void)!gsi_file_allocate(output->fd, output->allocated, wanted - output->allocated);
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
