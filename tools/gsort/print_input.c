/* print_input.c: read(2), and libzstd's streams. */
#include "print_input.h"

#include "common/tool.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define CODED_BYTES ((size_t)128 << 10) /* what libzstd wants at once, or more */

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
    /* Files of /proc say that they have no bytes, and are streams. */
    bool can_have_size = fstat(input->fd, &info) == 0 &&
                         ((S_ISREG(info.st_mode) && info.st_size > 0) || S_ISBLK(info.st_mode));
    off_t here = can_have_size ? lseek(input->fd, 0, SEEK_CUR) : -1;
    off_t end = here >= 0 ? lseek(input->fd, 0, SEEK_END) : -1;
    input->has_size = end >= 0 && lseek(input->fd, here, SEEK_SET) == here;
    return GS_OK;
}

void print_input_close(struct print_input *input)
{
    if (input->fd > STDIN_FILENO)
        close(input->fd);
    ZSTD_freeDCtx(input->unpacker);
    free(input->coded);
}

/* As read(2), but whole as far as there are bytes. */
static enum gs_status read_file(struct print_input *input, uint8_t *data, size_t bytes, size_t *got,
                                struct gs_error *error)
{
    *got = 0;
    while (*got < bytes) {
        ssize_t moved = read(input->fd, data + *got, bytes - *got);
        if (moved == 0)
            break;
        if (moved < 0 && errno != EINTR)
            return gs_fail(error, GS_E_IO, errno, "'%s': cannot read", input->name);
        *got += moved > 0 ? (size_t)moved : 0;
    }
    return GS_OK;
}

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
            return gs_fail(error, GS_E_INPUT, 0, "'%s': cannot be unpacked: %s", input->name,
                           ZSTD_getErrorName(wanted));
        bool is_at_end = input->coded_bytes == 0 && out.pos == before;
        if (is_at_end && input->is_in_frame)
            return gs_fail(error, GS_E_INPUT, 0, "'%s': is cut short in a zstd frame", input->name);
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
        return gs_fail(error, GS_E_IO, errno, "'%s': cannot go to byte %llu", input->name,
                       (unsigned long long)off);
    return GS_OK;
}

static enum gs_status open_unpacker(struct print_input *input, struct gs_error *error)
{
    input->has_size = false;
    input->unpacker = ZSTD_createDCtx();
    input->coded = malloc(CODED_BYTES);
    if (input->unpacker == NULL || input->coded == NULL)
        return gs_fail(error, GS_E_MEMORY, ENOMEM, "memory: cannot unpack '%s'", input->name);
    return GS_OK;
}

enum gs_status print_input_begin(struct print_input *input, bool is_packed, uint64_t off,
                                 struct gs_error *error)
{
    if (is_packed)
        TRY(open_unpacker(input, error));
    if (input->has_size)
        return print_input_seek(input, off, error);
    uint8_t skipped[4096];
    for (size_t got; off > 0; off -= got) {
        TRY(print_input_read(input, skipped, min_u64(off, sizeof skipped), &got, error));
        if (got == 0)
            return gs_fail(error, GS_E_INPUT, 0, "'%s': ends in its header, %llu bytes too early",
                           input->name, (unsigned long long)off);
    }
    return GS_OK;
}
