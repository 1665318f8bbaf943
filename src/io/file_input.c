/* file_input.c: opens inputs, and determines their kind, their size, and whether direct I/O can
 * read them. */
#include "io/array.h"
#include "io/file_parts.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* cachestat(2) has the same number on every architecture; headers before Linux 6.5 do not define
 * it. */
#ifndef __NR_cachestat
#define __NR_cachestat 451
#endif

struct cache_range {
    uint64_t off, bytes;
};

struct cache_pages { /* struct cachestat */
    uint64_t cached, dirty, writeback, evicted, recently_evicted;
};

static int64_t time_ns(struct timespec time)
{
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

/* Opens a FIFO with O_NONBLOCK, because open would otherwise wait for a writer, and only a signal
 * could end that. The I/O engines poll a FIFO before they read it, so they wait for the writer, and
 * can be cancelled. */
static int open_path(const char *path)
{
    struct stat info;
    bool is_fifo = stat(path, &info) == 0 && S_ISFIFO(info.st_mode);
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | (is_fifo ? O_NONBLOCK : 0));
    if (is_fifo && fd >= 0)
        fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK);
    return fd;
}

/* Opens the input. Standard input is duplicated, so that its position stays shared with other
 * processes. */
static enum gs_status open_fd(struct gsi_input *input, struct gs_error *error)
{
    bool is_stdin = strcmp(input->path, "-") == 0;
    input->name = is_stdin ? "standard input" : input->path;
    input->fd =
        is_stdin ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1) : open_path(input->path);
    if (input->fd < 0)
        return gsi_fail(error, GS_E_INPUT, errno, "'%s': cannot open", input->name);
    if ((fcntl(input->fd, F_GETFL) & O_ACCMODE) == O_WRONLY)
        return gsi_fail(error, GS_E_INPUT, 0, "'%s': is not open for reading", input->name);
    return GS_OK;
}

/* Reads a page from a regular file of size 0, to find out whether it is a stream. Files in /proc
 * and of FUSE may report size 0 and still have data. The function stores these bytes in
 * input->head. The function does not wait for a file that has no data now, such as /proc/kmsg. */
static enum gs_status probe_empty_file(struct gsi_input *input, struct gs_error *error)
{
    uint8_t page[GSI_DIRECT_ALIGN];
    struct pollfd polled = {.fd = input->fd, .events = POLLIN};
    bool is_ready = poll(&polled, 1, 0) != 0;
    ssize_t bytes = is_ready ? read(input->fd, page, sizeof page) : 0;
    input->is_stream = !is_ready || bytes != 0; /* the first read by the job reports an error */
    if (bytes <= 0)
        return GS_OK;
    input->head = malloc((size_t)bytes);
    if (input->head == NULL)
        return gsi_fail(error, GS_E_MEMORY, ENOMEM, "out of memory: cannot read the start of '%s'",
                        input->name);
    memcpy(input->head, page, (size_t)bytes);
    input->head_bytes = (size_t)bytes;
    return GS_OK;
}

/* Returns whether the file is shorter than its reported size. Files in /sys report one page, but
 * are shorter, and use no disk blocks. So if a file has no blocks, the function tries to read its
 * last byte. */
static bool ends_before_size(const struct gsi_input *input, const struct stat *info)
{
    char byte;
    return info->st_blocks == 0 && pread(input->fd, &byte, 1, info->st_size - 1) == 0;
}

static void set_stream(struct gsi_input *input)
{
    input->is_stream = true;
    input->bytes = input->file_bytes = UINT64_MAX;
}

/* Sets offset and size of the data: from the file's position to `end`. Only standard input may have
 * a position other than 0. */
static enum gs_status measure_seekable(struct gsi_input *input, uint64_t end,
                                       struct gs_error *error)
{
    off_t position = lseek(input->fd, 0, SEEK_CUR);
    if (position < 0)
        return gsi_fail(error, GS_E_INPUT, errno, "'%s': cannot seek", input->name);
    input->base_off = (uint64_t)position;
    input->bytes = end > input->base_off ? end - input->base_off : 0;
    input->file_bytes = input->bytes;
    input->direct_fd = gsi_direct_open(input->fd, O_RDONLY);
    input->is_direct = input->direct_fd >= 0;
    return GS_OK;
}

enum gs_status gsi_input_open(const char *path, struct gsi_input *input, struct gs_error *error)
{
    enum gs_status status = GS_OK;
    struct stat info;
    *input =
        (struct gsi_input){.path = path, .fd = -1, .direct_fd = -1, .expected_bytes = UINT64_MAX};
    GSI_TRY_OR(open_fd(input, error), fail);
    if (fstat(input->fd, &info) != 0)
        GSI_TRY_OR(gsi_fail(error, GS_E_INPUT, errno, "'%s': cannot read its size", input->name),
                   fail);
    input->mtime_ns = time_ns(info.st_mtim);
    input->ctime_ns = time_ns(info.st_ctim);
    input->device_id = info.st_dev;
    input->inode = info.st_ino;
    if (S_ISREG(info.st_mode)) {
        if (info.st_size == 0)
            GSI_TRY_OR(probe_empty_file(input, error), fail);
        if (input->is_stream || (info.st_size > 0 && ends_before_size(input, &info)))
            set_stream(input);
        else
            GSI_TRY_OR(measure_seekable(input, (uint64_t)info.st_size, error), fail);
    } else if (S_ISBLK(info.st_mode)) {
        uint64_t device_bytes;
        input->is_device = true;
        if (ioctl(input->fd, BLKGETSIZE64, &device_bytes) != 0)
            GSI_TRY_OR(
                gsi_fail(error, GS_E_INPUT, errno, "'%s': cannot read its size", input->name),
                fail);
        GSI_TRY_OR(measure_seekable(input, device_bytes, error), fail);
    } else if (S_ISDIR(info.st_mode)) {
        GSI_TRY_OR(gsi_fail(error, GS_E_INPUT, EISDIR, "'%s': cannot read", input->name), fail);
    } else {
        set_stream(input);
        gsi_pipe_enlarge(input->fd);
    }
    return GS_OK;
fail:
    gsi_input_close(input);
    return status;
}

