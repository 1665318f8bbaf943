/* fuzz.h: declares what fuzz targets share. A target is one function that accepts any bytes. Built
 * by clang with GSORT_FUZZ it is run by libFuzzer (tools/dev/fuzz.sh), else by fuzz_main.c. */
#ifndef FUZZ_H
#define FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

/* Checks a property that holds for any bytes. */
#define FUZZ_CHECK(condition)                                                         \
    do {                                                                              \
        if (!(condition)) {                                                           \
            fprintf(stderr, "%s:%d: not true: %s\n", __FILE__, __LINE__, #condition); \
            abort();                                                                  \
        }                                                                             \
    } while (0)

/* Returns a copy of the bytes on the heap, not longer, so that sanitizers notice an access beyond
 * them. A copied text ends with a NUL byte. */
static inline void *fuzz_copy(const uint8_t *data, size_t bytes)
{
    void *copy = calloc(1, bytes > 0 ? bytes : 1);
    FUZZ_CHECK(copy != NULL);
    if (bytes > 0)
        memcpy(copy, data, bytes);
    return copy;
}

static inline char *fuzz_text(const uint8_t *data, size_t bytes)
{
    char *text = malloc(bytes + 1);
    FUZZ_CHECK(text != NULL);
    if (bytes > 0)
        memcpy(text, data, bytes);
    text[bytes] = '\0';
    return text;
}

/* Returns bytes from the front of the input; zeros after its end. */
struct fuzz_bytes {
    const uint8_t *data;
    size_t bytes;
};

static inline uint64_t fuzz_take(struct fuzz_bytes *from, size_t n)
{
    uint64_t value = 0;
    size_t taken = n < from->bytes ? n : from->bytes;
    if (taken > 0)
        memcpy(&value, from->data, taken);
    from->data += taken;
    from->bytes -= taken;
    return value;
}

/* A file in memory that holds the bytes, and its name. */
struct fuzz_file {
    int fd;
    char path[32];
};

struct fuzz_file fuzz_file_make(const uint8_t *data, size_t bytes);
void fuzz_file_close(struct fuzz_file *file);

#endif
