/* fuzz_file.c: makes files in memory. */
#include "fuzz/fuzz.h"

#include <sys/mman.h>
#include <unistd.h>

struct fuzz_file fuzz_file_make(const uint8_t *data, size_t bytes)
{
    struct fuzz_file file = {.fd = memfd_create("fuzz", MFD_CLOEXEC)};
    FUZZ_CHECK(file.fd >= 0);
    FUZZ_CHECK(bytes == 0 || write(file.fd, data, bytes) == (ssize_t)bytes);
    FUZZ_CHECK(lseek(file.fd, 0, SEEK_SET) == 0);
    snprintf(file.path, sizeof file.path, "/proc/self/fd/%d", file.fd);
    return file;
}

void fuzz_file_close(struct fuzz_file *file)
{
    close(file->fd);
}
