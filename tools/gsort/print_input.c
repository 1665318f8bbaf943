/* print_input.c: read(2), and libzstd's streams. */
#include "print_input.h"

#include "common/tool.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define CODED_BYTES ((size_t)128 << 10) /* what libzstd wants at once, or more */
#define STOP_MS     100                 /* a job that was canceled waits so long at most */

enum gs_status print_input_open(const char *path, struct print_input *input, struct gs_error *error)
{
    struct stat info;
    bool is_stdin = strcmp(path, "-") == 0;
    *input = (struct print_input){.name = is_stdin ? "standard input" : path};
    do {
        input->fd = is_stdin ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    } while (input->fd < 0 && errno == EINTR);
    if (input->fd < 0)
        return gs_fail(error, GS_E_INPUT, errno, "'%s': cannot open", input->name);
    /* Files in /proc report size 0, so they are read as streams. */
    bool can_have_size = fstat(input->fd, &info) == 0 &&
                         ((S_ISREG(info.st_mode) && info.st_size > 0) || S_ISBLK(info.st_mode));
    off_t here = can_have_size ? lseek(input->fd, 0, SEEK_CUR) : -1;
    off_t end = here >= 0 ? lseek(input->fd, 0, SEEK_END) : -1;
    input->has_size = end >= 0 && lseek(input->fd, here, SEEK_SET) == here;
    input->is_pipe =
        S_ISFIFO(info.st_mode) || S_ISSOCK(info.st_mode) || (S_ISCHR(info.st_mode) && end < 0);
    return GS_OK;
}

void print_input_close(struct print_input *input)
{
    if (input->fd > STDIN_FILENO)
        close(input->fd);
    ZSTD_freeDCtx(input->unpacker);
    free(input->coded);
    free(input->held);
}

/* As read(2), until the job wants no more; what was held first. */
static enum gs_status read_some(struct print_input *input, uint8_t *data, size_t bytes, size_t *got,
                                struct gs_error *error)
{
    struct pollfd file = {.fd = input->fd, .events = POLLIN};
    ssize_t moved = -1;
    *got = min_u64(bytes, input->holds ? 0 : input->held_bytes - input->held_at);
    if (*got > 0)
        memcpy(data, input->held + input->held_at, *got);
    input->held_at += *got;
    if (*got > 0)
        return GS_OK;
    do {
        bool is_ready = poll(&file, 1, STOP_MS) != 0;
        if (atomic_load(&input->is_stopped))
            return GS_OK;
        if (!is_ready)
            errno = EINTR;
        else
            moved = read(input->fd, data, bytes);
    } while (moved < 0 && errno == EINTR);
    if (moved < 0)
        return gs_fail(error, GS_E_IO, errno, "'%s': cannot read", input->name);
    *got = (size_t)moved;
    return GS_OK;
}

/* As read(2), but whole as far as there are bytes. */
static enum gs_status read_file(struct print_input *input, uint8_t *data, size_t bytes, size_t *got,
                                struct gs_error *error)
{
    size_t step = 1;
    for (*got = 0; *got < bytes && step > 0; *got += step)
        TRY(read_some(input, data + *got, bytes - *got, &step, error));
    return GS_OK;
}

/* ---- for a job ---- */

static int64_t give(void *context, void *data, size_t bytes, struct gs_error *error)
{
    struct print_input *input = context;
    size_t got = 0;
    if (read_some(input, data, bytes, &got, error) != GS_OK)
        return -1;
    if (!input->holds || got == 0)
        return (int64_t)got;
    uint8_t *held = realloc(input->held, input->held_bytes + got);
    if (held == NULL) {
        gs_fail(error, GS_E_MEMORY, ENOMEM, "out of memory: cannot read '%s'", input->name);
        return -1;
    }
    memcpy(held + input->held_bytes, data, got);
    input->held = held;
    input->held_bytes += got;
    return (int64_t)got;
}

static void stop(void *context)
{
    struct print_input *input = context;
    atomic_store(&input->is_stopped, true);
}

enum gs_status print_input_give(struct print_input *input, bool holds, gs_job *job,
                                const char *const *inputs, size_t count, struct gs_error *error)
{
    const struct gs_reader reader = {.read = give, .stop = stop, .context = input};
    input->holds = holds;
    TRY(of_job(gs_job_set(job, "input", NULL), job, error));
    TRY(of_job(gs_job_add_reader(job, input->name, &reader), job, error));
    for (size_t i = 1; i < count; i++)
        TRY(of_job(gs_job_add(job, "input", inputs[i]), job, error));
    return GS_OK;
}

/* ---- unpacked ---- */

static enum gs_status read_packed(struct print_input *input, uint8_t *data, size_t bytes,
                                  size_t *got, struct gs_error *error)
{
    ZSTD_outBuffer out = {data, bytes, 0};
    while (out.pos < out.size) {
        if (input->coded_at == input->coded_bytes) {
            input->coded_at = 0;
            TRY(read_file(input, input->coded, CODED_BYTES, &input->coded_bytes, error));
        }
        size_t before = out.pos;
        ZSTD_inBuffer in = {input->coded, input->coded_bytes, input->coded_at};
        size_t wanted = ZSTD_decompressStream(input->unpacker, &out, &in);
        if (ZSTD_isError(wanted))
            return gs_fail(error, GS_E_INPUT, 0, "'%s': cannot be decompressed: %s", input->name,
                           ZSTD_getErrorName(wanted));
        bool is_at_end = input->coded_bytes == 0 && out.pos == before;
        if (is_at_end && input->is_in_frame)
            return gs_fail(error, GS_E_INPUT, 0, "'%s': ends inside a zstd frame; it is incomplete",
                           input->name);
        if (is_at_end)
            break;
        input->is_in_frame = wanted != 0;
        input->coded_at = in.pos;
    }
    *got = out.pos;
    return GS_OK;
}

enum gs_status print_input_read(struct print_input *input, uint8_t *data, size_t bytes, size_t *got,
                                struct gs_error *error)
{
    return input->unpacker != NULL ? read_packed(input, data, bytes, got, error)
                                   : read_file(input, data, bytes, got, error);
}

enum gs_status print_input_seek(struct print_input *input, uint64_t off, struct gs_error *error)
{
    if (off > INT64_MAX || lseek(input->fd, (off_t)off, SEEK_SET) < 0)
        return gs_fail(error, GS_E_IO, errno, "'%s': cannot seek to byte %llu", input->name,
                       (unsigned long long)off);
    return GS_OK;
}

static enum gs_status open_unpacker(struct print_input *input, struct gs_error *error)
{
    input->has_size = false;
    input->unpacker = ZSTD_createDCtx();
    input->coded = malloc(CODED_BYTES);
    if (input->unpacker == NULL || input->coded == NULL)
        return gs_fail(error, GS_E_MEMORY, ENOMEM, "out of memory: cannot decompress '%s'",
                       input->name);
    return GS_OK;
}

enum gs_status print_input_begin(struct print_input *input, bool is_packed, uint64_t off,
                                 struct gs_error *error)
{
    input->holds = false;
    if (is_packed)
        TRY(open_unpacker(input, error));
    if (input->has_size)
        return print_input_seek(input, off, error);
    uint8_t skipped[4096];
    for (size_t got; off > 0; off -= got) {
        TRY(print_input_read(input, skipped, min_u64(off, sizeof skipped), &got, error));
        if (got == 0)
            return gs_fail(error, GS_E_INPUT, 0,
                           "'%s': ends inside its header; %llu byte%s missing", input->name,
                           (unsigned long long)off, off == 1 ? " is" : "s are");
    }
    return GS_OK;
}