static void close_fds(struct gsi_input *input)
{
    if (input->fd >= 0)
        close(input->fd);
    if (input->direct_fd >= 0)
        close(input->direct_fd);
    input->fd = input->direct_fd = -1;
}

void gsi_input_close(struct gsi_input *input)
{
    /* A zeroed input has no name and no open descriptors. */
    if (input->name != NULL)
        close_fds(input);
    free(input->head);
    *input = (struct gsi_input){.fd = -1, .direct_fd = -1};
}

void gsi_input_disable_direct(struct gsi_input *input)
{
    if (input->direct_fd >= 0)
        close(input->direct_fd);
    input->direct_fd = -1;
    input->is_direct = false;
}

enum gs_status gsi_input_skip(struct gsi_input *input, uint64_t bytes, struct gs_error *error)
{
    if (input->is_stream) {
        input->skip_bytes = bytes;
        return GS_OK;
    }
    if (bytes > input->bytes)
        return gsi_fail(error, GS_E_INPUT, 0,
                        "'%s': has %llu bytes, but its header should have %llu", input->name,
                        (unsigned long long)input->bytes, (unsigned long long)bytes);
    input->base_off += bytes;
    input->bytes -= bytes;
    return GS_OK;
}

void gsi_input_close_for_now(struct gsi_input *input)
{
    struct stat info;
    bool has_size = input->file_bytes != UINT64_MAX;
    if (has_size && input->name == input->path && fstat(input->fd, &info) == 0 &&
        S_ISREG(info.st_mode))
        close_fds(input);
}

enum gs_status gsi_input_reopen(struct gsi_input *input, struct gs_error *error)
{
    struct gsi_input now;
    if (input->fd != -1)
        return GS_OK;
    enum gs_status status = gsi_input_open(input->path, &now, error);
    if (status != GS_OK)
        return status;
    if (now.device_id != input->device_id || now.inode != input->inode ||
        now.file_bytes != input->file_bytes || now.mtime_ns != input->mtime_ns) {
        gsi_input_close(&now);
        return gsi_fail(error, GS_E_INPUT, 0, "'%s': has changed since gsort started", input->name);
    }
    if (!input->is_direct)
        gsi_input_disable_direct(&now);
    input->fd = now.fd;
    input->direct_fd = now.direct_fd;
    return GS_OK;
}

void gsi_input_replace(struct gsi_input *input, int fd, uint64_t bytes)
{
    if (!gsi_fd_is_callback(input->fd))
        close_fds(input);
    input->fd = fd;
    input->direct_fd = gsi_direct_open(fd, O_RDONLY);
    input->is_direct = input->direct_fd >= 0;
    input->is_stream = false;
    input->is_copy = true;
    input->base_off = input->promised_bytes = 0;
    input->bytes = input->file_bytes = bytes;
}

enum gs_status gsi_input_read(const struct gsi_input *input, void *data, uint64_t bytes,
                              uint64_t off, struct gs_error *error)
{
    if (input->array != NULL) {
        memcpy(data, input->array->from + input->base_off + off, bytes);
        return GS_OK;
    }
    int64_t moved = gsi_file_read(input->fd, data, bytes, input->base_off + off);
    if (moved < 0)
        return gsi_fail(error, gsi_status_of_errno(errno), errno, "'%s': cannot read at byte %llu",
                        input->name, (unsigned long long)(input->base_off + off));
    if ((uint64_t)moved < bytes)
        return gsi_input_fail_short(input, error);
    return GS_OK;
}

enum gs_status gsi_input_fail_short(const struct gsi_input *input, struct gs_error *error)
{
    return input->is_copy
               ? gsi_fail(error, GS_E_CORRUPT, 0,
                          "'%s': the temporary copy of this stream is truncated; check the disk",
                          input->name)
               : gsi_fail(error, GS_E_INPUT, 0, "'%s': the file shrank while it was read",
                          input->name);
}

bool gsi_input_is_cached(const struct gsi_input *input)
{
    struct cache_range range = {.off = input->base_off, .bytes = input->bytes};
    struct cache_pages pages = {0};
    if (input->is_stream || input->bytes == 0 ||
        syscall(__NR_cachestat, input->fd, &range, &pages, 0u) != 0)
        return false;
    uint64_t page_bytes = (uint64_t)sysconf(_SC_PAGESIZE);
    return pages.cached > input->bytes / page_bytes / 2;
}
